/* SPDX-License-Identifier: BSD-3-Clause */
/* make_driver_seeds FOLDER: writes the seeds of fuzz_driver_requests. */
#include <stdlib.h>
#include <string.h>

#include "driver_steps.h"
#include "plans.h"

static FILE *seed;

static void put(uint32_t value, size_t bytes)
{
        for (size_t i = 0; i < bytes; i++)
                fputc((int)(value >> 8 * i & 0xff), seed);
}

static void ask(enum abi_request number, const void *in, size_t in_bytes, uint32_t room)
{
        put(number, 1);
        put((uint32_t)in_bytes, 2);
        put(room, 2);
        if (in_bytes)
                fwrite(in, 1, in_bytes, seed);
}

static void count(uint32_t unit, uint32_t code, uint32_t class, uint32_t n)
{
        put(STEP_COUNT, 1);
        put(unit, 1);
        put(code, 2);
        put(class, 1);
        put(n, 1);
}

static void step(enum driver_step what, uint32_t value, size_t bytes)
{
        put(what, 1);
        put(value, bytes);
}

static void begin(const char *folder, const char *name)
{
        char path[4096];
        struct abi_lock lock = {0};

        snprintf(path, sizeof(path), "%s/%s", folder, name);
        seed = fopen(path, "wb");
        if (!seed)
                exit(1);
        ask(ABI_REQUEST_LOCK, &lock, sizeof(lock), sizeof(struct abi_lock_answer));
}

static void start_and(void (*happen)(void), uint32_t read_room)
{
        struct abi_start start = {0};
        struct abi_read read = {0};

        ask(ABI_REQUEST_START, &start, sizeof(start), 0);
        happen();
        ask(ABI_REQUEST_READ_COUNTS, &read, sizeof(read), read_room);
        ask(ABI_REQUEST_READ_SAMPLES, &read, sizeof(read), read_room);
        ask(ABI_REQUEST_READ_SPE, &read, sizeof(read), read_room);
        ask(ABI_REQUEST_STOP, NULL, 0, 0);
        ask(ABI_REQUEST_READ_COUNTS, &read, sizeof(read), read_room);
        ask(ABI_REQUEST_UNLOCK, NULL, 0, 0);
        fclose(seed);
}

static void counts_happen(void)
{
        for (uint32_t i = 0; i < 20; i++) {
                count(0, 0x100 + i % 8, 0, 200);
                count(2, i % 3, i % 2, 100);
                step(STEP_CYCLE, 1000, 2);
                step(STEP_PASS, 7, 1);
        }
}

static void samples_happen(void)
{
        for (uint32_t i = 0; i < 10; i++) {
                step(STEP_FRAME, 16 * i, 2);
                put(i % 3 ? STEP_DELIVER : STEP_HOLD, 1);
                count(0, 8, 0, 250);
                step(STEP_CYCLE, 3000, 2);
                step(STEP_SAMPLE, i == 8 ? 20000 : 600, 2);
        }
        put(STEP_DELIVER, 1);
}

static void write_plans(const char *folder)
{
        union plan plan = plan_make(0, 8, 6);

        begin(folder, "plan");
        plan_add_unit(&plan.head.units, 0);
        for (uint32_t i = 0; i < 8; i++)
                plan.head.slots[i] = (struct abi_slot){0x100 + i, i == 3   ? ABI_PADDING
                                                                  : i == 4 ? ABI_EXCLUDE_USER
                                                                           : 0};
        ask(ABI_REQUEST_ASSIGN, &plan, sizeof(plan.head) + 8 * sizeof(struct abi_slot), 0);
        plan.head.class = 1;
        plan.head.window = 2;
        for (uint32_t i = 0; i < 3; i++)
                plan.head.slots[i] = (struct abi_slot){i, 0};
        plan.head.n_slots = 3;
        ask(ABI_REQUEST_ASSIGN, &plan, sizeof(plan.head) + 3 * sizeof(struct abi_slot), 0);
        start_and(counts_happen, 1024);
        begin(folder, "small_room");
        plan.head.n_slots = 2;
        ask(ABI_REQUEST_ASSIGN, &plan, sizeof(plan.head) + 2 * sizeof(struct abi_slot), 0);
        start_and(counts_happen, 45);
}

static void write_sampling(const char *folder)
{
        union {
                struct abi_sources head;
                unsigned char bytes[sizeof(struct abi_sources) + 2 * sizeof(struct abi_source)];
        } sources;
        struct abi_spe spe = {
                .period = 1024, .flags = ABI_SPE_LOADS | ABI_SPE_JITTER, .min_latency = 3, .events = 2};

        begin(folder, "samples");
        memset(&sources, 0, sizeof(sources));
        sources.head.n = 2;
        sources.head.chain_max = 5;
        sources.head.sources[0] = (struct abi_source){.code = 8, .period = 10};
        sources.head.sources[1] = (struct abi_source){.code = 0x11, .period = 100};
        plan_add_unit(&sources.head.cpus, 0);
        plan_add_unit(&spe.cpus, 0);
        ask(ABI_REQUEST_SET_SOURCES, &sources, sizeof(sources), 0);
        ask(ABI_REQUEST_SET_SPE, &spe, sizeof(spe), 0);
        start_and(samples_happen, 60000);
}

static void ask_plan(union plan plan, uint32_t change, uint32_t value)
{
        uint32_t *const fields[] = {&plan.head.class,
                                    &plan.head.window,
                                    &plan.head.period_ms,
                                    &plan.head.cycles_flags,
                                    &plan.head.pad,
                                    &plan.head.slots[1].code,
                                    &plan.head.slots[1].flags,
                                    (uint32_t *)&plan.head.units.bits[0],
                                    (uint32_t *)&plan.head.units.bits[3]};

        *fields[change] = value;
        ask(ABI_REQUEST_ASSIGN, &plan, sizeof(plan.head) + 2 * sizeof(struct abi_slot), 0);
}

/* Plans with one number out of range each. */
static void write_refused_plans(const char *folder)
{
        static const struct {
                uint32_t change, value;
        } cases[] = {{0, 99}, {1, 0},       {1, 7}, {1, 32}, {2, 0}, {2, 101}, {3, 4}, {3, 1},
                     {4, 1},  {5, 0x10000}, {6, 8}, {6, 2},  {7, 0}, {7, 4},   {8, 1}};
        union plan plan = plan_make(0, 2, 2);
        struct abi_read read = {.class = 99};

        begin(folder, "refused_plans");
        plan_add_unit(&plan.head.units, 0);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
                ask_plan(plan, cases[i].change, cases[i].value);
        plan.head.class = 1;
        ask_plan(plan, 6, ABI_EXCLUDE_USER);
        ask_plan(plan, 3, ABI_EXCLUDE_USER);
        ask(ABI_REQUEST_ASSIGN, &plan, sizeof(plan.head) + sizeof(struct abi_slot), 0);
        ask(ABI_REQUEST_ASSIGN, &plan, 10, 0);
        plan.head.n_slots = 0;
        ask(ABI_REQUEST_ASSIGN, &plan, sizeof(plan.head), 0);
        ask(ABI_REQUEST_READ_COUNTS, &read, sizeof(read), 1024);
        read = (struct abi_read){.class = 0, .unit = 2};
        ask(ABI_REQUEST_READ_COUNTS, &read, sizeof(read), 1024);
        ask(14, NULL, 0, 0);
        fclose(seed);
}

static void ask_sources(uint32_t chain_max, uint64_t cpus, struct abi_source source)
{
        union {
                struct abi_sources head;
                unsigned char bytes[sizeof(struct abi_sources) + sizeof(struct abi_source)];
        } in;

        memset(&in, 0, sizeof(in));
        in.head.n = 1;
        in.head.chain_max = chain_max;
        in.head.cpus.bits[0] = cpus;
        in.head.sources[0] = source;
        ask(ABI_REQUEST_SET_SOURCES, &in, sizeof(in), 0);
}

static void ask_spe(struct abi_spe spe, uint64_t cpus)
{
        spe.cpus.bits[0] = cpus;
        ask(ABI_REQUEST_SET_SPE, &spe, sizeof(spe), 0);
}

/* Samples with one number out of range each, and requests at the wrong time. */
static void write_refused_samples(const char *folder)
{
        union plan plan = plan_make(0, 6, 6);
        struct abi_start start = {.keep = 2};
        struct abi_read read = {.unit = 2};
        struct abi_first first = {.first = 1000};
        struct abi_lock lock = {.force = 2};

        begin(folder, "refused_samples");
        ask_sources(ABI_CHAIN_MAX + 1, 1, (struct abi_source){.period = 10});
        ask_sources(1, 0, (struct abi_source){.period = 10});
        ask_sources(1, 1, (struct abi_source){.code = 0x10000, .period = 10});
        ask_sources(1, 1, (struct abi_source){.flags = ABI_PADDING, .period = 10});
        ask_sources(1, 1, (struct abi_source){.period = 0});
        ask_sources(1, 1, (struct abi_source){.period = UINT64_C(1) << 32});
        ask_spe((struct abi_spe){.flags = 512, .period = 1024}, 1);
        ask_spe((struct abi_spe){.min_latency = 0x10000, .period = 1024}, 1);
        ask_spe((struct abi_spe){.period = 255}, 1);
        ask_spe((struct abi_spe){.period = UINT64_C(1) << 32}, 1);
        ask_spe((struct abi_spe){.period = 1024}, 4);
        ask_spe((struct abi_spe){.period = 0}, 1);
        ask(ABI_REQUEST_READ_SPE, &read, sizeof(read), 100);
        ask(ABI_REQUEST_READ_SAMPLES, &read, sizeof(read), 100);
        read = (struct abi_read){.class = 1};
        ask(ABI_REQUEST_READ_SPE, &read, sizeof(read), 100);
        ask(ABI_REQUEST_READ_SAMPLES, &read, sizeof(read), 100);
        read.class = 0;
        ask(ABI_REQUEST_READ_SPE, &read, sizeof(read), 100); /* no buffer yet */
        ask(ABI_REQUEST_HW_CONFIG, &first, sizeof(first), 500);
        ask(ABI_REQUEST_BLOCKS, &first, sizeof(first), 500);
        ask(ABI_REQUEST_LOCK, &lock, sizeof(lock), 8);
        ask(ABI_REQUEST_START, &start, sizeof(start), 0);
        plan_add_unit(&plan.head.units, 0);
        ask(ABI_REQUEST_ASSIGN, &plan, sizeof(plan.head) + 6 * sizeof(struct abi_slot), 0);
        ask_sources(1, 1, (struct abi_source){.code = 8, .period = 10}); /* no counter is left */
        ask_sources(1, 2, (struct abi_source){.code = 8, .period = 10, .flags = ABI_EXCLUDE_KERNEL});
        start.keep = 1;
        ask(ABI_REQUEST_START, &start, sizeof(start), 0);
        ask(ABI_REQUEST_START, &start, sizeof(start), 0);
        put(0x80 | ABI_REQUEST_STOP, 1); /* of another owner */
        put(0, 2);
        put(0, 2);
        fclose(seed);
}

static void write_information(const char *folder)
{
        struct abi_first first = {0};
        struct abi_lock force = {.force = 1};

        begin(folder, "information");
        ask(ABI_REQUEST_VERSION, NULL, 0, sizeof(struct abi_version));
        ask(ABI_REQUEST_HW_CONFIG, &first, sizeof(first), 500);
        ask(ABI_REQUEST_BLOCKS, &first, sizeof(first), 500);
        for (struct abi_read from = {0}; from.class < 4; from.class ++)
                ask(ABI_REQUEST_UNITS, &from, sizeof(from), 500);
        put(0x80 | ABI_REQUEST_LOCK, 1); /* the other owner takes the lock */
        put(sizeof(force), 2);
        put(8, 2);
        fwrite(&force, 1, sizeof(force), seed);
        start_and(counts_happen, 100);
        begin(folder, "close");
        put(STEP_CLOSE, 1);
        fclose(seed);
}

int main(int argc, char **argv)
{
        if (argc != 2)
                return 2;
        write_plans(argv[1]);
        write_sampling(argv[1]);
        write_refused_plans(argv[1]);
        write_refused_samples(argv[1]);
        write_information(argv[1]);
        return 0;
}
