/* SPDX-License-Identifier: BSD-3-Clause */
/* What differs between the drivers that count on Windows: wperf's own (windows_own_counts.c) and that of
 * WindowsPerf (windows_wperfdriver_counts.c). */
#ifndef WINDOWS_BACKEND_INTERNAL_H
#define WINDOWS_BACKEND_INTERNAL_H

#include "windows_driver_counts.h"

struct driver_backend {
        const char *name;
        bool filters_each; /* each event has its own modes; else all events of a core have the same */
        size_t (*max_slots)(const struct driver_plan *plan); /* of a plan, padding included */

        /* Opens the driver with its lock, or NULL. */
        void *(*open)(struct err *err);
        void (*free)(void *driver);
        const struct kernel_driver *(*get_facts)(const void *driver);

        /* Gives the plan to the driver; nothing counts meanwhile. */
        bool (*assign)(struct driver_counts *counts, struct err *err);
        bool (*start)(struct driver_counts *counts, struct err *err);
        bool (*read_place)(struct driver_counts *counts, struct driver_place *place, struct err *err);

        /* Stops, with all sums read up to then. */
        bool (*stop)(struct driver_counts *counts, struct err *err);

        /* Stops, whatever the sums are. */
        void (*abandon)(struct driver_counts *counts);
};

extern const struct driver_backend backend_own, backend_wperfdriver;

#endif
