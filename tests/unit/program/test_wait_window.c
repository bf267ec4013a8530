/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait_window.h"

#include "tap.h"
#include "wait_section.h"

/* A section with one reading. */
static size_t add(struct wait_window *window, uint64_t time_ns, int32_t tid)
{
        const struct wait_reading reading = {.time_ns = time_ns,
                                             .pid = tid,
                                             .tid = tid,
                                             .inner_tid = tid,
                                             .how = WAIT_HOW_STILL,
                                             .state = 'S',
                                             .text = "pipe",
                                             .python_name = ""};
        AUTO_RELEASE(buf) section = {0};

        wait_section_write(&reading, 1, NULL, 0, &section);
        wait_window_add(window, &section);
        return section.len;
}

static struct wait_section *written(const struct wait_window *window, struct buf *bytes)
{
        buf_clear(bytes);
        wait_window_write(window, bytes);
        return wait_section_new(cursor_make(bytes->data, bytes->len));
}

static void expect_tids(const struct wait_window *window, size_t n, const int32_t *tids)
{
        AUTO_RELEASE(buf) bytes = {0};
        AUTO(wait_section) section = written(window, &bytes);

        EXPECT_TRUE(section != NULL);
        EXPECT_INT(section->n, n);
        for (size_t i = 0; i < n; i++)
                EXPECT_TRUE(wait_section_find(section, tids[i], (uint64_t)tids[i]) != NULL);
}

static struct wait_window *window_of_two(void)
{
        AUTO(wait_window) sizes = wait_window_new(SIZE_MAX);

        return wait_window_new(2 * add(sizes, 1, 1));
}

TEST(the_newest_readings_are_kept)
{
        AUTO(wait_window) window = window_of_two();

        add(window, 1, 1);
        add(window, 2, 2);
        expect_tids(window, 2, (int32_t[]){1, 2});
        add(window, 3, 3);
        expect_tids(window, 2, (int32_t[]){2, 3});
        add(window, 4, 4);
        add(window, 5, 5);
        expect_tids(window, 2, (int32_t[]){4, 5});
}

TEST(the_last_section_is_kept_however_large)
{
        AUTO(wait_window) window = wait_window_new(1);

        add(window, 1, 1);
        expect_tids(window, 1, (int32_t[]){1});
        add(window, 2, 2);
        expect_tids(window, 1, (int32_t[]){2});
}

TEST(what_is_dropped_makes_room)
{
        AUTO(wait_window) window = window_of_two();

        add(window, 1, 1);
        add(window, 2, 2);
        wait_window_drop_all(window);
        expect_tids(window, 0, NULL);
        add(window, 3, 3);
        add(window, 4, 4);
        expect_tids(window, 2, (int32_t[]){3, 4});
}

TAP_MAIN
