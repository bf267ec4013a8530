/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by python_oracle.bpf.c and python_oracle.c.  The file of samples is an array of
 * struct oracle_sample. */
#ifndef PYTHON_ORACLE_H
#define PYTHON_ORACLE_H

enum {
        ORACLE_MAX_FRAMES = 576,
        ORACLE_NAME_BYTES = 64,
        ORACLE_FILE_BYTES = 112,
        ORACLE_LINES_BYTES = 16,
        ORACLE_MAX_STATES = 2,
        ORACLE_LEFT = 2,
        ORACLE_SIGTRAP = 5,
        ORACLE_TRAP_PERF = 6,
        ORACLE_MAGIC =
                0x0ac1e, /* the second argument of the prctl() by which a thread passes its thread state */
};

/* The second argument of the prctl() by which a thread passes its thread state to the oracle with this
 * pid. */
#define ORACLE_MAGIC(pid) (0xac1eull << 32 | (__u32)(pid))

/* Offsets of the fields in CPython's headers, as python_headers.c prints them.  ORACLE_NO_FIELD: this
 * version does not have the field. */
#define ORACLE_NO_FIELD (~0ull)

/* Thread states of a thread, the one that runs first: an interpreter may run another one. */
struct oracle_states {
        __u64 states[ORACLE_MAX_STATES];
};

struct oracle_layout {
        __u64 magic; /* ORACLE_MAGIC */
        __u64 thread_frame;
        __u64 cframe_frame;
        __u64 frame_previous;
        __u64 frame_code;
        __u64 frame_instr;
        __u64 frame_owner;
        __u64 code_name;
        __u64 code_file;
        __u64 code_first_line;
        __u64 code_instrs;
        __u64 text_ascii_bytes;
        __u64 code_lines;
        __u64 bytes_data;
        __u64 timer_function; /* of the kernel: what a timer of cpu-clock calls, with "timer" */
};

struct oracle_frame {
        __u64 code;
        __s64 instr; /* f_lasti, or bytes from the start of the bytecode */
        __u64 first_line;
        char name[ORACLE_NAME_BYTES];
        char file[ORACLE_FILE_BYTES];
        char lines[ORACLE_LINES_BYTES]; /* the beginning of the line table, and what is behind it in memory */
};

struct oracle_sample {
        __u32 tid;
        __u16 is_whole;   /* the walk reached a frame without a caller; ORACLE_LEFT: no sample, the thread's
                             state is no longer known */
        __u16 is_delayed; /* the thread blocks the signal, so it stops when it unblocks it */
        __u64 time_ns;
        __u64 ip;
        __u64 n_frames;
        struct oracle_frame frames[ORACLE_MAX_FRAMES]; /* innermost first; n_frames are written */
};

#endif
