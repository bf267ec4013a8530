/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine's PMUs for parsing events, and a description of the events that would be opened. */
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "kernel.h"
#include "linux_events.h"
#include "os.h"
#include "text.h"
#include "text_number.h"

enum { SYSFS_FILE_LIMIT = 65536 };

/* A copy of /sys may be the folder itself, or stand in it. */
static const char *join(struct buf *out, const void *root, const char *path)
{
        AUTO_RELEASE(buf) inside = {0};
        const char *folder = root;
        struct os_stat there;

        buf_printf(&inside, "%s/sys", folder);
        if (*folder && text_starts(path, "/sys/") && !os_stat(buf_text(&inside), &there))
                path += strlen("/sys");
        buf_printf(out, "%s%s", folder, path);
        return out->data;
}

static bool read_below(void *ctx, const char *path, struct buf *out)
{
        AUTO_RELEASE(buf) full = {0};

        return os_read_file(join(&full, ctx, path), SYSFS_FILE_LIMIT, out, NULL);
}

static bool list_below(void *ctx, const char *path, bool (*each)(void *each_ctx, const char *name),
                       void *each_ctx)
{
        AUTO_RELEASE(buf) full = {0};

        return os_list_dir(join(&full, ctx, path), each, each_ctx, NULL);
}

struct pmu_source kernel_pmu_source(const char *root)
{
        struct pmu_source source = {read_below, list_below, (void *)(uintptr_t)(root ? root : "")};

#if HAVE_PFM
        if (!root || !*root)
                source.find_vendor_event = linux_vendor_event_find;
#endif
        return source;
}

bool kernel_connect(bool force, struct err *err)
{
        return true;
}

const struct kernel_driver *kernel_get_driver(void)
{
        return NULL;
}

void kernel_each_device(void (*device)(void *ctx, const char *name, const char *hardware), void *ctx)
{
}

static void describe_one(const struct collect_request *request, const struct event *event, bool tracks,
                         struct buf *out)
{
        struct kernel_features all = ALL_KERNEL_FEATURES;
        struct perf_attr attr;

        all.every_cpu = request->target.argv && !request->target.system_wide &&
                        (request->children == COLLECT_ALL_CHILDREN ||
                         (request->children == COLLECT_BEST && linux_may_sample_all()));
        attr = linux_attr_make(event, request, tracks, &all);
        buf_printf(out, "event %s\n", event->name);
        if (event->n_cpus) {
                buf_add_str(out, "cpus ");
                text_add_cpu_list(out, event->cpus, event->n_cpus);
                buf_add_str(out, "\n");
        }
        if (event->is_member)
                buf_add_str(out, "in the group of the event before it\n");
        if (event->precise_max)
                buf_add_str(out, "precise_ip is probed: the highest level that the CPU supports is used\n");
        event_describe_attr(&attr, out);
        buf_add_str(out, "\n");
}

void kernel_describe(const struct collect_request *request, struct buf *out)
{
        bool dummy = linux_attr_needs_dummy(request);

        if (dummy) {
                struct event tracker = linux_attr_dummy();

                describe_one(request, &tracker, true, out);
        }
        for (size_t i = 0; i < request->events->n_items; i++)
                describe_one(request, &request->events->items[i], !dummy && !i, out);
}
