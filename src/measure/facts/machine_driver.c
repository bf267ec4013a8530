/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows whose values come from the driver on Windows. */
#include "machine_driver.h"

#include <inttypes.h>
#include <stdio.h>

#include "attributes.h"
#include "cpu_vendor.h"
#include "kernel.h"
#include "machine_internal.h"
#include "os.h"
#include "text_number.h"

/* Fields of ID_AA64DFR0_EL1 (Arm Architecture Reference Manual). */
enum { PMSVER_SHIFT = 32, FIELD_MASK = 15 };

static const char *pmu_name(unsigned version)
{
        static const char *const names[] = {
                [1] = "FEAT_PMUv3",   [4] = "FEAT_PMUv3p1", [5] = "FEAT_PMUv3p4",
                [6] = "FEAT_PMUv3p5", [7] = "FEAT_PMUv3p7", [8] = "FEAT_PMUv3p8",
        };

        return version < N_ELEMENTS(names) && names[version] ? names[version] : machine_not_known;
}

static const char *spe_name(const struct kernel_driver *driver)
{
        static const char *const names[] = {"not implemented", "FEAT_SPE", "FEAT_SPEv1p1", "FEAT_SPEv1p2",
                                            "FEAT_SPEv1p3"};
        uint64_t version = driver->id_aa64dfr0 >> PMSVER_SHIFT & FIELD_MASK;

        return version < N_ELEMENTS(names) ? names[version] : machine_not_known;
}

bool machine_add_driver_pmu(struct machine_rows *rows)
{
        if (rows->driver)
                machine_add(rows, "pmu_device.version_name", pmu_name(rows->driver->pmu_version));
        return rows->driver;
}

bool machine_add_driver_counters(struct machine_rows *rows)
{
        AUTO_RELEASE(buf) text = {0};

        if (!rows->driver)
                return false;
        for (size_t i = 0; i < N_ELEMENTS(rows->driver->counter_map); i++)
                buf_printf(&text, "%s%u", i ? "," : "", rows->driver->counter_map[i]);
        machine_add(rows, MACHINE_HW_CFG("counter_idx_map"), text.data);
        machine_add(rows, MACHINE_HW_CFG("device_id_str"), rows->driver->devices);
        return true;
}

static void add_register(struct machine_rows *rows, const char *name, uint64_t value)
{
        char text[32];

        snprintf(text, sizeof(text), "0x%016" PRIx64, value);
        machine_add(rows, name, text);
}

bool machine_add_driver_spe(struct machine_rows *rows)
{
        if (!rows->driver)
                return false;
        machine_add(rows, "spe_device.version_name", spe_name(rows->driver));
        if (rows->driver->pmsidr) {
                add_register(rows, "spe_device.pmbidr_el1_value", rows->driver->pmbidr);
                add_register(rows, "spe_device.pmsidr_el1_value", rows->driver->pmsidr);
        }
        return true;
}

void machine_add_driver(struct machine_rows *rows)
{
        AUTO_RELEASE(buf) text = {0};

        if (rows->driver) {
                buf_printf(&text, "%s %s %s%s%s", rows->driver->name, rows->driver->version,
                           rows->driver->git, rows->driver->features[0] ? " " : "", rows->driver->features);
                machine_add(rows, "windows.driver", text.data);
        } else if (rows->request->facts->unknown.code != ERR_NONE) {
                machine_add(rows, "windows.driver", rows->request->facts->unknown.text);
        }
}

bool machine_driver_find(bool force_lock, struct machine_driver *ret, struct err *err)
{
        const struct kernel_driver *driver;

        if (!kernel_connect(force_lock, err))
                return false;
        driver = kernel_get_driver();
        if (driver)
                *ret = (struct machine_driver){driver->version, driver->git, driver->features};
        return driver;
}

void machine_add_vendor(bool force_lock, struct buf *out)
{
        AUTO_RELEASE(buf) cpuid = {0};
        struct os_machine machine;
        struct err ignored = {0};

        if (kernel_connect(force_lock, &ignored) && kernel_get_driver()) {
                text_add_hex(&cpuid, kernel_get_driver()->midr);
        } else {
                os_machine_get(&machine);
                buf_add_str(&cpuid, machine.cpuid);
        }
        cpu_vendor_add(buf_text(&cpuid), out);
}
