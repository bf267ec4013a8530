/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts, samples and SPE data of wperf's driver in wine, on a simulated machine that dictates them. Usage:
 * test_wdm_counts DRIVER.SYS */
#include "sim_spe.h"
#include "tap.h"
#include "wdm_requests.h"

enum { CPUS = 4, CORE = 0, MS = 1000000, CYCLES_EVENT = 0x11, RECORD = SIM_SPE_RECORD_BYTES };

static volatile struct sim_shared *machine;
static HANDLE device = INVALID_HANDLE_VALUE;
static union wdm_plan plan;
static union wdm_counts got;
static union wdm_samples batch;
static union {
        struct abi_spe_data head;
        unsigned char bytes[sizeof(struct abi_spe_data) + ABI_READ_MAX_BYTES];
} spe;

static void end(void)
{
        EXPECT_TRUE(wdm_close(device));
        device = INVALID_HANDLE_VALUE;
}

/* Opens a machine whose time stands still, and takes the lock. */
static bool begin(uint32_t n_cpus)
{
        const struct sim_shared defaults = SIM_DEFAULTS;
        uint32_t status;

        if (device != INVALID_HANDLE_VALUE)
                end();
        *machine = defaults;
        machine->n_cpus = n_cpus;
        machine->runs_freely = 0;
        device = wdm_open();
        return device != INVALID_HANDLE_VALUE && !wdm_lock(device, false, &status) && status == ABI_LOCKED;
}

TEST(counts_are_those_of_the_machine)
{
        ASSERT_TRUE(begin(CPUS));
        wdm_plan_fill(&plan, CORE, CPUS, 0x70, 3, 3);
        EXPECT_INT(wdm_assign(device, &plan), 0);
        EXPECT_INT(wdm_start(device, false), 0);
        ASSERT_TRUE(wdm_machine_pass(300));
        EXPECT_INT(wdm_stop(device), 0);
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
                EXPECT_INT(wdm_read(device, CORE, cpu, &got), 0);
                EXPECT_INT(got.head.n, 3);
                EXPECT_INT(got.head.running, 0);
                EXPECT_INT(got.head.cycles, 300 * SIM_CYCLES_PER_MS);
                EXPECT_INT(got.head.enabled_ns, 300 * MS);
                for (uint32_t i = 0; i < 3; i++) {
                        EXPECT_INT(got.head.counts[i].value, 300 * SIM_RATE(0x70 + i, cpu));
                        EXPECT_INT(got.head.counts[i].running_ns, 300 * MS);
                        EXPECT_INT(got.head.counts[i].enabled_ns, 300 * MS);
                }
        }
        end();
}

TEST(windows_miss_nothing_together)
{
        enum { SLOTS = 20, WINDOW = 6, PARTS = 40, PART_MS = 25, FIRST = 0x20 };
        uint64_t sum = 0;
        bool turned = true;

        ASSERT_TRUE(begin(1));
        wdm_plan_fill(&plan, CORE, 1, FIRST, SLOTS, WINDOW);
        EXPECT_INT(wdm_assign(device, &plan), 0);
        EXPECT_INT(wdm_start(device, false), 0);
        for (int i = 0; i < PARTS; i++)
                ASSERT_TRUE(wdm_machine_pass(PART_MS)); /* the timer's period is real */
        EXPECT_INT(wdm_stop(device), 0);
        EXPECT_INT(wdm_read(device, CORE, 0, &got), 0);
        for (uint32_t i = 0; i < SLOTS; i++) {
                const struct abi_count *count = &got.head.counts[i],
                                       *first = &got.head.counts[i / WINDOW * WINDOW];
                uint64_t counted_ms = count->value / SIM_RATE(FIRST + i, 0);

                EXPECT_INT(count->value, counted_ms * SIM_RATE(FIRST + i, 0));
                EXPECT_INT(count->running_ns, counted_ms * MS);
                EXPECT_INT(count->running_ns, first->running_ns);
                turned = turned && counted_ms;
                sum += i % WINDOW ? 0 : counted_ms;
        }
        EXPECT_INT(sum, PARTS * PART_MS);
        EXPECT_INT(got.head.cycles, (uint64_t)PARTS * PART_MS * SIM_CYCLES_PER_MS);
        EXPECT_TRUE(turned && got.head.windows >= 4);
        printf("# %llu windows\n", (unsigned long long)got.head.windows);
        end();
}

TEST(each_class_of_each_block)
{
        struct abi_first first = {0};
        union {
                struct abi_blocks head;
                unsigned char
                        bytes[sizeof(struct abi_blocks) + ABI_CLASSES_PER_ANSWER * sizeof(struct abi_class)];
        } blocks;

        ASSERT_TRUE(begin(CPUS));
        EXPECT_INT(wdm_request(device, ABI_REQUEST_BLOCKS, &first, sizeof(first), &blocks, sizeof(blocks)),
                   0);
        EXPECT_TRUE(blocks.head.n == blocks.head.n_classes && blocks.head.n >= 4);
        for (uint32_t i = 0; i < blocks.head.n; i++) {
                wdm_plan_fill(&plan, i, blocks.head.classes[i].n_units, 3, 2, 2);
                EXPECT_INT(wdm_assign(device, &plan), 0);
        }
        EXPECT_INT(wdm_start(device, false), 0);
        ASSERT_TRUE(wdm_machine_pass(70));
        EXPECT_INT(wdm_stop(device), 0);
        for (uint32_t i = 0; i < blocks.head.n; i++) {
                const struct abi_class *class = &blocks.head.classes[i];

                for (uint32_t unit = 0; unit < class->n_units; unit++) {
                        EXPECT_INT(wdm_read(device, i, unit, &got), 0);
                        EXPECT_INT(got.head.counts[0].value, 70 * SIM_RATE(3, unit));
                        EXPECT_INT(got.head.counts[1].value, 70 * SIM_RATE(4, unit));
                        EXPECT_INT(got.head.cycles, class->has_cycles ? 70 * SIM_CYCLES_PER_MS : 0);
                }
        }
        end();
}

TEST(counts_are_wider_than_counters)
{
        ASSERT_TRUE(begin(CPUS));
        wdm_plan_fill(&plan, CORE, CPUS, 0xfff0, 1, 1);
        EXPECT_INT(wdm_assign(device, &plan), 0);
        EXPECT_INT(wdm_start(device, false), 0);
        /* The machine's time runs faster than the driver's timer. */
        for (int ms = 0; ms < 400; ms += 40) {
                ASSERT_TRUE(wdm_machine_pass(40));
                for (uint32_t cpu = 0; cpu < CPUS; cpu++)
                        EXPECT_INT(wdm_read(device, CORE, cpu, &got), 0);
        }
        EXPECT_INT(wdm_stop(device), 0);
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
                EXPECT_INT(wdm_read(device, CORE, cpu, &got), 0);
                EXPECT_INT(got.head.counts[0].value, 400 * SIM_RATE(0xfff0, cpu));
                EXPECT_INT(got.head.overflows, 400 * SIM_RATE(0xfff0, cpu) >> 32);
        }
        end();
}

TEST(filters_and_kept_counts)
{
        ASSERT_TRUE(begin(1));
        wdm_plan_fill(&plan, CORE, 1, 0x70, 3, 3);
        plan.head.slots[1].flags = ABI_EXCLUDE_USER;
        plan.head.slots[2].flags = ABI_EXCLUDE_KERNEL;
        EXPECT_INT(wdm_assign(device, &plan), 0);
        EXPECT_INT(wdm_start(device, false), 0);
        ASSERT_TRUE(wdm_machine_pass(10));
        EXPECT_INT(wdm_stop(device), 0);
        ASSERT_TRUE(wdm_machine_pass(1000)); /* nobody counts */
        machine->kernel = 1;
        EXPECT_INT(wdm_start(device, true), 0);
        ASSERT_TRUE(wdm_machine_pass(4));
        EXPECT_INT(wdm_read(device, CORE, 0, &got), 0);
        EXPECT_INT(got.head.running, 1);
        EXPECT_INT(got.head.counts[0].value, 14 * SIM_RATE(0x70, 0));
        EXPECT_INT(got.head.counts[1].value, 4 * SIM_RATE(0x71, 0));
        EXPECT_INT(got.head.counts[2].value, 10 * SIM_RATE(0x72, 0));
        EXPECT_INT(got.head.enabled_ns, 14 * MS);
        EXPECT_INT(wdm_stop(device), 0);
        EXPECT_INT(wdm_start(device, false), 0);
        EXPECT_INT(wdm_stop(device), 0);
        EXPECT_INT(wdm_read(device, CORE, 0, &got), 0);
        EXPECT_INT(got.head.counts[0].value, 0);
        end();
}

static union wdm_sources sources_of(uint32_t chain_max, uint32_t n_cpus, const struct abi_source *from,
                                    uint32_t n)
{
        union wdm_sources sources;

        memset(&sources, 0, sizeof(sources));
        sources.head.n = n;
        sources.head.chain_max = chain_max;
        for (uint32_t i = 0; i < n_cpus; i++)
                wdm_add(&sources.head.cpus, i);
        memcpy(sources.head.sources, from, n * sizeof(*from));
        return sources;
}

/* Reads all samples of a CPU, and counts those of each source. */
static void take_samples(uint32_t cpu, uint32_t chain, uint64_t n[2])
{
        do {
                EXPECT_INT(wdm_read_samples(device, cpu, &batch), 0);
                for (uint32_t at = 0; at < batch.head.bytes;) {
                        const struct abi_sample *s = (const void *)(batch.bytes + sizeof(batch.head) + at);

                        ASSERT_TRUE(s->bytes >= sizeof(*s) && s->source < 2 && s->n_chain == chain);
                        if (s->cpu != cpu || s->pc != machine->pc + 4 * cpu || s->lr != machine->lr ||
                            s->pid != machine->pid || s->tid != machine->tid || s->flags != ABI_SAMPLE_USER ||
                            s->missed || (chain && s->chain[chain - 1] != 0x4000 + chain - 1))
                                TAP_FAIL("a sample of CPU %u that the machine has not dictated", cpu);
                        n[s->source]++;
                        at += s->bytes;
                }
        } while (batch.head.bytes);
}

TEST(samples_are_those_of_the_machine)
{
        const struct abi_source from[] = {{.code = 0x1b, .period = 9999},
                                          {.code = CYCLES_EVENT, .period = 70000}};
        union wdm_sources sources = sources_of(5, CPUS, from, 2);

        ASSERT_TRUE(begin(CPUS));
        wdm_plan_fill(&plan, CORE, CPUS, 0x70, 2, 2);
        EXPECT_INT(wdm_assign(device, &plan), 0);
        EXPECT_INT(wdm_set_sources(device, &sources), 0);
        EXPECT_INT(wdm_start(device, false), 0);
        ASSERT_TRUE(wdm_machine_pass(200));
        EXPECT_INT(wdm_stop(device), 0);
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
                uint64_t n[2] = {0};

                take_samples(cpu, 5, n);
                EXPECT_INT(n[0], 200 * SIM_RATE(0x1b, cpu) / 9999);
                EXPECT_INT(n[1], 200 * SIM_CYCLES_PER_MS / 70000);
                EXPECT_INT(batch.head.generated, n[0] + n[1]);
                EXPECT_INT(batch.head.dropped, 0);
                /* The plan beside it, too; the counter that counts cycles only does both. */
                EXPECT_INT(wdm_read(device, CORE, cpu, &got), 0);
                EXPECT_INT(got.head.counts[1].value, 200 * SIM_RATE(0x71, cpu));
                EXPECT_INT(got.head.cycles, 200 * SIM_CYCLES_PER_MS);
        }
        end();
}

TEST(a_full_ring_drops_and_counts)
{
        const struct abi_source from[] = {{.code = 0x1b, .period = 1000}};
        union wdm_sources sources = sources_of(0, 1, from, 1);
        uint64_t n[2] = {0}, all = 1500 * SIM_RATE(0x1b, 0) / 1000,
                 fit = (1 << 20) / sizeof(struct abi_sample);

        ASSERT_TRUE(begin(1));
        EXPECT_INT(wdm_set_sources(device, &sources), 0);
        EXPECT_INT(wdm_start(device, false), 0);
        ASSERT_TRUE(wdm_machine_pass(1500));
        EXPECT_INT(wdm_stop(device), 0);
        take_samples(0, 0, n);
        EXPECT_INT(n[0], fit);
        EXPECT_INT(batch.head.generated, all);
        EXPECT_INT(batch.head.dropped, all - fit);
        end();
}

/* Of all operations, or of loads that took so many cycles. */
static bool is_sampled(uint64_t number, uint32_t min_latency)
{
        struct sim_operation op = sim_spe_operation(number);

        return !min_latency || (op.type == SIM_SPE_LOAD && op.latency >= min_latency);
}

/* Reads SPE data of CPU 0: records of the operations from `*next` on. Returns how many there were. */
static uint64_t take_spe(uint32_t min_latency, uint64_t *next)
{
        struct abi_read in = {0};
        uint64_t n = 0;

        EXPECT_INT(wdm_request(device, ABI_REQUEST_READ_SPE, &in, sizeof(in), &spe, sizeof(spe)), 0);
        for (uint32_t at = 0; at + RECORD <= spe.head.bytes; at += RECORD) {
                uint64_t number = sim_spe_number(spe.bytes + sizeof(spe.head) + at);

                if (!number)
                        continue;
                while (!is_sampled(*next, min_latency))
                        ++*next;
                if (number != (*next)++)
                        TAP_FAIL("record %llu", (unsigned long long)number);
                n++;
        }
        return n;
}

static bool start_spe(const struct abi_spe *what)
{
        struct abi_spe of_cpu_0 = *what;

        if (!begin(2))
                return false;
        wdm_add(&of_cpu_0.cpus, 0);
        EXPECT_INT(wdm_request(device, ABI_REQUEST_SET_SPE, &of_cpu_0, sizeof(of_cpu_0), NULL, 0), 0);
        EXPECT_INT(wdm_start(device, false), 0);
        return true;
}

TEST(spe_data_is_complete)
{
        struct abi_spe what = {.period = 4096};
        uint64_t next = 1;

        ASSERT_TRUE(start_spe(&what));
        for (int i = 0; i < 250; i++) {
                ASSERT_TRUE(wdm_machine_pass(20)); /* 128,000 of the ring's 1,048,576 bytes */
                take_spe(0, &next);
        }
        ASSERT_TRUE(wdm_machine_pass(1));
        EXPECT_INT(wdm_stop(device), 0);
        take_spe(0, &next);
        EXPECT_INT(next - 1, (50 * 100 + 1) * 100);
        EXPECT_INT(spe.head.total, (50 * 100 + 1) * 100 * RECORD);
        EXPECT_INT(spe.head.stalls, 0);
        end();
}

TEST(spe_filters_pass_what_is_wanted)
{
        struct abi_spe what = {.flags = ABI_SPE_LOADS, .min_latency = 60, .period = 4096};
        uint64_t next = 1, n = 0;

        ASSERT_TRUE(start_spe(&what));
        ASSERT_TRUE(wdm_machine_pass(100));
        EXPECT_INT(wdm_stop(device), 0);
        for (uint64_t number = 1; number <= 100 * 100; number++)
                n += is_sampled(number, what.min_latency);
        EXPECT_INT(take_spe(what.min_latency, &next), n);
        EXPECT_INT(spe.head.total, n * RECORD);
        end();
}

TEST(as_many_cpus_as_the_machine_can_have)
{
        enum { MANY = 128 };

        ASSERT_TRUE(begin(MANY));
        wdm_plan_fill(&plan, CORE, MANY, 0x70, 2, 2);
        EXPECT_INT(wdm_assign(device, &plan), 0);
        EXPECT_INT(wdm_start(device, false), 0);
        ASSERT_TRUE(wdm_machine_pass(20));
        EXPECT_INT(wdm_stop(device), 0);
        for (uint32_t cpu = 0; cpu < MANY; cpu++) {
                EXPECT_INT(wdm_read(device, CORE, cpu, &got), 0);
                EXPECT_INT(got.head.counts[1].value, 20 * SIM_RATE(0x71, cpu));
        }
        EXPECT_INT(wdm_read(device, CORE, MANY, &got), ERROR_NOT_FOUND);
        end();
}

/* Time passes while requests come: whatever moment a read has, the counts belong to whole milliseconds. */
TEST(reads_while_the_machine_runs)
{
        const struct abi_source from[] = {{.code = 0x1b, .period = 5000}};
        union wdm_sources sources = sources_of(3, CPUS, from, 1);
        uint64_t n[CPUS][2] = {0};
        DWORD start = GetTickCount(), n_reads = 0;

        ASSERT_TRUE(begin(CPUS));
        wdm_plan_fill(&plan, CORE, CPUS, 0x70, 5, 5);
        EXPECT_INT(wdm_assign(device, &plan), 0);
        EXPECT_INT(wdm_set_sources(device, &sources), 0);
        EXPECT_INT(wdm_start(device, false), 0);
        machine->runs_freely = 1;
        while (GetTickCount() - start < 2000) {
                uint32_t cpu = n_reads++ % CPUS;

                EXPECT_INT(wdm_read(device, CORE, cpu, &got), 0);
                EXPECT_INT(got.head.counts[4].value,
                           got.head.cycles / SIM_CYCLES_PER_MS * SIM_RATE(0x74, cpu));
                EXPECT_INT(got.head.enabled_ns, got.head.cycles);
                take_samples(cpu, 3, n[cpu]);
        }
        EXPECT_INT(wdm_stop(device), 0);
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
                uint64_t ms;

                EXPECT_INT(wdm_read(device, CORE, cpu, &got), 0);
                ms = got.head.cycles / SIM_CYCLES_PER_MS;
                EXPECT_CMP(ms, >, 100);
                EXPECT_INT(got.head.counts[0].value, ms * SIM_RATE(0x70, cpu));
                take_samples(cpu, 3, n[cpu]);
                EXPECT_INT(n[cpu][0], ms * SIM_RATE(0x1b, cpu) / 5000);
                EXPECT_INT(batch.head.dropped, 0);
        }
        printf("# %lu reads\n", n_reads);
        end();
}

int main(int argc, char **argv)
{
        int status;

        machine = wdm_machine();
        if (argc != 2 || !machine || wdm_service_begin(argv[1]))
                return 2;
        status = tap_run_all();
        wdm_service_end();
        return status;
}
