/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/* A replacement for Linux's uncore drivers: two DSUs, one for each CPU, and two DMC-620 channels.  Names,
 * formats, events and refusals are those of drivers/perf/arm_dsu_pmu.c and arm_dmc620_pmu.c.  They count
 * traffic that a test writes into the parameter `traffic`: an event of weight W counts W for each unit on
 * the first instance, 2 W on the second. Cycles are nanoseconds. */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

enum { N_INSTANCES = 2, DSU_COUNTERS = 6, DMC_CLKDIV2_COUNTERS = 8, DMC_CLK_COUNTERS = 2 };
enum { DSU_CYCLES = 0x11, DMC_CLKDIV2 = 1 << 9, WEIGHT_CYCLES = 0 };

struct fake_pmu {
        struct pmu pmu;
        char name[32];
        unsigned int instance;
        unsigned int used[2]; /* counters in use: DSU's, or the DMC's two clocks */
};

struct fake_event {
        struct device_attribute attr;
        const char *text;
        u64 config;
        unsigned int weight; /* WEIGHT_CYCLES: counts nanoseconds */
};

static atomic64_t traffic;

static int add_traffic(const char *text, const struct kernel_param *param)
{
        u64 units;
        int error = kstrtou64(text, 0, &units);

        if (!error)
                atomic64_add(units, &traffic);
        return error;
}

static int show_traffic(char *text, const struct kernel_param *param)
{
        return sysfs_emit(text, "%lld\n", (long long)atomic64_read(&traffic));
}

static const struct kernel_param_ops traffic_ops = {.set = add_traffic, .get = show_traffic};
module_param_cb(traffic, &traffic_ops, NULL, 0644);

static struct fake_pmu *fake_of(struct pmu *pmu)
{
        return container_of(pmu, struct fake_pmu, pmu);
}

/* --- sysfs --- */

static ssize_t show_event(struct device *dev, struct device_attribute *attr, char *text)
{
        return sysfs_emit(text, "%s\n", container_of(attr, struct fake_event, attr)->text);
}

static ssize_t show_cpu(struct device *dev, struct device_attribute *attr, char *text)
{
        return sysfs_emit(text, "%u\n", fake_of(dev_get_drvdata(dev))->instance);
}

#define EVENT(NAME, TEXT, CONFIG, WEIGHT)                                                                    \
        {                                                                                                    \
                __ATTR(NAME, 0444, show_event, NULL), TEXT, CONFIG, WEIGHT                                   \
        }
#define DSU_EVENT(NAME, CODE, WEIGHT) EVENT(NAME, "event=" #CODE, CODE, WEIGHT)
#define CLKDIV2_EVENT(NAME, CODE, WEIGHT)                                                                    \
        EVENT(clkdiv2_##NAME, "event=" #CODE ",clkdiv2=0x1", (CODE << 3) | DMC_CLKDIV2, WEIGHT)
#define CLK_EVENT(NAME, CODE, WEIGHT) EVENT(clk_##NAME, "event=" #CODE ",clkdiv2=0x0", CODE << 3, WEIGHT)
#define FORMAT(NAME, TEXT)            EVENT(NAME, TEXT, 0, 0)

static struct fake_event dsu_events[] = {
        DSU_EVENT(cycles, 0x11, WEIGHT_CYCLES), DSU_EVENT(bus_access, 0x19, 3),
        DSU_EVENT(memory_error, 0x1a, 5),       DSU_EVENT(bus_cycles, 0x1d, 7),
        DSU_EVENT(l3d_cache_allocate, 0x29, 2), DSU_EVENT(l3d_cache_refill, 0x2a, 1),
        DSU_EVENT(l3d_cache, 0x2b, 10),         DSU_EVENT(l3d_cache_wb, 0x2c, 4),
};

static struct fake_event dmc_events[] = {
        CLKDIV2_EVENT(cycle_count, 0x0, WEIGHT_CYCLES),
        CLKDIV2_EVENT(allocate, 0x1, 2),
        CLKDIV2_EVENT(activate, 0x11, 3),
        CLKDIV2_EVENT(rdwr, 0x12, 8),
        CLKDIV2_EVENT(refresh, 0x13, 1),
        CLK_EVENT(cycle_count, 0x0, WEIGHT_CYCLES),
        CLK_EVENT(request, 0x1, 6),
        CLK_EVENT(upload_stall, 0x2, 9),
};

static struct fake_event dsu_format[] = {FORMAT(event, "config:0-31")};
static struct fake_event dmc_format[] = {
        FORMAT(mask, "config:0-44"), FORMAT(match, "config1:0-44"), FORMAT(invert, "config2:0"),
        FORMAT(incr, "config2:1-2"), FORMAT(event, "config2:3-8"),  FORMAT(clkdiv2, "config2:9"),
};

static struct device_attribute cpumask_attr = __ATTR(cpumask, 0444, show_cpu, NULL);
static struct device_attribute associated_attr = __ATTR(associated_cpus, 0444, show_cpu, NULL);

static struct attribute *dsu_event_attrs[ARRAY_SIZE(dsu_events) + 1];
static struct attribute *dmc_event_attrs[ARRAY_SIZE(dmc_events) + 1];
static struct attribute *dsu_format_attrs[ARRAY_SIZE(dsu_format) + 1];
static struct attribute *dmc_format_attrs[ARRAY_SIZE(dmc_format) + 1];
static struct attribute *dsu_cpu_attrs[] = {&cpumask_attr.attr, &associated_attr.attr, NULL};

static const struct attribute_group dsu_event_group = {.name = "events", .attrs = dsu_event_attrs};
static const struct attribute_group dmc_event_group = {.name = "events", .attrs = dmc_event_attrs};
static const struct attribute_group dsu_format_group = {.name = "format", .attrs = dsu_format_attrs};
static const struct attribute_group dmc_format_group = {.name = "format", .attrs = dmc_format_attrs};
static const struct attribute_group dsu_cpu_group = {.attrs = dsu_cpu_attrs};
static const struct attribute_group *dsu_groups[] = {&dsu_event_group, &dsu_format_group, &dsu_cpu_group,
                                                     NULL};
static const struct attribute_group *dmc_groups[] = {&dmc_event_group, &dmc_format_group, NULL};

static void list_attrs(struct attribute **attrs, struct fake_event *events, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                sysfs_attr_init(&events[i].attr.attr);
                attrs[i] = &events[i].attr.attr;
        }
}

/* --- counting --- */

static u64 count_of(const struct fake_event *events, size_t n, u64 config, unsigned int instance)
{
        for (size_t i = 0; i < n; i++) {
                if (events[i].config != config)
                        continue;
                if (events[i].weight == WEIGHT_CYCLES)
                        return ktime_get_ns();
                return (u64)atomic64_read(&traffic) * events[i].weight * (instance + 1);
        }
        return 0;
}

static bool is_dsu(const struct pmu *pmu)
{
        return pmu->attr_groups == dsu_groups;
}

static u64 count_now(struct perf_event *event)
{
        unsigned int instance = fake_of(event->pmu)->instance;

        if (is_dsu(event->pmu))
                return count_of(dsu_events, ARRAY_SIZE(dsu_events), event->attr.config, instance);
        return count_of(dmc_events, ARRAY_SIZE(dmc_events), event->attr.config2, instance);
}

/* The kind of counter that an event needs, and the number of these; the DSU's cycles have a counter of
 * their own. */
static unsigned int counters_for(struct perf_event *event, unsigned int *kind)
{
        bool dsu = is_dsu(event->pmu);

        if (dsu) {
                *kind = event->attr.config == DSU_CYCLES;
                return *kind ? 1 : DSU_COUNTERS;
        }
        *kind = !(event->attr.config2 & DMC_CLKDIV2);
        return *kind ? DMC_CLK_COUNTERS : DMC_CLKDIV2_COUNTERS;
}

static void fake_read(struct perf_event *event)
{
        u64 now = count_now(event);
        u64 before = local64_xchg(&event->hw.prev_count, now);

        local64_add(now - before, &event->count);
}

static void fake_start(struct perf_event *event, int flags)
{
        local64_set(&event->hw.prev_count, count_now(event));
        event->hw.state = 0;
}

static void fake_stop(struct perf_event *event, int flags)
{
        if (event->hw.state & PERF_HES_STOPPED)
                return;
        fake_read(event);
        event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int fake_add(struct perf_event *event, int flags)
{
        struct fake_pmu *fake = fake_of(event->pmu);
        unsigned int kind, n = counters_for(event, &kind);

        if (fake->used[kind] >= n)
                return -EAGAIN;
        fake->used[kind]++;
        event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
        if (flags & PERF_EF_START)
                fake_start(event, PERF_EF_RELOAD);
        perf_event_update_userpage(event);
        return 0;
}

static void fake_del(struct perf_event *event, int flags)
{
        unsigned int kind;

        fake_stop(event, PERF_EF_UPDATE);
        counters_for(event, &kind);
        fake_of(event->pmu)->used[kind]--;
        perf_event_update_userpage(event);
}

/* --- what is refused --- */

static int dsu_init(struct perf_event *event)
{
        struct perf_event *leader = event->group_leader, *sibling;
        unsigned int instance = fake_of(event->pmu)->instance;
        unsigned int n = event->attr.config != DSU_CYCLES;

        if (event->attr.type != event->pmu->type)
                return -ENOENT;
        if (is_sampling_event(event))
                return -EOPNOTSUPP;
        if (event->cpu < 0 || event->attach_state & PERF_ATTACH_TASK || event->cpu != instance)
                return -EINVAL;
        if (leader == event)
                return 0;
        n += leader->attr.config != DSU_CYCLES;
        for_each_sibling_event(sibling, leader) n += sibling->attr.config != DSU_CYCLES;
        return n <= DSU_COUNTERS ? 0 : -EINVAL;
}

static int dmc_init(struct perf_event *event)
{
        if (event->attr.type != event->pmu->type)
                return -ENOENT;
        if (is_sampling_event(event) || event->attach_state & PERF_ATTACH_TASK)
                return -EOPNOTSUPP;
        event->cpu = 0;
        return event->group_leader == event ? 0 : -EINVAL;
}

/* --- the module --- */

static struct fake_pmu dsus[N_INSTANCES];
static struct fake_pmu dmcs[N_INSTANCES];

static int register_one(struct fake_pmu *fake, unsigned int instance, const struct attribute_group **groups,
                        int (*init)(struct perf_event *))
{
        fake->instance = instance;
        fake->pmu = (struct pmu){
                .module = THIS_MODULE,
                .capabilities = PERF_PMU_CAP_NO_EXCLUDE | PERF_PMU_CAP_NO_INTERRUPT,
                .attr_groups = groups,
                .task_ctx_nr = perf_invalid_context,
                .event_init = init,
                .add = fake_add,
                .del = fake_del,
                .start = fake_start,
                .stop = fake_stop,
                .read = fake_read,
        };
        return perf_pmu_register(&fake->pmu, fake->name, -1);
}

static int __init fakepmu_init(void)
{
        int error = 0;

        list_attrs(dsu_event_attrs, dsu_events, ARRAY_SIZE(dsu_events));
        list_attrs(dmc_event_attrs, dmc_events, ARRAY_SIZE(dmc_events));
        list_attrs(dsu_format_attrs, dsu_format, ARRAY_SIZE(dsu_format));
        list_attrs(dmc_format_attrs, dmc_format, ARRAY_SIZE(dmc_format));
        for (unsigned int i = 0; i < N_INSTANCES && !error; i++) {
                /* the driver names a DMC by its physical address, in pages */
                snprintf(dsus[i].name, sizeof(dsus[i].name), "arm_dsu_%u", i);
                snprintf(dmcs[i].name, sizeof(dmcs[i].name), "arm_dmc620_%x", 0x10008c + i * 4);
                error = register_one(&dsus[i], i, dsu_groups, dsu_init);
                if (!error)
                        error = register_one(&dmcs[i], i, dmc_groups, dmc_init);
        }
        return error;
}

/* There is no exit function: the guest ends with the module loaded. */
module_init(fakepmu_init);
MODULE_DESCRIPTION("fake uncore PMUs for tests");
MODULE_LICENSE("Dual BSD/GPL");
