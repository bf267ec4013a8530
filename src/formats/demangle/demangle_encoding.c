/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole encodings: functions, data, local names and the special names of section 5.1.4. */
#include <string.h>

#include "demangle_internal.h"

static bool at_encoding_end(const struct demangle *d)
{
        char c = demangle_look(d, 0);

        return c == '\0' || c == 'E' || c == '.' || c == 'Q';
}

static struct node *parse_bare_function(struct demangle *d, const struct name_facts *facts)
{
        struct node *function = node_new(d, NODE_FUNCTION);
        struct node *params = node_new(d, NODE_SEQUENCE);
        struct node *tail = NULL;

        if (!function || !params)
                return NULL;
        function->num = facts->cv;
        if (facts->has_args && !facts->no_return) {
                function->a = demangle_type(d);
                if (!function->a)
                        return NULL;
        }
        do {
                if (!node_append(d, params, &tail, demangle_type(d)))
                        return NULL;
        } while (!at_encoding_end(d));
        node_set_b(function, params);
        return function;
}

static struct node *parse_named(struct demangle *d)
{
        struct name_facts facts = {0};
        struct node *n = node_wrap(d, NODE_ENCODING, demangle_name(d, &facts));

        if (!n)
                return NULL;
        n->c = d->params;
        if (!at_encoding_end(d)) {
                n->b = parse_bare_function(d, &facts);
                if (!n->b)
                        return NULL;
        }
        if (demangle_eat(d, "Q"))
                return n->b && (n->b->c = node_wrap(d, NODE_REQUIRES, demangle_expr(d))) ? n : NULL;
        return n;
}

static struct node *special(struct demangle *d, const char *text, struct node *of)
{
        struct node *n = node_wrap(d, NODE_SPECIAL, of);

        if (n) {
                n->text = text;
                n->len = strlen(text);
        }
        return n;
}

/* h NUMBER _ or v NUMBER _ NUMBER _; n before a number makes it negative. */
static bool skip_call_offset(struct demangle *d)
{
        int n_numbers = demangle_eat(d, "h") ? 1 : demangle_eat(d, "v") ? 2 : 0;
        uint32_t number;

        if (!n_numbers)
                return false;
        while (n_numbers-- > 0) {
                demangle_eat(d, "n");
                if (!demangle_number(d, &number) || !demangle_eat(d, "_"))
                        return false;
        }
        return true;
}

static struct node *parse_thunk(struct demangle *d)
{
        const char *text = demangle_look(d, 1) == 'h' ? "non-virtual thunk to " : "virtual thunk to ";

        cursor_skip(&d->in, 1);
        if (!demangle_eat(d, "c"))
                return skip_call_offset(d) ? special(d, text, demangle_encoding(d)) : NULL;
        if (!skip_call_offset(d) || !skip_call_offset(d))
                return NULL;
        return special(d, "covariant return thunk to ", demangle_encoding(d));
}

static struct node *parse_construction_vtable(struct demangle *d)
{
        struct node *whole = demangle_type(d);
        struct node *n;
        uint32_t offset;

        if (!whole || !demangle_number(d, &offset) || !demangle_eat(d, "_"))
                return NULL;
        n = special(d, "construction vtable for ", whole);
        if (!n)
                return NULL;
        n->b = demangle_type(d);
        return n->b ? n : NULL;
}

static struct node *parse_plain_name(struct demangle *d)
{
        struct name_facts facts = {0};

        return demangle_name(d, &facts);
}

/* NAME and the number of the temporary: `_`, `0_` and so on; older compilers omit it. */
static struct node *parse_temporary(struct demangle *d)
{
        struct node *n = special(d, "reference temporary for ", parse_plain_name(d));
        uint32_t index;

        if (n && !at_encoding_end(d) && !demangle_index(d, 36, &index))
                return NULL;
        return n;
}

static const struct {
        const char *code;
        const char *text; /* NULL: the parser supplies it */
        demangle_parse *parse;
} specials[] = {
        {"TV", "vtable for ", demangle_type},
        {"TT", "VTT for ", demangle_type},
        {"TI", "typeinfo for ", demangle_type},
        {"TS", "typeinfo name for ", demangle_type},
        {"TF", "typeinfo fn for ", demangle_type},
        {"TJ", "java Class for ", demangle_type},
        {"TC", NULL, parse_construction_vtable},
        {"TH", "TLS init function for ", parse_plain_name},
        {"TW", "TLS wrapper function for ", parse_plain_name},
        {"TA", "template parameter object for ", demangle_template_arg},
        {"GV", "guard variable for ", parse_plain_name},
        {"GR", NULL, parse_temporary},
        {"GA", "hidden alias for ", demangle_encoding},
        {"GTt", "transaction clone for ", demangle_encoding},
        {"GTn", "non-transaction clone for ", demangle_encoding},
};

static struct node *parse_special(struct demangle *d)
{
        char next = demangle_look(d, 1);

        for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
                if (!demangle_eat(d, specials[i].code))
                        continue;
                if (!specials[i].text)
                        return specials[i].parse(d);
                return special(d, specials[i].text, specials[i].parse(d));
        }
        if (demangle_look(d, 0) == 'T' && (next == 'h' || next == 'v' || next == 'c'))
                return parse_thunk(d);
        return NULL;
}

static struct node *parse_encoding(struct demangle *d)
{
        char c = demangle_look(d, 0);
        struct node *params = d->params;
        struct node *n;

        d->params = NULL;
        n = c == 'T' || c == 'G' ? parse_special(d) : parse_named(d);
        d->params = params;
        return n;
}

struct node *demangle_encoding(struct demangle *d)
{
        return demangle_deeper(d, parse_encoding);
}

/* `_N`, or `__NN_`: the number of a local entity among those of the same name; not shown. */
static bool skip_discriminator(struct demangle *d)
{
        uint32_t number;

        if (demangle_eat(d, "__"))
                return demangle_number(d, &number) && demangle_eat(d, "_");
        if (!demangle_eat(d, "_"))
                return true;
        if (!demangle_is_digit(demangle_look(d, 0)))
                return false;
        return cursor_skip(&d->in, 1);
}

static struct node *parse_local_entity(struct demangle *d, struct name_facts *facts,
                                       uint32_t *ret_default_arg)
{
        struct node *n;

        *ret_default_arg = 0;
        if (demangle_eat(d, "s"))
                return skip_discriminator(d) ? node_text(d, NODE_NAME, "string literal", 14) : NULL;
        if (demangle_eat(d, "d")) {
                if (!demangle_index(d, 10, ret_default_arg))
                        return NULL;
                ++*ret_default_arg;
                return demangle_name(d, facts);
        }
        n = demangle_name(d, facts);
        return n && skip_discriminator(d) ? n : NULL;
}

struct node *demangle_local_name(struct demangle *d, struct name_facts *facts)
{
        struct node *function, *n;
        uint32_t default_arg;

        if (!demangle_eat(d, "Z"))
                return NULL;
        function = demangle_encoding(d);
        if (!function || !demangle_eat(d, "E"))
                return NULL;
        n = node_join(d, NODE_LOCAL, function, parse_local_entity(d, facts, &default_arg));
        if (n)
                n->num = default_arg;
        return n;
}
