/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints types in decorated names: the parts left and right of a declared name. */
#include "msvc_internal.h"

void msvc_print_quals(struct msvc_printer *p, uint8_t quals, bool space_in_front)
{
        static const struct {
                uint8_t bit;
                const char *text;
        } shown[] = {{MSVC_CONST, " const"}, {MSVC_VOLATILE, " volatile"}, {MSVC_RESTRICT, " __restrict"}};

        for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
                if (!(quals & shown[i].bit))
                        continue;
                msvc_add(p, shown[i].text + !space_in_front);
                space_in_front = true;
        }
}

static void print_convention(struct msvc_printer *p, const struct msvc_node *function)
{
        if (!function->text || !p->is_long)
                return;
        msvc_add_space(p);
        msvc_add(p, function->text);
}

static void print_result(struct msvc_printer *p, const struct msvc_node *function)
{
        if (!function->a)
                return;
        msvc_print_left(p, function->a);
        msvc_add(p, " ");
}

void msvc_print_function_left(struct msvc_printer *p, const struct msvc_node *function)
{
        print_result(p, function);
        print_convention(p, function);
}

void msvc_print_params(struct msvc_printer *p, const struct msvc_node *function)
{
        msvc_add(p, "(");
        if (function->b)
                msvc_print_list(p, function->b, ", ");
        else
                msvc_add(p, "void");
        if (function->quals & MSVC_VARIADIC)
                msvc_add(p, function->b && function->b->a ? ", ..." : "...");
        msvc_add(p, ")");
        msvc_print_quals(p, function->quals, true);
        if (function->quals & MSVC_UNALIGNED)
                msvc_add(p, " __unaligned");
        if (function->quals & MSVC_NOEXCEPT)
                msvc_add(p, " noexcept");
        if (function->quals & MSVC_LVALUE_THIS)
                msvc_add(p, " &");
        else if (function->quals & MSVC_RVALUE_THIS)
                msvc_add(p, " &&");
        if (function->a)
                msvc_print_right(p, function->a);
}

static bool is_declarator(const struct msvc_node *target)
{
        return target->kind == MSVC_ARRAY || target->kind == MSVC_FUNCTION;
}

static void print_pointer_left(struct msvc_printer *p, const struct msvc_node *n)
{
        const struct msvc_node *target = n->a;

        if (target->kind == MSVC_FUNCTION)
                print_result(p, target);
        else
                msvc_print_left(p, target);
        msvc_add_space(p);
        if (n->quals & MSVC_UNALIGNED)
                msvc_add(p, "__unaligned ");
        if (is_declarator(target))
                msvc_add(p, "(");
        if (target->kind == MSVC_FUNCTION && p->is_long) {
                print_convention(p, target);
                msvc_add(p, " ");
        }
        if (n->b) {
                msvc_print(p, n->b);
                msvc_add(p, "::");
        }
        msvc_add(p, n->text);
        msvc_print_quals(p, n->quals, false);
}

static void print_dimensions(struct msvc_printer *p, const struct msvc_node *list)
{
        msvc_add(p, "[");
        for (const struct msvc_node *cell = list->a; cell && !p->failed; cell = cell->b) {
                if (cell->a->num)
                        msvc_print(p, cell->a);
                if (cell->b)
                        msvc_add(p, "][");
        }
        msvc_add(p, "]");
}

static void left_of(struct msvc_printer *p, const struct msvc_node *n)
{
        switch (n->kind) {
        case MSVC_TAG:
                msvc_add(p, n->text);
                msvc_add(p, " ");
                msvc_print(p, n->a);
                break;
        case MSVC_CUSTOM: msvc_print(p, n->a); return;
        case MSVC_POINTER: print_pointer_left(p, n); return;
        case MSVC_ARRAY: msvc_print_left(p, n->a); break;
        case MSVC_FUNCTION: msvc_print_function_left(p, n); return;
        default: msvc_add(p, n->text); break;
        }
        msvc_print_quals(p, n->quals, true);
}

void msvc_print_left(struct msvc_printer *p, const struct msvc_node *type)
{
        if (!msvc_print_enter(p))
                return;
        left_of(p, type);
        p->depth--;
}

static void right_of(struct msvc_printer *p, const struct msvc_node *n)
{
        switch (n->kind) {
        case MSVC_POINTER:
                if (is_declarator(n->a))
                        msvc_add(p, ")");
                msvc_print_right(p, n->a);
                break;
        case MSVC_ARRAY:
                print_dimensions(p, n->b);
                msvc_print_right(p, n->a);
                break;
        case MSVC_FUNCTION: msvc_print_params(p, n); break;
        }
}

void msvc_print_right(struct msvc_printer *p, const struct msvc_node *type)
{
        if (!msvc_print_enter(p))
                return;
        right_of(p, type);
        p->depth--;
}
