/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform of the driver's test build: the simulated machine of tests/driver, whose time passes in a
 * thread. Its CPUs are locks: who acts on a CPU holds its lock. This has what wine lacks (interrupts,
 * moving to a CPU, the target of a DPC), and nothing else of the driver is changed for it. */
#include "platform.h"
#include "sim_machine.h"
#include "sim_shared.h"
#include "wdm_devices.h"

#define POOL_TAG 0x6d697377

enum { STACK_DEPTH = 10, MS = 10000, SIM_DEVICES_MAX = 5 };

static struct sim_machine machine;
static struct sim_shared defaults = SIM_DEFAULTS;
static volatile struct sim_shared *shared = &defaults;
static uint64_t cpu_ms[SIM_CPUS_MAX];
static HANDLE section;
static PVOID thread;
static volatile LONG is_over;

/* --- sim_host.h --- */

struct sim_lock {
        FAST_MUTEX mutex;
};

static HANDLE volatile acting[SIM_CPUS_MAX]; /* the thread that acted last on each CPU */

struct sim_lock *sim_lock_new(void)
{
        struct sim_lock *lock = ExAllocatePoolWithTag(NonPagedPool, sizeof(*lock), POOL_TAG);

        if (lock)
                ExInitializeFastMutex(&lock->mutex);
        return lock;
}

void sim_lock_free(struct sim_lock *lock)
{
        ExFreePoolWithTag(lock, POOL_TAG);
}

void sim_lock_take(struct sim_lock *lock)
{
        ExAcquireFastMutex(&lock->mutex);
}

void sim_lock_release(struct sim_lock *lock)
{
        ExReleaseFastMutex(&lock->mutex);
}

void sim_host_set_cpu(uint32_t cpu)
{
        HANDLE own = PsGetCurrentThreadId();

        for (uint32_t i = 0; i < SIM_CPUS_MAX; i++) {
                if (acting[i] == own)
                        acting[i] = NULL;
        }
        acting[cpu] = own;
}

uint32_t sim_host_cpu(void)
{
        HANDLE own = PsGetCurrentThreadId();

        for (uint32_t i = 0; i < SIM_CPUS_MAX; i++) {
                if (acting[i] == own)
                        return i;
        }
        return 0;
}

void *sim_host_allocate(size_t bytes)
{
        return ExAllocatePoolWithTag(NonPagedPool, bytes, POOL_TAG);
}

void sim_host_release(void *memory)
{
        ExFreePoolWithTag(memory, POOL_TAG);
}

/* --- what happens in a millisecond --- */

static uint32_t code_of(const struct sim_class *s, const struct block_class *class, uint32_t counter)
{
        return (uint32_t)(s->events[counter] >> class->event_low) & ((1u << class->event_bits) - 1);
}

/* Each event that some counter counts happens, whether one counts it or several. */
static void pass_class(uint32_t unit, uint32_t number)
{
        const struct hw_unit *u = &machine.units[unit];
        const struct block_class *class = &u->block->classes[number];
        const struct sim_class *s = &machine.classes[unit][number];

        for (uint32_t i = 0; i < class->n_counters; i++) {
                uint32_t code = code_of(s, class, i), first = 0;

                while (first < i && code_of(s, class, first) != code)
                        first++;
                /* Cycles pass below. */
                if (first == i && !(class->cycles_bits && code == class->cycles_event))
                        sim_machine_count(&machine, unit, number, code, SIM_RATE(code, u->number));
        }
        sim_machine_cycle(&machine, unit, number, SIM_CYCLES_PER_MS);
}

static void pass_spe(uint32_t cpu)
{
        struct sim_cpu *c = &machine.cpus[cpu];
        uint64_t left = shared->spe_left, before = c->n_operations;

        if (!(c->spe[HW_PMBLIMITR] & 1))
                return;
        shared->spe_control = c->spe[HW_PMSCR];
        shared->spe_interval = c->spe[HW_PMSIRR];
        sim_machine_sample(&machine, cpu, (uint32_t)(left < shared->spe_per_ms ? left : shared->spe_per_ms));
        shared->spe_left = left - (c->n_operations - before);
        if (shared->spe_losses && !(c->spe[HW_PMBSR] & SPE_STATUS_LOSS)) {
                c->spe[HW_PMBSR] |= SPE_STATUS_LOSS;
                shared->spe_losses--;
        }
}

/* An interrupt of another driver's counter: that of cycles. */
static void interrupt_by_others(uint32_t cpu)
{
        const uint64_t bit = UINT64_C(1) << machine.units[cpu].block->classes[0].cycles_bit;

        shared->others &= ~(uint64_t)SIM_OTHERS_BEGIN;
        machine.classes[cpu][0].interrupts |= bit;
        machine.classes[cpu][0].overflow |= bit;
        sim_machine_deliver(&machine, cpu);
}

static void pass_cpu(uint32_t cpu)
{
        struct sim_cpu *c = &machine.cpus[cpu];

        sim_lock_take(c->lock);
        sim_host_set_cpu(cpu);
        c->frame = (struct driver_frame){.pc = shared->pc + 4 * cpu,
                                         .lr = shared->lr,
                                         .fp = 8 * SIM_STACK_WORDS,
                                         .pid = shared->pid,
                                         .tid = shared->tid,
                                         .user = !shared->kernel};
        cpu_ms[cpu]++;
        for (uint32_t unit = 0; unit < machine.hw.n_units; unit++) {
                const struct hw_unit *u = &machine.units[unit];

                for (uint32_t i = 0; u->cpu == cpu && i < u->block->n_classes; i++)
                        pass_class(unit, i);
        }
        pass_spe(cpu);
        if (shared->others & SIM_OTHERS_BEGIN)
                interrupt_by_others(cpu);
        sim_lock_release(c->lock);
}

/* Before, only the counter of cycles is on, which belongs to programs. */
static bool is_measured(uint32_t cpu)
{
        const struct block_class *core = &machine.units[cpu].block->classes[0];

        return machine.classes[cpu][0].enabled & ~(UINT64_C(1) << core->cycles_bit) ||
               machine.cpus[cpu].spe[HW_PMSCR];
}

static VOID NTAPI pass_time(PVOID unused)
{
        LARGE_INTEGER pause = {.QuadPart = -MS};

        (void)unused;
        while (!is_over) {
                bool runs = shared->runs_freely || shared->done_ms < shared->wanted_ms;
                uint32_t n = 0;

                for (uint32_t i = 0; runs && i < machine.hw.n_cpus; i++)
                        pass_cpu(i);
                for (uint32_t i = 0; i < machine.hw.n_cpus; i++)
                        n += is_measured(i);
                shared->n_counting = n;
                if (runs)
                        shared->done_ms++;
                if (!runs || shared->runs_freely)
                        KeDelayExecutionThread(KernelMode, FALSE, &pause);
        }
        PsTerminateSystemThread(STATUS_SUCCESS);
}

/* --- platform.h --- */

/* The time of the CPU that asks. */
static uint64_t time_ns(void *ctx)
{
        (void)ctx;
        return cpu_ms[sim_host_cpu()] * 1000000;
}

static void open_section(void)
{
        UNICODE_STRING name = RTL_CONSTANT_STRING(L"\\BaseNamedObjects\\" SIM_SECTION);
        OBJECT_ATTRIBUTES attributes;
        SIZE_T bytes = 0;
        PVOID view = NULL;

        InitializeObjectAttributes(&attributes, &name, OBJ_KERNEL_HANDLE, NULL, NULL);
        if (!NT_SUCCESS(ZwOpenSection(&section, SECTION_MAP_READ | SECTION_MAP_WRITE, &attributes))) {
                section = NULL;
                return;
        }
        if (NT_SUCCESS(ZwMapViewOfSection(section, ZwCurrentProcess(), &view, 0, 0, NULL, &bytes, ViewUnmap,
                                          0, PAGE_READWRITE)))
                shared = view;
}

static void close_section(void)
{
        if (shared != &defaults)
                ZwUnmapViewOfSection(ZwCurrentProcess(), (PVOID)shared);
        if (section)
                ZwClose(section);
        shared = &defaults;
        section = NULL;
}

/* Frames whose return addresses are 0x4000, 0x4001 ... */
static void build_stack(void)
{
        for (uint32_t i = 0; i < STACK_DEPTH; i++) {
                machine.stack[2 * i] = 8 * (SIM_STACK_WORDS + 2 * (i + 1));
                machine.stack[2 * i + 1] = 0x4000 + i;
        }
}

/* Blocks whose devices are in the registry have a unit for each that has enough memory, in place of
 * n_each. */
static void use_devices(void)
{
        struct wdm_device devices[SIM_DEVICES_MAX];

        for (uint32_t i = 0; i < block_all_n; i++) {
                const struct block *block = &block_all[i];
                uint32_t n = 0, wanted = 0;

                if (block->acpi)
                        n = wdm_devices_find(block->acpi, devices, SIM_DEVICES_MAX);
                for (uint32_t k = 0; k < n; k++)
                        wanted += devices[k].bytes >= block->memory;
                if (n)
                        sim_machine_set_units(&machine, block, wanted);
        }
}

/* The cores have no counters of 64 bits, and only that of cycles is on. */
static void adapt_cpu(uint32_t cpu)
{
        const struct block_class *core = &machine.units[cpu].block->classes[0];
        struct sim_class *pmu = &machine.classes[cpu][0];

        machine.cpus[cpu].pmsidr &= ~shared->pmsidr_lacks;
        pmu->control &= ~core->wide;
        pmu->enabled &= UINT64_C(1) << core->cycles_bit;
        if (shared->others & SIM_OTHERS_PMU)
                pmu->interrupts |= UINT64_C(1) << core->cycles_bit;
        if (shared->others & SIM_OTHERS_SPE)
                machine.cpus[cpu].spe[HW_PMBLIMITR] = 1;
}

NTSTATUS platform_open(struct hw *hw)
{
        struct hw own;
        HANDLE handle;
        NTSTATUS status;

        open_section();
        sim_machine_make(&machine, shared->n_cpus <= SIM_CPUS_MAX ? shared->n_cpus : SIM_CPUS_MAX,
                         shared->n_each, true);
        use_devices();
        for (uint32_t i = 0; i < machine.hw.n_cpus; i++)
                adapt_cpu(i);
        RtlZeroMemory(cpu_ms, sizeof(cpu_ms));
        build_stack();
        own = machine.hw;
        own.run_on_cpu = hw->run_on_cpu;
        own.set_timer = hw->set_timer;
        own.take_interrupts = hw->take_interrupts;
        own.give_interrupts = hw->give_interrupts;
        own.allocate = hw->allocate;
        own.release = hw->release;
        own.time_ns = time_ns;
        *hw = own;
        is_over = FALSE;
        shared->is_open = 1;
        status = PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, pass_time, NULL);
        if (!NT_SUCCESS(status)) {
                shared->is_open = 0;
                close_section();
                return status;
        }
        status = ObReferenceObjectByHandle(handle, SYNCHRONIZE, NULL, KernelMode, &thread, NULL);
        ZwClose(handle);
        return status;
}

void platform_close(struct hw *hw)
{
        (void)hw;
        is_over = TRUE;
        KeWaitForSingleObject(thread, Executive, KernelMode, FALSE, NULL);
        ObDereferenceObject(thread);
        sim_machine_release(&machine);
        shared->n_counting = shared->is_open = 0;
        close_section();
}

NTSTATUS platform_begin_interrupts(struct driver *driver)
{
        machine.handler = driver;
        return STATUS_SUCCESS;
}

void platform_end_interrupts(void)
{
        machine.handler = NULL;
        for (uint32_t i = 0; i < machine.hw.n_cpus; i++) {
                struct platform_visit visit;

                platform_enter(i, &visit);
                platform_leave(&visit);
        }
}

void platform_enter(uint32_t cpu, struct platform_visit *visit)
{
        visit->cpu = cpu;
        visit->irql = platform_mask(cpu);
}

void platform_leave(const struct platform_visit *visit)
{
        platform_unmask(visit->cpu, visit->irql);
}

KIRQL platform_mask(uint32_t cpu)
{
        sim_lock_take(machine.cpus[cpu].lock);
        sim_host_set_cpu(cpu);
        return PASSIVE_LEVEL;
}

void platform_unmask(uint32_t cpu, KIRQL irql)
{
        (void)irql;
        sim_lock_release(machine.cpus[cpu].lock);
}

void platform_aim(KDPC *dpc, uint32_t cpu)
{
        (void)dpc, (void)cpu;
}

/* In wine KeCancelTimer has waited. */
void platform_flush_dpcs(void)
{
}
