/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_none.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "text_match.h"
#include "text_number.h"
#include "text_printable.h"
#include "wall_pieces.h"
#include "wall_states.h"

enum { MAX_NAMES = 5, MAX_NAME_BYTES = 60 };

/* A kind of filter: its option, and the key of its values. */
struct kind {
        const char *option, *noun;
        unsigned key;
        bool or_number; /* its values may be numbers instead of names */
};

static const struct kind kinds[] = {
        {"--comm", "threads", PROFILE_COMM},     {"--thread", "threads", PROFILE_THREAD, true},
        {"--module", "modules", PROFILE_MODULE}, {"--pid", "processes", PROFILE_PROCESS},
        {"--cpu", "CPUs", PROFILE_CPU},
};

static void add_value(const struct report *all, const struct hot_row *row, unsigned key, bool is_number,
                      struct buf *out)
{
        switch (key) {
        case PROFILE_COMM: text_add_printable(out, hot_text(all->hot, row->comm)); break;
        case PROFILE_THREAD:
                if (is_number)
                        buf_printf(out, "%" PRId32, row->tid);
                else
                        text_add_printable(out, hot_text(all->hot, row->thread));
                break;
        case PROFILE_MODULE:
                text_add_printable(out, row->module ? hot_text(all->hot, row->module) : "unknown");
                break;
        case PROFILE_CPU:
                if (row->cpu != UINT32_MAX)
                        buf_printf(out, "%" PRIu32, row->cpu);
                break;
        default: buf_printf(out, "%" PRId32, row->pid); break;
        }
}

/* Lists the first values, each once; rows are sorted by their samples. */
static void list_values(const struct report *all, unsigned key, bool are_numbers, struct buf *out)
{
        const struct hot *hot = all->hot;
        size_t n = 0;

        for (size_t i = 0; i < hot_n_rows(hot); i++) {
                AUTO_RELEASE(buf) value = {0};

                add_value(all, hot_get_row(hot, i), key, are_numbers, &value);
                if (!value.len || value.len > MAX_NAME_BYTES || text_in_list(buf_text(out), buf_text(&value)))
                        continue;
                if (n++ == MAX_NAMES) {
                        buf_add_str(out, ",...");
                        return;
                }
                if (out->len)
                        buf_add_char(out, ',');
                buf_add(out, value.data, value.len);
        }
}

static const char *name_of(const struct report_request *request)
{
        return strcmp(request->path, "-") ? request->path : "standard input";
}

static bool explain(const struct kind *kind, const char *option, const char *value,
                    const struct report_request *request, struct err *err)
{
        const struct report_request everything = {.path = request->path, .keys = kind->key};
        AUTO_RELEASE(buf) known = {0};
        bool is_main = kind->key == PROFILE_THREAD && text_in_list(value, PROFILE_PYTHON_MAIN);
        AUTO(report) all = strcmp(request->path, "-") ? report_make(&everything, NULL) : NULL;

        if (all)
                list_values(all, kind->key, kind->or_number && *value >= '0' && *value <= '9', &known);
        err_set(err, ERR_MISSING, "%s: no sample matches %s %.40s%s%s%s%.100s%s", name_of(request),
                option ? option : kind->option, value, known.len ? "; the session's " : "",
                known.len ? kind->noun : "", known.len ? " are " : "", buf_text(&known),
                is_main ? "; a main thread has the name of its process" : "");
        return false;
}

/* Of seconds: enough for three digits. */
static int decimals_of(uint64_t ns)
{
        int decimals = 3;

        for (; decimals < 9 && ns < 100000000; decimals++)
                ns *= 10;
        return decimals;
}

static bool explain_time(const struct report_request *request, const char *time, const struct report *report,
                         struct err *err)
{
        struct profile_totals totals = profile_get_totals(report->profile, UINT32_MAX);
        uint64_t ns = totals.last_ns - totals.first_ns;
        char span[48] = "are all of one moment";

        if (ns)
                snprintf(span, sizeof(span), "span %.*f s", decimals_of(ns), (double)ns / 1e9);
        return err_set(err, ERR_MISSING, "%s: no sample matches --time %.40s; the session's samples %s",
                       name_of(request), time, span);
}

static bool explain_states(const struct report_request *request, const char *words,
                           const struct report *report, struct err *err)
{
        AUTO_RELEASE(buf) known = {0};
        size_t n;
        struct strip_state *states = wall_pieces_states(report->pieces, false, &n);

        for (size_t i = 0; i < n; i++) {
                const char *word = wall_state_word(states[i].state);

                if (!text_in_list(buf_text(&known), word))
                        buf_printf(&known, "%s%s", known.len ? "," : "", word);
        }
        free(states);
        return err_set(err, ERR_MISSING, "%s: no time in --state %.40s; threads that were off a CPU were: %s",
                       name_of(request), words, known.len ? buf_text(&known) : "none");
}

bool filter_none_check(const struct report *report, const struct report_request *request,
                       const struct filter_options *options, struct err *err)
{
        struct profile_totals totals = profile_get_totals(report->profile, UINT32_MAX);
        const bool given[] = {options->comms != NULL, options->threads != NULL, options->modules != NULL,
                              options->pids.n != 0, options->cpus.n != 0};
        const char *const typed[N_ELEMENTS(kinds)] = {options->comms_option, options->threads_option,
                                                      options->modules_option};
        const bool by_state = options->states && report->pieces;
        char pid[16] = "";
        AUTO_RELEASE(buf) cpus = {0};

        if (totals.n_samples || totals.weight || (!totals.n_filtered && !by_state))
                return true;
        if (options->pids.n)
                snprintf(pid, sizeof(pid), "%" PRIu64, options->pids.numbers[0]);
        text_add_cpu_list(&cpus, options->cpus.cpus, options->cpus.n);
        if (options->python_file)
                return err_set(err, ERR_MISSING, "%s: no sample matches --python-file %.60s",
                               name_of(request), options->python_file);
        for (size_t i = 0; i < N_ELEMENTS(kinds); i++) {
                const char *values[] = {options->comms, options->threads, options->modules, pid,
                                        buf_text(&cpus)};

                if (given[i])
                        return explain(&kinds[i], typed[i], values[i], request, err);
        }
        if (by_state && !options->time)
                return explain_states(request, options->states, report, err);
        return explain_time(request, options->time ? options->time : "", report, err);
}
