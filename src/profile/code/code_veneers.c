/* SPDX-License-Identifier: BSD-3-Clause */
#include "code_veneers.h"

enum { INSN_BYTES = 4, VENEER_BYTES = 2 * INSN_BYTES };

static bool is_jump(const struct disasm_shape *shape)
{
        return shape->flow == DISASM_JUMP && shape->n_refs && shape->refs[0].kind == DISASM_REF_CODE;
}

/* The instruction at `addr`; false if its bytes are not available. */
static bool read_shape(const struct code_image *image, uint64_t addr, struct disasm_shape *ret)
{
        const uint8_t *code;

        return code_image_read(image, addr, INSN_BYTES, &code) &&
               disasm_shape_get(DISASM_AARCH64, code, INSN_BYTES, addr, ret);
}

const uint8_t *code_veneers_follow(const struct code_image *image, uint64_t addr, struct disasm_shape *jump)
{
        struct disasm_shape insn, back;
        uint64_t veneer = jump->refs[0].value;
        const uint8_t *code;

        if (image->machine != OBJECT_MACHINE_ARM64 || !is_jump(jump) || !read_shape(image, veneer, &insn) ||
            insn.flow != DISASM_NEXT || !read_shape(image, veneer + INSN_BYTES, &back) || !is_jump(&back) ||
            back.refs[0].value != addr + INSN_BYTES || !code_image_read(image, veneer, INSN_BYTES, &code))
                return NULL;
        *jump = insn;
        return code;
}

/* Whether the jump at the end of the function leads behind a jump to its start. */
static bool is_veneer(const struct code_image *image, const struct code_function *f)
{
        uint64_t start = f->extents[0].start;
        struct disasm_shape back, jump;

        return f->n_extents == 1 && f->size_bytes == VENEER_BYTES &&
               read_shape(image, start + INSN_BYTES, &back) && is_jump(&back) &&
               read_shape(image, back.refs[0].value - INSN_BYTES, &jump) && is_jump(&jump) &&
               jump.refs[0].value == start;
}

void code_veneers_join(struct code_image *image)
{
        if (image->machine != OBJECT_MACHINE_ARM64 || image->is_relocatable)
                return;
        for (size_t i = 0; i < image->n_functions; i++) {
                if (!image->functions[i].is_part && is_veneer(image, &image->functions[i]))
                        image->functions[i].is_part = true;
        }
}
