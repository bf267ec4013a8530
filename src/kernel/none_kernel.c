/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel that has no events for this version. */
#include "kernel.h"

static bool read_nothing(void *ctx, const char *path, struct buf *out)
{
        return false;
}

static bool list_nothing(void *ctx, const char *path, bool (*each)(void *each_ctx, const char *name),
                         void *each_ctx)
{
        return false;
}

struct pmu_source kernel_pmu_source(const char *root)
{
        return (struct pmu_source){read_nothing, list_nothing, NULL};
}

bool kernel_probe(const struct event_list *events, bool are_default, struct kernel_probed *ret,
                  struct err *err)
{
        return err_set(err, ERR_UNSUPPORTED,
                       "sampling is not in this version on Windows yet; sessions can be read");
}

void kernel_describe(const struct collect_request *request, struct buf *out)
{
}
