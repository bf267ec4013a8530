/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of machine_test share. */
#ifndef MACHINE_INTERNAL_H
#define MACHINE_INTERNAL_H

#include "machine_plan.h"
#include "os.h"

struct machine_rows {
        const struct machine_test_request *request;
        machine_test_row_fn *row;
        void *ctx;
        struct os_machine machine;         /* of this machine; zeros for another one */
        const struct core_kind *kind;      /* the first kind of cores; NULL: no core PMU */
        const struct catalogue_cpu *model; /* its model, or NULL */
        uint64_t midr;                     /* 0: not known, or no core of Arm */
        unsigned n_counters[COUNT_CLASSES], n_fixed[COUNT_CLASSES];
        struct machine_plan plan;
};

void machine_add(struct machine_rows *rows, const char *name, const char *result);

/* The one line of a file of the machine; "not known" when there is none. */
void machine_add_file(struct machine_rows *rows, const char *name, const char *path);

/* The rows that begin with "linux.", on this machine alone. */
void machine_add_linux(struct machine_rows *rows);

extern const char machine_not_known[];

#endif
