/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel_units.h"

#include <string.h>

#include "count_list.h"
#include "tap.h"

#define DEVICES "/sys/bus/event_source/devices/"

static struct kernel_units make_units(void)
{
        struct kernel_units units = {0};

        kernel_units_add_class(&units, "dsu-520", "dsu",
                               &(struct kernel_unit_class){.number = 5, .n_counters = 6, .has_cycles = true},
                               2);
        kernel_units_add_class(&units, "dsu-110", "dsu", &(struct kernel_unit_class){.number = 6}, 1);
        kernel_units_add_class(&units, "dmc-620", "dmc_clk", &(struct kernel_unit_class){.number = 7}, 2);
        kernel_units_add_class(&units, "dmc-620", "dmc_clkdiv2", &(struct kernel_unit_class){.number = 8}, 2);
        return units;
}

static bool read_file(void *ctx, const char *path, struct buf *out)
{
        return kernel_units_read(ctx, path, out);
}

static bool list_dir(void *ctx, const char *path, bool (*each)(void *each_ctx, const char *name),
                     void *each_ctx)
{
        if (!strcmp(path, "/sys/bus/event_source/devices"))
                return kernel_units_list_pmus(ctx, each, each_ctx), true;
        return kernel_units_list(ctx, path, each, each_ctx);
}

static bool add_name(void *ctx, const char *name)
{
        buf_printf(ctx, "%s ", name);
        return true;
}

TEST(names)
{
        struct kernel_units units = make_units();
        AUTO_RELEASE(buf) names = {0};

        kernel_units_list_pmus(&units, add_name, &names);
        /* Blocks whose PMUs have the same name are numbered together. */
        EXPECT_STR(buf_text(&names), "arm_dsu_0 arm_dsu_1 arm_dsu_2 arm_dmc620_0 arm_dmc620_1 ");
        buf_clear(&names);
        EXPECT_TRUE(kernel_units_list(&units, DEVICES "arm_dmc620_1/format", add_name, &names));
        EXPECT_STR(buf_text(&names), "event clkdiv2 ");
        EXPECT_TRUE(!kernel_units_list(&units, DEVICES "arm_dmc620_10", add_name, &names));
        EXPECT_TRUE(!kernel_units_list(&units, DEVICES "arm_dmc620_1/no", add_name, &names));
}

TEST(files)
{
        struct kernel_units units = make_units();
        AUTO_RELEASE(buf) text = {0};

        EXPECT_TRUE(!kernel_units_read(&units, DEVICES "arm_dsu_1/associated_cpus", &text)); /* unknown */
        units.items[1].cpu = 2;
        units.items[1].cpus[0] = 0xc;
        units.items[1].cpus[1] = 1;
        kernel_units_read(&units, DEVICES "arm_dsu_1/associated_cpus", &text);
        kernel_units_read(&units, DEVICES "arm_dsu_1/cpumask", &text);
        kernel_units_read(&units, DEVICES "arm_dsu_1/format/event", &text);
        kernel_units_read(&units, DEVICES "arm_dmc620_0/format/clkdiv2", &text);
        EXPECT_STR(buf_text(&text), "2-3,64\n2\nconfig:0-31\nconfig:32-39\n");
        EXPECT_TRUE(!kernel_units_read(&units, DEVICES "arm_dsu_1/format/clkdiv2", &text));
        EXPECT_TRUE(!kernel_units_read(&units, DEVICES "arm_dsu_9/type", &text));
        EXPECT_TRUE(!kernel_units_read(&units, DEVICES "arm_dsu_1/type2", &text));
}

/* The driver's number of the class of an event, as stat resolves it; 0 for none. */
static uint32_t class_of(struct kernel_units *units, const char *text, size_t index,
                         struct kernel_unit_event *event)
{
        struct pmu_source source = {.read_file = read_file, .list_dir = list_dir, .ctx = units};
        const struct count_text counted = {.events = text, .dmc = UINT32_MAX};
        struct count_list list = {0};
        struct err err = {0};
        uint32_t number = 0;

        if (!count_list_parse(&counted, &source, &list, &err))
                printf("# %s\n", err.text);
        else if (index < list.n_items && kernel_units_find_event(units, &list.items[index].event.attr, event))
                number = event->class->number;
        count_list_release(&list);
        return number;
}

TEST(events)
{
        struct kernel_units units = make_units();
        struct kernel_unit_event event = {0};
        const struct perf_attr other = {.type = 8}, beyond = {.type = 64 + 5},
                               no_class = {.type = 64 + 3, .config = UINT64_C(2) << 32};

        EXPECT_INT(class_of(&units, "/dsu/l3d_cache", 1, &event), 5);
        EXPECT_INT(event.code, 0x2b);
        EXPECT_INT(event.unit->index, 1);
        EXPECT_INT(class_of(&units, "/dsu/l3d_cache", 2, &event), 6);
        EXPECT_INT(event.unit->index, 0);
        EXPECT_INT(class_of(&units, "/dmc_clk/request", 1, &event), 7);
        EXPECT_INT(class_of(&units, "/dmc_clkdiv2/r12", 0, &event), 8);
        EXPECT_INT(event.code, 0x12);
        EXPECT_TRUE(!kernel_units_find_event(&units, &other, &event));
        EXPECT_TRUE(!kernel_units_find_event(&units, &beyond, &event));
        EXPECT_TRUE(!kernel_units_find_event(&units, &no_class, &event));
}

TEST(limits)
{
        struct kernel_units units = {0};

        kernel_units_add_class(&units, "no-such-block", "dsu", &(struct kernel_unit_class){0}, 1);
        kernel_units_add_class(&units, "dsu-520", "no_such_class", &(struct kernel_unit_class){0}, 1);
        kernel_units_add_class(&units, "dsu-520", "dsu", &(struct kernel_unit_class){0}, 0);
        EXPECT_INT(units.n_items + units.n_classes, 0);
        kernel_units_add_class(&units, "dsu-520", "dsu", &(struct kernel_unit_class){0}, UINT32_MAX);
        EXPECT_INT(units.n_items, KERNEL_UNITS_MAX);
        EXPECT_CMP(kernel_units_find(&units, units.items[0].block, KERNEL_UNITS_MAX - 1), ==,
                   &units.items[KERNEL_UNITS_MAX - 1]);
        for (int i = 0; i < 100; i++)
                kernel_units_add_class(&units, "dsu-520", "dsu", &(struct kernel_unit_class){0}, 1);
        EXPECT_INT(units.n_classes, KERNEL_UNIT_CLASSES_MAX);
        EXPECT_INT(units.n_items, KERNEL_UNITS_MAX);
}

TAP_MAIN
