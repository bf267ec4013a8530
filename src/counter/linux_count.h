/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the Linux counting share. */
#ifndef LINUX_COUNT_H
#define LINUX_COUNT_H

#include "counting.h"
#include "linux_events.h"
#include "linux_processes.h"

/* --- linux_counted.c: descriptors --- */

struct counter {
        int fd;
        uint32_t cpu; /* UINT32_MAX: any */
        uint32_t thread;
};

/* What stands in for a counter that the kernel refuses. */
enum count_source {
        SOURCE_COUNTER,
        SOURCE_CPU_TIME,
        SOURCE_SWITCHES,
        SOURCE_FAULTS,
        SOURCE_MINOR_FAULTS,
        SOURCE_MAJOR_FAULTS,
};

struct counted_event {
        struct event event; /* as it was opened: by number where the kernel knows no other way */
        struct perf_attr attr;
        uint64_t *ids; /* one for each counter, or one made up */
        struct counter *counters;
        size_t n_counters, cap_counters;
        char *obstacle;           /* NULL: none */
        enum count_source source; /* not SOURCE_COUNTER: no counters */
        bool leads;               /* a group, or stands alone: it is what is enabled and disabled */
        bool at_exec;             /* the kernel enables it when the command starts */
        uint32_t group;           /* counted_group */
};

struct counted {
        struct counted_event *events; /* in the list's order */
        size_t n_events;
        size_t n_counters;
        bool estimates; /* an event has another source */
        /* The kernel calls an event of a thread enabled wherever the thread runs, on other CPUs and on cores of other kinds as
         * well.  This one is on each CPU and never has to share a counter: it tells how long a thread was there. */
        struct counted_event presence;
};

/* Opens the list's events on threads `tids` (those of the request; none when it is system-wide).  False when none is
 * counted. */
bool counted_open(const struct count_request *request, const int32_t *tids, size_t n_tids,
                  struct counted *ret, struct err *err);
void counted_release(struct counted *counted);
void counted_enable(const struct counted *counted, bool enable, bool also_at_exec);

/* The attribute as it is opened; `leads` as above. */
struct perf_attr counted_attr(const struct count_request *request, const struct event *event, bool leads);
bool count_request_is_system_wide(const struct count_request *request);

/* Events with the same number, which is not 0, are one group of the kernel: those of a group of the list, and what stands
 * alone of the software events where all threads are counted.  They never have to wait for a counter, and one read, which
 * interrupts the other CPU, then brings them all. */
uint32_t counted_group(const struct count_request *request, size_t index);

/* --- linux_count_estimator.c: what the kernel tells without counters --- */

/* Where the count of a software event comes from for a user who may not count it; SOURCE_COUNTER: from nowhere. */
enum count_source count_source_instead(const struct count_request *request, const struct event *event,
                                       int error);

struct usage {
        uint64_t cpu_ns, switches, minor_faults, major_faults;
};

struct estimator {
        const struct child *child;
        const int32_t *pids;
        size_t n_pids;
        bool cpu_time, switches; /* wanted: they are in files of the threads */
        struct usage *last;      /* of each process; one that has ended stays at that */
        struct usage base, counted;
        bool counting;
        struct buf text;
};

void estimator_init(struct estimator *estimator, const struct child *child,
                    const struct count_request *request, const struct counted *counted);
void estimator_release(struct estimator *estimator);
void estimator_count(struct estimator *estimator, bool count); /* starts and stops */
struct usage estimator_read(struct estimator *estimator);
uint64_t estimator_usage(const struct usage *usage, enum count_source source);

/* --- linux_count_rounds.c: records --- */

/* The records of a round, laid out once: reading writes the numbers only. */
struct rounds {
        struct perf_stat *stats;
        size_t n_stats;
        struct stat_origin *origins; /* of each record */
        struct group_read *groups;
        size_t n_groups, cap_groups;
        uint32_t *members; /* of the groups: indexes of records */
        size_t n_members, cap_members;
        uint64_t *group_values; /* room for the largest group */
        const struct counter *presences;
        uint64_t *presence_ns;
        size_t n_presences;
        uint32_t *links; /* indexes of presences */
        size_t n_links, cap_links;
        bool estimates;
};

/* A leader's descriptor that is read for its whole group. */
struct group_read {
        int fd;
        size_t first_member, n_members; /* in the order of the kernel's answer */
};

struct stat_origin {
        int fd; /* -1: an estimate, or read with its group */
        bool in_group;
        enum count_source source;   /* of it */
        size_t first_link, n_links; /* the presences whose sum is `enabled`; none: the kernel says it */
};

void rounds_init(struct rounds *rounds, const struct counted *counted);
void rounds_release(struct rounds *rounds);

/* `elapsed_ns` is the time since begin, `estimator` NULL or what stands in. */
void rounds_read(struct rounds *rounds, struct estimator *estimator, uint64_t elapsed_ns);
bool rounds_put(struct rounds *rounds, const struct record_sink *sink, bool last, uint64_t elapsed_ns,
                struct err *err);

/* THREAD_MAP, CPU_MAP and STAT_CONFIG. */
bool rounds_put_maps(const struct rounds *rounds, const struct count_request *request, const int32_t *tids,
                     size_t n_tids, const struct record_sink *sink, struct err *err);

#endif
