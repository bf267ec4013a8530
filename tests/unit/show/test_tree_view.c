/* SPDX-License-Identifier: BSD-3-Clause */
/* Call trees as text: chains on one line, the marked path, omitted nodes, narrow terminals; and as JSON. */
#include "tree_view.h"

#include <string.h>

#include "tap.h"

/* "main>f:lib>+g": a name may have a module after a colon, default "exe"; a name that begins with + is
 * inlined. */
static void add_path(struct calltree *tree, const char *path, uint64_t weight)
{
        uint32_t at = CALLTREE_ROOT;

        while (*path) {
                size_t len = strcspn(path, ">");
                char name[64] = {0};
                char *module;

                memcpy(name, path, len);
                module = strchr(name, ':');
                if (module)
                        *module++ = '\0';
                at = calltree_add_child(tree, at,
                                        calltree_add_function(tree, &(struct calltree_function){
                                                                            .name = name + (*name == '+'),
                                                                            .module = module ? module : "exe",
                                                                            .is_inlined = *name == '+',
                                                                    }));
                path += len + (path[len] == '>');
        }
        calltree_add(tree, at, weight, weight);
}

static struct calltree *sample_tree(void)
{
        struct calltree *tree = calltree_new();

        add_path(tree, "_start>main>work>+mix", 500);
        add_path(tree, "_start>main>work", 300);
        add_path(tree, "_start>main>qsort:libc.so.6>msort:libc.so.6>compare", 150);
        add_path(tree, "_start>main>fib>fib>fib>fib>read:[kernel]", 47);
        add_path(tree, "_start>main>rare", 3);
        calltree_finish(tree);
        return tree;
}

static void expect_text(const struct tree_view *view, const char *text)
{
        AUTO_RELEASE(buf) out = {0};

        tree_view_text(view, &out);
        EXPECT_STR(buf_text(&out), text);
}

TEST(callers_first)
{
        AUTO(calltree) tree = sample_tree();

        expect_text(
                &(struct tree_view){.tree = tree, .event = "cpu-clock:u", .min_percent = 0.5, .max_rows = 4},
                " % total   % self    count  function, including its callees\n"
                "  100.00     0.00     1000  _start [exe]\n"
                "  100.00     0.00     1000  main [exe]\n"
                "   80.00    30.00      800  work [exe]\n"
                "   50.00    50.00      500  mix (inlined) [exe]\n"
                "... and 5 more (--sample-display-row shows more)\n"
                "... and 1 with less than 0.5 % each (--percent-limit shows them)\n"
                "\n"
                "call tree of cpu-clock:u, 1000 samples; shares are of all samples, * marks the most frequent path\n"
                " % total   % self    caller > callee\n"
                "  100.00     0.00 * _start [exe] > main\n"
                "   80.00    30.00 *   work\n"
                "   50.00    50.00 *     mix (inlined)\n"
                "   15.00    15.00     qsort [libc.so.6] > msort > compare [exe]\n"
                "    4.70     4.70     fib (4 times) > read [kernel]\n"
                "1 rows with less than 0.5 % each are not shown (--percent-limit shows them)\n");
}

TEST(callees_first)
{
        AUTO(calltree) tree = sample_tree();
        AUTO(calltree) inverted = calltree_invert(tree, NULL, NULL);

        expect_text(
                &(struct tree_view){.tree = inverted, .is_inverted = true, .event = "e", .min_percent = 10},
                "callers of the sampled functions, by e, 1000 samples; shares are of all samples, * marks the most frequent path\n"
                " % total    function < its caller\n"
                "   50.00 * mix (inlined) < work [exe] < main < _start\n"
                "   30.00   work [exe] < main < _start\n"
                "   15.00   compare [exe] < msort [libc.so.6] < qsort < main [exe] < _start\n"
                "2 rows with less than 10 % each are not shown (--percent-limit shows them)\n");
}

TEST(levels)
{
        AUTO(calltree) tree = sample_tree();

        expect_text(
                &(struct tree_view){.tree = tree, .event = "e", .max_depth = 2, .max_rows = 1},
                " % total   % self    count  function, including its callees\n"
                "  100.00     0.00     1000  _start [exe]\n"
                "... and 9 more (--sample-display-row shows more)\n"
                "\n"
                "call tree of e, 1000 samples; shares are of all samples, * marks the most frequent path\n"
                " % total   % self    caller > callee\n"
                "  100.00     0.00 * _start [exe] > main\n"
                "4 rows deeper than 2 levels are not shown (--max-stack shows them)\n");
}

static bool is_qsort(const struct calltree_function *function, const void *ctx)
{
        (void)ctx;
        return !strcmp(function->name, "qsort");
}

TEST(what_was_asked_for)
{
        AUTO(calltree) tree = sample_tree();
        AUTO(calltree) through = calltree_through(tree, is_qsort, NULL);
        AUTO(calltree) callers = calltree_invert(tree, is_qsort, NULL);
        AUTO(calltree) none = calltree_new();
        struct tree_view view = {
                .tree = through,
                .event = "e",
                .symbol = "qsort",
                .max_rows = 9,
                .all_count = calltree_get_node(tree, CALLTREE_ROOT)->count,
                .all_weight = calltree_get_node(tree, CALLTREE_ROOT)->weight,
        };

        expect_text(&view,
                    " % total   % self    count  function, including its callees\n"
                    "   15.00     0.00      150  qsort [libc.so.6]\n"
                    "\n"
                    "call tree of e, 1000 samples, 150 with qsort; shares are of all samples, * marks the "
                    "most frequent path\n"
                    " % total   % self    caller > callee\n"
                    "   15.00    15.00 * _start [exe] > main > qsort [libc.so.6] > msort > compare "
                    "[exe]\n");
        view.tree = callers;
        view.is_inverted = true;
        expect_text(
                &view,
                "callers of qsort, by e, 1000 samples, 150 with qsort; shares are of all samples, * marks the "
                "most frequent path\n"
                " % total    function < its caller\n"
                "   15.00 * qsort [libc.so.6] < main [exe] < _start\n");
        calltree_finish(none);
        view.tree = none;
        expect_text(&view, "no function matches qsort\n");
}

/* No line is longer than the terminal, and only the ends of long names are cut. */
TEST(narrow_terminals)
{
        AUTO(calltree) tree = calltree_new();
        AUTO_RELEASE(buf) out = {0};
        char path[1000] = "";

        for (int i = 0; i < 12; i++)
                snprintf(path + strlen(path), sizeof(path) - strlen(path), "%sa_function_of_length_%d",
                         i ? ">" : "", i);
        add_path(tree, path, 10);
        add_path(tree,
                 "a_function_of_length_0>"
                 "std::map<std::string, std::vector<long, std::allocator<long> > >::operator[]",
                 5);
        calltree_finish(tree);
        tree_view_text(&(struct tree_view){.tree = tree, .event = "e", .max_columns = 60, .max_rows = 20},
                       &out);
        for (const char *line = buf_text(&out); *line; line += strcspn(line, "\n") + 1) {
                if (!strchr(" \n.", *line))
                        continue;
                EXPECT_CMP(strcspn(line, "\n"), <=, 60);
        }
        for (int i = 0; i < 12; i++) {
                char name[40];

                snprintf(name, sizeof(name), "a_function_of_length_%d", i);
                EXPECT_CONTAINS(strstr(buf_text(&out), "caller >"), name);
        }
}

/* A shortened name fits, with its module. */
TEST(long_names_are_folded)
{
        struct calltree_function function = {
                .name = "std::map<int, long, std::less<int>, std::allocator<std::pair<int const, long> > >::at",
                .module = "libstdc++.so.6"};
        AUTO(calltree) tree = calltree_new();
        AUTO_RELEASE(buf) narrow = {0};
        AUTO_RELEASE(buf) wide = {0};
        AUTO_RELEASE(buf) whole = {0};
        struct tree_view view = {.tree = tree, .event = "e", .max_rows = 20};

        calltree_add(tree, calltree_add_child(tree, CALLTREE_ROOT, calltree_add_function(tree, &function)), 1,
                     1);
        calltree_finish(tree);
        tree_view_text(&view, &wide);
        EXPECT_CONTAINS(buf_text(&wide), "  std::map<int, long>::at [libstdc++.so.6]\n");
        view.max_columns = 64;
        tree_view_text(&view, &narrow);
        EXPECT_CONTAINS(buf_text(&narrow), "  std::map<...>::at [libstdc++.so.6]\n");
        view.long_names = true;
        tree_view_text(&view, &whole);
        EXPECT_CONTAINS(buf_text(&whole), function.name);
}

TEST(names_cannot_break_lines)
{
        AUTO(calltree) tree = calltree_new();
        AUTO_RELEASE(buf) out = {0};

        add_path(tree, "ma\nin>\x1b[31mred", 1);
        calltree_finish(tree);
        tree_view_text(&(struct tree_view){.tree = tree, .event = "e", .max_rows = 9}, &out);
        EXPECT_TRUE(!strstr(buf_text(&out), "ma\nin") && !strchr(buf_text(&out), '\x1b'));
}

TEST(nothing)
{
        AUTO(calltree) tree = calltree_new();

        calltree_finish(tree);
        expect_text(&(struct tree_view){.tree = tree, .event = "e"},
                    " % total   % self    count  function, including its callees\n"
                    "\n"
                    "call tree of e, 0 samples; shares are of all samples, * marks the most frequent path\n"
                    " % total   % self    caller > callee\n");
}

TEST(as_json)
{
        AUTO(calltree) tree = calltree_new();
        AUTO_RELEASE(buf) out = {0};
        struct json json;

        add_path(tree, "main>+f:lib", 3);
        add_path(tree, "main", 1);
        calltree_finish(tree);
        json_init(&json, &out);
        tree_view_json(&(struct tree_view){.tree = tree, .event = "e"}, &json);
        EXPECT_STR(
                buf_text(&out),
                "{\"event\":\"e\",\"functions\":[{\"name\":\"main\",\"module\":\"exe\",\"kind\":\"function\"},"
                "{\"name\":\"f\",\"module\":\"lib\",\"kind\":\"function\",\"inlined\":true}],"
                "\"nodes\":[[0,0,1,1],[1,1,3,3]]}");
}

TAP_MAIN
