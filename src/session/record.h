/* SPDX-License-Identifier: BSD-3-Clause */
/* One record of a session: its parts as fields.  Nothing here copies; pointers lead into the record's bytes. */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cursor.h"
#include "err.h"
#include "perf_abi.h"

enum { BUILD_ID_MAX = 20 };

/* Records of simpleperf's own.  The upper half of their size stands in the place of misc. */
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

/* A sample's fields; what sample_type does not hold is 0, but for cpu (UINT32_MAX), pid and tid (-1). */
struct sample {
        uint16_t misc; /* of the header: PERF_MISC_CPUMODE_MASK, PERF_MISC_EXACT_IP */
        int32_t pid, tid;
        uint32_t cpu;
        uint64_t ip, time, addr, id, stream_id, period;
        struct cursor read; /* counts as read_format lays them out */
        uint64_t n_chain;
        struct cursor chain; /* n_chain numbers of 64 bits, in the file's byte order */
        uint64_t n_branches;
        uint64_t branch_top;    /* hardware's index of the newest entry; BRANCH_TOP_NONE: not told */
        struct cursor branches; /* n_branches entries of 24 bytes: from, to, flags; see sample_branch */
        struct cursor branch_counters; /* n_branches numbers, when the attribute asks for them */
        struct cursor raw;
        uint64_t regs_user_abi;  /* PERF_SAMPLE_REGS_ABI_*: 0 none */
        struct cursor regs_user; /* a number of 64 bits for each bit of attr.sample_regs_user */
        uint64_t regs_intr_abi;
        struct cursor regs_intr;
        struct cursor stack_user;      /* dyn_size bytes of the copied stack */
        bool stack_is_whole;           /* there was no more of it than could have been copied */
        uint64_t weight;               /* of WEIGHT_STRUCT the first 32 bits' part */
        uint16_t ins_lat, p_stage_cyc; /* the other parts of WEIGHT_STRUCT */
        uint64_t data_src, transaction, phys_addr, cgroup, data_page_bytes, code_page_bytes;
        struct cursor aux; /* a piece of AUX data */
};

#define BRANCH_TOP_NONE UINT64_MAX

struct branch {
        uint64_t from, to;
        bool mispredicted, predicted; /* both false: not told */
        bool in_transaction, aborts;
        uint16_t cycles; /* since the branch before; 0: not told */
        uint8_t type;
        uint8_t speculation; /* 0: not told */
};

/* The trailer that sample_id_all puts behind every other record, under the same rules. */
struct record_id {
        int32_t pid, tid;
        uint32_t cpu;
        uint64_t time, id, stream_id;
};

enum {
        RECORD_PROT_EXEC = 4,
        RECORD_PROT_ADDRESSES =
                0x4000, /* simpleperf: JIT code whose recorded names have absolute addresses */
};

struct record_mmap { /* MMAP and MMAP2 */
        int32_t pid, tid;
        uint64_t start, len, pgoff;
        uint32_t maj, min;
        uint64_t inode, inode_generation;
        uint8_t build_id[BUILD_ID_MAX];
        uint8_t build_id_size; /* 0: none */
        uint32_t prot;         /* RECORD_PROT_*; MMAP without MMAP_DATA: RECORD_PROT_EXEC */
        const char *path;
};

struct record_comm {
        int32_t pid, tid;
        bool exec;
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
        uint16_t type, flags; /* flags bit 0: unregistered */
        const char *name;
};

/* Each takes a cursor over one whole record, header included, with the file's byte order in `swap`.
 * False when the record is too short for what it says; the outputs are then undefined. */
bool sample_parse(const struct perf_attr *attr, struct cursor record, struct sample *ret);
/* The same in a fraction of the time for samples of fields that stand at the same place in each: where they stand, 0 for
 * what is not there. */
struct sample_layout {
        bool is_plain; /* nothing but id, ip, pid, tid, time, addr, stream id, CPU, period and a call chain */
        uint16_t id, ip, tid, time, addr, stream_id, cpu, period, chain, end;
};
void sample_layout_init(struct sample_layout *layout, const struct perf_attr *attr);

/* `sample` was the result of sample_parse() or of this for a sample of the same event, and is what it gives for this one.
 * The layout is plain and the bytes are in this machine's order. */
bool sample_parse_plain(const struct sample_layout *layout, struct cursor record, struct sample *sample);

bool record_id_parse(const struct perf_attr *attr, struct cursor record, struct record_id *ret);
bool record_comm_parse(struct cursor record, struct record_comm *ret);
bool record_task_parse(struct cursor record, struct record_task *ret);
bool record_lost_parse(struct cursor record, struct record_lost *ret);
bool record_ksymbol_parse(struct cursor record, struct record_ksymbol *ret);

/* `asked`: the record's event asked for build ids (PERF_ATTR_BUILD_ID).  The kernel also sets PERF_MISC_MMAP_BUILD_ID in
 * the records of other events, which hold device and inode all the same: without `asked` the bit means nothing. */
bool record_mmap_parse(struct cursor record, bool asked, struct record_mmap *ret);

/* Whether an MMAP2 record holds a build id in place of device and inode. */
bool record_mmap_has_build_id(struct cursor record, bool asked);

bool record_stat_parse(struct cursor record, struct record_stat *ret);
bool record_stat_round_parse(struct cursor record, struct record_stat_round *ret);

/* The bytes of the trailer that sample_id_all puts behind a record; 0 without sample_id_all. */
size_t record_id_bytes(const struct perf_attr *attr);

/* The chain ends where a record that comes later goes on with the user's part: CALLCHAIN_DEFERRED with this cookie (NULL:
 * not wanted). */
bool sample_is_deferred(const struct sample *sample, uint64_t *ret_cookie);

/* Entry `index` of the branch stack, newest first; false when there is none. */
bool sample_branch(const struct sample *sample, uint64_t index, struct branch *ret);

/* A number of a bit field's 64 bits in a file of the other bit order (big endian), as little endian has it. */
uint64_t record_bit_field(uint64_t value, bool big_endian);

/* Whether the bytes under the cursor are big endian. */
bool record_is_big_endian(const struct cursor *c);

/* Takes the next of several whole records in this machine's byte order: its header and its bytes.  False at the
 * end, and where what is left is not a whole record. */
bool record_next(struct cursor *records, struct perf_header *ret_header, struct cursor *ret_record);

/* "MMAP2", "SAMPLE"; NULL for a type that is not known. */
const char *record_type_name(uint32_t type);

/* Where a collector puts records: a session file, or later a reader in memory. */
struct record_sink {
        bool (*put)(void *ctx, const void *records, size_t size_bytes, struct err *err); /* whole records */
        void *ctx;
};

#endif
