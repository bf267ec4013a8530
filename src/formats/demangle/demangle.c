/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognises mangled names of C++ and Rust, and handles prefixes and suffixes of compilers: clone suffixes
 * and global constructors.  Other files have the grammars; undecorate.c handles Microsoft's names. */
#include "demangle.h"

#include <stdlib.h>
#include <string.h>

#include "demangle_internal.h"
#include "demangle_rust_internal.h"
#include "undecorate.h"

static bool is_letter(char c)
{
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void add_bracketed(struct buf *out, const char *start, const struct demangle *d)
{
        buf_add_str(out, " [clone ");
        buf_add(out, start, (size_t)((const char *)d->in.at - start));
        buf_add_char(out, ']');
}

bool demangle_clone(struct demangle *d, struct buf *out)
{
        const char *start = (const char *)d->in.at;

        if (!demangle_eat(d, "."))
                return false;
        if (is_letter(demangle_look(d, 0))) {
                while (is_letter(demangle_look(d, 0)) || demangle_is_digit(demangle_look(d, 0)))
                        cursor_skip(&d->in, 1);
        } else if (!demangle_is_digit(demangle_look(d, 0))) {
                return false;
        } else {
                while (demangle_is_digit(demangle_look(d, 0)))
                        cursor_skip(&d->in, 1);
        }
        while (demangle_look(d, 0) == '.' && demangle_is_digit(demangle_look(d, 1))) {
                cursor_skip(&d->in, 1);
                while (demangle_is_digit(demangle_look(d, 0)))
                        cursor_skip(&d->in, 1);
        }
        add_bracketed(out, start, d);
        return true;
}

/* `.llvm.123`, which LLVM adds when a local name becomes global, to keep names distinct. */
static bool add_llvm(struct demangle *d, bool is_long, struct buf *out)
{
        const char *start = (const char *)d->in.at;

        if (!demangle_eat(d, ".llvm."))
                return false;
        while (is_letter(demangle_look(d, 0)) || demangle_is_digit(demangle_look(d, 0)))
                cursor_skip(&d->in, 1);
        if (is_long)
                add_bracketed(out, start, d);
        return true;
}

static bool demangle_rust(struct demangle *d, bool with_params, struct buf *out)
{
        struct cursor start = d->in;
        size_t len = out->len;

        if (demangle_rust_v0(d, with_params, out))
                return true;
        d->in = start;
        buf_truncate(out, len);
        if (demangle_rust_legacy(d, with_params, out))
                return true;
        d->in = start;
        buf_truncate(out, len);
        return false;
}

static bool demangle_one(struct demangle *d, enum encoding_part part, struct buf *out)
{
        bool is_rust = demangle_rust(d, part != NAME_ONLY, out);
        struct node *n;

        if (!is_rust) {
                n = demangle_eat(d, "_Z") ? demangle_encoding(d) : NULL;
                if (!n || (cursor_left(&d->in) && demangle_look(d, 0) != '.'))
                        return false;
                if (!print_whole(d, n, part, out))
                        return false;
        }
        while (cursor_left(&d->in)) {
                if (!(is_rust && add_llvm(d, part != NAME_ONLY, out)) && !demangle_clone(d, out))
                        return false;
        }
        return true;
}

/* _GLOBAL__I_NAME and similar names: returns the length of the prefix, 0 for other names. */
static size_t add_keyed_prefix(const char *mangled, struct buf *out)
{
        bool ctors;

        if (strncmp(mangled, "_GLOBAL_", 8) != 0 || !mangled[8] || !strchr("._$", mangled[8]))
                return 0;
        ctors = mangled[9] == 'I';
        if ((!ctors && mangled[9] != 'D') || mangled[10] != '_')
                return 0;
        buf_add_str(out, ctors ? "global constructors keyed to " : "global destructors keyed to ");
        return 11;
}

static bool demangle_bytes(const char *mangled, size_t len, enum encoding_part part, struct buf *out)
{
        struct demangle d = {.in = cursor_make(mangled, len)};
        bool ok = demangle_one(&d, part, out);

        arena_release(&d.arena);
        free(d.subs);
        return ok;
}

static void restore(struct buf *out, size_t len)
{
        out->len = len;
        if (out->data)
                out->data[len] = '\0';
}

static bool demangle_part(const char *mangled, enum encoding_part part, struct buf *out)
{
        size_t start = out->len;
        size_t len, prefix;

        if (mangled[0] == '?')
                return undecorate(mangled, part != NAME_ONLY, out);
        if (mangled[0] != '_')
                return false;
        len = strnlen(mangled, DEMANGLE_MAX_INPUT_BYTES + 1);
        if (len > DEMANGLE_MAX_INPUT_BYTES)
                return false;
        prefix = add_keyed_prefix(mangled, out);
        if (prefix && strncmp(mangled + prefix, "_Z", 2) != 0)
                buf_add(out, mangled + prefix, len - prefix);
        else if (!demangle_bytes(mangled + prefix, len - prefix, part, out)) {
                restore(out, start);
                return false;
        }
        return true;
}

bool demangle_cxx(const char *mangled, bool with_params, struct buf *out)
{
        return demangle_part(mangled, with_params ? FULL_ENCODING : NAME_ONLY, out);
}

bool demangle_arguments(const char *mangled, struct buf *out)
{
        return demangle_part(mangled, WITHOUT_RETURN, out);
}
