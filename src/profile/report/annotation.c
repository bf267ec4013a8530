/* SPDX-License-Identifier: BSD-3-Clause */
#include "annotation.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "map.h"
#include "mem.h"
#include "module_source.h"
#include "resolver_code.h"
#include "resolver_facts.h"
#include "source_text.h"
#include "text_match.h"

/* An interpreter's loop has a label per handler. Other functions have a few labels, for error paths. */
enum { MIN_HANDLERS = 8, MAX_HANDLER_ROWS = 1000 };

struct annotated_function {
        const struct hot_row *row;
        module_id module;
        resolver_id id;
        struct resolver_extent *extents;
        size_t n_extents;
        uint64_t slide; /* to add to its addresses for display */
        struct disasm_code code;
        struct buf code_note;
        struct annotate *annotate;
        int64_t built_ns; /* time of the last change of its file, in ns since 1970; 0 if unknown */
        bool shares_row;  /* other files, clones or pieces of the function have the same row */
};

struct annotation {
        struct report *report;
        struct resolver *resolver;
        struct annotation_request request;
        struct annotated_function **functions;
        size_t n_functions, cap_functions;
        struct disasm *disasms[2]; /* enum disasm_arch */
        struct err disasm_errors[2];
        struct source_text *source;
        struct access_rows *accesses;            /* by address; NULL: the report has none */
        const struct annotated_function *asking; /* the function whose source is looked up */
};

static void function_free(struct annotated_function *f)
{
        annotate_free(f->annotate);
        disasm_code_release(&f->code);
        buf_release(&f->code_note);
        free(f->extents);
        free(f);
}

struct annotate *annotation_whole(const struct report *report, uint32_t event)
{
        const struct place_modules modules = report_session_modules(&report->session);

        return annotate_new_whole(report->profile, report_session_resolver(&report->session), &modules,
                                  event);
}

void annotation_free(struct annotation *a)
{
        if (!a)
                return;
        for (size_t i = 0; i < a->n_functions; i++)
                function_free(a->functions[i]);
        for (size_t i = 0; i < N_ELEMENTS(a->disasms); i++)
                disasm_free(a->disasms[i]);
        source_text_free(a->source);
        access_rows_free(a->accesses);
        free(a->functions);
        free(a);
}

/* --- code --- */

/* A piece of a function, as in the file. */
struct piece {
        const uint8_t *code;
        size_t size;
        uint64_t addr;
        enum disasm_arch arch;
};

static struct disasm *get_disasm(struct annotation *a, enum disasm_arch arch, struct buf *note)
{
        struct err *err = &a->disasm_errors[arch];

        if (!a->disasms[arch])
                a->disasms[arch] = disasm_open(arch, a->request.syntax, err);
        if (!a->disasms[arch])
                a->disasms[arch] = disasm_open_bytes(arch);
        if (err->code && !note->len)
                buf_add_str(note, err->text);
        return a->disasms[arch];
}

static uint64_t dialect_of(const struct annotation *a)
{
        return (uint64_t)DISASM_TEXTS_VERSION << 8 | a->request.syntax;
}

static bool recall(const struct annotation *a, struct annotated_function *f, const struct piece *piece)
{
        struct resolver_insn *insns;
        size_t n, at = 0;

        if (piece->addr < disasm_end(&f->code))
                return false;
        n = resolver_recall_insns(a->resolver, f->id, dialect_of(a), piece->addr, piece->code, piece->size,
                                  &insns);
        for (size_t i = 0; i < n; i++) {
                disasm_add_known(piece->arch, piece->code + at, insns[i].size_bytes, piece->addr + at,
                                 insns[i].text, &f->code);
                at += insns[i].size_bytes;
        }
        free(insns);
        return n;
}

/* Caches the instructions from `first` on. Does not cache a piece with unknown instructions, because another
 * version of LLVM may know them. */
static void keep(const struct annotation *a, const struct annotated_function *f, const struct piece *piece,
                 size_t first)
{
        size_t n = f->code.n_insns - first;
        struct resolver_insn *insns = mem_new(n, sizeof(*insns));
        bool ok = n && f->code.insns[first].addr == piece->addr;

        for (size_t i = 0; i < n; i++) {
                const struct disasm_insn *insn = &f->code.insns[first + i];

                ok &= insn->is_code;
                insns[i] = (struct resolver_insn){insn->text, insn->size};
        }
        if (ok)
                resolver_keep_insns(a->resolver, f->id, dialect_of(a), piece->addr, piece->code, insns, n);
        free(insns);
}

static void add_piece(struct annotation *a, struct annotated_function *f, const struct piece *piece)
{
        size_t first = f->code.n_insns;
        struct disasm *disasm;

        if (recall(a, f, piece))
                return;
        disasm = get_disasm(a, piece->arch, &f->code_note);
        disasm_add(disasm, piece->code, piece->size, piece->addr, &f->code);
        if (disasm_has_texts(disasm))
                keep(a, f, piece, first);
}

static void read_code(struct annotation *a, struct annotated_function *f)
{
        bool any = false;

        for (size_t i = 0; i < f->n_extents; i++) {
                const struct resolver_extent *e = &f->extents[i];
                struct piece piece = {.size = (size_t)(e->end - e->start), .addr = e->start + f->slide};
                enum object_machine machine;

                if (!resolver_read_code(a->resolver, f->id, e->start, piece.size, &piece.code))
                        continue;
                any = true;
                machine = resolver_get_machine(a->resolver, f->id, e->start);
                if (machine != OBJECT_MACHINE_ARM64 && machine != OBJECT_MACHINE_X86_64) {
                        buf_add_str(&f->code_note, "wperf disassembles only code for x86-64 and AArch64");
                        return;
                }
                piece.arch = machine == OBJECT_MACHINE_ARM64 ? DISASM_AARCH64 : DISASM_X86_64;
                add_piece(a, f, &piece);
        }
        if (!any)
                buf_add_str(&f->code_note, "its code is not available on this machine");
}

/* --- choice of functions --- */

/* A part of a function may have its own row, such as f.cold. */
static bool is_known(const struct annotation *a, const struct annotated_function *f)
{
        for (size_t i = 0; i < a->n_functions; i++) {
                const struct annotated_function *other = a->functions[i];

                if (other->row->event == f->row->event && other->module == f->module &&
                    other->extents[0].start == f->extents[0].start)
                        return true;
        }
        return false;
}

/* Adds the function that contains the address. */
static void add_function(struct annotation *a, size_t row, const struct hot_pc *pc)
{
        const struct hot *hot = a->report->hot;
        struct annotated_function *f = mem_new(1, sizeof(*f));

        f->row = hot_get_row(hot, row);
        f->module = pc->module;
        f->id = report_session_module(&a->report->session, pc->module);
        f->n_extents = resolver_find_extents(a->resolver, f->id, pc->addr, &f->extents);
        if (!f->n_extents || is_known(a, f)) {
                function_free(f);
                return;
        }
        f->built_ns = module_source_built_ns(a->report->session.modules, f->module);
        f->slide = module_source_slide(a->report->session.modules, f->module, f->extents[0].start);
        if (a->request.with_code)
                read_code(a, f);
        f->annotate = annotate_new(&(struct annotate_request){
                .hot = hot,
                .resolver = a->resolver,
                .id = f->id,
                .event = f->row->event,
                .module = f->module,
                .extents = f->extents,
                .n_extents = f->n_extents,
                .slide = f->slide,
                .code = &f->code,
                .accesses = a->accesses,
        });
        ARRAY_PUSH(a->functions, a->n_functions, a->cap_functions, f);
}

/* Whether one of the functions from `first_function` on contains the address. */
static bool has_addr(const struct annotation *a, size_t first_function, const struct hot_pc *pc)
{
        for (size_t i = first_function; i < a->n_functions; i++) {
                const struct annotated_function *f = a->functions[i];

                if (f->module != pc->module)
                        continue;
                for (size_t k = 0; k < f->n_extents; k++) {
                        if (pc->addr >= f->extents[k].start && pc->addr < f->extents[k].end)
                                return true;
                }
        }
        return false;
}

/* Adds the functions of a row. It may have several, because a row covers all files with the same name, and
 * all clones and pieces of its function. They are ordered by their hottest address. */
static void add_row(struct annotation *a, size_t row)
{
        const struct hot *hot = a->report->hot;
        size_t n, first = hot_pcs_of_row(hot, row, &n), before = a->n_functions;
        module_id nothing = MODULE_NONE;

        for (size_t i = first; i < first + n; i++) {
                const struct hot_pc *pc = hot_get_pc(hot, i);
                size_t n_known = a->n_functions;

                if (pc->module == MODULE_NONE || pc->module == nothing || has_addr(a, before, pc))
                        continue;
                add_function(a, row, pc);
                if (a->n_functions == n_known)
                        nothing = pc->module;
        }
        for (size_t i = before; a->n_functions - before > 1 && i < a->n_functions; i++)
                a->functions[i]->shares_row = true;
}

static bool is_wanted(const struct annotation *a, const struct hot_row *row)
{
        const struct hot *hot = a->report->hot;
        const char *symbol = a->request.symbol;

        return !symbol || hot_row_matches(hot, row, symbol) || !strcmp(symbol, hot_text(hot, row->symbol));
}

/* The number of labels of the function with the row's first address. */
static size_t count_labels(const struct annotation *a, size_t row)
{
        const struct hot *hot = a->report->hot;
        size_t n_pcs, first = hot_pcs_of_row(hot, row, &n_pcs), n_extents, n = 0;
        const struct hot_pc *pc = n_pcs ? hot_get_pc(hot, first) : NULL;
        struct resolver_extent *extents = NULL;
        struct resolver_label *labels = NULL;
        resolver_id id;

        if (!pc || pc->module == MODULE_NONE)
                return 0;
        id = report_session_module(&a->report->session, pc->module);
        n_extents = resolver_find_extents(a->resolver, id, pc->addr, &extents);
        if (n_extents)
                n = resolver_find_labels(a->resolver, id, extents[0].start, &labels);
        free(labels);
        free(extents);
        return n;
}

/* The hottest row with handlers, else the hottest row with labels, else `first`. */
static size_t find_handlers(const struct annotation *a, size_t first)
{
        const struct hot *hot = a->report->hot;
        uint32_t event = hot_get_row(hot, first)->event;
        size_t labelled = SIZE_MAX;

        for (size_t i = first; i < hot_n_rows(hot) && i - first < MAX_HANDLER_ROWS; i++) {
                size_t n = hot_get_row(hot, i)->event == event ? count_labels(a, i) : 0;

                if (n >= MIN_HANDLERS)
                        return i;
                if (n && labelled == SIZE_MAX)
                        labelled = i;
        }
        return labelled == SIZE_MAX ? first : labelled;
}

static void choose(struct annotation *a)
{
        const struct hot *hot = a->report->hot;
        size_t max = a->request.symbol || a->request.all ? a->request.max_functions : 1;
        bool with_handlers = a->request.with_handlers && !a->request.symbol;
        uint32_t event = UINT32_MAX;
        size_t n_before = 0;

        for (size_t i = 0; i < hot_n_rows(hot); i++) {
                const struct hot_row *row = hot_get_row(hot, i);

                if (row->event != event) {
                        event = row->event;
                        n_before = a->n_functions;
                        if (with_handlers)
                                add_row(a, find_handlers(a, i));
                }
                if (a->n_functions - n_before < max && is_wanted(a, row))
                        add_row(a, i);
        }
}

/* --- errors --- */

/* Sums the samples in inlined copies of `name` by the function into which they were inlined. */
static void sum_hosts(const struct annotate *whole, const char *name, struct map *hosts)
{
        for (size_t i = 0; i < annotate_n_points(whole); i++) {
                const struct annotate_point *p = annotate_get_point(whole, i);

                for (size_t k = 0; k + 1 < p->n_frames; k++) {
                        if (text_match_symbol(name, annotate_text(whole, p->frames[k].function))) {
                                *map_put(hosts, p->frames[p->n_frames - 1].function, NULL) += p->weight;
                                break;
                        }
                }
        }
}

/* The function with most samples in inlined copies of `name`; 0 if there is none. */
static str_id host_of(const struct annotate *whole, const char *name)
{
        struct map hosts = {0};
        uint64_t most = 0;
        str_id host = 0;

        sum_hosts(whole, name, &hosts);
        for (size_t i = 0; i < annotate_n_points(whole); i++) {
                const struct annotate_point *p = annotate_get_point(whole, i);
                str_id function = p->n_frames ? p->frames[p->n_frames - 1].function : 0;
                const uint64_t *weight = map_find(&hosts, function);

                if (weight && *weight > most) {
                        most = *weight;
                        host = function;
                }
        }
        map_release(&hosts);
        return host;
}

/* The row of a function. Its symbol may have a suffix of its own, as k_mul.123. */
static const char *row_name(const struct hot *hot, const char *function)
{
        size_t len = strlen(function);

        for (size_t i = 0; i < hot_n_rows(hot); i++) {
                const char *bare = hot_text(hot, hot_get_row(hot, i)->bare);

                if (!strncmp(bare, function, len) && (!bare[len] || bare[len] == '.'))
                        return bare;
        }
        return function;
}

static bool explain_none(const struct annotation *a, struct err *err)
{
        const struct hot *hot = a->report->hot;
        const char *symbol = a->request.symbol, *near;
        const char **names;
        str_id host = 0;

        if (!symbol)
                return err_set(err, ERR_MISSING, "no function has samples: %s",
                               hot_n_rows(hot) ? "no symbol was found for any sample"
                                               : "the session has no samples");
        for (uint32_t e = 0; e < a->report->n_events && !host; e++) {
                AUTO(annotate) whole = annotation_whole(a->report, e);

                host = host_of(whole, symbol);
        }
        if (host)
                return err_set(
                        err, ERR_MISSING,
                        "'%.60s' is always inlined, mostly into '%.60s': annotate that function, or sum up all "
                        "copies with wperf annotate --by inlined",
                        symbol, row_name(hot, resolver_text(a->resolver, host)));
        if (a->report->python)
                return err_set(err, ERR_MISSING,
                               "no sample is in a function '%.60s' itself or in a Python file of that name; "
                               "wperf report -g -s SYMBOL shows what a function called",
                               symbol);
        names = mem_new(hot_n_rows(hot), sizeof(*names));
        for (size_t i = 0; i < hot_n_rows(hot); i++)
                names[i] = hot_text(hot, hot_get_row(hot, i)->bare);
        near = text_nearest(symbol, names, hot_n_rows(hot));
        free(names);
        return err_set(err, ERR_MISSING, "no function '%.60s' has samples%s%.60s%s", symbol,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool find_remote_source(void *ctx, const char *path, struct buf *out)
{
        const struct annotation *a = ctx;
        const struct resolver_image *image = &resolver_get_facts(a->resolver, a->asking->id)->image;

        return image->build_id_size && debuginfod_find_source(a->request.debuginfod, image->build_id,
                                                              image->build_id_size, path, out);
}

struct annotation *annotation_new(struct report *report, const struct annotation_request *request,
                                  struct err *err)
{
        AUTO(annotation) a = mem_new(1, sizeof(*a));

        a->report = report;
        a->resolver = report_session_resolver(&report->session);
        a->request = *request;
        a->source =
                source_text_new(request->source_folders, request->debuginfod ? find_remote_source : NULL, a);
        source_text_take_private(a->source, request->private_source);
        source_text_use_archive(a->source, report->session.archive.source);
        a->accesses =
                report_access_rows(report, 0, PROFILE_MODULE | PROFILE_SYMBOL | PROFILE_ADDR, false, NULL);
        choose(a);
        if (!a->n_functions && !request->all && !explain_none(a, err))
                return NULL;
        return TAKE(a);
}

/* --- results --- */

size_t annotation_n_functions(const struct annotation *a)
{
        return a->n_functions;
}

static bool shares_file(const struct annotation *a, const struct annotated_function *f)
{
        for (size_t i = 0; i < a->n_functions; i++) {
                if (a->functions[i] != f && a->functions[i]->row == f->row &&
                    a->functions[i]->module == f->module)
                        return true;
        }
        return false;
}

struct annotated annotation_get(const struct annotation *a, size_t index)
{
        const struct annotated_function *f = a->functions[index];
        const struct world *world = a->report->session.world;

        assert(index < a->n_functions);
        return (struct annotated){
                .row = f->row,
                .event = f->row->event,
                .path = world_text(world, world_get_module(world, f->module)->path),
                .shares_row = f->shares_row,
                .start = f->extents[0].start,
                .is_in_same_file = shares_file(a, f),
                .annotate = f->annotate,
                .code = &f->code,
                .code_note = f->code_note.len ? buf_text(&f->code_note) : NULL,
                .debug_note = resolver_note(a->resolver, f->id),
        };
}

static void ask_for(struct annotation *a, size_t index)
{
        enum resolver_source_rule rule;

        a->asking = a->functions[index];
        rule = resolver_get_facts(a->resolver, a->asking->id)->source_rule;
        source_text_ask_for(a->source,
                            (struct source_asker){a->asking->module, rule == RESOLVER_SOURCE_PACKED});
}

const char *annotation_source_line(struct annotation *a, size_t index, const char *path, uint32_t line)
{
        ask_for(a, index);
        return source_text_line(a->source, path, line);
}

const char *annotation_source_note(struct annotation *a, size_t index, const char *path)
{
        ask_for(a, index);
        return source_text_note(a->source, path, a->asking->built_ns);
}

void annotation_add_target(struct annotation *a, size_t index, uint64_t addr, struct buf *out)
{
        const struct annotated_function *f = a->functions[index];
        struct symbol symbol;
        uint64_t target;

        assert(index < a->n_functions);
        if (!module_source_target(a->report->session.modules, f->module, f->extents[0].start, addr, &target))
                return;
        symbol = resolver_find_addr(a->resolver, f->id, target);
        if (symbol.status != SYMBOL_NAMED)
                return;
        buf_add_str(out, resolver_text(a->resolver, symbol.name));
        if (target != symbol.start)
                buf_printf(out, "+0x%" PRIx64, target - symbol.start);
}
