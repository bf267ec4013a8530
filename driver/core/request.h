/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of programs: a table says what each takes and gives; sizes and indices are checked before its
 * handler runs. */
#ifndef REQUEST_H
#define REQUEST_H

#include "driver.h"

enum request_status {
        REQUEST_OK,
        REQUEST_UNKNOWN,   /* no such code */
        REQUEST_SIZE,      /* the payload or the room for the answer has the wrong size */
        REQUEST_VALUE,     /* a number in the payload is out of range */
        REQUEST_OWNER,     /* the program does not have the lock */
        REQUEST_STATE,     /* not while something runs */
        REQUEST_ROOM,      /* more counters are needed than there are */
        REQUEST_MEMORY,    /* no memory */
        REQUEST_NO_DEVICE, /* the machine has no such unit */
        REQUEST_TAKEN,     /* another program samples with the PMU, or uses SPE */
};

/* Runs a request of `owner`, one request at a time. `in` and `out` may be the same memory; *ret_bytes is
 * the size of the answer, 0 unless the status is REQUEST_OK. */
enum request_status request_run(struct driver *driver, const void *owner, uint32_t code, const void *in,
                                uint32_t in_bytes, void *out, uint32_t out_bytes, uint32_t *ret_bytes);

#endif
