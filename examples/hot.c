/* SPDX-License-Identifier: BSD-3-Clause */
/* hot SESSION   Prints the functions with the most samples, the hottest call path, and what the profile
 *               lacks.
 *
 * cc hot.c $(pkg-config --cflags --libs wperf) */
#include <inttypes.h>
#include <stdio.h>

#include <wperf.h>

enum { ROWS = 10 };

static void print_rows(const wperf_report *report)
{
        struct wperf_event event;
        struct wperf_row row;

        for (size_t e = 0; wperf_report_event(report, e, &event); e++) {
                size_t n = 0;

                if (!event.samples)
                        continue;
                printf("%s: %" PRIu64 " samples\n", event.name, event.samples);
                for (size_t i = 0; n < ROWS && wperf_report_row(report, i, &row); i++) {
                        if (row.event != e)
                                continue;
                        printf("%6.2f %% %8" PRIu64 "  %s%s%s\n", 100 * row.share, row.samples, row.symbol,
                               *row.module ? ":" : "", row.module);
                        n++;
                }
        }
}

/* The first event with samples; others may only track processes. */
static size_t first_event(const wperf_report *report)
{
        struct wperf_event event;
        size_t e = 0;

        while (wperf_report_event(report, e, &event) && !event.samples)
                e++;
        return e;
}

/* Children are sorted, so the first child of each node is the hottest. */
static void print_hot_path(const wperf_tree *tree)
{
        struct wperf_node node;

        wperf_tree_node(tree, 0, &node);
        while (node.first_child != WPERF_NO_NODE && wperf_tree_node(tree, node.first_child, &node))
                printf("%8" PRIu64 "  %s\n", node.samples, node.name);
}

int main(int argc, char **argv)
{
        struct wperf_report_request request = {
                .size = sizeof(request), .path = argc > 1 ? argv[1] : "wperf.data", .contents = WPERF_TREES};
        struct wperf_quality quality;
        struct wperf_error error;
        wperf_report *report = wperf_report_open(&request, &error);
        wperf_tree *tree;

        if (!report) {
                fprintf(stderr, "hot: %s\n", error.text);
                return 1;
        }
        print_rows(report);
        tree = wperf_report_tree(report, first_event(report), 0, &error);
        if (tree) {
                printf("hottest path:\n");
                print_hot_path(tree);
                wperf_tree_free(tree);
        }
        wperf_report_quality(report, &quality);
        printf("%" PRIu64 " samples, %" PRIu64 " lost%s%s\n", quality.samples, quality.lost,
               quality.poor ? "; poor: " : "", quality.why_poor);
        wperf_report_close(report);
        return 0;
}
