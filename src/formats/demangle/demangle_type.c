/* SPDX-License-Identifier: BSD-3-Clause */
/* The types of a mangled name, section 5.1.5. */
#include <string.h>

#include "demangle_internal.h"

uint32_t demangle_cv(struct demangle *d)
{
        uint32_t cv = 0;

        if (demangle_eat(d, "r"))
                cv |= CV_RESTRICT;
        if (demangle_eat(d, "V"))
                cv |= CV_VOLATILE;
        if (demangle_eat(d, "K"))
                cv |= CV_CONST;
        return cv;
}

static bool at_function(const struct demangle *d)
{
        char next = demangle_look(d, 1);

        return demangle_look(d, 0) == 'F' ||
               (demangle_look(d, 0) == 'D' && (next == 'o' || next == 'O' || next == 'w' || next == 'x'));
}

/* ret_spec stays NULL if there is none. */
static bool parse_exceptions(struct demangle *d, struct node **ret_spec)
{
        *ret_spec = NULL;
        if (demangle_eat(d, "Do"))
                *ret_spec = node_new(d, NODE_NOEXCEPT);
        else if (demangle_eat(d, "DO"))
                *ret_spec = node_wrap(d, NODE_NOEXCEPT, demangle_expr(d));
        else if (demangle_eat(d, "Dw"))
                *ret_spec = node_wrap(d, NODE_THROW, demangle_list(d, demangle_type, "E"));
        else
                return true;
        return *ret_spec && (!(*ret_spec)->a || (*ret_spec)->kind == NODE_THROW || demangle_eat(d, "E"));
}

static struct node *parse_params(struct demangle *d, uint32_t *cv)
{
        struct node *params = node_new(d, NODE_SEQUENCE);
        struct node *tail = NULL;

        while (params && !demangle_eat(d, "E")) {
                if (demangle_eat(d, "RE")) {
                        *cv |= CV_LVALUE_THIS;
                        break;
                }
                if (demangle_eat(d, "OE")) {
                        *cv |= CV_RVALUE_THIS;
                        break;
                }
                if (!node_append(d, params, &tail, demangle_type(d)))
                        return NULL;
        }
        return params;
}

static struct node *parse_function(struct demangle *d, uint32_t cv)
{
        struct node *spec, *result, *params, *n;

        if (!parse_exceptions(d, &spec))
                return NULL;
        if (demangle_eat(d, "Dx"))
                cv |= CV_TRANSACTION_SAFE;
        if (!demangle_eat(d, "F"))
                return NULL;
        demangle_eat(d, "Y");
        result = demangle_type(d);
        params = result ? parse_params(d, &cv) : NULL;
        n = node_join(d, NODE_FUNCTION, result, params);
        if (!n)
                return NULL;
        node_set_c(n, spec);
        n->num = cv;
        return n;
}

static struct node *parse_cv_type(struct demangle *d)
{
        uint32_t cv = demangle_cv(d);
        struct node *n;

        if (at_function(d))
                return parse_function(d, cv);
        n = node_wrap(d, NODE_CV, demangle_type(d));
        if (n)
                n->num = cv;
        return n;
}

static struct node *parse_vendor_cv(struct demangle *d)
{
        struct node *name;

        cursor_skip(&d->in, 1);
        name = demangle_source_name(d);
        if (name && demangle_look(d, 0) == 'I')
                name = node_join(d, NODE_TEMPLATE, name, demangle_template_args(d, false));
        return name ? node_join(d, NODE_VENDOR_CV, demangle_type(d), name) : NULL;
}

static struct node *parse_digits_name(struct demangle *d)
{
        const char *text = (const char *)d->in.at;
        uint32_t number;

        if (!demangle_number(d, &number))
                return NULL;
        return node_text(d, NODE_NAME, text, (size_t)((const char *)d->in.at - text));
}

/* The number of elements before the `_` of an array or vector: a number or an expression. */
static struct node *parse_dimension(struct demangle *d)
{
        struct node *n = demangle_is_digit(demangle_look(d, 0)) ? parse_digits_name(d) : demangle_expr(d);

        return n && demangle_eat(d, "_") ? n : NULL;
}

static struct node *parse_array(struct demangle *d)
{
        struct node *dimension = NULL;
        struct node *n;

        cursor_skip(&d->in, 1);
        if (!demangle_eat(d, "_") && !(dimension = parse_dimension(d)))
                return NULL;
        n = node_wrap(d, NODE_ARRAY, demangle_type(d));
        if (n)
                node_set_b(n, dimension);
        return n;
}

static struct node *parse_member_ptr(struct demangle *d)
{
        struct node *class_type;

        cursor_skip(&d->in, 1);
        class_type = demangle_type(d);
        return class_type ? node_join(d, NODE_MEMBER_PTR, class_type, demangle_type(d)) : NULL;
}

static struct node *parse_vector(struct demangle *d)
{
        struct node *dimension;

        /* Dv_ EXPR _ has an expression, Dv N _ a number. */
        demangle_eat(d, "_");
        dimension = parse_dimension(d);
        return dimension ? node_join(d, NODE_VECTOR, demangle_type(d), dimension) : NULL;
}

/* DF16_ is _Float16, DF32x is _Float32x, DF16b is bfloat16. */
static struct node *parse_float(struct demangle *d)
{
        static const char *const names[] = {"_Float16",  "_Float32",  "_Float64",  "_Float128",
                                            "_Float32x", "_Float64x", "_Float128x"};
        const char *text = (const char *)d->in.at;
        size_t len;
        uint32_t bits;

        if (!demangle_number(d, &bits))
                return NULL;
        if (demangle_eat(d, "b"))
                return node_text(d, NODE_NAME, "std::bfloat16_t", 15);
        if (!demangle_eat(d, "x") && !demangle_eat(d, "_"))
                return NULL;
        len = (size_t)((const char *)d->in.at - text);
        len -= text[len - 1] == '_';
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                if (strlen(names[i]) == len + 6 && memcmp(names[i] + 6, text, len) == 0)
                        return node_text(d, NODE_NAME, names[i], len + 6);
        }
        return NULL;
}

static struct node *parse_bit_int(struct demangle *d, const char *text)
{
        struct node *n = node_wrap(d, NODE_BIT_INT, parse_dimension(d));

        if (n) {
                n->text = text;
                n->len = strlen(text);
        }
        return n;
}

static struct node *parse_decltype(struct demangle *d)
{
        struct node *n = node_wrap(d, NODE_DECLTYPE, demangle_expr(d));

        return n && demangle_eat(d, "E") ? n : NULL;
}

/* Types of two letters that are not in the table of builtins. */
static struct node *parse_d_type(struct demangle *d)
{
        if (at_function(d))
                return demangle_remember(d, parse_function(d, 0));
        if (demangle_eat(d, "DF"))
                return parse_float(d);
        if (demangle_eat(d, "DB"))
                return parse_bit_int(d, "signed ");
        if (demangle_eat(d, "DU"))
                return parse_bit_int(d, "unsigned ");
        if (demangle_eat(d, "Dp"))
                return demangle_remember(d, node_wrap(d, NODE_EXPANSION, demangle_type(d)));
        if (demangle_eat(d, "Dv"))
                return demangle_remember(d, parse_vector(d));
        if (demangle_eat(d, "Dt") || demangle_eat(d, "DT"))
                return demangle_remember(d, parse_decltype(d));
        return NULL;
}

static struct node *parse_elaborated(struct demangle *d)
{
        const char *text = demangle_look(d, 1) == 's'   ? "struct "
                           : demangle_look(d, 1) == 'u' ? "union "
                                                        : "enum ";
        struct node *n;

        cursor_skip(&d->in, 2);
        n = node_wrap(d, NODE_ELABORATED, demangle_name(d, NULL));
        if (n) {
                n->text = text;
                n->len = strlen(text);
        }
        return n;
}

static struct node *parse_t_type(struct demangle *d)
{
        char next = demangle_look(d, 1);

        if (next == 's' || next == 'u' || next == 'e')
                return demangle_remember(d, parse_elaborated(d));
        return demangle_maybe_args(d, demangle_remember(d, demangle_template_param(d)));
}

struct node *demangle_maybe_args(struct demangle *d, struct node *name)
{
        if (!name || d->in_convert || demangle_look(d, 0) != 'I')
                return name;
        return demangle_remember(d, node_join(d, NODE_TEMPLATE, name, demangle_template_args(d, false)));
}

static struct node *parse_around(struct demangle *d, enum node_kind kind)
{
        cursor_skip(&d->in, 1);
        return node_wrap(d, kind, demangle_type(d));
}

static struct node *parse_suffixed(struct demangle *d, const char *suffix)
{
        struct node *n = parse_around(d, NODE_SUFFIXED);

        if (n) {
                n->text = suffix;
                n->len = strlen(suffix);
        }
        return n;
}

static struct node *parse_vendor_type(struct demangle *d)
{
        struct node *n;

        cursor_skip(&d->in, 1);
        n = demangle_source_name(d);
        if (n && demangle_look(d, 0) == 'I')
                n = node_join(d, NODE_TEMPLATE, n, demangle_template_args(d, false));
        return n;
}

static struct node *parse_builtin(struct demangle *d)
{
        const struct demangle_builtin *builtin =
                demangle_builtin_find(demangle_look(d, 0), demangle_look(d, 1));
        struct node *n = builtin ? node_new(d, NODE_BUILTIN) : NULL;

        if (!n)
                return NULL;
        n->builtin = builtin;
        cursor_skip(&d->in, strlen(builtin->code));
        return n;
}

/* Types that are a substitution candidate as a whole. */
static struct node *parse_compound(struct demangle *d)
{
        switch (demangle_look(d, 0)) {
        case 'r':
        case 'V':
        case 'K': return parse_cv_type(d);
        case 'U': return parse_vendor_cv(d);
        case 'P': return parse_around(d, NODE_POINTER);
        case 'R': return parse_around(d, NODE_LVALUE_REF);
        case 'O': return parse_around(d, NODE_RVALUE_REF);
        case 'C': return parse_suffixed(d, " _Complex");
        case 'G': return parse_suffixed(d, " _Imaginary");
        case 'F': return parse_function(d, 0);
        case 'A': return parse_array(d);
        case 'M': return parse_member_ptr(d);
        case 'u': return parse_vendor_type(d);
        default: return demangle_name(d, NULL);
        }
}

static struct node *parse_type(struct demangle *d)
{
        struct node *n = parse_builtin(d);

        if (n)
                return n;
        switch (demangle_look(d, 0)) {
        case 'D': return parse_d_type(d);
        case 'T': return parse_t_type(d);
        case 'S':
                if (demangle_look(d, 1) != 't')
                        return demangle_maybe_args(d, demangle_substitution(d));
                break;
        }
        return demangle_remember(d, parse_compound(d));
}

struct node *demangle_type(struct demangle *d)
{
        return demangle_deeper(d, parse_type);
}
