/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of Python functions, of the kernel and of images that are made to need much memory or work: for
 * make_hostile. N and BYTES are those of its command line. */
#ifndef HOSTILE_NAMES_H
#define HOSTILE_NAMES_H

#include <stdint.h>

#include "buf.h"

/* A session with N Python functions, each at its own place in one chain or another; their names and paths
 * are the ends of one text of BYTES. */
void hostile_python_codes(uint64_t n, uint64_t size, struct buf *out);
/* The same with N source files, whose paths have their first BYTES in common. */
void hostile_python_files(uint64_t n, uint64_t size, struct buf *out);

/* Lines of kallsyms: N functions of one letter, each before the last and in a module of its own; with BYTES,
 * all at one address, with names of so many underscores. */
void hostile_kallsyms(uint64_t n, uint64_t size, struct buf *out);
/* A session with N samples in the kernel. */
void hostile_kernel_samples(uint64_t n, uint64_t size, struct buf *out);

/* A trace of Windows with N images and a sample in each, whose paths begin with a volume of BYTES. */
void hostile_etl(uint64_t n, uint64_t size, struct buf *out);

#endif
