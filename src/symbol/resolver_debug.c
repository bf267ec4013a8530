/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolver_debug.h"

#include <stdlib.h>

#include "arena.h"
#include "note.h"

struct resolver_debug {
        struct object *own; /* of the caller */
        struct object
                *debug; /* found here; NULL when the caller has it, or the file itself has all there is */
        struct object *alt;
        struct dwarf *dwarf;
};

static void begin_sentence(struct buf *note)
{
        if (note->len)
                buf_add_str(note, "; ");
}

/* The object to read, of the three that it may stand in. */
static struct object *choose(struct resolver_debug *d, const struct debug_wanted *wanted,
                             struct object *known_debug, struct buf *note)
{
        AUTO_RELEASE(buf) refused = {0};

        if (d->own && object_find_section(d->own, ".debug_info"))
                return d->own;
        if (known_debug)
                return known_debug;
        d->debug = debug_search(wanted, &refused);
        if (refused.len) {
                begin_sentence(note);
                buf_add_str(note, buf_text(&refused));
        }
        return d->debug ? d->debug : d->own;
}

/* That it is stripped, or of another build, may have been said already. */
static void add_open_error(struct buf *note, const struct err *err, const char *path)
{
        if (err->code == ERR_MISSING) {
                if (!note->len)
                        buf_add_str(note, "has no debug information");
                return;
        }
        begin_sentence(note);
        note_add_error(note, err, path);
}

struct resolver_debug *resolver_debug_new(const struct debug_wanted *wanted, struct object *known_debug,
                                          struct buf *note)
{
        struct resolver_debug *d = mem_new(1, sizeof(*d));
        AUTO_RELEASE(buf) missing = {0};
        struct object *from;
        struct err err = {0};

        d->own = wanted->own;
        from = choose(d, wanted, known_debug, note);
        if (!from)
                return d;
        d->alt = debug_search_alt(from, wanted->dirs, wanted->remote, &missing);
        if (missing.len) {
                begin_sentence(note);
                buf_add_str(note, buf_text(&missing));
        }
        d->dwarf = dwarf_open(from, d->alt, &err);
        if (!d->dwarf) {
                add_open_error(note, &err, object_name(from));
        }
        return d;
}

void resolver_debug_free(struct resolver_debug *d)
{
        if (!d)
                return;
        dwarf_free(d->dwarf);
        object_free(d->alt);
        object_free(d->debug);
        free(d);
}

struct dwarf *resolver_debug_dwarf(const struct resolver_debug *d)
{
        return d->dwarf;
}

bool resolver_debug_check(const struct resolver_debug *d, struct err *err)
{
        return (!d->own || object_check(d->own, err)) && (!d->debug || object_check(d->debug, err)) &&
               (!d->alt || object_check(d->alt, err));
}
