/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of expected results with the test data: for the addresses of a range of code, the frames that
 * other tools found. */
#ifndef ANSWERS_H
#define ANSWERS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

enum { MAX_ANSWERS_BYTES = 1 << 20 };

struct answer {
        uint64_t addr;      /* or RVA */
        const char *frames; /* from there on */
};

/* Splits the lines ADDRESS TAB FRAMES of `text`, which must outlive the result; the address of the last
 * line is the end of the code. Returns their number; the caller frees. */
static inline size_t read_answers(char *text, struct answer **ret_answers)
{
        size_t n = 0, cap = 0;

        *ret_answers = NULL;
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
                char *end;
                uint64_t addr = strtoull(line, &end, 16);

                ARRAY_PUSH(*ret_answers, n, cap, (struct answer){addr, end + 1});
        }
        return n;
}

#endif
