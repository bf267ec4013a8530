/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a process with CPython, made by hand: runtime, interpreter, thread states, frames and code
 * objects of any layout. */
#ifndef PYTHON_IMAGE_H
#define PYTHON_IMAGE_H

#include <stdlib.h>
#include <string.h>

#include "python_code.h"
#include "python_stack.h"

enum {
        IMAGE_BASE = 0x10000000,
        IMAGE_BYTES = 1 << 20,
        IMAGE_CHUNK = 16384,
        IMAGE_POINTER = 0x7000, /* of the first thread */
        IMAGE_OWNER_SHIM = 3,
};

struct image {
        uint8_t bytes[IMAGE_BYTES];
        uint64_t used; /* addresses up to here are taken */
        struct python_runtime runtime;
        struct python_memory memory;
        uint64_t interp, code_type;
        uint64_t chunk, chunk_top, chunk_bytes;
};

static bool image_read(void *ctx, uint64_t addr, void *ret_bytes, size_t size)
{
        struct image *image = ctx;
        uint64_t off = addr - IMAGE_BASE;

        if (addr < IMAGE_BASE || off > IMAGE_BYTES || size > IMAGE_BYTES - off)
                return false;
        memcpy(ret_bytes, image->bytes + off, size);
        return true;
}

static inline uint64_t image_alloc(struct image *image, uint64_t size)
{
        uint64_t addr = image->used;

        image->used += (size + 15) & ~(uint64_t)15;
        if (image->used > IMAGE_BASE + IMAGE_BYTES)
                abort();
        return addr;
}

static inline void image_put(struct image *image, uint64_t addr, const void *bytes, size_t size)
{
        if (addr < IMAGE_BASE || addr - IMAGE_BASE + size > IMAGE_BYTES)
                abort();
        memcpy(image->bytes + (addr - IMAGE_BASE), bytes, size);
}

static inline uint64_t image_get(struct image *image, uint64_t addr)
{
        uint64_t word = 0;

        if (!image_read(image, addr, &word, sizeof(word)))
                abort();
        return word;
}

static inline void image_word(struct image *image, uint64_t addr, uint64_t word)
{
        image_put(image, addr, &word, sizeof(word));
}

static inline void image_int(struct image *image, uint64_t addr, int32_t value)
{
        image_put(image, addr, &value, sizeof(value));
}

static inline void image_byte(struct image *image, uint64_t addr, uint8_t value)
{
        image_put(image, addr, &value, 1);
}

/* --- Objects ---------------------------------------------------------------------------------------- */

/* Characters of `kind` bytes each; state as in PyASCIIObject with two bits of `interned`. */
static inline uint64_t image_text_of(struct image *image, unsigned kind, bool is_ascii, const void *chars,
                                     size_t n)
{
        const struct python_layout *layout = &image->runtime.layout;
        uint64_t addr = image_alloc(image, 128 + n * kind);

        image_word(image, addr + layout->text_length, n);
        image_int(image, addr + layout->text_state,
                  (int32_t)(1 | kind << 2 | 1 << 5 | (unsigned)is_ascii << 6));
        image_put(image, addr + (is_ascii ? layout->text_ascii_bytes : layout->text_compact_bytes), chars,
                  n * kind);
        return addr;
}

static inline uint64_t image_text(struct image *image, const char *text)
{
        return image_text_of(image, 1, true, text, strlen(text));
}

static inline uint64_t image_bytes(struct image *image, const void *bytes, size_t n)
{
        const struct python_layout *layout = &image->runtime.layout;
        uint64_t addr = image_alloc(image, 64 + n);

        image_word(image, addr + layout->bytes_size, n);
        image_put(image, addr + layout->bytes_data, bytes, n);
        return addr;
}

/* A function whose line table has the first line for all of its 64 bytes of code. */
static inline uint64_t image_code(struct image *image, const char *name, int32_t first_line)
{
        static const uint8_t lnotab[2] = {0, 0}, lines[2] = {64, 0};
        uint8_t locations[8];
        const struct python_layout *layout = &image->runtime.layout;
        uint64_t addr = image_alloc(image, 512 + 64), table;

        for (int i = 0; i < 8; i += 2) {
                locations[i] = 0x80 | 7;
                locations[i + 1] = 0;
        }
        table = layout->table == PYTHON_TABLE_LNOTAB  ? image_bytes(image, lnotab, 2)
                : layout->table == PYTHON_TABLE_LINES ? image_bytes(image, lines, 2)
                                                      : image_bytes(image, locations, 8);
        image_word(image, addr + layout->object_type, image->code_type);
        image_word(image, addr + layout->code_name, image_text(image, name));
        image_word(image, addr + layout->code_file, image_text(image, "app.py"));
        image_int(image, addr + layout->code_first_line, first_line);
        image_word(image, addr + layout->code_lines, table);
        return addr;
}

/* --- Threads and frames ----------------------------------------------------------------------------- */

static inline void image_init(struct image *image, const struct python_layout *layout)
{
        *image = (struct image){.used = IMAGE_BASE, .chunk_bytes = IMAGE_CHUNK};
        image->runtime.layout = *layout;
        image->memory = (struct python_memory){.read = image_read, .ctx = image};
        image->runtime.addr = image_alloc(image, layout->runtime_interpreters + 64);
        image->interp = image_alloc(image, layout->interp_threads + 64);
        image->code_type = image->runtime.code_type = image_alloc(image, 64);
        image_word(image, image->runtime.addr + layout->runtime_interpreters, image->interp);
}

/* _PyStackChunk: the previous one, its size, its top, the frames; and in the thread state after its newest
 * chunk: datastack_top. */
enum {
        IMAGE_CHUNK_PREVIOUS_OFF = 0,
        IMAGE_CHUNK_SIZE_OFF = 8,
        IMAGE_CHUNK_DATA_OFF = 24,
        IMAGE_TOP_AFTER_CHUNK = 8,
};

/* Another piece of the data stack. */
static inline void image_add_chunk(struct image *image)
{
        uint64_t chunk = image_alloc(image, image->chunk_bytes);

        image_word(image, chunk + IMAGE_CHUNK_PREVIOUS_OFF, image->chunk);
        image_word(image, chunk + IMAGE_CHUNK_SIZE_OFF, image->chunk_bytes);
        image->chunk = chunk;
        image->chunk_top = chunk + IMAGE_CHUNK_DATA_OFF;
}

/* A thread state, which becomes the newest of the interpreter. */
static inline uint64_t image_thread(struct image *image, uint64_t pointer)
{
        const struct python_layout *layout = &image->runtime.layout;
        uint64_t addr = image_alloc(image, layout->thread_bytes);

        image_word(image, addr + layout->thread_next,
                   image_get(image, image->interp + layout->interp_threads));
        image_word(image, addr + layout->thread_interp, image->interp);
        image_word(image, addr + layout->thread_id, pointer);
        image_word(image, image->interp + layout->interp_threads, addr);
        if (layout->frames == PYTHON_FRAMES_CFRAME) {
                uint64_t cframe = image_alloc(image, 64);

                image_word(image, addr + layout->thread_frame, cframe);
                image_word(image, cframe + layout->cframe_previous, image_alloc(image, 64));
        }
        return addr;
}

/* Makes a frame the innermost one of a thread. */
static inline void image_enter(struct image *image, uint64_t thread, uint64_t frame)
{
        const struct python_layout *layout = &image->runtime.layout;

        if (layout->frames == PYTHON_FRAMES_CFRAME)
                image_word(image, image_get(image, thread + layout->thread_frame) + layout->cframe_frame,
                           frame);
        else
                image_word(image, thread + layout->thread_frame, frame);
        if (layout->thread_chunk != PYTHON_NO_FIELD) {
                image_word(image, thread + layout->thread_chunk, image->chunk);
                image_word(image, thread + layout->thread_chunk + IMAGE_TOP_AFTER_CHUNK, image->chunk_top);
        }
}

/* Writes a frame of `code` at `instr_bytes` (-1: before the first instruction); a shim if code is 0. */
static inline void image_fill(struct image *image, uint64_t addr, uint64_t code, int32_t instr_bytes,
                              uint64_t previous)
{
        const struct python_layout *layout = &image->runtime.layout;

        image_word(image, addr + layout->frame_previous, previous);
        image_word(image, addr + layout->frame_code, code);
        if (layout->frames == PYTHON_FRAMES_HEAP)
                image_int(image, addr + layout->frame_instr,
                          layout->table == PYTHON_TABLE_LINES && instr_bytes > 0 ? instr_bytes / 2
                                                                                 : instr_bytes);
        else
                image_word(image, addr + layout->frame_instr,
                           code + layout->code_instrs +
                                   (uint64_t)(int64_t)(instr_bytes == -1 ? -2 : instr_bytes));
        if (layout->frame_owner != PYTHON_NO_FIELD)
                image_byte(image, addr + layout->frame_owner, code ? 0 : IMAGE_OWNER_SHIM);
}

/* A frame on the data stack; on the heap for versions without one. */
static inline uint64_t image_push(struct image *image, uint64_t code, int32_t instr_bytes, uint64_t previous)
{
        const struct python_layout *layout = &image->runtime.layout;
        uint64_t addr = image->chunk_top;

        if (layout->thread_chunk == PYTHON_NO_FIELD) {
                addr = image_alloc(image, layout->frame_bytes + 64);
        } else {
                if (!image->chunk || addr + 128 > image->chunk + image->chunk_bytes) {
                        image_add_chunk(image);
                        addr = image->chunk_top;
                }
                image->chunk_top = addr + 128;
        }
        image_fill(image, addr, code, instr_bytes, previous);
        return addr;
}

/* A frame that is not on the data stack: a generator's, or a shim. */
static inline uint64_t image_aside(struct image *image, uint64_t code, int32_t instr_bytes, uint64_t previous)
{
        uint64_t addr = image_alloc(image, 256);

        image_fill(image, addr, code, instr_bytes, previous);
        return addr;
}

#endif
