/* SPDX-License-Identifier: BSD-3-Clause */
/* Why the kernel does not allow to trace a process, and what would change that. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "os.h"
#include "stop_engine_internal.h"
#include "stop_internal.h"
#include "stop_refusal.h"

/* Levels of Yama. */
enum { NEEDS_PRIVILEGE = 1, ROOT_ONLY, NOBODY };

int32_t stop_refusal_tracer(int32_t pid)
{
        int32_t *tids = NULL, tracer = 0;
        size_t n = 0;

        proc_threads(pid, &tids, &n);
        for (size_t i = 0; i < n && !tracer; i++) {
                tracer = stop_status_tracer(tids[i]);
                tracer = tracer == getpid() ? 0 : tracer;
        }
        free(tids);
        return tracer;
}

long stop_refusal_yama(void)
{
        AUTO_RELEASE(buf) text = {0};

        return os_read_file("/proc/sys/kernel/yama/ptrace_scope", 64, &text, NULL)
                       ? strtol(buf_text(&text), NULL, 10)
                       : 0;
}

long stop_refusal_forbids(long yama, bool has_privilege)
{
        return yama >= NOBODY || (yama == ROOT_ONLY && !has_privilege) ? yama : 0;
}

/* From level 2 on. */
static bool say_yama(long yama, struct err *err)
{
        if (yama >= NOBODY)
                return err_set(
                        err, ERR_DENIED,
                        "kernel.yama.ptrace_scope is 3: no process may be traced until the next reboot");
        return err_set(
                err, ERR_DENIED,
                "kernel.yama.ptrace_scope is 2, so only root may trace (ptrace): sudo wperf ..., or 'sudo sysctl "
                "kernel.yama.ptrace_scope=1'");
}

bool stop_refusal_say(int error, struct err *err)
{
        long yama = stop_refusal_yama();

        if (yama >= ROOT_ONLY)
                return say_yama(yama, err);
        if (stop_status_has_filter())
                return err_set(
                        err, ERR_DENIED,
                        "a seccomp filter, as container engines set one, blocks ptrace: allow it (podman run --cap-add "
                        "SYS_PTRACE) or run wperf outside of the container");
        return err_os(err, ERR_DENIED, error, "the kernel refuses to trace the command (ptrace)");
}

/* Linux before 5.13 says the first two: of a flag, and of a field behind those that it knows. */
static bool lacks_events(int error)
{
        return error == EINVAL || error == E2BIG || error == EOPNOTSUPP;
}

bool stop_refusal_say_event(int error, long yama, struct err *err)
{
        if (yama >= ROOT_ONLY && (error == EACCES || lacks_events(error)))
                return say_yama(yama, err); /* who may not trace a process may have no events of it */
        if (lacks_events(error))
                return err_set(err, ERR_UNSUPPORTED, "%s", STOP_REFUSAL_NO_EVENTS);
        return err_os(err, ERR_DENIED, error, "the kernel refuses an event that stops a thread");
}

long stop_refusal_of_any(void)
{
        return stop_refusal_forbids(stop_refusal_yama(), stop_status_may_trace());
}

bool stop_refusal_lacks_events(void)
{
        const struct perf_attr clock = {.type = PERF_TYPE_SOFTWARE,
                                        .size = sizeof(clock),
                                        .config = PERF_COUNT_SW_TASK_CLOCK,
                                        .sample_period_or_freq = NS_PER_S};
        struct perf_attr attr = stop_event_attr(&clock);

        return lacks_events(stop_event_try(&attr, 0));
}

static const char *why_of(int32_t pid, bool has_privilege, bool attaches)
{
        long yama = stop_refusal_yama();

        if (yama >= NOBODY)
                return "kernel.yama.ptrace_scope is 3: no process may be traced until the next reboot";
        if (stop_status_has_filter() && !has_privilege)
                return "a seccomp filter or missing capabilities, as in containers, forbid it: add --cap-add SYS_PTRACE to docker run or podman run";
        if (has_privilege)
                return "a security module or a container's rules forbid it";
        if (yama >= NEEDS_PRIVILEGE && attaches)
                return "kernel.yama.ptrace_scope allows only root to attach: sudo wperf ...";
        if (stop_status_uid(pid) != stop_status_uid(0))
                return "it belongs to another user: sudo wperf ...";
        if (proc_has_other_user_ids(pid))
                return "it runs in another user namespace, as in a container: sudo wperf ...";
        return "it does not let programs without privilege read its memory: sudo wperf ...";
}

/* This process is not traced by itself, so the kernel says ESRCH if it looks at the request at all. */
bool stop_refusal_blocks_ptrace(void)
{
        return ptrace(PTRACE_CONT, getpid(), NULL, NULL) && errno != ESRCH;
}

const char *stop_refusal_of_running(bool are_traced)
{
        bool has_privilege = stop_status_may_trace();
        long yama = stop_refusal_yama();

        if ((are_traced && stop_refusal_blocks_ptrace()) || yama >= NOBODY ||
            (yama >= NEEDS_PRIVILEGE && !has_privilege))
                return why_of(getpid(), has_privilege, true);
        return NULL;
}

const char *stop_refusal_why(int32_t pid)
{
        return why_of(pid, stop_status_may_trace(), true);
}

void stop_refusal_note(struct stop_guardian *g, int32_t pid)
{
        struct stop_facts *facts = g->facts;
        int32_t tracer = stop_refusal_tracer(pid);
        AUTO_RELEASE(buf) name = {0};

        facts->has_other_tracer |= tracer > 0;
        stop_names_add(&facts->refused, pid);
        facts->counts.n_refused++;
        if (facts->why_refused[0])
                return;
        if (tracer > 0)
                proc_comm(tracer, &name);
        if (tracer > 0)
                snprintf(facts->why_refused, sizeof(facts->why_refused), "%s (%" PRId32 ") traces it already",
                         buf_text(&name), tracer);
        else
                snprintf(facts->why_refused, sizeof(facts->why_refused), "%s",
                         why_of(pid, g->keeps_privilege, g->attach));
}
