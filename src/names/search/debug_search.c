/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks in the same folders as gdb and perf; asks the network last, and only if the caller allows it. */
#include "debug_search.h"

#include <string.h>

#include "buf.h"
#include "err.h"
#include "text.h"

struct debug_search {
        const struct debug_wanted *wanted;
        const char *link; /* the name in .gnu_debuglink, or NULL */
        uint32_t crc;
        struct buf path;    /* path of the candidate */
        struct buf refused; /* path of the first candidate of another build */
        struct err garbage; /* why the file from the network is not an object file */
};

static bool belongs(const struct debug_search *search, const struct object *candidate)
{
        const struct debug_wanted *wanted = search->wanted;
        const struct object_facts *facts = object_get_facts(candidate);

        if (wanted->build_id_size && facts->build_id_size)
                return object_build_id_equal(wanted->build_id, wanted->build_id_size, facts->build_id,
                                             facts->build_id_size);
        return search->link && object_crc32(candidate) == search->crc;
}

/* Opens the file at search->path, if it exists and belongs to the object. */
static struct object *try_path(struct debug_search *search)
{
        AUTO(object) candidate = object_open(buf_text(&search->path), NULL);

        if (!candidate)
                return NULL;
        object_set_budget(candidate, search->wanted->budget);
        if (!belongs(search, candidate)) {
                if (!search->refused.len)
                        buf_add_str(&search->refused, buf_text(&search->path));
                return NULL;
        }
        return TAKE(candidate);
}

static struct object *search_by_build_id(struct debug_search *search)
{
        const struct debug_wanted *wanted = search->wanted;
        char hex[2 * OBJECT_BUILD_ID_BYTES + 1];

        if (wanted->build_id_size < 2 || wanted->build_id_size > OBJECT_BUILD_ID_BYTES)
                return NULL;
        text_hex(hex, wanted->build_id, wanted->build_id_size);
        for (const char *const *dir = wanted->dirs; *dir; dir++) {
                struct object *found;

                buf_clear(&search->path);
                buf_printf(&search->path, "%s/.build-id/%.2s/%s.debug", *dir, hex, hex + 2);
                found = try_path(search);
                if (found)
                        return found;
        }
        return NULL;
}

/* A file from the network is checked like any other candidate. */
static struct object *search_remote(struct debug_search *search)
{
        const struct debug_wanted *wanted = search->wanted;
        AUTO(object) any = NULL;

        if (!wanted->remote || !wanted->build_id_size || wanted->build_id_size > OBJECT_BUILD_ID_BYTES)
                return NULL;
        buf_clear(&search->path);
        if (!wanted->remote->find(wanted->remote->ctx, wanted->build_id, wanted->build_id_size,
                                  text_base_name(wanted->path), &search->path))
                return NULL;
        any = object_open(buf_text(&search->path), &search->garbage);
        return any ? try_path(search) : NULL;
}

/* FOLDER[SUB]/LINK, where FOLDER is the object file's folder below `root`. */
static struct object *try_link(struct debug_search *search, const char *root, const char *sub)
{
        const char *path = search->wanted->path;
        int folder_len = (int)(text_base_name(path) - path);

        buf_clear(&search->path);
        buf_printf(&search->path, "%s%.*s%s%s", root, folder_len, path, sub, search->link);
        if (!strcmp(buf_text(&search->path), path))
                return NULL;
        return try_path(search);
}

static struct object *search_by_link(struct debug_search *search)
{
        const struct debug_wanted *wanted = search->wanted;
        struct object *found;

        if (!wanted->own || !object_get_debuglink(wanted->own, &search->link, &search->crc))
                return NULL;
        found = try_link(search, "", "");
        if (!found)
                found = try_link(search, "", ".debug/");
        for (const char *const *dir = wanted->dirs; !found && wanted->path[0] == '/' && *dir; dir++)
                found = try_link(search, *dir, "");
        return found;
}

/* Adds to the note why the files that were found are not used. */
static void say_refused(const struct debug_search *search, struct buf *note)
{
        if (note->len)
                return;
        if (search->refused.len)
                buf_printf(note, "debug file %s is of another build", buf_text(&search->refused));
        else if (search->garbage.code)
                buf_printf(note, "debug file %s", search->garbage.text);
}

struct object *debug_search(const struct debug_wanted *wanted, struct buf *note)
{
        struct debug_search search = {.wanted = wanted};
        struct object *found = search_by_build_id(&search);

        if (!found)
                found = search_by_link(&search);
        if (!found)
                found = search_remote(&search);
        if (!found)
                say_refused(&search, note);
        buf_release(&search.path);
        buf_release(&search.refused);
        return found;
}

/* --- The file that several debug files share --- */

/* FILE NUL BUILD-ID. */
static bool read_altlink(struct object *object, const char **ret_name, struct cursor *ret_build_id)
{
        const struct object_section *section = object_find_section(object, ".gnu_debugaltlink");

        if (!section || !object_read_section(object, section, ret_build_id, NULL))
                return false;
        *ret_name = cursor_str(ret_build_id, NULL);
        return *ret_name && **ret_name;
}

/* The name is absolute, or relative to the folder of the debug file. */
static struct object *search_by_altlink(struct debug_search *search, const char *debug_path, const char *name)
{
        if (name[0] != '/')
                buf_add(&search->path, debug_path, (size_t)(text_base_name(debug_path) - debug_path));
        buf_add_str(&search->path, name);
        return try_path(search);
}

struct object *debug_search_alt(struct object *debug, const char *const *dirs,
                                const struct debug_remote *remote, struct buf *note)
{
        struct cursor build_id;
        const char *name;
        struct debug_wanted wanted = {.dirs = dirs, .remote = remote, .budget = object_budget(debug)};
        struct debug_search search = {.wanted = &wanted};
        struct object *found;

        if (!read_altlink(debug, &name, &build_id))
                return NULL;
        wanted.path = name;
        wanted.build_id = build_id.at;
        wanted.build_id_size = cursor_left(&build_id);
        found = search_by_altlink(&search, object_name(debug), name);
        if (!found)
                found = search_by_build_id(&search);
        if (!found)
                found = search_remote(&search);
        if (!found && !note->len)
                buf_printf(note, "%s, which holds a part of its debug information, %s", name,
                           search.refused.len ? "is of another build" : "was not found");
        buf_release(&search.path);
        buf_release(&search.refused);
        return found;
}
