/* SPDX-License-Identifier: BSD-3-Clause */
#include "code_registers.h"

#include "disasm_registers.h"
#include "map.h"

/* False: the registers are not known, and the instruction is compared as it is. */
static bool get_registers(const struct code_body *body, const struct code_insn *insn,
                          struct disasm_registers *ret)
{
        struct disasm_shape shape;
        enum disasm_arch arch;

        return code_image_get_arch(body->image, &arch) &&
               disasm_shape_get(arch, insn->bytes, insn->size_bytes, insn->addr, &shape) &&
               disasm_registers_get(arch, insn->bytes, &shape, ret);
}

static uint64_t hash_insn(const struct code_body *body, const struct code_insn *insn)
{
        struct disasm_registers registers;
        uint64_t hash;

        if (!get_registers(body, insn, &registers))
                return insn->hash;
        hash = code_hash_bytes(registers.form, registers.n_form);
        for (int k = 0; k < insn->n_refs; k++) {
                const struct code_referent *to = &insn->referents[k];

                if (k != registers.slot_ref)
                        hash = code_hash_join(hash, code_referent_key(to));
        }
        return hash;
}

void code_registers_hash(struct code_body *body)
{
        for (size_t i = 0; i < body->n_insns; i++)
                body->insns[i].loose = hash_insn(body, &body->insns[i]);
        for (size_t i = 0; i < body->n_blocks; i++) {
                struct code_block *block = &body->blocks[i];

                block->loose = 0;
                for (size_t k = 0; k < block->n; k++)
                        block->loose = code_hash_join(block->loose, body->insns[block->first + k].loose);
        }
        for (size_t i = 0; i < body->n_blocks; i++)
                body->blocks[i].loose_wider = code_body_widen(body, i, true);
}

/* Whether `to` is what `from` stands for in the other block, or becomes it now. */
static bool stands_for(struct map *names, uint64_t from, uint64_t to)
{
        bool is_new;
        uint64_t *known = map_put(names, from, &is_new);

        if (is_new)
                *known = to;
        return *known == to;
}

static bool add_names(const struct disasm_registers *x, const struct disasm_registers *y, struct map *to_b,
                      struct map *to_a)
{
        if (x->n_names != y->n_names)
                return false;
        for (size_t i = 0; i < x->n_names; i++) {
                if (x->names[i] >> 32 != y->names[i] >> 32 || !stands_for(to_b, x->names[i], y->names[i]) ||
                    !stands_for(to_a, y->names[i], x->names[i]))
                        return false;
        }
        return true;
}

bool code_registers_are_renamed(const struct code_body *a, const struct code_block *x,
                                const struct code_body *b, const struct code_block *y)
{
        struct map to_b = {0}, to_a = {0};
        bool ok = true;

        for (size_t i = 0; i < x->n && ok; i++) {
                struct disasm_registers p, q;

                if (get_registers(a, &a->insns[x->first + i], &p) &&
                    get_registers(b, &b->insns[y->first + i], &q))
                        ok = add_names(&p, &q, &to_b, &to_a);
        }
        map_release(&to_b);
        map_release(&to_a);
        return ok;
}
