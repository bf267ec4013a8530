/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes event-trace files in memory, for tests and seeds of the fuzzer: of 64-bit Windows, x64 unless
 * etl_add_machine() says ARM64, with the counter's clock of 10 MHz.  Numbers are written as given, also
 * wrong ones. */
#ifndef ETL_BUILDER_H
#define ETL_BUILDER_H

#include <string.h>

#include "buf.h"
#include "etl_kernel.h"
#include "etl_machine.h"

enum { ETL_BUFFER_HEADER = 0x48, ETL_PROVIDER_HEADER = 0x50, ETL_FILE_BUFFER = 0x10000 };

/* In the header of a buffer: WMI_BUFFER_HEADER. */
enum {
        ETL_BUFFER_SIZE_OFF = 0x00,
        ETL_SAVED_OFFSET_OFF = 0x04,
        ETL_PROCESSOR_INDEX_OFF = 0x28, /* in ClientContext */
        ETL_CURRENT_OFFSET_OFF = 0x30,  /* Offset */
        ETL_BUFFER_FLAG_OFF = 0x34,
};

enum { ETL_FLAG_COMPRESSED = 0x40, ETL_FLAG_PROCESSOR_INDEX = 0x20 };

/* In the header of an event: SYSTEM_TRACE_HEADER of the kernel's, EVENT_HEADER and EVENT_TRACE_HEADER of the
 * others. */
enum {
        ETL_EVENT_SIZE_OFF = 0,
        ETL_HEADER_TYPE_OFF = 2,
        ETL_MARKER_FLAGS_OFF = 3,
        ETL_KERNEL_SIZE_OFF = 4, /* Packet.Size */
};

struct etl_builder {
        struct buf file;
        size_t buffer; /* offset of the buffer that is written */
        size_t event;  /* offset of the event that is written */
        uint8_t kind;
        size_t lost_events, lost_buffers; /* offsets of the header's numbers */
};

static inline void etl_put_u32(struct etl_builder *b, size_t at, uint32_t value)
{
        memcpy(b->file.data + at, &value, sizeof(value));
}

static inline void etl_put_u16(struct etl_builder *b, size_t at, uint16_t value)
{
        memcpy(b->file.data + at, &value, sizeof(value));
}

static inline void etl_begin_buffer(struct etl_builder *b, uint16_t cpu)
{
        b->buffer = b->file.len;
        buf_add_zeros(&b->file, ETL_BUFFER_HEADER);
        etl_put_u16(b, b->buffer + ETL_PROCESSOR_INDEX_OFF, cpu);
        etl_put_u16(b, b->buffer + ETL_BUFFER_FLAG_OFF, ETL_FLAG_PROCESSOR_INDEX);
}

static inline void etl_end_buffer(struct etl_builder *b)
{
        uint32_t size = (uint32_t)(b->file.len - b->buffer);

        etl_put_u32(b, b->buffer + ETL_BUFFER_SIZE_OFF, size);
        etl_put_u32(b, b->buffer + ETL_SAVED_OFFSET_OFF, size);
}

/* A classic kernel event with thread, process and time, or with a time only. */
static inline void etl_begin_event(struct etl_builder *b, uint16_t hook, uint16_t version, uint64_t time,
                                   bool is_short)
{
        b->event = b->file.len;
        b->kind = is_short ? 0x11 : 0x02;
        buf_add_u16(&b->file, version);
        buf_add_u8(&b->file, b->kind);
        buf_add_u8(&b->file, 0xc0);
        buf_add_u16(&b->file, 0);
        buf_add_u16(&b->file, hook);
        if (!is_short)
                buf_add_u64(&b->file, 0);
        buf_add_u64(&b->file, time);
        if (!is_short)
                buf_add_u64(&b->file, 0);
}

/* An event of a class that is named by its GUID. */
static inline void etl_begin_class_event(struct etl_builder *b, const uint8_t guid[ETL_GUID_BYTES],
                                         uint8_t type, uint64_t time)
{
        b->event = b->file.len;
        b->kind = 0x14;
        buf_add_u16(&b->file, 0);
        buf_add_u8(&b->file, b->kind);
        buf_add_u8(&b->file, 0xc0);
        buf_add_u32(&b->file, type);
        buf_add_u64(&b->file, 0);
        buf_add_u64(&b->file, time);
        buf_add(&b->file, guid, ETL_GUID_BYTES);
        buf_add_u64(&b->file, 0);
}

static inline void etl_end_event(struct etl_builder *b)
{
        uint16_t size = (uint16_t)(b->file.len - b->event);
        bool is_kernel = b->kind != 0x14 && b->kind != 0x13;

        etl_put_u16(b, b->event + (is_kernel ? ETL_KERNEL_SIZE_OFF : ETL_EVENT_SIZE_OFF), size);
        buf_add_zeros(&b->file, (8 - b->file.len % 8) % 8);
}

static inline void etl_add_wide(struct etl_builder *b, const char *text)
{
        for (; *text; text++)
                buf_add_u16(&b->file, (uint8_t)*text);
        buf_add_u16(&b->file, 0);
}

/* The first buffer, with the header's event. */
static inline void etl_begin_file(struct etl_builder *b)
{
        *b = (struct etl_builder){0};
        etl_begin_buffer(b, 0);
        etl_begin_event(b, ETL_HEADER, 2, 1000, false);
        buf_add_u32(&b->file, ETL_FILE_BUFFER);
        buf_add_u32(&b->file, 10); /* version of Windows */
        buf_add_u32(&b->file, 22000);
        buf_add_u32(&b->file, 4); /* CPUs */
        buf_add_u64(&b->file, 0);
        buf_add_u32(&b->file, 156250);
        buf_add_zeros(&b->file, 16);
        buf_add_u32(&b->file, 8); /* bytes of a pointer */
        b->lost_events = b->file.len;
        buf_add_u32(&b->file, 0);
        buf_add_u32(&b->file, 3000);
        buf_add_zeros(&b->file, 16 + 172 + 4);
        buf_add_u64(&b->file, 0);
        buf_add_u64(&b->file, 10000000);
        buf_add_u64(&b->file, 133000000000000000u);
        buf_add_u32(&b->file, ETL_CLOCK_COUNTER);
        b->lost_buffers = b->file.len;
        buf_add_u32(&b->file, 0);
        etl_end_event(b);
        etl_end_buffer(b);
}

static inline void etl_add_process(struct etl_builder *b, uint16_t hook, uint64_t time, uint32_t pid,
                                   uint32_t parent, const char *name)
{
        etl_begin_event(b, hook, 4, time, false);
        buf_add_u64(&b->file, 0xffff9999);
        buf_add_u32(&b->file, pid);
        buf_add_u32(&b->file, parent);
        buf_add_u64(&b->file, 0); /* session and exit status */
        buf_add_u64(&b->file, 0x1000);
        buf_add_u32(&b->file, 0);
        /* A user: two pointers, revision 1, two numbers. */
        buf_add_u64(&b->file, 1);
        buf_add_u64(&b->file, 0);
        buf_add_u16(&b->file, 0x0201);
        buf_add_zeros(&b->file, 6 + 8);
        buf_add(&b->file, name, strlen(name) + 1);
        etl_end_event(b);
}

static inline void etl_add_thread(struct etl_builder *b, uint16_t hook, uint64_t time, uint32_t pid,
                                  uint32_t tid)
{
        etl_begin_event(b, hook, 3, time, false);
        buf_add_u32(&b->file, pid);
        buf_add_u32(&b->file, tid);
        buf_add_zeros(&b->file, 64);
        etl_end_event(b);
}

/* `time_stamp`: of the PE header */
static inline void etl_add_image_of(struct etl_builder *b, uint16_t hook, uint64_t time, uint32_t pid,
                                    uint64_t base, uint64_t size, uint32_t time_stamp, const char *path)
{
        etl_begin_event(b, hook, 3, time, false);
        buf_add_u64(&b->file, base);
        buf_add_u64(&b->file, size);
        buf_add_u32(&b->file, pid);
        buf_add_u32(&b->file, 0);
        buf_add_u32(&b->file, time_stamp);
        buf_add_u32(&b->file, 0);
        buf_add_u64(&b->file, base);
        buf_add_zeros(&b->file, 16);
        etl_add_wide(b, path);
        etl_end_event(b);
}

static inline void etl_add_image(struct etl_builder *b, uint16_t hook, uint64_t time, uint32_t pid,
                                 uint64_t base, uint64_t size, const char *path)
{
        etl_add_image_of(b, hook, time, pid, base, size, 0x5f000000, path);
}

/* The class of the events that say which build an image is. */
static const uint8_t image_class[ETL_GUID_BYTES] = {0xd7, 0x75, 0xe6, 0xb3, 0x54, 0x25, 0x18, 0x4f,
                                                    0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde};

static inline void etl_add_pdb(struct etl_builder *b, uint64_t time, uint32_t pid, uint64_t base,
                               const uint8_t guid[ETL_GUID_BYTES], uint32_t age, const char *path)
{
        etl_begin_class_event(b, image_class, 36, time);
        buf_add_u64(&b->file, base);
        buf_add_u32(&b->file, pid);
        buf_add(&b->file, guid, ETL_GUID_BYTES);
        buf_add_u32(&b->file, age);
        buf_add(&b->file, path, strlen(path) + 1);
        etl_end_event(b);
}

static inline void etl_add_sample(struct etl_builder *b, uint64_t time, uint32_t tid, uint64_t ip)
{
        etl_begin_event(b, ETL_SAMPLE, 2, time, true);
        buf_add_u64(&b->file, ip);
        buf_add_u32(&b->file, tid);
        buf_add_u32(&b->file, 1);
        etl_end_event(b);
}

/* The counter with the number `source` has counted up to its interval. */
static inline void etl_add_counter(struct etl_builder *b, uint64_t time, uint32_t tid, uint64_t ip,
                                   uint16_t source)
{
        etl_begin_event(b, ETL_COUNTER_SAMPLE, 2, time, true);
        buf_add_u64(&b->file, ip);
        buf_add_u32(&b->file, tid);
        buf_add_u16(&b->file, source);
        buf_add_u16(&b->file, 0);
        etl_end_event(b);
}

/* The name and interval of a source. */
static inline void etl_add_interval(struct etl_builder *b, uint64_t time, uint32_t source, uint32_t interval,
                                    const char *name)
{
        etl_begin_event(b, 0x0f49, 3, time, true);
        buf_add_u32(&b->file, source);
        buf_add_u32(&b->file, interval);
        buf_add_u32(&b->file, interval);
        etl_add_wide(b, name);
        etl_end_event(b);
}

/* On the CPU of the buffer.  `state`: ETL_STATE_x, of `from`. */
static inline void etl_add_wait(struct etl_builder *b, uint64_t time, uint32_t to, uint32_t from,
                                uint8_t reason, uint8_t state)
{
        etl_begin_event(b, ETL_CONTEXT_SWITCH, 2, time, true);
        buf_add_u32(&b->file, to);
        buf_add_u32(&b->file, from);
        buf_add_zeros(&b->file, 4); /* priorities, C-state */
        buf_add_u8(&b->file, reason);
        buf_add_u8(&b->file, 0); /* mode of the wait */
        buf_add_u8(&b->file, state);
        buf_add_zeros(&b->file, 9);
        etl_end_event(b);
}

static inline void etl_add_switch(struct etl_builder *b, uint64_t time, uint32_t to, uint32_t from,
                                  uint8_t state)
{
        etl_add_wait(b, time, to, from, 0, state);
}

static inline void etl_add_ready(struct etl_builder *b, uint64_t time, uint32_t tid)
{
        etl_begin_event(b, ETL_READY_THREAD, 2, time, true);
        buf_add_u32(&b->file, tid);
        buf_add_u32(&b->file, 0);
        etl_end_event(b);
}

/* 4 GiB of memory. */
static inline void etl_add_machine(struct etl_builder *b, uint64_t time, uint16_t architecture,
                                   const char *name)
{
        size_t text;

        etl_begin_event(b, ETL_MACHINE, 3, time, false);
        buf_add_u32(&b->file, 3000);
        buf_add_u32(&b->file, 4); /* CPUs */
        buf_add_u32(&b->file, 4096);
        buf_add_u32(&b->file, 4096);  /* bytes of a page */
        buf_add_u32(&b->file, 65536); /* smallest allocation */
        text = b->file.len;
        etl_add_wide(b, name);
        buf_add_zeros(&b->file, text + 512 - b->file.len);
        buf_add_zeros(&b->file, 268 + 4 + 4); /* domain, Hyper-Threading, up to the next multiple of 8 */
        buf_add_u64(&b->file, 0x7ffffffeffff);
        buf_add_u16(&b->file, architecture);
        buf_add_zeros(&b->file, 10);
        etl_end_event(b);
}

static inline void etl_begin_config(struct etl_builder *b, uint8_t type, uint64_t time)
{
        static const uint8_t config_class[ETL_GUID_BYTES] = {0x91, 0xee, 0x79, 0x9b, 0xfd, 0xb5, 0xc0, 0x41,
                                                             0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0};

        etl_begin_class_event(b, config_class, type, time);
}

static inline void etl_add_build(struct etl_builder *b, uint64_t time, const char *build, const char *product)
{
        etl_begin_config(b, 32, time);
        buf_add_u64(&b->file, 0);
        etl_add_wide(b, build);
        etl_add_wide(b, product);
        etl_end_event(b);
}

/* A report that events (type 32), buffers (33) or the file (34) of a real-time session were lost. */
static inline void etl_add_loss(struct etl_builder *b, uint16_t type, uint64_t time)
{
        static const uint8_t lost_class[ETL_GUID_BYTES] = {0xe0, 0x9a, 0x39, 0x6a, 0xc6, 0x4b, 0xe9, 0x4d,
                                                           0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e};

        etl_begin_class_event(b, lost_class, (uint8_t)type, time);
        etl_end_event(b);
}

static inline void etl_add_volume(struct etl_builder *b, uint64_t time, const char *kernel,
                                  const char *program)
{
        etl_begin_config(b, 35, time);
        etl_add_wide(b, kernel);
        etl_add_wide(b, program);
        etl_end_event(b);
}

enum { ETL_METHOD_LOAD = 143, ETL_METHOD_UNLOAD = 144, ETL_METHOD_COMPILED = 8 };

/* The runtime of .NET says where a method is; `at_end`: it says so of all methods when the recording ends. */
static inline void etl_add_method(struct etl_builder *b, bool at_end, uint16_t id, uint64_t time,
                                  uint32_t pid, uint64_t addr, uint32_t size, uint32_t flags,
                                  const char *space, const char *name)
{
        static const uint8_t runtime[ETL_GUID_BYTES] = {0x23, 0x0d, 0x3c, 0xe1, 0xbc, 0xcc, 0x12, 0x4e,
                                                        0x93, 0x1b, 0xd9, 0xcc, 0x2e, 0xee, 0x27, 0xe4};
        static const uint8_t rundown[ETL_GUID_BYTES] = {0x1c, 0x02, 0x69, 0xa6, 0x50, 0xc4, 0x09, 0x46,
                                                        0xa0, 0x35, 0x5a, 0xf5, 0x9a, 0xf4, 0xdf, 0x18};

        b->event = b->file.len;
        b->kind = 0x13;
        buf_add_u16(&b->file, 0);
        buf_add_u8(&b->file, b->kind);
        buf_add_u8(&b->file, 0xc0);
        buf_add_u32(&b->file, 0);       /* flags and properties */
        buf_add_u32(&b->file, pid + 4); /* a thread */
        buf_add_u32(&b->file, pid);
        buf_add_u64(&b->file, time);
        buf_add(&b->file, at_end ? rundown : runtime, ETL_GUID_BYTES);
        buf_add_u16(&b->file, id);
        buf_add_u8(&b->file, 1); /* version */
        buf_add_zeros(&b->file, 37);
        buf_add_u64(&b->file, addr ^ 1); /* numbers of the method and its module */
        buf_add_u64(&b->file, 7);
        buf_add_u64(&b->file, addr);
        buf_add_u32(&b->file, size);
        buf_add_u32(&b->file, 0x6000001);
        buf_add_u32(&b->file, flags);
        etl_add_wide(b, space);
        etl_add_wide(b, name);
        etl_add_wide(b, "instance void ()");
        buf_add_u16(&b->file, 9);
        etl_end_event(b);
}

/* `hook` with a key: `first` is the key, and there are no frames. */
static inline void etl_add_stack(struct etl_builder *b, uint16_t hook, uint64_t time, uint64_t of,
                                 uint32_t pid, uint32_t tid, const uint64_t *words, size_t n)
{
        etl_begin_event(b, hook, 2, time, true);
        buf_add_u64(&b->file, of);
        buf_add_u32(&b->file, pid);
        buf_add_u32(&b->file, tid);
        buf_add(&b->file, words, n * sizeof(*words));
        etl_end_event(b);
}

/* ETL_STACK_DELETED, ETL_STACK_KEPT */
static inline void etl_add_frames(struct etl_builder *b, uint16_t hook, uint64_t time, uint64_t key,
                                  const uint64_t *frames, size_t n)
{
        etl_begin_event(b, hook, 2, time, true);
        buf_add_u64(&b->file, key);
        buf_add(&b->file, frames, n * sizeof(*frames));
        etl_end_event(b);
}

#endif
