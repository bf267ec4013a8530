/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux_mounts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "linux_maps.h"
#include "linux_processes.h"
#include "map.h"
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

        if (!dash || dash >= end ||
            sscanf(line, "%" SCNd32 " %*d %" SCNu32 ":%" SCNu32 " %*s %n", &mount.id, &mount.dev_major,
                   &mount.dev_minor, &at) != 3)
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

static struct linux_mount *find_device(struct linux_mounts *mounts, const struct linux_map *map)
{
        for (size_t i = 0; i < mounts->n; i++) {
                struct linux_mount *mount = &mounts->items[i];

                if (mount->dev_major == map->dev_major && mount->dev_minor == map->dev_minor)
                        return mount;
        }
        return NULL;
}

/* Where we see the device, and where the process does: in another namespace our folder of this name is
 * another one. */
static void leave_out(const struct linux_mount *mount, int32_t pid)
{
        AUTO(linux_mounts) ours = linux_mounts_new(getpid());
        AUTO_RELEASE(buf) path = {0};

        for (size_t i = 0; i < ours->n; i++) {
                if (ours->items[i].dev_major == mount->dev_major &&
                    ours->items[i].dev_minor == mount->dev_minor)
                        os_leave_out(ours->items[i].point);
        }
        buf_printf(&path, "/proc/%" PRId32 "/root%s", pid, mount->point);
        if (!os_is_left_out(buf_text(&path)))
                os_leave_out(buf_text(&path));
}

static void look_at(struct linux_mounts *mounts, int32_t pid)
{
        AUTO_RELEASE(buf) path = {0};
        struct linux_maps maps;
        struct linux_map map;

        linux_maps_begin(&maps, pid);
        while (linux_maps_next(&maps, &map)) {
                struct linux_mount *mount =
                        *map.path == '/' && map.can_execute ? find_device(mounts, &map) : NULL;

                if (!mount)
                        continue;
                buf_clear(&path);
                buf_printf(&path, "/proc/%" PRId32 "/root%s", pid, map.path);
                if (os_is_left_out(buf_text(&path)))
                        continue;
                if (!mount->is_asked)
                        mount->hangs = !os_linux_answers(buf_text(&path));
                mount->is_asked = true;
                if (mount->hangs)
                        leave_out(mount, pid);
        }
        linux_maps_end(&maps);
}

static void free_mounts(void *ctx, uint64_t mount_namespace, uint64_t *mounts)
{
        linux_mounts_free((struct linux_mounts *)(uintptr_t)*mounts);
}

void linux_mounts_look(const int32_t *pids, size_t n)
{
        struct map by_namespace = {0};

        for (size_t i = 0; i < n; i++) {
                uint64_t *at = map_put(&by_namespace, proc_mount_namespace(pids[i]), NULL);
                struct linux_mounts *mounts = (struct linux_mounts *)(uintptr_t)*at;

                if (!mounts)
                        mounts = linux_mounts_new(pids[i]);
                *at = (uint64_t)(uintptr_t)mounts;
                if (mounts->n)
                        look_at(mounts, pids[i]);
        }
        map_each(&by_namespace, free_mounts, NULL);
        map_release(&by_namespace);
}

void linux_mounts_look_for(const struct target *target)
{
        size_t n;
        int32_t *all = target->system_wide ? proc_all(&n) : NULL;

        if (all)
                linux_mounts_look(all, n);
        else
                linux_mounts_look(target->pids, target->n_pids);
        free(all);
}
