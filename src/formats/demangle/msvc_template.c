/* SPDX-License-Identifier: BSD-3-Clause */
/* Template arguments in decorated names: types, numbers, addresses of symbols and members. */
#include "msvc_internal.h"

/* Packs, also empty ones, are not shown. */
static bool skip_pack_mark(struct msvc_name *m)
{
        if (demangle_look(&m->d, 0) != '$')
                return false;
        return demangle_eat(&m->d, "$S") || demangle_eat(&m->d, "$$V") || demangle_eat(&m->d, "$$$V") ||
               demangle_eat(&m->d, "$$Z");
}

static bool parse_offsets(struct msvc_name *m, struct msvc_node *address, unsigned n)
{
        struct msvc_node *tail = NULL;

        address->b = msvc_node(m, MSVC_LIST);
        if (!address->b)
                return false;
        for (; n; n--) {
                if (!msvc_append(m, address->b, &tail, msvc_offset(m, MSVC_S64)))
                        return false;
        }
        return true;
}

/* A digit may refer to the last part of an argument's name, including its template arguments. */
static bool remember_argument(struct msvc_name *m, const struct msvc_node *symbol)
{
        struct msvc_node *part, *alias;

        if (symbol->kind == MSVC_STRING)
                return false;
        /* Symbols other than functions and variables have no name with parts. */
        if (symbol->kind == MSVC_HASHED || !symbol->a || symbol->a->kind != MSVC_QUALIFIED)
                return true;
        part = msvc_last_part(symbol->a);
        alias = part->key ? msvc_wrap(m, MSVC_ALIAS, part) : NULL;
        if (alias) {
                alias->key = part->key;
                alias->key_len = part->key_len;
                msvc_remember(m, alias);
        }
        return true;
}

/* `1`, or `H` to `J` with one to three offsets: further fields of a pointer to a member of such a class. */
static struct msvc_node *parse_address(struct msvc_name *m)
{
        char code = demangle_look(&m->d, 0);
        struct msvc_node *n = msvc_text(m, MSVC_ADDRESS, "&");

        if (!n)
                return NULL;
        cursor_skip(&m->d.in, 1);
        if (demangle_look(&m->d, 0) == '?') {
                n->a = msvc_symbol(m);
                if (!n->a || !remember_argument(m, n->a))
                        return NULL;
        }
        if (code != '1' && !parse_offsets(m, n, (unsigned)(code - 'H') + 1))
                return NULL;
        return n;
}

/* `F`, `G`: a pointer to a data member, as offsets only. */
static struct msvc_node *parse_data_member(struct msvc_name *m)
{
        bool is_general = demangle_look(&m->d, 0) == 'G';
        struct msvc_node *n = msvc_text(m, MSVC_ADDRESS, "");

        cursor_skip(&m->d.in, 1);
        return n && parse_offsets(m, n, is_general ? 3 : 2) ? n : NULL;
}

static struct msvc_node *parse_reference(struct msvc_name *m)
{
        struct msvc_node *n = msvc_text(m, MSVC_ADDRESS, "");

        cursor_skip(&m->d.in, 1);
        if (!n)
                return NULL;
        n->a = msvc_symbol(m);
        return n->a ? n : NULL;
}

static struct msvc_node *parse_value(struct msvc_name *m, bool *ret_is_value);

/* One value in an object; numbers and addresses are preceded by their type. */
static struct msvc_node *parse_member_value(struct msvc_name *m)
{
        bool is_value;

        if (!demangle_is_digit(demangle_look(&m->d, 0)) && !msvc_type(m, MSVC_NO_QUALS))
                return NULL;
        return parse_value(m, &is_value);
}

/* `2` for a class, `3` for an array: its type, then its values up to @. */
static struct msvc_node *parse_object(struct msvc_name *m)
{
        struct msvc_node *n = msvc_node(m, MSVC_BRACED);
        struct msvc_node *tail = NULL;

        cursor_skip(&m->d.in, 1);
        if (!n || !msvc_enter(m))
                return NULL;
        n->a = msvc_type(m, MSVC_NO_QUALS);
        n->b = n->a ? msvc_node(m, MSVC_LIST) : NULL;
        while (n->b && !demangle_eat(&m->d, "@")) {
                if (!msvc_append(m, n->b, &tail, parse_member_value(m)))
                        n->b = NULL;
        }
        msvc_leave(m);
        return n->b ? n : NULL;
}

/* An argument that is not a type, recognised by its letter; *ret_is_value is false for a type. */
static struct msvc_node *parse_value(struct msvc_name *m, bool *ret_is_value)
{
        *ret_is_value = true;
        switch (demangle_look(&m->d, 0)) {
        case '0': cursor_skip(&m->d.in, 1); return msvc_number_node(m);
        case '1':
        case 'H':
        case 'I':
        case 'J': return parse_address(m);
        case '2':
        case '3': return parse_object(m);
        case 'F':
        case 'G': return parse_data_member(m);
        case 'E':
                if (demangle_look(&m->d, 1) == '?')
                        return parse_reference(m);
                break;
        }
        *ret_is_value = false;
        return NULL;
}

/* The type of an `auto` parameter is not shown. */
static struct msvc_node *parse_auto_value(struct msvc_name *m)
{
        bool is_value;

        return msvc_type(m, MSVC_NO_QUALS) ? parse_value(m, &is_value) : NULL;
}

static struct msvc_node *parse_arg(struct msvc_name *m)
{
        struct cursor start = m->d.in;
        struct msvc_node *n;
        bool is_value;

        if (demangle_look(&m->d, 0) != '$')
                return msvc_type(m, MSVC_NO_QUALS);
        if (demangle_eat(&m->d, "$$Y"))
                return msvc_type_name(m);
        if (demangle_eat(&m->d, "$$B"))
                return msvc_type(m, MSVC_NO_QUALS);
        if (demangle_eat(&m->d, "$$C"))
                return msvc_type(m, MSVC_QUALS);
        if (demangle_eat(&m->d, "$M"))
                return parse_auto_value(m);
        cursor_skip(&m->d.in, 1);
        n = parse_value(m, &is_value);
        if (is_value)
                return n;
        m->d.in = start;
        return msvc_type(m, MSVC_NO_QUALS);
}

struct msvc_node *msvc_template_args(struct msvc_name *m)
{
        struct msvc_node *list = msvc_node(m, MSVC_LIST);
        struct msvc_node *tail = NULL;

        while (list && !demangle_eat(&m->d, "@")) {
                if (!skip_pack_mark(m) && !msvc_append(m, list, &tail, parse_arg(m)))
                        return NULL;
        }
        return list;
}
