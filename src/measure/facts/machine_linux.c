/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows that WindowsPerf does not have: what this kernel permits, and what is sampled by default. */
#include "kernel.h"
#include "machine_internal.h"
#include "os_paths.h"

static void add_probe(struct machine_rows *rows)
{
        struct event_list events = {0};
        struct kernel_probed probe;
        struct err err = {0};

        if (event_parse_sampling("cpu-clock:u", NULL, &rows->request->facts->source, &events, &err) &&
            kernel_probe(&events, false, &probe, &err))
                machine_add(rows, "linux.perf_event_open", "works");
        else
                machine_add(rows, "linux.perf_event_open", err.text);
        event_list_release(&events);
}

static const char *why_this_source(const struct machine_rows *rows, const struct kernel_probed *probe)
{
        if (probe->note[0])
                return probe->note;
        return rows->kind ? "the machine has hardware counters"
                          : "this machine has no hardware counters, as most virtual machines";
}

static void add_default(struct machine_rows *rows)
{
        const struct event_defaults defaults = {.kernel = rows->request->kernel};
        AUTO_RELEASE(buf) text = {0};
        struct event_list events = {0};
        struct kernel_probed probe;
        struct err err = {0};

        if (event_default_sampling(&defaults, &rows->request->facts->source, &events, &err) &&
            kernel_probe(&events, true, &probe, &err))
                buf_printf(&text, "%s at %d Hz: %s", probe.event, MACHINE_SAMPLE_HZ,
                           why_this_source(rows, &probe));
        else
                buf_printf(&text, "none: %s", err.text);
        machine_add(rows, "linux.sampling_default", text.data);
        event_list_release(&events);
}

static void add_pmus(struct machine_rows *rows)
{
        const struct pmu_table *pmus = &rows->request->facts->pmus;
        AUTO_RELEASE(buf) text = {0};

        for (size_t i = 0; i < pmus->n_items; i++)
                buf_printf(&text, "%s%s", i ? "," : "", pmus->items[i].name);
        machine_add(rows, "linux.pmus", text.len ? text.data : machine_not_known);
}

static void add_setting(struct machine_rows *rows, const char *name, const char *setting)
{
        AUTO_RELEASE(buf) path = {0};

        os_proc_kernel(setting, &path);
        machine_add_file(rows, name, buf_text(&path));
}

void machine_add_linux(struct machine_rows *rows)
{
        machine_add(rows, "linux.kernel", rows->machine.os_release);
        machine_add(rows, "linux.core_pmu", rows->kind ? rows->kind->pmu : "none");
        add_probe(rows);
        add_default(rows);
        add_setting(rows, "linux.perf_event_paranoid", "perf_event_paranoid");
        add_setting(rows, "linux.kptr_restrict", "kptr_restrict");
        add_setting(rows, "linux.perf_event_mlock_kb", "perf_event_mlock_kb");
        add_setting(rows, "linux.max_sample_rate", "perf_event_max_sample_rate");
        if (rows->request->verbose)
                add_pmus(rows);
}
