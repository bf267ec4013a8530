/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses a record of a session. Nothing is copied; pointers refer to the bytes of the record. */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cursor.h"
#include "err.h"
#include "perf_abi.h"

enum { BUILD_ID_MAX = 20 };

/* Record types of simpleperf. `misc` is the upper half of their size. */
enum {
        RECORD_SIMPLEPERF_FIRST = 32768,
        RECORD_SIMPLEPERF_KERNEL_SYMBOL,
        RECORD_SIMPLEPERF_DSO,
        RECORD_SIMPLEPERF_SYMBOL,
        RECORD_SIMPLEPERF_SPLIT,
        RECORD_SIMPLEPERF_SPLIT_END,
        RECORD_SIMPLEPERF_EVENT_ID,
        RECORD_SIMPLEPERF_CALLCHAIN,
        RECORD_SIMPLEPERF_UNWINDING_RESULT,
        RECORD_SIMPLEPERF_TRACING_DATA,
        RECORD_SIMPLEPERF_DEBUG,
        RECORD_SIMPLEPERF_END = 65536,
};

/* The fields of a sample. Fields that are not in sample_type are 0, except cpu (UINT32_MAX), pid and tid
 * (-1). */
struct sample {
        uint16_t misc; /* of the header: PERF_MISC_CPUMODE_MASK, PERF_MISC_EXACT_IP */
        int32_t pid, tid;
        uint32_t cpu;
        uint64_t ip, time, addr, id, stream_id, period;
        struct cursor read; /* counts with the layout of read_format */
        uint64_t n_chain;
        struct cursor chain; /* n_chain 64-bit numbers in the byte order of the file */
        uint64_t n_branches;
        uint64_t branch_top;    /* hardware index of the newest entry; BRANCH_TOP_NONE if unknown */
        struct cursor branches; /* n_branches entries of 24 bytes: from, to, flags; see sample_branch */
        struct cursor branch_counters; /* n_branches numbers, if the attribute requests them */
        struct cursor raw;
        uint64_t regs_user_abi;  /* PERF_SAMPLE_REGS_ABI_*; 0 for none */
        struct cursor regs_user; /* 64 bits for each bit of attr.sample_regs_user */
        uint64_t regs_intr_abi;
        struct cursor regs_intr;
        struct cursor stack_user;      /* the dyn_size bytes of the stack copy */
        bool stack_is_whole;           /* the copy contains the whole stack */
        uint64_t weight;               /* for WEIGHT_STRUCT the low 32 bits */
        uint16_t ins_lat, p_stage_cyc; /* the other parts of WEIGHT_STRUCT */
        uint64_t data_src, transaction, phys_addr, cgroup, data_page_bytes, code_page_bytes;
        struct cursor aux; /* a piece of AUX data */
};

#define BRANCH_TOP_NONE UINT64_MAX

struct branch {
        uint64_t from, to;
        bool mispredicted, predicted; /* both false if unknown */
        bool not_taken; /* went on at `to`, the next instruction; only in samples of Arm SPE, and as in perf's
                           own branch flags */
        bool in_transaction, aborts;
        uint16_t cycles; /* since the previous branch; 0 if unknown */
        uint8_t type;
        uint8_t speculation; /* 0 if unknown */
};

/* The trailer that sample_id_all adds to all records except samples; fields that are missing have the same
 * values as in struct sample. */
struct record_id {
        int32_t pid, tid;
        uint32_t cpu;
        uint64_t time, id, stream_id;
};

enum {
        RECORD_PROT_EXEC = 4,
        /* simpleperf: JIT code whose recorded names have absolute addresses */
        RECORD_PROT_ADDRESSES = 0x4000,
};

struct record_mmap { /* MMAP and MMAP2 */
        int32_t pid, tid;
        uint64_t start, len, pgoff;
        uint32_t maj, min;
        uint64_t inode, inode_generation;
        uint8_t build_id[BUILD_ID_MAX];
        uint8_t build_id_size; /* 0 for none */
        uint32_t prot;         /* RECORD_PROT_*; MMAP without MMAP_DATA: RECORD_PROT_EXEC */
        const char *path;
};

/* header.misc of a COMM record that wperf writes itself: the name that the program gave the thread, such as
 * Python's. */
#define RECORD_MISC_COMM_GIVEN (1u << 14)

struct record_comm {
        int32_t pid, tid;
        bool exec, given;
        const char *name;
};

struct record_task { /* FORK and EXIT */
        int32_t pid, ppid, tid, ptid;
        uint64_t time;
};

struct record_lost { /* LOST and LOST_SAMPLES */
        uint64_t id; /* 0 for LOST_SAMPLES */
        uint64_t lost;
};

struct record_stat { /* a count of one event on one CPU or thread */
        uint64_t id;
        uint32_t cpu, thread;
        uint64_t value, enabled_ns, running_ns;
};

struct record_stat_round {
        uint64_t type; /* 0 interval, 1 final */
        uint64_t time;
};

struct record_ksymbol {
        uint64_t addr;
        uint32_t len;
        uint16_t type, flags; /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
        const char *name;
};

/* Each function takes a cursor over a complete record, including the header, with the file's byte order in
 * `swap`. False if the record is too short for its contents; then the output is undefined. */
bool sample_parse(const struct perf_attr *attr, struct cursor record, struct sample *ret);
/* Where the fields of samples are that can be parsed faster: fields at a fixed offset (0 if missing) and,
 * after them, some others. */
struct sample_layout {
        bool is_plain; /* only these fields */
        uint16_t id, ip, tid, time, addr, stream_id, cpu, period, chain, end;
        bool has_rest; /* one of these: */
        bool raw, branches, weight, weight_struct, data_src, phys_addr;
};
void sample_layout_init(struct sample_layout *layout, const struct perf_attr *attr);

/* Parses a sample with a plain layout in this machine's byte order. `sample` must contain the result for an
 * earlier sample of the same event, from sample_parse() or this function. */
bool sample_parse_plain(const struct sample_layout *layout, struct cursor record, struct sample *sample);

bool record_id_parse(const struct perf_attr *attr, struct cursor record, struct record_id *ret);
bool record_comm_parse(struct cursor record, struct record_comm *ret);
bool record_task_parse(struct cursor record, struct record_task *ret);
bool record_lost_parse(struct cursor record, struct record_lost *ret);
bool record_ksymbol_parse(struct cursor record, struct record_ksymbol *ret);

/* `asked`: the record's event requested build ids (PERF_ATTR_BUILD_ID). The kernel also sets
 * PERF_MISC_MMAP_BUILD_ID in records of other events, which have device and inode, so without `asked` the bit
 * is ignored. */
bool record_mmap_parse(struct cursor record, bool asked, struct record_mmap *ret);

/* Whether an MMAP2 record has a build id, not device and inode. */
bool record_mmap_has_build_id(struct cursor record, bool asked);

bool record_stat_parse(struct cursor record, struct record_stat *ret);
bool record_stat_round_parse(struct cursor record, struct record_stat_round *ret);

/* The size of the sample_id_all trailer; 0 without sample_id_all. */
size_t record_id_bytes(const struct perf_attr *attr);

/* Whether the chain continues in a later record: a CALLCHAIN_DEFERRED record with this cookie has the user
 * part. `ret_cookie` may be NULL. */
bool sample_is_deferred(const struct sample *sample, uint64_t *ret_cookie);

/* Gets entry `index` of the branch stack, newest first; false if there is none. */
bool sample_branch(const struct sample *sample, uint64_t index, struct branch *ret);

/* Converts a 64-bit bit field of a big-endian file to the bit order of little endian. */
uint64_t record_bit_field(uint64_t value, bool big_endian);

/* Whether the bytes at the cursor are big endian. */
bool record_is_big_endian(const struct cursor *c);

/* Takes the next record, in this machine's byte order: its header and its bytes. False at the end, or if the
 * remaining bytes are not a complete record. */
bool record_next(struct cursor *records, struct perf_header *ret_header, struct cursor *ret_record);

/* "MMAP2", "SAMPLE"; NULL for an unknown type. */
const char *record_type_name(uint32_t type);

/* Receives the records of a collector. */
struct record_sink {
        /* takes complete records */
        bool (*put)(void *ctx, const void *records, size_t size_bytes, struct err *err);
        void *ctx;
};

#endif
