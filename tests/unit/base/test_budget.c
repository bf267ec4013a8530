/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "budget.h"
#include "os.h"
#include "tap.h"

enum { LIMIT = 1000 };

TEST(less_valuable_things_are_left_out_first)
{
        struct budget budget;

        budget_init(&budget, LIMIT);
        EXPECT_TRUE(budget_take(&budget, BUDGET_NAMES, 499));
        EXPECT_TRUE(!budget_is_short(&budget));
        EXPECT_TRUE(!budget_take(&budget, BUDGET_LONG_NAMES, 2));
        EXPECT_TRUE(budget_take(&budget, BUDGET_LINES, 251));
        EXPECT_TRUE(!budget_take(&budget, BUDGET_LINES, 1));
        EXPECT_TRUE(budget_take(&budget, BUDGET_NAMES, 250));
        EXPECT_TRUE(!budget_take(&budget, BUDGET_NAMES, 1));
        EXPECT_TRUE(!budget_take(&budget, BUDGET_NAMES, UINT64_MAX));
        EXPECT_INT(budget.used_bytes, LIMIT);
        budget_give(&budget, LIMIT);
        EXPECT_TRUE(budget_take(&budget, BUDGET_NAMES, LIMIT));
        EXPECT_TRUE(budget_has_left_out(&budget, BUDGET_LINES));
        budget_release(&budget);
}

TEST(a_file_takes_from_its_command_too)
{
        struct budget command, one, two;

        budget_init(&command, LIMIT);
        budget_init_file(&one, &command, "one");
        budget_init_file(&two, &command, "two");
        EXPECT_TRUE(budget_take(&one, BUDGET_NAMES, 800));
        EXPECT_TRUE(!budget_take(&two, BUDGET_NAMES, 300));
        EXPECT_INT(two.used_bytes, 0);
        EXPECT_INT(command.used_bytes, 800);
        EXPECT_TRUE(!budget_is_short(&one));
        EXPECT_TRUE(budget_is_short(&two));
        EXPECT_TRUE(budget_is_short(&command));
        budget_release(&one);
        EXPECT_INT(command.used_bytes, 0);
        EXPECT_TRUE(budget_take(&two, BUDGET_NAMES, 300));
        budget_release(&two);
        budget_release(&command);
}

TEST(asking_for_room_takes_nothing)
{
        struct budget command, file;

        budget_init(&command, LIMIT);
        budget_init_file(&file, &command, "file");
        EXPECT_TRUE(budget_has_room(&file, BUDGET_RECORDS, LIMIT));
        EXPECT_TRUE(budget_has_room(&file, BUDGET_SAMPLES, LIMIT / 8 * 5));
        EXPECT_TRUE(!budget_has_room(&file, BUDGET_SAMPLES, LIMIT / 8 * 5 + 1));
        EXPECT_TRUE(budget_take(&command, BUDGET_NAMES, 400));
        EXPECT_TRUE(!budget_has_room(&file, BUDGET_RECORDS, LIMIT - 399));
        EXPECT_TRUE(budget_has_room(NULL, BUDGET_RECORDS, UINT64_MAX));
        EXPECT_INT(command.used_bytes, 400);
        EXPECT_TRUE(!budget_is_short(&command));
        budget_release(&file);
        budget_release(&command);
}

TEST(files_are_named_with_what_was_left_out)
{
        AUTO_RELEASE(buf) text = {0};
        struct budget command, files[BUDGET_MAX_FILES + 2];

        budget_init(&command, LIMIT);
        budget_add_text(&command, &text);
        EXPECT_INT(text.len, 0);
        budget_init_file(&files[0], &command, "/usr/lib/lib\x1b.so");
        EXPECT_TRUE(!budget_take(&files[0], BUDGET_LONG_NAMES, LIMIT));
        EXPECT_TRUE(!budget_take(&files[0], BUDGET_LINES, LIMIT));
        EXPECT_TRUE(!budget_take(&files[0], BUDGET_LINES, LIMIT));
        budget_init_file(&files[1], &command, "/bin/b");
        EXPECT_TRUE(!budget_take(&files[1], BUDGET_NAMES, LIMIT + 1));
        budget_add_text(&command, &text);
        EXPECT_STR(text.data,
                   "names longer than 64 KiB and inlined frames and lines of lib\\x1b.so, names of b");
        for (size_t i = 2; i < N_ELEMENTS(files); i++) {
                char name[2] = {(char)('a' + i), 0};

                budget_init_file(&files[i], &command, name);
                budget_leave_out(&files[i], BUDGET_NAMES);
        }
        buf_clear(&text);
        budget_add_text(&command, &text);
        EXPECT_TRUE(strstr(text.data, ", and some of 2 more files"));
        budget_release(&command);
}

TEST(a_file_may_cause_work_by_its_size)
{
        enum { MB = 1 << 20 };
        AUTO_RELEASE(buf) text = {0};
        struct budget command, small, large;
        uint64_t steps_of_mb;

        budget_init(&command, LIMIT);
        budget_init_file(&small, &command, "small");
        budget_init_file(&large, &command, "large");
        steps_of_mb = budget_steps_left(&small); /* nothing was said about it */
        EXPECT_TRUE(steps_of_mb && steps_of_mb < UINT64_MAX);
        budget_allow_work(&small, BUDGET_WORK_DEBUG, 1000);
        EXPECT_INT(budget_steps_left(&small), steps_of_mb);
        budget_allow_work(&large, BUDGET_WORK_DEBUG, 3 * MB);
        EXPECT_INT(budget_steps_left(&large), 3 * steps_of_mb);
        EXPECT_TRUE(budget_work(&small, BUDGET_LINES, steps_of_mb));
        EXPECT_TRUE(!budget_has_given_up(&command));
        EXPECT_TRUE(!budget_work(&small, BUDGET_LINES, 1));
        EXPECT_TRUE(!budget_work(&small, BUDGET_NAMES, 1));
        EXPECT_TRUE(budget_has_given_up(&small) && budget_has_given_up(&command) &&
                    !budget_is_short(&command));
        budget_leave_out(&large, BUDGET_NAMES);
        budget_add_given_up(&command, &text);
        EXPECT_STR(text.data, "inlined frames and lines and names of small");
        buf_clear(&text);
        budget_add_text(&command, &text);
        EXPECT_STR(text.data, "names of large");
        budget_release(&small);
        budget_release(&large);
        budget_release(&command);
}

TEST(shares)
{
        struct budget budget;
        struct budget_share one = {.budget = &budget}, two = one, none = {0};

        budget_init(&budget, 1 << 20);
        EXPECT_TRUE(budget_share_take(&one, BUDGET_STACKS, 8));
        EXPECT_INT(budget.used_bytes, 64 << 10);
        EXPECT_TRUE(budget_share_take(&one, BUDGET_STACKS, 300 << 10));
        EXPECT_INT(budget.used_bytes, 364 << 10);
        EXPECT_TRUE(!budget_share_take(&one, BUDGET_STACKS, 200 << 10));
        EXPECT_TRUE(budget_has_left_out(&budget, BUDGET_STACKS));
        EXPECT_TRUE(budget_share_take(&one, BUDGET_ADDRESSES, 200 << 10));
        /* What addresses took ahead is not for stacks. */
        EXPECT_TRUE(budget_share_take(&two, BUDGET_ADDRESSES, 8));
        EXPECT_TRUE(!budget_share_take(&two, BUDGET_STACKS, 8));
        budget_share_keep(&two, 0);
        budget_share_keep(&one, 100 << 10);
        EXPECT_INT(budget.used_bytes, 100 << 10);
        budget_share_keep(&one, 0);
        EXPECT_INT(budget.used_bytes, 0);
        EXPECT_TRUE(budget_share_take(&none, BUDGET_STACKS, UINT64_MAX));
        budget_release(&budget);
}

enum { N_FILES = BUDGET_MAX_FILES + 2 };

static void leave_out_of_files(void *ctx)
{
        struct budget *command = ctx;

        for (int i = 0; i < N_FILES; i++) {
                char name[32];
                struct budget file;

                snprintf(name, sizeof(name), "file-%d", i);
                budget_init_file(&file, command, name);
                budget_leave_out(&file, BUDGET_LINES);
                budget_leave_out(&file, BUDGET_NAMES);
                budget_release(&file);
        }
}

/* The browser shows the files while another thread reads a session; a build with the thread sanitizer runs
 * this, too. */
TEST(files_are_shown_while_another_thread_adds_them)
{
        struct budget command;
        struct os_task *task;
        AUTO_RELEASE(buf) text = {0};

        budget_init(&command, LIMIT);
        task = os_task_start(leave_out_of_files, &command);
        for (size_t n = 0; n < BUDGET_MAX_FILES; n = command.n_files) {
                buf_clear(&text);
                budget_add_text(&command, &text);
                EXPECT_TRUE(!strstr(buf_text(&text), "  ")); /* each file has a use */
        }
        os_task_join(task);
        buf_clear(&text);
        budget_add_text(&command, &text);
        EXPECT_TRUE(strstr(buf_text(&text),
                           "inlined frames and lines and names of file-7, and some of 2 more files"));
        budget_release(&command);
}

TEST(files_that_are_not_named_are_counted_apart_for_memory_and_work)
{
        struct budget command, files[BUDGET_MAX_FILES + 3];
        AUTO_RELEASE(buf) text = {0}, given_up = {0};

        budget_init(&command, LIMIT);
        for (size_t i = 0; i < N_ELEMENTS(files); i++) {
                char name[2] = {(char)('a' + i), 0};

                budget_init_file(&files[i], &command, name);
                budget_allow_work(&files[i], BUDGET_WORK_TRACE, 1);
                if (i < BUDGET_MAX_FILES + 1) {
                        budget_leave_out(&files[i], BUDGET_LINES);
                        budget_leave_out(&files[i], BUDGET_NAMES);
                } else {
                        EXPECT_TRUE(!budget_work(&files[i], BUDGET_RECORDS, (uint64_t)1 << 40));
                }
        }
        budget_add_text(&command, &text);
        EXPECT_TRUE(strstr(buf_text(&text), ", and some of 1 more files"));
        budget_add_given_up(&command, &given_up);
        EXPECT_STR(buf_text(&given_up), "some of 2 more files");
        budget_release(&command);
}

TEST(without_a_budget_there_is_no_limit)
{
        struct budget file;

        EXPECT_TRUE(budget_take(NULL, BUDGET_NAMES, UINT64_MAX));
        budget_give(NULL, 1);
        budget_leave_out(NULL, BUDGET_NAMES);
        EXPECT_TRUE(!budget_is_short(NULL));
        EXPECT_INT(budget_limit(NULL), BUDGET_DEFAULT_BYTES);
        budget_init_file(&file, NULL, "file");
        EXPECT_TRUE(budget_work(&file, BUDGET_NAMES, UINT64_MAX / 2));
        EXPECT_TRUE(!budget_take(&file, BUDGET_NAMES, BUDGET_DEFAULT_BYTES + 1));
        budget_release(&file);
}

TAP_MAIN
