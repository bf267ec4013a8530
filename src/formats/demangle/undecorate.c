/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognises decorated names of Microsoft's C++, and handles suffixes of compilers.  Other files have the
 * grammar, which has no specification. */
#include "undecorate.h"

#include <string.h>

#include "msvc_internal.h"

/* The name in an object of type_info: a dot and a type. */
static struct msvc_node *parse_type_name(struct msvc_name *m)
{
        struct msvc_node *n =
                msvc_wrap(m, MSVC_TYPE_DATA, msvc_text(m, MSVC_NAME, "`RTTI Type Descriptor Name'"));

        if (!n)
                return NULL;
        n->b = msvc_type(m, MSVC_RESULT_QUALS);
        return n->b && !cursor_left(&m->d.in) ? n : NULL;
}

static bool is_word(char c)
{
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || demangle_is_digit(c) || c == '_' ||
               c == '$';
}

/* `$exit_thunk`, `$initializer$` and similar: the purpose of a function, or of a pointer to one. */
static bool add_marker(struct msvc_name *m, struct buf *out)
{
        const char *start = (const char *)m->d.in.at;
        size_t len;

        if (demangle_eat(&m->d, "$$h@")) /* mark of ARM64EC after a hashed name */
                return true;
        if (!demangle_eat(&m->d, "$"))
                return false;
        while (is_word(demangle_look(&m->d, 0)))
                cursor_skip(&m->d.in, 1);
        len = (size_t)((const char *)m->d.in.at - start);
        if (len > 2 && start[len - 1] == '$')
                len--;
        buf_add_str(out, " [");
        buf_add(out, start + 1, len - 1);
        buf_add_char(out, ']');
        return true;
}

static bool add_name(struct msvc_name *m, bool with_params, struct buf *out)
{
        struct msvc_printer p = {.m = m, .out = out, .start = out->len, .is_long = with_params};
        const struct msvc_node *n = demangle_eat(&m->d, ".") ? parse_type_name(m) : msvc_symbol(m);

        if (!n)
                return false;
        msvc_print(&p, n);
        while (!p.failed && cursor_left(&m->d.in)) {
                if (!add_marker(m, out) && !demangle_clone(&m->d, out))
                        return false;
        }
        return !p.failed;
}

bool undecorate(const char *decorated, bool with_params, struct buf *out)
{
        size_t start = out->len;
        struct msvc_name m;
        size_t len;
        bool ok;

        if (decorated[0] != '?' && decorated[0] != '.')
                return false;
        len = strnlen(decorated, UNDECORATE_MAX_INPUT_BYTES + 1);
        if (len > UNDECORATE_MAX_INPUT_BYTES)
                return false;
        m.d = (struct demangle){.in = cursor_make(decorated, len)};
        m.refs = (struct msvc_refs){0};
        m.n_near = 0;
        ok = add_name(&m, with_params, out);
        arena_release(&m.d.arena);
        if (!ok)
                buf_truncate(out, start);
        return ok;
}
