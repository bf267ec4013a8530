/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver beside another program that uses the PMU: with counters that Windows reserved for it, and
 * interrupts. */
#include <stdlib.h>

#include "plans.h"
#include "sources.h"

enum { CPUS = 2, COUNTERS = 6, INSTRUCTIONS = 0x8, FOREIGN = 0x200, PERIOD = 1000, FIRST_EVENT = 0x100 };

#define CYCLES_BIT (UINT64_C(1) << 31)
#define ALL        ((1u << COUNTERS) - 1)

static struct sim_machine machine;

static void begin(uint32_t free_counters)
{
        enum abi_lock_status status;

        sim_machine_make(&machine, CPUS, 0, true);
        for (uint32_t i = 0; i < CPUS; i++)
                machine.units[i].free_counters = free_counters;
        machine.driver = driver_new(&machine.hw);
        plan_lock(&machine, &plan_owner, false, &status);
}

static union source_list one_source(void)
{
        const struct abi_source source = {.code = INSTRUCTIONS, .period = 100};

        return source_list_of(1, &source, 0);
}

static union plan some_plan(uint32_t n)
{
        union plan plan = plan_make(plan_find_class(&machine, "core-pmuv3", "core"), n, n);

        plan_add_unit(&plan.head.units, 0);
        for (uint32_t i = 0; i < n; i++)
                plan.head.slots[i].code = FIRST_EVENT + i;
        return plan;
}

TEST(opening_and_counting_take_no_interrupt)
{
        union plan plan;

        begin(ALL);
        plan = some_plan(3);
        EXPECT_TRUE(plan_assign(&machine, &plan) == REQUEST_OK && plan_start(&machine) == REQUEST_OK);
        EXPECT_INT(machine.classes[0][0].interrupts, 0);
        plan_stop(&machine);
        EXPECT_INT(machine.n_taken, 0);
        EXPECT_INT(machine.n_given, 0);
        sim_machine_release(&machine);
}

TEST(sampling_takes_the_interrupt_and_gives_it_back)
{
        union source_list list = one_source();

        begin(ALL);
        EXPECT_INT(source_list_set(&machine, &list), REQUEST_OK);
        EXPECT_INT(machine.n_taken, 0);
        EXPECT_INT(plan_start(&machine), REQUEST_OK);
        EXPECT_TRUE(machine.n_taken == 1 && machine.handler == machine.driver);
        plan_stop(&machine);
        EXPECT_TRUE(machine.n_given == 1 && !machine.handler);
        plan_start(&machine);
        driver_release(machine.driver, &plan_owner); /* the program dies */
        EXPECT_TRUE(machine.n_taken == 2 && machine.n_given == 2);
        machine.refuses_interrupts = true;
        plan_lock(&machine, &plan_owner, false, &(enum abi_lock_status){0});
        EXPECT_INT(source_list_set(&machine, &list), REQUEST_OK);
        EXPECT_INT(plan_start(&machine), REQUEST_TAKEN);
        EXPECT_TRUE(!machine.driver->running);
        sim_machine_release(&machine);
}

TEST(without_a_free_counter_no_handler_is_set)
{
        union source_list list = one_source();

        begin(0);
        EXPECT_INT(source_list_set(&machine, &list), REQUEST_ROOM);
        EXPECT_INT(plan_start(&machine), REQUEST_OK);
        plan_stop(&machine);
        sim_machine_release(&machine);
        EXPECT_INT(machine.n_taken, 0);
        EXPECT_INT(machine.n_given, 0);
}

TEST(who_samples_already_keeps_the_interrupts)
{
        union source_list list = one_source();
        struct sim_class *pmu = &machine.classes[1][0]; /* of another CPU than the driver's */

        for (uint64_t bit = 1; bit; bit = bit == 1 ? CYCLES_BIT : 0) {
                begin(ALL & ~1u);
                pmu->interrupts |= bit;
                EXPECT_INT(source_list_set(&machine, &list), REQUEST_OK);
                EXPECT_INT(plan_start(&machine), REQUEST_TAKEN);
                EXPECT_TRUE(!machine.n_taken && !machine.driver->running);
                pmu->interrupts &= ~bit;
                EXPECT_INT(plan_start(&machine), REQUEST_OK);
                sim_machine_release(&machine);
        }
}

/* An SPE buffer that is on belongs to another driver. */
TEST(who_uses_spe_keeps_it)
{
        struct abi_spe spe = {.period = 1024, .cpus.bits[0] = 1};

        begin(ALL);
        machine.cpus[0].spe[HW_PMBLIMITR] = 0x10001;
        EXPECT_INT(
                sim_machine_request(&machine, &plan_owner, ABI_REQUEST_SET_SPE, &spe, sizeof(spe), NULL, 0),
                REQUEST_OK);
        EXPECT_INT(plan_start(&machine), REQUEST_TAKEN);
        EXPECT_INT(machine.cpus[0].spe[HW_PMBLIMITR], 0x10001);
        machine.cpus[0].spe[HW_PMBLIMITR] = 0x10000;
        EXPECT_INT(plan_start(&machine), REQUEST_OK);
        plan_stop(&machine);
        EXPECT_INT(machine.cpus[0].spe[HW_PMBLIMITR], 0x10000);
        sim_machine_release(&machine);
}

TEST(an_interrupt_of_a_cpu_that_the_driver_does_not_know)
{
        const struct driver_frame frame = {0};

        begin(ALL);
        EXPECT_TRUE(!driver_interrupt(machine.driver, CPUS, &frame));
        EXPECT_TRUE(!driver_interrupt(machine.driver, UINT32_MAX, &frame));
        EXPECT_TRUE(!driver_spe_interrupt(machine.driver, CPUS));
        driver_tick(machine.driver, CPUS);
        sim_machine_release(&machine);
}

/* --- another program --- */

/* It counts with some counters on each CPU, and samples with others, as a trace does: its handler starts
 * the period again. */
struct foreign {
        uint32_t counters, sampling; /* bits of the counters that Windows gave it, and of those that sample */
        bool runs;
        uint64_t events[CPUS];             /* that happened while it ran */
        uint64_t samples[CPUS][COUNTERS];  /* that its handler took */
        uint64_t expected[CPUS][COUNTERS]; /* values of counters that do not sample */
};

static struct foreign foreign;

static void arm(struct sim_class *pmu, uint32_t i, uint64_t beyond)
{
        pmu->values[i] = 0 - (PERIOD - beyond % PERIOD);
        if (!(pmu->control & 1 << 7))
                pmu->values[i] &= UINT32_MAX;
}

static void foreign_interrupt(struct sim_machine *m, uint32_t cpu)
{
        struct sim_class *pmu = &m->classes[cpu][0];

        for (uint32_t i = 0; i < COUNTERS; i++) {
                if (!(pmu->overflow & foreign.sampling & 1u << i))
                        continue;
                pmu->overflow &= ~(UINT64_C(1) << i);
                foreign.samples[cpu][i] += 1 + pmu->values[i] / PERIOD;
                arm(pmu, i, pmu->values[i]);
        }
}

static void foreign_begin(void)
{
        if (foreign.runs || !foreign.counters)
                return;
        foreign.sampling = (uint32_t)rand() & foreign.counters;
        memset(foreign.events, 0, sizeof(foreign.events));
        memset(foreign.samples, 0, sizeof(foreign.samples));
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
                struct sim_class *pmu = &machine.classes[cpu][0];

                for (uint32_t i = 0; i < COUNTERS; i++) {
                        if (!(foreign.counters >> i & 1))
                                continue;
                        pmu->events[i] = FOREIGN;
                        pmu->values[i] = foreign.expected[cpu][i] = (uint64_t)rand() % 1000;
                        if (foreign.sampling >> i & 1)
                                arm(pmu, i, 0);
                }
                pmu->overflow &= ~(uint64_t)foreign.counters;
                pmu->interrupts |= foreign.sampling;
                pmu->enabled |= foreign.counters;
                pmu->control |= 1;
        }
        foreign.runs = true;
}

static void expect(bool good, const char *what)
{
        if (!good)
                TAP_FAIL("%s", what);
}

/* Counts are exact at any moment; the last interrupts may still wait while the driver has them. */
static void foreign_check(void)
{
        for (uint32_t cpu = 0; foreign.runs && cpu < CPUS; cpu++) {
                const struct sim_class *pmu = &machine.classes[cpu][0];

                expect(pmu->control & 1, "all counters on");
                expect((pmu->enabled & foreign.counters) == foreign.counters, "its counters on");
                expect(machine.handler || (pmu->interrupts & foreign.sampling) == foreign.sampling,
                       "its interrupts on");
                for (uint32_t i = 0; i < COUNTERS; i++) {
                        if (!(foreign.counters >> i & 1))
                                continue;
                        expect(pmu->events[i] == FOREIGN, "its event");
                        if (!(foreign.sampling >> i & 1))
                                expect(pmu->values[i] == foreign.expected[cpu][i], "its count");
                        else if (!machine.handler)
                                expect(foreign.samples[cpu][i] == foreign.events[cpu] / PERIOD,
                                       "its samples");
                }
        }
}

static void foreign_end(void)
{
        if (machine.handler)
                return; /* its last interrupts wait */
        foreign_check();
        for (uint32_t cpu = 0; foreign.runs && cpu < CPUS; cpu++) {
                struct sim_class *pmu = &machine.classes[cpu][0];

                pmu->enabled &= ~(uint64_t)foreign.counters;
                pmu->interrupts &= ~(uint64_t)foreign.counters;
        }
        foreign.runs = false;
}

/* --- the driver's side --- */

/* Windows gives a counter to one of them at a time. */
static void driver_open(void)
{
        enum abi_lock_status status;

        if (machine.driver)
                return;
        for (uint32_t i = 0; i < CPUS; i++)
                machine.units[i].free_counters = ALL & ~foreign.counters;
        machine.driver = driver_new(&machine.hw);
        plan_lock(&machine, &plan_owner, false, &status);
}

static void driver_close(void)
{
        if (machine.driver)
                driver_free(machine.driver);
        machine.driver = NULL;
}

static void foreign_reserve(void)
{
        if (!machine.driver && !foreign.runs)
                foreign.counters = (uint32_t)rand() & ALL;
}

static void assign(void)
{
        union source_list list = one_source();
        union plan plan = some_plan(2);

        list.head.n = (uint32_t)rand() % 2;
        list.head.cpus.bits[0] = 1 + (uint64_t)rand() % 3;
        plan.head.cycles_flags = (uint32_t)rand() % 4;
        source_list_set(&machine, &list);
        if (rand() % 2)
                plan_assign(&machine, &plan);
}

/* Refused if, and only if, both would sample. */
static unsigned start(void)
{
        bool samples = false;
        enum request_status status;

        if (!machine.driver || machine.driver->running)
                return 0;
        assign();
        for (uint32_t i = 0; i < CPUS; i++)
                samples |= machine.driver->cpus[i].core->n_sources;
        status = plan_start(&machine);
        expect(status == (samples && foreign.runs && foreign.sampling ? REQUEST_TAKEN : REQUEST_OK),
               "refused only while the other one samples");
        return status == REQUEST_OK;
}

static void happen(void)
{
        uint32_t cpu = (uint32_t)rand() % CPUS;
        uint64_t n = (uint64_t)rand() % 3000, cycles = machine.classes[cpu][0].cycles;

        machine.cpus[cpu].frame.user = rand() % 2;
        if (foreign.runs) {
                foreign.events[cpu] += n;
                for (uint32_t i = 0; i < COUNTERS; i++)
                        foreign.expected[cpu][i] += n;
        }
        sim_machine_count(&machine, cpu, 0, FOREIGN, n);
        sim_machine_count(&machine, cpu, 0, INSTRUCTIONS, (uint64_t)rand() % 500);
        sim_machine_count(&machine, cpu, 0, FIRST_EVENT, (uint64_t)rand() % 500);
        sim_machine_cycle(&machine, cpu, 0, (uint64_t)rand() % 500);
        expect(machine.classes[cpu][0].cycles >= cycles, "the counter of programs never goes back");
        if (machine.driver)
                sim_machine_tick(&machine, cpu);
}

/* The counter of programs, which is on whoever measures. */
static void check_programs(void)
{
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
                const struct sim_class *pmu = &machine.classes[cpu][0];

                expect(pmu->enabled & CYCLES_BIT, "the counter of programs is on");
                expect(!machine.cpus[cpu].n_cycles_writes, "the counter of programs is not written");
                expect((machine.driver && machine.driver->running) || !pmu->cycles_filter,
                       "the filter of the counter of programs");
        }
}

static unsigned step(void)
{
        unsigned n_starts = 0;

        switch (rand() % 10) {
        case 0: driver_open(); break;
        case 1:
        case 2: n_starts = start(); break;
        case 3: driver_close(); break;
        case 4: foreign_begin(); break;
        case 5: foreign_end(); break;
        case 6: foreign_reserve(); break;
        case 7:
                if (machine.driver)
                        plan_stop(&machine);
                break;
        default: happen();
        }
        foreign_check();
        check_programs();
        return n_starts;
}

TEST(a_thousand_interleavings_with_another_user_of_the_pmu)
{
        unsigned n_starts = 0, n_gave_way = 0, n_samples = 0;

        srand(11);
        for (int i = 0; i < 1000 && !tap_failed; i++) {
                memset(&foreign, 0, sizeof(foreign));
                sim_machine_make(&machine, CPUS, 0, true);
                machine.others = foreign_interrupt;
                for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
                        machine.classes[cpu][0].interrupts = machine.classes[cpu][0].overflow = 0;
                        machine.classes[cpu][0].enabled = CYCLES_BIT;
                        machine.classes[cpu][0].control = 1 | (uint64_t)(rand() % 2) << 7;
                }
                for (int n = 0; n < 60 && !tap_failed; n++) {
                        n_starts += step();
                        n_gave_way += machine.driver && machine.driver->gave_way;
                }
                driver_close();
                n_samples += (unsigned)foreign.samples[0][0];
                foreign_check();
                EXPECT_INT(machine.n_taken, machine.n_given);
                EXPECT_INT(machine.n_storms, 0);
                if (tap_failed)
                        printf("# interleaving %d\n", i);
                sim_machine_release(&machine);
        }
        EXPECT_TRUE(n_starts > 1000 && n_gave_way && n_samples > 100);
        printf("# %u runs, %u steps after the driver gave way, %u samples of others at the end\n", n_starts,
               n_gave_way, n_samples);
}

TAP_MAIN
