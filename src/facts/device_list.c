/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts into words what the kernel says of each PMU. */
#include "device_list.h"

#include <inttypes.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "os_paths.h"
#include "text.h"
#include "text_number.h"

static void describe(const struct pmu *pmu, struct buf *out)
{
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
}

bool device_list(const struct event_facts *facts, device_list_row_fn *row, void *ctx, struct err *err)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) text = {0};

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
                        describe(pmu, &text);
                else
                        buf_add_str(&text, why.text);
                row(ctx, path.data, text.data);
        }
        return true;
}
