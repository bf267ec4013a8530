/* SPDX-License-Identifier: BSD-3-Clause */
/* Every spelling of the filters of Arm SPE, accepted and rejected: WindowsPerf's names and short names, and
 * the kernel's. */
#include <inttypes.h>
#include <string.h>

#include "err.h"
#include "event.h"
#include "memory_sysfs.h"
#include "tap.h"

/* A kernel with all filters; a latency counter of 12 bits. */
static const struct memory_file spe[] = {
        {"arm_spe_0/type", "12\n"},
        {"arm_spe_0/cpumask", "0-3\n"},
        {"arm_spe_0/caps/min_interval", "1024\n"},
        {"arm_spe_0/format/ts_enable", "config:0\n"},
        {"arm_spe_0/format/pa_enable", "config:1\n"},
        {"arm_spe_0/format/pct_enable", "config:2\n"},
        {"arm_spe_0/format/jitter", "config:16\n"},
        {"arm_spe_0/format/branch_filter", "config:32\n"},
        {"arm_spe_0/format/load_filter", "config:33\n"},
        {"arm_spe_0/format/store_filter", "config:34\n"},
        {"arm_spe_0/format/discard", "config:35\n"},
        {"arm_spe_0/format/event_filter", "config1:0-63\n"},
        {"arm_spe_0/format/min_latency", "config2:0-11\n"},
        {"arm_spe_0/format/inv_event_filter", "config3:0-63\n"},
        {"armv8_pmuv3_0/type", "11\n"},
        {"armv8_pmuv3_0/cpus", "0-3\n"},
        {"armv8_pmuv3_0/format/event", "config:0-15\n"},
        {NULL, NULL},
};

enum { DEFAULT_PERIOD = 65536 };
#define TS      (UINT64_C(1) << 0)
#define PA      (UINT64_C(1) << 1)
#define PCT     (UINT64_C(1) << 2)
#define JITTER  (UINT64_C(1) << 16)
#define BRANCH  (UINT64_C(1) << 32)
#define LOAD    (UINT64_C(1) << 33)
#define STORE   (UINT64_C(1) << 34)
#define DISCARD (UINT64_C(1) << 35)

struct accepted {
        const char *text;
        uint64_t config, events, latency, no_events;
        uint64_t period; /* 0: the default */
};

static void expect_accepted(const struct accepted *want)
{
        struct pmu_source source = memory_sysfs(spe);
        struct event_list list = {0};
        struct err err = {0};
        const struct perf_attr *attr;
        uint64_t period = want->period ? want->period : DEFAULT_PERIOD;

        if (!event_parse_sampling(want->text, NULL, &source, &list, &err)) {
                TAP_FAIL("%s: %s", want->text, err.text);
                return;
        }
        attr = &list.items[0].attr;
        if (list.n_items != 1 || !list.items[0].is_spe || attr->type != 12 || attr->config != want->config ||
            attr->config1 != want->events || attr->config2 != want->latency ||
            attr->config3 != want->no_events || attr->sample_period_or_freq != period)
                TAP_FAIL("%s: config 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " period %" PRIu64,
                         want->text, attr->config, attr->config1, attr->config2, attr->config3,
                         attr->sample_period_or_freq);
        event_list_release(&list);
}

static void expect_all(const struct accepted *cases, size_t n)
{
        for (size_t i = 0; i < n; i++)
                expect_accepted(&cases[i]);
}

TEST(windowsperf_filters)
{
        static const struct accepted cases[] = {
                {"arm_spe_0//", TS, 0, 0, 0, 0},
                {"arm_spe_0/ld=1/", TS | LOAD, 0, 0, 0, 0},
                {"arm_spe_0/load_filter=1/", TS | LOAD, 0, 0, 0, 0},
                {"arm_spe_0/LD=1/", TS | LOAD, 0, 0, 0, 0},
                {"arm_spe_0/ld=0/", TS, 0, 0, 0, 0},
                {"arm_spe_0/st=1/", TS | STORE, 0, 0, 0, 0},
                {"arm_spe_0/store_filter=1/", TS | STORE, 0, 0, 0, 0},
                {"arm_spe_0/b=1/", TS | BRANCH, 0, 0, 0, 0},
                {"arm_spe_0/branch_filter=1/", TS | BRANCH, 0, 0, 0, 0},
                {"arm_spe_0/ld=1,st=0x1,b=01/", TS | LOAD | STORE | BRANCH, 0, 0, 0, 0},
                {"arm_spe_0/ld=0x0,b=1/", TS | BRANCH, 0, 0, 0, 0},
                {"arm_spe_0/ts=0/", 0, 0, 0, 0, 0},
                {"arm_spe_0/ts=1/", TS, 0, 0, 0, 0},
                {"arm_spe_0/ts_enable=0/", 0, 0, 0, 0, 0},
                {"arm_spe_0/min=0/", TS, 0, 0, 0, 0},
                {"arm_spe_0/min=30/", TS, 0, 30, 0, 0},
                {"arm_spe_0/min_latency=0x1e/", TS, 0, 30, 0, 0},
                {"arm_spe_0/min=036/", TS, 0, 30, 0, 0},
                {"arm_spe_0/min=4095/", TS, 0, 4095, 0, 0},
                {"arm_spe_0/min=65535/", TS, 0, 4095, 0, 0},
        };

        expect_all(cases, N_ELEMENTS(cases));
}

TEST(filters_of_the_kernel)
{
        static const struct accepted cases[] = {
                {"arm_spe_0/ld/", TS | LOAD, 0, 0, 0, 0},
                {"arm_spe_0/pa=1,pct=1/", TS | PA | PCT, 0, 0, 0, 0},
                {"arm_spe_0/pa_enable=1,pct_enable=1/", TS | PA | PCT, 0, 0, 0, 0},
                {"arm_spe_0/jitter=1/", TS | JITTER, 0, 0, 0, 0},
                {"arm_spe_0/jitter/", TS | JITTER, 0, 0, 0, 0},
                {"arm_spe_0/discard=1/", TS | DISCARD, 0, 0, 0, 0},
                {"arm_spe_0/event_filter=0x82/", TS, 0x82, 0, 0, 0},
                {"arm_spe_0/event_filter=130/", TS, 0x82, 0, 0, 0},
                {"arm_spe_0/event_filter=retired+mispredicted/", TS, 0x82, 0, 0, 0},
                {"arm_spe_0/event_filter=mispred/", TS, 0x80, 0, 0, 0},
                {"arm_spe_0/event_filter=level1-data-cache-access/", TS, 4, 0, 0, 0},
                {"arm_spe_0/event_filter=l1d-access+l1d-refill+l1d-miss/", TS, 0xc, 0, 0, 0},
                {"arm_spe_0/event_filter=tlb_access+tlb-walk+tlb-refill/", TS, 0x30, 0, 0, 0},
                {"arm_spe_0/event_filter=not-taken/", TS, 0x40, 0, 0, 0},
                {"arm_spe_0/event_filter=llc-access+llc-miss+remote-access/", TS, 0x700, 0, 0, 0},
                {"arm_spe_0/event_filter=alignment/", TS, 0x800, 0, 0, 0},
                {"arm_spe_0/event_filter=sve-partial-predicate+sve-empty-predicate/", TS, 0x60000, 0, 0, 0},
                {"arm_spe_0/inv_event_filter=tlb-walk/", TS, 0, 0, 0x20, 0},
                {"arm_spe_0/inv_event_filter=0x20/", TS, 0, 0, 0x20, 0},
        };

        expect_all(cases, N_ELEMENTS(cases));
}

TEST(periods)
{
        static const struct accepted cases[] = {
                {"arm_spe_0/period=4096/", TS, 0, 0, 0, 4096},
                {"arm_spe_0/ld=1,period=0x1000/", TS | LOAD, 0, 0, 0, 4096},
                {"arm_spe_0//:4096", TS, 0, 0, 0, 4096},
                {"arm_spe_0/ld=1/:5000", TS | LOAD, 0, 0, 0, 4864}, /* a multiple of 256 */
                {"arm_spe_0//:1024", TS, 0, 0, 0, 1024},
        };

        expect_all(cases, N_ELEMENTS(cases));
}

TEST(rejected)
{
        static const struct {
                const char *text, *message;
        } cases[] = {
                {"arm_spe_0/foo/", "incorrect SPE filter: 'foo' in foo (column 11)"},
                {"arm_spe_0/,ld=1/", "incorrect SPE filter: '' (column 11)"},
                {"arm_spe_0/ld=1,/", "incorrect SPE filter: '' (column 16)"},
                {"arm_spe_0/=1/", "incorrect SPE filter name: '' (column 11)"},
                {"arm_spe_0/ld=/", "incorrect SPE filter value: ld='' (column 11)"},
                {"arm_spe_0/ld=yes/", "incorrect SPE filter value: ld='yes' (column 11)"},
                {"arm_spe_0/ld=-1/", "incorrect SPE filter value: ld='-1' (column 11)"},
                {"arm_spe_0/ld=1,min=0x/", "incorrect SPE filter value: min='0x' (column 16)"},
                {"arm_spe_0/ld=1=1/", "incorrect SPE filter value: ld='1=1' (column 11)"},
                {"arm_spe_0/ld=2/", "SPE filter 'ld' value out of range, use: 0-1 (column 14)"},
                {"arm_spe_0/store_filter=2/",
                 "SPE filter 'store_filter' value out of range, use: 0-1 (column 24)"},
                {"arm_spe_0/b=0x10/", "SPE filter 'b' value out of range, use: 0-1 (column 13)"},
                {"arm_spe_0/ts=9/", "SPE filter 'ts' value out of range, use: 0-1 (column 14)"},
                {"arm_spe_0/jitter=2/", "SPE filter 'jitter' value out of range, use: 0-1 (column 18)"},
                {"arm_spe_0/min=65536/", "SPE filter 'min' value out of range, use: 0-4095 (column 15)"},
                {"arm_spe_0/load=1/",
                 "SPE filter 'load' unknown, use: load_filter, store_filter, branch_filter, ts_enable, min_latency, "
                 "pa_enable, pct_enable, jitter, event_filter, inv_event_filter, discard, period (column 11)"},
                {"arm_spe_0/event_filter=/", "incorrect SPE filter value: event_filter='' (column 11)"},
                {"arm_spe_0//:100",
                 "the interval 100 (column 13) is too short: SPE of this CPU takes a sample of every "
                 "1024 operations at most"},
        };
        struct pmu_source source = memory_sysfs(spe);

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                struct event_list list = {0};
                struct err err = {0};

                EXPECT_TRUE(!event_parse_sampling(cases[i].text, NULL, &source, &list, &err));
                EXPECT_STR(err.text, cases[i].message);
                event_list_release(&list);
        }
}

TAP_MAIN
