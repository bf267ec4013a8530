/* SPDX-License-Identifier: BSD-3-Clause */
/* What an event-trace file says about processes, images, samples, switches and stacks, in the order of
 * time. */
#ifndef ETL_TRACE_H
#define ETL_TRACE_H

#include "etl_dotnet.h"
#include "etl_kernel.h"
#include "etl_machine.h"

/* At the same time, what has the lower number came first. */
enum etl_item_kind {
        ETL_ITEM_PROCESS,
        ETL_ITEM_PROCESS_END,
        ETL_ITEM_THREAD,
        ETL_ITEM_THREAD_END,
        ETL_ITEM_IMAGE,
        ETL_ITEM_CODE, /* of a method, compiled while the program ran */
        ETL_ITEM_SAMPLE,
        ETL_ITEM_READY,
        ETL_ITEM_SWITCH,
};

/* A record to be written. */
struct etl_item {
        uint64_t time; /* ticks */
        uint8_t kind;  /* enum etl_item_kind */
        bool existed;  /* when the recording began; `time` is when the file says so */
        uint16_t cpu;
        uint16_t source;     /* of a sample; of a switch: the state of the thread before, ETL_STATE_x */
        uint8_t reason;      /* of a switch: why that thread waits */
        uint32_t pid;        /* of a process, thread, image or code; its parent is in `tid` */
        uint32_t tid;        /* that was sampled, that a CPU turns to, or that may go on */
        uint32_t from;       /* of a switch: the thread before */
        uint64_t addr, size; /* of an image or code; addr of a sample */
        uint32_t time_stamp;
        uint32_t text;  /* offset into `texts`: a name or a path */
        uint32_t order; /* in the file, for items of one time */
};

/* A stack, or one of its parts, that belongs to the sample of a time and thread. */
struct etl_part {
        uint64_t time;
        uint32_t tid, pid;
        uint64_t walked; /* when the part was written: a program's part is walked when the thread leaves the
                            kernel */
        uint64_t key;    /* with has_key */
        size_t first, n; /* without: frames */
        bool has_key;
        uint32_t order;
};

/* The frames of a key, for parts that were walked up to a time. */
struct etl_keyed {
        uint64_t key, until;
        size_t first, n;
};

struct etl_source {
        uint32_t number, interval;
        uint32_t text;
};

/* Paths as the kernel writes them begin with one text, those of programs with the other; offsets into
 * `texts`. */
struct etl_volume {
        uint32_t kernel, program;
};

/* What tells an image from others with its name: a time stamp, or a PDB. */
struct etl_mark {
        struct etl_stamp stamp; /* with a PDB: only base and pid */
        bool has_pdb;
        struct etl_pdb pdb;
        uint32_t text; /* the path of the PDB */
};

/* The name of a method. */
struct etl_name {
        uint64_t addr;
        uint32_t size, pid;
        uint32_t text;    /* offset into `texts` */
        uint32_t order;   /* in the file */
        bool is_compiled; /* while the program ran; else its code is in an image */
};

struct etl_trace {
        struct etl_header header;
        struct etl_item *items;
        size_t n_items, cap_items;
        struct etl_part *parts; /* sorted by time, thread and when they were walked */
        size_t n_parts, cap_parts;
        struct etl_keyed *keyed; /* sorted by key and time */
        size_t n_keyed, cap_keyed;
        uint64_t *frames;
        size_t n_frames, cap_frames;
        struct etl_source *sources;
        size_t n_sources, cap_sources;
        struct etl_mark *marks; /* sorted by process and address */
        size_t n_marks, cap_marks;
        struct etl_volume *volumes;
        size_t n_volumes, cap_volumes;
        struct etl_name *names; /* in the order of the file */
        size_t n_names, cap_names;
        struct etl_machine machine;   /* n_cpus 0: not known */
        uint32_t machine_name, build; /* offsets into `texts` */
        struct buf texts;             /* NUL-terminated; offset 0 is "" */
        uint64_t n_samples, n_switches, n_readied, n_malformed;
        uint64_t n_losses; /* reports of lost events, each of at least one */
        uint64_t n_idle;   /* samples of idle CPUs, which are no items */
        uint64_t n_bad_buffers, cut_bytes, given_up_bytes;
        bool is_short;             /* events at the end of the file are left out for lack of memory */
        uint64_t left_out_bytes;   /* with is_short: of the buffers that were not read */
        struct etl_item **threads; /* the beginnings of threads, sorted by thread and time */
        size_t n_threads;
};

enum {
        ETL_TRACE_MAX_SOURCES = 256,
        ETL_TRACE_MAX_VOLUMES = 256,
        ETL_TRACE_MAX_PARTS = 16, /* of a stack; Windows writes two */
};

/* Reads all events, or those that take `limit` bytes of memory. */
void etl_trace_read(struct etl_file *file, uint64_t limit, struct etl_trace *trace);
void etl_trace_release(struct etl_trace *trace);

/* Approximately the memory that it takes. */
uint64_t etl_trace_bytes(const struct etl_trace *trace);

/* The process of a thread at a time; 0 for thread 0; ETL_NO_TASK: not known. */
int32_t etl_trace_process(const struct etl_trace *trace, uint32_t tid, uint64_t time);

/* The parts of a sample's stack: the first one, and *ret_n with those that follow it. */
const struct etl_part *etl_trace_parts(const struct etl_trace *trace, uint64_t time, uint32_t tid,
                                       size_t *ret_n);

/* The PDB of an image, or its time stamp; NULL: not known. */
const struct etl_mark *etl_trace_mark(const struct etl_trace *trace, const struct etl_item *image, bool pdb);

/* Appends an image's path as programs write it. */
void etl_trace_add_path(const struct etl_trace *trace, const struct etl_item *image, struct buf *out);

/* The frames of a part, innermost first; NULL if it has none, or nothing in the file gives those of its
 * key. */
const uint64_t *etl_trace_frames(const struct etl_trace *trace, const struct etl_part *part, size_t *ret_n);

/* For etl_trace.c: sorts what was read, and adds what the file only says at its end. */
struct etl_late_items {
        struct etl_item *items;
        size_t n, cap;
};

void etl_trace_sort(struct etl_trace *trace, const struct etl_late_items *late);

#endif
