/* SPDX-License-Identifier: BSD-3-Clause */
#include "plans.h"

enum { RECORD = SIM_SPE_RECORD_BYTES };

static struct sim_machine machine;

union spe_batch {
        struct abi_spe_data head;
        unsigned char bytes[sizeof(struct abi_spe_data) + ABI_READ_MAX_BYTES];
};

static union spe_batch got;

static bool begin(uint32_t n_cpus, struct abi_spe *what)
{
        enum abi_lock_status status;

        sim_machine_init(&machine, n_cpus, 0, true);
        for (uint32_t cpu = 0; cpu < n_cpus; cpu++)
                machine.cpus[cpu].frame.user = true;
        plan_lock(&machine, &plan_owner, false, &status);
        plan_add_unit(&what->cpus, n_cpus - 1);
        return sim_machine_request(&machine, &plan_owner, ABI_REQUEST_SET_SPE, what, sizeof(*what), NULL,
                                   0) == REQUEST_OK &&
               plan_start(&machine) == REQUEST_OK;
}

static enum request_status read_spe(uint32_t cpu, uint32_t room)
{
        struct abi_read in = {.unit = cpu};

        return sim_machine_request(&machine, &plan_owner, ABI_REQUEST_READ_SPE, &in, sizeof(in), &got,
                                   sizeof(got.head) + room);
}

/* Checks that the records of the answer are `*next` and so on; 0 is padding. */
static void expect_records(uint64_t *next)
{
        for (uint32_t at = 0; at + RECORD <= got.head.bytes; at += RECORD) {
                uint64_t number = sim_spe_number(got.bytes + sizeof(got.head) + at);

                if (!number)
                        continue;
                if (number != *next)
                        TAP_FAIL("record %llu, want %llu", (unsigned long long)number,
                                 (unsigned long long)*next);
                *next = number + 1;
        }
}

TEST(filters_and_periods_reach_the_registers)
{
        struct abi_spe what = {.flags = ABI_SPE_LOADS | ABI_SPE_TIMESTAMPS | ABI_SPE_JITTER | ABI_SPE_KERNEL,
                               .min_latency = 40,
                               .period = 4096,
                               .events = 0x80,
                               .events_not = 2};
        uint64_t *spe;

        ASSERT_TRUE(begin(2, &what));
        spe = machine.cpus[1].spe;
        EXPECT_CMP(spe[HW_PMSIRR], ==, (4096 | 1));
        EXPECT_TRUE(spe[HW_PMSEVFR] == 0x80 && spe[HW_PMSNEVFR] == 2 && spe[HW_PMSLATFR] == 40);
        EXPECT_CMP(spe[HW_PMSFCR], ==, (1 | 2 | 4 | 8 | 1 << 17));
        EXPECT_CMP(spe[HW_PMSCR], ==, (1 | 2 | 1 << 5));
        EXPECT_TRUE(spe[HW_PMBLIMITR] & 1);
        EXPECT_TRUE(!machine.cpus[0].spe[HW_PMSCR]);
        plan_stop(&machine);
        EXPECT_TRUE(!spe[HW_PMSCR] && !spe[HW_PMBLIMITR]);
        EXPECT_INT(read_spe(0, 100), REQUEST_NO_DEVICE);
        sim_machine_release(&machine);
}

static bool is_wanted(const struct abi_spe *what, const struct sim_operation *op)
{
        uint32_t types = (op->type == SIM_SPE_LOAD ? ABI_SPE_LOADS : 0) |
                         (op->type == SIM_SPE_STORE ? ABI_SPE_STORES : 0) |
                         (op->type == SIM_SPE_BRANCH ? ABI_SPE_BRANCHES : 0);
        uint32_t wanted = what->flags & (ABI_SPE_LOADS | ABI_SPE_STORES | ABI_SPE_BRANCHES);

        return (!wanted || wanted & types) && (op->events & what->events) == what->events &&
               !(op->events & what->events_not) && op->latency >= what->min_latency;
}

/* The records are those of the operations 1 to `n` that are wanted. */
static void expect_filtered(const struct abi_spe *what, uint64_t n)
{
        uint32_t at = 0;

        for (uint64_t number = 1; number <= n; number++) {
                struct sim_operation op = sim_spe_operation(number);

                if (!is_wanted(what, &op))
                        continue;
                if (at >= got.head.bytes || sim_spe_number(got.bytes + sizeof(got.head) + at) != number)
                        TAP_FAIL("operation %llu is missing", (unsigned long long)number);
                at += RECORD;
        }
        EXPECT_TRUE(at && at == got.head.bytes);
}

TEST(filters_let_only_what_is_wanted_pass)
{
        enum { N = 1000 };
        static const struct abi_spe each[] = {
                {.flags = ABI_SPE_LOADS},
                {.flags = ABI_SPE_STORES | ABI_SPE_BRANCHES},
                {.min_latency = 90},
                {.events = 1 << 1 | 1 << 7},
                {.events_not = 1 << 3},
                {.flags = ABI_SPE_LOADS, .min_latency = 40, .events = 1 << 3, .events_not = 1 << 7},
        };

        for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++) {
                struct abi_spe what = each[i];

                what.period = 1024;
                ASSERT_TRUE(begin(1, &what));
                EXPECT_CMP(sim_machine_sample(&machine, 0, N), <, N);
                read_spe(0, ABI_READ_MAX_BYTES);
                expect_filtered(&what, N);
                sim_machine_release(&machine);
        }
}

TEST(kernel_is_sampled_only_where_it_is_wanted)
{
        for (uint32_t flags = 0; flags <= ABI_SPE_KERNEL; flags += ABI_SPE_KERNEL) {
                struct abi_spe what = {.flags = flags, .period = 1024};

                ASSERT_TRUE(begin(1, &what));
                machine.cpus[0].frame.user = false;
                EXPECT_INT(sim_machine_sample(&machine, 0, 10), flags ? 10 : 0);
                sim_machine_release(&machine);
        }
}

TEST(data_is_complete_over_many_turns_of_the_ring)
{
        struct abi_spe what = {.period = 1024};
        uint64_t next = 1;

        ASSERT_TRUE(begin(1, &what));
        for (int i = 0; i < 300; i++) {
                EXPECT_INT(sim_machine_sample(&machine, 0, 1777), 1777);
                EXPECT_INT(read_spe(0, i % 3 ? ABI_READ_MAX_BYTES : 100 * RECORD), REQUEST_OK);
                expect_records(&next);
        }
        sim_machine_sample(&machine, 0, 5);
        plan_stop(&machine);
        do {
                read_spe(0, 50 * RECORD);
                expect_records(&next);
        } while (got.head.bytes);
        EXPECT_INT(next, 300 * 1777 + 5 + 1);
        EXPECT_INT(got.head.total, (300 * 1777 + 5) * RECORD);
        EXPECT_INT(got.head.stalls, 0);
        sim_machine_release(&machine);
}

/* As on Windows, where the driver gets no interrupts of SPE. */
TEST(without_interrupts_the_timer_gives_the_next_piece)
{
        struct abi_spe what = {.period = 1024};
        uint64_t next = 1;

        ASSERT_TRUE(begin(1, &what));
        machine.cpus[0].hold = true;
        EXPECT_INT(sim_machine_sample(&machine, 0, 1000), 1000);
        read_spe(0, ABI_READ_MAX_BYTES);
        expect_records(&next);
        EXPECT_INT(sim_machine_sample(&machine, 0, 1000000), SPE_BUFFER_BYTES / RECORD - 1000);
        EXPECT_INT(sim_machine_sample(&machine, 0, 1), 0);
        sim_machine_pass(&machine, DRIVER_READ_MS * UINT64_C(1000000));
        EXPECT_CMP(sim_machine_sample(&machine, 0, 500), ==, 500);
        read_spe(0, ABI_READ_MAX_BYTES);
        expect_records(&next);
        EXPECT_INT(next, SPE_BUFFER_BYTES / RECORD + 500 + 1);
        plan_stop(&machine);
        EXPECT_INT(machine.cpus[0].timer_ms, 0);
        sim_machine_release(&machine);
}

TEST(an_end_that_is_too_short_for_a_record_is_skipped)
{
        enum { WHOLE = SPE_BUFFER_BYTES / RECORD, SHORT = 16 };
        struct abi_spe what = {.period = 1024};
        uint64_t next = 1;

        ASSERT_TRUE(begin(1, &what));
        for (int turn = 0; turn < 2; turn++) {
                EXPECT_INT(sim_machine_sample(&machine, 0, WHOLE / 2), WHOLE / 2);
                read_spe(0, ABI_READ_MAX_BYTES);
                expect_records(&next);
                /* The first turn writes up to the end; the second leaves room there, where old records
                 * still are. */
                sim_machine_sample(&machine, 0, WHOLE / 2 - (turn ? SHORT : 0));
                read_spe(0, ABI_READ_MAX_BYTES);
                expect_records(&next);
        }
        EXPECT_INT(sim_machine_sample(&machine, 0, 5), 5);
        read_spe(0, ABI_READ_MAX_BYTES);
        EXPECT_INT(got.head.bytes, 5 * RECORD);
        expect_records(&next);
        EXPECT_INT(next, 2 * WHOLE - SHORT + 5 + 1);
        EXPECT_INT(got.head.total, (2 * WHOLE - SHORT + 5) * RECORD);
        sim_machine_release(&machine);
}

static uint32_t n_visits;

/* SPE goes on while the driver copies. */
static void sample_after_visit(struct sim_machine *m, uint32_t cpu)
{
        n_visits++;
        sim_machine_sample(m, cpu, 20);
}

TEST(the_cpu_goes_on_while_its_data_is_copied)
{
        struct abi_spe what = {.period = 1024};
        uint64_t next = 1;
        uint32_t n = 0;

        ASSERT_TRUE(begin(1, &what));
        EXPECT_INT(sim_machine_sample(&machine, 0, 14000), 14000);
        n_visits = 0;
        machine.after_visit = sample_after_visit;
        read_spe(0, ABI_READ_MAX_BYTES);
        EXPECT_CMP(n_visits, >=, 2 * 14000 * RECORD / (64 << 10));
        expect_records(&next);
        EXPECT_INT(next, 14001);
        machine.after_visit = NULL;
        for (n = 20 * n_visits; n; n -= got.head.bytes / RECORD) {
                read_spe(0, ABI_READ_MAX_BYTES);
                ASSERT_TRUE(got.head.bytes && got.head.bytes / RECORD <= n);
                expect_records(&next);
        }
        EXPECT_INT(next, 14001 + 20 * n_visits);
        EXPECT_INT(got.head.stalls, 0);
        sim_machine_release(&machine);
}

/* Where no interrupt tells that a piece is full, the timer gives another one before it is: the ring's end
 * is skipped. */
TEST(the_timer_leaves_a_piece_before_it_is_full)
{
        enum { STEP = SPE_PIECE_LEAST_BYTES / RECORD - 64 };
        struct abi_spe what = {.period = 1024};
        uint64_t next = 1;

        ASSERT_TRUE(begin(1, &what));
        machine.cpus[0].hold = true;
        for (int i = 0; i < 99; i++) {
                EXPECT_INT(sim_machine_sample(&machine, 0, STEP), STEP);
                sim_machine_pass(&machine, DRIVER_READ_MS * UINT64_C(1000000));
                if (i % 3 == 2) {
                        read_spe(0, ABI_READ_MAX_BYTES);
                        expect_records(&next);
                }
        }
        EXPECT_INT(next, 99 * STEP + 1);
        EXPECT_INT(got.head.stalls, 0);
        sim_machine_release(&machine);
}

TEST(a_time_without_power_is_a_loss_and_sampling_goes_on)
{
        struct abi_spe what = {.period = 1024, .min_latency = 40};

        ASSERT_TRUE(begin(1, &what));
        EXPECT_CMP(sim_machine_sample(&machine, 0, 100), >, 0);
        memset(machine.cpus[0].spe, 0, sizeof(machine.cpus[0].spe));
        EXPECT_INT(sim_machine_sample(&machine, 0, 100), 0);
        sim_machine_pass(&machine, DRIVER_READ_MS * UINT64_C(1000000));
        EXPECT_CMP(sim_machine_sample(&machine, 0, 100), >, 0);
        EXPECT_INT(machine.cpus[0].spe[HW_PMSLATFR], 40);
        read_spe(0, ABI_READ_MAX_BYTES);
        EXPECT_INT(got.head.losses, 1);
        sim_machine_release(&machine);
}

TEST(a_full_ring_pauses_until_it_is_read)
{
        struct abi_spe what = {.period = 1024};
        uint64_t next = 1;
        uint32_t written;

        ASSERT_TRUE(begin(1, &what));
        written = sim_machine_sample(&machine, 0, 1000000);
        EXPECT_TRUE(written * RECORD <= SPE_BUFFER_BYTES && written * RECORD > SPE_BUFFER_BYTES - 4096);
        EXPECT_INT(sim_machine_sample(&machine, 0, 10), 0);
        read_spe(0, ABI_READ_MAX_BYTES);
        EXPECT_INT(got.head.bytes, written * RECORD);
        EXPECT_TRUE(got.head.stalled && got.head.stalls == 1);
        expect_records(&next);
        EXPECT_INT(sim_machine_sample(&machine, 0, 10), 10);
        read_spe(0, ABI_READ_MAX_BYTES);
        expect_records(&next);
        EXPECT_INT(next, written + 11);
        EXPECT_TRUE(!got.head.stalled);
        sim_machine_release(&machine);
}

TEST(lost_records_are_reported)
{
        struct abi_spe what = {.period = 1024};

        ASSERT_TRUE(begin(1, &what));
        sim_machine_sample(&machine, 0, 3);
        machine.cpus[0].spe[HW_PMBSR] |= SPE_STATUS_LOSS;
        plan_stop(&machine);
        read_spe(0, ABI_READ_MAX_BYTES);
        EXPECT_INT(got.head.losses, 1);
        EXPECT_INT(got.head.bytes, 3 * RECORD);
        EXPECT_TRUE(!driver_spe_interrupt(machine.driver, 0));
        sim_machine_release(&machine);
}

TEST(values_are_checked)
{
        struct abi_spe what = {.period = 255};
        struct abi_spe flags = {.period = 1024, .flags = 512};
        struct abi_spe nobody = {.period = 1024};

        EXPECT_TRUE(!begin(1, &what));
        sim_machine_release(&machine);
        EXPECT_TRUE(!begin(1, &flags));
        EXPECT_INT(sim_machine_request(&machine, &plan_owner, ABI_REQUEST_SET_SPE, &nobody, sizeof(nobody),
                                       NULL, 0),
                   REQUEST_VALUE);
        machine.cpus[0].dfr0 = 0;
        driver_free(machine.driver);
        machine.driver = driver_new(&machine.hw);
        machine.driver->owner = &plan_owner;
        plan_add_unit(&nobody.cpus, 0);
        EXPECT_INT(sim_machine_request(&machine, &plan_owner, ABI_REQUEST_SET_SPE, &nobody, sizeof(nobody),
                                       NULL, 0),
                   REQUEST_NO_DEVICE);
        sim_machine_release(&machine);
}

TEST(registers_that_a_cpu_lacks_are_not_touched)
{
        struct abi_spe what = {.period = 1024};

        ASSERT_TRUE(begin(2, &what));
        plan_stop(&machine);
        machine.cpus[1].pmsidr &= ~(uint64_t)SIM_PMSIDR_FNE;
        driver_free(machine.driver);
        machine.driver = driver_new(&machine.hw);
        machine.driver->owner = &plan_owner;
        EXPECT_INT(
                sim_machine_request(&machine, &plan_owner, ABI_REQUEST_SET_SPE, &what, sizeof(what), NULL, 0),
                REQUEST_OK);
        what.events_not = 2;
        EXPECT_INT(
                sim_machine_request(&machine, &plan_owner, ABI_REQUEST_SET_SPE, &what, sizeof(what), NULL, 0),
                REQUEST_NO_DEVICE);
        what.cpus.bits[0] = 1; /* the other CPU has it */
        EXPECT_INT(
                sim_machine_request(&machine, &plan_owner, ABI_REQUEST_SET_SPE, &what, sizeof(what), NULL, 0),
                REQUEST_OK);
        sim_machine_release(&machine);
}

TAP_MAIN
