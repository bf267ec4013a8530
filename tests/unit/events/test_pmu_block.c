/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmu_block.h"

#include "memory_sysfs.h"
#include "tap.h"

#define ARMV8_EVENTS_OF_CPU(midr)                                                                            \
        {"armv8_pmuv3_0/cpus", "0-3\n"}, {"armv8_pmuv3_0/type", "8\n"},                                      \
        {                                                                                                    \
                "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", midr "\n"                       \
        }

static const struct memory_file n1_machine[] = {
        {"arm_cmn_0/events/hnf_cache_miss", "type=0x5,eventid=0x1\n"},
        {"arm_cmn_0/format/eventid", "config:16-26\n"},
        {"arm_cmn_0/format/type", "config:0-15\n"},
        {"arm_cmn_0/identifier", "43c01\n"},
        {"arm_cmn_0/type", "20\n"},
        {"arm_cmn_1/identifier", "43402\n"},
        {"arm_cmn_1/type", "22\n"},
        {"arm_cmn_2/type", "23\n"},
        {"arm_cmn_3/identifier", "99900\n"},
        {"arm_cmn_3/type", "24\n"},
        {"arm_dsu_0/format/event", "config:0-31\n"},
        {"arm_dsu_0/type", "21\n"},
        ARMV8_EVENTS_OF_CPU("0x00000000413fd0c1"),
        {0},
};

static const struct memory_file a710_machine[] = {
        {"arm_dsu_0/format/event", "config:0-31\n"},
        {"arm_dsu_0/type", "21\n"},
        ARMV8_EVENTS_OF_CPU("0x00000000412fd470"),
        {0},
};

static const char *block_name(const struct memory_file *machine, const char *name)
{
        struct pmu_source source = memory_sysfs(machine);
        struct pmu_table pmus = {0};
        struct core_kinds kinds;
        const struct pmu_block *block = NULL;
        const struct pmu *pmu;

        core_kinds_load(&source, &kinds);
        pmu_table_load(&pmus, &source);
        pmu = pmu_find(&pmus, name, strlen(name));
        if (pmu)
                block = pmu_block_of(&source, pmu, &kinds);
        core_kinds_release(&kinds);
        pmu_table_release(&pmus);
        return block ? block->name : "none";
}

TEST(identifiers_and_cores_choose_the_block)
{
        EXPECT_STR(block_name(n1_machine, "arm_cmn_0"), "cmn-700");
        EXPECT_STR(block_name(n1_machine, "arm_cmn_1"), "cmn-600");
        EXPECT_STR(block_name(n1_machine, "arm_cmn_2"), "cmn-600"); /* older kernels have no identifier */
        EXPECT_STR(block_name(n1_machine, "arm_cmn_3"), "none");
        EXPECT_STR(block_name(n1_machine, "arm_dsu_0"), "dsu-520");
        EXPECT_STR(block_name(a710_machine, "arm_dsu_0"), "dsu-110");
        EXPECT_STR(block_name(n1_machine, "armv8_pmuv3_0"), "none");
}

TEST(meshes_have_only_the_events_that_the_kernel_lists)
{
        struct pmu_source source = memory_sysfs(n1_machine);
        struct pmu_table pmus = {0};
        const struct pmu_block *block;
        const struct pmu_block_class *cmn = pmu_block_find_class_anywhere("cmn", 3, &block);
        const struct pmu *pmu;
        AUTO_RELEASE(buf) name = {0};

        ASSERT_TRUE(cmn);
        pmu_table_load(&pmus, &source);
        pmu = pmu_find(&pmus, "arm_cmn_0", 9);
        EXPECT_TRUE(!pmu_block_takes_numbers(&source, pmu));
        EXPECT_TRUE(pmu_block_linux_event(&source, pmu, cmn, "HNF_cache_miss", 14, &name));
        EXPECT_STR(buf_text(&name), "hnf_cache_miss");
        EXPECT_TRUE(!pmu_block_linux_event(&source, pmu, cmn, "hnf_mc_reqs", 11, &name));
        EXPECT_TRUE(pmu_block_takes_numbers(&source, pmu_find(&pmus, "arm_dsu_0", 9)));
        pmu_table_release(&pmus);
}

TEST(every_event_has_name_number_title_and_unit)
{
        static const struct {
                const char *class, *event;
                uint64_t code;
                const char *unit;
        } cases[] = {
                {"dsu", "L3D_cache_refill", 0x2a, "refills"},
                {"dmc_clk", "request", 1, "requests"},
                {"dmc_clkdiv2", "rdwr", 0x12, "accesses"},
                {"dmc_clkdiv2", "queue_depth", 2, "entry cycles"},
                {"cmn", "hnf_cache_miss", 0x10005, "misses"},
                {"cmn", "hnf_qos_pocq_occupancy_read", UINT64_C(0x1000f0005), "entry cycles"},
                {"cmn", "mxp_p1_dat_txflit_stall", 0x760006, "cycles"},
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                const struct pmu_block *block;
                const struct pmu_block_class *class =
                        pmu_block_find_class_anywhere(cases[i].class, strlen(cases[i].class), &block);
                const struct pmu_block_event *event =
                        class ? pmu_block_find_event(class, cases[i].event, strlen(cases[i].event)) : NULL;

                ASSERT_TRUE(event);
                EXPECT_CMP(event->code, ==, cases[i].code);
                EXPECT_STR(event->unit, cases[i].unit);
                EXPECT_CMP(pmu_block_find_code(class, cases[i].code), ==, event);
        }
        for (size_t i = 0; i < pmu_block_count(); i++) {
                const struct pmu_block *block = pmu_block_get(i);

                EXPECT_TRUE(!i || strcmp(pmu_block_get(i - 1)->name, block->name) < 0);
                for (size_t c = 0; c < block->n_classes; c++) {
                        const struct pmu_block_class *class = &block->classes[c];

                        for (size_t e = 1; e < class->n_events; e++)
                                EXPECT_CMP(strcmp(class->events[e - 1].name, class->events[e].name), <, 0);
                }
        }
}

TEST(prefixes)
{
        AUTO_RELEASE(buf) text = {0};
        const struct pmu_block *block;

        pmu_block_add_prefixes(&text);
        EXPECT_STR(buf_text(&text), "/cmn/, /dmc_clk/, /dmc_clkdiv2/, /dsu/");
        EXPECT_TRUE(!pmu_block_find_class_anywhere("ds", 2, &block));
        EXPECT_TRUE(
                !pmu_block_find_class_anywhere("core", 4, &block)); /* data/ describes the events of cores */
}

TAP_MAIN
