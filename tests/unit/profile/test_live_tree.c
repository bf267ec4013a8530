/* SPDX-License-Identifier: BSD-3-Clause */
/* Which function of a call tree counts for which samples where native and Python functions call each other.
 */
#include "live_tree.h"

#include <string.h>

#include "calltree.h"
#include "tap.h"

/* "main>Work>burn", where a capital letter begins the name of a Python function. */
static void add_path(struct calltree *tree, const char *path, uint64_t weight)
{
        uint32_t at = CALLTREE_ROOT;

        while (*path) {
                size_t len = strcspn(path, ">");
                char name[32] = {0};
                struct calltree_function function = {.name = name, .brief = name, .module = "m"};

                memcpy(name, path, len);
                function.is_python = *name >= 'A' && *name <= 'Z';
                at = calltree_add_child(tree, at, calltree_add_function(tree, &function));
                path += len + (path[len] == '>');
        }
        calltree_add(tree, at, 1, weight);
}

static void expect_row(struct live_sums *sums, const char *name, uint64_t self, uint64_t total)
{
        for (size_t i = 0; i < sums->n; i++) {
                if (strcmp(sums->rows[i].name, name) != 0)
                        continue;
                EXPECT_INT(sums->rows[i].now.self_weight, self);
                EXPECT_INT(sums->rows[i].now.weight, total);
                return;
        }
        EXPECT_STR(name, "a function with a row");
}

TEST(a_native_function_above_and_below_python)
{
        AUTO(calltree) tree = calltree_new();
        struct live_sums sums;

        live_sums_init(&sums, 100);
        add_path(tree, "thread>burn>Work>burn", 100);
        add_path(tree, "thread>burn>Work>burn>burn", 10);
        add_path(tree, "thread>burn>Work>Inner>Work", 20);
        add_path(tree, "thread>burn", 1);
        add_path(tree, "thread>burn>burn", 2);
        calltree_finish(tree);
        EXPECT_TRUE(live_tree_add(tree, &sums).has_python);
        expect_row(&sums, "thread", 0, 3);
        expect_row(&sums, "burn", 113, 113);
        expect_row(&sums, "Work", 20, 130);
        expect_row(&sums, "Inner", 0, 20);
        live_sums_release(&sums);
}

TAP_MAIN
