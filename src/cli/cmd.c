/* SPDX-License-Identifier: BSD-3-Clause */
/* What all commands share: writing results and errors to where the options say. */
#include "cmd.h"

#include <string.h>

#include "buf.h"
#include "err.h"
#include "mem.h"
#include "os.h"
#include "text.h"
#include "text_printable.h"

int cmd_fail(const struct err *err)
{
        AUTO_RELEASE(buf) line = {0};

        /* The reader, as head, has seen enough. */
        if (err->code == ERR_CLOSED)
                return EXIT_OK;
        buf_add_str(&line, "wperf: ");
        text_add_printable(&line, err->text);
        buf_add_char(&line, '\n');
        os_write_stream(OS_STDERR, line.data, line.len, NULL);
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
                os_write_stream(OS_STDERR, line.data, line.len, NULL);
        }
}

void cmd_tell(void *ctx, bool is_warning, const char *text)
{
        AUTO_RELEASE(buf) line = {0};

        if (is_warning) {
                buf_add_str(&line, text);
                cmd_warn(&line);
                return;
        }
        text_add_printable(&line, text);
        buf_add_char(&line, '\n');
        os_write_stream(OS_STDERR, line.data, line.len, NULL);
}

void cmd_dismiss(const struct command_line *line)
{
        for (size_t i = 0; i < line->n_given; i++) {
                if (line->given[i].value && !strcmp(line->given[i].option->name, "control"))
                        control_dismiss(line->given[i].value);
        }
}

bool cmd_delay(const struct target_options *target, uint64_t *ret_ns, struct err *err)
{
        if (target->spawn_delay_ms == UINT64_MAX && !target->control)
                return err_set(err, ERR_USAGE,
                               "--delay -1 waits for the word enable, which nobody can give: add "
                               "--control fifo:CTL,ACK");
        *ret_ns = target->spawn_delay_ms == UINT64_MAX ? CONTROL_NEVER : target->spawn_delay_ms * 1000000;
        return true;
}

bool cmd_may_draw(bool has_command, const int32_t *pids, size_t n_pids)
{
        if (has_command || !os_is_terminal(OS_STDOUT))
                return false;
        for (size_t i = 0; i < n_pids; i++) {
                if (os_process_shares_terminal(pids[i], OS_STDOUT))
                        return false;
        }
        return true;
}

bool cmd_write_stdout(const void *bytes, size_t size, struct err *err)
{
        return os_write_stream(OS_STDOUT, bytes, size, err);
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

int cmd_page(const struct buf *out, int status)
{
        const char *pager = os_environment("PAGER");

        if (pager && *pager && strcmp(pager, "cat") && os_is_terminal(OS_STDOUT) &&
            os_page(pager, buf_text(out), out->len))
                return status;
        return cmd_print(out, status);
}

bool cmd_input_path(const struct command_line *line, const struct input_options *input, const char **ret_path,
                    struct err *err)
{
        struct os_stat st;

        if (line->n_args + (size_t)(input->input != NULL) > 1)
                return err_set(err, ERR_USAGE, "%s reads one session at a time: '%s' is one too many",
                               line->command->name, line->args[line->n_args - 1]);
        if (input->input)
                *ret_path = input->input;
        else if (line->n_args)
                *ret_path = line->args[0];
        else
                *ret_path =
                        os_stat("wperf.data", &st) || !os_stat("perf.data", &st) ? "wperf.data" : "perf.data";
        return true;
}

struct event_facts_request cmd_facts_request(const struct general_options *general,
                                             const struct machine_options *machine,
                                             const struct extra_options *extra)
{
        return (struct event_facts_request){
                .cpu_model = general->cpu_model,
                .sysfs = machine->sysfs,
                .extra_events = extra ? extra->extra_events : NULL,
                .metrics_file = extra ? extra->metrics_file : NULL,
        };
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

int32_t *cmd_pids(const struct number_list *given)
{
        int32_t *pids = mem_new(given->n, sizeof(*pids));

        for (size_t i = 0; i < given->n; i++)
                pids[i] = (int32_t)given->numbers[i];
        return pids;
}

struct target cmd_target(const struct target_options *options, char *const *argv, const int32_t *pids,
                         size_t n_pids)
{
        return (struct target){
                .argv = argv,
                .pids = pids,
                .n_pids = n_pids,
                .system_wide = options->all_cpus || (!argv && !n_pids),
                .cpus = options->cpus.cpus,
                .n_cpus = options->cpus.n,
                .control = options->control,
                .listener = {.tell = cmd_tell},
        };
}

bool cmd_write_file(const char *path, const struct buf *document, struct err *err)
{
        struct os_file *file;

        if (!strcmp(path, "-"))
                return cmd_write_stdout(buf_text(document), document->len, err);
        file = os_file_create(path, err);
        return file && cmd_end_file(file, os_file_write(file, buf_text(document), document->len, err), err);
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

int cmd_run_failure(enum run_failure failure, bool has_command)
{
        switch (failure) {
        case RUN_USAGE: return EXIT_WRONG_USAGE;
        case RUN_NOT_FOUND: return EXIT_NOT_FOUND;
        case RUN_NOT_RUNNABLE: return EXIT_NOT_RUNNABLE;
        case RUN_OK:
        case RUN_FAILED: break;
        }
        return has_command ? EXIT_FAILED_COMMAND : EXIT_FAILED;
}

void cmd_join_line(const struct command_line *line, struct buf *out)
{
        buf_printf(out, "wperf %s", line->command->name);
        for (size_t i = 0; i < line->n_given; i++) {
                buf_printf(out, " --%s", line->given[i].option->name);
                if (line->given[i].value)
                        buf_printf(out, " %s", line->given[i].value);
        }
        if (line->n_args)
                buf_add_str(out, " --");
        for (size_t i = 0; i < line->n_args; i++)
                buf_printf(out, " %s", line->args[i]);
}
