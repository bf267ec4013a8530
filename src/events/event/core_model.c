/* SPDX-License-Identifier: BSD-3-Clause */
/* The sysfs tree that Linux would show for a CPU model that this machine does not have. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "core_kind.h"
#include "event_grammar.h"
#include "os_paths.h"
#include "text.h"
#include "text_match.h"

/* Folders below the folder of PMUs. */
#define ARM_PMU "armv8_pmuv3_0/"
#define X86_PMU "cpu/"

/* WindowsPerf's limit. */
#define ALL_CPUS "0-127\n"

static bool is_arm(const struct catalogue_cpu *model)
{
        return !text_equal_nocase(model->id, "x86_64");
}

struct fixed_file {
        const char *path, *text;
};

static bool read_fixed(const struct fixed_file *files, size_t n, const char *path, struct buf *out)
{
        for (size_t i = 0; i < n; i++) {
                if (strcmp(files[i].path, path))
                        continue;
                buf_add_str(out, files[i].text);
                return true;
        }
        return false;
}

static bool read_event(const struct catalogue_cpu *model, const char *name, struct buf *out)
{
        const struct catalogue_event *event = catalogue_find_event(model, name, strlen(name));

        if (!event || !core_code_is_advertised(event->code) || strcmp(event->name, name))
                return false;
        buf_printf(out, "event=0x%04x\n", event->code);
        return true;
}

/* "cpuN/regs/identification/midr_el1" */
static bool read_midr(const struct catalogue_cpu *model, const char *path, struct buf *out)
{
        uint64_t midr = (uint64_t)model->implementer << 24 | 0xfull << 16 | (uint64_t)model->part << 4 |
                        (uint64_t)(model->first_revision >> 4) << 20 | (model->first_revision & 15);
        size_t digits;

        if (!text_starts(path, os_sysfs_cpu_prefix()) || !model->implementer)
                return false;
        path += strlen(os_sysfs_cpu_prefix());
        digits = strspn(path, "0123456789");
        if (!digits || strcmp(path + digits, "/regs/identification/midr_el1"))
                return false;
        buf_printf(out, "0x%016" PRIx64 "\n", midr);
        return true;
}

/* The part of `path` after the folder of PMUs and a slash; "" for the folder itself, NULL if it is
 * elsewhere. */
static const char *below_pmus(const char *path)
{
        const char *folder = os_sysfs_pmus();

        if (!text_starts(path, folder))
                return NULL;
        path += strlen(folder);
        return *path == '/' ? path + 1 : *path ? NULL : path;
}

static bool read_model_file(void *ctx, const char *path, struct buf *out)
{
        static const struct fixed_file arm[] = {
                {ARM_PMU "type", "8\n"},
                {ARM_PMU "cpus", ALL_CPUS},
                {ARM_PMU "format/event", "config:0-15\n"},
                {ARM_PMU "format/long", "config1:0\n"},
                {ARM_PMU "format/rdpmc", "config1:1\n"},
        };
        /* The fields that perf defines on every x86 core; the higher bits differ between models. */
        static const struct fixed_file x86[] = {
                {X86_PMU "type", "4\n"},
                {X86_PMU "format/event", "config:0-7\n"},
                {X86_PMU "format/umask", "config:8-15\n"},
                {X86_PMU "format/edge", "config:18\n"},
                {X86_PMU "format/inv", "config:23\n"},
                {X86_PMU "format/cmask", "config:24-31\n"},
        };
        const struct catalogue_cpu *model = ctx;
        const char *file = below_pmus(path);

        if (!file)
                return is_arm(model) && read_midr(model, path, out);
        if (!is_arm(model))
                return read_fixed(x86, N_ELEMENTS(x86), file, out);
        if (!strcmp(file, ARM_PMU "caps/slots") && model->n_slots) {
                buf_printf(out, "0x%08x\n", model->n_slots);
                return true;
        }
        if (text_starts(file, ARM_PMU "events/"))
                return read_event(model, file + strlen(ARM_PMU "events/"), out);
        return read_fixed(arm, N_ELEMENTS(arm), file, out);
}

static bool list_names(const char *const *names, size_t n, bool (*each)(void *each_ctx, const char *name),
                       void *each_ctx)
{
        for (size_t i = 0; i < n && each(each_ctx, names[i]); i++)
                continue;
        return true;
}

static bool list_events(const struct catalogue_cpu *model, bool (*each)(void *each_ctx, const char *name),
                        void *each_ctx)
{
        for (size_t i = 0; i < model->n_events; i++) {
                const struct catalogue_event *event = catalogue_get_event(model, i);

                if (core_code_is_advertised(event->code) && !each(each_ctx, event->name))
                        break;
        }
        return true;
}

static bool list_model_folder(void *ctx, const char *path, bool (*each)(void *each_ctx, const char *name),
                              void *each_ctx)
{
        static const char *const arm_fields[] = {"event", "long", "rdpmc"};
        static const char *const x86_fields[] = {"event", "umask", "edge", "inv", "cmask"};
        const struct catalogue_cpu *model = ctx;
        const char *folder = below_pmus(path);

        if (!folder)
                return false;
        if (!*folder)
                return each(each_ctx, is_arm(model) ? "armv8_pmuv3_0" : "cpu"), true;
        if (is_arm(model) && !strcmp(folder, ARM_PMU "events"))
                return list_events(model, each, each_ctx);
        if (is_arm(model) && !strcmp(folder, ARM_PMU "format"))
                return list_names(arm_fields, N_ELEMENTS(arm_fields), each, each_ctx);
        return !is_arm(model) && !strcmp(folder, X86_PMU "format") &&
               list_names(x86_fields, N_ELEMENTS(x86_fields), each, each_ctx);
}

bool core_model_is(const struct pmu_source *source)
{
        return source->read_file == read_model_file;
}

struct pmu_source core_model_source(const struct catalogue_cpu *model)
{
        return (struct pmu_source){read_model_file, list_model_folder, (void *)(uintptr_t)model};
}
