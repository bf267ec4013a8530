/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts slots beyond the limit without storing them, so that the error can give the full length. */
#include "schedule.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "mem.h"

enum { LOOSE = -1 };

struct planner {
        const struct schedule_event *events;
        size_t n_events;
        size_t n_counters, max_slots;
        struct schedule_slot *slots; /* at most max_slots of them */
        size_t n_slots, n_kept, cap_slots;
        size_t n_padding;  /* at the end of the schedule */
        size_t next_loose; /* index where the search for the next event without a group starts */
};

static bool is_grouped(const struct planner *p, size_t event)
{
        int32_t group = p->events[event].group;

        return group >= 0 && ((event && p->events[event - 1].group == group) ||
                              (event + 1 < p->n_events && p->events[event + 1].group == group));
}

/* The index after the last event of the group that begins at `first`. */
static size_t group_end(const struct planner *p, size_t first)
{
        size_t end = first;

        while (end < p->n_events && p->events[end].group == p->events[first].group)
                end++;
        return end;
}

/* Puts `slot` into the first padding slot at the end, else appends it. */
static void put_slot(struct planner *p, struct schedule_slot slot)
{
        size_t at = p->n_slots - p->n_padding;

        if (p->n_padding)
                p->n_padding--;
        else
                p->n_slots++;
        if (at < p->n_kept)
                p->slots[at] = slot;
        else if (at < p->max_slots)
                ARRAY_PUSH(p->slots, p->n_kept, p->cap_slots, slot);
}

static void put_event(struct planner *p, size_t event, int32_t group)
{
        put_slot(p, (struct schedule_slot){.event = (uint32_t)event,
                                           .code = p->events[event].code,
                                           .group = group,
                                           .metric = p->events[event].metric});
}

static bool put_next_loose(struct planner *p)
{
        while (p->next_loose < p->n_events && is_grouped(p, p->next_loose))
                p->next_loose++;
        if (p->next_loose == p->n_events)
                return false;
        put_event(p, p->next_loose++, LOOSE);
        return true;
}

static void put_padding(struct planner *p, size_t n)
{
        static const struct schedule_slot padding = {
                .event = UINT32_MAX, .code = SCHEDULE_PADDING_CODE, .group = LOOSE};

        for (size_t i = 0; i < n && p->n_kept < p->max_slots; i++)
                ARRAY_PUSH(p->slots, p->n_kept, p->cap_slots, padding);
        p->n_slots += n;
        p->n_padding = n;
}

static size_t n_places_left(const struct planner *p)
{
        size_t used = p->n_slots % p->n_counters;

        return used ? p->n_counters - used : 0;
}

/* Adds padding only if no event without a group is waiting, so that only a group can replace padding. */
static void fill_window(struct planner *p)
{
        while (n_places_left(p) && put_next_loose(p))
                ;
        if (n_places_left(p))
                put_padding(p, n_places_left(p));
}

static bool place_groups(struct planner *p, int32_t *ret_n_groups, struct err *err)
{
        int32_t n_groups = 0;

        for (size_t first = 0, end; first < p->n_events; first = end) {
                end = first + 1;
                if (!is_grouped(p, first))
                        continue;
                end = group_end(p, first);
                if (end - first > p->n_counters)
                        return err_set(err, ERR_LIMIT,
                                       "event group size(%zu) exceeds number of hardware PMU counters(%zu)",
                                       end - first, p->n_counters);
                if (p->n_padding < end - first)
                        p->n_padding = 0;
                for (size_t i = first; i < end; i++)
                        put_event(p, i, n_groups);
                fill_window(p);
                n_groups++;
        }
        *ret_n_groups = n_groups;
        return true;
}

bool schedule_make(const struct schedule_event *events, size_t n_events, size_t n_counters, size_t max_slots,
                   const char *class_name, struct schedule *ret, struct err *err)
{
        struct planner p = {
                .events = events, .n_events = n_events, .n_counters = n_counters, .max_slots = max_slots};
        int32_t n_groups = 0;

        assert(n_counters && n_events < UINT32_MAX);
        if (!place_groups(&p, &n_groups, err)) {
                free(p.slots);
                return false;
        }
        while (put_next_loose(&p))
                ;
        if (n_groups)
                fill_window(&p);
        if (p.n_slots > max_slots) {
                free(p.slots);
                return err_set(err, ERR_LIMIT, "too many %s (including padding) events: %zu > %zu",
                               class_name, p.n_slots, max_slots);
        }
        *ret = (struct schedule){p.slots, p.n_slots, n_counters};
        return true;
}

void schedule_release(struct schedule *schedule)
{
        free(schedule->slots);
        *schedule = (struct schedule){0};
}

void schedule_add_indexes(const struct schedule *schedule, struct buf *out)
{
        for (size_t i = 0; i < schedule->n_slots; i++)
                buf_printf(out, "%s%" PRIu32, i ? "," : "", schedule->slots[i].code);
}

void schedule_add_notes(const struct schedule *schedule, struct buf *out)
{
        for (size_t i = 0; i < schedule->n_slots; i++) {
                const struct schedule_slot *slot = &schedule->slots[i];

                buf_add_str(out, i ? ",(" : "(");
                if (slot->event == UINT32_MAX)
                        buf_add_char(out, 'p');
                else if (slot->group == LOOSE)
                        buf_add_char(out, 'e');
                else
                        buf_printf(out, "g%" PRId32, slot->group);
                if (slot->metric)
                        buf_printf(out, ",%s", slot->metric);
                buf_add_char(out, ')');
        }
}
