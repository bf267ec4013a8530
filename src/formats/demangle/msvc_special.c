/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of data and functions that the compiler makes: tables of virtual functions and bases, type
 * descriptions, guards of static variables, thunks, initialisers. */
#include <string.h>

#include "msvc_internal.h"

typedef struct msvc_node *parse_special(struct msvc_name *m, const char *text);

static struct msvc_node *with_name(struct msvc_name *m, enum msvc_kind kind, struct msvc_node *part)
{
        return msvc_wrap(m, kind, part ? msvc_scopes(m, part) : NULL);
}

/* `6` or `7`, its qualifiers, and the bases for which the table is. */
static struct msvc_node *parse_table(struct msvc_name *m, const char *text)
{
        struct msvc_node *n = with_name(m, MSVC_TABLE, msvc_text(m, MSVC_NAME, text));
        struct msvc_node *tail = NULL;
        bool is_member;

        if (!n || (!demangle_eat(&m->d, "6") && !demangle_eat(&m->d, "7")) ||
            !msvc_quals(m, &n->quals, &is_member))
                return NULL;
        n->b = msvc_node(m, MSVC_LIST);
        while (n->b && !demangle_eat(&m->d, "@")) {
                if (!msvc_append(m, n->b, &tail, msvc_type_name(m)))
                        return NULL;
        }
        return n->b ? n : NULL;
}

static struct msvc_node *parse_vcall(struct msvc_name *m, const char *text)
{
        struct msvc_node *part = msvc_text(m, MSVC_VCALL, text);
        struct msvc_node *n = with_name(m, MSVC_METHOD, part);

        if (!n || !demangle_eat(&m->d, "$B") || !msvc_unsigned(m, &part->num) || !demangle_eat(&m->d, "A"))
                return NULL;
        n->traits = MSVC_THUNK | MSVC_NAME_ONLY;
        n->b = msvc_node(m, MSVC_FUNCTION);
        return n->b && msvc_convention(m, &n->b->text) ? n : NULL;
}

static struct msvc_node *parse_guard(struct msvc_name *m, const char *text)
{
        struct msvc_node *part = msvc_text(m, MSVC_GUARD, text);
        struct msvc_node *n = with_name(m, MSVC_VARIABLE, part);
        char next;

        if (!n || (!demangle_eat(&m->d, "4IA") && !demangle_eat(&m->d, "5")))
                return NULL;
        next = demangle_look(&m->d, 0);
        if (demangle_is_digit(next) || (next >= 'A' && next <= 'P'))
                return msvc_unsigned(m, &part->num) ? n : NULL;
        return n;
}

static struct msvc_node *parse_string(struct msvc_name *m, const char *text)
{
        (void)text;
        return msvc_string(m);
}

static struct msvc_node *parse_type_data(struct msvc_name *m, const char *text)
{
        struct msvc_node *n = msvc_wrap(m, MSVC_TYPE_DATA, msvc_text(m, MSVC_NAME, text));

        if (!n)
                return NULL;
        n->b = msvc_type(m, MSVC_RESULT_QUALS);
        return n->b && demangle_eat(&m->d, "@8") ? n : NULL;
}

static struct msvc_node *parse_class_data(struct msvc_name *m, const char *text)
{
        struct msvc_node *n = with_name(m, MSVC_VARIABLE, msvc_text(m, MSVC_NAME, text));

        return n && demangle_eat(&m->d, "8") ? n : NULL;
}

/* Offset of the base in the class, offset of the table of virtual bases, offset in this table, flags. */
static struct msvc_node *parse_base_data(struct msvc_name *m, const char *text)
{
        static const enum msvc_width widths[] = {MSVC_UNSIGNED, MSVC_S32, MSVC_UNSIGNED, MSVC_UNSIGNED};
        struct msvc_node *part = msvc_text(m, MSVC_RTTI_BASE, text);
        struct msvc_node *tail = NULL, *n;

        if (!part)
                return NULL;
        part->a = msvc_node(m, MSVC_LIST);
        for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
                if (!part->a || !msvc_append(m, part->a, &tail, msvc_offset(m, widths[i])))
                        return NULL;
        }
        n = with_name(m, MSVC_VARIABLE, part);
        demangle_eat(&m->d, "8");
        return n;
}

/* A variable is followed by its type; older compilers omit the `?` before it and an @ after it.  After `?$`
 * there is a variable template, whose type is omitted. */
static struct msvc_node *parse_variable_init(struct msvc_name *m, struct msvc_node *part, bool is_marked)
{
        struct msvc_node *n;

        if (!demangle_eat(&m->d, is_marked ? "@@" : "@"))
                return NULL;
        n = msvc_function_symbol(m);
        if (n)
                n->a = msvc_wrap(m, MSVC_QUALIFIED, msvc_wrap(m, MSVC_CELL, part));
        return n && n->a ? n : NULL;
}

static struct msvc_node *parse_init(struct msvc_name *m, const char *text)
{
        struct msvc_node *part = msvc_text(m, MSVC_DYNAMIC_INIT, text);
        bool is_marked = demangle_look(&m->d, 1) != '$' && demangle_eat(&m->d, "?");
        struct msvc_node *n = part ? msvc_declaration(m) : NULL;

        if (!n)
                return NULL;
        if (n->kind == MSVC_VARIABLE) {
                part->a = n;
                return parse_variable_init(m, part, is_marked);
        }
        if (is_marked)
                return NULL;
        part->b = n->a;
        n->a = msvc_wrap(m, MSVC_QUALIFIED, msvc_wrap(m, MSVC_CELL, part));
        return n->a ? n : NULL;
}

static const struct {
        char code[5];
        const char *text;
        parse_special *parse;
} specials[] = {
        {"?_7", "`vftable'", parse_table},
        {"?_8", "`vbtable'", parse_table},
        {"?_9", "`vcall'", parse_vcall},
        {"?_B", "`local static guard'", parse_guard},
        {"?_C", "", parse_string},
        {"?_R0", "`RTTI Type Descriptor'", parse_type_data},
        {"?_R1", "`RTTI Base Class Descriptor at (", parse_base_data},
        {"?_R2", "`RTTI Base Class Array'", parse_class_data},
        {"?_R3", "`RTTI Class Hierarchy Descriptor'", parse_class_data},
        {"?_R4", "`RTTI Complete Object Locator'", parse_table},
        {"?_S", "`local vftable'", parse_table},
        {"?__E", "`dynamic initializer for ", parse_init},
        {"?__F", "`dynamic atexit destructor for ", parse_init},
        {"?__J", "`local static thread guard'", parse_guard},
};

struct msvc_node *msvc_special(struct msvc_name *m, bool *ret_is_special)
{
        *ret_is_special = demangle_look(&m->d, 0) == '?' && demangle_look(&m->d, 1) == '_';
        for (size_t i = 0; *ret_is_special && i < sizeof(specials) / sizeof(specials[0]); i++) {
                if (demangle_eat(&m->d, specials[i].code))
                        return specials[i].parse(m, specials[i].text);
        }
        *ret_is_special = false;
        return NULL;
}
