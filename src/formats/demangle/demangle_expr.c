/* SPDX-License-Identifier: BSD-3-Clause */
/* The expressions of a mangled name, section 5.1.6. */
#include <string.h>

#include "demangle_internal.h"

typedef struct node *op_parse(struct demangle *d, const struct demangle_op *op);

static struct node *expr_node(struct demangle *d, const struct demangle_op *op, struct node *a)
{
        struct node *n = node_wrap(d, NODE_EXPR, a);

        if (n)
                n->op = op;
        return n;
}

static struct node *expr_pair(struct demangle *d, const struct demangle_op *op, struct node *a,
                              struct node *b)
{
        struct node *n = b ? expr_node(d, op, a) : NULL;

        if (n)
                node_set_b(n, b);
        return n;
}

static struct node *parse_unary(struct demangle *d, const struct demangle_op *op)
{
        return expr_node(d, op, demangle_expr(d));
}

/* x++ is pp X, ++x is pp_ X. */
static struct node *parse_postfix(struct demangle *d, const struct demangle_op *op)
{
        bool prefix = demangle_eat(d, "_");
        struct node *n = expr_node(d, op, demangle_expr(d));

        if (n)
                n->num = prefix;
        return n;
}

static struct node *parse_binary(struct demangle *d, const struct demangle_op *op)
{
        struct node *left = demangle_expr(d);

        return left ? expr_pair(d, op, left, demangle_expr(d)) : NULL;
}

static struct node *parse_ternary(struct demangle *d, const struct demangle_op *op)
{
        struct node *n = parse_binary(d, op);
        struct node *otherwise = n ? demangle_expr(d) : NULL;

        if (!otherwise)
                return NULL;
        node_set_c(n, otherwise);
        return n;
}

static struct node *parse_call(struct demangle *d, const struct demangle_op *op)
{
        struct node *function = demangle_expr(d);

        return function ? expr_pair(d, op, function, demangle_list(d, demangle_expr, "E")) : NULL;
}

static struct node *parse_cast(struct demangle *d, const struct demangle_op *op)
{
        struct node *type = demangle_type(d);

        return type ? expr_pair(d, op, type, demangle_expr(d)) : NULL;
}

/* cv TYPE EXPR, or cv TYPE _ EXPR* E. */
static struct node *parse_conversion(struct demangle *d, const struct demangle_op *op)
{
        bool in_convert = d->in_convert;
        struct node *type;

        d->in_convert = false;
        type = demangle_type(d);
        d->in_convert = in_convert;
        if (!type)
                return NULL;
        if (demangle_eat(d, "_"))
                return expr_pair(d, op, type, demangle_list(d, demangle_expr, "E"));
        return expr_pair(d, op, type, demangle_expr(d));
}

static struct node *parse_of_type(struct demangle *d, const struct demangle_op *op)
{
        return expr_node(d, op, demangle_type(d));
}

/* nw EXPR* _ TYPE E, nw EXPR* _ TYPE pi EXPR* E, nw EXPR* _ TYPE il EXPR* E. */
static struct node *parse_new(struct demangle *d, const struct demangle_op *op)
{
        struct node *placement = demangle_list(d, demangle_expr, "_");
        struct node *n = placement ? expr_pair(d, op, placement, demangle_type(d)) : NULL;

        if (!n || demangle_eat(d, "E"))
                return n;
        if (demangle_eat(d, "pi"))
                node_set_c(n, demangle_list(d, demangle_expr, "E"));
        else if (demangle_look(d, 0) == 'i')
                node_set_c(n, demangle_expr(d));
        return n->c ? n : NULL;
}

static struct node *parse_braced(struct demangle *d, const struct demangle_op *op)
{
        return expr_node(d, op, demangle_list(d, demangle_expr, "E"));
}

static struct node *parse_typed_braced(struct demangle *d, const struct demangle_op *op)
{
        struct node *type = demangle_type(d);

        return type ? expr_pair(d, op, type, demangle_list(d, demangle_expr, "E")) : NULL;
}

static struct node *with_args(struct demangle *d, struct node *n)
{
        if (!n || demangle_look(d, 0) != 'I')
                return n;
        return node_join(d, NODE_TEMPLATE, n, demangle_template_args(d, false));
}

static struct node *parse_member_name(struct demangle *d)
{
        demangle_eat(d, "on");
        return with_args(d, demangle_unqualified(d, NULL, NULL));
}

/* srN TYPE LEVEL+ E NAME, in addition to the older sr TYPE NAME whose type may be a nested name. */
static struct node *parse_levels(struct demangle *d)
{
        struct node *n = demangle_type(d);

        while (n && !demangle_eat(d, "E"))
                n = node_join(d, NODE_QUALIFIED, n, with_args(d, demangle_source_name(d)));
        return n;
}

static bool at_levels(const struct demangle *d)
{
        char c = demangle_look(d, 1);

        return demangle_look(d, 0) == 'N' &&
               (c == 'T' || (c == 'S' && demangle_look(d, 2) != 't') || c == 'D');
}

/* If both parses are possible, the one after which a name follows is used. */
static struct node *parse_scope_type(struct demangle *d)
{
        if (!at_levels(d))
                return demangle_type(d);
        cursor_skip(&d->in, 1);
        return parse_levels(d);
}

/* NAME [ARGS] inside `scope`; the arguments belong to the qualified name. */
static struct node *parse_base_name(struct demangle *d, struct node *scope)
{
        if (demangle_eat(d, "dn"))
                return node_join(d, NODE_QUALIFIED, scope, node_wrap(d, NODE_DTOR, demangle_type(d)));
        demangle_eat(d, "on");
        return with_args(d, node_join(d, NODE_QUALIFIED, scope, demangle_unqualified(d, NULL, NULL)));
}

static bool at_base_name(const struct demangle *d, size_t ahead)
{
        char c = demangle_look(d, ahead), next = demangle_look(d, ahead + 1);

        return demangle_is_digit(c) || ((c == 'o' || c == 'd') && next == 'n');
}

/* sr LEVEL+ E NAME; older compilers omit the E, so that the last level is the name. */
static struct node *parse_plain_scope(struct demangle *d)
{
        struct node *n = with_args(d, demangle_source_name(d));

        while (n && demangle_is_digit(demangle_look(d, 0)))
                n = node_join(d, NODE_QUALIFIED, n, with_args(d, demangle_source_name(d)));
        if (!n || demangle_look(d, 0) != 'E' || !at_base_name(d, 1))
                return n;
        cursor_skip(&d->in, 1);
        return parse_base_name(d, n);
}

static struct node *parse_scope(struct demangle *d, const struct demangle_op *op)
{
        struct node *type;

        if (demangle_is_digit(demangle_look(d, 0)))
                return parse_plain_scope(d);
        type = parse_scope_type(d);
        return type ? parse_base_name(d, type) : NULL;
}

static struct node *parse_operator(struct demangle *d, const struct demangle_op *op)
{
        return with_args(d, demangle_operator_name(d, NULL));
}

static struct node *parse_destructor(struct demangle *d, const struct demangle_op *op)
{
        if (demangle_is_digit(demangle_look(d, 0)))
                return node_wrap(d, NODE_DTOR, with_args(d, demangle_source_name(d)));
        return node_wrap(d, NODE_DTOR, demangle_type(d));
}

static struct node *parse_member_or_expr(struct demangle *d)
{
        char c = demangle_look(d, 0);

        return demangle_is_digit(c) ? parse_member_name(d) : demangle_expr(d);
}

static struct node *parse_member(struct demangle *d, const struct demangle_op *op)
{
        struct node *object = demangle_expr(d);

        return object ? expr_pair(d, op, object, parse_member_or_expr(d)) : NULL;
}

static struct node *parse_expansion(struct demangle *d, const struct demangle_op *op)
{
        return node_wrap(d, NODE_EXPANSION, demangle_expr(d));
}

static struct node *parse_sizeof_args(struct demangle *d, const struct demangle_op *op)
{
        return expr_node(d, op, demangle_list(d, demangle_template_arg, "E"));
}

static struct node *parse_field(struct demangle *d, const struct demangle_op *op)
{
        struct node *name = demangle_source_name(d);

        return name ? expr_pair(d, op, name, demangle_expr(d)) : NULL;
}

/* fl and fr fold the following expression; fL and fR have a first or last element in addition to the pack. */
static struct node *parse_fold(struct demangle *d, const struct demangle_op *op)
{
        struct node *inner = demangle_operator_name(d, NULL);
        struct node *n = NULL;

        if (!inner || inner->kind != NODE_OPERATOR)
                return NULL;
        n = op->form == OP_FOLD ? parse_unary(d, op) : parse_binary(d, op);
        if (n)
                n->c = inner;
        return n;
}

static struct node *parse_nullary(struct demangle *d, const struct demangle_op *op)
{
        struct node *n = node_new(d, NODE_EXPR);

        if (n)
                n->op = op;
        return n;
}

static op_parse *const op_parsers[OP_FORMS] = {
        [OP_UNARY] = parse_unary,
        [OP_POSTFIX] = parse_postfix,
        [OP_BINARY] = parse_binary,
        [OP_MEMBER] = parse_member,
        [OP_CALL] = parse_call,
        [OP_INDEX] = parse_binary,
        [OP_TERNARY] = parse_ternary,
        [OP_CAST] = parse_cast,
        [OP_OF_TYPE] = parse_of_type,
        [OP_OF_EXPR] = parse_unary,
        [OP_NEW] = parse_new,
        [OP_CONVERSION] = parse_conversion,
        [OP_BRACED] = parse_braced,
        [OP_TYPED_BRACED] = parse_typed_braced,
        [OP_SCOPE] = parse_scope,
        [OP_OPERATOR] = parse_operator,
        [OP_DESTRUCTOR] = parse_destructor,
        [OP_EXPANSION] = parse_expansion,
        [OP_SIZEOF_PACK] = parse_unary,
        [OP_SIZEOF_ARGS] = parse_sizeof_args,
        [OP_FIELD] = parse_field,
        [OP_ELEMENT] = parse_binary,
        [OP_RANGE] = parse_ternary,
        [OP_FOLD] = parse_fold,
        [OP_FOLD_INIT] = parse_fold,
        [OP_NULLARY] = parse_nullary,
};

/* fpT, fp [CV] [N] _, fL LEVEL p [CV] [N] _. */
static struct node *parse_fn_param(struct demangle *d)
{
        struct node *n = node_new(d, NODE_FN_PARAM);
        uint32_t level, index;

        if (!n || demangle_eat(d, "fpT"))
                return n;
        cursor_skip(&d->in, 1);
        if (demangle_eat(d, "L") && !demangle_number(d, &level))
                return NULL;
        if (!demangle_eat(d, "p"))
                return NULL;
        demangle_cv(d);
        if (!demangle_index(d, 10, &index))
                return NULL;
        n->num = index + 1;
        return n;
}

static struct node *parse_vendor_expr(struct demangle *d)
{
        struct node *name;

        cursor_skip(&d->in, 1);
        name = demangle_source_name(d);
        return name ? node_join(d, NODE_CALLED, name, demangle_list(d, demangle_template_arg, "E")) : NULL;
}

static struct node *parse_expr(struct demangle *d)
{
        char c = demangle_look(d, 0), next = demangle_look(d, 1);
        const struct demangle_op *op;

        if (c == 'L')
                return demangle_literal(d);
        if (c == 'T')
                return demangle_template_param(d);
        if (c == 'f' && (next == 'p' || (next == 'L' && demangle_is_digit(demangle_look(d, 2)))))
                return parse_fn_param(d);
        if (demangle_is_digit(c))
                return parse_member_name(d);
        if (c == 'u')
                return parse_vendor_expr(d);
        if (demangle_eat(d, "gs"))
                return node_wrap(d, NODE_GLOBAL, demangle_expr(d));
        op = demangle_op_find(c, next);
        if (!op || !cursor_skip(&d->in, 2))
                return NULL;
        return op_parsers[op->form](d, op);
}

struct node *demangle_expr(struct demangle *d)
{
        return demangle_deeper(d, parse_expr);
}

static struct node *parse_value(struct demangle *d)
{
        struct node *type = demangle_type(d);
        struct node *n = node_wrap(d, NODE_LITERAL, type);
        const uint8_t *start;

        if (!n)
                return NULL;
        n->num = demangle_eat(d, "n");
        start = d->in.at;
        while (demangle_look(d, 0) && demangle_look(d, 0) != 'E')
                cursor_skip(&d->in, 1);
        n->text = (const char *)start;
        n->len = (size_t)(d->in.at - start);
        return demangle_eat(d, "E") ? n : NULL;
}

struct node *demangle_literal(struct demangle *d)
{
        struct node *n;

        if (!demangle_eat(d, "L"))
                return NULL;
        /* Old compilers omit the underscore. */
        if (!demangle_eat(d, "_Z") && !demangle_eat(d, "Z"))
                return parse_value(d);
        n = demangle_encoding(d);
        return n && demangle_eat(d, "E") ? n : NULL;
}
