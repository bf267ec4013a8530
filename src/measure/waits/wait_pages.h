/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a process, read by pages that are kept: for many small reads at about the same time, as of the
 * objects of an interpreter, which lie close together. What is read may be as old as the first read. */
#ifndef WAIT_PAGES_H
#define WAIT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

struct wait_pages;

struct wait_pages *wait_pages_new(int32_t pid);
void wait_pages_free(struct wait_pages *pages);
AUTO_DEFINE(wait_pages)

/* A reader of python_memory.h; `pages` is the struct wait_pages. False if part of it can't be read. */
bool wait_pages_read(void *pages, uint64_t addr, void *to, size_t size);

#endif
