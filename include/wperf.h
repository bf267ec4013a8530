/* SPDX-License-Identifier: BSD-3-Clause */
/* libwperf: read sessions, count, sample and look up addresses, as the program wperf does.
 *
 * Rules for all functions:
 * - The library prints nothing, never ends the process (but see wperf_set_out_of_memory), installs no
 *   signal handler and reads no environment variables.
 * - An object may be used by one thread at a time; different objects by different threads at the same time.
 *   Only one wperf_count or wperf_record runs at a time in a process.
 * - A function that can fail returns NULL or 0 and fills `error`, which may be NULL.  Functions with an
 *   index return 0 if there is no such index.
 * - Requests are zero-initialised except for `size`, which is the size of the struct, as in
 *   `struct wperf_report_request r = {.size = sizeof(r), .path = path}`: so a program and a library of
 *   different versions know what the other one knows.  A field that is 0 or NULL has its default.  The
 *   library copies what it keeps.
 * - Texts are UTF-8 or the raw bytes of a file, never NULL unless the comment says so, and valid until
 *   their object is freed.
 * - Times are in nanoseconds, sizes in bytes, shares from 0 to 1.
 *
 * Before version 1.0 a new version may change this interface. */
#ifndef WPERF_H
#define WPERF_H

#include <stddef.h>
#include <stdint.h>

#if defined(WPERF_STATIC) || !defined(_WIN32)
#define WPERF_API __attribute__((visibility("default")))
#elif defined(WPERF_BUILD)
#define WPERF_API __declspec(dllexport)
#else
#define WPERF_API __declspec(dllimport)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; wperf_version() has that of the library. */
#define WPERF_VERSION_MAJOR 0
#define WPERF_VERSION_MINOR 2
#define WPERF_VERSION_PATCH 0
#define WPERF_VERSION_AT_LEAST(major, minor, patch)                                                          \
        (WPERF_VERSION_MAJOR * 1000000 + WPERF_VERSION_MINOR * 1000 + WPERF_VERSION_PATCH >=                 \
         (major)*1000000 + (minor)*1000 + (patch))

/* --- Errors and settings ---------------------------------------------------------------------------- */

enum wperf_error_code {
        WPERF_ERROR_NONE,
        WPERF_ERROR_IO,
        WPERF_ERROR_FORMAT, /* malformed file */
        WPERF_ERROR_LIMIT,
        WPERF_ERROR_UNSUPPORTED, /* by this machine, its kernel, or this build */
        WPERF_ERROR_DENIED,
        WPERF_ERROR_BUSY,
        WPERF_ERROR_CLOSED,
        WPERF_ERROR_MISSING, /* no such file, process, event or function */
        WPERF_ERROR_USAGE,   /* a wrong request */
        WPERF_ERROR_INTERNAL,
};

struct wperf_error {
        int code;       /* enum wperf_error_code */
        int os;         /* error number of the operating system; 0 for none */
        char text[240]; /* one sentence: what is wrong, where, and what to do */
};

WPERF_API const char *wperf_version(void); /* "0.2.0" */

/* `call` is called if memory runs out, and must not return; NULL: abort().  Call it before all other
 * functions. */
WPERF_API void wperf_set_out_of_memory(void (*call)(void *ctx, size_t bytes), void *ctx);

/* With `allow` not 0, files are mapped from now on instead of being read.  This saves memory for large
 * sessions.  On Linux it installs a handler for SIGBUS, which is needed if a mapped file becomes shorter. */
WPERF_API void wperf_allow_mapping(int allow);

/* --- Sessions --------------------------------------------------------------------------------------- */

typedef struct wperf_report wperf_report;

/* What a report contains besides events, rows and quality; a set. */
enum wperf_content {
        WPERF_TREES = 1,    /* call trees */
        WPERF_SAMPLES = 2,  /* single samples with their stacks */
        WPERF_PYTHON = 4,   /* Python functions */
        WPERF_ACCESSES = 8, /* accesses to memory */
};

struct wperf_report_request {
        size_t size;             /* of this struct */
        const char *path;        /* session of wperf, perf or simpleperf, or an event-trace file of Windows */
        unsigned contents;       /* a set of enum wperf_content */
        const char *symbol_path; /* more folders with images, PDBs and ELF files, separated by ';'; NULL for
                                    none */
        const char *symfs;   /* folder with the files of the machine that recorded; NULL for this machine's */
        int inlines;         /* inlined functions have their own rows */
        int lines;           /* rows by source line, too */
        int pages;           /* accesses to memory by page instead of cache line */
        int any_owner;       /* as root, also read sessions of other users */
        uint64_t max_memory; /* limit for data derived from files; 0: 1 GiB, or a quarter of the memory if
                                that is less */
        const int32_t *pids; /* only samples of these processes */
        size_t n_pids;
};

/* Reads the whole session and looks names up. */
WPERF_API wperf_report *wperf_report_open(const struct wperf_report_request *request,
                                          struct wperf_error *error);
WPERF_API void wperf_report_close(wperf_report *report); /* NULL is allowed */

struct wperf_event {
        const char *name; /* "cpu-clock" */
        uint64_t samples;
        uint64_t weight; /* the sum of their periods */
};

WPERF_API size_t wperf_report_event_count(const wperf_report *report);
WPERF_API int wperf_report_event(const wperf_report *report, size_t index, struct wperf_event *event);

/* A function, or with wperf_report_request.lines a source line of it.  Rows are sorted by event, then by
 * weight, largest first. */
struct wperf_row {
        size_t event;       /* index for wperf_report_event */
        const char *symbol; /* "x_mul", "0x17ab10" for a function without a name, "unknown" */
        const char *module; /* base name; "" for none */
        const char *line;   /* "longobject.c:3404"; "" if unknown or not requested */
        int resolved;       /* 1: symbol is a function's name */
        uint64_t samples, weight;
        double share;     /* of the event's weight */
        double low, high; /* 95 % interval of the share */
};

WPERF_API size_t wperf_report_row_count(const wperf_report *report);
WPERF_API int wperf_report_row(const wperf_report *report, size_t index, struct wperf_row *row);

/* A Python function.  Sorted by event, then by its own weight. */
struct wperf_python_row {
        size_t event;
        const char *name;                   /* "parse" */
        const char *label;                  /* "parse [app.py:5]" */
        const char *path;                   /* of the source file; "" if unknown */
        uint64_t self_samples, self_weight; /* it is the innermost Python frame */
        uint64_t samples, weight;           /* it is anywhere on the stack */
};

WPERF_API size_t wperf_report_python_row_count(const wperf_report *report);
WPERF_API int wperf_report_python_row(const wperf_report *report, size_t index, struct wperf_python_row *row);

/* What the profile lacks: what `wperf report` says in its last lines. */
struct wperf_quality {
        uint64_t samples, lost, throttled, unresolved, cut_stacks;
        double counted_share; /* of the time in which the worst event was counted */
        double kernel_share;  /* of the CPU time, if the kernel was not sampled; negative: unknown, or it
                                 was */
        int poor;
        int stacks_not_unwound;    /* 1: copies of stacks were not used; cut_stacks is 0 */
        uint64_t unjudged_stacks;  /* stacks that end in files that can't be read, so that they may be cut */
        double sampled_share;      /* of the targets' CPU time, or of their events; negative: unknown */
        const char *sampled_event; /* these events; "": CPU time */
        const char *not_sampled;   /* names of programs that the kernel does not let wperf sample; "": none */
        double off_share;          /* of the run in which the events were switched off */
        int unfinished;            /* 1: the recorder did not finish the file */
        uint64_t cut_bytes;        /* bytes of the file that are missing or damaged */
        uint64_t overblown_bytes;  /* bytes of compressed records that unpack to too much */
        uint64_t undecoded_aux_bytes; /* bytes of hardware traces */
        uint64_t malformed_records, unknown_records, out_of_order;
        uint64_t unknown_events; /* samples of events that the file does not describe */
        uint64_t files_not_kept; /* mapped files that could not be kept open */
        const char *left_out;    /* what was left out to save memory or work: "call stacks of perf.data"; "":
                                    nothing */
        const char *doubts;      /* why names may be wrong; "": there is no reason */
        const char *why_poor;    /* "12 % of the samples have no symbol: ..."; "": it is not poor */
};

WPERF_API void wperf_report_quality(const wperf_report *report, struct wperf_quality *quality);

/* --- Call trees ------------------------------------------------------------------------------------- */

typedef struct wperf_tree wperf_tree;

#define WPERF_NO_NODE UINT32_MAX

struct wperf_node {
        uint32_t parent, first_child, next; /* WPERF_NO_NODE for none; `next` has the same parent */
        const char *name;   /* "parse [app.py:6]", "x_mul"; "all" for the root, "[cut]" for missing callers */
        const char *module; /* base name; "" for none */
        int is_inlined, is_python, is_kernel;
        uint64_t self_samples, self_weight; /* samples that end here */
        uint64_t samples, weight;           /* of the node and of all nodes below it */
};

/* The call tree of an event; needs WPERF_TREES.  `inverted` not 0: the top nodes are the functions in which
 * samples end, and the nodes below are callers.  Free it before the report. */
WPERF_API wperf_tree *wperf_report_tree(wperf_report *report, size_t event, int inverted,
                                        struct wperf_error *error);
WPERF_API void wperf_tree_free(wperf_tree *tree); /* NULL is allowed */
WPERF_API uint32_t wperf_tree_node_count(const wperf_tree *tree);
/* Node 0 is the root.  Children are sorted by weight, largest first. */
WPERF_API int wperf_tree_node(const wperf_tree *tree, uint32_t index, struct wperf_node *node);

/* --- Samples and their frames ----------------------------------------------------------------------- */

struct wperf_sample {
        uint64_t time_ns; /* in the session's clock */
        size_t event;
        uint64_t weight, ip;
        int32_t pid, tid; /* -1 if unknown */
        int64_t cpu;      /* -1 if unknown */
        const char *comm; /* the thread's name at that time */
        uint32_t stack;   /* for wperf_report_frame; equal stacks have equal numbers */
};

/* In order of time; need WPERF_SAMPLES. */
WPERF_API size_t wperf_report_sample_count(const wperf_report *report);
WPERF_API int wperf_report_sample(const wperf_report *report, size_t index, struct wperf_sample *sample);

struct wperf_frame {
        const char *function; /* "" if unknown */
        const char *module;   /* path; "" for none */
        const char *file;     /* source file; "" if unknown */
        uint32_t line;        /* 0 if unknown */
        int is_inlined;       /* into the next frame */
        int is_cut;           /* stands for missing callers; the other fields are empty */
};

/* Frames of a stack, from the innermost one, index 0. */
WPERF_API int wperf_report_frame(const wperf_report *report, uint32_t stack, size_t index,
                                 struct wperf_frame *frame);

/* --- Tables ----------------------------------------------------------------------------------------- */

enum wperf_table {
        WPERF_TABLE_EVENTS,
        WPERF_TABLE_ROWS,
        WPERF_TABLE_PYTHON,  /* needs WPERF_PYTHON */
        WPERF_TABLE_SAMPLES, /* needs WPERF_SAMPLES */
        /* The frames of the samples' stacks; needs WPERF_SAMPLES.  A stack is its innermost function, with
         * the functions that are inlined there, and `caller`, the number of its caller's stack; -1 for none.
         */
        WPERF_TABLE_FRAMES,
        WPERF_TABLE_QUALITY, /* one row */
};

struct ArrowArrayStream;

/* Makes an uninitialised `stream` of Apache Arrow's C stream interface, for programs that read such data: the
 * columns have the names of the structs' fields, and the name of the event as `event`.  Invalid UTF-8 becomes
 * U+FFFD.  The stream keeps the report, until it is released, also after wperf_report_close(); it counts as a
 * part of it for the rule about threads. */
WPERF_API int wperf_report_arrow(wperf_report *report, enum wperf_table table,
                                 struct ArrowArrayStream *stream, struct wperf_error *error);

/* --- Annotated functions ---------------------------------------------------------------------------- */

typedef struct wperf_annotation wperf_annotation;

struct wperf_annotate_request {
        size_t size;        /* of this struct */
        const char *symbol; /* name, or a pattern such as "^x_"; NULL: the hottest function of each event */
        int with_code;      /* instructions; their text needs LLVM's library */
        int intel_syntax;   /* of x86-64 */
        const char *source_folders; /* folders in which to look for source files; NULL for none */
};

struct wperf_annotated {
        size_t event;
        const char *symbol, *path; /* path of the module */
        uint64_t start;            /* address in the file */
        uint64_t samples, weight;
        size_t lines, instructions; /* number of these */
        const char *note;           /* why there is no code; "" if there is */
};

/* The report must outlive it. */
WPERF_API wperf_annotation *wperf_report_annotate(wperf_report *report,
                                                  const struct wperf_annotate_request *request,
                                                  struct wperf_error *error);
WPERF_API void wperf_annotation_free(wperf_annotation *annotation); /* NULL is allowed */
WPERF_API size_t wperf_annotation_count(const wperf_annotation *annotation);
WPERF_API int wperf_annotation_function(const wperf_annotation *annotation, size_t index,
                                        struct wperf_annotated *function);

struct wperf_line {
        const char *path,
                *function; /* function: the inlined function that contains it; "" for the function itself */
        uint32_t line;
        uint64_t samples, weight;
        const char *text; /* of the source line; "" if it can't be read */
};

/* Lines with samples, sorted by weight. */
WPERF_API int wperf_annotation_line(wperf_annotation *annotation, size_t function, size_t index,
                                    struct wperf_line *line);

struct wperf_instruction {
        uint64_t addr; /* in the file */
        const char *text;
        uint64_t samples, weight;
        int begins_block;
        uint64_t target; /* of a direct jump or call; 0 for none */
        const char *path;
        uint32_t line; /* 0 if unknown */
};

/* Sorted by address.  Without code only the sampled addresses. */
WPERF_API int wperf_annotation_instruction(wperf_annotation *annotation, size_t function, size_t index,
                                           struct wperf_instruction *instruction);

/* --- Accesses to memory ----------------------------------------------------------------------------- */

typedef struct wperf_accesses wperf_accesses;

enum wperf_access_key {
        WPERF_BY_FUNCTION,
        WPERF_BY_LEVEL,      /* where the data came from */
        WPERF_BY_PAGE,       /* 4 KiB */
        WPERF_BY_CACHE_LINE, /* 64 bytes */
};

enum wperf_sharing { WPERF_NOT_SHARED, WPERF_SHARED, WPERF_SHARED_POSSIBLY, WPERF_SHARED_FALSELY };

struct wperf_access {
        size_t event;
        const char *symbol, *module; /* with WPERF_BY_FUNCTION, else "" */
        const char *level;           /* with WPERF_BY_LEVEL, else "" */
        uint64_t addr;               /* of the page or cache line, else 0 */
        int32_t pid;                 /* of that address; 0 for the kernel */
        uint64_t count, loads, stores;
        uint64_t walks;         /* accesses for which page tables were read */
        double share;           /* of the latency of all accesses */
        uint64_t p50, p90, p99; /* latency in cycles */
        uint32_t threads;       /* that used the page or line */
        int sharing;            /* enum wperf_sharing, of a cache line */
};

/* Accesses of samples of Arm SPE, `perf mem` and `perf c2c`; needs WPERF_ACCESSES.  Sorted by event and
 * latency.  Free them before the report. */
WPERF_API wperf_accesses *wperf_report_accesses(wperf_report *report, enum wperf_access_key key,
                                                struct wperf_error *error);
WPERF_API void wperf_accesses_free(wperf_accesses *accesses); /* NULL is allowed */
WPERF_API size_t wperf_accesses_count(const wperf_accesses *accesses);
WPERF_API int wperf_accesses_get(const wperf_accesses *accesses, size_t index, struct wperf_access *access);

/* --- Events of a machine ---------------------------------------------------------------------------- */

typedef struct wperf_list wperf_list;

/* What this machine can measure, or a CPU model of the catalogue such as "neoverse-n1" (NULL: this
 * machine). */
WPERF_API wperf_list *wperf_list_open(const char *cpu_model, struct wperf_error *error);
WPERF_API void wperf_list_free(wperf_list *list); /* NULL is allowed */

struct wperf_listed_event {
        const char *name, *index, *type, *description; /* as in `wperf list -v`; "---" for none */
};
struct wperf_listed_metric {
        const char *name, *events, *formula, *unit, *description;
};
struct wperf_listed_group {
        const char *name, *metrics, *description;
};

WPERF_API size_t wperf_list_event_count(const wperf_list *list);
WPERF_API int wperf_list_event(const wperf_list *list, size_t index, struct wperf_listed_event *event);
WPERF_API size_t wperf_list_metric_count(const wperf_list *list);
WPERF_API int wperf_list_metric(const wperf_list *list, size_t index, struct wperf_listed_metric *metric);
WPERF_API size_t wperf_list_group_count(const wperf_list *list);
WPERF_API int wperf_list_group(const wperf_list *list, size_t index, struct wperf_listed_group *group);

/* --- Measuring -------------------------------------------------------------------------------------- */

/* What is measured: a command, processes, or all that runs on the CPUs. */
struct wperf_target {
        size_t size;       /* of this struct */
        char *const *argv; /* command and arguments, NULL at the end; NULL for none */
        const int32_t *pids;
        size_t n_pids;
        const uint32_t *cpus; /* only these; a command is pinned to them */
        size_t n_cpus;
        int system_wide;
        int kernel;          /* the kernel, too */
        uint64_t timeout_ns; /* 0: until the command or all processes end, or wperf_stop is called */
};

/* Ends a wperf_count or wperf_record that runs in another thread, as its timeout would. */
WPERF_API void wperf_stop(void);

typedef struct wperf_counts wperf_counts;

struct wperf_count_request {
        size_t size; /* of this struct */
        const struct wperf_target *target;
        const char *events;  /* as `wperf stat -e`: "ld_spec,{cycles,instructions}" */
        const char *metrics; /* as `wperf stat -m`: "imix" */
};

/* Counts until the end.  With neither events nor metrics, the events of `wperf stat` without options. */
WPERF_API wperf_counts *wperf_count(const struct wperf_count_request *request, struct wperf_error *error);
WPERF_API void wperf_counts_free(wperf_counts *counts); /* NULL is allowed */

/* How a command ended. */
struct wperf_ending {
        uint64_t elapsed_ns;
        int stopped;     /* by the timeout or wperf_stop */
        int has_status;  /* the command has ended */
        int exit_status; /* as a shell has it: 128 + N after signal N */
};

struct wperf_count {
        const char *table; /* "core", "dsu", "dmc_clk", ...: the kind of the unit that counted */
        int64_t number;    /* of the CPU or unit; -1 for counts that follow the command, or for all units
                              together */
        const char *event, *index, *note, *unit; /* unit "ns" for clocks; "" for a number of events */
        uint64_t value;                          /* as counted */
        uint64_t scaled; /* for the whole time, if the event was multiplexed; else equal */
        uint64_t enabled_ns, running_ns;
        const char *not_counted; /* the reason; "" if it was counted */
};

struct wperf_metric {
        int64_t cpu; /* -1 if not of one CPU */
        const char *product, *name, *unit;
        int has_value;
        double value;
};

WPERF_API struct wperf_ending wperf_counts_ending(const wperf_counts *counts);
WPERF_API size_t wperf_counts_count(const wperf_counts *counts);
WPERF_API int wperf_counts_get(const wperf_counts *counts, size_t index, struct wperf_count *count);
WPERF_API size_t wperf_counts_metric_count(const wperf_counts *counts);
WPERF_API int wperf_counts_metric(const wperf_counts *counts, size_t index, struct wperf_metric *metric);

struct wperf_record_request {
        size_t size; /* of this struct */
        const struct wperf_target *target;
        const char *session_path; /* a session there becomes FILE.old */
        const char *events;    /* as `wperf record -e`, also "arm_spe_0/ld=1/"; NULL: cycles, or CPU time */
        uint64_t frequency_hz; /* samples a second; 0: 999 */
        int call_stacks;
};

/* Samples until the end and writes the session.  Returns 1, and 0 on failure. */
WPERF_API int wperf_record(const struct wperf_record_request *request, struct wperf_ending *ending,
                           struct wperf_error *error);

/* --- Addresses -------------------------------------------------------------------------------------- */

typedef struct wperf_symbols wperf_symbols;

/* Looks up addresses of an ELF file, PE image or PDB (there RVAs), which may be in any order. */
WPERF_API wperf_symbols *wperf_resolve(const char *path, const uint64_t *addrs, size_t n_addrs,
                                       struct wperf_error *error);
WPERF_API void wperf_symbols_free(wperf_symbols *symbols); /* NULL is allowed */

struct wperf_location {
        const char *function; /* "" if unknown */
        const char *path;     /* of the source file; "" if unknown */
        uint32_t line, column;
        int is_inlined; /* into the next frame */
};

/* Frame `index` of the address with number `addr` in the request, innermost first. */
WPERF_API int wperf_symbols_get(const wperf_symbols *symbols, size_t addr, size_t index,
                                struct wperf_location *location);

#ifdef __cplusplus
}
#endif

#endif
