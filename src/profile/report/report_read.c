/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the records in the order of time and fills the world, the profile, the stacks and the branches.
 * With several threads, records are read in batches: each worker replays all records that change the world,
 * and takes the samples of some chunks. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "record_aux.h"
#include "report_internal.h"
#include "report_traced.h"
#include "report_wall.h"
#include "report_workers.h"

enum { SAMPLES_AHEAD = 12 };

static void take_lost(struct report_pass *pass, const struct perfdata_record *record)
{
        struct record_lost lost;

        if (!record_lost_parse(record->bytes, &lost))
                return;
        if (record->header.type == PERF_RECORD_LOST)
                pass->n_lost_records += lost.lost;
        else
                pass->n_lost_samples += lost.lost;
}

/* --- Samples --- */

/* `number` is the index of the sample among all samples, in the order of time. */
static void take_stack(struct report_worker *w, const struct perf_attr *attr, uint32_t event, uint64_t weight,
                       uint64_t number)
{
        struct report_pass *pass = w->pass;
        const struct sample *sample = &w->sample;
        bool is_cut = stack_marks_is_cut(&pass->marks, number) ||
                      (attr->flags & PERF_ATTR_DEFER_CALLCHAIN && sample_is_deferred(sample, NULL));
        bool has_user = false, can_unwind = stack_unwind_can(attr);
        size_t n;

        if (pass->report->branches && branches_are_edges(attr))
                branches_add(pass->report->branches, w->world, event, sample);
        if (!w->stacks) {
                w->n_cut_stacks += is_cut;
                if (is_cut)
                        report_see_cut(w, sample);
                else if (!can_unwind)
                        report_see_chain(w, attr, sample);
                return;
        }
        if (!can_unwind && !is_cut && !w->state && stacks_can_add_chain(sample)) {
                stacks_add_chain(w->stacks, w->world, event, sample, weight);
                return;
        }
        n = stack_frames_of_chain(sample, w->frames, &is_cut, &has_user);
        if (can_unwind) {
                const struct stack_sample of = {attr, sample, number};

                n = stack_unwind_add(pass->unwind, &of, w->frames, n, has_user, &is_cut);
        }
        if (!n)
                w->frames[n++] = stack_frame_of_sample(sample);
        if (is_cut)
                n = stack_frames_mark_cut(w->frames, n);
        if (w->state)
                n = stack_frames_add_state(w->frames, n, w->state);
        stacks_add(w->stacks, w->world, event, sample, w->frames, n, !w->is_part, weight);
}

/* Frames that are not the sample's own, and a state. */
static void take_given(struct report_worker *w, uint32_t event, uint64_t weight)
{
        size_t n = w->n_given;

        if (!w->stacks)
                return;
        memcpy(w->frames, w->given, n * sizeof(*w->frames));
        n = stack_frames_add_state(w->frames, n, w->state);
        stacks_add(w->stacks, w->world, event, &w->sample, w->frames, n, !w->is_part, weight);
}

/* Time without stack: a frame that says so, and its state. */
static void take_no_stack(struct report_worker *w, uint32_t event, uint64_t weight)
{
        size_t n;

        if (!w->stacks)
                return;
        n = stack_frames_add_state(w->frames, 0, w->no_stack);
        if (w->state)
                n = stack_frames_add_state(w->frames, n, w->state);
        stacks_add(w->stacks, w->world, event, &w->sample, w->frames, n, 0, weight);
}

static void keep_sample(struct report_worker *w, uint32_t event, const struct sample *sample, uint64_t weight)
{
        struct sample_list *samples = w->pass->report->samples;
        const char *comm;

        if (!samples || !sample_list_make_room(samples))
                return;
        comm = world_given_name(w->world, sample->pid, sample->tid);
        sample_list_add(samples, &(struct listed_sample){
                                         .time_ns = sample->time,
                                         .ip = sample->ip,
                                         .weight = weight,
                                         .event = event,
                                         .node = stacks_last(w->stacks, w->world),
                                         .comm = sample_list_add_text(samples, comm),
                                         .cpu = sample->cpu,
                                         .pid = sample->pid,
                                         .tid = sample->tid,
                                         .is_part = w->is_part,
                                         .is_next = w->is_next,
                                 });
        if (w->begin_ns)
                sample_list_set_begin(samples, w->begin_ns);
}

static bool parse_sample(struct report_worker *w, const struct perfdata_record *record)
{
        const struct perf_attr *attr = &w->attrs[record->event]->attr;

        if (w->parsed_event == record->event && w->layout.is_plain && !record->bytes.swap)
                return sample_parse_plain(&w->layout, record->bytes, &w->sample);
        sample_layout_init(&w->layout, attr);
        w->parsed_event = UINT32_MAX;
        if (!sample_parse(attr, record->bytes, &w->sample))
                return false;
        w->parsed_event = record->event;
        return true;
}

enum { PID_BYTES = 128 }; /* bytes of memory for a PID, in the worker and in the report */

static void see_pid(struct report_worker *w, int32_t pid)
{
        uint64_t *recent = &w->recent_pids[(uint32_t)pid % RECENT_PIDS], seen = (uint32_t)pid + 1ull;

        if (*recent == seen || w->misses_pids)
                return;
        *recent = seen;
        if (map_find(&w->seen_pids, (uint32_t)pid))
                return;
        w->misses_pids = !budget_share_take(&w->share, BUDGET_RECORDS, PID_BYTES);
        if (w->misses_pids)
                return;
        map_put(&w->seen_pids, (uint32_t)pid, NULL);
        ARRAY_PUSH(w->pids, w->n_pids, w->cap_pids, pid);
}

/* Must be called before the world changes. */
static void catch_up(struct report_worker *w)
{
        profile_catch_up(w->profile, w->world);
        report_catch_up_chains(w);
        if (w->stacks)
                stacks_catch_up(w->stacks, w->world);
}

/* If the process replaced code before this time, earlier results for its addresses are no longer valid, as
 * after a mapping. */
static void set_code_time(struct report_worker *w)
{
        const struct sample *sample = &w->sample;

        if (world_code_is_at(w->world, sample->pid, sample->time))
                return;
        catch_up(w);
        world_set_code_time(w->world, sample->pid, sample->time);
}

/* Counts the sample, or the equal ones that it stands for, at its sampled address.  False: the filter
 * rejects it. */
static bool count_sample(struct report_worker *w, uint32_t event, const struct sample *sample,
                         uint64_t weight)
{
        uint64_t n = w->pass->spe_period && event == w->pass->spe_event ? weight / w->pass->spe_period
                                                                        : !w->is_part;

        return w->pass->is_by_stacks ? profile_admit(w->profile, w->world, event, sample, weight)
                                     : profile_add_many(w->profile, w->world, event, sample, n, weight);
}

/* The same by its innermost Python frame: counts it there, or rejects it because of its file. */
static bool count_python(struct report_worker *w, uint32_t event, uint64_t weight)
{
        const struct report_python *python = &w->pass->python;
        struct sample sample = w->sample;
        uint64_t at = report_python_find(&sample);

        if (!report_python_wants(python, at)) {
                profile_leave_out(w->profile, event);
                return false;
        }
        if (python->by_place && at) {
                sample.ip = at;
                sample.misc = PERF_MISC_USER;
        }
        return count_sample(w, event, &sample, weight);
}

/* The sample as if it were taken at its innermost Python frame. */
static void take_python_access(struct report_worker *w, uint32_t event, uint64_t at)
{
        struct sample sample = w->sample;

        sample.ip = at;
        sample.misc = PERF_MISC_USER;
        accesses_add(w->pass->report->accesses, w->world, event, &sample);
}

/* Like the sample itself, an access counts at its innermost Python frame if rows are by Python frames. */
static void take_access(struct report_worker *w, const struct perf_attr *attr, uint32_t event)
{
        struct report *report = w->pass->report;
        uint64_t at;

        if (!report->accesses || !attr || !accesses_can(attr))
                return;
        at = w->pass->python.by_place ? report_python_find(&w->sample) : 0;
        if (at)
                take_python_access(w, event, at);
        else
                accesses_add(report->accesses, w->world, event, &w->sample);
}

void report_take_event(struct report_worker *w, const struct perf_attr *attr, uint32_t event, uint64_t weight,
                       uint64_t number)
{
        const struct sample *sample = &w->sample;

        if (w->pass->python.is_wanted ? count_python(w, event, weight)
                                      : count_sample(w, event, sample, weight)) {
                if (w->given)
                        take_given(w, event, weight);
                else if (attr)
                        take_stack(w, attr, event, weight, number);
                else
                        take_no_stack(w, event, weight);
                take_access(w, attr, event);
                keep_sample(w, event, sample, weight);
        }
}

bool report_accepts(struct report_worker *w)
{
        const struct report_python *python = &w->pass->python;

        return profile_accepts(w->profile, w->world, &w->sample) &&
               (!python->is_wanted || report_python_wants(python, report_python_find(&w->sample)));
}

/* Takes the sample for its event, or for each event of the leader's group that counted. */
static void take_events(struct report_worker *w, uint32_t event, uint64_t weight, uint64_t number)
{
        const struct perf_attr *attr = &w->attrs[event]->attr;
        bool in_group = group_reads_has(attr);
        struct group_counts counts = {0};

        if (in_group) {
                counts = group_reads_begin(&w->groups, w->attrs, w->n_attrs, attr, &w->sample);
                if (!group_reads_next(&w->groups, &counts, &w->share, &event, &weight))
                        return;
        }
        /* One call in the source, so that the compiler puts its code here, where most samples come by. */
        do
                report_take_event(w, &w->attrs[event]->attr, event, weight, number);
        while (in_group && group_reads_next(&w->groups, &counts, &w->share, &event, &weight));
}

/* What the sample says about the scheduler. False: it is not to be taken. */
static bool take_scheduling(struct report_worker *w, uint32_t event)
{
        struct report *report = w->pass->report;
        const struct sched_event *e = event < report->sched->n ? &report->sched->items[event] : NULL;

        if (e && e->is_packed) {
                w->parsed_event = UINT32_MAX; /* the fields that follow are not as they were parsed */
                if (!sched_events_unpack(&w->sample)) {
                        w->n_malformed++;
                        return false;
                }
        }
        if (report->sched_log)
                sched_log_take(report->sched_log, event, &w->sample);
        report_traced_take(w, event);
        return !e || !e->role || e->has_stacks || !w->pass->request.skips_stackless_waits;
}

static void take_sample(struct report_worker *w, const struct perfdata_record *record, uint64_t number)
{
        const struct sample *sample = &w->sample;
        const struct perf_attr *attr;
        uint64_t weight;

        if (record->event == UINT32_MAX)
                return;
        if (!parse_sample(w, record)) {
                w->n_malformed++;
                return;
        }
        attr = &w->attrs[record->event]->attr;
        if (!take_scheduling(w, record->event))
                return;
        weight = sample->period;
        if (!(attr->sample_type & PERF_SAMPLE_PERIOD))
                weight = attr->flags & PERF_ATTR_FREQ ? 1 : attr->sample_period_or_freq;
        see_pid(w, sample->pid);
        if (w->has_code)
                set_code_time(w);
        if (report_wall_is_on(w->pass))
                report_wall_take(w, record->event, number);
        else
                take_events(w, record->event, weight, number);
}

/* --- Records --- */

static bool is_switch(const struct perfdata_record *record)
{
        return record->header.type == PERF_RECORD_SWITCH ||
               record->header.type == PERF_RECORD_SWITCH_CPU_WIDE;
}

static void replay(struct report_worker *w, const struct perfdata_batch *batch, size_t index)
{
        struct perfdata_record record;

        perfdata_batch_get(batch, index, &record);
        if (w->pass->report->sched_log && record.event < batch->n_events)
                sched_log_see(w->pass->report->sched_log, &batch->events[record.event]->attr,
                              record.header.type, record.bytes);
        /* There may be as many as samples, and they do not change the world. */
        if (is_switch(&record))
                return;
        catch_up(w);
        world_replay(w->world, &record);
        w->has_code = world_has_code(w->world);
}

/* Replays the records before `end` that were not replayed yet. */
static void replay_until(struct report_worker *w, const struct perfdata_batch *batch, size_t end)
{
        for (; w->next_other < batch->n_others && batch->others[w->next_other] < end; w->next_other++)
                replay(w, batch, batch->others[w->next_other]);
}

/* Prefetches a sample at its beginning and, at the end of its chain, at its end.  Samples of several CPUs
 * are far apart in memory. */
static void expect_sample(const struct perfdata_batch *batch, size_t index)
{
        const struct batched_record *item = &batch->items[index];

        if (index >= batch->n || !item->at)
                return;
        __builtin_prefetch(item->at);
        __builtin_prefetch(item->at + item->size_bytes - sizeof(uint64_t));
}

void report_worker_take(struct report_worker *w, const struct perfdata_batch *batch, size_t chunk)
{
        size_t first = chunk * BATCH_CHUNK, end = first + BATCH_CHUNK;
        uint64_t number = batch->first_sample[chunk];
        struct perfdata_record record;

        assert(first < batch->n);
        w->attrs = batch->events;
        w->n_attrs = batch->n_events;
        replay_until(w, batch, first);
        for (size_t i = first; i < end && i < batch->n; i++) {
                if (!batch->items[i].is_sample) {
                        replay_until(w, batch, i + 1);
                        continue;
                }
                expect_sample(batch, i + SAMPLES_AHEAD);
                perfdata_batch_get(batch, i, &record);
                take_sample(w, &record, number++);
        }
        catch_up(w);
}

void report_worker_end_batch(struct report_worker *w, const struct perfdata_batch *batch)
{
        replay_until(w, batch, batch->n);
        w->next_other = 0;
}

static const char *aux_kind(uint32_t type)
{
        static const char *const kinds[] = {
                "hardware", "Intel PT", "Intel BTS", "CoreSight", "Arm SPE", "s390 CPU-MF", "HiSilicon PTT",
        };

        return kinds[type < N_ELEMENTS(kinds) ? type : 0];
}

static void take_aux(struct report_pass *pass, const struct perfdata_record *record)
{
        struct cursor c = record->bytes;

        cursor_skip(&c, sizeof(struct perf_header));
        if (record->header.type == PERF_RECORD_AUXTRACE_INFO)
                pass->report->quality.aux_kind = aux_kind(cursor_u32(&c));
        else
                pass->report->quality.aux_bytes +=
                        cursor_u64(&c); /* size of the data that follows the record */
        if (!pass->report->quality.aux_kind)
                pass->report->quality.aux_kind = aux_kind(0);
}

/* Takes what does not depend on the world. */
void report_count_others(struct report_pass *pass, const struct perfdata_batch *batch)
{
        for (size_t i = 0; i < batch->n_others; i++) {
                struct perfdata_record record;

                perfdata_batch_get(batch, batch->others[i], &record);
                if (record.header.type == PERF_RECORD_LOST || record.header.type == PERF_RECORD_LOST_SAMPLES)
                        take_lost(pass, &record);
                else if (record.header.type == PERF_RECORD_THROTTLE)
                        pass->report->quality.n_throttled++;
                else if (!pass->report->spe && (record.header.type == PERF_RECORD_AUXTRACE_INFO ||
                                                record.header.type == PERF_RECORD_AUXTRACE))
                        take_aux(pass, &record);
        }
}

/* --- Ends --- */

/* Takes the places of the profile from the stacks. */
static void add_ends(struct report_pass *pass)
{
        for (size_t i = 0; i < stacks_n_series(pass->report->stacks); i++) {
                const struct stack_series *series = stacks_get_series(pass->report->stacks, i);

                for (size_t k = 0; k < series->n_ends; k++)
                        profile_add_code(pass->report->profile, series->event,
                                         stacks_place_of(pass->report->stacks, series->ends[k].node),
                                         series->ends[k].count, series->ends[k].weight);
        }
}

bool report_read(struct report_pass *pass, struct err *err)
{
        report_begin_cut(pass);
        if (!report_run_workers(pass, err))
                return false;
        profile_finish(pass->report->profile);
        if (pass->report->accesses)
                accesses_finish(pass->report->accesses);
        if (pass->report->stacks)
                report_judge_stacks(pass);
        if (pass->report->stacks && pass->is_by_stacks)
                add_ends(pass);
        return true;
}
