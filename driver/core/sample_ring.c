/* SPDX-License-Identifier: BSD-3-Clause */
/* A ring of 64-bit words: a sample is a whole number of them, and may go on at the ring's start. */
#include "sample_ring.h"

#include <string.h>

enum { WORDS = SAMPLE_RING_BYTES / 8, HEADER_WORDS = sizeof(struct abi_sample) / 8 };

void sample_ring_reset(struct sample_ring *ring)
{
        atomic_store(&ring->head, 0);
        atomic_store(&ring->tail, 0);
        atomic_store(&ring->generated, 0);
        atomic_store(&ring->dropped, 0);
}

static void put(struct sample_ring *ring, uint64_t at, const void *from, uint32_t n_words)
{
        uint32_t first = (uint32_t)(at % WORDS), before_end = WORDS - first;
        uint32_t n = n_words < before_end ? n_words : before_end;

        memcpy(ring->words + first, from, n * 8ul);
        memcpy(ring->words, (const char *)from + n * 8ul, (n_words - n) * 8ul);
}

void sample_ring_add(struct sample_ring *ring, const struct abi_sample *sample, const uint64_t *chain)
{
        uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
        uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
        uint32_t n_words = HEADER_WORDS + sample->n_chain;

        atomic_fetch_add_explicit(&ring->generated, 1 + (uint64_t)sample->missed, memory_order_relaxed);
        if (n_words > WORDS - (head - tail)) {
                atomic_fetch_add_explicit(&ring->dropped, 1 + (uint64_t)sample->missed, memory_order_relaxed);
                return;
        }
        atomic_fetch_add_explicit(&ring->dropped, sample->missed, memory_order_relaxed);
        put(ring, head, sample, HEADER_WORDS);
        put(ring, head + HEADER_WORDS, chain, sample->n_chain);
        atomic_store_explicit(&ring->head, head + n_words, memory_order_release);
}

uint32_t sample_ring_take(struct sample_ring *ring, void *out, uint32_t max_bytes)
{
        uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
        uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed), first = tail;
        char *to = out;

        while (tail != head) {
                uint32_t n_words, done = (uint32_t)(tail - first);
                uint16_t bytes;

                memcpy(&bytes, &ring->words[tail % WORDS], sizeof(bytes));
                n_words = bytes / 8;
                if ((done + n_words) * 8 > max_bytes)
                        break;
                for (uint32_t i = 0; i < n_words; i++)
                        memcpy(to + (done + i) * 8ul, &ring->words[(tail + i) % WORDS], 8);
                tail += n_words;
        }
        atomic_store_explicit(&ring->tail, tail, memory_order_release);
        return (uint32_t)(tail - first) * 8;
}
