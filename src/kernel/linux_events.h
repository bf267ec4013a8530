/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of the Linux kernel: attributes, descriptors and rings, and why it refuses. */
#ifndef LINUX_EVENTS_H
#define LINUX_EVENTS_H

#include <time.h>

#include "buf.h"
#include "collect_request.h"
#include "record.h"

/* --- linux_machine.c: what the machine has --- */

int linux_event_open(const struct perf_attr *attr, int32_t tid, int32_t cpu, int group_fd);

/* Requests of ioctl() for a descriptor of an event. */
#define IOC_ENABLE     0x2400u
#define IOC_DISABLE    0x2401u
#define IOC_SET_OUTPUT 0x2405u
#define IOC_ID         0x80082407u

bool linux_event_serves(const struct event *event, uint32_t cpu);
void machine_raise_file_limit(void);
const struct arch *linux_arch(void);    /* of this machine */
uint64_t linux_cpu_ns(clockid_t clock); /* CPU time so far, of the process or of the thread */

/* The CPUs that are online, or those asked for, which have to be; free() it.  `hint` ends the sentence about one that
 * is not. */
uint32_t *machine_cpus(const uint32_t *asked, size_t n_asked, const char *hint, size_t *ret_n,
                       struct err *err);

/* --- linux_attr.c: attributes --- */

/* Which optional parts of an attribute the running kernel takes. */
struct kernel_features {
        bool lost_count, ksymbol, namespaces, clock, comm_exec_mmap2;
        bool calls; /* the CPU's record of calls */
        bool keeps_clock; /* an event was opened: all that share a ring have one clock; not part of an attribute either */
        bool every_cpu; /* the rights to open a command's events on CPUs, for all processes; not part of an attribute */
};

#define ALL_KERNEL_FEATURES                                                                                  \
        (struct kernel_features)                                                                             \
        {                                                                                                    \
                true, true, true, true, true, true, false, false                                             \
        }

/* What is taken of call stacks where the kernel has these features. */
enum call_graph_kind linux_attr_stacks(const struct collect_request *request,
                                       const struct kernel_features *features);

/* The attribute of an event as it is opened; one of them tracks maps, names and forks. */
struct perf_attr linux_attr_make(const struct event *event, const struct collect_request *request,
                                 bool tracks, const struct kernel_features *features);
struct event linux_attr_dummy(void);

/* cpu-clock or task-clock, whose periods are nanoseconds. */
bool linux_attr_is_clock(const struct perf_attr *attr);

/* True when the first event does not cover every CPU or is off for a time, so that a dummy event has to track. */
bool linux_attr_needs_dummy(const struct collect_request *request);

/* The event's stacks are unwound while recording. */
bool linux_attr_is_unwound(const struct collect_request *request, const struct perf_attr *attr);

/* How large the ring of a CPU ought to be. */
size_t linux_attr_ring_bytes(const struct collect_request *request);

/* --- linux_vendor_event.c: for pmu_source; only in builds with libpfm4's header --- */

bool linux_vendor_event_find(void *ctx, const char *name, struct vendor_event *ret);

/* --- linux_obstacle.c: errno to a sentence --- */

/* What was being done when the kernel refused. */
struct scene {
        const char *verb, *doing; /* "sample", "sampling" */
        bool all;                 /* all processes */
        bool counts;
        bool branches; /* asked for with each sample */
};

void linux_obstacle(const struct scene *scene, const struct event *event, int32_t pid, int error,
                    struct err *err);

/* As far as capabilities and perf_event_paranoid tell. */
bool linux_may_sample_all(void);

/* True for the refusals that another source of samples may not meet. */
bool linux_obstacle_is_missing_pmu(int error);

/* --- linux_opened.c: descriptors --- */

struct opened_fd {
        int fd;
        uint32_t ring; /* whose buffer it writes to */
};

struct opened_event {
        struct event event;
        struct perf_attr attr;
        uint64_t
                left_out; /* PERF_ATTR_EXCLUDE_KERNEL and _USER that were asked for and are done here, not by the kernel */
        bool is_unwound; /* while recording */
        bool is_on;
        uint64_t *ids;
        size_t n_ids, cap_ids;
        struct opened_fd *fds;
        size_t n_fds, cap_fds;
};

struct opened {
        struct opened_event *events;
        size_t n_events;
        size_t first_asked; /* before it stands the dummy event */
        bool is_on;         /* one of those that were asked for is */
        int *ring_fds;      /* the first descriptor of each CPU, and that CPU */
        uint32_t *ring_cpus;
        size_t n_rings;
        bool every_cpu;  /* the events of a command see all processes */
        bool per_thread; /* a ring belongs to a thread, not to a CPU */
        int meter_fd;    /* its time is the command's with all descendants, where the events' is not; -1 */
        char note[240];
        char stack_note[400];    /* why stacks are not taken as was asked; "" */
        char children_note[400]; /* why children are not sampled as was asked; "" */
};

/* What stands in the session for an attribute: unwound samples have chains in the place of copies, maps are told by build
 * ids that are read here, and modes are left out here. */
struct perf_attr linux_attr_written(const struct opened_event *event);

bool linux_open(const struct collect_request *request, const int32_t *tids, size_t n_tids, bool at_exec,
                struct opened *ret, struct err *err);

/* Makes every descriptor write to the buffer of its CPU; the kernel wants the buffers mapped before. */
bool opened_join(const struct opened *opened, struct err *err);
void opened_release(struct opened *opened);
void opened_control(const struct opened *opened, bool enable);
void opened_enable_tracking(const struct opened *opened);

/* Turns an event that was asked for on or off, by its name with or without modifiers, or all (NULL).  False: none has
 * that name. */
bool opened_switch(struct opened *opened, const char *name, bool on);

/* --- linux_ring.c --- */

struct ring {
        void *base;
        uint8_t *data;
        size_t data_bytes; /* a power of two */
        size_t map_bytes;
        int fd;
};

/* Maps a ring of *bytes for each descriptor, all less where the kernel's limit asks for it; never below 8 pages.  *bytes
 * is what it came to. */
bool rings_open(struct ring *rings, const int *fds, size_t n, size_t *bytes, struct err *err);
void ring_close(struct ring *ring);

struct ring_filter;

/* Appends what is in the ring to `out`, all of it or what `filter` wants (NULL: there is none), and hands the room back. */
void ring_drain(struct ring *ring, const struct ring_filter *filter, struct buf *out);

/* The first words of a record, its header among them; 0 where the record is shorter. */
enum { RING_WORDS = 5 };

struct ring_filter {
        /* How many bytes of the record are wanted, from its beginning, a multiple of 8; 0: none. */
        size_t (*wanted_bytes)(void *ctx, const struct perf_header *header, const uint64_t words[RING_WORDS]);
        void *ctx;
};

/* The end of what is there now. */
uint64_t ring_head(const struct ring *ring);

/* Appends what is wanted of the records up to `head`; `out` may be NULL when nothing is. */
void ring_walk(const struct ring *ring, uint64_t head, const struct ring_filter *filter, struct buf *out);

/* Hands the room up to `head` back. */
void ring_free(struct ring *ring, uint64_t head);

#endif
