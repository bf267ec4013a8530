/* SPDX-License-Identifier: BSD-3-Clause */
#include "event_listing.h"

#include <stdlib.h>

#include "buf.h"
#include "device_list.h"
#include "err.h"
#include "memory_sysfs.h"
#include "tap.h"
#include "text.h"

static const struct memory_file server[] = {
        {"arm_dmc620_10008c000/cpumask", "0\n"},
        {"arm_dmc620_10008c000/format/clkdiv2", "config2:9\n"},
        {"arm_dmc620_10008c000/format/event", "config2:3-8\n"},
        {"arm_dmc620_10008c000/type", "20\n"},
        {"arm_dsu_0/cpumask", "0\n"},
        {"arm_dsu_0/events/l3d_cache", "event=0x2b\n"},
        {"arm_dsu_0/format/event", "config:0-31\n"},
        {"arm_dsu_0/type", "21\n"},
        {"arm_spe_0/cpumask", "0-3\n"},
        {"arm_spe_0/format/min_latency", "config2:0-11\n"},
        {"arm_spe_0/type", "9\n"},
        {"armv8_pmuv3_0/cpus", "0-3\n"},
        {"armv8_pmuv3_0/events/cpu_cycles", "event=0x0011\n"},
        {"armv8_pmuv3_0/events/own_event", "event=0x0123\n"},
        {"armv8_pmuv3_0/format/event", "config:0-15\n"},
        {"armv8_pmuv3_0/type", "8\n"},
        {"software/type", "1\n"},
        {NULL, NULL},
};

static const struct memory_file desktop[] = {
        {"cpu/events/branch-instructions", "event=0xc4\n"},
        {"cpu/events/cpu-cycles", "event=0x3c\n"},
        {"cpu/format/event", "config:0-7\n"},
        {"cpu/type", "4\n"},
        {"power/cpumask", "0,2-3\n"},
        {"power/events/energy-pkg", "event=0x02\n"},
        {"power/events/energy-pkg.unit", "Joules\n"},
        {"power/format/event", "config:0-7\n"},
        {"power/type", "22\n"},
        {"software/type", "1\n"},
        {"uncore_imc_0/events/reads", "event=0x04,umask=0x3\n"},
        {"uncore_imc_0/events/writes", "event=0x05\n"},
        {"uncore_imc_0/format/event", "config:0-7\n"},
        {"uncore_imc_0/format/umask", "config:8-15\n"},
        {"uncore_imc_0/type", "30\n"},
        {"uncore_imc_1/events/own", "event=0x06\n"},
        {"uncore_imc_1/events/reads", "event=0x04,umask=0x3\n"},
        {"uncore_imc_1/format/event", "config:0-7\n"},
        {"uncore_imc_1/type", "31\n"},
        {NULL, NULL},
};

struct listed {
        struct event_facts facts;
        struct event_listing listing;
};

static void list_tree(struct listed *l, const struct memory_file *files, bool verbose)
{
        *l = (struct listed){0};
        event_facts_load_tree(memory_sysfs(files), &l->facts);
        event_listing_fill(&l->listing, &l->facts, verbose);
}

static void list_model(struct listed *l, const char *model, const char *extra, const char *metrics)
{
        const struct event_facts_request request = {
                .cpu_model = model, .extra_events = extra, .metrics_file = metrics};
        struct err err = {0};

        *l = (struct listed){0};
        if (!event_facts_load(&request, &l->facts, &err))
                TAP_FAIL("%s", err.text);
        event_listing_fill(&l->listing, &l->facts, true);
}

static void listed_release(struct listed *l)
{
        event_listing_release(&l->listing);
        event_facts_release(&l->facts);
}

static const struct listed_event *find(const struct listed *l, const char *name)
{
        static const struct listed_event missing = {"", "", "", "", 0};

        for (size_t i = 0; i < l->listing.n_events; i++) {
                if (!strcmp(l->listing.events[i].name, name))
                        return &l->listing.events[i];
        }
        TAP_FAIL("no event '%s'", name);
        return &missing;
}

static bool has(const struct listed *l, const char *name)
{
        for (size_t i = 0; i < l->listing.n_events; i++) {
                if (!strcmp(l->listing.events[i].name, name))
                        return true;
        }
        return false;
}

static const struct listed_metric *find_metric(const struct listed *l, const char *name)
{
        for (size_t i = 0; i < l->listing.n_metrics; i++) {
                if (!strcmp(l->listing.metrics[i].name, name))
                        return &l->listing.metrics[i];
        }
        return NULL;
}

TEST(a_model)
{
        __attribute__((cleanup(listed_release))) struct listed l;

        list_model(&l, "neoverse-n1", NULL, NULL);
        EXPECT_INT(l.listing.n_events, 110);
        EXPECT_STR(l.listing.events[0].name, "sw_incr");
        EXPECT_STR(find(&l, "ld_spec")->index, "0x0070");
        EXPECT_STR(find(&l, "ld_spec")->type, "[core PMU event]");
        EXPECT_STR(l.listing.metrics[0].name, "imix");
        EXPECT_STR(l.listing.metrics[0].events, "{inst_spec,dp_spec,vfp_spec,ase_spec,ld_spec,st_spec}");
        EXPECT_STR(l.listing.metrics[0].formula, "---");
        EXPECT_STR(find_metric(&l, "l1d_cache_mpki")->unit, "MPKI");
        EXPECT_TRUE(!find_metric(&l, "l3_cache") && !find_metric(&l, "ddr_bw"));
        EXPECT_INT(l.listing.n_groups, 12);
        for (size_t i = 1; i < l.listing.n_events; i++)
                EXPECT_CMP(l.listing.events[i - 1].number, <=, l.listing.events[i].number);
}

/* Every model has something to list, and texts in every column. */
TEST(all_models)
{
        for (size_t i = 0; i < catalogue_n_cpus(); i++) {
                __attribute__((cleanup(listed_release))) struct listed l;

                list_model(&l, catalogue_get_cpu(i)->id, NULL, NULL);
                EXPECT_TRUE(l.listing.n_events && l.listing.n_metrics);
                for (size_t e = 0; e < l.listing.n_events; e++) {
                        const struct listed_event *event = &l.listing.events[e];

                        EXPECT_TRUE(*event->name && text_starts(event->index, "0x") && *event->type == '[' &&
                                    *event->description);
                }
                for (size_t m = 0; m < l.listing.n_metrics; m++) {
                        const struct listed_metric *metric = &l.listing.metrics[m];

                        EXPECT_TRUE(*metric->name && *metric->events && *metric->formula && *metric->unit &&
                                    *metric->description);
                }
        }
}

TEST(uncore_and_spe_only_where_they_are)
{
        struct listed l;

        list_tree(&l, server, true);
        EXPECT_STR(find(&l, "/dsu/l3d_cache")->type, "[dsu PMU event]");
        EXPECT_STR(find(&l, "/dsu/l3d_cache")->index, "0x002b");
        EXPECT_STR(find(&l, "/dmc_clkdiv2/rdwr")->index, "0x0012");
        EXPECT_STR(find(&l, "/dmc_clk/request")->type, "[dmc_clk PMU event]");
        EXPECT_STR(find(&l, "arm_spe_0//")->type, "[Kernel PMU event]");
        EXPECT_STR(find(&l, "min_latency")->type, "[SPE filter]");
        /* The driver of this machine does not have them. */
        EXPECT_TRUE(!has(&l, "load_filter") && !has(&l, "discard") && !has(&l, "period"));
        EXPECT_TRUE(find_metric(&l, "l3_cache") && find_metric(&l, "ddr_bw"));
        EXPECT_TRUE(!has(&l, "arm_dsu_0/l3d_cache/"));
        listed_release(&l);
        list_tree(&l, desktop, true);
        EXPECT_TRUE(!has(&l, "/dsu/l3d_cache") && !has(&l, "arm_spe_0//") && !find_metric(&l, "imix"));
        listed_release(&l);
}

/* An Arm core without identification has all architectural events; those that its kernel does not list are
 * marked. */
TEST(an_unknown_arm_core)
{
        __attribute__((cleanup(listed_release))) struct listed l;

        list_tree(&l, server, true);
        EXPECT_TRUE(!strstr(find(&l, "cpu_cycles")->description, "not counted"));
        EXPECT_CONTAINS(find(&l, "l1d_cache")->description, "; this machine's PMU does not have it");
        EXPECT_STR(find(&l, "armv8_pmuv3_0/own_event/")->index, "0x0123");
        EXPECT_TRUE(!has(&l, "armv8_pmuv3_0/cpu_cycles/"));
        EXPECT_STR(find(&l, "page-faults")->type, "[software event]");
        EXPECT_TRUE(has(&l, "cycles") && !has(&l, "ref-cycles"));
        EXPECT_TRUE(has(&l, "L1-dcache-loads") && !has(&l, "L1-dcache-stores"));
}

TEST(x86)
{
        struct listed l;

        list_tree(&l, desktop, true);
        EXPECT_STR(find(&l, "cycles")->type, "[hardware event]");
        EXPECT_CONTAINS(find(&l, "cycles")->description, "also called cpu-cycles");
        EXPECT_TRUE(has(&l, "branches") && !has(&l, "ref-cycles"));
        EXPECT_STR(find(&l, "L1-dcache-load-misses")->index, "0x10000");
        EXPECT_STR(find(&l, "L1-dcache-load-misses")->type, "[hardware cache event]");
        EXPECT_STR(find(&l, "cpu/cpu-cycles/")->index, "0x003c");
        EXPECT_STR(find(&l, "cpu/cpu-cycles/")->type, "[Kernel PMU event]");
        EXPECT_STR(find(&l, "power/energy-pkg/")->description, "event=0x02; in Joules");
        EXPECT_STR(find(&l, "uncore_imc_0/reads/")->index, "0x0304");
        EXPECT_STR(find(&l, "uncore_imc_1/reads/")->index, "0x0304");
        EXPECT_STR(find(&l, "uncore_imc_1/own/")->index, "0x0006");
        EXPECT_TRUE(!has(&l, "uncore_imc_1/writes/"));
        listed_release(&l);
        list_tree(&l, desktop, false);
        EXPECT_STR(find(&l, "power/energy-pkg/")->description, "---");
        listed_release(&l);
}

TEST(names_of_the_user)
{
        __attribute__((cleanup(listed_release))) struct listed l;
        char file[] = "metrics_file_of_the_test";
        FILE *out = fopen(file, "w");

        fputs("# mine\nmine:{ld_spec,st_spec},dp_spec\n", out);
        fclose(out);
        list_model(&l, "neoverse-n1", "Own:0x1ff,/dsu/other:2", file);
        remove(file);
        EXPECT_STR(find(&l, "own")->type, "[core PMU event*]");
        EXPECT_STR(find(&l, "own")->index, "0x01ff");
        EXPECT_STR(find(&l, "own")->description, "<extra event>");
        EXPECT_STR(find(&l, "/dsu/other")->type, "[dsu PMU event*]");
        ASSERT_TRUE(find_metric(&l, "mine"));
        EXPECT_STR(find_metric(&l, "mine")->events, "{ld_spec,st_spec},dp_spec");
}

static void filter(const char *pattern, size_t n_events, size_t n_metrics, size_t n_groups, const char *error)
{
        char *patterns[] = {(char *)(uintptr_t)pattern};
        struct err err = {0};
        struct listed l;

        list_model(&l, "neoverse-n1", NULL, NULL);
        if (event_listing_filter(&l.listing, patterns, 1, &err)) {
                EXPECT_INT(l.listing.n_events, n_events);
                EXPECT_INT(l.listing.n_metrics, n_metrics);
                EXPECT_INT(l.listing.n_groups, n_groups);
        }
        EXPECT_STR(err.text, error);
        listed_release(&l);
}

TEST(patterns)
{
        filter("LD_SPEC", 3, 0, 0, "");
        filter("ld_spec*", 1, 0, 0, "");
        filter("?d_spec", 1, 0, 0, "");
        filter("metricgroup", 0, 0, 12, "");
        filter("operation_mix", 0, 0, 1, "");
        filter("ld_spek", 0, 0, 0,
               "no event, metric or group of metrics matches 'ld_spek'; did you mean 'ld_spec'?");
        filter("zzzzzzz", 0, 0, 0, "no event, metric or group of metrics matches 'zzzzzzz'");
}

TEST(models_by_name)
{
        struct event_facts facts = {0};
        struct err err = {0};

        EXPECT_TRUE(
                !event_facts_load(&(struct event_facts_request){.cpu_model = "neoverse-n9"}, &facts, &err));
        EXPECT_INT(err.code, ERR_USAGE);
        EXPECT_CONTAINS(err.text, "CPU name: \"neoverse-n9\" not found, use neoverse-");
        EXPECT_CONTAINS(err.text, "that 'wperf test' lists");
        EXPECT_TRUE(!event_facts_load(&(struct event_facts_request){"neoverse-n1", "/", NULL, NULL}, &facts,
                                      &err));
        EXPECT_INT(err.code, ERR_USAGE);
}

static void add_device(void *ctx, const char *device, const char *hardware)
{
        buf_printf(ctx, "%s: %s\n", device, hardware);
}

TEST(devices)
{
        static const struct memory_file nothing[] = {{NULL, NULL}};
        struct event_facts facts;
        struct buf out = {0};
        struct err err = {0};

        event_facts_load_tree(memory_sysfs(server), &facts);
        EXPECT_TRUE(device_list(&facts, add_device, &out, &err));
        EXPECT_CONTAINS(buf_text(&out),
                        "/sys/bus/event_source/devices/armv8_pmuv3_0: core PMU, type 8, CPUs 0-3\n");
        EXPECT_CONTAINS(buf_text(&out), "/arm_dsu_0: uncore PMU, type 21, opened on CPUs 0, block dsu-520\n");
        EXPECT_CONTAINS(buf_text(&out), "/arm_spe_0: sampling PMU (SPE), type 9, CPUs 0-3\n");
        event_facts_release(&facts);
        buf_clear(&out);
        event_facts_load_tree(memory_sysfs(desktop), &facts);
        EXPECT_TRUE(device_list(&facts, add_device, &out, &err));
        EXPECT_CONTAINS(buf_text(&out), "/power: uncore PMU, type 22, opened on CPUs 0,2-3\n");
        EXPECT_CONTAINS(buf_text(&out), "/software: PMU, type 1, all CPUs\n");
        event_facts_release(&facts);
        buf_clear(&out);
        event_facts_load_tree(memory_sysfs(nothing), &facts);
        EXPECT_TRUE(!device_list(&facts, add_device, &out, &err));
        EXPECT_INT(err.code, ERR_MISSING);
        EXPECT_INT(out.len, 0);
        event_facts_release(&facts);
        buf_release(&out);
}

TAP_MAIN
