/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognises suffixes that distinguish a clone or a part of a function from the function. */
#include <string.h>

#include "attributes.h"
#include "demangle.h"

static const struct {
        const char *text;
        bool has_number; /* a number always follows; otherwise it may follow */
} endings[] = {
        {".cold", false},     {".part", true},     {".isra", true},
        {".constprop", true}, {".lto_priv", true}, {".llvm", true},
};

/* The length without the last number and the dot before it; `len` if there is none. */
static size_t without_number(const char *name, size_t len)
{
        size_t at = len;

        while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
                at--;
        return at && at < len && name[at - 1] == '.' ? at - 1 : len;
}

/* The length without the last suffix; `len` if there is none. */
static size_t without_one(const char *name, size_t len)
{
        size_t plain = without_number(name, len);

        for (size_t i = 0; i < N_ELEMENTS(endings); i++) {
                size_t n = strlen(endings[i].text);

                if (plain > n && (plain < len || !endings[i].has_number) &&
                    !memcmp(name + plain - n, endings[i].text, n))
                        return plain - n;
        }
        return len;
}

size_t demangle_without_clone(const char *name)
{
        size_t len = strlen(name), shorter;

        while ((shorter = without_one(name, len)) < len)
                len = shorter;
        return len;
}
