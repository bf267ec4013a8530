/* SPDX-License-Identifier: BSD-3-Clause */
/* Folded stacks: order, sums, marks, and names that would break a line. */
#include "export_folded.h"

#include <stdlib.h>

#include "buf.h"
#include "export_builder.h"
#include "tap.h"
#include "text.h"
#include "text_number.h"

static void expect_folded(const struct calltree *tree, const struct export_folded_options *options,
                          const char *text)
{
        AUTO_RELEASE(buf) out = {0};

        export_folded(tree, options, &out);
        EXPECT_STR(buf_text(&out), text);
}

TEST(lines_are_sorted_and_of_functions_with_one_name_there_is_one)
{
        AUTO(calltree) tree = export_ordinary();

        expect_folded(tree, &(struct export_folded_options){0},
                      "Thread_1 4\n"
                      "Thread_1;main 5\n"
                      "[unknown] 1\n"
                      "python3;[cut];[libc.so.6];[libc.so.6+0x1f00] 5\n"
                      "python3;main;work 40\n"
                      "python3;main;work;add 10\n"
                      "python3;main;work;add;carry 20\n"
                      "python3;main;work;add;carry;do_syscall_64 8\n"
                      "python3;main;work;work 7\n");
}

TEST(weights_and_marks)
{
        AUTO(calltree) tree = export_ordinary();

        expect_folded(tree, &(struct export_folded_options){.weights = true, .annotate = true},
                      "Thread_1 400\n"
                      "Thread_1;main 500\n"
                      "[unknown] 100\n"
                      "python3;[cut];[libc.so.6];[libc.so.6+0x1f00] 500\n"
                      "python3;main;work 4000\n"
                      "python3;main;work;add_[i] 1000\n"
                      "python3;main;work;add_[i];carry_[i] 2000\n"
                      "python3;main;work;add_[i];carry_[i];do_syscall_64_[k] 800\n"
                      "python3;main;work;work 700\n");
}

TEST(samples_without_a_stack)
{
        AUTO(calltree) tree = calltree_new();
        AUTO(calltree) empty = calltree_new();

        calltree_add(tree, CALLTREE_ROOT, 3, 0);
        ADD_PATH(tree, export_functions, 2, 0, NOWHERE);
        calltree_finish(tree);
        expect_folded(tree, &(struct export_folded_options){0}, "[unknown] 5\n");
        expect_folded(tree, &(struct export_folded_options){.weights = true}, "");
        calltree_finish(empty);
        expect_folded(empty, &(struct export_folded_options){0}, "");
}

/* A name behind a process, as it comes out. */
static void expect_name(const char *name, const char *text)
{
        AUTO(calltree) tree = calltree_new();
        AUTO_RELEASE(buf) want = {0};
        const struct calltree_function functions[] = {{.name = "p", .kind = CALLTREE_PROCESS},
                                                      {.name = name}};

        ADD_PATH(tree, functions, 1, 1, 0, 1);
        calltree_finish(tree);
        buf_printf(&want, "p;%s 1\n", text);
        expect_folded(tree, &(struct export_folded_options){0}, buf_text(&want));
}

static void expect_nameless(const char *module, const char *start, const char *text)
{
        AUTO(calltree) tree = calltree_new();
        AUTO_RELEASE(buf) want = {0};
        const struct calltree_function function = {.name = start, .module = module, .kind = CALLTREE_UNKNOWN};

        ADD_PATH(tree, &function, 1, 1, 0);
        calltree_finish(tree);
        buf_printf(&want, "%s 1\n", text);
        expect_folded(tree, &(struct export_folded_options){0}, buf_text(&want));
}

TEST(code_without_a_name_is_its_module)
{
        expect_nameless("", "", "[unknown]");
        expect_nameless("", "0x1f00", "0x1f00");
        expect_nameless("libc.so.6", "unknown", "[libc.so.6]");
        expect_nameless("libc.so.6", "0x1f00", "[libc.so.6+0x1f00]");
        expect_nameless("[vdso]", "unknown", "[vdso]");
        expect_nameless("[vdso]", "0x700", "[vdso+0x700]");
        expect_nameless("[", "", "[]");
        expect_nameless("[heap", "unknown", "[heap]");
}

TEST(a_name_cannot_be_a_separator_or_a_number)
{
        expect_name("a;b\nc\td", "a:b\\x0ac\\x09d");
        expect_name("f(int, char)", "f(int, char)");
        expect_name("clone 3", "clone_3");
        expect_name("f 1 2.5", "f 1_2.5");
        expect_name("f .", "f_.");
        expect_name(" f ", "_f_");
        expect_name(" ", "_");
        expect_name("12", "12");
        expect_name("\xff\xc3\xa9\x1b", "\\xff\xc3\xa9\\x1b");
        expect_name("", "[unknown]");
}

TEST(of_an_endless_name_there_is_the_begin)
{
        char name[EXPORT_NAME_MAX + 2], want[EXPORT_NAME_MAX + 4];

        memset(name, 'x', sizeof(name));
        name[EXPORT_NAME_MAX] = '\0';
        expect_name(name, name);
        name[EXPORT_NAME_MAX] = 'x';
        name[EXPORT_NAME_MAX + 1] = '\0';
        memcpy(want, name, EXPORT_NAME_MAX);
        memcpy(want + EXPORT_NAME_MAX, "...", 4);
        expect_name(name, want);
        /* A character of two bytes that does not fit completely. */
        memcpy(name + EXPORT_NAME_MAX - 1, "\xc3\xa9", 2);
        memcpy(want + EXPORT_NAME_MAX - 1, "...", 4);
        expect_name(name, want);
}

/* A line has a process, frames and a number, and nothing else. */
TEST(hostile_names_are_lines_all_the_same)
{
        AUTO(calltree) tree = export_hostile();
        AUTO_RELEASE(buf) out = {0};
        uint64_t sum = 0;
        int n = 0;

        export_folded(tree, &(struct export_folded_options){0}, &out);
        for (char *at = out.data, *end; at && *at; at = end + 1, n++) {
                char *space;
                uint64_t value;

                end = strchr(at, '\n');
                ASSERT_CMP(end, !=, NULL);
                *end = '\0';
                EXPECT_TRUE(text_starts(at, "a:b_c_7"));
                for (const char *c = at; *c; c++)
                        EXPECT_TRUE((unsigned char)*c >= 0x20 && *c != 0x7f);
                space = strrchr(at, ' ');
                ASSERT_TRUE(space != NULL && text_to_u64(space + 1, 10, &value));
                sum += value;
                *space = '\0';
                space = strrchr(at, ' ');
                EXPECT_TRUE(!space || !text_to_u64(space + 1, 10, &value));
        }
        EXPECT_INT(n, 9);
        EXPECT_INT(sum, 38);
}

TAP_MAIN
