/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine_test.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "attributes.h"
#include "collector.h"
#include "memory_sysfs.h"
#include "tap.h"
#include "text.h"

static const struct memory_file with_pmu[] = {
        {"arm_spe_0/type", "9\n"},
        {"armv8_pmuv3_0/cpus", "0-3\n"},
        {"armv8_pmuv3_0/type", "8\n"},
        {"armv8_pmuv3_0/format/event", "config:0-15\n"},
        {"armv8_pmuv3_0/events/cpu_cycles", "event=0x0011\n"},
        {"armv8_pmuv3_0/events/ld_spec", "event=0x0070\n"},
        {"armv8_pmuv3_0/events/ld_spec.unit", "loads\n"},
        {NULL, NULL},
};

static const struct memory_file without_pmu[] = {{"software/type", "1\n"}, {NULL, NULL}};

static void add_row(void *ctx, const char *name, const char *result)
{
        buf_printf(ctx, "|%s=%s\n", name, result);
}

static char *run(struct pmu_source source, const char *events)
{
        const struct machine_test_request request = {.source = source, .events = events, .verbose = true};
        struct buf out = {0};
        struct err err = {0};

        if (!machine_test(&request, add_row, &out, &err))
                buf_printf(&out, "error %s", err.text);
        return buf_take(&out);
}

/* The result of a row; "" and a failure when there is none. */
static const char *result(const char *rows, const char *name)
{
        static char text[512];
        char key[128];
        const char *at;

        snprintf(key, sizeof(key), "|%s=", name);
        at = strstr(rows, key);
        if (!at)
                TAP_FAIL("no row '%s'", name);
        at = at ? at + strlen(key) : "";
        snprintf(text, sizeof(text), "%.*s", (int)strcspn(at, "\n"), at);
        return text;
}

/* Editors read these as hexadecimal numbers. */
TEST(numbers_are_hexadecimal)
{
        static const char *const names[] = {
                "PMU_CTL_QUERY_HW_CFG [gpc_num]",
                "PMU_CTL_QUERY_HW_CFG [total_gpc_num]",
                "PMU_CTL_QUERY_HW_CFG [core_num]",
                "pmu_device.sampling.INTERVAL_DEFAULT",
        };
        char *rows = run(memory_sysfs(without_pmu), NULL);

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                const char *text = result(rows, names[i]);
                uint64_t value;

                EXPECT_TRUE(text_starts(text, "0x") && text_to_u64(text, 16, &value));
        }
        free(rows);
}

TEST(core_pmu_and_spe)
{
        char *rows = run(memory_sysfs(with_pmu), NULL);

        EXPECT_STR(result(rows, "pmu_device.events_query(events) [EVT_CORE]"), "2");
        EXPECT_STR(result(rows, "pmu_device.sampling.INTERVAL_DEFAULT"), "0x4000000");
        EXPECT_STR(result(rows, "spe_device.version_name"), "FEAT_SPE");
        EXPECT_STR(result(rows, "request.ioctl_events [EVT_CORE]"), "False");
        EXPECT_TRUE(!strstr(rows, "|linux."));
        free(rows);
        rows = run(memory_sysfs(without_pmu), NULL);
        EXPECT_STR(result(rows, "pmu_device.events_query(events) [EVT_CORE]"), "0");
        EXPECT_STR(result(rows, "pmu_device.sampling.INTERVAL_DEFAULT"), "0xf4629");
        EXPECT_STR(result(rows, "spe_device.version_name"), "not implemented");
        free(rows);
}

TEST(events_are_planned)
{
        char *rows = run(memory_sysfs(with_pmu), "page-faults:u:1000,ld_spec");

        EXPECT_STR(result(rows, "request.ioctl_events [EVT_CORE]"), "True");
        EXPECT_STR(
                result(rows, "sampling_events[0]"),
                "page-faults:u: type 1 (software), size 136, config 0x2 (page-faults), sample_period 1000, "
                "exclude_kernel 1, exclude_hv 1");
        EXPECT_CONTAINS(result(rows, "sampling_events[1]"),
                        "ld_spec: type 8, size 136, config 0x70, sample_freq 999");
        free(rows);
        rows = run(memory_sysfs(with_pmu), "nonsense");
        EXPECT_STR(rows, "error unknown event name: nonsense (column 1)");
        free(rows);
}

TEST(this_machine)
{
        char *rows = run(collector_pmu_source(NULL), NULL);

        EXPECT_TRUE(*result(rows, "pmu_device.sampling.INTERVAL_DEFAULT"));
        if (strstr(rows, "|linux.")) {
                EXPECT_TRUE(*result(rows, "linux.perf_event_open"));
                EXPECT_TRUE(*result(rows, "linux.sampling_default"));
                EXPECT_TRUE(*result(rows, "linux.pmus"));
                EXPECT_TRUE(isdigit((unsigned char)*result(rows, "linux.kernel")));
        }
        free(rows);
}

TAP_MAIN
