/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints expressions and literals, with the same parentheses as binutils. */
#include <string.h>

#include "demangle_internal.h"

typedef void op_print(struct printer *p, const struct node *n);

static bool is_simple(struct printer *p, const struct node *n)
{
        const struct scope *scope = p->scope;
        const struct node *meant = print_resolve(p, n);

        p->scope = scope;
        if (!meant)
                return true;
        if (meant->kind == NODE_ENCODING && !meant->b)
                meant = meant->a;
        if (meant->kind == NODE_EXPR)
                return meant->op->form == OP_BRACED || meant->op->form == OP_TYPED_BRACED;
        return meant->kind == NODE_NAME || meant->kind == NODE_QUALIFIED || meant->kind == NODE_FN_PARAM;
}

static void print_operand(struct printer *p, const struct node *n)
{
        bool simple = is_simple(p, n);

        print_text(p, simple ? "" : "(");
        print_node(p, n);
        print_text(p, simple ? "" : ")");
}

static void print_list(struct printer *p, const char *before, const struct node *n, const char *after)
{
        print_text(p, before);
        print_node(p, n);
        print_text(p, after);
}

/* &A::f refers to a member: its parameters are left out. */
static const struct node *member_name(const struct node *n)
{
        if (n->op->code[1] != 'd' || n->a->kind != NODE_ENCODING)
                return n->a;
        return n->a->a->kind == NODE_QUALIFIED && n->a->b && !n->a->b->num ? n->a->a : n->a;
}

static void print_unary(struct printer *p, const struct node *n)
{
        print_text(p, n->op->text);
        print_operand(p, strcmp(n->op->text, "&") == 0 ? member_name(n) : n->a);
}

static void print_postfix(struct printer *p, const struct node *n)
{
        print_text(p, n->num ? n->op->text : "");
        print_operand(p, n->a);
        print_text(p, n->num ? "" : n->op->text);
}

static void print_binary(struct printer *p, const struct node *n)
{
        bool is_greater = strcmp(n->op->text, ">") == 0;

        print_text(p, is_greater ? "(" : "");
        print_operand(p, n->a);
        print_text(p, n->op->text);
        print_operand(p, n->b);
        print_text(p, is_greater ? ")" : "");
}

/* If a function is called by its full name, only the name is printed. */
static void print_call(struct printer *p, const struct node *n)
{
        print_operand(p, n->a->kind == NODE_ENCODING ? n->a->a : n->a);
        print_list(p, "(", n->b, ")");
}

static void print_index(struct printer *p, const struct node *n)
{
        print_operand(p, n->a);
        print_list(p, "[", n->b, "]");
}

static void print_ternary(struct printer *p, const struct node *n)
{
        print_operand(p, n->a);
        print_text(p, "?");
        print_operand(p, n->b);
        print_text(p, " : ");
        print_operand(p, n->c);
}

static void print_cast(struct printer *p, const struct node *n)
{
        print_text(p, n->op->text);
        print_list(p, "<", n->a, print_last(p) == '>' ? " >" : ">");
        print_list(p, "(", n->b, ")");
}

static void print_of(struct printer *p, const struct node *n)
{
        print_text(p, n->op->text);
        print_list(p, " (", n->a, ")");
}

static void print_new(struct printer *p, const struct node *n)
{
        print_text(p, "new ");
        if (n->a->a)
                print_list(p, "(", n->a, ") ");
        print_node(p, n->b);
        if (n->c && n->c->kind == NODE_SEQUENCE)
                print_list(p, "(", n->c, ")");
        else if (n->c)
                print_node(p, n->c);
}

static void print_conversion(struct printer *p, const struct node *n)
{
        print_list(p, "(", n->a, ")");
        print_operand(p, n->b);
}

static void print_braced(struct printer *p, const struct node *n)
{
        print_list(p, "{", n->a, "}");
}

static void print_typed_braced(struct printer *p, const struct node *n)
{
        print_node(p, n->a);
        print_list(p, "{", n->b, "}");
}

/* The number of arguments after expansion of `n`; false if a pack in it is not known. */
static bool count_args(struct printer *p, const struct node *n, uint32_t *count)
{
        const struct node *pack = NULL;

        if (n->kind != NODE_PARAM && n->kind != NODE_EXPANSION) {
                ++*count;
                return true;
        }
        pack = print_find_pack(p, n->kind == NODE_PARAM ? n : n->a);
        if (!pack)
                return false;
        for (const struct node *cell = pack->a->a; cell && demangle_spend(p->d); cell = cell->b)
                ++*count;
        return true;
}

static void print_sizeof_pack(struct printer *p, const struct node *n)
{
        uint32_t count = 0;
        bool known = true;
        const struct node *cell = n->a->kind == NODE_SEQUENCE ? n->a->a : NULL;

        if (n->a->kind != NODE_SEQUENCE)
                known = n->a->kind == NODE_PARAM && count_args(p, n->a, &count);
        for (; cell && known && demangle_spend(p->d); cell = cell->b)
                known = count_args(p, cell->a, &count);
        if (known)
                print_number(p, count);
        else
                print_list(p, "sizeof...(", n->a, ")");
}

static void print_initialised(struct printer *p, const struct node *value)
{
        bool nested = value->kind == NODE_EXPR && value->op->form >= OP_FIELD && value->op->form <= OP_RANGE;

        if (nested) {
                print_node(p, value);
                return;
        }
        print_text(p, "=");
        print_operand(p, value);
}

static void print_field(struct printer *p, const struct node *n)
{
        print_list(p, ".", n->a, "");
        print_initialised(p, n->b);
}

static void print_array_element(struct printer *p, const struct node *n)
{
        print_list(p, "[", n->a, "]");
        print_initialised(p, n->b);
}

static void print_range(struct printer *p, const struct node *n)
{
        print_list(p, "[", n->a, " ... ");
        print_list(p, "", n->b, "]");
        print_initialised(p, n->c);
}

static void print_fold(struct printer *p, const struct node *n)
{
        bool is_left = n->op->code[1] == 'l';
        const char *op = n->c->op->text;

        print_text(p, is_left ? "(..." : "(");
        if (is_left)
                print_text(p, op);
        print_operand(p, n->a);
        if (!is_left)
                print_text(p, op);
        print_text(p, is_left ? ")" : "...)");
}

static void print_fold_init(struct printer *p, const struct node *n)
{
        const char *op = n->c->op->text;

        print_text(p, "(");
        print_operand(p, n->a);
        print_text(p, op);
        print_text(p, "...");
        print_text(p, op);
        print_operand(p, n->b);
        print_text(p, ")");
}

static void print_nullary(struct printer *p, const struct node *n)
{
        print_text(p, n->op->text);
}

/* Without the forms for which the parser makes other nodes. */
static op_print *const op_printers[OP_FORMS] = {
        [OP_UNARY] = print_unary,
        [OP_POSTFIX] = print_postfix,
        [OP_BINARY] = print_binary,
        [OP_MEMBER] = print_binary,
        [OP_CALL] = print_call,
        [OP_INDEX] = print_index,
        [OP_TERNARY] = print_ternary,
        [OP_CAST] = print_cast,
        [OP_OF_TYPE] = print_of,
        [OP_OF_EXPR] = print_of,
        [OP_NEW] = print_new,
        [OP_CONVERSION] = print_conversion,
        [OP_BRACED] = print_braced,
        [OP_TYPED_BRACED] = print_typed_braced,
        [OP_SIZEOF_PACK] = print_sizeof_pack,
        [OP_SIZEOF_ARGS] = print_sizeof_pack,
        [OP_FIELD] = print_field,
        [OP_ELEMENT] = print_array_element,
        [OP_RANGE] = print_range,
        [OP_FOLD] = print_fold,
        [OP_FOLD_INIT] = print_fold_init,
        [OP_NULLARY] = print_nullary,
};

static void print_bool(struct printer *p, const struct node *n)
{
        print_text(p, n->text[0] == '1' ? "true" : "false");
}

static bool is_bool(const struct node *n)
{
        return n->len == 1 && !n->num && (n->text[0] == '0' || n->text[0] == '1') &&
               n->a->kind == NODE_BUILTIN && n->a->builtin->code[0] == 'b';
}

/* Float literals are printed as their bytes. */
static bool is_float(const struct node *n)
{
        return n->a->kind == NODE_BUILTIN && strchr("fdeg", n->a->builtin->code[0]);
}

static void print_literal(struct printer *p, const struct node *n)
{
        const char *suffix = n->a->kind == NODE_BUILTIN ? n->a->builtin->literal_suffix : NULL;

        if (is_bool(n)) {
                print_bool(p, n);
                return;
        }
        if (!n->len) {
                print_node(p, n->a);
                return;
        }
        if (!suffix)
                print_list(p, "(", n->a, is_float(n) ? ")[" : ")");
        print_text(p, n->num ? "-" : "");
        print_bytes(p, n->text, n->len);
        print_text(p, suffix ? suffix : is_float(n) ? "]" : "");
}

static void print_fn_param(struct printer *p, const struct node *n)
{
        if (!n->num) {
                print_text(p, "this");
                return;
        }
        print_text(p, "{parm#");
        print_number(p, n->num);
        print_text(p, "}");
}

void print_expr(struct printer *p, const struct node *n)
{
        switch (n->kind) {
        case NODE_EXPR: op_printers[n->op->form](p, n); break;
        case NODE_LITERAL: print_literal(p, n); break;
        case NODE_FN_PARAM: print_fn_param(p, n); break;
        case NODE_GLOBAL: print_list(p, "::", n->a, ""); break;
        case NODE_CALLED:
                print_node(p, n->a);
                print_list(p, "(", n->b, ")");
                break;
        default: p->failed = true; break;
        }
}
