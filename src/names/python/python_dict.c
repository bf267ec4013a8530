/* SPDX-License-Identifier: BSD-3-Clause */
/* A dict points to its keys: a header, the hash table, and behind that the entries.
 *
 * Sources: 3.8 to 3.10: Objects/dict-common.h; 3.11 and later: Include/internal/pycore_dict.h. The values of
 * a split dict: PyDictObject.ma_values, from 3.13 on with a header of one word. */
#include "python_dict.h"

#include <string.h>

#include "python_runtime.h"

enum {
        OLD_SIZE = 8, /* 3.8 to 3.10: dk_size, the number of entries in the hash table */
        OLD_N_ENTRIES = 32,
        OLD_INDICES = 40,
        LOG_SIZE = 8, /* bytes: log2 of its number of entries, of its size in bytes, and the kind of keys */
        LOG_BYTES = 9,
        KIND = 10,
        N_ENTRIES = 24,
        INDICES = 32,
        HEADER_BYTES = 40, /* to be read in all versions */
        KIND_GENERAL = 0,  /* keys of any type: the hash is stored */
        HASH_BYTES = 8,
        WORD = 8,
        DICT_KEYS = 16, /* behind the header of an object: ma_keys; ma_values follows */
};

static bool begin_old_keys(struct python_dict *dict, uint64_t keys, const uint8_t *bytes)
{
        uint64_t size = python_word_at(bytes, OLD_SIZE), n = python_word_at(bytes, OLD_N_ENTRIES);
        unsigned width = size <= UINT8_MAX ? 1 : size <= UINT16_MAX ? 2 : 4;

        if (!size || size & (size - 1) || size > 1 << PYTHON_MAX_DICT_LOG || n > size)
                return false;
        dict->entries = keys + OLD_INDICES + size * width;
        dict->n = (uint32_t)n;
        dict->key_off = HASH_BYTES;
        return true;
}

static bool begin_new_keys(struct python_dict *dict, uint64_t keys, const uint8_t *bytes)
{
        unsigned log = bytes[LOG_SIZE], log_bytes = bytes[LOG_BYTES];
        uint64_t n = python_word_at(bytes, N_ENTRIES);

        if (log > PYTHON_MAX_DICT_LOG || log_bytes < log || log_bytes > log + 3 || n > 1u << log)
                return false;
        dict->entries = keys + INDICES + (1u << log_bytes);
        dict->n = (uint32_t)n;
        dict->key_off = bytes[KIND] == KIND_GENERAL ? HASH_BYTES : 0;
        return true;
}

static bool begin(struct python_dict *dict, struct python_objects *objects, uint64_t keys, uint64_t values)
{
        uint8_t bytes[HEADER_BYTES];

        dict->objects = objects;
        dict->values = values;
        dict->at = dict->copy_first = dict->n_copied = 0;
        if (!keys || !python_objects_read(objects, keys, bytes, sizeof(bytes)) ||
            !(objects->layout->minor < 11 ? begin_old_keys(dict, keys, bytes)
                                          : begin_new_keys(dict, keys, bytes)))
                return false;
        dict->entry_bytes = dict->key_off + 2 * WORD;
        return true;
}

bool python_dict_begin(struct python_dict *dict, struct python_objects *objects, uint64_t addr)
{
        uint64_t words[2], values, flags;

        if (!python_objects_type(objects, addr, &flags) || !(flags & PYTHON_TYPE_DICT) ||
            !python_objects_read(objects, addr + python_objects_header(objects->layout) + DICT_KEYS, words,
                                 sizeof(words)))
                return false;
        values = words[1];
        if (values && objects->layout->minor > 12)
                values += WORD;
        return begin(dict, objects, words[0], values);
}

bool python_dict_begin_split(struct python_dict *dict, struct python_objects *objects, uint64_t keys,
                             uint64_t values)
{
        return values && begin(dict, objects, keys, values);
}

/* The entry with this number, in the copy. */
static const uint8_t *get_entry(struct python_dict *dict, uint32_t i)
{
        uint32_t most = PYTHON_DICT_COPY / dict->entry_bytes, left = dict->n - i;

        if (i - dict->copy_first >= dict->n_copied) {
                dict->copy_first = i;
                dict->n_copied = left < most ? left : most;
                if (!python_objects_read(dict->objects, dict->entries + (uint64_t)i * dict->entry_bytes,
                                         dict->copy, (size_t)dict->n_copied * dict->entry_bytes)) {
                        dict->n_copied = 0;
                        return NULL;
                }
        }
        return dict->copy + (size_t)(i - dict->copy_first) * dict->entry_bytes;
}

static uint64_t get_value(struct python_dict *dict, uint32_t i, const uint8_t *entry)
{
        if (dict->values)
                return python_objects_word(dict->objects, dict->values + (uint64_t)i * WORD);
        return python_word_at(entry, dict->key_off + WORD);
}

bool python_dict_next(struct python_dict *dict, uint64_t *ret_key, uint64_t *ret_value)
{
        while (dict->at < dict->n) {
                uint32_t i = dict->at++;
                const uint8_t *entry = get_entry(dict, i);

                if (!entry)
                        return false;
                *ret_key = python_word_at(entry, dict->key_off);
                *ret_value = *ret_key ? get_value(dict, i, entry) : 0;
                if (*ret_value)
                        return true;
        }
        return false;
}

uint64_t python_dict_find_slot(struct python_dict *dict, const char *key, struct python_slot *slot)
{
        for (uint32_t i = 0; i < dict->n; i++) {
                const uint8_t *entry = get_entry(dict, i);
                uint64_t word;

                if (!entry)
                        return 0;
                word = python_word_at(entry, dict->key_off);
                if (!word || !python_objects_is_text(dict->objects, word, key))
                        continue;
                slot->index = i;
                return get_value(dict, i, entry);
        }
        return 0;
}

uint64_t python_dict_find(struct python_dict *dict, const char *key)
{
        return python_dict_find_slot(dict, key, &(struct python_slot){0});
}

bool python_dict_begin_module(struct python_dict *dict, struct python_objects *objects, uint64_t interp,
                              const char *module)
{
        const struct python_layout *layout = objects->layout;
        uint32_t module_dict = python_objects_header(layout); /* PyModuleObject.md_dict */
        uint64_t found;

        if (!python_dict_begin(dict, objects, python_objects_word(objects, interp + layout->interp_modules)))
                return false;
        found = python_dict_find(dict, module);
        return found && python_dict_begin(dict, objects, python_objects_word(objects, found + module_dict));
}
