/* SPDX-License-Identifier: BSD-3-Clause */
/* One pass over a session makes the results that a command asks for: rows with names, call trees, lists of samples, branches,
 * what is to be packed.  Each result is a type of its own; all of them point into the session, and die with the report. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "attributes.h"
#include "branches.h"
#include "err.h"
#include "hot.h"
#include "named_stacks.h"
#include "python_rows.h"
#include "quality.h"
#include "report_session.h"
#include "run_info.h"
#include "sample_list.h"
#include "stack_archive.h"
#include "stacks_python.h"
#include "stacks_tree.h"
#include "unwind.h"

/* What is made besides the totals, the rows, the modules and the quality, which are always made; a set. */
enum report_result {
        REPORT_STACKS = 1,       /* implied by all but REPORT_BRANCHES and REPORT_SECTIONS */
        REPORT_TREE = 2,         /* for stacks_tree_make() of each event */
        REPORT_NAMED_STACKS = 4, /* what the samples' nodes are */
        REPORT_SAMPLES = 8,      /* those that the filter let pass, in the order of time */
        REPORT_BRANCHES = 16,    /* edges and their rows */
        REPORT_SECTIONS = 32,    /* of the modules' files */
        REPORT_PYTHON = 128,     /* rows of Python functions; of a session without Python frames nothing */
        REPORT_PACKED = 64,      /* the stacks then stand beside the samples' own places */
};

struct report_request {
        const char *path; /* of the session; "-": standard input */
        unsigned results; /* a set of enum report_result */
        unsigned keys;    /* profile_key bits; 0: event, module, symbol */
        struct profile_filter
                filter; /* from_ns and to_ns by the session's clock, or since its first sample; or a slice of its time */
        bool no_demangle, long_names;
        bool keep_clones;   /* as in resolver_options */
        bool inlines;       /* as in hot_new */
        bool arguments;     /* of all functions: a pattern of them has some */
        bool merges_strays; /* as in places_init(); with stacks, where no callers' addresses are wanted */
        /* With stacks, where only trees of functions are wanted, and their order is that of their weights: callers in the same
         * function may be one node of stacks.  Which ones depends on the number of workers. */
        bool merges_callers;
        /* Of the tree and of named stacks. */
        bool no_tree_inlines;      /* what was inlined is a part of its caller */
        bool tree_lines;           /* as in stacks_tree.h */
        bool tree_processes;       /* the same; of the tree alone */
        enum stacks_python python; /* which frames of Python programs they have */
        unsigned n_workers;        /* threads that read; 0: as many as there are CPUs and work for */
        const struct resolver_sources *sources; /* NULL: files of this machine alone */
        const struct collect_result *collected; /* of the run just made, for files that only it holds; NULL */
};

struct report_event {
        const char *name;
        struct perf_attr attr;
        uint64_t n_samples, weight;
        uint64_t mean_period; /* 0: no samples */
        /* "none" when its samples have the address of the instruction that they are of, else "possible". */
        const char *skid;
};

/* A module that samples, or branches that were asked for, fell into. */
struct report_module {
        const char *path;
        uint64_t address;                  /* run-time address of its first byte at its first sample */
        const char *note;                  /* why its names are missing or poor; NULL */
        struct resolver_section *sections; /* loaded ones of its own file, where they were asked for */
        size_t n_sections;
};

struct report_modules {
        struct report_module *items;
        size_t n;
        struct arena arena;
};

/* How frames of user code were found in stacks that were unwound, while recording or here. */
struct report_ways {
        bool any;
        uint64_t by_way[UNWIND_N_WAYS]; /* enum unwind_way */
        bool were_recorded;
        uint64_t unwind_ns; /* the recorder's CPU time for it */
};

/* The one main image of all sampled processes. */
struct report_image {
        bool is_known;
        const char *name; /* base name */
        const char *path;
        uint64_t base_address;  /* run-time entry point */
        uint64_t runtime_delta; /* load bias */
};

/* How the run was made. */
struct report_run {
        bool is_known; /* not in a file of another tool; then `info` is empty */
        struct run_info info;
        struct buf text;
};

/* What is packed into the session besides answers about its places. */
struct report_packed {
        struct stack_archive_writer *walks; /* over the samples' copies of stacks */
        struct buf ends; /* the section of end_marks.h; empty where there is nothing to pack */
};

/* NULL or empty: the request did not ask for it. */
struct report {
        struct report_session session;
        struct report_event *events;
        size_t n_events;
        struct profile *profile;
        struct hot *hot;
        struct python_rows *python;
        struct quality quality;
        struct buf doubts; /* of the quality */
        struct report_modules modules;
        struct report_run run;
        struct report_image image;
        struct stacks *stacks;
        struct report_ways ways; /* with stacks */
        struct stacks_tree *tree;
        struct named_stacks *named;
        struct sample_list *samples;
        struct branches *branches;
        struct branch_rows *branch_rows;
        struct report_packed packed;
};

struct report *report_make(const struct report_request *request, struct err *err);

/* The same of a session that is open already; `input` is then the report's, also on failure. */
struct report *report_make_of(const struct report_request *request, struct session_input *input,
                              struct err *err);
void report_free(struct report *report);
AUTO_DEFINE(report)

#endif
