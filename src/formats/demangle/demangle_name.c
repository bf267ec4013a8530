/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of a mangled name, section 5.1.2 to 5.1.4: nested, unqualified, operators, lambdas. */
#include <string.h>

#include "demangle_internal.h"

static bool is_anonymous(const char *text, size_t len)
{
        return len >= 10 && memcmp(text, "_GLOBAL_", 8) == 0 && strchr("._$", text[8]) && text[9] == 'N';
}

struct node *demangle_source_name(struct demangle *d)
{
        uint32_t len;
        const char *text;

        if (!demangle_number(d, &len) || !len)
                return NULL;
        text = cursor_bytes(&d->in, len);
        if (!text)
                return NULL;
        if (is_anonymous(text, len))
                return node_text(d, NODE_NAME, "(anonymous namespace)", 21);
        return node_text(d, NODE_NAME, text, len);
}

static struct node *add_tags(struct demangle *d, struct node *n)
{
        while (n && demangle_eat(d, "B")) {
                struct node *tag = demangle_source_name(d);
                struct node *tagged = tag ? node_wrap(d, NODE_TAGGED, n) : NULL;

                if (!tagged)
                        return NULL;
                tagged->text = tag->text;
                tagged->len = tag->len;
                n = tagged;
        }
        return n;
}

static struct node *parse_conversion(struct demangle *d)
{
        bool in_convert = d->in_convert;
        struct node *n;

        d->in_convert = true;
        n = node_wrap(d, NODE_CONVERSION, demangle_type(d));
        d->in_convert = in_convert;
        return n;
}

static struct node *parse_vendor_operator(struct demangle *d)
{
        cursor_skip(&d->in, 2);
        return node_wrap(d, NODE_VENDOR_OPERATOR, demangle_source_name(d));
}

struct node *demangle_operator_name(struct demangle *d, struct name_facts *facts)
{
        const struct demangle_op *op;
        struct node *n;

        if (demangle_eat(d, "cv")) {
                if (facts)
                        facts->no_return = true;
                return parse_conversion(d);
        }
        if (demangle_eat(d, "li"))
                return node_wrap(d, NODE_LITERAL_OPERATOR, demangle_source_name(d));
        if (demangle_look(d, 0) == 'v' && demangle_is_digit(demangle_look(d, 1)))
                return parse_vendor_operator(d);
        op = demangle_op_find(demangle_look(d, 0), demangle_look(d, 1));
        n = op && op->is_name ? node_new(d, NODE_OPERATOR) : NULL;
        if (!n)
                return NULL;
        n->op = op;
        cursor_skip(&d->in, 2);
        return n;
}

/* `Ut_`, `Ul..E_`: the first one has no number, the second has 0. */
static bool parse_ordinal(struct demangle *d, struct node *n)
{
        uint32_t index;

        if (!n || !demangle_index(d, 10, &index))
                return false;
        n->num = index + 1;
        return true;
}

/* ret_decls stays NULL if the lambda declares no template parameters. */
static bool parse_lambda_decls(struct demangle *d, struct node **ret_decls)
{
        struct node *tail = NULL;

        while (demangle_at_template_decl(d)) {
                if (!*ret_decls)
                        *ret_decls = node_new(d, NODE_SEQUENCE);
                if (!*ret_decls || !node_append(d, *ret_decls, &tail, demangle_template_decl(d)))
                        return false;
        }
        return !demangle_eat(d, "Q") || demangle_expr(d);
}

static struct node *parse_lambda(struct demangle *d)
{
        struct node *decls = NULL;
        struct node *n;

        if (!parse_lambda_decls(d, &decls))
                return NULL;
        demangle_eat(d, "v");
        n = node_wrap(d, NODE_LAMBDA, demangle_list(d, demangle_type, "E"));
        if (n)
                n->b = decls;
        return parse_ordinal(d, n) ? n : NULL;
}

static struct node *parse_unnamed(struct demangle *d)
{
        struct node *n = node_new(d, NODE_UNNAMED);

        return parse_ordinal(d, n) ? n : NULL;
}

/* The name of a constructor: the last plain name of its class. */
static struct node *class_name(struct demangle *d, struct node *n)
{
        while (n && demangle_spend(d)) {
                switch (n->kind) {
                case NODE_QUALIFIED:
                case NODE_LOCAL:
                        n = n->b->kind == NODE_LAMBDA || n->b->kind == NODE_UNNAMED ? n->a : n->b;
                        break;
                case NODE_ENCODING:
                case NODE_TEMPLATE:
                case NODE_TAGGED: n = n->a; break;
                case NODE_NAME: return n->b ? n->b : n;
                default: return n;
                }
        }
        return NULL;
}

static struct node *parse_ctor(struct demangle *d, struct node *scope)
{
        bool is_ctor = demangle_look(d, 0) == 'C';
        bool inherits;

        cursor_skip(&d->in, 1);
        inherits = is_ctor && demangle_eat(d, "I");
        if (!demangle_is_digit(demangle_look(d, 0)))
                return NULL;
        cursor_skip(&d->in, 1);
        if (inherits && !demangle_type(d))
                return NULL;
        return node_wrap(d, is_ctor ? NODE_CTOR : NODE_DTOR, class_name(d, scope));
}

static bool at_ctor(const struct demangle *d)
{
        char next = demangle_look(d, 1);

        if (demangle_look(d, 0) == 'C')
                return demangle_is_digit(next) || next == 'I';
        return demangle_look(d, 0) == 'D' && demangle_is_digit(next);
}

static struct node *parse_unqualified(struct demangle *d, struct node *scope, struct name_facts *facts)
{
        char c;

        demangle_eat(d, "F");
        demangle_eat(d, "L");
        c = demangle_look(d, 0);
        if (demangle_is_digit(c))
                return demangle_source_name(d);
        if (at_ctor(d)) {
                if (facts)
                        facts->no_return = true;
                return scope ? parse_ctor(d, scope) : NULL;
        }
        if (demangle_eat(d, "DC"))
                return node_wrap(d, NODE_BINDING, demangle_list(d, demangle_source_name, "E"));
        if (demangle_eat(d, "Ul"))
                return parse_lambda(d);
        if (demangle_eat(d, "Ut"))
                return parse_unnamed(d);
        return c >= 'a' && c <= 'z' ? demangle_operator_name(d, facts) : NULL;
}

struct node *demangle_unqualified(struct demangle *d, struct node *scope, struct name_facts *facts)
{
        if (facts)
                facts->no_return = false;
        return add_tags(d, parse_unqualified(d, scope, facts));
}

static struct node *std_scope(struct demangle *d)
{
        return node_text(d, NODE_NAME, "std", 3);
}

/* Parts of a prefix that begin with something other than a name: T_, S_, St, a decltype. *ret_known: it is
 * a candidate already. */
static struct node *parse_prefix_start(struct demangle *d, bool *ret_known)
{
        char c = demangle_look(d, 0), next = demangle_look(d, 1);

        *ret_known = true;
        if (demangle_eat(d, "St"))
                return std_scope(d);
        if (c == 'S')
                return add_tags(d, demangle_substitution(d));
        if (c == 'D' && (next == 't' || next == 'T'))
                return demangle_type(d);
        *ret_known = false;
        return c == 'T' ? demangle_template_param(d) : demangle_unqualified(d, NULL, NULL);
}

static struct node *parse_prefix_next(struct demangle *d, struct node *scope, struct name_facts *facts)
{
        if (demangle_look(d, 0) == 'I') {
                if (facts)
                        facts->has_args = true;
                return node_join(d, NODE_TEMPLATE, scope, demangle_template_args(d, facts));
        }
        if (facts)
                facts->has_args = false;
        return node_join(d, NODE_QUALIFIED, scope, demangle_unqualified(d, scope, facts));
}

/* Every prefix is a candidate; the whole name only if it is a type, which the caller decides. */
static struct node *parse_prefixes(struct demangle *d, struct name_facts *facts)
{
        bool known;
        struct node *n = parse_prefix_start(d, &known);
        bool is_prefix = false;

        while (n && !demangle_eat(d, "E")) {
                demangle_eat(d, "M"); /* data member whose initialiser contains the lambda */
                if (is_prefix || !known)
                        demangle_remember(d, n);
                is_prefix = true;
                n = parse_prefix_next(d, n, facts);
        }
        return n;
}

static struct node *parse_nested(struct demangle *d, struct name_facts *facts)
{
        uint32_t cv;

        demangle_eat(d, "H"); /* explicit object parameter */
        cv = demangle_cv(d);
        if (demangle_eat(d, "R"))
                cv |= CV_LVALUE_THIS;
        else if (demangle_eat(d, "O"))
                cv |= CV_RVALUE_THIS;
        if (facts)
                facts->cv = cv;
        return parse_prefixes(d, facts);
}

static struct node *parse_unscoped(struct demangle *d, struct name_facts *facts)
{
        bool in_std = demangle_eat(d, "St");
        struct node *n = demangle_unqualified(d, NULL, facts);

        return in_std ? node_join(d, NODE_QUALIFIED, n ? std_scope(d) : NULL, n) : n;
}

struct node *demangle_name(struct demangle *d, struct name_facts *facts)
{
        char c = demangle_look(d, 0);
        struct node *n;

        if (demangle_eat(d, "N"))
                return parse_nested(d, facts);
        if (c == 'Z')
                return demangle_local_name(d, facts);
        if (c == 'S' && demangle_look(d, 1) != 't') {
                n = add_tags(d, demangle_substitution(d));
                if (demangle_look(d, 0) != 'I')
                        return NULL;
        } else {
                n = parse_unscoped(d, facts);
                if (demangle_look(d, 0) != 'I')
                        return n;
                demangle_remember(d, n);
        }
        if (facts)
                facts->has_args = true;
        return n ? node_join(d, NODE_TEMPLATE, n, demangle_template_args(d, facts)) : NULL;
}
