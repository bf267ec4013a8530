/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_label.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "text.h"

const char *python_label_file(const char *path)
{
        const char *base = text_base_name(path), *folder;

        if (base == path || (strcmp(base, "__init__.py") != 0 && strcmp(base, "__main__.py") != 0))
                return base;
        for (folder = base - 1; folder > path && folder[-1] != '/' && folder[-1] != '\\'; folder--)
                ;
        return folder < base - 1 ? folder : base;
}

static bool is_separator(char c)
{
        return c == '/' || c == '\\';
}

/* A path, sorted from its end, so that the one with the longest common end is a neighbour. */
struct ended_path {
        const char *path;
        size_t len, index;
};

/* Of paths that differ only before this, the labels may be equal: foreign files can have many long ones. */
enum { MOST_COMPARED = 1024 };

static int compare_ends(const void *x, const void *y)
{
        const struct ended_path *a = x, *b = y;

        for (size_t i = 1; i <= a->len && i <= b->len && i <= MOST_COMPARED; i++) {
                unsigned char from_a = (unsigned char)a->path[a->len - i];
                unsigned char from_b = (unsigned char)b->path[b->len - i];

                if (from_a != from_b)
                        return from_a < from_b ? -1 : 1;
        }
        return (a->len > b->len) - (a->len < b->len);
}

static bool is_same(const struct ended_path *a, const struct ended_path *b)
{
        return a->len == b->len && !memcmp(a->path, b->path, a->len);
}

static size_t common_end(const struct ended_path *a, const struct ended_path *b)
{
        size_t n = 0;

        while (n < a->len && n < b->len && n < MOST_COMPARED &&
               a->path[a->len - n - 1] == b->path[b->len - n - 1])
                n++;
        return n;
}

/* The begin of the folder or file whose name differs from those of all paths with `n_common` bytes at the
 * end. */
static const char *begin_of_difference(const struct ended_path *p, size_t n_common)
{
        const char *at = p->path + (p->len > n_common ? p->len - n_common - 1 : 0);

        while (at > p->path && is_separator(*at))
                at--;
        while (at > p->path && !is_separator(at[-1]))
                at--;
        return at;
}

void python_label_files(const char *const *paths, size_t n, const char **ret)
{
        struct ended_path *sorted = mem_new(n, sizeof(*sorted));

        for (size_t i = 0; i < n; i++)
                sorted[i] = (struct ended_path){paths[i], strlen(paths[i]), i};
        if (n)
                qsort(sorted, n, sizeof(*sorted), compare_ends);
        for (size_t first = 0, end; first < n; first = end) {
                const char *file = python_label_file(sorted[first].path), *differs;
                size_t n_common = 0, after;

                for (end = first + 1; end < n && is_same(&sorted[first], &sorted[end]);)
                        end++;
                if (first)
                        n_common = common_end(&sorted[first - 1], &sorted[first]);
                after = end < n ? common_end(&sorted[first], &sorted[end]) : 0;
                differs = begin_of_difference(&sorted[first], after > n_common ? after : n_common);
                file = differs < file ? differs : file;
                for (size_t i = first; i < end; i++)
                        ret[sorted[i].index] = paths[sorted[i].index] + (file - sorted[first].path);
        }
        free(sorted);
}

void python_label_add_file(struct buf *out, const char *function, const char *file, uint32_t line)
{
        buf_add_str(out, *function ? function : "?");
        buf_add_str(out, " [");
        buf_add_str(out, *file ? file : "?");
        if (line)
                buf_printf(out, ":%" PRIu32, line);
        buf_add_char(out, ']');
}

uint32_t python_label_line(const char *label)
{
        const char *colon = strrchr(label, ':');
        char *end;
        unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;

        return line <= UINT32_MAX && line && !strcmp(end, "]") ? (uint32_t)line : 0;
}

void python_label_add(struct buf *out, const char *function, const char *path, uint32_t line)
{
        python_label_add_file(out, function, python_label_file(path), line);
}
