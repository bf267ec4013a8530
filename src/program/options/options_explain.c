/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints how a command line was parsed: the values of options as stored, then the arguments, quoted for a
 * shell.  Does not check whether an option is implemented. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "options.h"
#include "text_printable.h"

static bool is_plain(const char *text)
{
        static const char *const marks = "_-./:=,+@%^~";

        for (const char *at = text; *at; at++) {
                if (!isalnum((unsigned char)*at) && !strchr(marks, *at))
                        return false;
        }
        return *text;
}

/* Adds text; adds a backslash before each of `marks`, or `instead` in their place. */
static void add_replaced(const char *text, const char *marks, const char *instead, struct buf *out)
{
        for (const char *at = text; *at; at++) {
                if (!strchr(marks, *at))
                        buf_add_char(out, *at);
                else if (instead)
                        buf_add_str(out, instead);
                else
                        buf_printf(out, "\\%c", *at);
        }
}

/* Quotes text for a shell: plain, '...', or $'...' for characters that are not printable. */
static void add_quoted(const char *text, struct buf *out)
{
        AUTO_RELEASE(buf) escaped = {0};
        AUTO_RELEASE(buf) printable = {0};

        text_add_printable(&printable, text);
        if (is_plain(text)) {
                buf_add_str(out, text);
        } else if (!strcmp(buf_text(&printable), text)) {
                buf_add_char(out, '\'');
                add_replaced(text, "'", "'\\''", out);
                buf_add_char(out, '\'');
        } else {
                add_replaced(text, "'\\", NULL, &escaped);
                buf_add_str(out, "$'");
                text_add_printable(out, buf_text(&escaped));
                buf_add_char(out, '\'');
        }
}

/* The grammar allows hundredths of a unit, so every duration is a multiple of 10 us. */
static void add_number(const struct option *option, uint64_t number, struct buf *out)
{
        if (option->or_minus_one && number == UINT64_MAX)
                buf_add_str(out, "-1");
        else if (option->or_max && number == UINT64_MAX)
                buf_add_str(out, "max");
        else
                buf_printf(out, "%" PRIu64, number);
}

static void add_duration(uint64_t ns, struct buf *out)
{
        if (ns % 1000000000 == 0)
                buf_printf(out, "%" PRIu64 " s", ns / 1000000000);
        else if (ns % 1000000 == 0)
                buf_printf(out, "%" PRIu64 " ms", ns / 1000000);
        else
                buf_printf(out, "%" PRIu64 " us", ns / 1000);
}

static void add_cpus(const struct cpu_list *list, struct buf *out)
{
        for (size_t i = 0; i < list->n; i++)
                buf_printf(out, "%s%" PRIu32, i ? "," : "", list->cpus[i]);
}

static void add_numbers(const struct number_list *list, struct buf *out)
{
        for (size_t i = 0; i < list->n; i++)
                buf_printf(out, "%s%" PRIu64, i ? "," : "", list->numbers[i]);
}

/* Can hold a value of any kind, so that it is printed as it was stored. */
union any_value {
        bool flag;
        uint64_t number;
        const char *text;
        struct cpu_list cpus;
        struct number_list numbers;
};

static void add_value(const struct given_option *given, struct arena *arena, struct buf *out)
{
        union any_value value = {0};
        struct option option = *given->option;

        option.offset = 0;
        if (!option_store(&option, option.name, given->value, &value, arena, NULL))
                return;
        switch (option.kind) {
        case OPTION_FLAG: buf_add_str(out, "on"); break;
        case OPTION_TIMES: buf_add_str(out, "on"); break;
        case OPTION_U64: add_number(&option, value.number, out); break;
        case OPTION_DURATION: add_duration(value.number, out); break;
        case OPTION_CPUS: add_cpus(&value.cpus, out); break;
        case OPTION_NUMBERS: add_numbers(&value.numbers, out); break;
        case OPTION_STRING:
        case OPTION_FILE:
        case OPTION_LIST: add_quoted(value.text, out); break;
        }
}

static void add_pids(const struct command_line *line, struct buf *out)
{
        struct number_list pids = command_line_pids(line);

        if (!pids.n)
                return;
        buf_add_str(out, "processes: ");
        add_numbers(&pids, out);
        buf_add_char(out, '\n');
}

static void add_args(const struct command_line *line, struct buf *out)
{
        if (!line->n_args)
                return;
        buf_add_str(out, line->command->args == ARGS_COMMAND ? "run:" : "arguments:");
        for (size_t i = 0; i < line->n_args; i++) {
                buf_add_char(out, ' ');
                add_quoted(line->args[i], out);
        }
        buf_add_char(out, '\n');
}

void options_explain(const struct command_line *line, struct buf *out)
{
        struct arena arena = {0};

        if (!line->command) {
                buf_add_str(out, "command: none\n");
                return;
        }
        buf_printf(out, "command: %s\n", line->command->name);
        for (size_t i = 0; i < line->n_given; i++) {
                const struct given_option *given = &line->given[i];

                buf_printf(out, "option --%s: ", given->option->name);
                add_value(given, &arena, out);
                buf_add_char(out, '\n');
        }
        add_pids(line, out);
        add_args(line, out);
        arena_release(&arena);
}
