/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/* A test double of Linux's driver of the Arm Statistical Profiling Extension: arm_spe_0 on all CPUs.
 * Names, formats, capabilities and refusals are those of drivers/perf/arm_spe_pmu.c.  The samples are made
 * by a timer: its interval in nanoseconds is the event's period, for the emulated machine runs an
 * instruction each nanosecond.  Address, mode, process and time are those of the interrupted program;
 * operation, events, latencies and the data source follow from the sample's number (make_operation), so
 * that a test knows them. */
#include <asm/arch_timer.h>
#include <asm/irq_regs.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/vmalloc.h>

enum { RECORD_BYTES = 64, N_OPERATIONS = 8, BRANCH_DISTANCE = 16 };

/* Bits of the attribute, as the files of `format` tell. */
#define CONFIG_TS      BIT_ULL(0)
#define CONFIG_PA      BIT_ULL(1)
#define CONFIG_PCT     BIT_ULL(2)
#define CONFIG_BRANCH  BIT_ULL(32)
#define CONFIG_LOAD    BIT_ULL(33)
#define CONFIG_STORE   BIT_ULL(34)
#define CONFIG_ANY_OP  (CONFIG_BRANCH | CONFIG_LOAD | CONFIG_STORE)
#define LATENCY_FILTER GENMASK_ULL(11, 0)

/* Of an events packet. */
#define EVENT_RETIRED      BIT_ULL(1)
#define EVENT_L1_ACCESS    BIT_ULL(2)
#define EVENT_L1_REFILL    BIT_ULL(3)
#define EVENT_TLB_ACCESS   BIT_ULL(4)
#define EVENT_TLB_WALK     BIT_ULL(5)
#define EVENT_NOT_TAKEN    BIT_ULL(6)
#define EVENT_MISPREDICTED BIT_ULL(7)
#define EVENTS_KNOWN       GENMASK_ULL(7, 1)

/* Whether buffers are said to have had collisions. */
static bool collide;
module_param(collide, bool, 0644);

struct fake_buffer {
        void *base;
        size_t bytes;
};

struct fake_cpu {
        struct perf_output_handle handle;
        struct hrtimer timer;
        struct perf_event *event; /* NULL: none is on */
        bool has_buffer;
        size_t written, until; /* from the handle's head on: what is written, and when to hand it over */
        u64 number;            /* of the sample */
};

static DEFINE_PER_CPU(struct fake_cpu, fake_cpus);

/* --- one sample --- */

struct operation {
        u8 class, subclass;
        u64 events;
        u16 total, issue, translation;
        u8 source;
        bool has_address;
        u64 filter; /* of CONFIG_ANY_OP */
};

static const u8 sources[] = {0x0, 0x8, 0x9, 0xb, 0xe};

/* 0, 1, 4: loads; 2, 5: stores; 3, 6: branches, the second mispredicted; 7: another operation. */
static struct operation make_operation(u64 number)
{
        unsigned int kind = number % N_OPERATIONS;
        struct operation op = {
                .events = EVENT_RETIRED, .issue = 1 + number % 5, .translation = 1 + number % 3};

        op.total = 4 + number % 97;
        switch (kind) {
        case 3:
        case 6:
                op.class = 0x4a;
                op.subclass = kind == 3; /* conditional */
                op.filter = CONFIG_BRANCH;
                op.events |= kind == 6 ? EVENT_MISPREDICTED : EVENT_NOT_TAKEN;
                break;
        case 7: op.class = 0x48; break;
        default:
                op.class = 0x49;
                op.subclass = kind == 2 || kind == 5; /* a store */
                op.filter = op.subclass ? CONFIG_STORE : CONFIG_LOAD;
                op.has_address = true;
                op.source = sources[number % ARRAY_SIZE(sources)];
                op.events |= EVENT_L1_ACCESS | EVENT_TLB_ACCESS;
                if (op.source)
                        op.events |= EVENT_L1_REFILL;
                if (number % 16 == 4)
                        op.events |= EVENT_TLB_WALK;
        }
        return op;
}

static bool is_wanted(const struct perf_event_attr *attr, const struct operation *op)
{
        u64 ops = attr->config & CONFIG_ANY_OP;

        return (!ops || ops & op->filter) && (op->events & attr->config1) == attr->config1 &&
               op->total >= (attr->config2 & LATENCY_FILTER);
}

static u8 *put_bytes(u8 *at, u64 value, unsigned int n)
{
        for (unsigned int i = 0; i < n; i++)
                *at++ = (u8)(value >> 8 * i);
        return at;
}

static u8 *put_packet(u8 *at, u8 header, u64 value, unsigned int n)
{
        *at++ = header;
        return put_bytes(at, value, n);
}

static void make_record(const struct perf_event *event, const struct pt_regs *regs,
                        const struct operation *op, u8 *record)
{
        u64 user = user_mode(regs);
        u8 *at = record;

        memset(record, 0, RECORD_BYTES);
        /* the address has 56 bits; non-secure, and the exception level */
        at = put_packet(at, 0xb0, (regs->pc & GENMASK_ULL(55, 0)) | BIT_ULL(63) | (user ? 0 : 1ULL << 61), 8);
        at = put_packet(at, 0x98, op->total, 2);
        at = put_packet(at, 0x99, op->issue, 2);
        if (op->has_address)
                at = put_packet(at, 0x9a, op->translation, 2);
        at = put_packet(at, 0x64, task_pid_nr(current), 4);
        at = put_packet(at, 0x52, op->events, 2);
        at = put_packet(at, op->class, op->subclass, 1);
        if (op->filter == CONFIG_BRANCH)
                at = put_packet(at, 0xb1, ((regs->pc + BRANCH_DISTANCE) & GENMASK_ULL(55, 0)) | BIT_ULL(63),
                                8);
        if (op->has_address) {
                at = put_packet(at, 0xb2, regs->sp & GENMASK_ULL(55, 0), 8);
                at = put_packet(at, 0x43, op->source, 1);
        }
        if (event->attr.config & CONFIG_TS)
                put_packet(at, 0x71, arch_timer_read_counter(), 8);
        else
                *at = 0x01;
}

/* --- the buffer --- */

static void take_buffer(struct fake_cpu *cpu)
{
        const struct fake_buffer *buffer = perf_aux_output_begin(&cpu->handle, cpu->event);

        cpu->has_buffer = buffer != NULL;
        if (!buffer)
                return;
        cpu->written = 0;
        cpu->until = cpu->handle.size;
        if (cpu->handle.wakeup > cpu->handle.head)
                cpu->until = min_t(size_t, cpu->until, cpu->handle.wakeup - cpu->handle.head);
}

static void hand_over(struct fake_cpu *cpu, u64 flags)
{
        if (!cpu->has_buffer)
                return;
        if (collide)
                flags |= PERF_AUX_FLAG_COLLISION;
        if (flags)
                perf_aux_output_flag(&cpu->handle, flags);
        perf_aux_output_end(&cpu->handle, cpu->written);
        cpu->has_buffer = false;
}

/* The buffer wraps at its end, where a record may have to be cut. */
static void write_record(struct fake_cpu *cpu, const u8 *record)
{
        const struct fake_buffer *buffer = perf_get_aux(&cpu->handle);
        size_t at = (cpu->handle.head + cpu->written) % buffer->bytes;
        size_t first = min_t(size_t, RECORD_BYTES, buffer->bytes - at);

        memcpy(buffer->base + at, record, first);
        memcpy(buffer->base, record + first, RECORD_BYTES - first);
        cpu->written += RECORD_BYTES;
}

static void sample(struct fake_cpu *cpu, const struct pt_regs *regs)
{
        struct operation op = make_operation(cpu->number++);
        bool user = user_mode(regs);
        u8 record[RECORD_BYTES];

        if ((user ? cpu->event->attr.exclude_user : cpu->event->attr.exclude_kernel) ||
            !is_wanted(&cpu->event->attr, &op))
                return;
        if (cpu->written + RECORD_BYTES > cpu->until) {
                bool full = cpu->until == cpu->handle.size;

                hand_over(cpu, full ? PERF_AUX_FLAG_TRUNCATED : 0);
                take_buffer(cpu);
                if (!cpu->has_buffer)
                        return;
        }
        make_record(cpu->event, regs, &op, record);
        write_record(cpu, record);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
        struct fake_cpu *cpu = container_of(timer, struct fake_cpu, timer);
        const struct pt_regs *regs = get_irq_regs();

        if (!cpu->event || cpu->event->hw.state & PERF_HES_STOPPED)
                return HRTIMER_NORESTART;
        if (regs && cpu->has_buffer)
                sample(cpu, regs);
        if (!cpu->has_buffer) {
                cpu->event->hw.state |= PERF_HES_STOPPED;
                return HRTIMER_NORESTART;
        }
        hrtimer_forward_now(timer, ns_to_ktime(cpu->event->attr.sample_period));
        return HRTIMER_RESTART;
}

static void *setup_aux(struct perf_event *event, void **pages, int n_pages, bool snapshot)
{
        struct fake_buffer *buffer;
        struct page **list;

        if (snapshot && n_pages & 1)
                return NULL;
        list = kcalloc(n_pages, sizeof(*list), GFP_KERNEL);
        buffer = kzalloc(sizeof(*buffer), GFP_KERNEL);
        for (int i = 0; list && i < n_pages; i++)
                list[i] = virt_to_page(pages[i]);
        if (list && buffer)
                buffer->base = vmap(list, n_pages, VM_MAP, PAGE_KERNEL);
        kfree(list);
        if (!buffer || !buffer->base) {
                kfree(buffer);
                return NULL;
        }
        buffer->bytes = (size_t)n_pages * PAGE_SIZE;
        return buffer;
}

static void free_aux(void *aux)
{
        struct fake_buffer *buffer = aux;

        vunmap(buffer->base);
        kfree(buffer);
}

/* --- the event --- */

static void start(struct perf_event *event, int flags)
{
        struct fake_cpu *cpu = this_cpu_ptr(&fake_cpus);

        event->hw.state = 0;
        cpu->event = event;
        take_buffer(cpu);
        if (!cpu->has_buffer) {
                event->hw.state |= PERF_HES_STOPPED;
                cpu->event = NULL;
                return;
        }
        hrtimer_start(&cpu->timer, ns_to_ktime(event->attr.sample_period), HRTIMER_MODE_REL_PINNED_HARD);
}

static void stop(struct perf_event *event, int flags)
{
        struct fake_cpu *cpu = this_cpu_ptr(&fake_cpus);

        if (event->hw.state & PERF_HES_UPTODATE)
                return;
        hrtimer_try_to_cancel(&cpu->timer);
        hand_over(cpu, 0);
        event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
        cpu->event = NULL;
}

static int add(struct perf_event *event, int flags)
{
        if (this_cpu_ptr(&fake_cpus)->event)
                return -EAGAIN;
        event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
        if (flags & PERF_EF_START) {
                start(event, PERF_EF_RELOAD);
                if (event->hw.state & PERF_HES_STOPPED)
                        return -EINVAL;
        }
        return 0;
}

static void del(struct perf_event *event, int flags)
{
        stop(event, PERF_EF_UPDATE);
}

static void nothing_to_read(struct perf_event *event)
{
}

static int init(struct perf_event *event)
{
        const struct perf_event_attr *attr = &event->attr;

        if (attr->type != event->pmu->type)
                return -ENOENT;
        if (attr->config1 & ~EVENTS_KNOWN || attr->exclude_idle)
                return -EOPNOTSUPP;
        if (attr->freq || !is_sampling_event(event))
                return -EINVAL;
        if (attr->config & (CONFIG_PA | CONFIG_PCT) && !perfmon_capable())
                return -EACCES;
        return 0;
}

/* --- sysfs --- */

struct fake_file {
        struct device_attribute attr;
        const char *text;
};

static ssize_t show_file(struct device *dev, struct device_attribute *attr, char *text)
{
        return sysfs_emit(text, "%s\n", container_of(attr, struct fake_file, attr)->text);
}

static ssize_t show_cpus(struct device *dev, struct device_attribute *attr, char *text)
{
        return cpumap_print_to_pagebuf(true, text, cpu_possible_mask);
}

#define FILE_OF(NAME, TEXT)                                                                                  \
        {                                                                                                    \
                __ATTR(NAME, 0444, show_file, NULL), TEXT                                                    \
        }

static struct fake_file formats[] = {
        FILE_OF(ts_enable, "config:0"),       FILE_OF(pa_enable, "config:1"),
        FILE_OF(pct_enable, "config:2"),      FILE_OF(jitter, "config:16"),
        FILE_OF(branch_filter, "config:32"),  FILE_OF(load_filter, "config:33"),
        FILE_OF(store_filter, "config:34"),   FILE_OF(event_filter, "config1:0-63"),
        FILE_OF(min_latency, "config2:0-11"),
};

static struct fake_file caps[] = {
        FILE_OF(arch_inst, "0"),
        FILE_OF(count_size, "12"),
        FILE_OF(ernd, "0"),
        FILE_OF(min_interval, "1024"),
};

static struct device_attribute cpumask_attr = __ATTR(cpumask, 0444, show_cpus, NULL);
static struct attribute *format_attrs[ARRAY_SIZE(formats) + 1], *cap_attrs[ARRAY_SIZE(caps) + 1];
static struct attribute *cpu_attrs[] = {&cpumask_attr.attr, NULL};
static const struct attribute_group format_group = {.name = "format", .attrs = format_attrs};
static const struct attribute_group cap_group = {.name = "caps", .attrs = cap_attrs};
static const struct attribute_group cpu_group = {.attrs = cpu_attrs};
static const struct attribute_group *groups[] = {&format_group, &cap_group, &cpu_group, NULL};

static struct pmu spe = {
        .module = THIS_MODULE,
        .capabilities = PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE,
        .attr_groups = groups,
        .task_ctx_nr = perf_sw_context,
        .event_init = init,
        .add = add,
        .del = del,
        .start = start,
        .stop = stop,
        .read = nothing_to_read,
        .setup_aux = setup_aux,
        .free_aux = free_aux,
};

static void list_attrs(struct attribute **attrs, struct fake_file *files, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                sysfs_attr_init(&files[i].attr.attr);
                attrs[i] = &files[i].attr.attr;
        }
}

static int __init fakespe_init(void)
{
        int cpu;

        list_attrs(format_attrs, formats, ARRAY_SIZE(formats));
        list_attrs(cap_attrs, caps, ARRAY_SIZE(caps));
        for_each_possible_cpu(cpu)
        {
                struct hrtimer *timer = &per_cpu(fake_cpus, cpu).timer;

                hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
                timer->function = tick;
        }
        return perf_pmu_register(&spe, "arm_spe_0", -1);
}

/* There is no exit: the guest goes down with the module in it. */
module_init(fakespe_init);
MODULE_DESCRIPTION("fake Arm SPE for tests");
MODULE_LICENSE("Dual BSD/GPL");
