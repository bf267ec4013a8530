/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver that gives data of Arm SPE: wperf's own, or WindowsPerf's. */
#ifndef WINDOWS_SPE_DRIVER_H
#define WINDOWS_SPE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "collect_request.h"
#include "err.h"

/* What a driver gave of a core since the last call. */
struct driver_spe_piece {
        struct buf bytes;
        uint64_t n_skipped; /* bytes before these, which are lost */
        uint64_t n_full;    /* times that the buffer was full, and the core recorded nothing until it was
                               emptied */
        uint64_t n_losses;  /* times that the core said that it lost samples */
};

struct spe_driver {
        const char *name;
        bool sets_interval; /* else the interval is not known */

        /* Checks the request and takes the driver; `request` must outlive it. Errors of own_driver_open or
         * wperfdriver_open; ERR_USAGE: the CPUs; ERR_UNSUPPORTED: what the driver or a core can't do. NULL
         * on failure. */
        void *(*open)(const struct collect_request *request, struct err *err);
        void (*free)(void *driver); /* stops it */
        bool (*begin)(void *driver, struct err *err);

        /* Adds what the core recorded to *ret; `core` is an index in the CPUs of the request. With
         * `is_last` the driver is stopped before, if it still runs. *ret is also valid after an error. */
        bool (*take)(void *driver, size_t core, bool is_last, struct driver_spe_piece *ret, struct err *err);
};

extern const struct spe_driver spe_of_own_driver, spe_of_wperfdriver;

#endif
