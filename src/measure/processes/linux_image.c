/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds running processes by the name of their program: their executable, or an image that wine, an emulator
 * or the dynamic linker runs, which is not the file of /proc/PID/exe. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "buf.h"
#include "err.h"
#include "linux_locked.h"
#include "linux_maps.h"
#include "mem.h"
#include "os.h"
#include "target.h"
#include "text.h"

struct image_search {
        const char *image;
        struct os_stat wanted; /* if `image` is a path */
        bool by_file;
        int32_t *pids;
        size_t n_pids, cap;
        unsigned n_looked_at, n_hidden;
};

/* The part after the last '/', or the last '\\' in command lines of wine. */
static const char *base_of(const char *path)
{
        const char *base = text_base_name(path), *back = strrchr(base, '\\');

        return back ? back + 1 : base;
}

static bool is_deleted_suffix(struct buf *path)
{
        static const char suffix[] = " (deleted)";

        if (!text_ends(buf_text(path), suffix))
                return false;
        buf_truncate(path, path->len - (sizeof(suffix) - 1));
        return true;
}

static bool matches(const struct image_search *s, const char *link, struct buf *target)
{
        struct os_stat st;

        if (s->by_file && !is_deleted_suffix(target))
                return os_stat(link, &st) && st.dev == s->wanted.dev && st.inode == s->wanted.inode;
        is_deleted_suffix(target);
        return !strcmp(text_base_name(buf_text(target)), base_of(s->image));
}

/* --- a program run by another one --- */

enum { COMM_BYTES_MAX = 15, LINE_LIMIT = 1 << 20 };

static bool comm_is(int32_t pid, const char *base)
{
        AUTO_RELEASE(buf) comm = {0};
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/comm", pid);
        if (!os_read_file(path, LINE_LIMIT, &comm, NULL) || comm.len < 2)
                return false;
        buf_truncate(&comm, comm.len - 1);
        return strlen(base) <= COMM_BYTES_MAX ? !strcasecmp(base, comm.data)
                                              : !strncasecmp(base, comm.data, COMM_BYTES_MAX);
}

/* The program is the first word of the command line, or the second one after the program that runs it. */
static bool line_names(int32_t pid, const char *base)
{
        AUTO_RELEASE(buf) line = {0};
        size_t at = 0;

        if (!locked_command_line(pid, LINE_LIMIT, &line))
                return false;
        buf_add_char(&line, '\0');
        for (int word = 0; word < 2 && at < line.len; word++) {
                if (!strcasecmp(base_of(line.data + at), base))
                        return true;
                at += strlen(line.data + at) + 1;
        }
        return false;
}

static bool is_wanted_file(const struct image_search *s, int32_t pid, const char *path)
{
        AUTO_RELEASE(buf) seen = {0};
        struct os_stat st;

        if (strcasecmp(text_base_name(path), base_of(s->image)))
                return false;
        if (!s->by_file)
                return true;
        buf_printf(&seen, "/proc/%" PRId32 "/root%s", pid, path);
        return os_stat(buf_text(&seen), &st) && st.dev == s->wanted.dev && st.inode == s->wanted.inode;
}

static bool maps_it(const struct image_search *s, int32_t pid)
{
        struct linux_maps maps;
        struct linux_map map;
        bool is_mapped = false;

        linux_maps_begin(&maps, pid);
        while (!is_mapped && linux_maps_next(&maps, &map))
                is_mapped = *map.path == '/' && is_wanted_file(s, pid, map.path);
        linux_maps_end(&maps);
        return is_mapped;
}

/* A matching name is not enough, because a script may have it. The image must be mapped too. */
static bool runs_it(const struct image_search *s, int32_t pid)
{
        const char *base = base_of(s->image);

        return *base && (comm_is(pid, base) || line_names(pid, base)) && maps_it(s, pid);
}

static bool look_at(void *ctx, const char *name)
{
        AUTO_RELEASE(buf) target = {0};
        AUTO_RELEASE(buf) own = {0};
        struct image_search *s = ctx;
        char link[64];
        int32_t pid;

        if (!isdigit((unsigned char)name[0]))
                return true;
        pid = (int32_t)strtol(name, NULL, 10);
        if (pid == getpid())
                return true;
        snprintf(link, sizeof(link), "/proc/%" PRId32 "/exe", pid);
        if (!os_read_link(link, &target)) {
                /* A kernel thread has no command line, so a process with one belongs to another user. */
                s->n_hidden += locked_command_line(pid, 1 << 20, &own) && own.len;
                return true;
        }
        s->n_looked_at++;
        if (matches(s, link, &target) || runs_it(s, pid))
                ARRAY_PUSH(s->pids, s->n_pids, s->cap, pid);
        return true;
}

static int compare_pids(const void *a, const void *b)
{
        int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

        return (x > y) - (x < y);
}

bool target_find_image(const char *image, int32_t **ret_pids, size_t *ret_n, struct err *err)
{
        struct image_search s = {.image = image};

        s.by_file = strchr(image, '/') && os_stat(image, &s.wanted);
        if (!os_list_dir("/proc", look_at, &s, err))
                return false;
        if (!s.n_pids) {
                free(s.pids);
                err_set(err, ERR_MISSING, "no running process has the image '%s' (%u executables checked)%s",
                        image, s.n_looked_at, target_hidden_note());
                if (s.n_hidden)
                        err_set(err, ERR_MISSING,
                                "no running process has the image '%s' (%u executables checked, %u not readable%s)",
                                image, s.n_looked_at, s.n_hidden, geteuid() ? ": run wperf as root" : "");
                return false;
        }
        qsort(s.pids, s.n_pids, sizeof(*s.pids), compare_pids);
        *ret_pids = s.pids;
        *ret_n = s.n_pids;
        return true;
}
