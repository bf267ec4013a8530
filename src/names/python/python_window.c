/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies parts of the data stack, or pages of the heap. */
#include "python_window.h"

#include "python_runtime.h"

enum {
        MIN_REACH = 1024,
        PAGE_BYTES = 4096, /* the smallest size of pages */
        MAX_CHUNK_BYTES = 64 << 20,
        CHUNK_PREVIOUS = 0, /* struct _stack_chunk */
        CHUNK_SIZE = 8,
};

void python_window_begin(struct python_window *window, const uint8_t *state, uint32_t reach)
{
        const struct python_layout *layout = window->layout;

        window->chunk = window->chunk_top = 0;
        window->size = 0;
        window->reach = reach < MIN_REACH ? MIN_REACH : reach;
        window->is_first_chunk = true;
        window->first_top = 0;
        window->lowest = UINT64_MAX;
        if (layout->thread_chunk != PYTHON_NO_FIELD) {
                window->chunk = python_word_at(state, layout->thread_chunk);
                window->chunk_top = python_word_at(state, layout->thread_chunk + 8);
        }
}

uint32_t python_window_reach(const struct python_window *window)
{
        uint64_t needed = window->first_top ? window->first_top - window->lowest : 0;
        uint32_t reach = window->reach - window->reach / 8;

        if (needed > PYTHON_WINDOW_BYTES)
                needed = PYTHON_WINDOW_BYTES;
        if (needed + MIN_REACH / 2 > reach)
                reach = (uint32_t)needed + MIN_REACH / 2;
        return reach > PYTHON_WINDOW_BYTES ? PYTHON_WINDOW_BYTES : reach;
}

static bool is_in_window(const struct python_window *window, uint64_t addr)
{
        size_t size = window->layout->frame_bytes;

        return addr >= window->start && window->size >= size && addr - window->start <= window->size - size;
}

/* Size of the chunk of the data stack that begins at `chunk`: the default size, or, if `addr` is beyond it,
 * the size in its header. */
static uint64_t get_chunk_bytes(struct python_window *window, uint64_t chunk, uint64_t addr)
{
        uint64_t size;

        if (addr - chunk < PYTHON_WINDOW_BYTES)
                return PYTHON_WINDOW_BYTES;
        if (addr - chunk >= MAX_CHUNK_BYTES || !python_memory_word(window->memory, chunk + CHUNK_SIZE, &size))
                return 0;
        return size < MAX_CHUNK_BYTES ? size : MAX_CHUNK_BYTES;
}

/* Moves to the chunk before the current one, if the copy has the current one's header and `addr` is in the
 * other. */
static bool move_chunk(struct python_window *window, uint64_t addr)
{
        uint64_t previous, size;

        if (!window->chunk || window->start != window->chunk || window->size < sizeof(previous))
                return false;
        previous = python_word_at(window->bytes, CHUNK_PREVIOUS);
        if (!previous || addr < previous)
                return false;
        size = get_chunk_bytes(window, previous, addr);
        if (addr - previous >= size)
                return false;
        window->chunk = previous;
        window->chunk_top = previous + size;
        window->is_first_chunk = false;
        return true;
}

/* Copies the data stack up to the end of the frame at `addr`. */
static bool load_window(struct python_window *window, uint64_t addr)
{
        uint64_t end = addr + window->layout->frame_bytes;
        uint64_t want = window->size || !window->is_first_chunk ? PYTHON_WINDOW_BYTES : window->reach;
        uint64_t start = end - window->chunk > want ? end - want : window->chunk;

        window->size = 0;
        if (!python_memory_read(window->memory, start, window->bytes, (size_t)(end - start)))
                return false;
        window->start = start;
        window->size = (size_t)(end - start);
        return true;
}

/* Copies the pages that contain the frame, because other frames are often next to it on the heap. */
static bool load_pages(struct python_window *window, uint64_t addr)
{
        uint64_t start = addr & ~(uint64_t)(PAGE_BYTES - 1);
        uint64_t end = (addr + window->layout->frame_bytes + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);

        window->size = 0;
        if (end <= start || !python_memory_read(window->memory, start, window->bytes, (size_t)(end - start)))
                return false;
        window->start = start;
        window->size = (size_t)(end - start);
        return true;
}

const uint8_t *python_window_get(struct python_window *window, uint64_t addr)
{
        uint32_t size = window->layout->frame_bytes;
        bool is_on_stack = window->chunk && addr >= window->chunk && addr < window->chunk_top;

        if (is_on_stack && window->is_first_chunk) {
                if (!window->first_top)
                        window->first_top = addr + size;
                if (addr < window->lowest)
                        window->lowest = addr;
        }
        if (is_in_window(window, addr))
                return window->bytes + (addr - window->start);
        if (window->layout->frames == PYTHON_FRAMES_HEAP
                    ? load_pages(window, addr)
                    : (is_on_stack || move_chunk(window, addr)) && load_window(window, addr))
                return window->bytes + (addr - window->start);
        return python_memory_read(window->memory, addr, window->single, size) ? window->single : NULL;
}
