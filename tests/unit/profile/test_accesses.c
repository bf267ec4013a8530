/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions whose samples are accesses to memory: their levels, latencies, cache lines, and who shares
 * them. */
#include "access_rows.h"
#include "annotate_output.h"
#include "annotation.h"
#include "arena.h"
#include "report.h"
#include "session_builder.h"
#include "tap.h"
#include "test_data.h"

/* names.so, where it is mapped */
enum {
        BASE = 0x400000,
        TEXT_OFF = 0x1000,
        LOCAL_LEAF = BASE + 0x1100,
        GLOBAL_ONE = BASE + 0x1120,
        PID = 100,
        FIRST = 101,
        SECOND = 102,
        LINE = 0x7f00000,
};

/* perf's data sources of Intel's and AMD's events and of Arm SPE, as perf 6.12 prints them */
#define TLB(bits)   ((uint64_t)(bits) << 26)
#define NUM(number) ((uint64_t)(number) << 33)
#define LVL(bits)   ((uint64_t)(bits) << 5)
#define L1_LOAD     (0x02 | LVL(0x0a) | TLB(0x1a) | NUM(1))
#define RAM_LOAD    (0x02 | LVL(0x82) | TLB(0x24) | NUM(13))
#define STORE       (0x04 | LVL(0x0a) | NUM(1))

struct access {
        uint64_t ip, addr, data_src, cycles;
        int32_t tid;
};

static void init(struct session_builder *b)
{
        builder_init(b);
        b->attrs[0].sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                  PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT |
                                  PERF_SAMPLE_DATA_SRC;
        builder_comm(b, 1, PID, PID, "prog", true);
        builder_mmap(b, 2, PID, BASE + TEXT_OFF, 0x1000, TEXT_OFF, data_path("elf/names.so"));
}

static void add(struct session_builder *b, struct access a)
{
        builder_begin(b, PERF_RECORD_SAMPLE, PERF_MISC_USER);
        builder_u64(b, 11);
        builder_u64(b, a.ip);
        builder_u32(b, PID);
        builder_u32(b, (uint32_t)a.tid);
        builder_u64(b, 1000);
        builder_u64(b, a.addr);
        builder_u64(b, a.cycles);
        builder_u64(b, a.data_src);
        builder_end(b);
}

static void add_times(struct session_builder *b, unsigned n, struct access a)
{
        while (n--)
                add(b, a);
}

/* Sets *ret_rows to rows by code, or by `keys` alone. */
static struct report *report_of(struct session_builder *b, const char *path, unsigned keys,
                                struct access_rows **ret_rows)
{
        const struct report_request request = {.path = path, .results = REPORT_ACCESSES, .access_keys = keys};
        struct err err = {0};
        struct report *report = builder_save(b, path) ? report_make(&request, &err) : NULL;

        if (report)
                *ret_rows = report_access_rows(report, keys, 0, false, NULL);
        else
                TAP_FAIL("%s: %s", path, err.text);
        return report;
}

static const char *code_of(const struct access_rows *rows, size_t code)
{
        const struct hot *hot = access_rows_hot(rows);

        return hot_text(hot, hot_get_row(hot, code)->bare);
}

TEST(data_sources_have_a_level)
{
        static const struct {
                uint64_t data_src;
                enum access_level level;
                unsigned what;
        } cases[] = {
                {L1_LOAD, ACCESS_L1, ACCESS_LOAD | ACCESS_TLB},
                {RAM_LOAD, ACCESS_DRAM, ACCESS_LOAD | ACCESS_TLB | ACCESS_WALK},
                {STORE, ACCESS_L1, ACCESS_STORE},
                {0x02 | LVL(0x12), ACCESS_LFB, ACCESS_LOAD},
                {0x02 | LVL(0x42) | NUM(3) | UINT64_C(0x10) << 19, ACCESS_PEER, ACCESS_LOAD}, /* modified */
                {0x02 | LVL(0x22) | NUM(2), ACCESS_L2, ACCESS_LOAD},
                {0x02 | LVL(0x102), ACCESS_REMOTE_DRAM, ACCESS_LOAD},
                {0x02 | NUM(13) | UINT64_C(1) << 37, ACCESS_REMOTE_DRAM, ACCESS_LOAD},
                {0x02 | LVL(0x402) | NUM(11), ACCESS_REMOTE_CACHE, ACCESS_LOAD},
                {0x02 | NUM(3) | UINT64_C(2) << 38, ACCESS_PEER, ACCESS_LOAD},
                {0x02 | LVL(0x44), ACCESS_MISSED, ACCESS_LOAD},
                {0x02 | NUM(14), ACCESS_OTHER, ACCESS_LOAD},
                {0x04 | LVL(0x01) | NUM(15), ACCESS_UNKNOWN, ACCESS_STORE},
                {0x06 | LVL(0x01), ACCESS_UNKNOWN, ACCESS_LOAD | ACCESS_STORE},
                {0x01, ACCESS_UNKNOWN, 0},
                {0, ACCESS_UNKNOWN, 0},
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                EXPECT_INT(access_level(cases[i].data_src), cases[i].level);
                EXPECT_INT(access_what(cases[i].data_src), cases[i].what);
        }
}

TEST(classes_of_latencies_are_within_one_percent)
{
        for (uint64_t cycles = 1; cycles < UINT32_MAX; cycles += 1 + cycles / 1000) {
                unsigned at = accesses_latency_class(cycles);
                uint64_t from = accesses_latency_of_class(at);

                EXPECT_TRUE(from <= cycles && cycles < accesses_latency_of_class(at + 1));
                EXPECT_CMP(cycles - from, <=, cycles / 128);
        }
        EXPECT_INT(accesses_latency_of_class(accesses_latency_class(UINT64_MAX)) > UINT64_C(4000000000), 1);
}

/* At most that many cycles: latencies of a class count as its longest one. */
TEST(quantiles_are_never_too_low)
{
        static const unsigned latencies[] = {1000, 1001, 1003, 5003, 5001, 70001};
        AUTO(report) report = NULL;
        AUTO(access_rows) rows = NULL;
        struct session_builder b;

        init(&b);
        for (size_t i = 0; i < sizeof(latencies) / sizeof(*latencies); i++)
                add(&b, (struct access){LOCAL_LEAF + 4 * (i % 2), LINE, i < 3 ? L1_LOAD : RAM_LOAD,
                                        latencies[i], PID});
        report = report_of(&b, "accesses-quantiles.data", 0, &rows);
        ASSERT_TRUE(report && access_rows_n(rows) == 1);
        EXPECT_INT(access_rows_get(rows, 0)->p50, 1003);
        EXPECT_INT(access_rows_get(rows, 0)->p90, 70001);
        EXPECT_INT(access_rows_get(rows, 0)->p99, 70001);
}

TEST(rows_have_levels_and_quantiles)
{
        AUTO(report) report = NULL;
        AUTO(access_rows) rows = NULL;
        struct session_builder b;
        const struct access_row *row;

        init(&b);
        for (unsigned i = 1; i <= 100; i++)
                add(&b, (struct access){LOCAL_LEAF + 4, LINE, i % 4 ? L1_LOAD : RAM_LOAD, i, PID});
        add_times(&b, 10, (struct access){GLOBAL_ONE + 4, LINE, STORE, 5, PID});
        add(&b, (struct access){GLOBAL_ONE + 4, 0, 0, 0, PID}); /* no access */
        report = report_of(&b, "accesses-rows.data", 0, &rows);
        ASSERT_TRUE(report);
        ASSERT_CMP(access_rows_n(rows), ==, 2);
        row = access_rows_get(rows, 0);
        EXPECT_STR(code_of(rows, row->code), "local_leaf");
        EXPECT_INT(row->count, 100);
        EXPECT_INT(row->n_loads, 100);
        EXPECT_INT(row->by_level[ACCESS_L1], 75);
        EXPECT_INT(row->by_level[ACCESS_DRAM], 25);
        EXPECT_INT(row->n_tlb, 100);
        EXPECT_INT(row->n_walks, 25);
        EXPECT_INT(row->p50, 50);
        EXPECT_INT(row->p90, 90);
        EXPECT_INT(row->p99, 99);
        EXPECT_INT(row->cycles, 5050);
        EXPECT_INT((int)(row->share * 1000 + 0.5), 990); /* of 5,100 */
        row = access_rows_get(rows, 1);
        EXPECT_INT(row->n_stores, 10);
        EXPECT_INT(row->n_tlb, 0);
        EXPECT_INT(accesses_totals(report->accesses, 0).n_samples, 111);
        EXPECT_INT(accesses_totals(report->accesses, 0).n_accesses, 110);
}

TEST(latencies_are_a_histogram)
{
        AUTO(report) report = NULL;
        AUTO(access_rows) rows = NULL;
        struct session_builder b;

        init(&b);
        for (unsigned i = 1; i <= 8; i++)
                add(&b, (struct access){LOCAL_LEAF, LINE, L1_LOAD, i, PID});
        add(&b, (struct access){LOCAL_LEAF, LINE, L1_LOAD, 0, PID});
        report = report_of(&b, "accesses-latency.data", ACCESS_BY_LATENCY, &rows);
        ASSERT_TRUE(report);
        ASSERT_CMP(access_rows_n(rows), ==, 5);
        for (size_t i = 0; i < 5; i++) {
                static const uint64_t counts[] = {1, 1, 2, 4, 1};
                const struct access_row *row = access_rows_get(rows, i);

                EXPECT_INT(row->from, i ? UINT64_C(1) << (i - 1) : 0);
                EXPECT_INT(row->count, counts[i]);
                EXPECT_INT(row->code == ACCESS_NO_CODE, 1);
        }
}

/* The sharing of a line that two threads use: the first at offset 0, the second at another. */
static enum access_sharing sharing_of(const char *path, uint64_t first_src, uint64_t second_src,
                                      unsigned offset, unsigned times)
{
        AUTO(report) report = NULL;
        AUTO(access_rows) rows = NULL;
        struct session_builder b;

        init(&b);
        add_times(&b, times, (struct access){LOCAL_LEAF, LINE, first_src, 9, FIRST});
        add_times(&b, times, (struct access){GLOBAL_ONE, LINE + offset, second_src, 9, SECOND});
        report = report_of(&b, path, ACCESS_BY_LINE, &rows);
        return report ? access_rows_get(rows, 0)->sharing : ACCESS_NOT_SHARED;
}

TEST(false_sharing_is_different_bytes_of_one_line)
{
        EXPECT_INT(sharing_of("accesses-a.data", STORE, STORE, 8, 5), ACCESS_SHARED_FALSELY);
        EXPECT_INT(sharing_of("accesses-b.data", STORE, STORE, 64, 5), ACCESS_NOT_SHARED);
        EXPECT_INT(sharing_of("accesses-c.data", STORE, STORE, 0, 5), ACCESS_TRULY_SHARED);
        EXPECT_INT(sharing_of("accesses-d.data", STORE, L1_LOAD, 8, 5), ACCESS_SHARED_POSSIBLY);
        EXPECT_INT(sharing_of("accesses-e.data", L1_LOAD, STORE, 8, 5), ACCESS_SHARED_POSSIBLY);
        EXPECT_INT(sharing_of("accesses-f.data", L1_LOAD, L1_LOAD, 8, 5), ACCESS_NOT_SHARED);
        /* One write each proves nothing. */
        EXPECT_INT(sharing_of("accesses-g.data", STORE, STORE, 8, 1), ACCESS_NOT_SHARED);
}

TEST(a_line_names_offsets_functions_and_threads)
{
        AUTO(report) report = NULL;
        AUTO(access_rows) rows = NULL;
        struct session_builder b;
        const struct access_row *row;
        const struct access_use *use;

        init(&b);
        add_times(&b, 3, (struct access){LOCAL_LEAF, LINE + 8, STORE, 9, SECOND});
        add_times(&b, 2, (struct access){LOCAL_LEAF + 4, LINE + 8, L1_LOAD, 4, FIRST});
        add_times(&b, 4, (struct access){GLOBAL_ONE, LINE, L1_LOAD, 4, FIRST});
        add_times(&b, 1, (struct access){GLOBAL_ONE, LINE + 64, L1_LOAD, 4, FIRST});
        report = report_of(&b, "accesses-line.data", ACCESS_BY_LINE, &rows);
        ASSERT_TRUE(report);
        ASSERT_CMP(access_rows_n(rows), ==, 2);
        row = access_rows_get(rows, 0);
        EXPECT_INT(row->data.addr, LINE);
        EXPECT_INT(row->data.pid, PID);
        EXPECT_INT(row->n_threads, 2);
        ASSERT_CMP(row->n_uses, ==, 2);
        use = access_rows_use(rows, row->first_use);
        EXPECT_INT(use->offset, 0);
        EXPECT_STR(code_of(rows, use->code), "global_one");
        EXPECT_INT(use->n_threads, 1);
        use = access_rows_use(rows, row->first_use + 1);
        EXPECT_INT(use->offset, 8);
        EXPECT_STR(code_of(rows, use->code), "local_leaf");
        EXPECT_INT(use->n_loads, 2);
        EXPECT_INT(use->n_stores, 3);
        ASSERT_CMP(use->n_threads, ==, 2);
        EXPECT_INT(access_rows_thread(rows, use->first_thread), FIRST);
        EXPECT_INT(access_rows_thread(rows, use->first_thread + 1), SECOND);
        EXPECT_INT(access_rows_get(rows, 1)->n_threads, 1);
}

/* Checks rows of the accesses by global_one: 2 accesses of 35 cycles, where all have 100 cycles. */
static void expect_global_one(struct report *report, unsigned keys, unsigned code_keys)
{
        AUTO(access_rows) rows = report_access_rows(report, keys, code_keys, false, "^GLOBAL_");
        const struct access_row *row;

        ASSERT_CMP(access_rows_n(rows), ==, 1);
        row = access_rows_get(rows, 0);
        EXPECT_INT(row->count, 2);
        EXPECT_INT(row->by_level[ACCESS_DRAM], 2);
        EXPECT_INT(row->p50, 35);
        EXPECT_INT((int)(row->share * 1000 + 0.5), 700);
        if (!(keys & ACCESS_BY_LINE))
                return;
        EXPECT_INT(row->n_threads, 1);
        ASSERT_CMP(row->n_uses, ==, 1);
        EXPECT_STR(code_of(rows, access_rows_use(rows, row->first_use)->code), "global_one");
}

TEST(a_pattern_keeps_the_accesses_by_matching_functions)
{
        static const unsigned code_keys[] = {0, PROFILE_SYMBOL, PROFILE_MODULE, PROFILE_LINE, PROFILE_PID};
        AUTO(report) report = NULL;
        AUTO(access_rows) all = NULL;
        struct session_builder b;

        init(&b);
        add_times(&b, 3, (struct access){LOCAL_LEAF, LINE, L1_LOAD, 10, FIRST});
        add_times(&b, 2, (struct access){GLOBAL_ONE, LINE + 8, RAM_LOAD, 35, SECOND});
        report = report_of(&b, "accesses-pattern.data", ACCESS_BY_LEVEL | ACCESS_BY_LATENCY | ACCESS_BY_LINE,
                           &all);
        ASSERT_TRUE(report && access_rows_n(all) == 2);
        for (size_t i = 0; i < sizeof(code_keys) / sizeof(*code_keys); i++) {
                AUTO(access_rows) none = report_access_rows(report, 0, code_keys[i], false, "global");

                EXPECT_INT(access_rows_n(none), 0);
                expect_global_one(report, 0, code_keys[i]);
        }
        expect_global_one(report, ACCESS_BY_LEVEL, 0);
        expect_global_one(report, ACCESS_BY_LATENCY, 0);
        expect_global_one(report, ACCESS_BY_LINE, 0);
        EXPECT_INT(accesses_totals(report->accesses, 0).n_accesses, 5);
}

TEST(pages_have_the_lines_of_their_accesses)
{
        AUTO(report) report = NULL;
        AUTO(access_rows) rows = NULL;
        struct session_builder b;
        const struct access_row *row;

        init(&b);
        for (unsigned i = 0; i < 256; i++)
                add(&b, (struct access){LOCAL_LEAF, LINE + 8 * i, L1_LOAD, 4, PID});
        report = report_of(&b, "accesses-page.data", ACCESS_BY_PAGE, &rows);
        ASSERT_TRUE(report);
        ASSERT_CMP(access_rows_n(rows), ==, 1);
        row = access_rows_get(rows, 0);
        EXPECT_INT(row->data.addr, LINE);
        EXPECT_INT(row->n_uses, 32);
        EXPECT_INT(access_rows_use(rows, row->first_use + 1)->offset, 64);
        EXPECT_INT(row->sharing, ACCESS_NOT_SHARED);
}

/* The code of local_leaf is at hand, so that its instructions have the latency. */
TEST(annotated_instructions_have_a_latency)
{
        const struct report_request request = {.path = "accesses-annotate.data", .results = REPORT_ACCESSES};
        const struct annotation_request wanted = {.symbol = "local_leaf", .max_functions = 1};
        AUTO_RELEASE(buf) text = {0};
        AUTO(report) report = NULL;
        AUTO(annotation) annotation = NULL;
        struct annotate_view view = {.max_rows = 10};
        struct arena arena = {0};
        struct session_builder b;
        struct err err = {0};

        init(&b);
        for (unsigned i = 1; i <= 100; i++)
                add(&b, (struct access){LOCAL_LEAF, LINE, L1_LOAD, i, PID});
        add_times(&b, 3, (struct access){LOCAL_LEAF + 4, 0, 0, 0, PID});
        ASSERT_TRUE(builder_save(&b, request.path));
        report = report_make(&request, &err);
        ASSERT_TRUE(report);
        annotation = annotation_new(report, &wanted, &err);
        ASSERT_TRUE(annotation && annotation_n_functions(annotation) == 1);
        view.count = view.weight = 103;
        view.annotate = annotation_get(annotation, 0).annotate;
        annotate_view_code(&view, &text);
        EXPECT_CONTAINS(buf_text(&text), "  % func  count   p50   p90   p99\n");
        EXPECT_CONTAINS(buf_text(&text), "   100    50    90    99 1100\n");
        EXPECT_CONTAINS(buf_text(&text), "     3                   1104\n");
        arena_release(&arena);
}

/* With a limit of memory, what has no room is counted. */
TEST(memory_has_a_limit)
{
        struct access_totals totals;
        struct budget budget;
        struct world *world = world_new();
        struct accesses *accesses = accesses_new(PROFILE_SYMBOL | PROFILE_MODULE, ACCESS_BY_LINE);
        struct sample sample = {
                .misc = PERF_MISC_USER, .pid = PID, .tid = PID, .data_src = L1_LOAD, .weight = 3};

        budget_init(&budget, 1 << 20);
        accesses_set_budget(accesses, &budget);
        for (uint64_t i = 0; i < 100000; i++) {
                sample.addr = i * 64;
                accesses_add(accesses, world, 0, &sample);
        }
        accesses_finish(accesses);
        totals = accesses_totals(accesses, 0);
        EXPECT_INT(totals.n_accesses, 100000);
        EXPECT_INT(totals.n_left_out + accesses_n_cells(accesses), 100000);
        EXPECT_TRUE(totals.n_left_out > 0 && accesses_n_cells(accesses) > 1000);
        accesses_free(accesses);
        world_free(world);
        budget_release(&budget);
}

TAP_MAIN
