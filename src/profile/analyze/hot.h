/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the hot table: places with their names, merged and sorted, a list for each event. */
#ifndef HOT_H
#define HOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "place_frames.h"
#include "place_modules.h"
#include "profile.h"
#include "resolver.h"
#include "strpool.h"

struct hot_row {
        uint32_t event;
        int32_t pid, tid;
        uint32_t cpu;
        str_id comm;        /* hot_text: the thread's name in the kernel; with PROFILE_COMM */
        str_id process;     /* hot_text: the name of the process's first thread; with PROFILE_PROCESS */
        str_id thread;      /* hot_text: the name that its program gave the thread, else that in the kernel;
                               with PROFILE_THREAD */
        str_id symbol;      /* hot_text: the name of the row as shown, with ":module" if needed */
        str_id bare;        /* the name without the module */
        str_id brief;       /* the name without the arguments that distinguish it from others */
        str_id module;      /* base name of the module, "" for none */
        str_id line;        /* "longobject.c:3404", "" if the line is not known; with PROFILE_LINE */
        str_id source;      /* with PROFILE_SOURCE: what was sampled, as WindowsPerf names it; with
                               PROFILE_STATE: the thread's state */
        str_id file;        /* path of the source file; "": not known; with PROFILE_FILE */
        str_id package;     /* to whom it belongs; "": not known; with PROFILE_PACKAGE */
        uint8_t machine;    /* enum exec_machine; with PROFILE_MACHINE */
        bool is_native;     /* with PROFILE_PYTHON: the row has no Python frame, and no name */
        bool resolved;      /* a function's name is known */
        bool is_in_several; /* functions in other modules have the same name; `symbol` tells them apart */
        bool has_addr;      /* `addr` is valid; with PROFILE_ADDR */
        uint64_t addr;      /* in the module's object file; without a module, as sampled */
        uint64_t count, weight;
        double share;     /* share of the event's weight, 0 to 1 */
        double low, high; /* 95 % interval of the share */
};

/* A distinct address of a row, for verbose output. */
struct hot_pc {
        uint32_t event;
        uint32_t row;     /* index into the rows */
        uint32_t place;   /* index into the places of the profile */
        module_id module; /* MODULE_NONE: none */
        uint64_t addr;    /* in the module's object file */
        uint64_t count, weight;
};

struct hot;

struct hot_request {
        const struct profile *profile;
        unsigned keys; /* those of the profile, or others that do not depend on the sample's task */
        const struct world *world;
        struct resolver *resolver;
        const struct place_modules *modules;
        /* An inlined function has one row for all of its copies, and does not count for the function that
         * contains it. */
        bool inlines;
        /* Names of functions include their arguments; otherwise only if rows of a module would have equal
         * names. */
        bool arguments;
        /* Only samples of functions that match this pattern of text_match_symbol() are in rows, whether or
         * not rows have functions; shares are still those of all samples.  NULL: all samples. */
        const char *symbol;
        const char *(*state_word)(unsigned state); /* for PROFILE_STATE */
};

struct hot *hot_new(const struct hot_request *request);
void hot_free(struct hot *hot);
AUTO_DEFINE(hot)

/* Frames of the profile's places, by their numbers. */
struct place_frames *hot_place_frames(const struct profile *profile, struct resolver *resolver,
                                      const struct place_modules *modules);

/* Sorted by event, then weight (most first), then name. */
size_t hot_n_rows(const struct hot *hot);
const struct hot_row *hot_get_row(const struct hot *hot, size_t index);

/* Sorted by row, then count (most first), then address. */
size_t hot_n_pcs(const struct hot *hot);
const struct hot_pc *hot_get_pc(const struct hot *hot, size_t index);

/* The first address of a row; the next *ret_n - 1 belong to it, too. */
size_t hot_pcs_of_row(const struct hot *hot, size_t row, size_t *ret_n);

const char *hot_text(const struct hot *hot, str_id id);

/* Whether a pattern of text_match_symbol matches the row: its name without the module, with or without
 * arguments. */
bool hot_row_matches(const struct hot *hot, const struct hot_row *row, const char *pattern);

/* "x64 emulated"; "" for EXEC_UNKNOWN. */
const char *hot_machine_text(enum exec_machine machine);

/* What of an event's samples is code of x64 or x86 that Windows on ARM64 emulates. */
struct hot_emulation {
        double x64, x86;  /* shares of the weight, 0 to 1 */
        module_id module; /* that has most of it; MODULE_NONE: there is none */
};

/* To be called only for a machine that emulates. */
struct hot_emulation hot_get_emulation(const struct hot *hot, uint32_t event, uint64_t total_weight,
                                       const struct place_modules *modules);

/* Number of samples whose function has no name, of all samples. */
uint64_t hot_n_unresolved(const struct hot *hot);

/* The module with most of them, and how many it has; MODULE_NONE if there are none, or if they are in no
 * module. */
module_id hot_most_unresolved(const struct hot *hot, uint64_t *ret_n);

/* Wilson's 95 % interval of a share that was estimated from `n` samples; both 0 to 1. */
void hot_interval(double share, double n, double *ret_low, double *ret_high);

#endif
