/* SPDX-License-Identifier: BSD-3-Clause */
/* Where Python functions begin. */
#include "attributes.h"
#include "python_claim.h"
#include "tap.h"

struct claim {
        const char *name, *line;
};

TEST(first_lines_of_functions)
{
        static const struct claim held[] = {
                {"f", "def f(x):"},
                {"C.method", "        async  def method(self):"},
                {"outer.<locals>.inner", "\tdef inner():"},
                {"C", "class C(Base):"},
                {"f", "@functools.wraps(g)"},
                {"f", "    @ app.route"},
                {"f.<locals>.<lambda>", "  x = sorted(y, key=lambda v: v)"},
                {"<listcomp>", "a = [x for x in y]"},
                {"f.<locals>.<genexpr>", "        for x in y)"},
                {"<dictcomp>", "{"},
                {"<module>", "anything"},
                {"<module>", NULL},
        };

        for (size_t i = 0; i < N_ELEMENTS(held); i++)
                EXPECT_TRUE(python_claim_holds(held[i].name, held[i].line));
}

TEST(lines_of_other_files)
{
        static const struct claim refused[] = {
                {"f", "-----BEGIN PRIVATE KEY-----"},
                {"f", NULL},
                {"f", ""},
                {"f", "def g(x):"},
                {"f", "def ff(x):"},
                {"f", "undef f(x)"},
                {"f", "@"},
                {"f", "x = 1  # def f"},
                {"root", "root:x:0:0:root:/root:/bin/bash"},
                {"<lambda>", "lambdas = 3"},
                {"<listcomp>", "password=format"},
                {"<unknown>", "def f():"},
        };

        for (size_t i = 0; i < N_ELEMENTS(refused); i++)
                EXPECT_TRUE(!python_claim_holds(refused[i].name, refused[i].line));
}

TAP_MAIN
