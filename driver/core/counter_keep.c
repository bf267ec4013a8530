/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters that Windows reserved for the driver are its own, and so are those of units that nobody can
 * reserve. The counter that counts cycles only belongs to programs, which may read it at any time: its
 * value is never written, and its filter is changed only if no other counter is free. */
#include "counter_keep.h"

#include "counter_registers.h"

/* --- what is used --- */

/* Whether the plan or a source uses the counter. */
static bool is_used(const struct counter_set *set, uint32_t counter)
{
        if (set->n_sources && counter >= set->n_counters - set->n_sources)
                return true;
        for (uint32_t slot = counter; counter < set->window && slot < set->n_slots; slot += set->window) {
                if (!(set->slots[slot].flags & ABI_PADDING))
                        return true;
        }
        return counter == set->cycles_counter;
}

static bool is_on(const struct counter_set *set, uint64_t control)
{
        return (control & set->class->run) == set->class->run;
}

static uint64_t cycles_bit(const struct counter_set *set)
{
        return set->class->cycles_bits ? UINT64_C(1) << set->class->cycles_bit : 0;
}

/* On the counter for cycles if it counts what is wanted already, or nobody else reads it; else on a free
 * one. */
static uint8_t choose_cycles_counter(const struct counter_set *set)
{
        const struct counter_kept *kept = &set->kept;
        uint32_t window = set->n_slots < set->window ? set->n_slots : set->window;
        uint32_t spare = set->n_counters - set->n_sources;

        if (!set->class->cycles_bits || !set->n_slots)
                return COUNTER_NONE;
        if (set->class->registers[BLOCK_CYCLES_FILTER].kind == BLOCK_ABSENT || spare <= window)
                return COUNTER_CYCLES;
        if (is_on(set, kept->control) && kept->enabled & cycles_bit(set) &&
            kept->cycles_filter == set->cycles_filter)
                return COUNTER_CYCLES;
        return (uint8_t)(spare - 1);
}

static uint64_t reserved_bits(const struct counter_set *set)
{
        uint64_t bits = 0;

        for (uint32_t i = 0; i < set->n_counters; i++)
                bits |= UINT64_C(1) << set->map[i];
        return bits;
}

/* The bits that the driver changes: of its counters, and of the one for cycles if it does not count yet. */
static uint64_t own_bits(const struct counter_set *set)
{
        const struct counter_kept *kept = &set->kept;
        bool counts = is_on(set, kept->control) && kept->enabled & cycles_bit(set);
        uint64_t bits = set->cycles_counter == COUNTER_CYCLES && !counts ? cycles_bit(set) : 0;

        return bits | reserved_bits(set);
}

/* --- taking --- */

/* Counters that others have left enabled while all were off do not begin to count. */
static void stop_counters(struct counter_set *set)
{
        struct counter_kept *kept = &set->kept;

        kept->paused = is_on(set, kept->control) ? 0 : kept->enabled & ~kept->own;
        counter_registers_write(set, BLOCK_ENABLE_CLEAR, kept->own | kept->paused);
        counter_registers_write(set, BLOCK_INTERRUPT_CLEAR, kept->own);
        set->is_wide = set->class->wide && kept->control & set->class->wide;
}

void counter_keep_take(struct counter_set *set)
{
        struct counter_kept *kept = &set->kept;

        kept->control = counter_registers_read(set, BLOCK_CONTROL);
        kept->enabled = counter_registers_read(set, BLOCK_ENABLE_SET);
        kept->cycles_filter = counter_registers_read(set, BLOCK_CYCLES_FILTER);
        set->cycles_counter = choose_cycles_counter(set);
        kept->own = own_bits(set);
        kept->interrupts = counter_registers_read(set, BLOCK_INTERRUPT_SET) & kept->own;
        kept->overflow = counter_registers_read(set, BLOCK_OVERFLOW) & kept->own;
        stop_counters(set);
        for (uint32_t i = 0; i < set->n_counters; i++) {
                if (!is_used(set, i))
                        continue;
                kept->events[i] = counter_registers_read_event(set, i);
                if (set->class->enable_in_event)
                        counter_registers_write_event(set, i, kept->events[i] & ~set->class->enable_in_event);
                kept->values[i] = counter_registers_read_whole(set, i);
        }
        counter_registers_take_overflows(set, kept->own);
}

void counter_keep_take_again(struct counter_set *set)
{
        struct counter_kept *kept = &set->kept;

        kept->control = counter_registers_read(set, BLOCK_CONTROL);
        if (!is_on(set, kept->control))
                kept->enabled = (kept->enabled & kept->own) |
                                (counter_registers_read(set, BLOCK_ENABLE_SET) & ~kept->own) | kept->paused;
        stop_counters(set);
        counter_registers_take_overflows(set, kept->own);
}

void counter_keep_switch_on(const struct counter_set *set)
{
        uint64_t control = counter_registers_read(set, BLOCK_CONTROL);

        if (!is_on(set, control))
                counter_registers_write(set, BLOCK_CONTROL, control | set->class->run);
}

bool counter_keep_is_intact(const struct counter_set *set, uint64_t bits)
{
        uint64_t control = counter_registers_read(set, BLOCK_CONTROL);
        bool is_wide = set->class->wide && control & set->class->wide;

        return is_on(set, control) && is_wide == set->is_wide &&
               (set->class->registers[BLOCK_ENABLE_SET].kind == BLOCK_ABSENT ||
                (counter_registers_read(set, BLOCK_ENABLE_SET) & bits) == bits);
}

/* --- giving back --- */

static void give_switch_back(const struct counter_set *set)
{
        const struct counter_kept *kept = &set->kept;
        uint64_t run = set->class->run, control;

        if (is_on(set, kept->control) || counter_registers_read(set, BLOCK_ENABLE_SET) & ~kept->own)
                return;
        control = counter_registers_read(set, BLOCK_CONTROL);
        counter_registers_write(set, BLOCK_CONTROL, (control & ~run) | (kept->control & run));
}

void counter_keep_give_back(struct counter_set *set)
{
        const struct counter_kept *kept = &set->kept;

        counter_registers_write(set, BLOCK_ENABLE_CLEAR, kept->own);
        counter_registers_write(set, BLOCK_INTERRUPT_CLEAR, kept->own);
        give_switch_back(set);
        for (uint32_t i = 0; i < set->n_counters; i++) {
                if (!is_used(set, i))
                        continue;
                counter_registers_write_value(set, i, kept->values[i]);
                counter_registers_write_event(set, i, kept->events[i]);
        }
        if (set->cycles_counter == COUNTER_CYCLES && kept->cycles_filter != set->cycles_filter)
                counter_registers_write(set, BLOCK_CYCLES_FILTER, kept->cycles_filter);
        counter_registers_take_overflows(set, kept->own);
        counter_registers_write(set, BLOCK_OVERFLOW_SET, kept->overflow);
        counter_registers_write(set, BLOCK_INTERRUPT_SET, kept->interrupts);
        counter_registers_write(set, BLOCK_ENABLE_SET, kept->paused | (kept->enabled & kept->own));
}

/* --- others --- */

uint64_t counter_keep_find_others(const struct counter_set *set)
{
        if (!is_on(set, counter_registers_read(set, BLOCK_CONTROL)))
                return 0;
        return counter_registers_read(set, BLOCK_INTERRUPT_SET) &
               counter_registers_read(set, BLOCK_ENABLE_SET) & ~reserved_bits(set);
}

uint64_t counter_keep_hold(const struct counter_set *set, bool *ret_is_used)
{
        uint64_t held = counter_registers_read(set, BLOCK_OVERFLOW) &
                        counter_registers_read(set, BLOCK_INTERRUPT_SET) &
                        ~(set->running ? set->kept.own : 0);

        if (held)
                counter_registers_write(set, BLOCK_INTERRUPT_CLEAR, held);
        *ret_is_used = held & ~reserved_bits(set);
        return held;
}

void counter_keep_let_go(const struct counter_set *set, uint64_t held)
{
        counter_registers_write(set, BLOCK_INTERRUPT_SET, held);
}
