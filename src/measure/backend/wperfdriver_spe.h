/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes the data of Arm SPE from WPERFDRIVER 3.8, which has one buffer for one core. Depends on no system. */
#ifndef WPERFDRIVER_SPE_H
#define WPERFDRIVER_SPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "wperfdriver_messages.h"

/* Sends a request: copies at most `room` bytes of the answer to `out` and returns its size, or -1. `err`
 * may be NULL. */
typedef int64_t (*wperfdriver_spe_ask)(void *ctx, enum wperfdriver_request request, const void *in,
                                       size_t in_size, void *out, size_t room, struct err *err);

struct wperfdriver_spe_taker {
        wperfdriver_spe_ask ask;
        void *ctx;
        uint8_t core, operations; /* WPERFDRIVER_SPE_LOADS...; 0 for all */
        uint64_t passed;          /* bytes of the buffer that were taken or skipped */
        uint64_t n_skipped; /* bytes that were lost, because the driver gives at most 40 KiB at a time */
        uint64_t n_full;    /* how often the buffer was full, and the core recorded nothing until it was
                               emptied */
};

/* Starts it, with `ask`, `ctx`, `core` and `operations` set. Errors of `ask`. */
bool wperfdriver_spe_begin(struct wperfdriver_spe_taker *taker, struct err *err);

/* Appends the bytes that the core recorded since the last call. Errors of `ask`; ERR_FORMAT for an answer
 * that cannot be. */
bool wperfdriver_spe_take(struct wperfdriver_spe_taker *taker, struct buf *out, struct err *err);

/* Stops, in any case, and appends the last bytes. */
bool wperfdriver_spe_end(struct wperfdriver_spe_taker *taker, struct buf *out, struct err *err);

#endif
