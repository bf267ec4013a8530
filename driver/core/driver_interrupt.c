/* SPDX-License-Identifier: BSD-3-Clause */
/* What an interrupt does, and who gets interrupts: the driver takes those of all PMUs only while it
 * samples. */
#include "counter_keep.h"
#include "driver.h"

/* --- in an interrupt --- */

/* The return addresses of the frame records at `fp`; each is further up the stack than the one before. */
static uint32_t walk_frames(const struct driver *driver, const struct driver_frame *frame, uint32_t max,
                            uint64_t *chain)
{
        const struct hw *hw = driver->hw;
        uint64_t fp = frame->fp;
        uint32_t n = 0;

        while (n < max && fp && fp % 8 == 0) {
                uint64_t record[2];

                if (!hw->read_stack(hw->ctx, fp, frame->user, record) || !record[1])
                        break;
                chain[n++] = record[1];
                if (record[0] <= fp)
                        break;
                fp = record[0];
        }
        return n;
}

struct due_sample {
        struct driver *driver;
        const struct driver_frame *frame;
        uint32_t cpu;
};

static void add_sample(void *ctx, uint32_t source, uint64_t missed)
{
        const struct due_sample *due = ctx;
        struct driver_cpu *cpu = &due->driver->cpus[due->cpu];
        const struct hw *hw = due->driver->hw;
        uint64_t chain[ABI_CHAIN_MAX];
        struct abi_sample sample = {
                .source = (uint8_t)source,
                .flags = due->frame->user ? ABI_SAMPLE_USER : 0,
                .cpu = due->cpu,
                .time_ns = hw->time_ns(hw->ctx),
                .pid = due->frame->pid,
                .tid = due->frame->tid,
                .pc = due->frame->pc,
                .lr = due->frame->lr,
                .missed = missed > UINT32_MAX ? UINT32_MAX : (uint32_t)missed,
        };

        sample.n_chain = walk_frames(due->driver, due->frame, cpu->chain_max, chain);
        sample.bytes = (uint16_t)(sizeof(sample) + 8 * sample.n_chain);
        sample_ring_add(&cpu->ring, &sample, chain);
}

/* An interrupt of a counter that another program began to use after the driver had taken the interrupts.
 * Its overflow bit stays, and it is kept from interrupting again and again until driver_give_way, when
 * Windows gets it. */
static void hold_others(struct driver *driver, uint32_t cpu)
{
        bool is_used;

        driver->cpus[cpu].held |= counter_keep_hold(driver->cpus[cpu].core, &is_used);
        if (is_used)
                atomic_store(&driver->others_wait, true);
}

bool driver_interrupt(struct driver *driver, uint32_t cpu, const struct driver_frame *frame)
{
        struct due_sample due = {driver, frame, cpu};

        if (cpu >= driver->hw->n_cpus)
                return false;
        if (counter_set_interrupt(driver->cpus[cpu].core, add_sample, &due))
                return true;
        hold_others(driver, cpu);
        return false;
}

bool driver_spe_interrupt(struct driver *driver, uint32_t cpu)
{
        return cpu < driver->hw->n_cpus && spe_buffer_interrupt(&driver->cpus[cpu].spe);
}

/* --- who gets the interrupts --- */

bool driver_take_interrupts(struct driver *driver)
{
        driver->has_interrupts = driver->hw->take_interrupts(driver->hw->ctx, driver);
        return driver->has_interrupts;
}

static void let_others_go(void *arg)
{
        struct driver_cpu *cpu = arg;

        counter_keep_let_go(cpu->core, cpu->held);
        cpu->held = 0;
}

void driver_give_interrupts(struct driver *driver)
{
        const struct hw *hw = driver->hw;

        if (!driver->has_interrupts)
                return;
        hw->give_interrupts(hw->ctx);
        driver->has_interrupts = false;
        for (uint32_t i = 0; i < hw->n_cpus; i++) {
                if (driver->cpus[i].held)
                        hw->run_on_cpu(hw->ctx, i, let_others_go, &driver->cpus[i]);
        }
        atomic_store(&driver->others_wait, false);
}

void driver_give_way(struct driver *driver)
{
        if (!atomic_load(&driver->others_wait))
                return;
        driver_stop(driver);
        driver->gave_way = true;
}
