/* SPDX-License-Identifier: BSD-3-Clause */
/* A line is `START-END PERMS OFFSET MAJOR:MINOR INODE   PATH`; all numbers except the inode are hexadecimal
 * (proc_pid_maps(5)). */
#include "linux_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux_locked.h"

void linux_maps_begin(struct linux_maps *maps, int32_t pid)
{
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/maps", pid);
        maps->fd = locked_is(pid) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
        maps->at = maps->len = 0;
}

void linux_maps_end(struct linux_maps *maps)
{
        if (maps->fd >= 0)
                close(maps->fd);
        maps->fd = -1;
}

/* Appends text after the unused part. False at the end of the file, or if a line does not fit. */
static bool read_more(struct linux_maps *maps)
{
        ssize_t n;

        memmove(maps->text, maps->text + maps->at, maps->len - maps->at);
        maps->len -= maps->at;
        maps->at = 0;
        if (maps->len == sizeof(maps->text))
                return false;
        do
                n = read(maps->fd, maps->text + maps->len, sizeof(maps->text) - maps->len);
        while (n < 0 && errno == EINTR);
        maps->len += n > 0 ? (size_t)n : 0;
        return n > 0;
}

static char *next_line(struct linux_maps *maps)
{
        char *line, *end;

        while (!(end = memchr(maps->text + maps->at, '\n', maps->len - maps->at))) {
                if (!read_more(maps))
                        return NULL;
        }
        line = maps->text + maps->at;
        *end = '\0';
        maps->at = (size_t)(end + 1 - maps->text);
        return line;
}

static bool take_number(char **at, int base, char behind, uint64_t *ret)
{
        char *end;

        *ret = strtoull(*at, &end, base);
        if (end == *at || *end != behind)
                return false;
        *at = end + 1;
        return true;
}

static bool parse(char *at, struct linux_map *ret)
{
        enum { N_PERMS = 4 };
        uint64_t major, minor;

        if (!take_number(&at, 16, '-', &ret->start) || !take_number(&at, 16, ' ', &ret->end) ||
            strnlen(at, N_PERMS + 1) <= N_PERMS)
                return false;
        ret->can_read = at[0] == 'r';
        ret->can_write = at[1] == 'w';
        ret->can_execute = at[2] == 'x';
        ret->is_shared = at[3] == 's';
        at += N_PERMS + 1;
        if (!take_number(&at, 16, ' ', &ret->file_off) || !take_number(&at, 16, ':', &major) ||
            !take_number(&at, 16, ' ', &minor) || !take_number(&at, 10, ' ', &ret->inode))
                return false;
        ret->dev_major = (uint32_t)major;
        ret->dev_minor = (uint32_t)minor;
        ret->path = at + strspn(at, " ");
        return true;
}

bool linux_maps_next(struct linux_maps *maps, struct linux_map *ret)
{
        char *line;

        while (maps->fd >= 0 && (line = next_line(maps))) {
                if (parse(line, ret))
                        return true;
        }
        return false;
}
