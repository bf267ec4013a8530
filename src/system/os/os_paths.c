/* SPDX-License-Identifier: BSD-3-Clause */
#include "os_paths.h"

#include <inttypes.h>
#include <stddef.h>

#define PMUS "/sys/bus/event_source/devices"

void os_sysfs(const char *below, struct buf *out)
{
        buf_printf(out, "/sys/%s", below);
}

const char *os_sysfs_pmus(void)
{
        return PMUS;
}

void os_sysfs_pmu(const char *pmu, const char *file, struct buf *out)
{
        buf_printf(out, PMUS "/%s%s%s", pmu, *file ? "/" : "", file);
}

const char *os_sysfs_cpu_prefix(void)
{
        return "/sys/devices/system/cpu/cpu";
}

void os_sysfs_notes(const char *module, struct buf *out)
{
        if (module)
                buf_printf(out, "/sys/module/%s/notes/.note.gnu.build-id", module);
        else
                buf_add_str(out, "/sys/kernel/notes");
}

const char *os_sysfs_tracing(unsigned i)
{
        static const char *const folders[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

        return i < N_ELEMENTS(folders) ? folders[i] : NULL;
}

const char *os_proc_kallsyms(void)
{
        return "/proc/kallsyms";
}

void os_proc_kernel(const char *setting, struct buf *out)
{
        buf_printf(out, "/proc/sys/kernel%s%s", *setting ? "/" : "", setting);
}

const char *os_tmp_folder(void)
{
        return "/tmp";
}

void os_tmp_perf_map(int32_t pid, struct buf *out)
{
        buf_printf(out, "/tmp/perf-%" PRId32 ".map", pid);
}
