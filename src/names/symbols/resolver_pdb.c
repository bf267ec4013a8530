/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolver_pdb.h"

#include <stdlib.h>

#include "mem.h"

bool resolver_pdb_to_rva(const struct resolver_pdb *pdb, uint64_t addr, uint32_t *ret_rva)
{
        *ret_rva = (uint32_t)(addr - pdb->image_base);
        return addr - pdb->image_base <= UINT32_MAX;
}

/* The sorted addresses that can be in the image, as RVAs (free()); *ret_first is the index of the first of
 * them. */
static uint64_t *to_rvas(const struct resolver_pdb *pdb, const uint64_t *addrs, size_t n, size_t *ret_first,
                         size_t *ret_n)
{
        uint64_t *rvas = mem_new(n, sizeof(*rvas));
        size_t first = 0, end = n;

        while (first < n && addrs[first] < pdb->image_base)
                first++;
        while (end > first && addrs[end - 1] - pdb->image_base > UINT32_MAX)
                end--;
        for (size_t i = first; i < end; i++)
                rvas[i - first] = addrs[i] - pdb->image_base;
        *ret_first = first;
        *ret_n = end - first;
        return rvas;
}

void resolver_pdb_find(const struct resolver_pdb *pdb, const uint64_t *addrs, size_t n,
                       struct source_frames *ret_frames)
{
        struct source_frames found;
        size_t first, n_rvas;
        uint64_t *rvas = to_rvas(pdb, addrs, n, &first, &n_rvas);
        struct source_span *spans = mem_new(n, sizeof(*spans));

        pdb_find(pdb->pdb, rvas, n_rvas, &found);
        for (size_t i = 0; i < found.n_frames; i++)
                found.frames[i].start += found.frames[i].function ? pdb->image_base : 0;
        for (size_t i = 0; i < n_rvas; i++)
                spans[first + i] = found.spans[i];
        free(found.spans);
        found.spans = spans;
        *ret_frames = found;
        free(rvas);
}

size_t resolver_pdb_labels(const struct resolver_pdb *pdb, uint64_t addr, struct source_label **ret_labels)
{
        uint32_t rva;
        size_t n;

        *ret_labels = NULL;
        n = resolver_pdb_to_rva(pdb, addr, &rva) ? pdb_find_labels(pdb->pdb, rva, ret_labels) : 0;
        for (size_t i = 0; i < n; i++)
                (*ret_labels)[i].addr += pdb->image_base;
        return n;
}

size_t resolver_pdb_extents(const struct resolver_pdb *pdb, uint64_t addr, struct source_extent **ret_extents)
{
        uint32_t rva;
        size_t n;

        *ret_extents = NULL;
        n = resolver_pdb_to_rva(pdb, addr, &rva) ? pdb_find_extents(pdb->pdb, rva, ret_extents) : 0;
        for (size_t i = 0; i < n; i++) {
                (*ret_extents)[i].start += pdb->image_base;
                (*ret_extents)[i].end += pdb->image_base;
        }
        return n;
}
