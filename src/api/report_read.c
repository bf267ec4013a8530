/* SPDX-License-Identifier: BSD-3-Clause */
/* One pass over the records in the order of time fills the world, the profile, the stacks and the branches. */
#include "arena.h"
#include "report_internal.h"

static void take_lost(struct report *report, const struct perfdata_record *record)
{
        struct record_lost lost;

        if (!record_lost_parse(record->bytes, &lost))
                return;
        if (record->header.type == PERF_RECORD_LOST)
                report->n_lost_records += lost.lost;
        else
                report->n_lost_samples += lost.lost;
}

static void take_stack(struct report *report, uint32_t event, const struct sample *sample, uint64_t weight)
{
        const struct perf_attr *attr = &perfdata_get_event(report->reader, event)->attr;
        /* In the order of the file, which is that of time. */
        bool is_cut = stack_marks_is_cut(&report->marks, report->n_read_samples - 1) ||
                      (attr->flags & PERF_ATTR_DEFER_CALLCHAIN && sample_is_deferred(sample, NULL));
        bool has_user = false, can_unwind = stack_unwind_can(attr);
        size_t n;

        if (report->branches && branches_are_edges(attr))
                branches_add(report->branches, report->world, event, sample);
        if (!report->stacks) {
                report->quality.n_cut_stacks += is_cut;
                return;
        }
        if (!can_unwind && !is_cut && stacks_can_add_chain(sample)) {
                stacks_add_chain(report->stacks, report->world, event, sample, weight);
                return;
        }
        n = stack_frames_of_chain(sample, report->frames, &is_cut, &has_user);
        if (can_unwind) {
                const struct stack_sample of = {attr, sample, report->n_read_samples - 1};

                n = stack_unwind_add(report->unwind, &of, report->frames, n, has_user, &is_cut);
        }
        if (!n)
                report->frames[n++] = stack_frame_of_sample(sample);
        if (is_cut)
                n = stack_frames_mark_cut(report->frames, n);
        report->quality.n_cut_stacks += is_cut;
        stacks_add(report->stacks, report->world, event, sample, report->frames, n, weight);
}

static void keep_sample(struct report *report, uint32_t event, const struct sample *sample, uint64_t weight)
{
        const char *comm;

        if (!report->samples)
                return;
        comm = world_thread_name(report->world, sample->pid, sample->tid);
        sample_list_add(report->samples, &(struct listed_sample){
                                                 .time_ns = sample->time,
                                                 .ip = sample->ip,
                                                 .weight = weight,
                                                 .event = event,
                                                 .node = stacks_last(report->stacks, report->world),
                                                 .comm = sample_list_add_text(report->samples, comm),
                                                 .cpu = sample->cpu,
                                                 .pid = sample->pid,
                                                 .tid = sample->tid,
                                         });
}

static void take_sample(struct report *report, const struct perfdata_record *record)
{
        const struct perfdata_event *event;
        struct sample sample;
        uint64_t weight;
        bool is_new;

        report->n_read_samples++;
        if (record->event == UINT32_MAX)
                return;
        event = perfdata_get_event(report->reader, record->event);
        if (!sample_parse(&event->attr, record->bytes, &sample)) {
                report->quality.n_malformed++;
                return;
        }
        weight = sample.period;
        if (!(event->attr.sample_type & PERF_SAMPLE_PERIOD))
                weight = event->attr.flags & PERF_ATTR_FREQ ? 1 : event->attr.sample_period_or_freq;
        map_put(&report->seen_pids, (uint32_t)sample.pid, &is_new);
        if (is_new)
                ARRAY_PUSH(report->pids, report->n_pids, report->cap_pids, sample.pid);
        if (report->is_by_stacks
                    ? profile_admit(report->profile, report->world, record->event, &sample, weight)
                    : profile_add(report->profile, report->world, record->event, &sample, weight)) {
                take_stack(report, record->event, &sample, weight);
                keep_sample(report, record->event, &sample, weight);
        }
}

/* The places of the profile are where the stacks end. */
static void finish_stacks(struct report *report)
{
        if (!report->stacks)
                return;
        stacks_finish(report->stacks, report->world);
        for (size_t i = 0; i < stacks_n_series(report->stacks) && report->is_by_stacks; i++) {
                const struct stack_series *series = stacks_get_series(report->stacks, i);

                for (size_t end = 0; end < series->n_ends && end < stacks_n_nodes(report->stacks); end++) {
                        const struct stack_node *node = stacks_get_node(report->stacks, (uint32_t)end);

                        if (series->ends[end].count)
                                profile_add_place(report->profile, series->event, node->module, node->offset,
                                                  node->base, series->ends[end].count,
                                                  series->ends[end].weight);
                }
        }
}

static const char *aux_kind(uint32_t type)
{
        static const char *const kinds[] = {
                "hardware", "Intel PT", "Intel BTS", "CoreSight", "Arm SPE", "s390 CPU-MF", "HiSilicon PTT",
        };

        return kinds[type < N_ELEMENTS(kinds) ? type : 0];
}

static void take_aux(struct report *report, const struct perfdata_record *record)
{
        struct cursor c = record->bytes;

        cursor_skip(&c, sizeof(struct perf_header));
        if (record->header.type == PERF_RECORD_AUXTRACE_INFO)
                report->quality.aux_kind = aux_kind(cursor_u32(&c));
        else
                report->quality.aux_bytes += cursor_left(&record->payload);
        if (!report->quality.aux_kind)
                report->quality.aux_kind = aux_kind(0);
}

bool report_read(struct report *report, struct err *err)
{
        struct perfdata_record record;
        int got;

        while ((got = perfdata_next(report->reader, &record, err)) > 0) {
                switch (record.header.type) {
                case PERF_RECORD_SAMPLE: take_sample(report, &record); break;
                case PERF_RECORD_LOST:
                case PERF_RECORD_LOST_SAMPLES: take_lost(report, &record); break;
                case PERF_RECORD_AUXTRACE_INFO:
                case PERF_RECORD_AUXTRACE: take_aux(report, &record); break;
                case PERF_RECORD_THROTTLE: report->quality.n_throttled++; break;
                default:
                        if (report->stacks)
                                stacks_catch_up(report->stacks, report->world);
                        world_replay(report->world, &record);
                        break;
                }
        }
        finish_stacks(report);
        return !got;
}
