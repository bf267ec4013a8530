/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of one object file to frames: its debug information, wherever that stands, else its symbol table. */
#include "symbolize.h"

#include <stdlib.h>

#include "arena.h"
#include "debug_search.h"
#include "debug_split.h"
#include "demangle.h"
#include "map.h"
#include "object.h"
#include "strpool.h"
#include "symtab.h"

static const char *const default_debug_dirs[] = {"/usr/lib/debug", NULL};

struct symbolize {
        const struct symbolize_request *request; /* while it is being made */
        struct object *own, *debug, *alt;        /* debug: NULL when `own` has all there is */
        struct debug_split *split;               /* of the file that has the debug information */
        struct dwarf *dwarf;                     /* NULL without debug information */
        struct symtab *symtab;
        struct strpool *names; /* readable ones */
        struct map readable;   /* from the address of a name as in the file to its str_id */
        struct dwarf_frames frames;
        size_t *places; /* of each address of the request in the sorted, distinct ones */
        struct buf note;
};

/* --- Opening --- */

static void add_note(struct symbolize *s, const char *sentence)
{
        if (s->note.len)
                buf_add_char(&s->note, '\n');
        buf_add_str(&s->note, sentence);
}

static void open_debug(struct symbolize *s, const char *const *dirs)
{
        const struct object_facts *facts = object_get_facts(s->own);
        AUTO_RELEASE(buf) note = {0};
        struct debug_wanted wanted = {.build_id = facts->build_id,
                                      .build_id_size = facts->build_id_size,
                                      .path = s->request->path,
                                      .own = s->own,
                                      .dirs = dirs};

        s->debug = debug_search(&wanted, &note);
        if (note.len)
                add_note(s, buf_text(&note));
}

static void open_dwarf(struct symbolize *s)
{
        const char *const *dirs = s->request->debug_dirs ? s->request->debug_dirs : default_debug_dirs;
        AUTO_RELEASE(buf) note = {0};
        struct object *from = s->own;
        struct dwarf_split split;
        struct err err = {0};

        if (!object_find_section(s->own, ".debug_info")) {
                open_debug(s, dirs);
                from = s->debug ? s->debug : s->own;
        }
        s->alt = debug_search_alt(from, dirs, &note);
        if (note.len)
                add_note(s, buf_text(&note));
        s->dwarf = dwarf_open(from, s->alt, &err);
        if (!s->dwarf) {
                add_note(s, err.text);
                return;
        }
        s->split = debug_split_new(from == s->own ? s->request->path : object_name(from));
        split = debug_split_get(s->split);
        dwarf_set_split(s->dwarf, &split);
}

static void open_symbols(struct symbolize *s)
{
        s->symtab = symtab_new();
        if (!symtab_add_object(s->symtab, s->own, OBJECT_SYMBOLS) &&
            (!s->debug || !symtab_add_object(s->symtab, s->debug, OBJECT_SYMBOLS)))
                symtab_add_object(s->symtab, s->own, OBJECT_DYNAMIC_SYMBOLS);
        symtab_finish(s->symtab);
}

/* --- Names --- */

static const char *readable(struct symbolize *s, const char *name)
{
        AUTO_RELEASE(buf) text = {0};
        bool is_new;
        uint64_t *id;

        if (s->request->no_demangle || !name)
                return name;
        id = map_put(&s->readable, (uint64_t)(uintptr_t)name, &is_new);
        if (is_new)
                *id = demangle_cxx(name, true, &text) ? strpool_add(s->names, buf_text(&text)) : 0;
        return *id ? strpool_get(s->names, (str_id)*id) : name;
}

/* The function that the symbol table has for an address, for a frame that has none. */
static void add_symbol(struct symbolize *s, uint64_t addr, struct dwarf_span *span)
{
        struct dwarf_frames *frames = &s->frames;
        struct dwarf_frame *last;
        struct symtab_hit hit;

        if (span->n && frames->frames[span->first + span->n - 1].function)
                return;
        if (!symtab_find(s->symtab, addr, &hit) || !hit.name || hit.name_max == 0)
                return;
        if (!span->n) {
                *span = (struct dwarf_span){frames->n_frames, 1};
                ARRAY_PUSH(frames->frames, frames->n_frames, frames->cap_frames, (struct dwarf_frame){0});
        }
        last = &frames->frames[span->first + span->n - 1];
        last->function = hit.name;
        last->start = hit.start;
}

/* --- Looking up --- */

struct place {
        uint64_t addr;
        size_t index;
};

static int compare_places(const void *a, const void *b)
{
        const struct place *x = a, *y = b;

        return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The request's addresses sorted and distinct (free()); sets s->places. */
static uint64_t *sort_addrs(struct symbolize *s, size_t *ret_n)
{
        size_t n = s->request->n_addrs, n_distinct = 0;
        struct place *places = mem_new(n, sizeof(*places));
        uint64_t *addrs = mem_new(n, sizeof(*addrs));

        s->places = mem_new(n, sizeof(*s->places));
        for (size_t i = 0; i < n; i++)
                places[i] = (struct place){s->request->addrs[i], i};
        if (n)
                qsort(places, n, sizeof(*places), compare_places);
        for (size_t i = 0; i < n; i++) {
                if (!i || places[i].addr != places[i - 1].addr)
                        addrs[n_distinct++] = places[i].addr;
                s->places[places[i].index] = n_distinct - 1;
        }
        free(places);
        *ret_n = n_distinct;
        return addrs;
}

static void look_up(struct symbolize *s)
{
        size_t n;
        uint64_t *addrs = sort_addrs(s, &n);

        if (s->dwarf) {
                dwarf_find(s->dwarf, addrs, n, &s->frames);
                if (*dwarf_note(s->dwarf))
                        add_note(s, dwarf_note(s->dwarf));
        } else {
                s->frames.spans = mem_new(n, sizeof(*s->frames.spans));
        }
        for (size_t i = 0; i < n; i++)
                add_symbol(s, addrs[i], &s->frames.spans[i]);
        for (size_t i = 0; i < s->frames.n_frames; i++)
                s->frames.frames[i].function = readable(s, s->frames.frames[i].function);
        free(addrs);
}

struct symbolize *symbolize_make(const struct symbolize_request *request, struct err *err)
{
        AUTO(symbolize) s = mem_new(1, sizeof(*s));

        s->request = request;
        s->names = strpool_new();
        s->own = object_open(request->path, err);
        if (!s->own)
                return NULL;
        open_dwarf(s);
        open_symbols(s);
        look_up(s);
        s->request = NULL;
        if (!object_check(s->own, err) || (s->debug && !object_check(s->debug, err)) ||
            (s->alt && !object_check(s->alt, err)) || (s->split && !debug_split_check(s->split, err)))
                return NULL;
        return TAKE(s);
}

void symbolize_free(struct symbolize *s)
{
        if (!s)
                return;
        dwarf_free(s->dwarf);
        debug_split_free(s->split);
        symtab_free(s->symtab);
        object_free(s->alt);
        object_free(s->debug);
        object_free(s->own);
        strpool_free(s->names);
        map_release(&s->readable);
        dwarf_frames_release(&s->frames);
        buf_release(&s->note);
        free(s->places);
        free(s);
}

size_t symbolize_frames(const struct symbolize *s, size_t i, const struct dwarf_frame **ret_frames)
{
        const struct dwarf_span *span = &s->frames.spans[s->places[i]];

        *ret_frames = span->n ? &s->frames.frames[span->first] : NULL;
        return span->n;
}

const char *symbolize_note(const struct symbolize *s)
{
        return buf_text(&s->note);
}
