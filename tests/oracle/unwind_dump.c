/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the unwind information of a PE image, for comparison with other tools: unwind_dump FILE
 *
 * A function is a line with its addresses and facts, followed by an indented line for each operation.  Each
 * entry must be found by its first and its last byte. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unwind_xdata.h"

struct op_name {
        const char *name;
        char bank; /* of the registers */
};

static const struct op_name op_names[] = {
        [UNWIND_OP_ALLOC] = {"alloc", 0},
        [UNWIND_OP_SET_FP] = {"set_fp", 0},
        [UNWIND_OP_PAD] = {"pad", 0},
        [UNWIND_OP_NOP] = {"nop", 0},
        [UNWIND_OP_PUSH] = {"push", 'r'},
        [UNWIND_OP_MOVE] = {"save", 'r'},
        [UNWIND_OP_MOVE_XMM] = {"save", 'x'},
        [UNWIND_OP_PUSH_MACHINE] = {"push_machine", 0},
        [UNWIND_OP_EPILOGUE] = {"epilogue", 0},
        [UNWIND_OP_SAVE_X] = {"save", 'x'},
        [UNWIND_OP_SAVE_D] = {"save", 'd'},
        [UNWIND_OP_SAVE_Q] = {"save", 'q'},
        [UNWIND_OP_SAVE_PARAMS] = {"save", 'x'},
        [UNWIND_OP_ALLOC_Z] = {"alloc_z", 0},
        [UNWIND_OP_SAVE_Z] = {"save", 'z'},
        [UNWIND_OP_SAVE_P] = {"save", 'p'},
        [UNWIND_OP_SIGN_LR] = {"sign_lr", 0},
        [UNWIND_OP_END] = {"end", 0},
        [UNWIND_OP_END_C] = {"end_c", 0},
        [UNWIND_OP_TRAP_FRAME] = {"trap_frame", 0},
        [UNWIND_OP_MACHINE_FRAME] = {"machine_frame", 0},
        [UNWIND_OP_CONTEXT] = {"context", 0},
        [UNWIND_OP_EC_CONTEXT] = {"ec_context", 0},
        [UNWIND_OP_CLEAR_UNWOUND_TO_CALL] = {"clear_unwound_to_call", 0},
};

static void print_reg(char bank, uint8_t reg)
{
        if (reg != UNWIND_NO_REG)
                printf(" %c%u", bank ? bank : 'r', reg);
}

static void print_ops(const struct unwind_ops *ops, bool is_x64)
{
        for (unsigned i = 0; i < ops->n; i++) {
                const struct unwind_op *op = &ops->items[i];
                const struct op_name *name = &op_names[op->kind];

                printf("  ");
                if (is_x64)
                        printf("%02x ", op->off);
                printf("%s", name->name);
                print_reg(name->bank, op->reg);
                print_reg(name->bank, op->reg2);
                if (op->flags & UNWIND_OP_DOWN)
                        printf(" down");
                printf(" %" PRIu32 "%s\n", op->amount, op->flags & UNWIND_OP_NEXT ? " next" : "");
        }
}

static uint64_t base_of(const struct object *object)
{
        return object_get_facts(object)->load_addr;
}

static void print_error(const struct err *err)
{
        printf("  error: %s\n", err->text);
}

static void print_chain(const struct object *object, const struct unwind_xdata *from)
{
        struct unwind_xdata xdata = *from;
        struct object_unwind entry;
        struct err err = {0};

        if (object_read_unwind(object, xdata.chain, &entry))
                printf("  chained %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", entry.start, entry.end,
                       entry.word + base_of(object));
        while (xdata.chain) {
                if (!unwind_xdata_next(object, &xdata, &err)) {
                        print_error(&err);
                        return;
                }
        }
}

static void print_x64(const struct object *object, const struct unwind_xdata *xdata)
{
        const struct unwind_x64 *x64 = &xdata->x64;
        struct unwind_ops ops;
        struct err err = {0};

        printf("  version %u flags %u prologue %u", x64->version, x64->flags, x64->prologue_bytes);
        if (x64->frame_reg != UNWIND_NO_REG)
                printf(" frame r%u %u", x64->frame_reg, x64->frame_off);
        printf(" slots %u", x64->n_slots);
        if (x64->epilogue_bytes)
                printf(" epilogues %u%s", x64->epilogue_bytes, x64->has_epilogue_at_end ? " at_end" : "");
        printf("\n");
        if (!unwind_x64_ops(x64, &ops, &err))
                print_error(&err);
        else
                print_ops(&ops, true);
        if (x64->handler)
                printf("  handler %" PRIx64 "\n", x64->handler + base_of(object));
        if (xdata->chain)
                print_chain(object, xdata);
}

static void print_epilogue(const struct unwind_arm64 *arm64, unsigned i)
{
        struct unwind_ops ops;
        struct err err = {0};
        uint32_t start;

        if (!unwind_arm64_epilogue(arm64, i, &start, &ops, &err)) {
                print_error(&err);
                return;
        }
        printf("  epilogue %" PRIu32 "\n", start);
        print_ops(&ops, false);
}

static void print_arm64(const struct object *object, const struct unwind_arm64 *arm64)
{
        const struct unwind_arm64_packed *p = &arm64->packed;
        struct unwind_ops ops;
        struct err err = {0};

        if (arm64->is_packed)
                printf("  packed %u length %" PRIu32 " regf %u regi %u h %u cr %u frame %u\n",
                       arm64->is_fragment, arm64->length_bytes, p->reg_f, p->reg_i, p->h, p->cr,
                       p->frame_bytes);
        else
                printf("  length %" PRIu32 " handler %u at_end %u index %u epilogues %u codes %u\n",
                       arm64->length_bytes, arm64->has_handler, arm64->has_one_epilogue_at_end,
                       arm64->epilogue_index, arm64->n_epilogues, arm64->n_code_bytes);
        if (!unwind_arm64_prologue(arm64, &ops, &err))
                print_error(&err);
        else
                print_ops(&ops, false);
        for (unsigned i = 0; i < arm64->n_epilogues; i++)
                print_epilogue(arm64, i);
        if (arm64->has_handler)
                printf("  handler %" PRIx64 "\n", arm64->handler + base_of(object));
}

static bool is_found(const struct object *object, uint64_t addr, const struct object_unwind *entry)
{
        struct object_unwind found;

        return object_find_unwind(object, addr, &found) && found.start == entry->start &&
               found.end == entry->end;
}

static void print_entry(const struct object *object, size_t i)
{
        struct object_unwind entry;
        struct unwind_xdata xdata;
        struct err err = {0};

        if (!object_get_unwind(object, i, &entry)) {
                printf("entry %zu is damaged\n", i);
                return;
        }
        printf("%" PRIx64 " %" PRIx64, entry.start, entry.end);
        if (!entry.info.failed)
                printf(" %" PRIx64, entry.word + base_of(object));
        printf("\n");
        if (!is_found(object, entry.start, &entry) || !is_found(object, entry.end - 1, &entry))
                printf("  error: is not found by its address\n");
        if (!unwind_xdata_read(object, &entry, &xdata, &err))
                print_error(&err);
        else if (xdata.machine == OBJECT_MACHINE_ARM64)
                print_arm64(object, &xdata.arm64);
        else
                print_x64(object, &xdata);
}

int main(int argc, char **argv)
{
        struct err err = {0};
        AUTO(object) object = argc == 2 ? object_open(argv[1], &err) : NULL;

        if (!object) {
                fprintf(stderr, "%s\n", argc == 2 ? err.text : "usage: unwind_dump FILE");
                return 1;
        }
        for (size_t i = 0; i < object_n_unwind(object); i++)
                print_entry(object, i);
        return 0;
}
