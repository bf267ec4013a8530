/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints names in the layout of binutils.  Every step is counted, because the text of a small tree can be
 * very long. */
#include <stdio.h>
#include <string.h>

#include "demangle_internal.h"

void print_bytes(struct printer *p, const char *text, size_t len)
{
        if (p->out->len - p->start + len > DEMANGLE_MAX_OUTPUT_BYTES)
                p->failed = true;
        if (!p->failed)
                buf_add(p->out, text, len);
}

void print_text(struct printer *p, const char *text)
{
        print_bytes(p, text, strlen(text));
}

void print_number(struct printer *p, uint32_t number)
{
        char digits[16];

        snprintf(digits, sizeof(digits), "%u", number);
        print_text(p, digits);
}

char print_last(const struct printer *p)
{
        return p->out->len > p->start ? p->out->data[p->out->len - 1] : '\0';
}

static const struct node *nth_cell(struct printer *p, const struct node *cell, uint32_t index)
{
        for (; cell && demangle_spend(p->d); cell = cell->b) {
                if (index-- == 0)
                        return cell->a;
        }
        return NULL;
}

static const struct node *argument(struct printer *p, const struct node *n)
{
        return p->scope ? nth_cell(p, p->scope->params, n->num) : NULL;
}

const struct node *print_resolve(struct printer *p, const struct node *n)
{
        while (n && n->kind == NODE_PARAM && !p->lambda) {
                n = argument(p, n);
                if (!n) {
                        p->failed = true;
                        return NULL;
                }
                p->scope = p->scope->outer;
                if (n->kind == NODE_PACK && p->pack_index >= 0)
                        n = nth_cell(p, n->a->a, (uint32_t)p->pack_index);
        }
        return n;
}

static const struct node *find_in_children(struct printer *p, const struct node *n)
{
        const struct node *pack = print_find_pack(p, n->a);

        if (!pack)
                pack = print_find_pack(p, n->b);
        return pack ? pack : print_find_pack(p, n->c);
}

static const struct node *find_in_cells(struct printer *p, const struct node *cell)
{
        const struct node *pack = NULL;

        for (; cell && !pack && demangle_spend(p->d); cell = cell->b)
                pack = print_find_pack(p, cell->a);
        return pack;
}

const struct node *print_find_pack(struct printer *p, const struct node *n)
{
        const struct node *pack;

        if (!n || !n->has_pack || p->depth >= DEMANGLE_MAX_PRINT_DEPTH || !demangle_spend(p->d))
                return NULL;
        if (n->kind == NODE_PARAM) {
                pack = p->lambda ? NULL : argument(p, n);
                return pack && pack->kind == NODE_PACK ? pack : NULL;
        }
        p->depth++;
        pack = n->kind == NODE_SEQUENCE ? find_in_cells(p, n->a) : find_in_children(p, n);
        p->depth--;
        return pack;
}

/* Prints one element of a list; removes the comma if the element was empty. */
static void print_element(struct printer *p, const struct node *n, bool *printed)
{
        size_t before = p->out->len;
        size_t after;

        if (*printed)
                print_text(p, ", ");
        after = p->out->len;
        print_node(p, n);
        if (p->failed)
                return;
        if (p->out->len > after)
                *printed = true;
        else
                p->out->len = before;
}

static void print_cells(struct printer *p, const struct node *cell)
{
        bool printed = false;

        for (; cell && !p->failed; cell = cell->b)
                print_element(p, cell->a, &printed);
}

void print_sequence(struct printer *p, const struct node *sequence)
{
        print_cells(p, sequence->a);
}

/* A pattern that is not just a name is printed in parentheses if its pack is not known. */
static void print_unexpanded(struct printer *p, const struct node *n)
{
        const struct scope *scope = p->scope;
        const struct node *meant = print_resolve(p, n);
        bool simple = meant && (meant->kind == NODE_NAME || meant->kind == NODE_QUALIFIED ||
                                meant->kind == NODE_FN_PARAM);

        p->scope = scope;
        if (!simple)
                print_text(p, "(");
        print_node(p, n);
        print_text(p, simple ? "..." : ")...");
}

static void print_expansion(struct printer *p, const struct node *n)
{
        const struct node *pack = print_find_pack(p, n->a);
        int saved = p->pack_index;
        bool printed = false;

        if (!pack) {
                print_unexpanded(p, n->a);
                return;
        }
        p->pack_index = 0;
        for (const struct node *cell = pack->a->a; cell && !p->failed; cell = cell->b) {
                print_element(p, n->a, &printed);
                p->pack_index++;
        }
        p->pack_index = saved;
}

static void print_template(struct printer *p, const struct node *n)
{
        print_node(p, n->a);
        print_text(p, print_last(p) == '<' ? " <" : "<");
        print_node(p, n->b);
        print_text(p, print_last(p) == '>' ? " >" : ">");
}

static void print_operator(struct printer *p, const char *text)
{
        size_t len = strlen(text);

        print_text(p, text[0] >= 'a' && text[0] <= 'z' ? "operator " : "operator");
        print_bytes(p, text, text[len - 1] == ' ' ? len - 1 : len);
}

static void print_encoding(struct printer *p, const struct node *n, enum encoding_part part)
{
        const struct node *function = part == NAME_ONLY ? NULL : n->b;
        const struct node *result = function && part == FULL_ENCODING ? function->a : NULL;
        struct scope scope = {n->c, p->scope};

        if (n->c)
                p->scope = &scope;
        if (result) {
                print_left(p, result);
                if (!print_has_right(p, result))
                        print_text(p, " ");
        }
        print_node(p, n->a);
        if (function)
                print_params(p, function);
        if (result)
                print_right(p, result);
        p->scope = scope.outer;
}

static void print_local(struct printer *p, const struct node *n)
{
        if (n->a->kind == NODE_ENCODING)
                print_encoding(p, n->a, WITHOUT_RETURN);
        else
                print_node(p, n->a);
        print_text(p, "::");
        if (n->num) {
                print_text(p, "{default arg#");
                print_number(p, n->num);
                print_text(p, "}::");
        }
        print_node(p, n->b);
}

static void print_between(struct printer *p, const char *before, const struct node *n, const char *after)
{
        print_text(p, before);
        print_node(p, n);
        print_text(p, after);
}

static void print_pair(struct printer *p, const struct node *a, const char *between, const struct node *b)
{
        print_node(p, a);
        print_between(p, between, b, "");
}

static void print_ordinal(struct printer *p, uint32_t number)
{
        print_text(p, "#");
        print_number(p, number);
        print_text(p, "}");
}

static void print_special(struct printer *p, const struct node *n, enum encoding_part part)
{
        print_bytes(p, n->text, n->len);
        if (n->b)
                print_pair(p, n->b, "-in-", n->a);
        else if (n->a->kind == NODE_ENCODING)
                print_encoding(p, n->a, part);
        else
                print_node(p, n->a);
}

static void print_tagged(struct printer *p, const struct node *n)
{
        print_between(p, "", n->a, "[abi:");
        print_bytes(p, n->text, n->len);
        print_text(p, "]");
}

/* Prints names and lists; types and expressions are printed in other files. */
static void print_name(struct printer *p, const struct node *n)
{
        switch (n->kind) {
        case NODE_SEQUENCE: print_cells(p, n->a); break;
        case NODE_NAME: print_bytes(p, n->text, n->len); break;
        case NODE_QUALIFIED: print_pair(p, n->a, "::", n->b); break;
        case NODE_LOCAL: print_local(p, n); break;
        case NODE_TEMPLATE: print_template(p, n); break;
        case NODE_TAGGED: print_tagged(p, n); break;
        case NODE_CTOR: print_node(p, n->a); break;
        case NODE_DTOR: print_between(p, "~", n->a, ""); break;
        case NODE_OPERATOR: print_operator(p, n->op->text); break;
        case NODE_CONVERSION:
        case NODE_VENDOR_OPERATOR: print_between(p, "operator ", n->a, ""); break;
        case NODE_LITERAL_OPERATOR: print_between(p, "operator\"\" ", n->a, ""); break;
        case NODE_LAMBDA: print_lambda(p, n); break;
        case NODE_DECL: print_template_decl(p, n); break;
        case NODE_UNNAMED:
                print_text(p, "{unnamed type");
                print_ordinal(p, n->num);
                break;
        case NODE_BINDING: print_between(p, "[", n->a, "]"); break;
        case NODE_ENCODING: print_encoding(p, n, FULL_ENCODING); break;
        case NODE_SPECIAL: print_special(p, n, FULL_ENCODING); break;
        case NODE_PACK: print_node(p, n->a); break;
        case NODE_EXPANSION: print_expansion(p, n); break;
        default: print_expr(p, n); break;
        }
}

static bool enter(struct printer *p)
{
        if (p->failed || p->depth >= DEMANGLE_MAX_PRINT_DEPTH || !demangle_spend(p->d)) {
                p->failed = true;
                return false;
        }
        p->depth++;
        return true;
}

void print_left(struct printer *p, const struct node *n)
{
        const struct scope *scope = p->scope;

        if (!enter(p))
                return;
        n = print_resolve(p, n);
        if (n && !print_type_left(p, n))
                print_name(p, n);
        p->scope = scope;
        p->depth--;
}

void print_right(struct printer *p, const struct node *n)
{
        const struct scope *scope = p->scope;

        if (!enter(p))
                return;
        n = print_resolve(p, n);
        if (n)
                print_type_right(p, n);
        p->scope = scope;
        p->depth--;
}

void print_node(struct printer *p, const struct node *n)
{
        print_left(p, n);
        if (print_has_right(p, n))
                print_right(p, n);
}

bool print_whole(struct demangle *d, const struct node *n, enum encoding_part part, struct buf *out)
{
        struct printer p = {.d = d, .out = out, .start = out->len, .pack_index = -1};

        while (n->kind == NODE_SPECIAL && !n->b && n->a->kind == NODE_SPECIAL) {
                print_bytes(&p, n->text, n->len);
                n = n->a;
        }
        if (n->kind == NODE_SPECIAL)
                print_special(&p, n, part);
        else
                print_encoding(&p, n, part);
        return !p.failed && out->len > p.start;
}
