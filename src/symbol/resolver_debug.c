/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolver_debug.h"

#include <assert.h>
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
        struct object *from;     /* the one of them that is read; NULL: none */
        struct resolver_pdb pdb; /* of the caller, read in their place */
        struct debug_split *split;
        struct dwarf *dwarf; /* opened when it is asked for something that the index does not know */
        bool is_opened;
        struct symbol_index_options index_options;
        struct symbol_index *indexes[SYMBOL_INDEX_N_KINDS]; /* NULL: none, or not asked yet */
        bool has_index[SYMBOL_INDEX_N_KINDS];               /* it is open, or can't be opened */
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

/* NULL: there is none. */
static struct symbol_index *get_index(struct resolver_debug *d, enum symbol_index_kind kind,
                                      uint64_t answers_version)
{
        struct symbol_index_key key;
        struct err err = {0};

        if (d->has_index[kind] || !d->index_options.folder)
                return d->indexes[kind];
        d->has_index[kind] = true;
        if (!symbol_index_key_make(d->own ? d->own : d->from, d->from, d->alt, &key))
                return NULL;
        key.kind = (uint8_t)kind;
        key.answers_version = answers_version;
        d->indexes[kind] = symbol_index_open(&d->index_options, &key, &err);
        say_index(d, d->indexes[kind] ? symbol_index_note(d->indexes[kind]) : err.text);
        return d->indexes[kind];
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
        if (!d->pdb.pdb)
                d->from = choose(d, wanted, known->debug, note);
        if (!d->from)
                return d;
        d->alt = debug_search_alt(d->from, wanted->dirs, wanted->remote, &missing);
        add_once(note, buf_text(&missing));
        if (sources && sources->index && object_find_section(d->from, ".debug_info"))
                d->index_options = *sources->index;
        return d;
}

/* Of all modules that can't be kept the first one's reason is enough. */
static void save_index(const struct resolver_debug *d, struct symbol_index *index)
{
        struct err *said = d->index_options.save_err;
        struct err err = {0};

        if (!symbol_index_save(index, &err) && said && !said->code)
                *said = err;
}

void resolver_debug_free(struct resolver_debug *d)
{
        if (!d)
                return;
        for (size_t kind = 0; kind < SYMBOL_INDEX_N_KINDS; kind++) {
                if (d->indexes[kind] && resolver_debug_check(d, NULL))
                        save_index(d, d->indexes[kind]);
                symbol_index_free(d->indexes[kind]);
        }
        dwarf_free(d->dwarf);
        debug_split_free(d->split);
        object_free(d->alt);
        object_free(d->debug);
        buf_release(&d->said);
        free(d);
}

/* Opens the reader where that was not needed before; NULL: there is no debug information. */
static struct dwarf *get_dwarf(struct resolver_debug *d)
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
        d->split =
                debug_split_new(d->from == d->own ? d->path : object_name(d->from), object_budget(d->from));
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

/* --- Questions --- */

typedef void question_fn(struct dwarf *dwarf, const uint64_t *addrs, size_t n,
                         struct source_frames *ret_frames);

struct asking {
        struct resolver_debug *debug;
        question_fn *question;
};

/* Answers of what is damaged or missing are not kept, so that it is said again. */
static bool ask(void *ctx, const uint64_t *addrs, size_t n, struct source_frames *ret_frames)
{
        const struct asking *asking = ctx;
        struct dwarf *dwarf = get_dwarf(asking->debug);

        if (!dwarf) {
                *ret_frames = (struct source_frames){.spans = mem_new(n, sizeof(*ret_frames->spans))};
                return false;
        }
        asking->question(dwarf, addrs, n, ret_frames);
        say_note(asking->debug, dwarf_note(dwarf));
        return !*dwarf_note(dwarf);
}

static void look_up(struct resolver_debug *d, enum symbol_index_kind kind, question_fn *question,
                    const uint64_t *addrs, size_t n, struct source_frames *ret_frames)
{
        struct asking asking = {d, question};
        struct symbol_index *index = get_index(d, kind, DWARF_ANSWERS_VERSION);

        symbol_index_look_up(index, addrs, n, ask, &asking, ret_frames);
        if (index)
                say_index(d, symbol_index_note(index));
}

void resolver_debug_find(struct resolver_debug *d, const uint64_t *addrs, size_t n,
                         struct source_frames *ret_frames)
{
        if (d->pdb.pdb) {
                resolver_pdb_find(&d->pdb, addrs, n, ret_frames);
                say_note(d, pdb_note(d->pdb.pdb));
                return;
        }
        look_up(d, SYMBOL_INDEX_FRAMES, dwarf_find, addrs, n, ret_frames);
}

/* --- Labels and extents, as frames of the one address that is asked about --- */

static void begin_span(struct source_frames *frames)
{
        *frames = (struct source_frames){.spans = mem_new(1, sizeof(*frames->spans))};
}

static void add_frame(struct source_frames *frames, const struct source_frame *frame)
{
        ARRAY_PUSH(frames->frames, frames->n_frames, frames->cap_frames, *frame);
        frames->spans[0].n++;
}

static void ask_labels(struct dwarf *dwarf, const uint64_t *addrs, size_t n, struct source_frames *ret_frames)
{
        struct source_label *labels;
        size_t n_labels = dwarf_find_labels(dwarf, addrs[0], &labels);

        assert(n == 1);
        begin_span(ret_frames);
        for (size_t i = 0; i < n_labels; i++)
                add_frame(ret_frames, &(struct source_frame){.function = labels[i].name,
                                                             .path = labels[i].path,
                                                             .line = labels[i].line,
                                                             .column = labels[i].has_addr,
                                                             .start = labels[i].addr});
        free(labels);
}

size_t resolver_debug_labels(struct resolver_debug *d, uint64_t addr, struct source_label **ret_labels)
{
        struct source_frames frames;
        struct source_span span;

        if (d->pdb.pdb)
                return resolver_pdb_labels(&d->pdb, addr, ret_labels);
        look_up(d, SYMBOL_INDEX_LABELS, ask_labels, &addr, 1, &frames);
        span = frames.spans[0];
        *ret_labels = mem_new(span.n, sizeof(**ret_labels));
        for (size_t i = 0; i < span.n; i++) {
                const struct source_frame *frame = &frames.frames[span.first + i];

                (*ret_labels)[i] = (struct source_label){
                        frame->function, frame->path, frame->line, frame->start, frame->column,
                };
        }
        source_frames_release(&frames);
        return span.n;
}

static void ask_extents(struct dwarf *dwarf, const uint64_t *addrs, size_t n,
                        struct source_frames *ret_frames)
{
        struct source_extent *extents;
        size_t n_extents = dwarf_find_extents(dwarf, addrs[0], &extents);

        assert(n == 1);
        begin_span(ret_frames);
        for (size_t i = 0; i < n_extents; i++) {
                add_frame(ret_frames, &(struct source_frame){.start = extents[i].start});
                add_frame(ret_frames, &(struct source_frame){.start = extents[i].end});
        }
        free(extents);
}

size_t resolver_debug_extents(struct resolver_debug *d, uint64_t addr, struct source_extent **ret_extents)
{
        struct source_frames frames;
        struct source_span span;
        size_t n;

        if (d->pdb.pdb)
                return resolver_pdb_extents(&d->pdb, addr, ret_extents);
        look_up(d, SYMBOL_INDEX_EXTENTS, ask_extents, &addr, 1, &frames);
        span = frames.spans[0];
        n = span.n / 2;
        *ret_extents = mem_new(n, sizeof(**ret_extents));
        for (size_t i = 0; i < n; i++) {
                const struct source_frame *pair = &frames.frames[span.first + 2 * i];

                (*ret_extents)[i] = (struct source_extent){pair[0].start, pair[1].start};
        }
        source_frames_release(&frames);
        return n;
}

/* --- Instructions --- */

bool resolver_debug_recall_insns(struct resolver_debug *d, uint64_t dialect, uint64_t addr,
                                 struct source_frames *ret_frames)
{
        struct symbol_index *index = get_index(d, SYMBOL_INDEX_INSNS, dialect);
        bool known = false;

        *ret_frames = (struct source_frames){0};
        if (!index)
                return false;
        symbol_index_find(index, &addr, 1, ret_frames, &known);
        say_index(d, symbol_index_note(index));
        return known;
}

void resolver_debug_keep_insns(struct resolver_debug *d, uint64_t dialect, uint64_t addr,
                               const struct source_frames *frames)
{
        struct symbol_index *index = get_index(d, SYMBOL_INDEX_INSNS, dialect);

        if (index)
                symbol_index_add(index, &addr, 1, frames);
}

bool resolver_debug_check(const struct resolver_debug *d, struct err *err)
{
        return (!d->own || object_check(d->own, err)) && (!d->debug || object_check(d->debug, err)) &&
               (!d->alt || object_check(d->alt, err)) && (!d->split || debug_split_check(d->split, err));
}
