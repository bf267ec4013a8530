/* SPDX-License-Identifier: BSD-3-Clause */
/* A session of many short-lived processes gives the same report with any number of threads, including the
 * numbers of its nodes. */
#include "buf.h"
#include "map.h"
#include "recorded_builder.h"
#include "report.h"
#include "session_builder.h"
#include "tap.h"

enum { ROUNDS = 18, SAMPLES_A_ROUND = 700, PIDS = 40, MAX_CHAIN = 40 };

static const char session_path[] = "report-workers-test.data";

struct random {
        uint64_t state;
        bool is_narrow; /* the same few addresses come again and again */
};

static uint64_t below(struct random *r, uint64_t n)
{
        return map_mix_fixed(r->state++) % n;
}

/* A process is forked, maps two libraries and gets a name; all of this changes the meaning of its
 * addresses. */
static void add_process(struct session_builder *b, struct random *r, uint64_t time)
{
        int32_t pid = 100 + (int32_t)below(r, PIDS);
        const char *names[] = {"cc1plus", "as", "ld", "sh", "make"};

        builder_fork(b, time, pid, 1, pid, 1, 0);
        builder_comm(b, time + 1, pid, pid, names[below(r, 5)], true);
        builder_mmap_inode(b, time + 2, pid, 0x400000 + below(r, 16) * 0x10000, 0x100000, 0, "/bin/program",
                           7);
        builder_mmap_inode(b, time + 3, pid, 0x7f0000000000 + below(r, 64) * 0x100000, 0x80000,
                           below(r, 4) << 12, "/lib/library.so", 8 + below(r, 3));
}

/* Addresses of the program, of the library, of the kernel, and strays. */
static uint64_t address(struct random *r)
{
        if (r->is_narrow)
                return 0x4f0000 + below(r, 8) * 64;
        switch (below(r, 4)) {
        case 0: return 0x400000 + below(r, 0x180000) / 64 * 64;
        case 1: return 0x7f0000000000 + below(r, 64) * 0x100000 + below(r, 512) * 16;
        case 2: return 0x7f0000000000 + below(r, 4) * 0x100000;
        default: return below(r, UINT32_MAX);
        }
}

static void add_sample(struct session_builder *b, struct random *r, uint64_t time)
{
        int32_t pid = 100 + (int32_t)below(r, PIDS);
        uint64_t chain[MAX_CHAIN], n = 0, n_user = below(r, 12);
        bool in_kernel = below(r, 3) == 0;

        if (in_kernel) {
                chain[n++] = PERF_CONTEXT_KERNEL;
                for (uint64_t i = 0; i < 3; i++)
                        chain[n++] = 0xffffffff80000000 + below(r, 300) * 32;
        }
        chain[n++] = PERF_CONTEXT_USER;
        for (uint64_t i = 0; i <= n_user; i++)
                chain[n++] = address(r);
        builder_sample(b, (unsigned)below(r, 2), time, pid, pid + (int32_t)below(r, 2),
                       in_kernel ? PERF_MISC_KERNEL : PERF_MISC_USER, chain, n);
}

static void add_records(struct session_builder *b, bool is_narrow)
{
        struct random r = {1, is_narrow};
        uint64_t time = 1000;

        builder_init(b);
        builder_add_event(b, PERF_TYPE_SOFTWARE, 1);
        builder_kernel_mmap(b, 0xffffffff80000000, 0x1000000, 0xffffffff80000000, "[kernel.kallsyms]_text");
        for (unsigned round = 0; round < ROUNDS; round++) {
                for (unsigned i = 0; i < SAMPLES_A_ROUND; i++, time += 10) {
                        if (i % 50 == 0)
                                add_process(b, &r, time);
                        add_sample(b, &r, time + 5);
                }
                builder_lost(b, time, 3);
                builder_round(b);
        }
}

static bool write_session(bool is_narrow)
{
        struct session_builder b;

        add_records(&b, is_narrow);
        return builder_save(&b, session_path);
}

static void show_stacks(const struct stacks *stacks, struct buf *out)
{
        for (uint32_t i = 0; i < stacks_n_places(stacks); i++) {
                const struct code_place *place = stacks_get_place(stacks, i);

                buf_printf(out, "place %u %llx %llx %d\n", place->module, (unsigned long long)place->offset,
                           (unsigned long long)place->base, place->is_kernel);
        }
        for (uint32_t i = 0; i < stacks_n_nodes(stacks); i++)
                buf_printf(out, "node %u %u\n", stacks_get_node(stacks, i)->parent,
                           stacks_get_node(stacks, i)->place);
        for (size_t i = 0; i < stacks_n_series(stacks); i++) {
                const struct stack_series *series = stacks_get_series(stacks, i);

                buf_printf(out, "series %u %u\n", series->event, series->comm);
                for (size_t k = 0; k < series->n_ends; k++)
                        buf_printf(out, "end %u %llu %llu\n", series->ends[k].node,
                                   (unsigned long long)series->ends[k].count,
                                   (unsigned long long)series->ends[k].weight);
        }
}

static void show(const struct report *report, struct buf *out)
{
        const struct profile *profile = report->profile;
        const struct quality *q = &report->quality;

        for (size_t i = 0; i < profile_n_places(profile); i++) {
                const struct profile_place *p = profile_get_place(profile, i);

                buf_printf(out, "row %u %d %d %u %u %u %llx %llu %llu\n", p->event, p->pid, p->tid, p->cpu,
                           p->comm, p->module, (unsigned long long)p->offset, (unsigned long long)p->count,
                           (unsigned long long)p->weight);
        }
        for (size_t i = 0; i < report->modules.n; i++)
                buf_printf(out, "module %s %llx\n", report->modules.items[i].path,
                           (unsigned long long)report->modules.items[i].address);
        buf_printf(out, "%llu samples, %llu lost, %llu unresolved\n", (unsigned long long)q->n_samples,
                   (unsigned long long)q->n_lost, (unsigned long long)q->n_unresolved);
        if (report->stacks)
                show_stacks(report->stacks, out);
}

static void expect_same(struct report_request request)
{
        AUTO_RELEASE(buf) alone = {0};

        for (unsigned n = 1; n <= 6; n++) {
                AUTO_RELEASE(buf) out = {0};
                AUTO(report) report = NULL;
                struct profile_totals totals;
                struct err err = {0};

                request.path = session_path;
                request.n_workers = n;
                report = report_make(&request, &err);
                ASSERT_TRUE(report);
                totals = profile_get_totals(report->profile, UINT32_MAX);
                EXPECT_INT(totals.n_samples + totals.n_filtered, ROUNDS * SAMPLES_A_ROUND);
                EXPECT_INT(report->quality.n_lost, ROUNDS * 3);
                show(report, n == 1 ? &alone : &out);
                if (n > 1)
                        EXPECT_TRUE(!strcmp(buf_text(&out), buf_text(&alone)));
        }
}

TEST(stacks)
{
        ASSERT_TRUE(write_session(false));
        expect_same((struct report_request){.results = REPORT_STACKS});
        expect_same((struct report_request){.results = REPORT_STACKS, .merges_strays = true});
}

/* Functions by depth, as a reader goes through them. */
static void show_node(const struct calltree *tree, uint32_t at, struct buf *out)
{
        for (; at != CALLTREE_NONE; at = calltree_get_node(tree, at)->next) {
                const struct calltree_node *node = calltree_get_node(tree, at);
                const struct calltree_function *function = calltree_get_function(tree, node->function);

                buf_printf(out, "%u %s [%s] %llu %llu\n", node->depth, function->name, function->path,
                           (unsigned long long)node->count, (unsigned long long)node->self_weight);
                show_node(tree, node->first_child, out);
        }
}

/* Returns the number of nodes of stacks from which it was made. */
static size_t show_trees(struct report_request request, struct buf *out)
{
        AUTO(report) report = NULL;
        struct err err = {0};

        request.path = session_path;
        report = report_make(&request, &err);
        if (!report)
                return 0;
        for (uint32_t event = 0; event < 2; event++) {
                AUTO(calltree) tree = stacks_tree_make(report->tree, event);

                show_node(tree, calltree_get_node(tree, CALLTREE_ROOT)->first_child, out);
        }
        buf_printf(out, "%llu unresolved, %llu cut\n", (unsigned long long)report->quality.n_unresolved,
                   (unsigned long long)report->quality.n_cut_stacks);
        return stacks_n_nodes(report->stacks);
}

TEST(trees_of_merged_callers)
{
        AUTO_RELEASE(buf) expected = {0};
        size_t n_nodes;

        ASSERT_TRUE(write_session(true));
        n_nodes = show_trees((struct report_request){.results = REPORT_TREE, .n_workers = 1}, &expected);
        for (unsigned n = 1; n <= 2; n++) {
                AUTO_RELEASE(buf) out = {0};

                EXPECT_CMP(show_trees((struct report_request){.results = REPORT_TREE,
                                                              .n_workers = n,
                                                              .merges_callers = true},
                                      &out),
                           <, n_nodes);
                EXPECT_TRUE(!strcmp(buf_text(&out), buf_text(&expected)));
        }
}

TEST(rows_by_place)
{
        ASSERT_TRUE(write_session(false));
        expect_same((struct report_request){0});
}

TEST(rows_by_thread)
{
        ASSERT_TRUE(write_session(false));
        expect_same((struct report_request){.keys = PROFILE_THREAD | PROFILE_CPU | PROFILE_MODULE |
                                                    PROFILE_SYMBOL});
        expect_same((struct report_request){.keys = PROFILE_MODULE | PROFILE_SYMBOL,
                                            .filter.modules = "library.so,unknown"});
}

/* The recorder named code of a process that is in no mapping. */
TEST(names_without_maps)
{
        AUTO_RELEASE(buf) names = {0}, file = {0};
        struct session_builder b;

        buf_add(&names, "perf-105.map", sizeof("perf-105.map"));
        add_u32(&names, 2);
        add_u64(&names, 0x1000);
        add_u32(&names, 0);
        add_u64(&names, 0);
        add_u32(&file, (uint32_t)names.len);
        buf_add(&file, names.data, names.len);
        add_records(&b, false);
        builder_feature(&b, FEATURE_SIMPLEPERF_FILE, file.data, file.len);
        ASSERT_TRUE(builder_save(&b, session_path));
        expect_same((struct report_request){.results = REPORT_STACKS});
}

TAP_MAIN
