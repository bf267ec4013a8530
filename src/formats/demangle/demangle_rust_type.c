/* SPDX-License-Identifier: BSD-3-Clause */
/* Types in Rust's v0 names, printed in Rust's syntax. */
#include <string.h>

#include "demangle_rust_internal.h"

static const char *const basic_types[] = {
        "i8",   "bool", "char", "f64", "str", "f32", NULL,  "u8", "isize", "usize", NULL,  "i32", "u32",
        "i128", "u128", "_",    NULL,  NULL,  "i16", "u16", "()", "...",   NULL,    "i64", "u64", "!",
};

const char *rust_basic_type(char letter)
{
        return letter >= 'a' && letter <= 'z' ? basic_types[letter - 'a'] : NULL;
}

/* Numbers of lifetimes count binders from the innermost, letters from the outermost. */
static bool add_lifetime(struct rust_name *r, uint64_t index)
{
        uint64_t level = r->n_bound - index;

        if (index > r->n_bound)
                return false;
        rust_add(r, "'");
        if (index == 0) {
                rust_add(r, "_");
        } else if (level < 26) {
                rust_add_bytes(r, &(char){(char)('a' + level)}, 1);
        } else {
                rust_add(r, "_");
                rust_add_u64(r, level);
        }
        return true;
}

bool rust_lifetime(struct rust_name *r)
{
        uint64_t index;

        return rust_number62(r, &index) && add_lifetime(r, index);
}

/* for<'a, 'b> ; the caller restores n_bound after the bound part. */
static bool parse_binder(struct rust_name *r)
{
        uint64_t n;

        if (!rust_optional62(r, "G", &n))
                return false;
        if (n == 0)
                return true;
        rust_add(r, "for<");
        for (uint64_t i = 0; i < n; i++) {
                if (r->p.failed || !demangle_spend(&r->d))
                        return false;
                if (i)
                        rust_add(r, ", ");
                r->n_bound++;
                add_lifetime(r, 1);
        }
        rust_add(r, "> ");
        return true;
}

static bool parse_reference(struct rust_name *r, bool is_mut)
{
        uint64_t index;

        rust_add(r, "&");
        if (demangle_eat(&r->d, "L")) {
                if (!rust_number62(r, &index) || (index && !add_lifetime(r, index)))
                        return false;
                if (index)
                        rust_add(r, " ");
        }
        if (is_mut)
                rust_add(r, "mut ");
        return rust_type(r, RUST_TYPE);
}

static bool parse_pointer(struct rust_name *r, const char *text)
{
        rust_add(r, text);
        return rust_type(r, RUST_TYPE);
}

static bool parse_array(struct rust_name *r, bool has_length)
{
        rust_add(r, "[");
        if (!rust_type(r, RUST_TYPE))
                return false;
        if (has_length) {
                rust_add(r, "; ");
                if (!rust_const(r, RUST_VALUE))
                        return false;
        }
        rust_add(r, "]");
        return true;
}

static bool parse_tuple(struct rust_name *r)
{
        size_t n;

        rust_add(r, "(");
        if (!rust_list(r, rust_type, RUST_TYPE, &n))
                return false;
        rust_add(r, n == 1 ? ",)" : ")");
        return true;
}

/* Dashes of an ABI are encoded as `_`. */
static bool parse_abi(struct rust_name *r)
{
        struct rust_ident abi = {.text = "C", .len = 1};

        if (!demangle_eat(&r->d, "C") && (!rust_plain_ident(r, &abi) || !abi.len || abi.code))
                return false;
        rust_add(r, "extern \"");
        for (size_t i = 0; i < abi.len; i++)
                rust_add_bytes(r, abi.text[i] == '_' ? "-" : abi.text + i, 1);
        rust_add(r, "\" ");
        return true;
}

static bool parse_signature(struct rust_name *r)
{
        if (!parse_binder(r))
                return false;
        if (demangle_eat(&r->d, "U"))
                rust_add(r, "unsafe ");
        if (demangle_eat(&r->d, "K") && !parse_abi(r))
                return false;
        rust_add(r, "fn(");
        if (!rust_list(r, rust_type, RUST_TYPE, NULL))
                return false;
        rust_add(r, ")");
        if (demangle_eat(&r->d, "u"))
                return true;
        rust_add(r, " -> ");
        return rust_type(r, RUST_TYPE);
}

/* A trait of an object: its associated types are printed with its generic arguments. */
static bool parse_dyn_trait(struct rust_name *r)
{
        bool is_open;

        if (!rust_path(r, RUST_OPEN))
                return false;
        is_open = r->is_open;
        while (demangle_eat(&r->d, "p")) {
                struct rust_ident name;

                rust_add(r, is_open ? ", " : "<");
                is_open = true;
                if (!rust_plain_ident(r, &name) || !rust_add_ident(r, &name))
                        return false;
                rust_add(r, " = ");
                if (!rust_type(r, RUST_TYPE))
                        return false;
        }
        if (is_open)
                rust_add(r, ">");
        return true;
}

static bool parse_dyn_bounds(struct rust_name *r)
{
        rust_add(r, "dyn ");
        if (!parse_binder(r))
                return false;
        for (size_t n = 0; !demangle_eat(&r->d, "E"); n++) {
                if (n)
                        rust_add(r, " + ");
                if (!parse_dyn_trait(r))
                        return false;
        }
        return true;
}

/* The object's own lifetime is outside the binder of its traits. */
static bool parse_dyn_lifetime(struct rust_name *r)
{
        uint64_t index;

        if (!demangle_eat(&r->d, "L") || !rust_number62(r, &index))
                return false;
        if (!index)
                return true;
        rust_add(r, " + ");
        return add_lifetime(r, index);
}

static bool parse_bound(struct rust_name *r, bool (*parse)(struct rust_name *))
{
        uint64_t n_bound = r->n_bound;
        bool ok = parse(r);

        r->n_bound = n_bound;
        return ok;
}

static bool parse_type(struct rust_name *r)
{
        char tag = demangle_look(&r->d, 0);
        const char *basic = rust_basic_type(tag);

        if (strchr("CMXYNI", tag)) /* NUL is not a path, either */
                return rust_path(r, RUST_TYPE);
        rust_take(r);
        if (basic) {
                rust_add(r, basic);
                return true;
        }
        switch (tag) {
        case 'R':
        case 'Q': return parse_reference(r, tag == 'Q');
        case 'P': return parse_pointer(r, "*const ");
        case 'O': return parse_pointer(r, "*mut ");
        case 'A':
        case 'S': return parse_array(r, tag == 'A');
        case 'T': return parse_tuple(r);
        case 'F': return parse_bound(r, parse_signature);
        case 'D': return parse_bound(r, parse_dyn_bounds) && parse_dyn_lifetime(r);
        case 'B': return rust_backref(r, rust_type, RUST_TYPE);
        default: return false;
        }
}

bool rust_type(struct rust_name *r, enum rust_place place)
{
        bool ok;

        (void)place;
        if (!rust_enter(r))
                return false;
        ok = parse_type(r);
        rust_leave(r);
        return ok;
}
