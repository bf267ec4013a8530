/* SPDX-License-Identifier: BSD-3-Clause */
/* WindowsPerf's rows. If Linux does not provide a value, the row says so; an unknown number of counters is
 * 0x0000. */
#include "machine_support.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arm_cpu.h"
#include "buf.h"
#include "count_config.h"
#include "counting.h"
#include "cpu_vendor.h"
#include "err.h"
#include "kernel.h"
#include "machine_internal.h"
#include "os_paths.h"
#include "text_number.h"

const char machine_not_known[] = "not known";

enum { CLOCK_INTERVAL_NS = 1000000000 / 999 };

/* WindowsPerf's default for hardware events. With a frequency, the kernel chooses the period itself. */
#define CYCLES_INTERVAL UINT64_C(0x4000000)

void machine_add(struct machine_rows *rows, const char *name, const char *result)
{
        rows->row(rows->ctx, name, result);
}

/* Why a value of the driver's is not known. */
static const char *not_here(const struct machine_rows *rows)
{
        return rows->request->facts->unknown.code == ERR_NONE ? "not available on Linux"
                                                              : "not known without the driver";
}

static void addf(struct machine_rows *rows, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void addf(struct machine_rows *rows, const char *name, const char *fmt, ...)
{
        char text[64];
        va_list args;

        va_start(args, fmt);
        vsnprintf(text, sizeof(text), fmt, args);
        va_end(args);
        machine_add(rows, name, text);
}

static void add_hex4(struct machine_rows *rows, const char *name, uint64_t value)
{
        addf(rows, name, "0x%04" PRIx64, value);
}

void machine_add_file(struct machine_rows *rows, const char *name, const char *path)
{
        const struct pmu_source *source = &rows->request->facts->source;
        AUTO_RELEASE(buf) line = {0};

        if (!source->read_file(source->ctx, path, &line))
                buf_clear(&line);
        buf_truncate(&line, strcspn(buf_text(&line), "\n"));
        machine_add(rows, name, line.len ? line.data : machine_not_known);
}

static void learn_counters(struct machine_rows *rows)
{
        const struct event_facts *facts = rows->request->facts;
        static const struct {
                const char *name;
                enum count_class class;
        } units[] = {{"dsu", COUNT_DSU}, {"dmc_clk", COUNT_DMC_CLK}, {"dmc_clkdiv2", COUNT_DMC_CLKDIV2}};

        if (rows->kind)
                rows->n_counters[COUNT_CORE] = rows->kind->n_counters;
        if (rows->model && !rows->n_counters[COUNT_CORE])
                rows->n_counters[COUNT_CORE] = rows->model->n_counters;
        if (rows->kind && facts->this_machine && !rows->n_counters[COUNT_CORE])
                rows->n_counters[COUNT_CORE] = counting_probe_counters(rows->kind);
        if (rows->driver)
                rows->n_counters[COUNT_CORE] = rows->driver->n_counters;
        rows->n_fixed[COUNT_CORE] = rows->kind && rows->kind->vendor == CORE_ARM;
        for (size_t i = 0; i < N_ELEMENTS(units); i++) {
                const struct pmu_block_class *class =
                        event_facts_find_class(facts, units[i].name, strlen(units[i].name));

                rows->n_counters[units[i].class] = class ? class->n_counters : 0;
                rows->n_fixed[units[i].class] = class ? class->n_fixed : 0;
        }
}

static void learn(struct machine_rows *rows)
{
        const struct event_facts *facts = rows->request->facts;

        if (facts->this_machine)
                os_machine_get(&rows->machine);
        if (facts->this_machine)
                rows->driver = kernel_get_driver();
        if (facts->kinds.n_items) {
                rows->kind = &facts->kinds.items[0];
                rows->model = event_facts_model(facts, 0);
                rows->midr = rows->kind->midr;
        }
        if (!rows->midr && !strcmp(rows->machine.arch, "aarch64") &&
            !text_to_u64(rows->machine.cpuid, 16, &rows->midr))
                rows->midr = 0;
        if (!rows->model && rows->midr)
                rows->model = catalogue_cpu_from_midr(rows->midr);
        learn_counters(rows);
}

/* --- the product --- */

static void add_vendor(struct machine_rows *rows)
{
        AUTO_RELEASE(buf) cpuid = {0};
        AUTO_RELEASE(buf) vendor = {0};

        if (rows->midr)
                text_add_hex(&cpuid, rows->midr);
        else
                buf_add_str(&cpuid, rows->machine.cpuid);
        cpu_vendor_add(buf_text(&cpuid), &vendor);
        if (!vendor.len && rows->kind && rows->kind->vendor == CORE_ARM)
                buf_add_str(&vendor, "Arm Limited");
        machine_add(rows, "pmu_device.vendor_name", vendor.len ? vendor.data : machine_not_known);
}

static void add_product(struct machine_rows *rows)
{
        bool is_arm = rows->midr || (rows->kind && rows->kind->vendor == CORE_ARM);
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) extended = {0};

        if (rows->model && (is_arm || !rows->machine.cpu_text[0])) {
                buf_add_str(&name, rows->model->id);
                buf_printf(&extended, "%s (%s), %s", rows->model->name, rows->model->id,
                           rows->model->architecture);
                if (rows->model->pmu_architecture)
                        buf_printf(&extended, ", %s", rows->model->pmu_architecture);
        } else if (rows->machine.cpu_text[0]) {
                buf_add_str(&name, rows->machine.cpu_text);
                buf_printf(&extended, "%s (%s), %s", name.data, rows->machine.cpuid,
                           rows->kind ? rows->kind->pmu : "no core PMU");
        }
        machine_add(rows, "pmu_device.product_name", name.len ? name.data : machine_not_known);
        machine_add(rows, "pmu_device.product_name(extended)",
                    extended.len ? extended.data : machine_not_known);
}

static void add_products(struct machine_rows *rows)
{
        AUTO_RELEASE(buf) ids = {0};
        AUTO_RELEASE(buf) aliases = {0};
        const char *alias, *id;

        for (size_t i = 0; i < catalogue_n_cpus(); i++)
                buf_printf(&ids, "%s%s", i ? "," : "", catalogue_get_cpu(i)->id);
        for (size_t i = 0; (alias = catalogue_get_alias(i, &id)); i++)
                buf_printf(&aliases, "%s(%s:%s)", i ? "," : "", alias, id);
        machine_add(rows, "pmu_device.product []", buf_text(&ids));
        machine_add(rows, "pmu_device.m_product_alias", buf_text(&aliases));
}

/* --- events and the PMU --- */

static bool count_event(void *ctx, const char *name)
{
        ++*(size_t *)ctx;
        return true;
}

/* The number of events of the model, else of those that the kernel lists for the core PMU. */
static size_t count_core_events(const struct machine_rows *rows)
{
        const struct event_facts *facts = rows->request->facts;
        size_t n = 0;

        if (rows->driver && rows->driver->n_events[COUNT_CORE])
                return rows->driver->n_events[COUNT_CORE];
        if (rows->kind && rows->model && rows->model->n_events)
                return rows->model->n_events;
        if (rows->kind && facts->pmus.n_cores)
                pmu_each_event(&facts->source, facts->pmus.cores[0], count_event, &n);
        return n;
}

static void add_event_counts(struct machine_rows *rows)
{
        /* In the order of enum count_class. */
        static const struct {
                const char *class, *row;
        } units[] = {
                {"dsu", "pmu_device.events_query(events) [EVT_DSU]"},
                {"dmc_clk", "pmu_device.events_query(events) [EVT_DMC_CLK]"},
                {"dmc_clkdiv2", "pmu_device.events_query(events) [EVT_DMC_CLKDIV2]"},
        };

        addf(rows, "pmu_device.events_query(events) [EVT_CORE]", "%zu", count_core_events(rows));
        for (size_t i = 0; i < N_ELEMENTS(units); i++) {
                const struct pmu_block_class *class =
                        event_facts_find_class(rows->request->facts, units[i].class, strlen(units[i].class));
                size_t n = class ? class->n_events : 0;

                if (rows->driver && rows->driver->n_events[COUNT_DSU + i])
                        n = rows->driver->n_events[COUNT_DSU + i];
                addf(rows, units[i].row, "%zu", n);
        }
}

/* Linux does not expose the version of an Arm PMU, only that it is version 3. */
static void add_pmu_version(struct machine_rows *rows)
{
        AUTO_RELEASE(buf) path = {0};

        if (machine_add_driver_pmu(rows))
                return;
        if (rows->model && rows->model->pmu_architecture &&
            !strcmp(rows->model->pmu_architecture, "pmu_v3")) {
                machine_add(rows, "pmu_device.version_name", "FEAT_PMUv3");
                return;
        }
        os_sysfs_pmu(rows->kind ? rows->kind->pmu : "", "caps/pmu_name", &path);
        machine_add_file(rows, "pmu_device.version_name", path.data);
}

static void add_hardware(struct machine_rows *rows)
{
        const struct arm_cpu cpu = arm_cpu_from_midr(rows->midr);
        const struct kernel_driver *driver = rows->driver;

        if (rows->midr)
                add_hex4(rows, MACHINE_HW_CFG("arch_id"), cpu.architecture);
        add_hex4(rows, MACHINE_HW_CFG("core_num"), driver ? driver->n_cpus : rows->machine.n_cpus_online);
        add_hex4(rows, MACHINE_HW_CFG("fpc_num"), rows->n_fixed[COUNT_CORE]);
        add_hex4(rows, MACHINE_HW_CFG("gpc_num"), rows->n_counters[COUNT_CORE]);
        add_hex4(rows, MACHINE_HW_CFG("total_gpc_num"),
                 driver ? driver->n_all_counters : rows->n_counters[COUNT_CORE]);
        if (!rows->midr)
                return;
        add_hex4(rows, MACHINE_HW_CFG("part_id"), cpu.part);
        add_hex4(rows, MACHINE_HW_CFG("pmu_ver"), driver ? driver->pmu_version : 0);
        add_hex4(rows, MACHINE_HW_CFG("rev_id"), cpu.revision);
        add_hex4(rows, MACHINE_HW_CFG("variant_id"), cpu.variant);
        add_hex4(rows, MACHINE_HW_CFG("vendor_id"), cpu.implementer);
        addf(rows, MACHINE_HW_CFG("midr_value"), "0x%020" PRIx64, rows->midr);
        if (driver)
                addf(rows, MACHINE_HW_CFG("id_aa64dfr0_value"), "0x%020" PRIx64, driver->id_aa64dfr0);
        else
                machine_add(rows, MACHINE_HW_CFG("id_aa64dfr0_value"), not_here(rows));
}

static void add_devices(struct machine_rows *rows)
{
        const struct event_facts *facts = rows->request->facts;
        AUTO_RELEASE(buf) text = {0};

        if (rows->kind)
                buf_add_str(&text, "core.stat=core;");
        buf_printf(&text, "core.sample=%s", rows->kind ? "core" : "cpu-clock");
        if (event_facts_find_class(facts, "dsu", strlen("dsu")))
                buf_add_str(&text, ";dsu.stat=dsu");
        if (event_facts_find_class(facts, "dmc_clk", strlen("dmc_clk")))
                buf_add_str(&text, ";dmc.stat=dmc_clk,dmc_clkdiv2");
        machine_add(rows, MACHINE_HW_CFG("device_id_str"), text.data);
}

static void add_counters(struct machine_rows *rows)
{
        static const char *const names[] = {
                [COUNT_CORE] = "EVT_CORE",
                [COUNT_DSU] = "EVT_DSU",
                [COUNT_DMC_CLK] = "EVT_DMC_CLK",
                [COUNT_DMC_CLKDIV2] = "EVT_DMC_CLKDIV2",
        };
        char name[32];

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                snprintf(name, sizeof(name), "gpc_nums[%s]", names[i]);
                addf(rows, name, "%u", rows->n_counters[i]);
        }
        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                snprintf(name, sizeof(name), "fpc_nums[%s]", names[i]);
                addf(rows, name, "%u", rows->n_fixed[i]);
        }
}

/* --- all rows --- */

static void add_request(struct machine_rows *rows)
{
        const struct machine_plan *plan = &rows->plan;
        bool dmc = machine_plan_has_class(plan, COUNT_DMC_CLK) ||
                   machine_plan_has_class(plan, COUNT_DMC_CLKDIV2);

        machine_add(rows, "request.ioctl_events [EVT_CORE]",
                    machine_plan_has_class(plan, COUNT_CORE) ? "True" : "False");
        machine_add(rows, "request.ioctl_events [EVT_DSU]",
                    machine_plan_has_class(plan, COUNT_DSU) ? "True" : "False");
        machine_add(rows, "request.ioctl_events [EVT_DMC_CLK/EVT_DMC_CLKDIV2]", dmc ? "True" : "False");
        if (plan->has_counting || plan->has_sampling)
                machine_add(rows, "request.events_are_for", plan->has_counting ? "stat" : "record, sample");
}

static void add_windowsperf(struct machine_rows *rows)
{
        add_request(rows);
        add_vendor(rows);
        add_product(rows);
        add_products(rows);
        add_event_counts(rows);
        addf(rows, "pmu_device.sampling.INTERVAL_DEFAULT", "0x%" PRIx64,
             rows->kind ? CYCLES_INTERVAL : CLOCK_INTERVAL_NS);
        add_pmu_version(rows);
        add_hardware(rows);
        if (!machine_add_driver_counters(rows)) {
                machine_add(rows, MACHINE_HW_CFG("counter_idx_map"), not_here(rows));
                add_devices(rows);
        }
        add_counters(rows);
        machine_plan_add_schedules(&rows->plan, rows->row, rows->ctx);
        addf(rows, "config.count.period", "%" PRIu64, rows->plan.period_ms);
        addf(rows, "config.count.period_max", "%d", COUNT_PERIOD_MAX_MS);
        addf(rows, "config.count.period_min", "%d", COUNT_PERIOD_MIN_MS);
        if (!machine_add_driver_spe(rows))
                machine_add(rows, "spe_device.version_name",
                            rows->request->facts->has_spe ? "FEAT_SPE" : "not implemented");
        machine_add_driver(rows);
}

static bool see_any(void *ctx, const char *name)
{
        return false;
}

static bool is_linux(const struct event_facts *facts)
{
        AUTO_RELEASE(buf) path = {0};

        os_proc_kernel("", &path);
        return facts->this_machine &&
               facts->source.list_dir(facts->source.ctx, buf_text(&path), see_any, NULL);
}

bool machine_support(const struct machine_support_request *request, machine_support_row_fn *row, void *ctx,
                     struct buf *warnings, struct err *err)
{
        struct machine_rows rows = {.request = request, .row = row, .ctx = ctx};

        learn(&rows);
        if (!machine_plan_make(request, rows.n_counters, &rows.plan, warnings, err))
                return false;
        add_windowsperf(&rows);
        if (is_linux(request->facts))
                machine_add_linux(&rows);
        if (request->facts->this_machine && !kernel_has_samples())
                machine_add_windows(&rows);
        machine_plan_add_events(&rows.plan, row, ctx);
        machine_plan_release(&rows.plan);
        return true;
}
