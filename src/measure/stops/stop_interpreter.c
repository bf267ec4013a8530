/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognizes Python interpreters: their file defines the state of a CPython, or needs libpython. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "object.h"
#include "os.h"
#include "python_binary.h"
#include "stop_internal.h"

enum { NO = 1, YES = 2 };

static bool read_section(struct object *object, const char *name, struct cursor *ret)
{
        const struct object_section *section = object_find_section(object, name);

        return section && object_read_section(object, section, ret, NULL);
}

/* Checks the DT_NEEDED entries. */
static bool needs_libpython(struct object *object)
{
        enum { NEEDED = 1, ENTRY_BYTES = 16 };
        struct cursor entries, names;

        if (!read_section(object, ".dynamic", &entries) || !read_section(object, ".dynstr", &names))
                return false;
        while (cursor_left(&entries) >= ENTRY_BYTES) {
                uint64_t tag = cursor_u64(&entries), off = cursor_u64(&entries);
                struct cursor name = names;

                if (tag == NEEDED && cursor_skip(&name, off) &&
                    !strncmp((const char *)name.at, "libpython", cursor_left(&name) < 9 ? 0 : 9) &&
                    cursor_left(&name) > 9)
                        return true;
        }
        return false;
}

/* Programs of another machine or with 32 bits have other registers. */
static bool is_ours(const struct object *object)
{
        enum object_machine wanted =
                linux_arch()->id == ARCH_ARM64 ? OBJECT_MACHINE_ARM64 : OBJECT_MACHINE_X86_64;
        const struct object_facts *facts = object_get_facts(object);

        return facts->format == OBJECT_ELF && facts->machine == wanted && facts->address_bytes == 8;
}

static bool is_interpreter(const char *path)
{
        AUTO(object) object = object_open(path, NULL);

        return object && is_ours(object) && (needs_libpython(object) || python_binary_defines(object));
}

bool stop_interpreter_is(struct stop_guardian *g, int32_t pid)
{
        struct os_stat file;
        uint64_t *known;
        char path[64];
        bool is;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/exe", pid);
        if (!os_stat(path, &file))
                return false;
        os_lock_enter(g->files_lock);
        known = map_put(&g->interpreters,
                        map_mix(file.inode + map_mix(file.dev + map_mix((uint64_t)file.ctime_ns))), NULL);
        if (!*known)
                *known = is_interpreter(path) ? YES : NO;
        is = *known == YES;
        os_lock_leave(g->files_lock);
        return is;
}
