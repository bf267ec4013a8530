/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides what is known on Linux and says so where it is not: the numbers of counters, which no file of the kernel
 * tells, are 0x0000. */
#include "machine_test.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "arm_cpu.h"
#include "collector.h"
#include "os.h"
#include "text.h"

#define DEVICES "/sys/bus/event_source/devices"

static const char not_known[] = "not known", not_here[] = "not available on Linux";

enum { SAMPLE_FREQ_HZ = 999, CLOCK_INTERVAL_NS = 1000000000 / SAMPLE_FREQ_HZ };

/* WindowsPerf's default for hardware events: with a frequency the kernel finds the interval itself. */
#define CYCLES_INTERVAL UINT64_C(0x4000000)

struct rows {
        const struct machine_test_request *request;
        machine_test_row_fn *row;
        void *ctx;
        struct os_machine machine;
        char core_pmu[64]; /* "" : none */
        bool is_arm;
        struct arm_cpu arm;
        uint64_t midr;
};

static void add(struct rows *rows, const char *name, const char *result)
{
        rows->row(rows->ctx, name, result);
}

static void addf(struct rows *rows, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void addf(struct rows *rows, const char *name, const char *fmt, ...)
{
        char text[64];
        va_list args;

        va_start(args, fmt);
        vsnprintf(text, sizeof(text), fmt, args);
        va_end(args);
        add(rows, name, text);
}

static void add_hex4(struct rows *rows, const char *name, uint64_t value)
{
        addf(rows, name, "0x%04" PRIx64, value);
}

/* The one line of a small file, or "". */
static const char *read_line(const struct rows *rows, const char *path, struct buf *out)
{
        buf_clear(out);
        if (!rows->request->source.read_file(rows->request->source.ctx, path, out))
                buf_clear(out);
        buf_truncate(out, strcspn(buf_text(out), "\n"));
        return buf_text(out);
}

static void add_file(struct rows *rows, const char *name, const char *path)
{
        AUTO_RELEASE(buf) line = {0};
        const char *text = read_line(rows, path, &line);

        add(rows, name, *text ? text : not_known);
}

static void learn(struct rows *rows)
{
        os_machine_get(&rows->machine);
        if (!event_has_core_pmu(&rows->request->source, rows->core_pmu))
                rows->core_pmu[0] = '\0';
        rows->is_arm = !strcmp(rows->machine.arch, "aarch64") &&
                       text_to_u64(rows->machine.cpuid, 16, &rows->midr) && rows->midr;
        if (rows->is_arm)
                rows->arm = arm_cpu_from_midr(rows->midr);
}

/* --- WindowsPerf's rows --- */

/* "GenuineIntel" of "GenuineIntel,6,85,7" */
static void add_vendor(struct rows *rows)
{
        const char *cpuid = rows->machine.cpuid;

        if (rows->is_arm)
                add(rows, "pmu_device.vendor_name", rows->arm.vendor ? rows->arm.vendor : not_known);
        else if (*cpuid && strchr(cpuid, ','))
                addf(rows, "pmu_device.vendor_name", "%.*s", (int)strcspn(cpuid, ","), cpuid);
        else
                add(rows, "pmu_device.vendor_name", not_known);
}

/* "neoverse-n1" */
static void add_short_name(struct buf *out, const char *product)
{
        for (; *product; product++)
                buf_add_char(out, *product == ' ' ? '-' : (char)tolower((unsigned char)*product));
}

static void add_product(struct rows *rows)
{
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) extended = {0};
        const char *core_pmu = rows->core_pmu[0] ? rows->core_pmu : "no core PMU";

        if (rows->is_arm && rows->arm.product) {
                add_short_name(&name, rows->arm.product);
                buf_printf(&extended, "%s (%s), %s", rows->arm.product, name.data, core_pmu);
        } else if (rows->machine.cpu_text[0]) {
                buf_add_str(&name, rows->machine.cpu_text);
                buf_printf(&extended, "%s (%s), %s", name.data, rows->machine.cpuid, core_pmu);
        }
        add(rows, "pmu_device.product_name", name.len ? name.data : not_known);
        add(rows, "pmu_device.product_name(extended)", extended.len ? extended.data : not_known);
}

static bool count_event(void *ctx, const char *name)
{
        uint64_t *n = ctx;

        *n += !strchr(name, '.'); /* NAME.unit and NAME.scale say more about NAME */
        return true;
}

static void add_event_count(struct rows *rows)
{
        const struct pmu_source *source = &rows->request->source;
        AUTO_RELEASE(buf) path = {0};
        uint64_t n = 0;

        buf_printf(&path, DEVICES "/%s/events", rows->core_pmu);
        if (rows->core_pmu[0])
                source->list_dir(source->ctx, path.data, count_event, &n);
        addf(rows, "pmu_device.events_query(events) [EVT_CORE]", "%" PRIu64, n);
}

static void add_pmu_version(struct rows *rows)
{
        AUTO_RELEASE(buf) path = {0};

        buf_printf(&path, DEVICES "/%s/caps/pmu_name", rows->core_pmu);
        add_file(rows, "pmu_device.version_name", path.data);
}

static void add_interval(struct rows *rows)
{
        addf(rows, "pmu_device.sampling.INTERVAL_DEFAULT", "0x%" PRIx64,
             rows->core_pmu[0] ? CYCLES_INTERVAL : CLOCK_INTERVAL_NS);
}

#define HW_CFG(name) "PMU_CTL_QUERY_HW_CFG [" name "]"

static void add_hardware(struct rows *rows)
{
        const struct arm_cpu *cpu = &rows->arm;

        if (rows->is_arm)
                add_hex4(rows, HW_CFG("arch_id"), cpu->architecture);
        add_hex4(rows, HW_CFG("core_num"), rows->machine.n_cpus_online);
        add_hex4(rows, HW_CFG("fpc_num"), 0);
        add_hex4(rows, HW_CFG("gpc_num"), 0);
        add_hex4(rows, HW_CFG("total_gpc_num"), 0);
        if (!rows->is_arm)
                return;
        add_hex4(rows, HW_CFG("part_id"), cpu->part);
        add_hex4(rows, HW_CFG("pmu_ver"), 0);
        add_hex4(rows, HW_CFG("rev_id"), cpu->revision);
        add_hex4(rows, HW_CFG("variant_id"), cpu->variant);
        add_hex4(rows, HW_CFG("vendor_id"), cpu->implementer);
        addf(rows, HW_CFG("midr_value"), "0x%020" PRIx64, rows->midr);
        add(rows, HW_CFG("id_aa64dfr0_value"), not_here);
}

static void add_spe(struct rows *rows)
{
        AUTO_RELEASE(buf) line = {0};
        const char *type = read_line(rows, DEVICES "/arm_spe_0/type", &line);

        add(rows, "spe_device.version_name", *type ? "FEAT_SPE" : "not implemented");
}

static void add_windowsperf(struct rows *rows)
{
        bool has_events = rows->request->events;

        add(rows, "request.ioctl_events [EVT_CORE]", has_events ? "True" : "False");
        add_vendor(rows);
        add_product(rows);
        add_event_count(rows);
        add_interval(rows);
        add_pmu_version(rows);
        add_hardware(rows);
        add(rows, HW_CFG("counter_idx_map"), not_here);
        add(rows, HW_CFG("device_id_str"), rows->core_pmu[0] ? "core.sample=core" : "core.sample=cpu-clock");
        add(rows, "config.count.period", not_here);
        add_spe(rows);
}

/* --- rows of our own --- */

static void add_probe(struct rows *rows)
{
        struct event_list events = {0};
        struct collect_probe probe;
        struct err err = {0};

        if (event_parse_sampling("cpu-clock:u", NULL, &rows->request->source, &events, &err) &&
            collector_probe(&events, false, &probe, &err)) {
                add(rows, "linux.perf_event_open", "works");
                add(rows, "linux.build_ids_in_maps", probe.has_build_ids ? "yes" : "no");
        } else {
                add(rows, "linux.perf_event_open", err.text);
                add(rows, "linux.build_ids_in_maps", not_known);
        }
        event_list_release(&events);
}

static const char *why_this_source(const struct rows *rows, const struct collect_probe *probe)
{
        if (probe->note[0])
                return probe->note;
        return rows->core_pmu[0] ? "the machine has hardware counters"
                                 : "there are no hardware counters here, as in most virtual machines";
}

static void add_default(struct rows *rows)
{
        const struct event_defaults defaults = {.kernel = rows->request->kernel};
        AUTO_RELEASE(buf) text = {0};
        struct event_list events = {0};
        struct collect_probe probe;
        struct err err = {0};

        if (event_default_sampling(&defaults, &rows->request->source, &events, &err) &&
            collector_probe(&events, true, &probe, &err))
                buf_printf(&text, "%s at %d Hz: %s", probe.event, SAMPLE_FREQ_HZ,
                           why_this_source(rows, &probe));
        else
                buf_printf(&text, "none: %s", err.text);
        add(rows, "linux.sampling_default", text.data);
        event_list_release(&events);
}

struct names {
        char **items;
        size_t n, cap;
};

static bool take_name(void *ctx, const char *name)
{
        struct names *names = ctx;

        ARRAY_PUSH(names->items, names->n, names->cap, mem_strdup(name));
        return true;
}

static int compare_names(const void *a, const void *b)
{
        return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_pmus(struct rows *rows)
{
        const struct pmu_source *source = &rows->request->source;
        AUTO_RELEASE(buf) text = {0};
        struct names names = {0};

        source->list_dir(source->ctx, DEVICES, take_name, &names);
        if (names.n)
                qsort(names.items, names.n, sizeof(*names.items), compare_names);
        for (size_t i = 0; i < names.n; i++) {
                buf_printf(&text, "%s%s", i ? "," : "", names.items[i]);
                free(names.items[i]);
        }
        free(names.items);
        add(rows, "linux.pmus", text.len ? text.data : not_known);
}

static void add_linux(struct rows *rows)
{
        add(rows, "linux.kernel", rows->machine.os_release);
        add(rows, "linux.core_pmu", rows->core_pmu[0] ? rows->core_pmu : "none");
        add_probe(rows);
        add_default(rows);
        add_file(rows, "linux.perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid");
        add_file(rows, "linux.kptr_restrict", "/proc/sys/kernel/kptr_restrict");
        add_file(rows, "linux.perf_event_mlock_kb", "/proc/sys/kernel/perf_event_mlock_kb");
        add_file(rows, "linux.max_sample_rate", "/proc/sys/kernel/perf_event_max_sample_rate");
        if (rows->request->verbose)
                add_pmus(rows);
}

/* --- the plan --- */

static void add_planned(struct rows *rows, size_t index, const struct event *event)
{
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) facts = {0};
        AUTO_RELEASE(buf) text = {0};

        event_describe_attr(&event->attr, &facts);
        buf_printf(&name, "sampling_events[%zu]", index);
        buf_printf(&text, "%s:", event->name);
        for (char *line = facts.data, *end; *line; line = end + 1) {
                end = strchr(line, '\n');
                buf_printf(&text, "%s %.*s", line == facts.data ? "" : ",", (int)(end - line), line);
        }
        add(rows, name.data, text.data);
}

static bool see_any(void *ctx, const char *name)
{
        return false;
}

static bool is_linux(const struct pmu_source *source)
{
        return source->list_dir(source->ctx, "/proc/sys/kernel", see_any, NULL);
}

bool machine_test(const struct machine_test_request *request, machine_test_row_fn *row, void *ctx,
                  struct err *err)
{
        const struct event_defaults defaults = {.kernel = request->kernel};
        struct rows rows = {.request = request, .row = row, .ctx = ctx};
        struct event_list events = {0};

        if (request->events &&
            !event_parse_sampling(request->events, &defaults, &request->source, &events, err))
                return false;
        learn(&rows);
        add_windowsperf(&rows);
        if (is_linux(&request->source))
                add_linux(&rows);
        for (size_t i = 0; i < events.n_items; i++)
                add_planned(&rows, i, &events.items[i]);
        event_list_release(&events);
        return true;
}
