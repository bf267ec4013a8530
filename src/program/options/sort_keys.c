/* SPDX-License-Identifier: BSD-3-Clause */
#include "sort_keys.h"

#include <stdio.h>
#include <string.h>

#include "err.h"
#include "text_match.h"

static const struct {
        const char *name;
        unsigned key;
} access_keys[] = {
#define ACCESS_KEY_PAIR(name, bit) {#name, bit},
        ACCESS_KEYS(ACCESS_KEY_PAIR, ACCESS_KEY_PAIR)};

static const char *const table_words[] = {"syscall", "lock"};

/* 0: there is none with this name. */
static unsigned find_access_key(const char *word, size_t len)
{
        for (size_t i = 0; i < N_ELEMENTS(access_keys); i++) {
                if (strlen(access_keys[i].name) == len && !strncmp(access_keys[i].name, word, len))
                        return access_keys[i].key;
        }
        return 0;
}

static bool unknown_key(const char *word, size_t len, bool with_access, struct err *err)
{
        size_t n;
        const char *const *names = row_key_names(&n);
        const char *near;
        char key[32];

        snprintf(key, sizeof(key), "%.*s", (int)len, word);
        if (find_access_key(word, len))
                return err_set(err, ERR_USAGE, "--sort %s groups accesses to memory: add --mem%s", key,
                               strcmp(key, "latency") ? "" : "; for shares of wall time write --latency");
        near = text_nearest(key, names, n);
        near = near ? near : text_nearest(key, table_words, N_ELEMENTS(table_words));
        if (near && !strcmp(near, key))
                return err_set(err, ERR_USAGE, "--sort %s is a table of wperf report", key);
        return err_set(err, ERR_USAGE, "--sort has no key '%s'%s%s%s; it takes " ROW_KEY_LIST "%s", key,
                       near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
                       with_access ? ", " ACCESS_KEY_LIST : ", and syscall or lock for a table of its own");
}

/* `table` is a word that does not count as a key, or NULL. `ret_access` is NULL if keys of accesses are not
 * allowed. */
static bool parse(const char *text, const char *table, struct row_keys *ret_keys, unsigned *ret_access,
                  struct err *err)
{
        struct row_keys keys = {0};
        unsigned access = 0;

        while (text && *text) {
                size_t len = strcspn(text, ",");
                unsigned of_access = ret_access ? find_access_key(text, len) : 0;
                enum row_key key;

                if (of_access)
                        access |= of_access;
                else if (row_key_find(text, len, &key))
                        row_keys_add(&keys, key);
                else if (!table || strlen(table) != len || strncmp(text, table, len) != 0)
                        return unknown_key(text, len, ret_access, err);
                text += len + (text[len] == ',');
        }
        *ret_keys = keys;
        if (ret_access)
                *ret_access = access;
        return true;
}

bool sort_keys_parse(const char *text, struct row_keys *ret_keys, struct err *err)
{
        return parse(text, NULL, ret_keys, NULL, err);
}

bool sort_keys_parse_beside(const char *text, const char *table, struct row_keys *ret_keys, struct err *err)
{
        return parse(text, table, ret_keys, NULL, err);
}

bool sort_keys_parse_access(const char *text, struct row_keys *ret_keys, unsigned *ret_access,
                            struct err *err)
{
        unsigned address;

        if (!parse(text, NULL, ret_keys, ret_access, err))
                return false;
        address = *ret_access & ACCESS_BY_ADDRESS;
        return !(address & (address - 1)) ||
               err_set(err, ERR_USAGE,
                       "--sort takes only one of page, cacheline and object: a row is one of them");
}

bool sort_keys_are(const char *text)
{
        struct row_keys keys = {0};

        return sort_keys_parse(text, &keys, NULL) && keys.n;
}
