/* SPDX-License-Identifier: BSD-3-Clause */
/* Where debug files are searched, and that the network is last. */
#include "debug_search.h"

#include <stdlib.h>

#include "buf.h"
#include "debuginfod.h"
#include "os.h"
#include "tap.h"
#include "test_data.h"
#include "text.h"

#define RIGHT "elf/debug/.build-id/01/23456789abcdef0123456789abcdef01234567.debug"
#define WRONG "dwarf/gcc5.so"

static const char *const no_dirs[] = {NULL};

struct remote {
        const char *gives; /* below tests/data; NULL: it has nothing */
        unsigned n_asked;
        char build_id[2 * OBJECT_BUILD_ID_BYTES + 1];
        char name[100];
};

static bool find(void *ctx, const uint8_t *build_id, size_t build_id_size, const char *name, struct buf *out)
{
        struct remote *remote = ctx;

        remote->n_asked++;
        text_hex(remote->build_id, build_id, build_id_size);
        text_copy(remote->name, sizeof(remote->name), name);
        if (remote->gives)
                buf_add_str(out, data_path(remote->gives));
        return remote->gives;
}

/* The file's name without its folder, or NULL. */
static const char *search(const char *name, const char *const *dirs, struct remote *ctx, struct buf *note)
{
        AUTO(object) own = object_open(data_path(name), NULL);
        AUTO(object) found = NULL;
        struct debug_remote remote = {.find = find, .ctx = ctx};
        static char path[600];
        struct debug_wanted wanted;

        if (!own)
                return "(no such test file)";
        wanted = (struct debug_wanted){.build_id = object_get_facts(own)->build_id,
                                       .build_id_size = object_get_facts(own)->build_id_size,
                                       .path = object_name(own),
                                       .own = own,
                                       .dirs = dirs,
                                       .remote = ctx ? &remote : NULL};
        found = debug_search(&wanted, note);
        if (!found)
                return NULL;
        text_copy(path, sizeof(path), text_base_name(object_name(found)));
        return path;
}

TEST(the_network_is_asked_last)
{
        const char *dirs[] = {data_path("elf/debug"), NULL};
        struct remote remote = {.gives = RIGHT};
        AUTO_RELEASE(buf) note = {0};

        EXPECT_STR(search("elf/names-stripped.so", dirs, &remote, &note), text_base_name(RIGHT));
        EXPECT_INT(remote.n_asked, 0);
        EXPECT_STR(search("elf/names-stripped.so", no_dirs, &remote, &note), text_base_name(RIGHT));
        EXPECT_INT(remote.n_asked, 1);
        EXPECT_STR(remote.build_id, "0123456789abcdef0123456789abcdef01234567");
        EXPECT_STR(remote.name, "names-stripped.so");
        EXPECT_STR(buf_text(&note), "");
        EXPECT_TRUE(!search("elf/names-stripped.so", no_dirs, NULL, &note));
        EXPECT_STR(buf_text(&note), "");
}

TEST(an_object_without_a_build_id_is_not_asked_for)
{
        struct remote remote = {.gives = RIGHT};
        AUTO_RELEASE(buf) note = {0};

        EXPECT_TRUE(!search("elf/names.o", no_dirs, &remote, &note));
        EXPECT_INT(remote.n_asked, 0);
        EXPECT_STR(buf_text(&note), "");
}

TEST(what_the_network_has_not_is_no_note)
{
        struct remote remote = {0};
        AUTO_RELEASE(buf) note = {0};

        EXPECT_TRUE(!search("elf/names-stripped.so", no_dirs, &remote, &note));
        EXPECT_INT(remote.n_asked, 1);
        EXPECT_STR(buf_text(&note), "");
}

TEST(what_the_network_gives_is_checked)
{
        struct remote remote = {.gives = WRONG};
        AUTO_RELEASE(buf) note = {0};

        EXPECT_TRUE(!search("elf/names-stripped.so", no_dirs, &remote, &note));
        EXPECT_CONTAINS(buf_text(&note), "debug file ");
        EXPECT_CONTAINS(buf_text(&note), "gcc5.so is of another build");
        buf_clear(&note);
        remote.gives = "elf/build.sh";
        EXPECT_TRUE(!search("elf/names-stripped.so", no_dirs, &remote, &note));
        EXPECT_CONTAINS(buf_text(&note), "elf/build.sh: is not an object file");
        buf_clear(&note);
        remote.gives = "no/such/file";
        EXPECT_TRUE(!search("elf/names-stripped.so", no_dirs, &remote, &note));
        EXPECT_CONTAINS(buf_text(&note), "no/such/file: ");
}

TEST(the_shared_file_comes_from_the_network_too)
{
        struct remote ctx = {.gives = WRONG};
        struct debug_remote remote = {.find = find, .ctx = &ctx};
        AUTO_RELEASE(buf) bytes = {0};
        AUTO_RELEASE(buf) note = {0};
        AUTO(object) debug = NULL;
        AUTO(object) found = NULL;
        char build_id[sizeof(ctx.build_id)];

        /* In memory with another path, so that the file next to it is not found. */
        ASSERT_TRUE(os_read_file(data_path("dwarf/dwz1.so"), 1 << 20, &bytes, NULL));
        debug = object_open_bytes(bytes.data, bytes.len, "/nowhere/dwz1.so", NULL);
        ASSERT_TRUE(debug);
        EXPECT_TRUE(!debug_search_alt(debug, no_dirs, &remote, &note));
        EXPECT_CONTAINS(buf_text(&note), "is of another build");
        buf_clear(&note);
        ctx.gives = "dwarf/dwz.debug";
        found = debug_search_alt(debug, no_dirs, &remote, &note);
        ASSERT_TRUE(found);
        text_hex(build_id, object_get_facts(found)->build_id, object_get_facts(found)->build_id_size);
        EXPECT_STR(ctx.build_id, build_id);
        EXPECT_STR(ctx.name, "dwz.debug");
        EXPECT_STR(buf_text(&note), "");
        EXPECT_TRUE(!debug_search_alt(debug, no_dirs, NULL, &note));
        EXPECT_CONTAINS(buf_text(&note), "was not found");
}

TEST(without_the_library_there_is_a_note)
{
        AUTO(debuginfod)
        d = debuginfod_new(&(struct debuginfod_options){.library = "libno-such-library.so.1"});
        const uint8_t build_id[] = {1, 2, 3, 4};
        AUTO_RELEASE(buf) path = {0};

        EXPECT_STR(debuginfod_note(d), "");
        EXPECT_TRUE(!debuginfod_find_debug(d, build_id, 0, "x", &path));
        EXPECT_STR(debuginfod_note(d), "");
        EXPECT_TRUE(!debuginfod_find_debug(d, build_id, sizeof(build_id), "x", &path));
        EXPECT_TRUE(!debuginfod_find_source(d, build_id, sizeof(build_id), "/x.c", &path));
        EXPECT_STR(debuginfod_note(d), "debuginfod: can't load libno-such-library.so.1; "
                                       "install the package libdebuginfod1");
        EXPECT_INT(path.len, 0);
}

static void write_servers(const char *path, const char *text)
{
        struct os_file *file = os_file_create(path, NULL);

        ASSERT_TRUE(file && os_file_write(file, text, strlen(text), NULL));
        EXPECT_TRUE(os_file_close(file, NULL));
}

TEST(the_server_that_an_administrator_named_comes_first)
{
        AUTO_RELEASE(buf) server = {0};

        debuginfod_server("no-such-folder.tmp", &server);
        EXPECT_CONTAINS(buf_text(&server), "https://debuginfod.");
        ASSERT_TRUE(os_make_dir("servers.tmp", NULL));
        write_servers("servers.tmp/README", "http://not.a.list\n");
        write_servers("servers.tmp/ours.urls", "https://symbols.example.org https://other.example.org\n");
        buf_clear(&server);
        debuginfod_server("servers.tmp", &server);
        EXPECT_STR(buf_text(&server), "https://symbols.example.org");
        EXPECT_TRUE(os_remove("servers.tmp/README", NULL) && os_remove("servers.tmp/ours.urls", NULL));
}

TAP_MAIN
