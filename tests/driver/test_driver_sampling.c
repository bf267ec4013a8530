/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "plans.h"

static struct sim_machine machine;

union source_list {
        struct abi_sources head;
        unsigned char bytes[sizeof(struct abi_sources) + ABI_SOURCES_MAX * sizeof(struct abi_source)];
};

union sample_batch {
        struct abi_samples head;
        unsigned char bytes[1 << 16];
};

static union source_list source_list_of(uint32_t n, const struct abi_source *sources, uint32_t chain_max)
{
        union source_list list;

        memset(&list, 0, sizeof(list));
        list.head.n = n;
        list.head.chain_max = chain_max;
        plan_add_unit(&list.head.cpus, 0);
        for (uint32_t i = 0; i < n; i++)
                list.head.sources[i] = sources[i];
        return list;
}

static enum request_status set_sources(union source_list *list)
{
        return sim_machine_request(&machine, &plan_owner, ABI_REQUEST_SET_SOURCES, list,
                                   sizeof(list->head) + list->head.n * sizeof(struct abi_source), NULL, 0);
}

static enum request_status read_samples(uint32_t cpu, union sample_batch *batch, size_t room)
{
        struct abi_read in = {.unit = cpu};

        return sim_machine_request(&machine, &plan_owner, ABI_REQUEST_READ_SAMPLES, &in, sizeof(in), batch,
                                   room);
}

/* The next sample of a batch; `at` is 0 before the first. NULL after the last. */
static const struct abi_sample *next_sample(const union sample_batch *batch, uint32_t *at)
{
        const struct abi_sample *sample = (const void *)(batch->bytes + sizeof(batch->head) + *at);

        if (*at >= batch->head.bytes)
                return NULL;
        *at += sample->bytes;
        return sample;
}

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
        ASSERT_TRUE(set_sources(&list) == REQUEST_OK && plan_start(&machine) == REQUEST_OK);
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
        EXPECT_INT(read_samples(0, &got, sizeof(got)), REQUEST_OK);
        EXPECT_INT(got.head.generated, 2);
        EXPECT_INT(got.head.dropped, 0);
        sample = next_sample(&got, &at);
        ASSERT_TRUE(sample);
        EXPECT_TRUE(sample->pc == 0x1000 && sample->lr == 0x2000 && sample->pid == 7 && sample->tid == 8);
        EXPECT_TRUE(sample->time_ns == 55 && !sample->cpu && sample->flags == ABI_SAMPLE_USER &&
                    !sample->n_chain);
        sample = next_sample(&got, &at);
        EXPECT_TRUE(sample && sample->pc == 0x1004 && !sample->flags);
        EXPECT_TRUE(!next_sample(&got, &at));
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
        ASSERT_TRUE(set_sources(&list) == REQUEST_OK && plan_start(&machine) == REQUEST_OK);
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
                read_samples(0, &got, sizeof(got));
                for (uint32_t at = 0; (sample = next_sample(&got, &at)); samples++)
                        missed += sample->missed;
        }
        machine.cpus[0].hold = false;
        sim_machine_deliver(&machine, 0);
        plan_stop(&machine);
        read_samples(0, &got, sizeof(got));
        for (uint32_t at = 0; (sample = next_sample(&got, &at)); samples++)
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
        EXPECT_TRUE(capacity > 4000);
        list = source_list_of(1, &source, 0);
        ASSERT_TRUE(set_sources(&list) == REQUEST_OK && plan_start(&machine) == REQUEST_OK);
        for (int i = 0; i < 30000; i++)
                sim_machine_count(&machine, 0, 0, 0x8, 10);
        do {
                read_samples(0, &got, sizeof(got));
                for (uint32_t at = 0; next_sample(&got, &at);)
                        taken++;
        } while (got.head.bytes);
        EXPECT_INT(taken, capacity);
        EXPECT_INT(got.head.generated, 30000);
        EXPECT_INT(got.head.dropped, 30000 - capacity);
        /* The source is still armed. */
        for (int i = 0; i < 50; i++)
                sim_machine_count(&machine, 0, 0, 0x8, 10);
        read_samples(0, &got, sizeof(got));
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
        ASSERT_TRUE(set_sources(&list) == REQUEST_OK && plan_start(&machine) == REQUEST_OK);
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
        read_samples(0, &got, sizeof(got));
        sample = next_sample(&got, &at);
        ASSERT_TRUE(sample && sample->n_chain == 4);
        EXPECT_TRUE(sample->chain[0] == 0x4000 && sample->chain[3] == 0x4003);
        sample = next_sample(&got, &at);
        EXPECT_TRUE(sample && sample->n_chain == 2 && sample->chain[1] == 0x4005);
        sample = next_sample(&got, &at);
        EXPECT_TRUE(sample && sample->n_chain == 1);
        sample = next_sample(&got, &at);
        EXPECT_TRUE(sample && !sample->n_chain);
        sample = next_sample(&got, &at);
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
        EXPECT_INT(set_sources(&list),
                   REQUEST_ROOM); /* the cycle counter is free for 0x11, but none for 0x8 */
        plan.head.window = 5;
        EXPECT_INT(plan_assign(&machine, &plan), REQUEST_OK);
        EXPECT_INT(set_sources(&list), REQUEST_OK);
        plan_start(&machine);
        for (int ms = 0; ms < 40; ms++) {
                for (uint32_t i = 0; i < 6; i++)
                        sim_machine_count(&machine, 0, 0, 0x100 + i, 10);
                sim_machine_count(&machine, 0, 0, 0x8, 50);
                sim_machine_cycle(&machine, 0, 0, 300);
                sim_machine_pass(&machine, 1000000);
        }
        plan_stop(&machine);
        read_samples(0, &got, sizeof(got));
        while ((sample = next_sample(&got, &at)))
                n[sample->source]++;
        EXPECT_INT(n[0], 40 * 300 / 500);
        EXPECT_INT(n[1], 40 * 50 / 100);
        plan_read(&machine, plan.head.class, 0, &counts);
        EXPECT_INT(counts.head.cycles, 40 * 300);
        EXPECT_INT(counts.head.counts[0].value, 200);
        EXPECT_INT(counts.head.counts[5].value, 200);
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
        plan = plan_make(plan_find_class(&machine, "core-pmuv3", "core"), 8, 6);
        plan_add_unit(&plan.head.units, 0);
        ASSERT_TRUE(plan_assign(&machine, &plan) == REQUEST_OK && set_sources(&list) == REQUEST_OK);
        plan_start(&machine);
        for (int i = 0; i < 10; i++) {
                machine.cpus[0].hold = true;
                sim_machine_cycle(&machine, 0, 0, 600);
                sim_machine_tick(&machine, 0);
                machine.cpus[0].hold = false;
                sim_machine_deliver(&machine, 0);
        }
        plan_stop(&machine);
        read_samples(0, &got, sizeof(got));
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
        ASSERT_TRUE(set_sources(&list) == REQUEST_OK && plan_start(&machine) == REQUEST_OK);
        sim_machine_count(&machine, 0, 0, 0x8, 3);
        EXPECT_INT(read_samples(0, &got, sizeof(got.head) + 47), REQUEST_OK);
        EXPECT_INT(got.head.bytes, 0);
        EXPECT_INT(read_samples(0, &got, sizeof(got.head) + 2 * 48 + 47), REQUEST_OK);
        EXPECT_INT(got.head.bytes, 96);
        EXPECT_INT(read_samples(0, &got, sizeof(got)), REQUEST_OK);
        EXPECT_INT(got.head.bytes, 48);
        EXPECT_TRUE(next_sample(&got, &at));
        EXPECT_INT(read_samples(1, &got, sizeof(got)), REQUEST_NO_DEVICE);
        sim_machine_release(&machine);
}

TEST(another_owner_of_the_pmu_keeps_its_interrupts)
{
        const struct abi_source source = {.code = 0x8, .period = 100};
        union source_list list;

        ASSERT_TRUE(begin(1));
        list = source_list_of(1, &source, 0);
        ASSERT_TRUE(set_sources(&list) == REQUEST_OK && plan_start(&machine) == REQUEST_OK);
        machine.classes[0][0].overflow = 1; /* counter 0, which no source has */
        machine.classes[0][0].interrupts |= 1;
        EXPECT_TRUE(!driver_interrupt(machine.driver, 0, &machine.cpus[0].frame));
        EXPECT_INT(machine.classes[0][0].overflow, 1);
        sim_machine_release(&machine);
}

TAP_MAIN
