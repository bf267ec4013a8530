/* SPDX-License-Identifier: BSD-3-Clause */
/* Arm SPE data of cores, through wperf's own driver (own_spe.h). */
#include <inttypes.h>
#include <stdlib.h>

#include "mem.h"
#include "os.h"
#include "own_spe.h"
#include "windows_own_driver.h"
#include "windows_spe_driver.h"

struct own_spe_recording {
        struct own_driver *driver;
        struct abi_spe what;
        struct own_spe_taker *takers; /* of each core */
        size_t n;
        bool runs;
};

static int64_t ask(void *ctx, enum abi_request request, const void *in, size_t in_size, void *out,
                   size_t room, struct err *err)
{
        return own_driver_ask(ctx, request, in, in_size, out, room, err);
}

static bool add_core(struct own_spe_recording *spe, const struct event *event, uint32_t cpu, struct err *err)
{
        uint16_t n_cpus = own_driver_get_facts(spe->driver)->n_cpus;
        struct abi_cpu about;

        if (cpu >= n_cpus)
                return err_set(err, ERR_USAGE,
                               "core index %" PRIu32 " not allowed. Use 0-%u, see option -c <n>", cpu,
                               n_cpus - 1u);
        if (!own_driver_get_cpu(spe->driver, cpu, &about, err) ||
            !own_spe_check_cpu(&spe->what, event->name, &about, err))
                return false;
        spe->what.cpus.bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
        spe->takers[spe->n++] = (struct own_spe_taker){.ask = ask, .ctx = spe->driver, .cpu = cpu};
        return true;
}

static bool plan(struct own_spe_recording *spe, const struct collect_request *request, struct err *err)
{
        const struct event *event = &request->events->items[0];

        if (!request->target.n_cpus)
                return err_set(err, ERR_USAGE,
                               "'%s' samples everything that runs on a core: choose the core with -c N",
                               event->name);
        if (!own_spe_read_event(event, &spe->what, err))
                return false;
        spe->takers = mem_new(request->target.n_cpus, sizeof(*spe->takers));
        for (size_t i = 0; i < request->target.n_cpus; i++) {
                if (!add_core(spe, event, request->target.cpus[i], err))
                        return false;
        }
        return true;
}

/* The driver stops when its lock is given back. */
static void free_spe(void *driver)
{
        struct own_spe_recording *spe = driver;

        own_driver_free(spe->driver);
        for (size_t i = 0; i < spe->n; i++)
                own_spe_taker_release(&spe->takers[i]);
        free(spe->takers);
        free(spe);
}

static void *open_spe(const struct collect_request *request, struct err *err)
{
        struct own_spe_recording *spe = mem_new(1, sizeof(*spe));

        spe->driver = own_driver_open(false, err);
        if (spe->driver && plan(spe, request, err))
                return spe;
        free_spe(spe);
        return NULL;
}

static bool begin(void *driver, struct err *err)
{
        const struct abi_start start = {0};
        struct own_spe_recording *spe = driver;

        spe->runs = own_driver_ask(spe->driver, ABI_REQUEST_SET_SPE, &spe->what, sizeof(spe->what), NULL, 0,
                                   err) >= 0 &&
                    own_driver_ask(spe->driver, ABI_REQUEST_START, &start, sizeof(start), NULL, 0, err) >= 0;
        return spe->runs;
}

static bool stop(struct own_spe_recording *spe, struct err *err)
{
        if (!spe->runs)
                return true;
        spe->runs = false;
        return own_driver_ask(spe->driver, ABI_REQUEST_STOP, NULL, 0, NULL, 0, err) >= 0;
}

static bool take(void *driver, size_t core, bool is_last, struct driver_spe_piece *ret, struct err *err)
{
        struct own_spe_recording *spe = driver;
        struct own_spe_taker *taker = &spe->takers[core];
        uint64_t stalls = taker->stalls, losses = taker->losses;
        uint64_t before = taker->n_taken, now_ns = os_monotonic_ns();
        bool ok;

        if (!is_last && !own_spe_is_due(taker, now_ns))
                return true;
        ok = (!is_last || stop(spe, err)) && own_spe_take(taker, &ret->bytes, err);
        own_spe_plan(taker, now_ns, taker->n_taken - before);
        ret->n_full += taker->stalls - stalls;
        ret->n_losses += taker->losses - losses;
        ret->n_skipped += ok && is_last ? own_spe_missing(taker) : 0;
        return ok;
}

const struct spe_driver spe_of_own_driver = {
        .name = ABI_SERVICE,
        .sets_interval = true,
        .open = open_spe,
        .free = free_spe,
        .begin = begin,
        .take = take,
};
