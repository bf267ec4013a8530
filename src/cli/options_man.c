/* SPDX-License-Identifier: BSD-3-Clause */
/* Manual pages in roff's man macros, and the completion for bash, out of the tables. */
#include <ctype.h>
#include <string.h>

#include "options.h"

/* Text that roff takes as it stands: no requests at the start of a line, dashes that can be copied. */
static void add_roff(struct buf *out, const char *text)
{
        if (*text == '.' || *text == '\'')
                buf_add_str(out, "\\&");
        for (const char *at = text; *at; at++) {
                if (*at == '\\')
                        buf_add_str(out, "\\e");
                else if (*at == '-')
                        buf_add_str(out, "\\-");
                else
                        buf_add_char(out, *at);
        }
}

static void add_roff_line(struct buf *out, const char *macro, const char *text)
{
        buf_add_str(out, macro);
        add_roff(out, text);
        buf_add_char(out, '\n');
}

static void add_upper(struct buf *out, const char *text)
{
        for (const char *at = text; *at; at++)
                buf_add_char(out, (char)toupper((unsigned char)*at));
}

static void add_synopsis(const struct command *command, struct buf *out)
{
        AUTO_RELEASE(buf) name = {0};

        buf_printf(&name, "wperf %s", command->name);
        add_roff_line(out, ".PP\n.B ", buf_text(&name));
        add_roff_line(out, "", "[OPTION]...");
        if (command->args_usage)
                add_roff_line(out, "", command->args_usage);
}

static void add_option(const struct option *option, struct buf *out)
{
        AUTO_RELEASE(buf) spellings = {0};

        if (option->hidden)
                return;
        option_add_spellings(option, false, &spellings);
        buf_add_str(out, ".TP\n\\fB");
        add_roff(out, buf_text(&spellings));
        buf_add_str(out, "\\fR");
        if (option->arg) {
                buf_add_str(out, " \\fI");
                add_roff(out, option->arg);
                buf_add_str(out, "\\fR");
        }
        buf_add_char(out, '\n');
        add_roff_line(out, "", option->help);
        if (option->later)
                add_roff_line(out, "", "(not in this version yet)");
}

static void add_groups(const struct command *command, struct buf *out)
{
        for (const struct command_group *g = command->groups; g && g->group; g++) {
                add_roff_line(out, ".SS ", g->group->title);
                for (const struct option *option = g->group->options; option->name; option++)
                        add_option(option, out);
        }
}

static void add_examples(const struct command *command, struct buf *out)
{
        for (const struct example *e = command->examples; e && e->line; e++) {
                add_roff_line(out, ".TP\n.B ", e->line);
                add_roff_line(out, "", e->text);
        }
}

void options_man_command(const struct command *command, struct buf *out)
{
        buf_add_str(out, ".TH WPERF\\-");
        add_upper(out, command->name);
        buf_printf(out, " 1 \"\" \"wperf\"\n.SH NAME\nwperf\\-%s \\- ", command->name);
        add_roff_line(out, "", command->summary);
        buf_add_str(out, ".SH SYNOPSIS\n");
        add_synopsis(command, out);
        if (command->about)
                add_roff_line(out, ".SH DESCRIPTION\n", command->about);
        buf_add_str(out, ".SH OPTIONS\n");
        add_groups(command, out);
        if (command->examples) {
                buf_add_str(out, ".SH EXAMPLES\n");
                add_examples(command, out);
        }
}

void options_man_program(struct buf *out)
{
        buf_add_str(out, ".TH WPERF 1 \"\" \"wperf\"\n.SH NAME\nwperf \\- a performance profiler\n"
                         ".SH SYNOPSIS\n");
        for (size_t i = 0; commands[i]; i++) {
                if (!commands[i]->hidden)
                        add_synopsis(commands[i], out);
        }
        buf_add_str(out, ".SH COMMANDS\n");
        for (size_t i = 0; commands[i]; i++) {
                if (commands[i]->hidden)
                        continue;
                add_roff_line(out, ".TP\n.B ", commands[i]->name);
                add_roff_line(out, "", commands[i]->summary);
        }
        buf_add_str(out, ".SH EXAMPLES\n");
        for (size_t i = 0; commands[i]; i++)
                add_examples(commands[i], out);
}

/* --- Completion ------------------------------------------------------------------------------------- */

static void add_names(const struct command *command, bool only_files, struct buf *out)
{
        struct option_walk walk = {.command = command};
        const struct option *option;

        while ((option = option_next(&walk))) {
                if (option->hidden || (only_files && option->kind != OPTION_FILE))
                        continue;
                buf_printf(out, " --%s", option->name);
                if (option->letter)
                        buf_printf(out, " -%c", option->letter);
        }
}

void options_completion_bash(struct buf *out)
{
        buf_add_str(out, "_wperf() {\n    local word=${COMP_WORDS[COMP_CWORD]} "
                         "before=${COMP_WORDS[COMP_CWORD-1]} options= files=\n    COMPREPLY=()\n"
                         "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
                         "        COMPREPLY=($(compgen -W \"");
        for (size_t i = 0; commands[i]; i++) {
                if (!commands[i]->hidden)
                        buf_printf(out, "%s ", commands[i]->name);
        }
        buf_add_str(out, "--help --version\" -- \"$word\"))\n        return\n    fi\n"
                         "    case ${COMP_WORDS[1]} in\n");
        for (size_t i = 0; commands[i]; i++) {
                if (commands[i]->hidden)
                        continue;
                buf_printf(out, "    %s)\n        options=\"", commands[i]->name);
                add_names(commands[i], false, out);
                buf_add_str(out, "\"\n        files=\"");
                add_names(commands[i], true, out);
                buf_add_str(out, "\" ;;\n");
        }
        buf_add_str(out, "    esac\n    if [[ $word == -* && \" $files \" != *\" $before \"* ]]; then\n"
                         "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n    fi\n}\n"
                         "complete -o default -F _wperf wperf\n");
}
