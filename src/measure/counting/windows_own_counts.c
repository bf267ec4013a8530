/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of wperf's own driver, which loses nothing when it is stopped and says how long each event was
 * counted. */
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

static size_t max_slots(const struct driver_plan *plan)
{
        return plan->unit ? ABI_SLOTS_MAX : SCHEDULE_CORE_MAX;
}

/* The class of a plan in requests. */
static uint32_t class_of(const struct driver_counts *d, const struct driver_plan *plan)
{
        return plan->unit ? plan->class->number : own_driver_get_core_class(d->driver);
}

/* The number of a place among the units of its class. */
static uint32_t unit_of(const struct driver_place *place)
{
        return place->plan->unit ? place->plan->unit->index : place->cpu;
}

static struct abi_assign message_of(const struct driver_counts *d, const struct driver_plan *plan)
{
        struct abi_assign message = {
                .class = class_of(d, plan),
                .n_slots = (uint32_t)plan->schedule.n_slots,
                .window = plan->unit ? plan->class->n_counters : get_facts(d->driver)->n_counters,
                .period_ms = d->period_ms,
        };

        for (size_t i = plan->n_events; i-- > 0;) {
                const struct driver_event *event = &d->events[plan->events[i]];

                if (event->is_cycles)
                        message.cycles_flags = mode_flags(&event->attr);
        }
        for (size_t i = 0; i < d->n_places; i++) {
                uint32_t unit = unit_of(&d->places[i]);

                if (d->places[i].plan == plan)
                        message.units.bits[unit / 64] |= UINT64_C(1) << unit % 64;
        }
        return message;
}

/* Without an event with a number, one slot of padding lets the counter of cycles count. */
static bool assign_plan(struct driver_counts *d, const struct driver_plan *plan, struct err *err)
{
        struct abi_assign head = message_of(d, plan);
        AUTO_RELEASE(buf) message = {0};

        head.n_slots = head.n_slots ? head.n_slots : 1;
        buf_add(&message, &head, sizeof(head));
        for (size_t i = 0; i < head.n_slots; i++) {
                struct abi_slot slot = {.flags = ABI_PADDING};

                if (i < plan->schedule.n_slots && plan->schedule.slots[i].event != UINT32_MAX) {
                        size_t event = plan->events[plan->schedule.slots[i].event];

                        slot = (struct abi_slot){plan->schedule.slots[i].code,
                                                 mode_flags(&d->events[event].attr)};
                }
                buf_add(&message, &slot, sizeof(slot));
        }
        return own_driver_ask(d->driver, ABI_REQUEST_ASSIGN, message.data, message.len, NULL, 0, err) >= 0;
}

static bool assign(struct driver_counts *d, struct err *err)
{
        for (size_t i = 0; i < d->n_plans; i++) {
                if (d->plans[i].n_events && !assign_plan(d, &d->plans[i], err))
                        return false;
        }
        return true;
}

static bool start(struct driver_counts *d, struct err *err)
{
        const struct abi_start from_zero = {0};

        return own_driver_ask(d->driver, ABI_REQUEST_START, &from_zero, sizeof(from_zero), NULL, 0, err) >= 0;
}

static bool fail_counts(const struct driver_place *place, const char *what, struct err *err)
{
        return err_set(err, ERR_FORMAT, ABI_SERVICE "'s counts of %s %" PRIu32 " can't be used: %s",
                       place->plan->unit ? place->plan->class->class->name : "core", unit_of(place), what);
}

static bool read_place(struct driver_counts *d, struct driver_place *place, struct err *err)
{
        const struct driver_plan *plan = place->plan;
        const struct abi_read from = {.class = class_of(d, plan), .unit = unit_of(place)};
        size_t n = plan->schedule.n_slots ? plan->schedule.n_slots : 1;
        union own_answer answer;
        int64_t size = own_driver_ask(d->driver, ABI_REQUEST_READ_COUNTS, &from, sizeof(from), &answer,
                                      sizeof(answer), err);

        if (size < 0)
                return false;
        if (size < (int64_t)sizeof(answer.head) || answer.head.n != n ||
            (size_t)size != sizeof(answer.head) + n * sizeof(struct abi_count))
                return fail_counts(place, "they are not of the events that were assigned", err);
        place->round = answer.head.enabled_ns;
        for (size_t i = 0; i < plan->schedule.n_slots; i++) {
                const struct abi_count *count = &answer.head.counts[i];

                if (plan->schedule.slots[i].event == UINT32_MAX)
                        continue;
                if (count->running_ns > place->round)
                        return fail_counts(place, "an event was counted longer than all", err);
                place->sums[plan->schedule.slots[i].event].value = count->value;
                place->sums[plan->schedule.slots[i].event].scheduled = count->running_ns;
        }
        for (size_t i = 0; i < plan->n_events; i++) {
                if (d->events[plan->events[i]].is_cycles) {
                        place->sums[i].value = answer.head.cycles;
                        place->sums[i].scheduled = place->round;
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
        .max_slots = max_slots,
        .open = open_driver,
        .free = free_driver,
        .get_facts = get_facts,
        .assign = assign,
        .start = start,
        .read_place = read_place,
        .stop = stop,
        .abandon = abandon,
};
