/* SPDX-License-Identifier: BSD-3-Clause */
/* driver/core at EL1 of an emulated CPU, with its real PMU registers and interrupts: counts and samples are
 * exact, because qemu executes one instruction a cycle with `-icount shift=0`. bare.sh runs it. Prints TAP
 * by semihosting. */
#include <stdatomic.h>
#include <string.h>

#include "register_access.h"
#include "request.h"

void bare_main(void);
void bare_interrupt(uint64_t pc, uint64_t lr, uint64_t fp);
void bare_exception(uint64_t esr, uint64_t pc);

#define READ(register_name)                                                                                  \
        ({                                                                                                   \
                uint64_t value_;                                                                             \
                __asm__ volatile("mrs %0, " #register_name : "=r"(value_));                                  \
                value_;                                                                                      \
        })
#define WRITE(register_name, value)                                                                          \
        __asm__ volatile("msr " #register_name ", %0\n\tisb" : : "r"((uint64_t)(value)) : "memory")

enum { PMU_INTERRUPT = 23, ITERATIONS = 1000000, PERIOD = 100000, MEMORY_BYTES = 4 << 20 };

/* --- C library --- */

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
        for (size_t i = 0; i < n; i++)
                ((char *)to)[i] = ((const char *)from)[i];
        return to;
}

void *memset(void *to, int value, size_t n)
{
        for (size_t i = 0; i < n; i++)
                ((char *)to)[i] = (char)value;
        return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t n)
{
        for (size_t i = 0; i < n; i++)
                to[i] = *from ? *from++ : 0;
        return to;
}

/* --- output --- */

static long ask_host(long operation, const void *argument)
{
        register long x0 __asm__("x0") = operation;
        register const void *x1 __asm__("x1") = argument;

        __asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
        return x0;
}

static void print(const char *text)
{
        enum { SYS_WRITE0 = 4 };

        ask_host(SYS_WRITE0, text);
}

static void print_number(uint64_t value)
{
        char text[24], *at = text + sizeof(text) - 1;

        *at = 0;
        do
                *--at = (char)('0' + value % 10);
        while (value /= 10);
        print(at);
}

static void leave(int status)
{
        enum { SYS_EXIT = 0x18, APPLICATION_EXIT = 0x20026 };
        const uint64_t block[2] = {APPLICATION_EXIT, (uint64_t)status};

        ask_host(SYS_EXIT, block);
}

static unsigned n_tests, n_failed;

static void expect(const char *what, uint64_t got, uint64_t want)
{
        print(got == want ? "ok " : "not ok ");
        print_number(++n_tests);
        print(" - ");
        print(what);
        print("\n");
        if (got == want)
                return;
        n_failed++;
        print("# got ");
        print_number(got);
        print(", want ");
        print_number(want);
        print("\n");
}

/* --- interrupt controller of qemu's machine `virt` --- */

static volatile uint32_t *const gic_distributor = (volatile uint32_t *)0x08000000;
static volatile uint32_t *const gic2_cpu = (volatile uint32_t *)0x08010000;
static volatile uint32_t *const gic3_redistributor = (volatile uint32_t *)0x080a0000;

static bool is_gic3(void)
{
        return READ(id_aa64pfr0_el1) >> 24 & 0xf;
}

static void start_gic2(void)
{
        gic_distributor[0] = 1;
        gic_distributor[0x100 / 4] = 1u << PMU_INTERRUPT;
        gic2_cpu[1] = 0xff; /* all priorities */
        gic2_cpu[0] = 1;
}

static void start_gic3(void)
{
        volatile uint32_t *own = gic3_redistributor + 0x10000 / 4;

        gic_distributor[0] = 0x12; /* affinity routing, group 1 */
        gic3_redistributor[0x14 / 4] &= ~2u;
        while (gic3_redistributor[0x14 / 4] & 4)
                ;
        own[0x80 / 4] = UINT32_MAX; /* group 1 */
        own[0x100 / 4] = 1u << PMU_INTERRUPT;
        WRITE(S3_0_C12_C12_5, READ(S3_0_C12_C12_5) | 1); /* ICC_SRE_EL1: system registers */
        WRITE(S3_0_C4_C6_0, 0xff);                       /* ICC_PMR_EL1 */
        WRITE(S3_0_C12_C12_7, 1);                        /* ICC_IGRPEN1_EL1 */
}

static uint32_t take_interrupt(void)
{
        return is_gic3() ? (uint32_t)READ(S3_0_C12_C12_0) : gic2_cpu[3];
}

static void end_interrupt(uint32_t number)
{
        if (is_gic3())
                WRITE(S3_0_C12_C12_1, number);
        else
                gic2_cpu[4] = number;
}

/* --- the machine --- */

static struct hw_unit unit;
static struct driver *driver;
static unsigned char memory[MEMORY_BYTES] __attribute__((aligned(4096)));
static size_t n_memory;
static uint32_t n_foreign;

static uint64_t read_id(void *ctx, enum hw_id id)
{
        (void)ctx;
        return id == HW_MIDR ? READ(midr_el1) : id == HW_DFR0 ? READ(id_aa64dfr0_el1) : 0;
}

static void run_on_cpu(void *ctx, uint32_t cpu, void (*run)(void *arg), void *arg)
{
        uint64_t mask = READ(daif);

        (void)ctx;
        (void)cpu;
        __asm__ volatile("msr daifset, #2" : : : "memory");
        run(arg);
        WRITE(daif, mask);
}

static void set_timer(void *ctx, uint32_t cpu, uint32_t period_ms)
{
        (void)ctx;
        (void)cpu;
        (void)period_ms;
}

/* The interrupts come from the start on. */
static bool take_interrupts(void *ctx, struct driver *to)
{
        (void)ctx;
        (void)to;
        return true;
}

static void give_interrupts(void *ctx)
{
        (void)ctx;
}

static uint64_t time_ns(void *ctx)
{
        (void)ctx;
        return READ(cntvct_el0) * (1000000000 / READ(cntfrq_el0));
}

static bool read_stack(void *ctx, uint64_t address, bool user, uint64_t ret[2])
{
        const uint64_t *words = (const uint64_t *)(uintptr_t)address;

        (void)ctx;
        (void)user;
        ret[0] = words[0];
        ret[1] = words[1];
        return true;
}

static void *allocate(void *ctx, size_t bytes)
{
        void *at = memory + n_memory;

        (void)ctx;
        bytes = (bytes + 4095) / 4096 * 4096;
        if (bytes > sizeof(memory) - n_memory)
                return NULL;
        n_memory += bytes;
        return at;
}

static void release(void *ctx, void *at)
{
        (void)ctx;
        (void)at;
}

static const struct hw hw = {
        .n_cpus = 1,
        .units = &unit,
        .n_units = 1,
        .read = register_access_read,
        .write = register_access_write,
        .read_id = read_id,
        .run_on_cpu = run_on_cpu,
        .set_timer = set_timer,
        .take_interrupts = take_interrupts,
        .give_interrupts = give_interrupts,
        .time_ns = time_ns,
        .read_stack = read_stack,
        .allocate = allocate,
        .release = release,
};

void bare_interrupt(uint64_t pc, uint64_t lr, uint64_t fp)
{
        const struct driver_frame frame = {.pc = pc, .lr = lr, .fp = fp};
        uint32_t number = take_interrupt();

        if ((number & 0x3ff) != PMU_INTERRUPT || !driver_interrupt(driver, 0, &frame))
                n_foreign++;
        end_interrupt(number);
}

void bare_exception(uint64_t esr, uint64_t pc)
{
        print("# exception ");
        print_number(esr);
        print(" at ");
        print_number(pc);
        print("\n");
        leave(3);
}

/* --- what is measured --- */

__attribute__((noinline)) static void loop_of_four(uint64_t n)
{
        __asm__ volatile("1: nop\n\tnop\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
}

__attribute__((noinline)) static void loop_of_eight(uint64_t n)
{
        __asm__ volatile("1: nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tsubs %0, %0, #1\n\tb.ne 1b"
                         : "+r"(n)
                         :
                         : "cc");
}

__attribute__((noinline)) static void work(uint64_t n)
{
        loop_of_four(n);
        loop_of_eight(n);
        __asm__ volatile("");
}

static const int owner = 1;

static void ask(const char *what, enum abi_request number, const void *in, size_t in_bytes, void *out,
                size_t out_bytes)
{
        uint32_t bytes;
        enum request_status status = request_run(driver, &owner, ABI_OWN(number), in, (uint32_t)in_bytes, out,
                                                 (uint32_t)out_bytes, &bytes);

        if (status != REQUEST_OK)
                expect(what, status, REQUEST_OK);
}

static union {
        struct abi_assign head;
        unsigned char bytes[sizeof(struct abi_assign) + 16 * sizeof(struct abi_slot)];
} plan;

static union {
        struct abi_counts head;
        unsigned char bytes[sizeof(struct abi_counts) + 16 * sizeof(struct abi_count)];
} counts;

static void assign(const uint32_t *codes, uint32_t n, uint32_t window)
{
        memset(&plan, 0, sizeof(plan));
        plan.head.n_slots = n;
        plan.head.window = window;
        plan.head.period_ms = 10;
        plan.head.units.bits[0] = 1;
        for (uint32_t i = 0; i < n; i++)
                plan.head.slots[i].code = codes[i];
        ask("assign", ABI_REQUEST_ASSIGN, &plan, sizeof(plan.head) + n * sizeof(struct abi_slot), NULL, 0);
}

static void start(void)
{
        const struct abi_start in = {0};

        ask("start", ABI_REQUEST_START, &in, sizeof(in), NULL, 0);
}

static void stop_and_read(void)
{
        const struct abi_read in = {0};

        ask("stop", ABI_REQUEST_STOP, NULL, 0, NULL, 0);
        ask("read counts", ABI_REQUEST_READ_COUNTS, &in, sizeof(in), &counts, sizeof(counts));
}

/* The difference of two runs does not contain what start and stop themselves execute. */
static void test_counts(void)
{
        static const uint32_t codes[] = {0x11, 0x08, 0x00};
        uint64_t first[3];

        assign(codes, 3, 3);
        start();
        work(ITERATIONS);
        stop_and_read();
        for (uint32_t i = 0; i < 2; i++)
                first[i] = counts.head.counts[i].value;
        first[2] = counts.head.cycles;
        start();
        work(3 * ITERATIONS);
        for (int i = 0; i < 1234; i++)
                WRITE(pmswinc_el0, 1 << 2);
        WRITE(pmswinc_el0, 0);
        stop_and_read();
        expect("software increments", counts.head.counts[2].value, 1234);
        start();
        work(3 * ITERATIONS);
        stop_and_read();
        expect("cycles of an event counter", counts.head.counts[0].value - first[0], 12 * 2 * ITERATIONS);
        expect("instructions", counts.head.counts[1].value - first[1], 12 * 2 * ITERATIONS);
        expect("cycles of the cycle counter", counts.head.cycles - first[2], 12 * 2 * ITERATIONS);
}

/* Software increments of counter 0 count for the slot whose window is there. */
static void test_windows(void)
{
        static const uint32_t codes[] = {0, 0, 0};

        assign(codes, 3, 1);
        start();
        for (int turn = 0; turn < 6; turn++) {
                for (int i = 0; i < 10 * (turn % 3 + 1); i++)
                        WRITE(pmswinc_el0, 1);
                driver_tick(driver, 0);
        }
        stop_and_read();
        for (uint32_t i = 0; i < 3; i++)
                expect("increments in a window", counts.head.counts[i].value, 20 * (i + 1));
        expect("windows", counts.head.windows, 7);
}

static void set_counter_0(uint32_t value)
{
        WRITE(pmselr_el0, 0);
        WRITE(pmxevcntr_el0, value);
}

/* The counter is moved close to its end twice, and wraps each time. */
static void test_wraps(void)
{
        static const uint32_t codes[] = {0};

        assign(codes, 1, 1);
        set_counter_0(0);
        start();
        for (int i = 0; i < 2; i++) {
                set_counter_0(0xfffffff0);
                for (int n = 0; n < 0x20; n++)
                        WRITE(pmswinc_el0, 1);
                driver_tick(driver, 0);
        }
        stop_and_read();
        expect("a count of more than 32 bits", counts.head.counts[0].value, (UINT64_C(2) << 32) + 0x10);
}

static union {
        struct abi_samples head;
        unsigned char bytes[64 << 10];
} samples;

static bool is_near(uint64_t got, uint64_t want)
{
        return got == want || got == want + 1;
}

static void test_samples(uint32_t code, const char *what)
{
        union {
                struct abi_sources head;
                unsigned char bytes[sizeof(struct abi_sources) + 2 * sizeof(struct abi_source)];
        } sources;
        static const uint32_t cycles[] = {0x11};
        const struct abi_read in = {0};
        uint64_t in_four = 0, in_eight = 0, n = 0, with_caller = 0;

        memset(&sources, 0, sizeof(sources));
        assign(cycles, 1, 1);
        sources.head.n = 2;
        sources.head.chain_max = 2;
        sources.head.cpus.bits[0] = 1;
        sources.head.sources[0] = (struct abi_source){.code = code, .period = PERIOD};
        /* qemu sees the overflow of an event counter only with another interrupt, so cycles overflow just
         * after it. */
        sources.head.sources[1] = (struct abi_source){.code = 0x11, .period = PERIOD + 1};
        ask("sources", ABI_REQUEST_SET_SOURCES, &sources,
            sizeof(sources.head) + sources.head.n * sizeof(struct abi_source), NULL, 0);
        start();
        work(2 * ITERATIONS);
        stop_and_read();
        ask("read samples", ABI_REQUEST_READ_SAMPLES, &in, sizeof(in), &samples, sizeof(samples));
        for (uint32_t at = 0; at < samples.head.bytes;) {
                const struct abi_sample *s = (const void *)(samples.bytes + sizeof(samples.head) + at);

                at += s->bytes;
                if (s->source)
                        continue;
                n++;
                in_four += s->pc >= (uintptr_t)loop_of_four && s->pc < (uintptr_t)loop_of_eight;
                in_eight += s->pc >= (uintptr_t)loop_of_eight && s->pc < (uintptr_t)work;
                with_caller += s->n_chain > 0;
        }
        /* The way into the handler and out of it is counted too, so there may be a sample more than the
         * loops have periods. One instruction takes one cycle. */
        expect(what, n, counts.head.counts[0].value / PERIOD);
        expect("samples in the first loop", is_near(in_four, 4 * 2 * ITERATIONS / PERIOD), true);
        expect("samples in the second loop", is_near(in_eight, 8 * 2 * ITERATIONS / PERIOD), true);
        expect("samples with callers", with_caller, n);
        expect("dropped samples", samples.head.dropped, 0);
        sources.head.n = 0;
        ask("no sources", ABI_REQUEST_SET_SOURCES, &sources, sizeof(sources.head), NULL, 0);
}

void bare_main(void)
{
        const struct abi_lock lock = {0};
        struct abi_lock_answer answer;

        unit = (struct hw_unit){.block = &block_all[0], .free_counters = UINT32_MAX};
        if (is_gic3())
                start_gic3();
        else
                start_gic2();
        driver = driver_new(&hw);
        if (!driver)
                leave(4);
        ask("lock", ABI_REQUEST_LOCK, &lock, sizeof(lock), &answer, sizeof(answer));
        __asm__ volatile("msr daifclr, #2" : : : "memory");
        expect("counters", driver->cpus[0].core->n_counters, READ(pmcr_el0) >> 11 & 31);
        test_counts();
        test_windows();
        test_wraps();
        test_samples(0x11, "samples of cycles");
        test_samples(0x08, "samples of instructions");
        expect("interrupts of nobody", n_foreign, 0);
        print("1..");
        print_number(n_tests);
        print("\n");
        leave(n_failed != 0);
}
