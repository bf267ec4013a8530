/* SPDX-License-Identifier: BSD-3-Clause */
#include "check_runs.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "cmd.h"
#include "cmd_output.h"
#include "cmd_record_options.h"
#include "cmd_stat_options.h"
#include "commands.h"
#include "mem.h"
#include "os.h"
#include "text.h"
#include "text_words.h"

/* Numbers of runs after which the verdict is looked at.  Each look may be wrong, so they are few. */
static const size_t look_at[] = {5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 1000};

struct run_command {
        char *const *words;
        size_t n_words;
        char **paths; /* of sessions */
        char **names; /* of the runs: "run 1 of './bench'" */
        size_t n, cap, cap_names;
};

struct check_runs {
        struct run_command
                commands[RUN_N_SIDES]; /* that of A is --vs; it has no words if there is a baseline */
        const char *event;             /* to count; NULL: samples of CPU time */
        const char *instead;
        size_t max_runs;
        uint64_t end_ns;
        bool is_single_look;
        struct arena arena;
};

static bool take_vs(struct check_runs *runs, const char *text, struct err *err)
{
        struct run_command *command = &runs->commands[RUN_A];

        if (!text)
                return true;
        command->words = text_split_words(text, &runs->arena, &command->n_words, err);
        if (!command->words)
                return err_in(err, "--vs");
        return command->n_words || err_set(err, ERR_USAGE, "--vs takes a command");
}

struct check_runs *check_runs_new(const struct command_line *line, const struct check_options *options,
                                  struct err *err)
{
        const struct checking_options *o = &options->what;
        AUTO(check_runs) runs = mem_new(1, sizeof(*runs));

        runs->commands[RUN_B].words = line->args + line->n_args_before;
        runs->commands[RUN_B].n_words = line->n_args - line->n_args_before;
        runs->is_single_look = o->write_baseline;
        runs->max_runs = o->max_runs         ? (size_t)o->max_runs
                         : o->write_baseline ? CHECK_BASELINE_RUNS
                                             : CHECK_DEFAULT_RUNS;
        runs->end_ns = o->max_time_ns ? os_monotonic_ns() + o->max_time_ns : UINT64_MAX;
        if (line->has_dashes && line->n_args_before) {
                err_set(err, ERR_USAGE,
                        "--run takes no value and no sessions, as '%.60s' before -- is one: leave it out; --max-runs N "
                        "limits the runs",
                        line->args[0]);
                return NULL;
        }
        if (!line->has_dashes || !runs->commands[RUN_B].n_words) {
                err_set(err, ERR_USAGE,
                        "--run needs a command after --, as in wperf check --run --baseline main.json -- ./bench");
                return NULL;
        }
        if (!o->versus == !(o->baseline || o->write_baseline)) {
                err_set(err, ERR_USAGE, "--run compares with either --baseline FILE or --vs COMMAND");
                return NULL;
        }
        if (o->measure && !strcmp(o->measure, "count"))
                runs->event = o->event;
        return take_vs(runs, o->versus, err) ? TAKE(runs) : NULL;
}

/* With the names of its Python functions. */
static void remove_session(const char *path)
{
        AUTO_RELEASE(buf) symbols = {0};

        os_remove(path, NULL);
        buf_printf(&symbols, "%s.pysyms", path);
        os_remove(buf_text(&symbols), NULL);
}

void check_runs_free(struct check_runs *runs)
{
        if (!runs)
                return;
        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                for (size_t i = 0; i < runs->commands[side].n; i++)
                        remove_session(runs->commands[side].paths[i]);
                free(runs->commands[side].paths);
                free(runs->commands[side].names);
        }
        arena_release(&runs->arena);
        free(runs);
}

static size_t next_look(const struct check_runs *runs)
{
        size_t have = runs->commands[RUN_B].n;

        for (size_t i = 0; i < N_ELEMENTS(look_at) && !runs->is_single_look; i++) {
                if (look_at[i] > have && look_at[i] < runs->max_runs)
                        return look_at[i];
        }
        return runs->max_runs;
}

size_t check_runs_n_looks(const struct check_runs *runs)
{
        size_t n = 1;

        for (size_t i = 0; i < N_ELEMENTS(look_at) && !runs->is_single_look; i++)
                n += look_at[i] < runs->max_runs;
        return n;
}

/* --- One run ---------------------------------------------------------------------------------------- */

static bool add_path(struct check_runs *runs, struct run_command *command, struct err *err)
{
        AUTO_RELEASE(buf) prefix = {0};
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) name = {0};
        AUTO(os_file) file = NULL;
        size_t n = command->n;

        buf_printf(&prefix, "%s/wperf-check-", cmd_temp_folder());
        file = os_file_create_temp(buf_text(&prefix), &path, err);
        if (!file)
                return false;
        buf_printf(&name, "run %zu of '%s'", n + 1, command->words[0]);
        ARRAY_PUSH(command->names, n, command->cap_names,
                   arena_copy(&runs->arena, buf_text(&name), name.len));
        ARRAY_PUSH(command->paths, command->n, command->cap,
                   arena_copy(&runs->arena, buf_text(&path), path.len));
        return os_file_close(TAKE(file), err);
}

static char *copy_word(struct check_runs *runs, const char *text)
{
        return arena_copy(&runs->arena, text, strlen(text));
}

/* The words of the command of wperf that measures one run. */
static char **measuring_words(struct check_runs *runs, const struct run_command *command, size_t *ret_n)
{
        enum { MOST = 8 };
        char **words = mem_new(command->n_words + MOST + 1, sizeof(*words));
        /* Other rates from run to run, as record --repeat has them. */
        uint64_t number = command->n;
        AUTO_RELEASE(buf) rate = {0};
        size_t n = 0;

        buf_printf(&rate, "%u", 949 + (unsigned)((number * 38 + 12) % 101));
        words[n++] = copy_word(runs, runs->event ? "stat" : "record");
        words[n++] = copy_word(runs, "-q");
        words[n++] = copy_word(runs, runs->event ? "-e" : "-F");
        words[n++] = copy_word(runs, runs->event ? runs->event : buf_text(&rate));
        words[n++] = copy_word(runs, "--session");
        words[n++] = command->paths[command->n - 1];
        words[n++] = copy_word(runs, "--");
        memcpy(words + n, command->words, command->n_words * sizeof(*words));
        *ret_n = n + command->n_words;
        return words;
}

/* Standard output is check's own. */
static void spare_output(const struct check_runs *runs, struct command_line *line)
{
        if (runs->event)
                ((struct stat_options *)line->options)->target.output_to_stderr = true;
        else
                ((struct record_options *)line->options)->target.output_to_stderr = true;
}

static bool measure(struct check_runs *runs, const struct run_command *command, int *ret_status,
                    struct err *err)
{
        struct command_line line;
        size_t n;
        char **words = measuring_words(runs, command, &n);
        bool ok = command_line_parse(&line, &commands_all, n, words, err);

        if (ok) {
                spare_output(runs, &line);
                *ret_status = line.command->run(&line);
        }
        command_line_release(&line);
        free(words);
        return ok;
}

/* Counters that this machine does not have, and events that do not exist, are found before the command
 * starts: then its file is empty. */
static bool is_empty(const char *path)
{
        struct os_stat stat;

        return !os_stat(path, &stat) || !stat.size_bytes;
}

static bool run_once(struct check_runs *runs, enum run_side side, struct err *err)
{
        struct run_command *command = &runs->commands[side];
        int status = EXIT_OK;

        if (!add_path(runs, command, err) || !measure(runs, command, &status, err))
                return false;
        if (status && runs->event && command->n == 1 && is_empty(command->paths[0])) {
                if (status == EXIT_WRONG_USAGE)
                        return err_set(err, ERR_USAGE, "-e %.80s can't be counted", runs->event);
                runs->instead = "this machine does not count the event: CPU time is compared instead";
                runs->event = NULL;
                return measure(runs, command, &status, err) &&
                       (!status ||
                        err_set(err, ERR_MISSING, "'%.80s' ended with status %d", command->words[0], status));
        }
        if (os_stop_requested())
                return err_set(err, ERR_MISSING, "interrupted after %zu runs", command->n);
        return !status ||
               err_set(err, ERR_MISSING, "'%.80s' ended with status %d in run %zu: nothing is compared",
                       command->words[0], status, command->n);
}

bool check_runs_next(struct check_runs *runs, bool *ret_more, struct err *err)
{
        size_t wanted = next_look(runs),
               least = runs->max_runs < CHECK_MIN_RUNS ? runs->max_runs : CHECK_MIN_RUNS;

        *ret_more = wanted < runs->max_runs;
        while (runs->commands[RUN_B].n < wanted) {
                for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                        if (runs->commands[side].n_words && !run_once(runs, (enum run_side)side, err))
                                return false;
                }
                if (os_monotonic_ns() < runs->end_ns || runs->commands[RUN_B].n < least)
                        continue;
                *ret_more = false;
                return true;
        }
        return true;
}

struct compared_paths check_runs_paths(const struct check_runs *runs)
{
        struct compared_paths paths;

        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                /* a baseline is made of runs of A */
                const struct run_command *command = &runs->commands[runs->is_single_look ? !side : side];

                paths.paths[side] = command->paths;
                paths.names[side] = command->names;
                paths.n[side] = command->n;
        }
        return paths;
}

const char *check_runs_instead(const struct check_runs *runs)
{
        return runs->instead;
}
