/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_python into a folder: a thread with a generator, two native calls and names that
 * are not ASCII, for each layout; tables of offsets; line tables.  Into a second folder those of
 * fuzz_python_moving: the same thread, in which one word changes between two reads. */
#include <string.h>

#include "python_changes.h"
#include "python_image.h"
#include "python_moving.h"
#include "python_small.h"
#include "save_seed.h"

static const char *folder, *moving_folder;
static struct image image;

/* Where the things of make_frames lie. */
static uint64_t made[N_WHATS];

/* Native frames: another function, an eval function with the first shim, glue, an eval function with the
 * second, others. */
static const uint8_t tail[SMALL_TAIL_BYTES] = {5 << 3 | 0,      16 << 3 | 4 | 2, 2 << 3 | 3,
                                               16 << 3 | 4 | 2, 1 << 3,          1 << 3};
/* The same functions for each Python frame of 3.8 to 3.10; there are nine. */
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

        made[COPIES] = array;
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
        if (layout->thread_native_id != PYTHON_NO_FIELD)
                image_word(&image, state + layout->thread_native_id, SMALL_NATIVE_ID);
        code = image_code(&image, "f", 3);
        other = image_code(&image, "g", 9);
        image_word(&image, other + layout->code_file, image_text_of(&image, 2, false, greek, 2));
        if (layout->minor >= 12)
                shim = image_aside(&image, 0, 0, 0);
        frame = image_push(&image, code, 2, shim);
        made[SHIM] = shim;
        made[BELOW] = frame;
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
        for (int i = 0; i < 6; i++) {
                made[CALLER] = frame;
                frame = image_push(&image, code, -1, frame);
        }
        image_enter(&image, state, frame);
        made[RUNTIME] = IMAGE_BASE;
        made[INTERP] = image.interp;
        made[STATE] = state;
        made[CFRAME] = image_get(&image, state + layout->thread_frame);
        if (layout->frames == PYTHON_FRAMES_CFRAME)
                made[OUTER] = image_get(&image, made[CFRAME] + layout->cframe_previous);
        made[CODE] = code;
        made[NAME] = image_get(&image, code + layout->code_name);
        made[LINES] = image_get(&image, code + layout->code_lines);
        made[FRAME] = frame;
}

static void start_image(unsigned number)
{
        struct python_layout layout = layout_number(number);

        small_shrink(&layout);
        image_init(&image, &layout);
        image.chunk_bytes = 512;
        image_word(&image, IMAGE_BASE + SMALL_TYPE, image.code_type);
}

/* Makes the image, and returns where the change is. */
static uint64_t begin_change(const struct change *change)
{
        uint32_t off = 0;

        start_image(change->layout);
        make_frames();
        if (change->field != NO_FIELD)
                memcpy(&off, (const char *)&image.runtime.layout + change->field, sizeof(off));
        return made[change->what] + off + change->add;
}

static void save_changed(const struct change *change)
{
        uint64_t addr = begin_change(change), value = made[change->to] + change->value;

        if (change->is_int)
                image_int(&image, addr, (int32_t)value);
        else
                image_word(&image, addr, value);
        save_image(change->name, change->layout, change->layout, change->flags | SMALL_WHOLE,
                   change->layout < 3 ? many_evals : tail);
}

/* Names with all kinds of characters, one of them longer than the limit, and a hidden code object. */
static void make_texts(void)
{
        static const uint16_t two[] = {0x20ac, 0xd800, 0xdfff, 0xe000};
        static const uint32_t four[] = {0x1f40d, 0x10ffff, 0x110000};
        static uint32_t name[PYTHON_MAX_NAME_CHARS + 100];
        const struct python_layout *layout = &image.runtime.layout;
        uint64_t state = image_thread(&image, IMAGE_POINTER), code = image_code(&image, "f", 3);
        uint64_t hidden = image_code(&image, "g", 0), frame;

        for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
                name[i] = i < 3 ? four[i] : 0x1f40d;
        image_word(&image, code + layout->code_name,
                   image_text_of(&image, 4, false, name, sizeof(name) / sizeof(name[0])));
        image_word(&image, code + layout->code_file, image_text_of(&image, 2, false, two, 4));
        image_word(&image, hidden + layout->code_file, image_get(&image, hidden + layout->code_name));
        frame = image_push(&image, code, 2, 0);
        image_enter(&image, state, image_push(&image, hidden, 2, frame));
}

/* Frames on a chunk of the data stack that is longer than one read, with `n` more chunks after it, whose
 * frames are its callees. */
static void make_pieces(unsigned n, uint64_t bytes_of_first)
{
        uint64_t state = image_thread(&image, IMAGE_POINTER), code = image_code(&image, "f", 3), first, frame;

        image.chunk_bytes = IMAGE_CHUNK + 8192;
        image_add_chunk(&image);
        first = image.chunk;
        frame = image_push(&image, code, 2, 0);
        image.chunk_top += IMAGE_CHUNK + 4096;
        frame = image_push(&image, code, 4, frame);
        image.chunk_bytes = 512;
        while (n--) {
                image_add_chunk(&image);
                frame = image_push(&image, code, 4, frame);
        }
        image_word(&image, first + 8, bytes_of_first);
        image_enter(&image, state, frame);
}

/* Thread states of one thread; the oldest is active, and the next one is only similar. */
static void make_states(unsigned n)
{
        const struct python_layout *layout = &image.runtime.layout;
        uint64_t states[PYTHON_MAX_STATES + 4] = {0}, code;

        for (unsigned i = 0; i < n; i++)
                states[i] = image_thread(&image, i == 1 && n > 2 ? IMAGE_POINTER - 64 : IMAGE_POINTER);
        image_int(&image, states[0] + layout->thread_status, PYTHON_STATUS_ACTIVE);
        code = image_code(&image, "f", 3);
        for (unsigned i = 0; i < n; i++)
                image_enter(&image, states[i], image_push(&image, code, 2, 0));
}

/* So many thread states of other threads that the next search waits. */
static void make_strangers(void)
{
        for (uint64_t i = 0; i < 40; i++)
                image_thread(&image, 2 * IMAGE_POINTER + i);
}

/* A 3.14 whose memory begins with its offsets.  Its structs are declared long, so that another offset is
 * inside them: word number `far`, unless that is 0. */
static void make_described(size_t far, uint64_t value)
{
        struct published table;
        struct python_layout layout;

        published_make(&table, 14, false);
        table.words[5] = 1024; /* interpreters_head */
        table.words[22] = table.words[31] = table.words[39] = 1 << 16;
        if (!python_layout_read(table.words, table.n_words * 8, false, &layout, NULL))
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
        static const struct {
                const char *name, *bytes;
                size_t size;
        } tables[] = {
#define TABLE(name, bytes) {name, bytes, sizeof(bytes) - 1}
                TABLE("lines", "\xe8\x42\x01\xf2\x40\x03\0\0\0\xf8\xf0\x01\x04\x80\x04\x02\x06\x01"),
                TABLE("lines_without", "\x0a\x80\x14\x05\x0a\x7f\x01"),
                TABLE("lines_no_start", "\x01\x02\x03\x04"),
                TABLE("lines_one_line", "\xd0\1\2\xd9\1\2\xe2\1\2\xf8\xff\xff\xff\xff\xff\xff\xff"),
                TABLE("lines_long_number", "\xe8\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x01"),
                TABLE("lines_far", "\xef\x7e\x7f\x7f\x7f\x7f\x3f\xef\x7f\x7f\x7f\x7f\x7f\x3f"),
                TABLE("lines_cut", "\xe8\x7f\x7f"),
                TABLE("lines_cut_by_start", "\xe8\x7f\x80\x01"),
#undef TABLE
        };

        for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
                struct buf out = {0};

                buf_add_u8(&out, SMALL_LINES);
                buf_add_u8(&out, 0);
                buf_add(&out, tables[i].bytes, tables[i].size);
                while (out.len < 2 + SMALL_TAIL_BYTES)
                        buf_add_u8(&out, 0x80);
                save_seed(folder, tables[i].name, &out);
        }
}

static void save_table(const char *name, unsigned number, const struct published *table)
{
        image.used = IMAGE_BASE + table->n_words * 8;
        image_put(&image, IMAGE_BASE, table->words, table->n_words * 8);
        save_image(name, number, SMALL_OFFSETS, 0, tail);
}

static void save_offsets(void)
{
        struct published table;

        for (unsigned i = 13; i <= 15; i++) {
                published_make(&table, i, i == 14);
                save_table("offsets", i, &table);
        }
        for (unsigned i = 0; i < sizeof(bad_offsets) / sizeof(bad_offsets[0]); i++) {
                published_make(&table, 14, true);
                table.words[bad_offsets[i].word] = bad_offsets[i].value;
                save_table("bad_offsets", i, &table);
        }
        table.n_words = 5;
        save_table("few_offsets", 14, &table);
}

static void save_pairs(void)
{
        for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
                start_image(pairs[i].layout);
                make_frames();
                save_image("pairs", i, pairs[i].layout, pairs[i].flags, pairs[i].natives);
        }
}

static void save_made(void)
{
        start_image(6);
        make_texts();
        save_image("texts", 6, 6, SMALL_WHOLE, tail);
        for (unsigned n = 0; n < 4; n++) {
                start_image(6);
                make_pieces(n, n == 3 ? 64 : IMAGE_CHUNK + 8192);
                save_image("pieces", n, 6, SMALL_WHOLE, tail);
        }
        start_image(4);
        make_states(PYTHON_MAX_STATES + 4);
        save_image("states", 4, 4, SMALL_WHOLE, tail);
        start_image(4);
        make_states(2);
        save_image("states_gone", 4, 4, SMALL_WHOLE | SMALL_CUT, tail);
        start_image(6);
        make_strangers();
        save_image("strangers", 6, 6, 0, tail);
        start_image(0);
        image.used = IMAGE_BASE + 8;
        save_image("tiny", 0, 0, 0, tail);
}

/* --- Of fuzz_python_moving --- */

static void add_moving(struct buf *out, uint8_t n_reads, enum moving_kind kind, uint64_t addr, uint64_t value)
{
        buf_add_u8(out, n_reads);
        buf_add_u8(out, (uint8_t)kind);
        buf_add_u16(out, (uint16_t)((addr - IMAGE_BASE) / 8));
        buf_add_u32(out, (uint32_t)value);
}

/* The change is made before read number `n_reads`, and `end` bytes of memory remain some reads later. */
static void save_moving(const char *name, unsigned number, uint8_t what, uint8_t flags,
                        const struct buf *first, uint64_t end)
{
        struct buf out = {0};
        char path[64];

        snprintf(path, sizeof(path), "%s_%u", name, number);
        buf_add_u8(&out, what);
        buf_add_u8(&out, flags);
        buf_add(&out, image.bytes, (size_t)(image.used - IMAGE_BASE));
        buf_add(&out, first->data, first->len);
        add_moving(&out, 9, MOVING_END, IMAGE_BASE + end, 0);
        while (out.len < 2 + image.used - IMAGE_BASE + MOVING_BYTES)
                add_moving(&out, UINT8_MAX, MOVING_END, IMAGE_BASE + 8 * UINT16_MAX, 0);
        save_seed(moving_folder, path, &out);
}

static void save_moving_change(const struct change *change, unsigned number)
{
        uint64_t addr = begin_change(change), value = made[change->to] + change->value;
        enum moving_kind kind = change->is_int ? MOVING_INT : MOVING_WORD;
        AUTO_RELEASE(buf) first = {0};

        if (kind == MOVING_WORD && value >= IMAGE_BASE && value < image.used) {
                kind = MOVING_POINTER;
                value -= IMAGE_BASE;
        }
        add_moving(&first, (uint8_t)(1 + number % 13), kind, addr, value);
        save_moving(change->name, change->layout, change->layout, change->flags | SMALL_TYPED, &first,
                    image.used - IMAGE_BASE - 8 * (number % 7));
}

/* The words of the thread's innermost frame and code object become 0 one after the other, and the memory
 * ends at half. */
static void save_moving_layout(unsigned number)
{
        AUTO_RELEASE(buf) first = {0};

        start_image(number);
        make_frames();
        add_moving(&first, (uint8_t)(2 + number), MOVING_WORD,
                   made[FRAME] + image.runtime.layout.frame_previous, 0);
        add_moving(&first, 2, MOVING_WORD, made[CODE] + image.runtime.layout.code_lines, 0);
        save_moving("frames", number, (uint8_t)number, 0, &first, (image.used - IMAGE_BASE) / 2);
}

/* A word near the end of what the image has becomes 0 at different reads. */
static void save_moving_made(const char *name, unsigned number, uint8_t flags)
{
        AUTO_RELEASE(buf) first = {0};

        add_moving(&first, (uint8_t)(1 + 2 * number), MOVING_WORD,
                   image.used - 8 * (5 + 7 * (uint64_t)number), 0);
        save_moving(name, number, number % 2 ? 6 : 4, flags, &first, image.used - IMAGE_BASE - 64 * number);
}

/* Several thread states of one thread, and frames on several chunks. */
static void save_moving_threads(void)
{
        for (unsigned i = 0; i < 6; i++) {
                start_image(i % 2 ? 6 : 4);
                make_states(i < 4 ? 2 : PYTHON_MAX_STATES + 4);
                save_moving_made("states", i, SMALL_RUNS);
        }
        for (unsigned i = 0; i < 4; i++) {
                start_image(i % 2 ? 6 : 4);
                make_pieces(i, IMAGE_CHUNK + 8192);
                save_moving_made("pieces", i, 0);
                start_image(i % 2 ? 6 : 4);
                make_frames();
                save_moving_made("few_frames", i, SMALL_FEW);
        }
}

/* Sizes that are read before what they are the size of, and pointers that are followed twice, change at
 * each read. */
static void save_turning(void)
{
        static const struct change turning[] = {
                {"lines_size", 6, 0, LINES, FIELD(bytes_size), .value = 4096},
                {"name_length", 6, 0, NAME, FIELD(text_length), .value = 100},
                {"name_state", 6, 0, NAME, FIELD(text_state), .value = 1 | 4 << 2 | 1 << 5},
                {"caller", 6, 0, FRAME, FIELD(frame_previous), .value = UNREADABLE},
                {"frame_code", 6, 0, FRAME, FIELD(frame_code), .value = UNREADABLE},
                {"top_frame", 6, 0, STATE, FIELD(thread_frame), .value = UNREADABLE},
                {"interpreter", 6, 0, STATE, FIELD(thread_interp), .value = UNREADABLE},
                {"chunk", 6, 0, STATE, FIELD(thread_chunk), .value = UNREADABLE},
                {"copies_number", 9, 0, COPIES, NO_FIELD, .value = 1 << 20},
                {"cframe", 3, 0, CFRAME, FIELD(cframe_frame), .value = UNREADABLE},
        };

        for (unsigned i = 0; i < 2 * N_ELEMENTS(turning); i++) {
                const struct change *change = &turning[i / 2];
                uint64_t addr = begin_change(change);
                AUTO_RELEASE(buf) first = {0};
                char name[64];

                add_moving(&first, (uint8_t)(i % 2), MOVING_TURNS, addr, change->value);
                snprintf(name, sizeof(name), "turning_%s", change->name);
                save_moving(name, i % 2, change->layout, SMALL_TYPED, &first, image.used - IMAGE_BASE);
        }
}

static void save_moving_seeds(void)
{
        save_turning();
        save_moving_threads();

        for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
                save_moving_change(&changes[i], i);
        for (unsigned i = 0; i < N_LAYOUTS; i++)
                save_moving_layout(i);
}

int main(int argc, char **argv)
{
        if (argc != 3)
                return 2;
        folder = argv[1];
        moving_folder = argv[2];
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                start_image(i);
                make_frames();
                save_image("frames", i, (uint8_t)i, SMALL_WHOLE | SMALL_TYPED, i < 3 ? many_evals : tail);
                if (i == 0 || i == 6)
                        save_image("cut", i, (uint8_t)i, SMALL_COPIED, tail);
                if (i == 3 || i == 4)
                        save_image("starts", i, (uint8_t)i, SMALL_STARTS | SMALL_WHOLE, tail);
        }
        for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
                save_changed(&changes[i]);
        save_made();
        make_described(0, 0);
        save_image("described", 14, SMALL_OFFSETS, SMALL_WHOLE, tail);
        make_described(28, 3000); /* native_thread_id */
        save_image("far_thread", 14, SMALL_OFFSETS, SMALL_WHOLE, tail);
        make_described(34, 312); /* instr_ptr */
        save_image("far_frame", 14, SMALL_OFFSETS, SMALL_WHOLE, tail);
        make_described(43, 600); /* linetable */
        save_image("far_code", 14, SMALL_OFFSETS, SMALL_WHOLE, tail);
        save_offsets();
        save_pairs();
        save_lines();
        save_moving_seeds();
        return 0;
}
