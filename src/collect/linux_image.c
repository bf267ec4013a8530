/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds running processes by the name of their executable. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux_internal.h"
#include "os.h"
#include "text.h"

struct search {
        const char *image;
        struct os_stat wanted; /* of the path, when it is one */
        bool by_file;
        int32_t *pids;
        size_t n_pids, cap;
        unsigned n_looked_at, n_hidden;
};

static bool is_deleted_suffix(struct buf *path)
{
        static const char suffix[] = " (deleted)";

        if (!text_ends(buf_text(path), suffix))
                return false;
        buf_truncate(path, path->len - (sizeof(suffix) - 1));
        return true;
}

static bool matches(const struct search *s, const char *link, struct buf *target)
{
        struct os_stat st;

        if (s->by_file && !is_deleted_suffix(target))
                return os_stat(link, &st) && st.dev == s->wanted.dev && st.inode == s->wanted.inode;
        is_deleted_suffix(target);
        return !strcmp(text_base_name(buf_text(target)), text_base_name(s->image));
}

static bool look_at(void *ctx, const char *name)
{
        AUTO_RELEASE(buf) target = {0};
        AUTO_RELEASE(buf) own = {0};
        struct search *s = ctx;
        char link[64];
        int32_t pid;

        if (!isdigit((unsigned char)name[0]))
                return true;
        pid = (int32_t)strtol(name, NULL, 10);
        if (pid == getpid())
                return true;
        snprintf(link, sizeof(link), "/proc/%" PRId32 "/exe", pid);
        if (!os_read_link(link, &target)) {
                /* A kernel thread has no command line; a process of another user has one. */
                snprintf(link, sizeof(link), "/proc/%" PRId32 "/cmdline", pid);
                s->n_hidden += os_read_file(link, 1 << 20, &own, NULL) && own.len;
                return true;
        }
        s->n_looked_at++;
        if (matches(s, link, &target))
                ARRAY_PUSH(s->pids, s->n_pids, s->cap, pid);
        return true;
}

static int compare_pids(const void *a, const void *b)
{
        int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

        return (x > y) - (x < y);
}

bool collector_find_image(const char *image, int32_t **ret_pids, size_t *ret_n, struct err *err)
{
        struct search s = {.image = image};

        s.by_file = strchr(image, '/') && os_stat(image, &s.wanted);
        if (!os_list_dir("/proc", look_at, &s, err))
                return false;
        if (!s.n_pids) {
                free(s.pids);
                err_set(err, ERR_MISSING, "no running process has the image '%s' (%u executables looked at)",
                        image, s.n_looked_at);
                if (s.n_hidden)
                        err_set(err, ERR_MISSING,
                                "no running process has the image '%s' (%u executables looked at, %u not readable: run "
                                "wperf as root)",
                                image, s.n_looked_at, s.n_hidden);
                return false;
        }
        qsort(s.pids, s.n_pids, sizeof(*s.pids), compare_pids);
        *ret_pids = s.pids;
        *ret_n = s.n_pids;
        return true;
}
