/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines for the tests of counting. */
#ifndef COUNT_MACHINES_H
#define COUNT_MACHINES_H

#include "core_kind.h"
#include "memory_sysfs.h"

#define MIDR(cpu)     "/sys/devices/system/cpu/cpu" #cpu "/regs/identification/midr_el1"
#define MIDR_N1       "0x00000000413fd0c1\n"
#define MIDR_A76      "0x00000000411fd0b1\n"
#define MIDR_A55      "0x00000000411fd050\n"
#define MIDR_QEMU_MAX "0x00000000000f0510\n"

/* QEMU's N1: few events are advertised. */
static const struct memory_file machine_qemu_n1[] = {
        {"armv8_pmuv3_0/type", "8\n"},
        {"armv8_pmuv3_0/cpus", "0-1\n"},
        {"armv8_pmuv3_0/format/event", "config:0-15\n"},
        {"armv8_pmuv3_0/format/long", "config1:0\n"},
        {"armv8_pmuv3_0/events/cpu_cycles", "event=0x0011\n"},
        {"armv8_pmuv3_0/events/inst_retired", "event=0x0008\n"},
        {"armv8_pmuv3_0/events/stall_backend", "event=0x0024\n"},
        {"armv8_pmuv3_0/events/stall_frontend", "event=0x0023\n"},
        {MIDR(0), MIDR_N1},
        {NULL, NULL},
};

/* Two kinds of cores.  The small one has no stall events and no L3 events. */
static const struct memory_file machine_big_little[] = {
        {"armv8_cortex_a55/type", "8\n"},
        {"armv8_cortex_a55/cpus", "0-3\n"},
        {"armv8_cortex_a55/format/event", "config:0-15\n"},
        {"armv8_cortex_a55/events/cpu_cycles", "event=0x0011\n"},
        {"armv8_cortex_a55/events/inst_retired", "event=0x0008\n"},
        {"armv8_cortex_a55/events/l1d_cache", "event=0x0004\n"},
        {"armv8_cortex_a76/type", "9\n"},
        {"armv8_cortex_a76/cpus", "4-7\n"},
        {"armv8_cortex_a76/format/event", "config:0-15\n"},
        {"armv8_cortex_a76/events/cpu_cycles", "event=0x0011\n"},
        {"armv8_cortex_a76/events/inst_retired", "event=0x0008\n"},
        {"armv8_cortex_a76/events/l1d_cache", "event=0x0004\n"},
        {"armv8_cortex_a76/events/stall_backend", "event=0x0024\n"},
        {MIDR(0), MIDR_A55},
        {MIDR(4), MIDR_A76},
        {NULL, NULL},
};

static const struct memory_file machine_x86[] = {
        {"cpu/type", "4\n"},
        {"cpu/format/event", "config:0-7\n"},
        {"cpu/format/umask", "config:8-15\n"},
        {"cpu/events/cpu-cycles", "event=0x3c\n"},
        {"cpu/events/mem-loads", "event=0xcd,umask=0x1\n"},
        {"cpu/caps/max_precise", "3\n"},
        {"msr/type", "9\n"},
        {"msr/format/event", "config:0-63\n"},
        {"msr/events/tsc", "event=0x00\n"},
        {"power/type", "10\n"},
        {"power/cpumask", "0\n"},
        {"power/format/event", "config:0-7\n"},
        {"power/events/energy-pkg", "event=0x02\n"},
        {"software/type", "1\n"},
        {NULL, NULL},
};

static const struct memory_file machine_vm[] = {{"software/type", "1\n"}, {NULL, NULL}};

/* In addition to a model's own PMU: two clusters and three memory controllers. */
#define DMC_FORMAT(name)                                                                                     \
        {name "/cpumask", "0\n"}, {name "/format/mask", "config:0-44\n"},                                    \
                {name "/format/match", "config1:0-44\n"}, {name "/format/invert", "config2:0\n"},            \
                {name "/format/incr", "config2:1-2\n"}, {name "/format/event", "config2:3-8\n"},             \
        {                                                                                                    \
                name "/format/clkdiv2", "config2:9\n"                                                        \
        }
static const struct memory_file files_uncore[] = {
        {"arm_dmc620_10008c000/type", "20\n"},
        DMC_FORMAT("arm_dmc620_10008c000"),
        {"arm_dmc620_10008c000/events/clkdiv2_rdwr", "event=0x12,clkdiv2=0x1\n"},
        {"arm_dmc620_8c000/type", "21\n"},
        DMC_FORMAT("arm_dmc620_8c000"),
        {"arm_dmc620_8c000/events/clkdiv2_rdwr", "event=0x12,clkdiv2=0x1\n"},
        {"arm_dmc620_8d000/type", "22\n"},
        DMC_FORMAT("arm_dmc620_8d000"),
        {"arm_dmc620_8d000/events/clkdiv2_rdwr", "event=0x12,clkdiv2=0x1\n"},
        {"arm_dsu_0/type", "12\n"},
        {"arm_dsu_0/cpumask", "0\n"},
        {"arm_dsu_0/associated_cpus", "0-63\n"},
        {"arm_dsu_0/format/event", "config:0-31\n"},
        {"arm_dsu_0/events/l3d_cache", "event=0x2b\n"},
        {"arm_dsu_1/type", "13\n"},
        {"arm_dsu_1/cpumask", "64\n"},
        {"arm_dsu_1/format/event", "config:0-31\n"},
        {"arm_dsu_1/events/l3d_cache", "event=0x2b\n"},
        {"arm_cmn_0/type", "14\n"},
        {"arm_cmn_0/cpumask", "0\n"},
        {"arm_cmn_0/format/type", "config:0-15\n"},
        {"arm_cmn_0/events/dtc_cycles", "type=0x3\n"},
        {NULL, NULL},
};

/* Files above another source. */
struct layered_sysfs {
        const struct memory_file *files;
        struct pmu_source below;
};

static bool layered_read(void *ctx, const char *path, struct buf *out)
{
        const struct layered_sysfs *layered = ctx;

        return memory_read((void *)layered->files, path, out) ||
               layered->below.read_file(layered->below.ctx, path, out);
}

static bool layered_list(void *ctx, const char *path, bool (*each)(void *each_ctx, const char *name),
                         void *each_ctx)
{
        const struct layered_sysfs *layered = ctx;
        bool above = memory_list((void *)layered->files, path, each, each_ctx);

        return layered->below.list_dir(layered->below.ctx, path, each, each_ctx) || above;
}

static inline struct pmu_source layered_sysfs(struct layered_sysfs *layered)
{
        return (struct pmu_source){layered_read, layered_list, layered};
}

#endif
