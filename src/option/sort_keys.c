/* SPDX-License-Identifier: BSD-3-Clause */
#include "sort_keys.h"

#include <stdio.h>
#include <string.h>

#include "err.h"
#include "text_match.h"

static bool unknown_key(const char *word, size_t len, struct err *err)
{
        size_t n;
        const char *const *names = row_key_names(&n);
        const char *near;
        char key[32];

        snprintf(key, sizeof(key), "%.*s", (int)len, word);
        near = text_nearest(key, names, n);
        return err_set(err, ERR_USAGE, "--sort has no key '%s'%s%s%s; it takes " ROW_KEY_LIST, key,
                       near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

bool sort_keys_parse(const char *text, struct row_keys *ret_keys, struct err *err)
{
        struct row_keys keys = {0};

        while (text && *text) {
                size_t len = strcspn(text, ",");
                enum row_key key;

                if (!row_key_find(text, len, &key))
                        return unknown_key(text, len, err);
                row_keys_add(&keys, key);
                text += len + (text[len] == ',');
        }
        *ret_keys = keys;
        return true;
}

bool sort_keys_are(const char *text)
{
        struct row_keys keys;

        return sort_keys_parse(text, &keys, NULL) && keys.n;
}
