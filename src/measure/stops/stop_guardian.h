/* SPDX-License-Identifier: BSD-3-Clause */
/* The process that traces interpreters: those among the descendants of the command, which it starts, or those
 * that run already. It is another process than the recorder, so that they are not harmed if the recorder is
 * killed. It copies what is gone when a thread runs again; the recorder does the rest. */
#ifndef STOP_GUARDIAN_H
#define STOP_GUARDIAN_H

#include <stdbool.h>
#include <stdint.h>

#include "linux_processes.h"
#include "perf_abi.h"
#include "stop_channel.h"

/* What the recorder asks for by the socket, each as one packet. When the recorder closes its end, or can't
 * send any more, the guardian ends the tracing. */
enum stop_command_kind {
        STOP_BEGIN = 1, /* followed by struct stop_start; the guardian answers with one byte */
        STOP_SWITCH,    /* value: whether the events are enabled */
        STOP_TRACE,     /* value: a pid, to be traced if it is not yet */
        STOP_CHECK,     /* value: a tid that the ring samples and that does not stop */
        STOP_FORGET,    /* value: a tid whose Python frames do not match its stack */
        STOP_ATTACH,    /* attach to the processes of the request */
};

struct stop_command {
        uint32_t kind; /* enum stop_command_kind */
        int32_t value;
};

/* The event of the ring whose samples are taken by stops. */
struct stop_start {
        struct perf_attr attr;
        uint64_t id;
        bool is_unwound; /* its stacks are unwound while recording, so they may be larger than a record */
        bool is_on;      /* whether the events are enabled at first */
        bool is_paced;   /* there are no events: stop_pace.c */
};

struct stop_guardian_request {
        struct stop_channel *channel;
        int socket;                  /* the guardian's end */
        const struct target *attach; /* processes that run already; NULL: a command is traced */
};

/* For struct spawn_parent; `ctx` is a struct stop_guardian_request. */
NO_RETURN void stop_guardian_run(void *ctx, pid_t command, struct command_end *end);

/* The same without a command, in a process that was forked for it. */
NO_RETURN void stop_guardian_attach(const struct stop_guardian_request *request);

#endif
