/* SPDX-License-Identifier: BSD-3-Clause */
#include "spe_samples.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "map.h"
#include "mem.h"
#include "perfdata_format.h"
#include "record_aux.h"
#include "spe_repeats.h"
#include "spe_source.h"
#include "spe_streams.h"
#include "world.h"

#define SPE_SAMPLE_TYPE                                                                                      \
        (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |          \
         PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT_STRUCT |       \
         PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR)

enum { SPE_RAW_BYTES = 20, SPE_RECORD_BYTES = 256 /* more than a record takes */ };

/* Flags of a branch entry: perf_event.h, struct perf_branch_entry. */
#define BRANCH_MISPREDICTED 1u
#define BRANCH_PREDICTED    2u
#define BRANCH_NOT_TAKEN    (1ull << 33)

enum { INSTRUCTION_BYTES = 4 };

struct spe_thread {
        int32_t pid, tid;
};

struct spe_samples {
        const struct perfdata_reader *reader;
        struct spe_streams streams;
        struct record_auxtrace_info info;
        bool has_info, lacks_data;
        uint32_t event, source_event;
        uint64_t period, midr;
        struct map running; /* CPU -> pid << 32 | tid */
        bool knows_last;    /* the thread of a record of this buffer without context: */
        int32_t last_cpu, last_tid;
        struct spe_thread last_thread;
        struct map pids; /* tid -> pid */
        struct spe_samples_counts counts;
        struct spe_repeats *repeats; /* NULL: each operation becomes a sample */
        struct spe_repeat left;      /* to become a sample next; n 0: none */
        uint8_t record[SPE_RECORD_BYTES];
};

/* --- what the session has --- */

static void see_trace(void *ctx, const struct perfdata_record *record)
{
        struct spe_samples *s = ctx;
        struct record_auxtrace piece;

        switch (record->header.type) {
        case PERF_RECORD_TIME_CONV:
                s->streams.has_conv =
                        record_time_conv_parse(record->bytes, &s->streams.conv) && s->streams.conv.has_zero;
                break;
        case PERF_RECORD_AUXTRACE_INFO:
                s->has_info = record_auxtrace_info_parse(record->bytes, &s->info);
                break;
        default:
                if (!record_auxtrace_parse(record->bytes, &piece))
                        s->lacks_data = true;
                else if (cursor_left(&record->payload))
                        spe_streams_add(&s->streams, &piece, record->payload);
        }
}

/* Version 1 of the private data begins with the PMU's type. Later versions begin with their version number
 * and have the type in the third place. Source: tools/perf/util/arm-spe.h. */
static uint32_t pmu_type(const struct record_auxtrace_info *info)
{
        enum { LATER_VERSIONS = 6 /* dynamic PMU types are not smaller */, LATER_TYPE_AT = 16 };
        struct cursor c = info->private_data;
        uint64_t first = cursor_u64(&c);

        if (first >= LATER_VERSIONS || cursor_left(&c) < LATER_TYPE_AT)
                return (uint32_t)first;
        cursor_skip(&c, 8);
        return (uint32_t)cursor_u64(&c);
}

static uint32_t find_event(const struct spe_samples *s)
{
        uint32_t type = pmu_type(&s->info);

        for (size_t i = 0; i < perfdata_n_events(s->reader); i++) {
                if (perfdata_get_event(s->reader, i)->attr.type == type)
                        return (uint32_t)i;
        }
        return UINT32_MAX;
}

static void add_event(struct spe_samples *s, struct perfdata_reader *reader)
{
        const struct perfdata_event *source = perfdata_get_event(reader, s->source_event);
        struct perf_attr attr = source->attr;

        s->period =
                attr.flags & PERF_ATTR_FREQ || !attr.sample_period_or_freq ? 1 : attr.sample_period_or_freq;
        attr.sample_type = SPE_SAMPLE_TYPE;
        attr.branch_sample_type = PERF_BRANCH_ANY;
        attr.read_format = 0;
        attr.flags |= PERF_ATTR_PRECISE;
        s->event = perfdata_add_event(reader, &attr, source->name);
}

static uint64_t midr_of(const struct perfdata_reader *reader)
{
        const char *id = perfdata_feature_str(reader, FEATURE_CPUID);

        return id && !strncmp(id, "0x", 2) ? strtoull(id, NULL, 16) : 0;
}

struct spe_samples *spe_samples_open(struct perfdata_reader *reader)
{
        struct spe_samples *s = mem_new(1, sizeof(*s));

        s->reader = s->streams.reader = reader;
        /* The samples are in the byte order of this machine. */
        if (!perfdata_get_layout(reader)->swapped)
                perfdata_each_aux(reader, see_trace, s);
        s->source_event = s->has_info && s->info.type == AUXTRACE_ARM_SPE ? find_event(s) : UINT32_MAX;
        /* A program may have no operation that SPE samples. */
        if ((!s->streams.n && s->lacks_data) || s->source_event == UINT32_MAX) {
                spe_samples_free(s);
                return NULL;
        }
        add_event(s, reader);
        s->midr = midr_of(reader);
        spe_streams_begin(&s->streams);
        return s;
}

void spe_samples_free(struct spe_samples *s)
{
        if (!s)
                return;
        spe_streams_release(&s->streams);
        map_release(&s->running);
        map_release(&s->pids);
        spe_repeats_free(s->repeats);
        free(s);
}

uint64_t spe_samples_count_equal(struct spe_samples *s)
{
        if (s->period > UINT32_MAX)
                return 0;
        s->repeats = spe_repeats_new();
        return s->period;
}

bool spe_samples_is_source(const struct spe_samples *s, uint32_t event)
{
        return s && event == s->source_event;
}

uint32_t spe_samples_event(const struct spe_samples *s)
{
        return s->event;
}

struct spe_samples_counts spe_samples_counts(const struct spe_samples *s)
{
        struct spe_samples_counts counts = s->counts;

        counts.records = spe_streams_counts(&s->streams);
        return counts;
}

/* --- which thread ran --- */

static bool read_id(const struct spe_samples *s, const struct perfdata_record *record, struct record_id *ret)
{
        const struct perfdata_event *event = perfdata_get_event(s->reader, record->event);

        return event && event->attr.flags & PERF_ATTR_SAMPLE_ID_ALL &&
               record_id_parse(&event->attr, record->bytes, ret);
}

static void note_thread(struct spe_samples *s, int32_t pid, int32_t tid)
{
        s->knows_last = false;
        *map_put(&s->pids, (uint32_t)tid, NULL) = (uint32_t)pid;
}

static void see_aux(struct spe_samples *s, const struct perfdata_record *record)
{
        struct record_id id;
        struct record_aux aux;

        if (!record_aux_parse(record->bytes, &aux) || !read_id(s, record, &id))
                return;
        s->counts.n_aux++;
        s->counts.n_truncated += (aux.flags & PERF_AUX_FLAG_TRUNCATED) != 0;
        s->counts.n_collided += (aux.flags & PERF_AUX_FLAG_COLLISION) != 0;
        s->counts.n_partial += (aux.flags & PERF_AUX_FLAG_PARTIAL) != 0;
        spe_streams_see(&s->streams, (int32_t)id.cpu, id.tid, &aux, record->time);
}

/* From this time on the thread in the record's trailer runs on the CPU in it. */
static void see_running(struct spe_samples *s, const struct perfdata_record *record)
{
        struct record_id id;

        if (!read_id(s, record, &id) || id.tid < 0 || id.cpu == UINT32_MAX)
                return;
        note_thread(s, id.pid, id.tid);
        *map_put(&s->running, id.cpu, NULL) = (uint64_t)(uint32_t)id.pid << 32 | (uint32_t)id.tid;
}

/* Which function a JIT compiler had at an address depends on the time of each sample. */
static void see_map(struct spe_samples *s, const struct perfdata_record *record)
{
        struct record_mmap map;

        if (!s->repeats || !record_mmap_parse(record->bytes, record->asked_build_id, &map) ||
            !world_is_jitdump(map.path))
                return;
        spe_repeats_free(s->repeats); /* empty, because mappings end repeats */
        s->repeats = NULL;
}

static void see_record(void *ctx, const struct perfdata_record *record)
{
        struct spe_samples *s = ctx;
        struct record_switch change;
        struct record_comm comm;
        struct record_task task;

        switch (record->header.type) {
        case PERF_RECORD_AUX: see_aux(s, record); break;
        case PERF_RECORD_MMAP:
        case PERF_RECORD_MMAP2: see_map(s, record); break;
        case PERF_RECORD_ITRACE_START: see_running(s, record); break;
        case PERF_RECORD_SWITCH:
        case PERF_RECORD_SWITCH_CPU_WIDE:
                if (record_switch_parse(record->bytes, &change) && !change.is_out)
                        see_running(s, record);
                break;
        case PERF_RECORD_COMM:
                if (record_comm_parse(record->bytes, &comm))
                        note_thread(s, comm.pid, comm.tid);
                break;
        case PERF_RECORD_FORK:
                if (record_task_parse(record->bytes, &task))
                        note_thread(s, task.pid, task.tid);
                break;
        default: break;
        }
}

static bool thread_of_tid(const struct spe_samples *s, int32_t tid, struct spe_thread *ret)
{
        const uint64_t *pid = tid > 0 ? map_find(&s->pids, (uint32_t)tid) : NULL;

        if (!pid)
                return false;
        *ret = (struct spe_thread){(int32_t)*pid, tid};
        return true;
}

/* The thread is known from the context switches of the CPU; else from the context register, if the kernel
 * wrote the number of a thread into it; else from the buffer, if it belongs to one thread. */
static struct spe_thread find_thread(const struct spe_samples *s, const struct spe_found *found)
{
        const struct spe_packed *record = found->record;
        const uint64_t *running = found->cpu >= 0 ? map_find(&s->running, (uint32_t)found->cpu) : NULL;
        struct spe_thread thread = {-1, -1};

        if (running)
                return (struct spe_thread){(int32_t)(*running >> 32), (int32_t)*running};
        if (record->has & SPE_HAS_CONTEXT_EL2 &&
            thread_of_tid(s, (int32_t)spe_packed_payload(record, SPE_HAS_CONTEXT_EL2), &thread))
                return thread;
        if (record->has & SPE_HAS_CONTEXT_EL1 &&
            thread_of_tid(s, (int32_t)spe_packed_payload(record, SPE_HAS_CONTEXT_EL1), &thread))
                return thread;
        thread_of_tid(s, found->tid, &thread);
        return thread;
}

/* The last answer is kept, because each record asks.  It does not depend on the record if that has no
 * context. */
static struct spe_thread thread_of(struct spe_samples *s, const struct spe_found *found)
{
        bool has_context = found->record->has & (SPE_HAS_CONTEXT_EL1 | SPE_HAS_CONTEXT_EL2);

        if (has_context || !s->knows_last || s->last_cpu != found->cpu || s->last_tid != found->tid) {
                s->last_thread = find_thread(s, found);
                s->last_cpu = found->cpu;
                s->last_tid = found->tid;
                s->knows_last = !has_context;
        }
        s->counts.n_threadless += s->last_thread.pid < 0;
        return s->last_thread;
}

/* --- a sample --- */

struct spe_writer {
        uint8_t *at;
};

static void put_u64(struct spe_writer *w, uint64_t value)
{
        memcpy(w->at, &value, sizeof(value));
        w->at += sizeof(value);
}

static void put_two(struct spe_writer *w, uint32_t low, uint32_t high)
{
        put_u64(w, (uint64_t)high << 32 | low);
}

static void put_raw(struct spe_writer *w, const struct spe_record *record)
{
        uint64_t target = record->previous_target.addr;

        put_two(w, SPE_RAW_BYTES, (uint32_t)record->events);
        put_two(w, (uint32_t)(record->events >> 32), (uint32_t)target);
        put_two(w, (uint32_t)(target >> 32),
                record->op.class_id | (uint32_t)record->op_payload << 8 | (uint32_t)record->source << 16);
}

/* A branch that was not taken goes to the next instruction. */
static void put_branches(struct spe_writer *w, const struct spe_record *record)
{
        bool is_not_taken = record->events & SPE_EVENT_BIT(SPE_EVENT_NOT_TAKEN);
        bool is_branch = is_not_taken ? record->has & SPE_HAS_PC : record->has & SPE_HAS_TARGET;
        uint64_t flags = is_not_taken ? BRANCH_NOT_TAKEN : 0;

        put_u64(w, is_branch);
        if (!is_branch)
                return;
        flags |= record->events & SPE_EVENT_BIT(SPE_EVENT_MISPREDICTED) ? BRANCH_MISPREDICTED
                                                                        : BRANCH_PREDICTED;
        put_u64(w, record->pc.addr);
        put_u64(w, is_not_taken ? record->pc.addr + INSTRUCTION_BYTES : record->target.addr);
        put_u64(w, flags);
}

/* An operation, or several equal ones, and who executed it. */
struct spe_executed {
        const struct spe_record *record;
        struct spe_thread thread;
        uint32_t cpu;
        uint64_t n, time;
};

static void put_sample(const struct spe_samples *s, const struct spe_executed *e, struct spe_writer *w)
{
        const struct spe_record *record = e->record;

        put_u64(w, record->pc.addr);
        put_two(w, (uint32_t)e->thread.pid, (uint32_t)e->thread.tid);
        put_u64(w, e->time);
        put_u64(w, record->virtual_addr.addr);
        put_two(w, e->cpu, 0);
        put_u64(w, e->n * s->period);
        put_raw(w, record);
        put_branches(w, record);
        put_two(w, record->total_cycles, record->issue_cycles | (uint32_t)record->translation_cycles << 16);
        put_u64(w, spe_source_to_perf(record, s->midr));
        put_u64(w, record->physical_addr.addr);
}

static uint16_t misc_of(const struct spe_record *record)
{
        bool is_kernel = record->pc.addr >> 63;

        return (uint16_t)(PERF_MISC_EXACT_IP | (is_kernel ? PERF_MISC_KERNEL : PERF_MISC_USER));
}

static void make_sample(struct spe_samples *s, const struct spe_executed *e, struct perfdata_record *ret)
{
        struct perf_header header = {.type = PERF_RECORD_SAMPLE, .misc = misc_of(e->record)};
        struct spe_writer w = {s->record + sizeof(header)};

        put_sample(s, e, &w);
        header.size = (uint16_t)(w.at - s->record);
        memcpy(s->record, &header, sizeof(header));
        *ret = (struct perfdata_record){
                .header = header,
                .bytes = cursor_make(s->record, header.size),
                .time = e->time,
                .event = s->event,
        };
}

/* --- equal operations --- */

static void make_repeat(struct spe_samples *s, const struct spe_repeat *r, struct perfdata_record *ret)
{
        const struct spe_record record = {.pc.addr = r->pc,
                                          .events = r->events,
                                          .op.class_id = r->class_id,
                                          .op_payload = r->op_payload};

        make_sample(s, &(struct spe_executed){&record, {r->pid, r->tid}, r->cpu, r->n, r->time}, ret);
}

static void make_one(struct spe_samples *s, const struct spe_found *found, struct spe_thread thread,
                     uint32_t cpu, struct perfdata_record *ret)
{
        struct spe_record record;

        spe_packed_read(found->record, &record);
        make_sample(s, &(struct spe_executed){&record, thread, cpu, 1, found->time}, ret);
}

/* True if equal operations that came before the record may no longer be equal to those that come after it. */
static bool ends_repeats(const struct perfdata_record *before)
{
        switch (before ? before->header.type : PERF_RECORD_MMAP) {
        case PERF_RECORD_SAMPLE:
        case PERF_RECORD_AUX:
        case PERF_RECORD_ITRACE_START:
        case PERF_RECORD_SWITCH:
        case PERF_RECORD_SWITCH_CPU_WIDE:
        case PERF_RECORD_LOST:
        case PERF_RECORD_AUXTRACE:
        case PERF_RECORD_FINISHED_ROUND: return false;
        default: return true;
        }
}

/* False: it is not equal to an earlier one. */
static bool add_repeat(struct spe_samples *s, const struct spe_found *found, struct spe_thread thread,
                       uint32_t cpu)
{
        const struct spe_packed *record = found->record;
        const unsigned operation = (unsigned)spe_packed_payload(record, SPE_HAS_OPERATION);
        const struct spe_repeat one = {
                .pc = spe_address_extend(spe_packed_payload(record, SPE_HAS_PC)),
                .events = spe_packed_payload(record, SPE_HAS_EVENTS),
                .pid = thread.pid,
                .tid = thread.tid,
                .cpu = cpu,
                .class_id = (uint8_t)(operation >> 8),
                .op_payload = (uint8_t)operation,
                .time = found->time,
        };

        return spe_repeats_add(s->repeats, &one, &s->left);
}

static bool next_repeat(struct spe_samples *s, const struct perfdata_record *before,
                        struct perfdata_record *ret)
{
        struct spe_repeat repeat;

        if (!s->repeats || !ends_repeats(before) || !spe_repeats_take(s->repeats, &repeat))
                return false;
        make_repeat(s, &repeat, ret);
        return true;
}

static bool next_sample(void *ctx, const struct perfdata_record *before, struct perfdata_record *ret)
{
        struct spe_samples *s = ctx;
        struct spe_found found;

        if (s->left.n) {
                make_repeat(s, &s->left, ret);
                s->left.n = 0;
                return true;
        }
        while (spe_streams_next(&s->streams, before ? before->time : UINT64_MAX, &found)) {
                const struct spe_thread thread = thread_of(s, &found);
                const uint32_t cpu = found.cpu >= 0 ? (uint32_t)found.cpu : UINT32_MAX;

                if (!s->repeats || !add_repeat(s, &found, thread, cpu)) {
                        make_one(s, &found, thread, cpu, ret);
                        return true;
                }
        }
        return next_repeat(s, before, ret);
}

struct perfdata_extra spe_samples_extra(struct spe_samples *s)
{
        return (struct perfdata_extra){see_record, next_sample, s};
}
