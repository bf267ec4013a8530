/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a session's records of what wait_reader.h reads. The samples go through the same unwinder as those of
 * a recording. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "linux_internal.h"
#include "linux_locked.h"
#include "linux_mounts.h"
#include "linux_unwinder.h"
#include "mem.h"
#include "python_section.h"
#include "stop_merge.h"
#include "stop_refusal.h"
#include "thread_stacks.h"
#include "wait_cpu.h"
#include "wait_reader.h"
#include "wait_record.h"
#include "wait_thread.h"

enum {
        EVENT_STILL, /* threads that waited: two registers */
        EVENT_STOPPED,
        N_EVENTS,
};

struct thread_stacks {
        struct opened opened;
        struct opened_event events[N_EVENTS];
        struct keeper keeper;
        struct stop_python *python;
        struct stop_merge *merge;
        struct unwinder *unwinder;
        struct wait_reader *reader;
        struct wait_tasks *tasks;
        struct deep_stacks *deep;
        int32_t pid;
        struct wait_reading *readings;
        size_t n_readings, cap_readings;
        struct arena texts;
        struct collect_result result;
};

struct thread_stacks *thread_stacks_new(bool may_stop, struct err *err)
{
        struct thread_stacks *s;

        if (access("/proc/self/syscall", R_OK) && errno != EACCES) {
                err_set(err, ERR_UNSUPPORTED, "%s",
                        access("/proc/self", F_OK)
                                ? "/proc is not mounted here, without which threads can't be read: mount -t proc proc /proc"
                                : "this kernel does not show the system calls of threads (/proc/PID/syscall is missing)");
                return NULL;
        }
        s = mem_new(1, sizeof(*s));
        wait_record_event(&s->events[EVENT_STILL], false);
        wait_record_event(&s->events[EVENT_STOPPED], true);
        s->opened = (struct opened){.events = s->events, .n_events = N_EVENTS, .meter_fd = -1};
        keeper_init(&s->keeper);
        s->python = stop_python_new();
        s->merge = stop_merge_new(s->python, PYTHON_NO_SYMBOLS);
        s->reader = wait_reader_new(s->python, may_stop);
        s->tasks = wait_tasks_new(stop_python_binaries(s->python), true);
        wait_reader_set_tasks(s->reader, s->tasks);
        s->unwinder = unwinder_new(&s->opened, &s->keeper);
        unwinder_set_merge(s->unwinder, s->merge);
        s->deep = deep_stacks_new();
        unwinder_set_stacks(s->unwinder, s->deep);
        return s;
}

void thread_stacks_free(struct thread_stacks *s)
{
        if (!s)
                return;
        unwinder_free(s->unwinder);
        wait_reader_free(s->reader);
        wait_tasks_free(s->tasks);
        deep_stacks_free(s->deep);
        stop_merge_free(s->merge);
        stop_python_free(s->python);
        keeper_release(&s->keeper);
        for (size_t i = 0; i < N_EVENTS; i++)
                free(s->events[i].ids);
        free(s->readings);
        arena_release(&s->texts);
        free(s);
}

size_t thread_stacks_n_events(const struct thread_stacks *s)
{
        return s->opened.n_events;
}

struct collect_event thread_stacks_get_event(const struct thread_stacks *s, size_t index)
{
        const struct opened_event *event = &s->events[index];

        assert(index < N_EVENTS);
        return (struct collect_event){linux_attr_written(event), event->event.name, event->ids, event->n_ids};
}

/* --- A process --- */

static bool put(struct thread_stacks *s, uint8_t *record, const struct record_sink *sink, struct err *err)
{
        return unwinder_put(s->unwinder, &record, 1, false, sink, err);
}

bool thread_stacks_begin(struct thread_stacks *s, int32_t pid, const struct record_sink *sink,
                         struct err *err)
{
        struct synth synth = {.trailer_bytes = WAIT_RECORD_TRAILER_BYTES};
        struct wait_thread first;
        bool ok = true;

        if (wait_thread_read(pid, pid, &first) && first.is_refused)
                return err_set(err, ERR_DENIED, "process %" PRId32 " can't be read: %s", pid,
                               stop_refusal_why(pid));
        linux_mounts_watch(&pid, 1);
        locked_ask(pid);
        proc_synth_process(&synth, pid);
        if (!synth.out.len)
                ok = err_set(err, ERR_MISSING, "process %" PRId32 " has ended", pid);
        for (size_t at = 0; ok && at < synth.out.len;) {
                uint8_t *record = (uint8_t *)synth.out.data + at;
                struct perf_header header;

                memcpy(&header, record, sizeof(header));
                keeper_see(&s->keeper, &header, record);
                ok = put(s, record, sink, err);
                at += header.size;
        }
        proc_synth_release(&synth);
        if (!ok)
                return false;
        s->pid = pid;
        wait_reader_begin(s->reader, pid, 0);
        return true;
}

/* --- A thread --- */

static bool take_thread(struct thread_stacks *s, int32_t tid, const struct record_sink *sink, struct err *err)
{
        AUTO_RELEASE(buf) record = {0};
        struct wait_reading reading;
        const char *name;
        struct wait_registers registers;
        struct deep_stack stack;

        if (s->n_readings == WAIT_MAX_THREADS)
                return err_set(err, ERR_LIMIT, "more than %d threads: name fewer processes",
                               WAIT_MAX_THREADS);
        if (!wait_reader_read(s->reader, tid, &reading, &registers))
                return true;
        reading.text = arena_copy(&s->texts, reading.text, strlen(reading.text));
        name = wait_reader_python_name(s->reader);
        reading.python_name = arena_copy(&s->texts, name, strlen(name));
        ARRAY_PUSH(s->readings, s->n_readings, s->cap_readings, reading);
        wait_reader_take_stack(s->reader, &stack);
        deep_stacks_add(s->deep, tid, reading.time_ns, &stack);
        wait_record_add(&reading, &registers, NULL, 0, false, &record);
        s->result.n_samples++;
        return put(s, (uint8_t *)record.data, sink, err);
}

bool thread_stacks_take(struct thread_stacks *s, const struct record_sink *sink, struct err *err)
{
        int32_t *tids = NULL;
        size_t n = 0, first = s->n_readings;
        bool ok = true;

        assert(s->pid);
        if (!proc_threads(s->pid, &tids, &n))
                return true;
        for (size_t i = 0; ok && i < n; i++)
                ok = take_thread(s, tids[i], sink, err);
        free(tids);
        wait_cpu_judge(s->pid, s->readings + first, s->n_readings - first);
        return ok;
}

const struct wait_reading *thread_stacks_readings(const struct thread_stacks *s, size_t *ret_n)
{
        *ret_n = s->n_readings;
        return s->readings;
}

const struct task_section *thread_stacks_tasks(const struct thread_stacks *s)
{
        return wait_tasks_get(s->tasks);
}

static bool ignore_records(void *ctx, const void *records, size_t size, struct err *err)
{
        (void)ctx, (void)records, (void)size, (void)err;
        return true;
}

const struct collect_result *thread_stacks_result(struct thread_stacks *s)
{
        const struct record_sink none = {ignore_records, NULL};
        struct collect_result *r = &s->result;

        if (!unwinder_get_marks(s->unwinder)->cut)
                unwinder_put(s->unwinder, NULL, 0, true, &none, NULL);
        r->counted_share = 1;
        r->sampled_share = -1;
        r->sampled_event = r->not_sampled = r->unprivileged = r->not_traced = "";
        r->kept = s->keeper.kept.items;
        r->n_kept = s->keeper.kept.n;
        r->copies = s->keeper.kept.copies;
        r->n_copies = s->keeper.kept.n_copies;
        r->roots = s->keeper.roots;
        r->n_roots = s->keeper.n_roots;
        r->users = s->keeper.users.items;
        r->n_users = s->keeper.users.n_items;
        r->not_kept = keeper_not_kept(&s->keeper);
        r->n_not_kept = s->keeper.n_not_kept;
        r->stacks = unwinder_get_marks(s->unwinder);
        r->python_places = stop_merge_places(s->merge);
        r->python = stop_merge_counts(s->merge);
        return r;
}
