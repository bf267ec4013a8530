/* SPDX-License-Identifier: BSD-3-Clause */
/* What the collector does for wall time, besides asking the kernel for switches: waiting threads are read. */
#include "linux_collector_internal.h"
#include "mem.h"
#include "stop_merge.h"
#include "wait_pace.h"
#include "wait_record.h"

/* The event of the samples of waiting threads, which the kernel does not know. */
void wall_add_event(struct collector *c)
{
        struct opened *o = &c->opened;

        o->events = mem_resize(o->events, o->n_events + 1, sizeof(*o->events));
        wait_record_event(&o->events[o->n_events++], false);
}

/* Python frames of waiting threads are read here, by another thread than those of samples. */
void wall_open(struct collector *c)
{
        if (!c->request.wall || !c->unwinder)
                return;
        c->waits_python = stop_python_new();
        if (!c->python)
                c->python = stop_python_new();
        if (!c->merge)
                collector_merge_python(c);
        stop_merge_set_waits(c->merge, c->waits_python, WAIT_RECORD_STILL_ID);
}

void wall_begin(struct collector *c)
{
        const struct target *target = &c->request.target;
        bool attaches = !target->argv || target->system_wide;

        c->waits = wait_pace_begin(&(struct wait_pace_request){
                .pids = attaches ? target->pids : &c->child.pid,
                .n_pids = attaches ? target->n_pids : 1,
                .all = target->system_wide,
                .python = c->waits_python,
        });
}

void wall_end(struct collector *c)
{
        if (c->waits)
                wait_pace_end(c->waits);
}

void wall_release(struct collector *c)
{
        wait_pace_free(c->waits);
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
        waits = wait_pace_get(c->waits);
        c->result.waits = waits.readings;
        c->result.n_waits = waits.n_readings;
}
