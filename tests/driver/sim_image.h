/* SPDX-License-Identifier: BSD-3-Clause */
/* All registers of a simulated machine at one moment, and a comparison with a later one. */
#ifndef SIM_IMAGE_H
#define SIM_IMAGE_H

#include <stdio.h>

#include "sim_machine.h"

struct sim_image {
        struct sim_class classes[SIM_UNITS_MAX][SIM_CLASSES_MAX];
        uint64_t spe[SIM_CPUS_MAX][HW_SPE_REGISTERS];
};

static inline void sim_image_take(struct sim_image *image, const struct sim_machine *m)
{
        memcpy(image->classes, m->classes, sizeof(image->classes));
        for (uint32_t i = 0; i < m->hw.n_cpus; i++)
                memcpy(image->spe[i], m->cpus[i].spe, sizeof(image->spe[i]));
}

static inline bool sim_image_runs(const struct block_class *class, const struct sim_class *s, uint32_t i)
{
        if (class->enable_in_event)
                return s->events[i] & class->enable_in_event;
        return (s->control & class->run) == class->run && s->enabled >> i & 1;
}

static inline bool sim_image_differs(const struct hw_unit *u, const char *what, uint64_t before, uint64_t now)
{
        if (before == now)
                return false;
        printf("# %s %u: %s was %#llx, is %#llx\n", u->block->name, u->number, what,
               (unsigned long long)before, (unsigned long long)now);
        return true;
}

/* Counters that ran at the beginning may have gone on. Overflow bits of a class that only clears them can't
 * be set again. */
static inline bool sim_image_class_is_same(const struct hw_unit *u, const struct block_class *class,
                                           const struct sim_class *before, const struct sim_class *now)
{
        bool differs = sim_image_differs(u, "control", before->control, now->control);

        differs |= sim_image_differs(u, "select", before->select, now->select);
        differs |= sim_image_differs(u, "enabled", before->enabled, now->enabled);
        differs |= sim_image_differs(u, "interrupts", before->interrupts, now->interrupts);
        differs |= sim_image_differs(u, "filter", before->cycles_filter, now->cycles_filter);
        if (class->registers[BLOCK_OVERFLOW_SET].kind != BLOCK_ABSENT)
                differs |= sim_image_differs(u, "overflow", before->overflow, now->overflow);
        for (uint32_t i = 0; i < class->n_counters; i++) {
                differs |= sim_image_differs(u, "event", before->events[i], now->events[i]);
                if (!sim_image_runs(class, before, i))
                        differs |= sim_image_differs(u, "value", before->values[i], now->values[i]);
        }
        if (now->cycles < before->cycles)
                differs |= sim_image_differs(u, "cycles", before->cycles, now->cycles);
        return !differs;
}

/* Prints what differs; the counter of cycles may only have gone on. */
static inline bool sim_image_is_same(const struct sim_image *before, const struct sim_machine *m)
{
        bool same = true;

        for (uint32_t i = 0; i < m->hw.n_units; i++) {
                const struct hw_unit *u = &m->units[i];

                for (uint32_t c = 0; c < u->block->n_classes; c++)
                        same &= sim_image_class_is_same(u, &u->block->classes[c], &before->classes[i][c],
                                                        &m->classes[i][c]);
        }
        for (uint32_t i = 0; i < m->hw.n_cpus; i++) {
                for (uint32_t r = 0; r < HW_SPE_REGISTERS; r++)
                        same &= !sim_image_differs(&m->units[i], "SPE", before->spe[i][r], m->cpus[i].spe[r]);
        }
        return same;
}

#endif
