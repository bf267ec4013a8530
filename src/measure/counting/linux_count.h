/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files that count on Linux. */
#ifndef LINUX_COUNT_H
#define LINUX_COUNT_H

#include "counting.h"
#include "linux_events.h"
#include "linux_processes.h"

/* --- linux_counted.c: descriptors --- */

struct counter {
        int fd;
        uint32_t cpu; /* UINT32_MAX for any CPU */
        uint32_t thread;
};

/* The source of a count if the kernel refuses the counter. */
enum count_source {
        SOURCE_COUNTER,
        SOURCE_CPU_TIME,
        SOURCE_SWITCHES,
        SOURCE_FAULTS,
        SOURCE_MINOR_FAULTS,
        SOURCE_MAJOR_FAULTS,
};

struct counted_event {
        struct event event; /* as opened: by its number if the kernel did not accept the generic event */
        struct perf_attr attr;
        uint64_t *ids; /* one for each counter, or one made-up id */
        struct counter *counters;
        size_t n_counters, cap_counters;
        char *refusal;            /* NULL for none */
        enum count_source source; /* if not SOURCE_COUNTER, there are no counters */
        bool leads;               /* leads a group or is not in one: enable and disable this one */
        bool at_exec;             /* the kernel enables it when the command starts */
        uint32_t group;           /* counted_group */
};

struct counted {
        struct counted_event *events; /* in the list's order */
        size_t n_events;
        size_t n_counters;
        bool estimates; /* an event has another source than its counter */
        /* A dummy event on each CPU. The kernel counts an event of a thread as enabled wherever the thread
         * runs, also on other CPUs and on other kinds of cores. The dummy never shares a counter, so its
         * running time is how long the thread was on the CPU. */
        struct counted_event presence;
};

/* Opens the list's events on the threads `tids` of the request (none if it is system-wide). False if no event
 * is counted. Release *ret with counted_release. */
bool counted_open(const struct count_request *request, const int32_t *tids, size_t n_tids,
                  struct counted *ret, struct err *err);
void counted_release(struct counted *counted);
void counted_enable(const struct counted *counted, bool enable, bool also_at_exec);

/* The attribute for opening the event; `leads` as in struct counted_event. */
struct perf_attr counted_attr(const struct count_request *request, const struct event *event, bool leads);
bool count_request_is_system_wide(const struct count_request *request);

/* Events with the same number, if it is not 0, form one group of the kernel: a group of the list, or the
 * single software events when all threads are counted. Software events never wait for a counter, and with a
 * group one read, which interrupts the other CPU, returns them all. */
uint32_t counted_group(const struct count_request *request, size_t index);

/* --- linux_count_estimator.c: counts without counters --- */

/* The source of a software event's count for users who may not count it; SOURCE_COUNTER if there is none. */
enum count_source count_source_instead(const struct count_request *request, const struct event *event,
                                       int error);

struct usage {
        uint64_t cpu_ns, switches, minor_faults, major_faults;
};

struct estimator {
        const struct child *child;
        bool is_of_child; /* else of the processes */
        const int32_t *pids;
        size_t n_pids;
        bool cpu_time, switches; /* needed; they are read from files of the threads */
        struct usage *last;      /* of each process; the last value of a process that has ended */
        struct usage base, counted;
        bool counting;
        struct buf text;
};

void estimator_init(struct estimator *estimator, const struct child *child,
                    const struct count_request *request, const struct counted *counted);
void estimator_release(struct estimator *estimator);
void estimator_count(struct estimator *estimator, bool count); /* starts or stops counting */
struct usage estimator_read(struct estimator *estimator);
uint64_t estimator_usage(const struct usage *usage, enum count_source source);

/* --- linux_count_rounds.c: records --- */

/* The records of a round, laid out once, so that reading writes only the numbers. */
struct rounds {
        struct perf_stat *stats;
        size_t n_stats;
        struct stat_origin *origins; /* one for each record */
        struct group_read *groups;
        size_t n_groups, cap_groups;
        uint32_t *members; /* members of the groups: indexes of records */
        size_t n_members, cap_members;
        uint64_t *group_values; /* large enough for the largest group */
        const struct counter *presences;
        uint64_t *presence_ns;
        size_t n_presences;
        uint32_t *links; /* indexes of presences */
        size_t n_links, cap_links;
        bool estimates;
};

/* The descriptor of a leader, which is read for its whole group. */
struct group_read {
        int fd;
        size_t first_member, n_members; /* in the order in which the kernel returns them */
};

struct stat_origin {
        int fd; /* -1 for an estimate, or if it is read with its group */
        bool in_group;
        enum count_source source; /* of an estimate */
        /* the presences whose sum is `enabled`; if none, the kernel's value is used */
        size_t first_link, n_links;
};

void rounds_init(struct rounds *rounds, const struct counted *counted);
void rounds_release(struct rounds *rounds);

/* `elapsed_ns` is the time since counting_begin; `estimator` may be NULL if there are no estimates. */
void rounds_read(struct rounds *rounds, struct estimator *estimator, uint64_t elapsed_ns);
bool rounds_put(struct rounds *rounds, const struct record_sink *sink, bool last, uint64_t elapsed_ns,
                struct err *err);

/* Puts THREAD_MAP, CPU_MAP and STAT_CONFIG. */
bool rounds_put_maps(const struct rounds *rounds, const struct count_request *request, const int32_t *tids,
                     size_t n_tids, const struct record_sink *sink, struct err *err);

#endif
