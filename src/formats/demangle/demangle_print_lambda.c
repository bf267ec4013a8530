/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints lambdas; their template parameters have no names and are numbered. */
#include "demangle_internal.h"

static const struct node *without_pack(const struct node *decl)
{
        return decl->num == 'p' ? decl->a : decl;
}

/* The kind of parameter, without its number. */
void print_template_decl(struct printer *p, const struct node *n)
{
        const struct node *decl = without_pack(n);

        switch (decl->num) {
        case 'y': print_text(p, "typename"); break;
        case 't':
                print_text(p, "template<");
                print_node(p, decl->a);
                print_text(p, "> class");
                break;
        default: print_node(p, decl->a); break;
        }
        if (decl != n)
                print_text(p, "...");
}

static void print_decl_name(struct printer *p, const struct node *n, uint32_t index)
{
        uint32_t letter = without_pack(n)->num;

        print_text(p, letter == 'n' ? "$N" : letter == 't' ? "$TT" : "$T");
        print_number(p, index);
}

static const struct node *first_decl(const struct node *lambda)
{
        return lambda->b ? lambda->b->a : NULL;
}

static void print_decls(struct printer *p, const struct node *lambda)
{
        uint32_t index = 0;

        for (const struct node *cell = first_decl(lambda); cell && !p->failed; cell = cell->b) {
                print_text(p, index ? ", " : "<");
                print_node(p, cell->a);
                print_text(p, " ");
                print_decl_name(p, cell->a, index++);
        }
        if (index)
                print_text(p, ">");
}

void print_lambda_param(struct printer *p, const struct node *n)
{
        const struct node *cell = first_decl(p->lambda);
        uint32_t index = n->num;

        while (cell && index && demangle_spend(p->d)) {
                cell = cell->b;
                index--;
        }
        if (cell) {
                print_decl_name(p, cell->a, n->num);
                return;
        }
        print_text(p, "auto:");
        print_number(p, n->num + 1);
}

void print_lambda(struct printer *p, const struct node *n)
{
        const struct node *outer = p->lambda;

        p->lambda = n;
        print_text(p, "{lambda");
        print_decls(p, n);
        print_text(p, "(");
        print_node(p, n->a);
        print_text(p, ")#");
        p->lambda = outer;
        print_number(p, n->num);
        print_text(p, "}");
}
