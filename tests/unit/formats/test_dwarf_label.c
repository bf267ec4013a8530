/* SPDX-License-Identifier: BSD-3-Clause */
/* Labels and address ranges of functions, compared with the expected results next to the small objects of
 * tests/data/dwarf. */
#include <stdlib.h>

#include "answers.h"
#include "buf.h"
#include "dwarf_lookup.h"
#include "os.h"
#include "tap.h"
#include "test_data.h"

struct looked_up {
        struct object *object;
        struct dwarf *dwarf;
};

static bool open_object(struct looked_up *l, const char *name)
{
        struct err err = {0};

        l->object = object_open(data_path(name), &err);
        l->dwarf = l->object ? dwarf_open(l->object, NULL, &err) : NULL;
        if (!l->dwarf)
                TAP_FAIL("%s", err.text);
        return l->dwarf;
}

static void looked_up_release(struct looked_up *l)
{
        dwarf_free(l->dwarf);
        object_free(l->object);
}

/* In the format of labels.py, for the function that contains `addr`. */
static void add_function(struct looked_up *l, uint64_t addr, struct buf *out)
{
        struct source_extent *extents;
        struct source_label *labels;
        size_t n_extents = dwarf_find_extents(l->dwarf, addr, &extents);
        size_t n_labels = dwarf_find_labels(l->dwarf, addr, &labels);

        buf_add_str(out, "extents");
        for (size_t i = 0; i < n_extents; i++)
                buf_printf(out, "\t0x%" PRIx64 "-0x%" PRIx64, extents[i].start, extents[i].end);
        buf_add_char(out, '\n');
        for (size_t i = 0; i < n_labels; i++) {
                if (labels[i].has_addr)
                        buf_printf(out, "0x%" PRIx64, labels[i].addr);
                else
                        buf_add_str(out, "lost");
                buf_printf(out, "\t%s\t%s:%u\n", labels[i].name, labels[i].path, labels[i].line);
        }
        free(extents);
        free(labels);
}

/* Looks up each function by each of its address ranges: `want` has one line of them for each function. */
static void expect_labels(const char *name, const char *answers_name)
{
        AUTO_RELEASE(looked_up) l = {0};
        AUTO_RELEASE(buf) want = {0};
        size_t n_functions = 0;

        ASSERT_TRUE(os_read_file(data_path(answers_name), MAX_ANSWERS_BYTES, &want, NULL));
        ASSERT_TRUE(open_object(&l, name));
        for (const char *at = buf_text(&want), *next; *at; at = next) {
                AUTO_RELEASE(buf) expected = {0};

                next = strstr(at + 1, "extents");
                next = next ? next : at + strlen(at);
                buf_add(&expected, at, (size_t)(next - at));
                for (const char *tab = strchr(at, '\t'); tab && tab < strchr(at, '\n');
                     tab = strchr(tab + 1, '\t')) {
                        AUTO_RELEASE(buf) got = {0};

                        add_function(&l, strtoull(tab, NULL, 16), &got);
                        EXPECT_STR(buf_text(&got), buf_text(&expected));
                }
                n_functions++;
        }
        EXPECT_INT(n_functions, 2);
        EXPECT_STR(dwarf_note(l.dwarf), "");
}

TEST(labels_have_addresses_without_optimisation)
{
        expect_labels("dwarf/labels0.so", "dwarf/labels0.labels");
}

TEST(labels_without_addresses_come_from_the_abstract_origin)
{
        expect_labels("dwarf/labels2.so", "dwarf/labels2.labels");
}

TEST(labels_are_found_in_another_unit)
{
        expect_labels("dwarf/labels-lto.so", "dwarf/labels-lto.labels");
}

TEST(labels_of_clang_have_indexed_addresses)
{
        expect_labels("dwarf/labels-clang.so", "dwarf/labels-clang.labels");
}

TEST(labels_are_none_where_no_function_is)
{
        AUTO_RELEASE(looked_up) l = {0};
        struct source_label *labels;
        struct source_extent *extents;

        ASSERT_TRUE(open_object(&l, "dwarf/labels2.so"));
        EXPECT_INT(dwarf_find_labels(l.dwarf, 0x10, &labels), 0);
        EXPECT_INT(dwarf_find_extents(l.dwarf, 0x10, &extents), 0);
        EXPECT_TRUE(!labels && !extents);
        EXPECT_INT(dwarf_find_labels(l.dwarf, 0x214, &labels), 0); /* between functions */
        EXPECT_INT(dwarf_find_extents(l.dwarf, 0x214, &extents), 0);
}

/* Each range of a function is taken from the budget before the next one: when it is used up, the place of
 * the second range does not change. */
TEST(places_are_paid_for_range_by_range)
{
        AUTO_RELEASE(looked_up) l = {0};
        struct dwarf_unit *unit = NULL;
        size_t n_between = 0;
        bool ok = false;

        ASSERT_TRUE(open_object(&l, "dwarf/labels2.so"));
        unit = &l.dwarf->main.units[dwarf_find_unit(l.dwarf, 0x250)];
        ASSERT_TRUE(dwarf_unit_prepare(unit, NULL));
        for (uint64_t budget = 0; !ok && budget < 100000; budget++) {
                /* In the order of the function's list the third and fourth one come first. */
                struct dwarf_place items[] = {
                        {.addr = 0x205}, {.addr = 0x206}, {.addr = 0x250}, {.addr = 0x251}};
                struct dwarf_places places = {items, 4};
                struct dwarf_tree tree = {0};

                for (size_t i = 0; i < 4; i++)
                        items[i].node = DWARF_NO_OWNER;
                l.dwarf->meter.left = budget;
                ok = dwarf_tree_find(unit, &tree, &places, NULL);
                n_between += !ok && items[2].node_start == 0x250 && !items[0].node_start;
                EXPECT_CMP(ok, ==, (items[0].node != DWARF_NO_OWNER));
                dwarf_tree_release(&tree);
        }
        EXPECT_TRUE(ok);
        EXPECT_INT(n_between, 2);
}

static size_t count_frames(struct dwarf *dwarf, uint64_t addr)
{
        struct source_frames frames;
        size_t n;

        dwarf_find(dwarf, &addr, 1, &frames);
        n = frames.n_frames;
        source_frames_release(&frames);
        return n;
}

/* However often it is looked up, a file may cause only so much work. */
TEST(a_file_that_takes_too_much_work_is_given_up)
{
        AUTO_RELEASE(looked_up) l = {0};
        AUTO_RELEASE(buf) text = {0};
        struct budget command, file;
        struct source_label *labels;
        uint64_t left;

        budget_init(&command, 0);
        budget_init_file(&file, &command, "labels2.so");
        l.object = object_open(data_path("dwarf/labels2.so"), NULL);
        ASSERT_TRUE(l.object);
        object_set_budget(l.object, &file);
        l.dwarf = dwarf_open(l.object, NULL, NULL);
        ASSERT_TRUE(l.dwarf);
        EXPECT_CMP(count_frames(l.dwarf, 0x250), >, 0);
        left = budget_steps_left(&file);
        EXPECT_TRUE(left > 0 && left < UINT64_MAX);
        EXPECT_CMP(count_frames(l.dwarf, 0x250), >, 0);
        EXPECT_CMP(budget_steps_left(&file), <, left); /* what was read counts */
        EXPECT_TRUE(budget_work(&file, BUDGET_LINES, budget_steps_left(&file) - 1));
        EXPECT_TRUE(!budget_has_given_up(&command));
        EXPECT_INT(count_frames(l.dwarf, 0x250), 0);
        EXPECT_TRUE(budget_has_given_up(&command) && !budget_is_short(&command));
        budget_add_given_up(&command, &text);
        EXPECT_STR(text.data, "inlined frames and lines of labels2.so");
        EXPECT_INT(budget_steps_left(&file), 0);
        EXPECT_INT(dwarf_find_labels(l.dwarf, 0x250, &labels), 0);
        budget_release(&file);
        budget_release(&command);
}

/* Bytes that a lookup reads. */
static uint64_t read_for_extents(struct dwarf *dwarf, uint64_t addr)
{
        struct source_extent *extents;

        EXPECT_CMP(dwarf_find_extents(dwarf, addr, &extents), >, 0);
        free(extents);
        return dwarf->total_bytes * DWARF_MAX_PASSES - dwarf->meter.left;
}

TEST(functions_of_a_unit_are_read_once)
{
        AUTO_RELEASE(looked_up) l = {0};
        uint64_t first;

        ASSERT_TRUE(open_object(&l, "dwarf/labels2.so"));
        first = read_for_extents(l.dwarf, 0x250);
        EXPECT_CMP(first, >, read_for_extents(l.dwarf, 0x250) + 100);
}

TAP_MAIN
