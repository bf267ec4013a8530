/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads characters and numbers of a mangled name, and makes the nodes of its tree. */
#include <stdlib.h>
#include <string.h>

#include "demangle_internal.h"
#include "mem.h"

enum { NUMBER_LIMIT = 1 << 30 };

char demangle_look(const struct demangle *d, size_t ahead)
{
        return ahead < cursor_left(&d->in) ? (char)d->in.at[ahead] : '\0';
}

bool demangle_eat(struct demangle *d, const char *token)
{
        size_t len;

        /* The first character is compared first, because most calls fail. */
        if (demangle_look(d, 0) != token[0])
                return false;
        len = strlen(token);
        if (cursor_left(&d->in) < len || memcmp(d->in.at, token, len) != 0)
                return false;
        return cursor_skip(&d->in, len);
}

bool demangle_is_digit(char c)
{
        return c >= '0' && c <= '9';
}

static int digit_value(char c, unsigned base)
{
        if (demangle_is_digit(c))
                return c - '0';
        return base == 36 && c >= 'A' && c <= 'Z' ? c - 'A' + 10 : -1;
}

static bool parse_digits(struct demangle *d, unsigned base, uint32_t *ret_value)
{
        uint64_t value = 0;
        int digit = digit_value(demangle_look(d, 0), base);

        if (digit < 0)
                return false;
        for (; digit >= 0; digit = digit_value(demangle_look(d, 0), base)) {
                value = value * base + (unsigned)digit;
                if (value >= NUMBER_LIMIT)
                        return false;
                cursor_skip(&d->in, 1);
        }
        *ret_value = (uint32_t)value;
        return true;
}

bool demangle_number(struct demangle *d, uint32_t *ret_value)
{
        return parse_digits(d, 10, ret_value);
}

bool demangle_index(struct demangle *d, unsigned base, uint32_t *ret_value)
{
        uint32_t value;

        if (demangle_eat(d, "_")) {
                *ret_value = 0;
                return true;
        }
        if (!parse_digits(d, base, &value) || !demangle_eat(d, "_"))
                return false;
        *ret_value = value + 1;
        return true;
}

bool demangle_spend(struct demangle *d)
{
        return d->work < DEMANGLE_MAX_WORK && ++d->work;
}

struct node *node_new(struct demangle *d, enum node_kind kind)
{
        struct node *n;

        if (d->n_nodes >= DEMANGLE_MAX_NODES)
                return NULL;
        d->n_nodes++;
        n = arena_alloc(&d->arena, sizeof(*n));
        n->kind = (uint8_t)kind;
        return n;
}

struct node *node_wrap(struct demangle *d, enum node_kind kind, struct node *a)
{
        struct node *n = a ? node_new(d, kind) : NULL;

        if (!n)
                return NULL;
        n->a = a;
        n->has_pack = a->has_pack;
        return n;
}

struct node *node_join(struct demangle *d, enum node_kind kind, struct node *a, struct node *b)
{
        struct node *n = b ? node_wrap(d, kind, a) : NULL;

        if (n)
                node_set_b(n, b);
        return n;
}

struct node *node_text(struct demangle *d, enum node_kind kind, const char *text, size_t len)
{
        struct node *n = node_new(d, kind);

        if (!n)
                return NULL;
        n->text = text;
        n->len = len;
        return n;
}

void node_set_b(struct node *n, struct node *b)
{
        n->b = b;
        n->has_pack |= b && b->has_pack;
}

void node_set_c(struct node *n, struct node *c)
{
        n->c = c;
        n->has_pack |= c && c->has_pack;
}

bool node_append(struct demangle *d, struct node *sequence, struct node **tail, struct node *item)
{
        struct node *cell = node_wrap(d, NODE_CELL, item);

        if (!cell)
                return false;
        if (*tail)
                (*tail)->b = cell;
        else
                sequence->a = cell;
        *tail = cell;
        sequence->has_pack |= item->has_pack;
        return true;
}

struct node *demangle_list(struct demangle *d, demangle_parse *parse, const char *end)
{
        struct node *sequence = node_new(d, NODE_SEQUENCE);
        struct node *tail = NULL;

        while (sequence && !demangle_eat(d, end)) {
                if (!node_append(d, sequence, &tail, parse(d)))
                        return NULL;
        }
        return sequence;
}

struct node *demangle_deeper(struct demangle *d, demangle_parse *parse)
{
        struct node *n;

        if (d->depth >= DEMANGLE_MAX_DEPTH)
                return NULL;
        d->depth++;
        n = parse(d);
        d->depth--;
        return n;
}

struct node *demangle_remember(struct demangle *d, struct node *n)
{
        if (n)
                ARRAY_PUSH(d->subs, d->n_subs, d->cap_subs, n);
        return n;
}
