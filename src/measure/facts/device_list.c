/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes each PMU. */
#include "device_list.h"

#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "kernel.h"
#include "os_paths.h"
#include "text.h"
#include "text_number.h"

static void describe(const struct event_facts *facts, const struct pmu *pmu, struct buf *out)
{
        const struct pmu_block *block = event_facts_block_of(facts, pmu);
        bool is_spe = text_starts(pmu->name, "arm_spe_"), uncore = pmu->uncore && !is_spe;
        const char *what = pmu->core ? "core PMU"
                           : is_spe  ? "sampling PMU (SPE)"
                           : uncore  ? "uncore PMU"
                                     : "PMU";

        buf_printf(out, "%s, type %" PRIu32, what, pmu->type);
        if (!pmu->cpus) {
                buf_add_str(out, ", all CPUs");
        } else if (!pmu->n_cpus) {
                buf_add_str(out, ", no CPU is online");
        } else {
                buf_add_str(out, uncore ? ", opened on CPUs " : ", CPUs ");
                text_add_cpu_list(out, pmu->cpus, pmu->n_cpus);
        }
        if (block)
                buf_printf(out, ", block %s", block->name);
}

struct driver_walk {
        device_list_row_fn *row;
        void *ctx;
        size_t n;
};

static void add_driver_device(void *ctx, const char *name, const char *hardware)
{
        struct driver_walk *walk = ctx;

        walk->row(walk->ctx, name, hardware);
        walk->n++;
}

bool device_list(const struct event_facts *facts, device_list_row_fn *row, void *ctx, struct err *err)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) text = {0};
        struct driver_walk walk = {row, ctx, 0};

        if (facts->this_machine)
                kernel_each_device(add_driver_device, &walk);
        if (walk.n)
                return true;
        if (facts->unknown.code != ERR_NONE)
                return err_set(err, facts->unknown.code, "%s", facts->unknown.text);
        if (!facts->pmus.n_items)
                return err_set(
                        err, ERR_MISSING,
                        "no active device interfaces found: %s lists no PMU; it needs Linux with perf events "
                        "(CONFIG_PERF_EVENTS) and /sys",
                        os_sysfs_pmus());
        for (size_t i = 0; i < facts->pmus.n_items; i++) {
                struct pmu *pmu = &facts->pmus.items[i];
                struct err why = {0};

                buf_clear(&path);
                buf_clear(&text);
                os_sysfs_pmu(pmu->name, "", &path);
                if (pmu_load(&facts->source, pmu, &why))
                        describe(facts, pmu, &text);
                else
                        buf_add_str(&text, why.text);
                row(ctx, path.data, text.data);
        }
        return true;
}
