/* SPDX-License-Identifier: BSD-3-Clause */
/* help, and the hidden commands that print the tables: --explain, --man and --completion. */
#include <string.h>

#include "cmd.h"
#include "cmd_facts_options.h"
#include "commands.h"

static bool find_topic(const struct command_line *line, const struct command **ret_command, struct err *err)
{
        *ret_command = NULL;
        if (!line->n_args)
                return true;
        *ret_command = options_find_command(&commands_all, line->args[0]);
        for (const struct foreign_command *f = commands_all.foreign; !*ret_command && f->name; f++) {
                if (!strcmp(f->name, line->args[0]))
                        return err_set(err, ERR_USAGE, "'%s' is not a wperf command; %s", f->name,
                                       f->instead);
        }
        if (!*ret_command)
                return err_set(err, ERR_USAGE,
                               "'%.60s' is not a wperf command; 'wperf --help' lists the commands",
                               line->args[0]);
        return true;
}

int cmd_help(const struct command_line *line)
{
        const struct help_options *o = line->options;
        AUTO_RELEASE(buf) out = {0};
        const struct command *command;
        struct err err = {0};

        if (!find_topic(line, &command, &err))
                return cmd_fail(&err);
        if (!command) {
                options_help_program(&commands_all, &out);
                return cmd_print(&out, EXIT_OK);
        }
        options_help_command(command, o->choice.all, &out);
        return cmd_page(&out, EXIT_OK);
}

int cmd_man_page(const struct command_line *line)
{
        AUTO_RELEASE(buf) out = {0};
        const struct command *command;
        struct err err = {0};

        if (!find_topic(line, &command, &err))
                return cmd_fail(&err);
        if (command)
                options_man_command(command, &out);
        else
                options_man_program(&commands_all, &out);
        return cmd_print(&out, EXIT_OK);
}

int cmd_completion(const struct command_line *line)
{
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};

        if (line->n_args != 1 || !options_completion(line->args[0], &out)) {
                err_set(&err, ERR_USAGE,
                        "--completion takes bash, zsh or fish, as in wperf --completion bash");
                return cmd_fail(&err);
        }
        return cmd_print(&out, EXIT_OK);
}

/* The line may begin with the program's name. */
int cmd_explain(const struct command_line *line)
{
        size_t skip = line->n_args && (!strcmp(line->args[0], "wperf") || !strcmp(line->args[0], "perf"));
        struct command_line explained;
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};
        int status;

        if (command_line_parse(&explained, &commands_all, line->n_args - skip, line->args + skip, &err)) {
                options_explain(&explained, &out);
                status = cmd_print(&out, EXIT_OK);
        } else {
                status = cmd_fail(&err);
        }
        command_line_release(&explained);
        return status;
}
