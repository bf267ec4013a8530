/* SPDX-License-Identifier: BSD-3-Clause */
/* The small objects of tests/data/dwarf: every address of their code, compared with the expected results
 * next to them. */
#include <stdlib.h>

#include "answers.h"
#include "buf.h"
#include "cursor.h"
#include "debug_search.h"
#include "debug_split.h"
#include "dwarf.h"
#include "dwarf_layout.h"
#include "mem.h"
#include "os.h"
#include "tap.h"
#include "test_data.h"

static const char *const no_dirs[] = {NULL};

struct looked_up {
        struct object *object, *alt;
        struct debug_split *split;
        struct dwarf *dwarf;
        uint64_t *addrs;
        size_t n_addrs;
        struct source_frames frames;
};

static bool open_object(struct looked_up *l, const char *name)
{
        AUTO_RELEASE(buf) note = {0};
        struct err err = {0};

        l->object = object_open(data_path(name), &err);
        if (l->object) {
                l->alt = debug_search_alt(l->object, no_dirs, NULL, &note);
                l->dwarf = dwarf_open(l->object, l->alt, &err);
        }
        if (l->dwarf) {
                struct dwarf_split split = debug_split_get(l->split = debug_split_new(data_path(name), NULL));

                dwarf_set_split(l->dwarf, &split);
        } else {
                TAP_FAIL("%s", err.text);
        }
        EXPECT_STR(buf_text(&note), "");
        return l->dwarf;
}

static void looked_up_release(struct looked_up *l)
{
        source_frames_release(&l->frames);
        dwarf_free(l->dwarf);
        debug_split_free(l->split);
        object_free(l->alt);
        object_free(l->object);
        free(l->addrs);
}

/* Every address of [start, end). */
static void look_up_all(struct looked_up *l, uint64_t start, uint64_t end)
{
        l->n_addrs = (size_t)(end - start);
        l->addrs = mem_new(l->n_addrs, sizeof(*l->addrs));
        for (size_t i = 0; i < l->n_addrs; i++)
                l->addrs[i] = start + i;
        dwarf_find(l->dwarf, l->addrs, l->n_addrs, &l->frames);
}

/* As answers.py writes them. */
static void add_frames(const struct looked_up *l, size_t i, struct buf *out)
{
        const struct source_span *span = &l->frames.spans[i];

        buf_clear(out);
        if (!span->n)
                buf_add_str(out, "?? ??:0:0");
        for (size_t j = 0; j < span->n; j++) {
                const struct source_frame *frame = &l->frames.frames[span->first + j];

                buf_printf(out, "%s%s %s:%u:%u", j ? "\t" : "", frame->function ? frame->function : "??",
                           frame->path ? frame->path : "??", frame->line, frame->column);
                EXPECT_CMP(frame->is_inlined, ==, (j + 1 < span->n));
        }
}

static void expect_answers(const char *name, const char *answers_name)
{
        AUTO_RELEASE(looked_up) l = {0};
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) got = {0};
        struct answer *answers = NULL;
        size_t n = 0, at = 0, n_wrong = 0;

        if (os_read_file(data_path(answers_name), MAX_ANSWERS_BYTES, &text, NULL))
                n = read_answers(text.data, &answers);
        EXPECT_CMP(n, >, 10);
        if (n > 10 && open_object(&l, name)) {
                look_up_all(&l, answers[0].addr, answers[n - 1].addr);
                for (size_t i = 0; i < l.n_addrs; i++) {
                        at += answers[at + 1].addr == l.addrs[i];
                        add_frames(&l, i, &got);
                        if (strcmp(buf_text(&got), answers[at].frames) != 0 && !n_wrong++)
                                TAP_FAIL("%s 0x%" PRIx64 ": '%s', want '%s'", name, l.addrs[i],
                                         buf_text(&got), answers[at].frames);
                }
                EXPECT_INT(n_wrong, 0);
                EXPECT_STR(dwarf_note(l.dwarf), "");
        }
        free(answers);
}

TEST(dwarf_reads_versions_2_to_5_of_gcc)
{
        expect_answers("dwarf/gcc2.so", "dwarf/gcc2.answers");
        expect_answers("dwarf/gcc3.so", "dwarf/gcc3.answers");
        expect_answers("dwarf/gcc4.so", "dwarf/gcc4.answers");
        expect_answers("dwarf/gcc5.so", "dwarf/gcc5.answers");
}

TEST(dwarf_reads_offsets_of_64_bits)
{
        expect_answers("dwarf/gcc5-64.so", "dwarf/gcc5-64.answers");
}

TEST(dwarf_reads_compressed_sections)
{
        expect_answers("dwarf/gcc5-zlib.so", "dwarf/gcc5-zlib.answers");
}

TEST(dwarf_reads_arm64)
{
        expect_answers("dwarf/arm64.so", "dwarf/arm64.answers");
}

TEST(dwarf_reads_clang_without_aranges)
{
        expect_answers("dwarf/clang4.so", "dwarf/clang4.answers");
        expect_answers("dwarf/clang5.so", "dwarf/clang5.answers");
}

TEST(dwarf_prefers_linkage_names)
{
        expect_answers("dwarf/cxx.so", "dwarf/cxx.answers");
}

TEST(dwarf_follows_into_the_file_of_dwz)
{
        expect_answers("dwarf/dwz1.so", "dwarf/dwz1.answers");
}

TEST(dwarf_reads_dwo_files)
{
        expect_answers("dwarf/split4.so", "dwarf/split4.answers");
        expect_answers("dwarf/split5.so", "dwarf/split5.answers");
}

TEST(dwarf_reads_packages)
{
        expect_answers("dwarf/package4.so", "dwarf/package4.answers");
        expect_answers("dwarf/package5.so", "dwarf/package5.answers");
}

TEST(dwarf_finds_a_package_in_the_program)
{
        AUTO_RELEASE(looked_up) l = {0};
        const struct source_span *span;

        ASSERT_TRUE(open_object(&l, "dwarf/own-package5.so"));
        dwarf_set_split(l.dwarf, &(struct dwarf_split){.package = l.object});
        look_up_all(&l, 0x210, 0x211);
        span = &l.frames.spans[0];
        ASSERT_TRUE(span->n);
        EXPECT_STR(l.frames.frames[span->first + span->n - 1].function, "sum_longest");
        EXPECT_STR(dwarf_note(l.dwarf), "");
}

TEST(dwarf_has_lines_without_the_dwo_file)
{
        AUTO_RELEASE(looked_up) l = {0};
        const struct source_frame *frame;

        ASSERT_TRUE(open_object(&l, "dwarf/split5.so"));
        dwarf_set_split(l.dwarf, &(struct dwarf_split){0});
        look_up_all(&l, 0x200, 0x204);
        ASSERT_CMP(l.frames.spans[0].n, ==, 1);
        frame = &l.frames.frames[l.frames.spans[0].first];
        EXPECT_TRUE(!frame->function);
        EXPECT_STR(frame->path, "/src/two.c");
        EXPECT_INT(frame->line, 7);
        EXPECT_STR(dwarf_note(l.dwarf), "1 .dwo file was not found, the first is split5-two.dwo");
}

static struct object *open_stale(void *ctx, const struct dwarf_dwo *dwo)
{
        EXPECT_STR(dwo->folder, "/src");
        EXPECT_TRUE(!dwarf_has_split_unit(ctx, dwo->id));
        return ctx;
}

TEST(dwarf_refuses_a_dwo_file_of_another_build)
{
        AUTO_RELEASE(looked_up) l = {0};
        AUTO(object) stale = object_open(data_path("dwarf/split5-one.dwo"), NULL);

        ASSERT_TRUE(stale && open_object(&l, "dwarf/split5.so"));
        dwarf_set_split(l.dwarf, &(struct dwarf_split){.open_dwo = open_stale, .ctx = stale});
        look_up_all(&l, 0x200, 0x204);
        EXPECT_CONTAINS(dwarf_note(l.dwarf), "split5-two.dwo");
}

TEST(dwarf_leaves_out_what_the_linker_dropped)
{
        AUTO_RELEASE(looked_up) l = {0};

        ASSERT_TRUE(open_object(&l, "dwarf/clang5.so"));
        look_up_all(&l, 0, 0x100);
        EXPECT_INT(l.frames.n_frames, 0);
}

/* --- Damage --- */

/* The bytes of gcc5.so with `size` of them replaced at `off` of a section. */
struct damaged {
        struct buf bytes;
        struct object *object;
        struct dwarf *dwarf;
        struct err err;
};

static void damaged_release(struct damaged *d)
{
        dwarf_free(d->dwarf);
        object_free(d->object);
        buf_release(&d->bytes);
}

/* The bytes of a section, to be damaged; NULL if there is none. */
static char *section_bytes(struct damaged *d, const char *section, size_t *ret_size)
{
        AUTO(object) whole = object_open(data_path("dwarf/gcc5.so"), NULL);
        const struct object_section *found = whole ? object_find_section(whole, section) : NULL;

        if (!found || (!d->bytes.len &&
                       !os_read_file(data_path("dwarf/gcc5.so"), MAX_ANSWERS_BYTES, &d->bytes, NULL))) {
                TAP_FAIL("gcc5.so has no %s", section);
                return NULL;
        }
        *ret_size = found->file_size;
        return d->bytes.data + found->file_off;
}

static void open_damaged(struct damaged *d)
{
        d->object = object_open_bytes(d->bytes.data, d->bytes.len, "damaged", &d->err);
        d->dwarf = dwarf_open(d->object, NULL, &d->err);
}

static void damage(struct damaged *d, const char *section, uint64_t off, const void *with, size_t size)
{
        size_t section_size;
        char *bytes = section_bytes(d, section, &section_size);

        if (bytes)
                memcpy(bytes + off, with, size);
        open_damaged(d);
}

/* Names of the innermost functions at the starts of one.c's and two.c's code. */
static void expect_functions(struct damaged *d, const char *in_one, const char *in_two)
{
        AUTO_RELEASE(looked_up) whole = {0};
        struct source_frames frames;
        uint64_t addrs[2];
        const char *want[2] = {in_one, in_two};

        ASSERT_TRUE(d->dwarf && open_object(&whole, "dwarf/gcc5.so"));
        look_up_all(&whole, 0x200, 0x400);
        addrs[0] = addrs[1] = 0;
        for (size_t i = 0; i < whole.n_addrs; i++) {
                const struct source_span *span = &whole.frames.spans[i];
                const char *name = span->n ? whole.frames.frames[span->first + span->n - 1].function : NULL;

                if (name && !strcmp(name, "twice"))
                        addrs[0] = whole.addrs[i];
                if (name && !strcmp(name, "is_far"))
                        addrs[1] = whole.addrs[i];
        }
        ASSERT_TRUE(addrs[0] && addrs[1] && addrs[0] < addrs[1]);
        dwarf_find(d->dwarf, addrs, 2, &frames);
        for (size_t i = 0; i < 2; i++) {
                const struct source_span *span = &frames.spans[i];

                EXPECT_STR(span->n && frames.frames[span->first + span->n - 1].function
                                   ? frames.frames[span->first + span->n - 1].function
                                   : "",
                           want[i]);
        }
        source_frames_release(&frames);
}

TEST(dwarf_reads_on_behind_a_damaged_unit)
{
        AUTO_RELEASE(damaged) d = {0};

        damage(&d, ".debug_info", DWARF_ABBREV_OFFSET_OFF, "\xf0\xff\xff\x7f", 4);
        expect_functions(&d, "", "is_far");
        EXPECT_CONTAINS(dwarf_note(d.dwarf), "unit 0x0: its abbreviations lie outside .debug_abbrev");
}

TEST(dwarf_counts_a_damaged_unit_once)
{
        AUTO_RELEASE(damaged) d = {0};

        damage(&d, ".debug_info", DWARF_ABBREV_OFFSET_OFF, "\xf0\xff\xff\x7f", 4);
        for (unsigned i = 0; i < 3; i++)
                expect_functions(&d, "", "is_far");
        EXPECT_STR(dwarf_note(d.dwarf), "unit 0x0: its abbreviations lie outside .debug_abbrev");
}

TEST(dwarf_passes_over_a_version_of_the_future)
{
        AUTO_RELEASE(damaged) d = {0};

        damage(&d, ".debug_info", DWARF_VERSION_OFF, "\x06", 1);
        expect_functions(&d, "", "is_far");
}

TEST(dwarf_keeps_functions_when_lines_are_damaged)
{
        AUTO_RELEASE(damaged) d = {0};

        damage(&d, ".debug_line", DWARF_VERSION_OFF, "\x09", 1);
        expect_functions(&d, "twice", "is_far");
        EXPECT_CONTAINS(dwarf_note(d.dwarf), "version 9 of its line table is not supported");
}

TEST(dwarf_scans_units_when_aranges_are_damaged)
{
        AUTO_RELEASE(damaged) d = {0};

        damage(&d, ".debug_aranges", DWARF_UNIT_LENGTH_OFF, "\xff\xff\xff\x7f", 4);
        expect_functions(&d, "twice", "is_far");
        EXPECT_CONTAINS(dwarf_note(d.dwarf), ".debug_aranges is cut");
}

/* Neither .debug_aranges nor the units have ranges: their functions do. */
TEST(dwarf_scans_functions_of_units_without_ranges)
{
        static const char ranges_and_low[] = {0x55, 0x17, 0x11, 0x01}, unknown[] = {0x08, 0x17, 0x08, 0x01};
        AUTO_RELEASE(damaged) d = {0};
        size_t size, n_found = 0;
        char *bytes = section_bytes(&d, ".debug_abbrev", &size);

        ASSERT_TRUE(bytes);
        for (size_t i = 0; i + sizeof(unknown) <= size; i++) {
                if (memcmp(bytes + i, ranges_and_low, sizeof(unknown)) != 0)
                        continue;
                memcpy(bytes + i, unknown, sizeof(unknown));
                n_found++;
        }
        EXPECT_INT(n_found, 2);
        bytes = section_bytes(&d, ".debug_aranges", &size);
        ASSERT_TRUE(bytes);
        memset(bytes + DWARF_VERSION_OFF, 0x7f, 2);
        memset(bytes + DWARF_ARANGES_TUPLES_OFF, 0, size - DWARF_ARANGES_TUPLES_OFF);
        open_damaged(&d);
        expect_functions(&d, "twice", "is_far");
}

TEST(dwarf_ends_where_the_units_break)
{
        AUTO_RELEASE(damaged) d = {0};

        damage(&d, ".debug_info", DWARF_UNIT_LENGTH_OFF, "\xf0\xff\xff\x7f", 4);
        expect_functions(&d, "", "");
        EXPECT_CONTAINS(dwarf_note(d.dwarf), "unit 0x0 is longer than .debug_info");
}

TEST(dwarf_refuses_what_it_cannot_read)
{
        struct err err = {0};
        AUTO(object) without = object_open(data_path("elf/names-stripped.so"), &err);
        AUTO(object) not_linked = object_open(data_path("elf/names.o"), &err);

        ASSERT_TRUE(without && not_linked);
        EXPECT_TRUE(!dwarf_open(without, NULL, &err));
        EXPECT_INT(err.code, ERR_MISSING);
        EXPECT_TRUE(!dwarf_open(not_linked, NULL, &err));
        EXPECT_INT(err.code, ERR_UNSUPPORTED);
}

TAP_MAIN
