/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "block_rates.h"
#include "plans.h"
#include "sim_image.h"

enum { MS = 1000000 };

static struct sim_machine machine;
static struct sim_image before;

static bool begin(uint32_t n_cpus, uint32_t n_each)
{
        enum abi_lock_status status;

        sim_machine_init(&machine, n_cpus, n_each, false);
        return plan_lock(&machine, &plan_owner, false, &status) == REQUEST_OK && status == ABI_LOCKED;
}

/* Counters of the core wrap at 32 bits. */
static void make_narrow(void)
{
        machine.classes[0][0].control &= ~(UINT64_C(1) << 7);
}

/* A plan of `n` core events for CPU 0: codes 0x100, 0x101, ... */
static union plan core_plan(uint32_t n, uint32_t window)
{
        union plan plan = plan_make(plan_find_class(&machine, "core-pmuv3", "core"), n, window);

        plan_add_unit(&plan.head.units, 0);
        for (uint32_t i = 0; i < n; i++)
                plan.head.slots[i].code = 0x100 + i;
        return plan;
}

TEST(counts_of_one_window_are_exact_and_read_at_stop)
{
        union plan plan;
        union plan_counts got;

        ASSERT_TRUE(begin(1, 0));
        plan = core_plan(3, 6);
        EXPECT_INT(plan_assign(&machine, &plan), REQUEST_OK);
        sim_machine_count(&machine, 0, 0, 0x100, 999); /* before the start */
        EXPECT_INT(plan_start(&machine), REQUEST_OK);
        sim_machine_count(&machine, 0, 0, 0x100, 7);
        sim_machine_count(&machine, 0, 0, 0x102, 5);
        sim_machine_cycle(&machine, 0, 0, 1000);
        atomic_fetch_add(&machine.now_ns, 3 * MS);
        EXPECT_INT(plan_read(&machine, plan.head.class, 0, &got), REQUEST_OK);
        EXPECT_INT(got.head.counts[0].value, 7);
        EXPECT_TRUE(got.head.running);
        sim_machine_count(&machine, 0, 0, 0x100, 1);
        EXPECT_INT(plan_stop(&machine), REQUEST_OK); /* no tick came: the stop reads the counters */
        sim_machine_count(&machine, 0, 0, 0x100, 50);
        EXPECT_INT(plan_read(&machine, plan.head.class, 0, &got), REQUEST_OK);
        EXPECT_INT(got.head.n, 3);
        EXPECT_INT(got.head.counts[0].value, 8);
        EXPECT_INT(got.head.counts[1].value, 0);
        EXPECT_INT(got.head.counts[2].value, 5);
        EXPECT_INT(got.head.cycles, 1000);
        EXPECT_INT(got.head.counts[0].enabled_ns, 3 * MS);
        EXPECT_INT(got.head.counts[0].running_ns, 3 * MS);
        EXPECT_TRUE(!got.head.running);
        sim_machine_release(&machine);
}

TEST(windows_take_turns_with_their_times)
{
        union plan plan;
        union plan_counts got;

        ASSERT_TRUE(begin(1, 0));
        plan = core_plan(8, 6); /* windows of 6 and 2 */
        plan.head.slots[1].flags = ABI_PADDING;
        ASSERT_CMP(plan_assign(&machine, &plan), ==, REQUEST_OK);
        plan_start(&machine);
        for (int ms = 0; ms < 35; ms++) {
                for (uint32_t i = 0; i < 8; i++)
                        sim_machine_count(&machine, 0, 0, 0x100 + i, i + 1);
                sim_machine_pass(&machine, MS);
        }
        plan_stop(&machine);
        plan_read(&machine, plan.head.class, 0, &got);
        /* 0-10 and 20-30 ms the first window, 10-20 and 30-35 the second. */
        for (uint32_t i = 0; i < 8; i++) {
                EXPECT_INT(got.head.counts[i].value, i == 1 ? 0 : (i + 1) * (i < 6 ? 20 : 15));
                EXPECT_INT(got.head.counts[i].running_ns, (i < 6 ? 20 : 15) * MS);
                EXPECT_INT(got.head.counts[i].enabled_ns, 35 * MS);
        }
        EXPECT_INT(got.head.windows, 4);
        sim_machine_release(&machine);
}

TEST(counts_are_wider_than_the_counters)
{
        union plan plan;
        union plan_counts got;

        ASSERT_TRUE(begin(1, 1));
        make_narrow();
        plan = core_plan(1, 1);
        plan_assign(&machine, &plan);
        plan_start(&machine);
        for (int i = 0; i < 5; i++) {
                sim_machine_count(&machine, 0, 0, 0x100, UINT64_C(0xfffffff0));
                sim_machine_tick(&machine, 0);
        }
        /* A timer that is late: the counter wraps, and passes its old value. */
        sim_machine_count(&machine, 0, 0, 0x100, UINT64_C(0x100000010));
        plan_read(&machine, plan.head.class, 0, &got);
        EXPECT_CMP(got.head.counts[0].value, ==, UINT64_C(5) * 0xfffffff0 + UINT64_C(0x100000010));
        EXPECT_CMP(got.head.overflows, >=, 5);
        sim_machine_cycle(&machine, 0, 0, UINT64_C(1) << 40);
        plan_stop(&machine);
        plan_read(&machine, plan.head.class, 0, &got);
        EXPECT_CMP(got.head.cycles, ==, UINT64_C(1) << 40);
        EXPECT_INT(machine.cpus[0].n_foreign, 0);
        sim_machine_release(&machine);
}

TEST(a_wrap_between_two_reads_of_registers_counts_once)
{
        union plan plan;
        union plan_counts got;

        ASSERT_TRUE(begin(1, 0));
        make_narrow();
        machine.classes[0][0].values[0] = 0;
        plan = core_plan(1, 1);
        plan_assign(&machine, &plan);
        plan_start(&machine);
        sim_machine_count(&machine, 0, 0, 0x100, UINT64_C(0xfffffff0));
        plan_read(&machine, plan.head.class, 0, &got);
        machine.cpus[0].late = 0x20; /* the overflow bit was 0 when the driver looked */
        plan_read(&machine, plan.head.class, 0, &got);
        EXPECT_CMP(got.head.counts[0].value, ==, UINT64_C(0x100000010));
        sim_machine_count(&machine, 0, 0, 0x100, 5);
        plan_stop(&machine);
        plan_read(&machine, plan.head.class, 0, &got);
        EXPECT_CMP(got.head.counts[0].value, ==, UINT64_C(0x100000015));
        EXPECT_INT(got.head.overflows, 1);
        sim_machine_release(&machine);
}

TEST(a_memory_controller_has_two_clocks)
{
        union plan clk, half;
        union plan_counts got;
        uint32_t unit;

        ASSERT_TRUE(begin(2, 2));
        unit = sim_machine_find_unit(&machine, "dmc-620", 1);
        clk = plan_make(plan_find_class(&machine, "dmc-620", "dmc_clk"), 3, 2);
        half = plan_make(plan_find_class(&machine, "dmc-620", "dmc_clkdiv2"), 2, 8);
        for (uint32_t i = 0; i < 3; i++)
                clk.head.slots[i].code = i;
        half.head.slots[0].code = 0x12;
        half.head.slots[1].code = 1;
        plan_add_unit(&clk.head.units, 1);
        plan_add_unit(&half.head.units, 1);
        ASSERT_TRUE(plan_assign(&machine, &clk) == REQUEST_OK && plan_assign(&machine, &half) == REQUEST_OK);
        sim_image_take(&before, &machine);
        plan_start(&machine);
        for (int ms = 0; ms < 20; ms++) {
                sim_machine_count(&machine, unit, 0, 1, 3);
                sim_machine_count(&machine, unit, 0, 2, 4);
                sim_machine_count(&machine, unit, 1, 0x12, 0x18000000); /* wraps in the second window */
                sim_machine_count(&machine, unit, 1, 1, 9);
                sim_machine_pass(&machine, MS);
        }
        plan_stop(&machine);
        EXPECT_TRUE(sim_image_is_same(&before, &machine));
        plan_read(&machine, clk.head.class, 1, &got);
        EXPECT_INT(got.head.counts[1].value, 30); /* 10 ms in the first window */
        EXPECT_INT(got.head.counts[2].value, 40);
        plan_read(&machine, half.head.class, 1, &got);
        EXPECT_CMP(got.head.counts[0].value, ==, UINT64_C(0x18000000) * 20);
        EXPECT_INT(got.head.counts[1].value, 180);
        EXPECT_INT(plan_read(&machine, clk.head.class, 0, &got), REQUEST_OK);
        EXPECT_INT(got.head.n, 0); /* nothing was assigned to the first controller */
        sim_machine_release(&machine);
}

TEST(counters_of_others_are_left_alone)
{
        static const uint32_t wanted[] = {1, 3, 5};
        union plan plan;
        union plan_counts got;

        ASSERT_TRUE(begin(1, 0));
        driver_free(machine.driver);
        machine.units[0].free_counters = 0x2a;
        machine.driver = driver_new(&machine.hw);
        machine.driver->owner = &plan_owner;
        machine.classes[0][0].enabled = 1 << 2; /* somebody's */
        plan = core_plan(3, 4);
        EXPECT_INT(plan_assign(&machine, &plan), REQUEST_ROOM);
        plan = core_plan(3, 3);
        EXPECT_INT(plan_assign(&machine, &plan), REQUEST_OK);
        plan_start(&machine);
        for (uint32_t i = 0; i < 3; i++) {
                EXPECT_INT(machine.classes[0][0].events[wanted[i]], 0x100 + i);
                sim_machine_count(&machine, 0, 0, 0x100 + i, i + 10);
        }
        plan_stop(&machine);
        plan_read(&machine, plan.head.class, 0, &got);
        for (uint32_t i = 0; i < 3; i++)
                EXPECT_INT(got.head.counts[i].value, i + 10);
        EXPECT_INT(machine.classes[0][0].enabled, 1 << 2);
        sim_machine_release(&machine);
}

TEST(kernel_and_user_can_be_excluded)
{
        union plan plan;
        union plan_counts got;

        ASSERT_TRUE(begin(1, 0));
        plan = core_plan(2, 2);
        plan.head.slots[0] = plan.head.slots[1] = (struct abi_slot){0x8, ABI_EXCLUDE_KERNEL};
        plan.head.slots[1].flags = ABI_EXCLUDE_USER;
        plan.head.cycles_flags = ABI_EXCLUDE_KERNEL;
        plan_assign(&machine, &plan);
        plan_start(&machine);
        sim_machine_count(&machine, 0, 0, 8, 3);
        sim_machine_cycle(&machine, 0, 0, 3);
        machine.cpus[0].frame.user = true;
        sim_machine_count(&machine, 0, 0, 8, 40);
        sim_machine_cycle(&machine, 0, 0, 40);
        plan_stop(&machine);
        plan_read(&machine, plan.head.class, 0, &got);
        EXPECT_INT(got.head.counts[0].value, 40);
        EXPECT_INT(got.head.counts[1].value, 3);
        EXPECT_INT(got.head.cycles, 40);
        sim_machine_release(&machine);
}

TEST(a_hundred_and_twenty_eight_cpus)
{
        union plan plan;
        union plan_counts got;

        ASSERT_TRUE(begin(128, 0));
        plan = core_plan(7, 6);
        for (uint32_t i = 0; i < 128; i++)
                plan_add_unit(&plan.head.units, i);
        ASSERT_CMP(plan_assign(&machine, &plan), ==, REQUEST_OK);
        plan_start(&machine);
        for (int ms = 0; ms < 20; ms++) {
                for (uint32_t cpu = 0; cpu < 128; cpu++) {
                        sim_machine_count(&machine, cpu, 0, 0x100, cpu);
                        sim_machine_count(&machine, cpu, 0, 0x106, 2 * cpu);
                }
                sim_machine_pass(&machine, MS);
        }
        plan_stop(&machine);
        for (uint32_t cpu = 0; cpu < 128; cpu++) {
                plan_read(&machine, plan.head.class, cpu, &got);
                EXPECT_INT(got.head.counts[0].value, 10 * cpu);
                EXPECT_INT(got.head.counts[6].value, 20 * cpu);
        }
        plan_add_unit(&plan.head.units, 128);
        EXPECT_INT(plan_assign(&machine, &plan), REQUEST_VALUE);
        sim_machine_release(&machine);
}

/* Counts every event of a class, in windows, while each happens as often as its block's description says. */
static void check_class(const char *block, const char *name)
{
        union plan plan = plan_make(plan_find_class(&machine, block, name), 0, 0);
        const struct driver_class *class = &machine.driver->classes[plan.head.class];
        uint32_t unit = sim_machine_find_unit(&machine, block, 0), class_number = 0;
        union plan_counts got;
        const struct block_rate *rates[ABI_SLOTS_MAX];

        for (uint32_t i = 0; i < block_rates_n; i++) {
                if (strcmp(block_rates[i].block, block) || strcmp(block_rates[i].class, name))
                        continue;
                rates[plan.head.n_slots] = &block_rates[i];
                plan.head.slots[plan.head.n_slots++].code = block_rates[i].code;
        }
        while (&class->block->classes[class_number] != class->class)
                class_number++;
        plan.head.window = class->sets[0].n_counters;
        plan.head.period_ms = 2;
        plan_add_unit(&plan.head.units, 0);
        ASSERT_CMP(plan_assign(&machine, &plan), ==, REQUEST_OK);
        plan_start(&machine);
        for (int ms = 0; ms < 100; ms++) {
                for (uint32_t i = 0; i < plan.head.n_slots; i++)
                        sim_machine_count(&machine, unit, class_number, rates[i]->code, rates[i]->rate);
                sim_machine_pass(&machine, MS);
        }
        plan_stop(&machine);
        plan_read(&machine, plan.head.class, 0, &got);
        for (uint32_t i = 0; i < plan.head.n_slots; i++) {
                EXPECT_CMP(got.head.counts[i].running_ns, >, 0);
                EXPECT_CMP(got.head.counts[i].value, ==, got.head.counts[i].running_ns / MS * rates[i]->rate);
        }
        plan.head.n_slots = 0;
        EXPECT_INT(plan_assign(&machine, &plan), REQUEST_OK);
}

TEST(every_event_of_every_block_counts_what_its_description_says)
{
        ASSERT_TRUE(begin(2, 1));
        for (uint32_t b = 0; b < block_all_n; b++) {
                for (uint32_t c = 0; c < block_all[b].n_classes; c++)
                        check_class(block_all[b].name, block_all[b].classes[c].name);
        }
        sim_machine_release(&machine);
}

TEST(counts_go_on_after_a_pause)
{
        union plan plan;
        union plan_counts got;
        struct abi_start keep = {.keep = 1};

        ASSERT_TRUE(begin(1, 0));
        plan = core_plan(1, 1);
        plan_assign(&machine, &plan);
        for (int run = 0; run < 3; run++) {
                EXPECT_INT(sim_machine_request(&machine, &plan_owner, ABI_REQUEST_START, &keep, sizeof(keep),
                                               NULL, 0),
                           REQUEST_OK);
                sim_machine_count(&machine, 0, 0, 0x100, 5);
                plan_stop(&machine);
                sim_machine_count(&machine, 0, 0, 0x100, 1000);
        }
        plan_read(&machine, plan.head.class, 0, &got);
        EXPECT_INT(got.head.counts[0].value, 15);
        plan_start(&machine);
        plan_read(&machine, plan.head.class, 0, &got);
        EXPECT_INT(got.head.counts[0].value, 0);
        sim_machine_release(&machine);
}

TAP_MAIN
