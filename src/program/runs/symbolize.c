/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts addresses of one object file to frames, with the resolver. */
#include "symbolize.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "buf.h"
#include "err.h"
#include "mem.h"
#include "object.h"
#include "pdb.h"
#include "pe_images.h"
#include "report_session.h"
#include "resolver_facts.h"
#include "session_archive.h"
#include "session_input.h"
#include "text.h"
#include "text_match.h"

struct symbolize {
        const struct symbolize_request *request; /* only while the result is made */
        uint64_t image_base, image_size;         /* 0 unless it is a PE image */
        struct session_input *session;           /* NULL for none */
        struct session_archive archive;
        const struct archived_module *archived; /* the module in the archive */
        struct resolver *resolver;
        resolver_id module;
        struct resolver_frames frames;
        size_t *places; /* index of each requested address in the sorted, distinct ones */
        struct buf note;
};

struct asked_place {
        uint64_t addr;
        size_t index;
};

static bool is_sorted(const struct asked_place *places, size_t n)
{
        for (size_t i = 1; i < n; i++) {
                if (places[i].addr < places[i - 1].addr)
                        return false;
        }
        return true;
}

static int compare_places(const void *a, const void *b)
{
        const struct asked_place *x = a, *y = b;

        return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Virtual addresses and RVAs are both common for PE images, and their ranges do not overlap. */
static uint64_t to_addr(const struct symbolize *s, uint64_t addr)
{
        return addr < s->image_base && addr < s->image_size ? s->image_base + addr : addr;
}

/* Returns the request's addresses, sorted and distinct; the caller frees them. Sets s->places. */
static uint64_t *sort_addrs(struct symbolize *s, size_t *ret_n)
{
        size_t n = s->request->n_addrs, n_distinct = 0;
        struct asked_place *places = mem_new(n, sizeof(*places));
        uint64_t *addrs = mem_new(n, sizeof(*addrs));

        s->places = mem_new(n, sizeof(*s->places));
        for (size_t i = 0; i < n; i++)
                places[i] = (struct asked_place){to_addr(s, s->request->addrs[i]), i};
        if (!is_sorted(places, n))
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

static void open_file(struct symbolize *s)
{
        const struct symbolize_request *request = s->request;
        const struct resolver_options options = {
                .demangle_params = !request->no_demangle && !request->decorated,
                .decorated = request->decorated,
                .sources = request->sources,
        };
        const struct resolver_module module = {
                .kind = RESOLVER_FILE,
                .path = request->path,
                .archived = s->archived,
        };

        s->resolver = resolver_new(&options);
        s->module = resolver_add_module(s->resolver, &module);
}

static void note_unknown(struct symbolize *s, const uint64_t *addrs, size_t n)
{
        size_t n_unknown = 0;

        for (size_t i = 0; i < n; i++)
                n_unknown += !symbol_archive_knows(s->archived, addrs[i]);
        if (n_unknown)
                buf_printf(
                        &s->note,
                        "%s%s: %zu of %zu addresses are not in the session, which holds only functions that have "
                        "samples",
                        s->note.len ? "\n" : "", s->request->path, n_unknown, n);
}

static bool is_word_end(char c)
{
        return !c || c == '(' || c == '<' || c == '[';
}

/* Whether `whole` is the full name of function `name` in a scope: "ns::Foo::foo(int)" or "_ZN2ns3Foo3fooEi"
 * for "foo". */
static bool is_qualified(const char *whole, const char *name)
{
        size_t len = strlen(name);

        if (text_starts(name, "_Z"))
                return false;
        if (text_starts(whole, "_Z") && strstr(whole, name))
                return true;
        for (const char *at = whole; len && (at = strstr(at, name)) != NULL; at++) {
                if ((at == whole || at[-1] == ':' || at[-1] == ' ') && is_word_end(at[len]))
                        return true;
        }
        return false;
}

/* Compilers omit the linkage name of a translation unit's local functions from debug information, but the
 * symbol table has it. */
static void qualify(struct symbolize *s, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                size_t n_frames = s->frames.spans[i].n;
                struct resolver_frame *outer =
                        n_frames ? &s->frames.frames[s->frames.spans[i].first + n_frames - 1] : NULL;
                struct symbol symbol;

                if (!outer || !outer->function)
                        continue;
                /* The address may be in a part of the function, which has a symbol of its own (f.cold). */
                symbol = resolver_find_addr(s->resolver, s->module, outer->start);
                if (symbol.status == SYMBOL_NAMED && symbol.start == outer->start &&
                    symbol.name != outer->function &&
                    is_qualified(resolver_text(s->resolver, symbol.name),
                                 resolver_text(s->resolver, outer->function)))
                        outer->function = symbol.name;
        }
}

static void note_left_out(struct symbolize *s)
{
        const struct budget *budget = s->request->sources ? s->request->sources->budget : NULL;

        if (budget_has_given_up(budget)) {
                buf_printf(&s->note,
                           "%sgiven up because they take too much work to read: ", s->note.len ? "\n" : "");
                budget_add_given_up(budget, &s->note);
        }
        if (!budget_is_short(budget))
                return;
        buf_printf(&s->note, "%sleft out for lack of memory: ", s->note.len ? "\n" : "");
        budget_add_text(budget, &s->note);
        buf_printf(&s->note, "; raise the limit with --max-memory %" PRIu64,
                   2 * (budget_limit(budget) >> 20));
}

static void look_up(struct symbolize *s)
{
        size_t n;
        uint64_t *addrs = sort_addrs(s, &n);
        const char *note;

        resolver_find_frames(s->resolver, s->module, addrs, n, &s->frames);
        qualify(s, n);
        note = resolver_note(s->resolver, s->module);
        if (note)
                buf_printf(&s->note, "%s: %s", s->request->path, note);
        note_left_out(s);
        if (s->archived)
                note_unknown(s, addrs, n);
        free(addrs);
}

/* The resolver never fails, but a request for a single file must fail if the file cannot be read. */
static bool check_file(struct symbolize *s, struct err *err)
{
        const char *path = s->request->path;
        const struct resolver_facts *facts = resolver_get_facts(s->resolver, s->module);
        AUTO(object) object = NULL;
        AUTO(pdb) pdb = NULL;

        if (!facts->has_file) {
                if (pdb_is_begun(path))
                        pdb = pdb_open(path, err);
                else
                        object = object_open(path, err);
                return object || pdb ? err_set(err, ERR_IO, "%s: changed while it was read", path) : false;
        }
        if (facts->has_image) {
                s->image_base = facts->image.load_addr;
                s->image_size = facts->image.size_bytes;
        }
        return true;
}

/* --- Modules of a session --- */

static bool is_wanted(const struct symbolize *s, const struct archived_module *module, bool whole_path)
{
        const char *path = module->identity.path, *wanted = s->request->path;

        return !strcmp(wanted, whole_path ? path : text_base_name(path));
}

/* Finds the module by its whole path, or by its base name if only one module has it. */
static bool find_module(struct symbolize *s, bool whole_path, struct err *err)
{
        for (size_t i = 0; i < symbol_archive_n_modules(s->archive.symbols); i++) {
                const struct archived_module *module = symbol_archive_get(s->archive.symbols, i);

                if (!is_wanted(s, module, whole_path))
                        continue;
                if (s->archived)
                        return err_set(err, ERR_USAGE, "%s: '%.60s' matches more than one module: %s",
                                       s->request->session, s->request->path,
                                       whole_path ? "the file was replaced during the measurement"
                                                  : "give the whole path");
                s->archived = module;
        }
        return true;
}

static bool not_packed(const struct symbolize *s, struct err *err)
{
        return err_set(err, ERR_MISSING, "%s: the session is not archived: run wperf archive -i %s first",
                       s->request->session, s->request->session);
}

static bool no_such_module(const struct symbolize *s, struct err *err)
{
        size_t n = symbol_archive_n_modules(s->archive.symbols);
        const char **names = mem_new(n, sizeof(*names)), *near;
        bool is_archived = false;

        for (size_t i = 0; i < n; i++)
                is_archived |= !symbol_archive_get(s->archive.symbols, i)->facts.is_kept;
        for (size_t i = 0; i < n; i++)
                names[i] = text_base_name(symbol_archive_get(s->archive.symbols, i)->identity.path);
        near = text_nearest(text_base_name(s->request->path), names, n);
        free(names);
        if (!is_archived)
                return not_packed(s, err);
        return err_set(err, ERR_MISSING, "%s: no module '%.60s' has samples%s%.60s%s", s->request->session,
                       s->request->path, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Addresses of a PE image may be RVAs here too. */
static void note_image(struct symbolize *s)
{
        const struct archive_identity *module = &s->archived->identity;
        const struct archive_facts *facts = &s->archived->facts;
        AUTO(pe_images) images = pe_images_new(perfdata_feature(s->session->reader, FEATURE_WPERF_IMAGES));
        const struct pe_identity *image =
                pe_images_find(images, module->path, module->build_id, module->build_id_size);

        if (!image || !facts->has_image)
                return;
        s->image_base = facts->image.load_addr;
        s->image_size = image->image_size;
}

static bool open_session(struct symbolize *s, struct err *err)
{
        const char *path = s->request->session;

        s->session = session_input_open(path, report_session_access(s->request->sources), err);
        if (!s->session)
                return false;
        session_archive_init(&s->archive, s->session->reader,
                             s->request->sources ? s->request->sources->budget : NULL);
        if (s->archive.note.len)
                return err_set(err, ERR_FORMAT, "%s: %.*s", path, (int)strcspn(s->archive.note.data, "\n;"),
                               s->archive.note.data);
        if (!s->archive.symbols)
                return not_packed(s, err);
        if (!find_module(s, true, err) || (!s->archived && !find_module(s, false, err)))
                return false;
        if (!s->archived)
                return no_such_module(s, err);
        note_image(s);
        return true;
}

struct symbolize *symbolize_make(const struct symbolize_request *request, struct err *err)
{
        AUTO(symbolize) s = mem_new(1, sizeof(*s));

        s->request = request;
        if (request->session && !open_session(s, err))
                return NULL;
        open_file(s);
        if (!request->session && !check_file(s, err))
                return NULL;
        look_up(s);
        s->request = NULL;
        if (!resolver_check(s->resolver, s->module, err))
                return NULL;
        return TAKE(s);
}

void symbolize_free(struct symbolize *s)
{
        if (!s)
                return;
        resolver_frames_release(&s->frames);
        resolver_free(s->resolver);
        session_archive_release(&s->archive);
        session_input_free(s->session);
        buf_release(&s->note);
        free(s->places);
        free(s);
}

size_t symbolize_frames(const struct symbolize *s, size_t i, const struct resolver_frame **ret_frames)
{
        size_t first = s->frames.spans[s->places[i]].first, n = s->frames.spans[s->places[i]].n;

        *ret_frames = n ? &s->frames.frames[first] : NULL;
        return n;
}

const char *symbolize_text(const struct symbolize *s, str_id id)
{
        return id ? resolver_text(s->resolver, id) : NULL;
}

const char *symbolize_note(const struct symbolize *s)
{
        return buf_text(&s->note);
}
