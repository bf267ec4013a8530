/* SPDX-License-Identifier: BSD-3-Clause */
#include "tracepoint.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "err.h"
#include "mem.h"
#include "os_paths.h"
#include "text_match.h"
#include "text_number.h"

enum { NAMES_MAX = 20000 };

bool tracepoint_read(const struct pmu_source *source, const char *file, struct buf *out)
{
        for (unsigned i = 0; source && os_sysfs_tracing(i); i++) {
                AUTO_RELEASE(buf) path = {0};

                buf_printf(&path, "%s/%s", os_sysfs_tracing(i), file);
                if (source->read_file(source->ctx, buf_text(&path), out))
                        return true;
        }
        return false;
}

bool tracepoint_find(const struct pmu_source *source, const char *system, const char *name, uint64_t *ret_id)
{
        AUTO_RELEASE(buf) file = {0};
        AUTO_RELEASE(buf) text = {0};

        buf_printf(&file, "events/%s/%s/id", system, name);
        if (!tracepoint_read(source, buf_text(&file), &text) || !text.len)
                return false;
        text.data[strcspn(text.data, "\n")] = '\0';
        return text_to_u64(text.data, 10, ret_id);
}

struct tracepoint_names {
        struct arena arena;
        const char **items;
        size_t n, cap;
};

static bool add_name(void *ctx, const char *name)
{
        struct tracepoint_names *names = ctx;

        if (names->n < NAMES_MAX)
                ARRAY_PUSH(names->items, names->n, names->cap, arena_copy(&names->arena, name, strlen(name)));
        return names->n < NAMES_MAX;
}

static void names_release(struct tracepoint_names *names)
{
        free(names->items);
        arena_release(&names->arena);
}

/* Lists the entries of a folder of tracefs; false if it does not exist or is empty. */
static bool list_names(const struct pmu_source *source, const char *folder, struct tracepoint_names *ret)
{
        for (unsigned i = 0; source && os_sysfs_tracing(i); i++) {
                AUTO_RELEASE(buf) path = {0};

                buf_printf(&path, "%s/%s", os_sysfs_tracing(i), folder);
                if (source->list_dir(source->ctx, buf_text(&path), add_name, ret) && ret->n)
                        return true;
        }
        return false;
}

static bool explain_name(const char *what, const char *name, const char *shown, size_t column,
                         const struct tracepoint_names *names, struct err *err)
{
        const char *nearest = text_nearest(name, names->items, names->n);

        if (strchr(name, '*'))
                return err_set(err, ERR_UNSUPPORTED,
                               "'%s' (column %zu): patterns of tracepoints are not supported: name each one",
                               shown, column);
        if (nearest && !strcmp(nearest, name))
                return err_set(err, ERR_DENIED,
                               "'%s' (column %zu): the tracepoint's id in tracefs can't be read", shown,
                               column);
        return err_set(err, ERR_USAGE, "'%s' (column %zu): no %s is called '%s'%s%s%s", shown, column, what,
                       name, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

bool tracepoint_explain(const struct pmu_source *source, const char *system, const char *name, size_t column,
                        struct err *err)
{
        __attribute__((cleanup(names_release))) struct tracepoint_names systems = {.n = 0};
        __attribute__((cleanup(names_release))) struct tracepoint_names events = {.n = 0};
        AUTO_RELEASE(buf) folder = {0};
        AUTO_RELEASE(buf) shown = {0};

        buf_printf(&shown, "%s:%s", system, name);
        buf_printf(&folder, "events/%s", system);
        if (list_names(source, buf_text(&folder), &events))
                return explain_name("tracepoint of this system", name, buf_text(&shown), column, &events,
                                    err);
        if (list_names(source, "events", &systems))
                return explain_name("system of tracepoints", system, buf_text(&shown), column, &systems, err);
        return err_set(
                err, ERR_UNSUPPORTED,
                "'%s' (column %zu) is a tracepoint, and tracefs is not mounted or not readable: run 'mount -t "
                "tracefs nodev %s' as root, and wperf too",
                buf_text(&shown), column, os_sysfs_tracing(0));
}
