/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of machine_support. */
#ifndef MACHINE_INTERNAL_H
#define MACHINE_INTERNAL_H

#include "kernel.h"
#include "machine_plan.h"
#include "os.h"

struct machine_rows {
        const struct machine_support_request *request;
        machine_support_row_fn *row;
        void *ctx;
        struct os_machine machine;          /* zeros if the facts are another machine's */
        const struct core_kind *kind;       /* the first kind of cores; NULL if there is no core PMU */
        const struct catalogue_cpu *model;  /* its model, or NULL */
        const struct kernel_driver *driver; /* NULL on Linux and without a driver */
        uint64_t midr;                      /* 0 if unknown, or if the cores are not Arm's */
        unsigned n_counters[COUNT_CLASSES], n_fixed[COUNT_CLASSES];
        struct machine_plan plan;
};

void machine_add(struct machine_rows *rows, const char *name, const char *result);

/* Adds the first line of a file; "not known" if it cannot be read. */
void machine_add_file(struct machine_rows *rows, const char *name, const char *path);

/* Adds the rows that begin with "linux." or "windows.". Only for this machine. */
void machine_add_linux(struct machine_rows *rows);
void machine_add_windows(struct machine_rows *rows);

enum { MACHINE_SAMPLE_HZ = 999 }; /* the default */

#define MACHINE_HW_CFG(name) "PMU_CTL_QUERY_HW_CFG [" name "]"

/* Add rows whose values come from the driver; false if there is none. */
bool machine_add_driver_pmu(struct machine_rows *rows);
bool machine_add_driver_counters(struct machine_rows *rows);
bool machine_add_driver_spe(struct machine_rows *rows);

/* Adds the row windows.driver: its version, or why it can't be used; nothing on Linux. */
void machine_add_driver(struct machine_rows *rows);

extern const char machine_not_known[];

#endif
