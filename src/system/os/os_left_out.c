/* SPDX-License-Identifier: BSD-3-Clause */
#include "os_left_out.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

enum { MAX_FOLDERS = 128 };

/* Folders are only added, the first free place first. */
static char *_Atomic folders[MAX_FOLDERS];

static bool is_below(const char *path, const char *folder)
{
        size_t len = strlen(folder);

        return !strncmp(path, folder, len) && (!path[len] || path[len] == '/');
}

/* Without "/proc/123/root". */
static const char *skip_root(const char *path)
{
        const char *at = path + strlen("/proc/");

        if (strncmp(path, "/proc/", strlen("/proc/")))
                return path;
        at += strspn(at, "0123456789");
        return strncmp(at, "/root/", strlen("/root/")) ? path : at + strlen("/root");
}

bool os_is_left_out(const char *path)
{
        const char *folder;

        for (size_t i = 0; (folder = os_left_out(i)); i++) {
                if (is_below(path, folder) || is_below(skip_root(path), folder))
                        return true;
        }
        return false;
}

void os_leave_out(const char *folder)
{
        char *own = mem_strdup(folder);

        assert(*folder == '/');
        for (size_t i = 0; i < MAX_FOLDERS; i++) {
                char *before = NULL;

                if (atomic_compare_exchange_strong(&folders[i], &before, own))
                        return;
                if (!strcmp(before, folder))
                        break;
        }
        free(own);
}

const char *os_left_out(size_t i)
{
        return i < MAX_FOLDERS ? atomic_load(&folders[i]) : NULL;
}
