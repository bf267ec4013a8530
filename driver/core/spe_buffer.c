/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs SPE. The hardware writes from PMBPTR up to PMBLIMITR, then stops with an interrupt; pieces of the ring are given to
 * it one after the other. Where less than a record fits before the end, the rest is filled with 0, which is padding to a
 * decoder. */
#include "spe_buffer.h"

#include <string.h>

#define PMSCR_USER          (UINT64_C(1) << 0)
#define PMSCR_KERNEL        (UINT64_C(1) << 1)
#define PMSCR_CONTEXT       (UINT64_C(1) << 3)
#define PMSCR_PHYSICAL      (UINT64_C(1) << 4)
#define PMSCR_TIME          (UINT64_C(1) << 5)
#define PMSCR_PHYSICAL_TIME (UINT64_C(1) << 6)
#define PMSFCR_EVENTS       (UINT64_C(1) << 0)
#define PMSFCR_TYPES        (UINT64_C(1) << 1)
#define PMSFCR_LATENCY      (UINT64_C(1) << 2)
#define PMSFCR_EVENTS_NOT   (UINT64_C(1) << 3)
#define PMSFCR_TYPE_SHIFT   16 /* B, LD, ST */
#define PMSIRR_RANDOM       (UINT64_C(1) << 0)
#define PMSIRR_INTERVAL     UINT64_C(0xffffff00)
#define PMBLIMITR_ENABLE    (UINT64_C(1) << 0)

static uint64_t get(const struct spe_buffer *spe, enum hw_spe_register which)
{
        return spe->hw->spe_read(spe->hw->ctx, which);
}

static void set(const struct spe_buffer *spe, enum hw_spe_register which, uint64_t value)
{
        spe->hw->spe_write(spe->hw->ctx, which, value);
}

static uint64_t control_bits(uint32_t flags)
{
        return PMSCR_USER | (flags & ABI_SPE_KERNEL ? PMSCR_KERNEL : 0) |
               (flags & ABI_SPE_CONTEXT ? PMSCR_CONTEXT : 0) |
               (flags & ABI_SPE_PHYSICAL ? PMSCR_PHYSICAL : 0) |
               (flags & ABI_SPE_TIMESTAMPS ? PMSCR_TIME : 0) |
               (flags & ABI_SPE_PHYSICAL_TIME ? PMSCR_PHYSICAL_TIME : 0);
}

static uint64_t filter_bits(const struct abi_spe *what)
{
        uint64_t types = (what->flags & ABI_SPE_BRANCHES ? 1u : 0) | (what->flags & ABI_SPE_LOADS ? 2u : 0) |
                         (what->flags & ABI_SPE_STORES ? 4u : 0);

        return (what->events ? PMSFCR_EVENTS : 0) | (types ? PMSFCR_TYPES | types << PMSFCR_TYPE_SHIFT : 0) |
               (what->min_latency ? PMSFCR_LATENCY : 0) | (what->events_not ? PMSFCR_EVENTS_NOT : 0);
}

/* Gives the hardware the next free piece of the ring, or pauses it. */
static void give_piece(struct spe_buffer *spe)
{
        uint64_t offset = spe->head % SPE_BUFFER_BYTES, to_end = SPE_BUFFER_BYTES - offset;
        uint64_t room = SPE_BUFFER_BYTES - (spe->head - spe->tail);

        spe->piece = 0;
        if (to_end < SPE_LONGEST_RECORD_BYTES && room > to_end) {
                memset(spe->memory + offset, 0, to_end);
                spe->head += to_end;
                room -= to_end;
                offset = 0;
                to_end = SPE_BUFFER_BYTES;
        }
        room = room < to_end ? room : to_end;
        /* The limit is the start of a page. */
        room = (offset + room) / SPE_PAGE_BYTES * SPE_PAGE_BYTES < offset
                       ? 0
                       : (offset + room) / SPE_PAGE_BYTES * SPE_PAGE_BYTES - offset;
        if (room < SPE_LONGEST_RECORD_BYTES) {
                spe->stalled = true;
                spe->stalls++;
                return;
        }
        spe->piece = room;
        set(spe, HW_PMBPTR, (uint64_t)(uintptr_t)(spe->memory + offset));
        set(spe, HW_PMBLIMITR, (uint64_t)(uintptr_t)(spe->memory + offset + room) | PMBLIMITR_ENABLE);
}

/* Stops the hardware and takes note of what it wrote into its piece. */
static void end_piece(struct spe_buffer *spe)
{
        uint64_t start = (uint64_t)(uintptr_t)(spe->memory + spe->head % SPE_BUFFER_BYTES), written;

        spe->hw->spe_drain(spe->hw->ctx);
        set(spe, HW_PMBLIMITR, 0);
        if (!spe->piece)
                return;
        written = get(spe, HW_PMBPTR) - start;
        if (written > spe->piece)
                written = spe->piece;
        spe->head += written;
        spe->total += written;
        if (get(spe, HW_PMBSR) & (SPE_STATUS_COLLISION | SPE_STATUS_LOSS))
                spe->losses++;
        set(spe, HW_PMBSR, 0);
        spe->piece = 0;
}

void spe_buffer_start(struct spe_buffer *spe)
{
        const struct abi_spe *what = &spe->what;

        spe->head = spe->tail = spe->stalls = spe->losses = spe->total = 0;
        spe->stalled = false;
        spe->running = true;
        set(spe, HW_PMSCR, 0);
        set(spe, HW_PMBSR, 0);
        set(spe, HW_PMSEVFR, what->events);
        if (what->events_not)
                set(spe, HW_PMSNEVFR, what->events_not);
        set(spe, HW_PMSLATFR, what->min_latency);
        set(spe, HW_PMSFCR, filter_bits(what));
        set(spe, HW_PMSIRR,
            (what->period & PMSIRR_INTERVAL) | (what->flags & ABI_SPE_JITTER ? PMSIRR_RANDOM : 0));
        set(spe, HW_PMSICR, 0);
        give_piece(spe);
        set(spe, HW_PMSCR, control_bits(what->flags));
}

bool spe_buffer_interrupt(struct spe_buffer *spe)
{
        if (!spe->running || !(get(spe, HW_PMBSR) & SPE_STATUS_SERVICE))
                return false;
        end_piece(spe);
        give_piece(spe);
        return true;
}

void spe_buffer_stop(struct spe_buffer *spe)
{
        if (!spe->running)
                return;
        set(spe, HW_PMSCR, 0);
        end_piece(spe);
        spe->running = false;
}

uint32_t spe_buffer_take(struct spe_buffer *spe, void *out, uint32_t max_bytes, bool *ret_stalled)
{
        uint64_t n;

        if (spe->running)
                end_piece(spe);
        n = spe->head - spe->tail;
        n = n < max_bytes ? n : max_bytes;
        for (uint64_t done = 0; done < n;) {
                uint64_t offset = (spe->tail + done) % SPE_BUFFER_BYTES, part = SPE_BUFFER_BYTES - offset;

                part = part < n - done ? part : n - done;
                memcpy((uint8_t *)out + done, spe->memory + offset, part);
                done += part;
        }
        spe->tail += n;
        *ret_stalled = spe->stalled;
        spe->stalled = false;
        if (spe->running)
                give_piece(spe);
        return (uint32_t)n;
}
