/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that is generated many times at the same few addresses has the name of each sample's time, in all
 * commands. */
#include "code_section.h"
#include "jitdump_builder.h"
#include "map.h"
#include "os.h"
#include "report.h"
#include "session_builder.h"
#include "tap.h"

enum {
        LOADS = 300,
        SLOTS = 3,
        NAMES = 7,
        SLOT_BYTES = 0x40,
        FIRST_NS = 1000,
        STEP_NS = 100,
        SAMPLES = 20000,
        MAKER = 100,  /* its jitdump tells of its code */
        CHILD = 200,  /* forked, so that it has the code too */
        LEAVER = 300, /* forked, and runs another program later */
        PIDS = 3,
        BASE = 0x7f0000,
};

static const char session_path[] = "report-jit-test.data", dump_path[] = "jit-100.dump";
static const int32_t pids[PIDS] = {MAKER, CHILD, LEAVER};

static uint64_t time_of_load(unsigned load)
{
        return FIRST_NS + (uint64_t)load * STEP_NS;
}

static const uint64_t last_ns = FIRST_NS + (uint64_t)(LOADS + 5) * STEP_NS,
                      exec_ns = FIRST_NS + LOADS * STEP_NS / 2;

static void name_of_load(unsigned load, char name[16])
{
        snprintf(name, 16, "f%u", load % NAMES);
}

static bool write_dump(void)
{
        struct dump_builder b = {0};
        AUTO(os_file) file = os_file_create(dump_path, NULL);
        bool ok;

        dump_header(&b, 0);
        for (unsigned i = 0; i < LOADS; i++) {
                char name[16];

                name_of_load(i, name);
                dump_load(&b, time_of_load(i), BASE + i % SLOTS * SLOT_BYTES, SLOT_BYTES, i, name);
        }
        ok = file && os_file_write(file, b.bytes.data, b.bytes.len, NULL);
        buf_release(&b.bytes);
        return ok;
}

/* The load that a sample belongs to; before the first load, the first. */
static unsigned load_at(unsigned slot, uint64_t time)
{
        unsigned found = slot;

        for (unsigned i = slot; i < LOADS && time_of_load(i) <= time; i += SLOTS)
                found = i;
        return found;
}

/* By name, the last one is what has none. */
typedef uint64_t counts[NAMES + 1];

static void add_sample(struct session_builder *b, unsigned number, uint64_t time, counts expected)
{
        uint64_t random = map_mix(number), chain[] = {PERF_CONTEXT_USER, 0, 0};
        unsigned slot = (unsigned)(random % SLOTS), caller = (unsigned)(random / 64 % SLOTS);
        int32_t pid = pids[random / 1024 % PIDS];
        bool is_gone = pid == LEAVER && time >= exec_ns;

        chain[1] = BASE + slot * SLOT_BYTES + random / 65536 % SLOT_BYTES;
        chain[2] = BASE + caller * SLOT_BYTES + 1 + random / 8192 % (SLOT_BYTES - 1);
        builder_sample(b, 0, time, pid, pid, PERF_MISC_USER, chain, N_ELEMENTS(chain));
        expected[is_gone ? NAMES : load_at(slot, time) % NAMES]++;
}

static bool write_session(bool has_clock, counts expected)
{
        struct session_builder b;
        bool is_gone = false;

        builder_init(&b);
        if (has_clock) {
                b.attrs[0].flags |= PERF_ATTR_USE_CLOCKID;
                b.attrs[0].clockid = PERF_CLOCK_MONOTONIC;
        }
        builder_mmap(&b, 500, MAKER, BASE, 0x1000, 0, "//anon");
        builder_mmap_inode(&b, 501, MAKER, 0x10000, 0x1000, 0, dump_path, 7);
        builder_fork(&b, 502, CHILD, MAKER, CHILD, MAKER, 0);
        builder_fork(&b, 503, LEAVER, MAKER, LEAVER, MAKER, 0);
        for (unsigned i = 0; i < SAMPLES; i++) {
                uint64_t time = 600 + (last_ns - 600) * i / SAMPLES;

                if (time >= exec_ns && !is_gone) {
                        builder_comm(&b, exec_ns, LEAVER, LEAVER, "other", true);
                        is_gone = true;
                }
                add_sample(&b, i, time, expected);
                if (i % 1000 == 0)
                        builder_round(&b);
        }
        return builder_save(&b, session_path);
}

static void check_rows(const struct report *report, const counts expected)
{
        const struct hot *hot = report->hot;
        counts got = {0};

        for (size_t i = 0; i < hot_n_rows(hot); i++) {
                const struct hot_row *row = hot_get_row(hot, i);
                const char *name = hot_text(hot, row->bare);

                got[row->resolved && name[0] == 'f' ? name[1] - '0' : NAMES] += row->count;
        }
        for (unsigned i = 0; i <= NAMES; i++)
                EXPECT_INT(got[i], expected[i]);
}

static void add_paths(const struct calltree *tree, uint32_t at, struct buf *out)
{
        for (; at != CALLTREE_NONE; at = calltree_get_node(tree, at)->next) {
                const struct calltree_node *node = calltree_get_node(tree, at);

                buf_printf(out, "%u %s %llu\n", node->depth,
                           calltree_get_function(tree, node->function)->name,
                           (unsigned long long)node->count);
                add_paths(tree, node->first_child, out);
        }
}

static void show_tree(const struct report *report, struct buf *out)
{
        AUTO(calltree) tree = stacks_tree_make(report->tree, 0);

        add_paths(tree, calltree_get_node(tree, CALLTREE_ROOT)->first_child, out);
}

TEST(each_sample_has_the_name_of_its_time)
{
        AUTO_RELEASE(buf) alone = {0};
        counts expected = {0};

        ASSERT_TRUE(write_dump() && write_session(true, expected));
        EXPECT_CMP(expected[NAMES], >, SAMPLES / 10);
        for (unsigned n = 1; n <= 4; n++) {
                for (unsigned how = 0; how < 4; how++) {
                        AUTO_RELEASE(buf) tree = {0};
                        struct err err = {0};
                        AUTO(report)
                        report = report_make(
                                &(struct report_request){.path = session_path,
                                                         .n_workers = n,
                                                         .keys = how == 1 ? PROFILE_EVENT | PROFILE_SYMBOL |
                                                                                    PROFILE_THREAD
                                                                          : 0,
                                                         .results = how >= 2 ? REPORT_TREE : 0,
                                                         .merges_callers = how == 3},
                                &err);

                        ASSERT_TRUE(report);
                        check_rows(report, expected);
                        EXPECT_STR(report->quality.doubts, "");
                        if (how < 2)
                                continue;
                        show_tree(report, alone.len ? &tree : &alone);
                        EXPECT_TRUE(!tree.len || !strcmp(buf_text(&tree), buf_text(&alone)));
                }
        }
        os_remove(dump_path, NULL);
        os_remove(session_path, NULL);
}

/* With an unknown clock the latest code is named, and a note says so. */
TEST(without_the_clock_the_latest_is_named)
{
        counts ignored = {0};
        struct err err = {0};
        const struct hot *hot;

        ASSERT_TRUE(write_dump() && write_session(false, ignored));
        {
                AUTO(report)
                report = report_make(&(struct report_request){.path = session_path}, &err);

                ASSERT_TRUE(report);
                hot = report->hot;
                for (size_t i = 0; i < hot_n_rows(hot); i++) {
                        const char *name = hot_text(hot, hot_get_row(hot, i)->bare);

                        EXPECT_TRUE(name[0] != 'f' || (unsigned)(name[1] - '0') == (LOADS - 1) % NAMES ||
                                    (unsigned)(name[1] - '0') == (LOADS - 2) % NAMES ||
                                    (unsigned)(name[1] - '0') == (LOADS - 3) % NAMES);
                }
                EXPECT_TRUE(strstr(report->quality.doubts, "code of jit-100.dump was replaced"));
        }
        os_remove(dump_path, NULL);
        os_remove(session_path, NULL);
}

/* --- The section of an archive --- */

TEST(the_section_gives_back_what_was_added)
{
        struct recorded_code codes[] = {{0x1000, 16, 5, 100}, {UINT64_MAX - 16, 16, UINT64_MAX, 200}};
        const struct recorded_jitdump written[] = {
                {.path = "/a b/jit-1.dump",
                 .pid = -1,
                 .dev = UINT64_MAX,
                 .inode = 3,
                 .is_by_time = true,
                 .codes = codes,
                 .n_codes = 2},
                {.path = "/jit-2.dump", .pid = 2, .doubt = "who knows", .codes = codes, .n_codes = 1},
        };
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(code_section) section = NULL;

        code_section_add(&bytes, &written[0]);
        code_section_add(&bytes, &written[1]);
        section = code_section_new(cursor_make(bytes.data, bytes.len));
        for (unsigned i = 0; i < 2; i++) {
                const struct recorded_jitdump *read = code_section_get(section, i);

                ASSERT_TRUE(read);
                EXPECT_STR(read->path, written[i].path);
                EXPECT_INT(read->pid, written[i].pid);
                EXPECT_TRUE(read->dev == written[i].dev && read->inode == written[i].inode);
                EXPECT_INT(read->is_by_time, written[i].is_by_time);
                EXPECT_STR(read->doubt ? read->doubt : "", written[i].doubt ? written[i].doubt : "");
                ASSERT_CMP(read->n_codes, ==, written[i].n_codes);
                EXPECT_TRUE(!memcmp(read->codes, codes, read->n_codes * sizeof(*codes)));
        }
        EXPECT_TRUE(!code_section_get(section, 2));
}

TEST(the_section_leaves_out_what_is_damaged)
{
        const char text[] =
                "WPJC\1\0\0\0code=1 2 3 4\njitdump=j\npid=x\ncode=1 2 3\ncode=1 2 3 4 5\ncode=1 2 3 z\n"
                "code=ffffffffffffffff 2 3 4\ncode=1 2 3 ffffffffffffffff\ncode=\ncode=1 2 3 4\n";
        AUTO(code_section) section = code_section_new(cursor_make(text, sizeof(text) - 1));
        AUTO(code_section) none = code_section_new(cursor_make("WPJC\2\0\0\0jitdump=j\n", 18));
        const struct recorded_jitdump *read = code_section_get(section, 0);

        ASSERT_TRUE(read);
        EXPECT_INT(read->n_codes, 1);
        EXPECT_INT(read->codes[0].off, 4);
        EXPECT_TRUE(!code_section_get(none, 0));
}

TAP_MAIN
