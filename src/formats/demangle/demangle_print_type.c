/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints types: the parts left and right of a declared name. */
#include "demangle_internal.h"

static const struct {
        uint32_t bit;
        const char *text;
} qualifiers[] = {
        {CV_CONST, " const"},   {CV_VOLATILE, " volatile"}, {CV_RESTRICT, " restrict"},
        {CV_LVALUE_THIS, " &"}, {CV_RVALUE_THIS, " &&"},    {CV_TRANSACTION_SAFE, " transaction_safe"},
};

static void print_cv(struct printer *p, uint32_t cv)
{
        for (size_t i = 0; i < sizeof(qualifiers) / sizeof(qualifiers[0]); i++) {
                if (cv & qualifiers[i].bit)
                        print_text(p, qualifiers[i].text);
        }
}

/* Follows qualifiers and parameters to a function or array, or to another type. */
static const struct node *declared(struct printer *p, const struct node *n)
{
        const struct scope *scope = p->scope;

        n = print_resolve(p, n);
        while (n && (n->kind == NODE_CV || n->kind == NODE_VENDOR_CV) && demangle_spend(p->d))
                n = print_resolve(p, n->a);
        p->scope = scope;
        return n;
}

static bool ends_right(struct printer *p, const struct node *n)
{
        for (n = print_resolve(p, n); n && demangle_spend(p->d); n = print_resolve(p, n)) {
                switch (n->kind) {
                case NODE_FUNCTION:
                case NODE_ARRAY: return true;
                case NODE_CV:
                case NODE_VENDOR_CV:
                case NODE_SUFFIXED:
                case NODE_POINTER:
                case NODE_LVALUE_REF:
                case NODE_RVALUE_REF: n = n->a; break;
                case NODE_MEMBER_PTR: n = n->b; break;
                default: return false;
                }
        }
        return false;
}

bool print_has_right(struct printer *p, const struct node *n)
{
        const struct scope *scope = p->scope;
        bool has_right = ends_right(p, n);

        p->scope = scope;
        return has_right;
}

/* Opens the parenthesis of `void (*` and of `int (&) [3]`; returns whether there is one. */
static bool open_declarator(struct printer *p, const struct node *target)
{
        const struct node *n = declared(p, target);
        char last = print_last(p);

        if (!n || (n->kind != NODE_FUNCTION && n->kind != NODE_ARRAY))
                return false;
        if (last != ' ' && last != '(' && last != '*')
                print_text(p, " ");
        print_text(p, "(");
        return true;
}

static void close_declarator(struct printer *p, const struct node *target)
{
        const struct node *n = declared(p, target);

        if (n && (n->kind == NODE_FUNCTION || n->kind == NODE_ARRAY))
                print_text(p, ")");
        print_right(p, target);
}

static bool is_ref(const struct node *n)
{
        return n && (n->kind == NODE_LVALUE_REF || n->kind == NODE_RVALUE_REF);
}

/* Collapses a reference to a reference: & takes precedence over &&.  Sets p->scope, as print_resolve does. */
static const struct node *collapse(struct printer *p, const struct node *n, bool *ret_is_rvalue)
{
        *ret_is_rvalue = true;
        while (is_ref(n) && demangle_spend(p->d)) {
                if (n->kind == NODE_LVALUE_REF)
                        *ret_is_rvalue = false;
                n = print_resolve(p, n->a);
        }
        return n;
}

static void print_ref_left(struct printer *p, const struct node *n)
{
        const struct scope *scope = p->scope;
        bool is_rvalue;
        const struct node *target = collapse(p, n, &is_rvalue);

        if (target) {
                print_left(p, target);
                open_declarator(p, target);
                print_text(p, is_rvalue ? "&&" : "&");
        }
        p->scope = scope;
}

static void print_ref_right(struct printer *p, const struct node *n)
{
        const struct scope *scope = p->scope;
        bool is_rvalue;
        const struct node *target = collapse(p, n, &is_rvalue);

        if (target)
                close_declarator(p, target);
        p->scope = scope;
}

static void print_pointer_left(struct printer *p, const struct node *n)
{
        print_left(p, n->a);
        open_declarator(p, n->a);
        print_text(p, "*");
}

static void print_member_ptr_left(struct printer *p, const struct node *n)
{
        print_left(p, n->b);
        if (!open_declarator(p, n->b))
                print_text(p, " ");
        print_node(p, n->a);
        print_text(p, "::*");
}

/* Does not repeat qualifiers that the type already has. */
static void print_cv_left(struct printer *p, const struct node *n)
{
        const struct scope *scope = p->scope;
        const struct node *inner;
        uint32_t cv = n->num;

        print_left(p, n->a);
        inner = print_resolve(p, n->a);
        while (inner && inner->kind == NODE_CV && demangle_spend(p->d)) {
                cv &= ~inner->num;
                inner = print_resolve(p, inner->a);
        }
        p->scope = scope;
        print_cv(p, cv);
}

static void print_function_left(struct printer *p, const struct node *n)
{
        if (!n->a)
                return;
        print_left(p, n->a);
        if (!print_has_right(p, n->a))
                print_text(p, " ");
}

static void print_after_params(struct printer *p, const struct node *n)
{
        if (n->kind == NODE_REQUIRES) {
                print_text(p, " requires ");
                print_node(p, n->a);
                return;
        }
        print_text(p, n->kind == NODE_THROW ? " throw" : " noexcept");
        if (!n->a)
                return;
        print_text(p, "(");
        print_node(p, n->a);
        print_text(p, ")");
}

static bool is_void(const struct node *cell)
{
        return cell && !cell->b && cell->a->kind == NODE_BUILTIN && cell->a->builtin->code[0] == 'v';
}

void print_params(struct printer *p, const struct node *function)
{
        print_text(p, "(");
        if (!is_void(function->b->a))
                print_node(p, function->b);
        print_text(p, ")");
        print_cv(p, function->num);
        if (function->c)
                print_after_params(p, function->c);
}

static void print_vector(struct printer *p, const struct node *n)
{
        print_node(p, n->a);
        print_text(p, " __vector(");
        print_node(p, n->b);
        print_text(p, ")");
}

static void print_around(struct printer *p, const char *before, const struct node *n, const char *after)
{
        print_text(p, before);
        print_node(p, n);
        print_text(p, after);
}

bool print_type_left(struct printer *p, const struct node *n)
{
        switch (n->kind) {
        case NODE_BUILTIN: print_text(p, n->builtin->text); return true;
        case NODE_BIT_INT:
                print_bytes(p, n->text, n->len);
                print_around(p, "_BitInt(", n->a, ")");
                return true;
        case NODE_POINTER: print_pointer_left(p, n); return true;
        case NODE_LVALUE_REF:
        case NODE_RVALUE_REF: print_ref_left(p, n); return true;
        case NODE_CV: print_cv_left(p, n); return true;
        case NODE_SUFFIXED:
                print_left(p, n->a);
                print_bytes(p, n->text, n->len);
                return true;
        case NODE_VENDOR_CV:
                print_left(p, n->a);
                print_around(p, " ", n->b, "");
                return true;
        case NODE_FUNCTION: print_function_left(p, n); return true;
        case NODE_ARRAY: print_left(p, n->a); return true;
        case NODE_MEMBER_PTR: print_member_ptr_left(p, n); return true;
        case NODE_VECTOR: print_vector(p, n); return true;
        case NODE_ELABORATED:
                print_bytes(p, n->text, n->len);
                print_node(p, n->a);
                return true;
        case NODE_DECLTYPE: print_around(p, "decltype (", n->a, ")"); return true;
        case NODE_PARAM: print_lambda_param(p, n); return true;
        default: return false;
        }
}

void print_type_right(struct printer *p, const struct node *n)
{
        switch (n->kind) {
        case NODE_POINTER: close_declarator(p, n->a); break;
        case NODE_LVALUE_REF:
        case NODE_RVALUE_REF: print_ref_right(p, n); break;
        case NODE_MEMBER_PTR: close_declarator(p, n->b); break;
        case NODE_CV:
        case NODE_SUFFIXED:
        case NODE_VENDOR_CV: print_right(p, n->a); break;
        case NODE_FUNCTION:
                print_params(p, n);
                if (n->a)
                        print_right(p, n->a);
                break;
        case NODE_ARRAY:
                print_text(p, print_last(p) == ']' ? "[" : " [");
                if (n->b)
                        print_node(p, n->b);
                print_text(p, "]");
                print_right(p, n->a);
                break;
        }
}
