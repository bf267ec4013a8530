/* SPDX-License-Identifier: BSD-3-Clause */
/* Call trees for the tests of exports: one of an ordinary program, and one with hostile names. */
#ifndef EXPORT_BUILDER_H
#define EXPORT_BUILDER_H

#include <string.h>

#include "calltree.h"
#include "export.h"

#define IN_PYTHON  .module = "python3.11", .path = "/usr/bin/python3.11"
#define IN_LIBC    .module = "libc.so.6", .path = "/usr/lib/libc.so.6"
#define IN_KERNEL  .module = "[kernel]", .path = "[kernel.kallsyms]", .is_kernel = true
#define OF_LINE(n) .file = "/src/work.c", .line = (n)

static const struct calltree_function export_functions[] = {
        {.name = "python3", .kind = CALLTREE_PROCESS},
        {.name = "Thread 1", .kind = CALLTREE_PROCESS},
        {.name = "main", IN_PYTHON, OF_LINE(10)},
        {.name = "work", IN_PYTHON, OF_LINE(20)},
        {.name = "add", IN_PYTHON, OF_LINE(30), .is_inlined = true},
        {.name = "carry", IN_PYTHON, OF_LINE(40), .is_inlined = true},
        {.name = "unknown", IN_LIBC, .kind = CALLTREE_UNKNOWN},
        {.name = "0x1f00", IN_LIBC, .kind = CALLTREE_UNKNOWN},
        {.name = "", .kind = CALLTREE_UNKNOWN},
        {.name = "do_syscall_64", IN_KERNEL},
        {.name = "[cut]", .kind = CALLTREE_CUT},
        {.name = "main", IN_LIBC},
};

enum {
        PYTHON,
        THREAD,
        MAIN,
        WORK,
        ADD,
        CARRY,
        NAMELESS,
        STRIPPED,
        NOWHERE,
        SYSCALL,
        CUT,
        OTHER_MAIN,
        PATH_END = -1
};

/* A stack from its outermost function on; PATH_END ends it. */
static inline void export_add_path(struct calltree *tree, const struct calltree_function *functions,
                                   const int *path, uint64_t count, uint64_t weight)
{
        uint32_t at = CALLTREE_ROOT;

        for (; *path != PATH_END; path++)
                at = calltree_add_child(tree, at, calltree_add_function(tree, &functions[*path]));
        calltree_add(tree, at, count, weight);
}

#define ADD_PATH(tree, functions, count, weight, ...)                                                        \
        export_add_path(tree, functions, (const int[]){__VA_ARGS__, PATH_END}, count, weight)

static inline struct calltree *export_ordinary(void)
{
        const struct calltree_function *f = export_functions;
        struct calltree *tree = calltree_new();

        ADD_PATH(tree, f, 40, 4000, PYTHON, MAIN, WORK);
        ADD_PATH(tree, f, 20, 2000, PYTHON, MAIN, WORK, ADD, CARRY);
        ADD_PATH(tree, f, 10, 1000, PYTHON, MAIN, WORK, ADD);
        ADD_PATH(tree, f, 8, 800, PYTHON, MAIN, WORK, ADD, CARRY, SYSCALL);
        ADD_PATH(tree, f, 7, 700, PYTHON, MAIN, WORK, WORK);
        ADD_PATH(tree, f, 5, 500, PYTHON, CUT, NAMELESS, STRIPPED);
        ADD_PATH(tree, f, 3, 300, THREAD, OTHER_MAIN);
        ADD_PATH(tree, f, 2, 200, THREAD, MAIN);
        ADD_PATH(tree, f, 4, 400, THREAD);
        ADD_PATH(tree, f, 1, 100, NOWHERE);
        calltree_finish(tree);
        return tree;
}

enum { EXPORT_LONG = 100000 };

/* A name that would end, open or forge something in each of the formats, one that is not UTF-8, and a very
 * long one. */
static inline struct calltree *export_hostile(void)
{
        static char endless[EXPORT_LONG + 1], broken[EXPORT_LONG + 1];
        const struct calltree_function functions[] = {
                {.name = "a;b c 7", .kind = CALLTREE_PROCESS},
                {.name = "</title><script>alert(1)</script>&amp;\"'", .module = "]]>", .path = "/tmp/]]>"},
                {.name = "std::map<int, char const*>::at 12",
                 .module = "\"\\",
                 .path = "/tmp/\"\\",
                 OF_LINE(1)},
                {.name = "\x1b[31m\n\r\t\x01\x7f\xc2\x9b", .module = "\xff\xfe", .path = "/tmp/\xff\xfe"},
                {.name = "\xef\xbf\xbe \xef\xbf\xbf \xed\xa0\x80 \xf0\x9f\x98\x80",
                 .module = "m",
                 .path = "m"},
                {.name = endless, .module = endless, .path = endless, .file = endless},
                {.name = broken, .module = broken, .kind = CALLTREE_UNKNOWN},
                {.name = " ", .module = " ", .path = " "},
        };
        struct calltree *tree = calltree_new();

        memset(endless, 'x', EXPORT_LONG);
        memset(broken, 0x80, EXPORT_LONG);
        for (uint64_t i = 1; i < sizeof(functions) / sizeof(*functions); i++)
                ADD_PATH(tree, functions, i, i * 1000, 0, (int)i);
        ADD_PATH(tree, functions, 9, 9000, 0);
        ADD_PATH(tree, functions, 1, UINT64_MAX / 2, 0, 1, 2, 3, 4, 5, 6, 7);
        calltree_finish(tree);
        return tree;
}

static const struct export_about export_ordinary_about = {
        .event = "cpu-clock:u",
        .tool = "wperf 1.2",
        .command = "wperf record -g -- python3 work.py",
        .is_time = true,
        .dur_ns = 2000000000,
};

static const struct export_about export_hostile_about = {
        .event = "</title>\"]]>\x1b\n",
        .tool = "\xff",
        .command = "wperf record -- '</svg>' \"]]>\" \x1b[31m",
};

#endif
