/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that this process may use: that of the machine, or less because of a control group or a
 * resource limit. */
#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "buf.h"
#include "os.h"
#include "text_number.h"

enum { SMALL_LIMIT = 65536, MAX_GROUP_DEPTH = 64 };

static void lower(uint64_t *bytes, uint64_t limit)
{
        if (limit && limit < *bytes)
                *bytes = limit;
}

/* "max", and v1's number near 2^63, mean no limit. */
static void lower_by_file(uint64_t *bytes, const char *path)
{
        AUTO_RELEASE(buf) text = {0};
        uint64_t limit;

        if (!os_read_file(path, 64, &text, NULL))
                return;
        buf_truncate(&text, strcspn(buf_text(&text), "\n"));
        if (text_to_u64(buf_text(&text), 10, &limit))
                lower(bytes, limit);
}

/* A group's limit applies to all groups below it. */
static void lower_by_group(uint64_t *bytes, const char *root, const char *group, const char *name)
{
        AUTO_RELEASE(buf) folder = {0};

        buf_printf(&folder, "%s%s", root, group);
        for (int depth = 0; depth < MAX_GROUP_DEPTH && folder.len >= strlen(root); depth++) {
                AUTO_RELEASE(buf) path = {0};
                char *slash;

                buf_printf(&path, "%s/%s", buf_text(&folder), name);
                lower_by_file(bytes, buf_text(&path));
                slash = strrchr(folder.data, '/');
                if (!slash)
                        return;
                buf_truncate(&folder, (size_t)(slash - folder.data));
        }
}

/* Lines are NUMBER:CONTROLLERS:PATH, in version 2 `0::PATH`. */
static void lower_by_groups(uint64_t *bytes)
{
        AUTO_RELEASE(buf) text = {0};
        char *line, *next;

        if (!os_read_file("/proc/self/cgroup", SMALL_LIMIT, &text, NULL))
                return;
        for (line = text.data; line && *line; line = next) {
                char *controllers = strchr(line, ':'), *group;

                next = line + strcspn(line, "\n");
                if (*next)
                        *next++ = '\0';
                group = controllers ? strchr(controllers + 1, ':') : NULL;
                if (!group)
                        continue;
                *group++ = '\0';
                if (!controllers[1])
                        lower_by_group(bytes, "/sys/fs/cgroup", group, "memory.max");
                else if (strstr(controllers, "memory"))
                        lower_by_group(bytes, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
        }
}

uint64_t os_memory_bytes(void)
{
        long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
        uint64_t bytes = pages > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
        struct rlimit limit;

        if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
                lower(&bytes, limit.rlim_cur);
        lower_by_groups(&bytes);
        return bytes;
}

void os_give_memory_back(void)
{
#ifdef __GLIBC__
        malloc_trim(0);
#endif
}
