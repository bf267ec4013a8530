/* SPDX-License-Identifier: BSD-3-Clause */
/* Code in memory without a file, read from running processes and kept, because a process may end before its
 * samples are processed. */
#ifndef LINUX_CODE_H
#define LINUX_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map.h"

struct code_page;

/* Zero-initialize before use. */
struct code_pages {
        struct map by_page; /* process and page to index + 1 */
        struct code_page *pages;
        size_t n, cap;
        uint64_t round;
};

/* Reads the beginning of memory that was just mapped or made executable. Pages that were read before are read
 * again when they are used. */
void code_pages_map(struct code_pages *pages, int32_t pid, uint64_t start, uint64_t end);

/* Copies code of the process. False if part of it can't be read: the process has ended, or may not be
 * read. */
bool code_pages_read(struct code_pages *pages, int32_t pid, uint64_t addr, uint8_t *ret_code, size_t size);

/* Starts a round: pages may have new code, so each is read again when it is used. A page that can't be read
 * any more keeps its last content. */
void code_pages_next_round(struct code_pages *pages);

/* Forgets all pages, for example when a process executes another program. */
void code_pages_forget(struct code_pages *pages);

#endif
