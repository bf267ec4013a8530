/* SPDX-License-Identifier: BSD-3-Clause */
/* The content of the kernel's events in event-trace files.  Each function returns false if the event is
 * shorter than its kind and version requires.  Texts are appended to a buffer as UTF-8. */
#ifndef ETL_KERNEL_H
#define ETL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "etl_file.h"

struct etl_process {
        uint32_t pid, parent;
};

/* ETL_PROCESS_x; appends the file name of its image. */
bool etl_kernel_process(const struct etl_event *event, unsigned pointer_bytes, struct etl_process *ret,
                        struct buf *name);

struct etl_thread {
        uint32_t pid, tid;
};

/* ETL_THREAD_x */
bool etl_kernel_thread(const struct etl_event *event, struct etl_thread *ret);

/* What a thread does that a CPU turns away from. */
enum {
        ETL_STATE_READY = 1, /* it could go on: it was preempted, or waits for a CPU */
        ETL_STATE_WAITING = 5,
        ETL_STATE_READY_SOON = 7,
        ETL_STATE_UNKNOWN = 0xff,
};

/* A CPU turns from one thread to another.  Thread 0 is that of an idle CPU. */
struct etl_switch {
        uint32_t to, from;
        uint8_t state;  /* ETL_STATE_x, or another one: of `from` */
        uint8_t reason; /* why `from` waits, etl_kernel_wait_reason() */
};

/* The name of a wait's reason, as "WrQueue"; NULL for an unknown number. */
const char *etl_kernel_wait_reason(unsigned reason);

/* ETL_CONTEXT_SWITCH */
bool etl_kernel_switch(const struct etl_event *event, struct etl_switch *ret);

/* ETL_READY_THREAD: the thread that may go on.  Who allowed it is the thread that runs on the event's CPU. */
bool etl_kernel_ready(const struct etl_event *event, uint32_t *ret_tid);

struct etl_image {
        uint64_t base, size; /* run-time address, and bytes of memory */
        uint32_t pid;        /* 0: an image of the kernel, for all processes */
        uint32_t time_stamp; /* of the PE header; 0: not known */
};

/* ETL_IMAGE_x; appends the path. */
bool etl_kernel_image(const struct etl_event *event, unsigned pointer_bytes, struct etl_image *ret,
                      struct buf *path);

/* The PDB of an image, written by the program that merged the file. */
struct etl_pdb {
        uint64_t base;
        uint32_t pid;
        uint8_t guid[ETL_GUID_BYTES]; /* as in the file */
        uint32_t age;
};

bool etl_kernel_is_pdb(const struct etl_event *event);
bool etl_kernel_pdb(const struct etl_event *event, unsigned pointer_bytes, struct etl_pdb *ret,
                    struct buf *path);

/* The time stamp of an image's PE header, written by the same program, because the kernel often gives 0. */
struct etl_stamp {
        uint64_t base;
        uint32_t pid, time_stamp;
};

bool etl_kernel_is_stamp(const struct etl_event *event);
bool etl_kernel_stamp(const struct etl_event *event, unsigned pointer_bytes, struct etl_stamp *ret);

struct etl_sample {
        uint64_t ip;
        uint32_t tid;
        uint16_t source; /* ETL_COUNTER_SAMPLE: the number of the counter's source */
        bool is_idle;    /* ETL_SAMPLE: the CPU had nothing to do, and handled no interrupt */
};

/* ETL_SAMPLE and ETL_COUNTER_SAMPLE */
bool etl_kernel_sample(const struct etl_event *event, unsigned pointer_bytes, struct etl_sample *ret);

/* Whether the event says that one or more events (or buffers, or the file) of a real-time session were
 * lost. */
enum etl_loss { ETL_LOST_NOTHING, ETL_LOST_EVENTS, ETL_LOST_BUFFERS, ETL_LOST_FILE };
enum etl_loss etl_kernel_loss(const struct etl_event *event);

/* The interval of a source.  The source of ETL_SAMPLE is 0, the timer, in 100 ns; others count events. */
struct etl_interval {
        uint32_t source, interval;
};

bool etl_kernel_is_interval(const struct etl_event *event);
/* Appends the name of the source, which may be empty. */
bool etl_kernel_interval(const struct etl_event *event, struct etl_interval *ret, struct buf *name);

/* A stack of the event with the same time and thread, or part of one: its frames, innermost first, or the
 * key of frames that are in another event. */
struct etl_stack {
        uint64_t time; /* ticks */
        uint32_t pid, tid;
        bool has_key;
        uint64_t key;
        size_t n_frames;
        struct cursor frames;
};

/* ETL_STACK, ETL_STACK_KEY_x */
bool etl_kernel_stack(const struct etl_event *event, unsigned pointer_bytes, struct etl_stack *ret);

/* ETL_STACK_DELETED, ETL_STACK_KEPT: only key and frames are set. */
bool etl_kernel_frames(const struct etl_event *event, unsigned pointer_bytes, struct etl_stack *ret);

uint64_t etl_kernel_pointer(struct cursor *c, unsigned pointer_bytes);

#endif
