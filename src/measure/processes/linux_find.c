/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds processes by name or by parent, and says what a PID stands for. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux_processes.h"
#include "mem.h"
#include "os.h"

/* What follows the name in /proc/PID/stat: state, parent, ... ; NULL if the process has ended. */
static const char *read_stat(int32_t pid, struct buf *text)
{
        enum { LIMIT = 4096 };
        char path[64];
        const char *name_end;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", pid);
        buf_clear(text);
        if (!os_read_file(path, LIMIT, text, NULL))
                return NULL;
        name_end = strrchr(buf_text(text), ')');
        return name_end && name_end[1] ? name_end + 2 : NULL;
}

/* --- what a PID stands for --- */

enum target_kind target_kind_of(int32_t pid)
{
        enum { FLAGS_FIELD = 6, KERNEL_THREAD = 0x00200000 }; /* counted from the state; PF_KTHREAD */
        AUTO_RELEASE(buf) text = {0};
        const char *at = read_stat(pid, &text);

        if (!at)
                return pid > 0 && (!kill(pid, 0) || errno == EPERM) ? TARGET_HIDDEN : TARGET_NO_PROCESS;
        if (*at == 'Z' || *at == 'X')
                return TARGET_HAS_ENDED;
        for (int i = 0; i < FLAGS_FIELD && at; i++) {
                at = strchr(at, ' ');
                at = at ? at + 1 : NULL;
        }
        return at && strtoul(at, NULL, 10) & KERNEL_THREAD ? TARGET_KERNEL_THREAD : TARGET_PROCESS;
}

/* --- by name --- */

static bool is_in(const char *names, const char *name)
{
        size_t len = strlen(name);

        while (*names) {
                size_t n = strcspn(names, ",");

                if (n == len && !memcmp(names, name, n))
                        return true;
                names += n + (names[n] == ',');
        }
        return false;
}

bool target_find_comm(const char *names, int32_t **ret_pids, size_t *ret_n, struct err *err)
{
        size_t n_all, n = 0, cap = 0;
        int32_t *all = proc_all(&n_all), *found = NULL;

        for (size_t i = 0; i < n_all; i++) {
                AUTO_RELEASE(buf) name = {0};
                char path[64];

                snprintf(path, sizeof(path), "/proc/%" PRId32 "/comm", all[i]);
                if (!os_read_file(path, 64, &name, NULL))
                        continue;
                buf_truncate(&name, strcspn(buf_text(&name), "\n"));
                if (is_in(names, buf_text(&name)) && target_kind_of(all[i]) == TARGET_PROCESS)
                        ARRAY_PUSH(found, n, cap, all[i]);
        }
        free(all);
        *ret_pids = found;
        *ret_n = n;
        return n || err_set(err, ERR_MISSING, "no running process is called '%s' (/proc/PID/comm)", names);
}

/* --- by parent --- */

struct kinship {
        int32_t pid, parent;
};

static struct kinship *read_kinships(size_t *ret_n)
{
        size_t n_all, n = 0;
        int32_t *all = proc_all(&n_all);
        struct kinship *kin = mem_new(n_all + 1, sizeof(*kin));
        AUTO_RELEASE(buf) text = {0};

        for (size_t i = 0; i < n_all; i++) {
                const char *at = read_stat(all[i], &text);
                char state;

                kin[n].pid = all[i];
                n += at && sscanf(at, "%c %" SCNd32, &state, &kin[n].parent) == 2 && state != 'Z';
        }
        free(all);
        *ret_n = n;
        return kin;
}

static bool contains(const int32_t *pids, size_t n, int32_t pid)
{
        for (size_t i = 0; i < n; i++) {
                if (pids[i] == pid)
                        return true;
        }
        return false;
}

void target_add_children(int32_t **pids, size_t *n)
{
        size_t n_kin, cap = *n, before;
        struct kinship *kin = read_kinships(&n_kin);

        do {
                before = *n;
                for (size_t i = 0; i < n_kin; i++) {
                        if (contains(*pids, *n, kin[i].parent) && !contains(*pids, *n, kin[i].pid))
                                ARRAY_PUSH(*pids, *n, cap, kin[i].pid);
                }
        } while (*n > before);
        free(kin);
}

/* --- control groups --- */

struct mount_line {
        char at[256], type[16], options[256];
};

/* Of the hierarchy with perf's events: the first version's, or the second version. False if there is none. */
static bool find_mount(struct buf *ret)
{
        enum { LIMIT = 1 << 20 };
        AUTO_RELEASE(buf) text = {0};
        bool is_found = false;

        if (!os_read_file("/proc/mounts", LIMIT, &text, NULL))
                return false;
        for (char *line = text.data, *end; line && *line; line = end) {
                struct mount_line m;
                bool is_first;

                end = line + strcspn(line, "\n");
                end += *end != '\0';
                if (sscanf(line, "%*s %255s %15s %255s", m.at, m.type, m.options) != 3)
                        continue;
                is_first = !strcmp(m.type, "cgroup") && strstr(m.options, "perf_event");
                if (!is_first && (is_found || strcmp(m.type, "cgroup2")))
                        continue;
                buf_clear(ret);
                buf_add_str(ret, m.at);
                is_found = true;
                if (is_first)
                        break;
        }
        return is_found;
}

int target_open_cgroup(const char *name, struct buf *ret_path, struct err *err)
{
        AUTO_RELEASE(buf) mount = {0};
        AUTO_RELEASE(buf) path = {0};
        size_t len;
        int fd;

        if (!find_mount(&mount)) {
                err_set(err, ERR_MISSING, "control groups are not mounted here (/sys/fs/cgroup)");
                return -1;
        }
        if (!strncmp(name, buf_text(&mount), mount.len) && (name[mount.len] == '/' || !name[mount.len]))
                name += mount.len;
        name += strspn(name, "/");
        buf_printf(&path, "%s/%s", buf_text(&mount), name);
        fd = open(buf_text(&path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0) {
                err_set(err, errno == EACCES ? ERR_DENIED : ERR_MISSING,
                        "can't open the control group '%s' below %s: %s; systemd-cgls lists them", name,
                        buf_text(&mount), strerror(errno));
                return -1;
        }
        buf_add_char(ret_path, '/');
        buf_add_str(ret_path, name);
        len = ret_path->len;
        while (len > 1 && ret_path->data[len - 1] == '/')
                len--;
        buf_truncate(ret_path, len);
        return fd;
}

bool proc_is_in_cgroup(int32_t pid, const char *cgroup)
{
        enum { LIMIT = 1 << 16 };
        AUTO_RELEASE(buf) text = {0};
        size_t len = strcmp(cgroup, "/") ? strlen(cgroup) : 0;
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/cgroup", pid);
        if (!os_read_file(path, LIMIT, &text, NULL))
                return false;
        for (const char *line = buf_text(&text); *line;) {
                const char *end = line + strcspn(line, "\n"), *at = strchr(line, ':');

                at = at ? strchr(at + 1, ':') : NULL;
                if (at && at < end && !strncmp(at + 1, cgroup, len) &&
                    (at[1 + len] == '/' || at + 1 + len == end || !len))
                        return true;
                line = end + (*end != '\0');
        }
        return false;
}

bool proc_cgroup_cpu_time(int cgroup_fd, uint64_t *ret_user_ns, uint64_t *ret_kernel_ns)
{
        enum { NS_PER_US = 1000, LIMIT = 65536 };
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) text = {0};
        const char *user, *kernel;

        buf_printf(&path, "/proc/self/fd/%d/cpu.stat", cgroup_fd);
        if (!os_read_file(buf_text(&path), LIMIT, &text, NULL))
                return false;
        user = strstr(buf_text(&text), "user_usec ");
        kernel = strstr(buf_text(&text), "system_usec ");
        if (!user || !kernel)
                return false;
        *ret_user_ns = strtoull(user + strlen("user_usec "), NULL, 10) * NS_PER_US;
        *ret_kernel_ns = strtoull(kernel + strlen("system_usec "), NULL, 10) * NS_PER_US;
        return true;
}
