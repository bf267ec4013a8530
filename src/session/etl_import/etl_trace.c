/* SPDX-License-Identifier: BSD-3-Clause */
#include "etl_trace.h"

#include <stdlib.h>

#include "mem.h"

struct trace_reader {
        struct etl_trace *trace;
        struct etl_late_items late;
        unsigned pointer_bytes;
        uint32_t order;
};

void etl_trace_release(struct etl_trace *t)
{
        free(t->items);
        free(t->parts);
        free(t->keyed);
        free(t->frames);
        free(t->sources);
        free(t->volumes);
        free(t->names);
        free(t->marks);
        free(t->threads);
        buf_release(&t->texts);
}

uint64_t etl_trace_bytes(const struct etl_trace *t)
{
        return t->cap_items * sizeof(*t->items) + t->n_threads * sizeof(*t->threads) +
               t->cap_parts * sizeof(*t->parts) + t->cap_keyed * sizeof(*t->keyed) +
               t->cap_frames * sizeof(*t->frames) + t->cap_marks * sizeof(*t->marks) +
               t->cap_names * sizeof(*t->names) + t->texts.len;
}

/* Call after a text was appended: the offset where it began, with a NUL behind it. */
static uint32_t end_text(struct etl_trace *t, size_t begin)
{
        buf_add_char(&t->texts, 0);
        return (uint32_t)begin;
}

/* Events of one of these kinds list what existed when the recording began, some tenths of a second later. */
static bool existed(const struct etl_event *event)
{
        return event->hook == ETL_PROCESS_RUNNING || event->hook == ETL_THREAD_RUNNING ||
               event->hook == ETL_IMAGE_RUNNING;
}

static struct etl_item item_of(const struct trace_reader *r, const struct etl_event *event,
                               enum etl_item_kind kind)
{
        return (struct etl_item){.time = event->time,
                                 .kind = kind,
                                 .existed = existed(event),
                                 .cpu = event->cpu,
                                 .order = r->order};
}

static void push(struct trace_reader *r, const struct etl_item *item)
{
        ARRAY_PUSH(r->trace->items, r->trace->n_items, r->trace->cap_items, *item);
}

/* What ends, or is left at the end, may have existed all the time. */
static void push_late(struct trace_reader *r, const struct etl_item *item, enum etl_item_kind kind)
{
        struct etl_item late = *item;

        late.kind = (uint8_t)kind;
        ARRAY_PUSH(r->late.items, r->late.n, r->late.cap, late);
}

/* --- Each kind of event; false: it is malformed --- */

static bool take_process(struct trace_reader *r, const struct etl_event *event)
{
        bool begins = event->hook == ETL_PROCESS_START || event->hook == ETL_PROCESS_RUNNING;
        struct etl_item item = item_of(r, event, begins ? ETL_ITEM_PROCESS : ETL_ITEM_PROCESS_END);
        size_t text = r->trace->texts.len;
        struct etl_process process;

        if (!etl_kernel_process(event, r->pointer_bytes, &process, &r->trace->texts))
                return false;
        item.text = end_text(r->trace, text);
        item.pid = process.pid;
        item.tid = process.parent;
        if (event->hook != ETL_PROCESS_LEFT)
                push(r, &item);
        if (!begins)
                push_late(r, &item, ETL_ITEM_PROCESS);
        return true;
}

static bool take_thread(struct trace_reader *r, const struct etl_event *event)
{
        bool begins = event->hook == ETL_THREAD_START || event->hook == ETL_THREAD_RUNNING;
        struct etl_item item = item_of(r, event, begins ? ETL_ITEM_THREAD : ETL_ITEM_THREAD_END);
        struct etl_thread thread;

        if (!etl_kernel_thread(event, &thread))
                return false;
        item.pid = thread.pid;
        item.tid = thread.tid;
        if (event->hook != ETL_THREAD_LEFT)
                push(r, &item);
        if (!begins)
                push_late(r, &item, ETL_ITEM_THREAD);
        return true;
}

static bool take_image(struct trace_reader *r, const struct etl_event *event)
{
        struct etl_item item = item_of(r, event, ETL_ITEM_IMAGE);
        size_t text = r->trace->texts.len;
        struct etl_image image;

        if (!etl_kernel_image(event, r->pointer_bytes, &image, &r->trace->texts))
                return false;
        item.text = end_text(r->trace, text);
        item.pid = image.pid;
        item.addr = image.base;
        item.size = image.size;
        item.time_stamp = image.time_stamp;
        if (event->hook == ETL_IMAGE_LOAD || event->hook == ETL_IMAGE_RUNNING)
                push(r, &item);
        else
                push_late(r, &item, ETL_ITEM_IMAGE);
        return true;
}

static bool take_pdb(struct trace_reader *r, const struct etl_event *event)
{
        struct etl_mark mark = {.has_pdb = true};
        size_t text = r->trace->texts.len;

        if (!etl_kernel_pdb(event, r->pointer_bytes, &mark.pdb, &r->trace->texts))
                return false;
        mark.text = end_text(r->trace, text);
        mark.stamp.base = mark.pdb.base;
        mark.stamp.pid = mark.pdb.pid;
        ARRAY_PUSH(r->trace->marks, r->trace->n_marks, r->trace->cap_marks, mark);
        return true;
}

static bool take_stamp(struct trace_reader *r, const struct etl_event *event)
{
        struct etl_mark mark = {0};

        if (!etl_kernel_stamp(event, r->pointer_bytes, &mark.stamp))
                return false;
        ARRAY_PUSH(r->trace->marks, r->trace->n_marks, r->trace->cap_marks, mark);
        return true;
}

static bool take_sample(struct trace_reader *r, const struct etl_event *event)
{
        struct etl_item item = item_of(r, event, ETL_ITEM_SAMPLE);
        struct etl_sample sample;

        if (!etl_kernel_sample(event, r->pointer_bytes, &sample))
                return false;
        if (sample.is_idle) {
                r->trace->n_idle++;
                return true;
        }
        item.tid = sample.tid;
        item.addr = sample.ip;
        item.source = sample.source;
        r->trace->n_samples++;
        push(r, &item);
        return true;
}

static bool take_switch(struct trace_reader *r, const struct etl_event *event)
{
        struct etl_item item = item_of(r, event, ETL_ITEM_SWITCH);
        struct etl_switch turn;

        if (!etl_kernel_switch(event, &turn))
                return false;
        item.tid = turn.to;
        item.from = turn.from;
        item.source = turn.state;
        item.reason = turn.reason;
        r->trace->n_switches++;
        push(r, &item);
        return true;
}

static bool take_ready(struct trace_reader *r, const struct etl_event *event)
{
        struct etl_item item = item_of(r, event, ETL_ITEM_READY);

        if (!etl_kernel_ready(event, &item.tid))
                return false;
        r->trace->n_readied++;
        push(r, &item);
        return true;
}

static size_t keep_frames(struct trace_reader *r, const struct etl_stack *stack)
{
        struct etl_trace *t = r->trace;
        struct cursor frames = stack->frames;
        size_t first = t->n_frames;

        for (size_t i = 0; i < stack->n_frames; i++)
                ARRAY_PUSH(t->frames, t->n_frames, t->cap_frames,
                           etl_kernel_pointer(&frames, r->pointer_bytes));
        return first;
}

static bool take_stack(struct trace_reader *r, const struct etl_event *event)
{
        struct etl_stack stack;
        struct etl_part part;

        if (!etl_kernel_stack(event, r->pointer_bytes, &stack))
                return false;
        part = (struct etl_part){.time = stack.time,
                                 .tid = stack.tid,
                                 .pid = stack.pid,
                                 .walked = event->time,
                                 .key = stack.key,
                                 .has_key = stack.has_key,
                                 .n = stack.n_frames,
                                 .order = r->order};
        part.first = keep_frames(r, &stack);
        ARRAY_PUSH(r->trace->parts, r->trace->n_parts, r->trace->cap_parts, part);
        return true;
}

static bool take_frames(struct trace_reader *r, const struct etl_event *event)
{
        struct etl_stack stack;
        struct etl_keyed keyed;

        if (!etl_kernel_frames(event, r->pointer_bytes, &stack))
                return false;
        keyed = (struct etl_keyed){.key = stack.key,
                                   .until = event->hook == ETL_STACK_KEPT ? UINT64_MAX : event->time,
                                   .n = stack.n_frames};
        keyed.first = keep_frames(r, &stack);
        ARRAY_PUSH(r->trace->keyed, r->trace->n_keyed, r->trace->cap_keyed, keyed);
        return true;
}

static bool take_interval(struct trace_reader *r, const struct etl_event *event)
{
        struct etl_interval interval;
        struct etl_source source;
        size_t text = r->trace->texts.len;

        for (size_t i = 0; i < r->trace->n_sources; i++) {
                struct cursor c = event->payload;

                if (r->trace->sources[i].number == cursor_u32(&c))
                        return true;
        }
        if (r->trace->n_sources == ETL_TRACE_MAX_SOURCES ||
            !etl_kernel_interval(event, &interval, &r->trace->texts))
                return false;
        source = (struct etl_source){interval.source, interval.interval, end_text(r->trace, text)};
        ARRAY_PUSH(r->trace->sources, r->trace->n_sources, r->trace->cap_sources, source);
        return true;
}

static bool take_machine(struct trace_reader *r, const struct etl_event *event)
{
        size_t text = r->trace->texts.len;

        if (!etl_machine_read(event, r->pointer_bytes, &r->trace->machine, &r->trace->texts))
                return false;
        r->trace->machine_name = end_text(r->trace, text);
        return true;
}

static bool take_build(struct trace_reader *r, const struct etl_event *event)
{
        size_t text = r->trace->texts.len;

        if (!etl_machine_build(event, &r->trace->texts))
                return false;
        r->trace->build = end_text(r->trace, text);
        return true;
}

static bool take_volume(struct trace_reader *r, const struct etl_event *event)
{
        struct etl_trace *t = r->trace;
        AUTO_RELEASE(buf) kernel = {0};
        AUTO_RELEASE(buf) program = {0};
        struct etl_volume volume = {.kernel = (uint32_t)t->texts.len};

        if (t->n_volumes == ETL_TRACE_MAX_VOLUMES || !etl_machine_volume(event, &kernel, &program))
                return false;
        buf_add(&t->texts, kernel.data, kernel.len);
        volume.program = (uint32_t)t->texts.len;
        buf_add(&t->texts, program.data, program.len);
        ARRAY_PUSH(t->volumes, t->n_volumes, t->cap_volumes, volume);
        return true;
}

static bool take_method(struct trace_reader *r, const struct etl_event *event)
{
        struct etl_trace *t = r->trace;
        struct etl_item item = item_of(r, event, ETL_ITEM_CODE);
        struct etl_name name = {
                .pid = (uint32_t)event->pid, .text = (uint32_t)t->texts.len, .order = r->order};
        struct etl_method method;

        if (!etl_dotnet_method(event, &method, &t->texts))
                return false;
        buf_add_char(&t->texts, 0);
        if (!method.size)
                return true;
        if (method.addr >> 63 || event->pid < 0)
                return false;
        name.addr = method.addr;
        name.size = method.size;
        name.is_compiled = method.is_compiled;
        ARRAY_PUSH(t->names, t->n_names, t->cap_names, name);
        if (!method.is_compiled)
                return true;
        item.pid = name.pid;
        item.addr = method.addr;
        item.size = method.size;
        if (method.begins)
                push(r, &item);
        else
                push_late(r, &item, ETL_ITEM_CODE);
        return true;
}

static bool take_class_event(struct trace_reader *r, const struct etl_event *event)
{
        if (etl_kernel_loss(event) != ETL_LOST_NOTHING) {
                r->trace->n_losses++;
                return true;
        }
        if (etl_kernel_is_pdb(event))
                return take_pdb(r, event);
        if (etl_kernel_is_stamp(event))
                return take_stamp(r, event);
        if (etl_machine_is_build(event))
                return take_build(r, event);
        if (etl_dotnet_is_method(event))
                return take_method(r, event);
        return !etl_machine_is_volume(event) || take_volume(r, event);
}

static bool take_event(struct trace_reader *r, const struct etl_event *event)
{
        if (event->guid)
                return take_class_event(r, event);
        if (etl_kernel_is_interval(event))
                return take_interval(r, event);
        switch (event->hook) {
        case ETL_PROCESS_START:
        case ETL_PROCESS_END:
        case ETL_PROCESS_RUNNING:
        case ETL_PROCESS_LEFT: return take_process(r, event);
        case ETL_THREAD_START:
        case ETL_THREAD_END:
        case ETL_THREAD_RUNNING:
        case ETL_THREAD_LEFT: return take_thread(r, event);
        case ETL_IMAGE_LOAD:
        case ETL_IMAGE_UNLOAD:
        case ETL_IMAGE_RUNNING:
        case ETL_IMAGE_LEFT: return take_image(r, event);
        case ETL_SAMPLE:
        case ETL_COUNTER_SAMPLE: return take_sample(r, event);
        case ETL_CONTEXT_SWITCH: return take_switch(r, event);
        case ETL_READY_THREAD: return take_ready(r, event);
        case ETL_STACK:
        case ETL_STACK_KEY_KERNEL:
        case ETL_STACK_KEY_USER: return take_stack(r, event);
        case ETL_STACK_DELETED:
        case ETL_STACK_KEPT: return take_frames(r, event);
        case ETL_MACHINE: return take_machine(r, event);
        default: return true;
        }
}

void etl_trace_read(struct etl_file *file, uint64_t limit, struct etl_trace *t)
{
        struct trace_reader r = {.trace = t, .pointer_bytes = etl_file_header(file)->pointer_bytes};
        struct etl_event event;

        t->header = *etl_file_header(file);
        buf_add_char(&t->texts, 0);
        while (!t->is_short && etl_file_next(file, &event)) {
                r.order++;
                t->n_malformed += !take_event(&r, &event);
                t->is_short = etl_trace_bytes(t) + r.late.cap * sizeof(*r.late.items) > limit;
        }
        if (t->is_short)
                t->left_out_bytes = etl_file_left(file);
        t->n_bad_buffers = etl_file_counts(file).n_bad_buffers;
        t->cut_bytes = etl_file_counts(file).cut_bytes;
        t->given_up_bytes = etl_file_counts(file).given_up_bytes;
        etl_trace_sort(t, &r.late);
        free(r.late.items);
}
