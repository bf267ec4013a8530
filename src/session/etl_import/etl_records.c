/* SPDX-License-Identifier: BSD-3-Clause */
#include "etl_records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "etl_names.h"
#include "mem.h"
#include "perf_abi.h"
#include "record.h"

enum {
        ROUND = 4096,           /* records between two marks that say that all before them are complete */
        MAX_FRAMES = 1000,      /* of a stack; Windows walks 192 in the kernel, and as many in the program */
        TICK_NS = 100,          /* of Windows' times */
        TIMER_INTERVAL = 10000, /* Windows' default: 1 ms */
        CODE_PIECE = 0x10000, /* Windows gives programs memory in such pieces: none has code and a part of an
                                 image */
};

#define NS_PER_S UINT64_C(1000000000)

void etl_records_release(struct etl_records *r)
{
        buf_release(&r->bytes);
        buf_release(&r->paths);
        stack_cuts_release(&r->cuts);
        map_release(&r->running);
        map_release(&r->waiting);
        map_release(&r->reasons);
        map_release(&r->code);
        free(r->events);
        free(r->images);
}

/* --- Times --- */

static uint64_t ns_of(const struct etl_header *h, uint64_t ticks)
{
        uint64_t frequency = h->clock == ETL_CLOCK_SYSTEM    ? 10000000
                             : h->clock == ETL_CLOCK_COUNTER ? h->frequency
                                                             : (uint64_t)h->cpu_mhz * 1000000;

        /* In two steps, because the product of both would need more than 64 bits. */
        return ticks / frequency * NS_PER_S + ticks % frequency * NS_PER_S / frequency;
}

/* --- Events --- */

static const struct etl_source *find_source(const struct etl_trace *trace, uint32_t number)
{
        for (size_t i = 0; i < trace->n_sources; i++) {
                if (trace->sources[i].number == number)
                        return &trace->sources[i];
        }
        return NULL;
}

static void name_counter(const struct etl_trace *trace, const struct etl_source *source,
                         struct etl_session_event *event)
{
        if (source && trace->texts.data[source->text])
                snprintf(event->name, sizeof(event->name), "%s", trace->texts.data + source->text);
        else
                snprintf(event->name, sizeof(event->name), "counter-source-%" PRIu32, event->source);
}

static void name_wait(struct etl_session_event *event)
{
        const char *reason = etl_kernel_wait_reason(event->source - ETL_SOURCE_WAIT);

        if (reason)
                snprintf(event->name, sizeof(event->name), "offcpu-time:%s", reason);
        else
                snprintf(event->name, sizeof(event->name), "offcpu-time:reason-%" PRIu32,
                         event->source - ETL_SOURCE_WAIT);
}

static void describe(const struct etl_trace *trace, struct etl_session_event *event)
{
        const struct etl_source *source = find_source(trace, event->source);
        uint32_t interval = source ? source->interval : 0;

        event->period = 1;
        switch (event->source) {
        case ETL_SOURCE_NONE: snprintf(event->name, sizeof(event->name), "dummy"); break;
        case ETL_SOURCE_READY: snprintf(event->name, sizeof(event->name), "ready-thread"); break;
        case ETL_SOURCE_TIMER:
                event->period = (uint64_t)(interval ? interval : TIMER_INTERVAL) * TICK_NS;
                snprintf(event->name, sizeof(event->name), "timer");
                break;
        default:
                if (event->source >= ETL_SOURCE_WAIT) {
                        name_wait(event);
                        return;
                }
                event->period = interval ? interval : 1;
                name_counter(trace, source, event);
                break;
        }
}

/* Its index; SIZE_MAX if there are too many. */
static size_t event_of(struct etl_records *r, uint32_t source)
{
        struct etl_session_event event = {.source = source};

        for (size_t i = 0; i < r->n_events; i++) {
                if (r->events[i].source == source)
                        return i;
        }
        if (r->n_events == ETL_TRACE_MAX_SOURCES)
                return SIZE_MAX;
        describe(r->trace, &event);
        ARRAY_PUSH(r->events, r->n_events, r->cap_events, event);
        return r->n_events - 1;
}

/* --- Records --- */

static void begin(struct etl_records *r, uint32_t type, uint16_t misc)
{
        r->at = r->bytes.len;
        buf_add_u32(&r->bytes, type);
        buf_add_u16(&r->bytes, misc);
        buf_add_u16(&r->bytes, 0);
}

static void end(struct etl_records *r)
{
        uint16_t size = (uint16_t)(r->bytes.len - r->at);

        memcpy(r->bytes.data + r->at + offsetof(struct perf_header, size), &size, sizeof(size));
        if (++r->n_records % ROUND)
                return;
        begin(r, PERF_RECORD_FINISHED_ROUND, 0);
        size = sizeof(struct perf_header);
        memcpy(r->bytes.data + r->at + offsetof(struct perf_header, size), &size, sizeof(size));
}

/* A text with its NUL, padded to 8 bytes, and shortened to what a record can hold. */
static void add_text(struct etl_records *r, const char *text)
{
        enum { MOST = 4095 };
        size_t len = strnlen(text, MOST), padded = (len + 8) / 8 * 8;

        buf_add(&r->bytes, text, len);
        buf_add_zeros(&r->bytes, padded - len);
}

/* The fields of sample_id_all. */
static void add_id(struct etl_records *r, int32_t pid, int32_t tid, const struct etl_item *item)
{
        buf_add_u32(&r->bytes, (uint32_t)pid);
        buf_add_u32(&r->bytes, (uint32_t)tid);
        buf_add_u64(&r->bytes, ns_of(&r->trace->header, item->time));
        buf_add_u32(&r->bytes, item->cpu);
        buf_add_u32(&r->bytes, 0);
        buf_add_u64(&r->bytes, ETL_FIRST_ID);
}

static void add_task(struct etl_records *r, uint32_t type, const struct etl_item *item, int32_t ppid,
                     int32_t tid, int32_t ptid)
{
        begin(r, type, 0);
        buf_add_u32(&r->bytes, item->pid);
        buf_add_u32(&r->bytes, (uint32_t)ppid);
        buf_add_u32(&r->bytes, (uint32_t)tid);
        buf_add_u32(&r->bytes, (uint32_t)ptid);
        buf_add_u64(&r->bytes, ns_of(&r->trace->header, item->time));
        add_id(r, (int32_t)item->pid, tid, item);
        end(r);
}

/* Windows numbers threads and processes alike, and no thread has the number of its process. Linux' first
 * thread, which gives a process its name, is one of its own here. */
static void add_process(struct etl_records *r, const struct etl_item *item)
{
        int32_t pid = (int32_t)item->pid;
        const char *name = r->trace->texts.data + item->text;

        begin(r, PERF_RECORD_COMM, PERF_MISC_COMM_EXEC);
        buf_add_u32(&r->bytes, item->pid);
        buf_add_u32(&r->bytes, item->pid);
        add_text(r, *name ? name : pid ? "unknown" : "Idle");
        add_id(r, pid, pid, item);
        end(r);
}

/* --- Images --- */

static bool is_kernel(const struct etl_records *r, uint64_t addr)
{
        return addr >> (r->trace->header.pointer_bytes == 4 ? 31 : 63);
}

/* Returns the bytes of the build id. */
static uint8_t build_id_of(const struct etl_mark *pdb, uint8_t ret[IMAGE_SECTION_ID_BYTES])
{
        memset(ret, 0, IMAGE_SECTION_ID_BYTES);
        if (!pdb)
                return 0;
        memcpy(ret, pdb->pdb.guid, ETL_GUID_BYTES);
        for (unsigned i = 0; i < sizeof(pdb->pdb.age); i++)
                ret[ETL_GUID_BYTES + i] = (uint8_t)(pdb->pdb.age >> 8 * i);
        return IMAGE_SECTION_ID_BYTES;
}

static void add_map(struct etl_records *r, const struct etl_item *item, unsigned misc, uint64_t pgoff,
                    const uint8_t id[IMAGE_SECTION_ID_BYTES], uint8_t id_size, const char *path)
{
        bool in_kernel = misc == PERF_MISC_KERNEL;

        begin(r, PERF_RECORD_MMAP2, (uint16_t)(misc | (id_size ? PERF_MISC_MMAP_BUILD_ID : 0)));
        buf_add_u32(&r->bytes, in_kernel ? UINT32_MAX : item->pid);
        buf_add_u32(&r->bytes, in_kernel ? 0 : item->pid);
        buf_add_u64(&r->bytes, item->addr);
        buf_add_u64(&r->bytes, item->size);
        buf_add_u64(&r->bytes, pgoff);
        /* The build id, or device and inode. */
        buf_add_u8(&r->bytes, id_size);
        buf_add_zeros(&r->bytes, 3);
        buf_add(&r->bytes, id, IMAGE_SECTION_ID_BYTES);
        buf_add_u32(&r->bytes, RECORD_PROT_EXEC);
        buf_add_u32(&r->bytes, 0);
        add_text(r, path);
        add_id(r, (int32_t)item->pid, (int32_t)item->pid, item);
        end(r);
}

static void add_image(struct etl_records *r, const struct etl_item *item)
{
        enum { IMAGE_HEAD_BYTES = 64 }; /* of an image in the section, less its texts */
        struct etl_used_image image = {.item = item, .path = r->paths.len};
        const struct etl_mark *pdb = etl_trace_mark(r->trace, item, true);
        uint8_t id[IMAGE_SECTION_ID_BYTES], id_size = build_id_of(pdb, id);
        unsigned misc = is_kernel(r, item->addr) ? PERF_MISC_KERNEL : PERF_MISC_USER;

        etl_trace_add_path(r->trace, item, &r->paths);
        buf_add_char(&r->paths, 0);
        ARRAY_PUSH(r->images, r->n_images, r->cap_images, image);
        r->section_bytes += IMAGE_HEAD_BYTES + r->paths.len - image.path;
        if (pdb)
                r->section_bytes += strlen(r->trace->texts.data + pdb->text) + 1;
        add_map(r, item, misc, 0, id, id_size, r->paths.data + image.path);
}

/* Maps the memory around code, once.  The section of names has the same path, and addresses. */
static void add_code(struct etl_records *r, const struct etl_item *item)
{
        static const uint8_t no_id[IMAGE_SECTION_ID_BYTES];
        struct etl_item memory = *item;
        uint64_t end = (item->addr + item->size + CODE_PIECE - 1) / CODE_PIECE * CODE_PIECE;
        uint64_t key = map_mix(item->pid);
        char path[ETL_CODE_PATH_BYTES];
        bool is_new_begin, is_new_end;

        memory.addr = item->addr / CODE_PIECE * CODE_PIECE;
        memory.size = end - memory.addr;
        map_put(&r->code, map_mix(memory.addr ^ key), &is_new_begin);
        map_put(&r->code, map_mix((end - CODE_PIECE) ^ key), &is_new_end);
        if (!is_new_begin && !is_new_end)
                return;
        etl_names_code_path(item->pid, path);
        add_map(r, &memory, PERF_MISC_USER, memory.addr, no_id, 0, path);
}

static uint64_t identity_of(const struct recorded_image *image)
{
        uint64_t path = map_hash_bytes(image->path, strlen(image->path));
        uint64_t id = map_hash_bytes(image->build_id, sizeof(image->build_id));

        return map_mix(path ^ map_mix(id ^ map_mix(image->image_size ^ (uint64_t)image->time_stamp << 32)));
}

/* Each image once, though many processes use it. */
void etl_records_add_images(const struct etl_records *r, struct buf *section)
{
        struct recorded_image *images = mem_new(r->n_images, sizeof(*images));
        struct map known = {0};
        size_t n = 0;

        for (size_t i = 0; i < r->n_images; i++) {
                const struct etl_item *item = r->images[i].item;
                const struct etl_mark *pdb = etl_trace_mark(r->trace, item, true);
                const struct etl_mark *stamp = etl_trace_mark(r->trace, item, false);
                struct recorded_image *image = &images[n];
                bool is_new;

                *image = (struct recorded_image){
                        .path = r->paths.data + r->images[i].path,
                        .image_size = item->size,
                        .time_stamp = item->time_stamp || !stamp ? item->time_stamp : stamp->stamp.time_stamp,
                        .pdb_path = pdb ? r->trace->texts.data + pdb->text : NULL,
                };
                image->build_id_size = build_id_of(pdb, image->build_id);
                map_put(&known, identity_of(image), &is_new);
                n += is_new;
        }
        image_section_make(images, n, section);
        map_release(&known);
        free(images);
}

/* --- Samples --- */

struct etl_chain {
        uint64_t entries[2 * MAX_FRAMES]; /* at most a marker before each frame */
        size_t n, n_frames;
        uint64_t first; /* the innermost frame; 0: none */
        unsigned mode;  /* PERF_MISC_x of the last frame; 0: none */
        bool is_cut;    /* a part of it is not in the file */
        int32_t pid;    /* of the thread, from the stack; ETL_NO_TASK: it has none */
};

static unsigned mode_of(const struct etl_records *r, uint64_t addr)
{
        return is_kernel(r, addr) ? PERF_MISC_KERNEL : PERF_MISC_USER;
}

static void add_frames(const struct etl_records *r, struct etl_chain *chain, const uint64_t *frames, size_t n)
{
        if (!chain->n && n)
                chain->first = frames[0];
        for (size_t i = 0; i < n; i++) {
                unsigned mode = mode_of(r, frames[i]);

                if (chain->n_frames == MAX_FRAMES) {
                        chain->is_cut = true;
                        return;
                }

                /* The kernel calls back into programs, so that its frames may follow theirs. */
                if (mode != chain->mode)
                        chain->entries[chain->n++] =
                                mode == PERF_MISC_KERNEL ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;
                chain->mode = mode;
                chain->entries[chain->n++] = frames[i];
                chain->n_frames++;
        }
}

/* Parts of the kernel come before those of the program, whatever their order in the file.  Without a stack
 * the chain is empty. */
static void make_chain(const struct etl_records *r, uint64_t time, uint32_t tid, struct etl_chain *chain)
{
        size_t n_parts, n;
        const struct etl_part *parts = etl_trace_parts(r->trace, time, tid, &n_parts);

        chain->n = chain->n_frames = 0;
        chain->first = 0;
        chain->mode = 0;
        chain->is_cut = false;
        chain->pid = n_parts ? (int32_t)parts[0].pid : ETL_NO_TASK;
        for (unsigned mode = PERF_MISC_KERNEL; mode <= PERF_MISC_USER; mode++) {
                for (size_t i = 0; i < n_parts; i++) {
                        const uint64_t *frames = etl_trace_frames(r->trace, &parts[i], &n);

                        chain->is_cut |= !frames && parts[i].has_key;
                        if (frames && n && mode_of(r, frames[0]) == mode)
                                add_frames(r, chain, frames, n);
                }
        }
}

static void add_sample(struct etl_records *r, const struct etl_item *item, size_t event, uint64_t ip,
                       uint64_t period, const struct etl_chain *chain)
{
        int32_t pid = etl_trace_process(r->trace, item->tid, item->time);

        if (pid == ETL_NO_TASK)
                pid = chain->pid;
        stack_cuts_add(&r->cuts, chain->is_cut);
        begin(r, PERF_RECORD_SAMPLE, (uint16_t)mode_of(r, ip));
        buf_add_u64(&r->bytes, ETL_FIRST_ID + event);
        buf_add_u64(&r->bytes, ip);
        buf_add_u32(&r->bytes, (uint32_t)pid);
        buf_add_u32(&r->bytes, item->tid);
        buf_add_u64(&r->bytes, ns_of(&r->trace->header, item->time));
        if (r->events[event].source == ETL_SOURCE_READY)
                buf_add_u64(&r->bytes, item->addr);
        buf_add_u32(&r->bytes, item->cpu);
        buf_add_u32(&r->bytes, 0);
        buf_add_u64(&r->bytes, period);
        buf_add_u64(&r->bytes, chain->n);
        buf_add(&r->bytes, chain->entries, chain->n * sizeof(*chain->entries));
        end(r);
}

static void take_sample(struct etl_records *r, const struct etl_item *item)
{
        size_t event = event_of(r, item->source);
        struct etl_chain chain;

        if (event == SIZE_MAX) {
                r->n_left_out++;
                return;
        }
        make_chain(r, item->time, item->tid, &chain);
        add_sample(r, item, event, item->addr, r->events[event].period, &chain);
}

/* A sample of an event that is not one of the CPU, where the thread's stack says.  Without a stack there is
 * nothing to say. */
static void add_stack(struct etl_records *r, const struct etl_item *item, uint32_t source, uint64_t period)
{
        struct etl_chain chain;
        size_t event;

        make_chain(r, item->time, item->tid, &chain);
        event = chain.n ? event_of(r, source) : SIZE_MAX;
        if (event != SIZE_MAX)
                add_sample(r, item, event, chain.first, period, &chain);
}

/* --- Switches --- */

/* `tid` is the thread that the record is of, `other` the one before or after it. */
static void add_switch(struct etl_records *r, const struct etl_item *item, uint16_t misc, uint32_t tid,
                       uint32_t other)
{
        begin(r, PERF_RECORD_SWITCH_CPU_WIDE, misc);
        buf_add_u32(&r->bytes, (uint32_t)etl_trace_process(r->trace, other, item->time));
        buf_add_u32(&r->bytes, other);
        add_id(r, etl_trace_process(r->trace, tid, item->time), (int32_t)tid, item);
        end(r);
}

/* As on Linux, a switch is two records, and only a wait is time off the CPU: a thread that was preempted
 * needs a CPU. */
static void take_switch(struct etl_records *r, const struct etl_item *item)
{
        bool is_ready = item->source == ETL_STATE_READY || item->source == ETL_STATE_READY_SOON;
        uint64_t since, *waits, *reason;

        add_switch(r, item, (uint16_t)(PERF_MISC_SWITCH_OUT | (is_ready ? PERF_MISC_SWITCH_PREEMPT : 0)),
                   item->from, item->tid);
        add_switch(r, item, 0, item->tid, item->from);
        *map_put(&r->running, item->cpu, NULL) = item->tid;
        if (item->from && !is_ready) {
                *map_put(&r->waiting, item->from, NULL) = item->time;
                *map_put(&r->reasons, item->from, NULL) = item->reason;
        }
        waits = item->tid ? map_find(&r->waiting, item->tid) : NULL;
        if (!waits)
                return;
        since = *waits;
        map_remove(&r->waiting, item->tid);
        reason = map_find(&r->reasons, item->tid);
        add_stack(r, item, ETL_SOURCE_WAIT + (uint32_t)(reason ? *reason : 0),
                  ns_of(&r->trace->header, item->time) - ns_of(&r->trace->header, since));
}

/* The stack is that of the thread that allowed the other one to go on. */
static void take_ready(struct etl_records *r, const struct etl_item *item)
{
        const uint64_t *running = map_find(&r->running, item->cpu);
        struct etl_item by = *item;

        if (!running)
                return;
        by.tid = (uint32_t)*running;
        by.addr = item->tid;
        add_stack(r, &by, ETL_SOURCE_READY, 1);
}

/* --- All --- */

static void take_item(struct etl_records *r, const struct etl_item *item)
{
        switch ((enum etl_item_kind)item->kind) {
        case ETL_ITEM_PROCESS: add_process(r, item); break;
        case ETL_ITEM_PROCESS_END:
                add_task(r, PERF_RECORD_EXIT, item, (int32_t)item->tid, (int32_t)item->pid,
                         (int32_t)item->tid);
                break;
        case ETL_ITEM_THREAD:
                add_task(r, PERF_RECORD_FORK, item, (int32_t)item->pid, (int32_t)item->tid,
                         (int32_t)item->pid);
                break;
        case ETL_ITEM_THREAD_END:
                add_task(r, PERF_RECORD_EXIT, item, (int32_t)item->pid, (int32_t)item->tid,
                         (int32_t)item->pid);
                break;
        case ETL_ITEM_IMAGE: add_image(r, item); break;
        case ETL_ITEM_CODE: add_code(r, item); break;
        case ETL_ITEM_SAMPLE: take_sample(r, item); break;
        case ETL_ITEM_READY: take_ready(r, item); break;
        case ETL_ITEM_SWITCH: take_switch(r, item); break;
        }
}

/* Samples of the CPU come first in all tables. */
static void begin_events(struct etl_records *r)
{
        for (size_t i = 0; i < r->trace->n_items; i++) {
                if (r->trace->items[i].kind != ETL_ITEM_SAMPLE)
                        continue;
                event_of(r, r->trace->items[i].source);
                return;
        }
}

/* The kernel counts what it lost, but not when. A lost buffer had at least one event, and a report of
 * losses means at least one. */
static void add_lost(struct etl_records *r)
{
        const struct etl_header *h = &r->trace->header;
        uint64_t n = (uint64_t)h->n_lost_events + h->n_lost_buffers + r->trace->n_losses + r->n_short_samples;
        struct etl_item last;

        if (!n || !r->trace->n_items)
                return;
        last = r->trace->items[r->trace->n_items - 1];
        begin(r, PERF_RECORD_LOST, 0);
        buf_add_u64(&r->bytes, ETL_FIRST_ID);
        buf_add_u64(&r->bytes, n);
        add_id(r, -1, -1, &last);
        end(r);
}

/* The bytes that the records and their sections take. */
static uint64_t count_bytes(const struct etl_records *r)
{
        enum { NAME_BYTES = 40, CODE_BYTES = 32 }; /* of a name, less its text; of a piece in the set */
        uint64_t names = r->trace->n_names ? r->trace->n_names * NAME_BYTES + r->trace->texts.len : 0;

        return r->bytes.len + r->paths.len + r->section_bytes + r->n_images * sizeof(struct recorded_image) +
               r->code.n_used * CODE_BYTES + names;
}

static void leave_out(struct etl_records *r, const struct etl_item *item)
{
        r->n_short_items++;
        r->n_short_images += item->kind == ETL_ITEM_IMAGE;
        r->n_short_samples += item->kind == ETL_ITEM_SAMPLE;
}

/* Images may use half of the limit, other records three quarters, so that samples remain. */
static uint64_t limit_of_kind(const struct etl_item *item, uint64_t limit)
{
        switch ((enum etl_item_kind)item->kind) {
        case ETL_ITEM_IMAGE: return limit / 2;
        case ETL_ITEM_SAMPLE: return limit;
        default: return limit / 4 * 3;
        }
}

void etl_records_make(struct etl_records *r, uint64_t limit)
{
        begin_events(r);
        for (size_t i = 0; i < r->trace->n_items; i++) {
                const struct etl_item *item = &r->trace->items[i];

                if (count_bytes(r) > limit_of_kind(item, limit))
                        leave_out(r, item);
                else
                        take_item(r, item);
        }
        add_lost(r);
}

void etl_records_need_event(struct etl_records *r)
{
        if (!r->n_events)
                event_of(r, ETL_SOURCE_NONE);
}
