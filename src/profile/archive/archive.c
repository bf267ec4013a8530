/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides what to leave out if the limit would be exceeded: first source, then all but the samples of the
 * coldest functions, then unwound stacks. */
#include "archive.h"

#include <inttypes.h>
#include <string.h>

#include "archive_internal.h"
#include "budget.h"
#include "buf.h"
#include "count_replay.h"
#include "err.h"
#include "module_source.h"
#include "os.h"
#include "perfdata_rewrite.h"
#include "perfdata_writer.h"
#include "text.h"

enum {
        MAX_TRIES = 8,
        LISTING_BYTES = 64, /* memory for each byte of listed code: its answers, instructions, copies */
};

struct archiving {
        const struct archive_request *request;
        struct resolver_sources sources; /* without the symbol cache, because everything is looked up once */
        struct report *report;
        const struct perfdata_reader *reader; /* owned by the report */
        struct archive_pack pack;
        struct archive_origin origin;
        struct buf symbols, source, walks;
        struct buf code;        /* of jitdumps: the addresses of sampled code */
        bool lacks_memory;      /* for all code of the functions */
        struct buf place, made; /* the final path, and that of the new file in the same directory */
        struct archive_result *result;
};

/* --- The content ------------------------------------------------------------------------------------- */

/* Unwound stacks are made before symbols are looked up. */
static uint64_t room_beside_walks(const struct archiving *a)
{
        uint64_t taken = a->walks.len + a->report->packed.ends.len + a->code.len;

        return taken < a->request->max_bytes ? a->request->max_bytes - taken : 0;
}

static bool is_too_large(const struct archiving *a, const struct buf *section)
{
        return section->len > room_beside_walks(a);
}

static void leave_walks_out(struct archiving *a)
{
        buf_printf(&a->result->note,
                   "%zu unwound stacks were not packed: the session would grow by more than %" PRIu64
                   " KiB; raise the limit with --max-size\n",
                   stack_archive_n_added(a->report->packed.walks), a->request->max_bytes >> 10);
        buf_release(&a->walks);
        a->result->n_stacks = 0;
}

static void make_walks(struct archiving *a)
{
        const struct stack_archive_writer *walks = a->report->packed.walks;
        AUTO_RELEASE(buf) section = {0};
        struct err err = {0};

        if (!stack_archive_n_added(walks))
                return;
        if (!stack_archive_write(walks, &section, &err)) {
                buf_printf(&a->result->note, "%zu unwound stacks were not packed: %s\n",
                           stack_archive_n_added(walks), err.text);
                return;
        }
        if (is_too_large(a, &section)) {
                leave_walks_out(a);
                return;
        }
        a->result->n_stacks = stack_archive_n_added(walks);
        a->walks = section;
        section = (struct buf){0};
}

static void make_code(struct archiving *a)
{
        buf_clear(&a->code);
        module_source_pack_code(a->report->session.modules, &a->code);
}

/* False if the symbols do not fit; *ret_full is true if the section's own limit is exceeded. */
static bool make_symbols(struct archiving *a, uint64_t code_bytes, struct source_archive_writer **ret_source,
                         bool *ret_full)
{
        AUTO(symbol_archive_writer) writer = NULL;
        struct err err = {0};

        a->result->n_whole = archive_pack_choose(&a->pack, code_bytes);
        writer = symbol_archive_writer_new(a->pack.resolver);
        archive_pack_write(&a->pack, writer);
        buf_clear(&a->symbols);
        *ret_full = !symbol_archive_write(writer, &a->origin, &a->symbols, &err);
        if (*ret_full || is_too_large(a, &a->symbols))
                return false;
        if (!a->request->strip_source)
                *ret_source = archive_source_make(&a->pack, writer, a->request);
        return true;
}

/* Packs all code and lines of fewer and fewer functions until the archive fits. */
static bool make_symbols_that_fit(struct archiving *a, struct source_archive_writer **ret_source,
                                  struct err *err)
{
        uint64_t code_bytes = archive_pack_code_bytes(&a->pack);
        uint64_t max_bytes = budget_limit(a->report->session.sources.budget) / LISTING_BYTES +
                             archive_pack_file_bytes(&a->pack);
        bool is_full;

        /* Functions that overlap have more code than their file. */
        a->lacks_memory = code_bytes > max_bytes;
        if (a->lacks_memory)
                code_bytes = max_bytes;

        for (int tries = 0; tries < MAX_TRIES; tries++) {
                if (make_symbols(a, code_bytes, ret_source, &is_full))
                        return true;
                if (!code_bytes)
                        break;
                a->lacks_memory = false;
                /* In proportion, and 20% less. */
                code_bytes = is_full ? code_bytes / 4
                                     : (uint64_t)((double)code_bytes * 0.8 * (double)room_beside_walks(a) /
                                                  (double)a->symbols.len);
                if (tries + 2 == MAX_TRIES)
                        code_bytes = 0;
        }
        return err_set(err, ERR_LIMIT,
                       "%s: the names of the sampled functions alone take %zu KiB, and the session may grow "
                       "by at most %" PRIu64 " KiB: raise the limit with --max-size",
                       a->request->path, a->symbols.len >> 10, a->request->max_bytes >> 10);
}

static void note_refused(struct archiving *a)
{
        size_t n = a->pack.n_refused_sources, n_unproven = a->pack.n_unproven_sources;

        if (n_unproven)
                buf_printf(
                        &a->result->note,
                        "%zu source file%s not packed: only a file that the debug information of a module with a known build id "
                        "names, or a .py file that holds the recorded function, is packed\n",
                        n_unproven, n_unproven == 1 ? " was" : "s were");
        if (n)
                buf_printf(&a->result->note,
                           "%zu source file%s not packed: not all users may read %s; --force packs %s\n", n,
                           n == 1 ? " was" : "s were", n == 1 ? "it" : "them", n == 1 ? "it" : "them");
}

/* Packs the source text if it fits into the rest of the limit. */
static void make_source(struct archiving *a, const struct source_archive_writer *writer)
{
        struct err err = {0};

        note_refused(a);
        if (!writer || !source_archive_n_files(writer))
                return;
        if (source_archive_write(writer, &a->source, &err) &&
            a->symbols.len + a->source.len <= room_beside_walks(a)) {
                a->result->n_source_files = source_archive_n_files(writer);
                a->result->n_source_lines = source_archive_n_lines(writer);
                a->result->source_files = a->pack.source_files;
                a->pack.source_files = (struct buf){0};
                return;
        }
        buf_printf(&a->result->note,
                   "%zu source lines were not packed: the session would grow by more than %" PRIu64
                   " KiB; raise the limit with --max-size\n",
                   source_archive_n_lines(writer), a->request->max_bytes >> 10);
        buf_release(&a->source);
}

static void note_left_out(struct archiving *a)
{
        size_t n = a->pack.n_functions - a->result->n_whole;

        if (n)
                buf_printf(
                        &a->result->note,
                        "the %zu functions with the fewest samples were packed with their sampled addresses only, "
                        "not with all code and lines: ",
                        n);
        if (n && a->lacks_memory)
                buf_printf(&a->result->note,
                           "that takes more memory than the %" PRIu64 " MiB of --max-memory allow\n",
                           budget_limit(a->report->session.sources.budget) >> 20);
        else if (n)
                buf_printf(&a->result->note, "the limit of --max-size is %" PRIu64 " KiB\n",
                           a->request->max_bytes >> 10);
        if (a->pack.has_no_disasm)
                buf_add_str(
                        &a->result->note,
                        "the names of called functions were not packed: wperf needs libLLVM to find them and could not load it\n");
}

static void note_memory(struct archiving *a)
{
        const struct budget *budget = a->report->quality.budget;

        if (!budget_is_short(budget))
                return;
        buf_add_str(&a->result->note, "left out for lack of memory: ");
        budget_add_text(budget, &a->result->note);
        buf_printf(&a->result->note, "; raise the limit with --max-memory %" PRIu64 "\n",
                   2 * (budget_limit(budget) >> 20));
}

static bool gather(struct archiving *a, struct err *err)
{
        AUTO(source_archive_writer) source = NULL;

        archive_pack_init(&a->pack, a->report);
        a->result->n_modules = a->pack.n_modules;
        a->result->n_functions = a->pack.n_functions;
        make_walks(a);
        make_code(a);
        if (a->walks.len && !make_symbols_that_fit(a, &source, NULL))
                leave_walks_out(a);
        if (!a->walks.len && !make_symbols_that_fit(a, &source, err))
                return false;
        make_code(a); /* once more, because it now includes the callees */
        make_source(a, source);
        note_left_out(a);
        note_memory(a);
        return true;
}

/* --- The session ------------------------------------------------------------------------------------- */

/* Writes a new file, because the session is still mapped. */
static bool write_beside(struct archiving *a, struct err *err)
{
        const struct buf *ends = &a->report->packed.ends;
        const struct perfdata_section sections[] = {
                {FEATURE_WPERF_SYMBOLS, a->symbols.data, a->symbols.len},
                {FEATURE_WPERF_SOURCE, a->source.data, a->source.len},
                {FEATURE_WPERF_WALKS, a->walks.data, a->walks.len},
                {FEATURE_WPERF_ENDS, ends->data, ends->len},
                {FEATURE_WPERF_CODE, a->code.data, a->code.len},
        };

        /* A link stays, its target is replaced. */
        if (!os_output_follow(a->request->output ? a->request->output : a->request->path, &a->place, err))
                return false;
        a->result->bytes_before = perfdata_get_layout(a->reader)->file_bytes;
        return perfdata_rewrite(a->reader, buf_text(&a->place), sections, N_ELEMENTS(sections), &a->made,
                                &a->result->bytes_after, err);
}

static struct report *open_report(const struct archiving *a, struct err *err)
{
        const struct archive_request *request = a->request;
        const struct report_request whole = {
                .path = request->path,
                .keys = PROFILE_EVENT | PROFILE_MODULE | PROFILE_SYMBOL,
                .no_demangle = true,
                .results = REPORT_STACKS | REPORT_BRANCHES | REPORT_PACKED,
                .sources = &a->sources,
        };
        AUTO(session_input)
        input = session_input_open(request->path, report_session_access(request->sources), err);

        if (!input || !perfdata_rewrite_check(input->reader, err))
                return NULL;
        if (input->is_converted && !a->request->output) {
                err_set(err, ERR_USAGE,
                        "%s: is no session, and archive does not overwrite it; name a file with -o FILE",
                        request->path);
                return NULL;
        }
        if (count_replay_is(input->reader)) {
                err_set(err, ERR_UNSUPPORTED,
                        "%s: the session has only counts, which need no other file: there is nothing to pack",
                        request->path);
                return NULL;
        }
        return report_make_of(&whole, TAKE(input), err);
}

static bool check_output(const struct archive_request *request, struct err *err)
{
        bool exists;

        if (!strcmp(request->path, "-"))
                return err_set(err, ERR_USAGE, "archive needs a session file, not standard input");
        if (!request->output)
                return true;
        if (!strcmp(request->output, "-"))
                return err_set(err, ERR_USAGE,
                               "archive cannot write to standard output; name a file with -o FILE");
        return perfdata_writer_check(request->output, &exists, err);
}

bool archive_make(const struct archive_request *request, struct archive_result *ret, struct err *err)
{
        struct archiving a = {.request = request, .result = ret};
        AUTO(report) report = NULL;
        bool ok;

        *ret = (struct archive_result){0};
        if (!check_output(request, err))
                return false;
        if (request->sources)
                a.sources = *request->sources;
        a.sources.index = NULL;
        report = open_report(&a, err);
        if (!report)
                return false;
        a.report = report;
        a.reader = report->session.reader;
        a.origin = (struct archive_origin){report->quality.unfinished, report->quality.cut_bytes};
        ok = gather(&a, err) && write_beside(&a, err);
        archive_pack_release(&a.pack);
        report_free(TAKE(report));
        ok = ok && perfdata_rewrite_put(buf_text(&a.made), buf_text(&a.place), request->output, err);
        buf_release(&a.symbols);
        buf_release(&a.source);
        buf_release(&a.walks);
        buf_release(&a.code);
        buf_release(&a.place);
        buf_release(&a.made);
        return ok;
}

void archive_result_release(struct archive_result *result)
{
        buf_release(&result->source_files);
        buf_release(&result->note);
}
