/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the Linux collector share. */
#ifndef LINUX_INTERNAL_H
#define LINUX_INTERNAL_H

#include "arena.h"
#include "buf.h"
#include "collector.h"
#include "linux_events.h"
#include "linux_processes.h"
#include "map.h"

struct object; /* object.h */

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
