/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong and random requests to wperf's driver in wine. Usage: test_wdm_hostile DRIVER.SYS;
 * WPERF_DRIVER_SECONDS is the length of the random part, by default 30; WPERF_DRIVER_SEED its beginning. */
#include <stdlib.h>

#include "tap.h"
#include "wdm_requests.h"

enum { CORE = 0, CPUS = 4, FILES = 3, THREADS = 3, BUFFER = 1 << 14, MINUTE_MS = 60000 };

static volatile struct sim_shared *machine;
static union wdm_plan plan;
static union wdm_counts got;

static unsigned number_of(const char *variable, unsigned fallback)
{
        const char *text = getenv(variable);

        return text ? (unsigned)strtoul(text, NULL, 0) : fallback;
}

/* Opens the machine anew, with the lock. */
static HANDLE begin(void)
{
        HANDLE device = wdm_open();
        uint32_t status = ABI_LOCK_BUSY;

        return wdm_lock(device, true, &status) || status != ABI_LOCKED ? INVALID_HANDLE_VALUE : device;
}

static void expect_exact_counts(HANDLE device)
{
        machine->runs_freely = 0;
        wdm_plan_fill(&plan, CORE, CPUS, 0x70, 4, 4);
        EXPECT_INT(wdm_assign(device, &plan), 0);
        EXPECT_INT(wdm_start(device, false), 0);
        EXPECT_TRUE(wdm_machine_pass(50));
        EXPECT_INT(wdm_stop(device), 0);
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
                EXPECT_INT(wdm_read(device, CORE, cpu, &got), 0);
                EXPECT_INT(got.head.counts[3].value, 50 * SIM_RATE(0x73, cpu));
        }
        machine->runs_freely = 1;
}

static const struct size {
        size_t in, out;
} sizes[ABI_REQUESTS] = {
        [ABI_REQUEST_VERSION] = {0, sizeof(struct abi_version)},
        [ABI_REQUEST_HW_CONFIG] = {sizeof(struct abi_first), sizeof(struct abi_hw_config)},
        [ABI_REQUEST_BLOCKS] = {sizeof(struct abi_first), sizeof(struct abi_blocks)},
        [ABI_REQUEST_LOCK] = {sizeof(struct abi_lock), sizeof(struct abi_lock_answer)},
        [ABI_REQUEST_ASSIGN] = {sizeof(struct abi_assign), 0},
        [ABI_REQUEST_SET_SOURCES] = {sizeof(struct abi_sources), 0},
        [ABI_REQUEST_SET_SPE] = {sizeof(struct abi_spe), 0},
        [ABI_REQUEST_START] = {sizeof(struct abi_start), 0},
        [ABI_REQUEST_READ_COUNTS] = {sizeof(struct abi_read), sizeof(struct abi_counts)},
        [ABI_REQUEST_READ_SAMPLES] = {sizeof(struct abi_read), sizeof(struct abi_samples)},
        [ABI_REQUEST_READ_SPE] = {sizeof(struct abi_read), sizeof(struct abi_spe_data)},
        [ABI_REQUEST_UNITS] = {sizeof(struct abi_read), sizeof(struct abi_units)},
};

/* Sends zeros of a size, from the end of a page that nothing follows; the answer has such a page, too. */
static DWORD send_zeros(HANDLE device, enum abi_request number, char *pages[2], size_t in, size_t out)
{
        memset(pages[0] + 4096 - in, 0, in);
        return wdm_request(device, number, pages[0] + 4096 - in, in, pages[1] + 4096 - out, out);
}

TEST(every_wrong_size_is_refused)
{
        HANDLE device = begin();
        char *pages[2];
        int n = 0;

        ASSERT_CMP(device, !=, INVALID_HANDLE_VALUE);
        for (int i = 0; i < 2; i++) {
                pages[i] = VirtualAlloc(NULL, 2 * 4096, MEM_RESERVE, PAGE_NOACCESS);
                ASSERT_TRUE(VirtualAlloc(pages[i], 4096, MEM_COMMIT, PAGE_READWRITE));
        }
        for (int number = 0; number < ABI_REQUESTS; number++) {
                const struct size *size = &sizes[number];

                for (size_t in = 0; in < 200; in++) {
                        if (in != size->in &&
                            send_zeros(device, number, pages, in, size->out) != ERROR_BAD_LENGTH)
                                TAP_FAIL("request %d with %zu bytes", number, in);
                        n++;
                }
                for (size_t out = 0; out < size->out; out++) {
                        if (send_zeros(device, number, pages, size->in, out) != ERROR_BAD_LENGTH)
                                TAP_FAIL("request %d with room for %zu bytes", number, out);
                        n++;
                }
                EXPECT_CMP(send_zeros(device, number, pages, size->in, size->out), !=, ERROR_BAD_LENGTH);
                if (number == ABI_REQUEST_UNLOCK)
                        send_zeros(device, ABI_REQUEST_LOCK, pages, sizes[ABI_REQUEST_LOCK].in,
                                   sizes[ABI_REQUEST_LOCK].out);
                wdm_stop(device);
        }
        printf("# %d requests\n", n);
        expect_exact_counts(device);
        EXPECT_TRUE(wdm_close(device));
}

TEST(other_codes_are_unknown)
{
        static unsigned char bytes[256];
        HANDLE device = begin();
        DWORD size;

        for (uint32_t bit = 0; bit < 32; bit++) {
                uint32_t code = ABI_OWN(ABI_REQUEST_STOP) ^ UINT32_C(1) << bit;
                DWORD error = wdm_send(device, code, bytes, sizeof(bytes), bytes, sizeof(bytes), &size);

                EXPECT_TRUE(error && !size);
        }
        /* Of another version, and behind the last. */
        EXPECT_INT(
                wdm_send(device, ABI_CODE((ABI_NUMBER + 1) << 6 | ABI_REQUEST_STOP), NULL, 0, NULL, 0, &size),
                ERROR_INVALID_FUNCTION);
        EXPECT_INT(wdm_send(device, ABI_OWN(ABI_REQUESTS), NULL, 0, NULL, 0, &size), ERROR_INVALID_FUNCTION);
        expect_exact_counts(device);
        EXPECT_TRUE(wdm_close(device));
}

/* Each with the one number that is wrong. */
TEST(numbers_out_of_range_are_refused)
{
        struct abi_spe spe = {.period = 1};
        struct abi_read read = {.unit = UINT32_MAX};
        union wdm_sources sources = {.head = {.n = 1, .chain_max = ABI_CHAIN_MAX}};
        HANDLE device = begin();

#define REFUSED(error, change)                                                                               \
        do {                                                                                                 \
                wdm_plan_fill(&plan, CORE, CPUS, 0x70, 4, 4);                                                \
                change;                                                                                      \
                EXPECT_INT(wdm_assign(device, &plan), error);                                                \
        } while (0)
        REFUSED(0, (void)0);
        REFUSED(ERROR_NOT_FOUND, plan.head.class = UINT32_MAX);
        REFUSED(ERROR_INVALID_PARAMETER, wdm_add(&plan.head.units, CPUS));
        REFUSED(ERROR_INVALID_PARAMETER, wdm_add(&plan.head.units, ABI_CPUS_MAX - 1));
        REFUSED(ERROR_INVALID_PARAMETER, plan.head.window = 0);
        REFUSED(ERROR_INVALID_PARAMETER, plan.head.window = UINT32_MAX);
        REFUSED(ERROR_NOT_ENOUGH_QUOTA, plan.head.window = 7);
        REFUSED(ERROR_INVALID_PARAMETER, plan.head.period_ms = 0);
        REFUSED(ERROR_INVALID_PARAMETER, plan.head.period_ms = UINT32_MAX);
        REFUSED(ERROR_INVALID_PARAMETER, plan.head.slots[3].code = UINT32_MAX);
        REFUSED(ERROR_INVALID_PARAMETER, plan.head.slots[3].flags = 1u << 31);
        wdm_add(&sources.head.cpus, 0);
        EXPECT_INT(wdm_set_sources(device, &sources), ERROR_INVALID_PARAMETER);
        sources.head.sources[0].period = 1;
        EXPECT_INT(wdm_set_sources(device, &sources), 0);
        sources.head.chain_max++;
        EXPECT_INT(wdm_set_sources(device, &sources), ERROR_INVALID_PARAMETER);
        wdm_add(&spe.cpus, 0);
        EXPECT_INT(wdm_request(device, ABI_REQUEST_SET_SPE, &spe, sizeof(spe), NULL, 0),
                   ERROR_INVALID_PARAMETER);
        EXPECT_INT(wdm_request(device, ABI_REQUEST_READ_COUNTS, &read, sizeof(read), &got, sizeof(got)),
                   ERROR_NOT_FOUND);
        EXPECT_INT(wdm_request(device, ABI_REQUEST_READ_SPE, &read, sizeof(read), &got, sizeof(got)),
                   ERROR_NOT_FOUND);
        EXPECT_INT(wdm_request(device, ABI_REQUEST_READ_SAMPLES, &read, sizeof(read), &got, sizeof(got)),
                   ERROR_NOT_FOUND);
        EXPECT_TRUE(wdm_close(device));
}

/* --- random requests --- */

static volatile LONG is_over;
static HANDLE files[FILES];

struct sender {
        HANDLE thread;
        uint32_t state;
        uint64_t n, n_good;
        _Alignas(8) unsigned char in[BUFFER], out[BUFFER];
};

static uint32_t next(struct sender *s)
{
        s->state ^= s->state << 13;
        s->state ^= s->state >> 17;
        s->state ^= s->state << 5;
        return s->state;
}

/* Numbers near those that are right, and others. */
static uint32_t some_number(struct sender *s)
{
        switch (next(s) % 8) {
        case 0: return next(s);
        case 1: return UINT32_MAX - next(s) % 3;
        case 2: return next(s) % 1100;
        case 3: return 0;
        default: return next(s) % 8;
        }
}

/* The first of the machine's CPUs, and some others. */
static void some_cpus(struct sender *s, struct abi_set *set)
{
        set->bits[0] = 1 | next(s) % (1 << CPUS);
}

static size_t fill_plan(struct sender *s)
{
        struct abi_assign *assign = (void *)s->in;

        assign->class = next(s) % 4;
        assign->n_slots = next(s) % 40;
        assign->window = 1 + next(s) % 6;
        assign->period_ms = 1 + next(s) % 10;
        assign->units.bits[0] = 1;
        if (assign->class == CORE)
                some_cpus(s, &assign->units);
        for (uint32_t i = 0; i < assign->n_slots; i++)
                assign->slots[i] =
                        (struct abi_slot){.code = next(s) % 32, .flags = next(s) % 16 ? 0 : next(s) % 8};
        return sizeof(*assign) + assign->n_slots * sizeof(struct abi_slot);
}

static size_t fill_sources(struct sender *s)
{
        struct abi_sources *sources = (void *)s->in;

        sources->n = next(s) % 4;
        sources->chain_max = next(s) % 20;
        some_cpus(s, &sources->cpus);
        for (uint32_t i = 0; i < sources->n; i++)
                sources->sources[i] =
                        (struct abi_source){.code = next(s) % 32, .period = 500 + next(s) % 100000};
        return sizeof(*sources) + sources->n * sizeof(struct abi_source);
}

/* A payload that may be right: counts fit the size, units are those of the machine. */
static size_t fill_well(struct sender *s, enum abi_request number)
{
        struct abi_spe *spe = (void *)s->in;
        struct abi_read *read = (void *)s->in;

        memset(s->in, 0, 4096);
        if (number == ABI_REQUEST_ASSIGN)
                return fill_plan(s);
        if (number == ABI_REQUEST_SET_SOURCES)
                return fill_sources(s);
        if (number == ABI_REQUEST_SET_SPE) {
                spe->flags = next(s) % 512;
                spe->period = next(s) % 8192;
                some_cpus(s, &spe->cpus);
        } else if (number >= ABI_REQUEST_READ_COUNTS) {
                *read = (struct abi_read){.class = next(s) % 8 ? 0 : some_number(s),
                                          .unit = next(s) % (CPUS + 1)};
        } else if (sizes[number].in) {
                read->class = next(s) % 2; /* whether to force, or to keep */
        }
        return sizes[number].in;
}

static DWORD WINAPI send_random(void *arg)
{
        struct sender *s = arg;

        while (!is_over) {
                enum abi_request number = next(s) % ABI_REQUESTS;
                size_t in = fill_well(s, number), out = next(s) % 4 ? BUFFER : next(s) % 300;
                DWORD code = number == ABI_REQUEST_VERSION ? ABI_CODE(number) : ABI_OWN(number), bytes;

                for (uint32_t i = next(s) % 4 ? 0 : 1 + next(s) % 5; i; i--)
                        s->in[next(s) % (in + 1)] = (unsigned char)some_number(s);
                if (next(s) % 16 == 0)
                        in = next(s) % BUFFER;
                if (next(s) % 64 == 0)
                        code ^= 1u << next(s) % 32;
                s->n_good += !wdm_send(files[next(s) % FILES], code, s->in, in, s->out, out, &bytes);
                s->n++;
                if (bytes > out)
                        TAP_FAIL("an answer of %lu bytes in room for %zu", bytes, out);
        }
        return 0;
}

TEST(random_requests)
{
        unsigned seconds = number_of("WPERF_DRIVER_SECONDS", 30), seed = number_of("WPERF_DRIVER_SEED", 1);
        static struct sender senders[THREADS];
        struct abi_version version;
        uint64_t n = 0, n_good = 0;
        HANDLE device;

        for (int i = 0; i < FILES; i++)
                files[i] = wdm_open();
        for (unsigned i = 0; i < THREADS; i++) {
                senders[i].state = seed * 7919 + i * 104729 + 1;
                senders[i].thread = CreateThread(NULL, 0, send_random, &senders[i], 0, NULL);
        }
        for (unsigned i = 0; i < seconds; i++) {
                Sleep(1000);
                ASSERT_TRUE(!wdm_request(files[0], ABI_REQUEST_VERSION, NULL, 0, &version, sizeof(version)));
        }
        is_over = 1;
        for (unsigned i = 0; i < THREADS; i++) {
                EXPECT_INT(WaitForSingleObject(senders[i].thread, MINUTE_MS), WAIT_OBJECT_0);
                n += senders[i].n;
                n_good += senders[i].n_good;
        }
        printf("# seed %u: %llu requests, %llu of them carried out\n", seed, (unsigned long long)n,
               (unsigned long long)n_good);
        EXPECT_CMP(n_good, >, n / 20);
        for (int i = 1; i < FILES; i++)
                CloseHandle(files[i]);
        device = begin();
        ASSERT_CMP(device, !=, INVALID_HANDLE_VALUE);
        CloseHandle(files[0]);
        wdm_stop(device);
        EXPECT_TRUE(wdm_close(device));
        device = begin();
        expect_exact_counts(device);
        EXPECT_TRUE(wdm_close(device));
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
