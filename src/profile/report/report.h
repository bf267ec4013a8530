/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a session once and makes the results that a command asks for: rows with names, call trees, lists of
 * samples, branches, data for archives.  Each result has its own type; all of them point into the session,
 * and are freed with the report. */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access_rows.h"
#include "arena.h"
#include "attributes.h"
#include "branches.h"
#include "cpu_spans.h"
#include "err.h"
#include "hot.h"
#include "lock_log.h"
#include "named_stacks.h"
#include "python_rows.h"
#include "quality.h"
#include "report_session.h"
#include "resolver_facts.h"
#include "run_info.h"
#include "sample_list.h"
#include "sched_log.h"
#include "stack_archive.h"
#include "stacks_python.h"
#include "stacks_tree.h"
#include "syscall_log.h"
#include "unwind.h"
#include "wall_tasks.h"
#include "wall_times.h"

struct spe_samples; /* spe_samples.h */

/* A set of results to make besides the totals, the rows, the modules and the quality, which are always
 * made. */
enum report_result {
        REPORT_STACKS = 1,       /* implied by all but REPORT_BRANCHES, REPORT_ACCESSES and REPORT_SECTIONS */
        REPORT_TREE = 2,         /* for stacks_tree_make() of each event */
        REPORT_NAMED_STACKS = 4, /* the node of each sample */
        REPORT_SAMPLES = 8,      /* samples that the filter accepted, in the order of time */
        REPORT_BRANCHES = 16,    /* edges and their rows */
        REPORT_ACCESSES = 256,   /* accesses to memory, for report_access_rows() */
        REPORT_SECTIONS = 32,    /* sections of the modules' files */
        REPORT_PYTHON = 128,     /* rows of Python functions; none for a session without Python frames */
        /* with states in the filter: times by state of a session that recorded waiting */
        REPORT_WALL = 512,
        REPORT_WAKERS = 1024,   /* who ended waits: pieces->wakers */
        REPORT_SYSCALLS = 2048, /* system calls, or the waits in them; NULL: the session knows of neither */
        REPORT_LOCKS = 4096, /* waits for locks; NULL: the session knows of none; implies REPORT_NAMED_STACKS
                                and REPORT_SAMPLES of a session with the kernel's locks */
        REPORT_PACKED = 64,  /* stacks are made in addition to the samples' own places */
};

/* Progress of a report; another thread reads it with __atomic_load_n. */
struct report_progress {
        uint64_t done_bytes, all_bytes; /* of records; equal if all are read and names are being looked up */
};

struct report_request {
        const char *path;           /* path of the session; "-": standard input */
        unsigned results;           /* a set of enum report_result */
        unsigned keys;              /* profile_key bits; 0: event, module, symbol */
        enum waiters_by waiters_by; /* whose rows REPORT_SYSCALLS and REPORT_LOCKS make */
        bool branches_by_target;    /* as in struct branch_rows_request */
        unsigned access_keys;       /* enum access_key bits, for REPORT_ACCESSES */
        /* from_ns and to_ns by the session's clock, or since its first sample; or a slice of its time */
        struct profile_filter filter;
        bool no_demangle, long_names;
        bool keep_clones; /* as in resolver_options */
        bool inlines;     /* as in hot_new */
        bool arguments;   /* show arguments of all functions; a pattern may also ask for those of some
                             functions */
        /* If rows have no functions by `keys`, only samples of functions that match this pattern of
         * text_match_symbol() are in rows; the totals and shares are those of all samples.  May be NULL. */
        const char *symbol;
        bool merges_strays; /* as in places_init(); with stacks, if the addresses of callers are not wanted */
        /* With stacks, if only trees of functions are wanted, sorted by weight: several callers in the same
         * function may be one node of stacks.  Which ones depends on the number of workers. */
        bool merges_callers;
        /* For the tree and the named stacks. */
        bool no_tree_inlines;      /* inlined functions count for their callers */
        bool tree_lines;           /* as in stacks_tree.h */
        bool python_lines;         /* as in stacks_tree.h */
        bool tree_processes;       /* as in stacks_tree.h; for the tree only */
        enum stacks_python python; /* which frames of Python programs they contain */
        /* number of threads that read; 0: chosen by the number of CPUs and the size of the session */
        unsigned n_workers;
        const struct resolver_sources *sources; /* NULL: only files of this machine */
        /* result of the recording that has just ended, for files that only it holds open; or NULL */
        const struct collect_result *collected;
        /* Samples of Arm SPE have an event for each of their sources, after the events of the session. */
        bool by_source;
        bool skips_stackless_waits; /* REPORT_SAMPLES: without the scheduler's samples that have no stack */
        struct report_progress *progress; /* updated while reading; may be NULL */
};

/* The name of the event of wall time. */
#define REPORT_WALL_EVENT "wall-time"
/* That of wall time divided among the threads on a CPU. */
#define REPORT_LATENCY_EVENT "latency"

struct report_event {
        const char *name;
        struct perf_attr attr;
        uint64_t n_samples, weight;
        uint64_t mean_period; /* 0: no samples */
        /* "none" if its samples have the exact address of the sampled instruction, else "possible". */
        const char *skid;
        bool is_waiting;  /* its samples are threads that wait */
        bool is_derived;  /* made of the samples of other events: */
        bool is_in_wall;  /* such an event; it has no samples of its own */
        bool is_wall;     /* the derived event is wall time, in ns */
        bool only_tracks; /* it has no samples by its nature: a dummy event, or one whose samples are in a
                             trace */
        /* with by_source: its samples have events of their own, and: this is such an event */
        bool has_sources, is_source;
        struct hot_emulation emulation; /* only if it was recorded on ARM64 */
        const char *emulated_module;    /* name of its module; NULL: nothing was emulated */
};

/* A module in which samples, or requested branches, are. */
struct report_module {
        const char *path;
        uint64_t address; /* run-time address of its first byte at the time of its first sample */
        const char *note; /* why its names are missing or incomplete; or NULL */
        const struct resolver_section *sections; /* loaded sections of its own file, if requested */
        size_t n_sections;
};

struct report_modules {
        struct report_module *items;
        size_t n;
        struct arena arena;
};

/* Unwinding methods by which user frames were found, while recording or now. */
struct report_ways {
        bool any;
        uint64_t by_way[UNWIND_N_WAYS]; /* enum unwind_way */
        bool were_recorded;
        uint64_t unwind_ns; /* CPU time of the recorder for unwinding */
};

/* The main image, if all sampled processes have the same. */
struct report_image {
        bool is_known;
        const char *name; /* base name */
        const char *path;
        uint64_t base_address;  /* address of the entry point in memory */
        uint64_t runtime_delta; /* load bias: difference between addresses in memory and in the file */
};

/* How the run was made. */
struct report_run {
        bool is_known; /* false for a file of another program; then `info` is empty */
        struct run_info info;
        struct buf text;
        struct buf machine; /* as of session_facts_add_machine(); empty: not known */
};

/* Data that is packed into the session besides answers. */
struct report_packed {
        struct stack_archive_writer *walks; /* stacks unwound from the samples' copies */
        struct buf ends; /* the section of end_marks.h; empty if there is nothing to pack */
};

/* Results that were not requested are NULL or empty. */
struct report {
        struct report_session session;
        struct spe_samples *spe; /* NULL: the session has no trace of Arm SPE */
        struct report_event *events;
        size_t n_events;
        bool is_by_source;  /* request.by_source applies */
        struct arena names; /* of the events that it made */
        struct profile *profile;
        struct hot *hot;
        struct python_rows *python;
        struct quality quality;
        struct buf doubts, namer_source; /* texts of the quality */
        struct report_modules modules;
        struct report_run run;
        struct report_image image;
        struct stacks *stacks;
        struct report_ways ways; /* only with stacks */
        struct stacks_tree *tree;
        struct named_stacks *named;
        struct sample_list *samples;
        struct cpu_spans
                *cpu_spans; /* when threads ran, with the samples; empty: the session has no switches */
        struct sched_events *sched;                /* what its events say about the scheduler */
        struct sched_log *sched_log;               /* with the samples */
        bool has_waits;                            /* the session recorded waiting */
        struct wall_pieces *pieces;                /* if samples count for wall time */
        struct wall_times *wall;                   /* may be asked for together with these */
        struct task_section *tasks;                /* of asyncio, with these; NULL: none */
        struct report_tasks *task_stacks;          /* the same; NULL: none */
        struct wall_tasks *wall_tasks;             /* NULL: none */
        const char *(*state_word)(unsigned state); /* of frames and rows */
        struct syscall_log *syscall_log;
        struct syscall_rows *syscalls;
        struct lock_log *lock_log;
        struct lock_rows *locks;
        struct branches *branches;
        struct branch_rows *branch_rows;
        struct accesses *accesses;
        struct report_packed packed;
};

struct report *report_make(const struct report_request *request, struct err *err);

/* The same for a session that is open already.  The report takes `input`, also on failure. */
struct report *report_make_of(const struct report_request *request, struct session_input *input,
                              struct err *err);
void report_free(struct report *report);
AUTO_DEFINE(report)

/* Rows of the accesses; `keys`, `code_keys` and `symbol` as in struct access_rows_request.  Without code
 * keys, rows do not distinguish code, unless they have no other keys either.  NULL: REPORT_ACCESSES was not
 * requested.  The report must outlive them. */
struct access_rows *report_access_rows(struct report *report, unsigned keys, unsigned code_keys, bool inlines,
                                       const char *symbol);

#endif
