/* SPDX-License-Identifier: BSD-3-Clause */
/* Call trees: equal paths are merged, sums, recursion, the order of children, the inverted tree, inlined
 * functions. */
#include "calltree.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "tap.h"

static uint32_t function(struct calltree *tree, const char *name, bool is_inlined)
{
        return calltree_add_function(
                tree, &(struct calltree_function){.name = name, .module = "m", .is_inlined = is_inlined});
}

/* "main>f>g"; a name that begins with + was inlined. */
static void add_path(struct calltree *tree, const char *path, uint64_t count, uint64_t weight)
{
        uint32_t at = CALLTREE_ROOT;

        while (*path) {
                size_t len = strcspn(path, ">");
                bool is_inlined = *path == '+';
                char name[32] = {0};

                memcpy(name, path + is_inlined, len - is_inlined);
                at = calltree_add_child(tree, at, function(tree, name, is_inlined));
                path += len + (path[len] == '>');
        }
        calltree_add(tree, at, count, weight);
}

static void show_below(const struct calltree *tree, uint32_t parent, struct buf *out)
{
        for (uint32_t at = calltree_get_node(tree, parent)->first_child; at != CALLTREE_NONE;
             at = calltree_get_node(tree, at)->next) {
                const struct calltree_node *node = calltree_get_node(tree, at);

                buf_printf(out, "%*s%s %llu/%llu\n", (int)node->depth - 1, "",
                           calltree_get_function(tree, node->function)->name,
                           (unsigned long long)node->weight, (unsigned long long)node->self_weight);
                show_below(tree, at, out);
        }
}

static void expect_tree(const struct calltree *tree, const char *text)
{
        AUTO_RELEASE(buf) out = {0};

        show_below(tree, CALLTREE_ROOT, &out);
        EXPECT_STR(buf_text(&out), text);
}

static struct calltree *sample_tree(void)
{
        struct calltree *tree = calltree_new();

        add_path(tree, "main>f>g", 1, 10);
        add_path(tree, "main>h", 2, 40);
        add_path(tree, "main>f", 1, 5);
        add_path(tree, "main>f>g", 1, 10);
        add_path(tree, "start>main", 1, 1);
        calltree_finish(tree);
        return tree;
}

TEST(equal_paths_are_one_and_sums_go_up)
{
        AUTO(calltree) tree = sample_tree();
        const struct calltree_node *root = calltree_get_node(tree, CALLTREE_ROOT);

        expect_tree(tree, "main 65/0\n h 40/40\n f 25/5\n  g 20/20\nstart 1/0\n main 1/1\n");
        EXPECT_INT(root->weight, 66);
        EXPECT_INT(root->count, 6);
        EXPECT_INT(calltree_n_nodes(tree), 7);
        EXPECT_INT(calltree_n_functions(tree), 5);
}

static void expect_sum(const struct calltree *tree, const struct calltree_sum *sum, const char *name,
                       uint64_t weight, uint64_t self)
{
        EXPECT_STR(calltree_get_function(tree, sum->function)->name, name);
        EXPECT_INT(sum->weight, weight);
        EXPECT_INT(sum->self_weight, self);
}

TEST(a_function_that_calls_itself_counts_once)
{
        AUTO(calltree) tree = calltree_new();
        struct calltree_sum *sums;
        size_t n;

        add_path(tree, "main>f>f>g>f", 1, 7);
        add_path(tree, "main>f", 1, 2);
        add_path(tree, "f", 1, 1);
        calltree_finish(tree);
        sums = calltree_list(tree, &n);
        ASSERT_CMP(n, ==, 3);
        expect_sum(tree, &sums[0], "f", 10, 10);
        expect_sum(tree, &sums[1], "main", 9, 0);
        expect_sum(tree, &sums[2], "g", 7, 0);
        EXPECT_INT(sums[0].count, 3);
        free(sums);
}

TEST(upside_down)
{
        AUTO(calltree) tree = sample_tree();
        AUTO(calltree) inverted = calltree_invert(tree, NULL, NULL);

        expect_tree(
                inverted,
                "h 40/0\n main 40/40\ng 20/0\n f 20/0\n  main 20/20\nf 5/0\n main 5/5\nmain 1/0\n start 1/1\n");
        EXPECT_INT(calltree_get_node(inverted, CALLTREE_ROOT)->weight, 66);
}

static bool is_called(const struct calltree_function *function, const void *name)
{
        return !strcmp(function->name, name);
}

TEST(paths_through_a_function)
{
        AUTO(calltree) tree = sample_tree();
        AUTO(calltree) through_f = calltree_through(tree, is_called, "f");
        AUTO(calltree) through_g = calltree_through(tree, is_called, "g");
        AUTO(calltree) through_none = calltree_through(tree, is_called, "nothing");

        expect_tree(through_f, "main 25/0\n f 25/5\n  g 20/20\n");
        expect_tree(through_g, "main 20/0\n f 20/0\n  g 20/20\n");
        EXPECT_INT(calltree_get_node(through_f, CALLTREE_ROOT)->count, 3);
        EXPECT_INT(calltree_n_nodes(through_none), 1);
}

/* The callees of a function belong to it, also if it called itself. */
TEST(callers_of_a_function)
{
        AUTO(calltree) tree = calltree_new();
        AUTO(calltree) inverted = NULL;

        add_path(tree, "main>f>g>f>h", 1, 3);
        add_path(tree, "main>f", 1, 4);
        add_path(tree, "main>g", 1, 8);
        calltree_finish(tree);
        inverted = calltree_invert(tree, is_called, "f");
        expect_tree(inverted, "f 7/0\n main 4/4\n g 3/0\n  f 3/0\n   main 3/3\n");
}

TEST(functions_are_told_apart_by_all_that_is_said)
{
        AUTO(calltree) tree = calltree_new();
        struct calltree_function base = {
                .name = "f", .module = "a.so", .path = "/a.so", .file = "f.c", .line = 1};
        struct calltree_function others[] = {base, base, base, base, base, base, base};

        others[0].name = "g";
        others[1].module = "b.so";
        others[2].path = "/b/a.so";
        others[3].file = NULL;
        others[4].line = 2;
        others[5].kind = CALLTREE_PROCESS;
        others[6].is_kernel = true;
        EXPECT_INT(calltree_add_function(tree, &base), 0);
        for (size_t i = 0; i < 7; i++)
                EXPECT_INT(calltree_add_function(tree, &others[i]), i + 1);
        EXPECT_INT(calltree_add_function(tree, &base), 0);
        EXPECT_INT(calltree_add_function(tree, &others[3]), 4);
        EXPECT_STR(calltree_get_function(tree, 4)->file, "");
}

TEST(processes_are_not_listed)
{
        AUTO(calltree) tree = calltree_new();
        uint32_t process = calltree_add_function(
                tree, &(struct calltree_function){.name = "python3", .kind = CALLTREE_PROCESS});
        uint32_t top = calltree_add_child(tree, CALLTREE_ROOT, process);
        struct calltree_sum *sums;
        size_t n;

        calltree_add(tree, calltree_add_child(tree, top, function(tree, "main", false)), 1, 1);
        calltree_finish(tree);
        sums = calltree_list(tree, &n);
        ASSERT_CMP(n, ==, 1);
        expect_sum(tree, &sums[0], "main", 1, 1);
        free(sums);
}

TEST(a_tree_of_nothing)
{
        AUTO(calltree) tree = calltree_new();
        AUTO(calltree) inverted = NULL;
        size_t n;

        calltree_finish(tree);
        expect_tree(tree, "");
        free(calltree_list(tree, &n));
        EXPECT_INT(n, 0);
        inverted = calltree_invert(tree, NULL, NULL);
        EXPECT_INT(calltree_n_nodes(inverted), 1);
}

/* Many functions, many children of one node, and a long path. */
TEST(large_trees)
{
        AUTO(calltree) tree = calltree_new();
        struct calltree_sum *sums;
        uint32_t at = CALLTREE_ROOT;
        size_t n;

        for (unsigned i = 0; i < 20000; i++) {
                char name[16];

                snprintf(name, sizeof(name), "f%u", i % 5000);
                if (i < 10000)
                        at = calltree_add_child(tree, at, function(tree, name, false));
                calltree_add(tree, calltree_add_child(tree, CALLTREE_ROOT, function(tree, name, false)), 1,
                             1);
        }
        calltree_add(tree, at, 1, 100);
        calltree_finish(tree);
        EXPECT_INT(calltree_get_node(tree, CALLTREE_ROOT)->weight, 20100);
        sums = calltree_list(tree, &n);
        EXPECT_INT(n, 5000);
        expect_sum(tree, &sums[0], "f0", 104, 4);
        expect_sum(tree, &sums[4444], "f4999", 104, 104);
        free(sums);
}

TEST(a_tree_with_too_little_memory)
{
        struct calltree *tree = calltree_new();
        AUTO(calltree) inverted = NULL;
        struct budget budget;
        uint32_t at = CALLTREE_ROOT, next;
        size_t depth = 0;

        budget_init(&budget, 1 << 20);
        calltree_set_budget(tree, &budget);
        while ((next = calltree_try_child(tree, at, function(tree, "f", false))) != CALLTREE_NONE) {
                at = next;
                calltree_add(tree, at, 1, 2);
                depth++;
        }
        EXPECT_TRUE(depth > 100 && depth < 10000);
        EXPECT_INT(calltree_try_child(tree, CALLTREE_ROOT, function(tree, "f", false)), 1);
        EXPECT_TRUE(budget_has_left_out(&budget, BUDGET_STACKS));
        calltree_finish(tree);
        EXPECT_INT(calltree_get_node(tree, CALLTREE_ROOT)->weight, 2 * depth);
        /* A path of equal functions is not longer in the inverted tree. */
        inverted = calltree_invert(tree, NULL, NULL);
        calltree_free(tree);
        EXPECT_INT(calltree_get_node(inverted, CALLTREE_ROOT)->count, depth);
        EXPECT_INT(calltree_get_node(inverted, CALLTREE_ROOT)->weight, 2 * depth);
        budget_release(&budget);
}

/* Each function of a path has samples, so the inverted tree has depth * depth / 2 nodes. */
TEST(upside_down_with_too_little_memory)
{
        enum { DEPTH = 1000 };
        struct calltree *tree = calltree_new();
        AUTO(calltree) inverted = NULL;
        struct budget budget;
        uint32_t at = CALLTREE_ROOT;

        budget_init(&budget, 1 << 20);
        calltree_set_budget(tree, &budget);
        for (unsigned i = 0; i < DEPTH; i++) {
                char name[16];

                snprintf(name, sizeof(name), "f%u", i);
                at = calltree_add_child(tree, at, function(tree, name, false));
                calltree_add(tree, at, 1, 2);
        }
        calltree_finish(tree);
        EXPECT_TRUE(!budget_has_left_out(&budget, BUDGET_STACKS));
        inverted = calltree_invert(tree, NULL, NULL);
        calltree_free(tree);
        EXPECT_INT(calltree_get_node(inverted, CALLTREE_ROOT)->count, DEPTH);
        EXPECT_INT(calltree_get_node(inverted, CALLTREE_ROOT)->weight, 2 * DEPTH);
        EXPECT_CMP(calltree_n_nodes(inverted), <, 10 * DEPTH);
        EXPECT_TRUE(budget_has_left_out(&budget, BUDGET_STACKS));
        budget_release(&budget);
}

TAP_MAIN
