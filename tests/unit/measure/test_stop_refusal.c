/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of events that stop a thread, where the kernel refuses them. */
#include "stop_refusal.h"

#include <errno.h>
#include <string.h>

#include "tap.h"

static const char *said_of(int error, long yama)
{
        static struct err err;

        err = (struct err){0};
        EXPECT_TRUE(!stop_refusal_say_event(error, yama, &err));
        return err.text;
}

/* A kernel says E2BIG of a field of the attributes that it does not know, and EINVAL of a flag. */
TEST(older_kernels_have_no_events_that_stop)
{
        EXPECT_STR(said_of(E2BIG, 0), STOP_REFUSAL_NO_EVENTS);
        EXPECT_STR(said_of(EINVAL, 0), STOP_REFUSAL_NO_EVENTS);
        EXPECT_STR(said_of(EOPNOTSUPP, 0), STOP_REFUSAL_NO_EVENTS);
}

/* Seen on Linux 6.1 with kernel.yama.ptrace_scope 2: perf_event_open asks for the right to trace. */
TEST(security_modules_refuse_events_too)
{
        EXPECT_STR(said_of(EACCES, 2),
                   "kernel.yama.ptrace_scope is 2, so only root may trace (ptrace): sudo wperf ..., or 'sudo "
                   "sysctl kernel.yama.ptrace_scope=1'");
        EXPECT_STR(said_of(EACCES, 3),
                   "kernel.yama.ptrace_scope is 3: no process may be traced until the next reboot");
}

/* The older kernel can't read the process either. */
TEST(an_older_kernel_with_a_security_module_names_the_module)
{
        EXPECT_STR(said_of(E2BIG, 3),
                   "kernel.yama.ptrace_scope is 3: no process may be traced until the next reboot");
}

TEST(root_may_trace_at_level_2)
{
        EXPECT_INT(stop_refusal_forbids(1, false), 0);
        EXPECT_INT(stop_refusal_forbids(2, false), 2);
        EXPECT_INT(stop_refusal_forbids(2, true), 0);
        EXPECT_INT(stop_refusal_forbids(3, true), 3);
}

TEST(other_refusals_have_the_error)
{
        EXPECT_STR(said_of(EACCES, 0), "the kernel refuses an event that stops a thread: Permission denied");
        EXPECT_STR(said_of(EMFILE, 2),
                   "the kernel refuses an event that stops a thread: Too many open files");
}

TAP_MAIN
