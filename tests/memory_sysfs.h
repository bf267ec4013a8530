/* SPDX-License-Identifier: BSD-3-Clause */
/* A pmu_source with a /sys from a table of paths and texts. */
#ifndef MEMORY_SYSFS_H
#define MEMORY_SYSFS_H

#include <stdio.h>
#include <string.h>

#include "event.h"

struct memory_file {
        const char *path; /* below /sys/bus/event_source/devices/, or absolute; NULL ends the table */
        const char *text;
};

static const char *memory_path(const char *path)
{
        static const char folder[] = "/sys/bus/event_source/devices";

        if (strncmp(path, folder, sizeof(folder) - 1))
                return NULL;
        path += sizeof(folder) - 1;
        return *path == '/' ? path + 1 : path;
}

static bool memory_read(void *ctx, const char *path, struct buf *out)
{
        const struct memory_file *files = ctx;
        const char *relative = memory_path(path);

        for (; files->path; files++) {
                const char *wanted = *files->path == '/' ? path : relative;

                if (!wanted || strcmp(files->path, wanted))
                        continue;
                buf_add_str(out, files->text);
                return true;
        }
        return false;
}

/* Each name once, if files of a folder are together in the table. */
static bool memory_list(void *ctx, const char *path, bool (*each)(void *each_ctx, const char *name),
                        void *each_ctx)
{
        const struct memory_file *files = ctx;
        const char *relative = memory_path(path);
        size_t len = relative ? strlen(relative) : 0;
        char last[256] = "";
        bool found = relative && !len;

        for (; relative && files->path; files++) {
                const char *name = files->path + len + (len > 0);
                char entry[256];

                if (*files->path == '/' ||
                    (len && (strncmp(files->path, relative, len) || files->path[len] != '/')))
                        continue;
                snprintf(entry, sizeof(entry), "%.*s", (int)strcspn(name, "/"), name);
                found = true;
                if (!strcmp(entry, last))
                        continue;
                memcpy(last, entry, sizeof(last));
                if (!each(each_ctx, entry))
                        break;
        }
        return found;
}

static inline struct pmu_source memory_sysfs(const struct memory_file *files)
{
        return (struct pmu_source){memory_read, memory_list, (void *)files};
}

#endif
