/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "attributes.h"
#include "buf.h"
#include "catalogue.h"
#include "err.h"
#include "schedule.h"
#include "tap.h"

enum { EVENTS_MAX = 512 };

struct list {
        struct schedule_event events[EVENTS_MAX];
        size_t n;
        int32_t n_groups; /* of any size */
};

static void add_event(struct list *list, uint32_t code, int32_t group, const char *metric)
{
        list->events[list->n++] = (struct schedule_event){code, group, metric};
}

/* "17,{34,27}": numbers of events and groups. */
static void add_text(struct list *list, const char *text, const char *metric)
{
        int32_t group = -1;

        for (const char *at = text; *at;) {
                char *end;

                if (*at == '{')
                        group = list->n_groups++;
                else if (*at == '}')
                        group = -1;
                if (*at < '0' || *at > '9') {
                        at++;
                        continue;
                }
                add_event(list, (uint32_t)strtoul(at, &end, 10), group, metric);
                at = end;
        }
}

static bool make(const struct list *list, size_t n_counters, struct schedule *ret, struct err *err)
{
        return schedule_make(list->events, list->n, n_counters, SCHEDULE_CORE_MAX, "core", ret, err);
}

static void expect_plan(const struct list *list, size_t n_counters, const char *indexes, const char *notes)
{
        AUTO_RELEASE(schedule) schedule = {0};
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};

        if (!make(list, n_counters, &schedule, &err)) {
                TAP_FAIL("%s", err.text);
                return;
        }
        EXPECT_INT(schedule.n_counters, n_counters);
        schedule_add_indexes(&schedule, &out);
        EXPECT_STR(buf_text(&out), indexes);
        buf_clear(&out);
        schedule_add_notes(&schedule, &out);
        EXPECT_STR(buf_text(&out), notes);
}

static void expect_text(const char *text, size_t n_counters, const char *indexes, const char *notes)
{
        struct list list = {.n = 0};

        add_text(&list, text, NULL);
        expect_plan(&list, n_counters, indexes, notes);
}

TEST(groups_take_the_padding_at_the_end)
{
        expect_text("{17},{17,36},{34,27,52},{17,35},{37,5},{112,113,114},{104,105,106}", 5,
                    "17,36,17,27,27,34,27,52,17,35,37,5,112,113,114,104,105,106,27,27",
                    "(g0),(g0),(e),(p),(p),(g1),(g1),(g1),(g2),(g2),(g3),(g3),(g4),(g4),(g4),(g5),(g5),(g5),"
                    "(p),(p)");
        expect_text("{17},{17,36},{34,27,52},{17,35},{37,5},{112,113,114},{104,105,106}", 6,
                    "17,36,17,34,27,52,17,35,37,5,27,27,112,113,114,104,105,106",
                    "(g0),(g0),(e),(g1),(g1),(g1),(g2),(g2),(g3),(g3),(p),(p),(g4),(g4),(g4),(g5),(g5),(g5)");
}

TEST(crypto_and_vfp)
{
        expect_text("{119,117}", 5, "119,117,27,27,27", "(g0),(g0),(p),(p),(p)");
        expect_text("{119,117}", 6, "119,117,27,27,27,27", "(g0),(g0),(p),(p),(p),(p)");
        expect_text("119,{117,116},115", 5, "117,116,119,115,27", "(g0),(g0),(e),(e),(p)");
        expect_text("119,{117,116},115", 6, "117,116,119,115,27,27", "(g0),(g0),(e),(e),(p),(p)");
        expect_text("119,{117,116},115", 3, "117,116,119,115,27,27", "(g0),(g0),(e),(e),(p),(p)");
        expect_text("119,{117,116},115", 2, "117,116,119,115", "(g0),(g0),(e),(e)");
}

TEST(metrics_on_six_counters)
{
        struct list list = {.n = 0};

        add_text(&list, "{27,115,117,116,112,113}", "imix");
        add_text(&list, "{20,1,39,40,8}", "icache");
        expect_plan(&list, 6, "27,115,117,116,112,113,20,1,39,40,8,27",
                    "(g0,imix),(g0,imix),(g0,imix),(g0,imix),(g0,imix),(g0,imix),(g1,icache),(g1,icache),"
                    "(g1,icache),(g1,icache),(g1,icache),(p)");
}

TEST(one_event_alone_is_loose)
{
        struct list list = {.n = 0};

        expect_text("{17}", 5, "17", "(e)");
        expect_text("{17},{18}", 5, "17,18", "(e),(e)");
        expect_text("{17},{18,19},{20},{21,22}", 6, "18,19,17,20,21,22", "(g0),(g0),(e),(e),(g1),(g1)");
        add_text(&list, "{17}", "alone");
        add_text(&list, "{18,19}", "two");
        expect_plan(&list, 3, "18,19,17", "(g0,two),(g0,two),(e,alone)");
}

TEST(without_groups_nothing_is_filled)
{
        expect_text("", 6, "", "");
        expect_text("1,2,3,4,5,6,7", 6, "1,2,3,4,5,6,7", "(e),(e),(e),(e),(e),(e),(e)");
        expect_text("1,2,3", 1, "1,2,3", "(e),(e),(e)");
        expect_text("116,116,117", 2, "116,116,117", "(e),(e),(e)");
}

/* A user's event with the number of the padding event is not padding. */
TEST(inst_spec_is_not_overwritten)
{
        expect_text("{1,27},{27,27,27},{2,3}", 3, "1,27,27,27,27,27,2,3,27",
                    "(g0),(g0),(p),(g1),(g1),(g1),(g2),(g2),(p)");
        expect_text("{1,2},27,{3,4}", 4, "1,2,27,27,3,4,27,27", "(g0),(g0),(e),(p),(g1),(g1),(p),(p)");
}

TEST(groups_that_fit_exactly_or_not)
{
        struct schedule schedule = {.n_slots = 99};
        struct list list = {.n = 0};
        struct err err = {0};

        expect_text("{1,2,3},{4,5,6}", 3, "1,2,3,4,5,6", "(g0),(g0),(g0),(g1),(g1),(g1)");
        add_text(&list, "7,{1,2,3,4,5,6,7,8}", NULL);
        EXPECT_TRUE(!make(&list, 6, &schedule, &err));
        EXPECT_INT(err.code, ERR_LIMIT);
        EXPECT_STR(err.text, "event group size(8) exceeds number of hardware PMU counters(6)");
        EXPECT_INT(schedule.n_slots, 99);
        EXPECT_TRUE(!make(&list, 7, &schedule, &err));
        EXPECT_STR(err.text, "event group size(8) exceeds number of hardware PMU counters(7)");
        EXPECT_TRUE(!make(&list, 1, &schedule, NULL));
        expect_text("7,{1,2,3,4,5,6,7,8}", 8, "1,2,3,4,5,6,7,8,7,27,27,27,27,27,27,27",
                    "(g0),(g0),(g0),(g0),(g0),(g0),(g0),(g0),(e),(p),(p),(p),(p),(p),(p),(p)");
}

TEST(too_many_slots)
{
        static const struct {
                const char *class;
                size_t max;
        } classes[] = {{"core", SCHEDULE_CORE_MAX},
                       {"dsu", SCHEDULE_DSU_MAX},
                       {"dmc_clk", SCHEDULE_DMC_CLK_MAX},
                       {"dmc_clkdiv2", SCHEDULE_DMC_CLKDIV2_MAX}};

        for (size_t i = 0; i < N_ELEMENTS(classes); i++) {
                struct schedule schedule = {0};
                struct list list = {.n = 0};
                struct err err = {0};
                char want[80];

                while (list.n < classes[i].max)
                        add_event(&list, 1, -1, NULL);
                EXPECT_TRUE(schedule_make(list.events, list.n, 2, classes[i].max, classes[i].class, &schedule,
                                          &err));
                EXPECT_INT(schedule.n_slots, classes[i].max);
                schedule_release(&schedule);
                add_event(&list, 1, -1, NULL);
                EXPECT_TRUE(!schedule_make(list.events, list.n, 2, classes[i].max, classes[i].class,
                                           &schedule, &err));
                snprintf(want, sizeof(want), "too many %s (including padding) events: %zu > %zu",
                         classes[i].class, list.n, classes[i].max);
                EXPECT_STR(err.text, want);
                EXPECT_INT(err.code, ERR_LIMIT);
                EXPECT_TRUE(!schedule.slots);
        }
}

TEST(padding_counts_for_the_limit)
{
        struct schedule schedule = {0};
        struct list list = {.n = 0};
        struct err err = {0};

        /* 31 windows of 4 are 124 slots, 32 are 128. */
        while (list.n_groups < 31)
                add_text(&list, "{1,2,3}", NULL);
        EXPECT_TRUE(make(&list, 4, &schedule, &err));
        EXPECT_INT(schedule.n_slots, 124);
        schedule_release(&schedule);
        add_text(&list, "{1,2,3}", NULL);
        EXPECT_TRUE(!make(&list, 4, &schedule, &err));
        EXPECT_STR(err.text, "too many core (including padding) events: 128 > 127");
        /* The last window alone goes over. */
        list.n = 0;
        while (list.n < 126)
                add_event(&list, 1, -1, NULL);
        add_text(&list, "{1,2}", NULL);
        EXPECT_TRUE(!make(&list, 5, &schedule, &err));
        EXPECT_STR(err.text, "too many core (including padding) events: 130 > 127");
}

/* --- What holds of every schedule --- */

static bool is_padding(const struct schedule *schedule, size_t slot)
{
        return schedule->slots[slot].event == UINT32_MAX;
}

static size_t group_size(const struct list *list, size_t event)
{
        size_t size = 0;

        for (size_t i = 0; i < list->n && list->events[event].group >= 0; i++)
                size += list->events[i].group == list->events[event].group;
        return size;
}

/* Every event is there once, as it was given, and padding is as the rules require. */
static const char *check_slots(const struct list *list, const struct schedule *schedule, bool *ret_groups)
{
        unsigned seen[EVENTS_MAX] = {0};

        for (size_t i = 0; i < schedule->n_slots; i++) {
                const struct schedule_slot *slot = &schedule->slots[i];
                const struct schedule_event *event;

                if (is_padding(schedule, i)) {
                        if (slot->code != 0x1b || slot->group != -1 || slot->metric)
                                return "padding that is none";
                        continue;
                }
                if (slot->event >= list->n)
                        return "an event that is not there";
                event = &list->events[slot->event];
                seen[slot->event]++;
                if (slot->code != event->code || slot->metric != event->metric)
                        return "an event that was changed";
                if ((slot->group >= 0) != (group_size(list, slot->event) > 1))
                        return "a loose event in a group, or the other way round";
        }
        *ret_groups = false;
        for (size_t i = 0; i < list->n; i++) {
                *ret_groups |= group_size(list, i) > 1;
                if (seen[i] != 1)
                        return "an event that is not there once";
        }
        return NULL;
}

/* Groups are complete, in order and in one window; single events are also in order. */
static const char *check_order(const struct list *list, const struct schedule *schedule)
{
        uint32_t last_loose = 0, last_grouped = 0;
        int32_t n_groups = 0;
        bool any_loose = false;

        for (size_t i = 0; i < schedule->n_slots; i++) {
                const struct schedule_slot *slot = &schedule->slots[i];
                size_t size;

                if (is_padding(schedule, i))
                        continue;
                if (slot->group < 0) {
                        if (any_loose && slot->event < last_loose)
                                return "loose events out of order";
                        any_loose = true;
                        last_loose = slot->event;
                        continue;
                }
                size = group_size(list, slot->event);
                if (slot->group != n_groups)
                        return "groups not counted from 0 in order";
                if (n_groups && slot->event < last_grouped)
                        return "groups out of order";
                if (i % schedule->n_counters + size > schedule->n_counters)
                        return "a group in two windows";
                for (size_t k = 1; k < size; k++) {
                        if (schedule->slots[i + k].group != slot->group ||
                            schedule->slots[i + k].event != slot->event + k)
                                return "a group that is not whole";
                }
                i += size - 1;
                last_grouped = schedule->slots[i].event;
                n_groups++;
        }
        return NULL;
}

/* Padding is at the end of a window, if no single event is left and the next group would not fit. */
static const char *check_padding(const struct list *list, const struct schedule *schedule, bool groups)
{
        size_t n = schedule->n_counters, run = 0;
        bool padded = false;

        if (groups && schedule->n_slots % n)
                return "a last window that is not full";
        for (size_t i = 0; i < schedule->n_slots; i++) {
                if (is_padding(schedule, i)) {
                        if (!groups)
                                return "padding without groups";
                        padded = true;
                        run++;
                        continue;
                }
                if (run && i % n)
                        return "padding in the middle of a window";
                if (padded && schedule->slots[i].group < 0 && run)
                        return "a loose event behind padding";
                if (run && group_size(list, schedule->slots[i].event) <= run)
                        return "a group that would have fitted into the padding";
                run = 0;
        }
        return run < n ? NULL : "a window of padding";
}

static bool expect_rules(const struct list *list, size_t n_counters)
{
        AUTO_RELEASE(schedule) schedule = {0};
        const char *broken;
        bool groups = false;

        if (!schedule_make(list->events, list->n, n_counters, SIZE_MAX, "core", &schedule, NULL)) {
                TAP_FAIL("not planned: %zu events on %zu counters", list->n, n_counters);
                return false;
        }
        broken = check_slots(list, &schedule, &groups);
        broken = broken ? broken : check_order(list, &schedule);
        broken = broken ? broken : check_padding(list, &schedule, groups);
        if (broken) {
                AUTO_RELEASE(buf) notes = {0};

                schedule_add_notes(&schedule, &notes);
                TAP_FAIL("%s: %zu counters, %s", broken, n_counters, buf_text(&notes));
        }
        return !broken;
}

static uint32_t next_random(uint32_t *state)
{
        *state = *state * 1664525 + 1013904223;
        return *state >> 16;
}

static void fill_random(struct list *list, size_t n_counters, uint32_t *state)
{
        size_t n_pieces = next_random(state) % 40;
        unsigned loose_of_ten = next_random(state) % 11;

        *list = (struct list){.n = 0};
        for (size_t i = 0; i < n_pieces; i++) {
                bool loose = next_random(state) % 10 < loose_of_ten;
                size_t size = loose ? 1 : next_random(state) % n_counters + 1;
                int32_t group = loose ? -1 : list->n_groups++;

                for (size_t k = 0; k < size; k++)
                        add_event(list, 0x18 + next_random(state) % 8, group, loose ? NULL : "some_metric");
        }
}

TEST(rules_hold_for_random_lists)
{
        static const size_t counters[] = {1, 2, 3, 4, 5, 6, 7, 8, 12};
        uint32_t state = 1;

        for (size_t i = 0; i < N_ELEMENTS(counters); i++) {
                for (int round = 0; round < 300; round++) {
                        struct list list;

                        fill_random(&list, counters[i], &state);
                        if (!expect_rules(&list, counters[i]))
                                return;
                }
        }
}

/* The metrics of a model as groups in the order of its list, those that fit. */
static void add_metrics(struct list *list, const struct catalogue_cpu *cpu, size_t n_counters, size_t max)
{
        for (size_t i = 0; i < cpu->n_metrics && (size_t)list->n_groups < max; i++) {
                const char *at = cpu->metrics[i].events;
                size_t first = list->n;

                while (at && *at) {
                        size_t len = strcspn(at, ",");
                        const struct catalogue_event *event = catalogue_find_event(cpu, at, len);

                        if (event)
                                add_event(list, event->code, list->n_groups, cpu->metrics[i].name);
                        at += len + (at[len] == ',');
                }
                if (list->n - first > n_counters)
                        list->n = first;
                else if (list->n > first)
                        list->n_groups++;
        }
}

TEST(top_down_metrics_of_models)
{
        static const char *const models[] = {"neoverse-n2", "neoverse-v1", "neoverse-n3", "neoverse-v3"};

        for (size_t i = 0; i < N_ELEMENTS(models); i++) {
                const struct catalogue_cpu *cpu = catalogue_find_cpu(models[i]);

                ASSERT_TRUE(cpu);
                for (size_t n_counters = 5; n_counters <= 6; n_counters++) {
                        struct list list = {.n = 0};
                        struct schedule schedule = {0};

                        add_metrics(&list, cpu, n_counters, 31);
                        EXPECT_INT(list.n_groups, 31);
                        EXPECT_TRUE(expect_rules(&list, n_counters));
                        EXPECT_TRUE(make(&list, n_counters, &schedule, NULL));
                        schedule_release(&schedule);
                }
        }
}

TAP_MAIN
