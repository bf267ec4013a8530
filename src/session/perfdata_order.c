/* SPDX-License-Identifier: BSD-3-Clause */
/* Records by time.  The kernel's buffers are written out one after another, so records wait in a queue until a
 * FINISHED_ROUND says that nothing older than the round before can still come.  Each buffer is in order by itself:
 * the queue consists of few runs, and sorting merges runs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata_reader_internal.h"

void queue_release(struct queue *q)
{
        free(q->items);
        free(q->spare);
}

static bool queue_add(struct perfdata_reader *r, uint64_t time, uint64_t place, struct err *err)
{
        struct queue *q = &r->queue;

        if (q->n >= LIMIT_QUEUED_RECORDS)
                return err_set(err, ERR_LIMIT, "%s: more than %d records wait for their turn", r->name,
                               LIMIT_QUEUED_RECORDS);
        ARRAY_PUSH(q->items, q->n, q->cap, (struct queued){.time = time, .place = place});
        if (time > q->newest)
                q->newest = time;
        stream_hold(r, place);
        return true;
}

static size_t run_end(const struct queued *items, size_t at, size_t n)
{
        for (at++; at < n && items[at - 1].time <= items[at].time;)
                at++;
        return at < n ? at : n;
}

static void merge(const struct queued *a, size_t n_a, const struct queued *b, size_t n_b, struct queued *to)
{
        while (n_a && n_b) {
                if (b->time < a->time) {
                        *to++ = *b++;
                        n_b--;
                } else {
                        *to++ = *a++;
                        n_a--;
                }
        }
        if (n_a)
                memcpy(to, a, n_a * sizeof(*to));
        if (n_b)
                memcpy(to, b, n_b * sizeof(*to));
}

/* Merges neighbouring runs of `from` two by two into `to`; returns how many runs are left. */
static size_t merge_runs(const struct queued *from, size_t n, struct queued *to)
{
        size_t n_runs = 0;

        for (size_t at = 0; at < n; n_runs++) {
                size_t mid = run_end(from, at, n), end = mid < n ? run_end(from, mid, n) : n;

                merge(from + at, mid - at, from + mid, end - mid, to + at);
                at = end;
        }
        return n_runs;
}

static void swap_spare(struct queue *q)
{
        struct queued *items = q->items;
        size_t cap = q->cap;

        q->items = q->spare;
        q->cap = q->spare_cap;
        q->spare = items;
        q->spare_cap = cap;
}

static void queue_sort(struct queue *q)
{
        size_t n_runs;

        if (!q->n || run_end(q->items, 0, q->n) == q->n)
                return;
        if (q->spare_cap < q->n) {
                q->spare = mem_resize(q->spare, q->n, sizeof(*q->spare));
                q->spare_cap = q->n;
        }
        do {
                n_runs = merge_runs(q->items, q->n, q->spare);
                swap_spare(q);
        } while (n_runs > 1);
}

/* From now on what is not later than `limit` goes out. */
static void begin_draining(struct queue *q, uint64_t limit)
{
        queue_sort(q);
        q->limit = limit;
        q->draining = true;
}

static void end_draining(struct queue *q)
{
        q->draining = false;
        if (q->first)
                memmove(q->items, q->items + q->first, (q->n - q->first) * sizeof(*q->items));
        q->n -= q->first;
        q->first = 0;
}

static int give(struct perfdata_reader *r, struct perfdata_record *ret)
{
        uint32_t type = ret->header.type;

        ret->event = events_event_of(r, ret);
        ret->asked_build_id = type == PERF_RECORD_MMAP2 && events_asked_build_id(r, ret);
        if (type == PERF_RECORD_SAMPLE && ret->event == UINT32_MAX)
                r->damage.n_unknown_events++;
        return 1;
}

static bool give_queued(struct perfdata_reader *r, struct perfdata_record *ret)
{
        struct queue *q = &r->queue;
        const struct queued *item;

        if (q->first == q->n || q->items[q->first].time > q->limit) {
                end_draining(q);
                return false;
        }
        item = &q->items[q->first++];
        stream_get(r, item->place, ret);
        ret->time = item->time;
        if (item->time < q->given_time)
                r->damage.n_out_of_order++;
        else
                q->given_time = item->time;
        q->given_place = item->place;
        return give(r, ret);
}

/* Too much waits: the records of one file go out at once.  Of several files, which are read one after the other, that would
 * mix up all times: they may take four times as much. */
static bool bound_waiting(struct perfdata_reader *r, struct err *err)
{
        struct queue *q = &r->queue;
        uint64_t most = r->n_sources > 1 ? 4 * r->max_waiting_bytes : r->max_waiting_bytes;

        if (r->unpacked.held_bytes <= most && q->n * 2 * sizeof(*q->items) <= most)
                return true;
        if (r->n_sources > 1)
                return err_set(err, ERR_LIMIT,
                               "%s: more than %" PRIu64
                               " MiB of records wait for their turn; allow more by --max-memory",
                               r->name, most >> 20);
        begin_draining(q, q->newest);
        return true;
}

static int finish(struct perfdata_reader *r, struct err *err)
{
        return stream_check(r, err) ? 0 : -1;
}

/* 1: give it; 0: it was queued, or was the end; -1: err */
static int take_next(struct perfdata_reader *r, struct perfdata_record *ret, struct err *err)
{
        struct queue *q = &r->queue;
        uint64_t time, place;
        int got = stream_next(r, ret, &place, err);

        if (got < 0)
                return -1;
        if (!got) {
                q->ended = true;
                begin_draining(q, UINT64_MAX);
                return 0;
        }
        time = events_time_of(r, ret);
        if (time)
                return queue_add(r, time, place, err) && bound_waiting(r, err) ? 0 : -1;
        if (ret->header.type == PERF_RECORD_FINISHED_ROUND && r->n_sources == 1) {
                begin_draining(q, q->round_end);
                q->round_end = q->newest;
        }
        return give(r, ret);
}

/* 1: give it; 0: there is none now; -1: err */
static int next_by_time(struct perfdata_reader *r, struct perfdata_record *ret, struct err *err)
{
        if (r->queue.draining && give_queued(r, ret))
                return 1;
        return r->queue.ended ? 0 : take_next(r, ret, err);
}

int perfdata_next(struct perfdata_reader *r, struct perfdata_record *ret, struct err *err)
{
        struct deferred *d = &r->deferred;
        struct queue *q = &r->queue;

        for (;;) {
                const struct perfdata_event *event;
                int got;

                stream_release(r, q->given_place);
                q->given_place = PLACE_NONE;
                if (d->has_kept && deferred_give(d, r, r->layout.swapped, ret))
                        return 1;
                got = next_by_time(r, ret, err);
                if (got < 0)
                        return -1;
                event = got ? perfdata_get_event(r, ret->event) : NULL;
                if (got && !(deferred_concerns(d, ret, event) && deferred_take(d, ret, event)))
                        return 1;
                if (got || q->draining || !q->ended)
                        continue;
                if (!d->n_waiting)
                        return finish(r, err);
                deferred_end(d);
        }
}

int perfdata_next_raw(struct perfdata_reader *r, struct perfdata_record *ret, struct err *err)
{
        uint64_t place;
        int got = stream_next(r, ret, &place, err);

        if (got < 0)
                return -1;
        if (!got)
                return finish(r, err);
        ret->time = events_time_of(r, ret);
        return give(r, ret);
}
