/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests for a simulated machine, in one line each. */
#ifndef PLANS_H
#define PLANS_H

#include "sim_machine.h"
#include "tap.h"

/* One owner of the lock; others are other addresses. */
static const int plan_owner = 1;

static inline void plan_add_unit(struct abi_set *set, uint32_t i)
{
        set->bits[i / 64] |= UINT64_C(1) << i % 64;
}

static inline enum request_status plan_lock(struct sim_machine *m, const void *owner, bool force,
                                            enum abi_lock_status *ret)
{
        struct abi_lock in = {.force = force};
        struct abi_lock_answer out = {0};
        enum request_status status =
                sim_machine_request(m, owner, ABI_REQUEST_LOCK, &in, sizeof(in), &out, sizeof(out));

        *ret = out.status;
        return status;
}

/* The number of a class, or UINT32_MAX. */
static inline uint32_t plan_find_class(const struct sim_machine *m, const char *block, const char *name)
{
        for (uint32_t i = 0; i < m->driver->n_classes; i++) {
                if (!strcmp(m->driver->classes[i].block->name, block) &&
                    !strcmp(m->driver->classes[i].class->name, name))
                        return i;
        }
        return UINT32_MAX;
}

/* A plan with room for its slots. */
union plan {
        struct abi_assign head;
        unsigned char bytes[sizeof(struct abi_assign) + ABI_SLOTS_MAX * sizeof(struct abi_slot)];
};

static inline union plan plan_make(uint32_t class, uint32_t n, uint32_t window)
{
        union plan plan;

        memset(&plan, 0, sizeof(plan));
        plan.head.class = class;
        plan.head.n_slots = n;
        plan.head.window = window;
        plan.head.period_ms = 10;
        return plan;
}

static inline enum request_status plan_assign(struct sim_machine *m, union plan *plan)
{
        return sim_machine_request(m, &plan_owner, ABI_REQUEST_ASSIGN, plan,
                                   sizeof(plan->head) + plan->head.n_slots * sizeof(struct abi_slot), NULL,
                                   0);
}

static inline enum request_status plan_start(struct sim_machine *m)
{
        struct abi_start in = {0};

        return sim_machine_request(m, &plan_owner, ABI_REQUEST_START, &in, sizeof(in), NULL, 0);
}

static inline enum request_status plan_stop(struct sim_machine *m)
{
        return sim_machine_request(m, &plan_owner, ABI_REQUEST_STOP, NULL, 0, NULL, 0);
}

union plan_counts {
        struct abi_counts head;
        unsigned char bytes[sizeof(struct abi_counts) + ABI_SLOTS_MAX * sizeof(struct abi_count)];
};

static inline enum request_status plan_read(struct sim_machine *m, uint32_t class, uint32_t unit,
                                            union plan_counts *ret)
{
        struct abi_read in = {.class = class, .unit = unit};

        return sim_machine_request(m, &plan_owner, ABI_REQUEST_READ_COUNTS, &in, sizeof(in), ret,
                                   sizeof(*ret));
}

#endif
