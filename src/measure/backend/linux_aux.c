/* SPDX-License-Identifier: BSD-3-Clause */
/* The AUX area of a ring, into which a trace unit such as Arm SPE writes data in its own format. The ring's
 * control page has head and tail of both. Layout: perf_event_open(2), "MMAP layout". */
#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "linux_events.h"

/* In the control page. */
enum {
        LOCK_OFF = 8,
        CAPABILITIES_OFF = 40,
        TIME_SHIFT_OFF = 50,
        TIME_MULT_OFF = 52,
        TIME_ZERO_OFF = 64,
        TIME_CYCLES_OFF = 80,
        TIME_MASK_OFF = 88,
        AUX_HEAD_OFF = 1056,
        AUX_TAIL_OFF = 1064,
        AUX_OFFSET_OFF = 1072,
        AUX_SIZE_OFF = 1080,
};

/* Bits of the capabilities. */
enum { CAP_USER_TIME_ZERO = 1 << 4, CAP_USER_TIME_SHORT = 1 << 5 };

static _Atomic uint64_t *word_of(const struct ring *ring, size_t off)
{
        return (_Atomic uint64_t *)((uint8_t *)ring->base + off);
}

/* 0 or an errno. */
static int aux_map(struct aux_area *aux, const struct ring *ring, int fd, size_t bytes)
{
        void *at;

        *word_of(ring, AUX_OFFSET_OFF) = ring->map_bytes;
        *word_of(ring, AUX_SIZE_OFF) = bytes;
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)ring->map_bytes);
        if (at == MAP_FAILED)
                return errno;
        *aux = (struct aux_area){.bytes = at, .size_bytes = bytes, .ring = ring, .fd = fd};
        return 0;
}

bool aux_open(struct aux_area *aux, const struct ring *ring, int fd, size_t *size_bytes, struct err *err)
{
        size_t least = 4 * (size_t)sysconf(_SC_PAGESIZE);
        int error;

        assert(*size_bytes && !(*size_bytes & (*size_bytes - 1)));
        while ((error = aux_map(aux, ring, fd, *size_bytes)) && (error == EPERM || error == ENOMEM) &&
               *size_bytes > least)
                *size_bytes /= 2;
        if (error == EPERM)
                return err_set(err, ERR_DENIED,
                               "no memory for the AUX buffers: raise the limit with 'ulimit -l unlimited' or "
                               "'sysctl kernel.perf_event_mlock_kb=4096', or name fewer CPUs with -c");
        return !error || err_os(err, ERR_IO, error, "can't map the AUX buffer");
}

void aux_close(struct aux_area *aux)
{
        if (aux->bytes)
                munmap(aux->bytes, aux->size_bytes);
        aux->bytes = NULL;
}

uint64_t aux_head(const struct aux_area *aux)
{
        return atomic_load_explicit(word_of(aux->ring, AUX_HEAD_OFF), memory_order_acquire);
}

uint64_t aux_take(struct aux_area *aux, uint64_t head, struct buf *out)
{
        uint64_t tail = atomic_load_explicit(word_of(aux->ring, AUX_TAIL_OFF), memory_order_relaxed);
        size_t size = (size_t)(head - tail), start = (size_t)tail & (aux->size_bytes - 1);
        size_t first = aux->size_bytes - start < size ? aux->size_bytes - start : size;

        buf_add(out, aux->bytes + start, first);
        buf_add(out, aux->bytes, size - first);
        atomic_store_explicit(word_of(aux->ring, AUX_TAIL_OFF), head, memory_order_release);
        return tail;
}

static uint64_t page_number(const struct ring *ring, size_t off, size_t size)
{
        uint64_t value = 0;

        memcpy(&value, (const uint8_t *)ring->base + off, size);
        return value;
}

static uint32_t page_lock(const struct ring *ring)
{
        return atomic_load_explicit((_Atomic uint32_t *)((uint8_t *)ring->base + LOCK_OFF),
                                    memory_order_acquire);
}

struct aux_clock aux_get_clock(const struct ring *ring)
{
        struct aux_clock clock;
        uint32_t lock;

        do {
                uint64_t capabilities = page_number(ring, CAPABILITIES_OFF, 8);

                lock = page_lock(ring);
                clock = (struct aux_clock){
                        .shift = page_number(ring, TIME_SHIFT_OFF, 2),
                        .mult = page_number(ring, TIME_MULT_OFF, 4),
                        .zero = page_number(ring, TIME_ZERO_OFF, 8),
                        .has_zero = capabilities & CAP_USER_TIME_ZERO,
                        .has_short = capabilities & CAP_USER_TIME_SHORT,
                };
                if (clock.has_short) {
                        clock.cycles = page_number(ring, TIME_CYCLES_OFF, 8);
                        clock.mask = page_number(ring, TIME_MASK_OFF, 8);
                }
                atomic_thread_fence(memory_order_acquire);
        } while (lock & 1 || lock != page_lock(ring));
        return clock;
}
