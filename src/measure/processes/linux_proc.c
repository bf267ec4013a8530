/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads /proc: records of processes that already run, and CPU times. Any file may disappear between two
 * reads. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "linux_maps.h"
#include "linux_processes.h"
#include "mem.h"
#include "object.h"
#include "os.h"
#include "perf_abi.h"
#include "text.h"

enum {
        MAPS_LIMIT = 256 << 20,
        SMALL_LIMIT = 65536,
        PROT_READ_BIT = 1,
        PROT_WRITE_BIT = 2,
        PROT_EXEC_BIT = 4
};

static bool is_number(const char *name)
{
        return isdigit((unsigned char)name[0]);
}

struct id_list {
        int32_t *ids;
        size_t n_ids, cap;
};

static bool add_id(void *ctx, const char *name)
{
        struct id_list *list = ctx;

        if (is_number(name))
                ARRAY_PUSH(list->ids, list->n_ids, list->cap, (int32_t)strtol(name, NULL, 10));
        return true;
}

bool proc_threads(int32_t pid, int32_t **ret_tids, size_t *ret_n)
{
        struct id_list list = {*ret_tids, *ret_n, *ret_n};
        char path[64];
        size_t before = *ret_n;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/task", pid);
        os_list_dir(path, add_id, &list, NULL);
        *ret_tids = list.ids;
        *ret_n = list.n_ids;
        return list.n_ids > before;
}

void proc_comm(int32_t pid, struct buf *out)
{
        proc_thread_comm(pid, pid, out);
}

void proc_thread_comm(int32_t pid, int32_t tid, struct buf *out)
{
        enum { LIMIT = 64 };
        AUTO_RELEASE(buf) text = {0};
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/task/%" PRId32 "/comm", pid, tid);
        if (os_read_file(path, LIMIT, &text, NULL))
                buf_add(out, text.data, strcspn(buf_text(&text), "\n"));
}

int32_t *proc_all(size_t *ret_n)
{
        struct id_list list = {0};

        os_list_dir("/proc", add_id, &list, NULL);
        *ret_n = list.n_ids;
        return list.ids;
}

/* --- records --- */

static size_t begin_record(struct synth *s, uint32_t type, uint16_t misc)
{
        struct perf_header header = {.type = type, .misc = misc};
        size_t at = s->out.len;

        buf_add(&s->out, &header, sizeof(header));
        return at;
}

/* Completes a record. Removes it if it is longer than its 16-bit size allows. */
static void end_record(struct synth *s, size_t at)
{
        enum { TIME_OFF = 8, ID_BYTES = 8 };
        uint8_t *trailer;
        size_t size;

        buf_add_zeros(&s->out, s->trailer_bytes);
        trailer = (uint8_t *)s->out.data + s->out.len - s->trailer_bytes;
        if (s->time_ns) {
                memcpy(trailer + TIME_OFF, &s->time_ns, sizeof(s->time_ns));
                memcpy(trailer + s->trailer_bytes - ID_BYTES, &s->id, sizeof(s->id));
        }
        size = s->out.len - at;
        if (size > UINT16_MAX) {
                buf_truncate(&s->out, at);
                return;
        }
        memcpy(s->out.data + at + offsetof(struct perf_header, size), &(uint16_t){(uint16_t)size}, 2);
}

static void add_padded(struct buf *out, const char *text)
{
        size_t size = strlen(text) + 1;

        buf_add(out, text, size);
        buf_add_zeros(out, -size & 7);
}

void proc_synth_comm(struct synth *s, int32_t pid, int32_t tid, bool executes)
{
        AUTO_RELEASE(buf) name = {0};
        char path[64];
        size_t at;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/task/%" PRId32 "/comm", pid, tid);
        if (!os_read_file(path, SMALL_LIMIT, &name, NULL) || !name.len)
                return;
        name.data[strcspn(name.data, "\n")] = '\0';
        at = begin_record(s, PERF_RECORD_COMM, executes ? PERF_MISC_COMM_EXEC : 0);
        buf_add_u32(&s->out, (uint32_t)pid);
        buf_add_u32(&s->out, (uint32_t)tid);
        add_padded(&s->out, name.data);
        end_record(s, at);
}

static void add_namespaces(struct synth *s, int32_t pid)
{
        static const char *const kinds[] = {"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"};
        size_t at = begin_record(s, PERF_RECORD_NAMESPACES, 0);

        buf_add_u32(&s->out, (uint32_t)pid);
        buf_add_u32(&s->out, (uint32_t)pid);
        buf_add_u64(&s->out, N_ELEMENTS(kinds));
        for (size_t i = 0; i < N_ELEMENTS(kinds); i++) {
                struct os_stat st = {0};
                char path[64];

                snprintf(path, sizeof(path), "/proc/%" PRId32 "/ns/%s", pid, kinds[i]);
                os_stat(path, &st);
                buf_add_u64(&s->out, st.dev);
                buf_add_u64(&s->out, st.inode);
        }
        end_record(s, at);
}

/* Finds the root directory of a process in another mount namespace. /proc/PID/maps puts it before its paths
 * if it is not the root of that namespace, for example after chroot; the kernel's records do not. "" for
 * other processes. */
static void find_root(int32_t pid, struct buf *out)
{
        char link[64];

        snprintf(link, sizeof(link), "/proc/%" PRId32 "/root", pid);
        if (proc_mount_namespace(pid) == proc_mount_namespace(0) || !os_read_link(link, out) ||
            !strcmp(buf_text(out), "/"))
                buf_clear(out);
}

static const char *below_root(const char *path, const char *root)
{
        size_t len = strlen(root);

        return len && text_starts(path, root) && path[len] == '/' ? path + len : path;
}

static void add_mmap2(struct synth *s, int32_t pid, const char *root, const struct linux_map *map)
{
        const char *path = *map->path ? below_root(map->path, root) : "//anon";
        uint16_t misc = PERF_MISC_USER;
        size_t at;

        if (!map->can_execute && !(s->data_maps && map->can_read) &&
            (map->file_off || !object_is_pe_name(path)))
                return;
        if (!map->can_execute && s->data_maps)
                misc |= PERF_MISC_MMAP_DATA;
        at = begin_record(s, PERF_RECORD_MMAP2, misc);
        buf_add_u32(&s->out, (uint32_t)pid);
        buf_add_u32(&s->out, (uint32_t)pid);
        buf_add_u64(&s->out, map->start);
        buf_add_u64(&s->out, map->end - map->start);
        buf_add_u64(&s->out, map->file_off);
        buf_add_u32(&s->out, map->dev_major);
        buf_add_u32(&s->out, map->dev_minor);
        buf_add_u64(&s->out, map->inode);
        buf_add_u64(&s->out, 0); /* inode generation */
        buf_add_u32(&s->out, (map->can_execute ? PROT_EXEC_BIT : 0) | (map->can_read ? PROT_READ_BIT : 0) |
                                     (map->can_write ? PROT_WRITE_BIT : 0));
        buf_add_u32(&s->out, map->is_shared ? 1 : 2); /* MAP_SHARED or MAP_PRIVATE */
        add_padded(&s->out, path);
        end_record(s, at);
}

void proc_synth_process(struct synth *s, int32_t pid)
{
        AUTO_RELEASE(buf) root = {0};
        struct linux_maps maps;
        struct linux_map map;
        int32_t *tids = NULL;
        size_t n_tids = 0;

        proc_threads(pid, &tids, &n_tids);
        for (size_t i = 0; i < n_tids; i++)
                proc_synth_comm(s, pid, tids[i], false);
        free(tids);
        if (!n_tids)
                return;
        add_namespaces(s, pid);
        find_root(pid, &root);
        linux_maps_begin(&maps, pid);
        while (linux_maps_next(&maps, &map))
                add_mmap2(s, pid, buf_text(&root), &map);
        linux_maps_end(&maps);
}

void proc_synth_exit(struct synth *s, int32_t pid, int32_t parent)
{
        size_t at = begin_record(s, PERF_RECORD_EXIT, 0);

        buf_add_u32(&s->out, (uint32_t)pid);
        buf_add_u32(&s->out, (uint32_t)parent);
        buf_add_u32(&s->out, (uint32_t)pid);
        buf_add_u32(&s->out, (uint32_t)parent);
        buf_add_u64(&s->out, s->time_ns);
        end_record(s, at);
}

/* --- maps that are new --- */

void proc_maps_release(struct proc_maps *maps)
{
        free(maps->items);
        *maps = (struct proc_maps){0};
}

/* Both are in order of addresses, so *at only grows. */
static bool has_map(const struct proc_maps *maps, const struct proc_map *map, size_t *at)
{
        while (*at < maps->n && maps->items[*at].start < map->start)
                ++*at;
        return *at < maps->n && maps->items[*at].start == map->start && maps->items[*at].end == map->end &&
               maps->items[*at].file_off == map->file_off && maps->items[*at].inode == map->inode;
}

void proc_synth_new_maps(struct synth *s, int32_t pid, struct proc_maps *known)
{
        AUTO_RELEASE(buf) root = {0};
        struct proc_maps now = {0};
        struct linux_maps maps;
        struct linux_map map;
        size_t at = 0;

        find_root(pid, &root);
        linux_maps_begin(&maps, pid);
        while (linux_maps_next(&maps, &map)) {
                const struct proc_map item = {map.start, map.end, map.file_off, map.inode};

                if (!map.can_execute && (map.file_off || !object_is_pe_name(map.path)))
                        continue;
                if (!has_map(known, &item, &at))
                        add_mmap2(s, pid, buf_text(&root), &map);
                ARRAY_PUSH(now.items, now.n, now.cap, item);
        }
        linux_maps_end(&maps);
        proc_maps_release(known);
        *known = now;
}

bool proc_maps_have(const struct proc_maps *maps, uint64_t addr)
{
        for (size_t i = 0; i < maps->n && maps->items[i].start <= addr; i++) {
                if (addr < maps->items[i].end)
                        return true;
        }
        return false;
}

void proc_synth_release(struct synth *s)
{
        buf_release(&s->out);
}

void proc_synth_all(struct synth *s)
{
        size_t n;
        int32_t *pids = proc_all(&n);

        for (size_t i = 0; i < n; i++)
                proc_synth_process(s, pids[i]);
        free(pids);
}

static void add_kernel_mmap(struct synth *s, uint64_t start, uint64_t len, uint64_t pgoff, const char *path)
{
        size_t at = begin_record(s, PERF_RECORD_MMAP, PERF_MISC_KERNEL);

        buf_add_u32(&s->out, UINT32_MAX);
        buf_add_u32(&s->out, 0);
        buf_add_u64(&s->out, start);
        buf_add_u64(&s->out, len);
        buf_add_u64(&s->out, pgoff);
        add_padded(&s->out, path);
        end_record(s, at);
}

/* The address of a kernel symbol; 0 if addresses are hidden (kernel.kptr_restrict). */
static uint64_t kernel_symbol(const char *kallsyms, const char *name)
{
        AUTO_RELEASE(buf) key = {0};
        const char *at;

        buf_printf(&key, " %s\n", name);
        at = strstr(kallsyms, key.data);
        while (at && at > kallsyms && at[-1] != '\n')
                at--;
        return at ? strtoull(at, NULL, 16) : 0;
}

static void add_modules(struct synth *s)
{
        AUTO_RELEASE(buf) text = {0};
        char *line, *next;

        if (!os_read_file("/proc/modules", MAPS_LIMIT, &text, NULL) || !text.len)
                return;
        for (line = text.data; *line; line = next) {
                char name[128], path[160];
                uint64_t size, start;

                next = line + strcspn(line, "\n");
                if (*next)
                        *next++ = '\0';
                if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s 0x%" SCNx64, name, &size, &start) != 3 ||
                    !start)
                        continue;
                snprintf(path, sizeof(path), "[%s]", name);
                add_kernel_mmap(s, start, size, 0, path);
        }
}

/* The kernel's part of the addresses. */
#define KERNEL_HALF (1ull << 63)

void proc_synth_kernel(struct synth *s)
{
        AUTO_RELEASE(buf) text = {0};
        uint64_t start, end;

        if (!os_read_file("/proc/kallsyms", MAPS_LIMIT, &text, NULL) || !text.len)
                return;
        start = kernel_symbol(text.data, "_text");
        if (!start)
                start = kernel_symbol(text.data, "_stext");
        end = kernel_symbol(text.data, "_etext");
        if (!start) { /* kernel.kptr_restrict hides it: any address in the kernel's half is the kernel's */
                add_kernel_mmap(s, KERNEL_HALF, ~KERNEL_HALF, KERNEL_HALF, "[kernel.kallsyms]");
                return;
        }
        add_kernel_mmap(s, start, end > start ? end - start : 0x10000000, start, "[kernel.kallsyms]_text");
        add_modules(s);
}

/* --- CPU times --- */

static uint64_t ticks_ns(uint64_t ticks)
{
        return ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

static bool machine_cpu_time(uint64_t *ret_user_ns, uint64_t *ret_kernel_ns)
{
        AUTO_RELEASE(buf) text = {0};
        uint64_t user, nice, kernel, idle, iowait, irq, softirq;

        if (!os_read_file("/proc/stat", 16 << 20, &text, NULL) ||
            sscanf(buf_text(&text),
                   "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
                   &user, &nice, &kernel, &idle, &iowait, &irq, &softirq) != 7)
                return false;
        *ret_user_ns = ticks_ns(user + nice);
        *ret_kernel_ns = ticks_ns(kernel + irq + softirq);
        return true;
}

int32_t proc_parent(int32_t pid)
{
        AUTO_RELEASE(buf) text = {0};
        const char *after_name;
        int32_t parent = 0;
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", pid);
        if (!os_read_file(path, SMALL_LIMIT, &text, NULL))
                return 0;
        after_name = strrchr(buf_text(&text), ')');
        return after_name && sscanf(after_name + 1, " %*c %" SCNd32, &parent) == 1 ? parent : 0;
}

bool proc_cpu_time(int32_t pid, uint64_t *ret_user_ns, uint64_t *ret_kernel_ns)
{
        AUTO_RELEASE(buf) text = {0};
        uint64_t user, kernel, child_user, child_kernel;
        const char *after_name;
        char path[64];

        if (pid < 0)
                return machine_cpu_time(ret_user_ns, ret_kernel_ns);
        snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", pid);
        if (!os_read_file(path, SMALL_LIMIT, &text, NULL))
                return false;
        after_name = strrchr(buf_text(&text), ')');
        if (!after_name || sscanf(after_name + 1,
                                  " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
                                  " %" SCNu64 " %" SCNu64,
                                  &user, &kernel, &child_user, &child_kernel) != 4)
                return false;
        *ret_user_ns = ticks_ns(user + child_user);
        *ret_kernel_ns = ticks_ns(kernel + child_kernel);
        return true;
}

/* --- namespaces --- */

int32_t proc_inner_pid(int32_t pid)
{
        AUTO_RELEASE(buf) text = {0};
        char path[64];
        const char *at, *last;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/status", pid);
        if (!os_read_file(path, SMALL_LIMIT, &text, NULL) || !(at = strstr(buf_text(&text), "\nNSpid:")))
                return pid;
        at++;
        last = at + strcspn(at, "\n");
        while (last > at && !isspace((unsigned char)last[-1]))
                last--;
        return (int32_t)strtol(last, NULL, 10);
}

static bool read_user_ids(int32_t pid, struct buf *out)
{
        char path[64] = "/proc/self/uid_map";

        if (pid)
                snprintf(path, sizeof(path), "/proc/%" PRId32 "/uid_map", pid);
        return os_read_file(path, SMALL_LIMIT, out, NULL);
}

/* The link /proc/PID/ns/user can be read only by those who may trace the process. */
bool proc_has_other_user_ids(int32_t pid)
{
        AUTO_RELEASE(buf) own = {0};
        AUTO_RELEASE(buf) other = {0};

        return read_user_ids(0, &own) && read_user_ids(pid, &other) &&
               strcmp(buf_text(&own), buf_text(&other)) != 0;
}

uint64_t proc_mount_namespace(int32_t pid)
{
        struct os_stat st;
        char path[64] = "/proc/self/ns/mnt";

        if (pid)
                snprintf(path, sizeof(path), "/proc/%" PRId32 "/ns/mnt", pid);
        return os_stat(path, &st) ? st.inode : 0;
}
