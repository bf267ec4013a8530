/* SPDX-License-Identifier: BSD-3-Clause */
/* This machine's PMUs on Windows: what the driver reports, as the tree of files that Linux has for a core
 * of the same model. */
#include <windows.h>

#include <inttypes.h>
#include <string.h>

#include "core_kind.h"
#include "kernel.h"
#include "os_paths.h"
#include "spe_files.h"
#include "text.h"
#include "windows_own_driver.h"
#include "windows_wperfdriver.h"

/* The PMU of core_model_source. */
static const char core_pmu[] = "armv8_pmuv3_0";
enum { ARM_PMU_TYPE = 8 };

/* The event br_retired. */
enum { BR_RETIRED = 0x21 };

/* The driver, once it has been asked. */
static struct kernel_driver driver;
static bool is_connected;

static bool ask_own_driver(bool force, struct err *err)
{
        AUTO(own_driver) d = own_driver_open(force, err);

        if (d)
                driver = *own_driver_get_facts(d);
        return d;
}

static bool ask_wperfdriver(bool force, struct err *err)
{
        AUTO(wperfdriver) d = wperfdriver_open(force, err);

        if (d)
                driver = *wperfdriver_get_facts(d);
        return d;
}

bool kernel_connect(bool force, struct err *err)
{
        if (!is_connected)
                is_connected =
                        own_driver_is_loaded() ? ask_own_driver(force, err) : ask_wperfdriver(force, err);
        return is_connected;
}

const struct kernel_driver *kernel_get_driver(void)
{
        return is_connected ? &driver : NULL;
}

static struct pmu_source model_source(void)
{
        return core_model_source(catalogue_cpu_from_midr(driver.midr));
}

/* --- Arm SPE --- */

static const char spe_pmu[] = "arm_spe_0";

static bool has_spe(void)
{
        enum { PMS_VERSION_SHIFT = 32 };

        return is_connected && strstr(driver.features, "+spe") &&
               (driver.id_aa64dfr0 >> PMS_VERSION_SHIFT & 15);
}

static struct spe_files spe_files(void)
{
        return (struct spe_files){strcmp(driver.name, ABI_SERVICE) != 0, driver.n_cpus, driver.pmsidr};
}

/* The path below the folder of the PMU; NULL: it is not in it. */
static const char *below_spe(const char *path)
{
        AUTO_RELEASE(buf) folder = {0};

        os_sysfs_pmu(spe_pmu, "", &folder);
        if (!has_spe() || !text_starts(path, buf_text(&folder)))
                return NULL;
        path += folder.len;
        return !*path ? path : *path == '/' ? path + 1 : NULL;
}

/* --- the tree --- */

static bool is_midr(const char *path)
{
        const char *prefix = os_sysfs_cpu_prefix();

        return text_starts(path, prefix) && text_ends(path, "/regs/identification/midr_el1");
}

static bool read_file(void *ctx, const char *path, struct buf *out)
{
        AUTO_RELEASE(buf) cpus = {0};
        const char *below = below_spe(path);
        struct pmu_source model;

        if (!is_connected)
                return false;
        if (below) {
                const struct spe_files spe = spe_files();

                return spe_files_read(&spe, below, out);
        }
        if (kernel_units_read(&driver.units, path, out))
                return true;
        os_sysfs_pmu(core_pmu, "cpus", &cpus);
        if (!strcmp(path, buf_text(&cpus))) {
                buf_printf(out, "0-%u\n", driver.n_cpus - 1u);
                return true;
        }
        if (is_midr(path)) {
                buf_printf(out, "0x%016" PRIx64 "\n", driver.midr);
                return true;
        }
        model = model_source();
        return model.read_file(model.ctx, path, out);
}

static bool list_folder(void *ctx, const char *path, bool (*each)(void *each_ctx, const char *name),
                        void *each_ctx)
{
        const char *below = below_spe(path);
        struct pmu_source model;

        if (!is_connected)
                return false;
        if (below) {
                const struct spe_files spe = spe_files();

                return spe_files_list(&spe, below, each, each_ctx);
        }
        if (kernel_units_list(&driver.units, path, each, each_ctx))
                return true;
        if (!strcmp(path, os_sysfs_pmus()) && ((has_spe() && !each(each_ctx, spe_pmu)) ||
                                               !kernel_units_list_pmus(&driver.units, each, each_ctx)))
                return true;
        model = model_source();
        return model.list_dir(model.ctx, path, each, each_ctx);
}

struct pmu_source kernel_pmu_source(const char *root)
{
        return (struct pmu_source){read_file, list_folder, NULL, NULL};
}

bool wperfdriver_event_number(const struct event *event, uint16_t *ret_number)
{
        struct event generic = *event, numbered;

        if ((event->attr.type == ARM_PMU_TYPE || event->attr.type == PERF_TYPE_RAW) &&
            event->attr.config <= UINT16_MAX) {
                *ret_number = (uint16_t)event->attr.config;
                return true;
        }
        if (event->attr.type != PERF_TYPE_HARDWARE)
                return false;
        /* Linux chooses this one by what the PMU advertises, as here for cores since Armv8.1. */
        if ((uint32_t)event->attr.config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS) {
                *ret_number = BR_RETIRED;
                return true;
        }
        generic.attr.config = (event->attr.config & UINT32_MAX) | (uint64_t)ARM_PMU_TYPE << 32;
        text_copy(generic.pmu, sizeof(generic.pmu), core_pmu);
        if (!event_by_number(&generic, &numbered))
                return false;
        *ret_number = (uint16_t)numbered.attr.config;
        return true;
}

struct name_teller {
        void (*device)(void *ctx, const char *name, const char *hardware);
        void *ctx;
};

static void tell_name(void *ctx, const wchar_t *path, const char *hardware)
{
        const struct name_teller *teller = ctx;
        char name[1024];

        if (WideCharToMultiByte(CP_UTF8, 0, path, -1, name, sizeof(name), NULL, NULL) <= 0)
                name[0] = '\0';
        teller->device(teller->ctx, name, hardware);
}

void kernel_each_device(void (*device)(void *ctx, const char *name, const char *hardware), void *ctx)
{
        struct name_teller teller = {device, ctx};

        if (own_driver_is_loaded())
                device(ctx, ABI_PATH, "");
        wperfdriver_each_device(tell_name, &teller);
}
