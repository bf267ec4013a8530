/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys that group rows, as in --sort: the only list, used by parsing, help, error messages, completion
 * and the columns of tables. */
#ifndef ROW_KEYS_H
#define ROW_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FIRST for the first key and MORE for each other key: its name, the end of its constant ROW_..., and its
 * profile_key bit. */
#define ROW_KEYS(FIRST, MORE)                                                                                \
        FIRST(comm, COMM, PROFILE_COMM)                                                                      \
        MORE(pid, PID, PROFILE_PID)                                                                          \
        MORE(tid, TID, PROFILE_TID)                                                                          \
        MORE(process, PROCESS, PROFILE_PROCESS)                                                              \
        MORE(thread, THREAD, PROFILE_THREAD)                                                                 \
        MORE(cpu, CPU, PROFILE_CPU)                                                                          \
        MORE(module, MODULE, PROFILE_MODULE)                                                                 \
        MORE(machine, MACHINE, PROFILE_MACHINE)                                                              \
        MORE(symbol, SYMBOL, PROFILE_SYMBOL)                                                                 \
        MORE(python, PYTHON, PROFILE_SYMBOL | PROFILE_PYTHON)                                                \
        MORE(file, FILE, PROFILE_FILE | PROFILE_PYTHON)                                                      \
        MORE(package, PACKAGE, PROFILE_PACKAGE | PROFILE_PYTHON)                                             \
        MORE(line, LINE, PROFILE_LINE)                                                                       \
        MORE(addr, ADDR, PROFILE_ADDR)                                                                       \
        MORE(source, SOURCE, PROFILE_SOURCE)                                                                 \
        MORE(state, STATE, PROFILE_STATE)                                                                    \
        MORE(event, EVENT, PROFILE_EVENT)                                                                    \
        MORE(overhead, OVERHEAD, PROFILE_EVENT)

/* Other names, most of them perf's. */
#define ROW_KEY_ALIASES(X)                                                                                   \
        X(dso, MODULE)                                                                                       \
        X(sym, SYMBOL)                                                                                       \
        X(srcline, LINE)

#define ROW_KEY_CONSTANT(name, end, bit) ROW_##end,
enum row_key { ROW_KEYS(ROW_KEY_CONSTANT, ROW_KEY_CONSTANT) ROW_N_KEYS };

/* All names in one literal: separated by blanks, and by commas. */
#define ROW_KEY_NAME(name, end, bit)       #name
#define ROW_KEY_BLANK_NAME(name, end, bit) " " #name
#define ROW_KEY_COMMA_NAME(name, end, bit) ", " #name
#define ROW_KEY_WORDS                      ROW_KEYS(ROW_KEY_NAME, ROW_KEY_BLANK_NAME)
#define ROW_KEY_LIST                       ROW_KEYS(ROW_KEY_NAME, ROW_KEY_COMMA_NAME)

/* Keys in the given order, each once. */
struct row_keys {
        uint8_t order[ROW_N_KEYS]; /* enum row_key */
        uint8_t n;                 /* 0: no keys were given */
};

/* All names, canonical names first; *ret_n is their number. */
const char *const *row_key_names(size_t *ret_n);

/* Finds the key with the name `word` of `len` bytes; false: there is none. */
bool row_key_find(const char *word, size_t len, enum row_key *ret_key);

/* Appends a key, if it is not in the list yet. */
void row_keys_add(struct row_keys *keys, enum row_key key);

/* The profile_key bits of the keys; 0 if there are none. */
unsigned row_keys_bits(const struct row_keys *keys);

#endif
