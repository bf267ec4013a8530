/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine_limits.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "event.h"
#include "kernel.h"
#include "os_paths.h"

struct machine_limit {
        struct pmu_source source;
        struct kernel_rights rights;
        machine_limit_fn *limit;
        void *ctx;
};

static void add(const struct machine_limit *l, const char *what, const char *state, const char *more)
{
        l->limit(l->ctx, what, state, more);
}

/* Appends a setting of the kernel; false if there is no such file. */
static bool read_setting(const struct machine_limit *l, const char *name, long *ret_level, struct buf *ret)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) text = {0};

        os_proc_kernel(name, &path);
        if (!l->source.read_file(l->source.ctx, buf_text(&path), &text))
                return false;
        *ret_level = strtol(buf_text(&text), NULL, 10);
        buf_printf(ret, "%ld", *ret_level);
        return true;
}

static void add_counters(const struct machine_limit *l)
{
        char pmu[64];

        if (event_has_core_pmu(&l->source, pmu))
                add(l, "hardware counters", pmu, "");
        else if (!event_knows_pmus(&l->source))
                add(l, "hardware counters", "not known: sysfs is not mounted here",
                    "mount -t sysfs sysfs /sys");
        else
                add(l, "hardware counters", "none, as in most virtual machines",
                    "give the virtual machine a PMU");
}

static const char *meaning_of_paranoid(long level)
{
        if (level < 0)
                return "everything is allowed";
        if (!level)
                return "all processes and the kernel";
        if (level == 1)
                return "own programs and the kernel";
        return level == 2
                       ? "own programs, without the kernel"
                       : "no events without privilege on kernels of Debian, Ubuntu and Android; on others as 2";
}

static void add_paranoid(const struct machine_limit *l)
{
        AUTO_RELEASE(buf) text = {0};
        long level;

        if (!read_setting(l, "perf_event_paranoid", &level, &text)) {
                add(l, "perf_event_paranoid", "not known: the settings are not mounted here", "");
                return;
        }
        if (l->rights.samples_all && level > 0)
                buf_add_str(&text, ", which does not limit this user");
        else
                buf_printf(&text, ": %s", meaning_of_paranoid(level));
        add(l, "perf_event_paranoid", buf_text(&text),
            l->rights.samples_all ? "" : "sudo sysctl kernel.perf_event_paranoid=0");
}

static void add_rate(const struct machine_limit *l)
{
        enum { ENOUGH_HZ = 10000 };
        AUTO_RELEASE(buf) text = {0};
        long rate;

        if (!read_setting(l, "perf_event_max_sample_rate", &rate, &text))
                return;
        buf_add_str(&text, " samples a second at most");
        add(l, "sampling rate", buf_text(&text),
            rate < ENOUGH_HZ ? "sudo sysctl kernel.perf_event_max_sample_rate=100000" : "");
}

static void add_yama(const struct machine_limit *l)
{
        static const char *const meanings[] = {"own programs can be traced",
                                               "programs that wperf starts can be traced",
                                               "only root can trace", "nobody can trace until the next boot"};
        enum { NOBODY = N_ELEMENTS(meanings) - 1 };
        AUTO_RELEASE(buf) text = {0};
        long level;

        buf_add_str(&text, "ptrace_scope ");
        if (!read_setting(l, "yama/ptrace_scope", &level, &text)) {
                buf_clear(&text);
                if (read_setting(l, "perf_event_paranoid", &level, &text))
                        add(l, "Yama", "does not run, so it limits nothing", "");
                return;
        }
        level = level < 0 ? 0 : level > NOBODY ? NOBODY : level;
        if (l->rights.traces_all && level && level < NOBODY)
                buf_add_str(&text, ", which does not limit this user");
        else
                buf_printf(&text, ": %s", meanings[level]);
        add(l, "Yama", buf_text(&text),
            !level || level == NOBODY || l->rights.traces_all ? ""
                                                              : "sudo sysctl kernel.yama.ptrace_scope=0");
}

static void add_filter(const struct machine_limit *l)
{
        if (l->rights.is_filtered)
                add(l, "seccomp", "a filter, as container engines set one", "docker run --cap-add PERFMON");
        else
                add(l, "seccomp", "no filter", "");
}

/* Of users without CAP_SYSLOG the kernel asks for both settings. */
static void add_kernel_names(const struct machine_limit *l)
{
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) more = {0};
        AUTO_RELEASE(buf) unused = {0};
        bool is_shown = l->rights.sees_kernel_names;
        long level, paranoid = 0;

        buf_add_str(&text, "kptr_restrict ");
        if (!read_setting(l, "kptr_restrict", &level, &text))
                return;
        read_setting(l, "perf_event_paranoid", &paranoid, &unused);
        buf_printf(&text, "%s: %s", !is_shown && !level ? ", but perf_event_paranoid is above 1" : "",
                   is_shown ? "shown to this user" : "hidden from this user");
        if (!is_shown)
                buf_printf(&more, "sudo sysctl%s%s", level ? " kernel.kptr_restrict=0" : "",
                           paranoid > 1 ? " kernel.perf_event_paranoid=1" : "");
        add(l, "names in the kernel", buf_text(&text), buf_text(&more));
}

static void add_driver(const struct machine_limit *l)
{
        const struct kernel_driver *driver;
        AUTO_RELEASE(buf) text = {0};
        struct err err = {0};

        if (!kernel_connect(false, &err) || !(driver = kernel_get_driver())) {
                add(l, "driver", "none; CPU time is sampled without one", err.text);
                return;
        }
        buf_printf(&text, "%s %s", driver->name, driver->version);
        add(l, "driver", buf_text(&text), "");
}

void machine_limits(machine_limit_fn *limit, void *ctx)
{
        const struct machine_limit l = {kernel_pmu_source(NULL), kernel_get_rights(), limit, ctx};

        if (!kernel_has_samples()) {
                add_driver(&l);
                return;
        }
        add_counters(&l);
        add_paranoid(&l);
        add_rate(&l);
        add_yama(&l);
        add_filter(&l);
        add_kernel_names(&l);
}
