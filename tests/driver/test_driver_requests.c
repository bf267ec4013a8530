/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "plans.h"
#include "sim_image.h"

static struct sim_machine machine;
static struct sim_image before;
static const int other_owner = 2;

static void begin(void)
{
        enum abi_lock_status status;

        sim_machine_init(&machine, 2, 1, true);
        plan_lock(&machine, &plan_owner, false, &status);
}

static enum request_status run(enum abi_request number, const void *in, size_t in_bytes, void *out,
                               size_t out_bytes)
{
        return sim_machine_request(&machine, &plan_owner, number, in, in_bytes, out, out_bytes);
}

TEST(version_and_machine)
{
        struct abi_version version;
        char number[40];
        struct abi_first first = {0};
        union {
                struct abi_hw_config head;
                unsigned char bytes[4096];
        } config;
        union {
                struct abi_blocks head;
                unsigned char bytes[4096];
        } blocks;

        begin();
        machine.cpus[1].midr = 0x410fd460; /* another kind of core */
        driver_free(machine.driver);
        machine.driver = driver_new(&machine.hw);
        EXPECT_INT(run(ABI_REQUEST_VERSION, NULL, 0, &version, sizeof(version)), REQUEST_OK);
        EXPECT_INT(version.abi, ABI_NUMBER);
        EXPECT_TRUE(version.text[0] && !version.text[63]);
        snprintf(number, sizeof(number), "%u.%u.%u", version.major, version.minor, version.patch);
        EXPECT_TRUE(version.major + version.minor + version.patch > 0 && strcmp(version.text, number));
        EXPECT_INT(run(ABI_REQUEST_HW_CONFIG, &first, sizeof(first), &config, sizeof(config)), REQUEST_OK);
        EXPECT_TRUE(config.head.n_cpus == 2 && config.head.n == 2);
        EXPECT_TRUE(config.head.cpus[0].midr == 0x410fd0c1 && config.head.cpus[1].midr == 0x410fd460);
        EXPECT_TRUE(config.head.cpus[1].n_counters == 6 && config.head.cpus[1].counter_bits == 32);
        EXPECT_TRUE(config.head.cpus[1].pmu_version == 4 && config.head.cpus[1].spe_version == 1);
        EXPECT_INT(run(ABI_REQUEST_HW_CONFIG, &first, sizeof(first), &config, sizeof(config.head) + 47),
                   REQUEST_OK);
        EXPECT_INT(config.head.n, 1); /* no room for two */
        first.first = 2;
        EXPECT_INT(run(ABI_REQUEST_HW_CONFIG, &first, sizeof(first), &config, sizeof(config)), REQUEST_OK);
        EXPECT_INT(config.head.n, 0);
        first.first = 0;
        EXPECT_INT(run(ABI_REQUEST_BLOCKS, &first, sizeof(first), &blocks, sizeof(blocks)), REQUEST_OK);
        EXPECT_INT(blocks.head.n, machine.driver->n_classes);
        EXPECT_STR(blocks.head.classes[0].block, "core-pmuv3");
        EXPECT_TRUE(blocks.head.classes[0].is_core && blocks.head.classes[0].n_units == 2);
        EXPECT_TRUE(blocks.head.classes[1].number == 1 && !blocks.head.classes[1].is_core);
        sim_machine_release(&machine);
}

TEST(units_and_the_cpus_that_share_them)
{
        struct abi_read from = {0};
        union {
                struct abi_units head;
                unsigned char
                        bytes[sizeof(struct abi_units) + ABI_UNITS_PER_ANSWER * sizeof(struct abi_unit)];
        } units;

        sim_machine_init(&machine, 40, 3, false);
        EXPECT_INT(run(ABI_REQUEST_UNITS, &from, sizeof(from), &units, sizeof(units)), REQUEST_OK);
        EXPECT_TRUE(units.head.n_units == 40 && units.head.n == ABI_UNITS_PER_ANSWER);
        EXPECT_TRUE(units.head.units[15].cpu == 15 && units.head.units[15].n_counters == 6);
        EXPECT_INT(units.head.units[15].cpus.bits[0], 1 << 15);
        from.unit = 39;
        EXPECT_INT(run(ABI_REQUEST_UNITS, &from, sizeof(from), &units, sizeof(units)), REQUEST_OK);
        EXPECT_TRUE(units.head.n == 1 && units.head.units[0].cpu == 39);
        from = (struct abi_read){.class = plan_find_class(&machine, "dmc-620", "dmc_clk"), .unit = 1};
        EXPECT_INT(run(ABI_REQUEST_UNITS, &from, sizeof(from), &units, sizeof(units.head) + 136), REQUEST_OK);
        EXPECT_TRUE(units.head.n_units == 3 && units.head.n == 1 && units.head.units[0].n_counters == 2);
        EXPECT_INT(units.head.units[0].cpus.bits[0], 0x2492492492);
        from.unit = UINT32_MAX;
        EXPECT_INT(run(ABI_REQUEST_UNITS, &from, sizeof(from), &units, sizeof(units)), REQUEST_OK);
        EXPECT_TRUE(units.head.n_units == 3 && units.head.n == 0);
        from.class = machine.driver->n_classes;
        EXPECT_INT(run(ABI_REQUEST_UNITS, &from, sizeof(from), &units, sizeof(units)), REQUEST_VALUE);
        sim_machine_release(&machine);
}

TEST(one_owner_at_a_time)
{
        enum abi_lock_status status;
        struct abi_start start = {0};
        union plan plan;

        begin();
        plan = plan_make(plan_find_class(&machine, "core-pmuv3", "core"), 1, 1);
        plan_add_unit(&plan.head.units, 0);
        EXPECT_INT(plan_lock(&machine, &other_owner, false, &status), REQUEST_OK);
        EXPECT_INT(status, ABI_LOCK_BUSY);
        EXPECT_INT(sim_machine_request(&machine, &other_owner, ABI_REQUEST_START, &start, sizeof(start), NULL,
                                       0),
                   REQUEST_OWNER);
        EXPECT_INT(sim_machine_request(&machine, &other_owner, ABI_REQUEST_UNLOCK, NULL, 0, NULL, 0),
                   REQUEST_OWNER);
        EXPECT_INT(plan_assign(&machine, &plan), REQUEST_OK);
        sim_image_take(&before, &machine);
        EXPECT_INT(plan_start(&machine), REQUEST_OK);
        EXPECT_INT(plan_start(&machine), REQUEST_STATE);
        EXPECT_INT(plan_assign(&machine, &plan), REQUEST_STATE);

        /* Force: the measurement of the other ends. */
        EXPECT_INT(plan_lock(&machine, &other_owner, true, &status), REQUEST_OK);
        EXPECT_INT(status, ABI_LOCKED);
        EXPECT_TRUE(!machine.driver->running && sim_image_is_same(&before, &machine));
        EXPECT_INT(plan_start(&machine), REQUEST_OWNER);
        EXPECT_INT(sim_machine_request(&machine, &other_owner, ABI_REQUEST_START, &start, sizeof(start), NULL,
                                       0),
                   REQUEST_OK);
        EXPECT_TRUE(sim_image_is_same(&before, &machine)); /* no plan is left over */

        /* The owner dies: its handle closes. */
        driver_release(machine.driver, &plan_owner);
        EXPECT_TRUE(machine.driver->running);
        driver_release(machine.driver, &other_owner);
        EXPECT_TRUE(!machine.driver->running);
        EXPECT_INT(plan_lock(&machine, &plan_owner, false, &status), REQUEST_OK);
        EXPECT_INT(status, ABI_LOCKED);
        EXPECT_INT(run(ABI_REQUEST_UNLOCK, NULL, 0, NULL, 0), REQUEST_OK);
        EXPECT_INT(plan_start(&machine), REQUEST_OWNER);
        EXPECT_INT(sim_machine_request(&machine, NULL, ABI_REQUEST_STOP, NULL, 0, NULL, 0), REQUEST_OK);
        sim_machine_release(&machine);
}

/* Every size but the right one is refused, and nothing behind the room for the answer is written. */
TEST(every_wrong_size_is_refused)
{
        static const struct {
                enum abi_request number;
                size_t in, out;
        } sizes[] = {
                {ABI_REQUEST_VERSION, 0, sizeof(struct abi_version)},
                {ABI_REQUEST_HW_CONFIG, sizeof(struct abi_first), sizeof(struct abi_hw_config)},
                {ABI_REQUEST_BLOCKS, sizeof(struct abi_first), sizeof(struct abi_blocks)},
                {ABI_REQUEST_LOCK, sizeof(struct abi_lock), sizeof(struct abi_lock_answer)},
                {ABI_REQUEST_ASSIGN, sizeof(struct abi_assign), 0},
                {ABI_REQUEST_SET_SOURCES, sizeof(struct abi_sources), 0},
                {ABI_REQUEST_SET_SPE, sizeof(struct abi_spe), 0},
                {ABI_REQUEST_STOP, 0, 0},
                {ABI_REQUEST_READ_COUNTS, sizeof(struct abi_read), sizeof(struct abi_counts)},
                {ABI_REQUEST_READ_SAMPLES, sizeof(struct abi_read), sizeof(struct abi_samples)},
                {ABI_REQUEST_READ_SPE, sizeof(struct abi_read), sizeof(struct abi_spe_data)},
                {ABI_REQUEST_UNITS, sizeof(struct abi_read), sizeof(struct abi_units)},
        };

        begin();
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
                for (size_t in_bytes = 0; in_bytes < 300; in_bytes++) {
                        /* Exactly as long as they say, so that the address sanitizer sees an access behind
                         * them. */
                        unsigned char *in = calloc(1, in_bytes + !in_bytes), *out = malloc(sizes[i].out + 1);
                        enum request_status status;

                        if (in_bytes != sizes[i].in)
                                EXPECT_INT(run(sizes[i].number, in, in_bytes, out, sizes[i].out),
                                           REQUEST_SIZE);
                        for (size_t room = 0; in_bytes == sizes[i].in && room <= sizes[i].out; room++) {
                                unsigned char *small = malloc(room + !room);

                                status = run(sizes[i].number, in, in_bytes, small, room);
                                EXPECT_TRUE(room == sizes[i].out ? status != REQUEST_SIZE
                                                                 : status == REQUEST_SIZE);
                                free(small);
                        }
                        free(in);
                        free(out);
                }
        }
        sim_machine_release(&machine);
}

TEST(counts_of_items_must_be_those_of_the_payload)
{
        static union plan plan;

        begin();
        plan = plan_make(0, 3, 2);
        plan_add_unit(&plan.head.units, 0);
        EXPECT_INT(run(ABI_REQUEST_ASSIGN, &plan, sizeof(struct abi_assign) + 2 * 8, NULL, 0), REQUEST_SIZE);
        EXPECT_INT(run(ABI_REQUEST_ASSIGN, &plan, sizeof(struct abi_assign) + 4 * 8, NULL, 0), REQUEST_SIZE);
        EXPECT_INT(run(ABI_REQUEST_ASSIGN, &plan, sizeof(struct abi_assign) + 3 * 8, NULL, 0), REQUEST_OK);
        plan.head.n_slots = UINT32_MAX; /* 8 * n wraps to a small number */
        EXPECT_INT(run(ABI_REQUEST_ASSIGN, &plan, sizeof(struct abi_assign) - 8, NULL, 0), REQUEST_SIZE);
        plan.head.n_slots = 0x20000003;
        EXPECT_INT(run(ABI_REQUEST_ASSIGN, &plan, sizeof(struct abi_assign) + 3 * 8, NULL, 0), REQUEST_SIZE);
        plan.head.n_slots = ABI_SLOTS_MAX + 1;
        EXPECT_INT(run(ABI_REQUEST_ASSIGN, &plan, sizeof(plan), NULL, 0), REQUEST_SIZE);
        sim_machine_release(&machine);
}

TEST(numbers_out_of_range_are_refused)
{
        static union plan good, plan;
        struct abi_read read = {.class = 99};
        static unsigned char out[4096];

        begin();
        good = plan_make(plan_find_class(&machine, "core-pmuv3", "core"), 2, 2);
        plan_add_unit(&good.head.units, 1);
#define REFUSED(status, change)                                                                              \
        do {                                                                                                 \
                plan = good;                                                                                 \
                change;                                                                                      \
                EXPECT_INT(plan_assign(&machine, &plan), status);                                            \
        } while (0)
        REFUSED(REQUEST_OK, (void)0);
        REFUSED(REQUEST_NO_DEVICE, plan.head.class = machine.driver->n_classes);
        REFUSED(REQUEST_NO_DEVICE, plan.head.class = UINT32_MAX);
        REFUSED(REQUEST_VALUE, plan_add_unit(&plan.head.units, 2));
        REFUSED(REQUEST_VALUE, plan_add_unit(&plan.head.units, ABI_CPUS_MAX - 1));
        REFUSED(REQUEST_VALUE, plan.head.units = (struct abi_set){0});
        REFUSED(REQUEST_VALUE, plan.head.window = 0);
        REFUSED(REQUEST_VALUE, plan.head.window = UINT32_MAX);
        REFUSED(REQUEST_ROOM, plan.head.window = 7);
        REFUSED(REQUEST_VALUE, plan.head.period_ms = 0);
        REFUSED(REQUEST_VALUE, plan.head.period_ms = 101);
        REFUSED(REQUEST_VALUE, plan.head.pad = 1);
        REFUSED(REQUEST_VALUE, plan.head.cycles_flags = 4);
        REFUSED(REQUEST_VALUE, plan.head.slots[1].code = 0x10000);
        REFUSED(REQUEST_VALUE, plan.head.slots[1].flags = 8);
        REFUSED(REQUEST_VALUE, (plan.head.class = plan_find_class(&machine, "dmc-620", "dmc_clk"),
                                plan.head.units.bits[0] = 1, plan.head.slots[0].code = 0x20));
        REFUSED(REQUEST_VALUE, (plan.head.class = plan_find_class(&machine, "dmc-620", "dmc_clk"),
                                plan.head.units.bits[0] = 1, plan.head.slots[0].flags = ABI_EXCLUDE_USER));
        EXPECT_INT(run(ABI_REQUEST_READ_COUNTS, &read, sizeof(read), out, sizeof(out)), REQUEST_NO_DEVICE);
        read = (struct abi_read){.class = good.head.class, .unit = 2};
        EXPECT_INT(run(ABI_REQUEST_READ_COUNTS, &read, sizeof(read), out, sizeof(out)), REQUEST_NO_DEVICE);
        read.unit = 1;
        EXPECT_INT(run(ABI_REQUEST_READ_COUNTS, &read, sizeof(read), out, sizeof(struct abi_counts) + 47),
                   REQUEST_SIZE);
        EXPECT_INT(run(ABI_REQUEST_READ_COUNTS, &read, sizeof(read), out, sizeof(struct abi_counts) + 48),
                   REQUEST_OK);
        sim_machine_release(&machine);
}

TEST(unknown_codes)
{
        uint32_t bytes = 7;

        begin();
        for (uint32_t bit = 0; bit < 32; bit++)
                EXPECT_INT(request_run(machine.driver, &plan_owner,
                                       ABI_OWN(ABI_REQUEST_STOP) ^ UINT32_C(1) << bit, NULL, 0, NULL, 0,
                                       &bytes) == REQUEST_OK,
                           false);
        EXPECT_INT(bytes, 0);
        EXPECT_INT(request_run(machine.driver, &plan_owner, ABI_OWN(ABI_REQUESTS), NULL, 0, NULL, 0, &bytes),
                   REQUEST_UNKNOWN);
        /* The requests of a program of another version. */
        EXPECT_INT(request_run(machine.driver, &plan_owner,
                               ABI_CODE((ABI_NUMBER + 1) << 6 | ABI_REQUEST_STOP), NULL, 0, NULL, 0, &bytes),
                   REQUEST_UNKNOWN);
        sim_machine_release(&machine);
}

TEST(the_answer_may_be_written_over_the_request)
{
        unsigned char buffer[256] = {0};
        uint32_t bytes;

        begin();
        EXPECT_INT(request_run(machine.driver, &plan_owner, ABI_OWN(ABI_REQUEST_HW_CONFIG), buffer,
                               sizeof(struct abi_first), buffer, sizeof(buffer), &bytes),
                   REQUEST_OK);
        EXPECT_INT(bytes, sizeof(struct abi_hw_config) + 2 * sizeof(struct abi_cpu));
        sim_machine_release(&machine);
}

TEST(without_memory)
{
        struct abi_spe spe = {.period = 1024};

        begin();
        plan_add_unit(&spe.cpus, 0);
        machine.fail_allocation = machine.n_allocations + 1;
        EXPECT_INT(run(ABI_REQUEST_SET_SPE, &spe, sizeof(spe), NULL, 0), REQUEST_MEMORY);
        EXPECT_INT(run(ABI_REQUEST_SET_SPE, &spe, sizeof(spe), NULL, 0), REQUEST_OK);
        for (uint32_t i = 1; i <= 3; i++) {
                machine.fail_allocation = machine.n_allocations + i;
                EXPECT_TRUE(!driver_new(&machine.hw));
        }
        sim_machine_release(&machine);
}

TAP_MAIN
