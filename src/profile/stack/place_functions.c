/* SPDX-License-Identifier: BSD-3-Clause */
#include "place_functions.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "place_frames.h"
#include "place_names.h"
#include "place_python.h"

/* What a call tree shows of a place, as numbers: module, symbol and inlined functions. */
struct identity {
        size_t first, n; /* range in `words` */
};

/* The places of one part, which have their own numbers. */
struct function_part {
        size_t n_done;
        uint32_t *first_of; /* for each function: its first place + 1; 0 for none */
        size_t n_first_of;
};

struct place_functions {
        struct place_functions_request request;
        struct strpool *texts; /* for `names`, which is used only to look up symbols */
        struct place_names names;
        struct places places; /* of all parts */
        uint32_t *functions;  /* for each place */
        size_t n_looked_up, cap_functions;
        struct identity *identities; /* for each function */
        size_t n_identities, cap_identities;
        uint64_t *words;
        size_t n_words, cap_words;
        struct map by_hash; /* hash of an identity, or the next free key, to its function */
        struct function_part *parts;
        size_t n_parts;
};

struct place_functions *place_functions_new(const struct place_functions_request *request)
{
        struct place_functions *f = mem_new(1, sizeof(*f));

        f->request = *request;
        f->texts = strpool_new();
        f->names = (struct place_names){f->texts, request->resolver, request->modules, {0}};
        places_init(&f->places, false);
        return f;
}

void place_functions_free(struct place_functions *f)
{
        if (!f)
                return;
        for (size_t i = 0; i < f->n_parts; i++)
                free(f->parts[i].first_of);
        free(f->parts);
        map_release(&f->by_hash);
        free(f->words);
        free(f->identities);
        free(f->functions);
        places_release(&f->places);
        place_names_release(&f->names);
        strpool_free(f->texts);
        free(f);
}

/* --- Functions --- */

static void add_word(struct place_functions *f, uint64_t word)
{
        ARRAY_PUSH(f->words, f->n_words, f->cap_words, word);
}

/* Returns the number of the function whose identity is the words from `first` on. */
static uint32_t intern(struct place_functions *f, size_t first)
{
        size_t n = f->n_words - first, size = n * sizeof(*f->words);
        uint64_t hash = map_hash_bytes(f->words + first, size), *number;
        bool is_new;

        for (;; hash++) {
                const struct identity *same;

                number = map_put(&f->by_hash, hash, &is_new);
                if (is_new)
                        break;
                same = &f->identities[*number];
                if (same->n == n && !memcmp(f->words + same->first, f->words + first, size)) {
                        f->n_words = first;
                        return (uint32_t)*number;
                }
        }
        *number = f->n_identities;
        ARRAY_PUSH(f->identities, f->n_identities, f->cap_identities, (struct identity){first, n});
        return (uint32_t)f->n_identities - 1;
}

static bool can_ask(const struct place_functions *f, const struct code_place *place)
{
        const struct place_modules *modules = f->request.modules;
        struct module_facts facts;

        if (place->module == MODULE_NONE)
                return false;
        modules->tell(modules->ctx, place->module, &facts);
        return facts.is_settled;
}

/* The function of a Python place, or its line. */
static uint32_t python_of(struct place_functions *f, const struct code_place *place)
{
        size_t first = f->n_words;
        struct place_python python;
        bool is_function = !f->request.python_lines && place_python_find(&f->names, place, &python);

        add_word(f, (uint64_t)place->module << 32 | (is_function ? python.function : 0));
        add_word(f, is_function ? UINT64_MAX : place->offset);
        return intern(f, first);
}

/* `index` is the index in `frames`, which may be NULL. */
static uint32_t function_of(struct place_functions *f, const struct code_place *place,
                            const struct place_frames *frames, size_t index)
{
        const struct resolver_frame *inlined = NULL;
        size_t first = f->n_words, n = frames ? place_frames_get(frames, index, &inlined) : 0;
        struct symbol symbol;

        if (!can_ask(f, place)) {
                add_word(f, UINT64_MAX);
                add_word(f, f->n_looked_up + index);
                return intern(f, first);
        }
        if (place_python_is(f->request.modules, place->module))
                return python_of(f, place);
        symbol = place_names_symbol(&f->names, place->module, place->offset);
        add_word(f, (uint64_t)place->module << 32 | (uint64_t)symbol.status << 1 | place->is_kernel);
        add_word(f, (uint64_t)symbol.module << 32 | (symbol.status == SYMBOL_NAMED ? symbol.name : 0));
        add_word(f, symbol.status == SYMBOL_RANGE ? symbol.start : 0);
        for (size_t i = 0; i < n; i++)
                add_word(f, inlined[i].function);
        return intern(f, first);
}

static void look_up(struct place_functions *f)
{
        size_t n = f->places.n - f->n_looked_up;
        const struct code_place *items = f->places.items + f->n_looked_up;
        struct place_frames *frames = NULL;
        struct place_at *at = mem_new(n, sizeof(*at));

        for (size_t i = 0; i < n; i++)
                at[i] = (struct place_at){can_ask(f, &items[i]) ? items[i].module : MODULE_NONE,
                                          items[i].offset};
        if (f->request.inlines)
                frames = place_frames_new(at, n, f->request.resolver, f->request.modules);
        for (size_t i = 0, n_functions = f->n_looked_up; i < n; i++)
                ARRAY_PUSH(f->functions, n_functions, f->cap_functions, function_of(f, &items[i], frames, i));
        f->n_looked_up = f->places.n;
        place_frames_free(frames);
        free(at);
}

/* --- Stacks --- */

static struct function_part *get_part(struct place_functions *f, size_t index)
{
        if (index >= f->n_parts) {
                f->parts = mem_resize(f->parts, index + 1, sizeof(*f->parts));
                memset(f->parts + f->n_parts, 0, (index + 1 - f->n_parts) * sizeof(*f->parts));
                f->n_parts = index + 1;
        }
        return &f->parts[index];
}

static void fit_functions(struct function_part *part, size_t n)
{
        if (part->n_first_of >= n)
                return;
        part->first_of = mem_resize(part->first_of, n, sizeof(*part->first_of));
        memset(part->first_of + part->n_first_of, 0, (n - part->n_first_of) * sizeof(*part->first_of));
        part->n_first_of = n;
}

void place_functions_share(struct place_functions *f, struct stacks *stacks, size_t index)
{
        struct function_part *part = get_part(f, index);
        size_t first = part->n_done, n = stacks_n_places(stacks) - first;
        uint32_t *numbers = mem_new(n, sizeof(*numbers));

        for (size_t i = 0; i < n; i++)
                numbers[i] = places_add(&f->places, stacks_get_place(stacks, (uint32_t)(first + i)));
        if (f->places.n > f->n_looked_up)
                look_up(f);
        fit_functions(part, f->n_identities);
        for (size_t i = 0; i < n; i++) {
                uint32_t *first_of = &part->first_of[f->functions[numbers[i]]];

                if (!*first_of)
                        *first_of = (uint32_t)(first + i) + 1;
                stacks_share_place(stacks, (uint32_t)(first + i), *first_of - 1);
        }
        part->n_done += n;
        free(numbers);
}
