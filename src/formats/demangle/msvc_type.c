/* SPDX-License-Identifier: BSD-3-Clause */
/* The types of decorated names: builtin, class, pointer, array and function types. */
#include "msvc_internal.h"

bool msvc_quals(struct msvc_name *m, uint8_t *ret_quals, bool *ret_is_member)
{
        char c = demangle_look(&m->d, 0);
        bool is_member = c >= 'Q' && c <= 'T';
        unsigned code = (unsigned)(c - (is_member ? 'Q' : 'A'));

        if (code > 3)
                return false;
        cursor_skip(&m->d.in, 1);
        *ret_quals = (uint8_t)((code & 1 ? MSVC_CONST : 0) | (code & 2 ? MSVC_VOLATILE : 0));
        *ret_is_member = is_member;
        return true;
}

uint8_t msvc_pointer_quals(struct msvc_name *m)
{
        uint8_t quals = 0;

        demangle_eat(&m->d, "E"); /* 64 bits wide */
        if (demangle_eat(&m->d, "I"))
                quals |= MSVC_RESTRICT;
        if (demangle_eat(&m->d, "F"))
                quals |= MSVC_UNALIGNED;
        return quals;
}

bool msvc_convention(struct msvc_name *m, const char **ret_text)
{
        *ret_text = msvc_convention_find(demangle_look(&m->d, 0));
        return *ret_text && cursor_skip(&m->d.in, 1);
}

static struct msvc_node *parse_builtin(struct msvc_name *m)
{
        bool is_long = demangle_eat(&m->d, "_");
        char code = demangle_look(&m->d, 0);
        const char *text = is_long ? msvc_long_builtin_find(code) : msvc_builtin_find(code);

        if (!text)
                return NULL;
        cursor_skip(&m->d.in, 1);
        return msvc_text(m, MSVC_BUILTIN, text);
}

static const char *parse_tag(struct msvc_name *m)
{
        const char *text;

        if (demangle_eat(&m->d, "T"))
                return "union";
        if (demangle_eat(&m->d, "U"))
                return "struct";
        if (demangle_eat(&m->d, "V"))
                return "class";
        if (!demangle_eat(&m->d, "W"))
                return NULL;
        text = msvc_enum_find(demangle_look(&m->d, 0));
        cursor_skip(&m->d.in, text ? 1 : 0);
        return text;
}

static struct msvc_node *parse_tagged(struct msvc_name *m)
{
        struct msvc_node *n = msvc_text(m, MSVC_TAG, parse_tag(m));

        if (!n)
                return NULL;
        n->a = msvc_type_name(m);
        return n->a ? n : NULL;
}

static struct msvc_node *parse_custom(struct msvc_name *m)
{
        struct msvc_node *n;

        cursor_skip(&m->d.in, 1);
        n = msvc_wrap(m, MSVC_CUSTOM, msvc_type_part(m));
        return n && demangle_eat(&m->d, "@") ? n : NULL;
}

static struct msvc_node *parse_dimensions(struct msvc_name *m)
{
        struct msvc_node *list = msvc_node(m, MSVC_LIST);
        struct msvc_node *tail = NULL;
        uint64_t n;

        if (!list || !msvc_unsigned(m, &n) || !n)
                return NULL;
        /* Each dimension needs a letter of the input, which limits their number. */
        for (; n; n--) {
                struct msvc_node *dimension = msvc_number_node(m);

                if (!dimension || dimension->is_negative || !msvc_append(m, list, &tail, dimension))
                        return NULL;
        }
        return list;
}

static struct msvc_node *parse_array(struct msvc_name *m)
{
        struct msvc_node *n = msvc_node(m, MSVC_ARRAY);
        bool is_member;

        cursor_skip(&m->d.in, 1);
        if (!n)
                return NULL;
        n->b = parse_dimensions(m);
        if (!n->b)
                return NULL;
        if (demangle_eat(&m->d, "$$C") && (!msvc_quals(m, &n->quals, &is_member) || is_member))
                return NULL;
        n->a = msvc_type(m, MSVC_NO_QUALS);
        return n->a ? n : NULL;
}

/* The `*const` itself: P to S, and references.  Stops before the target. */
static struct msvc_node *parse_pointer_start(struct msvc_name *m)
{
        char c = demangle_look(&m->d, 0);
        bool is_rvalue = demangle_eat(&m->d, "$$Q"), is_volatile = !is_rvalue && demangle_eat(&m->d, "$$R");
        struct msvc_node *n = msvc_text(m, MSVC_POINTER,
                                        is_rvalue || is_volatile ? "&&"
                                        : c <= 'B'               ? "&"
                                                                 : "*");

        if (!n)
                return NULL;
        if (!is_rvalue && !is_volatile)
                cursor_skip(&m->d.in, 1);
        if (c == 'Q' || c == 'S')
                n->quals |= MSVC_CONST;
        if (c == 'R' || c == 'S' || c == 'B' || is_volatile)
                n->quals |= MSVC_VOLATILE;
        return n;
}

/* `8`, the class and the type of a method; or the qualifiers of a member, the class and its type. */
static bool parse_member_target(struct msvc_name *m, struct msvc_node *pointer)
{
        bool is_method = demangle_eat(&m->d, "8");
        uint8_t quals = 0;
        bool is_member;

        if (!is_method && !msvc_quals(m, &quals, &is_member))
                return false;
        pointer->b = msvc_type_name(m);
        if (!pointer->b)
                return false;
        pointer->a = is_method ? msvc_function_type(m, true) : msvc_type(m, MSVC_NO_QUALS);
        if (pointer->a && !is_method)
                pointer->a->quals = quals;
        return pointer->a;
}

static bool at_member_quals(const struct msvc_name *m)
{
        char c = demangle_look(&m->d, 0);

        return c >= 'Q' && c <= 'T';
}

static struct msvc_node *parse_pointer(struct msvc_name *m)
{
        struct msvc_node *n = parse_pointer_start(m);
        bool is_pointer = n && n->text[0] == '*';

        if (!n)
                return NULL;
        if (demangle_eat(&m->d, "6")) {
                n->a = msvc_function_type(m, false);
                return n->a ? n : NULL;
        }
        if (is_pointer && demangle_look(&m->d, 0) == '8')
                return parse_member_target(m, n) ? n : NULL;
        n->quals |= msvc_pointer_quals(m);
        if (is_pointer && at_member_quals(m))
                return parse_member_target(m, n) ? n : NULL;
        n->a = msvc_type(m, MSVC_QUALS);
        return n->a ? n : NULL;
}

static struct msvc_node *parse_param(struct msvc_name *m)
{
        struct msvc_refs *refs = &m->refs;
        char c = demangle_look(&m->d, 0);
        size_t start = cursor_pos(&m->d.in);
        struct msvc_node *n;

        if (demangle_is_digit(c)) {
                size_t index = (size_t)(c - '0');

                cursor_skip(&m->d.in, 1);
                return index < refs->n_types ? refs->types[index] : NULL;
        }
        n = msvc_type(m, MSVC_NO_QUALS);
        /* A type with one letter is not counted, because a reference would not be shorter. */
        if (n && cursor_pos(&m->d.in) - start > 1 && refs->n_types < MSVC_MAX_REFS)
                refs->types[refs->n_types++] = n;
        return n;
}

static bool parse_params(struct msvc_name *m, struct msvc_node *function)
{
        struct msvc_node *tail = NULL;

        if (demangle_eat(&m->d, "X"))
                return true;
        function->b = msvc_node(m, MSVC_LIST);
        if (!function->b)
                return false;
        while (!demangle_eat(&m->d, "@")) {
                if (demangle_eat(&m->d, "Z")) {
                        function->quals |= MSVC_VARIADIC;
                        return true;
                }
                if (!msvc_append(m, function->b, &tail, parse_param(m)))
                        return false;
        }
        return true;
}

static bool parse_this(struct msvc_name *m, struct msvc_node *function)
{
        uint8_t quals;
        bool is_member;

        function->quals |= msvc_pointer_quals(m);
        if (demangle_eat(&m->d, "G"))
                function->quals |= MSVC_LVALUE_THIS;
        else if (demangle_eat(&m->d, "H"))
                function->quals |= MSVC_RVALUE_THIS;
        if (!msvc_quals(m, &quals, &is_member))
                return false;
        function->quals |= quals;
        return true;
}

struct msvc_node *msvc_function_type(struct msvc_name *m, bool has_this)
{
        struct msvc_node *n = msvc_node(m, MSVC_FUNCTION);

        if (!n || (has_this && !parse_this(m, n)) || !msvc_convention(m, &n->text))
                return NULL;
        if (!demangle_eat(&m->d, "@")) { /* constructors and destructors return nothing */
                n->a = msvc_type(m, MSVC_RESULT_QUALS);
                if (!n->a)
                        return NULL;
        }
        if (!parse_params(m, n))
                return NULL;
        if (demangle_eat(&m->d, "_E"))
                n->quals |= MSVC_NOEXCEPT;
        else if (!demangle_eat(&m->d, "Z"))
                return NULL;
        return n;
}

/* Types that begin with `$`, which is still in the input. */
static struct msvc_node *parse_extended(struct msvc_name *m)
{
        char code = demangle_look(&m->d, 2);

        if (code == 'Q' || code == 'R')
                return parse_pointer(m);
        if (demangle_eat(&m->d, "$$A8@@"))
                return msvc_function_type(m, true);
        if (demangle_eat(&m->d, "$$A6"))
                return msvc_function_type(m, false);
        return demangle_eat(&m->d, "$$T") ? msvc_text(m, MSVC_BUILTIN, "std::nullptr_t") : NULL;
}

static struct msvc_node *parse_plain_type(struct msvc_name *m)
{
        switch (demangle_look(&m->d, 0)) {
        case 'T':
        case 'U':
        case 'V':
        case 'W': return parse_tagged(m);
        case 'A':
        case 'B':
        case 'P':
        case 'Q':
        case 'R':
        case 'S': return parse_pointer(m);
        case 'Y': return parse_array(m);
        case '?': return parse_custom(m);
        case '$': return parse_extended(m);
        default: return parse_builtin(m);
        }
}

static struct msvc_node *parse_type(struct msvc_name *m, enum msvc_quals_place place)
{
        struct msvc_node *n;
        uint8_t quals = 0;
        bool is_member;

        if (place == MSVC_QUALS || (place == MSVC_RESULT_QUALS && demangle_eat(&m->d, "?"))) {
                if (!msvc_quals(m, &quals, &is_member))
                        return NULL;
        }
        n = parse_plain_type(m);
        if (n)
                n->quals |= quals;
        return n;
}

struct msvc_node *msvc_type(struct msvc_name *m, enum msvc_quals_place place)
{
        struct msvc_node *n;

        if (!msvc_enter(m))
                return NULL;
        n = parse_type(m, place);
        msvc_leave(m);
        return n;
}
