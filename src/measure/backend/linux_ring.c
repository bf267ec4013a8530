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

void ring_reader_begin(struct ring_reader *reader, const struct ring *ring, uint64_t head)
{
        reader->ring = ring;
        reader->at = atomic_load_explicit(tail_of(ring), memory_order_relaxed);
        reader->head = head;
}

/* Records and ring sizes are multiples of 8 bytes, so a header does not wrap. */
const uint8_t *ring_reader_next(struct ring_reader *reader, struct perf_header *ret_header)
{
        const struct ring *ring = reader->ring;
        size_t start = (size_t)reader->at & (ring->data_bytes - 1), first = ring->data_bytes - start, size;

        if (reader->at >= reader->head)
                return NULL;
        memcpy(ret_header, ring->data + start, sizeof(*ret_header));
        size = ret_header->size;
        if (size < sizeof(*ret_header) || size > reader->head - reader->at)
                return NULL;
        reader->at += size;
        if (size <= first)
                return ring->data + start;
        memcpy(reader->wrapped, ring->data + start, first);
        memcpy(reader->wrapped + first, ring->data, size - first);
        return reader->wrapped;
}

void ring_words(const uint8_t *record, const struct perf_header *header, uint64_t ret_words[RING_WORDS])
{
        size_t most = RING_WORDS * sizeof(*ret_words), size = header->size < most ? header->size : most;

        memset(ret_words, 0, most);
        memcpy(ret_words, record, size & ~(sizeof(*ret_words) - 1));
}

void ring_drain(struct ring *ring, struct buf *out)
{
        uint64_t head = ring_head(ring), tail = atomic_load_explicit(tail_of(ring), memory_order_relaxed);

        if (head == tail)
                return;
        copy_out(ring, tail, (size_t)(head - tail), out);
        ring_free(ring, head);
}
