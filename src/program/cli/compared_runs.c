/* SPDX-License-Identifier: BSD-3-Clause */
#include "compared_runs.h"

#include <assert.h>
#include <string.h>

#include "cmd_output.h"
#include "renamed_code.h"
#include "report.h"
#include "run_facts.h"

static bool check_distinct(const struct command_line *line, struct err *err)
{
        for (size_t i = 0; i < line->n_args; i++) {
                for (size_t j = 0; j < i; j++) {
                        if (!strcmp(line->args[i], line->args[j]))
                                return err_set(err, ERR_USAGE,
                                               "'%.120s' is named twice; each session is one run",
                                               line->args[i]);
                }
                if (!strcmp(line->args[i], "-"))
                        return err_set(
                                err, ERR_USAGE,
                                "a session to compare cannot be read from standard input; name its file");
        }
        return true;
}

bool compared_paths_split(const struct command_line *line, struct compared_paths *ret, struct err *err)
{
        size_t n_a = line->has_dashes ? line->n_args_before : line->n_args / 2;

        if (!line->has_dashes && line->n_args != 2)
                return err_set(
                        err, ERR_USAGE,
                        "write the sessions of both sides with -- between them: wperf %s a-*.data -- b-*.data",
                        line->command->name);
        if (!n_a || n_a == line->n_args)
                return err_set(err, ERR_USAGE, "no session of %s: write wperf %s a-*.data -- b-*.data",
                               n_a ? "B after --" : "A before --", line->command->name);
        *ret = (struct compared_paths){.paths = {line->args, line->args + n_a},
                                       .n = {n_a, line->n_args - n_a}};
        return check_distinct(line, err);
}

bool compared_paths_all(const struct command_line *line, enum run_side side, struct compared_paths *ret,
                        struct err *err)
{
        if (!line->n_args)
                return err_set(err, ERR_USAGE, "no session: name the sessions of the runs, as in %s",
                               side == RUN_A ? "wperf check --write-baseline base.json -- a-*.data"
                                             : "wperf check --baseline base.json -- b-*.data");
        *ret = (struct compared_paths){0};
        ret->paths[side] = line->args;
        ret->n[side] = line->n_args;
        return check_distinct(line, err);
}

bool compared_paths_spare(const struct compared_paths *paths, const char *option, const char *prefix,
                          const char *name, struct err *err)
{
        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                for (size_t i = 0; i < paths->n[side]; i++) {
                        if (!cmd_spares_input(option, prefix, name, paths->paths[side][i], err))
                                return false;
                }
        }
        return true;
}

bool compared_runs_can_open(const struct compared_paths *paths, const struct resolver_sources *sources,
                            struct shared_builds *builds, struct err *err)
{
        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                for (size_t i = 0; i < paths->n[side]; i++) {
                        AUTO(perfdata_reader) reader = NULL;

                        if (!session_input_look(paths->paths[side][i], report_session_access(sources),
                                                &reader, err))
                                return false;
                        if (builds && reader)
                                shared_builds_add(builds, (enum run_side)side, reader);
                }
        }
        return true;
}

bool compared_runs_read(struct run_values *values, const struct compared_paths *paths, enum run_side side,
                        const struct measured_session_request *request, size_t *n_read, struct err *err)
{
        assert(side < RUN_N_SIDES);
        for (size_t i = run_values_n_runs(values, side); i < paths->n[side]; i++) {
                struct measured_session_request own = *request;

                /* Which functions are inlined depends on the program, not on the run. */
                own.finds_inlined &= !i;
                own.name = paths->names[side] ? paths->names[side][i] : NULL;
                if (!measured_session_add(values, side, paths->paths[side][i], &own, err))
                        return false;
                if (n_read)
                        __atomic_fetch_add(n_read, 1, __ATOMIC_RELAXED);
        }
        return true;
}

void compared_runs_finish(struct run_values *values, const struct compared_paths *paths,
                          const struct measured_session_request *request)
{
        run_values_finish(values);
        if (request->by == MEASURED_FUNCTION && paths->n[RUN_A] && paths->n[RUN_B])
                renamed_code_pair(values, paths->paths[RUN_A][0], paths->paths[RUN_B][0], request);
}

bool compared_runs_have_python(const struct compared_paths *paths, const struct resolver_sources *sources)
{
        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                if (!paths->n[side] || !measured_session_has_python(paths->paths[side][0], sources))
                        return false;
        }
        return true;
}

static bool has_event(const struct run_values *values, size_t run, const char *name)
{
        for (uint32_t i = 0; i < run_values_n_events(values); i++) {
                if (!strcmp(run_values_event_name(values, i), name))
                        return run_values_event(values, run, i);
        }
        return false;
}

bool compared_runs_check(const struct run_values *values, struct err *err)
{
        size_t with = SIZE_MAX, without = SIZE_MAX;

        for (size_t run = 0; run < run_values_n_all_runs(values); run++) {
                if (has_event(values, run, REPORT_WALL_EVENT))
                        with = run;
                else
                        without = run;
        }
        if (with == SIZE_MAX || without == SIZE_MAX)
                return run_facts_check(values, err);
        return err_set(err, ERR_MISSING,
                       "%.80s has wall time and %.80s has CPU time only: to compare CPU time add --mode cpu",
                       run_values_path(values, with), run_values_path(values, without));
}
