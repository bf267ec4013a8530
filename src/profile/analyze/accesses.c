/* SPDX-License-Identifier: BSD-3-Clause */
#include "accesses.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"

enum {
        CACHE_SLOTS = 1 << 14,
        CELL_BYTES = 144, /* bytes of memory for a cell, with its slots and its part of the rows */
        DATA_BYTES = 128, /* the same for a page, a line or an object */
        KEY_BYTES = offsetof(struct access_cell, count),
        EXACT_CLASSES = 256, /* latencies that are a class of their own */
        CLASSES_BITS = 7,    /* classes of an octave above */
        CLASSES_OF_OCTAVE = 1 << CLASSES_BITS,
};

_Static_assert(KEY_BYTES == 6 * sizeof(uint32_t), "no padding in the key of a cell");

/* A cached lookup: the place of a code address, valid for this version of the maps. */
struct cached_code {
        uint64_t addr, version;
        uint32_t event, place;
};

struct accesses {
        unsigned keys;
        struct profile *profile;
        struct access_cell *cells;
        size_t n_cells, cap_cells;
        uint32_t *slots; /* index + 1 into cells; 0: free */
        size_t n_slots;  /* a power of two */
        struct access_data *data;
        size_t n_data, cap_data;
        struct map data_of; /* hash to number + 1 */
        struct access_totals *totals;
        size_t n_totals;
        struct cached_code *cache;
        struct budget_share share;
};

/* --- Latencies --- */

unsigned accesses_latency_class(uint64_t cycles)
{
        unsigned shift = 0;

        if (cycles > UINT32_MAX)
                cycles = UINT32_MAX;
        while (cycles >> shift >= EXACT_CLASSES)
                shift++;
        return shift * CLASSES_OF_OCTAVE + (unsigned)(cycles >> shift);
}

uint64_t accesses_latency_of_class(unsigned latency_class)
{
        unsigned shift;

        if (latency_class < EXACT_CLASSES)
                return latency_class;
        shift = (latency_class >> CLASSES_BITS) - 1;
        return (uint64_t)(latency_class - shift * CLASSES_OF_OCTAVE) << shift;
}

/* --- Cells --- */

struct accesses *accesses_new(unsigned code_keys, unsigned keys)
{
        struct accesses *a = mem_new(1, sizeof(*a));

        a->keys = keys;
        a->profile = profile_new(code_keys, NULL);
        a->n_slots = 1024;
        a->slots = mem_new(a->n_slots, sizeof(*a->slots));
        a->cache = mem_new(CACHE_SLOTS, sizeof(*a->cache));
        ARRAY_PUSH(a->data, a->n_data, a->cap_data, (struct access_data){0});
        return a;
}

void accesses_set_budget(struct accesses *a, struct budget *budget)
{
        a->share.budget = budget;
        profile_set_budget(a->profile, budget);
}

void accesses_free(struct accesses *a)
{
        if (!a)
                return;
        budget_share_keep(&a->share, 0);
        map_release(&a->data_of);
        profile_free(a->profile);
        free(a->cells);
        free(a->slots);
        free(a->data);
        free(a->totals);
        free(a->cache);
        free(a);
}

bool accesses_can(const struct perf_attr *attr)
{
        return attr->sample_type & PERF_SAMPLE_DATA_SRC;
}

static size_t slot_of(const struct accesses *a, const struct access_cell *cell)
{
        const uint64_t words[3] = {
                (uint64_t)cell->place << 32 | cell->data,
                (uint64_t)(uint32_t)cell->tid << 32 | cell->offset,
                (uint64_t)cell->latency_class << 32 | (unsigned)cell->level << 8 | cell->what,
        };
        uint64_t hash = words[0] * map_factors[2] + words[1] * map_factors[3];
        size_t mask = a->n_slots - 1, i = map_mix(hash + words[2] * map_factors[5]) & mask;

        while (a->slots[i] && memcmp(&a->cells[a->slots[i] - 1], cell, KEY_BYTES))
                i = (i + 1) & mask;
        return i;
}

static void grow_slots(struct accesses *a)
{
        free(a->slots);
        a->n_slots *= 2;
        a->slots = mem_new(a->n_slots, sizeof(*a->slots));
        for (size_t i = 0; i < a->n_cells; i++)
                a->slots[slot_of(a, &a->cells[i])] = (uint32_t)i + 1;
}

/* NULL: the memory is used up. */
static struct access_cell *find_or_add_cell(struct accesses *a, const struct access_cell *key)
{
        size_t slot = slot_of(a, key);

        if (a->slots[slot])
                return &a->cells[a->slots[slot] - 1];
        if (!budget_share_take(&a->share, BUDGET_ADDRESSES, CELL_BYTES))
                return NULL;
        ARRAY_PUSH(a->cells, a->n_cells, a->cap_cells, *key);
        a->slots[slot] = (uint32_t)a->n_cells;
        if (a->n_cells * 2 > a->n_slots)
                grow_slots(a);
        return &a->cells[a->n_cells - 1];
}

/* --- Data --- */

/* 0: the memory is used up. */
static uint32_t find_or_add_data(struct accesses *a, const struct access_data *wanted)
{
        for (uint64_t hash = map_hash_bytes(wanted, sizeof(*wanted));; hash++) {
                uint64_t *at = map_put(&a->data_of, hash, NULL);

                if (*at && !memcmp(&a->data[*at - 1], wanted, sizeof(*wanted)))
                        return (uint32_t)*at - 1;
                if (*at)
                        continue;
                if (!budget_share_take(&a->share, BUDGET_ADDRESSES, DATA_BYTES)) {
                        map_remove(&a->data_of, hash);
                        return 0;
                }
                ARRAY_PUSH(a->data, a->n_data, a->cap_data, *wanted);
                *at = a->n_data;
                return (uint32_t)*at - 1;
        }
}

static bool is_kernel(uint64_t addr)
{
        return addr >> 63;
}

/* Memory without a file.  A program's .bss is a mapping directly behind its data. */
static struct access_data data_without_file(struct world *world, int32_t pid, uint64_t addr,
                                            const struct place *at)
{
        struct place before = world_find(world, pid, PERF_MISC_USER, at->map_start - 1);
        const char *path = world_text(world, world_get_module(world, at->module)->path);

        if (world_is_stack(world, at->module))
                return (struct access_data){.pid = pid, .memory = ACCESS_IN_STACK};
        if (!strcmp(path, "[heap]"))
                return (struct access_data){.pid = pid, .memory = ACCESS_IN_HEAP};
        if (!world_is_file(world, before.module) || before.map_end != at->map_start)
                return (struct access_data){.pid = pid, .memory = ACCESS_IN_MAPPING};
        return (struct access_data){.pid = pid,
                                    .memory = ACCESS_BEHIND_FILE,
                                    .module = before.module,
                                    .addr = before.offset + 1 + (addr - at->map_start)};
}

static struct access_data data_of_object(struct world *world, int32_t pid, uint64_t addr)
{
        struct place at;

        if (is_kernel(addr))
                return (struct access_data){.memory = ACCESS_IN_KERNEL};
        at = world_find(world, pid, PERF_MISC_USER, addr);
        if (at.module == MODULE_NONE)
                return (struct access_data){.pid = pid, .memory = ACCESS_IN_NO_MAP};
        if (world_is_file(world, at.module))
                return (struct access_data){.memory = ACCESS_IN_FILE, .module = at.module, .addr = at.offset};
        return data_without_file(world, pid, addr, &at);
}

/* The upper half of the address space is the kernel's, in which all processes are the same.  Of an object
 * each word is distinguished, and of a page each line: with each address the cells would be as many as the
 * samples. */
static bool take_address(struct accesses *a, struct world *world, const struct sample *sample,
                         struct access_cell *key)
{
        uint64_t bytes = a->keys & ACCESS_BY_PAGE   ? ACCESS_PAGE_BYTES
                         : a->keys & ACCESS_BY_LINE ? ACCESS_LINE_BYTES
                                                    : ACCESS_WORD_BYTES;
        struct access_data data = {.pid = is_kernel(sample->addr) ? 0 : sample->pid, .addr = sample->addr};

        if (a->keys & ACCESS_BY_OBJECT)
                data = data_of_object(world, sample->pid, sample->addr);
        key->tid = sample->tid;
        key->offset = (uint32_t)(data.addr % bytes);
        if (a->keys & ACCESS_BY_PAGE)
                key->offset = key->offset / ACCESS_LINE_BYTES * ACCESS_LINE_BYTES;
        data.addr -= data.addr % bytes;
        key->data = find_or_add_data(a, &data);
        return key->data;
}

/* --- Samples --- */

static struct access_totals *totals_of(struct accesses *a, uint32_t event)
{
        if (event >= a->n_totals) {
                size_t n = (size_t)event + 1;

                a->totals = mem_resize(a->totals, n, sizeof(*a->totals));
                memset(a->totals + a->n_totals, 0, (n - a->n_totals) * sizeof(*a->totals));
                a->n_totals = n;
        }
        return &a->totals[event];
}

static uint32_t place_of(struct accesses *a, struct world *world, uint32_t event, const struct sample *sample)
{
        uint64_t version = world_version(world, sample->pid, sample->misc);
        struct cached_code *known = &a->cache[map_mix(sample->ip ^ version << 48) % CACHE_SLOTS];

        if (!profile_by_place(a->profile))
                return (uint32_t)profile_place_of(a->profile, world, event, sample);
        /* Versions are never 0, so empty entries do not match. */
        if (known->addr == sample->ip && known->version == version && known->event == event)
                return known->place;
        *known = (struct cached_code){sample->ip, version, event,
                                      (uint32_t)profile_place_of(a->profile, world, event, sample)};
        return known->place;
}

static void count_totals(struct access_totals *totals, unsigned what, uint64_t cycles)
{
        totals->n_accesses++;
        totals->n_loads += (what & ACCESS_LOAD) != 0;
        totals->n_stores += (what & ACCESS_STORE) != 0;
        totals->n_timed += cycles > 0;
        totals->cycles += cycles;
}

void accesses_add(struct accesses *a, struct world *world, uint32_t event, const struct sample *sample)
{
        struct access_totals *totals = totals_of(a, event);
        unsigned what = access_what(sample->data_src);
        struct access_cell key = {
                .latency_class = (uint16_t)accesses_latency_class(sample->weight),
                .level = (uint8_t)access_level(sample->data_src),
                .what = (uint8_t)what,
        };
        struct access_cell *cell = NULL;

        totals->n_samples++;
        if (!what)
                return;
        count_totals(totals, what, sample->weight);
        key.place = place_of(a, world, event, sample);
        if (!(a->keys & ACCESS_BY_ADDRESS) || take_address(a, world, sample, &key))
                cell = find_or_add_cell(a, &key);
        if (!cell) {
                totals->n_left_out++;
                return;
        }
        cell->count++;
        cell->n_timed += sample->weight > 0;
        cell->cycles += sample->weight;
        cell->most_cycles = sample->weight > cell->most_cycles ? sample->weight : cell->most_cycles;
}

void accesses_finish(struct accesses *a)
{
        for (size_t i = 0; i < a->n_cells; i++) {
                const struct access_cell *cell = &a->cells[i];
                uint32_t event = profile_get_place(a->profile, cell->place)->event;

                profile_count_place(a->profile, cell->place, cell->count,
                                    totals_of(a, event)->cycles ? cell->cycles : cell->count);
        }
}

size_t accesses_n_cells(const struct accesses *a)
{
        return a->n_cells;
}

const struct access_cell *accesses_cell(const struct accesses *a, size_t index)
{
        assert(index < a->n_cells);
        return &a->cells[index];
}

size_t accesses_n_data(const struct accesses *a)
{
        return a->n_data;
}

const struct access_data *accesses_data(const struct accesses *a, uint32_t number)
{
        assert(number < a->n_data);
        return &a->data[number];
}

const struct profile *accesses_profile(const struct accesses *a)
{
        return a->profile;
}

unsigned accesses_keys(const struct accesses *a)
{
        return a->keys;
}

struct access_totals accesses_totals(const struct accesses *a, uint32_t event)
{
        return event < a->n_totals ? a->totals[event] : (struct access_totals){0};
}
