/* SPDX-License-Identifier: BSD-3-Clause */
/* An address that is loaded or stored is what it points to.  Others may also be the end of the object before
 * them, or a few bytes before the next one: a loop that begins with 1 has the address of element -1. */
#include "code_ends.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"

static const uint64_t before_start[] = {4, 8, 16};

enum { MAX_KEYS = 2 + sizeof(before_start) / sizeof(before_start[0]) };

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

/* Such as the end of .fini_array, behind which is the first object of the next section. */
static bool is_end_of_section(const struct code_image *image, uint64_t addr, uint64_t *ret_key)
{
        static const char end[] = "end";
        const struct code_image_section *section = code_image_section(image, addr - 1);

        if (!section || section->is_code || section->end != addr)
                return false;
        *ret_key = code_hash_join(code_referent_section_key(section), code_hash_bytes(end, sizeof(end)));
        return true;
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
        n += is_end_of_section(image, addr, &keys[n]);
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

/* --- Bytes at and before an address --- */

enum {
        MIN_TEXT_BYTES = 4,      /* of a text behind an address, and of a table of characters */
        END_BYTES = 8,           /* of the array before an address */
        MIN_OTHER_END_BYTES = 2, /* of these that are not 0, because arrays end alike in zeros */
};

struct beside_address {
        const struct code_image *image;
        struct code_referent *to;
        uint64_t bare; /* of the instruction */
};

static bool is_text(const struct beside_address *x)
{
        return x->to->kind == CODE_REFERS_CONTENT;
}

/* A loop over a text that begins with 1 has the address before the text. */
static bool are_before_one_text(const struct beside_address *x, const struct beside_address *y)
{
        const uint8_t *a, *b;
        size_t len = code_referent_text(x->image, x->to->addr + 1, &a);

        return len >= MIN_TEXT_BYTES && code_referent_text(y->image, y->to->addr + 1, &b) == len &&
               !memcmp(a, b, len);
}

/* A table of characters without a NUL is a text only if the linker put a NUL behind it. */
static bool are_one_table(const struct beside_address *x, const struct beside_address *y)
{
        const struct beside_address *text = is_text(x) ? x : y, *other = is_text(x) ? y : x;
        const uint8_t *a, *b;
        size_t len = code_referent_text(text->image, text->to->addr, &a);

        if (is_text(x) == is_text(y) || len < 2)
                return false;
        if (len > MIN_TEXT_BYTES)
                len = MIN_TEXT_BYTES;
        return code_image_read(other->image, other->to->addr, len, &b) && !memcmp(a, b, len);
}

/* Whether both are the end of equal arrays without names, and at least one has no text behind it. */
static bool are_ends_of_one_array(const struct beside_address *x, const struct beside_address *y)
{
        const uint8_t *a, *b;
        unsigned n_other = 0;

        if ((is_text(x) && is_text(y)) || x->to->addr < END_BYTES || y->to->addr < END_BYTES ||
            !code_image_read(x->image, x->to->addr - END_BYTES, END_BYTES, &a) ||
            !code_image_read(y->image, y->to->addr - END_BYTES, END_BYTES, &b) ||
            memcmp(a, b, END_BYTES) != 0)
                return false;
        for (unsigned i = 0; i < END_BYTES; i++)
                n_other += a[i] != 0;
        return n_other >= MIN_OTHER_END_BYTES;
}

static bool are_one_object(const struct beside_address *x, const struct beside_address *y)
{
        const struct code_image_section *a = code_image_section(x->image, x->to->addr);
        const struct code_image_section *b = code_image_section(y->image, y->to->addr);

        if (x->bare != y->bare || !a || !b || a->is_code || b->is_code ||
            code_referent_section_key(a) != code_referent_section_key(b))
                return false;
        return are_before_one_text(x, y) ||
               (!x->image->naming.variables && (are_one_table(x, y) || are_ends_of_one_array(x, y)));
}

/* All addresses of the function that may be beside an object. */
static struct beside_address *list_addresses(struct code_body *body, size_t *ret_n)
{
        struct beside_address *list = NULL;
        size_t cap = 0;

        *ret_n = 0;
        for (size_t i = 0; i < body->n_insns; i++) {
                struct code_insn *insn = &body->insns[i];

                for (size_t k = 0; k < insn->n_refs; k++) {
                        if (may_be_beside(&insn->refs[k], &insn->referents[k]))
                                ARRAY_PUSH(list, *ret_n, cap,
                                           (struct beside_address){body->image, &insn->referents[k],
                                                                   insn->bare});
                }
        }
        return list;
}

/* If both functions have as many of them, the first one belongs to the first one, and so on.  Returns whether
 * keys of `b` were changed. */
static bool settle_in_order(struct code_body *a, struct code_body *b)
{
        size_t n, n_of_b;
        struct beside_address *of_a = list_addresses(a, &n), *of_b = list_addresses(b, &n_of_b);
        bool any = false;

        for (size_t i = 0; n == n_of_b && i < n; i++) {
                if (of_a[i].to->key == of_b[i].to->key || !are_one_object(&of_a[i], &of_b[i]))
                        continue;
                of_b[i].to->key = of_a[i].to->key;
                any = true;
        }
        free(of_a);
        free(of_b);
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
        if (a->hash != b->hash && settle_in_order(a, b))
                code_body_hash(b);
        map_release(&of_a.of_targets);
        map_release(&of_a.beside);
        map_release(&of_b.of_targets);
        map_release(&of_b.beside);
}
