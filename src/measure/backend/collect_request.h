/* SPDX-License-Identifier: BSD-3-Clause */
/* What to sample, of which processes, and how. */
#ifndef COLLECT_REQUEST_H
#define COLLECT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "call_graph.h"
#include "event.h"
#include "target.h"

/* What to sample of a command or of attached processes in addition to their threads. */
enum collect_children {
        COLLECT_INHERIT, /* child processes too: they inherit the events of their parent */
        /* of a command: events on every CPU; only the samples of its descendants are kept */
        COLLECT_ALL_CHILDREN,
        COLLECT_BEST,        /* COLLECT_ALL_CHILDREN if the privileges allow it, else COLLECT_INHERIT */
        COLLECT_NO_CHILDREN, /* no child processes, and no threads that start later */
        COLLECT_PER_THREAD,  /* like COLLECT_NO_CHILDREN, with a ring for each thread, not for each CPU */
};

/* More stacks a second than these are copied only if they are asked for. */
enum { COLLECT_MOST_STACKS_HZ = 20000 };

/* How to sample the Python interpreters among the command's processes. */
enum collect_engine {
        COLLECT_RING, /* by the kernel, like all other processes */
        /* by stopping the thread at each sample; the report's header says why if that is not possible */
        COLLECT_STOP,
        /* For root, by a BPF program; else by stopping if the request allows it. The report's header says why
         * if the kernel refuses. */
        COLLECT_BEST_ENGINE,
        COLLECT_BPF,  /* by a BPF program at each sample */
        COLLECT_PACE, /* all programs, without events: by stopping threads that run at random moments */
        COLLECT_PEEK, /* by the kernel; Python frames are read while the thread runs */
        COLLECT_NONBLOCKING, /* COLLECT_BPF, else COLLECT_PEEK */
};

struct collect_request {
        struct target target;
        enum collect_engine engine;
        const struct event_list *events;
        enum collect_children children;
        bool events_are_default; /* the user named no event, so another one may be used instead */
        /* made from target.control; must outlive the collector; NULL for a description only */
        struct control *control;
        /* for each CPU, a power of two; 0: depends on the size of a sample, 512 KiB or more */
        size_t ring_bytes;
        struct call_graph call_graph;
        /* the path that records give for Python lines (python_section.h); NULL for a description only */
        const char *python_symbols;
        bool wall;     /* also when threads run and wait, and what they wait for */
        bool is_live;  /* with `wall`: what they wait for is taken by collector_take_waits() */
        bool branches; /* the CPU's branch records with each sample; not with CALL_GRAPH_LBR */
};

#endif
