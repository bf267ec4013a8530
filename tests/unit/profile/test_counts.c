/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts from records, sheets from counts: sums, rounds, scaling, missing counts, metrics, repeated runs. */
#include <math.h>

#include "count_builder.h"
#include "count_stats.h"
#include "metric_value.h"
#include "sheet.h"
#include "tap.h"

static const struct sheet_row *find_row(const struct sheet *sheet, enum sheet_kind kind, uint32_t number,
                                        const char *name)
{
        for (size_t t = 0; t < sheet->n_tables; t++) {
                const struct sheet_table *table = &sheet->tables[t];

                for (size_t i = 0; table->kind == kind && table->number == number && i < table->n_rows; i++) {
                        if (!strcmp(table->rows[i].name, name))
                                return &table->rows[i];
                }
        }
        return NULL;
}

TEST(threads_are_summed_and_cpus_kept_apart)
{
        AUTO_RELEASE(count_list) list = {0};
        AUTO(counts) counts = NULL;

        builder_event(&list, "a", 1);
        counts = counts_new(&list);
        counts_set_event(counts, 0, (const uint64_t[]){7, 8}, 2);
        builder_bind(&list, counts);
        builder_stat(counts, 0, 3, 10, 100, 100);
        builder_stat(counts, 0, 1, 5, 100, 100);
        builder_round(counts, 1000);
        EXPECT_INT(counts_n_cpus(counts), 2);
        EXPECT_INT(counts_get_cpu(counts, 0), 1);
        EXPECT_INT(counts_get_cpu(counts, 1), 3);
        EXPECT_INT(counts_get(counts, 0, 3).value, 10);
        EXPECT_INT(counts_sum(counts, 0).value, 15);
        EXPECT_INT(counts_get(counts, 0, 2).state, COUNT_ELSEWHERE);
}

TEST(what_follows_threads_comes_before_the_cpus)
{
        AUTO_RELEASE(count_list) list = {0};
        AUTO(counts) counts = NULL;

        builder_event(&list, "a", 1);
        counts = counts_new(&list);
        builder_bind(&list, counts);
        builder_stat(counts, 0, 0, 1, 1, 1);
        builder_stat(counts, 0, COUNTS_NO_CPU, 1, 1, 1);
        EXPECT_INT(counts_get_cpu(counts, 0), COUNTS_NO_CPU);
        EXPECT_INT(counts_get_cpu(counts, 1), 0);
}

TEST(a_round_is_the_difference_to_the_one_before)
{
        AUTO_RELEASE(count_list) list = {0};
        AUTO(counts) counts = NULL;
        struct count count;

        builder_event(&list, "a", 1);
        counts = counts_new(&list);
        builder_bind(&list, counts);
        builder_stat(counts, 0, 0, 10, 100, 100);
        builder_round(counts, 1000);
        builder_stat(counts, 0, 0, 25, 180, 140);
        builder_round(counts, 3000);
        count = counts_get(counts, 0, 0);
        EXPECT_INT(count.value, 15);
        EXPECT_INT(count.enabled_ns, 80);
        EXPECT_INT(count.running_ns, 40);
        EXPECT_INT(count.scaled, 30);
        EXPECT_INT(counts_round_ns(counts), 2000);
        EXPECT_INT(counts_n_rounds(counts), 2);
        /* A value that decreases is from a damaged file and does not count. */
        builder_stat(counts, 0, 0, 3, 10, 10);
        builder_round(counts, 3500);
        EXPECT_INT(counts_get(counts, 0, 0).value, 0);
}

TEST(never_scheduled_and_doubted_zeros_are_not_counts)
{
        AUTO_RELEASE(count_list) list = {0};
        AUTO(counts) counts = NULL;

        builder_event(&list, "starved", 1);
        builder_event(&list, "doubted", 2)->doubt = "the PMU does not have it";
        builder_event(&list, "refused", 3)->refusal = "no";
        builder_event(&list, "idle", 4);
        builder_event(&list, "believed", 5)->doubt = "the PMU does not have it";
        counts = counts_new(&list);
        builder_bind(&list, counts);
        builder_stat(counts, 0, 0, 0, 100, 0);
        builder_stat(counts, 1, 0, 0, 100, 100);
        builder_stat(counts, 3, 0, 0, 0, 0);
        builder_stat(counts, 4, 0, 9, 100, 100);
        builder_round(counts, 1000);
        EXPECT_INT(counts_get(counts, 0, 0).state, COUNT_NOT_COUNTED);
        EXPECT_TRUE(strstr(counts_get(counts, 0, 0).reason, "never scheduled"));
        EXPECT_STR(counts_get(counts, 1, 0).reason, "the PMU does not have it");
        EXPECT_STR(counts_get(counts, 2, 0).reason, "no");
        EXPECT_INT(counts_get(counts, 3, 0).state, COUNT_COUNTED);
        EXPECT_INT(counts_get(counts, 4, 0).value, 9);
        EXPECT_INT(counts_get(counts, 4, 0).state, COUNT_COUNTED);
}

TEST(metrics_use_scaled_values)
{
        AUTO_RELEASE(count_list) list = {0};
        AUTO(counts) counts = NULL;
        AUTO(sheet) sheet = NULL;

        builder_event(&list, "a", 1);
        builder_event(&list, "b", 2);
        builder_metric(&list, "ratio", "a / b * 100", "percent", 2);
        counts = counts_new(&list);
        builder_bind(&list, counts);
        builder_stat(counts, 0, 0, 10, 100, 50); /* 20 */
        builder_stat(counts, 1, 0, 10, 100, 25); /* 40 */
        builder_round(counts, 1000);
        sheet = make_sheet(&list, counts, NULL);
        EXPECT_INT(sheet->n_metrics, 1);
        ASSERT_TRUE(sheet->n_metrics == 1 && sheet->metrics[0].has_value);
        EXPECT_CMP(fabs(sheet->metrics[0].value - 50), <, 1e-9);
        EXPECT_INT(sheet->n_multiplexed, 2);
        EXPECT_CMP(fabs(sheet->worst_share - 0.25), <, 1e-9);
        EXPECT_TRUE(sheet_is_poor(sheet));
}

TEST(a_division_by_zero_has_no_value)
{
        AUTO_RELEASE(count_list) list = {0};
        AUTO(counts) counts = NULL;
        AUTO(sheet) sheet = NULL;

        builder_event(&list, "a", 1);
        builder_event(&list, "b", 2);
        builder_metric(&list, "ratio", "a / b", NULL, 2);
        builder_metric(&list, "unknown", "a / c", NULL, 2);
        counts = counts_new(&list);
        builder_bind(&list, counts);
        builder_stat(counts, 0, 0, 10, 100, 100);
        builder_stat(counts, 1, 0, 0, 100, 100);
        builder_round(counts, 1000);
        sheet = make_sheet(&list, counts, NULL);
        EXPECT_INT(sheet->n_metrics, 2);
        EXPECT_TRUE(!sheet->metrics[0].has_value);
        EXPECT_TRUE(!sheet->metrics[1].has_value);
}

TEST(several_cpus_have_a_sum)
{
        AUTO_RELEASE(count_list) list = {0};
        AUTO(counts) counts = NULL;
        AUTO(sheet) sheet = NULL;

        builder_cycle(&list);
        builder_event(&list, "a", 1);
        counts = counts_new(&list);
        builder_bind(&list, counts);
        for (uint32_t cpu = 0; cpu < 3; cpu++) {
                builder_stat(counts, 0, cpu, 1000, 100, 100);
                builder_stat(counts, 1, cpu, cpu + 1, 100, 50);
        }
        builder_round(counts, 1000);
        sheet = make_sheet(&list, counts, NULL);
        EXPECT_INT(sheet->n_tables, 4);
        EXPECT_INT(find_row(sheet, SHEET_SYSTEM, 0, "a")->value, 6);
        EXPECT_INT(find_row(sheet, SHEET_SYSTEM, 0, "a")->scaled, 12);
        EXPECT_INT(find_row(sheet, SHEET_CPU, 2, "a")->scaled, 6);
        EXPECT_INT(sheet->n_events, 1);
}

TEST(units_of_a_class_have_tables_and_a_sum)
{
        AUTO_RELEASE(count_list) list = {0};
        AUTO(counts) counts = NULL;
        AUTO(sheet) sheet = NULL;

        for (uint32_t unit = 0; unit < 2; unit++) {
                struct count_event *e = builder_event(&list, "/dsu/l3d_cache", 0x2b);

                e->class = COUNT_DSU;
                e->unit = unit;
                snprintf(e->event.pmu, sizeof(e->event.pmu), "arm_dsu_%u", unit);
        }
        counts = counts_new(&list);
        builder_bind(&list, counts);
        builder_stat(counts, 0, 0, 100, 10, 10);
        builder_stat(counts, 1, 4, 50, 10, 10);
        builder_round(counts, 1000);
        sheet = make_sheet(&list, counts, NULL);
        EXPECT_INT(sheet->n_tables, 3);
        EXPECT_INT(find_row(sheet, SHEET_UNIT, 0, "/dsu/l3d_cache")->value, 100);
        EXPECT_INT(find_row(sheet, SHEET_UNIT, 1, "/dsu/l3d_cache")->value, 50);
        EXPECT_INT(find_row(sheet, SHEET_ALL_UNITS, 0, "/dsu/l3d_cache")->value, 150);
        EXPECT_INT(counts_n_cpus(counts), 0);
}

TEST(l3_cache_and_ddr_bw_are_traffic)
{
        AUTO_RELEASE(count_list) list = {0};
        AUTO(counts) counts = NULL;
        AUTO(sheet) sheet = NULL;

        builder_event(&list, "/dsu/l3d_cache", 0x2b)->class = COUNT_DSU;
        list.items[0].unit_cpus = "4-7";
        builder_event(&list, "/dsu/l3d_cache_refill", 0x2a)->class = COUNT_DSU;
        builder_metric(&list, "l3_cache", NULL, NULL, 2);
        builder_event(&list, "/dmc_clkdiv2/rdwr", 0x12)->class = COUNT_DMC_CLKDIV2;
        builder_metric(&list, "ddr_bw", NULL, NULL, 1);
        counts = counts_new(&list);
        builder_bind(&list, counts);
        builder_stat(counts, 0, 0, 1000, 10, 10);
        builder_stat(counts, 1, 0, 250, 10, 10);
        builder_stat(counts, 2, 0, 8000, 10, 10);
        builder_round(counts, 1000);
        sheet = make_sheet(&list, counts, NULL);
        ASSERT_TRUE(sheet->n_l3 == 2 && sheet->n_ddr == 2);
        EXPECT_INT(sheet->l3[0].accesses, 1000);
        EXPECT_INT(sheet->l3[0].misses, 250);
        EXPECT_STR(sheet->l3[0].cpus, "4-7");
        EXPECT_TRUE(!sheet->l3[1].cpus);
        EXPECT_INT(sheet->ddr[1].accesses, 8000);
}

TEST(statistics_of_known_numbers)
{
        static const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
        struct count_stats stats = {0};

        for (size_t i = 0; i < N_ELEMENTS(values); i++)
                count_stats_add(&stats, values[i]);
        EXPECT_CMP(fabs(stats.mean - 5), <, 1e-12);
        EXPECT_CMP(fabs(count_stats_deviation(&stats) - sqrt(32.0 / 7)), <, 1e-12);
        EXPECT_CMP(fabs(count_stats_percent(&stats) - 100 * sqrt(32.0 / 7) / 5), <, 1e-9);
        stats = (struct count_stats){0};
        EXPECT_CMP(count_stats_percent(&stats), ==, 0);
        count_stats_add(&stats, 1e18);
        count_stats_add(&stats, 1e18);
        EXPECT_CMP(count_stats_deviation(&stats), ==, 0);
}

TEST(runs_are_averaged)
{
        AUTO_RELEASE(count_list) list = {0};
        AUTO(counts) counts = NULL;
        AUTO(sheet) sheet = NULL;
        AUTO(metric_values) metrics = NULL;
        AUTO(sheet_runs) runs = NULL;

        builder_event(&list, "a", 1);
        builder_event(&list, "b", 2);
        builder_metric(&list, "ratio", "a / b", NULL, 2);
        counts = counts_new(&list);
        metrics = metric_values_new(&list);
        runs = sheet_runs_new(&list, metrics);
        for (uint64_t i = 1; i <= 3; i++) {
                counts_forget(counts);
                builder_bind(&list, counts);
                builder_stat(counts, 0, 0, 10 * i, 100, 100);
                builder_stat(counts, 1, 0, 10, 100, 100);
                builder_round(counts, 1000);
                sheet_runs_add(runs, counts);
        }
        sheet = make_sheet(&list, counts, runs);
        EXPECT_INT(find_row(sheet, SHEET_CPU, 0, "a")->value, 20);
        EXPECT_CMP(fabs(find_row(sheet, SHEET_CPU, 0, "a")->deviation_percent - 50), <, 1e-9);
        EXPECT_CMP(find_row(sheet, SHEET_CPU, 0, "b")->deviation_percent, ==, 0);
        EXPECT_CMP(fabs(sheet->metrics[0].value - 2), <, 1e-12);
        EXPECT_CMP(fabs(sheet->metrics[0].deviation_percent - 50), <, 1e-9);
}

TAP_MAIN
