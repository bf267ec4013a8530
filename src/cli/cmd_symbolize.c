/* SPDX-License-Identifier: BSD-3-Clause */
/* symbolize: addresses of an object file as functions and source lines, as addr2line prints them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "json.h"
#include "os.h"
#include "symbolize.h"
#include "symbolize_options.h"
#include "text.h"

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
                        return err_set(err, ERR_USAGE, "'%s' is no hexadecimal address", line->args[i]);
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
                                       "standard input: line %zu: '%.40s' is no hexadecimal address", n_line,
                                       word);
        }
        return true;
}

/* --- Documents --- */

static void add_place(const struct symbolize *symbolize, const struct resolver_frame *frame, struct buf *out)
{
        const char *path = symbolize_text(symbolize, frame->path);

        text_add_printable(out, path ? path : "??");
        if (frame->line || !path) {
                buf_add_char(out, ':');
                text_add_u64(out, frame->line);
        } else {
                buf_add_str(out, ":?");
        }
}

static void add_addr(uint64_t addr, struct buf *out)
{
        char *digits;

        buf_add_str(out, "0x");
        digits = buf_extend(out, 16);
        for (int i = 16; i--; addr >>= 4)
                digits[i] = "0123456789abcdef"[addr & 0xf];
        buf_add_str(out, ": ");
}

static void add_text(const struct symbolize *symbolize, uint64_t addr, const struct resolver_frame *frames,
                     size_t n, struct buf *out)
{
        static const struct resolver_frame nothing;

        add_addr(addr, out);
        if (!n) {
                buf_add_str(out, "?? ");
                add_place(symbolize, &nothing, out);
                buf_add_char(out, '\n');
        }
        for (size_t i = 0; i < n; i++) {
                const char *function;

                if (i)
                        buf_add_str(out, " (inlined by) ");
                function = symbolize_text(symbolize, frames[i].function);
                text_add_printable(out, function ? function : "??");
                buf_add_str(out, " at ");
                add_place(symbolize, &frames[i], out);
                buf_add_char(out, '\n');
        }
}

static void add_json_text(struct json *json, const char *key, const char *text)
{
        json_key(json, key);
        if (text)
                json_str(json, text);
        else
                json_null(json);
}

static void add_json_number(struct json *json, const char *key, uint32_t number)
{
        json_key(json, key);
        if (number)
                json_u64(json, number);
        else
                json_null(json);
}

/* One row a frame; an address of which nothing is known has one too. */
static void add_json(const struct symbolize *symbolize, uint64_t addr, const struct resolver_frame *frames,
                     size_t n, struct json *json)
{
        static const struct resolver_frame nothing;

        for (size_t i = 0; i < (n ? n : 1); i++) {
                const struct resolver_frame *frame = n ? &frames[i] : &nothing;

                json_begin_object(json);
                json_key(json, "address");
                json_hex(json, addr);
                add_json_text(json, "function", symbolize_text(symbolize, frame->function));
                add_json_text(json, "file", symbolize_text(symbolize, frame->path));
                add_json_number(json, "line", frame->line);
                add_json_number(json, "column", frame->column);
                json_key_bool(json, "inlined", frame->is_inlined);
                json_key(json, "start");
                if (frame->function)
                        json_hex(json, frame->start);
                else
                        json_null(json);
                json_end_object(json);
        }
}

enum { PIECE_BYTES = 64 * 1024 };

/* Printed as it is made where nothing else is to be done with it. */
static int print_piece(const struct symbolize_options *o, struct buf *text)
{
        int status;

        if (o->general.quiet || text->len < PIECE_BYTES)
                return EXIT_OK;
        status = cmd_print(text, EXIT_OK);
        buf_clear(text);
        return status;
}

static int show(const struct symbolize_options *o, const struct symbolize_request *request)
{
        AUTO(symbolize) symbolize = NULL;
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        AUTO_RELEASE(buf) note = {0};
        struct err err = {0};
        struct json json;
        int status;

        symbolize = symbolize_make(request, &err);
        if (!symbolize)
                return cmd_fail(&err);
        buf_add_str(&note, symbolize_note(symbolize));
        if (note.len)
                cmd_warn(&note);
        json_init(&json, &document);
        json_begin_object(&json);
        json_key(&json, "frames");
        json_begin_array(&json);
        for (size_t i = 0; i < request->n_addrs; i++) {
                const struct resolver_frame *frames;
                size_t n = symbolize_frames(symbolize, i, &frames);

                if (!o->output.json)
                        add_text(symbolize, request->addrs[i], frames, n, &text);
                if (o->output.json || o->output.output)
                        add_json(symbolize, request->addrs[i], frames, n, &json);
                status = print_piece(o, &text);
                if (status)
                        return status;
        }
        json_end_array(&json);
        json_end_object(&json);
        buf_add_char(&document, '\n');
        return cmd_print_document(&o->general, &o->output, &text, &document);
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

        /* A PDB that is named is for this file, whatever it is called. */
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
                        "symbolize needs -e FILE, the program or library whose addresses they are");
        else if (line->n_args)
                read_words(&list, line, &err);
        else
                read_stdin(&list, &err);
        status = err.code ? cmd_fail(&err) : look_up(o, &list);
        free(list.addrs);
        return status;
}
