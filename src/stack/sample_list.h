/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples one by one, in the order of time, for what shows when something was: the exports that keep time. */
#ifndef SAMPLE_LIST_H
#define SAMPLE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

/* What a sample does not tell is 0, but for cpu (UINT32_MAX), pid and tid (-1). */
struct listed_sample {
        uint64_t time_ns; /* by the session's clock */
        uint64_t ip, weight;
        uint32_t event;
        uint32_t node; /* of the stacks: where it ended */
        uint32_t comm; /* the thread's name then, of sample_list_text */
        uint32_t cpu;
        int32_t pid, tid;
};

struct sample_list;

struct sample_list *sample_list_new(void);
void sample_list_free(struct sample_list *list);
AUTO_DEFINE(sample_list)

struct budget; /* budget.h */

/* Before the first sample: what samples and texts take comes out of it. */
void sample_list_set_budget(struct sample_list *list, struct budget *budget);

/* With a budget, before each sample and its text.  False: there is no memory for it, and it is left out. */
bool sample_list_make_room(struct sample_list *list);

/* The number of a text; equal ones have one. */
uint32_t sample_list_add_text(struct sample_list *list, const char *text);
const char *sample_list_text(const struct sample_list *list, uint32_t text);

void sample_list_add(struct sample_list *list, const struct listed_sample *sample);

/* Adds one to the nodes of all samples: a node was put before them. */
void sample_list_shift_nodes(struct sample_list *list);

/* Each sample is at node to[node] from now on. */
void sample_list_move_nodes(struct sample_list *list, const uint32_t *to);

size_t sample_list_n(const struct sample_list *list);
const struct listed_sample *sample_list_get(const struct sample_list *list, size_t index);

#endif
