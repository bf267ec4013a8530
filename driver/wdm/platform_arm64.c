/* SPDX-License-Identifier: BSD-3-Clause */
/* The PMUs of cores, and SPE, on Windows on Arm; platform_units.c finds the other units.
 *
 * Windows gives the interrupt of all PMUs to one handler (HalProfileSourceInterruptHandler), at
 * PROFILE_LEVEL, and has counters reserved by HalAllocateHardwareCounters. It gives the interrupt of SPE to
 * nobody; the core's timer looks after SPE. */
#include "platform.h"
#include "platform_units.h"
#include "register_access.h"

#define READ_REGISTER(name)                                                                                  \
        ({                                                                                                   \
                uint64_t value_;                                                                             \
                __asm__ volatile("mrs %0, " name : "=r"(value_));                                            \
                value_;                                                                                      \
        })
#define WRITE_REGISTER(name, value) __asm__ volatile("msr " name ", %0\n\tisb" ::"r"((uint64_t)(value)))

enum { SPE_VERSION_SHIFT = 32, PMU_VERSION_SHIFT = 8, PMU_VERSION_OTHER = 15 };

/* What Windows stores when it takes an interrupt on arm64: the registers of what was interrupted. */
struct arm64_trap {
        uint8_t head[0x90];
        uint32_t spsr, esr;
        uint64_t sp, x[19];
        uint64_t lr, fp, pc;
};

_Static_assert(offsetof(struct arm64_trap, lr) == 0x138 && sizeof(struct arm64_trap) == 0x150,
               "the layout of KTRAP_FRAME");

/* The build repairs the layouts of mingw-w64's headers for ARM64. */
_Static_assert(offsetof(DRIVER_OBJECT, MajorFunction) == 0x70 && sizeof(DRIVER_OBJECT) == 0x150 &&
                       offsetof(DEVICE_OBJECT, Flags) == 0x30 && offsetof(IRP, IoStatus) == 0x30 &&
                       offsetof(IO_STACK_LOCATION, FileObject) == 0x30 &&
                       offsetof(IO_STACK_LOCATION, Parameters.DeviceIoControl.IoControlCode) == 0x18 &&
                       sizeof(KTIMER) == 0x40 && sizeof(KDPC) == 0x40 && sizeof(KEVENT) == 0x18 &&
                       sizeof(KMUTEX) == 0x38,
               "the layouts of Windows for 64 bits");

static struct hw_unit *units;
static HANDLE reserved[BLOCK_COUNTERS_MAX]; /* NULL: somebody else has the counter */
static uint32_t n_cpus;
static struct driver *volatile interrupted;

/* --- registers --- */

static uint64_t read_id(void *ctx, enum hw_id id)
{
        (void)ctx;
        switch (id) {
        case HW_MIDR: return READ_REGISTER("midr_el1");
        case HW_DFR0: return READ_REGISTER("id_aa64dfr0_el1");
        case HW_PMSIDR:
                return READ_REGISTER("id_aa64dfr0_el1") >> SPE_VERSION_SHIFT & 0xf
                               ? READ_REGISTER("s3_0_c9_c9_7")
                               : 0;
        }
        return 0;
}

static uint64_t spe_read(void *ctx, enum hw_spe_register which)
{
        (void)ctx;
        switch (which) {
        case HW_PMSCR: return READ_REGISTER("s3_0_c9_c9_0");
        case HW_PMSICR: return READ_REGISTER("s3_0_c9_c9_2");
        case HW_PMSIRR: return READ_REGISTER("s3_0_c9_c9_3");
        case HW_PMSFCR: return READ_REGISTER("s3_0_c9_c9_4");
        case HW_PMSEVFR: return READ_REGISTER("s3_0_c9_c9_5");
        case HW_PMSNEVFR: return READ_REGISTER("s3_0_c9_c9_1");
        case HW_PMSLATFR: return READ_REGISTER("s3_0_c9_c9_6");
        case HW_PMBLIMITR: return READ_REGISTER("s3_0_c9_c10_0");
        case HW_PMBPTR: return READ_REGISTER("s3_0_c9_c10_1");
        case HW_PMBSR: return READ_REGISTER("s3_0_c9_c10_3");
        case HW_SPE_REGISTERS: break;
        }
        return 0;
}

static void spe_write(void *ctx, enum hw_spe_register which, uint64_t value)
{
        (void)ctx;
        switch (which) {
        case HW_PMSCR: WRITE_REGISTER("s3_0_c9_c9_0", value); break;
        case HW_PMSICR: WRITE_REGISTER("s3_0_c9_c9_2", value); break;
        case HW_PMSIRR: WRITE_REGISTER("s3_0_c9_c9_3", value); break;
        case HW_PMSFCR: WRITE_REGISTER("s3_0_c9_c9_4", value); break;
        case HW_PMSEVFR: WRITE_REGISTER("s3_0_c9_c9_5", value); break;
        case HW_PMSNEVFR: WRITE_REGISTER("s3_0_c9_c9_1", value); break;
        case HW_PMSLATFR: WRITE_REGISTER("s3_0_c9_c9_6", value); break;
        case HW_PMBLIMITR: WRITE_REGISTER("s3_0_c9_c10_0", value); break;
        case HW_PMBPTR: WRITE_REGISTER("s3_0_c9_c10_1", value); break;
        case HW_PMBSR: WRITE_REGISTER("s3_0_c9_c10_3", value); break;
        case HW_SPE_REGISTERS: break;
        }
}

static void spe_drain(void *ctx)
{
        (void)ctx;
        /* PSB CSYNC; another CPU may read the records. */
        __asm__ volatile("hint #17\n\tdsb ish\n\tisb" ::: "memory");
}

/* Whether a CPU of this kind lets the kernel program SPE's buffer. */
static bool has_spe(void)
{
        const uint64_t not_allowed = 1u << 4; /* PMBIDR_EL1.P */

        return (READ_REGISTER("id_aa64dfr0_el1") >> SPE_VERSION_SHIFT & 0xf) &&
               !(READ_REGISTER("s3_0_c9_c10_7") & not_allowed);
}

/* Stacks of programs may be paged out, which nobody may wait for in an interrupt. The stack of a thread
 * that runs in the kernel is present. */
static bool read_stack(void *ctx, uint64_t address, bool user, uint64_t ret[2])
{
        ULONG_PTR low, high;
        const uint64_t *words = (const uint64_t *)address;

        (void)ctx;
        if (user)
                return false;
        IoGetStackLimits(&low, &high);
        if (address < low || address > high || high - address < 2 * sizeof(*words))
                return false;
        ret[0] = words[0];
        ret[1] = words[1];
        return true;
}

/* --- counters --- */

static uint32_t reserve_counters(void)
{
        uint32_t got = 0;

        for (uint32_t i = 0; i < BLOCK_COUNTERS_MAX; i++) {
                PHYSICAL_COUNTER_RESOURCE_LIST list = {.Count = 1};

                list.Descriptors[0].Type = ResourceTypeSingle;
                list.Descriptors[0].u.CounterIndex = i;
                if (NT_SUCCESS(HalAllocateHardwareCounters(NULL, 0, &list, &reserved[i])))
                        got |= 1u << i;
                else
                        reserved[i] = NULL;
        }
        return got;
}

static void free_counters(void)
{
        for (uint32_t i = 0; i < BLOCK_COUNTERS_MAX; i++) {
                if (reserved[i])
                        HalFreeHardwareCounters(reserved[i]);
                reserved[i] = NULL;
        }
}

static const struct block *core_block(void)
{
        for (uint32_t i = 0; i < block_all_n; i++) {
                if (!strcmp(block_all[i].name, "core-pmuv3"))
                        return &block_all[i];
        }
        return NULL;
}

NTSTATUS platform_open(struct hw *hw)
{
        const struct block *core = core_block();
        uint32_t version = (uint32_t)(READ_REGISTER("id_aa64dfr0_el1") >> PMU_VERSION_SHIFT & 0xf), free;

        if (!core || !version || version == PMU_VERSION_OTHER)
                return STATUS_NOT_SUPPORTED;
        n_cpus = KeQueryActiveProcessorCountEx(ALL_PROCESSOR_GROUPS);
        n_cpus = n_cpus < ABI_CPUS_MAX ? n_cpus : ABI_CPUS_MAX;
        units = hw->allocate(NULL, (n_cpus + PLATFORM_UNITS_MAX) * sizeof(*units));
        if (!units)
                return STATUS_INSUFFICIENT_RESOURCES;
        free = reserve_counters();
        for (uint32_t i = 0; i < n_cpus; i++)
                units[i] = (struct hw_unit){.block = core, .number = i, .cpu = i, .free_counters = free};
        hw->n_cpus = n_cpus;
        hw->n_units = n_cpus + platform_units_open(hw, units + n_cpus);
        hw->units = units;
        hw->read = register_access_read;
        hw->write = register_access_write;
        hw->read_id = read_id;
        hw->read_stack = read_stack;
        if (has_spe()) {
                hw->spe_read = spe_read;
                hw->spe_write = spe_write;
                hw->spe_drain = spe_drain;
        }
        return STATUS_SUCCESS;
}

void platform_close(struct hw *hw)
{
        free_counters();
        platform_units_close(hw, units + n_cpus, hw->n_units - n_cpus);
        hw->release(NULL, units);
        units = NULL;
}

/* --- interrupts --- */

/* A CPU that was added since the driver was opened has none of its counters. Its interrupt is switched off,
 * because it would come again and again: the driver can't hand it to anybody. */
static void refuse_interrupt(void)
{
        uint64_t pending = READ_REGISTER("pmovsclr_el0") & READ_REGISTER("pmintenset_el1");

        WRITE_REGISTER("pmintenclr_el1", pending);
}

/* Overflow bits of others stay; driver_interrupt lets them wait. */
static VOID NTAPI on_interrupt(struct arm64_trap *trap)
{
        uint32_t cpu = KeGetCurrentProcessorNumberEx(NULL);
        struct driver_frame frame = {
                .pc = trap->pc,
                .lr = trap->lr,
                .fp = trap->fp,
                .pid = (uint32_t)(ULONG_PTR)PsGetCurrentProcessId(),
                .tid = (uint32_t)(ULONG_PTR)PsGetCurrentThreadId(),
                .user = !(trap->spsr & 0xf),
        };

        if (cpu < n_cpus)
                driver_interrupt(interrupted, cpu, &frame);
        else
                refuse_interrupt();
}

static NTSTATUS set_handler(void *handler)
{
        return HalSetSystemInformation(HalProfileSourceInterruptHandler, sizeof(handler), &handler);
}

NTSTATUS platform_begin_interrupts(struct driver *driver)
{
        NTSTATUS status;

        if (KeQueryActiveProcessorCountEx(ALL_PROCESSOR_GROUPS) != n_cpus)
                return STATUS_NOT_SUPPORTED;
        interrupted = driver;
        status = set_handler((void *)on_interrupt);
        if (!NT_SUCCESS(status))
                interrupted = NULL;
        return status;
}

/* A handler that has read `interrupted` ends before its CPU lets a thread run. NULL, because Windows tells
 * nobody which handler there was before. */
void platform_end_interrupts(void)
{
        (void)set_handler(NULL);
        for (uint32_t i = 0; i < n_cpus; i++) {
                struct platform_visit visit;

                platform_enter(i, &visit);
                platform_leave(&visit);
        }
        interrupted = NULL;
}

/* --- CPUs --- */

void platform_enter(uint32_t cpu, struct platform_visit *visit)
{
        PROCESSOR_NUMBER number;
        GROUP_AFFINITY affinity = {0};

        KeGetProcessorNumberFromIndex(cpu, &number);
        affinity.Group = number.Group;
        affinity.Mask = (KAFFINITY)1 << number.Number;
        KeSetSystemGroupAffinityThread(&affinity, &visit->before);
        visit->cpu = cpu;
        visit->irql = platform_mask(cpu);
}

void platform_leave(const struct platform_visit *visit)
{
        GROUP_AFFINITY before = visit->before;

        platform_unmask(visit->cpu, visit->irql);
        KeRevertToUserGroupAffinityThread(&before);
}

KIRQL platform_mask(uint32_t cpu)
{
        KIRQL irql;

        (void)cpu;
        KeRaiseIrql(HIGH_LEVEL, &irql);
        return irql;
}

void platform_unmask(uint32_t cpu, KIRQL irql)
{
        (void)cpu;
        KeLowerIrql(irql);
}

void platform_aim(KDPC *dpc, uint32_t cpu)
{
        PROCESSOR_NUMBER number;

        KeGetProcessorNumberFromIndex(cpu, &number);
        KeSetTargetProcessorDpcEx(dpc, &number);
}

void platform_flush_dpcs(void)
{
        KeFlushQueuedDpcs();
}
