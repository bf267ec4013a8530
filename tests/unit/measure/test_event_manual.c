/* SPDX-License-Identifier: BSD-3-Clause */
#include "event_manual.h"

#include <stdlib.h>

#include "buf.h"
#include "err.h"
#include "manual_view.h"
#include "memory_sysfs.h"
#include "table.h"
#include "tap.h"
#include "text.h"
#include "text_width.h"

static const struct memory_file desktop[] = {
        {"cpu/events/branch-instructions", "event=0xc4\n"},
        {"cpu/events/cpu-cycles", "event=0x3c\n"},
        {"cpu/format/event", "config:0-7\n"},
        {"cpu/type", "4\n"},
        {"software/type", "1\n"},
        {NULL, NULL},
};

static const struct memory_file no_pmu[] = {{"software/type", "1\n"}, {NULL, NULL}};

static void add_field(void *ctx, const char *field, const char *text)
{
        manual_view_add(field, text, ctx);
}

static const char *tell(struct event_facts *facts, const char *word)
{
        static char text[8192];
        char *words[] = {(char *)(uintptr_t)word};
        struct buf out = {0};
        struct err err = {0};

        if (!event_manual(facts, words, 1, add_field, &out, &err)) {
                buf_clear(&out);
                buf_printf(&out, "%s: %s", err_code_text(err.code), err.text);
        }
        text_copy(text, sizeof(text), buf_text(&out));
        buf_release(&out);
        return text;
}

static void load_model(const char *model, const char *extra, struct event_facts *facts)
{
        struct err err = {0};

        if (!event_facts_load(&(struct event_facts_request){.cpu_model = model, .extra_events = extra}, facts,
                              &err))
                TAP_FAIL("%s", err.text);
}

TEST(pages_of_a_model)
{
        struct event_facts facts = {0};
        const char *page;

        load_model("neoverse-n1", NULL, &facts);
        page = tell(&facts, "L1D_CACHE_MPKI");
        EXPECT_CONTAINS(page, "CPU\n    neoverse-n1\nNAME\n    l1d_cache_mpki");
        EXPECT_CONTAINS(page, "\nEVENTS\n    inst_retired, l1d_cache_refill\nDESCRIPTION\n    ");
        EXPECT_CONTAINS(page, "\nFORMULA\n    l1d_cache_refill / inst_retired * 1000\nUNIT\n    MPKI\n");
        EXPECT_CONTAINS(tell(&facts, "ld_spec"), "Its number is 0x0070.\n");
        EXPECT_TRUE(!strstr(tell(&facts, "ld_spec"), "no such core"));
        EXPECT_CONTAINS(tell(&facts, "operation_mix"), "NAME\n    Operation_Mix");
        EXPECT_CONTAINS(tell(&facts, "operation_mix"), "METRICS\n    load_percentage, store_percentage,");
        EXPECT_CONTAINS(tell(&facts, "imix"), "EVENTS\n    inst_spec, dp_spec,");
        EXPECT_CONTAINS(tell(&facts, "Neoverse-V2/retiring"), "CPU\n    neoverse-v2\nNAME\n    retiring");
        EXPECT_CONTAINS(tell(&facts, "neoverse-n2-r0p1/ipc"), "CPU\n    neoverse-n2\n");
        EXPECT_CONTAINS(tell(&facts, "/DSU/l3d_cache"), "CPU\n    uncore\nNAME\n    /dsu/l3d_cache");
        page = tell(&facts, "ld_spec,st_spec");
        EXPECT_CONTAINS(page, "NAME\n    ld_spec");
        EXPECT_CONTAINS(page, "NAME\n    st_spec");
        event_facts_release(&facts);
}

TEST(what_is_not_known)
{
        struct event_facts facts = {0};

        load_model("neoverse-n1", NULL, &facts);
        EXPECT_STR(
                tell(&facts, "ld_spek"),
                "not found: warning: \"ld_spek\" not found! Ensure it is compatible with the specified CPU; did you "
                "mean 'ld_spec'?");
        EXPECT_STR(
                tell(&facts, "retiring"),
                "not found: warning: \"retiring\" not found! Ensure it is compatible with the specified CPU; "
                "'neoverse-n2/retiring' is known");
        EXPECT_CONTAINS(tell(&facts, "neoverse-n1/zzzzzzzz"), "\"zzzzzzzz\" not found!");
        EXPECT_CONTAINS(tell(&facts, "neverse-n1/ipc"),
                        "not found: warning: CPU name: \"neverse-n1\" not found, use neoverse-n1 or another");
        EXPECT_CONTAINS(tell(&facts, "/ipc"), "not found: warning: CPU name: \"\" not found, use ");
        EXPECT_CONTAINS(tell(&facts, "neoverse-n1/"), "not found: warning: \"\" not found! Ensure");
        EXPECT_CONTAINS(tell(&facts, "/dsu/zzzzz"), "\"/dsu/zzzzz\" not found!");
        EXPECT_CONTAINS(tell(&facts, "nopmu/event/"), "\"nopmu/event/\" not found!");
        EXPECT_CONTAINS(tell(&facts, "/"), "warning: CPU name: \"\" not found, use");
        EXPECT_CONTAINS(tell(&facts, "//"), "not found!");
        EXPECT_CONTAINS(tell(&facts, "a/"), "warning: CPU name: \"a\" not found, use");
        EXPECT_CONTAINS(tell(&facts, "ipc,,ipc"), "wrong usage: ");
        EXPECT_CONTAINS(tell(&facts, "ipc,"), "wrong usage: ");
        event_facts_release(&facts);
}

TEST(names_of_the_user)
{
        struct event_facts facts = {0};

        load_model("neoverse-n1", "mine:0x1ff,/dsu/other:2", &facts);
        EXPECT_CONTAINS(tell(&facts, "MINE"), "NAME\n    mine - <extra event>");
        EXPECT_CONTAINS(tell(&facts, "mine"), "Its number is 0x01ff.");
        EXPECT_CONTAINS(tell(&facts, "/dsu/other"), "NAME\n    /dsu/other - <extra event>");
        event_facts_release(&facts);
}

TEST(names_of_the_kernel)
{
        struct event_facts facts;

        event_facts_load_tree(memory_sysfs(desktop), &facts);
        EXPECT_CONTAINS(tell(&facts, "cpu-cycles"), "NAME\n    cycles - Cycles of the core");
        EXPECT_CONTAINS(tell(&facts, "faults"), "NAME\n    page-faults - Page faults");
        EXPECT_CONTAINS(tell(&facts, "LLC-load-misses"), "Last-level cache: loads that missed");
        EXPECT_CONTAINS(tell(&facts, "cpu/branch-instructions/"),
                        "The kernel describes it as cpu/event=0xc4/.");
        EXPECT_TRUE(!strstr(tell(&facts, "cycles"), "can't count"));
        event_facts_release(&facts);
        event_facts_load_tree(memory_sysfs(no_pmu), &facts);
        EXPECT_CONTAINS(tell(&facts, "cycles"), "can't count this event.");
        EXPECT_CONTAINS(tell(&facts, "ld_spec"), "CPU\n    armv8-a\nNAME\n    ld_spec");
        EXPECT_CONTAINS(tell(&facts, "ld_spec"), "This machine has no core of this model.");
        EXPECT_CONTAINS(tell(&facts, "l1d_cache_mpki"), "CPU\n    neoverse-n1\n");
        /* Metrics that all Arm cores have, and of units that are no cores. */
        EXPECT_CONTAINS(tell(&facts, "IMIX"), "CPU\n    armv8-a\nNAME\n    imix");
        EXPECT_CONTAINS(tell(&facts, "l3_cache"), "CPU\n    uncore\nNAME\n    l3_cache");
        EXPECT_CONTAINS(tell(&facts, "ddr_bw"), "This machine has no unit that\n");
        event_facts_release(&facts);
}

/* --- widths --- */

static void check_widths(const char *text, const char *what)
{
        for (const char *at = text; *at;) {
                size_t len = strcspn(at, "\n");
                char line[256];

                snprintf(line, sizeof(line), "%.*s", (int)len, at);
                if (len >= sizeof(line) || text_width(line) > 81)
                        TAP_FAIL("%s: a line of %zu bytes: %s", what, len, line);
                at += len + (at[len] == '\n');
        }
}

static void check_page(struct event_facts *facts, const char *cpu, const char *name)
{
        char word[256];
        const char *page;

        snprintf(word, sizeof(word), "%s/%s", cpu, name);
        page = tell(facts, word);
        if (strncmp(page, "CPU\n", 4))
                TAP_FAIL("%s: %s", word, page);
        check_widths(page, word);
}

TEST(no_line_is_too_wide)
{
        struct event_facts facts;

        event_facts_load_tree(memory_sysfs(no_pmu), &facts);
        for (size_t i = 0; i < catalogue_n_cpus(); i++) {
                const struct catalogue_cpu *cpu = catalogue_get_cpu(i);

                for (size_t e = 0; e < cpu->n_events; e++)
                        check_page(&facts, cpu->id, catalogue_get_event(cpu, e)->name);
                for (size_t m = 0; m < cpu->n_metrics; m++)
                        check_page(&facts, cpu->id, cpu->metrics[m].name);
                for (size_t g = 0; g < cpu->n_groups; g++)
                        check_page(&facts, cpu->id, cpu->groups[g].name);
        }
        event_facts_release(&facts);
}

TEST(layout)
{
        struct buf out = {0};
        char word[200] = "";

        manual_view_add("NAME", "  one  two ", &out);
        EXPECT_STR(out.data, "NAME\n    one two\n");
        buf_clear(&out);
        manual_view_add("NAME", "", &out);
        EXPECT_STR(out.data, "NAME\n    \n");
        memset(word, 'x', 160);
        buf_clear(&out);
        manual_view_add("NAME", word, &out);
        check_widths(out.data, "a long word");
        EXPECT_INT(out.len, 5 + 3 * 5 + 160);
        buf_clear(&out);
        for (size_t i = 0; i < 53; i++)
                memcpy(word + 3 * i, "\xe2\x82\xac", 4);
        manual_view_add("NAME", word, &out);
        EXPECT_TRUE(!strstr(out.data, "\\x"));
        EXPECT_INT(out.len, 5 + 5 + 159);
        buf_release(&out);
}

TAP_MAIN
