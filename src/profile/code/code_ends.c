/* SPDX-License-Identifier: BSD-3-Clause */
/* An address that is loaded or stored is what it points to.  Others may also be the end of the object before
 * them, or a few bytes before the next one: a loop that begins with 1 has the address of element -1. */
#include "code_ends.h"

#include "map.h"

static const uint64_t before_start[] = {4, 8, 16};

enum { MAX_KEYS = 1 + sizeof(before_start) / sizeof(before_start[0]) };

static bool may_be_beside(const struct disasm_ref *ref, const struct code_referent *to)
{
        bool is_data = to->kind == CODE_REFERS_VARIABLE || to->kind == CODE_REFERS_CONTENT ||
                       to->kind == CODE_REFERS_SECTION;

        /* a number is added to a register */
        return is_data && to->addr && !to->relocation && ref->kind != DISASM_REF_CODE &&
               (!ref->load_bytes || ref->kind == DISASM_REF_NUMBER);
}

/* Of data without names only the section is known. */
static size_t list_sections(const struct code_image *image, const struct code_referent *to,
                            uint64_t keys[MAX_KEYS])
{
        const uint64_t addrs[] = {to->addr - 1, to->addr + before_start[2]};
        size_t n = 0;

        for (size_t i = 0; i < 2 && to->kind == CODE_REFERS_SECTION; i++) {
                const struct code_image_section *section = code_image_section(image, addrs[i]);

                if (section)
                        keys[n++] = code_referent_section_key(section);
        }
        return n;
}

/* Lists the keys of what is beside an address. */
static size_t list_keys(const struct code_image *image, const struct code_referent *to,
                        uint64_t keys[MAX_KEYS])
{
        uint64_t addr = to->addr;
        struct code_variable v;
        size_t n = 0;

        if (!image->naming.variables)
                return list_sections(image, to, keys);

        if (code_referent_find_object(image, addr - 1, &v) && v.addr + v.size_bytes == addr)
                keys[n++] = code_referent_variable_key(v.name, v.size_bytes);
        for (size_t i = 0; i < sizeof(before_start) / sizeof(before_start[0]); i++) {
                if (code_referent_find_object(image, addr + before_start[i], &v) &&
                    v.addr == addr + before_start[i])
                        keys[n++] = code_referent_variable_key(v.name, 0 - before_start[i]);
        }
        return n;
}

struct code_keys {
        struct map of_targets, beside; /* sets */
};

static void add_keys(const struct code_body *body, struct code_keys *ret)
{
        uint64_t keys[MAX_KEYS];

        for (size_t i = 0; i < body->n_insns; i++) {
                for (size_t k = 0; k < body->insns[i].n_refs; k++) {
                        const struct code_referent *to = &body->insns[i].referents[k];

                        if (!may_be_beside(&body->insns[i].refs[k], to))
                                continue;
                        map_put(&ret->of_targets, to->key, NULL);
                        for (size_t n = list_keys(body->image, to, keys); n-- > 0;)
                                map_put(&ret->beside, keys[n], NULL);
                }
        }
}

/* Whether only the section is known, although variables have names: then others in the function, too, may
 * be in this section. */
static bool is_vague(const struct code_image *image, const struct code_referent *to)
{
        return to->kind == CODE_REFERS_SECTION && image->naming.variables;
}

/* Returns whether keys were changed. */
static bool choose_keys(struct code_body *body, const struct code_keys *other)
{
        uint64_t keys[MAX_KEYS];
        bool any = false;

        for (size_t i = 0; i < body->n_insns; i++) {
                for (size_t k = 0; k < body->insns[i].n_refs; k++) {
                        struct code_referent *to = &body->insns[i].referents[k];
                        size_t n;

                        if (!may_be_beside(&body->insns[i].refs[k], to) ||
                            (!is_vague(body->image, to) && map_find(&other->of_targets, to->key)))
                                continue;
                        n = list_keys(body->image, to, keys);
                        for (size_t j = 0; j < n; j++) {
                                if (!map_find(&other->of_targets, keys[j]) &&
                                    !map_find(&other->beside, keys[j]))
                                        continue;
                                to->key = keys[j];
                                any = true;
                                break;
                        }
                }
        }
        return any;
}

void code_ends_settle(struct code_body *a, struct code_body *b)
{
        struct code_keys of_a = {0}, of_b = {0};

        if (a->hash == b->hash)
                return;
        add_keys(a, &of_a);
        add_keys(b, &of_b);
        if (choose_keys(a, &of_b))
                code_body_hash(a);
        if (choose_keys(b, &of_a))
                code_body_hash(b);
        map_release(&of_a.of_targets);
        map_release(&of_a.beside);
        map_release(&of_b.of_targets);
        map_release(&of_b.beside);
}
