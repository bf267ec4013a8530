/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver leaves the machine as it found it. */
#include <stdlib.h>

#include "plans.h"
#include "sim_image.h"
#include "sources.h"

enum { MS = 1000000, CYCLES = 0x11, INSTRUCTIONS = 0x8, FREE = 6 };

#define CYCLES_BIT     (UINT64_C(1) << 31)
#define EXCLUDE_KERNEL (UINT64_C(1) << 31)
#define E              UINT64_C(1)
#define LP             (UINT64_C(1) << 7)

static struct sim_machine machine;
static struct sim_image before;
static struct sim_class *const pmu = &machine.classes[0][0];

static void begin(uint32_t n_cpus, uint32_t n_each, bool with_spe)
{
        enum abi_lock_status status;

        sim_machine_init(&machine, n_cpus, n_each, with_spe);
        plan_lock(&machine, &plan_owner, false, &status);
}

/* A plan of `n` core events for CPU 0, without the kernel, as `stat` makes it. */
static union plan stat_plan(uint32_t n)
{
        union plan plan = plan_make(plan_find_class(&machine, "core-pmuv3", "core"), n, n);

        plan_add_unit(&plan.head.units, 0);
        plan.head.cycles_flags = ABI_EXCLUDE_KERNEL;
        for (uint32_t i = 0; i < n; i++)
                plan.head.slots[i] = (struct abi_slot){0x100 + i, ABI_EXCLUDE_KERNEL};
        return plan;
}

/* Runs a plan while 1,000 cycles pass in the kernel and 500 in a program; returns those that the driver
 * counted. */
static uint64_t run_stat(uint32_t n)
{
        union plan plan = stat_plan(n);
        union plan_counts got;

        EXPECT_INT(plan_assign(&machine, &plan), REQUEST_OK);
        EXPECT_INT(plan_start(&machine), REQUEST_OK);
        machine.cpus[0].frame.user = false;
        sim_machine_cycle(&machine, 0, 0, 1000);
        machine.cpus[0].frame.user = true;
        sim_machine_cycle(&machine, 0, 0, 500);
        EXPECT_INT(plan_stop(&machine), REQUEST_OK);
        EXPECT_INT(plan_read(&machine, plan.head.class, 0, &got), REQUEST_OK);
        return got.head.cycles;
}

TEST(stat_leaves_the_counter_of_programs_on_and_its_filter)
{
        for (uint32_t n = 1; n <= FREE; n++) {
                begin(1, 0, false);
                sim_image_take(&before, &machine);
                EXPECT_INT(run_stat(n), 500);
                EXPECT_TRUE(pmu->enabled & CYCLES_BIT && !pmu->cycles_filter);
                EXPECT_TRUE(sim_image_is_same(&before, &machine));
                sim_machine_release(&machine);
        }
}

/* As long as another counter is free, programs see no difference even while the driver measures. */
TEST(stat_does_not_touch_the_counter_of_programs_while_another_is_free)
{
        begin(1, 0, false);
        EXPECT_INT(run_stat(FREE - 1), 500);
        EXPECT_CMP(pmu->cycles, ==, UINT64_C(0xfedcba9876543210) + 1500);
        EXPECT_INT(machine.cpus[0].n_filter_writes, 0);
        EXPECT_INT(run_stat(FREE), 500);
        EXPECT_INT(machine.cpus[0].n_filter_writes, 2);
        EXPECT_CMP(pmu->cycles, ==, UINT64_C(0xfedcba9876543210) + 1500 + 500);
        EXPECT_INT(machine.cpus[0].n_cycles_writes, 0);
        sim_machine_release(&machine);
}

TEST(cycles_are_sampled_on_another_counter)
{
        const struct abi_source source = {.code = CYCLES, .period = 1000};
        union source_list list;
        union sample_batch got;

        begin(1, 0, false);
        list = source_list_of(1, &source, 0);
        sim_image_take(&before, &machine);
        EXPECT_INT(source_list_set(&machine, &list), REQUEST_OK);
        EXPECT_INT(plan_start(&machine), REQUEST_OK);
        sim_machine_cycle(&machine, 0, 0, 10500);
        EXPECT_CMP(pmu->cycles, ==, UINT64_C(0xfedcba9876543210) + 10500);
        plan_stop(&machine);
        sample_batch_read(&machine, 0, &got, sizeof(got));
        EXPECT_INT(got.head.generated, 10);
        EXPECT_INT(machine.cpus[0].n_cycles_writes, 0);
        EXPECT_INT(machine.cpus[0].n_filter_writes, 0);
        EXPECT_TRUE(sim_image_is_same(&before, &machine));
        sim_machine_release(&machine);
}

/* WindowsPerf's driver leaves LP set. */
TEST(counters_of_64_bits_sample_and_stay_so)
{
        const struct abi_source source = {.code = INSTRUCTIONS, .period = 100};
        union source_list list;
        union sample_batch got;

        for (uint64_t lp = 0; lp <= LP; lp += LP) {
                begin(1, 0, false);
                pmu->control = E | lp;
                sim_image_take(&before, &machine);
                list = source_list_of(1, &source, 0);
                EXPECT_INT(source_list_set(&machine, &list), REQUEST_OK);
                plan_start(&machine);
                EXPECT_CMP(pmu->control, ==, (E | lp));
                sim_machine_count(&machine, 0, 0, INSTRUCTIONS, 1050);
                plan_stop(&machine);
                sample_batch_read(&machine, 0, &got, sizeof(got));
                EXPECT_INT(got.head.generated, 10);
                EXPECT_TRUE(sim_image_is_same(&before, &machine));
                sim_machine_release(&machine);
        }
}

static void reserve(uint32_t free_counters)
{
        driver_free(machine.driver);
        machine.units[0].free_counters = free_counters;
        machine.driver = driver_new(&machine.hw);
        machine.driver->owner = &plan_owner;
}

/* While all counters are off, those of others do not begin to count because the driver switches all on. */
TEST(counters_that_are_off_stay_off)
{
        begin(1, 0, false);
        reserve(0x38);
        pmu->control &= ~E;
        pmu->enabled = 1 | CYCLES_BIT;
        pmu->events[0] = 0x100;
        sim_image_take(&before, &machine);
        EXPECT_INT(run_stat(2), 500);
        EXPECT_TRUE(sim_image_is_same(&before, &machine));
        EXPECT_CMP(pmu->cycles, ==, before.classes[0][0].cycles);
        sim_machine_release(&machine);
}

/* Somebody whose counters Windows gave to him begins in between. */
TEST(who_began_meanwhile_goes_on)
{
        union plan plan;

        begin(1, 0, false);
        reserve(0x38);
        pmu->control &= ~E;
        pmu->enabled = 0;
        plan = stat_plan(2);
        EXPECT_INT(plan_assign(&machine, &plan), REQUEST_OK);
        plan_start(&machine);
        pmu->events[1] = 0x200;
        pmu->values[1] = 0;
        pmu->enabled |= 2;
        pmu->control |= E;
        sim_machine_count(&machine, 0, 0, 0x200, 3);
        plan_stop(&machine);
        sim_machine_count(&machine, 0, 0, 0x200, 4);
        EXPECT_INT(pmu->values[1], 7);
        EXPECT_INT(pmu->enabled, 2);
        sim_machine_release(&machine);
}

/* Whoever was interrupted between a write of PMSELR and the register that it selects finds it as he left
 * it. */
TEST(the_selected_counter_stays)
{
        const struct abi_source source = {.code = INSTRUCTIONS, .period = 10};
        union source_list list;
        union plan plan;
        union plan_counts got;

        begin(1, 0, false);
        plan = stat_plan(4);
        plan.head.window = 3;
        list = source_list_of(1, &source, 0);
        EXPECT_TRUE(plan_assign(&machine, &plan) == REQUEST_OK &&
                    source_list_set(&machine, &list) == REQUEST_OK);
        pmu->select = 2;
        plan_start(&machine);
        EXPECT_INT(pmu->select, 2);
        sim_machine_count(&machine, 0, 0, INSTRUCTIONS, 11);
        EXPECT_INT(machine.cpus[0].n_interrupts, 1);
        EXPECT_INT(pmu->select, 2);
        sim_machine_tick(&machine, 0);
        EXPECT_INT(pmu->select, 2);
        plan_read(&machine, plan.head.class, 0, &got);
        EXPECT_INT(pmu->select, 2);
        plan_stop(&machine);
        EXPECT_INT(pmu->select, 2);
        sim_machine_release(&machine);
}

/* A CPU that idled without power counts on, and reports that it did not count all the time. */
TEST(a_time_without_power_is_no_count)
{
        const struct abi_source source = {.code = INSTRUCTIONS, .period = 100};
        union source_list list;
        union sample_batch batch;
        union plan plan;
        union plan_counts got;

        begin(1, 0, false);
        pmu->control = E;
        plan = stat_plan(2);
        list = source_list_of(1, &source, 0);
        EXPECT_TRUE(plan_assign(&machine, &plan) == REQUEST_OK &&
                    source_list_set(&machine, &list) == REQUEST_OK);
        plan_start(&machine);
        machine.cpus[0].frame.user = true;
        for (int i = 0; i < 10; i++) {
                sim_machine_count(&machine, 0, 0, 0x100, 50);
                sim_machine_count(&machine, 0, 0, INSTRUCTIONS, 100);
                if (i == 4)
                        sim_machine_lose_power(&machine, 0);
                sim_machine_pass(&machine, DRIVER_READ_MS * UINT64_C(1000000));
        }
        plan_stop(&machine);
        plan_read(&machine, plan.head.class, 0, &got);
        EXPECT_INT(got.head.counts[0].value, 450);
        EXPECT_INT(got.head.counts[0].enabled_ns, 10 * DRIVER_READ_MS * MS);
        EXPECT_INT(got.head.counts[0].running_ns, 9 * DRIVER_READ_MS * MS);
        sample_batch_read(&machine, 0, &batch, sizeof(batch));
        EXPECT_INT(batch.head.generated, 10);
        EXPECT_INT(machine.driver->cpus[0].core->n_losses, 1);
        sim_machine_release(&machine);
}

/* Without a plan, too: otherwise the CPU would take no sample until the end of the run. */
TEST(sampling_goes_on_after_a_time_without_power)
{
        const struct abi_source source = {.code = INSTRUCTIONS, .period = 100};
        union source_list list;
        union sample_batch batch;

        begin(1, 0, false);
        list = source_list_of(1, &source, 0);
        EXPECT_TRUE(source_list_set(&machine, &list) == REQUEST_OK && plan_start(&machine) == REQUEST_OK);
        sim_machine_count(&machine, 0, 0, INSTRUCTIONS, 500);
        sim_machine_lose_power(&machine, 0);
        sim_machine_pass(&machine, DRIVER_READ_MS * UINT64_C(1000000));
        sim_machine_count(&machine, 0, 0, INSTRUCTIONS, 700);
        plan_stop(&machine);
        EXPECT_INT(machine.cpus[0].timer_ms, 0);
        sample_batch_read(&machine, 0, &batch, sizeof(batch));
        EXPECT_INT(batch.head.generated, 12);
        sim_machine_release(&machine);
}

/* --- random commands --- */

static uint64_t random_bits(uint64_t mask)
{
        return ((uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand()) & mask;
}

/* Every register of every unit has some value. */
static void randomize(void)
{
        for (uint32_t i = 0; i < machine.hw.n_units; i++) {
                const struct block *block = machine.units[i].block;

                for (uint32_t c = 0; c < block->n_classes; c++) {
                        const struct block_class *class = &block->classes[c];
                        struct sim_class *s = &machine.classes[i][c];
                        uint32_t n = i < machine.hw.n_cpus ? machine.n_core_counters : class->n_counters;
                        uint64_t bits = ((UINT64_C(1) << n) - 1) |
                                        (class->cycles_bits ? UINT64_C(1) << class->cycles_bit : 0);

                        s->control = random_bits(class->run | class->wide | (class->run ? 0x78 : 0));
                        s->select = random_bits(7) % n;
                        s->enabled = random_bits(bits);
                        s->interrupts = random_bits(bits);
                        s->overflow = random_bits(bits);
                        s->cycles = random_bits(UINT64_MAX >> 1);
                        s->cycles_filter = random_bits(class->exclude_kernel | class->exclude_user);
                        for (uint32_t k = 0; k < n; k++) {
                                s->events[k] = random_bits(UINT32_MAX);
                                s->values[k] = random_bits(UINT32_MAX);
                        }
                }
        }
        for (uint32_t cpu = 0; cpu < machine.hw.n_cpus; cpu++) {
                for (uint32_t r = 0; r < HW_SPE_REGISTERS; r++)
                        machine.cpus[cpu].spe[r] = random_bits(UINT32_MAX);
                machine.cpus[cpu].spe[HW_PMBLIMITR] &= ~(rand() % 4 ? UINT64_C(1) : 0);
                machine.cpus[cpu].spe[HW_PMSCR] &=
                        ~(machine.cpus[cpu].spe[HW_PMBLIMITR] & 1 ? 0 : UINT64_C(3));
        }
}

static void random_plan(void)
{
        const uint32_t class = (uint32_t)rand() % machine.driver->n_classes;
        const struct driver_class *c = &machine.driver->classes[class];
        union plan plan = plan_make(class, (uint32_t)rand() % 9, 1 + (uint32_t)rand() % 6);

        plan_add_unit(&plan.head.units, (uint32_t)rand() % c->n_sets);
        plan.head.cycles_flags = c->class->exclude_kernel ? (uint32_t)rand() % 4 : 0;
        for (uint32_t i = 0; i < plan.head.n_slots; i++)
                plan.head.slots[i] = (struct abi_slot){(uint32_t)rand() % 16, rand() % 5 ? 0 : ABI_PADDING};
        plan_assign(&machine, &plan);
}

static void random_sources(void)
{
        const struct abi_source sources[] = {{.code = CYCLES, .period = 1 + (uint64_t)rand() % 3000},
                                             {.code = INSTRUCTIONS, .period = 1 + (uint64_t)rand() % 3000}};
        union source_list list = source_list_of((uint32_t)rand() % 3, sources, 0);

        list.head.cpus.bits[0] = 1 + (uint64_t)rand() % 3;
        source_list_set(&machine, &list);
}

static void random_spe(void)
{
        struct abi_spe spe = {
                .period = 1024, .flags = (uint32_t)rand() % 512, .events_not = (uint64_t)rand() % 2};

        spe.cpus.bits[0] = 1 + (uint64_t)rand() % 3;
        sim_machine_request(&machine, &plan_owner, ABI_REQUEST_SET_SPE, &spe, sizeof(spe), NULL, 0);
}

static void random_events(void)
{
        uint32_t unit = (uint32_t)rand() % machine.hw.n_units, cpu = machine.units[unit].cpu;
        uint32_t class = (uint32_t)rand() % machine.units[unit].block->n_classes;

        machine.cpus[cpu].frame.user = rand() % 2;
        sim_machine_count(&machine, unit, class, (uint32_t)rand() % 16, (uint64_t)rand() % 5000);
        sim_machine_cycle(&machine, unit, class, (uint64_t)rand() % 5000);
        if (machine.driver->cpus[cpu].spe.running)
                sim_machine_sample(&machine, cpu, (uint32_t)rand() % 100);
}

static unsigned run_command(void)
{
        enum abi_lock_status status;

        switch (rand() % 9) {
        case 0: random_plan(); break;
        case 1: random_sources(); break;
        case 2: random_spe(); break;
        case 3:
        case 4: return plan_start(&machine) == REQUEST_OK;
        case 5: plan_stop(&machine); break;
        case 6: sim_machine_pass(&machine, (uint64_t)rand() % (30 * MS)); break;
        case 7: random_events(); break;
        case 8:
                if (rand() % 4)
                        break;
                driver_release(machine.driver, &plan_owner);
                plan_lock(&machine, &plan_owner, false, &status);
        }
        return 0;
}

TEST(registers_are_the_same_after_fifty_random_sequences_of_commands)
{
        unsigned n_starts = 0;

        srand(7);
        for (int i = 0; i < 50; i++) {
                begin(2, 1, true);
                randomize();
                sim_image_take(&before, &machine);
                for (int n = 0; n < 60; n++)
                        n_starts += run_command();
                driver_release(machine.driver, &plan_owner);
                if (!sim_image_is_same(&before, &machine))
                        TAP_FAIL("sequence %d", i);
                sim_machine_release(&machine);
        }
        EXPECT_CMP(n_starts, >, 100);
        printf("# %u runs\n", n_starts);
}

TAP_MAIN
