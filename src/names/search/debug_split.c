/* SPDX-License-Identifier: BSD-3-Clause */
/* A file of another build counts as missing: ids decide. */
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
                for (size_t k = 0; k < DEBUG_DWO_PLACES; k++)
                        object_free(split->dwos[i].places[k]);
        free(split->dwos);
        object_free(split->package);
        free(split->path);
        free(split);
}

/* FOLDER/NAME; NULL if this is one of the open files. */
static struct object *open_place(const struct debug_split *split, const char *folder, size_t folder_len,
                                 const char *name, struct object *const *others)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO(object) object = NULL;
        struct object_file file, other;

        buf_add(&path, folder, folder_len);
        if (folder_len && folder[folder_len - 1] != '/')
                buf_add_char(&path, '/');
        buf_add_str(&path, name);
        object = object_open(buf_text(&path), NULL);
        if (!object || !object_get_file(object, &file))
                return NULL;
        for (size_t i = 0; i < DEBUG_DWO_PLACES; i++) {
                if (others[i] && object_get_file(others[i], &other) && !memcmp(&file, &other, sizeof(file)))
                        return NULL;
        }
        object_set_budget(object, split->budget);
        return TAKE(object);
}

static void open_places(const struct debug_split *split, struct debug_dwo *dwo)
{
        const char *name = dwo->wanted.name, *folder = dwo->wanted.folder, *base = text_base_name(name);
        size_t beside_len = (size_t)(text_base_name(split->path) - split->path);

        if (name[0] == '/')
                folder = "";
        if (folder)
                dwo->places[0] = open_place(split, folder, strlen(folder), name, dwo->places);
        if (name[0] != '/')
                dwo->places[1] = open_place(split, split->path, beside_len, name, dwo->places);
        if (base != name)
                dwo->places[2] = open_place(split, split->path, beside_len, base, dwo->places);
}

static bool is_same_file(const struct dwarf_dwo *a, const struct dwarf_dwo *b)
{
        return !strcmp(a->name, b->name) && !strcmp(a->folder ? a->folder : "", b->folder ? b->folder : "");
}

static struct debug_dwo *get_dwo(struct debug_split *split, const struct dwarf_dwo *dwo)
{
        struct debug_dwo opened = {.wanted = *dwo};
        size_t at = 0;

        for (; at < split->n_dwos && split->dwos[at].wanted.id <= dwo->id; at++) {
                if (split->dwos[at].wanted.id != dwo->id)
                        continue;
                if (is_same_file(&split->dwos[at].wanted, dwo))
                        return &split->dwos[at];
                split->is_ambiguous = true;
        }
        open_places(split, &opened);
        ARRAY_PUSH(split->dwos, split->n_dwos, split->cap_dwos, opened);
        memmove(split->dwos + at + 1, split->dwos + at, (split->n_dwos - 1 - at) * sizeof(*split->dwos));
        split->dwos[at] = opened;
        return &split->dwos[at];
}

void debug_split_open(struct debug_split *split, const struct dwarf_dwo *dwo)
{
        get_dwo(split, dwo);
}

static struct object *search(void *ctx, const struct dwarf_dwo *wanted)
{
        struct debug_dwo *dwo = get_dwo(ctx, wanted);

        for (size_t i = 0; i < DEBUG_DWO_PLACES && !dwo->is_searched && !dwo->object; i++) {
                if (dwo->places[i] && dwarf_has_split_unit(dwo->places[i], wanted->id))
                        dwo->object = dwo->places[i];
        }
        dwo->is_searched = true;
        return dwo->object;
}

struct dwarf_split debug_split_get(struct debug_split *split)
{
        return (struct dwarf_split){.package = split->package, .open_dwo = search, .ctx = split};
}

bool debug_split_is_changed(const struct debug_split *split)
{
        if (split->package && object_is_changed(split->package))
                return true;
        for (size_t i = 0; i < split->n_dwos * DEBUG_DWO_PLACES; i++) {
                const struct object *object = split->dwos[i / DEBUG_DWO_PLACES].places[i % DEBUG_DWO_PLACES];

                if (object && object_is_changed(object))
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
