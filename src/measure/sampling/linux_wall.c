/* SPDX-License-Identifier: BSD-3-Clause */
/* What the collector does for wall time, besides asking the kernel for switches: waiting threads are read. */
#include <inttypes.h>
#include <stdlib.h>

#include "linux_collector_internal.h"
#include "mem.h"
#include "stop_merge.h"
#include "wait_pace.h"
#include "wait_record.h"

bool wall_check(const struct collect_request *request, struct err *err)
{
        const struct target *target = &request->target;

        if (!request->wall)
                return true;
        if (target->delay_ns || target->control)
                return err_set(err, ERR_USAGE, "--wall records from the start: leave out %s",
                               target->control ? "--control" : "-D");
        if (request->children == COLLECT_NO_CHILDREN || request->children == COLLECT_PER_THREAD)
                return err_set(err, ERR_USAGE, "--wall records all threads: leave out %s",
                               request->children == COLLECT_PER_THREAD ? "--per-thread" : "--no-inherit");
        if (target->n_cpus && (!target->argv || target->system_wide))
                return err_set(err, ERR_USAGE,
                               "--wall records threads on all CPUs: leave out the list of CPUs");
        return !linux_attr_has_spe(request) ||
               err_set(err, ERR_USAGE,
                       "--wall and SPE cannot be used together: their samples have other clocks");
}

void wall_add_event(struct collector *c)
{
        struct opened *o = &c->opened;

        if (!c->request.wall)
                return;
        o->events = mem_resize(o->events, o->n_events + 1, sizeof(*o->events));
        wait_record_event(&o->events[o->n_events++], false);
}

void wall_prepare_bpf(struct collector *c)
{
        if (c->request.wall)
                bpf_engine_want_holder(c->bpf);
}

static void see_holder(void *ctx, const struct sample *sample, const struct stop_python_stack *stack)
{
        struct collector *c = ctx;
        const struct wait_holder holder = {.time_ns = sample->time,
                                           .tid = sample->tid,
                                           .gil_holder = stack->gil_holder,
                                           .has_gil = stack->has_gil};

        c->result.n_holders++;
        if (c->n_holders < WAIT_MAX_HOLDERS)
                ARRAY_PUSH(c->holders, c->n_holders, c->cap_holders, holder);
}

/* Python frames of waiting threads are read here, by another thread than those of samples. */
void wall_open(struct collector *c)
{
        if (!c->request.wall || !c->unwinder)
                return;
        if (c->request.engine == COLLECT_PACE)
                buf_printf(&c->stack_note,
                           "%swhen threads ran and waited is known from times in /proc, between two looks",
                           c->stack_note.len ? "; " : "");
        c->waits_python = stop_python_new();
        stop_python_want_names(c->waits_python, c->request.is_live);
        if (!c->python)
                c->python = stop_python_new();
        if (!c->merge)
                engines_merge_python(c);
        stop_merge_set_waits(c->merge, c->waits_python, WAIT_RECORD_STILL_ID);
        if (c->bpf)
                stop_merge_on_stack(c->merge, see_holder, c);
}

void wall_begin(struct collector *c)
{
        const struct target *target = &c->request.target;
        bool attaches = !target->argv || target->system_wide;

        if (!c->request.wall)
                return;
        c->waits = wait_pace_begin(&(struct wait_pace_request){
                .pids = attaches ? target->pids : &c->child.pid,
                .n_pids = attaches ? target->n_pids : 1,
                .all = target->system_wide,
                .cgroup = target->cgroup,
                .python = c->waits_python,
                .is_command = !attaches,
                .adds_switches = c->request.engine == COLLECT_PACE,
                .is_live = c->request.is_live,
        });
}

void collector_take_waits(struct collector *c, struct buf *out)
{
        struct wait_pace_readings readings = {0};

        if (c->waits)
                wait_pace_take_readings(c->waits, &readings);
        if (readings.n || c->n_holders)
                wait_section_write(readings.items, readings.n, c->holders, c->n_holders, out);
        wait_pace_readings_release(&readings);
        c->n_holders = 0;
}

void wall_end(struct collector *c)
{
        struct wait_pace_facts waits;

        if (!c->waits)
                return;
        wait_pace_end(c->waits);
        waits = wait_pace_get(c->waits);
        if (waits.n_left_out)
                buf_printf(&c->stack_note, "%sthere was no room for %" PRIu64 " readings of waiting threads",
                           c->stack_note.len ? "; " : "", waits.n_left_out);
        if (waits.tasks->n_tasks == TASK_MAX_TASKS)
                buf_printf(&c->stack_note, "%sthere was no room for more readings of tasks",
                           c->stack_note.len ? "; " : "");
}

void wall_release(struct collector *c)
{
        wait_pace_free(c->waits);
        free(c->holders);
        stop_python_free(c->waits_python);
}

void wall_fill_result(struct collector *c)
{
        struct wait_pace_facts waits;

        if (c->result.command_ended) {
                c->result.n_blocked = (uint64_t)c->child.usage.ru_nvcsw;
                c->result.n_preempted = (uint64_t)c->child.usage.ru_nivcsw;
        }
        if (!c->waits)
                return;
        if (c->merge)
                wait_pace_add_places(c->waits, stop_merge_places(c->merge));
        waits = wait_pace_get(c->waits);
        c->result.tasks = waits.tasks;
}
