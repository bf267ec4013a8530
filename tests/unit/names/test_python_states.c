/* SPDX-License-Identifier: BSD-3-Clause */
/* All thread states of a runtime, in hand-made memory: of all versions, with several interpreters, and in
 * lists that loop. */
#include "python_image.h"
#include "python_layouts.h"
#include "tap.h"

enum { MAX_STATES = 16 };

static struct image image;

struct seen {
        struct python_state states[MAX_STATES];
        size_t n, most; /* most: ends after so many */
};

static bool see(void *ctx, const struct python_state *state)
{
        struct seen *seen = ctx;

        if (seen->n < MAX_STATES)
                seen->states[seen->n] = *state;
        return ++seen->n < seen->most;
}

static void see_all(struct seen *ret, size_t most)
{
        *ret = (struct seen){.most = most};
        python_runtime_each_state(&image.runtime, &image.memory, see, ret);
}

static void start(unsigned number)
{
        struct python_layout layout = layout_number(number);

        image_init(&image, &layout);
}

static void give_gil(uint64_t state)
{
        const struct python_layout *layout = &image.runtime.layout;

        if (layout->thread_status == PYTHON_NO_FIELD)
                image_word(&image, image.runtime.addr + layout->runtime_current, state);
        else
                image_int(&image, state + layout->thread_status, PYTHON_STATUS_ACTIVE | 3);
}

TEST(each_state_of_each_interpreter)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                const struct python_layout *layout = &image.runtime.layout;
                uint64_t first, second, third, interp;
                struct seen seen;

                start(i);
                first = image_thread(&image, IMAGE_POINTER);
                second = image_thread(&image, 0x9000);
                if (layout->thread_native_id != PYTHON_NO_FIELD)
                        image_word(&image, second + layout->thread_native_id, 77);
                interp = image.interp;
                image.interp = image_alloc(&image, layout->interp_threads + 64);
                image_word(&image, interp + layout->interp_next, image.interp);
                third = image_thread(&image, 0xa000);
                give_gil(second);
                see_all(&seen, MAX_STATES);
                EXPECT_INT(seen.n, 3);
                EXPECT_INT(seen.states[0].addr, second);
                EXPECT_INT(seen.states[0].pointer, 0x9000);
                EXPECT_INT(seen.states[0].native_id, layout->thread_native_id == PYTHON_NO_FIELD ? 0 : 77);
                EXPECT_TRUE(seen.states[0].has_gil);
                EXPECT_INT(seen.states[1].addr, first);
                EXPECT_INT(seen.states[1].pointer, IMAGE_POINTER);
                EXPECT_TRUE(!seen.states[1].has_gil);
                EXPECT_INT(seen.states[2].addr, third);
                EXPECT_TRUE(!seen.states[2].has_gil);
                see_all(&seen, 2);
                EXPECT_INT(seen.n, 2);
                python_runtime_release(&image.runtime);
        }
}

TEST(lists_that_loop_end)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                const struct python_layout *layout = &image.runtime.layout;
                struct seen seen;
                uint64_t state;

                start(i);
                state = image_thread(&image, IMAGE_POINTER);
                image_word(&image, state + layout->thread_next, state);
                image_word(&image, image.interp + layout->interp_next, image.interp);
                see_all(&seen, SIZE_MAX);
                EXPECT_INT(seen.n, PYTHON_MAX_THREADS);
                python_runtime_release(&image.runtime);
        }
}

TEST(memory_that_can_not_be_read_has_no_states)
{
        struct seen seen;
        uint64_t state;

        start(5);
        state = image_thread(&image, IMAGE_POINTER);
        image_word(&image, state + image.runtime.layout.thread_next, 0x10);
        see_all(&seen, MAX_STATES);
        EXPECT_INT(seen.n, 1);
        image_word(&image, image.interp + image.runtime.layout.interp_threads, 0x10);
        image_word(&image, image.interp + image.runtime.layout.interp_next, 0x10);
        see_all(&seen, MAX_STATES);
        EXPECT_INT(seen.n, 0);
        image_word(&image, image.runtime.addr + image.runtime.layout.runtime_interpreters, 0);
        see_all(&seen, MAX_STATES);
        EXPECT_INT(seen.n, 0);
        image.runtime.addr = 0;
        see_all(&seen, MAX_STATES);
        EXPECT_INT(seen.n, 0);
        python_runtime_release(&image.runtime);
}

TAP_MAIN
