/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolver_debug.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "debug_split.h"
#include "note.h"
#include "symbol_index.h"

struct resolver_debug {
        const char *path;   /* of the object file */
        struct object *own; /* of the caller */
        struct object
                *debug; /* found here; NULL when the caller has it, or the file itself has all there is */
        struct object *alt;
        struct object *from; /* the one of them that is read; NULL: none */
        struct pdb *pdb;     /* of the caller, read in their place; NULL */
        uint64_t image_base; /* of the PDB's addresses */
        struct debug_split *split;
        struct dwarf *dwarf; /* opened when it is asked for something that the index does not know */
        bool is_opened;
        struct symbol_index *index;
        bool is_index_said;
        struct buf *note; /* the module's */
        struct buf said;  /* what stands in it of the reader's note; the first time behind all else */
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

/* Sentences, one a line, each of which is said once. */
static void add_once(struct buf *note, const char *text)
{
        while (*text) {
                AUTO_RELEASE(buf) sentence = {0};

                buf_add(&sentence, text, strcspn(text, "\n"));
                text += sentence.len + (text[sentence.len] == '\n');
                if (strstr(buf_text(note), buf_text(&sentence)))
                        continue;
                begin_sentence(note);
                buf_add_str(note, buf_text(&sentence));
        }
}

/* Why the index, or a file of it, is not used: once. */
static void say_index(struct resolver_debug *d, const char *why)
{
        if (!*why || d->is_index_said)
                return;
        d->is_index_said = true;
        begin_sentence(d->note);
        buf_printf(d->note, "answers on disk are not used: %s", why);
}

static void open_index(struct resolver_debug *d, const struct symbol_index_options *options)
{
        struct symbol_index_key key;
        struct err err = {0};

        if (!symbol_index_key_make(d->own ? d->own : d->from, d->from, d->alt, &key))
                return;
        d->index = symbol_index_open(options, &key, &err);
        say_index(d, d->index ? symbol_index_note(d->index) : err.text);
}

struct resolver_debug *resolver_debug_new(const struct debug_wanted *wanted,
                                          const struct resolver_known *known,
                                          const struct resolver_sources *sources, struct buf *note)
{
        struct resolver_debug *d = mem_new(1, sizeof(*d));
        AUTO_RELEASE(buf) missing = {0};

        d->own = wanted->own;
        d->path = wanted->path;
        d->note = note;
        d->pdb = known->pdb;
        d->image_base = known->image_base;
        if (!d->pdb)
                d->from = choose(d, wanted, known->debug, note);
        if (!d->from)
                return d;
        d->alt = debug_search_alt(d->from, wanted->dirs, wanted->remote, &missing);
        add_once(note, buf_text(&missing));
        if (sources && sources->index && object_find_section(d->from, ".debug_info"))
                open_index(d, sources->index);
        return d;
}

void resolver_debug_free(struct resolver_debug *d)
{
        if (!d)
                return;
        if (d->index && resolver_debug_check(d, NULL))
                symbol_index_save(d->index, NULL);
        symbol_index_free(d->index);
        dwarf_free(d->dwarf);
        debug_split_free(d->split);
        object_free(d->alt);
        object_free(d->debug);
        buf_release(&d->said);
        free(d);
}

/* Opens the reader where that was not needed before; NULL: there is no debug information. */
static struct dwarf *open_dwarf(struct resolver_debug *d)
{
        struct dwarf_split split;
        struct err err = {0};

        if (!d->from || d->is_opened)
                return d->dwarf;
        d->is_opened = true;
        d->dwarf = dwarf_open(d->from, d->alt, &err);
        if (!d->dwarf) {
                add_open_error(d->note, &err, object_name(d->from));
                return NULL;
        }
        d->split = debug_split_new(d->from == d->own ? d->path : object_name(d->from));
        split = debug_split_get(d->split);
        dwarf_set_split(d->dwarf, &split);
        return d->dwarf;
}

/* The reader's note grows with each damaged unit: the longer one takes the place of the one before. */
static void say_note(struct resolver_debug *d, const char *text)
{
        AUTO_RELEASE(buf) now = {0};
        AUTO_RELEASE(buf) rest = {0};
        const char *at = d->said.len ? strstr(buf_text(d->note), buf_text(&d->said)) : NULL;

        for (const char *c = text; *c; c++)
                buf_add_str(&now, *c == '\n' ? "; " : (char[]){*c, 0});
        if (!now.len || !strcmp(buf_text(&now), buf_text(&d->said)))
                return;
        if (at) {
                buf_add_str(&rest, at + d->said.len);
                buf_truncate(d->note, (size_t)(at - d->note->data));
        } else {
                begin_sentence(d->note);
        }
        buf_add(d->note, now.data, now.len);
        buf_add(d->note, rest.data, rest.len);
        buf_clear(&d->said);
        buf_add(&d->said, now.data, now.len);
}

/* Answers of what is damaged or missing are not kept, so that it is said again. */
static bool ask(void *ctx, const uint64_t *addrs, size_t n, struct source_frames *ret_frames)
{
        struct resolver_debug *d = ctx;
        struct dwarf *dwarf = open_dwarf(d);

        if (!dwarf) {
                *ret_frames = (struct source_frames){.spans = mem_new(n, sizeof(*ret_frames->spans))};
                return false;
        }
        dwarf_find(dwarf, addrs, n, ret_frames);
        say_note(d, dwarf_note(dwarf));
        return !*dwarf_note(dwarf);
}

/* The sorted addresses that can be of the image, as RVAs (free()). */
static uint64_t *to_rvas(const struct resolver_debug *d, const uint64_t *addrs, size_t n, size_t *ret_first,
                         size_t *ret_n)
{
        uint64_t *rvas = mem_new(n, sizeof(*rvas));
        size_t first = 0, end = n;

        while (first < n && addrs[first] < d->image_base)
                first++;
        while (end > first && addrs[end - 1] - d->image_base > UINT32_MAX)
                end--;
        for (size_t i = first; i < end; i++)
                rvas[i - first] = addrs[i] - d->image_base;
        *ret_first = first;
        *ret_n = end - first;
        return rvas;
}

static void find_in_pdb(struct resolver_debug *d, const uint64_t *addrs, size_t n,
                        struct source_frames *ret_frames)
{
        struct source_frames found;
        size_t first, n_rvas;
        uint64_t *rvas = to_rvas(d, addrs, n, &first, &n_rvas);
        struct source_span *spans = mem_new(n, sizeof(*spans));

        pdb_find(d->pdb, rvas, n_rvas, &found);
        for (size_t i = 0; i < found.n_frames; i++)
                found.frames[i].start += found.frames[i].function ? d->image_base : 0;
        for (size_t i = 0; i < n_rvas; i++)
                spans[first + i] = found.spans[i];
        free(found.spans);
        found.spans = spans;
        *ret_frames = found;
        free(rvas);
        say_note(d, pdb_note(d->pdb));
}

void resolver_debug_find(struct resolver_debug *d, const uint64_t *addrs, size_t n,
                         struct source_frames *ret_frames)
{
        if (d->pdb) {
                find_in_pdb(d, addrs, n, ret_frames);
                return;
        }
        symbol_index_look_up(d->index, addrs, n, ask, d, ret_frames);
        if (d->index)
                say_index(d, symbol_index_note(d->index));
}

static size_t find_pdb_labels(struct resolver_debug *d, uint32_t rva, struct dwarf_label **ret_labels)
{
        struct pdb_label *found;
        size_t n = pdb_find_labels(d->pdb, rva, &found);

        *ret_labels = mem_new(n, sizeof(**ret_labels));
        for (size_t i = 0; i < n; i++)
                (*ret_labels)[i] = (struct dwarf_label){
                        .name = found[i].name, .addr = d->image_base + found[i].rva, .has_addr = true};
        free(found);
        return n;
}

size_t resolver_debug_find_labels(struct resolver_debug *d, uint64_t addr, struct dwarf_label **ret_labels)
{
        struct dwarf *dwarf;

        *ret_labels = NULL;
        if (d->pdb)
                return addr - d->image_base <= UINT32_MAX
                               ? find_pdb_labels(d, (uint32_t)(addr - d->image_base), ret_labels)
                               : 0;
        dwarf = open_dwarf(d);
        return dwarf ? dwarf_find_labels(dwarf, addr, ret_labels) : 0;
}

static size_t find_pdb_extents(struct resolver_debug *d, uint32_t rva, struct dwarf_extent **ret_extents)
{
        struct pdb_extent *found;
        size_t n = pdb_find_extents(d->pdb, rva, &found);

        *ret_extents = mem_new(n, sizeof(**ret_extents));
        for (size_t i = 0; i < n; i++)
                (*ret_extents)[i] =
                        (struct dwarf_extent){d->image_base + found[i].start, d->image_base + found[i].end};
        free(found);
        return n;
}

size_t resolver_debug_find_extents(struct resolver_debug *d, uint64_t addr, struct dwarf_extent **ret_extents)
{
        struct dwarf *dwarf;

        *ret_extents = NULL;
        if (d->pdb)
                return addr - d->image_base <= UINT32_MAX
                               ? find_pdb_extents(d, (uint32_t)(addr - d->image_base), ret_extents)
                               : 0;
        dwarf = open_dwarf(d);
        return dwarf ? dwarf_find_extents(dwarf, addr, ret_extents) : 0;
}

bool resolver_debug_check(const struct resolver_debug *d, struct err *err)
{
        return (!d->own || object_check(d->own, err)) && (!d->debug || object_check(d->debug, err)) &&
               (!d->alt || object_check(d->alt, err)) && (!d->split || debug_split_check(d->split, err));
}
