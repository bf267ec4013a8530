/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps files open that the path in a map record may not lead to later: deleted or replaced files, memfds,
 * and files of other mount namespaces; and keeps these namespaces. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buf.h"
#include "linux_internal.h"
#include "mem.h"
#include "os_left_out.h"
#include "text.h"

enum {
        LAST_FD = 4096,
        MAX_SEEN = 16384, /* when this many files were seen, all are forgotten and looked at again */
        MAX_NAMESPACES = 128,
        MAX_CHROOTS = 32,
        MAX_JIT_ROOTS = 128,
        MAX_MISSED_PIDS = 4096,
        MAX_ROOTS = 16384,
        MAX_EXITED = 4096, /* of other namespaces; records of another CPU may come late */
        MOUNT_NAMESPACE = 5,
        PROT_EXEC_BIT = 4,
};

void keeper_init(struct keeper *keeper)
{
        struct rlimit limit;

        *keeper = (struct keeper){.own_namespace = proc_mount_namespace(0), .last_fd = LAST_FD};
        /* Use at most half of the limit: the events and the report need descriptors too. */
        if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_max / 2 < LAST_FD)
                keeper->last_fd = (int)(limit.rlim_max / 2);
}

static void close_if_open(int fd)
{
        if (fd >= 0)
                close(fd);
}

static void close_namespace(struct kept_namespace *namespace)
{
        close_if_open(namespace->namespace_fd);
        close_if_open(namespace->root_fd);
}

void keeper_release(struct keeper *keeper)
{
        for (size_t i = 0; i < keeper->n_namespaces; i++)
                close_namespace(&keeper->namespaces[i]);
        for (size_t i = 0; i < keeper->n_chroots; i++)
                close(keeper->chroots[i]);
        free(keeper->chroots);
        for (size_t i = 0; i < keeper->n_jit_roots; i++)
                close(keeper->jit_roots[i].fd);
        free(keeper->jit_roots);
        map_release(&keeper->jits);
        pe_seen_release(&keeper->pe);
        users_release(&keeper->users);
        kept_files_release(&keeper->kept);
        free(keeper->roots);
        free(keeper->exited);
        free(keeper->namespaces);
        mapped_files_release(&keeper->files);
        map_release(&keeper->foreign);
        map_release(&keeper->missed);
        for (size_t i = 0; i < NAMED_NOT_KEPT; i++)
                free(keeper->not_kept[i]);
        buf_release(&keeper->not_kept_text);
}

/* Returns `fd`, or closes it and returns -1 if descriptors become scarce. */
static int keep_fd(const struct keeper *k, int fd)
{
        if (fd <= k->last_fd)
                return fd;
        close(fd);
        return -1;
}

static int open_of_process(const struct keeper *k, int32_t pid, const char *what, int flags)
{
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/%s", pid, what);
        return keep_fd(k, open(path, flags | O_CLOEXEC));
}

/* For users of kept roots, before a descriptor is closed. */
static void forget_root(struct keeper *k, int root_fd)
{
        for (size_t i = 0; i < k->n_roots; i++) {
                if (k->roots[i].root_fd == root_fd)
                        k->roots[i].root_fd = -1;
        }
}

static struct kept_namespace *find_namespace(const struct keeper *k, uint64_t inode)
{
        for (size_t i = 0; i < k->n_namespaces; i++) {
                if (k->namespaces[i].inode == inode)
                        return &k->namespaces[i];
        }
        return NULL;
}

/* Adds a namespace. If there are too many, closes the oldest one and forgets the roots in it. */
static struct kept_namespace *add_namespace(struct keeper *k, uint64_t inode)
{
        struct kept_namespace fresh = {.inode = inode, .namespace_fd = -1, .root_fd = -1};
        struct kept_namespace *old;

        if (k->n_namespaces < MAX_NAMESPACES) {
                ARRAY_PUSH(k->namespaces, k->n_namespaces, k->cap_namespaces, fresh);
                return &k->namespaces[k->n_namespaces - 1];
        }
        old = &k->namespaces[k->n_replaced_namespaces++ % MAX_NAMESPACES];
        forget_root(k, old->root_fd);
        close_namespace(old);
        *old = fresh;
        return old;
}

/* Opens the namespace through process `pid`, if that is still in it. */
static void keep_namespace(struct keeper *k, uint64_t inode, int32_t pid)
{
        struct kept_namespace *kept = find_namespace(k, inode);

        if (!kept)
                kept = add_namespace(k, inode);
        if (kept->root_fd < 0 && proc_mount_namespace(pid) == inode) {
                close_namespace(kept);
                kept->namespace_fd = open_of_process(k, pid, "ns/mnt", O_RDONLY);
                kept->root_fd = open_of_process(k, pid, "root", O_PATH | O_DIRECTORY);
        }
}

static int root_of(const struct keeper *k, int32_t pid)
{
        const uint64_t *inode = map_find(&k->foreign, (uint32_t)pid);
        const struct kept_namespace *namespace = inode ? find_namespace(k, *inode) : NULL;

        return namespace ? namespace->root_fd : -1;
}

/* Replaces an older one of the process. */
static void keep_root(struct keeper *k, const struct kept_root *root)
{
        for (size_t i = 0; i < k->n_roots; i++) {
                if (k->roots[i].pid != root->pid)
                        continue;
                k->roots[i] = *root;
                return;
        }
        if (k->n_roots < MAX_ROOTS)
                ARRAY_PUSH(k->roots, k->n_roots, k->cap_roots, *root);
        else
                k->roots[k->n_replaced_roots++ % MAX_ROOTS] = *root;
}

/* A pid of another namespace is forgotten after MAX_EXITED further exits. */
static void see_exit(struct keeper *k, struct cursor c)
{
        struct record_task task;
        int32_t *slot;

        if (!record_task_parse(c, &task) || task.pid != task.tid)
                return;
        map_remove(&k->jits, (uint32_t)task.pid);
        if (!map_find(&k->foreign, (uint32_t)task.pid))
                return;
        if (!k->exited)
                k->exited = mem_new(MAX_EXITED, sizeof(*k->exited));
        slot = &k->exited[k->n_exited++ % MAX_EXITED];
        if (k->n_exited > MAX_EXITED && *slot != task.pid)
                map_remove(&k->foreign, (uint32_t)*slot);
        *slot = task.pid;
}

/* A process moved to another mount namespace, or was in one at the start. */
static bool see_namespaces(struct keeper *k, struct cursor c)
{
        enum { ENTRY_BYTES = 16 };
        struct kept_root root = {.root_fd = -1};
        uint64_t inode;

        cursor_skip(&c, sizeof(struct perf_header));
        root.pid = (int32_t)cursor_u32(&c);
        if (cursor_u32(&c) != (uint32_t)root.pid) /* a single thread */
                return false;
        if (cursor_u64(&c) <= MOUNT_NAMESPACE)
                return false;
        cursor_skip(&c, MOUNT_NAMESPACE * ENTRY_BYTES + 8);
        inode = cursor_u64(&c);
        if (c.failed || !inode || !k->own_namespace || inode == k->own_namespace)
                return false;
        keep_namespace(k, inode, root.pid);
        *map_put(&k->foreign, (uint32_t)root.pid, NULL) = inode;
        root.root_fd = root_of(k, root.pid);
        root.inner_pid = proc_inner_pid(root.pid);
        keep_root(k, &root);
        return true;
}

static bool is_file_name(const char *path)
{
        return path[0] == '/' && !text_starts(path, "//anon") &&
               (!text_starts(path, "/dev/") || text_starts(path, "/dev/shm/")) &&
               !text_starts(path, "/SYSV") && !text_starts(path, "/anon_hugepage");
}

/* Whether the recorded path does not lead to the file in our view. */
static bool is_out_of_reach(const struct keeper *k, const struct record_mmap *map)
{
        return text_ends(map->path, " (deleted)") || text_starts(map->path, "/memfd:") ||
               map_find(&k->foreign, (uint32_t)map->pid);
}

/* Opens a path inside a root directory, which may contain malicious links. */
static int open_below(int root_fd, const char *path)
{
        struct open_how how = {.flags = O_PATH | O_CLOEXEC,
                               .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};

        return root_fd < 0 ? -1 : (int)syscall(__NR_openat2, root_fd, path, &how, sizeof(how));
}

/* Only root may open map_files. For other users' processes, the executable and the files below their root can
 * be opened. */
static int open_map_file(const struct record_mmap *map)
{
        char path[96];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64, map->pid, map->start,
                 map->start + map->len);
        return open(path, O_PATH | O_CLOEXEC);
}

static bool is_same_file(int fd, int other)
{
        struct stat a, b;

        return !fstat(fd, &a) && !fstat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Paths of a process that called chroot() are relative to its root. Its children may have ended before their
 * maps are processed, so the root is kept. Roots in a namespace that a user created are not used for other
 * processes, because they may contain any files. */
static void keep_chroot(struct keeper *k, int32_t pid)
{
        int root_fd = open_of_process(k, pid, "root", O_PATH | O_DIRECTORY);
        struct stat own, root;

        if (root_fd < 0 || proc_mount_namespace(pid) != k->own_namespace || stat("/", &own) ||
            fstat(root_fd, &root) || (own.st_dev == root.st_dev && own.st_ino == root.st_ino)) {
                close_if_open(root_fd);
                return;
        }
        for (size_t i = 0; i < k->n_chroots; i++) {
                if (is_same_file(k->chroots[i], root_fd)) {
                        close(root_fd);
                        return;
                }
        }
        if (k->n_chroots < MAX_CHROOTS) {
                ARRAY_PUSH(k->chroots, k->n_chroots, k->cap_chroots, root_fd);
                return;
        }
        close(k->chroots[k->n_replaced_chroots % MAX_CHROOTS]);
        k->chroots[k->n_replaced_chroots++ % MAX_CHROOTS] = root_fd;
}

static int add_jit_root(struct keeper *k, const struct jit_root *root)
{
        struct jit_root *slot;

        for (size_t i = 0; i < k->n_jit_roots; i++) {
                slot = &k->jit_roots[i];
                if (slot->mount_namespace == root->mount_namespace && is_same_file(slot->fd, root->fd)) {
                        close(root->fd);
                        return slot->fd;
                }
        }
        if (k->n_jit_roots < MAX_JIT_ROOTS) {
                ARRAY_PUSH(k->jit_roots, k->n_jit_roots, k->cap_jit_roots, *root);
                return root->fd;
        }
        slot = &k->jit_roots[k->n_replaced_jit_roots++ % MAX_JIT_ROOTS];
        forget_root(k, slot->fd);
        close(slot->fd);
        *slot = *root;
        return root->fd;
}

static bool is_own_root(const struct keeper *k, const struct jit_root *root)
{
        struct stat own, theirs;

        return root->mount_namespace == k->own_namespace && !stat("/", &own) && !fstat(root->fd, &theirs) &&
               own.st_dev == theirs.st_dev && own.st_ino == theirs.st_ino;
}

/* A process maps memory for code that it is going to make, and may tell the names in /tmp/perf-PID.map, as
 * it sees /tmp and its pid now. When it moved to its namespaces it may have had another root. */
static void see_jit(struct keeper *k, int32_t pid)
{
        struct kept_root kept = {.pid = pid};
        struct jit_root root;
        bool is_new;

        map_put(&k->jits, (uint32_t)pid, &is_new);
        if (!is_new)
                return;
        kept.inner_pid = proc_inner_pid(pid);
        root.mount_namespace = proc_mount_namespace(pid);
        root.fd = open_of_process(k, pid, "root", O_PATH | O_DIRECTORY);
        if (root.fd < 0)
                return;
        if (kept.inner_pid == pid && is_own_root(k, &root)) {
                close(root.fd);
                return;
        }
        kept.root_fd = add_jit_root(k, &root);
        keep_root(k, &kept);
}

static int open_in_chroots(const struct keeper *k, const struct record_mmap *map)
{
        int fd = -1;

        for (size_t i = k->n_chroots; fd < 0 && i-- > 0;)
                fd = mapped_file_check_device(mapped_file_reopen(open_below(k->chroots[i], map->path), map),
                                              map);
        return fd;
}

static bool is_left_out(const struct record_mmap *map)
{
        AUTO_RELEASE(buf) path = {0};

        buf_printf(&path, "/proc/%" PRId32 "/root%s", map->pid, map->path);
        return os_is_left_out(buf_text(&path));
}

/* Sets *ret_at_path if the record's path leads to the file in our view. */
static int open_mapped(struct keeper *k, const struct record_mmap *map, bool out_of_reach, bool *ret_at_path)
{
        bool answers = !is_left_out(map);
        int fd = out_of_reach || !answers ? -1 : mapped_file_open(map);

        *ret_at_path = fd >= 0;
        if (fd >= 0 || !answers)
                return fd;
        if (!out_of_reach)
                keep_chroot(k, map->pid);
        fd = mapped_file_reopen(open_map_file(map), map);
        if (fd < 0)
                fd = mapped_file_reopen(open_of_process(k, map->pid, "exe", O_PATH), map);
        if (fd < 0)
                fd = mapped_file_reopen(open_below(root_of(k, map->pid), map->path), map);
        if (fd < 0)
                fd = out_of_reach ? mapped_file_check_device(mapped_file_open(map), map)
                                  : open_in_chroots(k, map);
        return fd;
}

static void count_not_kept(struct keeper *k, const char *path)
{
        k->n_not_kept++;
        for (size_t i = 0; i < NAMED_NOT_KEPT; i++) {
                if (k->not_kept[i])
                        continue;
                k->not_kept[i] = mem_strdup(path);
                return;
        }
}

/* Called when the file could be opened after all, because it was mapped again. */
static void uncount_not_kept(struct keeper *k, const char *path)
{
        k->n_not_kept--;
        for (size_t i = 0; i < NAMED_NOT_KEPT; i++) {
                if (!k->not_kept[i] || strcmp(k->not_kept[i], path))
                        continue;
                free(k->not_kept[i]);
                k->not_kept[i] = NULL;
                return;
        }
}

const char *keeper_not_kept(struct keeper *k)
{
        uint64_t n = 0;

        buf_clear(&k->not_kept_text);
        for (size_t i = 0; i < NAMED_NOT_KEPT; i++) {
                if (k->not_kept[i])
                        buf_printf(&k->not_kept_text, "%s%s", n++ ? ", " : "", k->not_kept[i]);
        }
        if (n < k->n_not_kept)
                buf_add_str(&k->not_kept_text, n ? ", ..." : "...");
        return buf_text(&k->not_kept_text);
}

/* A reused pid is counted as well; this is harmless. */
static void note_missed(struct keeper *k, int32_t pid)
{
        if (k->missed.n_used == MAX_MISSED_PIDS)
                map_release(&k->missed);
        map_put(&k->missed, (uint32_t)pid, NULL);
}

static void take_identity(struct kept_file *kept, int fd, const struct mapped_file *file)
{
        struct stat st;

        kept->build_id_size = file->build_id_size;
        memcpy(kept->build_id, file->build_id, sizeof(kept->build_id));
        if (fd < 0 || fstat(fd, &st))
                return;
        kept->size_bytes = (uint64_t)st.st_size;
        kept->owner = st.st_uid;
}

/* Equal files, such as copies of a program, need only one descriptor. */
static void keep_file(struct keeper *k, const struct record_mmap *map, struct mapped_file *file)
{
        bool out_of_reach = is_out_of_reach(k, map), is_at_path;
        struct kept_file kept = {.path = map->path, .pid = map->pid, .inode = map->inode};
        int fd = open_mapped(k, map, out_of_reach, &is_at_path);
        enum kept_class class;

        out_of_reach |= fd >= 0 && !is_at_path;
        class = out_of_reach ? KEPT_OUT_OF_REACH : KEPT_IN_PLACE;
        mapped_file_read(file, fd, map, is_at_path, &k->pe);
        if (fd >= 0 && file->is_counted)
                uncount_not_kept(k, map->path);
        file->is_counted &= fd < 0;
        /* Files without code are not used for symbols. */
        if (fd >= 0 && !file->is_object && !(map->prot & PROT_EXEC_BIT)) {
                close(fd);
                return;
        }
        take_identity(&kept, fd, file);
        if (fd >= 0 && kept_files_has_equal(&k->kept, &kept)) {
                kept_files_add_copy(&k->kept, &kept);
                close(fd);
                return;
        }
        kept.fd = fd < 0 ? -1 : keep_fd(k, fd);
        if (kept.fd < 0) {
                if (fd < 0 && map->prot & PROT_EXEC_BIT)
                        note_missed(k, map->pid);
                if (out_of_reach && !file->is_counted)
                        count_not_kept(k, map->path);
                file->is_counted |= out_of_reach;
                return;
        }
        if (out_of_reach && kept_files_oldest(&k->kept, class))
                count_not_kept(k, kept_files_oldest(&k->kept, class)->path);
        kept_files_add(&k->kept, &kept, class);
}

/* If another profiler asks for build ids, the kernel sets this bit in our records too. */
static void clear_mark(uint8_t *record)
{
        struct perf_header header;

        memcpy(&header, record, sizeof(header));
        header.misc &= (uint16_t)~PERF_MISC_MMAP_BUILD_ID;
        memcpy(record, &header, sizeof(header));
}

static bool see_map(struct keeper *k, uint8_t *record, size_t size)
{
        struct mapped_file *file;
        struct record_mmap map;
        bool is_new;

        clear_mark(record);
        if (!record_mmap_parse(cursor_make(record, size), false, &map))
                return false;
        if (map.prot & PROT_EXEC_BIT && (text_starts(map.path, "//anon") || text_starts(map.path, "/memfd:")))
                see_jit(k, map.pid);
        if (!is_file_name(map.path))
                return false;
        if (k->files.n >= MAX_SEEN)
                mapped_files_forget(&k->files);
        file = mapped_files_get(&k->files, &map, (map.prot & PROT_EXEC_BIT) || !map.pgoff);
        if (!file)
                return false;
        is_new = !mapped_file_is_current(file, &map, k->pass);
        if (is_new)
                keep_file(k, &map, file);
        if (file->build_id_size)
                mapped_file_put_build_id(file, record);
        return is_new;
}

bool keeper_see(struct keeper *keeper, const struct perf_header *header, uint8_t *record)
{
        users_see(&keeper->users, header, record);
        if (header->type == PERF_RECORD_EXIT)
                see_exit(keeper, cursor_make(record, header->size));
        if (header->type == PERF_RECORD_NAMESPACES)
                return see_namespaces(keeper, cursor_make(record, header->size));
        return header->type == PERF_RECORD_MMAP2 && see_map(keeper, record, header->size);
}
