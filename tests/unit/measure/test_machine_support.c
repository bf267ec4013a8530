/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine_support.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "attributes.h"
#include "buf.h"
#include "err.h"
#include "kernel.h"
#include "memory_sysfs.h"
#include "tap.h"
#include "text.h"
#include "text_number.h"

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

static char *run_for(struct event_facts *facts, struct machine_support_request request)
{
        struct buf out = {0}, warnings = {0};
        struct err err = {0};

        request.facts = facts;
        request.verbose = true;
        if (!machine_support(&request, add_row, &out, &warnings, &err))
                buf_printf(&out, "error %s", err.text);
        if (warnings.len)
                buf_printf(&out, "|warnings=%s", warnings.data);
        buf_release(&warnings);
        event_facts_release(facts);
        return buf_take(&out);
}

static char *run(struct pmu_source source, const char *events)
{
        struct event_facts facts;

        event_facts_load_tree(source, &facts);
        return run_for(&facts, (struct machine_support_request){.events = events});
}

static char *run_model(const char *model, const char *events, const char *metrics, const char *config)
{
        const struct event_facts_request request = {.cpu_model = model};
        struct event_facts facts = {0};
        struct err err = {0};

        if (!event_facts_load(&request, &facts, &err))
                TAP_FAIL("%s", err.text);
        return run_for(&facts, (struct machine_support_request){
                                       .events = events, .metrics = metrics, .config = config});
}

/* The result in a row; "" and a failed test if there is none. */
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

        EXPECT_STR(result(rows, "pmu_device.events_query(events) [EVT_CORE]"), "463");
        EXPECT_STR(result(rows, "pmu_device.product_name"), "armv8-a");
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

TEST(sampling_is_planned)
{
        char *rows = run(memory_sysfs(with_pmu), "page-faults:u:1000,ld_spec");

        EXPECT_STR(result(rows, "request.ioctl_events [EVT_CORE]"), "True");
        EXPECT_STR(result(rows, "request.events_are_for"), "record, sample");
        EXPECT_STR(
                result(rows, "sampling_events[0]"),
                "page-faults:u: type 1 (software), size 136, config 0x2 (page-faults), sample_period 1000, "
                "exclude_kernel 1, exclude_hv 1");
        EXPECT_CONTAINS(result(rows, "sampling_events[1]"),
                        "ld_spec: type 8, size 136, config 0x70, sample_freq 999");
        EXPECT_STR(result(rows, "ioctl_events[EVT_CORE].index"), "");
        free(rows);
        rows = run(memory_sysfs(with_pmu), "nonsense");
        EXPECT_TRUE(!strncmp(rows, "error unknown event name: nonsense (column 1)", 45));
        free(rows);
}

/* The vectors of windowsperf.md, 3.4. */
TEST(counting_is_planned)
{
        char *rows = run_model("neoverse-n1", NULL, "imix,icache", NULL);

        EXPECT_STR(result(rows, "request.events_are_for"), "stat");
        EXPECT_STR(result(rows, "ioctl_events[EVT_CORE].index"), "27,115,117,116,112,113,20,1,39,40,8,27");
        EXPECT_STR(result(rows, "ioctl_events[EVT_CORE].note"),
                   "(g0,imix),(g0,imix),(g0,imix),(g0,imix),(g0,imix),(g0,imix),"
                   "(g1,icache),(g1,icache),(g1,icache),(g1,icache),(g1,icache),(p)");
        EXPECT_STR(result(rows, "ioctl_events[EVT_DSU].index"), "");
        EXPECT_CONTAINS(result(rows, "counting_events[1]"), "inst_spec: type 8, size 136, config 0x1b");
        EXPECT_TRUE(!strstr(rows, "|warnings="));
        free(rows);
        rows = run_model("neoverse-n1", "crypto_spec,{vfp_spec,ase_spec},dp_spec", NULL, NULL);
        EXPECT_STR(result(rows, "ioctl_events[EVT_CORE].note"), "(g0),(g0),(e),(e),(p),(p)");
        free(rows);
        rows = run_model("neoverse-v3", "{ld_spec,st_spec}", NULL, NULL);
        EXPECT_STR(result(rows, "PMU_CTL_QUERY_HW_CFG [gpc_num]"), "0x0000");
        EXPECT_STR(result(rows, "ioctl_events[EVT_CORE].index"), "112,113,27,27,27,27");
        EXPECT_CONTAINS(result(rows, "warnings"), "the number of counters is not known");
        free(rows);
        rows = run_model("neoverse-n1", "{ld_spec,st_spec,dp_spec,ase_spec,vfp_spec,br_pred,l1d_cache}", NULL,
                         NULL);
        EXPECT_CONTAINS(rows, "event group size(7) exceeds number of hardware PMU counters(6)");
        free(rows);
}

TEST(facts_of_a_model)
{
        char *rows = run_model("Neoverse-N1", NULL, NULL, NULL);

        EXPECT_STR(result(rows, "pmu_device.vendor_name"), "Arm Limited");
        EXPECT_STR(result(rows, "pmu_device.product_name"), "neoverse-n1");
        EXPECT_STR(result(rows, "pmu_device.product_name(extended)"),
                   "Neoverse N1 (neoverse-n1), armv8.2-a, pmu_v3");
        EXPECT_STR(result(rows, "pmu_device.events_query(events) [EVT_CORE]"), "110");
        EXPECT_STR(result(rows, "PMU_CTL_QUERY_HW_CFG [gpc_num]"), "0x0006");
        EXPECT_STR(result(rows, "PMU_CTL_QUERY_HW_CFG [total_gpc_num]"), "0x0006");
        EXPECT_STR(result(rows, "PMU_CTL_QUERY_HW_CFG [part_id]"), "0x0d0c");
        EXPECT_STR(result(rows, "gpc_nums[EVT_CORE]"), "6");
        EXPECT_STR(result(rows, "fpc_nums[EVT_CORE]"), "1");
        EXPECT_CONTAINS(result(rows, "pmu_device.m_product_alias"), "(neoverse-n2-r0p0:neoverse-n2)");
        EXPECT_TRUE(!strstr(rows, "|linux."));
        free(rows);
}

TEST(settings)
{
        char *rows = run_model("neoverse-n1", NULL, NULL, "count.period=13");

        EXPECT_STR(result(rows, "config.count.period"), "13");
        EXPECT_STR(result(rows, "config.count.period_max"), "100");
        EXPECT_STR(result(rows, "config.count.period_min"), "10");
        free(rows);
        rows = run_model("neoverse-n1", NULL, NULL, "count.period=101");
        EXPECT_STR(result(rows, "config.count.period"), "100");
        EXPECT_CONTAINS(result(rows, "warnings"), "can't set 'count.period=101' config");
        free(rows);
        rows = run_model("neoverse-n1", NULL, NULL, "count.period=9,other=1,count.period=10");
        EXPECT_STR(result(rows, "config.count.period"), "10");
        EXPECT_CONTAINS(strstr(rows, "|warnings="), "can't set 'count.period=9' config");
        EXPECT_CONTAINS(strstr(rows, "|warnings="), "can't set 'other=1' config");
        free(rows);
}

TEST(this_machine)
{
        char *rows = run_model(NULL, NULL, NULL, NULL);

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
