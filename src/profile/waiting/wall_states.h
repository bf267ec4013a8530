/* SPDX-License-Identifier: BSD-3-Clause */
/* States of a thread in wall time, and their words. */
#ifndef WALL_STATES_H
#define WALL_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "wait_kind.h"

/* The kinds of waiting, and: */
enum {
        WALL_RUNNABLE = WAIT_N_KINDS, /* ready to run, but another thread had the CPU */
        WALL_OWN,                     /* stopped by wperf for a sample */
        WALL_GC,                      /* on a CPU, and CPython collects garbage there */
        WALL_N_STATES,
};

#define WALL_BIT(state) (1u << (state))

/* Sets of states, as bits. */
#define WALL_ON_CPU  (WALL_BIT(WAIT_KIND_ON_CPU) | WALL_BIT(WALL_GC))
#define WALL_IDLE    WALL_BIT(WAIT_KIND_IDLE)
#define WALL_WAITING (WALL_BIT(WAIT_N_KINDS) - 1 - WALL_BIT(WAIT_KIND_ON_CPU) - WALL_BIT(WAIT_KIND_IDLE))
/* what is shown if nothing else is asked for */
#define WALL_SHOWN (WALL_WAITING | WALL_ON_CPU | WALL_BIT(WALL_RUNNABLE))

/* The words of --state. */
#define WALL_STATE_WORDS                                                                                     \
        "on-cpu runnable waiting idle gc gil lock disk fault network pipe child sleep terminal other unknown"

/* The word of a state, as "network". */
const char *wall_state_word(unsigned state);

/* A letter for a strip of time. */
const char *wall_state_letter(unsigned state);

/* A comma-separated list of states, or of "waiting": all kinds of waiting without idle. "on-cpu" includes gc.
 * ERR_USAGE. */
bool wall_states_parse(const char *list, unsigned *ret, struct err *err);

#endif
