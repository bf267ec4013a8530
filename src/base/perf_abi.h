/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's perf_event ABI: attribute layout, sample bits and record types, so that every platform can
 * read and write perf.data.  Source: perf_event_open(2) and the kernel's uapi header. */
#ifndef PERF_ABI_H
#define PERF_ABI_H

#include <stdbool.h>
#include <stdint.h>

/* attr.type */
enum perf_type {
        PERF_TYPE_HARDWARE = 0,
        PERF_TYPE_SOFTWARE = 1,
        PERF_TYPE_TRACEPOINT = 2,
        PERF_TYPE_HW_CACHE = 3,
        PERF_TYPE_RAW = 4,
        PERF_TYPE_BREAKPOINT = 5,
};

enum perf_hw_id {
        PERF_COUNT_HW_CPU_CYCLES = 0,
        PERF_COUNT_HW_INSTRUCTIONS = 1,
        PERF_COUNT_HW_CACHE_REFERENCES = 2,
        PERF_COUNT_HW_CACHE_MISSES = 3,
        PERF_COUNT_HW_BRANCH_INSTRUCTIONS = 4,
        PERF_COUNT_HW_BRANCH_MISSES = 5,
        PERF_COUNT_HW_BUS_CYCLES = 6,
        PERF_COUNT_HW_STALLED_CYCLES_FRONTEND = 7,
        PERF_COUNT_HW_STALLED_CYCLES_BACKEND = 8,
        PERF_COUNT_HW_REF_CPU_CYCLES = 9,
};

enum perf_sw_id {
        PERF_COUNT_SW_CPU_CLOCK = 0,
        PERF_COUNT_SW_TASK_CLOCK = 1,
        PERF_COUNT_SW_PAGE_FAULTS = 2,
        PERF_COUNT_SW_CONTEXT_SWITCHES = 3,
        PERF_COUNT_SW_CPU_MIGRATIONS = 4,
        PERF_COUNT_SW_PAGE_FAULTS_MIN = 5,
        PERF_COUNT_SW_PAGE_FAULTS_MAJ = 6,
        PERF_COUNT_SW_ALIGNMENT_FAULTS = 7,
        PERF_COUNT_SW_EMULATION_FAULTS = 8,
        PERF_COUNT_SW_DUMMY = 9,
        PERF_COUNT_SW_BPF_OUTPUT = 10,
        PERF_COUNT_SW_CGROUP_SWITCHES = 11,
};

/* attr.sample_type, in the order of the fields in a sample, except for IDENTIFIER, which comes first */
#define PERF_SAMPLE_IP            (1u << 0)
#define PERF_SAMPLE_TID           (1u << 1)
#define PERF_SAMPLE_TIME          (1u << 2)
#define PERF_SAMPLE_ADDR          (1u << 3)
#define PERF_SAMPLE_READ          (1u << 4)
#define PERF_SAMPLE_CALLCHAIN     (1u << 5)
#define PERF_SAMPLE_ID            (1u << 6)
#define PERF_SAMPLE_CPU           (1u << 7)
#define PERF_SAMPLE_PERIOD        (1u << 8)
#define PERF_SAMPLE_STREAM_ID     (1u << 9)
#define PERF_SAMPLE_RAW           (1u << 10)
#define PERF_SAMPLE_BRANCH_STACK  (1u << 11)
#define PERF_SAMPLE_REGS_USER     (1u << 12)
#define PERF_SAMPLE_STACK_USER    (1u << 13)
#define PERF_SAMPLE_WEIGHT        (1u << 14)
#define PERF_SAMPLE_DATA_SRC      (1u << 15)
#define PERF_SAMPLE_IDENTIFIER    (1u << 16)
#define PERF_SAMPLE_TRANSACTION   (1u << 17)
#define PERF_SAMPLE_REGS_INTR     (1u << 18)
#define PERF_SAMPLE_PHYS_ADDR     (1u << 19)
#define PERF_SAMPLE_AUX           (1u << 20)
#define PERF_SAMPLE_CGROUP        (1u << 21)
#define PERF_SAMPLE_DATA_PAGE_SZ  (1u << 22)
#define PERF_SAMPLE_CODE_PAGE_SZ  (1u << 23)
#define PERF_SAMPLE_WEIGHT_STRUCT (1u << 24)
#define PERF_SAMPLE_KNOWN         ((1u << 25) - 1)

/* attr.read_format */
#define PERF_FORMAT_TOTAL_TIME_ENABLED (1u << 0)
#define PERF_FORMAT_TOTAL_TIME_RUNNING (1u << 1)
#define PERF_FORMAT_ID                 (1u << 2)
#define PERF_FORMAT_GROUP              (1u << 3)
#define PERF_FORMAT_LOST               (1u << 4)

/* attr.branch_sample_type */
#define PERF_BRANCH_USER       (1u << 0)
#define PERF_BRANCH_ANY        (1u << 3)
#define PERF_BRANCH_CALL_STACK (1u << 11)
#define PERF_BRANCH_NO_FLAGS   (1u << 14)
#define PERF_BRANCH_NO_CYCLES  (1u << 15)

/* bits of it that change the layout of a sample */
#define PERF_BRANCH_HW_INDEX (1u << 17)
#define PERF_BRANCH_COUNTERS (1u << 19)

/* attr.flags: the bit field after read_format, as one number */
#define PERF_ATTR_DISABLED                 (1ull << 0)
#define PERF_ATTR_INHERIT                  (1ull << 1)
#define PERF_ATTR_PINNED                   (1ull << 2)
#define PERF_ATTR_EXCLUSIVE                (1ull << 3)
#define PERF_ATTR_EXCLUDE_USER             (1ull << 4)
#define PERF_ATTR_EXCLUDE_KERNEL           (1ull << 5)
#define PERF_ATTR_EXCLUDE_HV               (1ull << 6)
#define PERF_ATTR_EXCLUDE_IDLE             (1ull << 7)
#define PERF_ATTR_MMAP                     (1ull << 8)
#define PERF_ATTR_COMM                     (1ull << 9)
#define PERF_ATTR_FREQ                     (1ull << 10)
#define PERF_ATTR_INHERIT_STAT             (1ull << 11)
#define PERF_ATTR_ENABLE_ON_EXEC           (1ull << 12)
#define PERF_ATTR_TASK                     (1ull << 13)
#define PERF_ATTR_WATERMARK                (1ull << 14)
#define PERF_ATTR_PRECISE_SHIFT            15
#define PERF_ATTR_PRECISE                  (3ull << 15)
#define PERF_ATTR_MMAP_DATA                (1ull << 17)
#define PERF_ATTR_SAMPLE_ID_ALL            (1ull << 18)
#define PERF_ATTR_EXCLUDE_HOST             (1ull << 19)
#define PERF_ATTR_EXCLUDE_GUEST            (1ull << 20)
#define PERF_ATTR_EXCLUDE_CALLCHAIN_KERNEL (1ull << 21)
#define PERF_ATTR_EXCLUDE_CALLCHAIN_USER   (1ull << 22)
#define PERF_ATTR_MMAP2                    (1ull << 23)
#define PERF_ATTR_COMM_EXEC                (1ull << 24)
#define PERF_ATTR_USE_CLOCKID              (1ull << 25)
#define PERF_CLOCK_MONOTONIC               1 /* a clockid, used with the flag before */
#define PERF_ATTR_CONTEXT_SWITCH           (1ull << 26)
#define PERF_ATTR_WRITE_BACKWARD           (1ull << 27)
#define PERF_ATTR_NAMESPACES               (1ull << 28)
#define PERF_ATTR_KSYMBOL                  (1ull << 29)
#define PERF_ATTR_BPF_EVENT                (1ull << 30)
#define PERF_ATTR_AUX_OUTPUT               (1ull << 31)
#define PERF_ATTR_CGROUP                   (1ull << 32)
#define PERF_ATTR_TEXT_POKE                (1ull << 33)
#define PERF_ATTR_BUILD_ID                 (1ull << 34)
#define PERF_ATTR_INHERIT_THREAD           (1ull << 35)
#define PERF_ATTR_REMOVE_ON_EXEC           (1ull << 36)
#define PERF_ATTR_SIGTRAP                  (1ull << 37)
#define PERF_ATTR_DEFER_CALLCHAIN          (1ull << 38)
#define PERF_ATTR_DEFER_OUTPUT             (1ull << 39)

/* struct perf_event_attr of 136 bytes, field for field; the kernel's bit field is `flags`. */
struct perf_attr {
        uint32_t type;
        uint32_t size;
        uint64_t config;
        uint64_t sample_period_or_freq;
        uint64_t sample_type;
        uint64_t read_format;
        uint64_t flags;
        uint32_t wakeup;
        uint32_t bp_type;
        uint64_t config1; /* bp_addr, kprobe_func */
        uint64_t config2; /* bp_len */
        uint64_t branch_sample_type;
        uint64_t sample_regs_user;
        uint32_t sample_stack_user;
        int32_t clockid;
        uint64_t sample_regs_intr;
        uint32_t aux_watermark;
        uint16_t sample_max_stack;
        uint16_t reserved_2;
        uint32_t aux_sample_size;
        uint32_t reserved_3;
        uint64_t sig_data;
        uint64_t config3;
};

_Static_assert(sizeof(struct perf_attr) == 136, "the kernel's layout");

enum { PERF_ATTR_SIZE_VER0 = 64 };

/* Whether its counts are nanoseconds on a CPU. */
static inline bool perf_attr_is_clock(const struct perf_attr *attr)
{
        return attr->type == PERF_TYPE_SOFTWARE &&
               (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* header.type of a record.  Types from 64 on are perf's own. */
enum perf_record_type {
        PERF_RECORD_MMAP = 1,
        PERF_RECORD_LOST = 2,
        PERF_RECORD_COMM = 3,
        PERF_RECORD_EXIT = 4,
        PERF_RECORD_THROTTLE = 5,
        PERF_RECORD_UNTHROTTLE = 6,
        PERF_RECORD_FORK = 7,
        PERF_RECORD_READ = 8,
        PERF_RECORD_SAMPLE = 9,
        PERF_RECORD_MMAP2 = 10,
        PERF_RECORD_AUX = 11,
        PERF_RECORD_ITRACE_START = 12,
        PERF_RECORD_LOST_SAMPLES = 13,
        PERF_RECORD_SWITCH = 14,
        PERF_RECORD_SWITCH_CPU_WIDE = 15,
        PERF_RECORD_NAMESPACES = 16,
        PERF_RECORD_KSYMBOL = 17,
        PERF_RECORD_BPF_EVENT = 18,
        PERF_RECORD_CGROUP = 19,
        PERF_RECORD_TEXT_POKE = 20,
        PERF_RECORD_AUX_OUTPUT_HW_ID = 21,
        PERF_RECORD_CALLCHAIN_DEFERRED = 22,
        PERF_RECORD_KERNEL_MAX = 23,
        PERF_RECORD_HEADER_ATTR = 64,
        PERF_RECORD_HEADER_EVENT_TYPE = 65,
        PERF_RECORD_HEADER_TRACING_DATA = 66,
        PERF_RECORD_HEADER_BUILD_ID = 67,
        PERF_RECORD_FINISHED_ROUND = 68,
        PERF_RECORD_ID_INDEX = 69,
        PERF_RECORD_AUXTRACE_INFO = 70,
        PERF_RECORD_AUXTRACE = 71,
        PERF_RECORD_AUXTRACE_ERROR = 72,
        PERF_RECORD_THREAD_MAP = 73,
        PERF_RECORD_CPU_MAP = 74,
        PERF_RECORD_STAT_CONFIG = 75,
        PERF_RECORD_STAT = 76,
        PERF_RECORD_STAT_ROUND = 77,
        PERF_RECORD_EVENT_UPDATE = 78,
        PERF_RECORD_TIME_CONV = 79,
        PERF_RECORD_HEADER_FEATURE = 80,
        PERF_RECORD_COMPRESSED = 81,
        PERF_RECORD_FINISHED_INIT = 82,
        PERF_RECORD_COMPRESSED2 = 83,
};

/* header.misc */
#define PERF_MISC_CPUMODE_MASK   7u
#define PERF_MISC_UNKNOWN        0u
#define PERF_MISC_KERNEL         1u
#define PERF_MISC_USER           2u
#define PERF_MISC_HYPERVISOR     3u
#define PERF_MISC_GUEST_KERNEL   4u
#define PERF_MISC_GUEST_USER     5u
#define PERF_MISC_MMAP_DATA      (1u << 13) /* MMAP, MMAP2: not executable */
#define PERF_MISC_COMM_EXEC      (1u << 13) /* COMM: by exec */
#define PERF_MISC_FORK_EXEC      (1u << 13) /* FORK: synthesised by perf */
#define PERF_MISC_SWITCH_OUT     (1u << 13) /* SWITCH, SWITCH_CPU_WIDE */
#define PERF_MISC_SWITCH_PREEMPT (1u << 14) /* the same: it did not leave the CPU to wait */
#define PERF_MISC_EXACT_IP       (1u << 14) /* SAMPLE */
#define PERF_MISC_MMAP_BUILD_ID  (1u << 14) /* MMAP2: build id instead of device and inode */

/* KSYMBOL: flags */
#define PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER 1u

/* AUX: flags */
#define PERF_AUX_FLAG_TRUNCATED 1u /* the area was full: the event was disabled until it was read */
#define PERF_AUX_FLAG_OVERWRITE 2u
#define PERF_AUX_FLAG_PARTIAL   4u
#define PERF_AUX_FLAG_COLLISION                                                                              \
        8u /* Arm SPE dropped a sample, because the one before it was not                                    \
              finished */

/* PERF_SAMPLE_DATA_SRC: union perf_mem_data_src of the kernel, as shifts, masks and bits of its fields. */
enum {
        PERF_MEM_OP_LOAD = 0x02,
        PERF_MEM_OP_STORE = 0x04,

        PERF_MEM_LVL_SHIFT = 5,
        PERF_MEM_LVL_MASK = 0x3fff,
        PERF_MEM_LVL_HIT = 0x02,
        PERF_MEM_LVL_MISS = 0x04,
        PERF_MEM_LVL_L1 = 0x08,
        PERF_MEM_LVL_LFB = 0x10,
        PERF_MEM_LVL_L2 = 0x20,
        PERF_MEM_LVL_L3 = 0x40,
        PERF_MEM_LVL_LOCAL_RAM = 0x80,
        PERF_MEM_LVL_REMOTE_RAM = 0x300,   /* one hop or two */
        PERF_MEM_LVL_REMOTE_CACHE = 0xc00, /* one hop or two */
        PERF_MEM_LVL_IO = 0x1000,
        PERF_MEM_LVL_UNCACHED = 0x2000,

        PERF_MEM_SNOOP_SHIFT = 19,
        PERF_MEM_SNOOP_HITM = 0x10, /* another cache had the line and had changed it */

        PERF_MEM_TLB_SHIFT = 26,
        PERF_MEM_TLB_MASK = 0x7f,
        PERF_MEM_TLB_NA = 0x01,
        PERF_MEM_TLB_HIT = 0x02,
        PERF_MEM_TLB_MISS = 0x04,

        PERF_MEM_NUM_SHIFT = 33,
        PERF_MEM_NUM_MASK = 0x0f,
        PERF_MEM_NUM_L1 = 1,
        PERF_MEM_NUM_L2 = 2,
        PERF_MEM_NUM_L3 = 3,
        PERF_MEM_NUM_L4 = 4,
        PERF_MEM_NUM_L2_MHB = 5, /* buffer for misses of L2 */
        PERF_MEM_NUM_MSC = 6,    /* cache in front of the memory */
        PERF_MEM_NUM_L0 = 7,
        PERF_MEM_NUM_UNCACHED = 8,
        PERF_MEM_NUM_CXL = 9,
        PERF_MEM_NUM_IO = 10,
        PERF_MEM_NUM_ANY_CACHE = 11,
        PERF_MEM_NUM_LFB = 12,
        PERF_MEM_NUM_RAM = 13,
        PERF_MEM_NUM_PMEM = 14,
        PERF_MEM_NUM_NA = 15,

        PERF_MEM_REMOTE_SHIFT = 37,
        PERF_MEM_SNOOPX_SHIFT = 38,
        PERF_MEM_SNOOPX_PEER = 0x02, /* the data came from the cache of a peer core */
};

/* Marks in a call chain: every value from MAX on is a mark, not an address. */
/* sample: kind of registers */
enum { PERF_SAMPLE_REGS_ABI_NONE = 0, PERF_SAMPLE_REGS_ABI_32 = 1, PERF_SAMPLE_REGS_ABI_64 = 2 };

#define PERF_CONTEXT_HV            ((uint64_t)-32)
#define PERF_CONTEXT_KERNEL        ((uint64_t)-128)
#define PERF_CONTEXT_USER          ((uint64_t)-512)
#define PERF_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define PERF_CONTEXT_GUEST         ((uint64_t)-2048)
#define PERF_CONTEXT_GUEST_KERNEL  ((uint64_t)-2176)
#define PERF_CONTEXT_GUEST_USER    ((uint64_t)-2560)
#define PERF_CONTEXT_MAX           ((uint64_t)-4095)

struct perf_header {
        uint32_t type;
        uint16_t misc;
        uint16_t size; /* of the whole record, header included */
};

/* --- Counts in perf's own records: tools/lib/perf/include/perf/event.h --- */

struct perf_stat {
        struct perf_header header;
        uint64_t id;
        uint32_t cpu; /* the CPU's number, UINT32_MAX: any; perf before 5.18 wrote the index in CPU_MAP */
        uint32_t thread;
        uint64_t value, enabled_ns, running_ns;
};

_Static_assert(sizeof(struct perf_stat) == 48, "perf's layout");

enum { PERF_STAT_ROUND_INTERVAL = 0, PERF_STAT_ROUND_FINAL = 1 };

struct perf_stat_round {
        struct perf_header header;
        uint64_t type;
        uint64_t time;
};

/* tags of STAT_CONFIG, and the values of the first tag */
enum { PERF_STAT_CONFIG_AGGR_MODE = 0, PERF_STAT_CONFIG_INTERVAL = 1, PERF_STAT_CONFIG_SCALE = 2 };
enum { PERF_AGGR_NONE = 0, PERF_AGGR_GLOBAL = 1 };

enum { PERF_CPU_MAP_CPUS = 0, PERF_CPU_MAP_MASK = 1 };
enum { PERF_THREAD_MAP_COMM = 16 };

#endif
