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
        EXPECT_STR(said_of(E2BIG, 1), STOP_REFUSAL_NO_EVENTS);
        EXPECT_STR(said_of(EINVAL, 1), STOP_REFUSAL_NO_EVENTS);
        EXPECT_STR(said_of(EOPNOTSUPP, 1), STOP_REFUSAL_NO_EVENTS);
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

TEST(other_refusals_have_the_error)
{
        EXPECT_STR(said_of(EACCES, 1), "the kernel refuses an event that stops a thread: Permission denied");
        EXPECT_STR(said_of(EMFILE, 2),
                   "the kernel refuses an event that stops a thread: Too many open files");
}

TAP_MAIN
