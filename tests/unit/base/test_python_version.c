/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_version.h"

#include "tap.h"

TEST(names_of_files_that_say_a_version)
{
        EXPECT_INT(python_version_of_path("/usr/bin/python3.11"), 11);
        EXPECT_INT(python_version_of_path("/opt/python3.9/bin/python3.9d"), 9);
        EXPECT_INT(python_version_of_path("/usr/lib/libpython3.12.so.1.0"), 12);
        EXPECT_INT(python_version_of_path("C:\\Python\\Python310_d.dll"), 10);
}

TEST(other_files)
{
        EXPECT_INT(python_version_of_path("/usr/bin/python3"), 0);
        EXPECT_INT(python_version_of_path("libpython3.so"), 0);
        EXPECT_INT(python_version_of_path("python3.dll"), 0);
        EXPECT_INT(python_version_of_path("/usr/lib/python3.11/lib-dynload/_json.so"), 0);
        EXPECT_INT(python_version_of_path("bpython3.11"), 0);
        EXPECT_INT(python_version_of_path("python31100"), 0);
        EXPECT_INT(python_version_of_path(""), 0);
}

TAP_MAIN
