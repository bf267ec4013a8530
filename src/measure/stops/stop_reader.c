/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of the same page are read as one. */
#include "stop_reader.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

/* After so many stops a range is given up. */
enum { MOST_UNUSED = 2, MAX_RANGE_BYTES = 16384, PAGE_SHIFT = 12 };

void stop_reader_release(struct stop_reader *reader)
{
        free(reader->bytes);
        reader->bytes = NULL;
}

/* Only ranges before one that can't be read are read; that one is given up. */
static void read_ahead(struct stop_reader *r)
{
        struct stop_piece pieces[READER_MAX_RANGES];
        struct reader_ranges *ranges = r->ranges;
        size_t at = 0;

        for (size_t i = 0; i < ranges->n; i++) {
                pieces[i] = (struct stop_piece){ranges->items[i].addr, r->bytes + at, ranges->items[i].size};
                r->at[i] = at;
                at += ranges->items[i].size;
                ranges->items[i].n_unused++;
        }
        r->n_read = ranges->n ? stop_thread_read_pieces(r->thread, pieces, ranges->n) : 0;
        if (r->n_read < ranges->n)
                ranges->items[r->n_read].n_unused = MOST_UNUSED;
}

void stop_reader_begin(struct stop_reader *r, const struct stop_thread *thread, struct reader_ranges *ranges)
{
        if (!r->bytes)
                r->bytes = mem_new(READER_MAX_BYTES, 1);
        r->thread = thread;
        r->ranges = ranges;
        r->n_missed = 0;
        read_ahead(r);
}

const uint8_t *stop_reader_find(struct stop_reader *r, uint64_t addr, size_t size)
{
        for (size_t i = 0; i < r->n_read; i++) {
                struct reader_range *range = &r->ranges->items[i];
                uint64_t off = addr - range->addr;

                if (addr < range->addr || off > range->size || size > range->size - off)
                        continue;
                range->n_unused = 0;
                return r->bytes + r->at[i] + off;
        }
        return NULL;
}

void stop_reader_miss(struct stop_reader *r, uint64_t addr, size_t size)
{
        assert(r->n_missed <= READER_MAX_RANGES);
        if (r->ranges && r->n_missed < READER_MAX_RANGES && size && size <= MAX_RANGE_BYTES)
                r->missed[r->n_missed++] = (struct reader_range){.addr = addr, .size = (uint32_t)size};
}

bool stop_reader_read(void *ctx, uint64_t addr, void *ret_bytes, size_t size)
{
        struct stop_reader *r = ctx;
        const uint8_t *bytes = stop_reader_find(r, addr, size);

        if (bytes) {
                memcpy(ret_bytes, bytes, size);
                return true;
        }
        if (stop_thread_read(r->thread, addr, ret_bytes, size) != size)
                return false;
        stop_reader_miss(r, addr, size);
        return true;
}

/* --- what the next stop may need --- */

static int by_addr(const void *a, const void *b)
{
        const struct reader_range *x = a, *y = b;

        return (x->addr > y->addr) - (x->addr < y->addr);
}

static bool are_near(const struct reader_range *range, const struct reader_range *next)
{
        uint64_t end = range->addr + range->size;

        return next->addr <= end || (end - 1) >> PAGE_SHIFT == next->addr >> PAGE_SHIFT;
}

static void add_merged(struct reader_ranges *ranges, const struct reader_range *next)
{
        struct reader_range *last = ranges->n ? &ranges->items[ranges->n - 1] : NULL;
        uint64_t end = next->addr + next->size;

        if (!last || !are_near(last, next)) {
                if (ranges->n < READER_MAX_RANGES)
                        ranges->items[ranges->n++] = *next;
                return;
        }
        if (end > last->addr + last->size)
                last->size = (uint32_t)(end - last->addr);
        if (next->n_unused < last->n_unused)
                last->n_unused = next->n_unused;
}

static void cut_to_fit(struct reader_ranges *ranges)
{
        size_t n_bytes = 0;

        for (size_t i = 0; i < ranges->n; i++) {
                n_bytes += ranges->items[i].size;
                if (n_bytes > READER_MAX_BYTES) {
                        ranges->n = i;
                        return;
                }
        }
}

static bool is_given_up(const struct reader_ranges *ranges)
{
        for (size_t i = 0; i < ranges->n; i++) {
                if (ranges->items[i].n_unused >= MOST_UNUSED)
                        return true;
        }
        return false;
}

void stop_reader_end(struct stop_reader *r)
{
        struct reader_range all[2 * READER_MAX_RANGES];
        struct reader_ranges *ranges = r->ranges;
        size_t n = r->n_missed;

        r->n_read = r->n_missed = 0;
        r->ranges = NULL;
        if (!ranges || (!n && !is_given_up(ranges)))
                return;
        memcpy(all, r->missed, n * sizeof(*all));
        for (size_t i = 0; i < ranges->n; i++) {
                if (ranges->items[i].n_unused < MOST_UNUSED)
                        all[n++] = ranges->items[i];
        }
        qsort(all, n, sizeof(*all), by_addr);
        ranges->n = 0;
        for (size_t i = 0; i < n; i++)
                add_merged(ranges, &all[i]);
        cut_to_fit(ranges);
}
