/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs SPE. The hardware writes from PMBPTR up to PMBLIMITR, then stops with an interrupt; pieces of
 * the ring are given to it one after the other. Where little fits before the ring's end, the rest is
 * skipped. */
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

/* The reader has come to the skipped end of the ring. */
static void end_skip(struct spe_buffer *spe)
{
        spe->tail += SPE_BUFFER_BYTES - spe->tail % SPE_BUFFER_BYTES;
        spe->skip = UINT64_MAX;
}

/* Whether the ring's end is too short, and there is more room at its start. */
static bool is_better_skipped(const struct spe_buffer *spe, uint64_t to_end, uint64_t room)
{
        return to_end < SPE_PIECE_LEAST_BYTES && spe->skip == UINT64_MAX && room > to_end &&
               room - to_end >=
                       (to_end < SPE_LONGEST_RECORD_BYTES ? SPE_PAGE_BYTES : to_end + SPE_PAGE_BYTES);
}

/* Gives the hardware the next free piece of the ring, or pauses it. */
static void give_piece(struct spe_buffer *spe)
{
        uint64_t offset = spe->head % SPE_BUFFER_BYTES, to_end = SPE_BUFFER_BYTES - offset;
        uint64_t room = SPE_BUFFER_BYTES - (spe->head - spe->tail);

        spe->piece = 0;
        if (is_better_skipped(spe, to_end, room)) {
                spe->skip = spe->head;
                spe->head += to_end;
                room -= to_end;
                offset = 0;
                to_end = SPE_BUFFER_BYTES;
                if (spe->tail == spe->skip)
                        end_skip(spe);
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

/* Sampling is off until the next piece. */
static void program(struct spe_buffer *spe)
{
        const struct abi_spe *what = &spe->what;

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
}

/* A CPU that was without power has the buffer off: what it wrote into its piece is lost. */
static bool has_lost_power(const struct spe_buffer *spe)
{
        return spe->piece && !(get(spe, HW_PMBLIMITR) & PMBLIMITR_ENABLE);
}

/* Stops the hardware and takes note of what it wrote into its piece. */
static void end_piece(struct spe_buffer *spe)
{
        uint64_t start = (uint64_t)(uintptr_t)(spe->memory + spe->head % SPE_BUFFER_BYTES), written;

        if (has_lost_power(spe)) {
                spe->losses++;
                spe->piece = 0;
                program(spe);
                set(spe, HW_PMSCR, control_bits(spe->what.flags));
                return;
        }
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

/* PMBLIMITR_EL1 and PMSCR_EL1 switch SPE, so they are last. */
static const enum hw_spe_register registers[] = {HW_PMSICR,   HW_PMSIRR, HW_PMSFCR, HW_PMSEVFR,   HW_PMSNEVFR,
                                                 HW_PMSLATFR, HW_PMBPTR, HW_PMBSR,  HW_PMBLIMITR, HW_PMSCR};

_Static_assert(sizeof(registers) / sizeof(*registers) == HW_SPE_REGISTERS, "each register is put back");

static bool has_register(const struct spe_buffer *spe, enum hw_spe_register which)
{
        return which != HW_PMSNEVFR || spe->has_events_not;
}

bool spe_buffer_is_taken(const struct spe_buffer *spe)
{
        return !spe->running && get(spe, HW_PMBLIMITR) & PMBLIMITR_ENABLE;
}

void spe_buffer_start(struct spe_buffer *spe)
{
        for (size_t i = 0; i < HW_SPE_REGISTERS; i++) {
                if (has_register(spe, registers[i]))
                        spe->kept[registers[i]] = get(spe, registers[i]);
        }
        spe->head = spe->tail = spe->stalls = spe->losses = spe->total = 0;
        spe->skip = UINT64_MAX;
        spe->stalled = false;
        spe->running = true;
        program(spe);
        give_piece(spe);
        set(spe, HW_PMSCR, control_bits(spe->what.flags));
}

bool spe_buffer_interrupt(struct spe_buffer *spe)
{
        if (!spe->running || !(has_lost_power(spe) || get(spe, HW_PMBSR) & SPE_STATUS_SERVICE))
                return false;
        end_piece(spe);
        give_piece(spe);
        return true;
}

/* Bytes that the hardware can still write into its piece. */
static uint64_t left_in_piece(const struct spe_buffer *spe)
{
        uint64_t start = (uint64_t)(uintptr_t)(spe->memory + spe->head % SPE_BUFFER_BYTES);

        return start + spe->piece - get(spe, HW_PMBPTR);
}

/* Whether the piece is full and no interrupt told so: the hardware has paused since. */
static bool note_pause(struct spe_buffer *spe)
{
        bool is_full = get(spe, HW_PMBSR) & SPE_STATUS_SERVICE;

        spe->stalls += is_full;
        spe->stalled |= is_full;
        return is_full;
}

void spe_buffer_tick(struct spe_buffer *spe)
{
        if (!spe->running || !spe->piece)
                return;
        if (!note_pause(spe) && !has_lost_power(spe) && left_in_piece(spe) >= SPE_PIECE_LEAST_BYTES)
                return;
        end_piece(spe);
        give_piece(spe);
}

void spe_buffer_stop(struct spe_buffer *spe)
{
        if (!spe->running)
                return;
        set(spe, HW_PMSCR, 0);
        end_piece(spe);
        set(spe, HW_PMSCR, 0);
        for (size_t i = 0; i < HW_SPE_REGISTERS; i++) {
                if (has_register(spe, registers[i]))
                        set(spe, registers[i], spe->kept[registers[i]]);
        }
        spe->running = false;
}

struct spe_part spe_buffer_claim(struct spe_buffer *spe, uint32_t max_bytes, bool newest)
{
        uint64_t offset = spe->tail % SPE_BUFFER_BYTES, end, n;

        /* Paused, it goes on when something has been read. */
        if (spe->running && newest && spe->piece) {
                note_pause(spe);
                end_piece(spe);
                give_piece(spe);
                offset = spe->tail % SPE_BUFFER_BYTES;
        }
        end = spe->skip < spe->head ? spe->skip : spe->head;
        n = end - spe->tail;
        n = n < SPE_BUFFER_BYTES - offset ? n : SPE_BUFFER_BYTES - offset;
        return (struct spe_part){spe->memory + offset, n < max_bytes ? (uint32_t)n : max_bytes};
}

void spe_buffer_release(struct spe_buffer *spe, uint32_t bytes)
{
        spe->tail += bytes;
        if (spe->tail == spe->skip)
                end_skip(spe);
        if (spe->running && !spe->piece)
                give_piece(spe);
}
