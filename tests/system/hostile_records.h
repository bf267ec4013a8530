/* SPDX-License-Identifier: BSD-3-Clause */
/* Small sessions and jitdumps that are made to cause much work: for make_hostile.  N and BYTES are those of
 * its command line. */
#ifndef HOSTILE_RECORDS_H
#define HOSTILE_RECORDS_H

#include <stdint.h>

#include "buf.h"

/* N maps of a process, and N children, each with a map of its own over one of them. */
void hostile_forks(uint64_t n, uint64_t size, struct buf *out);
/* N large maps, each of which begins in the one before, and N small ones in the middle of the first. */
void hostile_overlaps(uint64_t n, uint64_t size, struct buf *out);
/* N names of one thread, and a sample after each. */
void hostile_comms(uint64_t n, uint64_t size, struct buf *out);
/* N samples of which each reads a group of BYTES counters. */
void hostile_ids(uint64_t n, uint64_t size, struct buf *out);
/* N samples with BYTES different branches each. */
void hostile_branches(uint64_t n, uint64_t size, struct buf *out);
/* A table with N build ids of one file. */
void hostile_build_ids(uint64_t n, uint64_t size, struct buf *out);
/* N empty records that tell to sort what came before. */
void hostile_rounds(uint64_t n, uint64_t size, struct buf *out);

/* Jitdumps.  N moves of one function, whose .eh_frame has BYTES entries: each has a table of its own. */
void hostile_jit_moves(uint64_t n, uint64_t size, struct buf *out);
/* An .eh_frame of N entries that refer in turn to two entries with an augmentation of BYTES letters. */
void hostile_jit_augmentations(uint64_t n, uint64_t size, struct buf *out);
/* A session with N samples, each with a copy of its stack, in the code of a jitdump. */
void hostile_jit_samples(const char *dump, uint64_t n, struct buf *out);

#endif
