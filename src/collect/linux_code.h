/* SPDX-License-Identifier: BSD-3-Clause */
/* Code in memory without a file, read out of running processes and kept: what runs there may have ended before its samples
 * are looked at. */
#ifndef LINUX_CODE_H
#define LINUX_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map.h"

struct code_page;

/* Zero-initialised is empty and ready. */
struct code_pages {
        struct map by_page; /* process and page -> index + 1 */
        struct code_page *pages;
        size_t n, cap;
        uint64_t round;
};

/* Reads the beginning of memory that was just mapped or made executable; what was kept of it is forgotten. */
void code_pages_map(struct code_pages *pages, int32_t pid, uint64_t start, uint64_t end);

/* False: not all of it can be read: the process has ended, or may not be read. */
bool code_pages_read(struct code_pages *pages, int32_t pid, uint64_t addr, uint8_t *ret_code, size_t size);

/* Pages may have other code from now on; they are read anew when they are asked for, as long as their process runs. */
void code_pages_next_round(struct code_pages *pages);

/* All pages, as when a process executes another program. */
void code_pages_forget(struct code_pages *pages);

#endif
