/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_python into a folder: a thread with a generator, two native calls and names that are no ASCII, for each
 * layout; tables of offsets; line tables. */
#include <string.h>

#include "python_image.h"
#include "python_small.h"
#include "save_seed.h"

static const char *folder;
static struct image image;

/* Natives: another function, an eval function with the first shim, glue, an eval function with the second, others. */
static const uint8_t tail[SMALL_TAIL_BYTES] = {5 << 3 | 0,      16 << 3 | 4 | 2, 2 << 3 | 3,
                                               16 << 3 | 4 | 2, 1 << 3,          1 << 3};
/* The same functions for each Python frame of 3.8 to 3.10, of which there are nine. */
static const uint8_t many_evals[SMALL_TAIL_BYTES] = {27 << 3, 10, 10, 11, 10, 8, 10, 10,
                                                     10,      10, 10, 10, 8,  8, 8,  8};

static void save_image(const char *name, unsigned number, uint8_t what, uint8_t flags, const uint8_t *natives)
{
        struct buf out = {0};
        char path[64];

        snprintf(path, sizeof(path), "%s_%u", name, number);
        buf_add_u8(&out, what);
        buf_add_u8(&out, flags);
        buf_add(&out, image.bytes, (size_t)(image.used - IMAGE_BASE));
        buf_add(&out, natives, SMALL_TAIL_BYTES);
        save_seed(folder, path, &out);
}

/* 3.11: as the cframe of the inner native call. */
static uint64_t add_inner_cframe(uint64_t state, uint64_t frame)
{
        uint64_t outer = image_get(&image, state + image.runtime.layout.thread_frame);
        uint64_t cframe = image_alloc(&image, 32);

        image_word(&image, outer + image.runtime.layout.cframe_frame, frame);
        image_word(&image, cframe + image.runtime.layout.cframe_previous, outer);
        image_word(&image, state + image.runtime.layout.thread_frame, cframe);
        return cframe;
}

static void use_copy(uint64_t frame, uint64_t code)
{
        const struct python_layout *layout = &image.runtime.layout;
        uint64_t array = image_alloc(&image, 32), copy = image_alloc(&image, 32);

        image_word(&image, array, 2);
        image_word(&image, array + 16, copy);
        image_word(&image, code + layout->code_copies, array);
        image_word(&image, frame + layout->frame_instr, copy + 4);
        image_int(&image, frame + layout->frame_copy, 1);
}

static void make_frames(void)
{
        static const uint16_t greek[] = {0x3b1, 0x3b2};
        const struct python_layout *layout = &image.runtime.layout;
        uint64_t state, code, other, frame, shim = 0;

        state = image_thread(&image, IMAGE_POINTER);
        code = image_code(&image, "f", 3);
        other = image_code(&image, "g", 9);
        image_word(&image, other + layout->code_file, image_text_of(&image, 2, false, greek, 2));
        if (layout->minor >= 12)
                shim = image_aside(&image, 0, 0, 0);
        frame = image_push(&image, code, 2, shim);
        if (layout->frame_entry != PYTHON_NO_FIELD) {
                image_byte(&image, frame + layout->frame_entry, 1);
                add_inner_cframe(state, frame);
        }
        if (layout->minor >= 12)
                frame = image_aside(&image, 0, 0, frame);
        frame = image_aside(&image, other, 4, frame);
        if (layout->frame_entry != PYTHON_NO_FIELD)
                image_byte(&image, frame + layout->frame_entry, 1);
        frame = image_push(&image, code, 6, frame);
        if (layout->frame_copy != PYTHON_NO_FIELD)
                use_copy(frame, code);
        for (int i = 0; i < 6; i++)
                frame = image_push(&image, code, -1, frame);
        image_enter(&image, state, frame);
}

static void start_image(unsigned number)
{
        struct python_layout layout = layout_number(number);

        small_shrink(&layout);
        image_init(&image, &layout);
        image.chunk_bytes = 512;
        image_word(&image, IMAGE_BASE + SMALL_TYPE, image.code_type);
}

/* A name and a piece of the data stack that are longer than what is read of them at once. */
static void make_long(void)
{
        static uint32_t name[PYTHON_MAX_NAME_CHARS + 100];
        const struct python_layout *layout = &image.runtime.layout;
        uint64_t state = image_thread(&image, IMAGE_POINTER), code = image_code(&image, "f", 3), frame;

        for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
                name[i] = 0x1f40d;
        image_word(&image, code + layout->code_name,
                   image_text_of(&image, 4, false, name, sizeof(name) / sizeof(name[0])));
        image.chunk_bytes = IMAGE_CHUNK + 8192;
        image_add_chunk(&image);
        image.chunk_top += IMAGE_CHUNK + 4096;
        frame = image_push(&image, code, 2, 0);
        image_enter(&image, state, image_push(&image, code, 4, frame));
}

/* More thread states of one thread than are kept. */
static void make_states(void)
{
        uint64_t code = image_code(&image, "f", 3);

        for (int i = 0; i < PYTHON_MAX_STATES + 4; i++)
                image_enter(&image, image_thread(&image, IMAGE_POINTER), image_push(&image, code, 2, 0));
}

/* A 3.14 whose memory begins with its offsets.  Its structs say that they are long, so that another offset is within them: word number
 * `far`, unless that is 0. */
static void make_described(size_t far, uint64_t value)
{
        struct published table;
        struct python_layout layout;

        published_make(&table, 14, false);
        table.words[5] = 1024; /* interpreters_head */
        table.words[22] = table.words[31] = table.words[39] = 1 << 16;
        if (!python_layout_read(table.words, table.n_words * 8, &layout, NULL))
                abort();
        image_init(&image, &layout);
        image.chunk_bytes = 512;
        make_frames();
        if (far)
                table.words[far] = value;
        image_put(&image, IMAGE_BASE, table.words, table.n_words * 8);
        image_alloc(&image, 4096);
}

static void save_lines(void)
{
        static const uint8_t table[] = {0x80 | 13 << 3,
                                        66,
                                        1,
                                        0x80 | 14 << 3 | 2,
                                        64,
                                        3,
                                        0,
                                        0,
                                        0,
                                        0x80 | 15 << 3,
                                        0xf0,
                                        1,
                                        4,
                                        0x80,
                                        4,
                                        2,
                                        6,
                                        1};
        struct buf out = {0};

        buf_add_u8(&out, SMALL_LINES);
        buf_add_u8(&out, 0);
        buf_add(&out, table, sizeof(table));
        save_seed(folder, "lines", &out);
}

int main(int argc, char **argv)
{
        if (argc != 2)
                return 2;
        folder = argv[1];
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                start_image(i);
                make_frames();
                save_image("frames", i, (uint8_t)i, SMALL_WHOLE | SMALL_TYPED, i < 3 ? many_evals : tail);
                if (i == 0 || i == 6)
                        save_image("cut", i, (uint8_t)i, SMALL_COPIED, tail);
                if (i == 3 || i == 4)
                        save_image("starts", i, (uint8_t)i, SMALL_STARTS | SMALL_WHOLE, tail);
        }
        start_image(6);
        make_long();
        save_image("long", 6, 6, SMALL_WHOLE, tail);
        start_image(4);
        make_states();
        save_image("states", 4, 4, SMALL_WHOLE, tail);
        make_described(0, 0);
        save_image("described", 14, SMALL_OFFSETS, SMALL_WHOLE, tail);
        make_described(28, 3000); /* native_thread_id */
        save_image("far_thread", 14, SMALL_OFFSETS, SMALL_WHOLE, tail);
        make_described(34, 312); /* instr_ptr */
        save_image("far_frame", 14, SMALL_OFFSETS, SMALL_WHOLE, tail);
        make_described(43, 600); /* linetable */
        save_image("far_code", 14, SMALL_OFFSETS, SMALL_WHOLE, tail);
        for (unsigned i = 13; i <= 15; i++) {
                struct published table;

                published_make(&table, i, i == 14);
                image.used = IMAGE_BASE + table.n_words * 8;
                image_put(&image, IMAGE_BASE, table.words, table.n_words * 8);
                save_image("offsets", i, SMALL_OFFSETS, 0, tail);
        }
        save_lines();
        return 0;
}
