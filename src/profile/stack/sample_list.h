/* SPDX-License-Identifier: BSD-3-Clause */
/* Single samples in order of time, for exports that keep time. */
#ifndef SAMPLE_LIST_H
#define SAMPLE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

/* Times from here on are none: perf numbers its samples of time off CPUs. */
#define SAMPLE_NO_TIME_NS (UINT64_MAX << 32)

/* Unknown fields are 0, except cpu (UINT32_MAX), pid and tid (-1). */
struct listed_sample {
        uint64_t time_ns; /* in the session's clock */
        uint64_t ip, weight;
        uint32_t event : 30;
        uint32_t is_part : 1; /* of a sample that is listed with another part of its weight, too */
        uint32_t is_next : 1; /* all time since the thread's previous sample is known to have samples */
        uint32_t node;        /* node of the stacks where the sample ends */
        uint32_t comm;        /* the thread's name at that time, see sample_list_text */
        uint32_t cpu;
        int32_t pid, tid;
};

struct sample_list;

struct sample_list *sample_list_new(void);
void sample_list_free(struct sample_list *list);
AUTO_DEFINE(sample_list)

struct budget; /* budget.h */

/* Call before adding the first sample. Memory for samples and texts is taken from `budget`. */
void sample_list_set_budget(struct sample_list *list, struct budget *budget);

/* With a budget, call before adding each sample and its text. False if there is no memory; the sample is then
 * left out. */
bool sample_list_make_room(struct sample_list *list);

/* Returns the number of a text; equal texts have the same number. */
uint32_t sample_list_add_text(struct sample_list *list, const char *text);
const char *sample_list_text(const struct sample_list *list, uint32_t text);

void sample_list_add(struct sample_list *list, const struct listed_sample *sample);

/* When the time began for which the last sample stands, if that is known.  Without memory for it, it stays
 * unknown. */
void sample_list_set_begin(struct sample_list *list, uint64_t begin_ns);

/* Increments the node of each sample, after a node was inserted before all others. */
void sample_list_shift_nodes(struct sample_list *list);

/* Sets the node of each sample to to[node]. */
void sample_list_move_nodes(struct sample_list *list, const uint32_t *to);

size_t sample_list_n(const struct sample_list *list);
const struct listed_sample *sample_list_get(const struct sample_list *list, size_t index);

/* When the time began for which a sample of a clock stands; unless that is known, it ends at the sample. */
uint64_t sample_list_begin(const struct sample_list *list, size_t index);
bool sample_list_knows_begin(const struct sample_list *list, size_t index);

#endif
