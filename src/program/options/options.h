/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands and their options as tables.  Parsing, --help, the man page, completion and --explain all read
 * the same tables and do not change when an option is added.
 *
 * The grammar accepts the habits of perf's and WindowsPerf's users:
 *   --name VALUE, --name=VALUE, -name VALUE and -name=VALUE are the same; a name must be complete.
 *   -x VALUE, -xVALUE and -x=VALUE are the same for a letter with a value; letters without a value may be
 *   joined (-ag).
 *   A word with one dash is first tried as a long name, then as letters: -pe_file is --pe_file, -F999 is -F
 *   999.  A word that differs from a long name by one or two letters is an error, not a letter with a
 *   value.
 *   A value in a word of its own may begin with '-' only if it is "-" or a number.
 *   `sleep N` is --timeout N.  Of a command that samples processes, a word of digits before "--" and
 *   COMMAND is a PID.  "--" ends the options.  Options and the command's name may be in any order.
 *   If an option is given several times, its last value is used; the values of lists are joined. */
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
        OPTION_DURATION, /* uint64_t nanoseconds; 0 only if max is 1 */
        OPTION_STRING,   /* const char *, not empty */
        OPTION_FILE,     /* const char *, a path or "-" */
        OPTION_LIST,     /* const char *; values of several occurrences are joined by commas */
        OPTION_CPUS,     /* struct cpu_list */
        OPTION_NUMBERS,  /* struct number_list: 1,2,3, each min to max */
};

/* Sorted, without duplicates; n is 0 if the option was not given. */
struct cpu_list {
        uint32_t *cpus;
        size_t n;
};

struct number_list {
        uint64_t *numbers;
        size_t n;
};

/* A value with another meaning in perf: if `looks` recognises it, the error message is `sentence`, in which
 * %s is the value. */
struct misreading {
        bool (*looks)(const char *value);
        const char *sentence;
};

struct option {
        const char *name;    /* "timeout" for --timeout; NULL ends a table */
        const char *aliases; /* more long names, separated by blanks, or NULL */
        const char *word;    /* a word without a dash that has the same meaning ("sleep"), or NULL */
        char letter;         /* or 0 */
        bool hidden;         /* not in help, man page and completion */
        enum option_kind kind;
        const char *arg;    /* the name of the value in help; NULL for a flag */
        const char *names;  /* names with which --names completes the value ("events"); NULL: none */
        const char *values; /* the allowed words, separated by blanks; NULL: any value */
        /* OPTION_LIST: more words, which only begin a list, and those that may follow them */
        const char *first_values, *later_values;
        const char *brief; /* short text for the program's help, for frequent options; NULL for others */
        uint64_t min, max;
        bool or_minus_one;   /* OPTION_U64: also accept -1, which is UINT64_MAX */
        bool or_max;         /* OPTION_U64: also accept max, which is UINT64_MAX */
        size_t offset;       /* offset of the value in the struct of its group */
        size_t also_offset;  /* OPTION_FLAG: offset of another flag that is set, too; 0: none */
        size_t typed_offset; /* of an option with a value: offset of a const char *, which becomes the option
                                as it was typed; 0: none */
        const struct misreading *misreading;
        const char *help; /* one sentence, lower case, no full stop */
};

/* Options of perf that a command does not have, and what to write instead. */
struct absent_option {
        const char *spellings; /* long names and letters, separated by blanks; NULL ends a table */
        const char *sentence;  /* "counts are not summed by core: -c CPUS shows ..." */
};

/* Options that several commands share, stored in a struct of their own. */
struct option_group {
        const char *title;
        const struct option *options; /* ends with a zero element */
};

/* A group in a command: `offset` is the offset of the group's struct in the command's struct. */
struct command_group {
        const struct option_group *group;
        size_t offset;
};

enum args_kind {
        ARGS_NONE,
        /* a program to run and its arguments; it begins with the first word that is not an option */
        ARGS_COMMAND,
        ARGS_ATTACH, /* none, because the command measures programs that run already */
        ARGS_OWN,    /* the command's own arguments, between the options and after "--" */
        ARGS_RAW,    /* all following words, also options */
};

struct example {
        const char *line;
        const char *text;
};

/* A letter that an option has in one command only. */
struct command_letter {
        char letter; /* 0 ends a table */
        const char *name;
        const char *lacks; /* added to the error if the value is missing; NULL for nothing */
};

/* What an option that several commands share means in one of them. */
struct option_text {
        const char *name; /* NULL ends a table */
        const char *help;
};

struct command_line;

struct command {
        const char *name;
        const char *aliases;    /* words with the same meaning ("--version"), separated by blanks, or NULL */
        const char *summary;    /* for NAME */
        const char *args_usage; /* text after the options in SYNOPSIS, or NULL */
        const char *about;      /* paragraphs for DESCRIPTION, or NULL */
        const struct command_group *groups;   /* ends with a zero element */
        const struct example *examples;       /* ends with a zero element; may be NULL */
        const struct absent_option *absent;   /* ends with a zero element; may be NULL */
        const struct command_letter *letters; /* ends with a zero element; may be NULL */
        const struct option_text *texts;      /* ends with a zero element; may be NULL */
        /* names of the options that help shows first, separated by blanks; NULL: it shows all in groups */
        const char *common;
        size_t options_size;
        const void *defaults; /* options_size bytes, or NULL for zeros */
        enum args_kind args;
        size_t pids_offset; /* in options: a struct number_list for words of digits; 0: such words are
                               arguments */
        /* names with which --names completes the command's arguments; "commands"; NULL: none */
        const char *args_names;
        bool hidden;
        int usage_status; /* exit status for wrong usage; 0: the same as for all commands */
        int (*run)(const struct command_line *line); /* returns the exit status; never NULL */
};

struct given_option {
        const struct option *option;
        const char *value; /* NULL for a flag */
};

/* A parsed command line.  Texts point into argv, which must outlive it. */
struct command_line {
        const struct command *command; /* NULL if there were no arguments at all */
        void *options;                 /* the command's struct */
        char **args;                   /* the program to run or the command's own arguments; ends with NULL */
        size_t n_args;
        /* Number of arguments before "--"; n_args if there is no "--". */
        size_t n_args_before;
        bool has_dashes; /* "--" was given */
        /* in order; an option that was given again and is not a list is listed once, at its last position */
        struct given_option *given;
        size_t n_given, cap_given;
        bool help;     /* --help was given; the words after it were not parsed */
        bool help_all; /* --all stands beside --help */
        struct arena arena;
};

/* A command of another profiler. */
struct foreign_command {
        const char *name;
        const char *
                instead; /* what to write instead, or that there is nothing of the kind: "write wperf dump" */
};

/* The commands of a program. */
struct command_set {
        const struct command *const *commands; /* in the order of the program's help; ends with NULL */
        const struct foreign_command *foreign; /* ends with a name of NULL */
};

/* Reads the arguments after the program's name; `args` ends with NULL.  Release `line` even on failure. */
bool command_line_parse(struct command_line *line, const struct command_set *set, size_t n_args, char **args,
                        struct err *err);
void command_line_release(struct command_line *line);

/* The words of digits that are PIDs. */
struct number_list command_line_pids(const struct command_line *line);

/* --- Walking the tables ---------------------------------------------------------------------------- */

/* Zero-initialised except for `command`: the position before the first option. */
struct option_walk {
        const struct command *command;
        size_t group, option;
        size_t group_offset; /* group_offset of the last returned option */
};

const struct option *option_next(struct option_walk *walk);

const struct command *options_find_command(const struct command_set *set, const char *word);

/* Find an option by a long name of `len` bytes, by a letter, or by a word without a dash.  `ret_offset` may
 * be NULL. */
const struct option *option_find(const struct command *command, const char *name, size_t len,
                                 size_t *ret_offset);
const struct option *option_find_letter(const struct command *command, char letter, size_t *ret_offset);

/* The letter of an option; 0 for none. */
char option_letter(const struct command *command, const struct option *option);
const struct option *option_find_word(const struct command *command, const char *word, size_t *ret_offset);

/* The next word of a list separated by blanks: returns its start and length and moves *at, or returns
 * NULL. */
const char *options_next_word(const char **at, size_t *ret_len);

bool option_takes_value(const struct option *option);

/* False if all options of the group are hidden: help and manual pages leave such a group out. */
bool option_group_is_shown(const struct option_group *group);

/* What the option means in the command. */
const char *option_help(const struct command *command, const struct option *option);

/* What to write instead of an option that the command does not have ("--per-core", "-S"), or NULL. */
const char *option_find_absent(const struct command *command, const char *word);

/* Parses `value` as the option's kind and stores it into `options` (the group's struct).  Errors
 * name the option by its `spelling`, as it was typed. */
bool option_store(const struct option *option, const char *spelling, const char *value, void *options,
                  struct arena *arena, struct err *err);

/* --- Renderers; they append to `out` ---------------------------------------------------------------- */

void options_help_program(const struct command_set *set, struct buf *out);
void options_help_command(const struct command *command, bool all, struct buf *out); /* or only common ones */
void options_man_program(const struct command_set *set, struct buf *out);
void options_man_command(const struct command *command, struct buf *out);

/* The completion for "bash", "zsh" or "fish"; false for another shell. */
bool options_completion(const char *shell, struct buf *out);

/* Prints how the line was parsed, one item a line. */
void options_explain(const struct command_line *line, struct buf *out);

/* Appends `-x, --name, --alias ARG`, without the argument's name where `arg` is false. */
void option_add_spellings(const struct command *command, const struct option *option, bool arg,
                          struct buf *out);

#endif
