/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait_window.h"

#include <stdlib.h>

#include "mem.h"
#include "wait_section.h"

struct wait_window {
        size_t max_bytes, n_bytes;
        struct buf *sections; /* the oldest first */
        size_t n, cap;
};

struct wait_window *wait_window_new(size_t max_bytes)
{
        struct wait_window *window = mem_new(1, sizeof(*window));

        window->max_bytes = max_bytes;
        return window;
}

void wait_window_free(struct wait_window *window)
{
        if (!window)
                return;
        wait_window_drop_all(window);
        free(window->sections);
        free(window);
}

static void drop(struct wait_window *window, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                window->n_bytes -= window->sections[i].len;
                buf_release(&window->sections[i]);
        }
        window->n -= n;
        for (size_t i = 0; i < window->n; i++)
                window->sections[i] = window->sections[i + n];
}

void wait_window_add(struct wait_window *window, const struct buf *section)
{
        struct buf copy = {0};
        size_t n = 0, dropped = 0;

        buf_add(&copy, section->data, section->len);
        ARRAY_PUSH(window->sections, window->n, window->cap, copy);
        window->n_bytes += section->len;
        for (; window->n_bytes - dropped > window->max_bytes && n + 1 < window->n; n++)
                dropped += window->sections[n].len;
        if (n)
                drop(window, n);
}

void wait_window_drop_all(struct wait_window *window)
{
        drop(window, window->n);
}

void wait_window_write(const struct wait_window *window, struct buf *out)
{
        struct wait_section **parts = mem_new(window->n + 1, sizeof(struct wait_section *));
        AUTO(wait_section) all = NULL;

        for (size_t i = 0; i < window->n; i++)
                parts[i] = wait_section_new(cursor_make(window->sections[i].data, window->sections[i].len));
        all = wait_section_join(parts, window->n);
        wait_section_write(all->readings, all->n, all->holders, all->n_holders, out);
        for (size_t i = 0; i < window->n; i++)
                wait_section_free(parts[i]);
        free(parts);
}
