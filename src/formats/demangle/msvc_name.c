/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses names in decorated names: parts separated by @, innermost first, and digits that refer to earlier
 * parts. */
#include <string.h>

#include "msvc_internal.h"

static void set_key(struct msvc_name *m, struct msvc_node *part, size_t start)
{
        part->key = (const char *)m->d.in.start + start;
        part->key_len = cursor_pos(&m->d.in) - start;
}

void msvc_remember(struct msvc_name *m, struct msvc_node *part)
{
        struct msvc_refs *refs = &m->refs;

        for (size_t i = 0; i < refs->n_names; i++) {
                const struct msvc_node *known = refs->names[i];

                if (known->key_len == part->key_len && !memcmp(known->key, part->key, part->key_len))
                        return;
        }
        if (refs->n_names < MSVC_MAX_REFS)
                refs->names[refs->n_names++] = part;
}

static struct msvc_node *parse_ref(struct msvc_name *m)
{
        size_t index = (size_t)(demangle_look(&m->d, 0) - '0');

        cursor_skip(&m->d.in, 1);
        return index < m->refs.n_names ? m->refs.names[index] : NULL;
}

/* The bytes up to and including the next @. */
static bool parse_word(struct msvc_name *m, const char **ret_text, size_t *ret_len)
{
        const char *start = (const char *)m->d.in.at;
        const char *end = memchr(start, '@', cursor_left(&m->d.in));

        if (!end)
                return false;
        *ret_text = start;
        *ret_len = (size_t)(end - start);
        return cursor_skip(&m->d.in, *ret_len + 1);
}

static struct msvc_node *parse_plain(struct msvc_name *m, enum msvc_kind kind)
{
        size_t start = cursor_pos(&m->d.in);
        struct msvc_node *n = msvc_node(m, kind);

        if (!n || !parse_word(m, &n->text, &n->len) || !n->len)
                return NULL;
        set_key(m, n, start);
        return n;
}

static struct msvc_node *parse_simple(struct msvc_name *m)
{
        struct msvc_node *n = parse_plain(m, MSVC_NAME);

        if (n)
                msvc_remember(m, n);
        return n;
}

/* clang writes the number in capitals and in full each time, and digits do not count it.  With Microsoft's
 * compiler digits may refer to it. */
static bool is_clangs(const char *text, size_t len)
{
        for (size_t i = 0; i < len; i++) {
                if (text[i] >= 'A' && text[i] <= 'F')
                        return true;
        }
        return false;
}

/* After `?A`: the text that keeps the namespaces of two files distinct is not shown. */
static struct msvc_node *parse_anonymous(struct msvc_name *m)
{
        struct msvc_node *n = msvc_text(m, MSVC_NAME, "`anonymous namespace'");
        size_t start = cursor_pos(&m->d.in);
        const char *text;
        size_t len;

        if (!n || !parse_word(m, &text, &len))
                return NULL;
        set_key(m, n, start);
        if (!is_clangs(text, len))
                msvc_remember(m, n);
        return n;
}

/* After `?`: the names of operators and of functions that the compiler makes. */
static struct msvc_node *parse_operator(struct msvc_name *m)
{
        enum msvc_group group = demangle_eat(&m->d, "__")  ? MSVC_UNDER_UNDER
                                : demangle_eat(&m->d, "_") ? MSVC_UNDER
                                                           : MSVC_PLAIN;
        char code = demangle_look(&m->d, 0);

        cursor_skip(&m->d.in, 1);
        if (group == MSVC_PLAIN && code == '0')
                return msvc_node(m, MSVC_CTOR);
        if (group == MSVC_PLAIN && code == '1')
                return msvc_node(m, MSVC_DTOR);
        if (group == MSVC_PLAIN && code == 'B')
                return msvc_node(m, MSVC_CONVERSION);
        if (group == MSVC_UNDER_UNDER && code == 'K')
                return parse_plain(m, MSVC_LITERAL_OPERATOR);
        return msvc_text(m, MSVC_NAME, msvc_operator_find(group, code));
}

/* Among the arguments, a digit refers to the name without its arguments. */
static struct msvc_node *parse_template_word(struct msvc_name *m)
{
        const struct msvc_node *word = parse_simple(m);
        struct msvc_node *n = word ? msvc_node(m, MSVC_NAME) : NULL;

        if (n) {
                n->text = word->text;
                n->len = word->len;
        }
        return n;
}

static struct msvc_node *parse_template_inner(struct msvc_name *m)
{
        struct msvc_node *n = demangle_eat(&m->d, "?") ? parse_operator(m) : parse_template_word(m);

        if (!n)
                return NULL;
        n->args = msvc_template_args(m);
        return n->args ? n : NULL;
}

/* After `?$`.  Digits inside a template refer to parts inside it. */
static struct msvc_node *parse_template(struct msvc_name *m, size_t start)
{
        struct msvc_refs outer = m->refs;
        struct msvc_node *n;

        if (demangle_is_digit(demangle_look(&m->d, 0)) || !msvc_enter(m))
                return NULL;
        m->refs.n_names = 0;
        m->refs.n_types = 0;
        n = parse_template_inner(m);
        m->refs = outer;
        msvc_leave(m);
        if (n)
                set_key(m, n, start);
        return n;
}

/* In a scope or a type this is a class, which cannot have the name of a constructor or a conversion. */
static struct msvc_node *parse_class_template(struct msvc_name *m, size_t start)
{
        struct msvc_node *n = parse_template(m, start);

        if (!n || n->kind == MSVC_CTOR || n->kind == MSVC_DTOR || n->kind == MSVC_CONVERSION)
                return NULL;
        msvc_remember(m, n);
        return n;
}

struct msvc_node *msvc_type_part(struct msvc_name *m)
{
        size_t start = cursor_pos(&m->d.in);

        if (demangle_is_digit(demangle_look(&m->d, 0)))
                return parse_ref(m);
        return demangle_eat(&m->d, "?$") ? parse_class_template(m, start) : parse_simple(m);
}

/* `?1?`, `?BA@?`: the number of a scope in a function; the symbol of the function follows. */
static bool at_local_scope(const struct msvc_name *m)
{
        size_t n = 1;
        char c = demangle_look(&m->d, n);

        if (demangle_is_digit(c) || c == '@')
                return demangle_look(&m->d, n + 1) == '?';
        if (c < 'B' || c > 'P') /* ?A is the anonymous namespace */
                return false;
        while (c >= 'A' && c <= 'P')
                c = demangle_look(&m->d, ++n);
        return c == '@' && demangle_look(&m->d, n + 1) == '?';
}

static struct msvc_node *parse_local_scope(struct msvc_name *m)
{
        struct msvc_node *n = msvc_node(m, MSVC_LOCAL);

        cursor_skip(&m->d.in, 1);
        if (!n || !msvc_unsigned(m, &n->num) || !demangle_eat(&m->d, "?"))
                return NULL;
        n->a = msvc_symbol(m);
        return n->a ? n : NULL;
}

static struct msvc_node *parse_scope(struct msvc_name *m)
{
        size_t start = cursor_pos(&m->d.in);
        char c = demangle_look(&m->d, 0);

        if (demangle_is_digit(c))
                return parse_ref(m);
        if (c != '?')
                return parse_simple(m);
        if (demangle_eat(&m->d, "?$"))
                return parse_class_template(m, start);
        if (demangle_eat(&m->d, "?A"))
                return parse_anonymous(m);
        return at_local_scope(m) ? parse_local_scope(m) : parse_simple(m);
}

struct msvc_node *msvc_scopes(struct msvc_name *m, struct msvc_node *part)
{
        struct msvc_node *name = msvc_node(m, MSVC_QUALIFIED);

        if (!name)
                return NULL;
        name->a = msvc_wrap(m, MSVC_CELL, part);
        while (name->a && !demangle_eat(&m->d, "@")) {
                struct msvc_node *outer = msvc_wrap(m, MSVC_CELL, parse_scope(m));

                if (outer)
                        outer->b = name->a;
                name->a = outer;
        }
        return name->a ? name : NULL;
}

struct msvc_node *msvc_type_name(struct msvc_name *m)
{
        return msvc_scopes(m, msvc_type_part(m));
}

static struct msvc_node *parse_symbol_part(struct msvc_name *m)
{
        size_t start = cursor_pos(&m->d.in);
        struct msvc_node *n;

        if (demangle_is_digit(demangle_look(&m->d, 0)))
                return parse_ref(m);
        if (demangle_eat(&m->d, "?$"))
                return parse_template(m, start);
        if (!demangle_eat(&m->d, "?"))
                return parse_simple(m);
        n = parse_operator(m);
        if (n)
                set_key(m, n, start);
        return n;
}

/* A constructor has the name of its class. */
static bool set_class(struct msvc_node *name, struct msvc_node *part)
{
        for (const struct msvc_node *cell = name->a; cell->b; cell = cell->b)
                part->a = cell->a;
        return part->a;
}

struct msvc_node *msvc_last_part(const struct msvc_node *name)
{
        const struct msvc_node *cell = name->a;

        while (cell->b)
                cell = cell->b;
        return cell->a;
}

struct msvc_node *msvc_symbol_name(struct msvc_name *m)
{
        struct msvc_node *part = parse_symbol_part(m);
        struct msvc_node *name = part ? msvc_scopes(m, part) : NULL;

        if (name && (part->kind == MSVC_CTOR || part->kind == MSVC_DTOR) && !part->a &&
            !set_class(name, part))
                return NULL;
        return name;
}
