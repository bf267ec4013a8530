/* SPDX-License-Identifier: BSD-3-Clause */
/* What is sampled of whom, and how. */
#ifndef COLLECT_REQUEST_H
#define COLLECT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "call_graph.h"
#include "event.h"
#include "target.h"

/* What of a command, or of the processes that are attached to, is sampled besides their threads. */
enum collect_children {
        COLLECT_INHERIT,      /* children too: each begins with the events of the one that forked it */
        COLLECT_ALL_CHILDREN, /* of a command: events on every CPU, where only what the command forked is kept */
        COLLECT_BEST,         /* that where the rights are there, else by inheriting */
        COLLECT_NO_CHILDREN, /* no children, and no threads that begin later */
        COLLECT_PER_THREAD,  /* the same, with a buffer for each thread in the place of one for each CPU */
};

/* How the samples of Python interpreters among a command's processes are taken. */
enum collect_engine {
        COLLECT_RING, /* by the kernel, as those of all others */
        COLLECT_STOP, /* by stopping the thread at each; the heading says why if that is not possible */
        COLLECT_STOP_IF_CAN, /* the same where the request allows it; the heading says why if the kernel refuses */
};

struct collect_request {
        struct target target;
        enum collect_engine engine;
        const struct event_list *events;
        enum collect_children children;
        bool events_are_default; /* the user named none: another source may be taken in their place */
        struct control *control; /* of target.control, which outlives the collector; NULL to describe alone */
        size_t ring_bytes; /* for each CPU, a power of two; 0: by what a sample takes, 512 KiB or more */
        struct call_graph call_graph;
        /* The path that records name for Python places: python_section.h.  NULL: their names can't be kept, as in a pipe, and
         * Python frames are left out. */
        const char *python_symbols;
        bool branches; /* the CPU's record of branches with each sample; not with CALL_GRAPH_LBR */
};

#endif
