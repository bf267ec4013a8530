/* SPDX-License-Identifier: BSD-3-Clause */
/* Where an object has its attributes depends on the version:
 *
 * 3.8 to 3.10: a dict, at tp_dictoffset. 3.11: values 4 words before the object, or a dict 3 words before it
 * (Include/internal/pycore_object.h). 3.12: one word 3 words before it, with the lowest bit set if it points
 * to values. 3.13 and later: values behind the object, unless there is a dict (Py_TPFLAGS_INLINE_VALUES). The
 * keys of values are ht_cached_keys of the type. */
#include "python_objects.h"

#include <string.h>

#include "python_dict.h"
#include "python_runtime.h"
#include "python_text.h"

enum {
        WORD = 8,
        MAX_TEXT_BYTES = 64, /* of texts to compare with */
        /* of a type: words behind the header with ob_size */
        TYPE_NAME = 8,
        TYPE_BASIC_SIZE = 16,
        TYPE_FLAGS = 152,
        TYPE_DICT_OFFSET = 272,
        MAX_INSTANCE_BYTES = 1 << 16,
        VALUES_HEADER = 8, /* struct _dictvalues of 3.13: capacity, size, embedded, valid */
        VALUES_VALID = 3,
        DIGIT_BITS = 30,
        MAX_DIGITS = 3,
        TAG_SIGN = 3, /* 3.12 and later: lv_tag, Include/internal/pycore_long.h */
        TAG_DIGITS_SHIFT = 3,
};

void python_objects_init(struct python_objects *objects, const struct python_layout *layout,
                         struct python_memory *memory)
{
        *objects = (struct python_objects){
                .layout = layout, .memory = memory, .n_left = PYTHON_MAX_OBJECT_READS};
}

bool python_objects_read(struct python_objects *objects, uint64_t addr, void *ret_bytes, size_t size)
{
        if (!objects->n_left)
                return false;
        objects->n_left--;
        return python_memory_read(objects->memory, addr, ret_bytes, size);
}

uint64_t python_objects_word(struct python_objects *objects, uint64_t addr)
{
        uint64_t word;

        return python_objects_read(objects, addr, &word, sizeof(word)) ? word : 0;
}

/* --- Types --- */

uint64_t python_objects_type(struct python_objects *objects, uint64_t addr, uint64_t *ret_flags)
{
        uint64_t type = addr ? python_objects_word(objects, addr + objects->layout->object_type) : 0;

        if (!type || type % WORD ||
            !python_objects_read(objects, type + python_objects_header(objects->layout) + TYPE_FLAGS,
                                 ret_flags, sizeof(*ret_flags)))
                return 0;
        return type;
}

/* The text may be at the end of what can be read. */
bool python_objects_type_name(struct python_objects *objects, uint64_t type, char *ret_name)
{
        uint64_t at = python_objects_word(objects, type + python_objects_header(objects->layout) + TYPE_NAME);
        const size_t most = PYTHON_TYPE_NAME_BYTES - 1;

        memset(ret_name, 0, PYTHON_TYPE_NAME_BYTES);
        return at && (python_objects_read(objects, at, ret_name, most) ||
                      python_objects_read(objects, at, ret_name, most / 2));
}

/* Whether the object is of a type with this flag; `known` is the address of a type that has it, or 0. */
static bool has_flag(struct python_objects *objects, uint64_t addr, uint64_t type, uint64_t flag,
                     uint64_t *known)
{
        uint64_t flags;

        if (type && type == *known)
                return true;
        if (!python_objects_type(objects, addr, &flags) || !(flags & flag))
                return false;
        *known = type;
        return true;
}

/* --- Texts and numbers --- */

char *python_objects_text(struct python_objects *objects, uint64_t addr)
{
        uint64_t type = addr ? python_objects_word(objects, addr + objects->layout->object_type) : 0;

        if (!has_flag(objects, addr, type, PYTHON_TYPE_TEXT, &objects->text_type))
                return NULL;
        return python_text_read(objects->layout, objects->memory, addr, NULL);
}

/* ASCII characters follow the struct; those of another text may not be there. */
bool python_objects_is_text(struct python_objects *objects, uint64_t addr, const char *text)
{
        const struct python_layout *layout = objects->layout;
        size_t length = strlen(text);
        uint8_t bytes[PYTHON_MAX_OBJECT_BYTES + MAX_TEXT_BYTES];

        if (length > MAX_TEXT_BYTES ||
            !python_objects_read(objects, addr, bytes, layout->text_ascii_bytes + length) ||
            python_word_at(bytes, layout->text_length) != length ||
            memcmp(bytes + layout->text_ascii_bytes, text, length) != 0)
                return false;
        return has_flag(objects, addr, python_word_at(bytes, layout->object_type), PYTHON_TYPE_TEXT,
                        &objects->text_type);
}

/* Digits have 30 bits, the lowest first. */
static bool add_digits(const uint8_t *bytes, uint64_t n, uint64_t *ret_value)
{
        uint64_t value = 0;

        if (n > MAX_DIGITS)
                return false;
        for (uint64_t i = 0; i < n; i++) {
                uint64_t digit = (uint32_t)python_int_at(bytes, (uint32_t)(i * sizeof(uint32_t)));

                if (digit >> DIGIT_BITS || (i == 2 && digit >> (64 - 2 * DIGIT_BITS)))
                        return false;
                value |= digit << i * DIGIT_BITS;
        }
        *ret_value = value;
        return true;
}

bool python_objects_int(struct python_objects *objects, uint64_t addr, uint64_t *ret_value)
{
        const struct python_layout *layout = objects->layout;
        uint32_t header = python_objects_header(layout);
        uint8_t bytes[PYTHON_MAX_OBJECT_BYTES + 4 * WORD];
        uint64_t size;

        if (!addr || !python_objects_read(objects, addr, bytes, header + WORD + MAX_DIGITS * 4) ||
            !has_flag(objects, addr, python_word_at(bytes, layout->object_type), PYTHON_TYPE_INT,
                      &objects->int_type))
                return false;
        size = python_word_at(bytes, header);
        if (layout->minor > 11) {
                if ((size & TAG_SIGN) == 2)
                        return false;
                size >>= TAG_DIGITS_SHIFT;
        }
        return add_digits(bytes + header + WORD, size, ret_value);
}

/* --- Attributes --- */

struct instance {
        uint64_t addr, type, flags;
};

/* The address of values that belong to the type's keys; 0: none. From 3.13 on they may have become invalid.
 */
static uint64_t find_values(struct python_objects *objects, const struct instance *instance, uint64_t dict)
{
        uint64_t addr = instance->addr, size;
        uint8_t header[VALUES_HEADER];

        switch (objects->layout->minor) {
        case 11:
                return instance->flags & PYTHON_TYPE_MANAGED_DICT
                               ? python_objects_word(objects, addr - 4 * WORD)
                               : 0;
        case 12: return dict & 1 ? dict + 1 : 0;
        default: break;
        }
        if (objects->layout->minor < 13 || dict || !(instance->flags & PYTHON_TYPE_INLINE_VALUES))
                return 0;
        size = python_objects_word(objects,
                                   instance->type + python_objects_header(objects->layout) + TYPE_BASIC_SIZE);
        if (!size || size > MAX_INSTANCE_BYTES || size % WORD ||
            !python_objects_read(objects, addr + size, header, sizeof(header)) || header[VALUES_VALID] != 1)
                return 0;
        return addr + size + VALUES_HEADER;
}

/* The word that points to the object's dict. */
static uint64_t find_dict(struct python_objects *objects, const struct instance *instance)
{
        const struct python_layout *layout = objects->layout;
        uint64_t off;

        if (layout->minor > 10 && instance->flags & PYTHON_TYPE_MANAGED_DICT)
                return python_objects_word(objects,
                                           instance->addr - (layout->is_free_threaded ? 1 : 3) * WORD);
        off = python_objects_word(objects, instance->type + python_objects_header(layout) + TYPE_DICT_OFFSET);
        return off && off < MAX_INSTANCE_BYTES && off % WORD == 0
                       ? python_objects_word(objects, instance->addr + off)
                       : 0;
}

/* Looks at the entry that had the attribute in another object of the class first. */
static uint64_t find_in(struct python_dict *dict, uint64_t keys, const char *name, struct python_slot *slot)
{
        struct python_objects *objects = dict->objects;
        uint64_t value;

        if (keys && keys == slot->keys && slot->index < dict->n) {
                uint64_t key = python_objects_word(
                        objects, dict->entries + (uint64_t)slot->index * dict->entry_bytes + dict->key_off);

                if (key && python_objects_is_text(objects, key, name))
                        return python_objects_word(objects, dict->values + (uint64_t)slot->index * WORD);
        }
        value = python_dict_find_slot(dict, name, slot);
        slot->keys = value && dict->values ? keys : 0;
        return value;
}

uint64_t python_objects_attribute(struct python_objects *objects, uint64_t addr, const char *name,
                                  struct python_slot *slot)
{
        struct instance instance = {.addr = addr};
        struct python_dict attributes;
        uint64_t dict, values, keys;

        instance.type = python_objects_type(objects, addr, &instance.flags);
        if (!instance.type)
                return 0;
        dict = find_dict(objects, &instance);
        values = find_values(objects, &instance, dict);
        if (values) {
                keys = python_objects_word(objects, instance.type + objects->layout->type_keys);
                return python_dict_begin_split(&attributes, objects, keys, values)
                               ? find_in(&attributes, keys, name, slot)
                               : 0;
        }
        return python_dict_begin(&attributes, objects, dict)
                       ? find_in(&attributes, attributes.values ? attributes.entries : 0, name, slot)
                       : 0;
}
