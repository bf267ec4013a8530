/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux_mounts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "linux_processes.h"
#include "mem.h"
#include "os.h"
#include "os_left_out.h"
#include "text.h"

enum { MAX_MOUNTINFO_BYTES = 16 << 20 };

/* fuse.NAME is another. Block devices of FUSE are local disks, but a process reads them. */
static const char *const served_types[] = {
        "9p", "afs", "ceph", "cifs", "fuse", "fuseblk", "lustre", "nfs", "nfs4", "smb3", "smbfs", "virtiofs",
};

static bool is_served(const char *type, size_t len)
{
        for (size_t i = 0; i < N_ELEMENTS(served_types); i++) {
                if (strlen(served_types[i]) == len && !memcmp(type, served_types[i], len))
                        return true;
        }
        return len > strlen("fuse.") && text_starts(type, "fuse.");
}

static bool is_octal(const char *s)
{
        return s[0] == '\\' && strspn(s + 1, "01234567") >= 3;
}

/* Up to the space; spaces, tabs, newlines and backslashes in it are "\040" and the like. */
static char *copy_point(const char *point)
{
        AUTO_RELEASE(buf) text = {0};

        for (const char *s = point; *s && *s != ' ' && *s != '\n';) {
                if (is_octal(s)) {
                        buf_add_u8(&text, (uint8_t)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0')));
                        s += 4;
                } else {
                        buf_add_u8(&text, (uint8_t)*s++);
                }
        }
        return mem_strdup(buf_text(&text));
}

/* "36 35 98:0 /root /mount rw,noatime master:1 - type source options"; */
static void add_line(struct linux_mounts *mounts, const char *line)
{
        struct linux_mount mount = {0};
        const char *end = line + strcspn(line, "\n"), *dash = strstr(line, " - "), *point;
        int at = 0;

        if (!dash || dash >= end || sscanf(line, "%" SCNd32 " %*d %*s %*s %n", &mount.id, &at) != 1)
                return;
        point = line + at;
        dash += strlen(" - ");
        if (*point != '/' || !is_served(dash, strcspn(dash, " \n")))
                return;
        mount.point = copy_point(point);
        ARRAY_PUSH(mounts->items, mounts->n, mounts->cap, mount);
}

struct linux_mounts *linux_mounts_parse(const char *text)
{
        struct linux_mounts *mounts = mem_new(1, sizeof(*mounts));

        while (*text) {
                add_line(mounts, text);
                text += strcspn(text, "\n");
                text += *text == '\n';
        }
        return mounts;
}

struct linux_mounts *linux_mounts_new(int32_t pid)
{
        AUTO_RELEASE(buf) text = {0};
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/mountinfo", pid);
        os_read_file(path, MAX_MOUNTINFO_BYTES, &text, NULL);
        return linux_mounts_parse(buf_text(&text));
}

void linux_mounts_free(struct linux_mounts *mounts)
{
        if (!mounts)
                return;
        for (size_t i = 0; i < mounts->n; i++)
                free(mounts->items[i].point);
        free(mounts->items);
        free(mounts);
}

const struct linux_mount *linux_mounts_find(const struct linux_mounts *mounts, int32_t id)
{
        for (size_t i = 0; i < mounts->n; i++) {
                if (mounts->items[i].id == id)
                        return &mounts->items[i];
        }
        return NULL;
}

/* Whether the process sees the folders that we see. */
static bool shares_our_folders(int32_t pid)
{
        AUTO_RELEASE(buf) root = {0};
        char link[64];

        snprintf(link, sizeof(link), "/proc/%" PRId32 "/root", pid);
        return proc_mount_namespace(pid) == proc_mount_namespace(0) && os_read_link(link, &root) &&
               !strcmp(buf_text(&root), "/");
}

/* Of our own namespace, but for a served "/", with which we would hang ourselves. */
static void add_ours(void)
{
        AUTO(linux_mounts) ours = linux_mounts_new(getpid());

        for (size_t i = 0; i < ours->n; i++) {
                if (strcmp(ours->items[i].point, "/") != 0)
                        os_add_served(ours->items[i].point);
        }
}

static void add_theirs(int32_t pid)
{
        AUTO(linux_mounts) theirs = linux_mounts_new(pid);

        for (size_t i = 0; i < theirs->n; i++) {
                const char *point = theirs->items[i].point;
                AUTO_RELEASE(buf) folder = {0};

                buf_printf(&folder, "/proc/%" PRId32 "/root%s", pid, strcmp(point, "/") ? point : "");
                os_add_served(buf_text(&folder));
        }
}

void linux_mounts_watch(const int32_t *pids, size_t n)
{
        if (n)
                add_ours();
        for (size_t i = 0; i < n; i++) {
                if (!shares_our_folders(pids[i]))
                        add_theirs(pids[i]);
        }
}

void linux_mounts_watch_target(const struct target *target)
{
        size_t n;
        int32_t *all = target->system_wide ? proc_all(&n) : NULL;

        if (all)
                linux_mounts_watch(all, n);
        else
                linux_mounts_watch(target->pids, target->n_pids);
        free(all);
}
