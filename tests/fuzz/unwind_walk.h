/* SPDX-License-Identifier: BSD-3-Clause */
/* For the fuzz targets: reads all fields of an entry of unwind information, and aborts if its contract is
 * broken. */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include <stdlib.h>

#include "unwind_xdata.h"

/* So that reads are not optimised away. */
static volatile uint64_t unwind_walk_sink;

static inline void unwind_walk_ops(const struct unwind_ops *ops, unsigned n_regs)
{
        if (ops->n > UNWIND_MAX_OPS)
                abort();
        for (unsigned i = 0; i < ops->n; i++) {
                const struct unwind_op *op = &ops->items[i];

                if ((op->reg != UNWIND_NO_REG && op->reg >= n_regs) ||
                    (op->reg2 != UNWIND_NO_REG && op->reg2 >= n_regs) ||
                    op->kind > UNWIND_OP_CLEAR_UNWOUND_TO_CALL)
                        abort();
                unwind_walk_sink += op->amount + op->off + unwind_op_instructions(op);
        }
}

static inline void unwind_walk_arm64(const struct unwind_arm64 *arm64)
{
        struct unwind_ops ops;
        uint32_t start;

        if (unwind_arm64_prologue(arm64, &ops, NULL))
                unwind_walk_ops(&ops, 32);
        for (unsigned i = 0; i < arm64->n_epilogues; i++) {
                if (!unwind_arm64_epilogue(arm64, i, &start, &ops, NULL))
                        continue;
                unwind_walk_ops(&ops, 32);
                if ((arm64->is_packed || arm64->has_one_epilogue_at_end) && start >= arm64->length_bytes)
                        abort();
        }
}

static inline void unwind_walk_x64(const struct unwind_x64 *x64)
{
        struct unwind_ops ops;

        if (x64->version < 1 || x64->version > 2 || x64->frame_off > 240)
                abort();
        if (unwind_x64_ops(x64, &ops, NULL))
                unwind_walk_ops(&ops, 16);
}

/* Reads the entry and its continuations. */
static inline void unwind_walk(const struct object *object, struct unwind_xdata *xdata)
{
        unsigned n = 0;

        do {
                if (n++ > UNWIND_MAX_CHAIN)
                        abort();
                if (xdata->machine == OBJECT_MACHINE_ARM64)
                        unwind_walk_arm64(&xdata->arm64);
                else
                        unwind_walk_x64(&xdata->x64);
        } while (xdata->chain && unwind_xdata_next(object, xdata, NULL));
}

#endif
