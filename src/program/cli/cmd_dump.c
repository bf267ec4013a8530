/* SPDX-License-Identifier: BSD-3-Clause */
/* dump: prints the records of a session as they are in the file, while reading them. */
#include <string.h>

#include "cmd.h"
#include "cmd_report_options.h"
#include "dump.h"
#include "os.h"
#include "report_session.h"
#include "text_stream.h"

static bool put_stdout(void *ctx, const void *bytes, size_t size, struct err *err)
{
        return cmd_write_stdout(bytes, size, err);
}

static bool put_file(void *ctx, const void *bytes, size_t size, struct err *err)
{
        return text_stream_to_file(ctx, bytes, size, err);
}

/* The file of -o is JSON, as in other commands. */
static bool write_document(struct dump *dump, const struct output_options *output, struct err *err)
{
        AUTO_RELEASE(buf) path = {0};
        struct os_file *file;

        if (!strcmp(output->output, "-"))
                return dump_write(dump, true, &(struct field_output){put_stdout, NULL}, err);
        cmd_output_path(output->output_prefix, output->output, &path);
        file = os_file_create(buf_text(&path), err);
        return file &&
               cmd_end_file(file, dump_write(dump, true, &(struct field_output){put_file, file}, err), err);
}

/* In py-spy, dump prints the stacks of a process. */
static bool is_no_process(const struct command_line *line, struct err *err)
{
        const char *word = line->n_args ? line->args[0] : "";
        struct os_stat there;

        return !*word || word[strspn(word, "0123456789")] || os_stat(word, &there) ||
               err_set(err, ERR_USAGE,
                       "there is no file '%s'; for the stacks of a process write wperf stack %s", word, word);
}

int cmd_dump(const struct command_line *line)
{
        const struct dump_options *o = line->options;
        bool to_stdout = o->output.json ? !o->output.output : !o->general.quiet;
        struct budget budget;
        const struct resolver_sources sources = {.budget = &budget, .any_owner = o->input.force};
        AUTO(dump) dump = NULL;
        struct err err = {0};
        const char *path;

        if (!is_no_process(line, &err) || !cmd_input_path(line, &o->input, &path, &err) ||
            !cmd_spares_input("-o", o->output.output_prefix, o->output.output, path, &err))
                return cmd_fail(&err);
        budget_init(&budget, lookup_max_bytes(o->memory.max_mib));
        dump = dump_open(path, report_session_any_access(&sources), &err);
        if (!dump || (o->output.output && !write_document(dump, &o->output, &err)))
                return cmd_fail(&err);
        if (to_stdout && !dump_write(dump, o->output.json, &(struct field_output){put_stdout, NULL}, &err))
                return cmd_fail(&err);
        return EXIT_OK;
}
