/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the machine's units, and runs what each CPU has to do on that CPU. */
#include "driver.h"

#include "counter_keep.h"

/* --- the machine --- */

static bool add_sets(struct driver *driver, const struct block *block, const struct block_class *class)
{
        struct driver_class *c = &driver->classes[driver->n_classes];

        *c = (struct driver_class){block, class, driver->sets + driver->n_sets, 0};
        for (uint32_t i = 0; i < driver->hw->n_units; i++) {
                struct counter_set *set = &c->sets[c->n_sets];

                if (driver->hw->units[i].block != block)
                        continue;
                set->hw = driver->hw;
                set->unit = &driver->hw->units[i];
                set->class = class;
                c->n_sets++;
                driver->n_sets++;
        }
        if (!c->n_sets)
                return true;
        return ++driver->n_classes < DRIVER_CLASSES_MAX;
}

static uint32_t count_sets(const struct hw *hw)
{
        uint32_t n = 0;

        for (uint32_t i = 0; i < hw->n_units; i++)
                n += hw->units[i].block->n_classes;
        return n;
}

/* The number of counters of a core is read on that core. */
static void find_counters(void *arg)
{
        struct counter_set *set = arg;

        counter_set_init(set, set->hw, set->unit, set->class);
}

static void read_ids(void *arg)
{
        struct driver_cpu *cpu = arg;
        const struct hw *hw = cpu->spe.hw;

        cpu->midr = hw->read_id(hw->ctx, HW_MIDR);
        cpu->dfr0 = hw->read_id(hw->ctx, HW_DFR0);
        cpu->pmsidr = hw->spe_read ? hw->read_id(hw->ctx, HW_PMSIDR) : 0;
        cpu->spe.has_events_not = cpu->pmsidr & DRIVER_PMSIDR_EVENTS_NOT;
}

struct driver *driver_new(const struct hw *hw)
{
        struct driver *driver = hw->allocate(hw->ctx, sizeof(*driver));

        if (!driver)
                return NULL;
        driver->hw = hw;
        driver->sets = hw->allocate(hw->ctx, count_sets(hw) * sizeof(*driver->sets));
        driver->cpus = hw->allocate(hw->ctx, hw->n_cpus * sizeof(*driver->cpus));
        if (!driver->sets || !driver->cpus) {
                driver_free(driver);
                return NULL;
        }
        for (uint32_t b = 0; b < block_all_n; b++) {
                for (uint32_t c = 0; c < block_all[b].n_classes; c++) {
                        if (!add_sets(driver, &block_all[b], &block_all[b].classes[c]))
                                break;
                }
        }
        for (uint32_t i = 0; i < driver->n_sets; i++) {
                struct counter_set *set = &driver->sets[i];

                hw->run_on_cpu(hw->ctx, set->unit->cpu, find_counters, set);
                if (set->unit->block == hw->units[0].block)
                        driver->cpus[set->unit->cpu].core = set;
        }
        for (uint32_t i = 0; i < hw->n_cpus; i++) {
                driver->cpus[i].spe.hw = hw;
                hw->run_on_cpu(hw->ctx, i, read_ids, &driver->cpus[i]);
        }
        return driver;
}

void driver_free(struct driver *driver)
{
        const struct hw *hw = driver->hw;

        if (driver->cpus && driver->sets)
                driver_stop(driver);
        for (uint32_t i = 0; driver->cpus && i < hw->n_cpus; i++) {
                if (driver->cpus[i].ring.words)
                        hw->release(hw->ctx, driver->cpus[i].ring.words);
                if (driver->cpus[i].spe.memory)
                        hw->release(hw->ctx, driver->cpus[i].spe.memory);
        }
        if (driver->cpus)
                hw->release(hw->ctx, driver->cpus);
        if (driver->sets)
                hw->release(hw->ctx, driver->sets);
        hw->release(hw->ctx, driver);
}

/* --- what happens on a CPU --- */

void driver_tick(struct driver *driver, uint32_t cpu)
{
        if (cpu >= driver->hw->n_cpus)
                return;
        for (uint32_t i = 0; i < driver->n_sets; i++) {
                if (driver->sets[i].unit->cpu == cpu)
                        counter_set_tick(&driver->sets[i]);
        }
        spe_buffer_tick(&driver->cpus[cpu].spe);
}

/* --- start and stop --- */

struct cpu_work {
        struct driver *driver;
        uint32_t cpu;
        bool keep;
};

static void start_cpu(void *arg)
{
        const struct cpu_work *work = arg;
        struct driver_cpu *cpu = &work->driver->cpus[work->cpu];

        for (uint32_t i = 0; i < work->driver->n_sets; i++) {
                struct counter_set *set = &work->driver->sets[i];

                if (set->unit->cpu != work->cpu || !counter_set_is_used(set))
                        continue;
                if (!work->keep)
                        counter_set_reset(set);
                counter_set_start(set);
        }
        if (cpu->spe.what.period)
                spe_buffer_start(&cpu->spe);
}

static void stop_cpu(void *arg)
{
        const struct cpu_work *work = arg;

        for (uint32_t i = 0; i < work->driver->n_sets; i++) {
                if (work->driver->sets[i].unit->cpu == work->cpu)
                        counter_set_stop(&work->driver->sets[i]);
        }
        spe_buffer_stop(&work->driver->cpus[work->cpu].spe);
}

/* The shortest period of the CPU's plans; counters of 32 bits are read often enough even if there is one
 * window. The timer also finds counters that have lost their power, those that sample, too, and SPE's piece
 * that is full. 0: the CPU needs no timer. */
static uint32_t timer_period(const struct driver *driver, uint32_t cpu)
{
        uint32_t period = driver->cpus[cpu].spe.what.period ? DRIVER_READ_MS : 0;

        for (uint32_t i = 0; i < driver->n_sets; i++) {
                const struct counter_set *set = &driver->sets[i];
                uint32_t own = set->n_slots > set->window ? set->period_ms : DRIVER_READ_MS;

                if (set->unit->cpu == cpu && counter_set_is_used(set) && (!period || own < period))
                        period = own;
        }
        return period;
}

static bool is_used(const struct driver *driver, uint32_t cpu)
{
        for (uint32_t i = 0; i < driver->n_sets; i++) {
                if (driver->sets[i].unit->cpu == cpu && counter_set_is_used(&driver->sets[i]))
                        return true;
        }
        return driver->cpus[cpu].spe.what.period != 0;
}

struct cpu_check {
        struct driver *driver;
        uint32_t cpu;
        bool samples; /* on some CPU */
        bool is_taken;
};

/* Whether another program has what the driver needs of the CPU. */
static void check_cpu(void *arg)
{
        struct cpu_check *check = arg;
        const struct driver_cpu *cpu = &check->driver->cpus[check->cpu];

        if (check->samples && counter_keep_find_others(cpu->core))
                check->is_taken = true;
        if (cpu->spe.what.period && spe_buffer_is_taken(&cpu->spe))
                check->is_taken = true;
}

static bool is_taken(struct driver *driver, bool samples)
{
        const struct hw *hw = driver->hw;
        struct cpu_check check = {.driver = driver, .samples = samples};

        for (uint32_t i = 0; i < hw->n_cpus && !check.is_taken; i++) {
                check.cpu = i;
                if (samples || driver->cpus[i].spe.what.period)
                        hw->run_on_cpu(hw->ctx, i, check_cpu, &check);
        }
        return check.is_taken;
}

/* Whether a counter with a source is to interrupt. */
static bool needs_interrupts(const struct driver *driver)
{
        for (uint32_t i = 0; i < driver->hw->n_cpus; i++) {
                if (driver->cpus[i].core->n_sources)
                        return true;
        }
        return false;
}

bool driver_start(struct driver *driver, bool keep)
{
        const struct hw *hw = driver->hw;
        bool samples = needs_interrupts(driver);

        if (is_taken(driver, samples) || (samples && !driver_take_interrupts(driver)))
                return false;
        driver->running = true;
        driver->gave_way = false;
        for (uint32_t i = 0; i < hw->n_cpus; i++) {
                struct cpu_work work = {driver, i, keep};
                uint32_t period = timer_period(driver, i);

                if (!is_used(driver, i))
                        continue;
                if (driver->cpus[i].ring.words)
                        sample_ring_reset(&driver->cpus[i].ring);
                hw->run_on_cpu(hw->ctx, i, start_cpu, &work);
                if (period)
                        hw->set_timer(hw->ctx, i, period);
        }
        return true;
}

void driver_stop(struct driver *driver)
{
        const struct hw *hw = driver->hw;

        if (!driver->running)
                return;
        for (uint32_t i = 0; i < hw->n_cpus; i++) {
                struct cpu_work work = {driver, i, false};

                if (!is_used(driver, i))
                        continue;
                hw->set_timer(hw->ctx, i, 0);
                hw->run_on_cpu(hw->ctx, i, stop_cpu, &work);
        }
        driver_give_interrupts(driver);
        driver->running = false;
}

/* --- the owner --- */

bool driver_lock(struct driver *driver, const void *owner, bool force)
{
        if (driver->owner && driver->owner != owner) {
                if (!force)
                        return false;
                driver_release(driver, driver->owner);
        }
        driver->owner = owner;
        return true;
}

void driver_release(struct driver *driver, const void *owner)
{
        static const struct abi_assign nothing;

        if (!owner || driver->owner != owner)
                return;
        driver_stop(driver);
        for (uint32_t i = 0; i < driver->n_sets; i++) {
                counter_set_assign(&driver->sets[i], &nothing);
                counter_set_sample(&driver->sets[i], NULL, 0);
        }
        for (uint32_t i = 0; i < driver->hw->n_cpus; i++)
                driver->cpus[i].spe.what = (struct abi_spe){0};
        driver->owner = NULL;
}
