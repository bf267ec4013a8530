/* SPDX-License-Identifier: BSD-3-Clause */
/* Source files of two groups of runs, paired by the ends of their paths. */
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "file_pairs.h"
#include "run_notes.h"
#include "tap.h"

/* A function in a file; each counts once. */
struct sampled {
        enum run_side side;
        const char *name, *path;
};

/* "parse x/util.py A1 B1" for each row. */
static void compare(const struct sampled *sampled, size_t n, const char *wanted, struct buf *out,
                    struct buf *notes, struct err *err)
{
        AUTO(run_values) values = run_values_new();
        const struct run_event event = {.name = "cpu-clock", .n_samples = 1, .weight = 1};

        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                run_values_add_run(values, (enum run_side)side, side == RUN_A ? "a" : "b");
                run_values_add_event(values, &event);
                for (size_t i = 0; i < n; i++) {
                        const struct run_name name = {.name = sampled[i].name, .module = sampled[i].path};

                        if ((int)sampled[i].side == side)
                                run_values_add(values, 0, &name, 1, 1);
                }
        }
        if (!file_pairs_apply(values, wanted, err))
                return;
        run_values_finish(values);
        run_notes_add(values, notes);
        for (size_t i = 0; i < run_values_n_names(values); i++) {
                struct run_name name = run_values_name(values, i);
                const struct run_cell *cells = run_values_row(values, 0, i);

                buf_printf(out, "%s %s A%u B%u\n", name.name, name.module, (unsigned)cells[0].count,
                           (unsigned)cells[1].count);
        }
}

#define EXPECT_ROWS(wanted, want, ...)                                                                       \
        do {                                                                                                 \
                const struct sampled sampled[] = {__VA_ARGS__};                                              \
                AUTO_RELEASE(buf) rows = {0};                                                                \
                AUTO_RELEASE(buf) notes = {0};                                                               \
                struct err err = {0};                                                                        \
                compare(sampled, N_ELEMENTS(sampled), wanted, &rows, &notes, &err);                          \
                EXPECT_STR(buf_text(&rows), want);                                                           \
                EXPECT_STR(err.text, "");                                                                    \
        } while (0)

TEST(files_of_one_name_stay_apart)
{
        EXPECT_ROWS(NULL,
                    "f x/util.py A1 B1\n"
                    "f y/util.py A1 B1\n"
                    "f main.py A1 B0\n",
                    {RUN_A, "f", "/old/x/util.py"}, {RUN_A, "f", "/old/y/util.py"},
                    {RUN_A, "f", "/old/main.py"}, {RUN_B, "f", "/new/y/util.py"},
                    {RUN_B, "f", "/new/x/util.py"});
}

TEST(the_longest_common_end_pairs)
{
        /* one file of B for two of A */
        EXPECT_ROWS(NULL,
                    "f x/util.py A1 B0\n"
                    "f y/util.py A1 B1\n",
                    {RUN_A, "f", "/a/x/util.py"}, {RUN_A, "f", "/a/y/util.py"}, {RUN_B, "f", "/b/y/util.py"});
        /* moved to another folder */
        EXPECT_ROWS(NULL,
                    "f app.py A1 B1\n"
                    "g app.py A0 B1\n",
                    {RUN_A, "f", "/a/src/app.py"}, {RUN_B, "f", "/b/lib/app.py"},
                    {RUN_B, "g", "/b/lib/app.py"});
        /* the same path, although another file has as many parts in common */
        EXPECT_ROWS(NULL,
                    "f p/a.py A1 B1\n"
                    "f q/p/a.py A0 B1\n",
                    {RUN_A, "f", "/p/a.py"}, {RUN_B, "f", "/q/p/a.py"}, {RUN_B, "f", "/p/a.py"});
        EXPECT_ROWS(NULL, "f a.py A1 B0\nf b.py A0 B1\n", {RUN_A, "f", "C:\\x\\a.py"},
                    {RUN_B, "f", "D:\\x\\b.py"});
        EXPECT_ROWS(NULL, "f  A1 B1\n", {RUN_A, "f", ""}, {RUN_B, "f", ""});
}

TEST(names_that_differ_in_numbers_are_no_pair)
{
        EXPECT_ROWS(NULL,
                    "f test1.py A1 B0\n"
                    "f test2.py A0 B1\n",
                    {RUN_A, "f", "/t/test1.py"}, {RUN_B, "f", "/t/test2.py"});
}

TEST(the_user_pairs_renamed_files)
{
        EXPECT_ROWS("app.py=main.py,x/u.py=v.py",
                    "f app.py=main.py A1 B1\n"
                    "f x/u.py=v.py A1 B1\n"
                    "f app.py A0 B1\n",
                    {RUN_A, "f", "/p/app.py"}, {RUN_A, "f", "/p/x/u.py"}, {RUN_B, "f", "/p/main.py"},
                    {RUN_B, "f", "/p/app.py"}, {RUN_B, "f", "/p/v.py"});
}

/* Searches that passed all files which are paired already took twenty times as long. */
TEST(very_many_files_of_one_name_are_paired)
{
        enum { N_FILES = 60000, PATH_CHARS = 40 };
        AUTO(run_values) values = run_values_new();
        const struct run_event event = {.name = "cpu-clock", .n_samples = 1, .weight = 1};
        struct err err = {0};
        size_t n_both = 0;

        for (int side = RUN_A; side < RUN_N_SIDES; side++) {
                run_values_add_run(values, (enum run_side)side, side == RUN_A ? "a" : "b");
                run_values_add_event(values, &event);
                for (int i = 0; i < N_FILES; i++) {
                        char path[PATH_CHARS];
                        const struct run_name name = {.name = "f", .module = path};

                        snprintf(path, sizeof(path), "/%c/%c%d/__init__.py", 'a' + side, 'a' + side, i);
                        run_values_add(values, 0, &name, 1, 1);
                }
        }
        ASSERT_TRUE(file_pairs_apply(values, NULL, &err));
        run_values_finish(values);
        EXPECT_INT(run_values_n_names(values), N_FILES);
        for (size_t i = 0; i < run_values_n_names(values); i++) {
                const struct run_cell *cells = run_values_row(values, 0, i);

                n_both += cells[0].count && cells[1].count;
        }
        EXPECT_INT(n_both, N_FILES);
}

static void expect_refused(const char *wanted, enum err_code code, const char *want)
{
        const struct sampled sampled[] = {
                {RUN_A, "f", "/a/x/util.py"}, {RUN_A, "f", "/a/y/util.py"}, {RUN_B, "f", "/b/main.py"}};
        AUTO_RELEASE(buf) rows = {0};
        AUTO_RELEASE(buf) notes = {0};
        struct err err = {0};

        compare(sampled, N_ELEMENTS(sampled), wanted, &rows, &notes, &err);
        EXPECT_INT(err.code, code);
        EXPECT_STR(err.text, want);
}

TEST(pairs_that_are_not_clear_are_refused)
{
        expect_refused("util.py=main.py", ERR_MISSING, "--pair: more than one file of A ends in 'util.py'");
        expect_refused("x/util.py=ain.py", ERR_MISSING, "--pair: no file of B ends in 'ain.py'");
        expect_refused("x/util.py=main.py,y/util.py=main.py", ERR_MISSING,
                       "--pair: no file of B ends in 'main.py'");
        expect_refused("x/util.py", ERR_USAGE, "--pair takes FILE_OF_A=FILE_OF_B, not 'x/util.py'");
        expect_refused("=main.py", ERR_USAGE, "--pair takes FILE_OF_A=FILE_OF_B, not '=main.py'");
}

TEST(notes_name_the_pairs_of_the_user)
{
        const struct sampled sampled[] = {{RUN_A, "f", "/p/app.py"}, {RUN_B, "f", "/p/main.py"}};
        AUTO_RELEASE(buf) rows = {0};
        AUTO_RELEASE(buf) notes = {0};
        struct err err = {0};

        compare(sampled, N_ELEMENTS(sampled), "app.py=main.py", &rows, &notes, &err);
        EXPECT_CONTAINS(buf_text(&notes), "file: /p/app.py of A is compared with /p/main.py of B\n");
}

TAP_MAIN
