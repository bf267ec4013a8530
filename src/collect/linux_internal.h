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

struct object; /* object.h */

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

/* --- linux_denied.c --- */

struct denied_exec {
        int32_t pid;
        bool has_ended;
        unsigned n_passes; /* since then */
        uint64_t time;
        char name[16];
};

/* Zero-initialised is ready. */
struct denied {
        struct denied_exec *execs; /* programs that have no map yet */
        size_t n, cap;
        struct map seen; /* names */
        uint64_t n_named;
        struct buf names; /* the first few, comma separated */
};

/* Looks at a record of events that are inherited; `attr` is that of any event. */
void denied_see(struct denied *denied, const struct perf_attr *attr, const struct perf_header *header,
                struct cursor record);

/* After each pass over the rings. */
void denied_end_pass(struct denied *denied, bool is_last);
void denied_release(struct denied *denied);

/* --- linux_sampled_share.c --- */

/* What the first event that was asked for gave, and what there was to be had. */
struct sampled {
        bool is_clock;      /* periods and intervals are nanoseconds */
        bool every_cpu;     /* the event sees all processes: its own value says nothing */
        uint64_t left_out;  /* PERF_ATTR_EXCLUDE_KERNEL, PERF_ATTR_EXCLUDE_USER */
        uint64_t period_ns; /* of a clock */
        uint64_t n_samples, periods;
        uint64_t left_out_periods;   /* every_cpu: of samples in the mode that was left out */
        uint64_t value, running_ns;  /* the event's, or the meter's, with all children */
        uint64_t user_ns, kernel_ns; /* as the system counts them; both 0: not known */
};

/* The part of the targets' time, or events, that the samples stand for; 1 also where chance explains the rest, negative
 * where it is not known. */
double sampled_share(const struct sampled *sampled);

/* --- linux_spawn.c --- */

struct spawned_command {
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

bool spawn_prepare(struct child *child, const struct spawned_command *command, struct err *err);

bool spawn_go(struct child *child, const char *name, struct err *err);

/* It has ended, and another one has waited for it. */
void spawn_take_status(struct child *child, int status, const struct rusage *usage);
bool spawn_reap(struct child *child, bool wait);  /* true when it has ended */
int spawn_exit_status(const struct child *child); /* as a shell gives it; valid once it has ended */
void spawn_release(struct child *child);

/* --- linux_watched.c: processes that are attached to --- */

struct watched {
        int32_t pid;
        int pid_fd;
        bool ended;
        uint64_t user_ns, kernel_ns; /* of its CPU time, as last seen */
};

struct watched_list {
        struct watched *items;
        size_t n;
};

/* All processes of `target`; appends their threads. */
bool watched_attach(struct watched_list *list, const struct target *target, int32_t **ret_tids, size_t *ret_n,
                    struct err *err);
void watched_release(struct watched_list *list);

/* Whether one of them still runs. */
bool watched_run(struct watched_list *list);

/* Adds the CPU time that they have had. */
void watched_add_time(struct watched_list *list, uint64_t *user_ns, uint64_t *kernel_ns);

/* --- linux_proc.c: what runs already --- */

struct synth {
        struct buf out;
        size_t trailer_bytes;
        bool data_maps; /* maps without code too */
};

/* COMM, NAMESPACES and MMAP2 records of a process, of what is executable and of the beginnings of PE images, whose code
 * may lie in memory without a file; a process that is gone gives none. */
void proc_synth_process(struct synth *synth, int32_t pid);
void proc_synth_all(struct synth *synth);
void proc_synth_kernel(struct synth *synth);
void proc_synth_release(struct synth *synth);

/* The threads of a process, appended; false when it is gone. */
bool proc_threads(int32_t pid, int32_t **ret_tids, size_t *ret_n);

/* User and kernel CPU time of a process with its ended children, or of the machine (pid -1). */
bool proc_cpu_time(int32_t pid, uint64_t *ret_user_ns, uint64_t *ret_kernel_ns);
int32_t proc_inner_pid(int32_t pid);
uint64_t proc_mount_namespace(int32_t pid); /* 0: not known; pid 0: ours */

/* --- linux_pe.c --- */

/* PE images that were mapped. */
struct pe_seen {
        struct recorded_image *images;
        size_t n, cap;
        struct arena names;
};

void pe_seen_release(struct pe_seen *seen);

/* Takes note of a PE image that was mapped. */
void pe_see_image(struct pe_seen *seen, const struct object *object, const char *path);

/* Bytes of memory that the image takes, 0: it was not seen.  A world_image_size; `ctx` is a struct pe_seen. */
uint64_t pe_image_size(void *ctx, const char *path, const uint8_t *build_id, size_t build_id_size);

/* --- linux_mapped_file.c --- */

/* One version of a file.  Another file may get its path and inode: the record has a generation then, where the file system
 * counts them.  A file that is written over has another time. */
struct mapped_file {
        bool is_read;
        uint8_t n_missed; /* how often it was gone before it could be opened */
        bool is_counted;  /* among those that could not be kept */
        bool is_object;   /* it begins as ELF and PE files do */
        uint8_t build_id[BUILD_ID_MAX];
        uint8_t build_id_size; /* 0: none, or not known */
        uint64_t generation;   /* 0: not known */
        uint64_t inode_there;  /* at its path; 0: it can't be seen there */
        int64_t mtime_ns;
        uint64_t size_bytes;
        uint64_t checked; /* the pass over the rings in which it was looked at last */
};

struct mapped_files {
        struct map by_name; /* hash of path, device and inode -> index + 1 */
        struct mapped_file *items;
        size_t n, cap;
};

void mapped_files_release(struct mapped_files *all);

/* All of them: they are read once more when they are mapped again. */
void mapped_files_forget(struct mapped_files *all);

/* The file of a map record, valid until the next call; NULL: it is not known, and is not to be added. */
struct mapped_file *mapped_files_get(struct mapped_files *all, const struct record_mmap *map, bool may_add);

/* False when it was not read yet, or has become another one since; looks once a pass. */
bool mapped_file_is_current(struct mapped_file *file, const struct record_mmap *map, uint64_t pass);

/* Opens the file at the record's path for reading; -1 unless it is the regular file of the record. */
int mapped_file_open(const struct record_mmap *map);

/* Takes `fd`, and gives it back if the file is that of the record by its device too: for paths that may lead elsewhere. */
int mapped_file_check_device(int fd, const struct record_mmap *map);

/* The same with what `path_fd` (O_PATH, taken; -1: nothing) leads to. */
int mapped_file_reopen(int path_fd, const struct record_mmap *map);

/* Reads its build id and, of a PE image, what it is.  `fd` -1: it can't be had; `is_at_path`: the record's path leads to it
 * from here. */
void mapped_file_read(struct mapped_file *file, int fd, const struct record_mmap *map, bool is_at_path,
                      struct pe_seen *images);

/* Puts its build id, which it has, in the place of device and inode. */
void mapped_file_put_build_id(const struct mapped_file *file, uint8_t *record);

/* --- linux_kept_files.c: descriptors of mapped files, no more than so many --- */

enum kept_class { KEPT_IN_PLACE, KEPT_OUT_OF_REACH, KEPT_N_CLASSES };

struct kept_slots {
        size_t *items; /* indexes of kept_files.items */
        size_t n, cap;
        size_t n_replaced;
};

/* Zero-initialised is empty and ready. */
struct kept_files {
        struct kept_file *items, *copies; /* of the second only what tells which files they are */
        size_t n, cap, n_copies, cap_copies;
        struct kept_slots slots[KEPT_N_CLASSES];
};

void kept_files_release(struct kept_files *files);

/* The file that the next one of its class takes the place of; NULL: there is room. */
const struct kept_file *kept_files_oldest(const struct kept_files *files, enum kept_class class);

/* Whether a file of this build id, which is not empty, of this size and of this user is kept. */
bool kept_files_has_equal(const struct kept_files *files, const struct kept_file *kept);

/* Takes note of the path of one that is. */
void kept_files_add_copy(struct kept_files *files, const struct kept_file *kept);

/* Takes the descriptor, copies the path. */
void kept_files_add(struct kept_files *files, const struct kept_file *kept, enum kept_class class);

/* --- linux_keeper.c: files that would be gone when the table is made --- */

/* Another mount namespace.  Its descriptor keeps it and what is mounted in it. */
struct kept_namespace {
        uint64_t inode;
        int namespace_fd, root_fd; /* -1: could not be opened */
};

/* --- linux_users.c --- */

struct users {
        struct map by_pid; /* to index */
        struct kept_user *items;
        size_t n_items, cap;
};

void users_release(struct users *users);

/* Looks at a record of a process. */
void users_see(struct users *users, const struct perf_header *header, uint8_t *record);

struct os_origin; /* os.h */

/* Whose the files have to be that a process leaves for profilers; false: its user is not known. */
bool users_get_origin(const struct users *users, int32_t pid, struct os_origin *ret_origin);

enum { NAMED_NOT_KEPT = 5 };

struct keeper {
        struct users users;
        struct mapped_files files;
        uint64_t pass; /* the number of the pass over the rings */
        struct pe_seen pe;
        struct map foreign; /* pid -> inode of its namespace */
        int32_t *exited;    /* the processes in `foreign` that exited last: a ring */
        size_t n_exited;
        uint64_t own_namespace;
        struct kept_namespace *namespaces; /* the newest: a ring when it is full */
        size_t n_namespaces, cap_namespaces, n_replaced_namespaces;
        int *chroots; /* roots of processes of our own namespace that are not ours: the newest, a ring when it is full */
        size_t n_chroots, cap_chroots, n_replaced_chroots;
        struct kept_files kept;
        struct kept_root *roots; /* the newest: a ring when it is full */
        size_t n_roots, cap_roots, n_replaced_roots;
        int last_fd; /* descriptors above it are for others */
        uint64_t n_not_kept;
        char *not_kept[NAMED_NOT_KEPT]; /* the first of their paths; NULL: none */
        struct buf not_kept_text;
        struct map missed; /* processes that had mapped code of a file that was gone when it was looked at */
};

void keeper_init(struct keeper *keeper);
void keeper_release(struct keeper *keeper);

/* The paths of files that could not be kept, the first few; valid until the next call. */
const char *keeper_not_kept(struct keeper *keeper);

/* Looks at a NAMESPACES, MMAP2 or EXIT record; true when it was about something new, so that more may come soon.  A map of a
 * file that has a build id is told by it, and only then PERF_MISC_MMAP_BUILD_ID is set. */
bool keeper_see(struct keeper *keeper, const struct perf_header *header, uint8_t *record);

#endif
