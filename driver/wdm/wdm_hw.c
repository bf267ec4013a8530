/* SPDX-License-Identifier: BSD-3-Clause */
/* A timer of each CPU queues a DPC to the CPU. The DPC may be late: it looks at `on`, which changes only on
 * its CPU while the PMU's interrupts are kept away. */
#include "wdm_hw.h"

#define POOL_TAG 0x66727077 /* "wprf" */

enum { MS = 10000 /* in units of 100 ns */ };

struct cpu_timer {
        KTIMER timer;
        KDPC dpc;
        uint32_t cpu;
        bool on;
};

static struct cpu_timer *timers;
static struct driver *ticking;

/* --- memory and time --- */

/* Pages, so that they begin at one. */
static void *allocate(void *ctx, size_t bytes)
{
        size_t whole = (bytes + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
        void *memory;

        (void)ctx;
        if (whole < bytes || !whole)
                return NULL;
        memory = ExAllocatePoolWithTag(NonPagedPoolNx, whole, POOL_TAG);
        if (memory)
                RtlZeroMemory(memory, whole);
        return memory;
}

static void release(void *ctx, void *memory)
{
        (void)ctx;
        ExFreePoolWithTag(memory, POOL_TAG);
}

static uint64_t time_ns(void *ctx)
{
        LARGE_INTEGER frequency, now = KeQueryPerformanceCounter(&frequency);
        uint64_t ticks = (uint64_t)now.QuadPart, per_second = (uint64_t)frequency.QuadPart;

        (void)ctx;
        return ticks / per_second * 1000000000 + ticks % per_second * 1000000000 / per_second;
}

/* --- CPUs --- */

static void run_on_cpu(void *ctx, uint32_t cpu, void (*run)(void *arg), void *arg)
{
        struct platform_visit visit;

        (void)ctx;
        platform_enter(cpu, &visit);
        run(arg);
        platform_leave(&visit);
}

static VOID NTAPI on_timer(KDPC *dpc, PVOID context, PVOID unused, PVOID unused_too)
{
        struct cpu_timer *timer = context;
        KIRQL irql = platform_mask(timer->cpu);

        (void)dpc, (void)unused, (void)unused_too;
        if (timer->on)
                driver_tick(ticking, timer->cpu);
        platform_unmask(timer->cpu, irql);
}

static void switch_on(void *arg)
{
        ((struct cpu_timer *)arg)->on = true;
}

static void switch_off(void *arg)
{
        ((struct cpu_timer *)arg)->on = false;
}

static void set_timer(void *ctx, uint32_t cpu, uint32_t period_ms)
{
        struct cpu_timer *timer = &timers[cpu];
        LARGE_INTEGER due = {.QuadPart = -(LONGLONG)period_ms * MS};

        KeCancelTimer(&timer->timer);
        run_on_cpu(ctx, cpu, period_ms ? switch_on : switch_off, timer);
        if (period_ms)
                KeSetTimerEx(&timer->timer, due, (LONG)period_ms, &timer->dpc);
}

static bool take_interrupts(void *ctx, struct driver *driver)
{
        (void)ctx;
        return NT_SUCCESS(platform_begin_interrupts(driver));
}

static void give_interrupts(void *ctx)
{
        (void)ctx;
        platform_end_interrupts();
}

static void init_timer(struct cpu_timer *timer, uint32_t cpu)
{
        timer->cpu = cpu;
        KeInitializeTimer(&timer->timer);
        KeInitializeDpc(&timer->dpc, on_timer, timer);
        platform_aim(&timer->dpc, cpu);
}

/* --- the whole --- */

NTSTATUS wdm_hw_open(struct hw *hw)
{
        NTSTATUS status;

        *hw = (struct hw){
                .run_on_cpu = run_on_cpu,
                .set_timer = set_timer,
                .take_interrupts = take_interrupts,
                .give_interrupts = give_interrupts,
                .time_ns = time_ns,
                .allocate = allocate,
                .release = release,
        };
        status = platform_open(hw);
        if (!NT_SUCCESS(status))
                return status;
        timers = allocate(NULL, hw->n_cpus * sizeof(*timers));
        if (!timers) {
                platform_close(hw);
                return STATUS_INSUFFICIENT_RESOURCES;
        }
        for (uint32_t i = 0; i < hw->n_cpus; i++)
                init_timer(&timers[i], i);
        return STATUS_SUCCESS;
}

void wdm_hw_close(struct hw *hw)
{
        for (uint32_t i = 0; i < hw->n_cpus; i++)
                KeCancelTimer(&timers[i].timer);
        platform_flush_dpcs();
        release(NULL, timers);
        timers = NULL;
        platform_close(hw);
}

void wdm_hw_set_driver(struct driver *driver)
{
        ticking = driver;
}
