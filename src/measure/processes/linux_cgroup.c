/* SPDX-License-Identifier: BSD-3-Clause */
/* Control groups: their folders, members and CPU time. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux_processes.h"
#include "os.h"

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

/* Whether a component of the path is "..". */
static bool leads_up(const char *path)
{
        for (;;) {
                size_t len = strcspn(path, "/");

                if (len == 2 && !memcmp(path, "..", len))
                        return true;
                if (!path[len])
                        return false;
                path += len + 1;
        }
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
        if (leads_up(name)) {
                err_set(err, ERR_USAGE, "--cgroup takes a path below %s, without '..'", buf_text(&mount));
                return -1;
        }
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

static bool read_groups(int32_t pid, struct buf *out)
{
        enum { LIMIT = 1 << 16 };
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/cgroup", pid);
        return os_read_file(path, LIMIT, out, NULL);
}

/* The path in the next line of such a file, and its length; moves *at. NULL at the end. */
static const char *next_group(const char **at, size_t *ret_len)
{
        while (**at) {
                const char *line = *at, *end = line + strcspn(line, "\n"), *group = strchr(line, ':');

                *at = end + (*end != '\0');
                group = group ? strchr(group + 1, ':') : NULL;
                if (!group || group >= end)
                        continue;
                *ret_len = (size_t)(end - group) - 1;
                return group + 1;
        }
        return NULL;
}

bool cgroup_has(const char *cgroup, int32_t pid)
{
        AUTO_RELEASE(buf) text = {0};
        size_t len = strcmp(cgroup, "/") ? strlen(cgroup) : 0, n;
        const char *at, *group;

        if (!read_groups(pid, &text))
                return false;
        at = buf_text(&text);
        while ((group = next_group(&at, &n)) != NULL) {
                if (n >= len && !strncmp(group, cgroup, len) && (n == len || group[len] == '/' || !len))
                        return true;
        }
        return false;
}

bool target_add_cgroup(int32_t pid, struct buf *out)
{
        AUTO_RELEASE(buf) text = {0};
        const char *at, *group, *longest = NULL;
        size_t n, n_longest = 0;

        if (!read_groups(pid, &text))
                return false;
        at = buf_text(&text);
        while ((group = next_group(&at, &n)) != NULL) {
                if (longest && n <= n_longest)
                        continue;
                longest = group;
                n_longest = n;
        }
        if (longest)
                buf_add(out, longest, n_longest);
        return longest;
}

bool cgroup_cpu_time(int cgroup_fd, uint64_t *ret_user_ns, uint64_t *ret_kernel_ns)
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
