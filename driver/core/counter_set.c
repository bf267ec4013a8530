/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs the counters, and accumulates in 64 bits what they count.
 *
 * A counter is not set to 0 when it is read: the difference to the last value, modulo its width, is added,
 * so no event is lost between the two. A second wrap between two reads is found by the overflow bit: it is
 * set although the value has not become smaller. */
#include "counter_set.h"

#include <string.h>

#include "counter_keep.h"
#include "counter_registers.h"

static uint64_t exclude_bits(const struct block_class *class, uint32_t flags)
{
        return (flags & ABI_EXCLUDE_KERNEL ? class->exclude_kernel : 0) |
               (flags & ABI_EXCLUDE_USER ? class->exclude_user : 0);
}

/* Lets the counter count `code`, if `on`. */
static void program_counter(const struct counter_set *set, uint32_t counter, uint32_t code, uint64_t filter,
                            bool on)
{
        const struct block_class *class = set->class;

        counter_registers_write_event(
                set, counter, on ? (uint64_t)code << class->event_low | filter | class->enable_in_event : 0);
}

static uint32_t window_slots(const struct counter_set *set)
{
        uint32_t left = set->n_slots - set->first;

        return left < set->window ? left : set->window;
}

static uint64_t source_bits(const struct counter_set *set)
{
        uint64_t bits = 0;

        for (uint32_t i = 0; i < set->n_sources; i++)
                bits |= counter_registers_bit(set, set->sources[i].counter);
        return bits;
}

/* The bits of the counters that count the plan's window, and cycles. */
static uint64_t plan_bits(const struct counter_set *set)
{
        uint64_t bits =
                set->cycles_counter == COUNTER_NONE ? 0 : counter_registers_bit(set, set->cycles_counter);

        for (uint32_t i = 0; i < window_slots(set); i++) {
                if (!(set->slots[set->first + i].flags & ABI_PADDING))
                        bits |= counter_registers_bit(set, i);
        }
        return bits;
}

/* Those of them that the driver may stop and whose overflow bits it may clear. */
static uint64_t own_plan_bits(const struct counter_set *set)
{
        return plan_bits(set) & set->kept.own;
}

/* The register SELECT, which whoever was interrupted may be using. */
static uint64_t keep_select(const struct counter_set *set)
{
        return counter_registers_read(set, BLOCK_SELECT);
}

static void give_select_back(const struct counter_set *set, uint64_t select)
{
        counter_registers_write(set, BLOCK_SELECT, select);
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
        set->cycles_counter = COUNTER_NONE;
        if (class->count_bits) {
                uint64_t own = counter_registers_read(set, BLOCK_CONTROL) >> class->count_low &
                               counter_width_mask(class->count_bits);

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

bool counter_set_has_room(const struct counter_set *set, uint32_t window, uint32_t n_sources)
{
        return window + n_sources <= set->n_counters;
}

void counter_set_assign(struct counter_set *set, const struct abi_assign *plan)
{
        memcpy(set->slots, plan->slots, plan->n_slots * sizeof(*plan->slots));
        set->n_slots = plan->n_slots;
        set->window = plan->window;
        set->period_ms = plan->period_ms;
        set->cycles_filter = exclude_bits(set->class, plan->cycles_flags);
        counter_set_reset(set);
}

void counter_set_sample(struct counter_set *set, const struct abi_source *sources, uint32_t n_sources)
{
        set->n_sources = n_sources;
        for (uint32_t i = 0; i < n_sources; i++) {
                set->sources[i].source = sources[i];
                set->sources[i].counter = (uint8_t)(set->n_counters - 1 - i);
        }
}

void counter_set_reset(struct counter_set *set)
{
        memset(set->counts, 0, sizeof(set->counts));
        set->first = 0;
        set->enabled_ns = set->windows = set->overflows = set->cycles = set->n_losses = 0;
}

/* --- accumulating --- */

/* What the counter has counted since `*last`. `overflow` is the mask of overflow bits that were set and
 * have been cleared; a wrap after that leaves its bit behind, which belongs to this difference. */
static uint64_t take_difference(struct counter_set *set, uint32_t counter, uint64_t overflow, uint64_t *last)
{
        uint32_t bits = counter_registers_width(set, counter);
        uint64_t bit = counter_registers_bit(set, counter),
                 value = counter_registers_read_value(set, counter);
        uint64_t difference = (value - *last) & counter_width_mask(bits);
        bool wrapped = value < *last;

        if (wrapped && !(overflow & bit) && bit & set->kept.own && set->class->overflow_write_1)
                counter_registers_write(set, BLOCK_OVERFLOW, bit);
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
                set->overflows += set->last[i] < last || (overflow & counter_registers_bit(set, i));
        }
}

/* `counted`: the window's events were counted all this time. */
static void add_times(struct counter_set *set, bool counted)
{
        uint64_t now = set->hw->time_ns(set->hw->ctx), passed = now - set->window_start_ns;

        for (uint32_t i = 0; counted && i < window_slots(set); i++)
                set->counts[set->first + i].running_ns += passed;
        set->enabled_ns += passed;
        set->window_start_ns = now;
}

/* Adds what the plan's counters counted. */
static void harvest(struct counter_set *set)
{
        uint64_t overflow = counter_registers_take_overflows(set, own_plan_bits(set));

        add_window(set, overflow);
        if (set->cycles_counter != COUNTER_NONE)
                set->cycles += take_difference(set, set->cycles_counter, overflow, &set->last_cycles);
        add_times(set, true);
}

/* Lets the counters of the window count, or not. */
static void switch_plan(const struct counter_set *set, bool on)
{
        counter_registers_write(set, on ? BLOCK_ENABLE_SET : BLOCK_ENABLE_CLEAR, own_plan_bits(set));
        for (uint32_t i = 0; set->class->enable_in_event && i < window_slots(set); i++) {
                const struct abi_slot *slot = &set->slots[set->first + i];

                if (!(slot->flags & ABI_PADDING))
                        program_counter(set, i, slot->code, exclude_bits(set->class, slot->flags), on);
        }
}

/* --- beginning --- */

static void begin_window(struct counter_set *set)
{
        for (uint32_t i = 0; i < window_slots(set); i++) {
                const struct abi_slot *slot = &set->slots[set->first + i];

                if (slot->flags & ABI_PADDING)
                        continue;
                set->last[i] = counter_registers_read_value(set, i);
                program_counter(set, i, slot->code, exclude_bits(set->class, slot->flags), true);
        }
        set->windows += set->n_slots != 0;
}

static void begin_cycles(struct counter_set *set)
{
        uint32_t counter = set->cycles_counter;

        if (counter == COUNTER_NONE)
                return;
        if (counter != COUNTER_CYCLES)
                program_counter(set, counter, set->class->cycles_event, set->cycles_filter, true);
        else if (set->kept.cycles_filter != set->cycles_filter)
                counter_registers_write(set, BLOCK_CYCLES_FILTER, set->cycles_filter);
        set->last_cycles = counter_registers_read_value(set, counter);
}

static void begin_sources(struct counter_set *set)
{
        for (uint32_t i = 0; i < set->n_sources; i++) {
                struct counter_source *s = &set->sources[i];

                program_counter(set, s->counter, s->source.code, exclude_bits(set->class, s->source.flags),
                                true);
                s->last =
                        (0 - s->source.period) & counter_width_mask(counter_registers_width(set, s->counter));
                counter_registers_write_value(set, s->counter, s->last);
        }
}

/* Lets everything count; only sources interrupt. */
static void begin(struct counter_set *set)
{
        begin_cycles(set);
        begin_sources(set);
        begin_window(set);
        set->window_start_ns = set->hw->time_ns(set->hw->ctx);
        if (set->n_sources)
                counter_registers_write(set, BLOCK_INTERRUPT_SET, source_bits(set));
        counter_registers_write(set, BLOCK_ENABLE_SET, own_plan_bits(set) | source_bits(set));
        counter_keep_switch_on(set);
}

/* If the counters have stopped, they begin again: what they counted since the last call is lost, and that
 * time does not count as running. */
static bool begin_again(struct counter_set *set)
{
        if (counter_keep_is_intact(set, own_plan_bits(set) | source_bits(set)))
                return false;
        set->n_losses++;
        add_times(set, false);
        counter_keep_take_again(set);
        begin(set);
        return true;
}

/* --- start, tick, stop --- */

void counter_set_start(struct counter_set *set)
{
        uint64_t select = keep_select(set);

        set->running = true;
        counter_keep_take(set);
        begin(set);
        give_select_back(set, select);
}

static void read_counts(struct counter_set *set)
{
        /* Where a bit of OVERFLOW cannot be cleared alone, no counter runs meanwhile. */
        bool pause = !set->class->overflow_write_1;

        if (pause)
                switch_plan(set, false);
        harvest(set);
        if (pause)
                switch_plan(set, true);
}

void counter_set_read(struct counter_set *set)
{
        uint64_t select;

        if (!set->running)
                return;
        select = keep_select(set);
        if (!begin_again(set))
                read_counts(set);
        give_select_back(set, select);
}

static void next_window(struct counter_set *set)
{
        switch_plan(set, false);
        harvest(set);
        set->first = set->first + set->window < set->n_slots ? set->first + set->window : 0;
        begin_window(set);
        counter_registers_write(set, BLOCK_ENABLE_SET, own_plan_bits(set));
}

void counter_set_tick(struct counter_set *set)
{
        uint64_t select;

        if (!set->running)
                return;
        select = keep_select(set);
        if (begin_again(set)) {
                give_select_back(set, select);
                return;
        }
        if (set->n_slots <= set->window)
                read_counts(set);
        else
                next_window(set);
        give_select_back(set, select);
}

void counter_set_stop(struct counter_set *set)
{
        uint64_t select;

        if (!set->running)
                return;
        select = keep_select(set);
        if (!begin_again(set)) {
                switch_plan(set, false);
                harvest(set);
        }
        counter_keep_give_back(set);
        give_select_back(set, select);
        set->running = false;
}

/* --- sampling --- */

/* Who is told of sources that have reached their period. */
struct due_call {
        void (*call)(void *ctx, uint32_t source, uint64_t missed);
        void *ctx;
};

/* Sets the counter so that it wraps after what is left of the period: what it counted since the wrap
 * belongs to the next period, so the mean period is exact. */
static void rearm(struct counter_set *set, uint32_t i, uint64_t overflow, const struct due_call *due)
{
        struct counter_source *s = &set->sources[i];
        uint64_t last = s->last, beyond;

        take_difference(set, s->counter, 0, &s->last);
        beyond = s->last;
        if (beyond >= last && !(overflow & counter_registers_bit(set, s->counter)))
                return;
        s->last = (0 - (s->source.period - beyond % s->source.period)) &
                  counter_width_mask(counter_registers_width(set, s->counter));
        counter_registers_write_value(set, s->counter, s->last);
        due->call(due->ctx, i, beyond / s->source.period);
}

bool counter_set_interrupt(struct counter_set *set, void (*due)(void *ctx, uint32_t source, uint64_t missed),
                           void *ctx)
{
        const struct due_call call = {due, ctx};
        uint64_t select, overflow, paused;

        if (!set->running)
                return false;
        overflow = counter_registers_take_overflows(set, source_bits(set));
        if (!overflow)
                return false;
        select = keep_select(set);
        /* What the interrupt itself does is not counted by the driver's counters; those of others go on. */
        paused = own_plan_bits(set) | source_bits(set);
        counter_registers_write(set, BLOCK_ENABLE_CLEAR, paused);
        for (uint32_t i = 0; i < set->n_sources; i++)
                rearm(set, i, overflow, &call);
        counter_registers_write(set, BLOCK_ENABLE_SET, paused);
        give_select_back(set, select);
        return true;
}
