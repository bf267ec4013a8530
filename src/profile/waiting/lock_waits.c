/* SPDX-License-Identifier: BSD-3-Clause */
#include "lock_waits.h"

#include "search.h"
#include "wall_making.h"

static const char *name_of(const struct wall_making *m, uint32_t function)
{
        return function ? m->pieces->functions[function - 1].name : "";
}

/* The number of the owner is from memory of the program, which may be of another kind of lock. */
static int32_t owner_of(const struct wall_making *m, const struct wall_reading *r)
{
        size_t i = wall_making_find_reading(m, r->owner, 0), low = 0, high = m->n_spans;

        if (r->owner <= 0)
                return 0;
        if (i < m->n_readings && m->readings[i].tid == r->owner)
                return m->readings[i].pid == r->pid ? r->owner : 0;
        SEARCH_FIRST(low, high, middle, m->spans[middle].tid < r->owner);
        return low < m->n_spans && m->spans[low].tid == r->owner && m->spans[low].pid == r->pid ? r->owner
                                                                                                : 0;
}

/* What the thread that has the lock does then: its own wait, or its nearest sample. */
static const char *function_of_owner(struct wall_making *m, const struct wall_reading *r)
{
        size_t i = wall_making_find_reading(m, r->owner, r->time_ns);
        size_t first = i ? i - 1 : 0;

        if (r->kind == WAIT_KIND_GIL)
                return name_of(m, wall_making_holder_of(m, r));
        for (size_t k = first; k < m->n_readings && k <= i; k++) {
                const struct wall_reading *of = &m->readings[k];

                if (of->tid == r->owner && of->from_ns <= r->time_ns && of->to_ns >= r->time_ns)
                        return name_of(m, of->at.function);
        }
        return name_of(m, wall_making_running_of(m, r->owner, r->time_ns));
}

static void add(struct wall_making *m, struct lock_rows *rows, const struct wall_reading *r, uint64_t ns)
{
        const struct wall_request *request = m->request;
        const struct waiters waiters = {rows->by, request->thread_name, request->ctx};
        int32_t owner = owner_of(m, r);

        lock_rows_add(rows, &(struct lock_row){
                                    .lock = r->lock ? r->lock : "lock",
                                    .address = r->lock_address,
                                    .pid = r->pid,
                                    .function = name_of(m, r->at.function),
                                    .waiter = waiters_find(&waiters, r->pid, r->tid),
                                    .owner = owner ? request->thread_name(request->ctx, r->pid, owner) : "",
                                    .owner_function = owner ? function_of_owner(m, r) : "",
                                    .owner_tid = owner,
                                    .count = r->n_waits,
                                    .total_ns = ns,
                                    .longest_ns = wall_making_part(m, r->from_ns, r->to_ns,
                                                                   r->to_ns - r->from_ns)});
}

struct lock_rows *lock_waits_new(struct wall_making *m)
{
        const struct wall_request *request = m->request;
        struct lock_rows *rows = lock_rows_new(request->waiters_by);

        for (size_t i = 0; i < m->n_readings; i++) {
                const struct wall_reading *r = &m->readings[i];
                uint64_t ns = wall_making_part(m, r->from_ns, r->to_ns, r->weight_ns);

                if (ns && (r->kind == WAIT_KIND_LOCK || r->kind == WAIT_KIND_GIL) &&
                    request->counts_wait(request->ctx, r->pid, r->tid, r->kind))
                        add(m, rows, r, ns);
        }
        lock_rows_finish(rows);
        return rows;
}
