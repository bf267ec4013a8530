/* SPDX-License-Identifier: BSD-3-Clause */
#include "buf.h"
#include "memory_sysfs.h"
#include "pmu.h"
#include "tap.h"

static const struct memory_file machine[] = {
        {".hidden/type", "1\n"},
        {"a name with blanks/type", "1\n"},
        {"apple_firestorm_pmu/type", "20\n"},
        {"apple_firestorm_pmu/cpus", "4-7\n"},
        {"arm_dmc620_10008c/type", "14\n"},
        {"arm_dsu_0/type", "12\n"},
        {"arm_dsu_0/cpumask", "0\n"},
        {"arm_spe_0/type", "13\n"},
        {"arm_spe_0/cpus", "0-3\n"},
        {"armv8_cortex_a53/type", "8\n"},
        {"armv8_cortex_a53/cpus", "0,2-3\n"},
        {"armv8_cortex_a53/caps/slots", "0x00000005\n"},
        {"armv8_cortex_a53/caps/bad", "no number\n"},
        {"armv8_cortex_a53/events/CPU_Cycles", "event=0x12\n"},
        {"armv8_cortex_a53/events/cpu_cycles", "event=0x11\n"},
        {"armv8_cortex_a53/events/cpu_cycles.scale", "1\n"},
        {"armv8_cortex_a53/events/cpu_cycles.unit", "x\n"},
        {"armv8_cortex_a53/events/with blank", "event=1\n"},
        {"armv8_cortex_a53/format/event", "config:0-15\n"},
        {"armv8_cortex_a53/format/damaged", "config:9-3\n"},
        {"armv8_cortex_a57/type", "9\n"},
        {"armv8_cortex_a57/cpus", "\n"},
        {"armv8_no_type/cpus", "1\n"},
        {"armv8_no_cpus/type", "30\n"},
        {"breakpoint/type", "5\n"},
        {"cpu/type", "4 \n"},
        {"wrong_type/type", "4x\n"},
        {"wrong_cpus/type", "31\n"},
        {"wrong_cpus/cpumask", "0-99999999\n"},
        {NULL, NULL},
};

TEST(core_pmus_are_found)
{
        struct pmu_source source = memory_sysfs(machine);
        struct pmu_table table;

        pmu_table_load(&table, &source);
        EXPECT_TRUE(table.known);
        ASSERT_CMP(table.n_cores, ==, 3);
        EXPECT_STR(table.cores[0]->name, "cpu");
        EXPECT_INT(table.cores[0]->type, 4);
        EXPECT_TRUE(!table.cores[0]->arm);
        EXPECT_TRUE(!table.cores[0]->cpus);
        EXPECT_STR(table.cores[1]->name, "armv8_cortex_a53");
        EXPECT_TRUE(table.cores[1]->arm);
        EXPECT_INT(table.cores[1]->n_cpus, 3);
        EXPECT_INT(table.cores[1]->cpus[1], 2);
        EXPECT_STR(table.cores[2]->name, "apple_firestorm_pmu");
        EXPECT_TRUE(!pmu_find(&table, ".hidden", 7));
        EXPECT_TRUE(!pmu_find(&table, "a name with blanks", 18));
        EXPECT_TRUE(!pmu_find(&table, "cp", 2));
        EXPECT_CMP(pmu_find(&table, "CPU", 3), ==, table.cores[0]);
        pmu_table_release(&table);
}

TEST(others_are_loaded_when_asked_for)
{
        struct pmu_source source = memory_sysfs(machine);
        struct pmu_table table;
        struct err err = {0};
        struct pmu *pmu;

        pmu_table_load(&table, &source);
        pmu = pmu_find(&table, "arm_dsu_0", 9);
        ASSERT_TRUE(pmu && pmu_load(&source, pmu, &err));
        EXPECT_TRUE(pmu->uncore && !pmu->core);
        EXPECT_INT(pmu->n_cpus, 1);
        pmu = pmu_find(&table, "arm_dmc620_10008c", 17);
        ASSERT_TRUE(pmu && pmu_load(&source, pmu, &err));
        EXPECT_TRUE(pmu->uncore && !pmu->core && !pmu->cpus);
        pmu = pmu_find(&table, "breakpoint", 10);
        ASSERT_TRUE(pmu && pmu_load(&source, pmu, &err));
        EXPECT_TRUE(!pmu->uncore && !pmu->cpus);
        pmu = pmu_find(&table, "wrong_cpus", 10);
        ASSERT_TRUE(pmu && pmu_load(&source, pmu, &err));
        EXPECT_TRUE(pmu->uncore);
        EXPECT_INT(pmu->n_cpus, 0);
        pmu = pmu_find(&table, "wrong_type", 10);
        ASSERT_TRUE(pmu && !pmu_load(&source, pmu, &err));
        EXPECT_STR(err.text,
                   "PMU 'wrong_type' has no type number in /sys/bus/event_source/devices/wrong_type/type");
        pmu_table_release(&table);
}

static bool join(void *ctx, const char *name)
{
        buf_printf(ctx, "%s;", name);
        return true;
}

TEST(events_fields_and_caps)
{
        struct pmu_source source = memory_sysfs(machine);
        struct buf text = {0};
        struct pmu_table table;
        struct pmu_field field;
        struct err err = {0};
        uint64_t value = 0;
        const struct pmu *pmu;

        pmu_table_load(&table, &source);
        pmu = pmu_find(&table, "armv8_cortex_a53", 16);
        ASSERT_CMP(pmu, !=, NULL);
        pmu_each_event(&source, pmu, join, &text);
        EXPECT_STR(buf_text(&text), "CPU_Cycles;cpu_cycles;");
        buf_clear(&text);
        pmu_each_field(&source, pmu, join, &text);
        EXPECT_STR(buf_text(&text), "event;damaged;");
        buf_clear(&text);
        EXPECT_TRUE(pmu_find_event(&source, pmu, "cpu_cycles", 10, &text));
        EXPECT_STR(buf_text(&text), "cpu_cycles");
        buf_clear(&text);
        EXPECT_TRUE(pmu_find_event(&source, pmu, "CPU_CYCLES", 10, &text));
        EXPECT_TRUE(!pmu_find_event(&source, pmu, "../type", 7, &text));
        buf_clear(&text);
        EXPECT_TRUE(pmu_read_event(&source, pmu, "cpu_cycles", &text, &err));
        EXPECT_STR(buf_text(&text), "event=0x11");
        EXPECT_TRUE(!pmu_read_event(&source, pmu, "none", &text, &err));
        EXPECT_TRUE(pmu_find_cap(&source, pmu, "slots", &value));
        EXPECT_INT(value, 5);
        EXPECT_TRUE(!pmu_find_cap(&source, pmu, "bad", &value));
        EXPECT_TRUE(!pmu_find_cap(&source, pmu, "none", &value));
        EXPECT_INT(pmu_find_field(&source, pmu, "event", 5, &field, &err), 1);
        EXPECT_INT(pmu_find_field(&source, pmu, "EVENT", 5, &field, &err), 1);
        EXPECT_INT(pmu_find_field(&source, pmu, "none", 4, &field, &err), 0);
        EXPECT_INT(pmu_find_field(&source, pmu, "damaged", 7, &field, &err), -1);
        EXPECT_STR(err.text,
                   "/sys/bus/event_source/devices/armv8_cortex_a53/format/damaged: 'config:9-3' does not "
                   "name bits of a field, such as config:0-7,32-35");
        buf_release(&text);
        pmu_table_release(&table);
}

TEST(fields_put_bits_in_their_place)
{
        static const struct {
                const char *text;
                uint64_t value, max, config, config1, config2, config3;
        } cases[] = {
                {"config:0-7", 0x3c, 0xff, 0x3c, 0, 0, 0},
                {"config:0-7,32-35", 0xabc, 0xfff, 0xa000000bc, 0, 0, 0},
                {"config:18", 1, 1, 1u << 18, 0, 0, 0},
                {"config:63", 1, 1, 1ull << 63, 0, 0, 0},
                {"config1:0-15", 3, 0xffff, 0, 3, 0, 0},
                {"config2:8-11,0-3", 0x21, 0xff, 0, 0, 0x102, 0},
                {"config3:0-63", UINT64_MAX, UINT64_MAX, 0, 0, 0, UINT64_MAX},
                {"config:21,19,20", 3, 7, 1u << 21 | 1u << 19, 0, 0, 0},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                struct perf_attr attr = {.config = 0};
                struct pmu_field field;
                struct err err = {0};

                ASSERT_TRUE(pmu_field_parse(cases[i].text, &field, &err));
                EXPECT_INT(pmu_field_max(&field), cases[i].max);
                pmu_field_set(&field, cases[i].max, &attr);
                pmu_field_set(&field, cases[i].value, &attr);
                EXPECT_INT(attr.config, cases[i].config);
                EXPECT_INT(attr.config1, cases[i].config1);
                EXPECT_INT(attr.config2, cases[i].config2);
                EXPECT_INT(attr.config3, cases[i].config3);
        }
}

TEST(damaged_fields_are_refused)
{
        static const char *const cases[] = {
                "",
                "config",
                "config:",
                "config:64",
                "config:7-3",
                "config:1-",
                "config4:0-1",
                "config:0-7,",
                "config:0-63,0",
                "config:0x1",
                "config:-1",
                "config:0 1",
                "config:0-7-9",
                "attr.exclude:0-7",
                "config:0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6",
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                struct pmu_field field = {.word = 77};
                struct err err = {0};

                if (pmu_field_parse(cases[i], &field, &err))
                        TAP_FAIL("%s: accepted", cases[i]);
                EXPECT_INT(field.word, 77);
                EXPECT_INT(err.code, ERR_FORMAT);
        }
}

TEST(damaged_events_say_where)
{
        static const struct memory_file files[] = {
                {"cpu/type", "4\n"},
                {"cpu/format/event", "config:0-7\n"},
                {"cpu/format/odd", "config:0-99\n"},
                {"cpu/events/large", "event=0x100\n"},
                {"cpu/events/unknown", "event=1,what=2\n"},
                {"cpu/events/self", "self\n"},
                {"cpu/events/asks", "event=?\n"},
                {"cpu/events/odd-one", "odd=1\n"},
                {"cpu/events/empty", "\n"},
                {"uncore_x/events/lost", "event=1\n"},
                {NULL, NULL},
        };
        static const struct {
                const char *text, *message;
        } cases[] = {
                {"large", "'0x100' is too large for 'event', at most 0xff in the PMU's events/large"},
                {"unknown", "PMU 'cpu' has no term or event 'what' in the PMU's events/unknown"},
                {"self", "PMU 'cpu' has no term or event 'self' in the PMU's events/self"},
                {"cpu/asks/", "'?' is not a number in the PMU's events/asks"},
                {"odd-one",
                 "/sys/bus/event_source/devices/cpu/format/odd: 'config:0-99' does not name bits of a field, such "
                 "as config:0-7,32-35"},
                {"lost", "PMU 'uncore_x' has no type number in /sys/bus/event_source/devices/uncore_x/type"},
        };
        struct pmu_source source = memory_sysfs(files);
        struct event_list list = {0};
        struct err err = {0};

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                EXPECT_TRUE(!event_parse_sampling(cases[i].text, NULL, &source, &list, &err));
                EXPECT_STR(err.text, cases[i].message);
        }
        EXPECT_TRUE(event_parse_sampling("empty", NULL, &source, &list, &err));
        event_list_release(&list);
}

static bool read_huge(void *ctx, const char *path, struct buf *out)
{
        const struct memory_file cpu[] = {{"cpu/type", "4\n"}, {NULL, NULL}};

        if (memory_read((void *)cpu, path, out))
                return true;
        buf_add_zeros(out, PMU_FILE_MAX_BYTES + 1);
        memset(out->data, '1', out->len);
        return true;
}

static bool list_huge(void *ctx, const char *path, bool (*each)(void *each_ctx, const char *name),
                      void *each_ctx)
{
        static const char longest[] = "a_name_of_more_than_sixty_three_bytes_that_cannot_be_that_of_a_pmu";
        char name[32];

        each(each_ctx, longest);
        each(each_ctx, "cpu");
        for (int i = 0; i < 100000; i++) {
                snprintf(name, sizeof(name), "a%d", i);
                if (!each(each_ctx, name))
                        break;
        }
        return true;
}

TEST(huge_trees_are_cut)
{
        struct pmu_source source = {read_huge, list_huge, NULL};
        struct event_list list = {0};
        struct pmu_table table;
        struct err err = {0};

        pmu_table_load(&table, &source);
        EXPECT_INT(table.n_items, PMU_LIST_MAX);
        EXPECT_INT(table.n_cores, 1);
        pmu_table_release(&table);
        EXPECT_TRUE(!event_parse_sampling("cpu/event=1/", NULL, &source, &list, &err));
        EXPECT_CONTAINS(err.text, "has no term or event 'event'");
        EXPECT_TRUE(!event_parse_sampling("a99999", NULL, &source, &list, &err));
        EXPECT_CONTAINS(err.text, "unknown event name: a99999");
}

TAP_MAIN
