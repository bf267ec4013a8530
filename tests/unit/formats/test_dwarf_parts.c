/* SPDX-License-Identifier: BSD-3-Clause */
/* Many units are decoded in two parts, at the same time or one after the other on one CPU: the results are
 * the same as without parts. */
#include <stdlib.h>
#ifdef __linux__
#include <sched.h>
#endif

#include "dwarf.h"
#include "mem.h"
#include "tap.h"

static const char big_program[] = "/usr/bin/python3.11d";

enum { STEP = 997, FEW = 16 };

struct looked_up {
        struct object *object;
        struct dwarf *dwarf;
};

static void looked_up_release(struct looked_up *l)
{
        dwarf_free(l->dwarf);
        object_free(l->object);
}

static bool open_object(struct looked_up *l)
{
        l->object = object_open(big_program, NULL);
        l->dwarf = l->object ? dwarf_open(l->object, NULL, NULL) : NULL;
        return l->dwarf;
}

/* Addresses all over its code; free(). */
static uint64_t *choose_addrs(const struct object *object, size_t *ret_n)
{
        uint64_t *addrs = NULL;
        size_t n = 0, cap = 0;

        for (size_t i = 0; i < object_n_sections(object); i++) {
                const struct object_section *section = object_get_section(object, i);

                if (strcmp(section->name, ".text") != 0)
                        continue;
                for (uint64_t off = 0; off < section->size_bytes; off += STEP)
                        ARRAY_PUSH(addrs, n, cap, section->addr + off);
        }
        *ret_n = n;
        return addrs;
}

static bool is_equal(const struct source_frame *a, const struct source_frame *b)
{
        return !strcmp(a->function ? a->function : "", b->function ? b->function : "") &&
               !strcmp(a->path ? a->path : "", b->path ? b->path : "") && a->line == b->line &&
               a->column == b->column && a->is_inlined == b->is_inlined && a->start == b->start;
}

static size_t count_differences(const struct source_frames *all, size_t first,
                                const struct source_frames *few, size_t n)
{
        size_t n_different = 0;

        for (size_t i = 0; i < n; i++) {
                const struct source_span *a = &all->spans[first + i], *b = &few->spans[i];
                bool equal = a->n == b->n;

                for (size_t j = 0; equal && j < a->n; j++)
                        equal = is_equal(&all->frames[a->first + j], &few->frames[b->first + j]);
                n_different += !equal;
        }
        return n_different;
}

TEST(parts_give_the_answers_of_one)
{
        AUTO_RELEASE(looked_up) in_parts = {0};
        AUTO_RELEASE(looked_up) one_by_one = {0};
        struct source_frames all, few;
        size_t n = 0, n_different = 0;
        uint64_t *addrs;

        if (!open_object(&in_parts) || !open_object(&one_by_one))
                SKIP("there is no python3.11d (package python3-dbg)");
        addrs = choose_addrs(in_parts.object, &n);
        EXPECT_CMP(n, >, 1000);
        dwarf_find(in_parts.dwarf, addrs, n, &all);
        EXPECT_CMP(all.n_frames, >=, n / 2);
        for (size_t first = 0; first < n; first += FEW) {
                size_t n_few = n - first < FEW ? n - first : FEW;

                dwarf_find(one_by_one.dwarf, addrs + first, n_few, &few);
                n_different += count_differences(&all, first, &few, n_few);
                source_frames_release(&few);
        }
        EXPECT_INT(n_different, 0);
        EXPECT_STR(dwarf_note(in_parts.dwarf), dwarf_note(one_by_one.dwarf));
        source_frames_release(&all);
        free(addrs);
}

#ifdef __linux__
/* The result of dwarf_find while this process may use only one CPU. */
static void find_on_one_cpu(struct dwarf *dwarf, const uint64_t *addrs, size_t n, struct source_frames *ret)
{
        cpu_set_t before, one;
        int cpu = 0;

        ASSERT_TRUE(!sched_getaffinity(0, sizeof(before), &before));
        while (!CPU_ISSET(cpu, &before))
                cpu++;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        ASSERT_TRUE(!sched_setaffinity(0, sizeof(one), &one));
        dwarf_find(dwarf, addrs, n, ret);
        ASSERT_TRUE(!sched_setaffinity(0, sizeof(before), &before));
}

TEST(parts_in_turn_give_the_answers_of_both_at_once)
{
        AUTO_RELEASE(looked_up) at_once = {0};
        AUTO_RELEASE(looked_up) in_turn = {0};
        struct source_frames expected, frames = {0};
        uint64_t *addrs;
        size_t n = 0;

        if (!open_object(&at_once) || !open_object(&in_turn))
                SKIP("there is no python3.11d (package python3-dbg)");
        addrs = choose_addrs(at_once.object, &n);
        dwarf_find(at_once.dwarf, addrs, n, &expected);
        find_on_one_cpu(in_turn.dwarf, addrs, n, &frames);
        EXPECT_INT(frames.n_frames, expected.n_frames);
        EXPECT_INT(count_differences(&expected, 0, &frames, n), 0);
        EXPECT_STR(dwarf_note(in_turn.dwarf), dwarf_note(at_once.dwarf));
        source_frames_release(&expected);
        source_frames_release(&frames);
        free(addrs);
}
#endif

TAP_MAIN
