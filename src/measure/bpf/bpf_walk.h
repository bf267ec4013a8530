/* SPDX-License-Identifier: BSD-3-Clause */
/* What the BPF program of bpf_walk.bpf.c and the recorder share: layouts of CPython's structs, processes that
 * run CPython, and messages.  A message of a sample or of a code object consists of pieces of the process's
 * memory, in which the recorder reads frames and code objects as in the memory itself. */
#ifndef BPF_WALK_H
#define BPF_WALK_H

#include <linux/types.h>

enum {
        WALK_MAX_LAYOUTS = 256,
        WALK_MAX_PROCESSES = 16384,
        WALK_MAX_FOLLOWED = 65536,
        WALK_MAX_THREADS = 65536,
        WALK_MAX_CODES = 65536,
        WALK_MAX_STATES = 4, /* thread states of a thread: one for each interpreter that it runs */
        WALK_MAX_FRAMES = 2048,
        WALK_THREAD_BYTES = 512, /* limits of layouts */
        WALK_FRAME_BYTES = 128,
        WALK_CODE_BYTES = 256,
        WALK_WINDOW_BYTES = 2048, /* of the data stack, read at once */
        WALK_CFRAME_BYTES = 24,
        WALK_NAME_CHARS = 4096,                      /* longer names are cut, as PYTHON_MAX_NAME_CHARS */
        WALK_NAME_BYTES = 128 + WALK_NAME_CHARS * 4, /* of a str object with its header */
        WALK_LINES_BYTES = 16384,                    /* of a bytes object from its size on, in one message */
        WALK_MAX_LINES_PARTS = 16,
        WALK_SCRATCH_BYTES = 64 << 10,
        WALK_PAGE_BYTES = 4096,
        WALK_STACK_BYTES = 16384, /* of a stack, in one message */
        WALK_MAX_STACK_BYTES = 1 << 20,
};

enum { WALK_ALL = 0 }; /* instead of a pid */

#define WALK_NO_FIELD 0x7fffffffu

/* struct python_layout, as far as the program needs it. */
struct walk_layout {
        __u32 minor;
        __u32 runtime_interpreters, runtime_current;
        __u32 interp_next, interp_threads;
        __u32 thread_bytes, thread_next, thread_interp, thread_frame, thread_id, thread_status;
        __u32 has_cframe, cframe_frame, cframe_previous;
        __u32 has_data_stack; /* a callee's frame lies behind that of its caller */
        __u32 frame_bytes, frame_previous, frame_code, frame_owner, frame_entry;
        __u32 code_bytes, code_name, code_file, code_lines, code_version;
        __u32 text_length, text_ascii_bytes, bytes_size, bytes_data;
        __u32 stack_bytes;                    /* that the samples' records have of each stack */
        __u32 wants_holder;                   /* who has the GIL is to be found */
        __u32 thread_native_id, pthread_tid;  /* CPython up to 3.10 does not store the former */
        __u64 code_mask[WALK_CODE_BYTES / 8]; /* the bits that do not change while a code object exists */
};

enum walk_kind { WALK_PYTHON = 1, WALK_OTHER };

struct walk_process {
        __u64 runtime;      /* address of _PyRuntime */
        __u64 bias;         /* of the file that defines it */
        __u64 next_look_ns; /* WALK_OTHER: when the recorder is to look again */
        __u64 born_ns;      /* WALK_PYTHON: when it began to run this program, or to be known */
        __u32 binary;       /* the number of that file, also of its layout */
        __u32 kind;         /* enum walk_kind */
};

enum walk_message_kind {
        WALK_SAMPLE = 1,
        WALK_PART,    /* the first pieces of a sample for which one message has no room */
        WALK_CODE,    /* states: the address of the code object, its hash, and the number of the part */
        WALK_UNKNOWN, /* a sample of a process that the recorder is to look at for the first time */
        WALK_AGAIN,   /* a sample of one that ran no CPython then */
        WALK_END,     /* the process has ended, or executes another program */
};

/* Followed by pieces: struct walk_piece and its bytes, padded to 8. */
struct walk_message {
        __u32 kind; /* enum walk_message_kind */
        __u32 pid, tid;
        __u32 is_cut;            /* the sample's first pieces were lost */
        __u64 time_ns, until_ns; /* when the program began, and when it had read all */
        __u64 born_ns, ip, sp, tls, bias;
        __u64 lost_stack_bytes; /* size of the stack whose copy was lost; 0: none was */
        __u32 binary;
        __u32 n_states;
        __u32 gil_holder; /* its number in its PID namespace; 0: nobody, or not known */
        __u32 has_gil;    /* it is this thread */
        __u64 states[WALK_MAX_STATES];
};

/* A code object of a sample has no bytes; `hash` is that of its message. */
struct walk_piece {
        __u64 addr;
        __u64 hash;
        __u32 size, pad;
};

/* Of the ring `stacks`: a part of a stack that does not fit into the sample's record. */
struct walk_stack {
        __u32 tid, size;
        __u64 time_ns, sp;
        __u64 addr;  /* of the bytes */
        __u64 start; /* address of the first part */
        __u64 used;  /* size of the stack, from sp on */
        __u64 is_last;
        __u8 bytes[WALK_STACK_BYTES];
};

/* What is missing, and why. */
struct walk_counts {
        __u64 n_lost_samples, n_lost_codes, n_lost_stacks; /* messages for which a ring had no room */
        __u64 n_unread_stacks;                             /* a page of the stack was not in memory */
        __u64 n_long_codes;                                /* line tables that are longer than all parts */
};

#endif
