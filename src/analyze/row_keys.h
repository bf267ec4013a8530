/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys that rows are grouped by, as --sort names them: the one list that parsing, help, error texts, completion and the
 * columns of a table come from. */
#ifndef ROW_KEYS_H
#define ROW_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FIRST of the first key and MORE of each other one: its name, the end of its constant ROW_..., and its profile_key bit. */
#define ROW_KEYS(FIRST, MORE)                                                                                \
        FIRST(comm, COMM, PROFILE_COMM)                                                                      \
        MORE(pid, PID, PROFILE_PID)                                                                          \
        MORE(tid, TID, PROFILE_TID)                                                                          \
        MORE(process, PROCESS, PROFILE_PROCESS)                                                              \
        MORE(thread, THREAD, PROFILE_THREAD)                                                                 \
        MORE(cpu, CPU, PROFILE_CPU)                                                                          \
        MORE(module, MODULE, PROFILE_MODULE)                                                                 \
        MORE(symbol, SYMBOL, PROFILE_SYMBOL)                                                                 \
        MORE(python, PYTHON, PROFILE_SYMBOL | PROFILE_PYTHON)                                                \
        MORE(file, FILE, PROFILE_FILE | PROFILE_PYTHON)                                                      \
        MORE(line, LINE, PROFILE_LINE)                                                                       \
        MORE(addr, ADDR, PROFILE_ADDR)                                                                       \
        MORE(event, EVENT, PROFILE_EVENT)                                                                    \
        MORE(overhead, OVERHEAD, PROFILE_EVENT)

/* Other spellings, most of them perf's. */
#define ROW_KEY_ALIASES(X)                                                                                   \
        X(dso, MODULE)                                                                                       \
        X(sym, SYMBOL)                                                                                       \
        X(srcline, LINE)

#define ROW_KEY_CONSTANT(name, end, bit) ROW_##end,
enum row_key { ROW_KEYS(ROW_KEY_CONSTANT, ROW_KEY_CONSTANT) ROW_N_KEYS };

/* The names in one literal: with blanks between them, and with commas. */
#define ROW_KEY_NAME(name, end, bit)       #name
#define ROW_KEY_BLANK_NAME(name, end, bit) " " #name
#define ROW_KEY_COMMA_NAME(name, end, bit) ", " #name
#define ROW_KEY_WORDS                      ROW_KEYS(ROW_KEY_NAME, ROW_KEY_BLANK_NAME)
#define ROW_KEY_LIST                       ROW_KEYS(ROW_KEY_NAME, ROW_KEY_COMMA_NAME)

/* Keys in the order in which they were given, each once. */
struct row_keys {
        uint8_t order[ROW_N_KEYS]; /* enum row_key */
        uint8_t n;                 /* 0: none were given */
};

/* All names, canonical ones first; *ret_n of them. */
const char *const *row_key_names(size_t *ret_n);

/* The key of a word of `len` bytes; false: there is none of that name. */
bool row_key_find(const char *word, size_t len, enum row_key *ret_key);

/* Appends a key that is not there yet. */
void row_keys_add(struct row_keys *keys, enum row_key key);

/* Their profile_key bits; 0 where none were given. */
unsigned row_keys_bits(const struct row_keys *keys);

#endif
