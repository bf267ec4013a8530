/* SPDX-License-Identifier: BSD-3-Clause */
/* Arm SPE data of one core, through WPERFDRIVER 3.8 (wperfdriver_spe.h). */
#include <inttypes.h>
#include <stdlib.h>

#include "attributes.h"
#include "mem.h"
#include "spe_files.h"
#include "windows_spe_driver.h"
#include "windows_wperfdriver.h"
#include "wperfdriver_spe.h"

enum { DEFAULT_PERIOD = 65536 /* of an event without an interval */ };

static const struct {
        uint8_t config_bit, operations;
} filters[] = {{SPE_CONFIG_BRANCHES, WPERFDRIVER_SPE_BRANCHES},
               {SPE_CONFIG_LOADS, WPERFDRIVER_SPE_LOADS},
               {SPE_CONFIG_STORES, WPERFDRIVER_SPE_STORES}};

struct wperfdriver_spe_recording {
        struct wperfdriver *driver;
        struct wperfdriver_spe_taker taker;
        bool runs;
};

static bool plan(struct wperfdriver_spe_recording *spe, const struct collect_request *request,
                 struct err *err)
{
        const struct kernel_driver *facts = wperfdriver_get_facts(spe->driver);
        const struct event *event = &request->events->items[0];

        if (request->target.n_cpus != 1)
                return err_set(
                        err, ERR_USAGE,
                        "you can specify only one core for sampling: WPERFDRIVER samples one, so add -c N");
        if (event->attr.flags & PERF_ATTR_FREQ || event->attr.sample_period_or_freq != DEFAULT_PERIOD)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "'%s': WPERFDRIVER does not set the interval of SPE: leave out the interval, -F and "
                        "--sample-period",
                        event->name);
        if (request->target.cpus[0] >= facts->n_cpus)
                return err_set(err, ERR_USAGE,
                               "core index %" PRIu32 " not allowed. Use 0-%u, see option -c <n>",
                               request->target.cpus[0], facts->n_cpus - 1u);
        spe->taker.core = (uint8_t)request->target.cpus[0];
        for (size_t i = 0; i < N_ELEMENTS(filters); i++) {
                if (event->attr.config >> filters[i].config_bit & 1)
                        spe->taker.operations |= filters[i].operations;
        }
        return true;
}

static int64_t ask(void *ctx, enum wperfdriver_request request, const void *in, size_t in_size, void *out,
                   size_t room, struct err *err)
{
        return wperfdriver_ask_any(ctx, request, in, in_size, out, room, err);
}

static void free_spe(void *driver)
{
        struct wperfdriver_spe_recording *spe = driver;
        struct buf forgotten = {0};

        if (spe->runs)
                wperfdriver_spe_end(&spe->taker, &forgotten, NULL);
        buf_release(&forgotten);
        wperfdriver_free(spe->driver);
        free(spe);
}

static void *open_spe(const struct collect_request *request, struct err *err)
{
        struct wperfdriver_spe_recording *spe = mem_new(1, sizeof(*spe));

        spe->driver = wperfdriver_open(false, err);
        spe->taker.ask = ask;
        spe->taker.ctx = spe->driver;
        if (spe->driver && plan(spe, request, err))
                return spe;
        free_spe(spe);
        return NULL;
}

static bool begin(void *driver, struct err *err)
{
        struct wperfdriver_spe_recording *spe = driver;

        spe->runs = wperfdriver_spe_begin(&spe->taker, err);
        return spe->runs;
}

static bool take(void *driver, size_t core, bool is_last, struct driver_spe_piece *ret, struct err *err)
{
        struct wperfdriver_spe_recording *spe = driver;
        uint64_t skipped = spe->taker.n_skipped, full = spe->taker.n_full;
        bool ok;

        if (!spe->runs)
                return true;
        ok = is_last ? wperfdriver_spe_end(&spe->taker, &ret->bytes, err)
                     : wperfdriver_spe_take(&spe->taker, &ret->bytes, err);
        spe->runs = !is_last;
        ret->n_skipped += spe->taker.n_skipped - skipped;
        ret->n_full += spe->taker.n_full - full;
        return ok;
}

const struct spe_driver spe_of_wperfdriver = {
        .name = "WPERFDRIVER",
        .open = open_spe,
        .free = free_spe,
        .begin = begin,
        .take = take,
};
