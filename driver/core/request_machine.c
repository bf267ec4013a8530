/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests about the machine and its owner. */
#include <string.h>

#include "request_handlers.h"

#ifndef DRIVER_VERSION
#define DRIVER_VERSION "0.0.0"
#endif
#ifndef DRIVER_GIT
#define DRIVER_GIT "unknown"
#endif

static uint32_t read_number(const char **at)
{
        uint32_t value = 0;

        while (**at >= '0' && **at <= '9')
                value = value * 10 + (uint32_t)(*(*at)++ - '0');
        if (**at == '.')
                (*at)++;
        return value;
}

enum request_status request_version(struct driver *driver, struct request *request)
{
        struct abi_version version = {.abi = ABI_NUMBER};
        const char *at = DRIVER_VERSION;

        (void)driver;
        version.major = read_number(&at);
        version.minor = read_number(&at);
        version.patch = read_number(&at);
        strncpy(version.text, DRIVER_GIT, sizeof(version.text) - 1);
        memcpy(request->out, &version, sizeof(version));
        request->bytes = sizeof(version);
        return REQUEST_OK;
}

static uint32_t items_in(const struct request *request, size_t fixed, size_t item, uint32_t limit)
{
        size_t room = (request->room - fixed) / item;

        return room < limit ? (uint32_t)room : limit;
}

enum request_status request_hw_config(struct driver *driver, struct request *request)
{
        const struct abi_first *in = request->in;
        struct abi_hw_config config = {
                .n_cpus = driver->hw->n_cpus,
                .ring_bytes = SAMPLE_RING_BYTES,
                .spe_bytes = SPE_BUFFER_BYTES,
        };
        uint32_t limit = items_in(request, sizeof(config), sizeof(struct abi_cpu), ABI_CPUS_PER_ANSWER);
        char *out = request->out;

        while (config.n < limit && in->first < config.n_cpus && config.n < config.n_cpus - in->first) {
                const struct driver_cpu *cpu = &driver->cpus[in->first + config.n];
                struct abi_cpu item = {
                        .midr = cpu->midr,
                        .pmsidr = cpu->pmsidr,
                        .cpu = in->first + config.n,
                        .pmu_version = cpu->dfr0 >> 8 & 0xf,
                        .spe_version = cpu->dfr0 >> 32 & 0xf,
                        .n_counters = cpu->core->n_counters,
                        .counter_bits = cpu->core->class->counter_bits,
                };

                memcpy(out + sizeof(config) + config.n++ * sizeof(item), &item, sizeof(item));
        }
        memcpy(out, &config, sizeof(config));
        request->bytes = (uint32_t)(sizeof(config) + config.n * sizeof(struct abi_cpu));
        return REQUEST_OK;
}

enum request_status request_blocks(struct driver *driver, struct request *request)
{
        const struct abi_first *in = request->in;
        struct abi_blocks blocks = {.n_classes = driver->n_classes};
        uint32_t limit = items_in(request, sizeof(blocks), sizeof(struct abi_class), ABI_CLASSES_PER_ANSWER);
        char *out = request->out;

        while (blocks.n < limit && in->first < driver->n_classes &&
               blocks.n < driver->n_classes - in->first) {
                const struct driver_class *class = &driver->classes[in->first + blocks.n];
                struct abi_class item = {
                        .number = in->first + blocks.n,
                        .n_units = class->n_sets,
                        .n_counters = class->sets[0].n_counters,
                        .counter_bits = class->class->counter_bits,
                        .has_cycles = class->class->cycles_bits != 0,
                        .is_core = class->block == driver->hw->units[0].block,
                };

                strncpy(item.block, class->block->name, sizeof(item.block) - 1);
                strncpy(item.name, class->class->name, sizeof(item.name) - 1);
                memcpy(out + sizeof(blocks) + blocks.n++ * sizeof(item), &item, sizeof(item));
        }
        memcpy(out, &blocks, sizeof(blocks));
        request->bytes = (uint32_t)(sizeof(blocks) + blocks.n * sizeof(struct abi_class));
        return REQUEST_OK;
}

enum request_status request_check_class(struct driver *driver, const struct request *request)
{
        const struct abi_read *in = request->in;

        return in->class < driver->n_classes ? REQUEST_OK : REQUEST_VALUE;
}

enum request_status request_units(struct driver *driver, struct request *request)
{
        const struct abi_read *in = request->in;
        const struct driver_class *class = &driver->classes[in->class];
        struct abi_units units = {.n_units = class->n_sets};
        uint32_t limit = items_in(request, sizeof(units), sizeof(struct abi_unit), ABI_UNITS_PER_ANSWER);
        char *out = request->out;

        while (units.n < limit && in->unit < class->n_sets && units.n < class->n_sets - in->unit) {
                const struct counter_set *set = &class->sets[in->unit + units.n];
                struct abi_unit item = {.cpu = set->unit->cpu, .n_counters = set->n_counters};

                if (set->unit->cpus)
                        memcpy(item.cpus.bits, set->unit->cpus, sizeof(item.cpus.bits));
                memcpy(out + sizeof(units) + units.n++ * sizeof(item), &item, sizeof(item));
        }
        memcpy(out, &units, sizeof(units));
        request->bytes = (uint32_t)(sizeof(units) + units.n * sizeof(struct abi_unit));
        return REQUEST_OK;
}

enum request_status request_lock(struct driver *driver, struct request *request)
{
        const struct abi_lock *in = request->in;
        struct abi_lock_answer answer = {.status = ABI_LOCKED};

        if (in->force > 1)
                return REQUEST_VALUE;
        if (!driver_lock(driver, request->owner, in->force))
                answer.status = ABI_LOCK_BUSY;
        memcpy(request->out, &answer, sizeof(answer));
        request->bytes = sizeof(answer);
        return REQUEST_OK;
}

enum request_status request_unlock(struct driver *driver, struct request *request)
{
        driver_release(driver, request->owner);
        return REQUEST_OK;
}

enum request_status request_start(struct driver *driver, struct request *request)
{
        const struct abi_start *in = request->in;

        if (in->keep > 1)
                return REQUEST_VALUE;
        return driver_start(driver, in->keep) ? REQUEST_OK : REQUEST_TAKEN;
}

enum request_status request_stop(struct driver *driver, struct request *request)
{
        (void)request;
        driver_stop(driver);
        return REQUEST_OK;
}
