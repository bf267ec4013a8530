/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys that group accesses to memory, as in `report --mem --sort`: the only list, used by parsing, help
 * and error messages. */
#ifndef ACCESS_KEYS_H
#define ACCESS_KEYS_H

/* What distinguishes accesses besides their code; a set of bits. */
enum access_key {
        ACCESS_BY_LEVEL = 1 << 0,
        ACCESS_BY_LATENCY = 1 << 1,
        ACCESS_BY_PAGE = 1 << 2, /* of the address; only one of these three */
        ACCESS_BY_LINE = 1 << 3,
        ACCESS_BY_OBJECT = 1 << 4,
        ACCESS_BY_ADDRESS = ACCESS_BY_PAGE | ACCESS_BY_LINE | ACCESS_BY_OBJECT,
};

/* FIRST for the first key and MORE for each other key: its name and its bit. */
#define ACCESS_KEYS(FIRST, MORE)                                                                             \
        FIRST(level, ACCESS_BY_LEVEL)                                                                        \
        MORE(latency, ACCESS_BY_LATENCY)                                                                     \
        MORE(page, ACCESS_BY_PAGE)                                                                           \
        MORE(cacheline, ACCESS_BY_LINE)                                                                      \
        MORE(object, ACCESS_BY_OBJECT)

/* All names in one literal: separated by blanks, and by commas. */
#define ACCESS_KEY_NAME(name, bit)       #name
#define ACCESS_KEY_BLANK_NAME(name, bit) " " #name
#define ACCESS_KEY_COMMA_NAME(name, bit) ", " #name
#define ACCESS_KEY_WORDS                 ACCESS_KEYS(ACCESS_KEY_NAME, ACCESS_KEY_BLANK_NAME)
#define ACCESS_KEY_LIST                  ACCESS_KEYS(ACCESS_KEY_NAME, ACCESS_KEY_COMMA_NAME)

#endif
