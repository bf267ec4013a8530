/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes seeds of fuzz_etl into a folder. */
#include "etl_builder.h"
#include "save_seed.h"
#include "xpress_pack.h"

enum {
        PID = 100,
        TID = 104,
        PAYLOAD = 0x68, /* offset of the header's payload, TRACE_LOGFILE_HEADER */
        VERSION_OFF = PAYLOAD + 4,
        POINTER_SIZE_OFF = PAYLOAD + 44,
        PERF_FREQ_32_OFF = PAYLOAD + 248, /* where addresses have 32 bits */
        CLOCK_TYPE_32_OFF = PAYLOAD + 264,
        SMALL_LIMIT_OF = 8, /* fuzz_etl has a small limit for a file of 8 n + 7 bytes */
};

#define PROGRAM 0x7ff600000000u
#define KERNEL  0xfffff80000000000u

static const uint8_t guid[ETL_GUID_BYTES] = {1, 2, 3, 4, 5};
static const uint64_t frames[] = {KERNEL + 0x10, KERNEL + 0x20, PROGRAM + 0x30, PROGRAM + 0x40};

static void begin(struct etl_builder *b)
{
        etl_begin_file(b);
        etl_begin_buffer(b, 1);
        etl_add_process(b, ETL_PROCESS_RUNNING, 1100, PID, 4, "app.exe");
        etl_add_thread(b, ETL_THREAD_START, 1200, PID, TID);
        etl_add_image(b, ETL_IMAGE_LOAD, 1300, PID, PROGRAM, 0x10000, "C:\\a\\app.exe");
}

/* Replaces the last buffer's events by packed bytes. */
static void put_packed(struct etl_builder *b, size_t unpacked, struct buf *packed)
{
        buf_truncate(&b->file, b->buffer + ETL_BUFFER_HEADER);
        buf_add(&b->file, packed->data, packed->len);
        buf_release(packed);
        etl_put_u32(b, b->buffer + ETL_BUFFER_SIZE_OFF, (uint32_t)(b->file.len - b->buffer));
        etl_put_u32(b, b->buffer + ETL_SAVED_OFFSET_OFF, (uint32_t)(ETL_BUFFER_HEADER + unpacked));
        etl_put_u16(b, b->buffer + ETL_BUFFER_FLAG_OFF, ETL_FLAG_COMPRESSED | ETL_FLAG_PROCESSOR_INDEX);
}

static void pack(struct etl_builder *b)
{
        size_t from = b->buffer + ETL_BUFFER_HEADER, n = b->file.len - from;
        struct buf packed = {0};

        xpress_pack((const uint8_t *)b->file.data + from, n, &packed);
        put_packed(b, n, &packed);
}

/* Without any match. */
static void pack_bytes(struct etl_builder *b)
{
        size_t from = b->buffer + ETL_BUFFER_HEADER, n = b->file.len - from;
        struct buf packed = {0};

        for (size_t i = 0; i < n; i++) {
                if (i % 32 == 0)
                        buf_add_u32(&packed, 0);
                buf_add_u8(&packed, (uint8_t)b->file.data[from + i]);
        }
        put_packed(b, n, &packed);
}

/* Writes the file twice: as it is, and with its last buffer packed. */
static void save(struct etl_builder *b, const char *folder, const char *name)
{
        struct etl_builder packed = *b;
        char packed_name[64];

        packed.file = (struct buf){0};
        buf_add(&packed.file, b->file.data, b->file.len);
        pack(&packed);
        snprintf(packed_name, sizeof(packed_name), "%s-packed", name);
        save_seed(folder, packed_name, &packed.file);
        etl_end_buffer(b);
        save_seed(folder, name, &b->file);
}

/* Streams that are cut, that give fewer or more bytes than the buffer's header says, and that refer to what
 * is before their start. */
static void save_bad_streams(const char *folder, void (*begin_file)(struct etl_builder *b))
{
        static const int changes[] = {-8, -1, 1, 8, 4096};
        struct etl_builder b;

        for (size_t i = 0; i < N_ELEMENTS(changes); i++) {
                char name[32];
                uint32_t used;

                begin_file(&b);
                pack(&b);
                memcpy(&used, b.file.data + b.buffer + ETL_SAVED_OFFSET_OFF, sizeof(used));
                etl_put_u32(&b, b.buffer + ETL_SAVED_OFFSET_OFF, used + (uint32_t)changes[i]);
                snprintf(name, sizeof(name), "stream-%u", (unsigned)i);
                save_seed(folder, name, &b.file);
        }
        begin_file(&b);
        pack(&b);
        buf_truncate(&b.file, b.file.len - 9);
        etl_put_u32(&b, b.buffer + ETL_BUFFER_SIZE_OFF, (uint32_t)(b.file.len - b.buffer));
        save_seed(folder, "stream-cut", &b.file);
        begin_file(&b);
        pack(&b);
        etl_put_u32(&b, b.buffer + ETL_BUFFER_HEADER, UINT32_MAX);
        save_seed(folder, "stream-before", &b.file);
}

static void save_switches(const char *folder)
{
        struct etl_builder b;

        begin(&b);
        etl_add_sample(&b, 1900, TID, PROGRAM);
        etl_add_ready(&b, 1950, TID);
        etl_add_switch(&b, 2000, 0, TID, ETL_STATE_WAITING);
        etl_add_switch(&b, 3000, TID, 0, ETL_STATE_WAITING);
        etl_add_stack(&b, ETL_STACK, 3001, 3000, PID, TID, frames, 4);
        etl_add_ready(&b, 3500, TID);
        etl_add_stack(&b, ETL_STACK, 3501, 3500, PID, TID, frames, 4);
        etl_add_switch(&b, 4000, 0, TID, ETL_STATE_READY);
        etl_add_switch(&b, 5000, TID, 0, ETL_STATE_READY_SOON);
        etl_begin_event(&b, ETL_CONTEXT_SWITCH, 0, 6000, true);
        buf_add_u64(&b.file, TID);
        etl_end_event(&b);
        save(&b, folder, "switches");

        begin(&b);
        etl_add_switch(&b, 2000, 0, TID, ETL_STATE_WAITING);
        save(&b, folder, "switch-without-stack");

        begin(&b);
        etl_add_sample(&b, 2000, 0, KERNEL);
        save(&b, folder, "idle");

        begin(&b);
        for (uint16_t i = 1; i < 300; i++)
                etl_add_counter(&b, 2000 + i, TID, PROGRAM, i);
        save(&b, folder, "many-counters");
}

static void save_methods(const char *folder)
{
        struct etl_builder b;

        begin(&b);
        for (uint32_t i = 0; i < 4; i++)
                etl_add_method(&b, i % 2, (uint16_t)(ETL_METHOD_LOAD + i / 2), 1500 + i, PID + i / 3,
                               0x7fe00010000u + i * 0xff80, 0x100, ETL_METHOD_COMPILED, i ? "Space" : "",
                               "Name");
        etl_add_method(&b, false, ETL_METHOD_LOAD, 1600, PID, 0x7fe00010000u, UINT32_MAX, ETL_METHOD_COMPILED,
                       "A", "Large");
        etl_add_method(&b, true, ETL_METHOD_UNLOAD, 1700, PID, PROGRAM + 0x100, 0x100, 0, "A", "Precompiled");
        etl_add_sample(&b, 2000, TID, 0x7fe00010001u);
        save(&b, folder, "methods");
}

static void save_machines(const char *folder)
{
        static const uint16_t architectures[] = {ETL_ARCHITECTURE_X86, ETL_ARCHITECTURE_ARM,
                                                 ETL_ARCHITECTURE_X64, ETL_ARCHITECTURE_ARM64,
                                                 ETL_ARCHITECTURE_UNKNOWN};
        struct etl_builder b;

        for (size_t i = 0; i < N_ELEMENTS(architectures); i++) {
                char name[32];

                begin(&b);
                etl_add_machine(&b, 1900, architectures[i], "MACHINE");
                etl_add_build(&b, 1900, "1.arm64fre.x", "Windows");
                etl_add_volume(&b, 1900, "\\Device\\Volume1\\", "D:\\");
                etl_add_volume(&b, 1900, "c:\\A\\", "E:\\");
                etl_add_sample(&b, 2000, TID, PROGRAM);
                snprintf(name, sizeof(name), "machine-%u", (unsigned)architectures[i]);
                save(&b, folder, name);
        }
        /* An older event, and classes that have the same types. */
        begin(&b);
        etl_add_machine(&b, 1900, ETL_ARCHITECTURE_X64, "OLD");
        etl_put_u16(&b, b.event, 2);
        etl_begin_class_event(&b, guid, 32, 1900);
        etl_end_event(&b);
        etl_begin_class_event(&b, guid, 35, 1900);
        etl_end_event(&b);
        etl_begin_config(&b, 32, 1900);
        buf_add_u64(&b.file, 0);
        etl_add_wide(&b, "only the build");
        etl_end_event(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        save(&b, folder, "machine-old");
}

/* What is only said at the end, and old versions of events. */
static void save_ends(const char *folder)
{
        struct etl_builder b;

        begin(&b);
        etl_add_sample(&b, 2000, TID + 4, PROGRAM);
        etl_add_image(&b, ETL_IMAGE_UNLOAD, 3000, PID, PROGRAM, 0x10000, "C:\\a\\app.exe");
        etl_add_image(&b, ETL_IMAGE_LEFT, 3000, PID, PROGRAM + 0x20000, 0x10000, "C:\\a\\lib.dll");
        etl_add_thread(&b, ETL_THREAD_END, 3000, PID, TID);
        etl_add_thread(&b, ETL_THREAD_LEFT, 3000, PID, TID + 4);
        etl_add_process(&b, ETL_PROCESS_END, 3000, PID, 4, "app.exe");
        etl_add_process(&b, ETL_PROCESS_LEFT, 3000, PID + 4, 4, "");
        etl_add_process(&b, ETL_PROCESS_LEFT, 3000, 0, 0, "");
        save(&b, folder, "ends");

        begin(&b);
        etl_begin_event(&b, ETL_PROCESS_START, 0, 1500, false);
        buf_add_u64(&b.file, PID);
        buf_add(&b.file, "\xe9.exe", 6);
        etl_end_event(&b);
        etl_begin_event(&b, ETL_PROCESS_START, 1, 1500, false);
        buf_add_zeros(&b.file, 28);
        buf_add(&b.file, "a.exe", 5);
        etl_end_event(&b);
        etl_begin_event(&b, ETL_THREAD_START, 0, 1500, false);
        buf_add_u32(&b.file, TID);
        buf_add_u32(&b.file, PID);
        etl_end_event(&b);
        etl_begin_event(&b, ETL_IMAGE_LOAD, 0, 1500, false);
        buf_add_u64(&b.file, PROGRAM);
        buf_add_u64(&b.file, 0x1000);
        etl_add_wide(&b, "C:\\a.exe");
        etl_end_event(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        /* Of a provider, of an old class, a message, and one of an unknown kind. */
        etl_begin_class_event(&b, guid, 1, 2500);
        buf_add_zeros(&b.file, 0x50);
        etl_end_event(&b);
        b.file.data[b.event + ETL_HEADER_TYPE_OFF] = 0x13;
        etl_begin_class_event(&b, guid, 1, 2500);
        etl_end_event(&b);
        b.file.data[b.event + ETL_HEADER_TYPE_OFF] = 0x0a;
        etl_begin_class_event(&b, guid, 1, 2500);
        etl_end_event(&b);
        b.file.data[b.event + ETL_MARKER_FLAGS_OFF] = (char)0x80;
        etl_begin_event(&b, 0x1234, 1, 2600, false);
        etl_end_event(&b);
        b.file.data[b.event + ETL_HEADER_TYPE_OFF] = 0x04;
        etl_begin_event(&b, 0x1234, 1, 2600, true);
        etl_end_event(&b);
        b.file.data[b.event + ETL_HEADER_TYPE_OFF] = 0x77;
        save(&b, folder, "kinds");
}

/* Events that end too early, after 0, 4, 8, ... bytes. */
static void save_short(const char *folder)
{
        static const uint16_t hooks[] = {ETL_PROCESS_START,
                                         ETL_THREAD_START,
                                         ETL_IMAGE_LOAD,
                                         ETL_SAMPLE,
                                         ETL_STACK,
                                         ETL_STACK_KEPT,
                                         ETL_STACK_KEY_KERNEL,
                                         ETL_CONTEXT_SWITCH,
                                         ETL_READY_THREAD,
                                         ETL_MACHINE,
                                         0x0f49};
        static const uint8_t image_types[] = {0, 36}, config_types[] = {32, 33, 35};
        struct etl_builder b;

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        for (size_t n = 0; n <= 40; n += 4) {
                for (size_t i = 0; i < N_ELEMENTS(hooks); i++) {
                        etl_begin_event(&b, hooks[i], 4, 2001, true);
                        for (size_t k = 0; k < n; k++)
                                buf_add_u8(&b.file, 1);
                        etl_end_event(&b);
                }
                for (size_t i = 0; i < N_ELEMENTS(image_types); i++) {
                        etl_begin_class_event(&b, image_class, image_types[i], 2001);
                        buf_add_zeros(&b.file, n);
                        etl_end_event(&b);
                }
                for (size_t i = 0; i < N_ELEMENTS(config_types); i++) {
                        etl_begin_config(&b, config_types[i], 2001);
                        buf_add_zeros(&b.file, n < 10 ? n : 0);
                        buf_add_u8(&b.file, 'x');
                        etl_end_event(&b);
                }
        }
        save(&b, folder, "short");
}

/* Stacks of other times and threads, keys without frames, too many parts and frames, and calls from the
 * kernel back into programs. */
static void save_stacks(const char *folder)
{
        static const uint64_t back[] = {KERNEL, PROGRAM, KERNEL + 8, PROGRAM + 8}, key = 7, other = 9;
        uint64_t many[1100];
        struct etl_builder b;

        for (size_t i = 0; i < N_ELEMENTS(many); i++)
                many[i] = KERNEL + i;
        begin(&b);
        etl_add_image(&b, ETL_IMAGE_RUNNING, 1300, 0, KERNEL, 0x10000, "ntoskrnl.exe");
        etl_add_pdb(&b, 1300, 0, KERNEL, guid, 1, "a.pdb");
        etl_add_pdb(&b, 1300, 0, KERNEL, guid, 1, "b.pdb");
        etl_add_pdb(&b, 1300, 0, KERNEL + 1, guid, 1, "c.pdb");
        etl_begin_class_event(&b, image_class, 0, 1300);
        buf_add_u64(&b.file, KERNEL);
        buf_add_u64(&b.file, 0x10000);
        buf_add_u32(&b.file, 0);
        buf_add_u32(&b.file, 0x5e000000);
        etl_end_event(&b);
        etl_add_image_of(&b, ETL_IMAGE_RUNNING, 1300, PID, PROGRAM + 0x20000, 0x10000, 0, "b.dll");
        etl_add_thread(&b, ETL_THREAD_RUNNING, 1300, PID, TID + 8);
        for (unsigned i = 0; i < 8; i++)
                etl_add_sample(&b, 2000 + i, TID + i % 2 * 4, PROGRAM);
        etl_add_stack(&b, ETL_STACK, 2100, 2000, PID, TID, back, 4);
        etl_add_stack(&b, ETL_STACK, 2100, 2001, PID, TID + 4, many, N_ELEMENTS(many));
        etl_add_stack(&b, ETL_STACK_KEY_USER, 2100, 2002, PID, TID, &key, 1);
        etl_add_stack(&b, ETL_STACK_KEY_USER, 2100, 2003, PID, TID + 4, &other, 1);
        etl_add_stack(&b, ETL_STACK, 2100, 2004, PID, TID, NULL, 0);
        etl_add_stack(&b, ETL_STACK, 2100, 2006, PID, TID + 1, back, 4);
        for (unsigned i = 0; i < 20; i++)
                etl_add_stack(&b, ETL_STACK, 2100 + i, 2007, PID, TID + 4, back, 1);
        etl_add_frames(&b, ETL_STACK_KEPT, 3000, key, NULL, 0);
        etl_add_frames(&b, ETL_STACK_KEPT, 3000, 8, back, 1);
        save(&b, folder, "stacks");
}

/* One field of a file is wrong, so that it is none. */
static void save_one_changed(const char *folder)
{
        static const struct {
                size_t at;
                uint32_t value;
        } changes[] = {
                {ETL_BUFFER_SIZE_OFF, 1},
                {ETL_SAVED_OFFSET_OFF, 1},
                {ETL_SAVED_OFFSET_OFF, 32 << 20},
                {ETL_BUFFER_HEADER, 0xc0770002},
                {ETL_BUFFER_HEADER, 0x00020002},
                {ETL_BUFFER_HEADER, 0xc0010002},
                {ETL_BUFFER_HEADER + ETL_KERNEL_SIZE_OFF, 0x12340160},
                {POINTER_SIZE_OFF, 7},
                {VERSION_OFF, 1},
        };
        struct etl_builder b;

        for (size_t i = 0; i < N_ELEMENTS(changes); i++) {
                char name[32];

                begin(&b);
                etl_add_sample(&b, 2000, TID, PROGRAM);
                etl_put_u32(&b, changes[i].at, changes[i].value);
                snprintf(name, sizeof(name), "changed-%u", (unsigned)i);
                save(&b, folder, name);
        }
        begin(&b);
        buf_truncate(&b.file, 0x60);
        etl_put_u32(&b, ETL_BUFFER_SIZE_OFF, 0x60);
        etl_put_u32(&b, ETL_SAVED_OFFSET_OFF, 0x60);
        save_seed(folder, "header-cut", &b.file);
}

/* The header's addresses are shorter, so that the fields behind them are elsewhere. */
static void save_32_bit(const char *folder)
{
        static const uint8_t kinds[] = {0x01, 0x03, 0x10, 0x0b, 0x15, 0x12};
        struct etl_builder b;

        begin(&b);
        etl_put_u32(&b, POINTER_SIZE_OFF, 4);
        etl_put_u32(&b, PERF_FREQ_32_OFF, 10000000);
        etl_put_u32(&b, CLOCK_TYPE_32_OFF, ETL_CLOCK_COUNTER);
        for (size_t i = 0; i < N_ELEMENTS(kinds); i++) {
                if (kinds[i] > 0x10 || kinds[i] == 0x0b)
                        etl_begin_class_event(&b, guid, 0, 1900);
                else
                        etl_begin_event(&b, 0x1234, 0, 1900, kinds[i] == 0x10);
                buf_add_zeros(&b.file, 0x50);
                etl_end_event(&b);
                b.file.data[b.event + ETL_HEADER_TYPE_OFF] = (char)kinds[i];
        }
        for (unsigned i = 0; i < 2; i++) {
                etl_begin_event(&b, ETL_SAMPLE, 2, 2000, true);
                buf_add_u32(&b.file, i ? 0x80001000 : 0x1000);
                buf_add_u32(&b.file, i ? 0 : TID);
                buf_add_u16(&b.file, 1);
                buf_add_u16(&b.file, 2);
                etl_end_event(&b);
        }
        save(&b, folder, "32-bit");
}

/* More than the fuzzer's small limit of memory, too many sources and volumes. */
static void save_many(const char *folder)
{
        struct etl_builder b;

        begin(&b);
        for (uint32_t i = 0; i < 300; i++)
                etl_add_interval(&b, 1500, i, 1, i ? "" : "Timer");
        etl_add_counter(&b, 1900, TID, PROGRAM, 3);
        for (uint32_t i = 0; i < 300; i++)
                etl_add_volume(&b, 1900, "D", "");
        for (uint32_t i = 0; i < 1000; i++)
                etl_add_switch(&b, 2000 + i, i % 3, i % 2, ETL_STATE_WAITING);
        for (unsigned i = 0; i < 8; i++) {
                etl_end_buffer(&b);
                if (b.file.len % SMALL_LIMIT_OF == SMALL_LIMIT_OF - 1)
                        break;
                buf_add_zeros(&b.file, 1);
        }
        save_seed(folder, "many", &b.file);
}

/* Other clocks, 32-bit Windows, what was lost, damage. */
static void save_headers(const char *folder)
{
        enum { CLOCK_BACK = 4, FREQUENCY = PAYLOAD + 256, MHZ = PAYLOAD + 52 };
        struct etl_builder b;

        for (unsigned clock = 0; clock < 4; clock++) {
                char name[32];

                begin(&b);
                etl_put_u32(&b, b.lost_buffers - CLOCK_BACK, clock);
                etl_put_u32(&b, b.lost_buffers, clock);
                etl_put_u32(&b, b.lost_events, clock);
                etl_add_sample(&b, 2000, TID, PROGRAM);
                snprintf(name, sizeof(name), "clock-%u", clock);
                save(&b, folder, name);
        }
        for (unsigned clock = 1; clock < 4; clock += 2) {
                begin(&b);
                etl_put_u32(&b, b.lost_buffers - CLOCK_BACK, clock);
                etl_put_u32(&b, FREQUENCY, 0);
                etl_put_u32(&b, MHZ, 0);
                save(&b, folder, clock == 1 ? "no-frequency" : "no-mhz");
        }
        save_one_changed(folder);
        save_32_bit(folder);

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        etl_end_buffer(&b);
        etl_begin_buffer(&b, 0);
        etl_end_buffer(&b);
        etl_put_u32(&b, b.buffer + ETL_SAVED_OFFSET_OFF, 0x10);
        etl_begin_buffer(&b, 0);
        etl_end_buffer(&b);
        etl_put_u32(&b, b.buffer + ETL_SAVED_OFFSET_OFF, 0x1000);
        etl_begin_buffer(&b, 0);
        etl_put_u16(&b, b.buffer + ETL_BUFFER_FLAG_OFF, 0);
        buf_add_zeros(&b.file, 16);
        etl_end_buffer(&b);
        etl_begin_buffer(&b, 0);
        etl_end_buffer(&b);
        etl_put_u32(&b, b.buffer + ETL_SAVED_OFFSET_OFF, 32 << 20);
        etl_begin_buffer(&b, 0);
        buf_add_zeros(&b.file, 1);
        etl_end_buffer(&b);
        etl_put_u32(&b, b.buffer + ETL_SAVED_OFFSET_OFF, 0x1000);
        etl_put_u16(&b, b.buffer + ETL_BUFFER_FLAG_OFF, ETL_FLAG_COMPRESSED);
        etl_begin_buffer(&b, 0);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        etl_put_u16(&b, b.event + ETL_KERNEL_SIZE_OFF, 0x7000);
        etl_end_buffer(&b);
        etl_begin_buffer(&b, 0);
        etl_add_sample(&b, 2000, TID, PROGRAM);
        b.file.data[b.event + ETL_MARKER_FLAGS_OFF] = 0x40;
        etl_end_buffer(&b);
        etl_begin_buffer(&b, 0);
        etl_end_buffer(&b);
        etl_put_u32(&b, b.buffer + ETL_BUFFER_SIZE_OFF, 0x1000);
        save_seed(folder, "damaged", &b.file);
}

int main(int argc, char **argv)
{
        static const uint64_t key = 0xffffc0001234;
        const char *folder = argc > 1 ? argv[1] : ".";
        struct etl_builder b;

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM + 0x30);
        save(&b, folder, "sample");

        begin(&b);
        etl_add_sample(&b, 2000, TID, KERNEL + 0x10);
        etl_add_stack(&b, ETL_STACK, 2001, 2000, PID, TID, frames, 4);
        save(&b, folder, "stack");

        begin(&b);
        etl_add_sample(&b, 2000, TID, KERNEL + 0x10);
        etl_add_stack(&b, ETL_STACK_KEY_KERNEL, 2001, 2000, PID, TID, &key, 1);
        etl_add_stack(&b, ETL_STACK_KEY_USER, 2001, 2000, PID, TID, &key, 1);
        etl_add_frames(&b, ETL_STACK_DELETED, 2500, key, frames, 2);
        etl_add_frames(&b, ETL_STACK_KEPT, 3000, key, frames + 2, 2);
        save(&b, folder, "keys");

        begin(&b);
        etl_add_pdb(&b, 1400, PID, PROGRAM, guid, 3, "app.pdb");
        etl_add_interval(&b, 1500, 2, 65536, "TotalCycles");
        etl_add_interval(&b, 1500, 0, 5000, "Timer");
        etl_add_interval(&b, 1600, 0, 5000, "Timer");
        etl_add_counter(&b, 2000, TID, PROGRAM, 2);
        etl_add_counter(&b, 2001, TID, PROGRAM, 3);
        etl_add_sample(&b, 2002, TID, PROGRAM);
        etl_add_sample(&b, 2003, 0, KERNEL);
        etl_add_process(&b, ETL_PROCESS_END, 3000, PID, 4, "app.exe");
        save(&b, folder, "counter");

        begin(&b);
        etl_add_sample(&b, 2000, TID, PROGRAM + 0x30);
        pack_bytes(&b);
        save_seed(folder, "packed", &b.file);
        save_bad_streams(folder, begin);
        save_switches(folder);
        save_machines(folder);
        save_methods(folder);
        save_ends(folder);
        save_headers(folder);
        save_short(folder);
        save_stacks(folder);
        save_many(folder);
        return 0;
}
