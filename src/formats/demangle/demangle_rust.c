/* SPDX-License-Identifier: BSD-3-Clause */
/* Rust's v0 names: paths, and limits on nesting and work.  Other files parse types, constants and
 * identifiers.  The layout is that of rustc-demangle. */
#include <assert.h>
#include <string.h>

#include "demangle_rust_internal.h"

bool rust_enter(struct rust_name *r)
{
        if (r->p.failed || r->d.depth >= DEMANGLE_MAX_PRINT_DEPTH || !demangle_spend(&r->d))
                return false;
        r->d.depth++;
        return true;
}

void rust_leave(struct rust_name *r)
{
        assert(r->d.depth > 0);
        r->d.depth--;
}

bool rust_backref(struct rust_name *r, rust_parse *parse, enum rust_place place)
{
        size_t tag = cursor_pos(&r->d.in) - 1;
        const uint8_t *behind;
        uint64_t target;
        bool ok;

        if (!rust_number62(r, &target) || target >= tag)
                return false;
        if (r->is_silent)
                return true;
        behind = r->d.in.at;
        cursor_seek(&r->d.in, target);
        ok = parse(r, place);
        r->d.in.at = behind;
        return ok;
}

bool rust_list(struct rust_name *r, rust_parse *parse, enum rust_place place, size_t *ret_n)
{
        size_t n = 0;

        for (; !demangle_eat(&r->d, "E"); n++) {
                if (n)
                        rust_add(r, ", ");
                if (!parse(r, place))
                        return false;
        }
        if (ret_n)
                *ret_n = n;
        return true;
}

static bool parse_crate(struct rust_name *r)
{
        struct rust_ident name;

        if (!rust_ident(r, &name) || !rust_add_ident(r, &name))
                return false;
        /* Types that are newer than the format are encoded as a crate, C4f128. */
        if (r->is_long && name.disambiguator) {
                rust_add(r, "[");
                rust_add_hex(r, name.disambiguator);
                rust_add(r, "]");
        }
        return true;
}

/* The path of an implementation is not shown. */
static bool skip_impl_path(struct rust_name *r)
{
        bool was_silent = r->is_silent;
        uint64_t disambiguator;
        bool ok;

        r->is_silent = true;
        ok = rust_optional62(r, "s", &disambiguator) && rust_path(r, RUST_TYPE);
        r->is_silent = was_silent;
        return ok;
}

static bool parse_impl(struct rust_name *r, char tag)
{
        if (tag != 'Y' && !skip_impl_path(r))
                return false;
        rust_add(r, "<");
        if (!rust_type(r, RUST_TYPE))
                return false;
        if (tag != 'M') {
                rust_add(r, " as ");
                if (!rust_path(r, RUST_TYPE))
                        return false;
        }
        rust_add(r, ">");
        return true;
}

/* {closure#0}, {shim:vtable#0} */
static bool add_special(struct rust_name *r, char namespace, const struct rust_ident *name)
{
        rust_add(r, "::{");
        if (namespace == 'C')
                rust_add(r, "closure");
        else if (namespace == 'S')
                rust_add(r, "shim");
        else
                rust_add_bytes(r, &namespace, 1);
        if (name->len || name->code) {
                rust_add(r, ":");
                if (!rust_add_ident(r, name))
                        return false;
        }
        rust_add(r, "#");
        rust_add_u64(r, name->disambiguator);
        rust_add(r, "}");
        return true;
}

static bool parse_nested(struct rust_name *r, enum rust_place place)
{
        char namespace = rust_take(r);
        struct rust_ident name;

        if (!((namespace >= 'a' && namespace <= 'z') || (namespace >= 'A' && namespace <= 'Z')))
                return false;
        if (!rust_path(r, place == RUST_OPEN ? RUST_TYPE : place) || !rust_ident(r, &name))
                return false;
        if (namespace <= 'Z')
                return add_special(r, namespace, &name);
        if (!name.len && !name.code)
                return true;
        rust_add(r, "::");
        return rust_add_ident(r, &name);
}

static bool parse_generic_arg(struct rust_name *r, enum rust_place place)
{
        if (demangle_eat(&r->d, "L"))
                return rust_lifetime(r);
        return demangle_eat(&r->d, "K") ? rust_const(r, place) : rust_type(r, place);
}

static bool parse_generic(struct rust_name *r, enum rust_place place)
{
        if (!rust_path(r, place == RUST_VALUE ? RUST_VALUE : RUST_TYPE))
                return false;
        rust_add(r, place == RUST_VALUE ? "::<" : "<");
        if (!rust_list(r, parse_generic_arg, RUST_TYPE, NULL))
                return false;
        if (place == RUST_OPEN)
                r->is_open = true;
        else
                rust_add(r, ">");
        return true;
}

static bool parse_path(struct rust_name *r, enum rust_place place)
{
        char tag = rust_take(r);

        r->is_open = false;
        switch (tag) {
        case 'C': return parse_crate(r);
        case 'M':
        case 'X':
        case 'Y': return parse_impl(r, tag);
        case 'N': return parse_nested(r, place);
        case 'I': return parse_generic(r, place);
        case 'B': return rust_backref(r, rust_path, place);
        default: return false;
        }
}

bool rust_path(struct rust_name *r, enum rust_place place)
{
        bool ok;

        if (!rust_enter(r))
                return false;
        ok = parse_path(r, place);
        rust_leave(r);
        return ok;
}

static bool is_upper(char c)
{
        return c >= 'A' && c <= 'Z';
}

/* The crate that instantiated this copy of a generic function is not shown. */
static bool skip_instantiating_crate(struct rust_name *r)
{
        if (!is_upper(demangle_look(&r->d, 0)))
                return true;
        r->is_silent = true;
        return rust_path(r, RUST_TYPE);
}

bool demangle_rust_v0(struct demangle *d, bool is_long, struct buf *out)
{
        struct rust_name r = {.is_long = is_long};

        if (!demangle_eat(d, "_R"))
                return false;
        r.d.in = cursor_make(d->in.at, cursor_left(&d->in));
        r.p = (struct printer){.d = &r.d, .out = out, .start = out->len};
        /* A number here would be the version of an unknown encoding. */
        if (!rust_path(&r, RUST_VALUE) || !skip_instantiating_crate(&r))
                return false;
        cursor_skip(&d->in, cursor_pos(&r.d.in));
        return !r.p.failed && out->len > r.p.start;
}
