/* SPDX-License-Identifier: BSD-3-Clause */
/* Returns the records of a session one by one: sorted by time (record_order.h, perfdata_deferred.h), or in
 * file order. */
#include <inttypes.h>

#include "perfdata_reader_internal.h"

static bool keep_waiting(struct perfdata_reader *r, uint64_t time, uint64_t pos, struct err *err)
{
        if (record_order_n_waiting(&r->order) >= LIMIT_QUEUED_RECORDS)
                return err_set(
                        err, ERR_LIMIT,
                        "%s: records are too far out of order: sorting them by time needs more than %d in memory",
                        r->name, LIMIT_QUEUED_RECORDS);
        record_order_add(&r->order, time, pos);
        stream_hold(r, pos);
        return true;
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

static bool give_by_time(struct perfdata_reader *r, struct perfdata_record *ret)
{
        struct waiting_record next;
        bool is_late;

        if (!record_order_next(&r->order, &next, &is_late))
                return false;
        stream_get(r, next.pos, ret);
        ret->time = next.time;
        r->damage.n_out_of_order += is_late;
        r->given_pos = next.pos;
        return give(r, ret);
}

/* Limits the memory of waiting records. With a single file, all are returned at once. With several files,
 * which are read one after another, this would mix up their times, so they may use four times as much and
 * then fail. */
static bool bound_waiting(struct perfdata_reader *r, struct err *err)
{
        uint64_t most = r->n_sources > 1 ? 4 * r->max_waiting_bytes : r->max_waiting_bytes;

        if (r->unpacked.held_bytes <= most && record_order_bytes(&r->order) <= most)
                return true;
        if (r->n_sources > 1)
                return err_set(
                        err, ERR_LIMIT,
                        "%s: more than %" PRIu64
                        " MiB of records must be held in memory to sort them by time; raise the limit with --max-memory",
                        r->name, most >> 20);
        record_order_flush(&r->order);
        return true;
}

static int finish(struct perfdata_reader *r, struct err *err)
{
        return stream_check(r, err) ? 0 : -1;
}

/* 1: return it; 0: it has to wait, or this was the end; -1: err */
static int take_next(struct perfdata_reader *r, struct perfdata_record *ret, struct err *err)
{
        uint64_t time, pos;
        int got = stream_next(r, ret, &pos, err);

        if (got < 0)
                return -1;
        if (!got) {
                r->ended = true;
                record_order_flush(&r->order);
                return 0;
        }
        time = events_time_of(r, ret);
        if (time)
                return keep_waiting(r, time, pos, err) && bound_waiting(r, err) ? 0 : -1;
        if (ret->header.type == PERF_RECORD_FINISHED_ROUND && r->n_sources == 1)
                record_order_end_round(&r->order);
        return give(r, ret);
}

/* 1: return it; 0: none at the moment; -1: err */
static int next_by_time(struct perfdata_reader *r, struct perfdata_record *ret, struct err *err)
{
        if (give_by_time(r, ret))
                return 1;
        return r->ended ? 0 : take_next(r, ret, err);
}

int perfdata_next(struct perfdata_reader *r, struct perfdata_record *ret, struct err *err)
{
        struct deferred *d = &r->deferred;

        for (;;) {
                const struct perfdata_event *event;
                int got;

                stream_release(r, r->given_pos);
                r->given_pos = POS_NONE;
                if (d->has_kept && deferred_give(d, r, r->layout.swapped, ret))
                        return 1;
                got = next_by_time(r, ret, err);
                if (got < 0)
                        return -1;
                event = got ? perfdata_get_event(r, ret->event) : NULL;
                if (got && !(deferred_concerns(d, ret, event) && deferred_take(d, ret, event)))
                        return 1;
                if (got || record_order_is_giving(&r->order) || !r->ended)
                        continue;
                if (!d->n_waiting)
                        return finish(r, err);
                deferred_end(d);
        }
}

int perfdata_next_raw(struct perfdata_reader *r, struct perfdata_record *ret, struct err *err)
{
        uint64_t pos;
        int got = stream_next(r, ret, &pos, err);

        if (got < 0)
                return -1;
        if (!got)
                return finish(r, err);
        ret->time = events_time_of(r, ret);
        return give(r, ret);
}
