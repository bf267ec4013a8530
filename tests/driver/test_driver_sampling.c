/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "sources.h"

static struct sim_machine machine;

static bool begin(uint32_t n_cpus)
{
        enum abi_lock_status status;

        sim_machine_init(&machine, n_cpus, 0, false);
        return plan_lock(&machine, &plan_owner, false, &status) == REQUEST_OK && status == ABI_LOCKED;
}

TEST(samples_come_at_each_period_with_what_the_cpu_did)
{
        const struct abi_source source = {.code = 0x8, .period = 100};
        union source_list list;
        union sample_batch got;
        const struct abi_sample *sample;
        uint32_t at = 0;

        ASSERT_TRUE(begin(1));
        list = source_list_of(1, &source, 0);
        ASSERT_TRUE(source_list_set(&machine, &list) == REQUEST_OK && plan_start(&machine) == REQUEST_OK);
        machine.cpus[0].frame =
                (struct driver_frame){.pc = 0x1000, .lr = 0x2000, .pid = 7, .tid = 8, .user = true};
        sim_machine_count(&machine, 0, 0, 0x8, 99);
        EXPECT_INT(machine.cpus[0].n_interrupts, 0);
        atomic_store(&machine.now_ns, 55);
        sim_machine_count(&machine, 0, 0, 0x8, 1);
        machine.cpus[0].frame.pc = 0x1004;
        machine.cpus[0].frame.user = false;
        sim_machine_count(&machine, 0, 0, 0x8, 100);
        plan_stop(&machine);
        sim_machine_count(&machine, 0, 0, 0x8, 1000);
        EXPECT_INT(sample_batch_read(&machine, 0, &got, sizeof(got)), REQUEST_OK);
        EXPECT_INT(got.head.generated, 2);
        EXPECT_INT(got.head.dropped, 0);
        sample = sample_batch_next(&got, &at);
        ASSERT_TRUE(sample);
        EXPECT_TRUE(sample->pc == 0x1000 && sample->lr == 0x2000 && sample->pid == 7 && sample->tid == 8);
        EXPECT_TRUE(sample->time_ns == 55 && !sample->cpu && sample->flags == ABI_SAMPLE_USER &&
                    !sample->n_chain);
        sample = sample_batch_next(&got, &at);
        EXPECT_TRUE(sample && sample->pc == 0x1004 && !sample->flags);
        EXPECT_TRUE(!sample_batch_next(&got, &at));
        sim_machine_release(&machine);
}

TEST(the_mean_period_is_exact_when_interrupts_are_late)
{
        const struct abi_source source = {.code = 0x8, .period = 1000};
        union source_list list;
        union sample_batch got;
        const struct abi_sample *sample;
        uint64_t total = 0, samples = 0, missed = 0;

        srand(5);
        ASSERT_TRUE(begin(1));
        list = source_list_of(1, &source, 0);
        ASSERT_TRUE(source_list_set(&machine, &list) == REQUEST_OK && plan_start(&machine) == REQUEST_OK);
        for (int i = 0; i < 20000; i++) {
                uint64_t n = (uint64_t)rand() % 700;

                machine.cpus[0].hold = rand() % 3 == 0;
                sim_machine_deliver(&machine, 0);
                sim_machine_count(&machine, 0, 0, 0x8, n);
                total += n;
                if (i % 100)
                        continue;
                machine.cpus[0].hold = false;
                sim_machine_deliver(&machine, 0);
                sample_batch_read(&machine, 0, &got, sizeof(got));
                for (uint32_t at = 0; (sample = sample_batch_next(&got, &at)); samples++)
                        missed += sample->missed;
        }
        machine.cpus[0].hold = false;
        sim_machine_deliver(&machine, 0);
        plan_stop(&machine);
        sample_batch_read(&machine, 0, &got, sizeof(got));
        for (uint32_t at = 0; (sample = sample_batch_next(&got, &at)); samples++)
                missed += sample->missed;
        EXPECT_INT(samples + missed, total / 1000);
        EXPECT_INT(got.head.generated, total / 1000);
        EXPECT_INT(got.head.dropped, missed);
        EXPECT_TRUE(missed > 0 && missed < samples);
        EXPECT_INT(machine.cpus[0].n_foreign, 0);
        sim_machine_release(&machine);
}

TEST(a_full_ring_drops_and_counts_and_goes_on)
{
        const struct abi_source source = {.code = 0x8, .period = 10};
        union source_list list;
        union sample_batch got;
        uint64_t taken = 0, capacity = SAMPLE_RING_BYTES / sizeof(struct abi_sample);

        ASSERT_TRUE(begin(1));
        EXPECT_CMP(capacity, >, 4000);
        list = source_list_of(1, &source, 0);
        ASSERT_TRUE(source_list_set(&machine, &list) == REQUEST_OK && plan_start(&machine) == REQUEST_OK);
        for (int i = 0; i < 30000; i++)
                sim_machine_count(&machine, 0, 0, 0x8, 10);
        do {
                sample_batch_read(&machine, 0, &got, sizeof(got));
                for (uint32_t at = 0; sample_batch_next(&got, &at);)
                        taken++;
        } while (got.head.bytes);
        EXPECT_INT(taken, capacity);
        EXPECT_INT(got.head.generated, 30000);
        EXPECT_INT(got.head.dropped, 30000 - capacity);
        /* The source is still armed. */
        for (int i = 0; i < 50; i++)
                sim_machine_count(&machine, 0, 0, 0x8, 10);
        sample_batch_read(&machine, 0, &got, sizeof(got));
        EXPECT_INT(got.head.bytes, 50 * sizeof(struct abi_sample));
        EXPECT_INT(got.head.dropped, 30000 - capacity);
        sim_machine_release(&machine);
}

TEST(callers_are_walked_by_frame_pointers)
{
        const struct abi_source source = {.code = 0x8, .period = 1};
        const uint64_t base = 8 * SIM_STACK_WORDS;
        union source_list list;
        union sample_batch got;
        const struct abi_sample *sample;
        uint32_t at = 0;

        ASSERT_TRUE(begin(1));
        list = source_list_of(1, &source, 4);
        ASSERT_TRUE(source_list_set(&machine, &list) == REQUEST_OK && plan_start(&machine) == REQUEST_OK);
        for (uint32_t i = 0; i < 6; i++) {
                machine.stack[i * 4] = base + (i + 1) * 32;
                machine.stack[i * 4 + 1] = 0x4000 + i;
        }
        machine.cpus[0].frame.fp = base;
        sim_machine_count(&machine, 0, 0, 0x8, 1); /* more callers than asked for */
        machine.cpus[0].frame.fp = base + 4 * 32;
        sim_machine_count(&machine, 0, 0, 0x8, 1); /* two, then a frame without a return address */
        machine.stack[4 * 4] = base;
        sim_machine_count(&machine, 0, 0, 0x8, 1); /* a frame that is not above the one before */
        machine.cpus[0].frame.fp = base + 4;
        sim_machine_count(&machine, 0, 0, 0x8, 1); /* not aligned */
        machine.cpus[0].frame.fp = 0x10;
        sim_machine_count(&machine, 0, 0, 0x8, 1); /* not readable */
        sample_batch_read(&machine, 0, &got, sizeof(got));
        sample = sample_batch_next(&got, &at);
        ASSERT_TRUE(sample && sample->n_chain == 4);
        EXPECT_TRUE(sample->chain[0] == 0x4000 && sample->chain[3] == 0x4003);
        sample = sample_batch_next(&got, &at);
        EXPECT_TRUE(sample && sample->n_chain == 2 && sample->chain[1] == 0x4005);
        sample = sample_batch_next(&got, &at);
        EXPECT_TRUE(sample && sample->n_chain == 1);
        sample = sample_batch_next(&got, &at);
        EXPECT_TRUE(sample && !sample->n_chain);
        sample = sample_batch_next(&got, &at);
        EXPECT_TRUE(sample && !sample->n_chain);
        sim_machine_release(&machine);
}

TEST(sources_and_a_plan_share_the_counters)
{
        const struct abi_source sources[] = {{.code = 0x11, .period = 500}, {.code = 0x8, .period = 100}};
        union source_list list;
        union plan plan;
        union plan_counts counts;
        union sample_batch got;
        const struct abi_sample *sample;
        uint32_t at = 0, n[2] = {0};

        ASSERT_TRUE(begin(1));
        list = source_list_of(2, sources, 0);
        plan = plan_make(0, 6, 6);
        for (uint32_t i = 0; i < 6; i++)
                plan.head.slots[i].code = 0x100 + i;
        plan_add_unit(&plan.head.units, 0);
        plan.head.class = plan_find_class(&machine, "core-pmuv3", "core");
        EXPECT_INT(plan_assign(&machine, &plan), REQUEST_OK);
        EXPECT_INT(source_list_set(&machine, &list),
                   REQUEST_ROOM); /* the cycle counter is not free for 0x11: programs read it */
        plan.head.window = 5;
        EXPECT_INT(plan_assign(&machine, &plan), REQUEST_OK);
        EXPECT_INT(source_list_set(&machine, &list), REQUEST_ROOM);
        plan.head.window = 4;
        EXPECT_INT(plan_assign(&machine, &plan), REQUEST_OK);
        EXPECT_INT(source_list_set(&machine, &list), REQUEST_OK);
        plan_start(&machine);
        for (int ms = 0; ms < 40; ms++) {
                for (uint32_t i = 0; i < 6; i++)
                        sim_machine_count(&machine, 0, 0, 0x100 + i, 10);
                sim_machine_count(&machine, 0, 0, 0x8, 50);
                sim_machine_cycle(&machine, 0, 0, 300);
                sim_machine_pass(&machine, 1000000);
        }
        plan_stop(&machine);
        sample_batch_read(&machine, 0, &got, sizeof(got));
        while ((sample = sample_batch_next(&got, &at)))
                n[sample->source]++;
        EXPECT_INT(n[0], 40 * 300 / 500);
        EXPECT_INT(n[1], 40 * 50 / 100);
        plan_read(&machine, plan.head.class, 0, &counts);
        EXPECT_INT(counts.head.cycles, 40 * 300);
        EXPECT_INT(counts.head.counts[0].value, 200);
        EXPECT_INT(counts.head.counts[5].value, 200);
        EXPECT_INT(machine.classes[0][0].cycles, UINT64_C(0xfedcba9876543210) + 40 * 300);
        sim_machine_release(&machine);
}

TEST(a_tick_leaves_a_pending_interrupt_alone)
{
        const struct abi_source source = {.code = 0x11, .period = 500};
        union source_list list;
        union plan plan;
        union plan_counts counts;
        union sample_batch got;

        ASSERT_TRUE(begin(1));
        list = source_list_of(1, &source, 0);
        plan = plan_make(plan_find_class(&machine, "core-pmuv3", "core"), 8, 5);
        plan_add_unit(&plan.head.units, 0);
        ASSERT_TRUE(plan_assign(&machine, &plan) == REQUEST_OK &&
                    source_list_set(&machine, &list) == REQUEST_OK);
        plan_start(&machine);
        for (int i = 0; i < 10; i++) {
                machine.cpus[0].hold = true;
                sim_machine_cycle(&machine, 0, 0, 600);
                sim_machine_tick(&machine, 0);
                machine.cpus[0].hold = false;
                sim_machine_deliver(&machine, 0);
        }
        plan_stop(&machine);
        sample_batch_read(&machine, 0, &got, sizeof(got));
        EXPECT_INT(got.head.generated, 10 * 600 / 500);
        plan_read(&machine, plan.head.class, 0, &counts);
        EXPECT_INT(counts.head.cycles, 10 * 600);
        sim_machine_release(&machine);
}

TEST(samples_are_read_whole_in_any_room)
{
        const struct abi_source source = {.code = 0x8, .period = 1};
        union source_list list;
        union sample_batch got;
        uint32_t at = 0;

        ASSERT_TRUE(begin(1));
        list = source_list_of(1, &source, 0);
        ASSERT_TRUE(source_list_set(&machine, &list) == REQUEST_OK && plan_start(&machine) == REQUEST_OK);
        sim_machine_count(&machine, 0, 0, 0x8, 3);
        EXPECT_INT(sample_batch_read(&machine, 0, &got, sizeof(got.head) + 47), REQUEST_OK);
        EXPECT_INT(got.head.bytes, 0);
        EXPECT_INT(sample_batch_read(&machine, 0, &got, sizeof(got.head) + 2 * 48 + 47), REQUEST_OK);
        EXPECT_INT(got.head.bytes, 96);
        EXPECT_INT(sample_batch_read(&machine, 0, &got, sizeof(got)), REQUEST_OK);
        EXPECT_INT(got.head.bytes, 48);
        EXPECT_TRUE(sample_batch_next(&got, &at));
        EXPECT_INT(sample_batch_read(&machine, 1, &got, sizeof(got)), REQUEST_NO_DEVICE);
        sim_machine_release(&machine);
}

TEST(another_owner_of_the_pmu_keeps_its_interrupts)
{
        const struct abi_source source = {.code = 0x8, .period = 100};
        union source_list list;

        ASSERT_TRUE(begin(1));
        list = source_list_of(1, &source, 0);
        ASSERT_TRUE(source_list_set(&machine, &list) == REQUEST_OK && plan_start(&machine) == REQUEST_OK);
        machine.classes[0][0].overflow = 1; /* counter 0, which no source has */
        machine.classes[0][0].interrupts |= 1;
        EXPECT_TRUE(!driver_interrupt(machine.driver, 0, &machine.cpus[0].frame));
        EXPECT_INT(machine.classes[0][0].overflow, 1);
        sim_machine_release(&machine);
}

TAP_MAIN
