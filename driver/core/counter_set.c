/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs the counters, and accumulates in 64 bits what they count.
 *
 * A counter is not set to 0 when it is read: the difference to the last value, modulo its width, is added, so no event is
 * lost between the two. A second wrap between two reads is found by the overflow bit: it is set although the value has not
 * become smaller. */
#include "counter_set.h"

#include <string.h>

static uint64_t read_register(const struct counter_set *set, enum block_role role)
{
        return set->hw->read(set->hw->ctx, set->unit, set->class, role, 0);
}

static void write_register(const struct counter_set *set, enum block_role role, uint64_t value)
{
        if (set->class->registers[role].kind != BLOCK_ABSENT)
                set->hw->write(set->hw->ctx, set->unit, set->class, role, 0, value);
}

/* A register that each counter has. */
static void select_counter(const struct counter_set *set, uint32_t index)
{
        write_register(set, BLOCK_SELECT, index);
}

static uint64_t width_mask(uint32_t bits)
{
        return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t read_counter(const struct counter_set *set, uint32_t counter)
{
        if (counter == COUNTER_CYCLES)
                return read_register(set, BLOCK_CYCLES) & width_mask(set->class->cycles_bits);
        select_counter(set, set->map[counter]);
        return set->hw->read(set->hw->ctx, set->unit, set->class, BLOCK_VALUE, set->map[counter]) &
               width_mask(set->class->counter_bits);
}

static void write_counter(const struct counter_set *set, uint32_t counter, uint64_t value)
{
        if (counter == COUNTER_CYCLES) {
                write_register(set, BLOCK_CYCLES, value & width_mask(set->class->cycles_bits));
                return;
        }
        select_counter(set, set->map[counter]);
        set->hw->write(set->hw->ctx, set->unit, set->class, BLOCK_VALUE, set->map[counter],
                       value & width_mask(set->class->counter_bits));
}

static uint64_t counter_bit(const struct counter_set *set, uint32_t counter)
{
        return UINT64_C(1) << (counter == COUNTER_CYCLES ? set->class->cycles_bit : set->map[counter]);
}

static uint64_t exclude_bits(const struct block_class *class, uint32_t flags)
{
        return (flags & ABI_EXCLUDE_KERNEL ? class->exclude_kernel : 0) |
               (flags & ABI_EXCLUDE_USER ? class->exclude_user : 0);
}

/* Lets the counter count `code`, if `on`. */
static void program_counter(const struct counter_set *set, uint32_t counter, uint32_t code, uint32_t flags,
                            bool on)
{
        const struct block_class *class = set->class;
        uint64_t value = (uint64_t)code << class->event_low | exclude_bits(class, flags);

        if (counter == COUNTER_CYCLES) {
                write_register(set, BLOCK_CYCLES_FILTER, exclude_bits(class, flags));
                return;
        }
        select_counter(set, set->map[counter]);
        set->hw->write(set->hw->ctx, set->unit, class, BLOCK_EVENT, set->map[counter],
                       on ? value | class->enable_in_event : 0);
}

static uint32_t window_slots(const struct counter_set *set)
{
        uint32_t left = set->n_slots - set->first;

        return left < set->window ? left : set->window;
}

static bool has_cycles(const struct counter_set *set)
{
        return set->class->cycles_bits != 0;
}

static uint64_t source_bits(const struct counter_set *set)
{
        uint64_t bits = 0;

        for (uint32_t i = 0; i < set->n_sources; i++)
                bits |= counter_bit(set, set->sources[i].counter);
        return bits;
}

/* The bits of the counters that count the plan's window, and of the one that counts cycles only. */
static uint64_t plan_bits(const struct counter_set *set)
{
        uint64_t bits = has_cycles(set) ? counter_bit(set, COUNTER_CYCLES) : 0;

        for (uint32_t i = 0; i < window_slots(set); i++) {
                if (!(set->slots[set->first + i].flags & ABI_PADDING))
                        bits |= counter_bit(set, i);
        }
        return bits & ~source_bits(set);
}

/* Other units than cores are read by the timer only; nobody may handle their interrupts. */
static void enable(const struct counter_set *set, uint64_t bits)
{
        if (set->unit->block == set->hw->units[0].block)
                write_register(set, BLOCK_INTERRUPT_SET, bits);
        write_register(set, BLOCK_ENABLE_SET, bits);
}

static void disable(const struct counter_set *set, uint64_t bits)
{
        write_register(set, BLOCK_ENABLE_CLEAR, bits);
        write_register(set, BLOCK_INTERRUPT_CLEAR, bits);
}

/* --- plan and sources --- */

void counter_set_init(struct counter_set *set, const struct hw *hw, const struct hw_unit *unit,
                      const struct block_class *class)
{
        uint32_t n = class->n_counters;

        memset(set, 0, sizeof(*set));
        set->hw = hw;
        set->unit = unit;
        set->class = class;
        if (class->count_bits) {
                uint64_t own =
                        read_register(set, BLOCK_CONTROL) >> class->count_low & width_mask(class->count_bits);

                n = own < n ? (uint32_t)own : n;
        }
        for (uint32_t i = 0; i < n; i++) {
                if (unit->free_counters >> i & 1)
                        set->map[set->n_counters++] = (uint8_t)i;
        }
}

bool counter_set_is_used(const struct counter_set *set)
{
        return set->n_slots || set->n_sources;
}

bool counter_set_has_room(const struct counter_set *set, uint32_t window, const struct abi_source *sources,
                          uint32_t n_sources)
{
        uint32_t needed = window;
        bool cycles = false;

        for (uint32_t i = 0; i < n_sources; i++) {
                if (has_cycles(set) && !cycles && sources[i].code == set->class->cycles_event)
                        cycles = true;
                else
                        needed++;
        }
        return needed <= set->n_counters;
}

void counter_set_assign(struct counter_set *set, const struct abi_assign *plan)
{
        memcpy(set->slots, plan->slots, plan->n_slots * sizeof(*plan->slots));
        set->n_slots = plan->n_slots;
        set->window = plan->window;
        set->period_ms = plan->period_ms;
        set->cycles_flags = plan->cycles_flags;
        counter_set_reset(set);
}

void counter_set_sample(struct counter_set *set, const struct abi_source *sources, uint32_t n_sources)
{
        uint32_t next = set->n_counters;
        bool cycles = false;

        set->n_sources = n_sources;
        for (uint32_t i = 0; i < n_sources; i++) {
                struct counter_source *s = &set->sources[i];

                s->source = sources[i];
                if (has_cycles(set) && !cycles && sources[i].code == set->class->cycles_event) {
                        cycles = true;
                        s->counter = COUNTER_CYCLES;
                } else {
                        s->counter = (uint8_t)--next;
                }
        }
}

void counter_set_reset(struct counter_set *set)
{
        memset(set->counts, 0, sizeof(set->counts));
        set->first = 0;
        set->enabled_ns = set->windows = set->overflows = set->cycles = 0;
}

/* --- accumulating --- */

/* What the counter has counted since `*last`. `overflow` is the mask of overflow bits that were set and have been
 * cleared; a wrap after that leaves its bit behind, which belongs to this difference. */
static uint64_t take_difference(struct counter_set *set, uint32_t counter, uint64_t overflow, uint64_t *last)
{
        uint32_t bits = counter == COUNTER_CYCLES ? set->class->cycles_bits : set->class->counter_bits;
        uint64_t bit = counter_bit(set, counter), value = read_counter(set, counter);
        uint64_t difference = (value - *last) & width_mask(bits);
        bool wrapped = value < *last;

        if (wrapped && !(overflow & bit) && set->class->overflow_write_1)
                write_register(set, BLOCK_OVERFLOW, bit);
        if (!wrapped && (overflow & bit) && bits < 64)
                difference += UINT64_C(1) << bits;
        *last = value;
        return difference;
}

static void add_window(struct counter_set *set, uint64_t overflow)
{
        for (uint32_t i = 0; i < window_slots(set); i++) {
                uint64_t last = set->last[i];

                if (set->slots[set->first + i].flags & ABI_PADDING)
                        continue;
                set->counts[set->first + i].value += take_difference(set, i, overflow, &set->last[i]);
                set->overflows += set->last[i] < last || (overflow & counter_bit(set, i));
        }
}

static void add_times(struct counter_set *set)
{
        uint64_t now = set->hw->time_ns(set->hw->ctx), passed = now - set->window_start_ns;

        for (uint32_t i = 0; i < window_slots(set); i++)
                set->counts[set->first + i].running_ns += passed;
        set->enabled_ns += passed;
        set->window_start_ns = now;
}

/* Lets the counters of the window count, or not. */
static void switch_plan(const struct counter_set *set, bool on)
{
        if (on)
                enable(set, plan_bits(set));
        else
                disable(set, plan_bits(set));
        for (uint32_t i = 0; set->class->enable_in_event && i < window_slots(set); i++) {
                const struct abi_slot *slot = &set->slots[set->first + i];

                if (!(slot->flags & ABI_PADDING))
                        program_counter(set, i, slot->code, slot->flags, on);
        }
}

/* Reads and clears the overflow bits in `mask`. */
static uint64_t take_overflows(const struct counter_set *set, uint64_t mask)
{
        uint64_t overflow;

        if (set->class->registers[BLOCK_OVERFLOW].kind == BLOCK_ABSENT)
                return 0;
        overflow = read_register(set, BLOCK_OVERFLOW) & mask;
        if (overflow)
                write_register(set, BLOCK_OVERFLOW, set->class->overflow_write_1 ? overflow : 0);
        return overflow;
}

/* The source that samples with the counter that counts cycles only; NULL for none. */
static struct counter_source *cycles_source(struct counter_set *set)
{
        for (uint32_t i = 0; i < set->n_sources; i++) {
                if (set->sources[i].counter == COUNTER_CYCLES)
                        return &set->sources[i];
        }
        return NULL;
}

/* Who is told of sources that have reached their period. */
struct due_call {
        void (*call)(void *ctx, uint32_t source, uint64_t missed);
        void *ctx;
};

/* What the counter that counts cycles only has counted. If a source uses it, its overflow bit stays for the interrupt. */
static uint64_t take_cycles(struct counter_set *set, uint64_t overflow)
{
        struct counter_source *source = cycles_source(set);
        uint64_t value, difference;

        if (!source)
                return take_difference(set, COUNTER_CYCLES, overflow, &set->last_cycles);
        value = read_counter(set, COUNTER_CYCLES);
        difference = (value - source->last) & width_mask(set->class->cycles_bits);
        source->last = value;
        return difference;
}

/* Sets the counter so that it wraps after what is left of the period: what it counted since the wrap belongs to the next
 * period, so the mean period is exact. */
static void rearm(struct counter_set *set, uint32_t i, uint64_t overflow, const struct due_call *due)
{
        struct counter_source *s = &set->sources[i];
        uint64_t last = s->last, difference = take_difference(set, s->counter, 0, &s->last), beyond = s->last;
        uint32_t bits = s->counter == COUNTER_CYCLES ? set->class->cycles_bits : set->class->counter_bits;

        if (s->counter == COUNTER_CYCLES)
                set->cycles += difference;
        if (beyond >= last && !(overflow & counter_bit(set, s->counter)))
                return;
        s->last = (0 - (s->source.period - beyond % s->source.period)) & width_mask(bits);
        write_counter(set, s->counter, s->last);
        due->call(due->ctx, i, beyond / s->source.period);
}

/* Adds what the plan's counters counted. */
static void harvest(struct counter_set *set, uint64_t overflow)
{
        add_window(set, overflow);
        if (has_cycles(set))
                set->cycles += take_cycles(set, overflow);
        add_times(set);
}

/* --- start, tick, stop --- */

static void begin_window(struct counter_set *set)
{
        for (uint32_t i = 0; i < window_slots(set); i++) {
                const struct abi_slot *slot = &set->slots[set->first + i];

                if (slot->flags & ABI_PADDING)
                        continue;
                set->last[i] = read_counter(set, i);
                program_counter(set, i, slot->code, slot->flags, true);
        }
        set->windows += set->n_slots != 0;
}

static void begin_sources(struct counter_set *set)
{
        for (uint32_t i = 0; i < set->n_sources; i++) {
                struct counter_source *s = &set->sources[i];
                uint32_t bits =
                        s->counter == COUNTER_CYCLES ? set->class->cycles_bits : set->class->counter_bits;

                program_counter(set, s->counter, s->source.code, s->source.flags, true);
                s->last = (0 - s->source.period) & width_mask(bits);
                write_counter(set, s->counter, s->last);
        }
}

void counter_set_start(struct counter_set *set)
{
        uint64_t bits = plan_bits(set) | source_bits(set);

        set->running = true;
        set->kept_control = set->class->run ? read_register(set, BLOCK_CONTROL) : 0;
        disable(set, bits);
        if (set->class->run)
                write_register(set, BLOCK_CONTROL, set->kept_control | set->class->run);
        if (has_cycles(set) && !cycles_source(set)) {
                program_counter(set, COUNTER_CYCLES, 0, set->cycles_flags, true);
                set->last_cycles = read_counter(set, COUNTER_CYCLES);
        }
        begin_sources(set);
        take_overflows(set, bits);
        begin_window(set);
        set->window_start_ns = set->hw->time_ns(set->hw->ctx);
        enable(set, bits);
}

void counter_set_read(struct counter_set *set)
{
        /* Where a bit of OVERFLOW cannot be cleared alone, no counter runs meanwhile. */
        bool pause = !set->class->overflow_write_1;

        if (!set->running)
                return;
        if (pause)
                switch_plan(set, false);
        harvest(set, take_overflows(set, plan_bits(set)));
        if (pause)
                switch_plan(set, true);
}

void counter_set_tick(struct counter_set *set)
{
        if (!set->running)
                return;
        if (set->n_slots <= set->window) {
                counter_set_read(set);
                return;
        }
        switch_plan(set, false);
        harvest(set, take_overflows(set, plan_bits(set)));
        set->first = set->first + set->window < set->n_slots ? set->first + set->window : 0;
        begin_window(set);
        enable(set, plan_bits(set));
}

void counter_set_stop(struct counter_set *set)
{
        if (!set->running)
                return;
        switch_plan(set, false);
        disable(set, source_bits(set));
        harvest(set, take_overflows(set, plan_bits(set)));
        take_overflows(set, source_bits(set));
        if (set->class->run)
                write_register(set, BLOCK_CONTROL, set->kept_control);
        set->running = false;
}

bool counter_set_interrupt(struct counter_set *set, void (*due)(void *ctx, uint32_t source, uint64_t missed),
                           void *ctx)
{
        const struct due_call call = {due, ctx};
        uint64_t control, overflow;

        if (!set->running)
                return false;
        overflow = take_overflows(set, plan_bits(set) | source_bits(set));
        if (!overflow)
                return false;
        /* What the interrupt itself does is not counted. */
        control = set->class->run ? read_register(set, BLOCK_CONTROL) : 0;
        if (set->class->run)
                write_register(set, BLOCK_CONTROL, control & ~set->class->run);
        for (uint32_t i = 0; i < set->n_sources; i++)
                rearm(set, i, overflow, &call);
        harvest(set, overflow & plan_bits(set));
        if (set->class->run)
                write_register(set, BLOCK_CONTROL, control);
        return true;
}
