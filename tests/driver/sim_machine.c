/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers as state, and the functions of struct hw that act on it. */
#include "sim_machine.h"

#include <string.h>

static uint64_t width(uint32_t bits)
{
        return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static struct sim_class *state_of(struct sim_machine *m, const struct hw_unit *unit,
                                  const struct block_class *class)
{
        return &m->classes[unit - m->units][class - unit->block->classes];
}

/* A system register shows the selected counter, whatever the driver means. */
static uint32_t counter_of(const struct sim_class *s, const struct block_class *class, enum block_role role,
                           uint32_t index)
{
        return class->registers[role].kind == BLOCK_SYSREG ? (uint32_t)s->select : index;
}

/* --- registers --- */

/* Where event counters wrap. */
static uint64_t value_width(const struct sim_class *s, const struct block_class *class)
{
        return s->control & class->wide ? UINT64_MAX : width(class->counter_bits);
}

static uint64_t read_value(struct sim_machine *m, const struct hw_unit *unit, const struct block_class *class,
                           uint32_t index)
{
        struct sim_class *s = state_of(m, unit, class);
        uint64_t before = s->values[index];

        s->values[index] = (before + m->cpus[unit->cpu].late) & value_width(s, class);
        if (s->values[index] < before)
                s->overflow |= UINT64_C(1) << index;
        m->cpus[unit->cpu].late = 0;
        return s->values[index];
}

static uint64_t sim_read(void *ctx, const struct hw_unit *unit, const struct block_class *class,
                         enum block_role role, uint32_t index)
{
        struct sim_machine *m = ctx;
        struct sim_class *s = state_of(m, unit, class);
        uint32_t n = unit->block == m->units[0].block ? m->n_core_counters : class->n_counters;

        switch (role) {
        case BLOCK_CONTROL: return s->control | (class->count_bits ? (uint64_t)n << class->count_low : 0);
        case BLOCK_SELECT: return s->select;
        case BLOCK_EVENT: return s->events[counter_of(s, class, role, index)];
        case BLOCK_VALUE: return read_value(m, unit, class, counter_of(s, class, role, index));
        case BLOCK_CYCLES: return s->cycles;
        case BLOCK_ENABLE_SET:
        case BLOCK_ENABLE_CLEAR: return s->enabled;
        case BLOCK_OVERFLOW:
        case BLOCK_OVERFLOW_SET: return s->overflow;
        case BLOCK_INTERRUPT_SET:
        case BLOCK_INTERRUPT_CLEAR: return s->interrupts;
        case BLOCK_CYCLES_FILTER: return s->cycles_filter;
        case BLOCK_ROLES: break;
        }
        return 0;
}

static void sim_write(void *ctx, const struct hw_unit *unit, const struct block_class *class,
                      enum block_role role, uint32_t index, uint64_t value)
{
        struct sim_machine *m = ctx;
        struct sim_class *s = state_of(m, unit, class);

        m->cpus[unit->cpu].n_cycles_writes += role == BLOCK_CYCLES;
        m->cpus[unit->cpu].n_filter_writes += role == BLOCK_CYCLES_FILTER;
        switch (role) {
        case BLOCK_CONTROL:
                s->control =
                        value & ~((class->count_bits ? width(class->count_bits) : 0) << class->count_low);
                break;
        case BLOCK_SELECT: s->select = value; break;
        case BLOCK_EVENT: s->events[counter_of(s, class, role, index)] = value; break;
        case BLOCK_VALUE: s->values[counter_of(s, class, role, index)] = value & value_width(s, class); break;
        case BLOCK_CYCLES: s->cycles = value & width(class->cycles_bits); break;
        case BLOCK_ENABLE_SET: s->enabled |= value; break;
        case BLOCK_ENABLE_CLEAR: s->enabled &= ~value; break;
        case BLOCK_OVERFLOW: s->overflow &= class->overflow_write_1 ? ~value : value; break;
        case BLOCK_OVERFLOW_SET: s->overflow |= value; break;
        case BLOCK_INTERRUPT_SET: s->interrupts |= value; break;
        case BLOCK_INTERRUPT_CLEAR: s->interrupts &= ~value; break;
        case BLOCK_CYCLES_FILTER: s->cycles_filter = value; break;
        case BLOCK_ROLES: break;
        }
}

static uint64_t sim_read_id(void *ctx, enum hw_id id)
{
        struct sim_machine *m = ctx;

        const struct sim_cpu *cpu = &m->cpus[sim_host_cpu()];

        return id == HW_MIDR ? cpu->midr : id == HW_DFR0 ? cpu->dfr0 : cpu->pmsidr;
}

/* --- counting --- */

static bool is_on(const struct sim_machine *m, const struct hw_unit *unit, const struct block_class *class,
                  const struct sim_class *s, uint32_t bit, uint64_t filter)
{
        bool user = m->cpus[unit->cpu].frame.user;

        if (class->run && !(s->control & 1))
                return false;
        if (filter & (user ? class->exclude_user : class->exclude_kernel))
                return false;
        return bit == UINT32_MAX || s->enabled >> bit & 1;
}

static bool is_pending(const struct sim_class *s)
{
        return s->overflow & s->interrupts && s->control & 1;
}

void sim_machine_deliver(struct sim_machine *m, uint32_t cpu)
{
        struct sim_class *s = &m->classes[cpu][0];

        if (m->cpus[cpu].hold || !is_pending(s) || (!m->handler && !m->others))
                return;
        sim_host_set_cpu(cpu);
        if (m->handler) {
                m->cpus[cpu].n_interrupts++;
                m->cpus[cpu].n_foreign += !driver_interrupt(m->handler, cpu, &m->cpus[cpu].frame);
        } else {
                m->others(m, cpu);
        }
        m->n_storms += is_pending(s);
}

/* Adds to a counter piece by piece, so that the interrupt comes at the event with which it wraps. */
static void advance(struct sim_machine *m, uint32_t unit, struct sim_class *s, uint64_t *value, uint64_t most,
                    uint32_t bit, uint64_t n)
{
        bool core = unit < m->hw.n_cpus;

        while (n) {
                uint64_t left = most - *value;

                if (n <= left) {
                        *value += n;
                        return;
                }
                *value = 0;
                n -= left + 1;
                s->overflow |= UINT64_C(1) << bit;
                if (core)
                        sim_machine_deliver(m, unit);
        }
}

void sim_machine_count(struct sim_machine *m, uint32_t unit, uint32_t class_number, uint32_t code, uint64_t n)
{
        const struct hw_unit *u = &m->units[unit];
        const struct block_class *class = &u->block->classes[class_number];
        struct sim_class *s = &m->classes[unit][class_number];

        for (uint32_t i = 0; i < class->n_counters; i++) {
                uint64_t event = s->events[i];
                bool on = class->enable_in_event ? event & class->enable_in_event
                                                 : is_on(m, u, class, s, i, event);

                if (!on || (event >> class->event_low & width(class->event_bits)) != code)
                        continue;
                s->counted[i] += n;
                advance(m, unit, s, &s->values[i], value_width(s, class), i, n);
        }
}

void sim_machine_cycle(struct sim_machine *m, uint32_t unit, uint32_t class_number, uint64_t n)
{
        const struct hw_unit *u = &m->units[unit];
        const struct block_class *class = &u->block->classes[class_number];
        struct sim_class *s = &m->classes[unit][class_number];

        if (!class->cycles_bits)
                return;
        sim_machine_count(m, unit, class_number, class->cycles_event, n);
        if (is_on(m, u, class, s, class->cycles_bit, s->cycles_filter))
                advance(m, unit, s, &s->cycles, width(class->cycles_bits), class->cycles_bit, n);
}

void sim_machine_lose_power(struct sim_machine *m, uint32_t cpu)
{
        struct sim_class *s = &m->classes[cpu][0];

        sim_lock_take(m->cpus[cpu].lock);
        *s = (struct sim_class){0};
        sim_lock_release(m->cpus[cpu].lock);
}

/* --- the rest of struct hw --- */

static void sim_run_on_cpu(void *ctx, uint32_t cpu, void (*run)(void *arg), void *arg)
{
        struct sim_machine *m = ctx;

        sim_lock_take(m->cpus[cpu].lock);
        sim_host_set_cpu(cpu);
        run(arg);
        sim_machine_deliver(m, cpu);
        sim_lock_release(m->cpus[cpu].lock);
        if (m->after_visit)
                m->after_visit(m, cpu);
}

/* No call is under way meanwhile. */
static void set_handler(struct sim_machine *m, struct driver *handler)
{
        for (uint32_t i = 0; i < m->hw.n_cpus; i++)
                sim_lock_take(m->cpus[i].lock);
        m->handler = handler;
        for (uint32_t i = 0; i < m->hw.n_cpus; i++)
                sim_lock_release(m->cpus[i].lock);
}

static bool sim_take_interrupts(void *ctx, struct driver *driver)
{
        struct sim_machine *m = ctx;

        if (m->refuses_interrupts)
                return false;
        set_handler(m, driver);
        m->n_taken++;
        return true;
}

static void sim_give_interrupts(void *ctx)
{
        struct sim_machine *m = ctx;

        set_handler(m, NULL);
        m->n_given++;
}

static void sim_set_timer(void *ctx, uint32_t cpu, uint32_t period_ms)
{
        struct sim_machine *m = ctx;

        sim_lock_take(m->cpus[cpu].lock);
        m->cpus[cpu].timer_ms = period_ms;
        sim_lock_release(m->cpus[cpu].lock);
}

static uint64_t sim_time(void *ctx)
{
        return atomic_load(&((struct sim_machine *)ctx)->now_ns);
}

static bool sim_read_stack(void *ctx, uint64_t address, bool user, uint64_t ret[2])
{
        struct sim_machine *m = ctx;
        uint64_t at = address / 8 - SIM_STACK_WORDS;

        (void)user;
        if (address % 8 || at >= SIM_STACK_WORDS - 1)
                return false;
        memcpy(ret, &m->stack[at], 16);
        return true;
}

static void *sim_allocate(void *ctx, size_t bytes)
{
        struct sim_machine *m = ctx;
        void *memory;

        if (++m->n_allocations == m->fail_allocation)
                return NULL;
        memory = sim_host_allocate(bytes);
        if (memory)
                memset(memory, 0, bytes);
        return memory;
}

static void sim_release(void *ctx, void *memory)
{
        (void)ctx;
        sim_host_release(memory);
}

/* --- the machine --- */

/* Registers as some other program may have left them: all counters count something, wide ones, and some
 * have wrapped. Those of programs count: PMCCNTR of cores. */
static void make_hostile(struct sim_machine *m, const struct hw_unit *unit)
{
        for (uint32_t c = 0; c < unit->block->n_classes; c++) {
                const struct block_class *class = &unit->block->classes[c];
                struct sim_class *s = state_of(m, unit, class);
                uint32_t n = unit < m->units + m->hw.n_cpus ? m->n_core_counters : class->n_counters;
                uint64_t all = width(n);

                s->control = class->run | class->wide;
                s->select = n - 1;
                s->enabled = all | (class->cycles_bits ? UINT64_C(1) << class->cycles_bit : 0);
                s->interrupts = all & 0x14;
                s->overflow = all & 0x23;
                s->cycles = UINT64_C(0xfedcba9876543210);
                for (uint32_t i = 0; i < n; i++) {
                        s->events[i] = (UINT64_C(0x3) << class->event_low) | class->enable_in_event;
                        s->values[i] = (UINT64_C(0x123456789) << i) & value_width(s, class);
                }
        }
}

static void add_units(struct sim_machine *m, const struct block *block, uint32_t n)
{
        for (uint32_t i = 0; i < n; i++) {
                uint64_t *cpus = m->unit_cpus[m->n_added++];

                for (uint32_t cpu = i; cpu < m->hw.n_cpus; cpu += n)
                        cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
                m->units[m->hw.n_units++] = (struct hw_unit){.block = block,
                                                             .number = i,
                                                             .cpu = i % m->hw.n_cpus,
                                                             .free_counters = UINT32_MAX,
                                                             .cpus = cpus};
                make_hostile(m, &m->units[m->hw.n_units - 1]);
        }
}

void sim_machine_make(struct sim_machine *m, uint32_t n_cpus, uint32_t n_each, bool with_spe)
{
        memset(m, 0, sizeof(*m));
        m->hw = (struct hw){
                .ctx = m,
                .n_cpus = n_cpus,
                .units = m->units,
                .read = sim_read,
                .write = sim_write,
                .read_id = sim_read_id,
                .run_on_cpu = sim_run_on_cpu,
                .set_timer = sim_set_timer,
                .take_interrupts = sim_take_interrupts,
                .give_interrupts = sim_give_interrupts,
                .time_ns = sim_time,
                .read_stack = sim_read_stack,
                .allocate = sim_allocate,
                .release = sim_release,
        };
        if (with_spe)
                sim_spe_connect(&m->hw);
        m->n_core_counters = 6;
        for (uint32_t i = 0; i < n_cpus; i++) {
                m->cpus[i].lock = sim_lock_new();
                m->cpus[i].midr = 0x410fd0c1;
                m->cpus[i].pmsidr = with_spe ? SIM_PMSIDR : 0;
                m->cpus[i].dfr0 = (with_spe ? UINT64_C(1) << 32 : 0) | 4 << 8;
        }
        for (uint32_t b = 0; b < block_all_n; b++) {
                if (!strcmp(block_all[b].name, "core-pmuv3"))
                        add_units(m, &block_all[b], n_cpus);
        }
        for (uint32_t b = 0; b < block_all_n; b++) {
                if (strcmp(block_all[b].name, "core-pmuv3"))
                        add_units(m, &block_all[b], n_each);
        }
}

void sim_machine_set_units(struct sim_machine *m, const struct block *block, uint32_t n)
{
        uint32_t kept = 0;

        for (uint32_t i = 0; i < m->hw.n_units; i++) {
                if (m->units[i].block != block)
                        m->units[kept++] = m->units[i];
        }
        m->hw.n_units = kept;
        add_units(m, block, n);
}

void sim_machine_init(struct sim_machine *m, uint32_t n_cpus, uint32_t n_each, bool with_spe)
{
        sim_machine_make(m, n_cpus, n_each, with_spe);
        m->driver = driver_new(&m->hw);
}

void sim_machine_release(struct sim_machine *m)
{
        if (m->driver)
                driver_free(m->driver);
        for (uint32_t i = 0; i < m->hw.n_cpus; i++)
                sim_lock_free(m->cpus[i].lock);
}

uint32_t sim_machine_find_unit(const struct sim_machine *m, const char *block, uint32_t number)
{
        for (uint32_t i = 0; i < m->hw.n_units; i++) {
                if (!strcmp(m->units[i].block->name, block) && m->units[i].number == number)
                        return i;
        }
        return UINT32_MAX;
}

void sim_machine_tick(struct sim_machine *m, uint32_t cpu)
{
        sim_lock_take(m->cpus[cpu].lock);
        sim_host_set_cpu(cpu);
        if (m->cpus[cpu].timer_ms)
                driver_tick(m->driver, cpu);
        sim_lock_release(m->cpus[cpu].lock);
}

void sim_machine_pass(struct sim_machine *m, uint64_t ns)
{
        uint64_t before = atomic_fetch_add(&m->now_ns, ns), after = before + ns;

        for (uint32_t i = 0; i < m->hw.n_cpus; i++) {
                uint64_t period = m->cpus[i].timer_ms * UINT64_C(1000000);

                if (period && after / period > before / period)
                        sim_machine_tick(m, i);
        }
}

enum request_status sim_machine_request(struct sim_machine *m, const void *owner, enum abi_request number,
                                        const void *in, size_t in_bytes, void *out, size_t out_bytes)
{
        uint32_t code = number == ABI_REQUEST_VERSION ? ABI_CODE(number) : ABI_OWN(number), bytes;

        return request_run(m->driver, owner, code, in, (uint32_t)in_bytes, out, (uint32_t)out_bytes, &bytes);
}
