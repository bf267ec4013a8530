/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the accesses to memory that samples have: by code, by what the access was, by its latency, and by
 * its address if that is wanted.  Cost and memory grow with what is distinguished, not with samples.
 * access_rows.h makes rows of them. */
#ifndef ACCESSES_H
#define ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access_keys.h"
#include "access_level.h"
#include "attributes.h"
#include "budget.h"
#include "profile.h"
#include "record.h"
#include "world.h"

enum {
        ACCESS_LINE_BYTES = 64, /* of a cache line; of nearly all CPUs */
        ACCESS_PAGE_BYTES = 4096,
        ACCESS_WORD_BYTES = 8,
};

/* Latencies in cycles that differ by less than 1/128 are one class; up to 255 each is its own. */
unsigned accesses_latency_class(uint64_t cycles);
/* The smallest latency of a class. */
uint64_t accesses_latency_of_class(unsigned latency_class);

struct accesses;

/* `code_keys` is a set of profile_key bits: code is distinguished by its address and by those of them that
 * are of its process, thread or CPU.  `keys` is a set of enum access_key. */
struct accesses *accesses_new(unsigned code_keys, unsigned keys);
/* Before the first sample: limits the memory.  When it is used up, accesses of new kinds are only counted. */
void accesses_set_budget(struct accesses *accesses, struct budget *budget);
void accesses_free(struct accesses *accesses);
AUTO_DEFINE(accesses)

/* True if samples of the event can be accesses. */
bool accesses_can(const struct perf_attr *attr);

/* Adds a sample, whose places are looked up in the current world. */
void accesses_add(struct accesses *accesses, struct world *world, uint32_t event,
                  const struct sample *sample);

/* What kind of memory an address is in, with ACCESS_BY_OBJECT. */
enum access_memory {
        ACCESS_IN_NO_MAP,
        ACCESS_IN_FILE,     /* a mapped file: the data of a program or library */
        ACCESS_BEHIND_FILE, /* memory without a file that follows it directly: its .bss, or another mapping */
        ACCESS_IN_STACK,    /* of the main thread */
        ACCESS_IN_HEAP,     /* of the program break */
        ACCESS_IN_MAPPING,  /* memory without a file: other heaps, and stacks of threads */
        ACCESS_IN_KERNEL,
};

/* What was accessed, with ACCESS_BY_ADDRESS. */
struct access_data {
        int32_t pid;     /* 0 for addresses of the kernel; for objects also in files, which processes share */
        uint32_t memory; /* enum access_memory; with ACCESS_BY_OBJECT */
        module_id module; /* with ACCESS_IN_FILE and ACCESS_BEHIND_FILE, else 0 */
        uint32_t zero;    /* no padding */
        /* Begin of the page or of the cache line.  With ACCESS_IN_FILE the offset in the file, and with
         * ACCESS_BEHIND_FILE how it would go on; both rounded down to ACCESS_WORD_BYTES.  0 for other
         * memory of objects. */
        uint64_t addr;
};

/* Accesses that are equal in all that is distinguished. */
struct access_cell {
        uint32_t place; /* index into the places of accesses_profile() */
        uint32_t data;  /* for accesses_data(); 0 if addresses are not distinguished */
        /* With ACCESS_BY_ADDRESS, else 0: */
        int32_t tid;
        uint32_t offset; /* of the first byte from access_data.addr */
        uint16_t latency_class;
        uint8_t level; /* enum access_level */
        uint8_t what;  /* enum access_what */
        uint32_t zero; /* no padding */
        uint64_t count;
        uint64_t n_timed, cycles; /* how many have a latency, and the sum of these */
        uint64_t most_cycles;     /* the longest of these */
};

size_t accesses_n_cells(const struct accesses *accesses);
const struct access_cell *accesses_cell(const struct accesses *accesses, size_t index);
size_t accesses_n_data(const struct accesses *accesses); /* with number 0, which is of no cell */
const struct access_data *accesses_data(const struct accesses *accesses, uint32_t number);

/* Has a place for each distinct code; its counts are those of the cells after accesses_finish(), with the
 * cycles as weight, or the count if no access of the event has a latency. */
const struct profile *accesses_profile(const struct accesses *accesses);
unsigned accesses_keys(const struct accesses *accesses);

/* After the last sample. */
void accesses_finish(struct accesses *accesses);

/* Sums of an event. */
struct access_totals {
        uint64_t n_samples;         /* with those that are no accesses */
        uint64_t n_loads, n_stores; /* an atomic operation can be both */
        uint64_t n_accesses;
        uint64_t n_timed, cycles;
        uint64_t n_left_out; /* accesses that are in no cell, because the memory was used up */
};

struct access_totals accesses_totals(const struct accesses *accesses, uint32_t event);

#endif
