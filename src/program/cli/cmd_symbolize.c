/* SPDX-License-Identifier: BSD-3-Clause */
/* symbolize: prints functions and source lines of addresses in an object file, as addr2line does. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cmd.h"
#include "cmd_symbolize_options.h"
#include "err.h"
#include "mem.h"
#include "os.h"
#include "symbolize.h"
#include "symbolize_view.h"
#include "text.h"
#include "text_number.h"

enum { MAX_STDIN_BYTES = 256 << 20 };

/* --- Addresses --- */

struct addresses {
        uint64_t *addrs;
        size_t n, cap;
};

static bool add_address(struct addresses *list, const char *word)
{
        const char *digits = text_starts(word, "0x") || text_starts(word, "0X") ? word + 2 : word;
        uint64_t addr;

        if (!text_to_u64(digits, 16, &addr))
                return false;
        ARRAY_PUSH(list->addrs, list->n, list->cap, addr);
        return true;
}

static bool read_words(struct addresses *list, const struct command_line *line, struct err *err)
{
        for (size_t i = 0; i < line->n_args; i++) {
                if (!add_address(list, line->args[i]))
                        return err_set(err, ERR_USAGE, "'%s' is not a hexadecimal address", line->args[i]);
        }
        return true;
}

static bool read_stdin(struct addresses *list, struct err *err)
{
        AUTO_RELEASE(buf) text = {0};
        size_t n_line = 0;

        if (!os_read_stdin(MAX_STDIN_BYTES, &text, err))
                return false;
        for (char *at = text.data, *end; at && *at; at = end) {
                char *word = at + strspn(at, " \t\r");
                size_t len = strcspn(word, " \t\r\n");

                n_line++;
                end = word + strcspn(word, "\n");
                end += *end == '\n';
                word[len] = '\0';
                if (len && !add_address(list, word))
                        return err_set(err, ERR_FORMAT,
                                       "standard input: line %zu: '%.40s' is not a hexadecimal address",
                                       n_line, word);
        }
        return true;
}

/* --- Documents --- */

struct symbolize_rows {
        struct symbolize_row *items;
        size_t n, cap;
};

/* The rows of address `i` of the request.  An unknown address has a row, too. */
static void make_rows(const struct symbolize *symbolize, const struct symbolize_request *request, size_t i,
                      struct symbolize_rows *rows)
{
        const struct resolver_frame *frames;
        size_t n = symbolize_frames(symbolize, i, &frames);

        rows->n = 0;
        if (!n)
                ARRAY_PUSH(rows->items, rows->n, rows->cap,
                           (struct symbolize_row){.addr = request->addrs[i]});
        for (size_t k = 0; k < n; k++)
                ARRAY_PUSH(rows->items, rows->n, rows->cap,
                           (struct symbolize_row){
                                   .addr = request->addrs[i],
                                   .function = symbolize_text(symbolize, frames[k].function),
                                   .path = symbolize_text(symbolize, frames[k].path),
                                   .line = frames[k].line,
                                   .column = frames[k].column,
                                   .is_inlined = frames[k].is_inlined,
                                   .is_known = true,
                                   .start = frames[k].start,
                           });
}

enum { PIECE_BYTES = 64 * 1024 };

/* Prints text as soon as it is complete, if it is not part of a document. */
static int print_piece(struct buf *text)
{
        int status;

        if (text->len < PIECE_BYTES)
                return EXIT_OK;
        status = cmd_print(text, EXIT_OK);
        buf_clear(text);
        return status;
}

static int show(const struct symbolize_options *o, const struct symbolize_request *request)
{
        const struct cmd_forms forms = cmd_wanted_forms(&o->general, &o->output);
        AUTO(symbolize) symbolize = NULL;
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        AUTO_RELEASE(buf) note = {0};
        struct symbolize_view view;
        struct symbolize_rows rows = {0};
        struct err err = {0};
        int status = EXIT_OK;

        symbolize = symbolize_make(request, &err);
        if (!symbolize)
                return cmd_fail(&err);
        buf_add_str(&note, symbolize_note(symbolize));
        if (note.len)
                cmd_warn(&note);
        symbolize_view_begin(&view, forms.text ? &text : NULL, forms.document ? &document : NULL);
        for (size_t i = 0; i < request->n_addrs && status == EXIT_OK; i++) {
                make_rows(symbolize, request, i, &rows);
                symbolize_view_add(&view, rows.items, rows.n);
                status = print_piece(&text);
        }
        symbolize_view_end(&view);
        free(rows.items);
        return status == EXIT_OK ? cmd_print_document(&o->general, &o->output, &text, &document) : status;
}

static bool check_output(const struct symbolize_options *o, struct err *err)
{
        const char *prefix = o->output.output_prefix, *name = o->output.output;

        return cmd_spares_input("-o", prefix, name, o->file, err) &&
               (!o->session || cmd_spares_input("-o", prefix, name, o->session, err));
}

static int look_up(const struct symbolize_options *o, const struct addresses *list)
{
        struct symbolize_request request = {
                .path = o->file,
                .session = o->session,
                .no_demangle = o->no_demangle,
                .decorated = o->decorated,
                .addrs = list->addrs,
                .n_addrs = list->n,
        };
        struct lookup_options options = o->lookup;
        struct lookup lookup;
        struct err err = {0};
        int status;

        /* A PDB that is named belongs to this file, whatever its name is. */
        if (options.pdb_file && !options.pe_file)
                options.pe_file = o->file;
        if (!lookup_init(&options, &lookup, &err))
                return cmd_fail(&err);
        lookup.sources.any_owner = o->force;
        request.sources = &lookup.sources;
        status = show(o, &request);
        lookup_release(&lookup);
        return status;
}

int cmd_symbolize(const struct command_line *line)
{
        const struct symbolize_options *o = line->options;
        struct addresses list = {0};
        struct err err = {0};
        int status;

        if (!o->file)
                err_set(&err, ERR_USAGE,
                        "symbolize needs the program or library that the addresses belong to: add -e FILE");
        else if (check_output(o, &err) && line->n_args)
                read_words(&list, line, &err);
        else if (!err.code)
                read_stdin(&list, &err);
        status = err.code ? cmd_fail(&err) : look_up(o, &list);
        free(list.addrs);
        return status;
}
