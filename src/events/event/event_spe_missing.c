/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out why a machine has no PMU of Arm SPE: because of the CPU, the driver, the kernel's page tables
 * or the hypervisor. */
#include <string.h>

#include "core_kind.h"
#include "event_grammar.h"
#include "os_paths.h"
#include "text.h"

static bool file_has(const struct pmu_source *source, const char *file, const char *part)
{
        AUTO_RELEASE(buf) path = {0}, text = {0};

        os_sysfs(file, &path);
        if (!source->read_file(source->ctx, buf_text(&path), &text))
                return false;
        /* Strings of a device tree have NULs between them. */
        for (size_t i = 0; i < text.len; i++)
                text.data[i] = text.data[i] ? text.data[i] : '\n';
        return strstr(buf_text(&text), part) != NULL;
}

/* "arm,spe-v1" of ACPI and its instances, "spe-pmu" of device trees. */
static bool see_device(void *ctx, const char *name)
{
        bool *found = ctx;

        *found = text_starts(name, "arm,spe") || text_starts(name, "spe-pmu") || text_ends(name, ":spe-pmu");
        return !*found;
}

static bool is_virtual(const struct pmu_source *source)
{
        static const struct {
                const char *file, *part;
        } signs[] = {
                {"class/dmi/id/sys_vendor", "QEMU"},
                {"class/dmi/id/sys_vendor", "VMware"},
                {"class/dmi/id/sys_vendor", "Parallels"},
                {"class/dmi/id/sys_vendor", "Google"},
                {"class/dmi/id/product_name", "Virtual"},
                {"class/dmi/id/product_name", "KVM"},
                {"firmware/devicetree/base/compatible", "dummy-virt"},
                {"hypervisor/type", "xen"},
        };

        for (size_t i = 0; i < N_ELEMENTS(signs); i++) {
                if (file_has(source, signs[i].file, signs[i].part))
                        return true;
        }
        return file_has(source, "class/dmi/id/sys_vendor", "Amazon EC2") &&
               !file_has(source, "class/dmi/id/product_name", ".metal");
}

bool event_spe_is_arm(const struct pmu_source *source)
{
        AUTO_RELEASE(buf) path = {0}, id = {0};

        buf_printf(&path, "%s0/regs/identification/midr_el1", os_sysfs_cpu_prefix());
        return source->read_file(source->ctx, buf_text(&path), &id);
}

static bool has_device(const struct pmu_source *source)
{
        AUTO_RELEASE(buf) path = {0};
        bool found = false;

        os_sysfs("bus/platform/devices", &path);
        source->list_dir(source->ctx, buf_text(&path), see_device, &found);
        return found;
}

const char *event_spe_why_missing(const struct pmu_source *source)
{
        bool is_described;

        if (!source || !event_spe_is_arm(source))
                return "only Arm CPUs have it";
        if (core_model_is(source))
                return "a CPU model has the counters of a core only; give --sysfs a copy of the /sys of a machine with SPE";
        is_described = has_device(source);
        if (is_described && file_has(source, "devices/system/cpu/vulnerabilities/meltdown", "PTI"))
                return "the kernel separates its page tables from those of programs (kpti), which hides SPE; boot with "
                       "kpti=off";
        if (is_described)
                return "its driver is not loaded; use 'modprobe arm_spe_pmu'";
        if (is_virtual(source))
                return "this is a virtual machine, and its hypervisor does not offer SPE; record on the host";
        return "this CPU has none, or the firmware or the driver does not offer it";
}
