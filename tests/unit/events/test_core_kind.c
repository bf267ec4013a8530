/* SPDX-License-Identifier: BSD-3-Clause */
#include "core_kind.h"

#include "count_machines.h"
#include "tap.h"

static struct core_kinds load(const struct memory_file *files)
{
        struct pmu_source source = memory_sysfs(files);
        struct core_kinds kinds;

        core_kinds_load(&source, &kinds);
        return kinds;
}

TEST(two_kinds_of_cores)
{
        struct core_kinds kinds = load(machine_big_little);

        ASSERT_CMP(kinds.n_items, ==, 2);
        EXPECT_TRUE(kinds.pmus_known);
        EXPECT_STR(kinds.items[0].pmu, "armv8_cortex_a55");
        EXPECT_STR(kinds.items[0].model->id, "cortex-a55");
        EXPECT_STR(kinds.items[1].model->id, "cortex-a76");
        EXPECT_INT(kinds.items[0].vendor, CORE_ARM);
        EXPECT_INT(kinds.items[0].type, 8);
        EXPECT_INT(kinds.items[1].n_cpus, 4);
        EXPECT_INT(kinds.items[1].midr, 0x411fd0b1);
        EXPECT_INT(kinds.items[0].cpus[3], 3);
        EXPECT_INT(kinds.items[1].cpus[0], 4);
        core_kinds_release(&kinds);
}

TEST(machines_without_arm_cores)
{
        struct core_kinds kinds = load(machine_x86);

        ASSERT_CMP(kinds.n_items, ==, 1);
        EXPECT_INT(kinds.items[0].vendor, CORE_X86);
        EXPECT_STR(kinds.items[0].model->id, "x86_64");
        EXPECT_INT(core_kind_has(&kinds.items[0], 0x11), CORE_MAY_HAVE);
        EXPECT_TRUE(!kinds.items[0].cpus);
        core_kinds_release(&kinds);
        kinds = load(machine_vm);
        EXPECT_INT(kinds.n_items, 0);
        EXPECT_TRUE(kinds.pmus_known);
        core_kinds_release(&kinds);
        core_kinds_load(NULL, &kinds);
        EXPECT_TRUE(!kinds.pmus_known);
        core_kinds_release(&kinds);
}

struct has {
        uint32_t code;
        enum core_has has;
};

static void expect_has(const struct core_kind *kind, const struct has *cases, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (core_kind_has(kind, cases[i].code) != cases[i].has)
                        TAP_FAIL("%s, 0x%x: %d", kind->pmu, cases[i].code,
                                 core_kind_has(kind, cases[i].code));
        }
}

TEST(a_model_that_is_believed)
{
        static const struct has cases[] = {
                {0x11, CORE_HAS}, {0x1b, CORE_HAS},     {0x3f, CORE_HAS_NOT},   {0x4005, CORE_HAS_NOT},
                {0x70, CORE_HAS}, {0xc5, CORE_HAS_NOT}, {0x8006, CORE_HAS_NOT}, {0x1e, CORE_HAS},
        };
        struct pmu_source source = core_model_source(catalogue_find_cpu("neoverse-n1"));
        struct core_kinds kinds;

        core_kinds_load(&source, &kinds);
        ASSERT_CMP(kinds.n_items, ==, 1);
        EXPECT_TRUE(kinds.items[0].model_believed && kinds.items[0].lists_events);
        EXPECT_STR(kinds.items[0].model->id, "neoverse-n1");
        EXPECT_INT(kinds.items[0].n_counters, 6);
        EXPECT_INT(kinds.items[0].n_cpus, 128);
        expect_has(&kinds.items[0], cases, N_ELEMENTS(cases));
        core_kinds_release(&kinds);
}

TEST(an_emulator_is_not_believed)
{
        static const struct has cases[] = {
                {0x11, CORE_HAS},     {0x08, CORE_HAS},     {0x1b, CORE_HAS_NOT},
                {0x70, CORE_HAS_NOT}, {0x1e, CORE_HAS_NOT},
        };
        static const struct memory_file max[] = {
                {"armv8_pmuv3/type", "8\n"},
                {"armv8_pmuv3/cpus", "0-1\n"},
                {"armv8_pmuv3/format/event", "config:0-15\n"},
                {"armv8_pmuv3/events/cpu_cycles", "event=0x0011\n"},
                {"armv8_pmuv3/events/inst_retired", "event=0x0008\n"},
                {MIDR(0), MIDR_QEMU_MAX},
                {NULL, NULL},
        };
        struct core_kinds kinds = load(machine_qemu_n1);

        ASSERT_CMP(kinds.n_items, ==, 1);
        EXPECT_STR(kinds.items[0].model->id, "neoverse-n1");
        EXPECT_TRUE(!kinds.items[0].model_believed);
        expect_has(&kinds.items[0], cases, N_ELEMENTS(cases));
        core_kinds_release(&kinds);
        kinds = load(max);
        ASSERT_CMP(kinds.n_items, ==, 1);
        EXPECT_INT(kinds.items[0].model->implementer, 0);
        expect_has(&kinds.items[0], cases, N_ELEMENTS(cases));
        core_kinds_release(&kinds);
}

TEST(cores_that_nothing_is_known_of)
{
        /* An old kernel has no lists of events and no register. */
        static const struct memory_file silent[] = {
                {"armv8_pmuv3/type", "8\n"},
                {"armv8_pmuv3/cpus", "0-1\n"},
                {"armv8_pmuv3/format/event", "config:0-15\n"},
                {NULL, NULL},
        };
        static const struct memory_file apple[] = {
                {"apple_firestorm_pmu/type", "8\n"},
                {"apple_firestorm_pmu/cpus", "0-1\n"},
                {"apple_firestorm_pmu/events/cycles", "event=0x02\n"},
                {NULL, NULL},
        };
        struct core_kinds kinds = load(silent);

        ASSERT_CMP(kinds.n_items, ==, 1);
        EXPECT_TRUE(!kinds.items[0].model && !kinds.items[0].lists_events);
        EXPECT_INT(core_kind_has(&kinds.items[0], 0x1b), CORE_MAY_HAVE);
        EXPECT_INT(core_kind_has(&kinds.items[0], 0x70), CORE_MAY_HAVE);
        core_kinds_release(&kinds);
        kinds = load(apple);
        ASSERT_CMP(kinds.n_items, ==, 1);
        EXPECT_INT(kinds.items[0].vendor, CORE_OTHER);
        EXPECT_INT(core_kind_has(&kinds.items[0], 0x02), CORE_MAY_HAVE);
        core_kinds_release(&kinds);
}

TEST(each_model_finds_itself_in_its_tree)
{
        for (size_t i = 0; i < catalogue_n_cpus(); i++) {
                const struct catalogue_cpu *model = catalogue_get_cpu(i);
                struct pmu_source source = core_model_source(model);
                struct core_kinds kinds;

                core_kinds_load(&source, &kinds);
                if (kinds.n_items != 1) {
                        TAP_FAIL("%s: %zu kinds", model->id, kinds.n_items);
                } else if (model->implementer) {
                        if (kinds.items[0].model != model)
                                TAP_FAIL("%s is %s", model->id,
                                         kinds.items[0].model ? kinds.items[0].model->id : "nothing");
                        if (!kinds.items[0].model_believed)
                                TAP_FAIL("%s is not believed", model->id);
                }
                core_kinds_release(&kinds);
        }
}

TAP_MAIN
