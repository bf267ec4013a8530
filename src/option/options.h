/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands and their options as data.  Parsing, --help, the man page, completion and --explain all read the
 * same tables; none of them grows when an option is added.
 *
 * The grammar, for perf's habits and WindowsPerf's:
 *   --name VALUE, --name=VALUE, -name VALUE and -name=VALUE are the same; a name is matched whole.
 *   -x VALUE, -xVALUE and -x=VALUE are the same for a letter with a value; letters without one may stand together (-ag).
 *   A word behind one dash is first a long name, then letters: -pe_file is --pe_file, -F999 is -F 999.  What
 *   misses a long name by one or two letters is an error, never a letter with the rest as its value.
 *   A value that is its own word begins with '-' only if it is "-" or a number.
 *   `sleep N` is --timeout N.  "--" ends the options.  The order is free, the command's name included.
 *   The last of several values counts, except for lists, which grow. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "buf.h"
#include "err.h"

enum option_kind {
        OPTION_FLAG,     /* bool */
        OPTION_TIMES,    /* uint64_t: how often it was given; no value */
        OPTION_U64,      /* uint64_t, min to max */
        OPTION_DURATION, /* uint64_t nanoseconds; 0 only where max is 1 */
        OPTION_STRING,   /* const char *, not empty */
        OPTION_FILE,     /* const char *, a path or "-" */
        OPTION_LIST,     /* const char *; values of several occurrences are joined by commas */
        OPTION_CPUS,     /* struct cpu_list */
        OPTION_NUMBERS,  /* struct number_list: 1,2,3, each min to max */
};

/* Sorted, without duplicates; n is 0 when the option was not given. */
struct cpu_list {
        uint32_t *cpus;
        size_t n;
};

struct number_list {
        uint64_t *numbers;
        size_t n;
};

/* A value that perf's users mean otherwise: where `looks` says so, the error is `sentence`, in which %s is
 * the value. */
struct misreading {
        bool (*looks)(const char *value);
        const char *sentence;
};

struct option {
        const char *name;    /* "timeout" for --timeout; NULL ends a table */
        const char *aliases; /* more long names, separated by blanks, or NULL */
        const char *word;    /* stands for the option without a dash ("sleep"), or NULL */
        char letter;         /* or 0 */
        bool later;          /* parsed, but not done in this version; running says so */
        bool hidden;         /* not in help, man page and completion */
        enum option_kind kind;
        const char *arg;    /* the name of the value in help; NULL for a flag */
        const char *names;  /* what --names completes the value with ("events"); NULL: nothing */
        const char *values; /* the words that it may be, separated by blanks; NULL: it is not one of a few */
        const char *brief; /* of the most used options: a few words for the program's help; NULL for others */
        uint64_t min, max;
        bool or_minus_one;  /* OPTION_U64: -1 too, which is UINT64_MAX then */
        size_t offset;      /* of the value in the struct of its group */
        size_t also_offset; /* OPTION_FLAG: of another flag there that is set too; 0: none */
        const struct misreading *misreading;
        const char *help; /* one sentence, lower case, no full stop */
};

/* Spellings of perf's that a command does not have, and what to write instead. */
struct absent_option {
        const char *spellings; /* long names and letters, separated by blanks; NULL ends a table */
        const char *sentence;  /* "counts are not summed by core: -c CPUS shows ..." */
};

/* Options that several commands share, stored in a struct of their own. */
struct option_group {
        const char *title;
        const struct option *options; /* ends with a zero element */
};

/* A group in a command: `offset` is where the group's struct stands in the command's. */
struct command_group {
        const struct option_group *group;
        size_t offset;
};

enum args_kind {
        ARGS_NONE,
        ARGS_COMMAND, /* a program to run and its arguments; the first bare word begins it */
        ARGS_ATTACH,  /* none, because the command measures programs that run already */
        ARGS_OWN,     /* the command's own words, between the options */
        ARGS_RAW,     /* everything that follows, options included */
};

struct example {
        const char *line;
        const char *text;
};

struct command_line;

struct command {
        const char *name;
        const char *aliases;    /* words that stand for it ("--version"), separated by blanks, or NULL */
        const char *summary;    /* for NAME */
        const char *args_usage; /* what follows the options in SYNOPSIS, or NULL */
        const char *about;      /* paragraphs for DESCRIPTION, or NULL */
        const struct command_group *groups; /* ends with a zero element */
        const struct example *examples;     /* ends with a zero element; may be NULL */
        const struct absent_option *absent; /* ends with a zero element; may be NULL */
        size_t options_size;
        const void *defaults; /* options_size bytes, or NULL for zeros */
        enum args_kind args;
        const char
                *args_names; /* what --names completes the command's words with; "commands"; NULL: nothing */
        bool hidden;
        int (*run)(const struct command_line *line); /* returns the exit status; NULL: not in this version */
};

struct given_option {
        const struct option *option;
        const char *value; /* NULL for a flag */
};

/* A command line that was understood.  Texts point into argv, which must outlive it. */
struct command_line {
        const struct command *command; /* NULL when there were no arguments at all */
        void *options;                 /* the command's struct */
        char **args;                   /* the program to run or the command's own words; ends with NULL */
        size_t n_args;
        struct given_option
                *given; /* in order; a scalar that was given again stands once, at its last place */
        size_t n_given, cap_given;
        bool help; /* --help was there; what follows it was not read */
        struct arena arena;
};

/* A command of perf that has another name here, or is an option of another command. */
struct foreign_command {
        const char *name, *instead;
};

/* What a program has. */
struct command_set {
        const struct command *const *commands; /* in the order of the program's help; ends with NULL */
        const struct foreign_command *foreign; /* ends with a name of NULL */
};

/* Reads the arguments after the program's name; `args` ends with NULL.  Release `line` even on failure. */
bool command_line_parse(struct command_line *line, const struct command_set *set, size_t n_args, char **args,
                        struct err *err);
void command_line_release(struct command_line *line);

/* The first option given that is not done in this version, or NULL. */
const struct option *command_line_find_later(const struct command_line *line);

/* --- Walking the tables ---------------------------------------------------------------------------- */

/* Zero-initialised but for `command`, it stands before the first option. */
struct option_walk {
        const struct command *command;
        size_t group, option;
        size_t group_offset; /* of the option last returned */
};

const struct option *option_next(struct option_walk *walk);

const struct command *options_find_command(const struct command_set *set, const char *word);

/* By a long name of `len` bytes, by a letter, by a bare word.  `ret_offset` may be NULL. */
const struct option *option_find(const struct command *command, const char *name, size_t len,
                                 size_t *ret_offset);
const struct option *option_find_letter(const struct command *command, char letter, size_t *ret_offset);
const struct option *option_find_word(const struct command *command, const char *word, size_t *ret_offset);

/* Takes the next word of a blank-separated list: returns its start and length and moves *at, or NULL. */
const char *options_next_word(const char **at, size_t *ret_len);

bool option_takes_value(const struct option *option);

/* What to write instead of an option that the command does not have ("--per-core", "-S"), or NULL. */
const char *option_find_absent(const struct command *command, const char *word);

/* Parses `value` as the option's kind and stores it into `options` (the group's struct).  Errors
 * name the option by its `spelling`, as it was typed. */
bool option_store(const struct option *option, const char *spelling, const char *value, void *options,
                  struct arena *arena, struct err *err);

/* --- Renderers; they append to `out` ---------------------------------------------------------------- */

void options_help_program(const struct command_set *set, struct buf *out);
void options_help_command(const struct command *command, struct buf *out);
void options_man_program(const struct command_set *set, struct buf *out);
void options_man_command(const struct command *command, struct buf *out);

/* The completion for "bash", "zsh" or "fish"; false for another shell. */
bool options_completion(const char *shell, struct buf *out);

/* How the line was understood, an item a line. */
void options_explain(const struct command_line *line, struct buf *out);

/* Appends `-x, --name, --alias ARG`, without the argument's name where `arg` is false. */
void option_add_spellings(const struct option *option, bool arg, struct buf *out);

#endif
