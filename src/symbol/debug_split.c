/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that is there but of another build is as if it were not there: ids decide. */
#include "debug_split.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "mem.h"
#include "object.h"
#include "text.h"

struct debug_split *debug_split_new(const char *path, struct budget *budget)
{
        struct debug_split *split = mem_new(1, sizeof(*split));
        AUTO_RELEASE(buf) package = {0};

        split->path = mem_strdup(path);
        buf_printf(&package, "%s.dwp", path);
        split->budget = budget;
        split->package = object_open(buf_text(&package), NULL);
        if (split->package)
                object_set_budget(split->package, budget);
        return split;
}

void debug_split_free(struct debug_split *split)
{
        if (!split)
                return;
        for (size_t i = 0; i < split->n_dwos; i++)
                object_free(split->dwos[i].object);
        free(split->dwos);
        object_free(split->package);
        free(split->path);
        free(split);
}

/* FOLDER/NAME. */
static struct object *try_path(const struct debug_split *split, const char *folder, size_t folder_len,
                               const char *name, uint64_t id)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO(object) candidate = NULL;

        buf_add(&path, folder, folder_len);
        if (folder_len && folder[folder_len - 1] != '/')
                buf_add_char(&path, '/');
        buf_add_str(&path, name);
        candidate = object_open(buf_text(&path), NULL);
        if (candidate)
                object_set_budget(candidate, split->budget);
        return candidate && dwarf_has_split_unit(candidate, id) ? TAKE(candidate) : NULL;
}

static struct object *search(const struct debug_split *split, const struct dwarf_dwo *dwo)
{
        const char *base = text_base_name(dwo->name);
        size_t beside_len = (size_t)(text_base_name(split->path) - split->path);
        struct object *found = NULL;

        if (dwo->name[0] == '/')
                found = try_path(split, "", 0, dwo->name, dwo->id);
        else if (dwo->folder)
                found = try_path(split, dwo->folder, strlen(dwo->folder), dwo->name, dwo->id);
        if (!found && dwo->name[0] != '/')
                found = try_path(split, split->path, beside_len, dwo->name, dwo->id);
        if (!found && base != dwo->name)
                found = try_path(split, split->path, beside_len, base, dwo->id);
        return found;
}

static bool is_same_file(const struct dwarf_dwo *a, const struct dwarf_dwo *b)
{
        return !strcmp(a->name, b->name) && !strcmp(a->folder ? a->folder : "", b->folder ? b->folder : "");
}

static struct object *open_dwo(void *ctx, const struct dwarf_dwo *dwo)
{
        struct debug_split *split = ctx;
        size_t at = 0;
        struct debug_dwo opened;

        for (; at < split->n_dwos && split->dwos[at].wanted.id <= dwo->id; at++) {
                if (split->dwos[at].wanted.id != dwo->id)
                        continue;
                if (is_same_file(&split->dwos[at].wanted, dwo))
                        return split->dwos[at].object;
                split->is_ambiguous = true;
        }
        opened = (struct debug_dwo){*dwo, search(split, dwo)};
        ARRAY_PUSH(split->dwos, split->n_dwos, split->cap_dwos, opened);
        memmove(split->dwos + at + 1, split->dwos + at, (split->n_dwos - 1 - at) * sizeof(*split->dwos));
        split->dwos[at] = opened;
        return opened.object;
}

void debug_split_open(struct debug_split *split, const struct dwarf_dwo *dwo)
{
        open_dwo(split, dwo);
}

struct dwarf_split debug_split_get(struct debug_split *split)
{
        return (struct dwarf_split){.package = split->package, .open_dwo = open_dwo, .ctx = split};
}

bool debug_split_is_changed(const struct debug_split *split)
{
        if (split->package && object_is_changed(split->package))
                return true;
        for (size_t i = 0; i < split->n_dwos; i++) {
                if (split->dwos[i].object && object_is_changed(split->dwos[i].object))
                        return true;
        }
        return false;
}

bool debug_split_check(const struct debug_split *split, struct err *err)
{
        if (split->package && !object_check(split->package, err))
                return false;
        for (size_t i = 0; i < split->n_dwos; i++) {
                if (split->dwos[i].object && !object_check(split->dwos[i].object, err))
                        return false;
        }
        return true;
}
