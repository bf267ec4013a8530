/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <stdlib.h>

#include "attributes.h"
#include "buf.h"
#include "catalogue.h"
#include "tap.h"

static const struct catalogue_event *find_event(const struct catalogue_cpu *cpu, const char *name)
{
        return catalogue_find_event(cpu, name, strlen(name));
}

/* Calls `each` with every word of a list joined by commas. */
static size_t each_word(const char *list, bool (*each)(const struct catalogue_cpu *cpu, const char *word),
                        const struct catalogue_cpu *cpu)
{
        char word[128];
        size_t n = 0;

        while (*list) {
                size_t len = strcspn(list, ",");

                snprintf(word, sizeof(word), "%.*s", (int)len, list);
                if (!each(cpu, word))
                        TAP_FAIL("%s: nothing is called '%s'", cpu ? cpu->id : "built-in", word);
                list += len + (list[len] == ',');
                n++;
        }
        return n;
}

/* The numbers in WindowsPerf, from an older version of Arm's files.  Current files have one more metric for
 * the N2, the share of SVE; 11 more metrics in 3 more groups for the V2; one event less for the V3. */
TEST(as_many_as_the_sources_have)
{
        static const struct {
                const char *id;
                uint16_t part;
                unsigned n_slots, n_events, n_metrics, n_groups;
        } models[] = {
                {"armv8-a", 0, 0, 463, 0, 0},
                {"armv9-a", 0, 0, 476, 0, 0},
                {"neoverse-n1", 0xd0c, 5, 110, 31, 12},
                {"neoverse-n2", 0xd49, 5, 155, 35 + 1, 13},
                {"neoverse-n2-r0p3", 0xd49, 5, 155, 36, 13},
                {"neoverse-n3", 0xd8e, 5, 224, 67, 18},
                {"neoverse-v1", 0xd40, 8, 132, 36, 13},
                {"neoverse-v2", 0xd4f, 8, 155, 36 + 11, 13 + 3},
                {"neoverse-v3", 0xd84, 10, 254 - 1, 67, 18},
                {"neoverse-v3ae", 0xd83, 10, 254 - 1, 67, 18},
                {"azure-cobalt-100", 0xd49, 5, 155, 35 + 1, 13},
                {"cortex-a78c", 0xd4b, 0, 118, 0, 0},
                {"cortex-x1c", 0xd4c, 0, 118, 0, 0},
                {"oryon", 0x001, 0, 463, 0, 0},
        };

        for (size_t i = 0; i < N_ELEMENTS(models); i++) {
                const struct catalogue_cpu *cpu = catalogue_find_cpu(models[i].id);

                if (!cpu) {
                        TAP_FAIL("no %s", models[i].id);
                        continue;
                }
                EXPECT_INT(cpu->part, models[i].part);
                EXPECT_INT(cpu->n_slots, models[i].n_slots);
                EXPECT_INT(cpu->n_events, models[i].n_events);
                EXPECT_INT(cpu->n_metrics, models[i].n_metrics);
                EXPECT_INT(cpu->n_groups, models[i].n_groups);
        }
}

TEST(models_by_identification_register)
{
        static const struct {
                uint64_t midr;
                const char *id;
        } cases[] = {
                {0x413fd0c1, "neoverse-n1"},
                {0x410fd490, "neoverse-n2"},
                {0x410fd492, "neoverse-n2"},
                {0x410fd493, "neoverse-n2-r0p3"},
                {0x411fd490, "neoverse-n2-r0p3"},
                {0x410fd840, "neoverse-v3"},
                {0x411fd841, "neoverse-v3"},
                {0x410fd830, "neoverse-v3ae"},
                {0x410fd4f0, "neoverse-v2"},
                {0x410fd8e0, "neoverse-n3"},
                {0x410fd4b0, "cortex-a78c"},
                {0x410fd4c0, "cortex-x1c"},
                {0x6d0fd490, "azure-cobalt-100"},
                {0x6d0fd493, "azure-cobalt-100-r0p3"},
                {0x511f0011, "oryon"},
                {0xc00fac30, "ampere-1"},
                {0xc00fac40, "ampere-1a"},
                {0xffffffff410fd0c0, "neoverse-n1"},
                /* Known by their part alone, and not at all. */
                {0x410fd850, "armv9-a"},
                {0x4e0f0100, "armv9-a"},
                {0x410fd8f0, "armv8-a"},
                {0x420fd900, "armv8-a"},
                {0x480fd010, "armv8-a"},
                {0x000f0000, "armv8-a"},
                {0xffffffff, "armv8-a"},
                {0, "armv8-a"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                const struct catalogue_cpu *cpu = catalogue_cpu_from_midr(cases[i].midr);

                if (strcmp(cpu->id, cases[i].id))
                        TAP_FAIL("0x%" PRIx64 " is %s, want %s", cases[i].midr, cpu->id, cases[i].id);
        }
}

TEST(models_by_name)
{
        const char *alias, *id;
        size_t n = 0;

        for (size_t i = 0; i < catalogue_n_cpus(); i++) {
                const struct catalogue_cpu *cpu = catalogue_get_cpu(i);

                EXPECT_CMP(catalogue_find_cpu(cpu->id), ==, cpu);
                EXPECT_TRUE(*cpu->name && *cpu->architecture);
                if (i)
                        EXPECT_CMP(strcmp(catalogue_get_cpu(i - 1)->id, cpu->id), <, 0);
        }
        for (; (alias = catalogue_get_alias(n, &id)); n++)
                EXPECT_CMP(catalogue_find_cpu(alias), ==, catalogue_find_cpu(id));
        EXPECT_INT(n, 5);
        EXPECT_STR(catalogue_find_cpu("NEOVERSE-N2-R0P1")->id, "neoverse-n2");
        EXPECT_STR(catalogue_find_cpu("neoverse-n2-r0p3")->id, "neoverse-n2-r0p3");
        EXPECT_INT(catalogue_find_cpu("neoverse-n2-r0p3")->first_revision, 0x03);
        EXPECT_TRUE(!catalogue_find_cpu("neoverse"));
        EXPECT_TRUE(!catalogue_find_cpu("neoverse-n12"));
        EXPECT_TRUE(!catalogue_find_cpu(""));
}

TEST(events_are_sorted_and_found)
{
        for (size_t i = 0; i < catalogue_n_cpus(); i++) {
                const struct catalogue_cpu *cpu = catalogue_get_cpu(i);

                for (size_t j = 0; j < cpu->n_events; j++) {
                        const struct catalogue_event *event = catalogue_get_event(cpu, j);

                        EXPECT_CMP(find_event(cpu, event->name), ==, event);
                        EXPECT_CMP(catalogue_find_code(cpu, event->code), ==, event);
                        EXPECT_TRUE(*event->title && strlen(event->title) <= 80);
                        if (j)
                                EXPECT_CMP(strcmp(catalogue_get_event(cpu, j - 1)->name, event->name), <, 0);
                }
        }
}

TEST(events_by_name)
{
        const struct catalogue_cpu *n1 = catalogue_find_cpu("neoverse-n1");
        const struct catalogue_cpu *cpu = NULL;

        EXPECT_INT(find_event(n1, "LD_Spec")->code, 0x70);
        EXPECT_STR(find_event(n1, "l1d_cache_refill")->title, "Level 1 data cache refills");
        EXPECT_CMP(catalogue_find_event(n1, "ld_spec,x", 7), ==, find_event(n1, "ld_spec"));
        EXPECT_TRUE(!catalogue_find_event(n1, "ld_spec", 6));
        EXPECT_TRUE(!catalogue_find_event(n1, "ld_spec\0x", 9));
        EXPECT_TRUE(!find_event(n1, ""));
        EXPECT_TRUE(!find_event(n1, "zzz"));
        EXPECT_TRUE(!find_event(n1, "stall_slot"));
        EXPECT_STR(catalogue_find_code(n1, 0x11)->name, "cpu_cycles");
        EXPECT_TRUE(!catalogue_find_code(n1, 0x3f));
        EXPECT_TRUE(!catalogue_find_code(n1, 0x10011));
        EXPECT_TRUE(!catalogue_find_code(catalogue_find_cpu("x86_64"), 0));

        EXPECT_INT(catalogue_find_anywhere("STALL_SLOT", 10, &cpu)->code, 0x3f);
        EXPECT_STR(cpu->id, "armv8-a");
        EXPECT_INT(catalogue_find_anywhere("stall_frontend_tlb", 18, &cpu)->code, 0x815c);
        EXPECT_STR(cpu->id, "armv8-a");
        EXPECT_INT(catalogue_find_anywhere("imp_ct_flush", 12, &cpu)->code, 0x120);
        EXPECT_STR(cpu->id, "neoverse-n3");
        EXPECT_TRUE(!catalogue_find_anywhere("imp_ct_flus", 11, &cpu));
        /* One name, two numbers. */
        EXPECT_INT(find_event(catalogue_find_cpu("cortex-a55"), "stall_frontend_tlb")->code, 0xe2);
        EXPECT_INT(find_event(catalogue_find_cpu("cortex-a520"), "stall_frontend_tlb")->code, 0x815c);
}

static bool is_counted(const struct catalogue_cpu *cpu, const char *word)
{
        static const char *const generic[] = {"instructions", "cycles", "branches", "branch_misses"};

        for (size_t i = 0; i < N_ELEMENTS(generic); i++) {
                if (!strcmp(cpu->architecture, "x86_64") && !strcmp(word, generic[i]))
                        return true;
        }
        return find_event(cpu, word) != NULL;
}

static int compare_names(const void *a, const void *b)
{
        return strcmp(a, b);
}

/* The list of events has the names of the formula: each once, sorted. */
static void check_formula(const struct catalogue_cpu *cpu, const struct catalogue_metric *metric)
{
        char names[16][64];
        AUTO_RELEASE(buf) joined = {0};
        size_t n = 0;

        for (const char *c = metric->formula; *c;) {
                size_t len = strspn(c, "abcdefghijklmnopqrstuvwxyz_0123456789");

                if (len && !isdigit((unsigned char)*c) && n < N_ELEMENTS(names))
                        snprintf(names[n++], sizeof(names[0]), "%.*s", (int)len, c);
                c += len ? len : 1;
        }
        qsort(names, n, sizeof(names[0]), compare_names);
        for (size_t i = 0; i < n; i++) {
                if (!i || strcmp(names[i], names[i - 1]))
                        buf_printf(&joined, "%s%s", i ? "," : "", names[i]);
        }
        if (strcmp(buf_text(&joined), metric->events))
                TAP_FAIL("%s, %s: events are '%s', the formula has '%s'", cpu->id, metric->name,
                         metric->events, buf_text(&joined));
}

static bool is_metric(const struct catalogue_cpu *cpu, const char *word)
{
        return catalogue_find_metric(cpu, word, strlen(word)) != NULL;
}

TEST(metrics_and_groups_resolve)
{
        size_t n = 0;

        for (size_t i = 0; i < catalogue_n_cpus(); i++) {
                const struct catalogue_cpu *cpu = catalogue_get_cpu(i);

                for (size_t j = 0; j < cpu->n_metrics; j++, n++) {
                        const struct catalogue_metric *metric = &cpu->metrics[j];

                        EXPECT_CMP(each_word(metric->events, is_counted, cpu), >, 0);
                        EXPECT_CMP(catalogue_find_metric(cpu, metric->name, strlen(metric->name)), ==,
                                   metric);
                        EXPECT_TRUE(*metric->title && strlen(metric->title) <= 80);
                        EXPECT_TRUE(metric->unit && *metric->unit);
                        check_formula(cpu, metric);
                }
                for (size_t j = 0; j < cpu->n_groups; j++) {
                        const struct catalogue_group *group = &cpu->groups[j];

                        EXPECT_CMP(each_word(group->metrics, is_metric, cpu), >, 0);
                        EXPECT_CMP(catalogue_find_group(cpu, group->name, strlen(group->name)), ==, group);
                        EXPECT_TRUE(*group->title && strlen(group->title) <= 80);
                }
        }
        EXPECT_CMP(n, >, 300);
}

static const struct catalogue_metric *metric_of(const char *id, const char *name)
{
        return catalogue_find_metric(catalogue_find_cpu(id), name, strlen(name));
}

TEST(formulas)
{
        EXPECT_STR(metric_of("neoverse-n1", "l1d_cache_mpki")->formula,
                   "l1d_cache_refill / inst_retired * 1000");
        EXPECT_STR(metric_of("neoverse-n1", "l1d_cache_mpki")->unit, "MPKI");
        EXPECT_STR(metric_of("neoverse-n1", "ipc")->events, "cpu_cycles,inst_retired");
        EXPECT_STR(
                metric_of("neoverse-n2", "frontend_bound")->formula,
                "100 * ((stall_slot_frontend - cpu_cycles) / (5 * cpu_cycles) - br_mis_pred / cpu_cycles)");
        EXPECT_STR(metric_of("neoverse-n2-r0p3", "frontend_bound")->formula,
                   "100 * (stall_slot_frontend / (cpu_cycles * 5) - br_mis_pred / cpu_cycles)");
        EXPECT_STR(metric_of("neoverse-v3", "backend_bound")->formula,
                   "stall_slot_backend / (10 * cpu_cycles) * 100");
        EXPECT_STR(metric_of("neoverse-n3", "fp_ops_per_cycle")->formula,
                   "(fp_scale_ops_spec + fp_fixed_ops_spec) / cpu_cycles");
        EXPECT_STR(metric_of("neoverse-v3", "sve_fp_ops_per_cycle")->events, "cpu_cycles,fp_scale_ops_spec");
        EXPECT_STR(metric_of("neoverse-v3", "nonsve_fp_ops_per_cycle")->events,
                   "cpu_cycles,fp_fixed_ops_spec");
        EXPECT_STR(metric_of("x86_64", "branch_misprediction_ratio")->formula, "branch_misses / branches");
        EXPECT_STR(catalogue_find_group(catalogue_find_cpu("neoverse-v1"), "topdown_l1", 10)->metrics,
                   "frontend_bound,backend_bound,retiring,bad_speculation");
        EXPECT_TRUE(!catalogue_find_group(catalogue_find_cpu("neoverse-n1"), "topdown_l1", 10));
        EXPECT_TRUE(!catalogue_find_group(NULL, "topdown_l1", 10));
}

TEST(built_in_metrics)
{
        static const struct {
                const char *name, *events;
        } cases[] = {
                {"imix", "inst_spec,dp_spec,vfp_spec,ase_spec,ld_spec,st_spec"},
                {"icache", "l1i_cache,l1i_cache_refill,l2i_cache,l2i_cache_refill,inst_retired"},
                {"dcache", "l1d_cache,l1d_cache_refill,l2d_cache,l2d_cache_refill,inst_retired"},
                {"itlb", "l1i_tlb,l1i_tlb_refill,l2i_tlb,l2i_tlb_refill,inst_retired"},
                {"dtlb", "l1d_tlb,l1d_tlb_refill,l2d_tlb,l2d_tlb_refill,inst_retired"},
                {"system_cache", "/cmn/hnf_slc_sf_cache_access,/cmn/hnf_cache_miss"},
                {"mesh_memory", "/cmn/hnf_mc_reqs,/cmn/hnf_mc_retries"},
                {"ddr_bw", "/dmc_clkdiv2/rdwr"},
                {"l3_cache", "/dsu/l3d_cache,/dsu/l3d_cache_refill"},
        };
        size_t n;
        const struct catalogue_metric *metrics = catalogue_built_in(&n);

        ASSERT_CMP(n, ==, N_ELEMENTS(cases));
        for (size_t i = 0; i < n; i++) {
                EXPECT_STR(metrics[i].name, cases[i].name);
                EXPECT_STR(metrics[i].events, cases[i].events);
                EXPECT_TRUE(!metrics[i].formula && !metrics[i].unit && *metrics[i].title);
                EXPECT_CMP(metric_of("neoverse-n1", cases[i].name), ==, &metrics[i]);
        }
        EXPECT_CMP(catalogue_find_metric(NULL, "IMIX", 4), ==, metrics);
        EXPECT_TRUE(!catalogue_find_metric(NULL, "ipc", 3));
}

TAP_MAIN
