/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions shared by all commands: the target that the options name, and the command line as text. */
#include "cmd.h"

#include <inttypes.h>
#include <string.h>

#include "mem.h"
#include "os.h"
#include "os_paths.h"
#include "process_choice.h"
#include "text_printable.h"
#include "text_stream.h"

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
        text_stream_write(OS_STDERR, line.data, line.len, NULL);
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
                return err_set(
                        err, ERR_USAGE,
                        "--delay -1 waits for the command enable from --control: add --control fifo:CTL,ACK");
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

int cmd_page(const struct buf *out, int status)
{
        const char *pager = os_environment("PAGER");

        if (pager && *pager && strcmp(pager, "cat") && os_is_terminal(OS_STDOUT) &&
            text_stream_page(pager, out))
                return status;
        return cmd_print(out, status);
}

bool cmd_input_path(const struct command_line *line, const struct input_options *input, const char **ret_path,
                    struct err *err)
{
        struct os_stat st;

        if (line->n_args + (size_t)(input->input != NULL) > 1)
                return err_set(err, ERR_USAGE, "%s reads one session: unexpected argument '%s'",
                               line->command->name, line->args[line->n_args - 1]);
        if (input->input)
                *ret_path = input->input;
        else if (line->n_args)
                *ret_path = line->args[0];
        else if (os_stat("wperf.data", &st))
                *ret_path = "wperf.data";
        else if (os_stat("perf.data", &st))
                *ret_path = "perf.data";
        else
                return err_set(
                        err, ERR_MISSING,
                        "there is no wperf.data here: record first, as in wperf record -- ./program, or "
                        "name a session with -i FILE");
        return true;
}

struct event_facts_request cmd_facts_request(const struct general_options *general,
                                             const struct machine_options *machine,
                                             const struct extra_options *extra)
{
        return (struct event_facts_request){
                .force_lock = general->force_lock,
                .cpu_model = general->cpu_model,
                .sysfs = machine->sysfs,
                .extra_events = extra ? extra->extra_events : NULL,
                .metrics_file = extra ? extra->metrics_file : NULL,
        };
}

int32_t *cmd_pids(const struct number_list *given)
{
        int32_t *pids = mem_new(given->n, sizeof(*pids));

        for (size_t i = 0; i < given->n; i++)
                pids[i] = (int32_t)given->numbers[i];
        return pids;
}

struct target cmd_target(const struct target_options *options, char *const *argv,
                         const struct process_choice *processes)
{
        bool is_measured = !processes->n_pids && !processes->cgroup.len;

        return (struct target){
                .argv = is_measured ? argv : NULL,
                .until = is_measured ? NULL : argv,
                .pids = processes->pids,
                .n_pids = processes->n_pids,
                .system_wide = options->all_cpus || (!processes->n_pids && (!argv || !is_measured)),
                .cgroup = processes->cgroup.len ? buf_text(&processes->cgroup) : NULL,
                .cgroup_fd = processes->cgroup_fd,
                .cpus = options->cpus.cpus,
                .n_cpus = options->cpus.n,
                .control = options->control,
                .listener = {.tell = cmd_tell},
        };
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
        struct number_list pids = command_line_pids(line);

        buf_printf(out, "wperf %s", line->command->name);
        for (size_t i = 0; i < line->n_given; i++) {
                buf_printf(out, " --%s", line->given[i].option->name);
                if (line->given[i].value)
                        buf_printf(out, " %s", line->given[i].value);
        }
        for (size_t i = 0; i < pids.n; i++)
                buf_printf(out, " %" PRIu64, pids.numbers[i]);
        if (line->n_args)
                buf_add_str(out, " --");
        for (size_t i = 0; i < line->n_args; i++)
                buf_printf(out, " %s", line->args[i]);
}

const char *cmd_temp_folder(void)
{
        static const char *const names[] = {"TMPDIR", "TEMP"};

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                const char *folder = os_environment(names[i]);

                if (folder && *folder)
                        return folder;
        }
        return os_tmp_folder();
}
