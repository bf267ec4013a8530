/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring that the kernel writes and we read: one page of control, then a power of two of data.
 * perf_event_open(2), "MMAP layout". */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "linux_internal.h"

enum {
        DATA_HEAD_OFF = 1024, /* in the control page */
        DATA_TAIL_OFF = 1032,
        MIN_PAGES = 8,
};

/* 0 or an errno. */
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
        /* EPERM: above kernel.perf_event_mlock_kb and RLIMIT_MEMLOCK. */
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

void ring_drain(struct ring *ring, struct buf *out)
{
        _Atomic uint64_t *head_at = (_Atomic uint64_t *)((uint8_t *)ring->base + DATA_HEAD_OFF);
        _Atomic uint64_t *tail_at = (_Atomic uint64_t *)((uint8_t *)ring->base + DATA_TAIL_OFF);
        uint64_t head = atomic_load_explicit(head_at, memory_order_acquire);
        uint64_t tail = atomic_load_explicit(tail_at, memory_order_relaxed);
        size_t start = (size_t)tail & (ring->data_bytes - 1);
        size_t size = (size_t)(head - tail);
        size_t first = ring->data_bytes - start < size ? ring->data_bytes - start : size;

        if (!size)
                return;
        buf_add(out, ring->data + start, first);
        buf_add(out, ring->data, size - first);
        atomic_store_explicit(tail_at, head, memory_order_release);
}
