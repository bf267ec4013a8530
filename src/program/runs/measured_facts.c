/* SPDX-License-Identifier: BSD-3-Clause */
#include "measured_facts.h"

#include <inttypes.h>

#include "perfdata_format.h"
#include "run_info.h"

static void add_fact(struct run_values *values, const char *key, const char *text)
{
        if (text && *text)
                run_values_add_fact(values, key, text);
}

static void add_cpus_fact(struct run_values *values, const struct perfdata_reader *reader)
{
        struct cursor section = perfdata_feature(reader, FEATURE_NRCPUS);
        uint32_t n = cursor_u32(&section);
        AUTO_RELEASE(buf) text = {0};

        if (section.failed)
                return;
        buf_printf(&text, "%" PRIu32, n);
        add_fact(values, "number of CPUs", buf_text(&text));
}

void measured_facts_add(struct run_values *values, const struct perfdata_reader *reader)
{
        AUTO_RELEASE(buf) text = {0};
        struct run_info info;

        add_fact(values, "machine", perfdata_feature_str(reader, FEATURE_HOSTNAME));
        add_fact(values, "processor", perfdata_feature_str(reader, FEATURE_CPUDESC));
        add_cpus_fact(values, reader);
        add_fact(values, "architecture", perfdata_feature_str(reader, FEATURE_ARCH));
        add_fact(values, "kernel", perfdata_feature_str(reader, FEATURE_OSRELEASE));
        if (!run_info_read(reader, &text, &info))
                return;
        add_fact(values, "governor", info.governor);
        add_fact(values, "command", info.command);
}
