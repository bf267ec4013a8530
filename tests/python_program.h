/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of a Python program in an image: texts, numbers, dicts, objects with attributes, and the modules
 * that they are found by. */
#ifndef PYTHON_PROGRAM_H
#define PYTHON_PROGRAM_H

#include "python_image.h"
#include "python_layouts.h"
#include "python_objects.h"

enum {
        PROGRAM_MAX_PAIRS = 256,
        PROGRAM_BASIC_SIZE = 64,  /* of objects with attributes */
        PROGRAM_OLD_DICT_AT = 16, /* up to 3.10: tp_dictoffset */
};

struct program {
        struct image image;
        uint64_t text_type, int_type, dict_type, module_type;
};

/* A key and its value, or attributes; a list ends with a key that is 0. */
struct program_pair {
        uint64_t key, value;
};

static inline void program_word(struct program *p, uint64_t addr, uint64_t word)
{
        image_word(&p->image, addr, word);
}

static inline uint32_t program_header(const struct program *p)
{
        return python_objects_header(&p->image.runtime.layout);
}

static inline uint64_t program_type(struct program *p, const char *name, uint64_t flags)
{
        uint64_t addr = image_alloc(&p->image, p->image.runtime.layout.type_keys + 16);
        uint64_t text = image_alloc(&p->image, 64);
        uint32_t header = program_header(p);

        image_put(&p->image, text, name, strlen(name) + 1);
        program_word(p, addr + header + 8, text);
        program_word(p, addr + header + 16, PROGRAM_BASIC_SIZE);
        program_word(p, addr + header + 152, flags);
        return addr;
}

/* Interpreters and types are as short as can be, so that seeds of fuzzers are small. */
static inline struct python_layout program_layout(unsigned layout_at)
{
        struct python_layout layout = layout_number(layout_at);

        layout.runtime_interpreters = 0;
        layout.interp_next = 0;
        layout.interp_threads = 8;
        layout.interp_modules = 16;
        layout.type_keys = 320;
        return layout;
}

static inline void program_init(struct program *p, unsigned layout_at)
{
        struct python_layout layout = program_layout(layout_at);

        image_init(&p->image, &layout);
        p->text_type = program_type(p, "str", PYTHON_TYPE_TEXT);
        p->int_type = program_type(p, "int", PYTHON_TYPE_INT);
        p->dict_type = program_type(p, "dict", PYTHON_TYPE_DICT);
        p->module_type = program_type(p, "module", 0);
}

static inline void program_set_type(struct program *p, uint64_t addr, uint64_t type)
{
        program_word(p, addr + p->image.runtime.layout.object_type, type);
}

static inline uint64_t program_text(struct program *p, const char *text)
{
        uint64_t addr = image_text(&p->image, text);

        program_set_type(p, addr, p->text_type);
        return addr;
}

static inline uint64_t program_int(struct program *p, uint64_t value)
{
        uint64_t addr = image_alloc(&p->image, 96), n = 0;
        uint32_t header = program_header(p);

        program_set_type(p, addr, p->int_type);
        for (; value; value >>= 30)
                image_int(&p->image, addr + header + 8 + 4 * n++, (int32_t)(value & 0x3fffffff));
        program_word(p, addr + header, p->image.runtime.layout.minor > 11 ? n << 3 | !n : n);
        return addr;
}

static inline size_t program_count(const struct program_pair *pairs)
{
        size_t n = 0;

        while (pairs[n].key)
                n++;
        return n;
}

/* The keys of a dict; of a split one, which has its values elsewhere. */
static inline uint64_t program_keys(struct program *p, const struct program_pair *pairs, bool is_split)
{
        bool is_old = p->image.runtime.layout.minor < 11;
        size_t n = program_count(pairs), size = 8, log = 3;
        uint32_t indices = is_old ? 40 : 32, entry = is_old || !is_split ? 24 : 16;
        uint64_t addr;

        for (; size < 2 * n; size *= 2)
                log++;
        addr = image_alloc(&p->image, indices + 4 * size + n * entry + 64);
        if (is_old) {
                program_word(p, addr + 8, size);
                program_word(p, addr + 32, n);
        } else {
                image_byte(&p->image, addr + 8, (uint8_t)log);
                image_byte(&p->image, addr + 9, (uint8_t)(size > 256 ? log + 1 : log));
                image_byte(&p->image, addr + 10, is_split ? 2 : 0);
                program_word(p, addr + 24, n);
        }
        for (size_t i = 0; i < n; i++) {
                uint64_t at = addr + indices + (size > (is_old ? 255 : 256) ? 2 : 1) * size + i * entry;

                program_word(p, at + entry - 16, pairs[i].key);
                program_word(p, at + entry - 8, is_split ? 0 : pairs[i].value);
        }
        return addr;
}

static inline uint64_t program_dict(struct program *p, const struct program_pair *pairs)
{
        uint64_t addr = image_alloc(&p->image, 96);

        program_set_type(p, addr, p->dict_type);
        program_word(p, addr + program_header(p) + 16, program_keys(p, pairs, false));
        return addr;
}

/* A class whose objects have these attributes. */
static inline uint64_t program_class(struct program *p, const char *name, const struct program_pair *pairs)
{
        const struct python_layout *layout = &p->image.runtime.layout;
        uint64_t flags = layout->minor > 12   ? PYTHON_TYPE_MANAGED_DICT | PYTHON_TYPE_INLINE_VALUES
                         : layout->minor > 10 ? PYTHON_TYPE_MANAGED_DICT
                                              : 0;
        uint64_t addr = program_type(p, name, flags);

        program_word(p, addr + layout->type_keys, program_keys(p, pairs, true));
        program_word(p, addr + program_header(p) + 272,
                     layout->minor > 10 ? (uint64_t)-1 : PROGRAM_OLD_DICT_AT);
        return addr;
}

static inline void program_values(struct program *p, uint64_t addr, const struct program_pair *pairs)
{
        for (size_t i = 0; pairs[i].key; i++)
                program_word(p, addr + 8 * i, pairs[i].value);
}

/* An object whose attributes are in values of its own, as they are at first. */
static inline uint64_t program_object(struct program *p, uint64_t class, const struct program_pair *pairs)
{
        const struct python_layout *layout = &p->image.runtime.layout;
        uint64_t addr = image_alloc(&p->image, 64 + 512) + 64, values, dict;

        program_set_type(p, addr, class);
        if (layout->minor > 12) {
                image_byte(&p->image, addr + PROGRAM_BASIC_SIZE + 3, 1);
                program_values(p, addr + PROGRAM_BASIC_SIZE + 8, pairs);
                return addr;
        }
        values = image_alloc(&p->image, 512);
        program_values(p, values, pairs);
        if (layout->minor == 12) {
                program_word(p, addr - 24, values - 1);
        } else if (layout->minor == 11) {
                program_word(p, addr - 32, values);
        } else {
                dict = image_alloc(&p->image, 96);
                program_set_type(p, dict, p->dict_type);
                program_word(p, dict + program_header(p) + 16,
                             image_get(&p->image, class + layout->type_keys));
                program_word(p, dict + program_header(p) + 24, values);
                program_word(p, addr + PROGRAM_OLD_DICT_AT, dict);
        }
        return addr;
}

/* An object whose __dict__ was asked for, and has become a dict of its own. */
static inline uint64_t program_object_with_dict(struct program *p, uint64_t class,
                                                const struct program_pair *pairs)
{
        const struct python_layout *layout = &p->image.runtime.layout;
        uint64_t addr = image_alloc(&p->image, 64 + 512) + 64, dict = program_dict(p, pairs);

        program_set_type(p, addr, class);
        if (layout->minor > 10)
                program_word(p, addr - (layout->is_free_threaded ? 8 : 24), dict);
        else
                program_word(p, addr + PROGRAM_OLD_DICT_AT, dict);
        return addr;
}

static inline uint64_t program_module(struct program *p, const struct program_pair *pairs)
{
        uint64_t addr = image_alloc(&p->image, 96);

        program_set_type(p, addr, p->module_type);
        program_word(p, addr + program_header(p), program_dict(p, pairs));
        return addr;
}

/* sys.modules of the interpreter. */
static inline void program_set_modules(struct program *p, const struct program_pair *pairs)
{
        program_word(p, p->image.interp + p->image.runtime.layout.interp_modules, program_dict(p, pairs));
}

/* The module threading, with `_active`. */
static inline void program_set_threads(struct program *p, const struct program_pair *active)
{
        const struct program_pair members[] = {{program_text(p, "_limbo"), program_int(p, 7)},
                                               {program_text(p, "_active"), program_dict(p, active)},
                                               {0, 0}};
        const struct program_pair modules[] = {{program_text(p, "sys"), program_int(p, 1)},
                                               {program_text(p, "threading"), program_module(p, members)},
                                               {0, 0}};

        program_set_modules(p, modules);
}

#endif
