/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the waiting threads of running processes at random moments around a pace, on a thread of wperf: each
 * of them once for each time that it waits. Its own cost is bounded, so with many threads the pace falls. */
#ifndef WAIT_PACE_H
#define WAIT_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "attributes.h"
#include "buf.h"
#include "stop_python.h"
#include "task_section.h"
#include "wait_section.h"

enum { WAIT_PACE_NS = 10000000 };

struct wait_pace_request {
        const int32_t *pids; /* processes; the children that they start are read, too */
        size_t n_pids;
        bool all;           /* all processes that may be read, */
        const char *cgroup; /* only those of this group, as in /proc/PID/cgroup; NULL: of all groups */
        struct stop_python *python; /* receives Python frames */
        bool is_command;            /* the processes are just being started */
        /* Records of switches are made from the times that the kernel counts for each thread, where it does
         * not record them itself: for each thread and look one time on a CPU, at its end. */
        bool adds_switches;
        /* Readings are taken while it runs. There is no end of them, so tasks of loops, which all belong to
         * one section, are not read; and a wait that goes on is read again, because its reading is forgotten
         * some day, and because a reading comes out when another one follows. */
        bool is_live;
};

struct wait_pace;

/* Begins to read. Everything that `request` points to must outlive it, except `pids`. */
struct wait_pace *wait_pace_begin(const struct wait_pace_request *request);

/* Ends the thread; what was read is still to be taken. */
void wait_pace_end(struct wait_pace *pace);
void wait_pace_free(struct wait_pace *pace);
AUTO_DEFINE(wait_pace)

/* Moves the samples since the last call to `out`, in order of time; for any thread. Does not wait for a
 * reading that is under way. */
void wait_pace_take(struct wait_pace *pace, struct buf *out);

/* Readings that were moved out of a pace. */
struct wait_pace_readings {
        struct wait_reading *items;
        size_t n, cap;
        struct arena texts;
};

/* Moves the readings since the last call to `ret`, which the caller releases; for any thread. They have those
 * of all samples that were taken before. */
void wait_pace_take_readings(struct wait_pace *pace, struct wait_pace_readings *ret);
void wait_pace_readings_release(struct wait_pace_readings *readings);

struct wait_pace_facts {
        uint64_t n_left_out;              /* readings for which there was no room */
        const struct task_section *tasks; /* of loops, at some of the readings */
};

/* Gives the frames of tasks places among those of the session. Call after wait_pace_end. */
void wait_pace_add_places(struct wait_pace *pace, struct python_places *places);

/* Call after wait_pace_end. */
struct wait_pace_facts wait_pace_get(const struct wait_pace *pace);

#endif
