/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans the runs of record --repeat: which command is recorded into which session, in which order. */
#include "cmd_repeat.h"

#include <string.h>

#include "arena.h"
#include "cmd.h"
#include "cmd_record_options.h"
#include "err.h"
#include "os.h"
#include "text.h"
#include "text_words.h"

enum { MAX_SIDES = 2 };

/* A command that is recorded again and again. */
struct side {
        const char *pattern; /* path of its sessions, with %n for the number of the run */
        char **argv;
        size_t n_args;
};

struct repeating {
        const struct command_line *line;
        const struct record_options *options;
        struct side sides[MAX_SIDES];
        size_t n_sides;
        struct arena arena;
};

/* The path of a run, counted from 1. */
static const char *path_of(struct repeating *r, const char *pattern, uint64_t number)
{
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) path = {0};

        for (const char *at = pattern; *at; at++) {
                if (at[0] == '%' && at[1] == 'n') {
                        buf_printf(&name, "%llu", (unsigned long long)number);
                        at++;
                } else {
                        buf_add_char(&name, *at);
                }
        }
        cmd_output_path(r->options->output.output_prefix, buf_text(&name), &path);
        return arena_copy(&r->arena, buf_text(&path), path.len);
}

static bool check_pattern(const struct repeating *r, const char *pattern, struct err *err)
{
        if (r->options->sampling.repeat > 1 && !strstr(pattern, "%n"))
                return err_set(err, ERR_USAGE,
                               "'%.80s' names one session for %u runs: write %%n where the number of the run "
                               "belongs, as in a-%%n.data",
                               pattern, (unsigned)r->options->sampling.repeat);
        return true;
}

static bool take_first(struct repeating *r, struct err *err)
{
        const struct record_options *o = r->options;
        const char *pattern = o->sampling.session ? o->sampling.session : o->output.output;

        if (!pattern)
                return err_set(err, ERR_USAGE,
                               "--repeat writes a session for each run: name them, as in -o a-%%n.data");
        r->sides[r->n_sides++] = (struct side){pattern, r->line->args, r->line->n_args};
        return check_pattern(r, pattern, err);
}

/* --vs 'b-%n.data=./python-b bench.py' */
static bool take_second(struct repeating *r, struct err *err)
{
        const char *text = r->options->sampling.versus;
        const char *equals = text ? strchr(text, '=') : NULL;
        struct side side;

        if (!text)
                return true;
        if (!equals || equals == text)
                return err_set(err, ERR_USAGE,
                               "--vs takes the name of the sessions, '=' and a command, as in --vs "
                               "'b-%%n.data=./b bench.py', not '%.80s'",
                               text);
        side.pattern = arena_copy(&r->arena, text, (size_t)(equals - text));
        side.argv = text_split_words(equals + 1, &r->arena, &side.n_args, err);
        if (!side.argv)
                return err_in(err, "--vs");
        if (!side.n_args)
                return err_set(err, ERR_USAGE, "--vs: there is no command after '%.80s='", side.pattern);
        r->sides[r->n_sides++] = side;
        return check_pattern(r, side.pattern, err);
}

static bool check_options(const struct repeating *r, struct err *err)
{
        const struct record_options *o = r->options;
        bool is_document = o->output.output && !export_output_of_file(o->output.output) &&
                           text_ends(o->output.output, ".json");
        const char *in_the_way = is_document                               ? "-o with a name in .json"
                                 : export_output_of_file(o->output.output) ? "-o with the name of a picture"
                                 : o->sampling.format                      ? "--format"
                                 : o->output.json                          ? "--json"
                                 : o->sampling.tui                         ? "--tui"
                                 : o->sampling.dry_run                     ? "--dry-run"
                                 : o->target.control                       ? "--control"
                                 : o->display.annotate                     ? "--annotate"
                                 : o->display.disassemble                  ? "--disassemble"
                                 : o->sampling.session && o->output.output ? "--session together with -o"
                                                                           : NULL;

        if (!r->line->n_args)
                return err_set(err, ERR_USAGE,
                               "%s needs a command to run, as in wperf record --repeat 5 -o a-%%n.data -- "
                               "./program",
                               o->sampling.versus ? "--vs" : "--repeat");
        return !in_the_way || err_set(err, ERR_USAGE, "%s and %s cannot be used together",
                                      o->sampling.versus ? "--vs" : "--repeat", in_the_way);
}

static uint64_t n_runs(const struct repeating *r)
{
        return r->options->sampling.repeat ? r->options->sampling.repeat : 1;
}

/* Nothing is measured if any session exists already: a mixture of old and new runs would be compared
 * later. */
static bool check_files(struct repeating *r, struct err *err)
{
        struct os_stat there;

        if (r->n_sides == 2 &&
            !strcmp(path_of(r, r->sides[0].pattern, 1), path_of(r, r->sides[1].pattern, 1)))
                return err_set(err, ERR_USAGE, "-o and --vs name the same session '%.80s'",
                               r->sides[0].pattern);
        for (uint64_t i = 1; i <= n_runs(r); i++) {
                for (size_t side = 0; side < r->n_sides; side++) {
                        const char *path = path_of(r, r->sides[side].pattern, i);

                        if (os_stat(path, &there))
                                return err_set(err, ERR_USAGE, "%.120s already exists; choose another name",
                                               path);
                        if (!cmd_can_write(NULL, path, err))
                                return false;
                }
        }
        return true;
}

static void print_run(const struct repeating *r, uint64_t number, const char *path,
                      const struct record_end *end)
{
        AUTO_RELEASE(buf) out = {0};

        if (r->options->general.quiet)
                return;
        buf_printf(&out, "run %llu of %llu: %s, %.3f s, %llu samples\n", (unsigned long long)number,
                   (unsigned long long)n_runs(r), path, (double)end->elapsed_ns / 1e9,
                   (unsigned long long)end->n_samples);
        cmd_print(&out, EXIT_OK);
}

/* A program that repeats itself may stay in step with the samples; a function then seems to take more or
 * less time than it does, in each run alike, so that runs do not show the error.  At other rates it is
 * another error. */
static uint64_t rate_of(const struct record_options *o, uint64_t number)
{
        enum {
                LOWEST = 949,
                N_RATES = 101,
                STEP = 38
        }; /* 999 Hz and up to 5 % less or more, far apart from run to run */

        if (o->sampling.freq_hz || o->sampling.rate_hz || o->sampling.mem || !o->sampling.repeat)
                return o->sampling.freq_hz;
        return LOWEST + (number * STEP + 12) % N_RATES;
}

static int record_run(struct repeating *r, const struct side *side, uint64_t number, bool *ret_go_on)
{
        struct record_options options = *r->options;
        struct command_line line = *r->line;
        struct record_end end = {0};
        const char *path = path_of(r, side->pattern, number);
        int status;

        options.sampling.freq_hz = rate_of(r->options, number);
        options.sampling.repeat = 0;
        options.sampling.versus = NULL;
        options.sampling.session = path;
        options.output.output = NULL;
        options.output.output_prefix = NULL;
        options.general.quiet = true;
        line.options = &options;
        line.args = side->argv;
        line.n_args = side->n_args;
        status = cmd_record_once(&line, &end);
        if (end.has_run)
                print_run(r, number, path, &end);
        *ret_go_on = !status && end.has_run && !end.was_interrupted;
        return status;
}

static void say_end(const struct repeating *r, uint64_t number, int status)
{
        AUTO_RELEASE(buf) out = {0};

        buf_printf(&out, "run %llu of %llu ended with status %d; no more runs follow\n",
                   (unsigned long long)number, (unsigned long long)n_runs(r), status);
        if (status)
                cmd_warn(&out);
}

/* With --vs the commands take turns, so that a change of the machine's speed meets both alike. */
static int record_all(struct repeating *r)
{
        bool goes_on = true;
        int status = EXIT_OK;

        for (uint64_t i = 1; i <= n_runs(r); i++) {
                for (size_t side = 0; side < r->n_sides; side++) {
                        status = record_run(r, &r->sides[side], i, &goes_on);
                        if (goes_on)
                                continue;
                        say_end(r, i, status);
                        return status;
                }
        }
        return status;
}

int cmd_record_repeat(const struct command_line *line)
{
        struct repeating r = {.line = line, .options = line->options};
        struct err err = {0};
        int status;

        if (!check_options(&r, &err) || !take_first(&r, &err) || !take_second(&r, &err) ||
            !check_files(&r, &err)) {
                cmd_fail(&err);
                status = err.code == ERR_USAGE ? EXIT_WRONG_USAGE : EXIT_FAILED_COMMAND;
        } else {
                status = record_all(&r);
        }
        arena_release(&r.arena);
        return status;
}
