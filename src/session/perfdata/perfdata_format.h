/* SPDX-License-Identifier: BSD-3-Clause */
/* The perf.data format: its numbers, and the reader's limits. Source: perf.data-file-format.txt of the Linux
 * tree; wperf's own sections are described in docs/session-format.md. */
#ifndef PERFDATA_FORMAT_H
#define PERFDATA_FORMAT_H

#include <stdint.h>

#define PERFDATA_MAGIC "PERFILE2"

enum {
        PERFDATA_HEADER_BYTES = 104,
        PERFDATA_PIPE_HEADER_BYTES = 16,
        PERFDATA_FEATURE_WORDS = 4, /* 256 bits */
};

/* Feature sections: 128 to 134 are simpleperf's, 192 to 198 hiperf's, 224 to 239 wperf's. */
enum perfdata_feature {
        FEATURE_TRACING_DATA = 1,
        FEATURE_BUILD_ID = 2,
        FEATURE_HOSTNAME = 3,
        FEATURE_OSRELEASE = 4,
        FEATURE_VERSION = 5,
        FEATURE_ARCH = 6,
        FEATURE_NRCPUS = 7,
        FEATURE_CPUDESC = 8,
        FEATURE_CPUID = 9,
        FEATURE_TOTAL_MEM = 10,
        FEATURE_CMDLINE = 11,
        FEATURE_EVENT_DESC = 12,
        FEATURE_CPU_TOPOLOGY = 13,
        FEATURE_NUMA_TOPOLOGY = 14,
        FEATURE_BRANCH_STACK = 15,
        FEATURE_PMU_MAPPINGS = 16,
        FEATURE_GROUP_DESC = 17,
        FEATURE_AUXTRACE = 18,
        FEATURE_STAT = 19,
        FEATURE_CACHE = 20,
        FEATURE_SAMPLE_TIME = 21,
        FEATURE_MEM_TOPOLOGY = 22,
        FEATURE_CLOCKID = 23,
        FEATURE_DIR_FORMAT = 24,
        FEATURE_BPF_PROG_INFO = 25,
        FEATURE_BPF_BTF = 26,
        FEATURE_COMPRESSED = 27,
        FEATURE_CPU_PMU_CAPS = 28,
        FEATURE_CLOCK_DATA = 29,
        FEATURE_HYBRID_TOPOLOGY = 30,
        FEATURE_PMU_CAPS = 31,
        FEATURE_SIMPLEPERF_FILE = 128,
        FEATURE_SIMPLEPERF_META_INFO = 129,
        FEATURE_SIMPLEPERF_DEBUG_UNWIND = 130,
        FEATURE_SIMPLEPERF_DEBUG_UNWIND_FILE = 131,
        FEATURE_SIMPLEPERF_FILE2 = 132,
        FEATURE_SIMPLEPERF_ETM_BRANCH_LIST = 133,
        FEATURE_SIMPLEPERF_INIT_MAP = 134,
        FEATURE_HIPERF_FILES_SYMBOL = 192,
        FEATURE_HIPERF_WORKLOAD_CMD = 193,
        FEATURE_HIPERF_RECORD_TIME = 194,
        FEATURE_HIPERF_CPU_OFF = 195,
        FEATURE_HIPERF_HM_DEVHOST = 196,
        FEATURE_HIPERF_STACK_TABLE = 197,
        FEATURE_HIPERF_ADD_COUNTER = 198,
        FEATURE_WPERF_RUN = 224,     /* the command and the end of the run: see session-format.md */
        FEATURE_WPERF_COUNT = 225,   /* properties of the events for stat */
        FEATURE_WPERF_IMAGES = 226,  /* PE images */
        FEATURE_WPERF_SYMBOLS = 227, /* packed by wperf archive: names, lines, code */
        FEATURE_WPERF_SOURCE = 228,  /* packed by wperf archive: lines of source files */
        FEATURE_WPERF_STACKS = 229,  /* how the stacks that were unwound while recording end */
        FEATURE_WPERF_WALKS = 230,   /* packed by wperf archive: unwound stack copies */
        /* packed by wperf archive: which chains that the kernel walked reach the outermost function */
        FEATURE_WPERF_ENDS = 231,
        FEATURE_WPERF_CODE = 232,   /* packed by wperf archive: addresses of the code in jitdumps */
        FEATURE_WPERF_PYTHON = 233, /* names and lines of Python functions */
        FEATURE_WPERF_WAITS = 234,  /* what waiting threads do: see session-format.md */
        FEATURE_WPERF_TASKS = 235,  /* tasks of asyncio */
        FEATURE_WPERF_LAST = 239,
};

/* In a pipe, wperf's sections are split into pieces, because perf stops at an unknown feature and a record
 * has at most 64 KiB. A piece is a record of a feature whose content perf never reads: this magic, the
 * section's number (u32), the size of the piece (u32), the piece. In a file, a section that grew while it was
 * recorded is in such pieces, too: its feature has this magic and the place of each of its records (u64, from
 * the start of the data on). */
#define PERFDATA_PIECE_MAGIC   "WPERFSEC"
#define PERFDATA_PIECE_FEATURE FEATURE_BRANCH_STACK

/* Bits of a BUILD_ID record's misc, in addition to the CPU mode. */
#define PERFDATA_MISC_BUILD_ID_SIZE (1u << 15)

/* Limits for values in a file; larger values give ERR_LIMIT. */
enum {
        LIMIT_EVENTS = 4096,
        LIMIT_EVENT_IDS = 1 << 22,
        LIMIT_DIR_FILES = 4096,                  /* files data.N in a perf.data directory */
        LIMIT_QUEUED_RECORDS = 1 << 28,          /* records that wait to be sorted by time */
        LIMIT_COMPRESSED_RECORD_BYTES = 1 << 27, /* unpacked size of a COMPRESSED record */
        /* Copies of a deep stack that does not change compress to 1 part in 1,950 (perf record -z
         * --call-graph dwarf,65528). */
        LIMIT_COMPRESSED_RATIO = 4096,
        LIMIT_COMPRESSED_FREE_BYTES = 1 << 26, /* allowed regardless of the ratio */
};

#endif
