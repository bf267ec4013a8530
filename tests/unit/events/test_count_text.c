/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_list.h"

#include "buf.h"
#include "count_machines.h"
#include "err.h"
#include "tap.h"

static bool parse(const struct memory_file *files, const char *events, const char *metrics,
                  struct count_list *ret)
{
        const struct count_text text = {.events = events, .metrics = metrics, .dmc = UINT32_MAX};
        struct pmu_source source = memory_sysfs(files);

        return count_list_parse(&text, &source, ret, NULL);
}

TEST(lines_of_a_list)
{
        static const char want[] = "pmus_known=1\n"
                                   "kind=armv8_pmuv3_0\n"
                                   "type=8\n"
                                   "cpus=0-1\n"
                                   "vendor=arm\n"
                                   "midr=0x413fd0c1\n"
                                   "model=neoverse-n1\n"
                                   "counters=6\n"
                                   "event=cycle\n"
                                   "plain=cpu_cycles\n"
                                   "class=core\n"
                                   "index=fixed\n"
                                   "pmu=armv8_pmuv3_0\n"
                                   "code=17\n"
                                   "of_kind=0\n"
                                   "cycle=1\n"
                                   "event=inst_retired:u\n"
                                   "plain=inst_retired\n"
                                   "class=core\n"
                                   "index=0x08\n"
                                   "pmu=armv8_pmuv3_0\n"
                                   "code=8\n"
                                   "of_kind=0\n"
                                   "group=0\n"
                                   "together=1\n"
                                   "event=stall_backend:u\n"
                                   "plain=stall_backend\n"
                                   "class=core\n"
                                   "index=0x24\n"
                                   "pmu=armv8_pmuv3_0\n"
                                   "code=36\n"
                                   "of_kind=0\n"
                                   "group=0\n"
                                   "together=1\n";
        struct count_list list = {0};
        struct buf text = {0};

        ASSERT_TRUE(parse(machine_qemu_n1, "{inst_retired,stall_backend}:u", NULL, &list));
        count_list_write(&list, &text);
        EXPECT_STR(buf_text(&text), want);
        count_list_release(&list);
        buf_release(&text);
}

/* Every field that is written is read. */
static void expect_round_trip(const struct memory_file *files, const char *events, const char *metrics)
{
        struct count_list list = {0}, again = {0};
        struct buf text = {0}, second = {0};
        struct err err = {0};

        ASSERT_TRUE(parse(files, events, metrics, &list));
        buf_add_str(&list.warnings, "one\ntwo\n");
        count_list_write(&list, &text);
        if (!count_list_read(buf_text(&text), text.len, &again, &err))
                TAP_FAIL("%s: %s", events ? events : metrics, err.text);
        count_list_write(&again, &second);
        EXPECT_STR(buf_text(&second), buf_text(&text));
        EXPECT_INT(again.n_items, list.n_items);
        EXPECT_STR(buf_text(&again.warnings), "one\ntwo\n");
        count_list_release(&list);
        count_list_release(&again);
        buf_release(&text);
        buf_release(&second);
}

TEST(lists_read_back)
{
        expect_round_trip(machine_big_little, "{inst_retired,ld_spec},cs,L1-dcache-loads", "imix,dcache");
        expect_round_trip(files_uncore, "/dsu/l3d_cache,{/dsu/r11,/dsu/r19},/dmc_clk/request,dtc_cycles",
                          "ddr_bw");
        expect_round_trip(machine_x86, "cpu/event=1,name=a b\001\n=/,tsc", NULL);
        expect_round_trip(machine_vm, NULL, NULL);
}

TEST(what_was_learnt_when_the_events_were_opened_is_kept)
{
        struct count_list list = {0}, again = {0};
        struct buf text = {0};

        ASSERT_TRUE(parse(files_uncore, "/dsu/l3d_cache", NULL, &list));
        ASSERT_CMP(list.n_items, ==, 2);
        EXPECT_STR(list.items[0].unit_cpus, "0-63");
        EXPECT_TRUE(!list.items[1].unit_cpus);
        list.items[0].refusal = "the kernel\nrefuses it";
        list.items[1].estimate = "wait4";
        count_list_write(&list, &text);
        ASSERT_TRUE(count_list_read(buf_text(&text), text.len, &again, NULL));
        EXPECT_STR(again.items[0].refusal, "the kernel\\x0arefuses it");
        EXPECT_TRUE(!again.items[0].estimate);
        EXPECT_STR(again.items[0].unit_cpus, "0-63");
        EXPECT_STR(again.items[1].estimate, "wait4");
        EXPECT_TRUE(!again.items[1].refusal);
        count_list_release(&list);
        count_list_release(&again);
        buf_release(&text);
}

TEST(what_the_reader_refuses)
{
        static const struct {
                const char *text, *want;
        } cases[] = {
                {"event\n", "line 1 of the counted events: event is not key=value"},
                {"kind=a\nx\n", "line 2 of the counted events: x is not key=value"},
                {"event=a\ncode=-1\n", "line 2 of the counted events: code has no valid number"},
                {"event=a\ncode=4294967296\n", "line 2 of the counted events: code has no valid number"},
                {"event=a\nclass=x\n", "line 2 of the counted events: class is not known"},
                {"event=a\nof_kind=0\n", "counted event 0 names kind 0, and the list has 0 kinds"},
                {"metric=a\nof_kind=1\nkind=k\n", "counted metric 0 names kind 1, and the list has 1 kinds"},
                {"metric=a\nevents=0\n", "counted metric 0 names event 0, and the list has 0 events"},
                {"metric=a\nevents=1,\n", "line 2 of the counted events: events has no valid number"},
                {"metric=a\nevents=\nevents=\n",
                 "line 3 of the counted events: events is not a list of events"},
                {"event=a\nindex=0123456789012345678901234\n",
                 "line 2 of the counted events: index is too long"},
                {"kind=a\ncpus=1-x\n", "line 2 of the counted events: cpus is not a list of CPUs"},
                {"kind=a\ncpus=1\ncpus=2\n", "line 3 of the counted events: cpus is not a list of CPUs"},
                {"kind=a\ncpus=99999\n", "line 2 of the counted events: cpus is not a list of CPUs"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                struct count_list list = {0};
                struct err err = {0};

                EXPECT_TRUE(!count_list_read(cases[i].text, strlen(cases[i].text), &list, &err));
                EXPECT_STR(err.text, cases[i].want);
                EXPECT_TRUE(!list.items);
        }
}

TEST(limits_of_the_reader)
{
        struct count_list list = {0};
        struct buf text = {0};
        struct err err = {0};

        for (int i = 0; i < 4096; i++)
                buf_add_str(&text, "event=a\n");
        EXPECT_TRUE(count_list_read(text.data, text.len, &list, &err));
        EXPECT_INT(list.n_items, 4096);
        count_list_release(&list);
        buf_add_str(&text, "event=a\n");
        EXPECT_TRUE(!count_list_read(text.data, text.len, &list, &err));
        EXPECT_STR(err.text, "line 4097 of the counted events: event exceeds the limit of such lines");
        buf_clear(&text);
        for (int i = 0; i < 17; i++)
                buf_add_str(&text, "kind=a\n");
        EXPECT_TRUE(!count_list_read(text.data, text.len, &list, &err));
        EXPECT_STR(err.text, "line 17 of the counted events: kind exceeds the limit of such lines");
        buf_clear(&text);
        buf_add_zeros(&text, (4 << 20) + 1);
        EXPECT_TRUE(!count_list_read(text.data, text.len, &list, &err));
        EXPECT_STR(err.text, "the counted events are longer than 4194304 bytes");
        EXPECT_TRUE(!count_list_read("event=\0a", 8, &list, &err));
        buf_release(&text);
}

TEST(keys_of_later_versions_are_skipped)
{
        static const char text[] = "new=1\nkind=a\nnew=2\nevent=B\nnew=3\nmetric=m\nnew=4\n";
        struct count_list list = {0};

        ASSERT_TRUE(count_list_read(text, strlen(text), &list, NULL));
        EXPECT_STR(list.items[0].event.name, "B");
        EXPECT_STR(list.items[0].plain, "b");
        EXPECT_INT(list.items[0].group, COUNT_LOOSE);
        EXPECT_INT(list.items[0].kind, COUNT_NO_KIND);
        EXPECT_STR(list.metrics[0].title, "m");
        count_list_release(&list);
}

TAP_MAIN
