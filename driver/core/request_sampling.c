/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests about samples at overflow, and about SPE. */
#include <string.h>

#include "request_handlers.h"

enum request_status request_check_sources(struct driver *driver, const struct request *request)
{
        const struct abi_sources *in = request->in;

        if (!request_set_is_valid(&in->cpus, driver->hw->n_cpus) || in->chain_max > ABI_CHAIN_MAX)
                return REQUEST_VALUE;
        for (uint32_t i = 0; i < in->n; i++) {
                const struct abi_source *s = &in->sources[i];
                const struct block_class *class = driver->cpus[0].core->class;

                if (s->code >> class->event_bits ||
                    s->flags & ~(uint32_t)(ABI_EXCLUDE_KERNEL | ABI_EXCLUDE_USER) || !s->period ||
                    s->period > UINT32_MAX)
                        return REQUEST_VALUE;
        }
        for (uint32_t i = 0; i < driver->hw->n_cpus; i++) {
                const struct counter_set *set = driver->cpus[i].core;

                if (request_set_has(&in->cpus, i) &&
                    !counter_set_has_room(set, set->n_slots ? set->window : 0, in->n))
                        return REQUEST_ROOM;
        }
        return REQUEST_OK;
}

enum request_status request_set_sources(struct driver *driver, struct request *request)
{
        const struct abi_sources *in = request->in;
        const struct hw *hw = driver->hw;

        for (uint32_t i = 0; i < hw->n_cpus; i++) {
                struct driver_cpu *cpu = &driver->cpus[i];

                if (!request_set_has(&in->cpus, i))
                        continue;
                if (in->n && !cpu->ring.words)
                        cpu->ring.words = hw->allocate(hw->ctx, SAMPLE_RING_BYTES);
                if (in->n && !cpu->ring.words)
                        return REQUEST_MEMORY;
        }
        for (uint32_t i = 0; i < hw->n_cpus; i++) {
                if (!request_set_has(&in->cpus, i))
                        continue;
                driver->cpus[i].chain_max = in->chain_max;
                counter_set_sample(driver->cpus[i].core, in->sources, in->n);
        }
        return REQUEST_OK;
}

enum request_status request_check_cpu(struct driver *driver, const struct request *request)
{
        const struct abi_read *in = request->in;

        return in->unit < driver->hw->n_cpus && !in->class ? REQUEST_OK : REQUEST_NO_DEVICE;
}

enum request_status request_read_samples(struct driver *driver, struct request *request)
{
        const struct abi_read *in = request->in;
        struct sample_ring *ring = &driver->cpus[in->unit].ring;
        uint32_t room = request->room - (uint32_t)sizeof(struct abi_samples);
        struct abi_samples head = {.flags = driver->gave_way ? ABI_SAMPLES_ENDED : 0};

        if (ring->words)
                head.bytes = sample_ring_take(ring, (char *)request->out + sizeof(head),
                                              room < ABI_READ_MAX_BYTES ? room : ABI_READ_MAX_BYTES);
        head.generated = atomic_load(&ring->generated);
        head.dropped = atomic_load(&ring->dropped);
        memcpy(request->out, &head, sizeof(head));
        request->bytes = (uint32_t)sizeof(head) + head.bytes;
        return REQUEST_OK;
}

enum request_status request_check_spe(struct driver *driver, const struct request *request)
{
        const struct abi_spe *in = request->in;

        if (!driver->hw->spe_read)
                return REQUEST_NO_DEVICE;
        if (!request_set_is_valid(&in->cpus, driver->hw->n_cpus) || in->flags >= ABI_SPE_CONTEXT << 1 ||
            in->min_latency > 0xffff || in->period > UINT32_MAX || (in->period && in->period < 256))
                return REQUEST_VALUE;
        for (uint32_t i = 0; i < driver->hw->n_cpus; i++) {
                const struct driver_cpu *cpu = &driver->cpus[i];

                if (request_set_has(&in->cpus, i) &&
                    (!(cpu->dfr0 >> 32 & 0xf) ||
                     (in->events_not && !(cpu->pmsidr & DRIVER_PMSIDR_EVENTS_NOT))))
                        return REQUEST_NO_DEVICE;
        }
        return REQUEST_OK;
}

enum request_status request_set_spe(struct driver *driver, struct request *request)
{
        const struct abi_spe *in = request->in;
        const struct hw *hw = driver->hw;

        for (uint32_t i = 0; i < hw->n_cpus; i++) {
                struct spe_buffer *spe = &driver->cpus[i].spe;

                if (!request_set_has(&in->cpus, i))
                        continue;
                if (in->period && !spe->memory)
                        spe->memory = hw->allocate(hw->ctx, SPE_BUFFER_BYTES);
                if (in->period && !spe->memory)
                        return REQUEST_MEMORY;
        }
        for (uint32_t i = 0; i < hw->n_cpus; i++) {
                if (request_set_has(&in->cpus, i))
                        driver->cpus[i].spe.what = *in;
        }
        return REQUEST_OK;
}

enum request_status request_check_read_spe(struct driver *driver, const struct request *request)
{
        const struct abi_read *in = request->in;

        return in->unit < driver->hw->n_cpus && !in->class && driver->cpus[in->unit].spe.memory
                       ? REQUEST_OK
                       : REQUEST_NO_DEVICE;
}

/* Longer copies would keep a CPU's hardware from room that has been read. */
enum { COPY_BYTES = 64 << 10 };

struct read_spe {
        struct spe_buffer *spe;
        uint32_t room;
        bool newest;
        struct spe_part part;
        struct abi_spe_data head;
};

/* These run on the CPU whose data it is, where no interrupt changes it meanwhile. */
static void claim_spe(void *arg)
{
        struct read_spe *read = arg;

        if (read->newest) {
                read->head.stalled |= read->spe->stalled;
                read->spe->stalled = false;
        }
        read->part = spe_buffer_claim(read->spe, read->room, read->newest);
        read->head.total = read->spe->total;
        read->head.stalls = read->spe->stalls;
        read->head.losses = read->spe->losses;
}

static void release_spe(void *arg)
{
        const struct read_spe *read = arg;

        spe_buffer_release(read->spe, read->part.bytes);
}

/* The bytes are copied where interrupts and other threads go on: nobody else takes them, because requests
 * come one at a time. */
enum request_status request_read_spe(struct driver *driver, struct request *request)
{
        const struct abi_read *in = request->in;
        const struct hw *hw = driver->hw;
        uint32_t cpu = in->unit, room = request->room - (uint32_t)sizeof(struct abi_spe_data);
        struct read_spe read = {.spe = &driver->cpus[cpu].spe, .newest = true};
        char *out = (char *)request->out + sizeof(read.head);

        room = room < ABI_READ_MAX_BYTES ? room : ABI_READ_MAX_BYTES;
        do {
                read.room = room - read.head.bytes < COPY_BYTES ? room - read.head.bytes : COPY_BYTES;
                hw->run_on_cpu(hw->ctx, cpu, claim_spe, &read);
                read.newest = false;
                memcpy(out + read.head.bytes, read.part.from, read.part.bytes);
                read.head.bytes += read.part.bytes;
                if (read.part.bytes)
                        hw->run_on_cpu(hw->ctx, cpu, release_spe, &read);
        } while (read.part.bytes && read.head.bytes < room);
        memcpy(request->out, &read.head, sizeof(read.head));
        request->bytes = (uint32_t)sizeof(read.head) + read.head.bytes;
        return REQUEST_OK;
}
