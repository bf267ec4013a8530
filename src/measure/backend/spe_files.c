/* SPDX-License-Identifier: BSD-3-Clause */
#include "spe_files.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "attributes.h"
#include "text.h"

enum { ERND_BIT = 5, ARCH_INST_BIT = 3, INTERVAL_SHIFT = 8, COUNT_SIZE_SHIFT = 16, COUNT_SIZE_16 = 3 };

static const struct {
        const char *file, *text;
        bool filters_operations;
} formats[] = {
        {"format/ts_enable", "config:0\n", false},       {"format/pa_enable", "config:1\n", false},
        {"format/pct_enable", "config:2\n", false},      {"format/jitter", "config:16\n", false},
        {"format/branch_filter", "config:32\n", true},   {"format/load_filter", "config:33\n", true},
        {"format/store_filter", "config:34\n", true},    {"format/event_filter", "config1:0-63\n", false},
        {"format/min_latency", "config2:0-11\n", false}, {"format/inv_event_filter", "config3:0-63\n", false},
};

uint32_t spe_min_interval(uint64_t pmsidr)
{
        static const uint16_t intervals[] = {256, 0, 512, 768, 1024, 1536, 2048, 3072};
        size_t i = pmsidr >> INTERVAL_SHIFT & 15;

        return i < N_ELEMENTS(intervals) && intervals[i] ? intervals[i] : 4096;
}

static uint32_t count_size(uint64_t pmsidr)
{
        return (pmsidr >> COUNT_SIZE_SHIFT & 15) == COUNT_SIZE_16 ? 16 : 12;
}

static uint32_t cap_value(uint64_t pmsidr, size_t i)
{
        switch (i) {
        case 0: return pmsidr >> ARCH_INST_BIT & 1;
        case 1: return count_size(pmsidr);
        case 2: return pmsidr >> ERND_BIT & 1;
        default: return spe_min_interval(pmsidr);
        }
}

static const char *const caps[] = {"caps/arch_inst", "caps/count_size", "caps/ernd", "caps/min_interval"};

/* The name of file `i`, counted through all folders; NULL after the last one. */
static const char *name_of(const struct spe_files *files, size_t i)
{
        static const char *const others[] = {"type", "cpus"};

        if (i < N_ELEMENTS(others))
                return others[i];
        i -= N_ELEMENTS(others);
        for (size_t k = 0; k < N_ELEMENTS(formats); k++) {
                if ((!files->only_operations || formats[k].filters_operations) && !i--)
                        return formats[k].file;
        }
        return !files->only_operations && i < N_ELEMENTS(caps) ? caps[i] : NULL;
}

static void add_text(const struct spe_files *files, const char *name, struct buf *out)
{
        if (!strcmp(name, "type"))
                buf_add_str(out, "9\n");
        if (!strcmp(name, "cpus"))
                buf_printf(out, files->n_cpus > 1 ? "0-%" PRIu32 "\n" : "%" PRIu32 "\n", files->n_cpus - 1);
        for (size_t i = 0; i < N_ELEMENTS(formats); i++) {
                if (!strcmp(name, formats[i].file))
                        buf_add_str(out, formats[i].text);
        }
        for (size_t i = 0; i < N_ELEMENTS(caps); i++) {
                if (!strcmp(name, caps[i]))
                        buf_printf(out, "%" PRIu32 "\n", cap_value(files->pmsidr, i));
        }
}

bool spe_files_read(const struct spe_files *files, const char *below, struct buf *out)
{
        const char *name;

        for (size_t i = 0; (name = name_of(files, i)); i++) {
                if (!strcmp(name, below)) {
                        add_text(files, name, out);
                        return true;
                }
        }
        return false;
}

bool spe_files_list(const struct spe_files *files, const char *below,
                    bool (*each)(void *each_ctx, const char *name), void *each_ctx)
{
        size_t len = strlen(below);
        const char *name;
        bool found = !len;

        for (size_t i = 0; (name = name_of(files, i)); i++) {
                if (!len && strchr(name, '/'))
                        continue;
                if (len && (strncmp(name, below, len) != 0 || name[len] != '/'))
                        continue;
                found = true;
                if (!each(each_ctx, name + len + (len > 0)))
                        return true;
        }
        if (!len && each(each_ctx, "format") && !files->only_operations)
                each(each_ctx, "caps");
        return found;
}
