/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the Linux collector share. */
#ifndef LINUX_INTERNAL_H
#define LINUX_INTERNAL_H

#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

#include "arena.h"
#include "buf.h"
#include "collector.h"
#include "map.h"

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
        bool lost_count, build_id, ksymbol, namespaces, comm_exec_mmap2;
        bool calls; /* the CPU's record of calls */
};

#define ALL_KERNEL_FEATURES                                                                                  \
        (struct kernel_features)                                                                             \
        {                                                                                                    \
                true, true, true, true, true, true                                                           \
        }

/* What is taken of call stacks where the kernel has these features. */
enum call_graph_kind linux_attr_stacks(const struct collect_request *request,
                                       const struct kernel_features *features);

/* The attribute of an event as it is opened; one of them tracks maps, names and forks. */
struct perf_attr linux_attr_make(const struct event *event, const struct collect_request *request,
                                 bool tracks, const struct kernel_features *features);
struct event linux_attr_dummy(void);

/* True when the first event does not cover every CPU or is off for a time, so that a dummy event has to track. */
bool linux_attr_needs_dummy(const struct collect_request *request);

/* The event's stacks are unwound while recording. */
bool linux_attr_is_unwound(const struct collect_request *request, const struct perf_attr *attr);

/* And what then stands in the session for its attribute. */
struct perf_attr linux_attr_unwound(const struct perf_attr *attr);

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

/* True for the refusals that another source of samples may not meet. */
bool linux_obstacle_is_missing_pmu(int error);

/* --- linux_open.c: descriptors --- */

struct opened_fd {
        int fd;
        uint32_t ring; /* whose buffer it writes to */
};

struct opened_event {
        struct event event;
        struct perf_attr attr;
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
        char note[240];
        char stack_note[400]; /* why stacks are not taken as was asked; "" */
};

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

/* Appends everything that is in the ring to `out` and hands the room back. */
void ring_drain(struct ring *ring, struct buf *out);

/* --- linux_spawn.c --- */

struct command {
        char *const *argv;
        const uint32_t *cpus; /* it is pinned to them; NULL: it is not */
        size_t n_cpus;
        bool output_to_stderr;
};

struct child {
        pid_t pid;    /* 0: none */
        int go_fd;    /* writing to it lets the child exec */
        int error_fd; /* exec's errno comes here */
        int pid_fd;   /* readable when it has ended; -1 */
        bool ended;
        int status;
        uint64_t user_ns, kernel_ns;
        struct rusage usage; /* with its ended children; valid once it has ended */
};

bool child_prepare(struct child *child, const struct command *command, struct err *err);
bool child_go(struct child *child, const char *name, struct err *err);
bool child_reap(struct child *child, bool wait);  /* true when it has ended */
int child_exit_status(const struct child *child); /* as a shell gives it; valid once it has ended */
void child_release(struct child *child);

/* --- linux_identity.c --- */

struct identity {
        uint8_t build_id[BUILD_ID_MAX];
        uint8_t size; /* 0: none */
};

struct identities {
        struct map by_file;
        struct identity *items;
        size_t n_items, cap;
};

/* The build id of a mapped file, read once; `foreign`: by the root of process `pid`. */
struct identity identities_get(struct identities *all, int32_t pid, const char *path, uint64_t inode,
                               bool foreign);
void identities_release(struct identities *all);

/* --- linux_proc.c: what runs already --- */

struct synth {
        struct buf out;
        size_t trailer_bytes;
        bool build_ids; /* the kernel's own records have them too */
        bool data_maps; /* maps without code too */
        struct identities identities;
        uint64_t own_namespace;
};

/* COMM, NAMESPACES and MMAP2 records of a process, of what is executable and of the beginnings of PE images, whose code
 * may lie in memory without a file; a process that is gone gives none. */
void synth_process(struct synth *synth, int32_t pid);
void synth_all_processes(struct synth *synth);
void synth_kernel(struct synth *synth);
void synth_release(struct synth *synth);

/* The threads of a process, appended; false when it is gone. */
bool proc_threads(int32_t pid, int32_t **ret_tids, size_t *ret_n);

/* User and kernel CPU time of a process with its ended children, or of the machine (pid -1). */
bool proc_cpu_time(int32_t pid, uint64_t *ret_user_ns, uint64_t *ret_kernel_ns);
int32_t proc_inner_pid(int32_t pid);
uint64_t proc_mount_namespace(int32_t pid); /* 0: not known; pid 0: ours */

/* --- linux_pe.c --- */

/* PE images that were mapped. */
struct pe_seen {
        struct collect_image *images;
        size_t n, cap;
        struct arena names;
};

void pe_seen_release(struct pe_seen *seen);

/* The number of the image that the open file is, from 1 on; 0: it is none. */
uint64_t pe_see_file(struct pe_seen *seen, int fd, const char *path);

/* Bytes of memory that the image takes, 0: it was not seen.  A world_image_size; `ctx` is a struct pe_seen. */
uint64_t pe_image_size(void *ctx, const char *path, const uint8_t *build_id, size_t build_id_size);

/* Makes a MMAP2 record of that image say its build id. */
void pe_put_build_id(const struct pe_seen *seen, uint64_t number, uint8_t *record);

/* --- linux_kept.c: files that would be gone when the table is made --- */

/* Another mount namespace.  Its descriptor keeps it and what is mounted in it. */
struct kept_namespace {
        uint64_t inode;
        int namespace_fd, root_fd; /* -1: could not be opened */
};

struct keeper {
        struct map seen; /* hash of path and identity -> number of the PE image that it is, or 0 */
        struct pe_seen pe;
        struct map foreign; /* pid -> index of its namespace + 1 */
        uint64_t own_namespace;
        struct kept_namespace *namespaces;
        size_t n_namespaces, cap_namespaces;
        struct kept_file *kept;
        size_t n_kept, cap_kept;
        struct kept_root *roots;
        size_t n_roots, cap_roots;
        int last_fd; /* descriptors above it are for others */
        uint64_t n_not_kept;
        struct buf not_kept;
        struct arena names;
};

void keeper_init(struct keeper *keeper);
void keeper_release(struct keeper *keeper);

/* Looks at a NAMESPACES or MMAP2 record; true when it was about something new, so that more may come soon.  That of a PE
 * image is given its build id. */
bool keeper_see(struct keeper *keeper, const struct perf_header *header, uint8_t *record);

#endif
