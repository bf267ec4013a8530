/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling on Windows: by a timer, which needs no rights and no driver, or by WPERFDRIVER for events of a
 * core. */
#include <windows.h>

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "os.h"
#include "stack_marks.h"
#include "windows_internal.h"

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

/* Which records the session has besides samples. */
#define SESSION_FLAGS                                                                                        \
        (PERF_ATTR_SAMPLE_ID_ALL | PERF_ATTR_MMAP | PERF_ATTR_MMAP2 | PERF_ATTR_COMM | PERF_ATTR_COMM_EXEC | \
         PERF_ATTR_TASK | PERF_ATTR_BUILD_ID)

enum {
        WAIT_MS = 20, /* between two looks at processes and threads */
        /* An answer of WPERFDRIVER has 40 KiB at most; a buffer of wperf's own driver has 1 MiB. */
        WAIT_FOR_SPE_MS = 1,
        READ_MODULES_MS = 100,
        HURRIED_MS = 5, /* the least time between two looks at modules, after an address that is in none */
        DEFAULT_HZ = 999,
        LEAST_INTERVAL_NS = 10000,
};

struct collector {
        struct collect_request request;
        struct perf_attr attr; /* of the timer's event */
        uint64_t *ids;         /* of each event */
        struct targets targets;
        struct module_files files;
        struct timer *timer;
        /* One of these two, or neither: then the timer samples. */
        struct driver_samples *driver;
        struct windows_spe *spe;
        struct walker *walker;      /* NULL: no stacks */
        struct stop_python *python; /* NULL, as the next one: no Python frames */
        struct stop_merge *merge;
        struct record_sink sink;
        struct buf out;                         /* the records of one round */
        uint64_t begin_ns, round_ns, before_ns; /* when this round began, and the one before */
        bool is_on, has_ended;
        uint64_t own_ns_before;
        struct buf note, stack_note;
        struct collect_result result;
};

static uint64_t own_cpu_ns(void)
{
        FILETIME created, ended, kernel, user;

        if (!GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user))
                return 0;
        return ((((uint64_t)kernel.dwHighDateTime << 32) | kernel.dwLowDateTime) +
                (((uint64_t)user.dwHighDateTime << 32) | user.dwLowDateTime)) *
               100;
}

/* --- What can be sampled --- */

static bool check_events(const struct collect_request *request, struct err *err)
{
        const struct event_list *events = request->events;

        if (request->events_are_default)
                return true;
        if (events->n_items != 1)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "on Windows a timer samples CPU time, which is one event: name only cpu-clock");
        if (!perf_attr_is_clock(&events->items[0].attr))
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "'%s' can't be sampled: on Windows a timer samples CPU time only, so leave out -e "
                        "or write -e cpu-clock",
                        events->items[0].name);
        return true;
}

static bool check(const struct collect_request *request, struct err *err)
{
        if (!driver_samples_serve(request) && !windows_spe_serves(request) && !check_events(request, err))
                return false;
        if (request->wall)
                return err_set(err, ERR_UNSUPPORTED,
                               "--wall applies to Linux; on Windows a timer samples CPU time");
        if (request->branches)
                return err_set(err, ERR_UNSUPPORTED,
                               "-b is not available: a timer can't read the CPU's branch records");
        if (request->engine != COLLECT_RING && request->engine != COLLECT_BEST_ENGINE)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "--engine and --nonblocking are for Linux; on Windows a timer takes all samples");
        if (request->target.until)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "on Windows a command cannot set how long processes are sampled: leave it out, and "
                        "write -d 10 for ten seconds");
        if (request->target.system_wide || (!request->target.argv && !request->target.n_pids))
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "the timer samples a command or processes, not whole CPUs: name a process with -p "
                        "PID or --pe_file NAME, or add a command");
        return true;
}

/* The session says cpu-clock in all modes: time in Windows' kernel counts for the function that called it. */
static void make_event(struct collector *c)
{
        const struct event *event = &c->request.events->items[0];

        c->attr = event->attr;
        c->attr.type = PERF_TYPE_SOFTWARE;
        c->attr.config = PERF_COUNT_SW_CPU_CLOCK;
        c->attr.size = sizeof(c->attr);
        c->attr.sample_type = windows_record_sample_type(c->walker);
        c->attr.flags &= ~(PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV);
        c->attr.flags |= SESSION_FLAGS;
}

static bool is_by_driver(const struct collector *c)
{
        return c->driver || c->spe;
}

/* What the session says of an event of the driver. */
static struct perf_attr driver_attr(const struct collector *c, size_t index)
{
        struct perf_attr attr = c->request.events->items[index].attr;

        attr.size = sizeof(attr);
        attr.sample_type = windows_record_sample_type(false);
        if (c->driver)
                attr.sample_period_or_freq = driver_samples_interval(c->driver, index);
        else if (!windows_spe_sets_interval(c->spe))
                attr.sample_period_or_freq = 0;
        attr.flags = (attr.flags & ~PERF_ATTR_FREQ) | SESSION_FLAGS;
        return attr;
}

static uint64_t interval_ns(const struct perf_attr *attr)
{
        uint64_t value = attr->sample_period_or_freq;
        uint64_t ns = attr->flags & PERF_ATTR_FREQ ? NS_PER_S / (value ? value : DEFAULT_HZ) : value;

        return ns > LEAST_INTERVAL_NS ? ns : LEAST_INTERVAL_NS;
}

static void note_stacks(struct collector *c)
{
        static const char *const modes[] = {
                [CALL_GRAPH_FP] = "fp", [CALL_GRAPH_DWARF] = "dwarf", [CALL_GRAPH_LBR] = "lbr"};
        enum call_graph_kind kind = c->request.call_graph.kind;

        if (kind != CALL_GRAPH_NONE && is_by_driver(c) && !c->request.call_graph.if_can)
                buf_add_str(&c->stack_note, "the driver's samples have no call stacks");
        else if (!is_by_driver(c) && kind != CALL_GRAPH_NONE && kind != CALL_GRAPH_UNWIND)
                buf_printf(
                        &c->stack_note,
                        "--call-graph %s is not available on Windows, so stacks are unwound by their modules' "
                        "unwind codes, as with -g",
                        modes[kind]);
}

struct collector *collector_open(const struct collect_request *request, struct err *err)
{
        AUTO(collector) c = NULL;
        size_t stack_bytes = 0;
        struct windows_cpus cpus;

        if (!check(request, err) ||
            !windows_cpus_choose(request->target.cpus, request->target.n_cpus, &cpus, err))
                return NULL;
        c = mem_new(1, sizeof(*c));
        c->request = *request;
        c->result.counted_share = 1;
        c->result.sampled_share = -1;
        c->ids = mem_new(request->events->n_items, sizeof(*c->ids));
        for (size_t i = 0; i < request->events->n_items; i++)
                c->ids[i] = WINDOWS_EVENT_ID + i;
        if (windows_spe_serves(request)) {
                c->spe = windows_spe_new(&c->request, err);
                if (!c->spe)
                        return NULL;
        } else if (driver_samples_serve(request)) {
                c->driver = driver_samples_new(request, err);
                if (!c->driver)
                        return NULL;
        } else if (request->call_graph.kind != CALL_GRAPH_NONE) {
                c->walker = walker_new();
                stack_bytes = request->call_graph.stack_bytes ? request->call_graph.stack_bytes
                                                              : CALL_GRAPH_UNWIND_BYTES;
        }
        make_event(c);
        note_stacks(c);
        if (c->walker && (request->engine != COLLECT_RING || !request->target.argv)) {
                c->python = stop_python_new();
                c->merge = stop_merge_new(c->python, request->python_symbols);
        }
        if (!is_by_driver(c))
                c->timer = timer_new(interval_ns(&c->attr), stack_bytes, c->python, err);
        if (!is_by_driver(c) && !c->timer)
                return NULL;
        c->targets.timer = c->timer;
        c->targets.out = &c->out;
        c->targets.now_ns = os_monotonic_ns();
        c->targets.is_list_all = !request->target.argv;
        c->targets.with_new_threads = c->targets.with_children =
                request->children != COLLECT_NO_CHILDREN && request->children != COLLECT_PER_THREAD;
        for (size_t i = 0; i < request->target.n_pids; i++) {
                if (!targets_attach(&c->targets, (uint32_t)request->target.pids[i], err))
                        return NULL;
        }
        return TAKE(c);
}

void collector_free(struct collector *c)
{
        if (!c)
                return;
        timer_free(c->timer);
        driver_samples_free(c->driver);
        windows_spe_free(c->spe);
        targets_release(&c->targets);
        module_files_release(&c->files);
        walker_free(c->walker);
        stop_merge_free(c->merge);
        stop_python_free(c->python);
        buf_release(&c->out);
        buf_release(&c->note);
        buf_release(&c->stack_note);
        free(c->ids);
        free(c);
}

size_t collector_n_events(const struct collector *c)
{
        return is_by_driver(c) ? c->request.events->n_items : 1;
}

struct collect_event collector_get_event(const struct collector *c, size_t index)
{
        if (is_by_driver(c))
                return (struct collect_event){driver_attr(c, index), c->request.events->items[index].name,
                                              &c->ids[index], 1};
        return (struct collect_event){c->attr, "cpu-clock", &c->ids[0], 1};
}

/* --- Notes --- */

static void note_source(struct collector *c)
{
        const struct target *target = &c->request.target;
        struct timer_counts counts;

        buf_clear(&c->note);
        if (c->spe) {
                windows_spe_describe(c->spe, &c->note);
                return;
        }
        if (c->driver) {
                buf_add_str(&c->note,
                            "WPERFDRIVER samples everything that runs on the core; addresses outside "
                            "the modules of the program are not resolved");
                if (driver_samples_ended_early(c->driver))
                        buf_add_str(
                                &c->note,
                                "; it stopped early, because another program began to sample with the PMU");
                return;
        }
        counts = timer_get_counts(c->timer);
        buf_add_str(&c->note, "a timer samples CPU time: it suspends each thread that ran");
        if (counts.n_copies)
                buf_printf(&c->note, ", for %" PRIu64 " us on average and %" PRIu64 " us at most",
                           (counts.suspended_ns / counts.n_copies + 500) / 1000,
                           (counts.longest_ns + 500) / 1000);
        buf_add_str(&c->note, "; time in the kernel counts for the function that called it");
        if (target->n_cpus && !target->argv)
                buf_add_str(&c->note,
                            "; -c does not select samples, because the timer can't see on which CPU a "
                            "running process is");
}

const char *collector_source_note(const struct collector *c)
{
        return buf_text(&c->note);
}

const char *collector_stack_note(const struct collector *c)
{
        return buf_text(&c->stack_note);
}

const char *collector_python_note(const struct collector *c)
{
        return is_by_driver(c) && c->request.call_graph.kind != CALL_GRAPH_NONE
                       ? "the driver's samples have no call stacks"
                       : "";
}

const char *collector_children_note(const struct collector *c)
{
        return "";
}

const char *collector_engine(const struct collector *c)
{
        return is_by_driver(c) ? "driver" : "timer";
}

void collector_add_refused(struct collector *c, struct buf *note)
{
}

const char *collector_reading_note(const struct collector *c)
{
        return "";
}

/* --- Rounds --- */

static struct windows_stamp stamp_of(const struct target_process *process, uint64_t time_ns)
{
        return (struct windows_stamp){process->pid, process->pid, UINT32_MAX, time_ns};
}

/* Tells which of the new modules may be an interpreter: the program, or a library with such a name. */
static void tell_modules(struct collector *c, struct target_process *process)
{
        for (size_t i = 0; c->python && i < process->modules.n; i++) {
                struct process_module *module = &process->modules.items[i];

                if (!module->is_told)
                        stop_binaries_tell(stop_python_binaries(c->python), process->image,
                                           module->file->path, module->start);
                module->is_told = true;
        }
}

/* A new module may have been there since the list was read last. */
static void read_modules(struct collector *c, struct target_process *process)
{
        uint64_t now_ns = os_monotonic_ns(), since_ns = process->modules.read_ns;
        struct windows_stamp stamp;

        if (since_ns < c->before_ns)
                since_ns = c->before_ns;
        if (since_ns < process->begin_ns)
                since_ns = process->begin_ns;
        stamp = stamp_of(process, since_ns + 1);
        if (process_modules_read(&process->modules, &c->files, process->handle, &stamp, &c->out))
                process->modules.read_ns = now_ns;
        tell_modules(c, process);
}

static void read_all_modules(struct collector *c)
{
        for (size_t i = 0; i < c->targets.n; i++) {
                struct target_process *process = c->targets.items[i];

                if (c->round_ns - process->modules.read_ns >= READ_MODULES_MS * NS_PER_MS)
                        read_modules(c, process);
        }
}

/* Reads the list again if it may have changed before the sample. */
static bool read_again(struct collector *c, struct target_process *process, const struct timer_sample *sample)
{
        if (sample->time_ns <= process->modules.read_ns ||
            os_monotonic_ns() - process->modules.read_ns < HURRIED_MS * NS_PER_MS)
                return false;
        read_modules(c, process);
        return true;
}

/* Takes the Python frames that belong to the sample. */
static void begin_python(struct collector *c, const struct timer_sample *sample)
{
        const struct sample record = {.pid = (int32_t)sample->pid,
                                      .tid = (int32_t)sample->tid,
                                      .cpu = sample->cpu,
                                      .time = sample->time_ns,
                                      .id = WINDOWS_EVENT_ID};

        if (c->merge)
                stop_merge_begin(c->merge, &c->attr, &record, &c->out);
}

static void add_sample(struct collector *c, const struct timer_sample *sample)
{
        struct target_process *process = targets_find(&c->targets, sample->pid);
        uint64_t pc = sample->copy.regs.values[unwind_reg_pc(&sample->copy.regs)];
        const struct process_module *module;

        if (!process)
                return;
        module = process_modules_find(&process->modules, pc);
        if (!module || module->is_gone)
                read_again(c, process, sample);
        if (c->walker && !walker_walk(c->walker, &process->modules, sample) && read_again(c, process, sample))
                walker_walk(c->walker, &process->modules, sample);
        begin_python(c, sample);
        windows_record_sample(&c->out, WINDOWS_EVENT_ID, sample, pc,
                              c->walker ? walker_take(c->walker, c->merge) : NULL);
        c->result.n_samples++;
}

/* The process that has code at the address; the first one if there is none. */
static struct target_process *find_by_address(struct collector *c, uint64_t pc)
{
        for (size_t i = 0; i < c->targets.n; i++) {
                const struct process_module *module = process_modules_find(&c->targets.items[i]->modules, pc);

                if (module && !module->is_gone)
                        return c->targets.items[i];
        }
        return c->targets.n ? c->targets.items[0] : NULL;
}

static void add_driver_sample(struct collector *c, const struct driver_sample *sample)
{
        const struct target_process *process =
                sample->pid ? targets_find(&c->targets, sample->pid) : find_by_address(c, sample->pc);
        struct timer_sample record = {
                .time_ns = sample->time_ns, .cpu = sample->cpu, .is_kernel = sample->is_kernel};

        if (!process || !c->is_on)
                return;
        record.pid = process->pid;
        record.tid = sample->pid ? sample->tid : process->pid;
        for (size_t i = 0; i < c->request.events->n_items; i++) {
                if (!(sample->events >> i & 1))
                        continue;
                record.period_ns = driver_samples_interval(c->driver, i);
                windows_record_sample(&c->out, c->ids[i], &record, sample->pc, NULL);
                c->result.n_samples++;
        }
}

static bool add_samples(struct collector *c, struct err *err)
{
        struct driver_sample driver_sample;
        struct timer_sample sample;

        if (c->spe)
                return !c->is_on || windows_spe_take(c->spe, &c->out, err);
        if (!c->driver) {
                while (timer_next(c->timer, &sample))
                        add_sample(c, &sample);
                return true;
        }
        if (!driver_samples_take(c->driver, err))
                return false;
        while (driver_samples_next(c->driver, &driver_sample))
                add_driver_sample(c, &driver_sample);
        return true;
}

/* Before a module that is gone is forgotten. */
static void untell_modules(struct collector *c, const struct target_process *process)
{
        for (size_t i = 0; c->python && i < process->modules.n; i++) {
                if (process->modules.items[i].is_gone)
                        stop_binaries_untell(stop_python_binaries(c->python), process->image,
                                             process->modules.items[i].start);
        }
        if (c->python && process->has_ended)
                stop_binaries_untell(stop_python_binaries(c->python), process->image, 0);
}

/* The samples of this round are unwound before the modules that are gone are forgotten. */
static bool finish_round(struct collector *c, struct err *err)
{
        bool ok;

        c->before_ns = c->round_ns;
        c->round_ns = os_monotonic_ns();
        read_all_modules(c);
        if (!add_samples(c, err))
                return false;
        for (size_t i = 0; i < c->targets.n; i++) {
                struct target_process *process = c->targets.items[i];
                const struct windows_stamp stamp = stamp_of(process, process->modules.read_ns);

                untell_modules(c, process);
                process_modules_forget(&process->modules, &stamp, &c->out);
        }
        targets_forget_ended(&c->targets);
        if (!c->out.len)
                return true;
        windows_record_round(&c->out);
        ok = c->sink.put(c->sink.ctx, c->out.data, c->out.len, err);
        buf_clear_and_shrink(&c->out);
        return ok && (!c->spe || windows_spe_put(c->spe, &c->sink, err));
}

/* --- The run --- */

static bool is_due(const struct collector *c)
{
        const uint64_t delay_ns = c->request.target.delay_ns;

        return !delay_ns || (delay_ns != CONTROL_NEVER && os_monotonic_ns() - c->begin_ns >= delay_ns);
}

static bool begin_spe(struct collector *c, struct err *err)
{
        return !c->spe ||
               windows_spe_begin(c->spe, c->targets.n ? c->targets.items[0]->pid : 0, &c->out, err);
}

static bool switch_on(struct collector *c, struct err *err)
{
        if (c->is_on || !is_due(c))
                return true;
        c->is_on = true;
        targets_begin_time(&c->targets);
        if (c->timer)
                timer_switch(c->timer, true);
        c->result.off_ns = c->request.target.delay_ns;
        return begin_spe(c, err);
}

bool collector_begin(struct collector *c, const struct record_sink *sink, struct err *err)
{
        assert(!c->sink.put && sink->put);
        c->sink = *sink;
        c->begin_ns = c->round_ns = os_monotonic_ns();
        c->own_ns_before = own_cpu_ns();
        if (c->request.target.argv && !windows_command_start(&c->targets.command, &c->request.target, err))
                return false;
        c->targets.now_ns = c->begin_ns;
        if (c->targets.command.process)
                targets_add_command(&c->targets);
        targets_follow(&c->targets, c->begin_ns);
        c->is_on = is_due(c);
        if (c->driver && !driver_samples_begin(c->driver, err))
                return false;
        if (c->spe && (!windows_spe_put_info(c->spe, sink, err) || (c->is_on && !begin_spe(c, err))))
                return false;
        if (c->timer)
                timer_begin(c->timer, c->is_on);
        if (c->targets.command.process)
                windows_command_resume(&c->targets.command);
        return finish_round(c, err);
}

bool collector_command_runs(struct collector *c)
{
        return c->targets.command.process && !windows_command_has_ended(&c->targets.command, NULL);
}

static void wait_for_news(const struct collector *c, int timeout_ms)
{
        int longest_ms = c->spe ? WAIT_FOR_SPE_MS : WAIT_MS;
        DWORD ms = (DWORD)(timeout_ms < longest_ms ? timeout_ms : longest_ms);

        if (c->targets.command.process)
                WaitForSingleObject(c->targets.command.process, ms);
        else
                Sleep(ms);
}

int collector_poll(struct collector *c, int timeout_ms, struct err *err)
{
        bool runs;

        assert(c->sink.put && !c->has_ended);
        wait_for_news(c, timeout_ms);
        if (!switch_on(c, err))
                return -1;
        runs = targets_run(&c->targets);
        targets_follow(&c->targets, os_monotonic_ns());
        if (!finish_round(c, err))
                return -1;
        return runs;
}

void collector_stop_command(struct collector *c, bool force)
{
        windows_command_stop(&c->targets.command, force);
}

/* --- The end --- */

static bool put_losses(struct collector *c, struct err *err)
{
        const struct windows_stamp stamp = {UINT32_MAX, UINT32_MAX, UINT32_MAX, c->round_ns};

        if (c->spe)
                return !c->is_on || (windows_spe_end(c->spe, &c->out, err) && finish_round(c, err));
        if (c->driver) {
                if (!driver_samples_end(c->driver, err) || !finish_round(c, err))
                        return false;
                c->result.n_lost = driver_samples_count_dropped(c->driver);
        }
        if (c->timer)
                c->result.n_lost = timer_get_counts(c->timer).n_lost;
        if (!c->result.n_lost)
                return true;
        windows_record_lost(&c->out, &stamp, c->result.n_lost);
        return finish_round(c, err);
}

/* CPU time that no sample stands for: that of threads between their last sample and their end. */
static void note_sampled(struct collector *c)
{
        enum { CLOCK_TICK_NS = 15625000 };
        uint64_t busy_ns = c->result.user_ns + c->result.kernel_ns, sampled_ns;

        if (!busy_ns || is_by_driver(c))
                return;
        sampled_ns = timer_get_counts(c->timer).period_ns;
        c->result.sampled_share =
                sampled_ns + CLOCK_TICK_NS >= busy_ns ? 1 : (double)sampled_ns / (double)busy_ns;
}

/* Wall time is recorded on Linux only. */
void collector_take_waits(struct collector *c, struct buf *out)
{
        (void)c;
        (void)out;
}

uint64_t collector_own_ns(const struct collector *c)
{
        return own_cpu_ns() - c->own_ns_before;
}

/* The walker's marks have no bits before the end. */
bool collector_get_marks(const struct collector *c, struct buf *cut, struct stack_marks *ret)
{
        (void)c;
        (void)cut;
        (void)ret;
        return false;
}

bool collector_end(struct collector *c, struct err *err)
{
        bool ok;

        if (c->has_ended)
                return true;
        c->has_ended = true;
        if (c->timer)
                timer_end(c->timer);
        if (c->is_on)
                targets_get_time(&c->targets, &c->result.user_ns, &c->result.kernel_ns);
        ok = finish_round(c, err);
        ok = put_losses(c, ok ? err : NULL) && ok;
        note_sampled(c);
        note_source(c);
        c->result.recorder_ns = collector_own_ns(c);
        return ok;
}

const struct collect_result *collector_get_result(struct collector *c)
{
        struct collect_result *r = &c->result;

        r->command_ended = windows_command_has_ended(&c->targets.command, &r->exit_status);
        r->images = c->files.seen.images;
        r->n_images = c->files.seen.n;
        if (c->merge) {
                r->python_places = stop_merge_places(c->merge);
                r->python = stop_merge_counts(c->merge);
        }
        r->stacks = c->walker ? walker_get_marks(c->walker, c->has_ended) : NULL;
        r->sampled_event = r->not_sampled = r->not_kept = r->unprivileged = r->not_traced = "";
        return r;
}
