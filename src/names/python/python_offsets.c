/* SPDX-License-Identifier: BSD-3-Clause */
/* `_Py_DebugOffsets`: sections of 64-bit words, each of which begins with the size of a struct.
 *
 * Sources: 3.13: Include/internal/pycore_runtime.h of 3.13.0.  3.14:
 * Include/internal/pycore_debug_offsets.h, interpreter_state with code_object_generation and
 * tlbc_generation, interpreter_frame with stackpointer and tlbc_index, code_object with co_tlbc. 3.15: the
 * same file when the table has 888 bytes (PY_REMOTE_DEBUG_OFFSETS_TOTAL_SIZE in
 * Modules/_remote_debugging/debug_offsets_validation.h), and before last_profiled_frame_seq was added.
 * Bits of _status: struct _ts in Include/cpython/pystate.h; datastack_top follows datastack_chunk there. */
#include "python_layout.h"

#include <string.h>

static const char cookie[8] = {'x', 'd', 'e', 'b', 'u', 'g', 'p', 'y'};

/* The number of words in each section of a version, up to the last word that is used. */
struct offset_variant {
        uint8_t minor;
        uint8_t interp_words;
        uint8_t thread_words;
        uint8_t thread_id; /* word of thread_state; native_thread_id, datastack_chunk and status follow */
        uint8_t exc_words; /* err_stackitem */
        uint8_t frame_words;
        uint8_t code_words;
        uint8_t type_words;   /* type_object and heap_type_object */
        uint8_t object_words; /* tuple, list, set, dict, float and long */
        uint8_t modules;      /* word of interpreter_state: imports_modules */
        uint8_t gen_words;    /* between unicode_object and gen_object, both not included; 0: not known */
};

static const struct offset_variant variants[] = {
        {.minor = 13,
         .interp_words = 13,
         .thread_words = 9,
         .thread_id = 5,
         .exc_words = 0,
         .frame_words = 6,
         .code_words = 10,
         .type_words = 4,
         .object_words = 14,
         .modules = 5},
        {.minor = 14,
         .interp_words = 16,
         .thread_words = 9,
         .thread_id = 5,
         .exc_words = 0,
         .frame_words = 8,
         .code_words = 11,
         .type_words = 4,
         .object_words = 18,
         .modules = 6,
         .gen_words = 2},
        {.minor = 15,
         .interp_words = 16,
         .thread_words = 16,
         .thread_id = 8,
         .exc_words = 1,
         .frame_words = 8,
         .code_words = 11,
         .type_words = 8,
         .object_words = 18,
         .modules = 6,
         .gen_words = 6},
        {.minor = 15,
         .interp_words = 16,
         .thread_words = 15,
         .thread_id = 7,
         .exc_words = 1,
         .frame_words = 8,
         .code_words = 11,
         .type_words = 4,
         .object_words = 18,
         .modules = 6},
        {.minor = 15,
         .interp_words = 16,
         .thread_words = 15,
         .thread_id = 7,
         .exc_words = 1,
         .frame_words = 8,
         .code_words = 11,
         .type_words = 8,
         .object_words = 18,
         .modules = 6},
};

enum {
        WORD_VERSION = 1,
        WORD_FREE_THREADED = 2,
        WORD_RUNTIME = 3,
        WORD_INTERP = 6,
        OBJECT_WORDS = 2, /* of the section pyobject */
        BYTES_WORDS = 3,
        TEXT_WORDS = 4,
        HEAP_TYPE = 6, /* words of type_object of 3.15, before heap_type_object */
        HEAP_TYPE_KEYS = 7,
        TYPE_KEYS = 872,  /* ht_cached_keys of 3.13 and 3.14, behind ob_type; Include/cpython/object.h */
        VERSION_OFF = 24, /* of co_version behind co_firstlineno; Include/cpython/code.h */
        COMPACT_BYTES =
                16, /* utf8_length and utf8, by which PyCompactUnicodeObject is longer than PyASCIIObject */
};

struct offset_words {
        uint64_t words[PYTHON_OFFSETS_BYTES / 8];
        size_t n_words;
        bool is_windows;
        bool is_bad;
};

static uint64_t get_word(struct offset_words *table, size_t i)
{
        if (i < table->n_words)
                return table->words[i];
        table->is_bad = true;
        return 0;
}

/* Reads the offset of a field of `width` bytes in a struct whose size is the first word of the section. */
static uint32_t get_field(struct offset_words *table, size_t section, size_t i, size_t width,
                          uint64_t max_end)
{
        uint64_t off = get_word(table, section + i), size = get_word(table, section);

        if (size <= PYTHON_MAX_RUNTIME_OFFSET && off < size && width <= size - off &&
            off + width <= max_end && off % width == 0)
                return (uint32_t)off;
        table->is_bad = true;
        return 0;
}

static uint32_t max_end_of(const uint32_t *ends, size_t n)
{
        uint32_t max = 0;

        for (size_t i = 0; i < n; i++)
                if (ends[i] > max)
                        max = ends[i];
        return max;
}

static void read_thread(struct offset_words *table, const struct offset_variant *variant, size_t at,
                        struct python_layout *layout)
{
        const size_t max = PYTHON_MAX_THREAD_BYTES;
        size_t id = variant->thread_id;
        uint32_t id_bytes = python_layout_id_bytes(layout);

        layout->thread_next = get_field(table, at, 2, 8, max);
        layout->thread_interp = get_field(table, at, 3, 8, max);
        layout->thread_frame = get_field(table, at, 4, 8, max);
        layout->thread_id = get_field(table, at, id, id_bytes, max);
        layout->thread_native_id = get_field(table, at, id + 1, id_bytes, max);
        layout->thread_chunk = get_field(table, at, id + 2, 8, max - 8);
        layout->thread_status = get_field(table, at, id + 3, 4, max);
        layout->thread_bytes =
                max_end_of((const uint32_t[]){layout->thread_next + 8, layout->thread_interp + 8,
                                              layout->thread_frame + 8, layout->thread_id + id_bytes,
                                              layout->thread_native_id + id_bytes, layout->thread_chunk + 16,
                                              layout->thread_status + 4},
                           7);
}

static void read_frame(struct offset_words *table, size_t at, struct python_layout *layout)
{
        const size_t max = PYTHON_MAX_FRAME_BYTES;

        layout->frame_previous = get_field(table, at, 1, 8, max);
        layout->frame_code = get_field(table, at, 2, 8, max);
        layout->frame_instr = get_field(table, at, 3, 8, max);
        layout->frame_owner = get_field(table, at, 5, 1, max);
        layout->frame_entry = PYTHON_NO_FIELD;
        layout->frame_copy = PYTHON_NO_FIELD;
        if (layout->is_free_threaded && layout->minor > 13)
                layout->frame_copy = get_field(table, at, 7, 4, max);
        layout->frame_bytes = max_end_of(
                (const uint32_t[]){layout->frame_previous + 8, layout->frame_code + 8,
                                   layout->frame_instr + 8, layout->frame_owner + 1,
                                   layout->frame_copy == PYTHON_NO_FIELD ? 0 : layout->frame_copy + 4},
                5);
}

static void read_code(struct offset_words *table, size_t at, struct python_layout *layout)
{
        const size_t max = PYTHON_MAX_CODE_BYTES;

        layout->code_file = get_field(table, at, 1, 8, max);
        layout->code_name = get_field(table, at, 3, 8, max);
        layout->code_lines = get_field(table, at, 4, 8, max);
        layout->code_first_line = get_field(table, at, 5, 4, max);
        layout->code_instrs = get_field(table, at, 9, 1, max);
        layout->code_mutable = PYTHON_NO_FIELD;
        layout->code_version = layout->code_first_line + VERSION_OFF;
        layout->code_copies = PYTHON_NO_FIELD;
        if (layout->is_free_threaded && layout->minor > 13)
                layout->code_copies = get_field(table, at, 10, 8, max);
        layout->code_bytes = max_end_of(
                (const uint32_t[]){layout->code_file + 8, layout->code_name + 8, layout->code_lines + 8,
                                   layout->code_first_line + 4, layout->code_version + 4,
                                   layout->code_copies == PYTHON_NO_FIELD ? 0 : layout->code_copies + 8},
                6);
}

/* The structs of objects are the same in all of these versions, except for the header, which is longer in
 * free-threaded builds. */
static void read_objects(struct offset_words *table, size_t object, size_t bytes, size_t text,
                         struct python_layout *layout)
{
        const size_t max = PYTHON_MAX_OBJECT_BYTES;
        uint64_t header = get_word(table, object);

        layout->object_type = get_field(table, object, 1, 8, max);
        layout->bytes_size = get_field(table, bytes, 1, 8, max);
        layout->bytes_data = get_field(table, bytes, 2, 1, max);
        layout->text_state = get_field(table, text, 1, 4, max);
        layout->text_length = get_field(table, text, 2, 8, max);
        layout->text_ascii_bytes = (uint32_t)get_word(table, text + 3);
        layout->text_compact_bytes = layout->text_ascii_bytes + COMPACT_BYTES;
        if (header > max || layout->object_type + 8 != header || layout->bytes_size != header ||
            layout->bytes_data < layout->bytes_size + 8 || layout->text_length != header ||
            layout->text_ascii_bytes < layout->text_state + 4 || layout->text_ascii_bytes > max)
                table->is_bad = true;
}

/* A field without which frames can still be read. */
static uint32_t get_optional(struct offset_words *table, size_t section, size_t i, size_t width)
{
        bool is_bad = table->is_bad;
        uint32_t off;

        table->is_bad = false;
        off = get_field(table, section, i, width, PYTHON_MAX_RUNTIME_OFFSET);
        if (table->is_bad || !off)
                off = PYTHON_NO_FIELD;
        table->is_bad = is_bad;
        return off;
}

/* `type` is the section type_object, `text` unicode_object. */
static void read_program_objects(struct offset_words *table, const struct offset_variant *variant,
                                 size_t frame, size_t type, size_t text, struct python_layout *layout)
{
        size_t gen = text + TEXT_WORDS + variant->gen_words;

        layout->interp_modules = get_optional(table, WORD_INTERP, variant->modules, 8);
        layout->type_keys = layout->frame_stack = layout->gen_frame = layout->gen_state = PYTHON_NO_FIELD;
        if (layout->minor < 15)
                layout->type_keys = TYPE_KEYS + layout->object_type;
        else if (variant->type_words > HEAP_TYPE_KEYS)
                layout->type_keys = get_optional(table, type + HEAP_TYPE, HEAP_TYPE_KEYS - HEAP_TYPE, 8);
        if (layout->minor > 13)
                layout->frame_stack = get_optional(table, frame, 6, 8);
        if (!variant->gen_words)
                return;
        layout->gen_frame = get_optional(table, gen, 2, 8);
        layout->gen_state = get_optional(table, gen, 3, 1);
}

/* False: the words do not fit this variant. */
static bool read_variant(struct offset_words *table, const struct offset_variant *variant,
                         struct python_layout *layout)
{
        size_t thread = WORD_INTERP + variant->interp_words;
        size_t frame = thread + variant->thread_words + variant->exc_words;
        size_t code = frame + variant->frame_words;
        size_t object = code + variant->code_words;
        size_t bytes = object + OBJECT_WORDS + variant->type_words + variant->object_words;

        table->is_bad = false;
        *layout = (struct python_layout){
                .minor = variant->minor,
                .is_windows = table->is_windows,
                .is_free_threaded = get_word(table, WORD_FREE_THREADED) != 0,
                .frames = PYTHON_FRAMES_THREAD,
                .table = PYTHON_TABLE_LOCATIONS,
                .runtime_interpreters = get_field(table, WORD_RUNTIME, 2, 8, PYTHON_MAX_RUNTIME_OFFSET),
                .runtime_current = PYTHON_NO_FIELD,
                .interp_next = get_field(table, WORD_INTERP, 2, 8, PYTHON_MAX_RUNTIME_OFFSET),
                .interp_threads = get_field(table, WORD_INTERP, 3, 8, PYTHON_MAX_RUNTIME_OFFSET),
                .cframe_frame = PYTHON_NO_FIELD,
                .cframe_previous = PYTHON_NO_FIELD,
        };
        read_thread(table, variant, thread, layout);
        read_frame(table, frame, layout);
        read_code(table, code, layout);
        read_objects(table, object, bytes, bytes + BYTES_WORDS, layout);
        read_program_objects(table, variant, frame, object + OBJECT_WORDS, bytes + BYTES_WORDS, layout);
        return !table->is_bad;
}

bool python_layout_read(const void *bytes, size_t size, bool is_windows, struct python_layout *ret_layout,
                        struct err *err)
{
        struct offset_words table = {.n_words = size / 8, .is_windows = is_windows};
        struct python_layout layout;
        unsigned major, minor;
        bool is_known = false;

        if (table.n_words > sizeof(table.words) / sizeof(table.words[0]))
                table.n_words = sizeof(table.words) / sizeof(table.words[0]);
        memcpy(table.words, bytes, table.n_words * 8);
        if (table.n_words <= WORD_INTERP || memcmp(table.words, cookie, sizeof(cookie)) != 0)
                return err_set(err, ERR_FORMAT, "_Py_DebugOffsets: does not begin with its magic bytes");
        major = (unsigned)(table.words[WORD_VERSION] >> 24);
        minor = table.words[WORD_VERSION] >> 16 & 0xff;
        for (size_t i = 0; major == 3 && i < sizeof(variants) / sizeof(variants[0]); i++) {
                if (variants[i].minor != minor)
                        continue;
                is_known = true;
                if (read_variant(&table, &variants[i], &layout)) {
                        *ret_layout = layout;
                        return true;
                }
        }
        if (!is_known)
                return err_set(err, ERR_UNSUPPORTED, "_Py_DebugOffsets: CPython %u.%u is not supported",
                               major, minor);
        return err_set(err, ERR_FORMAT, "_Py_DebugOffsets: malformed offsets");
}
