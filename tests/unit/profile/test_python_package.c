/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_package.h"
#include "tap.h"

static void expect_package(const char *path, const char *want)
{
        AUTO_RELEASE(buf) package = {0};

        python_package_add(path, &package);
        EXPECT_STR(buf_text(&package), want);
}

TEST(files_below_site_packages_belong_to_a_distribution)
{
        expect_package("/home/me/venv/lib/python3.11/site-packages/numpy/core/numeric.py", "numpy");
        expect_package("/usr/lib/python3/dist-packages/six.py", "six");
        expect_package("C:\\Python312\\Lib\\site-packages\\yaml\\__init__.py", "yaml");
        expect_package("/opt/x/site-packages/a.b/c.py", "a.b");
}

TEST(the_standard_library_is_told_by_its_folder)
{
        expect_package("/usr/lib/python3.11/json/encoder.py", "standard library");
        expect_package("/home/me/.pyenv/versions/3.13.0/lib/python3.13t/json/encoder.py", "standard library");
        expect_package("/usr/lib64/python3.12/enum.py", "standard library");
        expect_package("/opt/pypy/lib/pypy3.10/json/encoder.py", "standard library");
        expect_package("C:\\Python312\\Lib\\json\\encoder.py", "standard library");
        expect_package("/src/cpython/Lib/json/encoder.py", "standard library");
        expect_package("C:\\app\\python312.zip\\json\\encoder.py", "standard library");
        expect_package("<frozen importlib._bootstrap>", "standard library");
}

TEST(all_else_is_mine)
{
        expect_package("/home/me/app.py", "my code");
        expect_package("app.py", "my code");
        expect_package("/home/me/python3.11/app.py", "my code");
        expect_package("/home/me/lib/pythonic/app.py", "my code");
        expect_package("/home/me/site-packages", "my code");
        expect_package("<string>", "my code");
        expect_package("", "");
}

TAP_MAIN
