/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_package.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "text.h"

struct component {
        const char *at;
        size_t len;
};

static bool is_separator(char c)
{
        return c == '/' || c == '\\';
}

/* False at the end of the path. */
static bool next_component(const char **path, struct component *ret)
{
        while (is_separator(**path))
                ++*path;
        ret->at = *path;
        while (**path && !is_separator(**path))
                ++*path;
        ret->len = (size_t)(*path - ret->at);
        return ret->len;
}

static bool is_named(const struct component *component, const char *name)
{
        return component->len == strlen(name) && !memcmp(component->at, name, component->len);
}

/* "python3.11", "pypy3.10", "python3" */
static bool is_library_folder(const struct component *folder)
{
        size_t begin = folder->len > 6 && !memcmp(folder->at, "python", 6) ? 6
                       : folder->len > 4 && !memcmp(folder->at, "pypy", 4) ? 4
                                                                           : 0;

        for (size_t i = begin; begin && i < folder->len; i++) {
                if (!isdigit((unsigned char)folder->at[i]) && folder->at[i] != '.' && folder->at[i] != 't')
                        return false;
        }
        return begin;
}

/* "python311.zip": the standard library of embedded interpreters. */
static bool is_library_archive(const struct component *file)
{
        return file->len > 10 && !memcmp(file->at, "python3", 7) &&
               !memcmp(file->at + file->len - 4, ".zip", 4);
}

/* A module in one file stands for itself: "six.py". */
static void add_distribution(const struct component *name, struct buf *out)
{
        size_t len = name->len;

        if (len > 3 && !memcmp(name->at + len - 3, ".py", 3))
                len -= 3;
        buf_add(out, name->at, len);
}

/* Windows has the standard library in Lib, like CPython's own source. */
void python_package_add(const char *path, struct buf *out)
{
        struct component at, before = {"", 0};
        bool is_standard = text_starts(path, "<frozen ");

        if (!*path)
                return;
        while (next_component(&path, &at)) {
                if ((is_named(&at, "site-packages") || is_named(&at, "dist-packages")) &&
                    next_component(&path, &at)) {
                        add_distribution(&at, out);
                        return;
                }
                is_standard |= is_library_archive(&at) || (is_named(&at, "Lib") && *path);
                is_standard |= (is_named(&before, "lib") || is_named(&before, "lib64")) &&
                               is_library_folder(&at) && *path;
                before = at;
        }
        buf_add_str(out, is_standard ? "standard library" : "my code");
}
