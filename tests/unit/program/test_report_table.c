/* SPDX-License-Identifier: BSD-3-Clause */
/* Every pair of a table of `report` and an option that says what it shows. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "report_table.h"
#include "tap.h"
#include "tree_output.h"

static const struct {
        enum report_table table;
        const char *word;
} choosers[] = {
        {REPORT_TABLE_FUNCTIONS, ""},
        {REPORT_TABLE_TREE, "-g"},
        {REPORT_TABLE_BRANCHES, "-b"},
        {REPORT_TABLE_ACCESSES, "--mem"},
        {REPORT_TABLE_WAKERS, "--wakers"},
        {REPORT_TABLE_THREADS, "--threads"},
        {REPORT_TABLE_CPUS, "--timeline"},
        {REPORT_TABLE_GROUPS, "--group-by=cpython"},
        {REPORT_TABLE_ANNOTATED, "--annotate"},
        {REPORT_TABLE_ANNOTATED, "--disassemble"},
        {REPORT_TABLE_SYSCALLS, "--sort=syscall"},
        {REPORT_TABLE_LOCKS, "--sort=lock"},
};

/* For each option the choosers, in the order above, that allow it. */
static const struct {
        const char *name, *word;
        const char *allowed; /* a letter each: x allowed, - refused */
} options[] = {
        {"sort", "--sort=pid", "x-xx------xx"},   {"csv", "--csv", "x-xx---x--xx"},
        {"inlines", "--inlines", "xx-x---x----"}, {"symbol", "--symbol=main", "xxxx----xx--"},
        {"stdio", "--stdio", "xxxxxxxxxxxx"},     {"show-nr-samples", "-n", "xxxxxxxxxxxx"},
        {"native", "--native", "xxxxxxxxxxxx"},   {"format", "--format=svg", "xxxxxxxxxxxx"},
};

static bool is_allowed(const char *line, enum report_table *ret, struct err *err)
{
        char words_of[128], *words[8];
        struct command_line parsed;
        struct tree_output tree = {0};
        size_t n = 0;
        bool ok;

        snprintf(words_of, sizeof(words_of), "%s", line);
        for (char *at = strtok(words_of, " "); at && n + 1 < N_ELEMENTS(words); at = strtok(NULL, " "))
                words[n++] = at;
        words[n] = NULL;
        ok = command_line_parse(&parsed, &commands_all, n, words, err);
        if (ok) {
                const struct report_options *o = parsed.options;

                ok = tree_output_init(&o->tree, &tree, err) &&
                     report_table_choose(o, tree.is_wanted, ret, err);
        }
        command_line_release(&parsed);
        return ok;
}

TEST(a_table_allows_what_applies_to_it)
{
        for (size_t i = 0; i < N_ELEMENTS(choosers); i++) {
                for (size_t k = 0; k < N_ELEMENTS(options); k++) {
                        enum report_table table = REPORT_N_TABLES;
                        struct err err = {0};
                        char line[128];
                        bool ok;

                        snprintf(line, sizeof(line), "report %s %s", choosers[i].word, options[k].word);
                        ok = is_allowed(line, &table, &err);
                        if (ok != (options[k].allowed[i] == 'x') || (ok && table != choosers[i].table))
                                TAP_FAIL("%s: %s", line, ok ? "is allowed" : err.text);
                        if (!ok)
                                EXPECT_CONTAINS(err.text, "cannot be used together: ");
                }
        }
}

TEST(keys_beside_a_table)
{
        static const struct {
                const char *sort;
                enum report_table table;
                int by; /* -1: refused */
        } cases[] = {
                {"syscall", REPORT_TABLE_SYSCALLS, WAITERS_BY_THREAD},
                {"syscall,tid", REPORT_TABLE_SYSCALLS, WAITERS_BY_THREAD},
                {"comm,syscall", REPORT_TABLE_SYSCALLS, WAITERS_BY_COMM},
                {"syscall,pid", REPORT_TABLE_SYSCALLS, WAITERS_BY_PROCESS},
                {"syscall,symbol", REPORT_TABLE_SYSCALLS, -1},
                {"syscall,comm,pid", REPORT_TABLE_SYSCALLS, -1},
                {"syscall,nokey", REPORT_TABLE_SYSCALLS, -1},
                {"lock", REPORT_TABLE_LOCKS, WAITERS_ALL},
                {"lock,process", REPORT_TABLE_LOCKS, WAITERS_BY_PROCESS},
                {"lock,thread", REPORT_TABLE_LOCKS, WAITERS_BY_THREAD},
                {"lock,overhead", REPORT_TABLE_LOCKS, -1},
                {"comm,pid", REPORT_TABLE_FUNCTIONS, WAITERS_ALL},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                const struct report_options o = {.choice.sort = cases[i].sort};
                enum waiters_by by = WAITERS_ALL;
                bool ok = report_table_waiters(&o, cases[i].table, &by, NULL);

                if (ok != (cases[i].by >= 0) || (ok && (int)by != cases[i].by))
                        TAP_FAIL("--sort %s: %d", cases[i].sort, ok ? (int)by : -1);
        }
}

TEST(two_tables_are_refused)
{
        for (size_t i = 1; i < N_ELEMENTS(choosers); i++) {
                for (size_t k = i + 1; k < N_ELEMENTS(choosers); k++) {
                        bool is_one = choosers[i].table == choosers[k].table;
                        enum report_table table;
                        struct err err = {0};
                        char line[128];

                        snprintf(line, sizeof(line), "report %s %s", choosers[i].word, choosers[k].word);
                        if (is_allowed(line, &table, &err) != is_one)
                                TAP_FAIL("%s: %s", line, is_one ? err.text : "is allowed");
                }
        }
}

static bool is_known(const struct option *option)
{
        char word[64], letter[] = {'-', option->letter, 0};

        snprintf(word, sizeof(word), "--%s", option->name);
        for (size_t i = 1; i < N_ELEMENTS(choosers); i++) {
                if (!strncmp(choosers[i].word, word, strlen(word)) ||
                    (letter[1] && !strcmp(choosers[i].word, letter)))
                        return true;
        }
        for (size_t i = 0; i < N_ELEMENTS(options); i++) {
                if (!strcmp(options[i].name, option->name))
                        return true;
        }
        return !strcmp(option->name, "describe"); /* of --mem */
}

/* A new option that says what is shown must be in the tables above, so that report_table.c is thought of. */
TEST(every_option_is_known)
{
        const struct command_group *group = cmd_report_command.groups;

        while (group->group && group->offset != offsetof(struct report_options, choice))
                group++;
        ASSERT_TRUE(group->group);
        for (const struct option *o = group->group->options; o->name; o++) {
                if (!is_known(o))
                        TAP_FAIL("--%s is in no table of this test", o->name);
        }
}

TAP_MAIN
