/* SPDX-License-Identifier: BSD-3-Clause */
/* Arm SPE through wperf's own driver: what an event asks for, and taking the data of a CPU. Depends on no
 * system. */
#ifndef OWN_SPE_H
#define OWN_SPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"
#include "buf.h"
#include "err.h"
#include "event.h"

/* What the driver has to set for the event, without its CPUs. ERR_UNSUPPORTED: only in the kernel;
 * ERR_USAGE: an interval that is out of range. */
bool own_spe_read_event(const struct event *event, struct abi_spe *ret, struct err *err);

/* Checks that SPE of the CPU can do it. ERR_UNSUPPORTED: it has no SPE, no such filter, or not at that
 * interval. */
bool own_spe_check_cpu(const struct abi_spe *what, const char *event, const struct abi_cpu *cpu,
                       struct err *err);

/* Sends a request. Returns the size of the answer, which is at most `room`, or -1. */
typedef int64_t (*own_spe_ask)(void *ctx, enum abi_request request, const void *in, size_t in_size, void *out,
                               size_t room, struct err *err);

struct own_spe_taker {
        own_spe_ask ask;
        void *ctx;
        uint32_t cpu;
        uint64_t n_taken;               /* bytes, since the driver was started */
        uint64_t total, stalls, losses; /* as the driver said last */
        uint64_t since_ns, next_ns;     /* when they were taken last, and will be next */
        struct buf answer;
};

void own_spe_taker_release(struct own_spe_taker *taker);

/* Whether it is time to ask the driver again: its buffer should be a quarter full, at the rate at which
 * bytes came before. */
bool own_spe_is_due(const struct own_spe_taker *taker, uint64_t now_ns);

/* Plans the next time, after `n_bytes` were taken at `now_ns`. */
void own_spe_plan(struct own_spe_taker *taker, uint64_t now_ns, uint64_t n_bytes);

/* Appends the bytes that the driver has of the CPU. Errors of `ask`; ERR_FORMAT for an answer that cannot
 * be; what came before is appended in any case. */
bool own_spe_take(struct own_spe_taker *taker, struct buf *out, struct err *err);

/* How many bytes the driver had and did not give; to be called after the driver was stopped and the last
 * were taken. */
uint64_t own_spe_missing(const struct own_spe_taker *taker);

#endif
