/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces are sorted by address. */
#include "bpf_snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "bpf_walk.h"
#include "map.h"
#include "mem.h"

enum {
        MAX_PIECES = 8192,
        MAX_KEPT_BYTES = 128 << 20,
        MAX_OVERLAPS = 8, /* pieces that begin before an address and may contain it */
};

struct snapshot_piece {
        uint64_t addr;
        const uint8_t *bytes;
        size_t size;
};

struct bpf_snapshot {
        struct map codes; /* by process, address and hash: struct kept_code * */
        size_t kept_bytes;
        struct snapshot_piece pieces[MAX_PIECES];
        size_t n;
};

struct kept_code {
        size_t size;
        uint8_t bytes[];
};

struct bpf_snapshot *bpf_snapshot_new(void)
{
        return mem_new(1, sizeof(struct bpf_snapshot));
}

static void free_code(void *ctx, uint64_t key, uint64_t *value)
{
        free((struct kept_code *)(uintptr_t)*value);
}

void bpf_snapshot_free(struct bpf_snapshot *s)
{
        if (!s)
                return;
        map_each(&s->codes, free_code, NULL);
        map_release(&s->codes);
        free(s);
}

static uint64_t key_of(int32_t pid, uint64_t addr, uint64_t hash)
{
        return map_mix(hash + map_mix(addr + map_mix((uint64_t)(uint32_t)pid)));
}

void bpf_snapshot_keep(struct bpf_snapshot *s, int32_t pid, uint64_t addr, uint64_t hash,
                       struct cursor pieces)
{
        size_t size = cursor_left(&pieces);
        struct kept_code *code;
        uint64_t *slot;

        if (s->kept_bytes + size > MAX_KEPT_BYTES)
                return;
        slot = map_put(&s->codes, key_of(pid, addr, hash), NULL);
        if (*slot)
                return;
        s->kept_bytes += size;
        code = mem_new(1, sizeof(*code) + size);
        code->size = size;
        memcpy(code->bytes, pieces.at, size);
        *slot = (uint64_t)(uintptr_t)code;
}

static void add_piece(struct bpf_snapshot *s, const struct walk_piece *head, const uint8_t *bytes)
{
        if (s->n < MAX_PIECES)
                s->pieces[s->n++] = (struct snapshot_piece){head->addr, bytes, head->size};
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

static void add_code(struct bpf_snapshot *s, int32_t pid, const struct walk_piece *code)
{
        const uint64_t *known = map_find(&s->codes, key_of(pid, code->addr, code->hash));
        const struct kept_code *kept;
        struct cursor pieces;
        struct walk_piece head;
        const uint8_t *bytes;

        if (!known)
                return;
        kept = (const struct kept_code *)(uintptr_t)*known;
        pieces = cursor_make(kept->bytes, kept->size);
        while (next_piece(&pieces, &head, &bytes))
                add_piece(s, &head, bytes);
}

static void add_pieces(struct bpf_snapshot *s, int32_t pid, struct cursor pieces)
{
        struct walk_piece head;
        const uint8_t *bytes;

        while (next_piece(&pieces, &head, &bytes)) {
                if (head.size)
                        add_piece(s, &head, bytes);
                else
                        add_code(s, pid, &head);
        }
}

static int by_addr(const void *a, const void *b)
{
        const struct snapshot_piece *x = a, *y = b;

        if (x->addr != y->addr)
                return x->addr < y->addr ? -1 : 1;
        return (x->size > y->size) - (x->size < y->size);
}

void bpf_snapshot_begin(struct bpf_snapshot *s, int32_t pid, struct cursor pieces)
{
        s->n = 0;
        add_pieces(s, pid, pieces);
        qsort(s->pieces, s->n, sizeof(*s->pieces), by_addr);
}

bool bpf_snapshot_read(void *ctx, uint64_t addr, void *to, size_t size)
{
        struct bpf_snapshot *s = ctx;
        size_t low = 0, high = s->n;

        while (low < high) {
                size_t middle = low + (high - low) / 2;

                if (s->pieces[middle].addr <= addr)
                        low = middle + 1;
                else
                        high = middle;
        }
        for (size_t i = low; i > 0 && low - i < MAX_OVERLAPS; i--) {
                const struct snapshot_piece *piece = &s->pieces[i - 1];
                uint64_t off = addr - piece->addr;

                if (off > piece->size || size > piece->size - off)
                        continue;
                memcpy(to, piece->bytes + off, size);
                return true;
        }
        return false;
}
