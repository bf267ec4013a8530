/* SPDX-License-Identifier: BSD-3-Clause */
#include "elf_search.h"

#include <string.h>

#include "buf.h"
#include "os.h"
#include "text.h"

struct elf_search {
        const struct elf_wanted *wanted;
        struct buf path;    /* path of the candidate */
        struct buf refused; /* path of the first candidate of another build */
};

/* Whether no component of a path is `..`, so that it stays below the folder to which it is appended. */
static bool stays_below(const char *path)
{
        for (const char *at = path; *at;) {
                size_t len = strcspn(at, "/");

                if (len == 2 && !memcmp(at, "..", 2))
                        return false;
                at += len + (at[len] == '/');
        }
        return true;
}

/* Links in a folder of other users may lead anywhere. */
static bool is_inside(const char *dir, const char *path)
{
        AUTO_RELEASE(buf) real_dir = {0};
        AUTO_RELEASE(buf) real = {0};

        if (!os_real_path(dir, &real_dir) || !os_real_path(path, &real))
                return false;
        if (!strcmp(buf_text(&real_dir), "/"))
                return true;
        return real.len > real_dir.len && !memcmp(real.data, real_dir.data, real_dir.len) &&
               real.data[real_dir.len] == '/';
}

static bool is_replaced(const struct elf_wanted *wanted, const struct os_stat *there)
{
        struct os_stat at_path;

        return wanted->is_replaced && os_stat(wanted->path, &at_path) && at_path.dev == there->dev &&
               at_path.inode == there->inode;
}

static struct object *try_path(struct elf_search *search, const char *dir)
{
        const struct elf_wanted *wanted = search->wanted;
        const char *path = buf_text(&search->path);
        const struct object_facts *facts;
        AUTO(object) object = NULL;
        struct os_stat there;

        if (!os_stat(path, &there) || !there.is_file || is_replaced(wanted, &there) || !is_inside(dir, path))
                return NULL;
        object = object_open(path, NULL);
        facts = object ? object_get_facts(object) : NULL;
        if (!facts || facts->format != OBJECT_ELF)
                return NULL;
        if (!wanted->build_id_size || object_build_id_equal(facts->build_id, facts->build_id_size,
                                                            wanted->build_id, wanted->build_id_size))
                return TAKE(object);
        if (!search->refused.len)
                buf_add_str(&search->refused, path);
        return NULL;
}

/* DIR/NAME, where `name` may contain folders. */
static struct object *try_name(struct elf_search *search, const char *dir, const char *name)
{
        while (*name == '/')
                name++;
        if (!*name || !stays_below(name))
                return NULL;
        buf_clear(&search->path);
        buf_printf(&search->path, "%s/%s", *dir ? dir : ".", name);
        return try_path(search, *dir ? dir : ".");
}

static struct object *search_dirs(struct elf_search *search)
{
        const struct elf_wanted *wanted = search->wanted;

        for (const char *const *dir = wanted->places->dirs; dir && *dir; dir++) {
                struct object *found = try_name(search, *dir, wanted->path);

                if (!found)
                        found = try_name(search, *dir, text_base_name(wanted->path));
                if (found)
                        return found;
        }
        return NULL;
}

/* DIR/.build-id/AB/CDEF... is a folder with the file `elf`; before perf 4.13 it was the file itself. */
static struct object *search_cache(struct elf_search *search)
{
        const struct elf_wanted *wanted = search->wanted;
        char hex[2 * OBJECT_BUILD_ID_BYTES + 1];
        struct object *found = NULL;

        if (wanted->build_id_size < 2 || wanted->build_id_size > OBJECT_BUILD_ID_BYTES)
                return NULL;
        text_hex(hex, wanted->build_id, wanted->build_id_size);
        for (int old = 0; !found && old < 2; old++) {
                buf_clear(&search->path);
                buf_printf(&search->path, "%s/.build-id/%.2s/%s%s", wanted->places->perf_cache, hex, hex + 2,
                           old ? "" : "/elf");
                found = try_path(search, wanted->places->perf_cache);
        }
        return found;
}

static struct object *end_search(struct elf_search *search, struct object *found, struct buf *note)
{
        if (!found && search->refused.len) {
                buf_clear(note);
                buf_printf(note, "%s is of another build", buf_text(&search->refused));
        }
        buf_release(&search->path);
        buf_release(&search->refused);
        return found;
}

struct object *elf_search_root(const struct elf_wanted *wanted, struct buf *note)
{
        struct elf_search search = {.wanted = wanted};

        if (!wanted->places || !wanted->places->root)
                return NULL;
        return end_search(&search, try_name(&search, wanted->places->root, wanted->path), note);
}

struct object *elf_search(const struct elf_wanted *wanted, struct buf *note)
{
        struct elf_search search = {.wanted = wanted};
        struct object *found = wanted->places ? search_dirs(&search) : NULL;

        if (!found && wanted->session_dir)
                found = try_name(&search, wanted->session_dir, text_base_name(wanted->path));
        if (!found && wanted->places && wanted->places->perf_cache)
                found = search_cache(&search);
        return end_search(&search, found, note);
}
