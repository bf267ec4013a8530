/* SPDX-License-Identifier: BSD-3-Clause */
/* Whoever reads the registers of a cluster's PMU on a core without one stops the kernel, so a device in the
 * registry is not enough: it may be from another machine that had this disk. The id must be in the
 * firmware's tables, too. */
#include "platform_units.h"

#include "abi.h"
#include "platform.h"
#include "wdm_devices.h"

enum {
        FIRMWARE_TABLES = 76, /* of ZwQuerySystemInformation */
        ACPI = 0x41435049,    /* 'ACPI' */
        GET_TABLE = 1,        /* its action */
        TABLE_MAX = 4 << 20,  /* bytes */
        ID_CHARS = 8,         /* of an ACPI id that is a text */
        AFFINITY_3 = 32,      /* bits of MPIDR_EL1 */
        THREADS = 24,         /* Aff0 are threads: clusters are in Aff2 */
        LEVEL_BITS = 8,
};

NTSYSAPI NTSTATUS NTAPI ZwQuerySystemInformation(ULONG class, PVOID out, ULONG room, PULONG ret_size);

struct firmware_request {
        ULONG provider, action, table, bytes;
        UCHAR data[];
};

struct cluster {
        uint64_t id;
        uint32_t cpu;
        uint64_t cpus[ABI_CPUS_MAX / 64];
};

static struct cluster *clusters;
static uint32_t n_clusters;

/* --- what the firmware describes --- */

static bool has_text(const UCHAR *data, ULONG size, const char *text)
{
        for (ULONG i = 0; size >= ID_CHARS && i <= size - ID_CHARS; i++) {
                if (!memcmp(data + i, text, ID_CHARS))
                        return true;
        }
        return false;
}

/* Whether a table of ACPI ("DSDT") contains the id. */
static bool table_has(const struct hw *hw, ULONG table, const char *acpi)
{
        struct firmware_request ask = {.provider = ACPI, .action = GET_TABLE, .table = table}, *all;
        ULONG size = 0, room;
        bool found = false;

        ZwQuerySystemInformation(FIRMWARE_TABLES, &ask, sizeof(ask), &size);
        if (size <= sizeof(ask) || size > TABLE_MAX)
                return false;
        room = size;
        all = hw->allocate(hw->ctx, room);
        if (!all)
                return false;
        *all = ask;
        all->bytes = room - (ULONG)sizeof(ask);
        if (NT_SUCCESS(ZwQuerySystemInformation(FIRMWARE_TABLES, all, room, &size)))
                found = has_text(all->data,
                                 all->bytes < room - sizeof(ask) ? all->bytes : room - (ULONG)sizeof(ask),
                                 acpi);
        hw->release(hw->ctx, all);
        return found;
}

static bool firmware_has(const struct hw *hw, const char *acpi)
{
        const ULONG dsdt = 0x54445344, ssdt = 0x54445353;

        return strlen(acpi) == ID_CHARS && (table_has(hw, dsdt, acpi) || table_has(hw, ssdt, acpi));
}

/* --- clusters --- */

static uint64_t read_cluster_id(uint32_t cpu)
{
        struct platform_visit visit;
        uint64_t mpidr, level_3, lower;

        platform_enter(cpu, &visit);
        __asm__ volatile("mrs %0, mpidr_el1" : "=r"(mpidr));
        platform_leave(&visit);
        level_3 = mpidr >> AFFINITY_3 & ((1 << LEVEL_BITS) - 1);
        lower = (mpidr & ((1u << THREADS) - 1)) >> (mpidr >> THREADS & 1 ? 2 * LEVEL_BITS : LEVEL_BITS);
        return level_3 << THREADS | lower;
}

/* Sorts the CPUs into clusters; none are kept if there are too many. */
static void find_clusters(const struct hw *hw)
{
        uint32_t n = 0;

        n_clusters = 0;
        clusters = hw->allocate(hw->ctx, PLATFORM_UNITS_MAX * sizeof(*clusters));
        for (uint32_t cpu = 0; clusters && cpu < hw->n_cpus; cpu++) {
                uint64_t id = read_cluster_id(cpu);
                uint32_t i = 0;

                while (i < n && clusters[i].id != id)
                        i++;
                if (i == PLATFORM_UNITS_MAX)
                        return;
                if (i == n)
                        clusters[n++] = (struct cluster){.id = id, .cpu = cpu};
                clusters[i].cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
        }
        n_clusters = n;
}

/* One unit for each cluster, if there are as many devices. */
static uint32_t add_clusters(const struct hw *hw, const struct block *block, uint32_t n_devices,
                             struct hw_unit *units, uint32_t n)
{
        if (!clusters)
                find_clusters(hw);
        if (n_clusters != n_devices || n + n_clusters > PLATFORM_UNITS_MAX)
                return n;
        for (uint32_t i = 0; i < n_clusters; i++)
                units[n++] = (struct hw_unit){.block = block,
                                              .number = i,
                                              .cpu = clusters[i].cpu,
                                              .free_counters = UINT32_MAX,
                                              .cpus = clusters[i].cpus};
        return n;
}

/* --- registers in memory --- */

static uint32_t add_memory(const struct hw *hw, const struct block *block, const struct wdm_device *devices,
                           uint32_t n_devices, struct hw_unit *units, uint32_t n)
{
        uint32_t number = 0;

        for (uint32_t i = 0; i < n_devices && n < PLATFORM_UNITS_MAX; i++) {
                PHYSICAL_ADDRESS at = {.QuadPart = (LONGLONG)devices[i].first};
                void *memory = devices[i].bytes >= block->memory
                                       ? MmMapIoSpace(at, block->memory, MmNonCached)
                                       : NULL;

                if (!memory)
                        continue;
                units[n++] = (struct hw_unit){.block = block,
                                              .number = number++,
                                              .cpu = i % hw->n_cpus,
                                              .free_counters = UINT32_MAX,
                                              .memory = memory};
        }
        return n;
}

/* --- all --- */

static bool is_new(const struct hw_unit *units, uint32_t n, const char *acpi)
{
        for (uint32_t i = 0; i < n; i++) {
                if (!strcmp(units[i].block->acpi, acpi))
                        return false;
        }
        return true;
}

uint32_t platform_units_open(const struct hw *hw, struct hw_unit *units)
{
        struct wdm_device *devices = hw->allocate(hw->ctx, PLATFORM_UNITS_MAX * sizeof(*devices));
        uint32_t n = 0;

        for (uint32_t i = 0; devices && i < block_all_n; i++) {
                const struct block *block = &block_all[i];
                uint32_t n_devices;

                if (!block->acpi || !is_new(units, n, block->acpi))
                        continue;
                n_devices = wdm_devices_find(block->acpi, devices, PLATFORM_UNITS_MAX);
                if (!n_devices || !firmware_has(hw, block->acpi))
                        continue;
                n = block->memory ? add_memory(hw, block, devices, n_devices, units, n)
                                  : add_clusters(hw, block, n_devices, units, n);
        }
        if (devices)
                hw->release(hw->ctx, devices);
        return n;
}

void platform_units_close(const struct hw *hw, struct hw_unit *units, uint32_t n)
{
        for (uint32_t i = 0; i < n; i++) {
                if (units[i].memory)
                        MmUnmapIoSpace((PVOID)units[i].memory, units[i].block->memory);
        }
        if (clusters)
                hw->release(hw->ctx, clusters);
        clusters = NULL;
}
