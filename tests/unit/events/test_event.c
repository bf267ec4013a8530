/* SPDX-License-Identifier: BSD-3-Clause */
#include "buf.h"
#include "err.h"
#include "event.h"
#include "memory_sysfs.h"
#include "tap.h"
#include "text.h"

static const struct memory_file x86[] = {
        {"cpu/type", "4\n"},
        {"cpu/format/event", "config:0-7\n"},
        {"cpu/format/umask", "config:8-15\n"},
        {"cpu/format/edge", "config:18\n"},
        {"cpu/format/ldlat", "config1:0-15\n"},
        {"cpu/events/cpu-cycles", "event=0x3c\n"},
        {"cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
        {"cpu/events/slow-one", "event=0x10,period=2000003\n"},
        {"cpu/caps/max_precise", "3\n"},
        {"intel_pt/type", "8\n"},
        {"msr/type", "9\n"},
        {"msr/format/event", "config:0-63\n"},
        {"msr/events/tsc", "event=0x00\n"},
        {"power/type", "10\n"},
        {"power/cpumask", "0\n"},
        {"power/format/event", "config:0-7\n"},
        {"power/events/energy-pkg", "event=0x02\n"},
        {"power/events/energy-pkg.unit", "Joules\n"},
        {"software/type", "1\n"},
        {"uncore_cbox_0/type", "11\n"},
        {"uncore_cbox_0/cpumask", "0\n"},
        {"uncore_cbox_0/format/event", "config:0-7\n"},
        {NULL, NULL},
};

static const struct memory_file hybrid[] = {
        {"cpu_atom/type", "10\n"},
        {"cpu_atom/cpus", "4-7\n"},
        {"cpu_atom/format/event", "config:0-7\n"},
        {"cpu_atom/events/mem-loads", "event=0xd0\n"},
        {"cpu_core/type", "4\n"},
        {"cpu_core/cpus", "0-3\n"},
        {"cpu_core/format/event", "config:0-7\n"},
        {"cpu_core/events/mem-loads", "event=0xcd\n"},
        {"cpu_core/events/slots", "event=0x4\n"},
        {NULL, NULL},
};

static const struct memory_file n1[] = {
        {"arm_dsu_0/type", "12\n"},
        {"arm_dsu_0/cpumask", "0\n"},
        {"arm_dsu_0/format/event", "config:0-31\n"},
        {"arm_dsu_0/events/l3d_cache", "event=0x2b\n"},
        {"arm_spe_0/type", "13\n"},
        {"arm_spe_0/cpumask", "0-3\n"},
        {"armv8_pmuv3_0/type", "11\n"},
        {"armv8_pmuv3_0/cpus", "0-3\n"},
        {"armv8_pmuv3_0/format/event", "config:0-15\n"},
        {"armv8_pmuv3_0/format/long", "config1:0\n"},
        {"armv8_pmuv3_0/events/cpu_cycles", "event=0x0011\n"},
        {"armv8_pmuv3_0/events/stall_backend", "event=0x0024\n"},
        {NULL, NULL},
};

static const struct memory_file vm[] = {{"software/type", "1\n"}, {NULL, NULL}};

enum { U = 1, K = 2, HV = 4, HOST = 8, GUEST = 16 }; /* what is left out */

static unsigned excluded(uint64_t flags)
{
        return (flags & PERF_ATTR_EXCLUDE_USER ? U : 0u) | (flags & PERF_ATTR_EXCLUDE_KERNEL ? K : 0u) |
               (flags & PERF_ATTR_EXCLUDE_HV ? HV : 0u) | (flags & PERF_ATTR_EXCLUDE_HOST ? HOST : 0u) |
               (flags & PERF_ATTR_EXCLUDE_GUEST ? GUEST : 0u);
}

struct good {
        const char *text;
        uint32_t type;
        uint64_t config;
        uint64_t period; /* 0: the frequency 999 */
        unsigned excluded;
        const char *name;
};

static void expect_good(const struct memory_file *files, const struct good *cases, size_t n)
{
        struct pmu_source source = memory_sysfs(files);

        for (size_t i = 0; i < n; i++) {
                const struct good *want = &cases[i];
                struct event_list list = {0};
                struct err err = {0};
                const struct perf_attr *attr;
                bool is_freq;

                if (!event_parse_sampling(want->text, NULL, &source, &list, &err)) {
                        TAP_FAIL("%s: %s", want->text, err.text);
                        continue;
                }
                attr = &list.items[0].attr;
                is_freq = attr->flags & PERF_ATTR_FREQ;
                if (list.n_items != 1 || attr->type != want->type || attr->config != want->config ||
                    is_freq != !want->period ||
                    attr->sample_period_or_freq != (want->period ? want->period : 999) ||
                    excluded(attr->flags) != want->excluded || strcmp(list.items[0].name, want->name)) {
                        struct buf text = {0};

                        event_describe_attr(attr, &text);
                        TAP_FAIL("%s: %zu events, '%s'\n%s", want->text, list.n_items, list.items[0].name,
                                 buf_text(&text));
                        buf_release(&text);
                }
                event_list_release(&list);
        }
}

struct bad {
        const char *text;
        const char *message;
};

static void expect_bad(const struct memory_file *files, const struct bad *cases, size_t n)
{
        struct pmu_source source = memory_sysfs(files);

        for (size_t i = 0; i < n; i++) {
                struct event_list list = {0};
                struct err err = {0};

                if (event_parse_sampling(cases[i].text, NULL, &source, &list, &err))
                        TAP_FAIL("%s: accepted", cases[i].text);
                else if (strcmp(err.text, cases[i].message))
                        TAP_FAIL("%s:\n#   got  %s\n#   want %s", cases[i].text, err.text, cases[i].message);
                if (list.items)
                        TAP_FAIL("%s: touched the list", cases[i].text);
                event_list_release(&list);
        }
}

TEST(generic_events)
{
        static const struct good cases[] = {
                {"cycles", 0, 0, 0, K | HV, "cycles"},
                {"cpu-cycles", 0, 0, 0, K | HV, "cpu-cycles"},
                {"CYCLES", 0, 0, 0, K | HV, "CYCLES"},
                {"cpu_cycles", 0, 0, 0, K | HV, "cpu_cycles"},
                {"instructions:1000", 0, 1, 1000, K | HV, "instructions"},
                {"cache-references", 0, 2, 0, K | HV, "cache-references"},
                {"cache-misses", 0, 3, 0, K | HV, "cache-misses"},
                {"branches", 0, 4, 0, K | HV, "branches"},
                {"branch-instructions", 0, 4, 0, K | HV, "branch-instructions"},
                {"branch-misses", 0, 5, 0, K | HV, "branch-misses"},
                {"bus-cycles", 0, 6, 0, K | HV, "bus-cycles"},
                {"idle-cycles-frontend", 0, 7, 0, K | HV, "idle-cycles-frontend"},
                {"stalled-cycles-backend", 0, 8, 0, K | HV, "stalled-cycles-backend"},
                {"ref-cycles", 0, 9, 0, K | HV, "ref-cycles"},
                {"cpu-clock", 1, 0, 0, K | HV, "cpu-clock"},
                {"task-clock:u:1000000", 1, 1, 1000000, K | HV, "task-clock:u"},
                {"faults:1", 1, 2, 1, K | HV, "faults"},
                {"cs:1", 1, 3, 1, 0, "cs"},
                {"context-switches:u:1", 1, 3, 1, K | HV, "context-switches:u"},
                {"migrations", 1, 4, 0, 0, "migrations"},
                {"minor-faults", 1, 5, 0, K | HV, "minor-faults"},
                {"major-faults", 1, 6, 0, K | HV, "major-faults"},
                {"alignment-faults", 1, 7, 0, K | HV, "alignment-faults"},
                {"emulation-faults", 1, 8, 0, K | HV, "emulation-faults"},
                {"dummy", 1, 9, 0, K | HV, "dummy"},
                {"bpf-output", 1, 10, 0, K | HV, "bpf-output"},
                {"cgroup-switches", 1, 11, 0, 0, "cgroup-switches"},
        };

        expect_good(x86, cases, N_ELEMENTS(cases));
}

TEST(cache_events)
{
        static const struct good cases[] = {
                {"L1-dcache-loads", 3, 0, 0, K | HV, "L1-dcache-loads"},
                {"L1-dcache", 3, 0, 0, K | HV, "L1-dcache"},
                {"L1-dcache-load-misses", 3, 0x10000, 0, K | HV, "L1-dcache-load-misses"},
                {"l1-dcache-misses-loads", 3, 0x10000, 0, K | HV, "l1-dcache-misses-loads"},
                {"L1-dcache-stores", 3, 0x100, 0, K | HV, "L1-dcache-stores"},
                {"L1-dcache-prefetch-misses", 3, 0x10200, 0, K | HV, "L1-dcache-prefetch-misses"},
                {"L1-icache-misses", 3, 0x10001, 0, K | HV, "L1-icache-misses"},
                {"LLC-store-misses:u:7", 3, 0x10102, 7, K | HV, "LLC-store-misses:u"},
                {"dTLB-load-misses", 3, 0x10003, 0, K | HV, "dTLB-load-misses"},
                {"iTLB-loads", 3, 4, 0, K | HV, "iTLB-loads"},
                {"branch-loads", 3, 5, 0, K | HV, "branch-loads"},
                {"branch-load-misses", 3, 0x10005, 0, K | HV, "branch-load-misses"},
                {"node-speculative-read", 3, 0x206, 0, K | HV, "node-speculative-read"},
        };

        expect_good(x86, cases, N_ELEMENTS(cases));
}

TEST(modifiers_and_intervals)
{
        static const struct good cases[] = {
                {"cycles:u", 0, 0, 0, K | HV, "cycles:u"},
                {"cycles:k", 0, 0, 0, U | HV, "cycles:k"},
                {"cycles:h", 0, 0, 0, U | K, "cycles:h"},
                {"cycles:uk", 0, 0, 0, HV, "cycles:uk"},
                {"cycles:ukh", 0, 0, 0, 0, "cycles:ukh"},
                {"cycles:G", 0, 0, 0, K | HV | HOST, "cycles:G"},
                {"cycles:uH", 0, 0, 0, K | HV | GUEST, "cycles:uH"},
                {"cycles:GH", 0, 0, 0, K | HV, "cycles:GH"},
                {"cycles:100000", 0, 0, 100000, K | HV, "cycles"},
                {"cycles:u:100000", 0, 0, 100000, K | HV, "cycles:u"},
                {"cycles:0x4000", 0, 0, 0x4000, K | HV, "cycles"},
                {"cycles:0X4a", 0, 0, 0x4a, K | HV, "cycles"},
                {"cycles:010", 0, 0, 8, K | HV, "cycles"},
                {"cycles:0x7fffffffffffffff", 0, 0, INT64_MAX, K | HV, "cycles"},
        };

        expect_good(x86, cases, N_ELEMENTS(cases));
}

TEST(precise_levels)
{
        static const struct {
                const char *text;
                unsigned level;
                bool max;
        } cases[] = {
                {"cycles", 0, true},          {"cycles:u", 0, true},    {"cycles:p", 1, false},
                {"cycles:upp", 2, false},     {"cycles:ppp", 3, false}, {"r1b", 0, true},
                {"cpu-clock", 0, false},      {"mem-loads", 0, true},   {"cpu/event=1/", 0, true},
                {"cpu/event=1/pp", 2, false},
        };
        struct pmu_source source = memory_sysfs(x86);

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                struct event_list list = {0};
                struct err err = {0};

                ASSERT_TRUE(event_parse_sampling(cases[i].text, NULL, &source, &list, &err));
                EXPECT_INT((list.items[0].attr.flags & PERF_ATTR_PRECISE) >> PERF_ATTR_PRECISE_SHIFT,
                           cases[i].level);
                EXPECT_INT(list.items[0].precise_max, cases[i].max);
                event_list_release(&list);
        }
}

TEST(raw_events)
{
        static const struct good cases[] = {
                {"r1b", 4, 0x1b, 0, K | HV, "r1b"},
                {"R1B:k", 4, 0x1b, 0, U | HV, "R1B:k"},
                {"r1b:u:5", 4, 0x1b, 5, K | HV, "r1b:u"},
                {"r5300c0", 4, 0x5300c0, 0, K | HV, "r5300c0"},
                {"0x1b", 4, 0x1b, 0, K | HV, "0x1b"},
                {"27", 4, 27, 0, K | HV, "27"},
                {"033:1000", 4, 27, 1000, K | HV, "033"},
                {"rffffffffffffffff", 4, UINT64_MAX, 0, K | HV, "rffffffffffffffff"},
        };

        expect_good(x86, cases, N_ELEMENTS(cases));
}

TEST(pmu_events)
{
        static const struct good cases[] = {
                {"cpu/event=0x3c,umask=1/", 4, 0x13c, 0, K | HV, "cpu/event=0x3c,umask=1/"},
                {"cpu/event=0x3c,umask=1/upp:2003", 4, 0x13c, 2003, K | HV, "cpu/event=0x3c,umask=1/upp"},
                {"cpu/event=60/:u:5", 4, 60, 5, K | HV, "cpu/event=60/:u"},
                {"CPU/EVENT=60,edge/k", 4, 0x4003c, 0, U | HV, "CPU/EVENT=60,edge/k"},
                {"cpu/edge=0,event=060/", 4, 60, 0, K | HV, "cpu/edge=0,event=060/"},
                {"cpu/config=0x123456/", 4, 0x123456, 0, K | HV, "cpu/config=0x123456/"},
                {"cpu//", 4, 0, 0, K | HV, "cpu//"},
                {"cpu/cpu-cycles/", 4, 0x3c, 0, K | HV, "cpu/cpu-cycles/"},
                {"cpu/event=1,name=my one,period=77/", 4, 1, 77, K | HV, "my one"},
                {"cpu/event=1,freq=999/", 4, 1, 0, K | HV, "cpu/event=1,freq=999/"},
                {"cpu/event=1,period=77/u:99", 4, 1, 99, K | HV, "cpu/event=1,period=77/u"},
                {"mem-loads", 4, 0x1cd, 0, K | HV, "mem-loads"},
                {"Mem-Loads:u:10", 4, 0x1cd, 10, K | HV, "Mem-Loads:u"},
                {"cpu/mem-loads,ldlat=30/", 4, 0x1cd, 0, K | HV, "cpu/mem-loads,ldlat=30/"},
                {"slow-one", 4, 0x10, 2000003, K | HV, "slow-one"},
                {"slow-one:8", 4, 0x10, 8, K | HV, "slow-one"},
                {"software/config=2/:1", 1, 2, 1, K | HV, "software/config=2/"},
        };

        expect_good(x86, cases, N_ELEMENTS(cases));
}

TEST(arm_events)
{
        static const struct good cases[] = {
                {"cycles", 0, 0, 0, K | HV, "cycles"},
                {"CPU_CYCLES:0x10000", 11, 0x11, 0x10000, K | HV, "CPU_CYCLES"},
                {"stall_backend", 11, 0x24, 0, K | HV, "stall_backend"},
                {"ld_spec:100000", 11, 0x70, 100000, K | HV, "ld_spec"},
                {"L1D_CACHE_RW", 11, 0x8140, 0, K | HV, "L1D_CACHE_RW"},
                {"armv8_pmuv3_0/event=0x70,long/", 11, 0x70, 0, K | HV, "armv8_pmuv3_0/event=0x70,long/"},
                {"r70:10000", 4, 0x70, 10000, K | HV, "r70"},
        };
        static const struct bad refused[] = {
                {"inst_spec",
                 "event 'inst_spec' (column 1) is not counted by these cores (the PMU 'armv8_pmuv3_0' does not "
                 "list it); write r1b to open it anyway"},
                {"imp_ct_flush",
                 "event 'imp_ct_flush' (column 1) belongs to Neoverse N3, and the PMU 'armv8_pmuv3_0' does not list it; "
                 "write r120 to open it anyway"},
                {"l1d_cache_rv", "unknown event name: l1d_cache_rv (column 1); did you mean 'l1d_cache_rd'?"},
                {"r12345", "extra event value out of range in r12345 (column 1)"},

                {"cycles,l3d_cache",
                 "'l3d_cache' (column 8) is an uncore event: it counts for more than one core and "
                 "cannot be sampled; count it with stat"},
                {"/dsu/l3d_cache",
                 "'/dsu/l3d_cache' (column 1) is an uncore event: it counts for more than one core "
                 "and cannot be sampled; count it with stat"},
                {"dsu/l3d_cache/",
                 "'dsu/l3d_cache/' (column 1) is an uncore event: it counts for more than one core "
                 "and cannot be sampled; count it with stat"},
                {"stal_backend",
                 "unknown event name: stal_backend (column 1); did you mean 'stall_backend'?"},
        };

        expect_good(n1, cases, N_ELEMENTS(cases));
        expect_bad(n1, refused, N_ELEMENTS(refused));
}

TEST(one_event_for_each_kind_of_core)
{
        struct pmu_source source = memory_sysfs(hybrid);
        struct event_defaults defaults = {.freq_hz = 49, .kernel = true};
        struct event_list list = {0};
        struct err err = {0};

        ASSERT_TRUE(event_parse_sampling("cycles:u,cpu-clock,mem-loads,slots:7,r3c,LLC-loads", &defaults,
                                         &source, &list, &err));
        ASSERT_CMP(list.n_items, ==, 10);
        EXPECT_STR(list.items[0].name, "cpu_core/cycles/u");
        EXPECT_STR(list.items[0].pmu, "cpu_core");
        EXPECT_INT(list.items[0].attr.type, PERF_TYPE_HARDWARE);
        EXPECT_INT(list.items[0].attr.config, 4ll << 32);
        EXPECT_INT(list.items[0].n_cpus, 4);
        EXPECT_STR(list.items[1].name, "cpu_atom/cycles/u");
        EXPECT_INT(list.items[1].attr.config, 10ll << 32);
        EXPECT_INT(list.items[1].cpus[0], 4);
        EXPECT_STR(list.items[2].name, "cpu-clock");
        EXPECT_TRUE(!list.items[2].cpus);
        EXPECT_INT(list.items[2].attr.flags, PERF_ATTR_FREQ);
        EXPECT_INT(list.items[2].attr.sample_period_or_freq, 49);
        EXPECT_INT(list.items[3].attr.config, 0xcd);
        EXPECT_INT(list.items[4].attr.config, 0xd0);
        EXPECT_STR(list.items[5].name, "cpu_core/slots/");
        EXPECT_INT(list.items[5].attr.sample_period_or_freq, 7);
        EXPECT_INT(list.items[6].attr.type, 4);
        EXPECT_INT(list.items[7].attr.type, 10);
        EXPECT_INT(list.items[7].attr.config, 0x3c);
        EXPECT_INT(list.items[9].attr.config, (10ll << 32) + 2);
        EXPECT_INT(list.items[9].attr.type, PERF_TYPE_HW_CACHE);
        event_list_release(&list);
}

TEST(errors_name_the_column)
{
        static const struct bad cases[] = {
                {"", "no event specified (column 1)"},
                {"cycles,", "no event specified (column 8)"},
                {"cycles,,instructions", "no event specified (column 8)"},
                {"cyclse", "unknown event name: cyclse (column 1); did you mean 'cycles'?"},
                {"cycles:u,instructoins:5", "unknown event name: instructoins (column 10); did you mean "
                                            "'instructions'?"},
                {"mem-load", "unknown event name: mem-load (column 1); did you mean 'mem-loads'?"},
                {"qwertyuiop", "unknown event name: qwertyuiop (column 1)"},
                {"\xc3\xa4\xc3\xa4\xc3\xa4,cycles",
                 "unknown event name: \xc3\xa4\xc3\xa4\xc3\xa4 (column 1)"},
                {"cpu/name=\xc3\xa4\xc3\xa4/,qwertyuiop", "unknown event name: qwertyuiop (column 14)"},
                {"ab\x1b[2Jcdefgh", "unknown event name: ab\\x1b[2Jcdefgh (column 1)"},
                {"cycles:abc",
                 "event interval: abc is invalid! (column 8: neither a number nor modifiers; modifiers "
                 "are u, k, h, p, pp, ppp, G and H)"},
                {"cycles:ux", "unknown modifier 'x' (column 9); modifiers are u, k, h, p, pp, ppp, G and H"},
                {"cycles:pppp", "more than three 'p' (column 8); modifiers are u, k, h, p, pp, ppp, G and H"},
                {"cycles:u:k", "event interval: k is invalid! (column 10)"},
                {"cycles:",
                 "no modifier or interval after ':' (column 7): add an interval such as :100000 or modifiers such as "
                 ":u"},
                {"cycles:u:",
                 "no modifier or interval after ':' (column 9): add an interval such as :100000 or modifiers such "
                 "as :u"},
                {"cycles:5:u", "'u' (column 10) stands after the interval: write the interval last"},
                {"cycles:0", "event interval: 0 is invalid! (column 8)"},
                {"cycles:0x", "event interval: 0x is invalid! (column 8)"},
                {"cycles:08", "event interval: 08 is invalid! (column 8)"},
                {"cycles:1k", "event interval: 1k is invalid! (column 8)"},
                {"cycles:-5",
                 "event interval: -5 is invalid! (column 8: neither a number nor modifiers; modifiers "
                 "are u, k, h, p, pp, ppp, G and H)"},
                {"cycles:0x10000000000000000",
                 "event interval: 0x10000000000000000 is out of range! (column 8)"},
                {"cycles:9223372036854775808",
                 "event interval: 9223372036854775808 is out of range! (column 8)"},
                {"{cycles,instructions}",
                 "events cannot be sampled as a group (column 1): write them without braces"},
                {"cycles,instructions}", "missing '{' for event group instructions} (column 20)"},
                {"sched:sched_switch",
                 "'sched:sched_switch' (column 1) is a tracepoint, and tracefs is not mounted or not readable: run "
                 "'mount -t tracefs nodev /sys/kernel/tracing' as root, and wperf too"},
                {"cycles,syscalls:sys_enter_open:u",
                 "'syscalls:sys_enter_open' (column 8) is a tracepoint, and tracefs is not mounted or not readable: "
                 "run 'mount -t tracefs nodev /sys/kernel/tracing' as root, and wperf too"},
                {"imix", "'imix' (column 1) is a metric: metrics are counted with stat -m, not sampled"},
                {"ld_spec",
                 "event 'ld_spec' (column 1) is an event of Arm cores (Loads issued); this machine's core PMU is 'cpu': "
                 "use cycles or instructions"},
        };

        expect_bad(x86, cases, N_ELEMENTS(cases));
}

/* Drivers of Windows take 32 bits. */
TEST(intervals_that_drivers_do_not_take)
{
        struct err err = {0};

        EXPECT_TRUE(event_check_intervals("ld_spec:0xffffffff,r70:1,cpu-clock:5000000000", UINT32_MAX, &err));
        EXPECT_TRUE(event_check_intervals("ld_spec:0x100000000", INT64_MAX, &err));
        EXPECT_TRUE(!event_check_intervals("cycles:5,ld_spec:8589934591", UINT32_MAX, &err));
        EXPECT_STR(err.text, "event interval: 8589934591 is out of range! (column 18)");
        EXPECT_TRUE(!event_check_intervals("r70:0x100000000", UINT32_MAX, &err));
}

TEST(errors_of_terms)
{
        static const struct bad cases[] = {
                {"cpu/event=1", "no closing '/' after column 4"},
                {"cpu/event=256/", "'256' is too large for 'event', at most 0xff (column 11)"},
                {"cpu/event=x/", "'x' is not a number (column 11)"},
                {"cpu/event=/", "'' is not a number (column 11)"},
                {"cpu/config=0x10000000000000000/",
                 "'0x10000000000000000' is larger than 64 bits (column 12)"},
                {"cpu/umsk=1/", "PMU 'cpu' has no term or event 'umsk' (column 5); did you mean 'umask'?"},
                {"cpu/mem-load/",
                 "PMU 'cpu' has no term or event 'mem-load' (column 5); did you mean 'mem-loads'?"},
                {"cpu/event=1,/", "PMU 'cpu' has no term or event '' (column 13)"},
                {"cpu/../../x/", "PMU 'cpu' has no term or event '..' (column 5)"},
                {"cpu/event=1/5", "':' is missing before the interval (column 13)"},
                {"cpu/event=1,period=0/", "event interval: event=1,period=0 is invalid! (column 5)"},
                {"cpux/event=1/", "no PMU is called 'cpux' (column 1); did you mean 'cpu'?"},
                {"cycles/period=5/", "'cycles' (column 1) is an event, not a PMU: write cycles:100000 for an "
                                     "interval"},
                {"intel_pt//", "'intel_pt//' (column 1): instruction traces are not implemented yet"},
                {"tsc",
                 "'tsc' (column 1): this PMU has no interrupt and cannot be sampled; count it with stat"},
                {"power/energy-pkg/",
                 "'power/energy-pkg/' (column 1) is an uncore event: it counts for more than one "
                 "core and cannot be sampled; count it with stat"},
                {"uncore_cbox/event=1/",
                 "'uncore_cbox/event=1/' (column 1) is an uncore event: it counts for more "
                 "than one core and cannot be sampled; count it with stat"},
                {"arm_spe_0/ld=1/",
                 "SPE is not supported by your hardware: arm_spe_0/ld=1/ (column 1): only Arm CPUs have it"},
        };

        expect_bad(x86, cases, N_ELEMENTS(cases));
}

TEST(machine_without_core_pmu)
{
        static const struct good cases[] = {
                {"cpu-clock", 1, 0, 0, K | HV, "cpu-clock"},
                {"page-faults:u:1", 1, 2, 1, K | HV, "page-faults:u"},
        };
        static const struct bad refused[] = {
                {"ld_spec",
                 "event 'ld_spec' (column 1) is an event of Arm cores (Loads issued); this machine has no core PMU: use "
                 "cpu-clock"},
                {"cycles",
                 "event 'cycles' (column 1) needs a PMU of the cores, which this machine does not have: use "
                 "cpu-clock"},
                {"cpu-clock,r1b",
                 "event 'r1b' (column 11) needs a PMU of the cores, which this machine does not "
                 "have: use cpu-clock"},
                {"L1-dcache-loads",
                 "event 'L1-dcache-loads' (column 1) needs a PMU of the cores, which this machine "
                 "does not have: use cpu-clock"},
        };

        expect_good(vm, cases, N_ELEMENTS(cases));
        expect_bad(vm, refused, N_ELEMENTS(refused));
}

static bool no_file(void *ctx, const char *path, struct buf *out)
{
        return false;
}

static bool no_folder(void *ctx, const char *path, bool (*each)(void *each_ctx, const char *name),
                      void *each_ctx)
{
        return false;
}

TEST(machine_that_tells_nothing)
{
        struct pmu_source source = {no_file, no_folder, NULL};
        struct event_list list = {0};
        struct err err = {0};

        ASSERT_TRUE(event_parse_sampling("cycles", NULL, &source, &list, &err));
        EXPECT_INT(list.items[0].attr.type, PERF_TYPE_HARDWARE);
        event_list_release(&list);
        ASSERT_TRUE(event_parse_sampling("cycles", NULL, NULL, &list, &err));
        event_list_release(&list);
        EXPECT_TRUE(!event_parse_sampling("cpu/event=1/", NULL, &source, &list, &err));
        EXPECT_CONTAINS(err.text, "does not list its PMUs");
}

TEST(default_is_cycles_or_the_clock)
{
        static const struct {
                const struct memory_file *files;
                const char *name;
                const char *pmu;
                size_t n;
        } cases[] = {
                {x86, "cycles", "cpu", 1},
                {hybrid, "cpu_core/cycles/", "cpu_core", 2},
                {n1, "cycles", "armv8_pmuv3_0", 1},
                {vm, "cpu-clock", "", 1},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                struct pmu_source source = memory_sysfs(cases[i].files);
                struct event_list list = {0};
                struct err err = {0};
                char name[64] = "";

                EXPECT_TRUE(event_knows_pmus(&source));
                EXPECT_INT(event_has_core_pmu(&source, name), *cases[i].pmu != 0);
                EXPECT_STR(name, cases[i].pmu);
                ASSERT_TRUE(event_default_sampling(NULL, &source, &list, &err));
                EXPECT_INT(list.n_items, cases[i].n);
                EXPECT_STR(list.items[0].name, cases[i].name);
                event_list_release(&list);
        }
}

TEST(long_texts)
{
        struct pmu_source source = memory_sysfs(x86);
        struct event_list list = {0};
        struct err err = {0};
        struct buf text = {0};

        for (int i = 0; i < 5000; i++)
                buf_add_str(&text, i ? ",cycles" : "cycles");
        EXPECT_TRUE(!event_parse_sampling(text.data, NULL, &source, &list, &err));
        EXPECT_STR(err.text, "more than 4096 events (column 28673)");
        for (int i = 0; i < 5000; i++)
                buf_add_str(&text, ",cycles");
        EXPECT_TRUE(!event_parse_sampling(text.data, NULL, &source, &list, &err));
        EXPECT_STR(err.text, "the events are longer than 65536 bytes");
        buf_clear(&text);
        buf_add_str(&text, "cpu/event=1");
        for (int i = 0; i < 100; i++)
                buf_add_str(&text, ",event=1");
        buf_add_str(&text, "/");
        EXPECT_TRUE(!event_parse_sampling(text.data, NULL, &source, &list, &err));
        EXPECT_STR(err.text, "the event in column 1 is longer than 127 bytes: give it a name with name=");
        buf_truncate(&text, text.len - 1);
        for (int i = 0; i < 200; i++)
                buf_add_str(&text, ",event=1");
        buf_add_str(&text, "/");
        EXPECT_TRUE(!event_parse_sampling(text.data, NULL, &source, &list, &err));
        EXPECT_STR(err.text, "an event of PMU 'cpu' has more than 256 terms");
        buf_release(&text);
}

TEST(describe_attr)
{
        struct perf_attr attr = {
                .type = PERF_TYPE_SOFTWARE,
                .size = 136,
                .sample_period_or_freq = 999,
                .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | 1u << 30,
                .read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST,
                .flags = PERF_ATTR_DISABLED | PERF_ATTR_FREQ | PERF_ATTR_EXCLUDE_KERNEL |
                         PERF_ATTR_USE_CLOCKID | 2ull << PERF_ATTR_PRECISE_SHIFT | 1ull << 60,
                .wakeup = 1,
                .branch_sample_type = 9,
                .sample_regs_user = 0xff0fff,
                .sample_max_stack = 127,
                .config3 = 5,
        };
        struct buf text = {0};

        event_describe_attr(&attr, &text);
        EXPECT_STR(buf_text(&text), "type 1 (software)\n"
                                    "size 136\n"
                                    "config 0x0 (cpu-clock)\n"
                                    "sample_freq 999\n"
                                    "sample_type IP|TID|TIME|0x40000000\n"
                                    "read_format ID|LOST\n"
                                    "disabled 1\n"
                                    "exclude_kernel 1\n"
                                    "use_clockid 1\n"
                                    "precise_ip 2\n"
                                    "flags 0x1000000000000000\n"
                                    "wakeup_events 1\n"
                                    "branch_sample_type USER|ANY\n"
                                    "sample_regs_user 0xff0fff\n"
                                    "clockid 0\n"
                                    "sample_max_stack 127\n"
                                    "config3 0x5\n");
        buf_clear(&text);
        attr = (struct perf_attr){.type = PERF_TYPE_HW_CACHE,
                                  .config = 10ull << 32 | 0x10003,
                                  .sample_period_or_freq = 5,
                                  .flags = PERF_ATTR_WATERMARK,
                                  .wakeup = 4096};
        event_describe_attr(&attr, &text);
        EXPECT_STR(buf_text(&text), "type 3 (hw-cache)\n"
                                    "config 0xa00010003 (dTLB-load-misses on PMU type 10)\n"
                                    "sample_period 5\n"
                                    "watermark 1\n"
                                    "wakeup_watermark 4096\n");
        buf_clear(&text);
        attr = (struct perf_attr){.type = 11, .config = 0x70};
        event_describe_attr(&attr, &text);
        EXPECT_STR(buf_text(&text), "type 11\nconfig 0x70\n");
        buf_release(&text);
}

TEST(arm_numbers_for_older_kernels)
{
        struct event generic = {.name = "armv8_cortex_a53/cycles/", .pmu = "armv8_cortex_a53"}, raw;

        generic.attr.config = (uint64_t)8 << 32 | PERF_COUNT_HW_CPU_CYCLES;
        EXPECT_TRUE(event_by_number(&generic, &raw));
        EXPECT_INT(raw.attr.type, 8);
        EXPECT_INT(raw.attr.config, 0x11);
        EXPECT_STR(raw.name, generic.name);
        generic.attr.config = (uint64_t)8 << 32 | PERF_COUNT_HW_REF_CPU_CYCLES;
        EXPECT_TRUE(!event_by_number(&generic, &raw));
        generic.attr.config = PERF_COUNT_HW_CPU_CYCLES;
        EXPECT_TRUE(!event_by_number(&generic, &raw));
        text_copy(generic.pmu, sizeof(generic.pmu), "cpu_core");
        generic.attr.config = (uint64_t)8 << 32 | PERF_COUNT_HW_CPU_CYCLES;
        EXPECT_TRUE(!event_by_number(&generic, &raw));
}

TAP_MAIN
