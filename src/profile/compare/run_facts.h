/* SPDX-License-Identifier: BSD-3-Clause */
/* What the runs of a group say of the machine and of how they were recorded, and whether two groups can be
 * compared. */
#ifndef RUN_FACTS_H
#define RUN_FACTS_H

#include "buf.h"
#include "err.h"
#include "run_values.h"

enum { RUN_FACT_MAX_TEXTS = 64 };

/* The distinct texts of a fact on one side. */
struct run_fact {
        const char *texts[RUN_FACT_MAX_TEXTS];
        size_t n;
};

struct run_fact run_facts_get(const struct run_values *values, enum run_side side, const char *key);

/* What varies from run to run alike on both sides is no difference. */
bool run_facts_are_equal(const struct run_fact *a, const struct run_fact *b);

/* "6.1 and 6.2"; very long texts are cut. */
void run_facts_add_texts(const struct run_fact *fact, struct buf *out);

/* Refuses groups that measure other things: another architecture, or one of them also in the kernel.
 * ERR_MISSING with what to do. */
bool run_facts_check(const struct run_values *values, struct err *err);

/* Why a difference may come from the machine, and not from the program: "another CPU model"; NULL: nothing
 * is known that speaks for that. */
const char *run_facts_doubt(const struct run_values *values);

#endif
