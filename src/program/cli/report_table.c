/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_table.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "sort_keys.h"
#include "text_match.h"

/* Options that choose a table, or that apply to some of them, in the order in which they are refused. */
enum report_option {
        OPTION_TREE,
        OPTION_BRANCHES,
        OPTION_MEM,
        OPTION_WAKERS,
        OPTION_SYSCALL,
        OPTION_LOCK,
        OPTION_THREADS,
        OPTION_TIMELINE,
        OPTION_GROUP_BY,
        OPTION_INLINES,
        OPTION_CSV,
        OPTION_SORT,
        OPTION_SYMBOL,
        OPTION_ANNOTATE,
        OPTION_DISASSEMBLE,
        N_OPTIONS
};

static const char *const names[N_OPTIONS] = {
        [OPTION_TREE] = "-g",
        [OPTION_BRANCHES] = "-b",
        [OPTION_MEM] = "--mem",
        [OPTION_WAKERS] = "--wakers",
        [OPTION_SYSCALL] = "--sort syscall",
        [OPTION_LOCK] = "--sort lock",
        [OPTION_THREADS] = "--threads",
        [OPTION_TIMELINE] = "--timeline",
        [OPTION_GROUP_BY] = "--group-by",
        [OPTION_INLINES] = "--inlines",
        [OPTION_CSV] = "--csv",
        [OPTION_SORT] = "--sort",
        [OPTION_SYMBOL] = "--symbol",
        [OPTION_ANNOTATE] = "--annotate",
        [OPTION_DISASSEMBLE] = "--disassemble",
};

#define BIT(option) (1U << OPTION_##option)

static const struct table {
        unsigned chosen_by; /* the option, or one of two */
        unsigned allows;    /* other options */
        const char *reason; /* why it allows no more */
        bool in_browser;    /* with INLINES and CSV the text is printed */
} tables[REPORT_N_TABLES] = {
        [REPORT_TABLE_GROUPS] = {.chosen_by = BIT(GROUP_BY),
                                 .allows = BIT(INLINES) | BIT(CSV),
                                 .reason = "--group-by shows groups of functions"},
        [REPORT_TABLE_ACCESSES] = {.chosen_by = BIT(MEM),
                                   .allows = BIT(INLINES) | BIT(CSV) | BIT(SORT) | BIT(SYMBOL),
                                   .reason = "--mem shows accesses to memory; run report twice"},
        [REPORT_TABLE_WAKERS] = {.chosen_by = BIT(WAKERS),
                                 .reason = "--wakers shows who ended waits, not functions"},
        [REPORT_TABLE_SYSCALLS] = {.chosen_by = BIT(SYSCALL),
                                   .allows = BIT(CSV),
                                   .reason = "--sort syscall has a row for each thread and system call"},
        [REPORT_TABLE_LOCKS] = {.chosen_by = BIT(LOCK),
                                .allows = BIT(CSV),
                                .reason =
                                        "--sort lock has a row for each lock and function that waits for it"},
        [REPORT_TABLE_THREADS] = {.chosen_by = BIT(THREADS),
                                  .reason = "--threads shows samples over time, not functions"},
        [REPORT_TABLE_CPUS] = {.chosen_by = BIT(TIMELINE),
                               .reason = "--timeline shows samples over time, not functions"},
        [REPORT_TABLE_BRANCHES] = {.chosen_by = BIT(BRANCHES),
                                   .allows = BIT(CSV) | BIT(SORT) | BIT(SYMBOL),
                                   .reason = "-b prints a table of branches"},
        [REPORT_TABLE_ANNOTATED] = {.chosen_by = BIT(ANNOTATE) | BIT(DISASSEMBLE),
                                    .allows = BIT(SYMBOL),
                                    .reason =
                                            "wperf annotate shows the lines and instructions of a function"},
        [REPORT_TABLE_TREE] = {.chosen_by = BIT(TREE),
                               .allows = BIT(INLINES) | BIT(SYMBOL),
                               .reason = "--sort groups samples into rows of a table, -g prints a call tree; "
                                         "leave one out",
                               .in_browser = true},
        [REPORT_TABLE_FUNCTIONS] = {.allows = BIT(INLINES) | BIT(CSV) | BIT(SORT) | BIT(SYMBOL),
                                    .in_browser = true},
};

bool report_table_by_line(const struct report_options *o)
{
        return o->choice.sort && !strcmp(o->choice.sort, "line");
}

/* Whether a table of its own is asked for by a word of --sort. */
static bool sorts_by(const struct report_options *o, const char *word)
{
        return o->choice.sort && text_in_list(o->choice.sort, word);
}

static bool has_keys(const struct report_options *o, bool wants_tree)
{
        return o->choice.sort && !sorts_by(o, "syscall") && !sorts_by(o, "lock") &&
               !(wants_tree && report_table_by_line(o));
}

static unsigned given(const struct report_options *o, bool wants_tree)
{
        const bool is_given[N_OPTIONS] = {
                [OPTION_TREE] = wants_tree,
                [OPTION_BRANCHES] = o->choice.branches,
                [OPTION_MEM] = o->choice.mem,
                [OPTION_WAKERS] = o->choice.wakers,
                [OPTION_SYSCALL] = sorts_by(o, "syscall"),
                [OPTION_LOCK] = sorts_by(o, "lock"),
                [OPTION_THREADS] = o->choice.threads,
                [OPTION_TIMELINE] = o->choice.timeline,
                [OPTION_GROUP_BY] = o->choice.group_by,
                [OPTION_INLINES] = o->choice.inlines,
                [OPTION_CSV] = o->choice.csv,
                [OPTION_SORT] = has_keys(o, wants_tree),
                [OPTION_SYMBOL] = o->display.symbol,
                [OPTION_ANNOTATE] = o->display.annotate,
                [OPTION_DISASSEMBLE] = o->display.disassemble,
        };
        unsigned mask = 0;

        for (unsigned i = 0; i < N_OPTIONS; i++)
                mask |= (unsigned)is_given[i] << i;
        return mask;
}

static enum report_option last_of(unsigned mask)
{
        enum report_option last = 0;

        for (unsigned i = 0; i < N_OPTIONS; i++)
                last = mask & 1U << i ? (enum report_option)i : last;
        return last;
}

static bool refuse(const struct table *table, unsigned mask, enum report_option other, struct err *err)
{
        const char *reason = table->reason;

        if (table == &tables[REPORT_TABLE_TREE] && other == OPTION_CSV)
                reason = "a call tree is not a table; write --json";
        return err_set(err, ERR_USAGE, "%s and %s cannot be used together: %s",
                       names[last_of(table->chosen_by & mask)], names[other], reason);
}

bool report_table_choose(const struct report_options *options, bool wants_tree, enum report_table *ret,
                         struct err *err)
{
        unsigned mask = given(options, wants_tree);
        enum report_table chosen = 0;

        while (chosen < REPORT_TABLE_FUNCTIONS && !(tables[chosen].chosen_by & mask))
                chosen++;
        for (unsigned i = 0; i < N_OPTIONS; i++) {
                if (mask & ~(tables[chosen].chosen_by | tables[chosen].allows) & 1U << i)
                        return refuse(&tables[chosen], mask, (enum report_option)i, err);
        }
        *ret = chosen;
        return true;
}

bool report_table_waiters(const struct report_options *options, enum report_table table, enum waiters_by *ret,
                          struct err *err)
{
        static const enum waiters_by by_key[ROW_N_KEYS] = {
                [ROW_COMM] = WAITERS_BY_COMM,       [ROW_PID] = WAITERS_BY_PROCESS,
                [ROW_PROCESS] = WAITERS_BY_PROCESS, [ROW_TID] = WAITERS_BY_THREAD,
                [ROW_THREAD] = WAITERS_BY_THREAD,
        };
        bool is_call = table == REPORT_TABLE_SYSCALLS;
        const char *word = is_call ? "syscall" : "lock";
        struct row_keys keys = {0};

        *ret = is_call ? WAITERS_BY_THREAD : WAITERS_ALL;
        if (!is_call && table != REPORT_TABLE_LOCKS)
                return true;
        if (!sort_keys_parse_beside(options->choice.sort, word, &keys, err))
                return false;
        if (keys.n)
                *ret = by_key[keys.order[0]];
        return (keys.n < 2 && (!keys.n || *ret != WAITERS_ALL)) ||
               err_set(err, ERR_USAGE,
                       "--sort %s can only be combined with one of the sort keys comm, pid, tid, process and "
                       "thread",
                       word);
}

bool report_table_is_browsed(enum report_table table, const struct report_options *options)
{
        assert((size_t)table < N_ELEMENTS(tables));
        return tables[table].in_browser && !(given(options, false) & (BIT(INLINES) | BIT(CSV)));
}
