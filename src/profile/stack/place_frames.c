/* SPDX-License-Identifier: BSD-3-Clause */
#include "place_frames.h"

#include <stdlib.h>

#include "mem.h"

struct at {
        resolver_id module;
        uint64_t addr;
        size_t place;
};

struct place_frames {
        struct resolver_frames *modules; /* in the order of the lookups */
        size_t n_modules, cap_modules;
        struct {
                uint32_t module; /* UINT32_MAX for none */
                uint32_t span;
        } * places;
};

static int compare(const void *a, const void *b)
{
        const struct at *x = a, *y = b;

        if (x->module != y->module)
                return x->module < y->module ? -1 : 1;
        return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Looks up the addresses of one module in order; addresses may be repeated. */
static void find_module(struct place_frames *f, struct resolver *resolver, const struct at *order, size_t n)
{
        uint64_t *addrs = mem_new(n, sizeof(*addrs));
        struct resolver_frames found;
        size_t n_distinct = 0;

        for (size_t i = 0; i < n; i++) {
                if (!n_distinct || order[i].addr != addrs[n_distinct - 1])
                        addrs[n_distinct++] = order[i].addr;
                f->places[order[i].place].module = (uint32_t)f->n_modules;
                f->places[order[i].place].span = (uint32_t)n_distinct - 1;
        }
        resolver_find_frames(resolver, order[0].module, addrs, n_distinct, &found);
        ARRAY_PUSH(f->modules, f->n_modules, f->cap_modules, found);
        free(addrs);
}

/* Lists the places that a resolver can look up; returns their number. */
static size_t list_places(struct place_frames *f, const struct place_at *places, size_t n_places,
                          struct resolver *resolver, const struct place_modules *modules, struct at *order)
{
        size_t n = 0;

        for (size_t i = 0; i < n_places; i++) {
                struct at at = {.place = i};

                f->places[i].module = UINT32_MAX;
                if (places[i].module == MODULE_NONE)
                        continue;
                at.module = modules->get(modules->ctx, places[i].module);
                if (resolver_to_addr(resolver, at.module, places[i].offset, &at.addr))
                        order[n++] = at;
        }
        return n;
}

struct place_frames *place_frames_new(const struct place_at *places, size_t n_places,
                                      struct resolver *resolver, const struct place_modules *modules)
{
        struct place_frames *f = mem_new(1, sizeof(*f));
        struct at *order = mem_new(n_places, sizeof(*order));
        size_t n, end;

        f->places = mem_new(n_places, sizeof(*f->places));
        n = list_places(f, places, n_places, resolver, modules, order);
        if (n)
                qsort(order, n, sizeof(*order), compare);
        for (size_t i = 0; i < n; i = end) {
                for (end = i + 1; end < n && order[end].module == order[i].module; end++)
                        ;
                find_module(f, resolver, order + i, end - i);
        }
        free(order);
        return f;
}

struct place_frames *place_frames_of_stacks(const struct stacks *stacks, struct resolver *resolver,
                                            const struct place_modules *modules)
{
        size_t n = stacks_n_places(stacks);
        struct place_at *places = mem_new(n, sizeof(*places));
        struct place_frames *frames;

        for (size_t i = 0; i < n; i++) {
                const struct code_place *place = stacks_get_place(stacks, (uint32_t)i);

                places[i] = (struct place_at){place->module, place->offset};
        }
        frames = place_frames_new(places, n, resolver, modules);
        free(places);
        return frames;
}

void place_frames_free(struct place_frames *f)
{
        if (!f)
                return;
        for (size_t i = 0; i < f->n_modules; i++)
                resolver_frames_release(&f->modules[i]);
        free(f->modules);
        free(f->places);
        free(f);
}

size_t place_frames_get(const struct place_frames *f, size_t place, const struct resolver_frame **ret_frames)
{
        const struct resolver_frames *found;
        uint32_t span = f->places[place].span;

        if (f->places[place].module == UINT32_MAX)
                return 0;
        found = &f->modules[f->places[place].module];
        if (found->spans[span].n)
                *ret_frames = found->frames + found->spans[span].first;
        return found->spans[span].n;
}
