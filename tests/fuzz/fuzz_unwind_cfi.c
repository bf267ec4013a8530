/* SPDX-License-Identifier: BSD-3-Clause */
/* Call-frame information in an object made for it, and a walk that uses it.  Input: u8 flags (1 AArch64, 2
 * .debug_frame instead of .eh_frame), u16 bytes of .eh_frame_hdr, u64 an address, .eh_frame_hdr, and the
 * rest is the table. */
#include <stdlib.h>
#include <string.h>

#include "cfi_builder.h"
#include "cursor.h"
#include "unwind_cfi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_ROWS = 64, MAX_RANGES = 16, STACK_ADDR = 0x7000, MAX_BYTES = 1 << 16 };

static void check_row(const struct cfi_row *row, uint64_t addr)
{
        if (row->start > addr || row->end <= addr || row->end > row->entry_end ||
            row->n_rules > UNWIND_N_REGS || row->return_reg >= UNWIND_N_REGS || row->cfa.kind == CFI_SAME)
                abort();
        for (unsigned i = 0; i < row->n_rules; i++) {
                if (row->rules[i].target >= UNWIND_N_REGS ||
                    (i && row->rules[i - 1].target >= row->rules[i].target))
                        abort();
        }
}

struct process {
        struct unwind_module module;
};

static bool find_module(void *ctx, uint64_t addr, struct unwind_module *ret_module)
{
        struct process *process = ctx;

        (void)addr;
        *ret_module = process->module;
        return true;
}

static void walk(struct process *process, bool is_arm64, uint64_t pc, const uint8_t *stack, size_t size)
{
        struct unwind_regs regs = {.machine = is_arm64 ? OBJECT_MACHINE_ARM64 : OBJECT_MACHINE_X86_64};
        struct unwind_modules modules = {.find = find_module, .ctx = process};
        struct unwind_memory memory = {.start = STACK_ADDR, .bytes = stack, .size = size};
        struct unwind_frame frames[UNWIND_MAX_FRAMES];
        struct unwind_walked walked;

        for (unsigned reg = 0; reg < UNWIND_N_REGS; reg++)
                unwind_set_reg(&regs, reg, STACK_ADDR + reg * 8);
        unwind_set_reg(&regs, unwind_reg_sp(&regs), STACK_ADDR);
        unwind_set_reg(&regs, unwind_reg_pc(&regs), pc);
        unwind_walk(&modules, &regs, &memory, frames, UNWIND_MAX_FRAMES, &walked);
        if (walked.n_frames < 1 || walked.n_frames > UNWIND_MAX_FRAMES || walked.end >= UNWIND_N_ENDS)
                abort();
        if ((walked.end == UNWIND_END_CUT && !memory.is_cut) ||
            (walked.end == UNWIND_END_UNREADABLE && memory.is_cut) || walked.end == UNWIND_END_DAMAGED)
                abort();
}

static void try_address(struct process *process, bool is_arm64, uint64_t addr, const uint8_t *data,
                        size_t size)
{
        struct cfi_row row;
        struct err err = {0};

        for (unsigned i = 0; i < MAX_ROWS; i++) {
                if (!cfi_find(process->module.cfi, addr, &row, &err)) {
                        if (!err.code || !err.text[0])
                                abort();
                        return;
                }
                check_row(&row, addr);
                if (i < 4)
                        walk(process, is_arm64, addr, data, size);
                addr = row.end;
                if (addr == row.entry_end)
                        return;
        }
}

static void try_object(struct object *object, bool is_arm64, uint64_t addr, const uint8_t *data, size_t size)
{
        AUTO(cfi) cfi = cfi_open(object, NULL, NULL);
        struct process process = {.module = {.start = 0, .end = UINT64_MAX, .object = object, .cfi = cfi}};
        struct object_range *ranges = NULL;
        size_t n;

        if (!cfi)
                return;
        try_address(&process, is_arm64, addr, data, size);
        n = object_list_functions(object, &ranges);
        for (size_t i = 0; i < n && i < MAX_RANGES; i++)
                try_address(&process, is_arm64, ranges[i].start, data, size);
        free(ranges);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct cursor c = cursor_make(data, size);
        uint8_t flags = cursor_u8(&c);
        uint16_t hdr_bytes = cursor_u16(&c);
        uint64_t addr = cursor_u64(&c);
        const void *hdr = cursor_bytes(&c, hdr_bytes);
        struct cfi_builder b = {.is_arm64 = flags & 1};
        struct object *object;
        struct buf file;

        if (c.failed || size > MAX_BYTES)
                return 0;
        if (hdr_bytes)
                buf_add(&b.eh_frame_hdr, hdr, hdr_bytes);
        if (cursor_left(&c))
                buf_add(flags & 2 ? &b.debug_frame : &b.eh_frame, c.at, cursor_left(&c));
        cfi_build(&b, &file);
        object = object_open_bytes(file.data, file.len, "input", NULL);
        if (!object)
                abort();
        try_object(object, flags & 1, addr, data, size);
        object_free(object);
        buf_release(&file);
        cfi_builder_release(&b);
        return 0;
}
