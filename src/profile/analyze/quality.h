/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts what a profile lacks (lost samples, unresolved names, cut stacks) and decides whether its quality is
 * poor. */
#ifndef QUALITY_H
#define QUALITY_H

#include <stdbool.h>
#include <stdint.h>

#include "budget.h"
#include "buf.h"

/* Why stacks are cut. */
enum quality_cut {
        QUALITY_CUT_COPY,   /* too little of the stack was copied */
        QUALITY_CUT_DEPTH,  /* more frames than are taken */
        QUALITY_CUT_FAR,    /* the callers are in memory that no copy contains */
        QUALITY_CUT_FILE,   /* a module's file can't be read */
        QUALITY_CUT_32BIT,  /* 32-bit code, which is not unwound */
        QUALITY_CUT_CODE,   /* code without unwind information, whose frame pointer is not valid */
        QUALITY_CUT_CHAIN,  /* the kernel's chain ends before the outermost function */
        QUALITY_CUT_MEMORY, /* not enough memory for the callers */
        QUALITY_CUT_MALFORMED_CFI,
        QUALITY_CUT_MALFORMED_PE,
        QUALITY_CUT_UNSUPPORTED_PE,
        QUALITY_CUT_NO_REGISTER, /* a rule needs an unknown register */
        QUALITY_CUT_UNREADABLE,  /* a rule needs memory that does not exist, or that no copy would contain */
        QUALITY_CUT_NO_CODE,     /* a return address does not point to code */
        QUALITY_CUT_NO_MODULE,   /* an address is not mapped */
        QUALITY_CUT_ENDLESS,     /* the stack pointer does not move towards the caller */
        QUALITY_CUT_NO_START,    /* the sample lacks registers */
        QUALITY_CUT_OTHER_MACHINE, /* a module's file is for another machine */
        QUALITY_CUT_LARGE,         /* the stack is larger than the largest copy */
        QUALITY_CUT_CROWDED,       /* too many samples waited to be unwound */
        QUALITY_CUT_EXEC,          /* between two programs, whose stacks do not exist */
        QUALITY_CUT_DAMAGED,       /* from older sessions, which have no details */
        QUALITY_CUT_UNKNOWN,       /* from sessions of a later version */
        QUALITY_N_CUTS,
};

enum { QUALITY_MAX_PYTHON_REASONS = 64 };

/* Stacks of threads that ran Python.  The caller keeps the texts. */
struct quality_python {
        uint64_t n_stacks, n_merged; /* n_stacks 0: the recorder did not read Python frames */
        struct quality_python_reason {
                uint64_t count; /* number of stacks that stay native */
                const char *text;
        } reasons[QUALITY_MAX_PYTHON_REASONS];
        size_t n_reasons;
        bool is_approximate; /* Python frames were read while their threads ran */
};

/* What an Arm SPE trace lacks. */
struct quality_spe {
        uint64_t n_buffers;   /* buffers that the kernel filled; 0 without SPE */
        uint64_t n_truncated; /* buffers that were full, after which SPE paused */
        uint64_t n_collided;  /* buffers in which SPE dropped samples, because the one before was not
                                 finished */
        uint64_t n_damaged, damaged_bytes; /* samples and bytes that could not be decoded */
        uint64_t n_threadless;             /* samples whose thread is not known */
};

/* What to do if samples are lost. */
enum quality_remedy {
        QUALITY_LOWER_RATE,
        QUALITY_LONGER_INTERVAL, /* its events have no frequency */
        QUALITY_MORE_BUFFERS,    /* an event-trace file of Windows */
        QUALITY_MORE_ROOM,       /* the file could not be written */
};

/* What gives names to functions that have none. */
enum quality_namer {
        QUALITY_NAMER_UNKNOWN,
        QUALITY_NAMER_BUILD,   /* a build that is not stripped */
        QUALITY_NAMER_PACKAGE, /* a package of the distribution */
        QUALITY_NAMER_SERVER,  /* a debuginfod server, which was not asked */
        QUALITY_NAMER_NONE,    /* the servers were asked */
};

/* The module with most of the samples without a name. */
struct quality_nameless {
        const char *module; /* NULL: not known; kept by the caller */
        uint64_t n;
        enum quality_namer namer;
        const char *source; /* name of the package or server; kept by the caller */
};

struct quality {
        uint64_t n_samples, n_lost, n_throttled, n_unresolved, n_cut_stacks;
        struct quality_nameless nameless;
        bool lost_is_estimate; /* the recorder knew only how many samples of all processes were lost */
        enum quality_remedy remedy;
        uint64_t cut_by[QUALITY_N_CUTS]; /* counts of all stacks of the session, or of those that were read */
        /* the module in which most of them end; kept by the caller; NULL: not known */
        const char *cut_module;
        uint64_t n_cut_in_module;  /* number of cut stacks that end there */
        unsigned max_frames;       /* for QUALITY_CUT_DEPTH */
        const char *longer_copies; /* the option to copy more of the stack; NULL: there is none */
        uint64_t n_unjudged;       /* stacks that end in modules whose files can't be read */
        bool not_unwound;          /* samples have copies of the stack, or branches, that were not used */
        /* share of the CPU time in the kernel, if the kernel was not sampled; negative: not known, or it
         * was sampled */
        double kernel_share;
        bool kernel_is_denied; /* the user who recorded may not sample the kernel */
        double counted_share;  /* running / enabled of the worst event; 1: counted all of the time */
        bool knows_sampled;    /* sampled_share is known */
        /* the part of the targets' CPU time, or of their events, that the samples cover */
        double sampled_share;
        const char *sampled_event; /* these events; NULL: CPU time */
        /* names of programs that the kernel does not let us sample; NULL or "": none */
        const char *not_sampled;
        /* names of programs that may have run without their privilege because they were traced; NULL or "":
         * none */
        const char *unprivileged;
        /* names of Python programs whose stacks are native, because they could not be traced; NULL or "":
         * none */
        const char *not_traced;
        double off_share;   /* the part of the run in which the user had switched the events off; 0: none */
        uint64_t cut_bytes; /* bytes of the session file that are missing or damaged */
        bool unfinished;    /* the recorder did not finish the file */
        uint64_t n_malformed, n_unknown_records, n_unknown_events, n_out_of_order;
        uint64_t aux_bytes;   /* bytes of hardware traces, which wperf does not decode */
        const char *aux_kind; /* "Arm SPE"; valid with aux_bytes */
        struct quality_spe spe;
        /* bytes of compressed records that unpack to more than any recorder writes */
        uint64_t overblown_bytes;
        /* has a list of what was left out because memory ran out; NULL: nothing */
        const struct budget *budget;
        const char *doubts; /* why names may be wrong; kept by the caller; NULL or "": there is no reason */
        uint64_t n_not_kept;
        struct quality_python python;
        const char *not_kept; /* names of mapped files that could not be kept open; kept by the caller */
};

/* Poor is: lost above 0.1 %, unresolved or cut above 5 %, less than 80 % of the CPU time sampled, a program
 * that could not be sampled, an event counted less than half of the time, a cut file, a trace that is not
 * decoded, or anything left out because memory ran out. */
bool quality_is_poor(const struct quality *quality);

/* Whether it is poor because of samples without a name. */
bool quality_lacks_names(const struct quality *quality);

/* `n` in percent of the samples; 0 if there are no samples. */
double quality_percent(const struct quality *quality, uint64_t n);

/* Lost samples in percent of samples plus lost samples. */
double quality_lost_percent(const struct quality *quality);

/* Why the profile is poor, "12 % of the samples have no name: ...; ..."; empty if it is not poor. */
void quality_add_reasons(const struct quality *quality, struct buf *out);

/* What to do against losses, as an imperative. */
const char *quality_remedy_text(const struct quality *quality);

/* How to sample the kernel: ends a sentence about its time. */
const char *quality_kernel_advice(const struct quality *quality);

/* True if the share of kernel time is large enough to be mentioned. */
bool quality_kernel_matters(const struct quality *quality);

#endif
