/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of one size are filled one after the other. A block that was read goes back to the blocks that
 * wait, and the block that came back last is filled next: its memory is in the cache, and the kernel need
 * not clear pages for it. */
#include "linux_record_pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mem.h"
#include "os.h"

enum {
        BLOCK_BYTES = 256 << 10,
        MOST_UNUSED = 16, /* blocks that are kept; most recordings need fewer */
        MOST_HELD = 2,    /* rounds that the reader keeps until it gets another */
};

struct record_block {
        struct record_block *next;
        size_t len;
        uint8_t bytes[];
};

struct record_pool {
        size_t max_bytes;

        /* Used by the writer. */
        struct record_block *block; /* the one that is filled */
        struct record_round round;  /* the one that is filled; `last` and `to` are set at its end */
        bool is_empty, was_empty;   /* this round and the one before */

        /* Under the lock. */
        struct os_lock *lock;
        struct record_block *unused;
        size_t n_unused, n_blocks;
        struct record_block *oldest; /* the first block that is not unused */
        struct record_round *rounds; /* that the reader has not taken */
        size_t first_round, n_rounds, cap_rounds;
        size_t n_behind; /* rounds that were not released */
};

/* --- blocks --- */

static struct record_block *new_block(void)
{
        struct record_block *block =
                mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (block == MAP_FAILED)
                mem_exhausted(BLOCK_BYTES);
        return block;
}

static struct record_block *take_block(struct record_pool *pool)
{
        struct record_block *block;

        os_lock_enter(pool->lock);
        block = pool->unused;
        if (block) {
                pool->unused = block->next;
                pool->n_unused--;
        } else {
                pool->n_blocks++;
        }
        os_lock_leave(pool->lock);
        if (!block)
                block = new_block();
        block->next = NULL;
        block->len = 0;
        return block;
}

static void free_blocks(struct record_block *block)
{
        while (block) {
                struct record_block *next = block->next;

                munmap(block, BLOCK_BYTES);
                block = next;
        }
}

/* --- the writer --- */

static void begin_round(struct record_pool *pool)
{
        pool->round = (struct record_round){.first = pool->block, .from = pool->block->len};
        pool->was_empty = pool->is_empty;
        pool->is_empty = true;
}

uint8_t *record_pool_extend(struct record_pool *pool, size_t size)
{
        uint8_t *at;

        assert(size <= BLOCK_BYTES - sizeof(*pool->block));
        if (size > BLOCK_BYTES - sizeof(*pool->block) - pool->block->len) {
                pool->block->next = take_block(pool);
                pool->block = pool->block->next;
        }
        at = pool->block->bytes + pool->block->len;
        pool->block->len += size;
        pool->is_empty = false;
        return at;
}

static void add_round(struct record_pool *pool)
{
        struct record_round *rounds = pool->rounds;

        if (pool->first_round && pool->first_round + pool->n_rounds == pool->cap_rounds) {
                memmove(rounds, rounds + pool->first_round, pool->n_rounds * sizeof(*rounds));
                pool->first_round = 0;
        }
        if (pool->first_round + pool->n_rounds == pool->cap_rounds) {
                pool->cap_rounds = 2 * pool->cap_rounds + MOST_HELD;
                pool->rounds = mem_resize(rounds, pool->cap_rounds, sizeof(*rounds));
        }
        pool->rounds[pool->first_round + pool->n_rounds++] = pool->round;
        pool->n_behind++;
}

bool record_pool_end_round(struct record_pool *pool, bool is_last)
{
        if (pool->is_empty && pool->was_empty && !is_last)
                return false;
        pool->round.last = pool->block;
        pool->round.to = pool->block->len;
        pool->round.is_last = is_last;
        os_lock_enter(pool->lock);
        add_round(pool);
        os_lock_leave(pool->lock);
        begin_round(pool);
        return true;
}

bool record_pool_is_full(struct record_pool *pool)
{
        bool is_full;

        os_lock_enter(pool->lock);
        is_full = (pool->n_blocks - pool->n_unused) * BLOCK_BYTES >= pool->max_bytes &&
                  pool->n_behind > MOST_HELD;
        os_lock_leave(pool->lock);
        return is_full;
}

/* --- the reader --- */

bool record_pool_take(struct record_pool *pool, struct record_round *ret)
{
        bool is_any;

        os_lock_enter(pool->lock);
        is_any = pool->n_rounds;
        if (is_any) {
                *ret = pool->rounds[pool->first_round++];
                pool->n_rounds--;
        }
        if (!pool->n_rounds)
                pool->first_round = 0;
        os_lock_leave(pool->lock);
        return is_any;
}

/* Returns the blocks that are more than enough. */
static struct record_block *give_back(struct record_pool *pool, struct record_block *from,
                                      const struct record_block *end)
{
        struct record_block *more = NULL;

        while (from != end) {
                struct record_block *next = from->next;
                bool is_more = pool->n_unused == MOST_UNUSED;
                struct record_block **list = is_more ? &more : &pool->unused;

                from->next = *list;
                *list = from;
                pool->n_unused += !is_more;
                pool->n_blocks -= is_more;
                from = next;
        }
        return more;
}

/* The writer may still fill the last block. */
void record_pool_release(struct record_pool *pool, const struct record_round *round)
{
        struct record_block *more;

        os_lock_enter(pool->lock);
        assert(pool->n_behind && pool->oldest == round->first);
        more = give_back(pool, pool->oldest, round->last);
        pool->oldest = round->last;
        pool->n_behind--;
        os_lock_leave(pool->lock);
        free_blocks(more);
}

void record_round_begin(struct record_round_reader *reader, const struct record_round *round)
{
        *reader = (struct record_round_reader){.round = *round, .block = round->first, .at = round->from};
}

/* The length of the last block belongs to the writer. */
static size_t end_of_block(const struct record_round_reader *reader)
{
        return reader->block == reader->round.last ? reader->round.to : reader->block->len;
}

static bool find_bytes(struct record_round_reader *reader)
{
        while (reader->at == end_of_block(reader)) {
                if (reader->block == reader->round.last)
                        return false;
                reader->block = reader->block->next;
                reader->at = 0;
        }
        return true;
}

uint8_t *record_round_next(struct record_round_reader *reader, struct perf_header *ret_header)
{
        uint8_t *record;

        if (!find_bytes(reader))
                return NULL;
        record = reader->block->bytes + reader->at;
        memcpy(ret_header, record, sizeof(*ret_header));
        reader->at += ret_header->size;
        return record;
}

bool record_round_next_bytes(struct record_round_reader *reader, uint8_t **ret_bytes, size_t *ret_size)
{
        if (!find_bytes(reader))
                return false;
        *ret_bytes = reader->block->bytes + reader->at;
        *ret_size = end_of_block(reader) - reader->at;
        reader->at += *ret_size;
        return true;
}

/* --- the pool --- */

struct record_pool *record_pool_new(size_t max_bytes)
{
        struct record_pool *pool = mem_new(1, sizeof(*pool));

        pool->max_bytes = max_bytes;
        pool->lock = os_lock_new();
        pool->block = pool->oldest = take_block(pool);
        pool->is_empty = true;
        begin_round(pool);
        return pool;
}

void record_pool_free(struct record_pool *pool)
{
        if (!pool)
                return;
        free_blocks(pool->oldest);
        free_blocks(pool->unused);
        free(pool->rounds);
        os_lock_free(pool->lock);
        free(pool);
}

size_t record_pool_bytes(struct record_pool *pool)
{
        size_t n;

        os_lock_enter(pool->lock);
        n = pool->n_blocks;
        os_lock_leave(pool->lock);
        return n * BLOCK_BYTES;
}
