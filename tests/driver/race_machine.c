/* SPDX-License-Identifier: BSD-3-Clause */
/* driver/core on a machine of 16 CPUs that all run at the same time: each counts, samples and is
 * interrupted at random moments, timers tick, and a program measures, reads and dies. Built with
 * -fsanitize=thread; race.sh runs it.
 *
 * race_machine [SECONDS [SEED]] */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "plans.h"

enum { CPUS = 16, SLOTS = 4, PERIOD = 1000, CHAIN = 8 };

static struct sim_machine machine;
static _Atomic bool is_over;
static _Atomic uint64_t n_runs, n_samples, n_spe_bytes;
static unsigned seed = 1;
static unsigned run_seconds = 10;

static const int second_owner = 2;

/* --- the machine's side --- */

static void step_cpu(uint32_t cpu, unsigned *state)
{
        struct sim_cpu *c = &machine.cpus[cpu];

        sim_lock_take(c->lock);
        c->frame = (struct driver_frame){
                .pc = cpu, .lr = 1, .fp = 8 * SIM_STACK_WORDS, .tid = cpu, .user = true};
        c->hold = rand_r(state) % 4 == 0;
        sim_machine_deliver(&machine, cpu);
        for (uint32_t i = 0; i < SLOTS; i++)
                sim_machine_count(&machine, cpu, 0, 0x100 + i, (unsigned)rand_r(state) % 3000);
        sim_machine_cycle(&machine, cpu, 0, 1000);
        sim_machine_count(&machine, cpu, 0, 0x8, (unsigned)rand_r(state) % 1500);
        sim_machine_sample(&machine, cpu, (unsigned)rand_r(state) % 50);
        c->hold = false;
        sim_machine_deliver(&machine, cpu);
        sim_lock_release(c->lock);
}

static void *run_cpu(void *arg)
{
        uint32_t cpu = (uint32_t)(uintptr_t)arg;
        unsigned state = seed + cpu;

        while (!atomic_load(&is_over)) {
                step_cpu(cpu, &state);
                if (rand_r(&state) % 16 == 0)
                        sched_yield();
        }
        return NULL;
}

static void *run_timers(void *arg)
{
        unsigned state = seed + 100;

        (void)arg;
        while (!atomic_load(&is_over)) {
                atomic_fetch_add(&machine.now_ns, 1000000);
                sim_machine_tick(&machine, (unsigned)rand_r(&state) % CPUS);
        }
        return NULL;
}

/* --- the program's side --- */

static bool has_failed;

static void expect(bool good, const char *what, uint32_t cpu, uint64_t got, uint64_t want)
{
        if (good)
                return;
        has_failed = true;
        printf("# %s of CPU %u: %llu, want %llu\n", what, cpu, (unsigned long long)got,
               (unsigned long long)want);
}

static void set_up(void)
{
        union {
                struct abi_sources head;
                unsigned char bytes[sizeof(struct abi_sources) + sizeof(struct abi_source)];
        } sources;
        struct abi_spe spe = {.flags = ABI_SPE_LOADS, .period = 1024};
        union plan plan = plan_make(plan_find_class(&machine, "core-pmuv3", "core"), SLOTS, SLOTS);

        memset(&sources, 0, sizeof(sources));
        sources.head.n = 1;
        sources.head.chain_max = CHAIN;
        sources.head.sources[0] = (struct abi_source){.code = 0x8, .period = PERIOD};
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
                plan_add_unit(&plan.head.units, cpu);
                plan_add_unit(&sources.head.cpus, cpu);
                plan_add_unit(&spe.cpus, cpu);
                sim_lock_take(machine.cpus[cpu].lock);
                memset(machine.classes[cpu][0].counted, 0, sizeof(machine.classes[cpu][0].counted));
                sim_lock_release(machine.cpus[cpu].lock);
        }
        for (uint32_t i = 0; i < SLOTS; i++)
                plan.head.slots[i].code = 0x100 + i;
        expect(plan_assign(&machine, &plan) == REQUEST_OK, "assign", 0, 1, 0);
        expect(sim_machine_request(&machine, &plan_owner, ABI_REQUEST_SET_SOURCES, &sources, sizeof(sources),
                                   NULL, 0) == REQUEST_OK,
               "sources", 0, 1, 0);
        expect(sim_machine_request(&machine, &plan_owner, ABI_REQUEST_SET_SPE, &spe, sizeof(spe), NULL, 0) ==
                       REQUEST_OK,
               "SPE", 0, 1, 0);
}

static union {
        struct abi_samples head;
        struct abi_spe_data spe;
        unsigned char bytes[1 << 17];
} answer;

/* Reads the samples of a CPU; returns how many there were. */
static uint64_t read_samples(uint32_t cpu)
{
        struct abi_read in = {.unit = cpu};
        uint64_t n = 0;

        sim_machine_request(&machine, &plan_owner, ABI_REQUEST_READ_SAMPLES, &in, sizeof(in), &answer,
                            sizeof(answer));
        for (uint32_t at = 0; at < answer.head.bytes; n++) {
                const struct abi_sample *s = (const void *)(answer.bytes + sizeof(answer.head) + at);

                expect(s->cpu == cpu && s->pc == cpu && s->n_chain <= CHAIN, "sample", cpu, s->pc, cpu);
                at += s->bytes;
        }
        return n;
}

/* The records are whole, and of operations one after the other; a full buffer leaves some out. */
static void read_spe(uint32_t cpu)
{
        static uint64_t last[CPUS];
        struct abi_read in = {.unit = cpu};
        size_t room = sizeof(answer) - sizeof(answer.spe);

        room -= room % SIM_SPE_RECORD_BYTES;
        if (sim_machine_request(&machine, &plan_owner, ABI_REQUEST_READ_SPE, &in, sizeof(in), &answer,
                                sizeof(answer.spe) + room) != REQUEST_OK)
                return;
        atomic_fetch_add(&n_spe_bytes, answer.spe.bytes);
        for (uint32_t at = 0; at + SIM_SPE_RECORD_BYTES <= answer.spe.bytes; at += SIM_SPE_RECORD_BYTES) {
                uint64_t number = sim_spe_number(answer.bytes + sizeof(answer.spe) + at);

                if (!number)
                        continue;
                expect(number > last[cpu] && sim_spe_operation(number).type == SIM_SPE_LOAD, "SPE record",
                       cpu, number, last[cpu] + 1);
                last[cpu] = number;
        }
}

static void read_all(uint64_t *taken)
{
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
                union plan_counts counts;

                taken[cpu] += read_samples(cpu);
                read_spe(cpu);
                plan_read(&machine, plan_find_class(&machine, "core-pmuv3", "core"), cpu, &counts);
        }
}

/* After the stop, counts are what the counters have counted, and no sample is unaccounted for. */
static void check_totals(uint64_t *taken)
{
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
                union plan_counts counts;
                uint64_t n;

                plan_read(&machine, plan_find_class(&machine, "core-pmuv3", "core"), cpu, &counts);
                for (uint32_t i = 0; i < SLOTS; i++)
                        expect(counts.head.counts[i].value == machine.classes[cpu][0].counted[i], "count",
                               cpu, counts.head.counts[i].value, machine.classes[cpu][0].counted[i]);
                do {
                        n = read_samples(cpu);
                        taken[cpu] += n;
                } while (n);
                expect(taken[cpu] + answer.head.dropped == answer.head.generated, "samples", cpu,
                       taken[cpu] + answer.head.dropped, answer.head.generated);
                /* The source has the last of the six counters. */
                expect(answer.head.generated == machine.classes[cpu][0].counted[5] / PERIOD, "periods", cpu,
                       answer.head.generated, machine.classes[cpu][0].counted[5] / PERIOD);
                expect(!machine.cpus[cpu].n_foreign, "interrupts of nobody", cpu, machine.cpus[cpu].n_foreign,
                       0);
                atomic_fetch_add(&n_samples, taken[cpu]);
        }
}

static void measure(unsigned *state)
{
        uint64_t taken[CPUS] = {0};
        enum abi_lock_status status;
        unsigned end = (unsigned)rand_r(state) % 4;

        expect(plan_lock(&machine, &plan_owner, true, &status) == REQUEST_OK && status == ABI_LOCKED, "lock",
               0, 1, 0);
        set_up();
        plan_start(&machine);
        for (unsigned i = (unsigned)rand_r(state) % 20; i; i--) {
                usleep(2000); /* the CPUs' turn, if there are fewer real ones */
                read_all(taken);
        }
        if (end == 0) {
                driver_release(machine.driver, &plan_owner); /* the program dies */
                return;
        }
        if (end == 1) {
                plan_lock(&machine, &second_owner, true, &status);
                return;
        }
        plan_stop(&machine);
        check_totals(taken);
        atomic_fetch_add(&n_runs, 1);
}

TEST(sixteen_cpus_at_once)
{
        pthread_t cpus[CPUS], timers;
        time_t end;
        unsigned state = seed + 200;

        sim_machine_init(&machine, CPUS, 1, true);
        for (uint32_t i = 0; i < 20; i++) {
                machine.stack[2 * i] = 8 * (SIM_STACK_WORDS + 2 * (i + 1));
                machine.stack[2 * i + 1] = 0x4000 + i;
        }
        for (uint32_t i = 0; i < CPUS; i++)
                ASSERT_TRUE(!pthread_create(&cpus[i], NULL, run_cpu, (void *)(uintptr_t)i));
        ASSERT_TRUE(!pthread_create(&timers, NULL, run_timers, NULL));
        end = time(NULL) + (time_t)run_seconds;
        /* Three runs and some samples at least, however slow the machine is. */
        while (!has_failed &&
               (time(NULL) < end || ((n_runs < 3 || !n_samples || !n_spe_bytes) && time(NULL) < end + 600)))
                measure(&state);
        atomic_store(&is_over, true);
        for (uint32_t i = 0; i < CPUS; i++)
                pthread_join(cpus[i], NULL);
        pthread_join(timers, NULL);
        EXPECT_TRUE(!has_failed && n_samples > 0 && n_spe_bytes > 0);
        printf("# %llu runs, %llu samples, %llu bytes of SPE\n", (unsigned long long)n_runs,
               (unsigned long long)n_samples, (unsigned long long)n_spe_bytes);
        sim_machine_release(&machine);
}

int main(int argc, char **argv)
{
        run_seconds = argc > 1 ? (unsigned)atoi(argv[1]) : run_seconds;
        seed = argc > 2 ? (unsigned)atoi(argv[2]) : seed;
        return tap_run_all();
}
