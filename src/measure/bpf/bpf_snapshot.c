/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces are sorted by address. */
#include "bpf_snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "bpf_walk.h"
#include "mem.h"
#include "search.h"

enum { MAX_OVERLAPS = 8 }; /* pieces that begin before an address and may contain it */

struct snapshot_piece {
        uint64_t addr;
        const uint8_t *bytes;
        size_t size;
};

struct bpf_snapshot {
        struct snapshot_piece *pieces;
        size_t n, cap;
};

struct bpf_snapshot *bpf_snapshot_new(void)
{
        return mem_new(1, sizeof(struct bpf_snapshot));
}

void bpf_snapshot_free(struct bpf_snapshot *s)
{
        if (!s)
                return;
        free(s->pieces);
        free(s);
}

static void add_piece(struct bpf_snapshot *s, const struct walk_piece *head, const uint8_t *bytes)
{
        ARRAY_PUSH(s->pieces, s->n, s->cap, ((struct snapshot_piece){head->addr, bytes, head->size}));
}

/* The next piece and its bytes; false at the end. */
static bool next_piece(struct cursor *pieces, struct walk_piece *ret_head, const uint8_t **ret_bytes)
{
        const void *at = cursor_bytes(pieces, sizeof(*ret_head));

        if (!at)
                return false;
        memcpy(ret_head, at, sizeof(*ret_head));
        *ret_bytes = cursor_bytes(pieces, ((uint64_t)ret_head->size + 7) & ~UINT64_C(7));
        return *ret_bytes;
}

/* Part 0 comes last, after all others. */
static void add_code(struct bpf_snapshot *s, const struct bpf_process *process, const struct walk_piece *code)
{
        for (uint64_t part = 0; part <= WALK_MAX_LINES_PARTS; part++) {
                struct cursor pieces = bpf_process_code(process, code->addr, code->hash, part);
                struct walk_piece head;
                const uint8_t *bytes;

                if (!cursor_left(&pieces))
                        return;
                while (next_piece(&pieces, &head, &bytes))
                        add_piece(s, &head, bytes);
        }
}

static int by_addr(const void *a, const void *b)
{
        const struct snapshot_piece *x = a, *y = b;

        if (x->addr != y->addr)
                return x->addr < y->addr ? -1 : 1;
        return (x->size > y->size) - (x->size < y->size);
}

void bpf_snapshot_begin(struct bpf_snapshot *s, const struct bpf_process *process, struct cursor pieces)
{
        struct walk_piece head;
        const uint8_t *bytes;

        s->n = 0;
        while (next_piece(&pieces, &head, &bytes)) {
                if (head.size)
                        add_piece(s, &head, bytes);
                else if (process)
                        add_code(s, process, &head);
        }
        if (s->n)
                qsort(s->pieces, s->n, sizeof(*s->pieces), by_addr);
}

/* Copies what one piece has from `addr` on, at most `size` bytes; returns their number. */
static size_t read_piece(const struct bpf_snapshot *s, uint64_t addr, uint8_t *to, size_t size)
{
        size_t low = 0, high = s->n, best = 0;

        SEARCH_FIRST(low, high, middle, s->pieces[middle].addr <= addr);
        for (size_t i = low; i > 0 && low - i < MAX_OVERLAPS && best < size; i--) {
                const struct snapshot_piece *piece = &s->pieces[i - 1];
                uint64_t off = addr - piece->addr;
                size_t n;

                if (off >= piece->size || piece->size - off <= best)
                        continue;
                n = piece->size - off < size ? (size_t)(piece->size - off) : size;
                memcpy(to, piece->bytes + off, n);
                best = n;
        }
        return best;
}

bool bpf_snapshot_read(void *ctx, uint64_t addr, void *to, size_t size)
{
        const struct bpf_snapshot *s = ctx;
        uint8_t *at = to;

        while (size) {
                size_t n = read_piece(s, addr, at, size);

                if (!n)
                        return false;
                addr += n;
                at += n;
                size -= n;
        }
        return true;
}
