/* SPDX-License-Identifier: BSD-3-Clause */
/* Template arguments and parameters, and substitutions, sections 5.1.5.9 and 5.1.8. */
#include <string.h>

#include "demangle_internal.h"

static const struct {
        char code;
        const char *text;
        const char *short_name; /* for constructors */
} abbreviations[] = {
        {'a', "std::allocator", "allocator"},
        {'b', "std::basic_string", "basic_string"},
        {'s', "std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "basic_string"},
        {'i', "std::basic_istream<char, std::char_traits<char> >", "basic_istream"},
        {'o', "std::basic_ostream<char, std::char_traits<char> >", "basic_ostream"},
        {'d', "std::basic_iostream<char, std::char_traits<char> >", "basic_iostream"},
};

static struct node *parse_abbreviation(struct demangle *d)
{
        char code = demangle_look(d, 0);

        for (size_t i = 0; i < sizeof(abbreviations) / sizeof(abbreviations[0]); i++) {
                const char *text = abbreviations[i].text;
                const char *name = abbreviations[i].short_name;
                struct node *n;

                if (abbreviations[i].code != code)
                        continue;
                cursor_skip(&d->in, 1);
                n = node_text(d, NODE_NAME, text, strlen(text));
                if (n)
                        n->b = node_text(d, NODE_NAME, name, strlen(name));
                return n;
        }
        return NULL;
}

struct node *demangle_substitution(struct demangle *d)
{
        char next = demangle_look(d, 1);
        uint32_t index;

        cursor_skip(&d->in, 1);
        if (next >= 'a' && next <= 'z')
                return parse_abbreviation(d);
        if (!demangle_index(d, 36, &index) || index >= d->n_subs)
                return NULL;
        return d->subs[index];
}

struct node *demangle_template_param(struct demangle *d)
{
        struct node *n = node_new(d, NODE_PARAM);
        uint32_t level, index;

        if (demangle_eat(d, "TL")) {
                if (!demangle_number(d, &level) || !demangle_eat(d, "_"))
                        return NULL;
        } else if (!demangle_eat(d, "T")) {
                return NULL;
        }
        if (!n || !demangle_index(d, 10, &index))
                return NULL;
        n->num = index;
        n->has_pack = true;
        return n;
}

static struct node *parse_decl_operand(struct demangle *d, char letter)
{
        switch (letter) {
        case 'n': return demangle_type(d);
        case 'p': return demangle_template_decl(d);
        case 'k': return demangle_name(d, NULL);
        default: return demangle_list(d, demangle_template_decl, "E");
        }
}

static struct node *parse_template_decl(struct demangle *d)
{
        char letter = demangle_look(d, 1);
        struct node *n;

        if (!demangle_at_template_decl(d))
                return NULL;
        cursor_skip(&d->in, 2);
        n = letter == 'y' ? node_new(d, NODE_DECL) : node_wrap(d, NODE_DECL, parse_decl_operand(d, letter));
        if (n)
                n->num = (uint32_t)letter;
        return n;
}

struct node *demangle_template_decl(struct demangle *d)
{
        return demangle_deeper(d, parse_template_decl);
}

bool demangle_at_template_decl(const struct demangle *d)
{
        char letter = demangle_look(d, 1);

        return demangle_look(d, 0) == 'T' && letter && strchr("yntpk", letter);
}

static struct node *parse_template_arg(struct demangle *d)
{
        struct node *n;

        if (demangle_at_template_decl(d) && !demangle_template_decl(d))
                return NULL;
        switch (demangle_look(d, 0)) {
        case 'X':
                cursor_skip(&d->in, 1);
                n = demangle_expr(d);
                return n && demangle_eat(d, "E") ? n : NULL;
        case 'L': return demangle_literal(d);
        case 'I':
        case 'J':
                cursor_skip(&d->in, 1);
                return node_wrap(d, NODE_PACK, demangle_list(d, demangle_template_arg, "E"));
        default: return demangle_type(d);
        }
}

struct node *demangle_template_arg(struct demangle *d)
{
        return demangle_deeper(d, parse_template_arg);
}

static struct node *parse_args(struct demangle *d, bool is_own)
{
        struct node *args = node_new(d, NODE_SEQUENCE);
        struct node *tail = NULL;

        while (args && !demangle_eat(d, "E")) {
                if (demangle_eat(d, "Q")) {
                        if (!demangle_expr(d) || !demangle_eat(d, "E"))
                                return NULL;
                        break;
                }
                if (!node_append(d, args, &tail, demangle_template_arg(d)))
                        return NULL;
        }
        if (args && is_own)
                d->params = args->a;
        return args;
}

struct node *demangle_template_args(struct demangle *d, bool is_own)
{
        bool in_convert = d->in_convert;
        struct node *args;

        if (!demangle_eat(d, "I"))
                return NULL;
        d->in_convert = false;
        args = parse_args(d, is_own);
        d->in_convert = in_convert;
        return args;
}
