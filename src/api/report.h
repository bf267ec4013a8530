/* SPDX-License-Identifier: BSD-3-Clause */
/* From a session file to rows with names: what `report` shows and what `record` and `sample` end with. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate.h"
#include "attributes.h"
#include "branches.h"
#include "collector.h"
#include "err.h"
#include "hot.h"
#include "named_stacks.h"
#include "quality.h"
#include "run_info.h"
#include "sample_list.h"
#include "session_archive.h"
#include "session_input.h"
#include "stacks_tree.h"
#include "unwind.h"

struct report_request {
        const char *path; /* of the session; "-": standard input */
        unsigned keys;    /* profile_key bits; 0: event, module, symbol */
        struct profile_filter
                filter; /* from_ns and to_ns by the session's clock, or since its first sample; or a slice of its time */
        bool no_demangle, long_names;
        bool keep_clones;   /* as in resolver_options */
        bool inlines;       /* as in hot_new */
        bool arguments;     /* of all functions: a pattern of them has some */
        bool stacks;        /* for report_name_stacks */
        bool merges_strays; /* as in places_init(); with `stacks`, where no callers' addresses are wanted */
        /* With `stacks`, where only trees of functions are wanted, and their order is that of their weights: callers in the same
         * function may be one node of stacks.  Which ones depends on the number of workers. */
        bool merges_callers;
        bool no_tree_inlines; /* with `merges_callers`: as in struct report_tree_options */
        bool samples;         /* for report_samples; with `stacks` */
        unsigned n_workers;   /* threads that read; 0: as many as there are CPUs and work for */
        bool branches;        /* for report_branches */
        bool to_pack; /* for report_walks; with `stacks`, which then stand beside the samples' own places */
        const struct resolver_sources *sources; /* NULL: files of this machine alone */
        const struct collect_result *collected; /* of the run just made, for files that only it holds; NULL */
};

struct report;

struct report *report_make(const struct report_request *request, struct err *err);

/* The same of a session that is open already; `input` is then the report's, also on failure. */
struct report *report_make_of(const struct report_request *request, struct session_input *input,
                              struct err *err);
void report_free(struct report *report);
AUTO_DEFINE(report)

struct report_event {
        const char *name;
        struct perf_attr attr;
        uint64_t n_samples, weight;
        uint64_t mean_period; /* 0: no samples */
};

struct report_module {
        const char *path;
        uint64_t address; /* run-time address of its first byte at its first sample */
        const char *note; /* why its names are missing or poor; NULL */
};

size_t report_n_events(const struct report *report);
struct report_event report_get_event(const struct report *report, size_t index);

/* "none" when its samples have the address of the instruction that they are of, else "possible". */
const char *report_event_skid(const struct report_event *event);
const struct hot *report_hot(const struct report *report);

/* For what looks closer than rows do: annotation.h. */
struct resolver *report_resolver(const struct report *report);
resolver_id report_resolver_id(const struct report *report, module_id module);
struct annotate *report_annotate_whole(const struct report *report, uint32_t event);

/* NULL: the request did not ask for them. */
const struct branch_rows *report_branches(const struct report *report);

struct report_tree_options {
        bool no_inlines; /* what was inlined is a part of its caller */
        bool lines;      /* as in stacks_tree.h */
        bool processes;
};

/* Looks up the names of all stacks, for stacks_tree_make() of each event; stacks_tree_free() by the caller.  The request
 * asked for stacks. */
struct stacks_tree *report_name_stacks(const struct report *report,
                                       const struct report_tree_options *options);

/* Whether samples were recorded with what a stack is made of: a call chain, or registers and a copy of the stack. */
bool report_has_stacks(const struct report *report);

/* What the samples' nodes are; named_stacks_free() by the caller.  The request asked for stacks. */
struct named_stacks *report_named_stacks(const struct report *report, bool inlines, bool lines);

/* Where chains of the kernel end whole: a section, empty where there is nothing to pack. */
const struct buf *report_ends(const struct report *report);

/* The places of stacks and of branches, and the walks over the samples' copies of stacks.  The request asked for what is
 * packed; without branches, NULL. */
const struct stacks *report_stacks(const struct report *report);
const struct branches *report_branch_edges(const struct report *report);
const struct stack_archive_writer *report_walks(const struct report *report);

/* Those that the filter let pass, in the order of time; NULL when the request did not ask for them. */
const struct sample_list *report_samples(const struct report *report);

/* How frames of user code were found in stacks that were unwound, while recording or here (enum unwind_way). */
struct report_ways {
        uint64_t by_way[UNWIND_N_WAYS];
        bool were_recorded;
        uint64_t unwind_ns; /* the recorder's CPU time for it */
};

/* False: there were none. */
bool report_get_ways(const struct report *report, struct report_ways *ret);

/* Of its session. */
const struct perfdata_reader *report_reader(const struct report *report);
const struct profile *report_profile(const struct report *report);
struct module_source *report_module_source(const struct report *report);
/* When the module's file was written, 0: not known. */
int64_t report_built_ns(const struct report *report, module_id module);

/* What was packed into the session; never NULL, and empty where nothing was. */
const struct session_archive *report_archive(const struct report *report);
const struct world *report_world(const struct report *report);
const struct quality *report_quality(const struct report *report);

/* Modules that samples fell into. */
size_t report_n_modules(const struct report *report);
struct report_module report_get_module(const struct report *report, size_t index);

/* Loaded sections of the file of module `index`. */
size_t report_n_sections(const struct report *report, size_t index);
struct resolver_section report_get_section(const struct report *report, size_t index, size_t section);

/* How the run was made; false for a file of another tool. */
bool report_run_info(const struct report *report, struct run_info *ret);

/* The one main image of all sampled processes. */
struct report_image {
        const char *name; /* base name */
        const char *path;
        uint64_t base_address;  /* run-time entry point */
        uint64_t runtime_delta; /* load bias */
};
bool report_image(const struct report *report, struct report_image *ret);

#endif
