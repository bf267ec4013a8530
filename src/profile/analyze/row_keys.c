/* SPDX-License-Identifier: BSD-3-Clause */
#include "row_keys.h"

#include <assert.h>
#include <string.h>

#include "profile.h"

#define NAME_OF(name, end, bit) #name,
#define BIT_OF(name, end, bit)  bit,
#define ALIAS_NAME(name, end)   #name,
#define ALIAS_KEY(name, end)    ROW_##end,

/* The keys in order, then the aliases. */
static const char *const names[] = {ROW_KEYS(NAME_OF, NAME_OF) ROW_KEY_ALIASES(ALIAS_NAME)};
static const unsigned bits[] = {ROW_KEYS(BIT_OF, BIT_OF)};
static const uint8_t aliased[] = {ROW_KEY_ALIASES(ALIAS_KEY)};

const char *const *row_key_names(size_t *ret_n)
{
        *ret_n = N_ELEMENTS(names);
        return names;
}

bool row_key_find(const char *word, size_t len, enum row_key *ret_key)
{
        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                if (strlen(names[i]) != len || memcmp(names[i], word, len) != 0)
                        continue;
                *ret_key = i < ROW_N_KEYS ? (enum row_key)i : (enum row_key)aliased[i - ROW_N_KEYS];
                return true;
        }
        return false;
}

void row_keys_add(struct row_keys *keys, enum row_key key)
{
        assert(key < ROW_N_KEYS);
        for (size_t i = 0; i < keys->n; i++) {
                if (keys->order[i] == key)
                        return;
        }
        keys->order[keys->n++] = (uint8_t)key;
}

unsigned row_keys_bits(const struct row_keys *keys)
{
        unsigned all = 0;

        for (size_t i = 0; i < keys->n; i++)
                all |= bits[keys->order[i]];
        return all;
}
