/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of wperf's own driver, which loses nothing when it is stopped and says how long each event was counted. */
#include <inttypes.h>
#include <stdlib.h>

#include "mem.h"
#include "windows_backend_internal.h"
#include "windows_own_driver.h"

/* An answer with all slots that a plan can have. */
union own_answer {
        struct abi_counts head;
        uint8_t bytes[sizeof(struct abi_counts) + ABI_SLOTS_MAX * sizeof(struct abi_count)];
};

static void *open_driver(struct err *err)
{
        return own_driver_open(false, err);
}

static void free_driver(void *driver)
{
        own_driver_free(driver);
}

static const struct kernel_driver *get_facts(const void *driver)
{
        return own_driver_get_facts(driver);
}

static uint32_t mode_flags(const struct perf_attr *attr)
{
        return (attr->flags & PERF_ATTR_EXCLUDE_KERNEL ? ABI_EXCLUDE_KERNEL : 0) |
               (attr->flags & PERF_ATTR_EXCLUDE_USER ? ABI_EXCLUDE_USER : 0);
}

static struct abi_assign plan_of(const struct driver_counts *d)
{
        struct abi_assign plan = {
                .class = own_driver_get_core_class(d->driver),
                .n_slots = (uint32_t)d->schedule.n_slots,
                .window = get_facts(d->driver)->n_counters,
                .period_ms = d->period_ms,
        };

        for (size_t i = d->n_events; i-- > 0;) {
                if (d->events[i].is_cycles)
                        plan.cycles_flags = mode_flags(&d->events[i].attr);
        }
        for (size_t i = 0; i < d->n_cores; i++)
                plan.units.bits[d->cores[i].cpu / 64] |= UINT64_C(1) << d->cores[i].cpu % 64;
        return plan;
}

/* Without an event with a number, one slot of padding lets the counter of cycles count. */
static bool assign(struct driver_counts *d, struct err *err)
{
        struct abi_assign plan = plan_of(d);
        AUTO_RELEASE(buf) message = {0};

        plan.n_slots = plan.n_slots ? plan.n_slots : 1;
        buf_add(&message, &plan, sizeof(plan));
        for (size_t i = 0; i < plan.n_slots; i++) {
                struct abi_slot slot = {.flags = ABI_PADDING};

                if (i < d->schedule.n_slots && d->schedule.slots[i].event != UINT32_MAX)
                        slot = (struct abi_slot){d->schedule.slots[i].code,
                                                 mode_flags(&d->events[d->schedule.slots[i].event].attr)};
                buf_add(&message, &slot, sizeof(slot));
        }
        return own_driver_ask(d->driver, ABI_REQUEST_ASSIGN, message.data, message.len, NULL, 0, err) >= 0;
}

static bool start(struct driver_counts *d, struct err *err)
{
        const struct abi_start from_zero = {0};

        return own_driver_ask(d->driver, ABI_REQUEST_START, &from_zero, sizeof(from_zero), NULL, 0, err) >= 0;
}

static bool read_core(struct driver_counts *d, struct driver_core *core, struct err *err)
{
        const struct abi_read from = {.class = own_driver_get_core_class(d->driver), .unit = core->cpu};
        size_t n = d->schedule.n_slots ? d->schedule.n_slots : 1;
        union own_answer answer;
        int64_t size = own_driver_ask(d->driver, ABI_REQUEST_READ_COUNTS, &from, sizeof(from), &answer,
                                      sizeof(answer), err);

        if (size < 0)
                return false;
        if (size < (int64_t)sizeof(answer.head) || answer.head.n != n ||
            (size_t)size != sizeof(answer.head) + n * sizeof(struct abi_count))
                return err_set(err, ERR_FORMAT,
                               ABI_SERVICE "'s counts of core %" PRIu32
                                           " can't be used: they are not of the events that were assigned",
                               core->cpu);
        core->round = answer.head.enabled_ns;
        for (size_t i = 0; i < d->schedule.n_slots; i++) {
                const struct abi_count *count = &answer.head.counts[i];

                if (d->schedule.slots[i].event == UINT32_MAX)
                        continue;
                if (count->running_ns > core->round)
                        return err_set(err, ERR_FORMAT,
                                       ABI_SERVICE "'s counts of core %" PRIu32
                                                   " can't be used: an event was counted longer than all",
                                       core->cpu);
                core->sums[d->schedule.slots[i].event].value = count->value;
                core->sums[d->schedule.slots[i].event].scheduled = count->running_ns;
        }
        for (size_t i = 0; i < d->n_events; i++) {
                if (d->events[i].is_cycles) {
                        core->sums[i].value = answer.head.cycles;
                        core->sums[i].scheduled = core->round;
                }
        }
        return true;
}

static bool stop(struct driver_counts *d, struct err *err)
{
        return own_driver_ask(d->driver, ABI_REQUEST_STOP, NULL, 0, NULL, 0, err) >= 0 &&
               driver_counts_read(d, err);
}

static void abandon(struct driver_counts *d)
{
        own_driver_ask(d->driver, ABI_REQUEST_STOP, NULL, 0, NULL, 0, NULL);
}

const struct driver_backend backend_own = {
        .name = ABI_SERVICE,
        .filters_each = true,
        .open = open_driver,
        .free = free_driver,
        .get_facts = get_facts,
        .assign = assign,
        .start = start,
        .read_core = read_core,
        .stop = stop,
        .abandon = abandon,
};
