/* SPDX-License-Identifier: BSD-3-Clause */
/* What is missing in a profile, counted, and when it is called poor. */
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
        QUALITY_CUT_FAR,    /* the rest lies where no copy reaches */
        QUALITY_CUT_FILE,   /* a module's file can't be read */
        QUALITY_CUT_32BIT,  /* 32-bit code, which is not unwound */
        QUALITY_CUT_CODE,   /* code without unwind information, whose frame pointer leads nowhere */
        QUALITY_CUT_CHAIN,  /* the kernel's chain ends before the outermost function */
        QUALITY_CUT_MEMORY, /* there was no memory for the callers */
        QUALITY_CUT_MALFORMED_CFI,
        QUALITY_CUT_MALFORMED_PE,
        QUALITY_CUT_UNSUPPORTED_PE,
        QUALITY_CUT_NO_REGISTER,   /* a rule needs a register that is not known */
        QUALITY_CUT_UNREADABLE,    /* a rule needs memory that is not there, and no copy would have it */
        QUALITY_CUT_NO_CODE,       /* a return address that is none */
        QUALITY_CUT_NO_MODULE,     /* an address that nothing is mapped at */
        QUALITY_CUT_ENDLESS,       /* the stack does not grow from a frame to its caller */
        QUALITY_CUT_NO_START,      /* the sample lacks registers */
        QUALITY_CUT_OTHER_MACHINE, /* a module's file is for another machine */
        QUALITY_CUT_DAMAGED,       /* of older sessions, which do not say more */
        QUALITY_CUT_UNKNOWN,       /* of sessions of a later version */
        QUALITY_N_CUTS,
};

enum { QUALITY_MAX_PYTHON_REASONS = 64 };

/* Stacks of threads that ran Python.  Texts are kept by the caller. */
struct quality_python {
        uint64_t n_stacks, n_merged; /* n_stacks 0: the recorder did not read Python frames */
        struct quality_python_reason {
                uint64_t count; /* stacks that stay native */
                const char *text;
        } reasons[QUALITY_MAX_PYTHON_REASONS];
        size_t n_reasons;
};

struct quality {
        uint64_t n_samples, n_lost, n_throttled, n_unresolved, n_cut_stacks;
        uint64_t cut_by[QUALITY_N_CUTS]; /* of all stacks of the session, or of those that were read */
        const char *cut_module;          /* where most of them end; kept by the caller; NULL: not known */
        uint64_t n_cut_in_module;        /* that end there */
        unsigned max_frames;             /* of QUALITY_CUT_DEPTH */
        const char *longer_copies;       /* what copies more of the stack; NULL: nothing does */
        uint64_t n_unjudged;             /* stacks that end in modules whose files can't be read */
        bool not_unwound;     /* samples have copies of the stack, or branches, that nobody looked at */
        double kernel_share;  /* of the CPU time, when it was left out; negative: not known or not left out */
        double counted_share; /* running / enabled of the worst event; 1: all of the time */
        bool knows_sampled;   /* sampled_share is known */
        double sampled_share; /* the part of the targets' CPU time that the samples stand for, or of their events */
        const char *sampled_event; /* these events; NULL: CPU time */
        const char
                *not_sampled; /* names of programs that the kernel does not let us sample; NULL or "": none */
        const char *
                unprivileged; /* names of programs that may have lost their privilege by being traced; NULL or "": none */
        double off_share; /* of the run's time in which the events were off because the user wanted it; 0: none */
        uint64_t cut_bytes; /* of the session file that are missing or not whole */
        bool unfinished;    /* the recorder did not finish the file */
        uint64_t n_malformed, n_unknown_records, n_unknown_events, n_out_of_order;
        uint64_t aux_bytes;       /* of hardware traces, which wperf does not decode */
        const char *aux_kind;     /* "Arm SPE"; valid with aux_bytes */
        uint64_t overblown_bytes; /* of compressed records that unpack to more than a recorder ever packs */
        const struct budget *budget; /* which remembers what was left out for want of memory; NULL: nothing */
        const char *
                doubts; /* why names may be wrong; kept by the caller; NULL or "": nothing speaks against them */
        uint64_t n_not_kept;
        struct quality_python python;
        const char *not_kept; /* names of mapped files that could not be kept; kept by the caller */
};

/* Lost above 0.1 %, unresolved or cut above 5 %, less than 80 % of the CPU time sampled, a program that could not
 * be sampled, an event counted less than half of the time, a cut file, a trace that is not decoded, something left out for
 * want of memory. */
bool quality_is_poor(const struct quality *quality);

/* Percent of the samples; 0 when there are none. */
double quality_percent(const struct quality *quality, uint64_t n);

/* The lost ones in percent of those that were taken. */
double quality_lost_percent(const struct quality *quality);

/* Why the profile is poor, "12 % of the samples have no name: ...; ..."; nothing where it is not. */
void quality_add_reasons(const struct quality *quality, struct buf *out);

/* True when the share of kernel time is worth a word. */
bool quality_kernel_matters(const struct quality *quality);

#endif
