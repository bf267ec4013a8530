/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens mapped files for their unwind tables: through the keeper's descriptors, else by path, and the vdso of
 * this process, which is the same in all processes. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux_unwinder.h"
#include "mem.h"
#include "object.h"
#include "os.h"
#include "stop_binary.h"
#include "unwind_cfi.h"
#include "unwind_outermost.h"

enum {
        MAX_OPEN = 256,
        MAX_ROWS = 1 << 17, /* unwind rows of all modules together; about 50 bytes each */
        COUNT_EVERY = 1024, /* in walks */
};

/* Opens the keeper's file for a module, the newest first. */
static struct object *open_kept(const struct keeper *keeper, const struct module *module, const char *path)
{
        const struct kept_file *kept = kept_file_find(keeper->kept.items, keeper->kept.n, module, path);
        char name[32];

        if (!kept)
                return NULL;
        snprintf(name, sizeof(name), "/proc/self/fd/%d", kept->fd);
        return object_open(name, NULL);
}

/* Opens the file at the module's path; another file may be there now, so its build id is compared. */
static struct object *open_at_path(const struct module *module, const char *path)
{
        AUTO(object) object = NULL;
        const struct object_facts *facts;

        if (module->deleted || path[0] != '/')
                return NULL;
        object = object_open(path, NULL);
        if (!object)
                return NULL;
        facts = object_get_facts(object);
        if (module->build_id_size && !object_build_id_equal(facts->build_id, facts->build_id_size,
                                                            module->build_id, module->build_id_size))
                return NULL;
        return TAKE(object);
}

static struct object *open_vdso(void)
{
        const uint8_t *image;
        size_t size;

        return os_vdso(&image, &size) ? object_open_bytes(image, size, "[vdso]", NULL) : NULL;
}

static void open_module(struct loaded *l, module_id id, struct loaded_module *item)
{
        const struct module *module = world_get_module(l->world, id);
        const char *path = world_text(l->world, module->path);

        item->is_open = true;
        if (module->kind == MODULE_VDSO)
                item->object = open_vdso();
        if (module->kind != MODULE_FILE && module->kind != MODULE_IMAGE && module->kind != MODULE_VDSO)
                return;
        if (!item->object)
                item->object = open_kept(l->keeper, module, path);
        if (!item->object)
                item->object = open_at_path(module, path);
        if (!item->object)
                return;
        object_set_budget(item->object, &l->budget);
        item->is_python =
                l->finds_python && module->kind == MODULE_FILE && stop_binary_is_python(item->object);
        item->cfi = cfi_open(item->object, NULL, NULL);
        item->outermost = outermost_new(item->object, item->cfi);
}

static void close_module(struct loaded_module *item)
{
        outermost_free(item->outermost);
        cfi_free(item->cfi);
        object_free(item->object);
        *item = (struct loaded_module){0};
}

static void close_oldest(struct loaded *l)
{
        size_t oldest = 0;

        for (size_t i = 1; i < l->n_open; i++) {
                if (l->items[l->open[i]].used < l->items[l->open[oldest]].used)
                        oldest = i;
        }
        close_module(&l->items[l->open[oldest]]);
        l->open[oldest] = l->open[--l->n_open];
}

static size_t count_rows(const struct loaded *l)
{
        size_t n = 0;

        for (size_t i = 0; i < l->n_open; i++) {
                const struct loaded_module *item = &l->items[l->open[i]];

                n += item->cfi ? cfi_get_counts(item->cfi).n_held : 0;
        }
        return n;
}

void loaded_begin_walk(struct loaded *l)
{
        l->walk++;
        while (l->n_open > MAX_OPEN)
                close_oldest(l);
        while (l->walk % COUNT_EVERY == 0 && l->n_open && count_rows(l) > MAX_ROWS)
                close_oldest(l);
}

void loaded_close_all(struct loaded *l)
{
        for (size_t i = 0; i < l->n_open; i++)
                close_module(&l->items[l->open[i]]);
        l->n_open = 0;
}

const struct loaded_module *loaded_get(struct loaded *l, module_id id)
{
        struct loaded_module *item;

        if (id >= l->n_items) {
                size_t n = world_n_modules(l->world);

                assert(id < n);
                l->items = mem_resize(l->items, n, sizeof(*l->items));
                memset(l->items + l->n_items, 0, (n - l->n_items) * sizeof(*l->items));
                l->n_items = n;
        }
        item = &l->items[id];
        if (!item->is_open) {
                open_module(l, id, item);
                ARRAY_PUSH(l->open, l->n_open, l->cap_open, id);
        }
        item->used = l->walk;
        return item;
}

void loaded_release(struct loaded *l)
{
        loaded_close_all(l);
        budget_release(&l->budget);
        free(l->items);
        free(l->open);
}
