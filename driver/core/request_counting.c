/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests about plans and counts. */
#include <string.h>

#include "request_handlers.h"

enum request_status request_check_assign(struct driver *driver, const struct request *request)
{
        const struct abi_assign *in = request->in;
        const struct driver_class *class;
        bool excludes;

        if (in->class >= driver->n_classes)
                return REQUEST_NO_DEVICE;
        class = &driver->classes[in->class];
        excludes = class->class->exclude_kernel || class->class->exclude_user;
        if (!request_set_is_valid(&in->units, class->n_sets) || in->pad ||
            in->cycles_flags & ~(uint32_t)(excludes ? ABI_EXCLUDE_KERNEL | ABI_EXCLUDE_USER : 0))
                return REQUEST_VALUE;
        if (in->n_slots && (!in->window || in->window > BLOCK_COUNTERS_MAX ||
                            in->period_ms < ABI_PERIOD_MIN_MS || in->period_ms > ABI_PERIOD_MAX_MS))
                return REQUEST_VALUE;
        for (uint32_t i = 0; i < in->n_slots; i++) {
                uint32_t flags = ABI_PADDING | (excludes ? ABI_EXCLUDE_KERNEL | ABI_EXCLUDE_USER : 0);

                if (in->slots[i].code >> class->class->event_bits || in->slots[i].flags & ~flags)
                        return REQUEST_VALUE;
        }
        for (uint32_t i = 0; i < class->n_sets; i++) {
                const struct counter_set *set = &class->sets[i];

                if (request_set_has(&in->units, i) &&
                    !counter_set_has_room(set, in->n_slots ? in->window : 0, set->n_sources))
                        return REQUEST_ROOM;
        }
        return REQUEST_OK;
}

enum request_status request_assign(struct driver *driver, struct request *request)
{
        const struct abi_assign *in = request->in;
        const struct driver_class *class = &driver->classes[in->class];

        for (uint32_t i = 0; i < class->n_sets; i++) {
                if (request_set_has(&in->units, i))
                        counter_set_assign(&class->sets[i], in);
        }
        return REQUEST_OK;
}

enum request_status request_check_counts(struct driver *driver, const struct request *request)
{
        const struct abi_read *in = request->in;

        if (in->class >= driver->n_classes || in->unit >= driver->classes[in->class].n_sets)
                return REQUEST_NO_DEVICE;
        if (request->room < sizeof(struct abi_counts) + driver->classes[in->class].sets[in->unit].n_slots *
                                                                sizeof(struct abi_count))
                return REQUEST_SIZE;
        return REQUEST_OK;
}

struct copy_counts {
        struct counter_set *set;
        char *out;
};

/* Runs on the unit's CPU, where no tick changes the counts meanwhile. */
static void copy_counts(void *arg)
{
        const struct copy_counts *copy = arg;
        struct counter_set *set = copy->set;
        struct abi_counts head;

        counter_set_read(set);
        head = (struct abi_counts){.n = set->n_slots,
                                   .running = set->running,
                                   .cycles = set->cycles,
                                   .enabled_ns = set->enabled_ns,
                                   .windows = set->windows,
                                   .overflows = set->overflows};
        memcpy(copy->out, &head, sizeof(head));
        for (uint32_t i = 0; i < set->n_slots; i++) {
                struct abi_count count = set->counts[i];

                count.enabled_ns = set->enabled_ns;
                memcpy(copy->out + sizeof(head) + i * sizeof(count), &count, sizeof(count));
        }
}

enum request_status request_read_counts(struct driver *driver, struct request *request)
{
        const struct abi_read *in = request->in;
        struct counter_set *set = &driver->classes[in->class].sets[in->unit];
        struct copy_counts copy = {set, request->out};

        driver->hw->run_on_cpu(driver->hw->ctx, set->unit->cpu, copy_counts, &copy);
        request->bytes = (uint32_t)(sizeof(struct abi_counts) + set->n_slots * sizeof(struct abi_count));
        return REQUEST_OK;
}
