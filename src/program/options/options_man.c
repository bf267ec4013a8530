/* SPDX-License-Identifier: BSD-3-Clause */
/* Manual pages with roff's man macros, from the tables. */
#include <ctype.h>
#include <string.h>

#include "options.h"

enum { LINE_BYTES = 78 };

/* Adds text so that roff prints it unchanged; dashes and quotes can be copied from the page. */
static void add_roff(struct buf *out, const char *text, size_t len)
{
        for (size_t i = 0; i < len; i++) {
                switch (text[i]) {
                case '\\': buf_add_str(out, "\\e"); break;
                case '-': buf_add_str(out, "\\-"); break;
                case '\'': buf_add_str(out, "\\(aq"); break;
                case '^': buf_add_str(out, "\\(ha"); break;
                case '~': buf_add_str(out, "\\(ti"); break;
                default: buf_add_char(out, text[i]);
                }
        }
}

/* Adds text in short lines; no line begins with a character of a roff request. */
static void add_text(struct buf *out, const char *text)
{
        size_t line_start = out->len, len;
        const char *word;

        while ((word = options_next_word(&text, &len))) {
                if (out->len > line_start && out->len - line_start + len > LINE_BYTES) {
                        buf_add_char(out, '\n');
                        line_start = out->len;
                }
                if (out->len > line_start)
                        buf_add_char(out, ' ');
                else if (*word == '.')
                        buf_add_str(out, "\\&");
                add_roff(out, word, len);
        }
        buf_add_char(out, '\n');
}

static void add_roff_line(struct buf *out, const char *macro, const char *text)
{
        buf_add_str(out, macro);
        add_roff(out, text, strlen(text));
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
        add_roff_line(out, ".B ", buf_text(&name));
        add_roff_line(out, "", "[OPTION]...");
        if (command->args_usage)
                add_roff_line(out, "", command->args_usage);
}

static void add_option(const struct command *command, const struct option *option, struct buf *out)
{
        AUTO_RELEASE(buf) spellings = {0};

        if (option->hidden)
                return;
        option_add_spellings(command, option, false, &spellings);
        buf_add_str(out, ".TP\n\\fB");
        add_roff(out, buf_text(&spellings), spellings.len);
        buf_add_str(out, "\\fR");
        if (option->arg) {
                buf_add_str(out, " \\fI");
                add_roff(out, option->arg, strlen(option->arg));
                buf_add_str(out, "\\fR");
        }
        buf_add_char(out, '\n');
        add_text(out, option_help(command, option));
}

static void add_groups(const struct command *command, struct buf *out)
{
        for (const struct command_group *g = command->groups; g && g->group; g++) {
                if (!option_group_is_shown(g->group))
                        continue;
                add_roff_line(out, ".SS ", g->group->title);
                for (const struct option *option = g->group->options; option->name; option++)
                        add_option(command, option, out);
        }
}

static void add_examples(const struct command *command, struct buf *out)
{
        for (const struct example *e = command->examples; e && e->line; e++) {
                add_roff_line(out, ".TP\n.B ", e->line);
                add_text(out, e->text);
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
        if (command->about) {
                buf_add_str(out, ".SH DESCRIPTION\n");
                add_text(out, command->about);
        }
        buf_add_str(out, ".SH OPTIONS\n");
        add_groups(command, out);
        if (command->examples) {
                buf_add_str(out, ".SH EXAMPLES\n");
                add_examples(command, out);
        }
        buf_add_str(out, ".SH SEE ALSO\n.BR wperf (1)\n");
}

void options_man_program(const struct command_set *set, struct buf *out)
{
        const struct command *const *commands = set->commands;

        buf_add_str(out, ".TH WPERF 1 \"\" \"wperf\"\n.SH NAME\nwperf \\- a performance profiler\n"
                         ".SH SYNOPSIS\n");
        for (size_t i = 0, n = 0; commands[i]; i++) {
                if (commands[i]->hidden)
                        continue;
                buf_add_str(out, n++ ? ".PP\n" : "");
                add_synopsis(commands[i], out);
        }
        buf_add_str(out, ".SH COMMANDS\n");
        for (size_t i = 0; commands[i]; i++) {
                if (commands[i]->hidden)
                        continue;
                add_roff_line(out, ".TP\n.B ", commands[i]->name);
                add_text(out, commands[i]->summary);
        }
        buf_add_str(out, ".SH EXAMPLES\n");
        for (size_t i = 0; commands[i]; i++)
                add_examples(commands[i], out);
        buf_add_str(out, ".SH SEE ALSO\n");
        for (size_t i = 0, n = 0; commands[i]; i++) {
                if (!commands[i]->hidden)
                        buf_printf(out, "%s.BR wperf\\-%s (1)", n++ ? " ,\n" : "", commands[i]->name);
        }
        buf_add_char(out, '\n');
}
