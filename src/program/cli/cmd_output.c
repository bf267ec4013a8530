/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmd_output.h"

#include <inttypes.h>
#include <string.h>

#include "os.h"
#include "os_left_out.h"
#include "python_names.h"
#include "target.h"
#include "text.h"
#include "text_printable.h"
#include "text_stream.h"

int cmd_fail(const struct err *err)
{
        AUTO_RELEASE(buf) line = {0};

        /* The reader has closed the pipe, like head. */
        if (err->code == ERR_CLOSED)
                return EXIT_OK;
        buf_add_str(&line, "wperf: ");
        text_add_printable(&line, err->text);
        buf_add_char(&line, '\n');
        text_stream_write(OS_STDERR, line.data, line.len, NULL);
        return err->code == ERR_USAGE ? EXIT_WRONG_USAGE : EXIT_FAILED;
}

void cmd_warn(const struct buf *sentences)
{
        AUTO_RELEASE(buf) line = {0};

        for (const char *at = buf_text(sentences), *end; *at; at = end + (*end == '\n')) {
                AUTO_RELEASE(buf) sentence = {0};

                end = at + strcspn(at, "\n");
                buf_add(&sentence, at, (size_t)(end - at));
                buf_clear(&line);
                buf_add_str(&line, "wperf: warning: ");
                text_add_printable(&line, buf_text(&sentence));
                buf_add_char(&line, '\n');
                text_stream_write(OS_STDERR, line.data, line.len, NULL);
        }
}

void cmd_warn_of_left_out(void)
{
        AUTO_RELEASE(buf) warning = {0};
        const char *folder;
        int32_t pid;

        for (size_t i = 0; (pid = target_locked(i)); i++)
                buf_printf(
                        &warning,
                        "the memory of process %" PRId32
                        " can't be read, because a thread of it changes its mappings (mmap, munmap) and does not come to an end: there are no stacks and names of it\n",
                        pid);
        for (size_t i = 0; (folder = os_left_out(i)); i++)
                buf_printf(&warning,
                           "the file system at %s does not answer, so functions of its files have no names\n",
                           folder);
        cmd_warn(&warning);
}

bool cmd_write_stdout(const void *bytes, size_t size, struct err *err)
{
        return text_stream_write(OS_STDOUT, bytes, size, err);
}

int cmd_print(const struct buf *out, int status)
{
        struct err err = {0};
        int failed;

        if (cmd_write_stdout(buf_text(out), out->len, &err))
                return status;
        failed = cmd_fail(&err);
        return status ? status : failed;
}

static bool is_absolute(const char *path)
{
        return path[0] == '/' || path[0] == '\\' || (path[0] && path[1] == ':');
}

void cmd_output_path(const char *prefix, const char *name, struct buf *out)
{
        if (prefix && strcmp(name, "-") && !is_absolute(name)) {
                buf_add_str(out, prefix);
                if (!text_ends(prefix, "/") && !text_ends(prefix, "\\"))
                        buf_add_char(out, '/');
        }
        buf_add_str(out, name);
}

bool cmd_can_write(const char *prefix, const char *name, struct err *err)
{
        AUTO_RELEASE(buf) path = {0};

        if (!name || !strcmp(name, "-"))
                return true;
        cmd_output_path(prefix, name, &path);
        return os_can_write(buf_text(&path), err);
}

static bool folder_stat(const char *path, struct os_stat *ret)
{
        AUTO_RELEASE(buf) folder = {0};

        buf_add(&folder, path, (size_t)(text_base_name(path) - path));
        return os_stat(folder.len ? buf_text(&folder) : ".", ret);
}

bool cmd_is_same_file(const char *a, const char *b)
{
        struct os_stat of_a, of_b;
        bool a_exists = os_stat(a, &of_a), b_exists = os_stat(b, &of_b);

        if (a_exists != b_exists)
                return false;
        if (!a_exists && (strcmp(text_base_name(a), text_base_name(b)) != 0 || !folder_stat(a, &of_a) ||
                          !folder_stat(b, &of_b)))
                return false;
        return of_a.dev == of_b.dev && of_a.inode == of_b.inode && (!a_exists || of_a.is_file);
}

bool cmd_spares_input(const char *option, const char *prefix, const char *name, const char *input,
                      struct err *err)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) symbols = {0};
        struct os_stat there;

        if (!name || !strcmp(name, "-") || !strcmp(input, "-"))
                return true;
        cmd_output_path(prefix, name, &path);
        python_names_path(input, &symbols);
        if (os_stat(buf_text(&symbols), &there) && cmd_is_same_file(buf_text(&path), buf_text(&symbols)))
                return err_set(err, ERR_USAGE,
                               "%s: %s would overwrite the Python names of the session; name another file",
                               buf_text(&symbols), option);
        return !cmd_is_same_file(buf_text(&path), input) ||
               err_set(err, ERR_USAGE, "%s: %s would overwrite the file that is read; name another file",
                       input, option);
}

bool cmd_write_file(const char *path, const struct buf *document, struct err *err)
{
        struct os_file *file;

        if (!strcmp(path, "-"))
                return cmd_write_stdout(buf_text(document), document->len, err);
        file = os_file_create(path, err);
        return file && cmd_end_file(file, text_stream_to_file(file, document->data, document->len, err), err);
}

bool cmd_end_file(struct os_file *file, bool ok, struct err *err)
{
        if (ok)
                return os_file_close(file, err);
        os_file_discard(file);
        return false;
}

struct cmd_forms cmd_wanted_forms(const struct general_options *general, const struct output_options *output)
{
        return (struct cmd_forms){.text = !output->json && !general->quiet,
                                  .document = output->json || output->output};
}

int cmd_print_document(const struct general_options *general, const struct output_options *output,
                       const struct buf *text, const struct buf *json)
{
        AUTO_RELEASE(buf) path = {0};
        struct err err = {0};

        if (output->output) {
                cmd_output_path(output->output_prefix, output->output, &path);
                if (!cmd_write_file(buf_text(&path), json, &err))
                        return cmd_fail(&err);
        }
        if (output->json)
                return output->output ? EXIT_OK : cmd_print(json, EXIT_OK);
        return general->quiet ? EXIT_OK : cmd_print(text, EXIT_OK);
}

int cmd_print_tables(const struct general_options *general, const struct output_options *output,
                     const struct fact_tables *tables, bool without_empty)
{
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};

        fact_tables_text(tables, without_empty, &text);
        fact_tables_json(tables, &document);
        return cmd_print_document(general, output, &text, &document);
}
