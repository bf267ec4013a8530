/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolver_debug.h"

#include <stdlib.h>
#include <string.h>

#include "debug_split.h"
#include "mem.h"
#include "note.h"

enum { MAX_DWOS = 256 }; /* maximum number of files that are opened to make the key, before any lookup */

struct resolver_debug {
        const char *path;   /* path of the object file */
        struct object *own; /* belongs to the caller */
        /* found here; NULL if the caller has it, or the file itself has debug information */
        struct object *debug;
        struct object *alt;
        struct object *from;     /* the object that is read; NULL: none */
        struct resolver_pdb pdb; /* belongs to the caller; read instead of them */
        struct debug_split *split;
        struct dwarf *dwarf; /* opened for the first lookup that is not in the cache */
        bool is_opened;
        struct answers_cache_options cache_options;
        struct answers_key own_key; /* key without .dwo files; the list of these is stored by it */
        struct answers_key key;     /* key for all kinds */
        size_t n_dwos;              /* number of .dwo files in the key */
        bool has_key, is_key_asked;
        struct answers_cache *caches[ANSWER_N_KINDS]; /* NULL: none, or not opened yet */
        bool has_cache[ANSWER_N_KINDS];               /* opening was tried */
        bool is_cache_said;
        struct buf *note; /* note of the module */
        struct buf said; /* the part of the note that came from the reader; the first time it is at the end */
};

static void begin_sentence(struct buf *note)
{
        if (note->len)
                buf_add_str(note, "; ");
}

/* Chooses the object to read among the three that may have debug information. */
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

/* The note may already say that the file is stripped or has another build id. */
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

/* Adds sentences, one a line, that are not in the text yet. */
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

/* Says why the cache, or a file in it, is not used; only once. */
static void say_cache(struct resolver_debug *d, const char *why)
{
        if (!*why || d->is_cache_said)
                return;
        d->is_cache_said = true;
        begin_sentence(d->note);
        buf_printf(d->note, "the symbol cache is not used: %s", why);
}

static struct debug_split *get_split(struct resolver_debug *d)
{
        if (!d->split)
                d->split = debug_split_new(d->from == d->own ? d->path : object_name(d->from),
                                           object_budget(d->from));
        return d->split;
}

/* If answers of several modules can't be stored, only the first reason is reported. */
static void say_not_kept(const struct resolver_debug *d, const struct err *err)
{
        struct err *said = d->cache_options.save_err;

        if (said && !said->code)
                *said = *err;
}

/* --- The cache --- */

/* Adds the files at the possible paths of the known .dwo files to the key. */
static bool add_dwos(const struct resolver_debug *d, struct answers_key *key, struct err *err)
{
        AUTO_RELEASE(buf) list = {0};

        for (size_t i = 0; i < d->split->n_dwos; i++) {
                const struct debug_dwo *dwo = &d->split->dwos[i];

                buf_add_u64(&list, dwo->wanted.id);
                for (size_t k = 0; k < DEBUG_DWO_PLACES; k++) {
                        struct digest content = {0};

                        if (dwo->places[k] && !answers_content_find(d->cache_options.folder, dwo->places[k],
                                                                    dwarf_section_name, &content, err))
                                return false;
                        buf_add(&list, &content, sizeof(content));
                }
        }
        if (list.len)
                answers_key_add_dwos(key, &list);
        return true;
}

static void open_cache(struct resolver_debug *d, struct answers_key key, enum answer_kind kind,
                       uint64_t version)
{
        struct err err = {0};

        key.kind = (uint8_t)kind;
        key.version = version;
        d->caches[kind] = answers_cache_open(&d->cache_options, &key, &err);
        say_cache(d, d->caches[kind] ? answers_cache_note(d->caches[kind]) : err.text);
}

/* Opens the .dwo files that were needed in earlier runs, because only reading the debug information shows
 * which of hundreds are needed.  Programs without this section have none. */
static void open_dwos(struct resolver_debug *d)
{
        const struct module_answers *known;

        if (!object_find_section(d->from, ".debug_addr"))
                return;
        open_cache(d, d->own_key, ANSWER_DWOS, DWARF_ANSWERS_VERSION);
        known = d->caches[ANSWER_DWOS] ? answers_cache_file(d->caches[ANSWER_DWOS]) : NULL;
        for (size_t i = 0; known && i < answers_n_ranges(known, ANSWER_DWOS); i++) {
                struct answer_range run = answers_get_range(known, ANSWER_DWOS, i);
                struct answer_found found = answers_of_range(known, ANSWER_DWOS, i);
                const struct answer_dwo *item = found.list.n ? answer_found_get(&found, 0) : NULL;
                struct dwarf_dwo dwo = {.id = run.first};

                if (!item)
                        continue;
                dwo.folder = answers_text(found.store, item->folder);
                dwo.name = answers_text(found.store, item->name);
                for (; dwo.id - run.first <= run.last - run.first && d->n_dwos < MAX_DWOS;
                     dwo.id++, d->n_dwos++)
                        debug_split_open(d->split, &dwo);
        }
}

/* False: answers from these files are not cached. */
static bool make_key(struct resolver_debug *d)
{
        const struct answers_sources sources = {{d->from, d->alt, get_split(d)->package}, dwarf_section_name};
        struct err err = {0};

        if (answers_key_make(d->cache_options.folder, d->own ? d->own : d->from, &sources, &d->own_key,
                             &err)) {
                open_dwos(d);
                d->key = d->own_key;
                if (add_dwos(d, &d->key, &err))
                        return true;
        }
        if (err.code == ERR_DENIED)
                say_cache(d, err.text);
        else if (err.code != ERR_UNSUPPORTED)
                say_not_kept(d, &err);
        return false;
}

/* NULL: there is no cache. */
static struct answers_cache *get_cache(struct resolver_debug *d, enum answer_kind kind, uint64_t version)
{
        if (d->has_cache[kind] || !d->cache_options.folder)
                return d->caches[kind];
        d->has_cache[kind] = true;
        if (!d->is_key_asked)
                d->has_key = make_key(d);
        d->is_key_asked = true;
        if (d->has_key)
                open_cache(d, d->key, kind, version);
        return d->caches[kind];
}

/* If a file was changed while it was read, its digest may not match the bytes that were used. */
static bool is_changed(const struct resolver_debug *d)
{
        return object_is_changed(d->from) || (d->alt && object_is_changed(d->alt)) ||
               debug_split_is_changed(d->split);
}

/* If more .dwo files were needed than are in the key: stores the list, and makes a key with all of them. */
static bool keep_dwos(struct resolver_debug *d, struct err *err)
{
        struct answers_cache *cache = d->caches[ANSWER_DWOS];
        struct answers_key key = d->own_key;
        const struct debug_dwo *dwos = d->split->dwos;
        size_t n = d->split->n_dwos;

        if (n == d->n_dwos)
                return true;
        if (!cache || n > MAX_DWOS || d->split->is_ambiguous || !add_dwos(d, &key, err))
                return false;
        for (size_t i = 0; i < n; i++) {
                const struct answer_dwo item = {answers_cache_text(cache, dwos[i].wanted.folder),
                                                answers_cache_text(cache, dwos[i].wanted.name)};

                answers_cache_add(cache, dwos[i].wanted.id, &item, 1);
        }
        for (size_t kind = 0; kind < ANSWER_N_KINDS; kind++) {
                if (d->caches[kind] && kind != ANSWER_DWOS)
                        answers_cache_move(d->caches[kind], &key);
        }
        return true;
}

static void save_caches(struct resolver_debug *d)
{
        struct err err = {0};
        bool ok;

        if (!d->has_key || !resolver_debug_check(d, NULL))
                return;
        ok = keep_dwos(d, &err) && !is_changed(d);
        for (size_t kind = 0; ok && kind < ANSWER_N_KINDS; kind++)
                ok = !d->caches[kind] || answers_cache_save(d->caches[kind], &err);
        if (err.code && err.code != ERR_UNSUPPORTED)
                say_not_kept(d, &err);
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
                d->cache_options = *sources->index;
        return d;
}

void resolver_debug_free(struct resolver_debug *d)
{
        if (!d)
                return;
        save_caches(d);
        for (size_t kind = 0; kind < ANSWER_N_KINDS; kind++)
                answers_cache_free(d->caches[kind]);
        dwarf_free(d->dwarf);
        debug_split_free(d->split);
        object_free(d->alt);
        object_free(d->debug);
        buf_release(&d->said);
        free(d);
}

/* Opens the reader if it was not needed before; NULL: there is no debug information. */
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
        split = debug_split_get(get_split(d));
        dwarf_set_split(d->dwarf, &split);
        return d->dwarf;
}

/* The reader's note grows with each damaged unit, so the new note replaces the old one. */
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

/* --- Lookups --- */

/* Answers from damaged or incomplete debug information are not cached, so that the note is printed again. */
static bool is_worth_keeping(struct resolver_debug *d, const struct dwarf *dwarf)
{
        say_note(d, dwarf_note(dwarf));
        return !*dwarf_note(dwarf);
}

static bool ask_frames(void *ctx, const uint64_t *addrs, size_t n, struct source_frames *ret_frames)
{
        struct resolver_debug *d = ctx;
        struct dwarf *dwarf = get_dwarf(d);

        if (!dwarf) {
                *ret_frames = (struct source_frames){.spans = mem_new(n, sizeof(*ret_frames->spans))};
                return false;
        }
        dwarf_find(dwarf, addrs, n, ret_frames);
        return is_worth_keeping(d, dwarf);
}

void resolver_debug_find(struct resolver_debug *d, const uint64_t *addrs, size_t n,
                         struct answered_frames *ret_frames)
{
        struct answers_cache *cache;

        if (d->pdb.pdb) {
                *ret_frames = (struct answered_frames){0};
                resolver_pdb_find(&d->pdb, addrs, n, &ret_frames->rest);
                say_note(d, pdb_note(d->pdb.pdb));
                return;
        }
        cache = get_cache(d, ANSWER_FRAMES, DWARF_ANSWERS_VERSION);
        answers_cache_look_up(cache, addrs, n, ask_frames, d, ret_frames);
}

/* --- Labels and extents of the function at an address --- */

static void keep_labels(struct answers_cache *cache, uint64_t addr, const struct source_label *labels,
                        size_t n)
{
        struct answer_label *items = mem_new(n, sizeof(*items));

        for (size_t i = 0; i < n; i++)
                items[i] = (struct answer_label){
                        .addr = labels[i].addr,
                        .name = answers_cache_text(cache, labels[i].name),
                        .path = answers_cache_text(cache, labels[i].path),
                        .line = labels[i].line,
                        .has_addr = labels[i].has_addr,
                };
        answers_cache_add(cache, addr, items, n);
        free(items);
}

size_t resolver_debug_labels(struct resolver_debug *d, uint64_t addr, struct source_label **ret_labels)
{
        struct answers_cache *cache;
        struct answer_found found;
        struct dwarf *dwarf;
        size_t n;

        *ret_labels = NULL;
        if (d->pdb.pdb)
                return resolver_pdb_labels(&d->pdb, addr, ret_labels);
        cache = get_cache(d, ANSWER_LABELS, DWARF_ANSWERS_VERSION);
        if (cache && answers_cache_find(cache, addr, &found))
                return answers_get_labels(&found, ret_labels);
        dwarf = get_dwarf(d);
        n = dwarf ? dwarf_find_labels(dwarf, addr, ret_labels) : 0;
        if (dwarf && is_worth_keeping(d, dwarf) && cache)
                keep_labels(cache, addr, *ret_labels, n);
        return n;
}

static void keep_extents(struct answers_cache *cache, uint64_t addr, const struct source_extent *extents,
                         size_t n)
{
        struct answer_extent *items = mem_new(n, sizeof(*items));

        for (size_t i = 0; i < n; i++)
                items[i] = (struct answer_extent){extents[i].start, extents[i].end - extents[i].start};
        answers_cache_add(cache, addr, items, n);
        free(items);
}

size_t resolver_debug_extents(struct resolver_debug *d, uint64_t addr, struct source_extent **ret_extents)
{
        struct answers_cache *cache;
        struct answer_found found;
        struct dwarf *dwarf;
        size_t n;

        *ret_extents = NULL;
        if (d->pdb.pdb)
                return resolver_pdb_extents(&d->pdb, addr, ret_extents);
        cache = get_cache(d, ANSWER_EXTENTS, DWARF_ANSWERS_VERSION);
        if (cache && answers_cache_find(cache, addr, &found))
                return answers_get_extents(&found, ret_extents);
        dwarf = get_dwarf(d);
        n = dwarf ? dwarf_find_extents(dwarf, addr, ret_extents) : 0;
        if (dwarf && is_worth_keeping(d, dwarf) && cache)
                keep_extents(cache, addr, *ret_extents, n);
        return n;
}

struct answers_cache *resolver_debug_insns(struct resolver_debug *d, uint64_t dialect)
{
        return get_cache(d, ANSWER_INSNS, dialect);
}

bool resolver_debug_check(const struct resolver_debug *d, struct err *err)
{
        return (!d->own || object_check(d->own, err)) && (!d->debug || object_check(d->debug, err)) &&
               (!d->alt || object_check(d->alt, err)) && (!d->split || debug_split_check(d->split, err));
}

const uint8_t *resolver_debug_source_md5(const struct resolver_debug *d, const char *path)
{
        return d->dwarf ? dwarf_source_md5(d->dwarf, path) : NULL;
}
