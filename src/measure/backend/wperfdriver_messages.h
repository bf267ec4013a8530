/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of WindowsPerf's driver (WPERFDRIVER), version 3.8, and the numbers of its requests. The
 * layouts are those of its published source with the natural alignment of 64-bit Windows, where
 * enumerations have 32 bits. They have not been compared with a driver that runs on a real machine. */
#ifndef WPERFDRIVER_MESSAGES_H
#define WPERFDRIVER_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

/* Each is the function code WPERFDRIVER_FUNCTION + n of a request with METHOD_BUFFERED that needs read and
 * write access. */
enum wperfdriver_request {
        WPERFDRIVER_START = 0,        /* control in */
        WPERFDRIVER_STOP = 1,         /* control in */
        WPERFDRIVER_RESET = 2,        /* control in */
        WPERFDRIVER_QUERY_HW_CFG = 3, /* the request's number in, hw_cfg out */
        WPERFDRIVER_QUERY_EVENTS =
                4, /* the request's number in; events and their numbers for each class out */
        WPERFDRIVER_QUERY_VERSION = 5, /* version in and out */
        WPERFDRIVER_ASSIGN_EVENTS = 6, /* assign in, then events and their numbers for each class */
        WPERFDRIVER_READ_COUNTING = 7, /* control of one core in, counts out */
        WPERFDRIVER_DSU_INIT = 8,      /* clusters in, dsu_cfg out */
        WPERFDRIVER_DSU_READ =
                9, /* control of the core to which the events were assigned in, dsu_counts out */
        WPERFDRIVER_DMC_INIT = 10,       /* their number (64 bits) and registers in, dmc_cfg out */
        WPERFDRIVER_DMC_READ = 11,       /* control with the number of one in, dmc_counts out */
        WPERFDRIVER_SAMPLE_SET_SRC = 12, /* core and sources in */
        WPERFDRIVER_SAMPLE_START = 13,   /* control in */
        WPERFDRIVER_SAMPLE_STOP = 14, /* control in, the numbers of samples that were taken and dropped out */
        WPERFDRIVER_SAMPLE_GET = 15,  /* core in, samples out, which are then forgotten */
        WPERFDRIVER_LOCK_ACQUIRE = 16,   /* lock request in, lock status out */
        WPERFDRIVER_LOCK_RELEASE = 17,   /* the same */
        WPERFDRIVER_SPE_INIT = 18,       /* control in; what was not taken is forgotten */
        WPERFDRIVER_SPE_GET_SIZE = 19,   /* control of one core in, the number of bytes (64 bits) out */
        WPERFDRIVER_SPE_GET_BUFFER = 20, /* spe in, bytes out */
        WPERFDRIVER_SPE_START = 21,      /* spe of one core in */
        WPERFDRIVER_SPE_STOP = 22,       /* control of one core in */
};

enum {
        WPERFDRIVER_DEVICE_TYPE = 40004,
        WPERFDRIVER_FUNCTION = 0x900,
        WPERFDRIVER_ANSWER_MAX_BYTES = 40 << 10,
        WPERFDRIVER_CORES = 128,
        WPERFDRIVER_COUNTS = 128,    /* of a core, the cycle counter included */
        WPERFDRIVER_COUNTERS = 31,   /* general-purpose counters of a PMU at most */
        WPERFDRIVER_NO_COUNTER = 32, /* in counter_idx_map */
};

enum wperfdriver_lock { WPERFDRIVER_LOCK_GET, WPERFDRIVER_LOCK_FORCE, WPERFDRIVER_LOCK_GIVE };

enum wperfdriver_status {
        WPERFDRIVER_IDLE,
        WPERFDRIVER_BUSY,
        WPERFDRIVER_LOCKED,
        WPERFDRIVER_NO_RESOURCES,
        WPERFDRIVER_UNKNOWN_ERROR,
};

/* Classes of events. */
enum wperfdriver_class {
        WPERFDRIVER_CORE,
        WPERFDRIVER_DSU,
        WPERFDRIVER_DMC_CLK,
        WPERFDRIVER_DMC_CLKDIV2,
        WPERFDRIVER_CLASSES,
};

/* Names the cycle counter in struct wperfdriver_count. */
#define WPERFDRIVER_CYCLES UINT32_MAX

/* Excludes the kernel (EL1) from an event. */
#define WPERFDRIVER_NO_KERNEL (UINT64_C(1) << 31)

struct wperfdriver_control {
        uint64_t n_cores;
        uint8_t cores[WPERFDRIVER_CORES];
        int32_t period_ms;
        uint8_t dmc; /* UINT8_MAX for all */
        uint8_t pad[3];
        uint32_t flags; /* WPERFDRIVER_FLAG_... */
        uint32_t pad2;
};
enum {
        WPERFDRIVER_FLAG_CORE = 1,
        WPERFDRIVER_FLAG_DSU = 2,
        WPERFDRIVER_FLAG_DMC = 4,
        WPERFDRIVER_FLAG_SPE = 8,
        WPERFDRIVER_FLAGS_ALL = 16, /* above all flags */
};

struct wperfdriver_hw_cfg {
        uint8_t pmu_ver, fpc_num, gpc_num, total_gpc_num, vendor_id, variant_id, arch_id, rev_id;
        uint16_t part_id, core_num;
        uint8_t pad[4];
        uint64_t midr_value, id_aa64dfr0_value;
        uint8_t counter_idx_map[32];
        uint16_t device_id_str[128];
        uint64_t pmbidr_el1_value, pmsidr_el1_value;
};

struct wperfdriver_version {
        uint8_t major, minor, patch, pad;
        uint16_t gitver[32];
        uint16_t features[128];
};

/* Before the numbers (16 bits each) of the events of a class. */
struct wperfdriver_events {
        uint32_t class;
        uint16_t n;
        uint16_t pad; /* of an answer: anything */
};

struct wperfdriver_assign {
        uint32_t core;
        uint8_t dmc, pad[3];
        uint64_t filter_bits;
};

struct wperfdriver_count {
        uint32_t event, pad;
        uint64_t filter_bits;
        uint64_t value;
        uint64_t scheduled; /* in how many of the rounds it counted */
};

struct wperfdriver_counts {
        uint32_t n, pad;
        uint64_t round; /* the number of ticks of the driver's timer since the reset */
        struct wperfdriver_count counts[WPERFDRIVER_COUNTS];
};

/* --- clusters (DSU) and memory controllers (DMC-620) --- */

/* The driver takes core N as one of the cluster N / n_cores_each. It divides by this number: with 0 the
 * kernel stops. */
struct wperfdriver_clusters {
        uint16_t n, n_cores_each;
};

struct wperfdriver_dsu_cfg {
        uint8_t n_fixed, n_counters;
};

enum {
        WPERFDRIVER_DSU_COUNTS = 32, /* the cycle counter included */
        WPERFDRIVER_DMC_CLK_COUNTS = 4,
        WPERFDRIVER_DMC_CLKDIV2_COUNTS = 8,
        WPERFDRIVER_DMC_MAX = 255,
};

/* filter_bits are not set. */
struct wperfdriver_dsu_counts {
        uint32_t n, pad;
        uint64_t round; /* of the core */
        struct wperfdriver_count counts[WPERFDRIVER_DSU_COUNTS];
};

struct wperfdriver_dmc_cfg {
        uint8_t clk_fixed, clk_counters, clkdiv2_fixed, clkdiv2_counters;
};

/* After the number of memory controllers: where the registers of each are. */
struct wperfdriver_dmc_registers {
        uint64_t first, last;
};

/* The events of a memory controller are not counted in turn, so all are scheduled in each round. */
struct wperfdriver_dmc_counts {
        struct wperfdriver_count clk[WPERFDRIVER_DMC_CLK_COUNTS];
        struct wperfdriver_count clkdiv2[WPERFDRIVER_DMC_CLKDIV2_COUNTS];
        uint8_t n_clk, n_clkdiv2, pad[6];
};

/* --- samples --- */

enum { WPERFDRIVER_SAMPLES = 128 };

/* An event that is sampled; the sources follow the number of the core (32 bits). */
struct wperfdriver_source {
        uint32_t event, interval, filter_bits;
};

struct wperfdriver_sample {
        uint64_t lr, pc;
        uint64_t overflows; /* a bit for each counter that overflowed */
        uint32_t spe_event, pad;
};

struct wperfdriver_samples {
        uint32_t n, pad;
        struct wperfdriver_sample samples[WPERFDRIVER_SAMPLES];
};

/* Its buffer, which does not wrap: the core stops where it ends. */
enum { WPERFDRIVER_SPE_BUFFER_BYTES = 512 << 10 };

enum { WPERFDRIVER_SPE_BRANCHES = 1, WPERFDRIVER_SPE_LOADS = 2, WPERFDRIVER_SPE_STORES = 4 };

/* The driver uses the core, `bytes` (GET_BUFFER) and `operations` (START) only: interval, events and
 * latency are as the registers are. */
struct wperfdriver_spe {
        uint64_t n_cores;
        uint8_t cores[WPERFDRIVER_CORES];
        uint64_t bytes;
        uint8_t operations; /* WPERFDRIVER_SPE_LOADS...; 0 for all */
        uint8_t pad[7];
        uint64_t events, flags;
        uint32_t interval, pad2;
};

#define WPERFDRIVER_LAYOUT(type, member, offset)                                                             \
        _Static_assert(offsetof(struct wperfdriver_##type, member) == (offset), #type "." #member)

WPERFDRIVER_LAYOUT(control, cores, 8);
WPERFDRIVER_LAYOUT(control, period_ms, 136);
WPERFDRIVER_LAYOUT(control, dmc, 140);
WPERFDRIVER_LAYOUT(control, flags, 144);
_Static_assert(sizeof(struct wperfdriver_control) == 152, "control");
WPERFDRIVER_LAYOUT(hw_cfg, part_id, 8);
WPERFDRIVER_LAYOUT(hw_cfg, core_num, 10);
WPERFDRIVER_LAYOUT(hw_cfg, midr_value, 16);
WPERFDRIVER_LAYOUT(hw_cfg, counter_idx_map, 32);
WPERFDRIVER_LAYOUT(hw_cfg, device_id_str, 64);
WPERFDRIVER_LAYOUT(hw_cfg, pmbidr_el1_value, 320);
_Static_assert(sizeof(struct wperfdriver_hw_cfg) == 336, "hw_cfg");
WPERFDRIVER_LAYOUT(version, gitver, 4);
WPERFDRIVER_LAYOUT(version, features, 68);
_Static_assert(sizeof(struct wperfdriver_version) == 324, "version");
WPERFDRIVER_LAYOUT(events, n, 4);
_Static_assert(sizeof(struct wperfdriver_events) == 8, "events");
WPERFDRIVER_LAYOUT(assign, dmc, 4);
WPERFDRIVER_LAYOUT(assign, filter_bits, 8);
_Static_assert(sizeof(struct wperfdriver_assign) == 16, "assign");
WPERFDRIVER_LAYOUT(count, filter_bits, 8);
WPERFDRIVER_LAYOUT(count, value, 16);
WPERFDRIVER_LAYOUT(count, scheduled, 24);
WPERFDRIVER_LAYOUT(counts, round, 8);
WPERFDRIVER_LAYOUT(counts, counts, 16);
_Static_assert(sizeof(struct wperfdriver_counts) == 4112, "counts");
_Static_assert(sizeof(struct wperfdriver_clusters) == 4, "clusters");
_Static_assert(sizeof(struct wperfdriver_dsu_cfg) == 2, "dsu_cfg");
WPERFDRIVER_LAYOUT(dsu_counts, counts, 16);
_Static_assert(sizeof(struct wperfdriver_dsu_counts) == 1040, "dsu_counts");
_Static_assert(sizeof(struct wperfdriver_dmc_cfg) == 4, "dmc_cfg");
_Static_assert(sizeof(struct wperfdriver_dmc_registers) == 16, "dmc_registers");
WPERFDRIVER_LAYOUT(dmc_counts, clkdiv2, 128);
WPERFDRIVER_LAYOUT(dmc_counts, n_clk, 384);
_Static_assert(sizeof(struct wperfdriver_dmc_counts) == 392, "dmc_counts");
WPERFDRIVER_LAYOUT(source, filter_bits, 8);
_Static_assert(sizeof(struct wperfdriver_source) == 12, "source");
WPERFDRIVER_LAYOUT(sample, pc, 8);
WPERFDRIVER_LAYOUT(sample, overflows, 16);
WPERFDRIVER_LAYOUT(sample, spe_event, 24);
_Static_assert(sizeof(struct wperfdriver_sample) == 32, "sample");
WPERFDRIVER_LAYOUT(samples, samples, 8);
_Static_assert(sizeof(struct wperfdriver_samples) == 4104, "samples");
WPERFDRIVER_LAYOUT(spe, bytes, 136);
WPERFDRIVER_LAYOUT(spe, operations, 144);
WPERFDRIVER_LAYOUT(spe, events, 152);
WPERFDRIVER_LAYOUT(spe, interval, 168);
_Static_assert(sizeof(struct wperfdriver_spe) == 176, "spe");

#endif
