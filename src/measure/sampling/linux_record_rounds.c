/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens to the records of the rings. Each round is looked at when it arrives: files that are mapped
 * may soon be gone. Stacks are unwound when there is time, in order of time. Every round ends with
 * FINISHED_ROUND, so that a reader can sort records by time. */
#include <stdlib.h>
#include <string.h>

#include "linux_collector_internal.h"
#include "mem.h"
#include "os.h"

enum {
        FILES_IN_A_ROW = 64,
        SLICE_RECORDS = 256, /* that are unwound between two looks for new rounds */
};

/* How long stacks are unwound before the caller looks at targets and signals again. */
#define MOST_WORK_NS 50000000ull

/* If more than one in NAMED_OF_MISSED samples belongs to a process whose files were already gone, the rings
 * are read even more often for a while. */
enum { NAMED_OF_MISSED = 50, LEAST_MISSED = 8, RECENT_SAMPLES = 1024 };

void record_rounds_release(struct record_rounds *r)
{
        linux_order_release(&r->order);
        buf_release(&r->out);
        free(r->records);
        free(r->looked);
}

/* --- looking at records --- */

static void see_lost(struct collector *c, struct cursor record)
{
        struct record_lost lost;

        if (record_lost_parse(record, &lost))
                c->n_lost_records += lost.lost;
}

static void see_missed(struct collector *c, struct cursor record)
{
        enum { PID_OFF = 24 };
        struct record_rounds *r = &c->rounds;

        if (++r->n_recent == RECENT_SAMPLES) {
                r->n_recent /= 2;
                r->n_recent_missed /= 2;
        }
        if (c->keeper.missed.n_used && cursor_skip(&record, PID_OFF))
                r->n_recent_missed += map_find(&c->keeper.missed, cursor_u32(&record)) != NULL;
}

static void see_sample(struct collector *c, struct cursor record)
{
        enum { ID_OFF = 8, PERIOD_OFF = 48 };
        struct cursor id = record;

        c->result.n_samples++;
        see_missed(c, record);
        cursor_skip(&id, ID_OFF);
        if (!map_find(&c->sampled_ids, cursor_u64(&id)) || !cursor_skip(&record, PERIOD_OFF))
                return;
        c->sampled.n_samples++;
        c->sampled.periods += c->sampled.has_periods ? cursor_u64(&record) : c->sampled.period_ns;
}

static void see_fork(struct collector *c, struct cursor record)
{
        struct record_task task;

        if (record_task_parse(record, &task))
                c->n_forks += task.pid != task.ppid;
}

/* Looking at a new file takes longer than mapping it, so without a thread the rings are emptied from time
 * to time. */
static void see_process(struct collector *c, const struct perf_header *header, uint8_t *record)
{
        struct cursor bytes = cursor_make(record, header->size);

        if (header->type == PERF_RECORD_FORK)
                see_fork(c, bytes);
        if (c->stops && header->type == PERF_RECORD_MMAP2)
                stop_engine_see_map(c->stops, bytes);
        if (!c->children && c->request.engine != COLLECT_PACE)
                denied_see(&c->denied, &c->opened.events[0].attr, header, bytes);
        if (!keeper_see(&c->keeper, header, record))
                return;
        drainer_hurry(c->drainer, false);
        if (++c->rounds.n_new % FILES_IN_A_ROW == 0 && !drainer_has_thread(c->drainer))
                drainer_work(c->drainer);
}

/* Counts the record, or passes it to the keeper. */
static void look(struct collector *c, const struct perf_header *header, uint8_t *record)
{
        struct cursor bytes = cursor_make(record, header->size);

        switch (header->type) {
        case PERF_RECORD_SAMPLE: see_sample(c, bytes); break;
        case PERF_RECORD_LOST: see_lost(c, bytes); break;
        case PERF_RECORD_THROTTLE: c->result.n_throttled++; break;
        case PERF_RECORD_AUX:
                if (c->aux)
                        auxtrace_see(c->aux, bytes);
                break;
        default: see_process(c, header, record); break;
        }
}

/* --- new rounds --- */

static bool is_ordered(const struct collector *c)
{
        return c->children || c->unwinder;
}

/* Makes room by moving the records that wait, if most of the array is free. */
static void add_record(struct record_rounds *r, uint8_t *record)
{
        size_t n_free = r->first_record;

        if (r->n_records == r->cap_records && n_free > r->cap_records / 2) {
                memmove(r->records, r->records + n_free, (r->n_records - n_free) * sizeof(*r->records));
                r->n_records -= n_free;
                r->first_record = 0;
        }
        ARRAY_PUSH(r->records, r->n_records, r->cap_records, record);
}

/* Takes the records that need not wait for the next round. Returns their number. */
static size_t take_ordered(struct collector *c, bool is_last)
{
        size_t n = 0;
        uint8_t *record;

        linux_order_end_round(&c->rounds.order, is_last);
        while ((record = linux_order_next(&c->rounds.order)) != NULL) {
                struct perf_header header;

                memcpy(&header, record, sizeof(header));
                if (c->children && !children_keep(c->children, &header, record))
                        continue;
                if (c->children)
                        look(c, &header, record);
                add_record(&c->rounds, record);
                n++;
        }
        return n;
}

static void add_looked(struct record_rounds *r, const struct looked_round *looked)
{
        if (r->n_looked == r->cap_looked && r->first_looked > r->cap_looked / 2) {
                r->n_looked -= r->first_looked;
                memmove(r->looked, r->looked + r->first_looked, r->n_looked * sizeof(*r->looked));
                r->first_looked = 0;
        }
        ARRAY_PUSH(r->looked, r->n_looked, r->cap_looked, *looked);
}

static void look_at_round(struct collector *c, const struct record_round *round)
{
        struct looked_round looked = {.round = *round};
        struct record_round_reader reader;
        struct record_rounds *r = &c->rounds;
        struct perf_header header;
        uint8_t *record;

        c->keeper.pass++;
        record_round_begin(&reader, round);
        while ((record = record_round_next(&reader, &header)) != NULL) {
                if (!c->children)
                        look(c, &header, record);
                if (is_ordered(c))
                        linux_order_add(&r->order, &c->opened.events[0].attr, &header, record);
        }
        if (is_ordered(c))
                looked.n_records = take_ordered(c, round->is_last);
        add_looked(r, &looked);
        denied_end_pass(&c->denied, round->is_last);
        if (r->n_recent_missed >= LEAST_MISSED && r->n_recent_missed * NAMED_OF_MISSED > r->n_recent)
                drainer_hurry(c->drainer, true);
}

static void look_at_rounds(struct collector *c)
{
        struct record_round round;

        if (c->python)
                stop_python_read_names(c->python);
        if (c->waits_python)
                stop_python_read_names(c->waits_python);
        while (record_pool_take(drainer_get_pool(c->drainer), &round))
                look_at_round(c, &round);
}

/* --- to the sink --- */

static const struct perf_header finished = {.type = PERF_RECORD_FINISHED_ROUND, .size = sizeof(finished)};

static bool put_records(struct collector *c, uint8_t *const *records, size_t n, struct err *err)
{
        struct buf *out = &c->rounds.out;

        if (c->unwinder)
                return unwinder_put(c->unwinder, records, n, false, &c->sink, err);
        buf_clear_and_shrink(out);
        for (size_t i = 0; i < n; i++) {
                struct perf_header header;

                memcpy(&header, records[i], sizeof(header));
                buf_add(out, records[i], header.size);
        }
        buf_add(out, &finished, sizeof(finished));
        return c->sink.put(c->sink.ctx, out->data, out->len, err);
}

static bool put_whole(struct collector *c, const struct record_round *round, struct err *err)
{
        struct record_round_reader reader;
        uint8_t *bytes;
        size_t size;
        bool is_any = false, ok = true;

        record_round_begin(&reader, round);
        while (ok && record_round_next_bytes(&reader, &bytes, &size)) {
                ok = c->sink.put(c->sink.ctx, bytes, size, err);
                is_any = true;
        }
        return ok && (!is_any || c->sink.put(c->sink.ctx, &finished, sizeof(finished), err));
}

static void release_looked(struct collector *c, const struct record_round *round)
{
        struct record_rounds *r = &c->rounds;
        struct record_pool *pool = drainer_get_pool(c->drainer);

        r->first_looked++;
        if (!is_ordered(c)) {
                record_pool_release(pool, round);
                return;
        }
        if (r->has_before)
                record_pool_release(pool, &r->before);
        r->before = *round;
        r->has_before = true;
}

/* Puts a part of the oldest round. */
static bool put_slice(struct collector *c, struct err *err)
{
        struct record_rounds *r = &c->rounds;
        struct looked_round *looked = &r->looked[r->first_looked];
        size_t n = looked->n_records < SLICE_RECORDS ? looked->n_records : SLICE_RECORDS;
        bool ok = true;

        if (!is_ordered(c))
                ok = put_whole(c, &looked->round, err);
        else if (n)
                ok = put_records(c, r->records + r->first_record, n, err);
        r->first_record += n;
        looked->n_records -= n;
        if (r->first_record == r->n_records)
                r->first_record = r->n_records = 0;
        if (!looked->n_records)
                release_looked(c, &looked->round);
        return ok;
}

bool record_rounds_wait(const struct collector *c)
{
        return c->rounds.first_looked < c->rounds.n_looked;
}

/* Without a thread the rings wait for this function, so it does not return before all is done. */
bool record_rounds_move(struct collector *c, struct err *err)
{
        uint64_t end_ns = os_monotonic_ns() + MOST_WORK_NS;
        bool is_short = drainer_has_thread(c->drainer) && !c->ended;

        if (c->aux)
                auxtrace_mark(c->aux);
        if (!c->ended)
                drainer_work(c->drainer);
        look_at_rounds(c);
        while (record_rounds_wait(c) && !(is_short && os_monotonic_ns() > end_ns)) {
                if (!put_slice(c, err))
                        return false;
                look_at_rounds(c);
        }
        return !c->aux || auxtrace_put(c->aux, &c->sink, err);
}

static bool put_last(struct collector *c, struct buf *bytes, bool is_last, struct err *err)
{
        struct cursor all = cursor_make(bytes->data, bytes->len), record;
        struct perf_header header;
        uint8_t **records = NULL;
        size_t n = 0, cap = 0;
        bool ok;

        while (record_next(&all, &header, &record))
                ARRAY_PUSH(records, n, cap,
                           (uint8_t *)bytes->data + (record.start - (const uint8_t *)bytes->data));
        ok = unwinder_put(c->unwinder, records, n, is_last, &c->sink, err);
        free(records);
        return ok;
}

bool record_rounds_put_now(struct collector *c, struct buf *bytes, bool is_last, struct err *err)
{
        struct cursor all = cursor_make(bytes->data, bytes->len), record;
        struct perf_header header;

        while (!is_last && record_next(&all, &header, &record))
                look(c, &header, (uint8_t *)bytes->data + (record.start - (const uint8_t *)bytes->data));
        if (c->unwinder)
                return put_last(c, bytes, is_last, err);
        return !bytes->len || c->sink.put(c->sink.ctx, bytes->data, bytes->len, err);
}
