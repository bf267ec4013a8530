/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring that the kernel writes: a control page, then a power of two of data bytes. perf_event_open(2),
 * "MMAP layout". */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "linux_events.h"

enum {
        DATA_HEAD_OFF = 1024, /* offsets in the control page */
        DATA_TAIL_OFF = 1032,
        MIN_PAGES = 8,
};

/* Returns 0 or an errno. */
static int ring_map(struct ring *ring, int fd, size_t bytes)
{
        size_t page = (size_t)sysconf(_SC_PAGESIZE);
        void *base = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

        if (base == MAP_FAILED)
                return errno;
        *ring = (struct ring){base, (uint8_t *)base + page, bytes, bytes + page, fd};
        return 0;
}

static int map_all(struct ring *rings, const int *fds, size_t n, size_t bytes)
{
        int error = 0;

        for (size_t i = 0; i < n && !error; i++)
                error = ring_map(&rings[i], fds[i], bytes);
        for (size_t i = 0; i < n && error; i++)
                ring_close(&rings[i]);
        return error;
}

bool rings_open(struct ring *rings, const int *fds, size_t n, size_t *bytes, struct err *err)
{
        size_t least = MIN_PAGES * (size_t)sysconf(_SC_PAGESIZE);
        int error;

        if (*bytes < least)
                *bytes = least;
        /* EPERM: more than kernel.perf_event_mlock_kb and RLIMIT_MEMLOCK allow. */
        while ((error = map_all(rings, fds, n, *bytes)) && (error == EPERM || error == ENOMEM) &&
               *bytes > least)
                *bytes /= 2;
        if (error == EPERM)
                return err_set(
                        err, ERR_DENIED,
                        "no memory for the sample buffers: raise the limit with 'ulimit -l unlimited' or "
                        "'sysctl kernel.perf_event_mlock_kb=4096', or name fewer CPUs with -c");
        return !error || err_os(err, ERR_IO, error, "can't map the sample buffer");
}

void ring_close(struct ring *ring)
{
        if (ring->base)
                munmap(ring->base, ring->map_bytes);
        ring->base = NULL;
}

uint64_t ring_head(const struct ring *ring)
{
        _Atomic uint64_t *head_at = (_Atomic uint64_t *)((uint8_t *)ring->base + DATA_HEAD_OFF);

        return atomic_load_explicit(head_at, memory_order_acquire);
}

static _Atomic uint64_t *tail_of(const struct ring *ring)
{
        return (_Atomic uint64_t *)((uint8_t *)ring->base + DATA_TAIL_OFF);
}

void ring_free(struct ring *ring, uint64_t head)
{
        atomic_store_explicit(tail_of(ring), head, memory_order_release);
}

static void copy_out(const struct ring *ring, uint64_t at, size_t size, struct buf *out)
{
        size_t start = (size_t)at & (ring->data_bytes - 1);
        size_t first = ring->data_bytes - start < size ? ring->data_bytes - start : size;

        buf_add(out, ring->data + start, first);
        buf_add(out, ring->data, size - first);
}

/* Records and ring sizes are multiples of 8 bytes, so a word does not wrap. */
static uint64_t word_at(const struct ring *ring, uint64_t at)
{
        uint64_t word;

        memcpy(&word, ring->data + ((size_t)at & (ring->data_bytes - 1)), sizeof(word));
        return word;
}

static void copy_record(const struct ring *ring, uint64_t at, size_t size, struct buf *out)
{
        size_t start = out->len;

        copy_out(ring, at, size, out);
        memcpy(out->data + start + offsetof(struct perf_header, size), &(uint16_t){(uint16_t)size}, 2);
}

void ring_walk(const struct ring *ring, uint64_t head, const struct ring_filter *filter, struct buf *out)
{
        uint64_t at = atomic_load_explicit(tail_of(ring), memory_order_relaxed);

        while (at < head) {
                uint64_t words[RING_WORDS] = {word_at(ring, at)};
                struct perf_header header;
                size_t wanted;

                memcpy(&header, words, sizeof(header));
                if (header.size < sizeof(header) || header.size > head - at)
                        return;
                for (size_t i = 1; i < RING_WORDS && (i + 1) * sizeof(words[0]) <= header.size; i++)
                        words[i] = word_at(ring, at + i * sizeof(words[0]));
                wanted = filter->wanted_bytes(filter->ctx, &header, words);
                if (wanted)
                        copy_record(ring, at, wanted, out);
                at += header.size;
        }
}

void ring_drain(struct ring *ring, const struct ring_filter *filter, struct buf *out)
{
        uint64_t head = ring_head(ring), tail = atomic_load_explicit(tail_of(ring), memory_order_relaxed);

        if (head == tail)
                return;
        if (filter)
                ring_walk(ring, head, filter, out);
        else
                copy_out(ring, tail, (size_t)(head - tail), out);
        ring_free(ring, head);
}
