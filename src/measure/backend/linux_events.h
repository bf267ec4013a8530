/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of the Linux kernel: attributes, descriptors and rings, and the reasons for refusals. */
#ifndef LINUX_EVENTS_H
#define LINUX_EVENTS_H

#include <time.h>

#include "buf.h"
#include "collect_request.h"
#include "map.h"
#include "record.h"

/* --- linux_machine.c: the machine's properties --- */

/* `task`: a thread; 0: this thread; else linux_event_everybody. */
int linux_event_open(const struct perf_attr *attr, int32_t task, int32_t cpu, int group_fd);

/* All processes, or those of a control group. */
int32_t linux_event_everybody(const struct target *target);

/* Requests of ioctl() for event descriptors. */
#define IOC_ENABLE     0x2400u
#define IOC_DISABLE    0x2401u
#define IOC_SET_OUTPUT 0x2405u
#define IOC_PERIOD     0x40082404u
#define IOC_ID         0x80082407u

bool linux_event_serves(const struct event *event, uint32_t cpu);
void machine_raise_file_limit(void);
const struct arch *linux_arch(void);    /* of this machine */
uint64_t linux_cpu_ns(clockid_t clock); /* CPU time so far, of the process or of the thread */

/* Returns the online CPUs, or the CPUs in `asked`, which must be online; free() it.  In sampling the error
 * about a large number says how to write a period, which is -c in perf. */
uint32_t *machine_cpus(const uint32_t *asked, size_t n_asked, bool is_sampling, size_t *ret_n,
                       struct err *err);

/* --- linux_attr.c: attributes --- */

/* The optional parts of an attribute that the running kernel accepts. */
struct kernel_features {
        bool lost_count, ksymbol, namespaces, clock, comm_exec_mmap2;
        bool calls;         /* the CPU's branch records of calls */
        bool weight_struct; /* latencies in parts; else one number */
        bool stacks;        /* call stacks; only dropped if nobody asked for them */
        /* The clock can't change any more, because an event was opened and all events of a ring have one
         * clock. Not a part of attributes. */
        bool keeps_clock;
        /* Privilege to open a command's events on CPUs for all processes. Not a part of attributes. */
        bool every_cpu;
};

#define ALL_KERNEL_FEATURES                                                                                  \
        (struct kernel_features)                                                                             \
        {                                                                                                    \
                true, true, true, true, true, true, true, true, false, false                                 \
        }

/* How call stacks are taken on a kernel with these features. */
enum call_graph_kind linux_attr_stacks(const struct collect_request *request,
                                       const struct kernel_features *features);

/* The attribute for opening an event. With `tracks`, it also records maps, names and forks; one event of a
 * session does. */
struct perf_attr linux_attr_make(const struct event *event, const struct collect_request *request,
                                 bool tracks, const struct kernel_features *features);
struct event linux_attr_dummy(void);

/* True for cpu-clock and task-clock, whose periods are in nanoseconds. */
bool linux_attr_is_clock(const struct perf_attr *attr);

/* True if a dummy event has to track, because the first event does not cover every CPU or may be disabled for
 * a time. */
bool linux_attr_needs_dummy(const struct collect_request *request);

/* True if one of the events is an SPE event. All records of the session then have the kernel's own clock. */
bool linux_attr_has_spe(const struct collect_request *request);

/* True if one of the events records the addresses of data. */
bool linux_attr_has_data(const struct collect_request *request);

/* The best size of the AUX area of a CPU. */
enum { AUX_BYTES = 4 << 20 };

/* Whether the event's stacks are unwound while recording. */
bool linux_attr_is_unwound(const struct collect_request *request, const struct perf_attr *attr);

/* The best size of the ring of a CPU, in bytes. */
size_t linux_attr_ring_bytes(const struct collect_request *request);

/* --- linux_vendor_event.c: for pmu_source; only in builds with libpfm4's header --- */

bool linux_vendor_event_find(void *ctx, const char *name, struct vendor_event *ret);

/* --- linux_refusal.c: turns errno into an error message --- */

/* What was done when the kernel refused. */
struct refused_use {
        const char *verb, *doing; /* "sample", "sampling" */
        bool all;                 /* all processes */
        bool counts;
        bool branches; /* branch records were requested */
};

void linux_refusal(const struct refused_use *use, const struct event *event, int32_t pid, int error,
                   struct err *err);

/* Whether capabilities and perf_event_paranoid allow to sample all processes. */
bool linux_may_sample_all(void);

/* The same for one's own processes in the kernel. */
bool linux_may_sample_kernel(void);

/* True for errors that another kind of event may not have. */
bool linux_refusal_is_missing_pmu(int error);

/* --- linux_opened.c: descriptors --- */

struct opened_fd {
        int fd;
        uint32_t ring; /* index of the ring that it writes to */
};

struct opened_event {
        struct event event;
        struct perf_attr attr;
        /* the user's PERF_ATTR_EXCLUDE_KERNEL and _USER if the recorder applies them, not the kernel */
        uint64_t left_out;
        bool is_unwound; /* its stacks are unwound while recording */
        bool is_on;
        uint64_t *ids;
        size_t n_ids, cap_ids;
        struct opened_fd *fds;
        size_t n_fds, cap_fds;
};

struct opened {
        struct opened_event *events;
        size_t n_events;
        size_t first_asked; /* 1 if a dummy event comes first, else 0 */
        bool is_on;         /* one of the requested events is enabled */
        int *ring_fds;      /* the first descriptor of each CPU, and the CPU */
        uint32_t *ring_cpus;
        size_t n_rings;
        bool every_cpu;  /* the events of a command see all processes */
        bool per_thread; /* a ring belongs to a thread, not to a CPU */
        /* measures the time of the command and its descendants if the events do not; -1 for none */
        int meter_fd;
        char note[240];
        char stack_note[400];    /* why stacks are not taken as requested; "" */
        char children_note[400]; /* why child processes are not sampled as requested; "" */
};

/* The attribute for the session file: unwound samples have chains in place of stack copies, maps have build
 * ids, and excluded modes include those that the recorder drops. */
struct perf_attr linux_attr_written(const struct opened_event *event);

bool linux_open(const struct collect_request *request, const int32_t *tids, size_t n_tids, bool at_exec,
                struct opened *ret, struct err *err);

/* Makes every descriptor write to the ring of its CPU. The rings must be mapped before. */
bool opened_join(const struct opened *opened, struct err *err);

/* Fills `ret_ids`, for opened_find. */
void opened_list_ids(const struct opened *opened, struct map *ret_ids);

/* The event with this id; NULL if there is none. */
const struct opened_event *opened_find(const struct opened *opened, const struct map *ids, uint64_t id);

void opened_release(struct opened *opened);
void opened_control(const struct opened *opened, bool enable);
void opened_enable_tracking(const struct opened *opened);

/* Enables or disables requested events: all (NULL), or those with this name, with or without modifiers. False
 * if none has this name. */
bool opened_switch(struct opened *opened, const char *name, bool on);

/* --- linux_paced.c: samples without the kernel's events --- */

/* Whether the kernel refuses all events to this process; sets `ret_why` to one sentence. */
bool linux_refuses_events(struct err *ret_why);

/* Why what is requested can't be sampled without events; NULL if it can. */
const char *linux_paced_lacks(const struct collect_request *request);

/* The description of such samples, without descriptors and rings; `why` is its note. */
void linux_open_paced(const struct collect_request *request, const char *why, struct opened *ret);

/* --- linux_ring.c --- */

struct ring {
        void *base;
        uint8_t *data;
        size_t data_bytes; /* a power of two */
        size_t map_bytes;
        int fd;
};

/* Maps a ring of *bytes for each descriptor. If the kernel's limit requires it, all rings are smaller, but
 * have at least 8 pages; sets *bytes to the size. */
bool rings_open(struct ring *rings, const int *fds, size_t n, size_t *bytes, struct err *err);
void ring_close(struct ring *ring);

/* Moves the records in the ring to `out`. */
void ring_drain(struct ring *ring, struct buf *out);

/* The current end of the records in the ring. */
uint64_t ring_head(const struct ring *ring);

/* Frees the space of the records up to `head`. */
void ring_free(struct ring *ring, uint64_t head);

/* Reads the records where they are in the ring. */
struct ring_reader {
        const struct ring *ring;
        uint64_t at, head;
        uint8_t wrapped[UINT16_MAX + 1]; /* a copy of a record that goes over the end of the ring */
};

/* Begins with the oldest record that was not freed; `head` is a result of ring_head. */
void ring_reader_begin(struct ring_reader *reader, const struct ring *ring, uint64_t head);

/* The next record, valid until the next call and until its space is freed; NULL at the end. */
const uint8_t *ring_reader_next(struct ring_reader *reader, struct perf_header *ret_header);

/* The first words of a record, including its header; 0 beyond its end. */
enum { RING_WORDS = 5 };

void ring_words(const uint8_t *record, const struct perf_header *header, uint64_t ret_words[RING_WORDS]);

/* Which records are moved out of a ring. */
struct ring_filter {
        /* How many bytes from the beginning of the record are wanted, a multiple of 8; 0 for none. */
        size_t (*wanted_bytes)(void *ctx, const struct perf_header *header, const uint64_t words[RING_WORDS]);
        void *ctx;
};

/* --- linux_aux.c --- */

struct aux_area {
        uint8_t *bytes;
        size_t size_bytes; /* a power of two */
        const struct ring *ring;
        int fd; /* of the event that writes it */
};

/* Maps an AUX area of *size_bytes, a power of two, for the ring that the event `fd` writes to. Halves the
 * size, down to 4 pages, while it exceeds the kernel's limit, and sets *size_bytes to the size that was
 * mapped. */
bool aux_open(struct aux_area *aux, const struct ring *ring, int fd, size_t *size_bytes, struct err *err);
void aux_close(struct aux_area *aux);

/* The current end of the data. The AUX records of the data before it are in the ring already. */
uint64_t aux_head(const struct aux_area *aux);

/* Appends the data before `head` to `out`, and frees its space. Returns the offset of its first byte in the
 * whole stream of data that the event has written. */
uint64_t aux_take(struct aux_area *aux, uint64_t head, struct buf *out);

/* How a value of the CPU's counter, which SPE samples contain, is converted to the kernel's clock: zero +
 * counter * mult >> shift. */
struct aux_clock {
        uint64_t shift, mult, zero;
        uint64_t cycles, mask; /* with has_short, for counters of less than 64 bits */
        bool has_zero, has_short;
};

struct aux_clock aux_get_clock(const struct ring *ring);

#endif
