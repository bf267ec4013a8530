/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_wall.h"

#include <string.h>

#include "latency_pieces.h"
#include "perfdata_format.h"
#include "report_tasks.h"
#include "report_traced.h"
#include "wait_section.h"

/* A frame above the state of time that has no stack. */
enum { STATE_NO_STACK = WALL_N_STATES + 1 };

static const char *state_word(unsigned state)
{
        return state == STATE_NO_STACK ? "no stack" : wall_state_word(state - 1);
}

/* --- The first pass --- */

static struct session_input *open_again(const struct report_pass *pass, const struct session_input *input,
                                        struct err *err)
{
        AUTO_RELEASE(buf) copy = {0};

        if (strcmp(pass->request.path, "-") && !input->is_converted && !input->bytes.len)
                return session_input_open(pass->request.path, report_session_access(pass->request.sources),
                                          err);
        buf_add(&copy, input->bytes.data, input->bytes.len);
        return session_input_of_memory(&copy, pass->request.path, err);
}

static bool is_waiting(const struct report *report, uint32_t event)
{
        return !strcmp(perfdata_get_event(report->session.reader, event)->name, "waiting");
}

static bool is_of_scheduler(const struct report *report, uint32_t event)
{
        return sched_events_role(report->sched, event) ||
               report->events[event].attr.type == PERF_TYPE_TRACEPOINT;
}

/* The time on CPUs is divided by the first event that has samples of it. */
static void choose_events(const struct report *whole, struct wall_request *request)
{
        request->waiting_event = request->cpu_event = UINT32_MAX;
        for (uint32_t i = 0; i < whole->n_events; i++) {
                if (is_waiting(whole, i))
                        request->waiting_event = i;
                else if (request->cpu_event == UINT32_MAX && whole->events[i].n_samples &&
                         !is_of_scheduler(whole, i))
                        request->cpu_event = i;
        }
        if (request->cpu_event != UINT32_MAX)
                request->cpu_sample_ns = wall_pieces_sample_ns(&whole->events[request->cpu_event].attr);
}

/* Times of the filter by the session's clock, because a wait may have begun before them. */
static void make_absolute(struct profile_filter *filter, const struct sample_list *samples)
{
        uint64_t first_ns = sample_list_n(samples) ? sample_list_get(samples, 0)->time_ns : 0;

        if (!filter->times_are_relative)
                return;
        filter->from_ns += filter->from_ns ? first_ns : 0;
        filter->to_ns += filter->to_ns ? first_ns : 0;
        filter->times_are_relative = false;
}

/* Switches alone say nothing about what was waited for, so they are only used if times of states are asked
 * for. */
static bool has_waits(const struct report_pass *pass)
{
        const struct sched_events *sched = pass->report->sched;

        return sched->has[SCHED_SWITCH] || sched->has[SCHED_OFF_CPU] ||
               (sched->has_switch_records && pass->request.filter.needs_states);
}

/* For those that ended waits. */
struct counting_waits {
        const struct profile_filter *filter;
        struct world *world; /* at the end of the session */
};

static bool counts_wait(void *ctx, int32_t pid, int32_t tid, unsigned state)
{
        const struct counting_waits *c = ctx;

        return c->filter->states & WALL_BIT(state) && profile_filter_accepts(c->filter, c->world, pid, tid);
}

static const char *thread_name(void *ctx, int32_t pid, int32_t tid)
{
        const struct counting_waits *c = ctx;

        return report_traced_thread_name(c->world, pid, tid);
}

static bool make_pieces(struct report_pass *pass, const struct session_input *input, struct err *err)
{
        AUTO(wait_section) waits = wait_section_new(perfdata_feature(input->reader, FEATURE_WPERF_WAITS));
        struct report_request request = {
                .path = pass->request.path,
                .results = REPORT_NAMED_STACKS | REPORT_SAMPLES,
                .no_tree_inlines = true,
                .sources = pass->request.sources,
                .collected = pass->request.collected,
                .skips_stackless_waits = true,
        };
        bool is_known = waits || has_waits(pass);
        struct session_input *again = is_known ? open_again(pass, input, err) : NULL;
        AUTO(report) whole = again ? report_make_of(&request, again, err) : NULL;
        struct wall_request wall = {.waits = waits};
        struct counting_waits counting;

        if (!is_known)
                return true;
        if (!whole)
                return false;
        wall.events = whole->sched;
        wall.wakings = sched_log_sort(whole->sched_log, &wall.n_wakings);
        wall.named = whole->named;
        wall.samples = whole->samples;
        wall.spans = whole->cpu_spans;
        wall.elapsed_ns = whole->run.info.elapsed_ns;
        choose_events(whole, &wall);
        wall.is_paced = wall.cpu_event != UINT32_MAX &&
                        !(whole->events[wall.cpu_event].attr.flags & PERF_ATTR_CONTEXT_SWITCH);
        make_absolute(&pass->request.filter, whole->samples);
        counting = (struct counting_waits){&pass->request.filter, whole->session.world};
        wall.wants = (report_wants(pass, REPORT_WAKERS) ? WALL_WANTS_WAKERS : 0) |
                     (report_wants(pass, REPORT_SYSCALLS) ? WALL_WANTS_SYSCALLS : 0) |
                     (report_wants(pass, REPORT_LOCKS) ? WALL_WANTS_LOCKS : 0);
        wall.counts_wait = counts_wait;
        wall.thread_name = thread_name;
        wall.waiters_by = pass->request.waiters_by;
        wall.ctx = &counting;
        wall.rows_from_ns = pass->request.filter.from_ns;
        wall.rows_to_ns = pass->request.filter.to_ns;
        wall.arch = report_traced_arch(input->reader);
        pass->waiting_event = wall.waiting_event;
        pass->cpu_event = wall.cpu_event;
        pass->report->tasks = task_section_new(perfdata_feature(input->reader, FEATURE_WPERF_TASKS));
        pass->report->task_stacks = report_tasks_new(pass->report->tasks);
        wall.tasks = pass->report->tasks;
        pass->report->pieces = wall_pieces_new(&wall);
        if (pass->report->pieces) {
                pass->report->syscalls = TAKE(pass->report->pieces->syscalls);
                pass->report->locks = TAKE(pass->report->pieces->locks);
        }
        return true;
}

static bool make_latency(struct report_pass *pass, const struct session_input *input, struct err *err)
{
        const struct report_request request = {
                .path = pass->request.path, .results = REPORT_SAMPLES, .sources = pass->request.sources};
        struct session_input *again = open_again(pass, input, err);
        AUTO(report) whole = again ? report_make_of(&request, again, err) : NULL;
        struct wall_request events = {0};
        const char *option = pass->request.filter.by_parallelism ? "parallelism" : "latency";

        if (!whole)
                return false;
        choose_events(whole, &events);
        pass->waiting_event = UINT32_MAX;
        pass->cpu_event = events.cpu_event;
        pass->request.filter.states = WALL_BIT(WAIT_KIND_ON_CPU);
        pass->report->pieces = latency_pieces_new(&(struct latency_request){
                .samples = whole->samples,
                .spans = whole->cpu_spans,
                .event = events.cpu_event,
                .is_whole = !pass->request.filter.is_latency,
                .levels = pass->request.filter.by_parallelism ? pass->request.filter.parallelism : NULL,
                .n_levels = PROFILE_PARALLELISM,
        });
        if (!report_wall_is_on(pass))
                return err_set(err, ERR_MISSING,
                               "%s: --%s needs to know when threads ran; record with wperf record --wall, or "
                               "perf record --latency",
                               pass->request.path, option);
        if (events.cpu_event == UINT32_MAX)
                return err_set(err, ERR_MISSING,
                               "%s: --%s needs samples of CPU time, and the session has none",
                               pass->request.path, option);
        return pass->report->pieces->n ||
               err_set(err, ERR_MISSING, "%s: no sample has the parallelism that --%s selects",
                       pass->request.path, option);
}

static bool make_wall(struct report_pass *pass, const struct session_input *input, struct err *err)
{
        if (!make_pieces(pass, input, err))
                return false;
        if (!report_wall_is_on(pass))
                return !pass->request.filter.needs_states ||
                       err_set(err, ERR_MISSING,
                               "%s: its states of threads are not known; record them with wperf record --wall, perf "
                               "sched record, or perf record --switch-events",
                               pass->request.path);
        return !pass->request.filter.only_gil || pass->report->pieces->knows_gil ||
               err_set(err, ERR_MISSING,
                       "%s: it is not known which samples of Python had the GIL; record with wperf record --gil, "
                       "or with --wall --engine bpf",
                       pass->request.path);
}

bool report_wall_begin(struct report_pass *pass, const struct session_input *input, struct err *err)
{
        const struct profile_filter *filter = &pass->request.filter;

        if ((!filter->states && !report_wall_is_of_cpus(filter)) || report_traced_is_on(pass))
                return true;
        if (!(report_wall_is_of_cpus(filter) ? make_latency(pass, input, err) : make_wall(pass, input, err)))
                return false;
        if (!report_wall_is_on(pass))
                return true;
        pass->wall_event = (uint32_t)perfdata_n_events(input->reader);
        pass->request.n_workers = 1; /* time without samples is added in the order of time */
        pass->request.merges_callers = false;
        pass->report->state_word = state_word;
        return true;
}

/* --- Samples --- */

/* The part of a piece that is in the times of the filter; moves the piece and the worker's sample into them.
 */
static uint64_t part_in_time(struct report_worker *w, struct wall_piece *piece)
{
        const struct profile_filter *filter = &w->pass->request.filter;
        uint64_t from_ns = piece->from_ns > filter->from_ns ? piece->from_ns : filter->from_ns;
        uint64_t to_ns = filter->to_ns && filter->to_ns < piece->to_ns ? filter->to_ns : piece->to_ns;
        double whole = (double)(piece->to_ns - piece->from_ns);

        if ((!filter->from_ns && !filter->to_ns) || piece->to_ns <= piece->from_ns)
                return piece->ns;
        if (to_ns <= from_ns)
                return 0;
        if (w->sample.time < from_ns)
                w->sample.time = from_ns;
        if (w->sample.time > to_ns)
                w->sample.time = to_ns;
        piece->from_ns = from_ns;
        piece->to_ns = to_ns;
        return (uint64_t)((double)(to_ns - from_ns) / whole * (double)piece->ns);
}

/* The states of frames and rows are numbered from 1. */
static void take_shown(struct report_worker *w, const struct perf_attr *attr, const struct wall_piece *piece,
                       uint64_t number)
{
        unsigned shown = w->pass->request.filter.states;

        profile_set_state(w->profile, piece->state);
        w->state = piece->state == WAIT_KIND_ON_CPU ? 0 : piece->state + 1u;
        w->is_part = !attr || (piece->state == WALL_RUNNABLE && shown & WALL_ON_CPU);
        /* of others only the time around is known */
        w->begin_ns = !attr || (piece->is_reading && !piece->is_sampled) ? piece->from_ns : 0;
        report_take_event(w, attr, w->pass->wall_event, piece->ns, number);
        w->state = 0;
        w->is_part = false;
        w->begin_ns = 0;
}

/* The time of a loop counts for the stacks of its tasks. */
static void take_tasks(struct report_worker *w, const struct perf_attr *attr, const struct wall_piece *piece,
                       uint64_t number)
{
        struct report_tasks *tasks = w->pass->report->task_stacks;
        struct report_task_part part;

        profile_set_state(w->profile, piece->state);
        w->begin_ns = piece->is_sampled ? 0 : piece->from_ns;
        w->given = part.frames;
        while (report_tasks_next(tasks, &part)) {
                w->n_given = part.n_frames;
                w->state = part.kind + 1u;
                report_take_event(w, attr, w->pass->wall_event, part.ns, number);
                w->is_part = true;
        }
        w->given = NULL;
        w->state = 0;
        w->is_part = false;
        w->begin_ns = 0;
}

static void take(struct report_worker *w, const struct perf_attr *attr, struct wall_piece *piece,
                 uint64_t number)
{
        const struct profile_filter *filter = &w->pass->request.filter;
        const struct sample_list *samples = w->pass->report->samples;
        size_t n_listed = samples ? sample_list_n(samples) : 0;
        struct report_tasks *tasks = w->stacks ? w->pass->report->task_stacks : NULL;
        uint64_t *in_a_row = map_put(&w->pass->in_a_row, (uint32_t)piece->tid, NULL);

        w->is_next = *in_a_row;
        *in_a_row = 0;
        piece->is_seen = true;
        piece->ns = part_in_time(w, piece);
        piece->is_taken = piece->ns && (!filter->only_gil || piece->has_gil) && report_accepts(w);
        piece->is_shown = piece->is_taken && filter->states & WALL_BIT(piece->state);
        if (!piece->is_taken)
                profile_leave_out(w->profile, w->pass->wall_event);
        if (piece->is_shown && tasks && report_tasks_begin(tasks, piece))
                take_tasks(w, attr, piece, number);
        else if (piece->is_shown)
                take_shown(w, attr, piece, number);
        if (samples && sample_list_n(samples) > n_listed)
                *in_a_row = !report_wall_is_of_cpus(filter);
        w->is_next = false;
}

/* Time without sample has neither a place nor callers. */
static void take_stackless(struct report_worker *w, uint64_t until_ns)
{
        struct report_pass *pass = w->pass;
        struct wall_pieces *pieces = pass->report->pieces;

        for (; pass->next_stackless < pieces->n_stackless; pass->next_stackless++) {
                struct wall_piece *piece = &pieces->stackless[pass->next_stackless];

                if (piece->time_ns > until_ns)
                        return;
                w->sample = (struct sample){
                        .time = piece->time_ns, .pid = piece->pid, .tid = piece->tid, .cpu = UINT32_MAX};
                w->parsed_event = UINT32_MAX;
                w->no_stack = STATE_NO_STACK;
                take(w, NULL, piece, 0);
        }
}

void report_wall_take(struct report_worker *w, uint32_t event, uint64_t number)
{
        struct report_pass *pass = w->pass;
        struct wall_pieces *pieces = pass->report->pieces;
        const struct sample sample = w->sample;
        bool is_reading = event == pass->waiting_event || sched_events_is_wait(pass->report->sched, event);

        take_stackless(w, sample.time);
        if (!is_reading && event != pass->cpu_event)
                return;
        w->sample = sample;
        /* The first one of several samples of a thread at the same time stands for all. */
        for (size_t i = wall_pieces_find(pieces, sample.tid, sample.time, is_reading); i < pieces->n; i++) {
                struct wall_piece *piece = &pieces->items[i];

                if (piece->tid != sample.tid || piece->time_ns != sample.time ||
                    piece->is_reading != is_reading || piece->is_seen)
                        return;
                w->sample.time = sample.time;
                take(w, &w->attrs[event]->attr, piece, number);
        }
}

void report_wall_end(struct report_worker *w)
{
        if (report_wall_is_on(w->pass))
                take_stackless(w, UINT64_MAX);
}

/* --- Events --- */

const struct perf_attr *report_wall_attr(const struct report_pass *pass, uint32_t event)
{
        uint32_t of = report_wall_is_on(pass) && event == pass->wall_event ? pass->cpu_event : event;

        if (of >= perfdata_n_events(pass->session->reader))
                of = 0;
        return &perfdata_get_event(pass->session->reader, of)->attr;
}

void report_wall_fill_events(const struct report_pass *pass, size_t n)
{
        struct report *report = pass->report;
        struct report_event *wall = &report->events[n];
        struct profile_totals totals = profile_get_totals(report->profile, pass->wall_event);

        for (size_t i = 0; i < n; i++)
                report->events[i].is_in_wall = true;
        *wall = (struct report_event){
                .name = REPORT_WALL_EVENT,
                .attr = *report_wall_attr(pass, pass->wall_event),
                .n_samples = totals.n_samples,
                .weight = totals.weight,
                .mean_period = totals.n_samples ? totals.weight / totals.n_samples : 0,
                .skid = "possible",
                .is_derived = true,
                .is_wall = true,
        };
        if (report_wall_is_of_cpus(&pass->request.filter)) {
                wall->name = pass->request.filter.is_latency ? REPORT_LATENCY_EVENT
                                                             : report->events[pass->cpu_event].name;
                wall->is_wall = false;
                return;
        }
        /* weights are nanoseconds */
        wall->attr.type = PERF_TYPE_SOFTWARE;
        wall->attr.config = PERF_COUNT_SW_CPU_CLOCK;
}
