/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides what is kept of lost files, and bounds its time and memory: symbols and frames of the sampled
 * addresses, beginning with the modules that have the most. */
#include <stdlib.h>

#include "archive_internal.h"
#include "kept_names_internal.h"
#include "mem.h"
#include "module_source.h"
#include "os.h"

enum {
        MAX_FRAMES_BYTES = 256 << 20, /* total size of the files whose frames are looked up */
        MAX_NAMES_NS = 2000000000,    /* for all files */
        BATCH_MODULES = 64,
        BATCH_BYTES = 64 << 20, /* total file size */
};

static uint64_t file_bytes(const struct collect_result *collected, const struct module *module,
                           const char *path)
{
        const struct kept_file *kept = kept_file_find(collected->kept, collected->n_kept, module, path);

        return kept ? kept->size_bytes : 0;
}

struct lost_module {
        module_id module;
        uint64_t weight, offset; /* weight of samples and callers; offset of some address in the module */
};

static int compare_lost(const void *x, const void *y)
{
        const struct lost_module *a = x, *b = y;

        if (a->weight != b->weight)
                return a->weight > b->weight ? -1 : 1;
        return (a->module > b->module) - (a->module < b->module);
}

static bool is_lost_module(const struct kept_gathering *g, module_id id)
{
        const struct module *module = world_get_module(g->world, id);

        if (module->kind == MODULE_ANON || module->kind == MODULE_JITDUMP)
                return map_find(&g->jits, (uint32_t)module->pid);
        return (module->kind == MODULE_FILE || module->kind == MODULE_IMAGE) &&
               module_source_is_lost(g->session->collected, module, world_text(g->world, module->path));
}

/* The lost modules with addresses in the profile, sorted by weight, largest first. */
static struct lost_module *list_modules(const struct kept_gathering *g, size_t *ret_n)
{
        struct lost_module *list = NULL;
        struct map seen = {0};
        size_t n = 0, cap = 0;

        for (size_t i = 0; i < profile_n_places(g->profile); i++) {
                const struct profile_place *place = profile_get_place(g->profile, i);
                bool is_new = false;
                uint64_t *index =
                        place->module == MODULE_NONE ? NULL : map_put(&seen, place->module, &is_new);

                if (is_new && is_lost_module(g, place->module)) {
                        ARRAY_PUSH(list, n, cap, (struct lost_module){place->module, 0, place->offset});
                        *index = n;
                }
                if (index && *index)
                        list[*index - 1].weight += place->weight;
        }
        map_release(&seen);
        if (n)
                qsort(list, n, sizeof(*list), compare_lost);
        *ret_n = n;
        return list;
}

static void add_places(const struct kept_gathering *g, struct archive_pack *pack)
{
        for (size_t i = 0; i < profile_n_places(g->profile); i++) {
                const struct profile_place *place = profile_get_place(g->profile, i);

                archive_pack_add_place(pack, place->module,
                                       &(struct archive_place){.offset = place->offset,
                                                               .weight = place->weight,
                                                               .is_sampled = place->event == KEPT_IN_SAMPLE});
                if (place->module != MODULE_NONE)
                        module_source_keep_code(g->codes, place->module, place->offset);
        }
        archive_pack_end_places(pack);
}

/* The modules packed with one resolver, which is then freed with all that it read. */
struct batch {
        const struct kept_gathering *g;
        const struct lost_module *list; /* the modules that are left */
        size_t n;
        uint64_t frames_bytes; /* total size of the files whose frames may still be looked up */
};

static uint64_t file_bytes_of(const struct batch *b, const struct lost_module *lost)
{
        const struct module *module = world_get_module(b->g->world, lost->module);

        return file_bytes(b->g->session->collected, module, world_text(b->g->world, module->path));
}

/* Adds the next modules, at least one. */
static void add_modules(struct batch *b, struct archive_pack *pack)
{
        uint64_t sum = 0;

        for (; b->n && sum < BATCH_BYTES && pack->n_modules < BATCH_MODULES; b->list++, b->n--) {
                uint64_t size = file_bytes_of(b, b->list);
                bool is_too_large = size > b->frames_bytes;

                /* Look up an address, so that the note about missing symbols is known. */
                resolver_find(pack->resolver, module_source_get(pack->source, b->list->module),
                              b->list->offset);
                archive_pack_add_module(pack, b->list->module, is_too_large);
                b->frames_bytes -= is_too_large ? 0 : size;
                sum += size;
        }
}

static void pack_batch(struct batch *b, struct module_source *source, struct symbol_archive_writer *writer)
{
        struct archive_pack pack;

        archive_pack_begin(&pack, source, b->g->world);
        symbol_archive_use(writer, pack.resolver);
        add_modules(b, &pack);
        add_places(b->g, &pack);
        archive_pack_choose(&pack, 0);
        archive_pack_write(&pack, writer);
        archive_pack_release(&pack);
}

size_t kept_names_pack(const struct kept_gathering *g, struct pe_images *images, struct budget *budget,
                       struct buf *out)
{
        const struct resolver_sources sources = {.budget = budget};
        const struct resolver_options options = {.sources = &sources};
        AUTO(symbol_archive_writer) writer = symbol_archive_writer_new(NULL);
        struct batch b = {.g = g, .frames_bytes = MAX_FRAMES_BYTES};
        struct lost_module *list = list_modules(g, &b.n);
        uint64_t begin_ns = os_monotonic_ns();
        bool any = b.n;

        symbol_archive_set_quick(writer);
        for (b.list = list; b.n && os_monotonic_ns() - begin_ns < MAX_NAMES_NS;) {
                AUTO(module_source)
                source = module_source_new(g->world, g->reader, images, &options, g->session->collected);

                pack_batch(&b, source, writer);
        }
        free(list);
        if (any)
                symbol_archive_write(writer, &(struct archive_origin){0}, out, NULL);
        return b.n;
}
