/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits and numbers of decorated names, and the nodes of their tree. */
#include <assert.h>
#include <string.h>

#include "msvc_internal.h"

bool msvc_spend(struct demangle *d)
{
        return d->work < UNDECORATE_MAX_WORK && ++d->work;
}

bool msvc_enter(struct msvc_name *m)
{
        if (m->d.depth >= UNDECORATE_MAX_DEPTH || !msvc_spend(&m->d))
                return false;
        m->d.depth++;
        return true;
}

void msvc_leave(struct msvc_name *m)
{
        assert(m->d.depth > 0);
        m->d.depth--;
}

struct msvc_node *msvc_node(struct msvc_name *m, enum msvc_kind kind)
{
        struct msvc_node *n;

        if (!msvc_spend(&m->d))
                return NULL;
        if (m->n_near < MSVC_NEAR_NODES) {
                n = &m->near[m->n_near++];
                memset(n, 0, sizeof(*n));
        } else {
                n = arena_alloc(&m->d.arena, sizeof(*n));
        }
        n->kind = (uint8_t)kind;
        return n;
}

struct msvc_node *msvc_wrap(struct msvc_name *m, enum msvc_kind kind, struct msvc_node *a)
{
        struct msvc_node *n = a ? msvc_node(m, kind) : NULL;

        if (n)
                n->a = a;
        return n;
}

struct msvc_node *msvc_text(struct msvc_name *m, enum msvc_kind kind, const char *text)
{
        struct msvc_node *n = text ? msvc_node(m, kind) : NULL;

        if (n) {
                n->text = text;
                n->len = strlen(text);
        }
        return n;
}

bool msvc_append(struct msvc_name *m, struct msvc_node *list, struct msvc_node **tail, struct msvc_node *item)
{
        struct msvc_node *cell = msvc_wrap(m, MSVC_CELL, item);

        if (!cell)
                return false;
        if (*tail)
                (*tail)->b = cell;
        else
                list->a = cell;
        *tail = cell;
        return true;
}

static bool parse_hex(struct msvc_name *m, uint64_t *ret_value)
{
        uint64_t value = 0;
        char c = demangle_look(&m->d, 0);

        for (; c >= 'A' && c <= 'P'; c = demangle_look(&m->d, 0)) {
                if (value >> 60)
                        return false;
                value = value << 4 | (unsigned)(c - 'A');
                cursor_skip(&m->d.in, 1);
        }
        *ret_value = value;
        return demangle_eat(&m->d, "@");
}

bool msvc_number(struct msvc_name *m, uint64_t *ret_value, bool *ret_is_negative)
{
        char c;

        *ret_is_negative = demangle_eat(&m->d, "?");
        c = demangle_look(&m->d, 0);
        if (!demangle_is_digit(c))
                return parse_hex(m, ret_value);
        cursor_skip(&m->d.in, 1);
        *ret_value = (uint64_t)(c - '0') + 1;
        return true;
}

bool msvc_unsigned(struct msvc_name *m, uint64_t *ret_value)
{
        bool is_negative;

        return msvc_number(m, ret_value, &is_negative) && !is_negative;
}

struct msvc_node *msvc_number_node(struct msvc_name *m)
{
        struct msvc_node *n = msvc_node(m, MSVC_NUMBER);

        return n && msvc_number(m, &n->num, &n->is_negative) ? n : NULL;
}

struct msvc_node *msvc_offset(struct msvc_name *m, enum msvc_width width)
{
        struct msvc_node *n = msvc_number_node(m);
        uint64_t bits;

        if (!n || n->num > INT64_MAX || (n->is_negative && width == MSVC_UNSIGNED))
                return NULL;
        bits = n->is_negative ? 0 - n->num : n->num;
        if (width == MSVC_U32 || width == MSVC_UNSIGNED)
                bits = (uint32_t)bits;
        else if (width == MSVC_S32 && (bits & 1u << 31))
                bits |= ~(uint64_t)UINT32_MAX;
        else if (width == MSVC_S32)
                bits = (uint32_t)bits;
        n->is_negative = bits >> 63;
        n->num = n->is_negative ? 0 - bits : bits;
        return n;
}
