/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of --help, for the program and for one command, from the tables. */
#include <string.h>

#include "buf.h"
#include "options.h"

enum { WIDTH = 80, INDENT = 4, HELP_INDENT = 12 };

static void pad_to(struct buf *out, size_t line_start, size_t column)
{
        while (out->len - line_start < column)
                buf_add_char(out, ' ');
}

/* Wraps words into lines that begin at `indent`; the first line begins at the end of `out`. */
static void add_wrapped(struct buf *out, size_t line_start, size_t indent, const char *text)
{
        const char *word;
        size_t len;

        while ((word = options_next_word(&text, &len))) {
                if (out->len - line_start > indent && out->len - line_start + 1 + len > WIDTH) {
                        buf_add_char(out, '\n');
                        line_start = out->len;
                }
                if (out->len - line_start > indent)
                        buf_add_char(out, ' ');
                pad_to(out, line_start, indent);
                buf_add(out, word, len);
        }
        buf_add_char(out, '\n');
}

static void add_paragraph(struct buf *out, size_t indent, const char *text)
{
        add_wrapped(out, out->len, indent, text);
}

static bool has_options(const struct command *command)
{
        return command->groups && command->groups[0].group;
}

static void add_synopsis(const struct command *command, struct buf *out)
{
        AUTO_RELEASE(buf) line = {0};

        buf_printf(&line, "wperf %s", command->name);
        if (has_options(command))
                buf_add_str(&line, " [OPTION]...");
        if (command->args_usage)
                buf_printf(&line, " %s", command->args_usage);
        add_paragraph(out, INDENT, buf_text(&line));
}

static void add_option(const struct command *command, const struct option *option, struct buf *out)
{
        if (option->hidden)
                return;
        pad_to(out, out->len, INDENT);
        buf_add_str(out, "    ");
        option_add_spellings(command, option, true, out);
        buf_add_char(out, '\n');
        add_paragraph(out, HELP_INDENT, option_help(command, option));
}

static void add_group(const struct command *command, const struct option_group *group, struct buf *out)
{
        if (!option_group_is_shown(group))
                return;
        buf_printf(out, "    %s:\n", group->title);
        for (const struct option *option = group->options; option->name; option++)
                add_option(command, option, out);
}

static size_t count_shown(const struct command *command)
{
        struct option_walk walk = {.command = command};
        const struct option *option;
        size_t n = 0;

        while ((option = option_next(&walk)))
                n += !option->hidden;
        return n;
}

static void add_common(const struct command *command, struct buf *out)
{
        const char *names = command->common, *name;
        AUTO_RELEASE(buf) rest = {0};
        size_t len;

        while ((name = options_next_word(&names, &len)))
                add_option(command, option_find(command, name, len, NULL), out);
        buf_printf(&rest, "These are the common options. 'wperf help %s --all' shows all %zu.", command->name,
                   count_shown(command));
        buf_add_char(out, '\n');
        add_paragraph(out, INDENT, buf_text(&rest));
}

static void add_options(const struct command *command, bool all, struct buf *out)
{
        if (command->common && !all) {
                add_common(command, out);
                return;
        }
        for (const struct command_group *g = command->groups; g && g->group; g++)
                add_group(command, g->group, out);
}

static void add_examples(const struct command *command, struct buf *out)
{
        for (const struct example *e = command->examples; e && e->line; e++) {
                buf_printf(out, "    %s\n", e->line);
                add_paragraph(out, HELP_INDENT, e->text);
        }
}

void options_help_command(const struct command *command, bool all, struct buf *out)
{
        buf_printf(out, "NAME:\n    wperf %s - %s\n\nSYNOPSIS:\n", command->name, command->summary);
        add_synopsis(command, out);
        if (command->about) {
                buf_add_str(out, "\nDESCRIPTION:\n");
                add_paragraph(out, INDENT, command->about);
        }
        buf_add_str(out, "\nOPTIONS:\n");
        add_options(command, all, out);
        if (command->examples) {
                buf_add_str(out, "\nEXAMPLES:\n");
                add_examples(command, out);
        }
}

/* --- The program ------------------------------------------------------------------------------------ */

enum { SUMMARY_COLUMN = 22, BRIEF_COLUMN = 32 };

static void add_command_line(const struct command *command, struct buf *out)
{
        size_t start = out->len;

        buf_printf(out, "    wperf %s ", command->name);
        pad_to(out, start, SUMMARY_COLUMN);
        buf_printf(out, "%s\n", command->summary);
}

static bool has_group(const struct command *command, const struct option_group *group)
{
        for (const struct command_group *g = command->groups; g && g->group; g++) {
                if (g->group == group)
                        return true;
        }
        return false;
}

static void add_brief_options(const struct option_group *group, struct buf *out)
{
        for (const struct option *option = group->options; option->name; option++) {
                size_t start = out->len;

                if (!option->brief)
                        continue;
                buf_add_str(out, "    ");
                if (option->letter)
                        buf_printf(out, "-%c, ", option->letter);
                buf_printf(out, "--%s", option->name);
                if (option->arg)
                        buf_printf(out, " %s", option->arg);
                buf_add_char(out, ' ');
                pad_to(out, start, BRIEF_COLUMN);
                buf_printf(out, "%s\n", option->brief);
        }
}

/* The most used options of all visible commands, each group once, in the order of the commands. */
static void add_most_used(const struct command *const *commands, struct buf *out)
{
        for (size_t i = 0; commands[i]; i++) {
                for (const struct command_group *g = commands[i]->groups; g && g->group; g++) {
                        size_t first = 0;

                        while (!has_group(commands[first], g->group))
                                first++;
                        if (first == i && !commands[i]->hidden)
                                add_brief_options(g->group, out);
                }
        }
}

void options_help_program(const struct command_set *set, struct buf *out)
{
        const struct command *const *commands = set->commands;

        buf_add_str(out,
                    "NAME:\n    wperf - counts events, samples programs and shows where they spend their "
                    "time\n\nSYNOPSIS:\n");
        for (size_t i = 0; commands[i]; i++) {
                if (!commands[i]->hidden)
                        add_command_line(commands[i], out);
        }
        buf_add_str(out, "\nOPTIONS:\n");
        add_most_used(commands, out);
        buf_add_str(out, "\nEXAMPLES:\n");
        for (size_t i = 0; commands[i]; i++) {
                if (commands[i]->examples && commands[i]->examples->line)
                        buf_printf(out, "    %s\n", commands[i]->examples->line);
        }
        buf_add_str(out, "\nThese are the most used options. 'wperf help COMMAND' shows all options of a "
                         "command.\n");
}
