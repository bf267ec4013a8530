/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_options.h"

#include <stdlib.h>
#include <string.h>

#include "text_number.h"
#include "wall_states.h"

static const struct option filter_options[] = {
        {
                .name = "pid",
                .kind = OPTION_NUMBERS,
                .arg = "PIDS",
                .max = UINT32_MAX,
                .offset = offsetof(struct filter_options, pids),
                .help = "show only samples of these processes",
        },
        {
                .name = "cpu",
                .letter = 'c',
                .kind = OPTION_CPUS,
                .arg = "CPUS",
                .offset = offsetof(struct filter_options, cpus),
                .help = "show only samples on these CPUs: 0,2,4-7",
        },
        {
                .name = "comm",
                .aliases = "comms",
                .kind = OPTION_LIST,
                .arg = "NAMES",
                .offset = offsetof(struct filter_options, comms),
                .typed_offset = offsetof(struct filter_options, comms_option),
                .help = "show only samples of threads with these names",
        },
        {
                .name = "thread",
                .aliases = "tid tids",
                .kind = OPTION_LIST,
                .arg = "NAME|TID",
                .offset = offsetof(struct filter_options, threads),
                .typed_offset = offsetof(struct filter_options, threads_option),
                .help = "show only samples of threads with these names or numbers",
        },
        {
                .name = "module",
                .aliases = "modules dso dsos",
                .kind = OPTION_LIST,
                .arg = "NAMES",
                .names = "modules",
                .offset = offsetof(struct filter_options, modules),
                .typed_offset = offsetof(struct filter_options, modules_option),
                .help = "show only samples in these modules",
        },
        {
                .name = "python-file",
                .kind = OPTION_STRING,
                .arg = "PATTERN",
                .offset = offsetof(struct filter_options, python_file),
                .help = "show only samples whose innermost Python function is in a source file that matches "
                        "PATTERN: the file's name, the end of its path, or a pattern with * and ?",
        },
        {
                .name = "time",
                .kind = OPTION_STRING,
                .arg = "A,B",
                .offset = offsetof(struct filter_options, time),
                .help = "show only samples from second A to second B of the session (A or B may be omitted), "
                        "or from a part of its time: 10%-20%, or 10%/2 for the second tenth",
        },
        {
                .name = "state",
                .kind = OPTION_LIST,
                .arg = "STATES",
                .values = WALL_STATE_WORDS,
                .offset = offsetof(struct filter_options, states),
                .help = "of a session of record --wall show only time in these states, such as waiting or "
                        "gil,lock",
        },
        {
                .name = "idle",
                .offset = offsetof(struct filter_options, idle),
                .help = "of a session of record --wall show idle time, too: threads that wait for work",
        },
        {
                .name = "latency",
                .offset = offsetof(struct filter_options, latency),
                .help = "of a session with switches (record --wall, perf record --latency) show shares of wall "
                        "time on CPUs: each moment is divided among the threads on a CPU then, so that code "
                        "that runs alone counts for more",
        },
        {
                .name = "gil",
                .offset = offsetof(struct filter_options, gil),
                .help = "of a session of record --gil show only time in which a thread has Python's GIL",
        },
        {
                .name = "parallelism",
                .kind = OPTION_STRING,
                .arg = "LIST",
                .offset = offsetof(struct filter_options, parallelism),
                .help = "of a session with switches count only samples taken while LIST threads were on a CPU, "
                        "such as 1 or 2-4",
        },
        {
                .name = "mode",
                .kind = OPTION_STRING,
                .arg = "MODE",
                .values = "cpu gil wall",
                .offset = offsetof(struct filter_options, mode),
                .help = "what counts in a session of record --wall: wall, the default, cpu: only samples "
                        "of threads on a CPU, or gil, which is --gil",
        },
        {
                .name = "no-demangle",
                .offset = offsetof(struct filter_options, no_demangle),
                .help = "show mangled C++ and Rust names",
        },
        {0},
};

const struct option_group filter_group = {"Filters", filter_options};

/* Seconds with up to nine decimals, exact; for "" the result is `otherwise`. */
static bool parse_seconds(const char *text, size_t len, uint64_t otherwise, uint64_t *ret_ns)
{
        uint64_t ns = 0, unit = 1000000000;
        size_t i = 0;

        if (!len) {
                *ret_ns = otherwise;
                return true;
        }
        for (; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
                if (ns > UINT64_MAX / 20000000000u)
                        return false;
                ns = ns * 10 + (uint64_t)(text[i] - '0');
        }
        if (!i || ns > UINT64_MAX / 2000000000u)
                return false;
        ns *= 1000000000;
        if (i < len && text[i] == '.') {
                for (i++; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
                        unit /= 10;
                        ns += unit * (uint64_t)(text[i] - '0');
                }
        }
        *ret_ns = ns;
        return i == len;
}

/* "12.5%" as millionths of the whole; moves *text past it. */
static bool take_percent(const char **text, uint32_t *ret_ppm)
{
        size_t len = strspn(*text, "0123456789.");
        uint64_t ns;

        if (!len || (*text)[len] != '%' || !parse_seconds(*text, len, 0, &ns) ||
            ns > 100 * UINT64_C(1000000000))
                return false;
        *ret_ppm = (uint32_t)(ns / 100000);
        *text += len + 1;
        return true;
}

/* perf's "10%-20%", and "10%/2" for the second of the slices of that size. */
static bool parse_slice(const char *text, struct profile_filter *filter)
{
        const uint32_t whole = 1000000;
        uint32_t first, n = 1;
        char *end;

        if (!take_percent(&text, &first))
                return false;
        if (*text == '-') {
                text++;
                filter->from_ppm = first;
                return take_percent(&text, &filter->to_ppm) && !*text && filter->to_ppm > first;
        }
        if (*text == '/') {
                if (text[1] < '1' || text[1] > '9' || strlen(text) > 8)
                        return false;
                n = (uint32_t)strtoul(text + 1, &end, 10);
                text = end;
        }
        if (*text || !first || (uint64_t)first * (n - 1) >= whole)
                return false;
        filter->from_ppm = first * (n - 1);
        filter->to_ppm = (uint64_t)first * n < whole ? first * n : whole;
        return true;
}

static bool parse_range(const char *text, struct profile_filter *filter)
{
        const char *comma = strchr(text, ',');

        filter->times_are_relative = true;
        return comma && parse_seconds(text, (size_t)(comma - text), 0, &filter->from_ns) &&
               parse_seconds(comma + 1, strlen(comma + 1), 0, &filter->to_ns) &&
               (!filter->to_ns || filter->to_ns >= filter->from_ns);
}

static bool parse_time(const char *text, struct profile_filter *filter, struct err *err)
{
        if (!text || (strchr(text, '%') ? parse_slice(text, filter) : parse_range(text, filter)))
                return true;
        return err_set(
                err, ERR_USAGE,
                "--time '%.40s' is not a range of time; write A,B in seconds from the first sample (A is not after B, "
                "and one may be left out), a part of the session such as 10%%-20%%, or 10%%/2 for its second tenth",
                text);
}

static bool parse_states(const struct filter_options *o, struct profile_filter *filter, struct err *err)
{
        bool is_cpu = o->mode && !strcmp(o->mode, "cpu"),
             is_gil = o->gil || (o->mode && !strcmp(o->mode, "gil"));

        if (o->mode && !is_cpu && strcmp(o->mode, "gil") != 0 && strcmp(o->mode, "wall") != 0)
                return err_set(err, ERR_USAGE, "--mode takes cpu, gil or wall, not '%.40s'", o->mode);
        if (is_gil && (is_cpu || o->latency))
                return err_set(err, ERR_USAGE, "--gil and --%s cannot be used together",
                               is_cpu ? "mode cpu" : "latency");
        if (is_cpu && (o->states || o->idle))
                return err_set(err, ERR_USAGE,
                               "--mode cpu and --%s cannot be used together: states are of wall time",
                               o->states ? "state" : "idle");
        if (o->latency && (o->states || o->idle || is_cpu))
                return err_set(err, ERR_USAGE,
                               "--latency and --%s cannot be used together: it is of time on CPUs",
                               o->states ? "state"
                               : o->idle ? "idle"
                                         : "mode");
        filter->is_latency = o->latency;
        filter->only_gil = is_gil;
        filter->needs_states = o->states || o->idle || is_gil || (o->mode && !is_cpu);
        filter->states = is_cpu ? 0 : WALL_SHOWN;
        if (o->states && !wall_states_parse(o->states, &filter->states, err))
                return false;
        filter->states |= o->idle ? WALL_IDLE : 0;
        return true;
}

static bool parse_parallelism(const struct filter_options *o, struct profile_filter *filter, struct err *err)
{
        uint32_t levels[PROFILE_PARALLELISM];
        size_t n;

        if (!o->parallelism)
                return true;
        if (o->states || o->idle || o->mode)
                return err_set(err, ERR_USAGE,
                               "--parallelism and --%s cannot be used together: it is of time on CPUs",
                               o->states ? "state"
                               : o->idle ? "idle"
                                         : "mode");
        if (!text_to_cpu_list(o->parallelism, PROFILE_PARALLELISM, levels, PROFILE_PARALLELISM, &n, err))
                return err_set(err, ERR_USAGE,
                               "--parallelism '%.40s' is not a list of numbers, such as 1 or 2-4",
                               o->parallelism);
        filter->by_parallelism = true;
        for (size_t i = 0; i < n; i++)
                filter->parallelism[levels[i] / 64] |= UINT64_C(1) << levels[i] % 64;
        return true;
}

bool filter_fill(const struct filter_options *options, const int32_t *pids, struct profile_filter *ret,
                 struct err *err)
{
        *ret = (struct profile_filter){
                .pids = pids,
                .n_pids = options->pids.n,
                .cpus = options->cpus.cpus,
                .n_cpus = options->cpus.n,
                .comms = options->comms,
                .threads = options->threads,
                .modules = options->modules,
                .python_file = options->python_file,
        };
        return parse_states(options, ret, err) && parse_parallelism(options, ret, err) &&
               parse_time(options->time, ret, err);
}
