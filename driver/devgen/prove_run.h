/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs programs for wperf-prove, and keeps what they print. */
#ifndef PROVE_RUN_H
#define PROVE_RUN_H

#include <stdbool.h>
#include <stdint.h>

enum { RUN_TEXT_BYTES = 1 << 20, RUN_PATH_CHARS = 260 };

struct run {
        void *process, *reader; /* handles */
        uint32_t status;        /* its exit status; 259 if it could not be started or did not end in time */
        uint32_t n_bytes;       /* of text */
        char text[RUN_TEXT_BYTES]; /* standard output and standard error */
        char path[RUN_PATH_CHARS]; /* where the text is until the program has ended */
};

/* Runs a command line to its end, at most `limit_ms`. True if its exit status is 0. */
bool run_command(struct run *run, uint32_t limit_ms, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* The same in two parts: what is between them happens while the program runs. */
bool run_begin(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool run_end(struct run *run, uint32_t limit_ms);

/* Whether it printed the text. */
bool run_has(const struct run *run, const char *text);

/* Finds `before` in what it printed, and reads the number after it. False if there is none. */
bool run_number(const struct run *run, const char *before, double *ret);

/* The last line that it printed, without its end. */
const char *run_last_line(struct run *run);

#endif
