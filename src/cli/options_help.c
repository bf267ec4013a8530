/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of --help, for the program and for one command, out of the tables. */
#include <string.h>

#include "options.h"
#include "text.h"

enum { WIDTH = 80, INDENT = 4, HELP_INDENT = 12 };

static void pad_to(struct buf *out, size_t line_start, size_t column)
{
        while (out->len - line_start < column)
                buf_add_char(out, ' ');
}

/* Words broken into lines that begin at `indent`; the first one begins where `out` stands. */
static void add_wrapped(struct buf *out, size_t line_start, size_t indent, const char *text)
{
        const char *word;
        size_t len;

        while ((word = word_next(&text, &len))) {
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

static void add_option(const struct option *option, struct buf *out)
{
        AUTO_RELEASE(buf) text = {0};

        if (option->hidden)
                return;
        pad_to(out, out->len, INDENT);
        buf_add_str(out, "    ");
        option_add_spellings(option, true, out);
        buf_add_char(out, '\n');
        buf_add_str(&text, option->help);
        if (option->later)
                buf_add_str(&text, " (not in this version yet)");
        add_paragraph(out, HELP_INDENT, buf_text(&text));
}

static void add_group(const struct option_group *group, struct buf *out)
{
        buf_printf(out, "    %s:\n", group->title);
        for (const struct option *option = group->options; option->name; option++)
                add_option(option, out);
}

static void add_examples(const struct command *command, struct buf *out)
{
        for (const struct example *e = command->examples; e && e->line; e++) {
                buf_printf(out, "    %s\n", e->line);
                add_paragraph(out, HELP_INDENT, e->text);
        }
}

void options_help_command(const struct command *command, struct buf *out)
{
        buf_printf(out, "NAME:\n    wperf %s - %s\n\nSYNOPSIS:\n", command->name, command->summary);
        add_synopsis(command, out);
        if (command->about) {
                buf_add_str(out, "\nDESCRIPTION:\n");
                add_paragraph(out, INDENT, command->about);
        }
        buf_add_str(out, "\nOPTIONS:\n");
        for (const struct command_group *g = command->groups; g && g->group; g++)
                add_group(g->group, out);
        if (command->examples) {
                buf_add_str(out, "\nEXAMPLES:\n");
                add_examples(command, out);
        }
}

/* --- The program ------------------------------------------------------------------------------------ */

static bool has_group(const struct command *command, const struct option_group *group)
{
        for (const struct command_group *g = command->groups; g && g->group; g++) {
                if (g->group == group)
                        return true;
        }
        return false;
}

/* Calls `each` once for every group that a visible command has, in the order of the commands. */
static void each_group(void (*each)(const struct option_group *group, struct buf *out), struct buf *out)
{
        for (size_t i = 0; commands[i]; i++) {
                if (commands[i]->hidden)
                        continue;
                for (const struct command_group *g = commands[i]->groups; g && g->group; g++) {
                        size_t first = 0;

                        while (!has_group(commands[first], g->group))
                                first++;
                        if (first == i)
                                each(g->group, out);
                }
        }
}

static void add_group_with_commands(const struct option_group *group, struct buf *out)
{
        AUTO_RELEASE(buf) text = {0};

        buf_printf(&text, "%s (", group->title);
        for (size_t i = 0, n = 0; commands[i]; i++) {
                if (!commands[i]->hidden && has_group(commands[i], group))
                        buf_printf(&text, "%s%s", n++ ? ", " : "", commands[i]->name);
        }
        buf_add_str(&text, "):");
        add_paragraph(out, INDENT, buf_text(&text));
        for (const struct option *option = group->options; option->name; option++)
                add_option(option, out);
}

static void add_aliases(const struct option_group *group, struct buf *out)
{
        for (const struct option *o = group->options; o->name; o++) {
                if (o->hidden || (!o->letter && !o->aliases && !o->word))
                        continue;
                buf_add_str(out, "    ");
                option_add_spellings(o, false, out);
                buf_add_char(out, '\n');
        }
}

static void add_command_aliases(struct buf *out)
{
        for (size_t i = 0; commands[i]; i++) {
                const char *aliases = commands[i]->aliases, *word;
                size_t len;

                if (!aliases)
                        continue;
                buf_printf(out, "    %s", commands[i]->name);
                while ((word = word_next(&aliases, &len)))
                        buf_printf(out, ", %.*s", (int)len, word);
                buf_add_char(out, '\n');
        }
}

void options_help_program(struct buf *out)
{
        buf_add_str(out,
                    "NAME:\n    wperf - counts events, samples programs and shows where they spend their "
                    "time\n\nSYNOPSIS:\n");
        for (size_t i = 0; commands[i]; i++) {
                if (commands[i]->hidden)
                        continue;
                add_synopsis(commands[i], out);
                add_paragraph(out, HELP_INDENT, commands[i]->summary);
        }
        buf_add_str(out, "\nOPTIONS:\n");
        each_group(add_group_with_commands, out);
        buf_add_str(out, "\nOPTIONS aliases:\n");
        add_command_aliases(out);
        each_group(add_aliases, out);
        buf_add_str(out, "\nEXAMPLES:\n");
        for (size_t i = 0; commands[i]; i++)
                add_examples(commands[i], out);
}
