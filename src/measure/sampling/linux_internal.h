/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the Linux collector. */
#ifndef LINUX_INTERNAL_H
#define LINUX_INTERNAL_H

#include "arena.h"
#include "buf.h"
#include "collector.h"
#include "linux_events.h"
#include "linux_processes.h"
#include "map.h"
#include "pe_seen.h"

/* --- linux_denied.c --- */

struct denied_exec {
        int32_t pid;
        bool has_ended;
        unsigned n_passes; /* passes since has_ended was set */
        uint64_t time;
        char name[16];
};

/* Zero-initialize before use. */
struct denied {
        struct denied_exec *execs; /* programs that have no map yet */
        size_t n, cap;
        struct map seen; /* names */
        uint64_t n_named;
        struct buf names; /* the first names, separated by commas */
};

/* Checks a record of inherited events; `attr` is the attribute of any event. */
void denied_see(struct denied *denied, const struct perf_attr *attr, const struct perf_header *header,
                struct cursor record);

/* Call after each pass over the rings. */
void denied_end_pass(struct denied *denied, bool is_last);
void denied_release(struct denied *denied);

/* --- linux_sampled_share.c --- */

/* The samples of the first requested event, and the time or events that they should cover. */
struct sampled {
        bool is_clock;      /* periods and intervals are in nanoseconds */
        bool every_cpu;     /* the event counts all processes, so its own value is not used */
        uint64_t left_out;  /* excluded modes: PERF_ATTR_EXCLUDE_KERNEL, PERF_ATTR_EXCLUDE_USER */
        uint64_t period_ns; /* sampling period of a clock; of other events the interval, unless it is a
                               frequency */
        bool has_periods;   /* else each sample has the event's interval */
        uint64_t n_samples, periods;
        uint64_t left_out_periods;   /* with every_cpu: of samples in the excluded mode */
        uint64_t value, running_ns;  /* of the event or of the meter, with all children */
        uint64_t user_ns, kernel_ns; /* from /proc; both 0 if unknown */
};

/* The part of the targets' time, or events, that the samples cover. 1 if the difference can be chance;
 * negative if unknown. */
double sampled_share(const struct sampled *sampled);

/* --- linux_mapped_file.c --- */

/* One version of a file. If another file gets the same path and inode, its record has another generation, on
 * file systems that count them. If a file is overwritten, its mtime changes. */
struct mapped_file {
        bool is_read;
        uint8_t n_missed; /* how often it could not be opened */
        bool is_counted;  /* it is counted in n_not_kept */
        bool is_object;   /* it begins like an ELF or PE file */
        uint8_t build_id[BUILD_ID_MAX];
        uint8_t build_id_size; /* 0 if it has none or it is unknown */
        uint64_t generation;   /* 0 if unknown */
        uint64_t inode_there;  /* inode of the file at its path; 0 if it can't be seen there */
        int64_t mtime_ns;
        uint64_t size_bytes;
        uint64_t checked; /* the pass over the rings in which it was checked last */
};

struct mapped_files {
        struct map by_name; /* hash of path, device and inode to index + 1 */
        struct mapped_file *items;
        size_t n, cap;
};

void mapped_files_release(struct mapped_files *all);

/* Forgets all files; a file is read again when it is mapped again. */
void mapped_files_forget(struct mapped_files *all);

/* The file of a map record; valid until the next call. NULL if it is unknown and `may_add` is false. */
struct mapped_file *mapped_files_get(struct mapped_files *all, const struct record_mmap *map, bool may_add);

/* False if the file was not read yet or has changed since. Checks the file once in each pass. */
bool mapped_file_is_current(struct mapped_file *file, const struct record_mmap *map, uint64_t pass);

/* Opens the file at the record's path for reading; -1 if it is not the regular file of the record. */
int mapped_file_open(const struct record_mmap *map);

/* Takes ownership of `fd`. Returns it if device and inode are those of the record, else closes it and returns
 * -1. For paths that may lead to another file. */
int mapped_file_check_device(int fd, const struct record_mmap *map);

/* Takes ownership of `path_fd` (O_PATH; may be -1). Opens its file for reading; -1 if it is not the regular
 * file of the record. */
int mapped_file_reopen(int path_fd, const struct record_mmap *map);

/* Reads the build id and, for a PE image, its properties; for a file with no other build id, Go's. `fd` is
 * -1 if the file can't be opened; `is_at_path` if our view of the record's path leads to it. */
void mapped_file_read(struct mapped_file *file, int fd, const struct record_mmap *map, bool is_at_path,
                      struct pe_seen *images);

/* Replaces device and inode in the record by the file's build id, which must be known. */
void mapped_file_put_build_id(const struct mapped_file *file, uint8_t *record);

/* --- linux_kept_files.c: a limited number of descriptors of mapped files --- */

enum kept_class { KEPT_IN_PLACE, KEPT_OUT_OF_REACH, KEPT_N_CLASSES };

struct kept_slots {
        size_t *items; /* indexes of kept_files.items */
        size_t n, cap;
        size_t n_replaced;
};

/* Zero-initialize before use. */
struct kept_files {
        struct kept_file *items, *copies; /* copies have no descriptor */
        size_t n, cap, n_copies, cap_copies;
        struct kept_slots slots[KEPT_N_CLASSES];
};

void kept_files_release(struct kept_files *files);

/* The file that the next file of this class replaces; NULL if there is room. */
const struct kept_file *kept_files_oldest(const struct kept_files *files, enum kept_class class);

/* Whether a file with the same build id (not empty), size and owner is kept. */
bool kept_files_has_equal(const struct kept_files *files, const struct kept_file *kept);

/* Adds the path of a file that is equal to a kept one. */
void kept_files_add_copy(struct kept_files *files, const struct kept_file *kept);

/* Takes ownership of the descriptor; copies the path. */
void kept_files_add(struct kept_files *files, const struct kept_file *kept, enum kept_class class);

/* --- linux_keeper.c: files that may be gone at the end of the recording --- */

/* Another mount namespace. The descriptor keeps the namespace and its mounts alive. */
struct kept_namespace {
        uint64_t inode;
        int namespace_fd, root_fd; /* -1 if it could not be opened */
};

/* --- linux_users.c --- */

struct users {
        struct map by_pid; /* to index */
        struct kept_user *items;
        size_t n_items, cap;
};

void users_release(struct users *users);

/* Looks at a record of a process: a map, fork or exec. */
void users_see(struct users *users, const struct perf_header *header, uint8_t *record);

struct os_origin; /* os.h */

/* Sets the required owner of files that a process leaves for profilers; false if its user is unknown. */
bool users_get_origin(const struct users *users, int32_t pid, struct os_origin *ret_origin);

enum { NAMED_NOT_KEPT = 5 };

/* A root directory as processes of a mount namespace see it. */
struct jit_root {
        uint64_t mount_namespace;
        int fd;
};

struct keeper {
        struct users users;
        struct mapped_files files;
        uint64_t pass; /* number of the pass over the rings */
        struct pe_seen pe;
        struct map foreign; /* pid to inode of its namespace */
        int32_t *exited;    /* the processes in `foreign` that exited last; a ring buffer */
        size_t n_exited;
        uint64_t own_namespace;
        struct kept_namespace *namespaces; /* the newest; a ring buffer when full */
        size_t n_namespaces, cap_namespaces, n_replaced_namespaces;
        /* roots of processes in our namespace that called chroot(), the newest; a ring buffer when full */
        int *chroots;
        size_t n_chroots, cap_chroots, n_replaced_chroots;
        struct kept_files kept;
        struct map jits;            /* processes that have mapped memory for code, to 1 */
        struct jit_root *jit_roots; /* of those whose perf maps are elsewhere; a ring buffer when full */
        size_t n_jit_roots, cap_jit_roots, n_replaced_jit_roots;

        struct kept_root *roots; /* the newest; a ring buffer when full */
        size_t n_roots, cap_roots, n_replaced_roots;
        int last_fd; /* do not keep descriptors above this number */
        uint64_t n_not_kept;
        char *not_kept[NAMED_NOT_KEPT]; /* the first of their paths; NULL for none */
        struct buf not_kept_text;
        struct map missed; /* processes that mapped code of a file that was already gone */
};

void keeper_init(struct keeper *keeper);
void keeper_release(struct keeper *keeper);

/* The paths of the first files that could not be kept; valid until the next call. */
const char *keeper_not_kept(struct keeper *keeper);

/* Looks at a record of a process. True if it had something new, so that more may follow soon. If a mapped
 * file has a build id, puts that into the MMAP2 record and sets PERF_MISC_MMAP_BUILD_ID; clears the bit
 * otherwise. */
bool keeper_see(struct keeper *keeper, const struct perf_header *header, uint8_t *record);

#endif
