/* SPDX-License-Identifier: BSD-3-Clause */
/* Where PDBs are searched, and which are used.  All files are below a folder in the working directory. */
#include "pe_search.h"

#include <string.h>

#include "buf.h"
#include "os.h"
#include "pdb_sample.h"
#include "resolver.h"
#include "tap.h"
#include "text.h"
#include "text_match.h"

#define ROOT "pe-search.tmp"
#define KEY  "131211101514171618191A1B1C1D1E1F3"

enum { AGE = 3 };

static const char *const roots[] = {ROOT, NULL};

/* Makes the folders of a path below ROOT and a file there; relative to ROOT. */
static void write_file(const char *path, const void *bytes, size_t size)
{
        AUTO_RELEASE(buf) full = {0};
        struct os_file *file;

        buf_add_str(&full, ROOT);
        os_make_dir(buf_text(&full), NULL);
        for (const char *at = path; *at;) {
                size_t len = strcspn(at, "/");

                buf_printf(&full, "/%.*s", (int)len, at);
                at += len;
                if (*at++ != '/')
                        break;
                os_make_dir(buf_text(&full), NULL);
        }
        os_remove(buf_text(&full), NULL);
        file = os_file_create(buf_text(&full), NULL);
        if (!file || !os_file_write(file, bytes, size, NULL) || !os_file_close(file, NULL))
                TAP_FAIL("%s could not be written", buf_text(&full));
}

static void remove_file(const char *path)
{
        AUTO_RELEASE(buf) full = {0};

        buf_printf(&full, "%s/%s", ROOT, path);
        EXPECT_TRUE(os_remove(buf_text(&full), NULL));
}

static void write_pdb_of(const char *path, bool has_omap)
{
        struct pdb_builder builder = {0};
        AUTO_RELEASE(buf) bytes = {0};

        sample_make(&builder);
        builder.has_omap = has_omap;
        built_file_bytes(&builder, 512, &bytes);
        write_file(path, bytes.data, bytes.len);
        built_release(&builder);
}

static void write_pdb(const char *path)
{
        write_pdb_of(path, false);
}

static struct object_pdb identity(const char *path, uint32_t age)
{
        struct object_pdb pdb = {.path = path, .age = age};

        for (uint8_t i = 0; i < sizeof(pdb.guid); i++)
                pdb.guid[i] = 0x10 + i;
        return pdb;
}

/* The path below ROOT of what is found, "" if nothing is. */
static const char *search(const char *image, const struct object_pdb *wanted, const struct pe_places *places,
                          struct buf *note)
{
        const struct pe_wanted about = {.path = image, .places = places};
        AUTO(pdb) found = NULL;
        static char path[600];
        bool is_moved = true;

        buf_clear(note);
        found = pe_search_pdb(&about, wanted, &is_moved, note);
        EXPECT_TRUE(!is_moved);
        text_copy(path, sizeof(path), found ? pdb_name(found) : "");
        return text_starts(path, ROOT "/") ? path + strlen(ROOT "/") : path;
}

TEST(flat_folders_and_symbol_servers)
{
        static const char *const places_of[] = {
                "a/app.pdb",
                "b/App.PDB",
                "c/app.pdb/" KEY "/app.pdb",
                "d/ap/app.pdb/" KEY "/app.pdb",
                "e/APP.pdb/131211101514171618191a1b1c1d1e1f3/App.pdb",
        };
        static const char *const dirs[] = {ROOT "/a", ROOT "/b", ROOT "/c", ROOT "/d", ROOT "/e", NULL};
        const struct pe_places places = {.dirs = dirs};
        const struct object_pdb wanted = identity("C:\\build\\out\\app.pdb", AGE);
        AUTO_RELEASE(buf) note = {0};

        for (size_t i = 0; i < N_ELEMENTS(places_of); i++) {
                write_pdb(places_of[i]);
                EXPECT_TRUE(text_equal_nocase(search("D:\\app.exe", &wanted, &places, &note), places_of[i]));
                EXPECT_STR(buf_text(&note), "");
                remove_file(places_of[i]);
        }
        EXPECT_STR(search("D:\\app.exe", &wanted, &places, &note), "");
        EXPECT_STR(
                buf_text(&note),
                "its PDB app.pdb (13121110-1514-1716-1819-1A1B1C1D1E1F, age 3) was not found: name its folder with "
                "--symbol-path");
}

TEST(beside_the_image_and_where_it_was_made)
{
        const struct object_pdb elsewhere = identity("Z:\\nowhere\\app.pdb", AGE);
        AUTO_RELEASE(buf) note = {0};

        write_pdb("bin/app.pdb");
        EXPECT_STR(search(ROOT "/bin/app.exe", &elsewhere, NULL, &note), "bin/app.pdb");
        EXPECT_STR(search(ROOT "/other/app.exe", &elsewhere, NULL, &note), "");
        remove_file("bin/app.pdb");
}

/* If the user's own file does not match, a note says so for the image with its name. */
TEST(another_build_is_not_taken)
{
        const struct object_pdb older = identity("app.pdb", AGE - 1);
        const struct object_pdb other = identity("kernel32.pdb", AGE);
        const struct pe_places folder = {.dirs = roots};
        const struct pe_places named = {.pdb = ROOT "/app.pdb"};
        struct object_pdb wanted = identity("app.pdb", AGE);
        AUTO_RELEASE(buf) note = {0};

        write_pdb("app.pdb");
        EXPECT_STR(search("x/app.exe", &older, &folder, &note), "");
        EXPECT_STR(buf_text(&note),
                   ROOT "/app.pdb is of another build: its id is 13121110-1514-1716-1819-1A1B1C1D1E1F, age "
                        "3, but the image needs 13121110-1514-1716-1819-1A1B1C1D1E1F, age 2");
        wanted.guid[15] ^= 1;
        EXPECT_STR(search("x/app.exe", &wanted, &named, &note), "");
        EXPECT_TRUE(strstr(buf_text(&note), "-1A1B1C1D1E1E, age 3"));
        wanted.guid[15] ^= 1;
        EXPECT_STR(search("x/app.exe", &wanted, &named, &note), "app.pdb");
        EXPECT_STR(search("x/kernel32.dll", &other, &named, &note), "app.pdb");
        wanted = identity("kernel32.pdb", AGE + 1);
        EXPECT_STR(search("x/kernel32.dll", &wanted, &named, &note), "");
        EXPECT_TRUE(text_starts(buf_text(&note), "its PDB kernel32.pdb ("));
        remove_file("app.pdb");
}

TEST(what_is_packed_or_no_pdb_is_told)
{
        static const char *const dirs[] = {ROOT "/f", NULL};
        const struct object_pdb wanted = identity("app.pdb", AGE);
        const struct pe_places places = {.dirs = dirs};
        AUTO_RELEASE(buf) note = {0};

        write_file("f/app.pdb/" KEY "/app.pd_", "SZDD", 4);
        EXPECT_STR(search("x/app.exe", &wanted, &places, &note), "");
        EXPECT_STR(buf_text(&note), ROOT
                   "/f/app.pdb/" KEY
                   "/app.pd_ is compressed, and wperf does not read it: unpack it with expand or cabextract");
        remove_file("f/app.pdb/" KEY "/app.pd_");
        write_file("f/ap/app.pdb/" KEY "/app.pdb", "no PDB", 6);
        EXPECT_STR(search("x/app.exe", &wanted, &places, &note), "");
        EXPECT_TRUE(text_starts(buf_text(&note), ROOT "/f/ap/app.pdb/" KEY "/app.pdb: "));
        remove_file("f/ap/app.pdb/" KEY "/app.pdb");
}

/* The name of one exported function would be used for all code after it. */
TEST(code_that_was_moved_has_no_names)
{
        AUTO(resolver) resolver = resolver_new(&(struct resolver_options){0});
        AUTO_RELEASE(buf) image = {0};
        resolver_id id;

        ASSERT_TRUE(os_read_file(TEST_DATA "/pe/ld-stripped.exe", 1 << 20, &image, NULL));
        write_file("moved/app.exe", image.data, image.len);
        write_pdb_of("moved/ld.pdb", true);
        id = resolver_add_module(
                resolver, &(struct resolver_module){.kind = RESOLVER_FILE, .path = ROOT "/moved/app.exe"});
        EXPECT_CMP(resolver_find_addr(resolver, id, 0x14000100a).status, !=, SYMBOL_NAMED);
        EXPECT_CMP(resolver_find_addr(resolver, id, 0x14000101f).status, !=, SYMBOL_NAMED);
        EXPECT_STR(
                resolver_note(resolver, id), ROOT
                "/moved/ld.pdb: has OMAP tables: code was moved after linking, and wperf can't find the new addresses");
        remove_file("moved/ld.pdb");
        remove_file("moved/app.exe");
}

/* The name comes from an untrusted file: shares of other machines and other folders are not searched. */
TEST(hostile_names)
{
        static const char *const names[] = {
                "",         "..",        ".", "/", "\\\\server\\share\\app.pdb", "//server/share/app.pdb",
                "a\nb.pdb", "/dev/zero", "C:"};
        const struct pe_places places = {.dirs = roots};
        AUTO_RELEASE(buf) note = {0};

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                const struct object_pdb wanted = identity(names[i], AGE);

                EXPECT_STR(search("x/app.exe", &wanted, &places, &note), "");
                EXPECT_TRUE(note.len);
        }
}

TAP_MAIN
