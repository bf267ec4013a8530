/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the unwind information for an address of an image, and follows x64's chains. */
#include "unwind_xdata.h"

unsigned unwind_op_instructions(const struct unwind_op *op)
{
        switch (op->kind) {
        case UNWIND_OP_END:
        case UNWIND_OP_END_C:
        case UNWIND_OP_TRAP_FRAME:
        case UNWIND_OP_MACHINE_FRAME:
        case UNWIND_OP_CONTEXT:
        case UNWIND_OP_EC_CONTEXT:
        case UNWIND_OP_CLEAR_UNWOUND_TO_CALL: return 0;
        default: return 1;
        }
}

static bool read_x64(const struct object_unwind *entry, struct unwind_xdata *xdata, struct err *err)
{
        /* An odd address refers to another entry, which has the information. */
        if (entry->word & 1) {
                xdata->x64 = (struct unwind_x64){
                        .version = 1, .flags = UNWIND_X64_CHAINED, .frame_reg = UNWIND_NO_REG};
                xdata->chain = entry->word & ~1u;
                return true;
        }
        if (entry->info.failed)
                return err_set(err, ERR_FORMAT, "unwind information at 0x%x lies outside the image",
                               entry->word);
        if (!unwind_x64_read(&entry->info, &xdata->x64, err))
                return err_in(err, "0x%x", entry->word);
        if (xdata->x64.flags & UNWIND_X64_CHAINED)
                xdata->chain = entry->word + xdata->x64.chain_off;
        return true;
}

static bool read_arm64(const struct object_unwind *entry, struct unwind_xdata *xdata, struct err *err)
{
        if (entry->word & 3)
                return unwind_arm64_unpack(entry->word, &xdata->arm64, err);
        if (entry->info.failed)
                return err_set(err, ERR_FORMAT, "unwind information at 0x%x lies outside the image",
                               entry->word);
        return unwind_arm64_read(&entry->info, &xdata->arm64, err) || err_in(err, "0x%x", entry->word);
}

bool unwind_xdata_read(const struct object *object, const struct object_unwind *entry,
                       struct unwind_xdata *ret_xdata, struct err *err)
{
        struct unwind_xdata xdata = {
                .machine = object_get_facts(object)->machine, .start = entry->start, .end = entry->end};
        bool is_arm64 = xdata.machine == OBJECT_MACHINE_ARM64;

        if (!(is_arm64 ? read_arm64 : read_x64)(entry, &xdata, err))
                return err_in(err, "%s: function at 0x%llx", object_name(object),
                              (unsigned long long)entry->start);
        *ret_xdata = xdata;
        return true;
}

bool unwind_xdata_find(const struct object *object, uint64_t addr, struct unwind_xdata *ret_xdata,
                       struct err *err)
{
        struct object_unwind entry;

        if (!object_find_unwind(object, addr, &entry))
                return err_set(err, ERR_MISSING, "%s: no unwind information for 0x%llx", object_name(object),
                               (unsigned long long)addr);
        return unwind_xdata_read(object, &entry, ret_xdata, err);
}

bool unwind_xdata_next(const struct object *object, struct unwind_xdata *xdata, struct err *err)
{
        struct unwind_xdata next;
        struct object_unwind entry;

        if (xdata->n_chained == UNWIND_MAX_CHAIN)
                return err_set(err, ERR_LIMIT, "%s: unwind information at 0x%x: more than %d chained entries",
                               object_name(object), xdata->chain, UNWIND_MAX_CHAIN);
        if (!object_read_unwind(object, xdata->chain, &entry))
                return err_set(err, ERR_FORMAT, "%s: chained unwind entry at 0x%x is damaged",
                               object_name(object), xdata->chain);
        if (!unwind_xdata_read(object, &entry, &next, err))
                return false;
        next.n_chained = xdata->n_chained + 1;
        *xdata = next;
        return true;
}
