/* SPDX-License-Identifier: BSD-3-Clause */
/* The package with the debug file of a build, in apt's lists. */
#include "debug_package.h"

#include "os.h"
#include "tap.h"

#define FOLDER "apt-lists.tmp"

static const uint8_t build_id[] = {0xc0, 0xff, 0xee};

static const char list[] = "Package: hello\nVersion: 1\nDescription: c0ffee\n\n"
                           "Package: hello-dbg\nSource: hello\nBuild-Ids: deadbeef c0ffee 00\nSize: 3\n\n"
                           "Package: other-dbgsym\nBuild-Ids: 0123\n";

static void write(const char *path, const char *text)
{
        struct os_file *file = os_file_create(path, NULL);

        ASSERT_TRUE(file && os_file_write(file, text, strlen(text), NULL));
        EXPECT_TRUE(os_file_close(file, NULL));
}

static void expect_in_list(const char *text, const char *hex, uint64_t end_ns, const char *expected)
{
        AUTO_RELEASE(buf) name = {0};

        EXPECT_INT(debug_package_in_list(text, strlen(text), hex, end_ns, &name), *expected != 0);
        EXPECT_STR(buf_text(&name), expected);
}

TEST(the_package_of_a_build_is_found)
{
        expect_in_list(list, "c0ffee", UINT64_MAX, "hello-dbg");
        expect_in_list(list, "0123", UINT64_MAX, "other-dbgsym");
        expect_in_list(list, "c0ff", UINT64_MAX, "");
        expect_in_list("", "c0ffee", UINT64_MAX, "");
}

TEST(the_search_ends_in_time)
{
        expect_in_list(list, "c0ffee", 0, "");
}

TEST(a_name_that_no_package_has_is_not_taken)
{
        expect_in_list("Package: a;reboot\nBuild-Ids: 01\n\nPackage: -f\nBuild-Ids: 01\n", "01", UINT64_MAX,
                       "");
        expect_in_list("Build-Ids: 01\n", "01", UINT64_MAX, "");
}

TEST(only_lists_of_packages_are_read)
{
        AUTO_RELEASE(buf) name = {0};

        EXPECT_TRUE(!debug_package_find("no-such-folder.tmp", build_id, sizeof(build_id), &name));
        ASSERT_TRUE(os_make_dir(FOLDER, NULL));
        write(FOLDER "/deb.example.org_debian_dists_stable_main_source_Sources", list);
        EXPECT_TRUE(!debug_package_find(FOLDER, build_id, sizeof(build_id), &name));
        write(FOLDER "/deb.example.org_debian_dists_stable_main_binary-amd64_Packages", list);
        EXPECT_TRUE(debug_package_find(FOLDER, build_id, sizeof(build_id), &name));
        EXPECT_STR(buf_text(&name), "hello-dbg");
        EXPECT_TRUE(!debug_package_find(FOLDER, build_id, 0, &name));
        EXPECT_TRUE(
                os_remove(FOLDER "/deb.example.org_debian_dists_stable_main_binary-amd64_Packages", NULL));
        EXPECT_TRUE(os_remove(FOLDER "/deb.example.org_debian_dists_stable_main_source_Sources", NULL));
}

TAP_MAIN
