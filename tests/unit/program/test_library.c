/* SPDX-License-Identifier: BSD-3-Clause */
/* libwperf: what its functions give for sessions that are made here. */
#include <string.h>

#include "arrow_abi.h"
#include "names_session.h"
#include "perfdata_format.h"
#include "tap.h"
#include "wperf.h"

static const char session_path[] = "library-test.data";

static void build(struct session_builder *b)
{
        build_names(b, true);
}

static bool write_session(void)
{
        static bool written;

        written = written || build_file(session_path, build);
        return written;
}

static wperf_report *open_report(const char *path, unsigned contents)
{
        const struct wperf_report_request request = {
                .size = sizeof(request), .path = path, .contents = contents};
        struct wperf_error error = {0};
        wperf_report *report = wperf_report_open(&request, &error);

        EXPECT_STR(error.text, "");
        return report;
}

static void build_damaged(struct session_builder *b)
{
        static const char run[] =
                "WPRF\1\0\0\0elapsed_ns=1000\nuser_ns=900\nkernel_ns=100\nsampled_ppm=280000\n"
                "sampled_event=cycles\nnot_sampled=sudo\noff_ns=250\nn_not_kept=3\n";

        build(b);
        builder_begin(b, PERF_RECORD_SAMPLE, 0);
        builder_end(b);
        builder_feature(b, FEATURE_WPERF_RUN, run, sizeof(run) - 1);
}

TEST(tells_what_is_missing)
{
        struct wperf_quality q;
        wperf_report *report;

        ASSERT_TRUE(build_file("library-missing.data", build_damaged));
        ASSERT_TRUE(report = open_report("library-missing.data", 0));
        wperf_report_quality(report, &q);
        EXPECT_TRUE(q.sampled_share > 0.2799 && q.sampled_share < 0.2801);
        EXPECT_TRUE(q.off_share > 0.2499 && q.off_share < 0.2501);
        EXPECT_STR(q.sampled_event, "cycles");
        EXPECT_STR(q.not_sampled, "sudo");
        EXPECT_INT(q.files_not_kept, 3);
        EXPECT_INT(q.malformed_records, 1);
        EXPECT_TRUE(!q.unfinished && !q.cut_bytes && !q.stacks_not_unwound);
        EXPECT_CONTAINS(q.why_poor, "28 % of the events were sampled");
        wperf_report_close(report);
}

TEST(gives_events_and_rows)
{
        struct wperf_quality quality;
        struct wperf_event event;
        struct wperf_row row;
        wperf_report *report;

        ASSERT_TRUE(write_session());
        ASSERT_TRUE(report = open_report(session_path, 0));
        EXPECT_INT(wperf_report_event_count(report), 1);
        EXPECT_TRUE(wperf_report_event(report, 0, &event) && event.samples == 7);
        EXPECT_TRUE(!wperf_report_event(report, 1, &event));
        EXPECT_INT(wperf_report_row_count(report), 3);
        EXPECT_TRUE(wperf_report_row(report, 0, &row));
        EXPECT_STR(row.symbol, "global_one");
        EXPECT_STR(row.module, "names.so");
        EXPECT_TRUE(row.resolved && row.low < row.share && row.share < row.high);
        EXPECT_TRUE(!wperf_report_row(report, 3, &row));
        wperf_report_quality(report, &quality);
        EXPECT_TRUE(quality.poor && quality.lost == 5);
        EXPECT_TRUE(quality.sampled_share < 0 && quality.kernel_share < 0);
        EXPECT_STR(quality.left_out, "");
        EXPECT_CONTAINS(quality.why_poor, "were lost");
        wperf_report_close(report);
        wperf_report_close(NULL);
        EXPECT_TRUE(wperf_version()[0]);
}

/* The first node with this name that has nodes below it. */
static bool find_node(const wperf_tree *tree, const char *name, struct wperf_node *node)
{
        for (uint32_t i = 0; wperf_tree_node(tree, i, node); i++) {
                if (!strcmp(node->name, name) && node->first_child != WPERF_NO_NODE)
                        return true;
        }
        return false;
}

/* What is asked for is there, and nothing else. */
TEST(gives_trees)
{
        wperf_report *report, *plain;
        struct wperf_error error;
        struct wperf_node node, child;
        wperf_tree *tree;

        ASSERT_TRUE(write_session());
        ASSERT_TRUE(report = open_report(session_path, WPERF_TREES));
        ASSERT_TRUE(tree = wperf_report_tree(report, 0, 0, &error));
        ASSERT_TRUE(wperf_tree_node(tree, 0, &node));
        EXPECT_STR(node.name, "all");
        EXPECT_INT(node.samples, 7);
        EXPECT_TRUE(node.parent == WPERF_NO_NODE && node.first_child != WPERF_NO_NODE);
        ASSERT_TRUE(find_node(tree, "global_one", &node));
        EXPECT_STR(node.module, "names.so");
        EXPECT_TRUE(node.samples >= 3 && node.self_samples < node.samples);
        ASSERT_TRUE(wperf_tree_node(tree, node.first_child, &child));
        EXPECT_TRUE(child.samples == 3 && child.self_samples == 3);
        ASSERT_TRUE(find_node(tree, "[cut]", &node));
        EXPECT_TRUE(!wperf_tree_node(tree, wperf_tree_node_count(tree), &node));
        wperf_tree_free(tree);
        EXPECT_TRUE(!wperf_report_tree(report, 1, 0, &error));
        EXPECT_INT(error.code, WPERF_ERROR_USAGE);
        wperf_report_close(report);
        ASSERT_TRUE(plain = open_report(session_path, 0));
        EXPECT_TRUE(!wperf_report_tree(plain, 0, 0, &error));
        EXPECT_CONTAINS(error.text, "WPERF_TREES");
        EXPECT_INT(wperf_report_sample_count(plain), 0);
        wperf_report_close(plain);
        wperf_tree_free(NULL);
}

TEST(gives_samples_and_frames)
{
        struct wperf_sample sample;
        struct wperf_frame frame;
        wperf_report *report;

        ASSERT_TRUE(write_session());
        ASSERT_TRUE(report = open_report(session_path, WPERF_SAMPLES));
        EXPECT_INT(wperf_report_sample_count(report), 7);
        ASSERT_TRUE(wperf_report_sample(report, 0, &sample));
        EXPECT_TRUE(sample.time_ns == 1000000000 && sample.pid == PID && sample.tid == PID);
        EXPECT_STR(sample.comm, "prog");
        ASSERT_TRUE(wperf_report_frame(report, sample.stack, 0, &frame));
        EXPECT_CONTAINS(frame.module, "names.so");
        ASSERT_TRUE(wperf_report_frame(report, sample.stack, 1, &frame));
        EXPECT_STR(frame.function, "global_one");
        EXPECT_TRUE(!frame.is_inlined && !frame.is_cut);
        EXPECT_TRUE(!wperf_report_frame(report, sample.stack, 3, &frame));
        EXPECT_TRUE(!wperf_report_sample(report, 7, &sample));
        wperf_report_close(report);
}

/* The stream of a table; false if it has no batch. */
static bool read_batch(wperf_report *report, enum wperf_table table, struct ArrowSchema *schema,
                       struct ArrowArray *batch)
{
        struct ArrowArrayStream stream;
        struct ArrowArray end;
        struct wperf_error error = {0};

        if (!wperf_report_arrow(report, table, &stream, &error))
                return false;
        EXPECT_INT(stream.get_schema(&stream, schema), 0);
        EXPECT_INT(stream.get_next(&stream, batch), 0);
        EXPECT_INT(stream.get_next(&stream, &end), 0);
        EXPECT_TRUE(!end.release);
        EXPECT_TRUE(!stream.get_last_error(&stream));
        stream.release(&stream);
        EXPECT_TRUE(!stream.release);
        return batch->release;
}

static void expect_text(const struct ArrowArray *column, size_t row, const char *expected)
{
        const int64_t *ends = column->buffers[1];
        char text[100] = "";

        ASSERT_TRUE(ends[row + 1] - ends[row] < (int64_t)sizeof(text));
        memcpy(text, (const char *)column->buffers[2] + ends[row], (size_t)(ends[row + 1] - ends[row]));
        EXPECT_STR(text, expected);
}

TEST(gives_rows_as_a_table)
{
        struct ArrowSchema schema;
        struct ArrowArray batch;
        struct wperf_row row;
        wperf_report *report;

        ASSERT_TRUE(write_session());
        ASSERT_TRUE(report = open_report(session_path, 0));
        ASSERT_TRUE(read_batch(report, WPERF_TABLE_ROWS, &schema, &batch));
        EXPECT_STR(schema.format, "+s");
        EXPECT_INT(schema.n_children, batch.n_children);
        EXPECT_STR(schema.children[1]->name, "symbol");
        EXPECT_STR(schema.children[1]->format, "U");
        EXPECT_STR(schema.children[4]->format, "b");
        EXPECT_STR(schema.children[6]->name, "weight");
        EXPECT_STR(schema.children[6]->format, "L");
        EXPECT_INT(batch.length, wperf_report_row_count(report));
        for (size_t i = 0; wperf_report_row(report, i, &row); i++) {
                expect_text(batch.children[1], i, row.symbol);
                expect_text(batch.children[2], i, row.module);
                EXPECT_INT(*(const uint8_t *)batch.children[4]->buffers[1] >> i & 1, row.resolved);
                EXPECT_INT(((const uint64_t *)batch.children[6]->buffers[1])[i], row.weight);
        }
        schema.release(&schema);
        batch.release(&batch);
        wperf_report_close(report);
}

TEST(a_table_keeps_its_report)
{
        struct ArrowArrayStream stream;
        struct ArrowArray batch, names;
        wperf_report *report;

        ASSERT_TRUE(write_session());
        ASSERT_TRUE(report = open_report(session_path, WPERF_SAMPLES));
        ASSERT_TRUE(wperf_report_arrow(report, WPERF_TABLE_SAMPLES, &stream, NULL));
        wperf_report_close(report);
        EXPECT_INT(stream.get_next(&stream, &batch), 0);
        stream.release(&stream);
        ASSERT_TRUE(batch.release);
        EXPECT_INT(batch.length, 7);
        /* A column may be taken out of a batch. */
        names = *batch.children[7];
        batch.children[7]->release = NULL;
        batch.release(&batch);
        expect_text(&names, 0, "prog");
        names.release(&names);
}

enum { LONG_NAME_BYTES = 60000, N_LONG_ROWS = 600 };

static void build_long_names(struct session_builder *b)
{
        char name[LONG_NAME_BYTES + 1];

        memset(name, 'n', LONG_NAME_BYTES);
        name[LONG_NAME_BYTES] = 0;
        builder_init(b);
        builder_comm(b, 1, PID, PID, name, false);
        for (uint64_t i = 0; i < N_LONG_ROWS; i++)
                builder_sample_ip(b, 2 + i, PID, PID, 0x1000);
}

/* The name stands in each row, so a small session may give large tables. */
TEST(batches_end_by_their_bytes)
{
        struct ArrowArrayStream stream;
        struct ArrowArray batch;
        int64_t n_batches = 0, n_rows = 0;
        wperf_report *report;

        ASSERT_TRUE(build_file("library-long.data", build_long_names));
        ASSERT_TRUE(report = open_report("library-long.data", WPERF_SAMPLES));
        ASSERT_TRUE(wperf_report_arrow(report, WPERF_TABLE_SAMPLES, &stream, NULL));
        while (stream.get_next(&stream, &batch) == 0 && batch.release) {
                EXPECT_TRUE(batch.length * LONG_NAME_BYTES < 17 << 20);
                n_batches++;
                n_rows += batch.length;
                batch.release(&batch);
        }
        EXPECT_INT(n_rows, N_LONG_ROWS);
        EXPECT_INT(n_batches, 3);
        stream.release(&stream);
        wperf_report_close(report);
}

TEST(a_table_that_was_not_requested_is_an_error)
{
        struct ArrowArrayStream stream;
        struct wperf_error error = {0};
        wperf_report *report;

        ASSERT_TRUE(write_session());
        ASSERT_TRUE(report = open_report(session_path, WPERF_PYTHON));
        EXPECT_TRUE(!wperf_report_arrow(report, WPERF_TABLE_FRAMES, &stream, &error));
        EXPECT_STR(error.text, "the report was opened without WPERF_SAMPLES");
        EXPECT_TRUE(!wperf_report_arrow(report, (enum wperf_table)99, &stream, &error));
        EXPECT_INT(error.code, WPERF_ERROR_USAGE);
        wperf_report_close(report);
}

TEST(stacks_are_linked_by_their_callers)
{
        struct ArrowSchema schema;
        struct ArrowArray samples, frames;
        wperf_report *report;
        const uint32_t *stacks;
        const int64_t *callers;
        struct wperf_frame frame;
        int64_t depth = 0;

        ASSERT_TRUE(write_session());
        ASSERT_TRUE(report = open_report(session_path, WPERF_SAMPLES));
        ASSERT_TRUE(read_batch(report, WPERF_TABLE_SAMPLES, &schema, &samples));
        schema.release(&schema);
        ASSERT_TRUE(read_batch(report, WPERF_TABLE_FRAMES, &schema, &frames));
        schema.release(&schema);
        stacks = frames.children[0]->buffers[1];
        callers = frames.children[1]->buffers[1];
        for (int64_t at = ((const uint32_t *)samples.children[8]->buffers[1])[0]; at >= 0;) {
                int64_t row = 0, caller = -1;

                while (row < frames.length && stacks[row] != at)
                        row++;
                for (; row < frames.length && stacks[row] == at; row++) {
                        EXPECT_TRUE(wperf_report_frame(report,
                                                       ((const uint32_t *)samples.children[8]->buffers[1])[0],
                                                       (size_t)depth++, &frame));
                        expect_text(frames.children[2], (size_t)row, frame.function);
                        caller = callers[row];
                }
                at = caller;
        }
        EXPECT_CMP(depth, >, 1);
        samples.release(&samples);
        frames.release(&frames);
        wperf_report_close(report);
}

TEST(annotates)
{
        const struct wperf_annotate_request one = {.size = sizeof(one), .symbol = "global_one"},
                                            none = {.size = sizeof(none), .symbol = "no_such_function"};
        struct wperf_annotated function;
        struct wperf_instruction at;
        wperf_annotation *annotation;
        struct wperf_error error;
        wperf_report *report;

        ASSERT_TRUE(write_session());
        ASSERT_TRUE(report = open_report(session_path, 0));
        EXPECT_TRUE(!wperf_report_annotate(report, &none, &error));
        EXPECT_INT(error.code, WPERF_ERROR_MISSING);
        ASSERT_TRUE(annotation = wperf_report_annotate(report, &one, &error));
        EXPECT_INT(wperf_annotation_count(annotation), 1);
        ASSERT_TRUE(wperf_annotation_function(annotation, 0, &function));
        EXPECT_STR(function.symbol, "global_one");
        EXPECT_INT(function.samples, 3);
        EXPECT_INT(function.instructions, 2);
        ASSERT_TRUE(wperf_annotation_instruction(annotation, 0, 0, &at));
        EXPECT_INT(at.addr, 0x1120);
        EXPECT_INT(at.samples, 2);
        EXPECT_TRUE(!wperf_annotation_instruction(annotation, 0, 2, &at));
        EXPECT_TRUE(!wperf_annotation_function(annotation, 1, &function));
        wperf_annotation_free(annotation);
        wperf_annotation_free(NULL);
        wperf_report_close(report);
}

TEST(looks_addresses_up)
{
        static const uint64_t addrs[] = {0x1100, 0x1120, 0x10};
        struct wperf_location location;
        struct wperf_error error;
        wperf_symbols *symbols;

        EXPECT_TRUE(!wperf_resolve("no-such-file", addrs, 3, &error));
        EXPECT_INT(error.code, WPERF_ERROR_MISSING);
        EXPECT_CONTAINS(error.text, "no-such-file");
        ASSERT_TRUE(symbols = wperf_resolve(data_path("elf/names.so"), addrs, 3, &error));
        ASSERT_TRUE(wperf_symbols_get(symbols, 1, 0, &location));
        EXPECT_STR(location.function, "global_one");
        EXPECT_TRUE(!wperf_symbols_get(symbols, 1, 1, &location));
        EXPECT_TRUE(!wperf_symbols_get(symbols, 3, 0, &location));
        wperf_symbols_free(symbols);
}

TEST(lists_events_of_a_model)
{
        struct wperf_listed_metric metric;
        struct wperf_listed_group group;
        struct wperf_listed_event event;
        struct wperf_error error;
        wperf_list *list;
        bool found = false;

        EXPECT_TRUE(!wperf_list_open("no-such-cpu", &error));
        EXPECT_INT(error.code, WPERF_ERROR_USAGE);
        ASSERT_TRUE(list = wperf_list_open("neoverse-n1", &error));
        for (size_t i = 0; wperf_list_event(list, i, &event); i++)
                found |= !strcmp(event.name, "ld_spec") && !strcmp(event.index, "0x0070");
        EXPECT_TRUE(found);
        EXPECT_TRUE(wperf_list_metric(list, 0, &metric) && metric.events[0]);
        EXPECT_TRUE(wperf_list_group(list, 0, &group) && group.metrics[0]);
        EXPECT_TRUE(!wperf_list_event(list, wperf_list_event_count(list), &event));
        wperf_list_free(list);
}

TEST(says_what_is_wrong_with_requests)
{
        const struct wperf_report_request no_path = {.size = sizeof(no_path)},
                                          no_file = {.size = sizeof(no_file), .path = "no-such.data"};
        const struct wperf_target all = {.size = sizeof(all), .system_wide = 1};
        const struct wperf_count_request no_event = {
                .size = sizeof(no_event), .events = "no_such_event", .target = &all};
        const struct wperf_count_request no_target = {.size = sizeof(no_target)};
        const struct wperf_record_request no_session = {.size = sizeof(no_session)};
        struct wperf_error error;

        EXPECT_TRUE(!wperf_report_open(&no_path, &error));
        EXPECT_INT(error.code, WPERF_ERROR_USAGE);
        EXPECT_TRUE(!wperf_report_open(&no_file, &error));
        EXPECT_INT(error.code, WPERF_ERROR_MISSING);
        EXPECT_CONTAINS(error.text, "no-such.data");
        EXPECT_TRUE(!wperf_report_open(&no_file, NULL));
        EXPECT_TRUE(!wperf_count(&no_event, &error));
        EXPECT_TRUE(error.code && error.text[0]);
#ifndef _WIN32 /* there it says first that no driver counts */
        EXPECT_CONTAINS(error.text, "no_such_event");
#endif
        EXPECT_TRUE(!wperf_record(&no_session, NULL, &error));
        EXPECT_INT(error.code, WPERF_ERROR_USAGE);
        EXPECT_TRUE(!wperf_count(&no_target, &error));
        EXPECT_CONTAINS(error.text, "no target");
}

/* A program that was compiled with another version of the header. */
TEST(requests_of_other_versions)
{
        struct {
                struct wperf_report_request request;
                uint64_t of_a_later_version;
        } later = {.request = {.size = sizeof(later), .path = session_path}};
        const struct wperf_report_request no_size = {.path = session_path};
        const struct wperf_report_request no_struct = {.size = (size_t)(uintptr_t)session_path,
                                                       .path = session_path};
        struct wperf_report_request earlier = {
                .size = offsetof(struct wperf_report_request, inlines), .path = session_path, .n_pids = 1000};
        struct wperf_error error;
        wperf_report *report;

        ASSERT_TRUE(write_session());
        EXPECT_TRUE(!wperf_report_open(&no_size, &error));
        EXPECT_INT(error.code, WPERF_ERROR_USAGE);
        EXPECT_CONTAINS(error.text, ".size");
        EXPECT_TRUE(!wperf_report_open(&no_struct, &error));
        EXPECT_INT(error.code, WPERF_ERROR_USAGE);
        EXPECT_CONTAINS(error.text, "bytes: set .size");
        report = wperf_report_open(&later.request, &error);
        EXPECT_TRUE(report);
        wperf_report_close(report);
        later.of_a_later_version = 1;
        EXPECT_TRUE(!wperf_report_open(&later.request, &error));
        EXPECT_INT(error.code, WPERF_ERROR_UNSUPPORTED);
        EXPECT_CONTAINS(error.text, "sets a field that libwperf");
        report = wperf_report_open(&earlier, &error);
        EXPECT_TRUE(report);
        wperf_report_close(report);
}

TEST(the_header_has_the_librarys_version)
{
        char version[32];
        size_t len = (size_t)snprintf(version, sizeof(version), "%d.%d.%d", WPERF_VERSION_MAJOR,
                                      WPERF_VERSION_MINOR, WPERF_VERSION_PATCH);

        if (strncmp(wperf_version(), version, len) != 0 ||
            (wperf_version()[len] && wperf_version()[len] != '+'))
                TAP_FAIL("wperf.h is of %s, the library of %s", version, wperf_version());
        EXPECT_TRUE(WPERF_VERSION_AT_LEAST(0, 2, 0));
        EXPECT_TRUE(!WPERF_VERSION_AT_LEAST(WPERF_VERSION_MAJOR, WPERF_VERSION_MINOR + 1, 0));
        EXPECT_TRUE(!WPERF_VERSION_AT_LEAST(WPERF_VERSION_MAJOR + 1, 0, 0));
}

TAP_MAIN
