/* SPDX-License-Identifier: BSD-3-Clause */
/* The minimum cost of a call tree: maps a session of make_profile, walks its records in the file's order
 * and makes one node for each distinct path of addresses; without sorting by time, maps of processes, and
 * names.  plain_tree FILE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "os.h"
#include "perf_abi.h"
#include "perfdata_format.h"

enum {
        DATA_OFF = 40,   /* offset of the data section in the header, and its size */
        FIXED_WORDS = 4, /* ip, pid and tid, time, period */
};

struct node {
        uint64_t addr, count;
        uint32_t parent;
};

struct tree {
        struct node *nodes;
        size_t n, cap;
        uint32_t *slots;
        size_t n_slots;
};

static size_t slot_of(const struct tree *t, uint32_t parent, uint64_t addr)
{
        size_t mask = t->n_slots - 1, i = (size_t)map_mix(addr ^ (uint64_t)parent << 40) & mask;

        while (t->slots[i] &&
               (t->nodes[t->slots[i] - 1].addr != addr || t->nodes[t->slots[i] - 1].parent != parent))
                i = (i + 1) & mask;
        return i;
}

static uint32_t child_of(struct tree *t, uint32_t parent, uint64_t addr)
{
        size_t slot = slot_of(t, parent, addr);

        if (t->slots[slot])
                return t->slots[slot] - 1;
        ARRAY_PUSH(t->nodes, t->n, t->cap, (struct node){.addr = addr, .parent = parent});
        t->slots[slot] = (uint32_t)t->n;
        if (t->n * 2 > t->n_slots) {
                free(t->slots);
                t->n_slots *= 2;
                t->slots = mem_new(t->n_slots, sizeof(*t->slots));
                for (size_t i = 0; i < t->n; i++)
                        t->slots[slot_of(t, t->nodes[i].parent, t->nodes[i].addr)] = (uint32_t)i + 1;
        }
        return (uint32_t)t->n - 1;
}

static void add_sample(struct tree *t, const uint64_t *words)
{
        uint64_t n = words[FIXED_WORDS];
        const uint64_t *chain = words + FIXED_WORDS + 1;
        uint32_t at = UINT32_MAX;

        while (n-- > 0) {
                if (chain[n] < PERF_CONTEXT_MAX)
                        at = child_of(t, at, chain[n]);
        }
        t->nodes[at].count++;
}

int main(int argc, char **argv)
{
        struct tree t = {.n_slots = 1024};
        struct err err = {0};
        struct os_map *map = argc == 2 ? os_map_open(argv[1], &err) : NULL;
        uint64_t n_samples = 0, off, size;

        if (!map) {
                fprintf(stderr, "%s\n", argc == 2 ? err.text : "plain_tree FILE");
                return 1;
        }
        t.slots = mem_new(t.n_slots, sizeof(*t.slots));
        memcpy(&off, map->bytes + DATA_OFF, sizeof(off));
        memcpy(&size, map->bytes + DATA_OFF + sizeof(off), sizeof(size));
        for (uint64_t end = off + size; off + sizeof(struct perf_header) <= end;) {
                struct perf_header header;

                memcpy(&header, map->bytes + off, sizeof(header));
                if (header.type == PERF_RECORD_SAMPLE) {
                        add_sample(&t, (const uint64_t *)(const void *)(map->bytes + off + sizeof(header)));
                        n_samples++;
                }
                off += header.size ? header.size : end;
        }
        printf("%llu samples, %zu nodes\n", (unsigned long long)n_samples, t.n);
        free(t.slots);
        free(t.nodes);
        os_map_free(map);
        return 0;
}
