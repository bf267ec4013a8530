/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbols in decorated names: functions with their access and thunks, variables, hashed names. */
#include <string.h>

#include "msvc_internal.h"

/* `A` to `X` are the three kinds of access, eight letters each; the second letter of each pair is for far
 * code.  A private thunk is virtual like others, but llvm-undname does not print this. */
static bool parse_access(char code, uint16_t *ret_traits)
{
        static const uint16_t access[] = {MSVC_PRIVATE, MSVC_PROTECTED, MSVC_PUBLIC};
        static const uint16_t forms[] = {0, MSVC_STATIC, MSVC_VIRTUAL,
                                         MSVC_VIRTUAL | MSVC_THUNK | MSVC_ADJUSTOR};
        unsigned index = (unsigned)(code - 'A');

        if (code == 'Y' || code == 'Z')
                *ret_traits = MSVC_GLOBAL;
        else if (code == '9')
                *ret_traits = MSVC_EXTERN_C | MSVC_NAME_ONLY;
        else if (code >= 'A' && code <= 'X')
                *ret_traits = access[index / 8] | forms[index % 8 / 2];
        else
                return false;
        if (code == 'G' || code == 'H')
                *ret_traits &= (uint16_t)~MSVC_VIRTUAL;
        return true;
}

/* After `$`: thunks that find the object by a field that the constructor of a base sets. */
static bool parse_vtordisp(struct msvc_name *m, uint16_t *ret_traits)
{
        static const uint16_t access[] = {MSVC_PRIVATE, MSVC_PROTECTED, MSVC_PUBLIC};
        bool is_extended = demangle_eat(&m->d, "R");
        unsigned index = (unsigned)(demangle_look(&m->d, 0) - '0');

        if (index > 5)
                return false;
        *ret_traits = access[index / 2] | MSVC_VIRTUAL | MSVC_THUNK;
        *ret_traits |= is_extended ? MSVC_VTORDISPEX : MSVC_VTORDISP;
        return cursor_skip(&m->d.in, 1);
}

static bool parse_traits(struct msvc_name *m, uint16_t *ret_traits)
{
        char code = demangle_look(&m->d, 0);

        cursor_skip(&m->d.in, 1);
        return code == '$' ? parse_vtordisp(m, ret_traits) : parse_access(code, ret_traits);
}

static bool parse_thunk(struct msvc_name *m, struct msvc_node *n)
{
        struct msvc_node *tail = NULL;
        unsigned n_signed = n->traits & MSVC_VTORDISPEX ? 3 : n->traits & MSVC_VTORDISP ? 1 : 0;

        if (!(n->traits & MSVC_THUNK))
                return true;
        n->c = msvc_node(m, MSVC_LIST);
        if (!n->c)
                return false;
        for (; n_signed; n_signed--) {
                if (!msvc_append(m, n->c, &tail, msvc_offset(m, MSVC_S32)))
                        return false;
        }
        return msvc_append(m, n->c, &tail, msvc_offset(m, MSVC_U32));
}

/* Marks for C linkage, ARM64EC code and managed code.  Only the first is shown. */
static uint16_t parse_marks(struct msvc_name *m)
{
        uint16_t traits = 0;

        if (demangle_look(&m->d, 0) != '$' || demangle_look(&m->d, 1) != '$')
                return 0;
        demangle_eat(&m->d, "$$h");
        if (demangle_eat(&m->d, "$$J0"))
                traits = MSVC_EXTERN_C;
        if (!demangle_eat(&m->d, "$$F"))
                demangle_eat(&m->d, "$$H");
        return traits;
}

struct msvc_node *msvc_function_symbol(struct msvc_name *m)
{
        struct msvc_node *n = msvc_node(m, MSVC_METHOD);
        uint16_t marks = parse_marks(m);

        if (!n || !parse_traits(m, &n->traits) || !parse_thunk(m, n))
                return NULL;
        n->traits |= marks;
        if (n->traits & MSVC_NAME_ONLY)
                return n;
        n->b = msvc_function_type(m, !(n->traits & (MSVC_GLOBAL | MSVC_STATIC)));
        return n->b ? n : NULL;
}

/* Qualifiers after a pointer belong to its target. */
static bool parse_variable_quals(struct msvc_name *m, struct msvc_node *type)
{
        bool is_pointer = type->kind == MSVC_POINTER;
        uint8_t quals;
        bool is_member;

        if (is_pointer)
                type->quals |= msvc_pointer_quals(m);
        if (!msvc_quals(m, &quals, &is_member))
                return false;
        if (!is_pointer) {
                type->quals = quals;
                return true;
        }
        type->a->quals |= quals;
        return !type->b || msvc_type_name(m);
}

static struct msvc_node *parse_variable(struct msvc_name *m)
{
        static const char *const access[] = {"private: static ", "protected: static ", "public: static "};
        unsigned code = (unsigned)(demangle_look(&m->d, 0) - '0');
        struct msvc_node *n = msvc_node(m, MSVC_VARIABLE);

        cursor_skip(&m->d.in, 1);
        if (!n)
                return NULL;
        n->text = code < 3 ? access[code] : NULL;
        n->b = msvc_type(m, MSVC_NO_QUALS);
        return n->b && parse_variable_quals(m, n->b) ? n : NULL;
}

struct msvc_node *msvc_declaration(struct msvc_name *m)
{
        struct msvc_node *name = msvc_symbol_name(m);
        struct msvc_node *part, *n;
        char code;

        if (!name)
                return NULL;
        code = demangle_look(&m->d, 0);
        n = code >= '0' && code <= '4' ? parse_variable(m) : msvc_function_symbol(m);
        if (!n)
                return NULL;
        n->a = name;
        part = msvc_last_part(name);
        if (part->kind == MSVC_CONVERSION && n->kind == MSVC_METHOD && n->b)
                part->a = n->b->a;
        return part->kind != MSVC_CONVERSION || part->a ? n : NULL;
}

/* ??@, 32 letters and @ replace a name that was too long; it cannot be decoded. */
static struct msvc_node *parse_hashed(struct msvc_name *m)
{
        struct msvc_node *n = msvc_node(m, MSVC_HASHED);
        const char *start = (const char *)m->d.in.at;
        const char *end = memchr(start + 3, '@', cursor_left(&m->d.in) - 3);

        if (!n || !end)
                return NULL;
        cursor_skip(&m->d.in, (size_t)(end - start) + 1);
        demangle_eat(&m->d, "??_R4@");
        n->text = start;
        n->len = (size_t)((const char *)m->d.in.at - start);
        return n;
}

static bool at_hashed(const struct msvc_name *m)
{
        return demangle_look(&m->d, 0) == '?' && demangle_look(&m->d, 1) == '?' &&
               demangle_look(&m->d, 2) == '@';
}

static struct msvc_node *parse_symbol(struct msvc_name *m)
{
        struct msvc_node *n;
        bool is_special;

        if (at_hashed(m))
                return parse_hashed(m);
        if (!demangle_eat(&m->d, "?"))
                return NULL;
        n = msvc_special(m, &is_special);
        return is_special ? n : msvc_declaration(m);
}

struct msvc_node *msvc_symbol(struct msvc_name *m)
{
        struct msvc_node *n;

        if (!msvc_enter(m))
                return NULL;
        n = parse_symbol(m);
        msvc_leave(m);
        return n;
}
