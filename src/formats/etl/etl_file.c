/* SPDX-License-Identifier: BSD-3-Clause */
#include "etl_file.h"

#include <inttypes.h>
#include <stdlib.h>

#include "budget.h"
#include "buf.h"
#include "codec.h"
#include "mem.h"

/* The header of a buffer. */
enum {
        BUFFER_SIZE_OFF = 0x00,
        BUFFER_USED_OFF = 0x04, /* bytes of header and events, unpacked */
        BUFFER_CPU_OFF = 0x28,
        BUFFER_END_OFF =
                0x30, /* the same; Windows 7 leaves BUFFER_USED_OFF 0 in files that were not merged */
        BUFFER_FLAGS_OFF = 0x34,
        BUFFER_HEADER_BYTES = 0x48,
        BUFFER_CPU_IS_WIDE = 0x20, /* flags: the number of the CPU has 16 bits */
        BUFFER_IS_PACKED = 0x40,
        MAX_BUFFER_BYTES = 16 << 20, /* Windows writes 64 KiB to 1 MiB */
};

/* Kinds of event headers. */
enum {
        SYSTEM_32 = 0x01,
        SYSTEM_64 = 0x02,
        COMPACT_32 = 0x03,
        COMPACT_64 = 0x04,
        CLASS_32 = 0x0a,
        INSTANCE_32 = 0x0b,
        PERFORMANCE_32 = 0x10,
        PERFORMANCE_64 = 0x11,
        PROVIDER_32 = 0x12,
        PROVIDER_64 = 0x13,
        CLASS_64 = 0x14,
        INSTANCE_64 = 0x15,
        MARKER_MASK = 0xc0,
        MARKER_EVENT = 0xc0,
        MARKER_MESSAGE = 0x80,
        EVENT_ALIGN = 8,
        MIN_EVENT_BYTES = 8,
};

enum {
        SYSTEM_BYTES = 0x20,
        COMPACT_BYTES = 0x18,
        PERFORMANCE_BYTES = 0x10,
        CLASS_BYTES = 0x30,
        PROVIDER_BYTES = 0x50,
};

struct etl_file {
        struct cursor bytes;
        const char *name;
        struct etl_header header;
        struct etl_counts counts;
        size_t next;        /* offset of the next buffer */
        struct cursor body; /* events of the present buffer that are left */
        uint16_t cpu;
        uint8_t *unpacked;
        size_t cap_unpacked;
        struct budget budget;
        uint64_t n_counted; /* events whose work has been counted */
};

/* --- Buffers --- */

static uint32_t u32_at(const struct etl_file *file, size_t off)
{
        struct cursor c = cursor_sub(&file->bytes, off, sizeof(uint32_t));

        return cursor_u32(&c);
}

static uint16_t u16_at(const struct etl_file *file, size_t off)
{
        struct cursor c = cursor_sub(&file->bytes, off, sizeof(uint16_t));

        return cursor_u16(&c);
}

/* Bytes of a buffer's header and events, unpacked; `c` is at the buffer. */
static uint32_t used_bytes(struct cursor c)
{
        uint32_t used;

        cursor_skip(&c, BUFFER_USED_OFF);
        used = cursor_u32(&c);
        if (!used) {
                cursor_skip(&c, BUFFER_END_OFF - BUFFER_USED_OFF - sizeof(used));
                used = cursor_u32(&c);
        }
        return used;
}

static bool unpack(struct etl_file *file, size_t at, size_t size, size_t used)
{
        struct cursor packed = cursor_sub(&file->bytes, at + BUFFER_HEADER_BYTES, size - BUFFER_HEADER_BYTES);
        size_t n = used - BUFFER_HEADER_BYTES;

        if (n > file->cap_unpacked) {
                file->unpacked = mem_resize(file->unpacked, n, 1);
                file->cap_unpacked = n;
        }
        file->counts.n_packed++;
        if (!codec_unpack_xpress(packed.at, cursor_left(&packed), file->unpacked, n, NULL))
                return false;
        file->body = cursor_make(file->unpacked, n);
        return true;
}

enum { UNPACKED_BYTES_OF_STEP = 64 };

/* Counts the work for the events of the buffer before, and for unpacking this one. */
static bool count_work(struct etl_file *file, uint32_t used, uint16_t flags)
{
        uint64_t n_events = file->counts.n_events - file->n_counted;

        file->n_counted = file->counts.n_events;
        return budget_work(&file->budget, BUDGET_RECORDS,
                           1 + n_events + (flags & BUFFER_IS_PACKED ? used / UNPACKED_BYTES_OF_STEP : 0));
}

/* Goes to the next buffer; false at the end of the file.  A buffer that cannot be read has no events. */
static bool next_buffer(struct etl_file *file)
{
        size_t at = file->next, left = (size_t)(file->bytes.end - file->bytes.start) - at;
        uint32_t size, used;
        uint16_t flags;

        file->body = cursor_make(NULL, 0);
        if (left < BUFFER_HEADER_BYTES) {
                file->counts.cut_bytes = left;
                return false;
        }
        size = u32_at(file, at + BUFFER_SIZE_OFF);
        used = used_bytes(cursor_sub(&file->bytes, at, BUFFER_HEADER_BYTES));
        flags = u16_at(file, at + BUFFER_FLAGS_OFF);
        if (size < BUFFER_HEADER_BYTES || size > left) {
                file->counts.cut_bytes = left;
                return false;
        }
        if (!count_work(file, used, flags)) {
                file->counts.given_up_bytes = left;
                return false;
        }
        file->next = at + size;
        file->counts.n_buffers++;
        file->cpu = flags & BUFFER_CPU_IS_WIDE ? u16_at(file, at + BUFFER_CPU_OFF)
                                               : u16_at(file, at + BUFFER_CPU_OFF) & 0xff;
        if (used < BUFFER_HEADER_BYTES || used > MAX_BUFFER_BYTES ||
            (!(flags & BUFFER_IS_PACKED) && used > size))
                file->counts.n_bad_buffers++;
        else if (!(flags & BUFFER_IS_PACKED))
                file->body = cursor_sub(&file->bytes, at + BUFFER_HEADER_BYTES, used - BUFFER_HEADER_BYTES);
        else if (!unpack(file, at, size, used))
                file->counts.n_bad_buffers++;
        return true;
}

/* --- Events --- */

static void read_task(struct cursor *c, struct etl_event *event)
{
        event->tid = (int32_t)cursor_u32(c);
        event->pid = (int32_t)cursor_u32(c);
        event->time = cursor_u64(c);
}

/* Each function reads the rest of a header, from its fourth byte on. */
static void read_system(struct cursor *c, uint8_t kind, struct etl_event *event)
{
        cursor_skip(c, sizeof(uint16_t)); /* the size */
        event->hook = cursor_u16(c);
        if (kind == PERFORMANCE_32 || kind == PERFORMANCE_64)
                event->time = cursor_u64(c);
        else
                read_task(c, event);
}

static void read_class(struct cursor *c, struct etl_event *event)
{
        event->id = cursor_u8(c);
        cursor_skip(c, 1); /* the level */
        event->version = (uint8_t)cursor_u16(c);
        read_task(c, event);
        event->guid = cursor_bytes(c, ETL_GUID_BYTES);
}

static void read_provider(struct cursor *c, struct etl_event *event)
{
        cursor_skip(c, 2 * sizeof(uint16_t)); /* flags and properties */
        read_task(c, event);
        event->guid = cursor_bytes(c, ETL_GUID_BYTES);
        event->id = cursor_u16(c);
        event->version = cursor_u8(c);
}

/* Bytes of the header; 0: an unknown kind. */
static size_t read_header(struct cursor *c, uint8_t kind, struct etl_event *event)
{
        switch (kind) {
        case SYSTEM_32:
        case SYSTEM_64: read_system(c, kind, event); return SYSTEM_BYTES;
        case COMPACT_32:
        case COMPACT_64: read_system(c, kind, event); return COMPACT_BYTES;
        case PERFORMANCE_32:
        case PERFORMANCE_64: read_system(c, kind, event); return PERFORMANCE_BYTES;
        case INSTANCE_32:
        case INSTANCE_64:
        case CLASS_32:
        case CLASS_64: read_class(c, event); return CLASS_BYTES;
        case PROVIDER_32:
        case PROVIDER_64: read_provider(c, event); return PROVIDER_BYTES;
        default: return 0;
        }
}

/* The sizes of the kernel's own events are in the second word, of all others in the first. */
static size_t event_size(const struct cursor *body, uint8_t kind)
{
        struct cursor c = *body;
        bool is_kernel =
                (kind >= SYSTEM_32 && kind <= COMPACT_64) || kind == PERFORMANCE_32 || kind == PERFORMANCE_64;

        if (is_kernel)
                cursor_skip(&c, 2 * sizeof(uint16_t));
        return cursor_u16(&c);
}

/* Takes the next event off the buffer.  False: no event is left that can be read. */
static bool take_event(struct etl_file *file, struct etl_event *ret, bool *ret_is_message)
{
        struct cursor c = file->body, event;
        uint16_t first = cursor_u16(&c);
        uint8_t kind = cursor_u8(&c), marker = cursor_u8(&c);
        size_t size, header, aligned;

        *ret = (struct etl_event){
                .hook = ETL_NO_HOOK, .cpu = file->cpu, .pid = ETL_NO_TASK, .tid = ETL_NO_TASK};
        *ret_is_message = (marker & MARKER_MASK) == MARKER_MESSAGE;
        size = *ret_is_message ? first : event_size(&file->body, kind);
        event = cursor_sub(&file->body, 0, 0);
        if (size < MIN_EVENT_BYTES || size > cursor_left(&file->body))
                return false;
        event = cursor_make(file->body.at, size);
        aligned = (size + EVENT_ALIGN - 1) / EVENT_ALIGN * EVENT_ALIGN;
        cursor_skip(&file->body, aligned < cursor_left(&file->body) ? aligned : cursor_left(&file->body));
        if (*ret_is_message)
                return true;
        if ((marker & MARKER_MASK) != MARKER_EVENT)
                return false;
        cursor_skip(&event, 2 * sizeof(uint16_t));
        if (kind <= PERFORMANCE_64 && kind != CLASS_32 && kind != INSTANCE_32)
                ret->version = (uint8_t)first;
        header = read_header(&event, kind, ret);
        if (!header || !cursor_seek(&event, header))
                return false;
        ret->payload = cursor_sub(&event, header, size - header);
        return !event.failed;
}

bool etl_file_next(struct etl_file *file, struct etl_event *ret)
{
        bool is_message;

        for (;;) {
                while (!cursor_left(&file->body)) {
                        if (!next_buffer(file))
                                return false;
                }
                if (!take_event(file, ret, &is_message)) {
                        file->counts.n_bad_buffers++;
                        file->body = cursor_make(NULL, 0);
                        continue;
                }
                if (is_message)
                        continue;
                file->counts.n_events++;
                return true;
        }
}

/* --- The header --- */

enum {
        TIME_ZONE_BYTES = 172,
        MAX_POINTER_BYTES = 8,
        OLDEST_MAJOR = 5, /* of Windows 2000 */
};

static bool read_file_header(struct cursor c, uint64_t ticks, struct etl_header *ret)
{
        uint8_t major;

        cursor_skip(&c, sizeof(uint32_t)); /* bytes of a buffer */
        major = cursor_u8(&c);
        cursor_skip(&c, 3 + sizeof(uint32_t)); /* rest of the version, build of Windows */
        ret->n_cpus = cursor_u32(&c);
        ret->end = cursor_u64(&c);
        ret->timer_resolution = cursor_u32(&c);
        cursor_skip(&c, 4 * sizeof(uint32_t)); /* largest file, mode, buffers written, buffers at the start */
        ret->pointer_bytes = cursor_u32(&c);
        ret->n_lost_events = cursor_u32(&c);
        ret->cpu_mhz = cursor_u32(&c);
        if (c.failed || (ret->pointer_bytes != 4 && ret->pointer_bytes != 8) || major < OLDEST_MAJOR)
                return false;
        cursor_skip(&c, 2 * (uint64_t)ret->pointer_bytes + TIME_ZONE_BYTES);
        cursor_seek(&c, (cursor_pos(&c) + 7) / 8 * 8);
        ret->boot = cursor_u64(&c);
        ret->frequency = cursor_u64(&c);
        ret->start = cursor_u64(&c);
        ret->clock = (enum etl_clock)cursor_u32(&c);
        ret->n_lost_buffers = cursor_u32(&c);
        ret->first_ticks = ticks;
        return !c.failed;
}

bool etl_file_is(const void *bytes, size_t size)
{
        struct cursor c = cursor_make(bytes, size);
        uint32_t buffer = cursor_u32(&c), used = used_bytes(cursor_make(bytes, size));
        uint16_t hook;
        uint8_t kind, marker;

        cursor_seek(&c, BUFFER_HEADER_BYTES + sizeof(uint16_t));
        kind = cursor_u8(&c);
        marker = cursor_u8(&c);
        cursor_skip(&c, sizeof(uint16_t));
        hook = cursor_u16(&c);
        return !c.failed && buffer >= BUFFER_HEADER_BYTES && used > BUFFER_HEADER_BYTES &&
               used <= MAX_BUFFER_BYTES && (kind == SYSTEM_32 || kind == SYSTEM_64) &&
               (marker & MARKER_MASK) == MARKER_EVENT && hook == ETL_HEADER;
}

static bool check_clock(const struct etl_file *file, struct err *err)
{
        const struct etl_header *h = &file->header;

        if (h->clock == ETL_CLOCK_SYSTEM || (h->clock == ETL_CLOCK_COUNTER && h->frequency))
                return true;
        if (h->clock == ETL_CLOCK_CYCLES && h->cpu_mhz)
                return true;
        return err_set(err, ERR_FORMAT,
                       "%s: its header names clock %u with %" PRIu64 " ticks a second, which gives no times",
                       file->name, (unsigned)h->clock, h->frequency);
}

struct etl_file *etl_file_open(const void *bytes, size_t size, const char *name, struct err *err)
{
        AUTO(etl_file) file = mem_new(1, sizeof(*file));
        struct etl_event first;

        file->bytes = cursor_make(bytes, size);
        file->name = name;
        budget_init(&file->budget, 0);
        budget_allow_work(&file->budget, BUDGET_WORK_TRACE, size);
        if (!etl_file_is(bytes, size) || !etl_file_next(file, &first) || first.hook != ETL_HEADER ||
            !read_file_header(first.payload, first.time, &file->header)) {
                err_set(err, ERR_FORMAT, "%s: is not an event-trace file, or its header is cut", name);
                return NULL;
        }
        if (!check_clock(file, err))
                return NULL;
        etl_file_rewind(file);
        return TAKE(file);
}

void etl_file_free(struct etl_file *file)
{
        if (!file)
                return;
        budget_release(&file->budget);
        free(file->unpacked);
        free(file);
}

const struct etl_header *etl_file_header(const struct etl_file *file)
{
        return &file->header;
}

void etl_file_rewind(struct etl_file *file)
{
        file->next = 0;
        file->body = cursor_make(NULL, 0);
        file->counts = (struct etl_counts){0};
        file->n_counted = 0;
}

struct etl_counts etl_file_counts(const struct etl_file *file)
{
        return file->counts;
}

uint64_t etl_file_left(const struct etl_file *file)
{
        return (size_t)(file->bytes.end - file->bytes.start) - file->next;
}
