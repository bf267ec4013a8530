/* SPDX-License-Identifier: BSD-3-Clause */
#include "every_kind.h"

#include <string.h>

#define EVERY_FIELD (PERF_SAMPLE_KNOWN & ~(PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_WEIGHT))

static void add_u32s(struct session_builder *b, unsigned n, const uint32_t *numbers)
{
        for (unsigned i = 0; i < n; i++)
                builder_u32(b, numbers[i]);
}

static void add_u64s(struct session_builder *b, unsigned n, const uint64_t *numbers)
{
        for (unsigned i = 0; i < n; i++)
                builder_u64(b, numbers[i]);
}

#define U32S(...)                                                                                            \
        sizeof((uint32_t[]){__VA_ARGS__}) / 4, (const uint32_t[])                                            \
        {                                                                                                    \
                __VA_ARGS__                                                                                  \
        }
#define U64S(...)                                                                                            \
        sizeof((uint64_t[]){__VA_ARGS__}) / 8, (const uint64_t[])                                            \
        {                                                                                                    \
                __VA_ARGS__                                                                                  \
        }

static void end_with_id(struct session_builder *b, uint64_t time)
{
        builder_id(b, time, 100, 101);
        builder_end(b);
}

static void add_maps(struct session_builder *b)
{
        static const uint8_t id[20] = {0xb1, 0x1d, 1,  2,  3,  4,  5,  6,  7,  8,
                                       9,    10,   11, 12, 13, 14, 15, 16, 17, 18};

        builder_kernel_mmap(b, 0xffffffff81000000, 0x1000000, 0xffffffff81000000, "[kernel.kallsyms]_text");
        builder_mmap_inode(b, 1, 100, 0x400000, 0x1000, 0x2000, "/usr/bin/a program", 4711);
        builder_mmap_build_id(b, 2, 100, 0x500000, 0x2000, 0, "/usr/lib/l.so", id, 20);
        builder_mmap_data(b, 3, 100, 0x600000, 0x3000, 0, "[heap]");
        builder_ksymbol(b, 4, 0xffffffffc0008000, 0x100, 1, "bpf_prog_1");
}

static void add_tasks(struct session_builder *b)
{
        builder_comm(b, 5, 100, 100, "prog", true);
        builder_comm(b, 6, 100, 101, "a \"b\"\x1b[2J\xff", false);
        builder_fork(b, 7, 100, 1, 101, 1, 0);
        builder_exit(b, 8, 100, 1, 101, 1);
        builder_begin(b, PERF_RECORD_NAMESPACES, 0);
        add_u32s(b, U32S(100, 101));
        add_u64s(b, U64S(2, 3, 4026531837, 3, 4026531840));
        end_with_id(b, 9);
        builder_begin(b, PERF_RECORD_CGROUP, 0);
        builder_u64(b, 17);
        builder_str(b, "/user.slice");
        end_with_id(b, 10);
}

static void add_losses(struct session_builder *b)
{
        builder_lost(b, 11, 5);
        builder_begin(b, PERF_RECORD_LOST_SAMPLES, 0);
        builder_u64(b, 6);
        end_with_id(b, 12);
        builder_begin(b, PERF_RECORD_THROTTLE, 0);
        add_u64s(b, U64S(13, 11, 11));
        end_with_id(b, 13);
        builder_begin(b, PERF_RECORD_UNTHROTTLE, 0);
        add_u64s(b, U64S(14, 11, 11));
        end_with_id(b, 14);
}

static void add_rare(struct session_builder *b)
{
        builder_begin(b, PERF_RECORD_READ, 0);
        add_u32s(b, U32S(100, 101));
        add_u64s(b, U64S(12345, 99, 98, 11, 1));
        end_with_id(b, 15);
        builder_begin(b, PERF_RECORD_AUX, 0);
        add_u64s(b, U64S(0x1000, 0x200, 1));
        end_with_id(b, 16);
        builder_begin(b, PERF_RECORD_ITRACE_START, 0);
        add_u32s(b, U32S(100, 101));
        end_with_id(b, 17);
        builder_begin(b, PERF_RECORD_SWITCH, 1u << 13);
        end_with_id(b, 18);
        builder_begin(b, PERF_RECORD_SWITCH_CPU_WIDE, 0);
        add_u32s(b, U32S(UINT32_MAX, 0));
        end_with_id(b, 19);
        builder_begin(b, PERF_RECORD_BPF_EVENT, 0);
        builder_u16(b, 1);
        builder_u16(b, 0);
        builder_u32(b, 42);
        builder_bytes(b, "\1\2\3\4\5\6\7\10", 8);
        end_with_id(b, 20);
        builder_begin(b, PERF_RECORD_TEXT_POKE, PERF_MISC_KERNEL);
        builder_u64(b, 0xffffffff81000010);
        builder_u16(b, 2);
        builder_u16(b, 2);
        builder_bytes(b, "\xeb\x02\x90\x90", 4);
        end_with_id(b, 21);
        builder_begin(b, PERF_RECORD_AUX_OUTPUT_HW_ID, 0);
        builder_u64(b, 3);
        end_with_id(b, 22);
        builder_begin(b, PERF_RECORD_CALLCHAIN_DEFERRED, 0);
        add_u64s(b, U64S(0xc00c1e, 2, PERF_CONTEXT_USER, 0x400100));
        end_with_id(b, 23);
}

static void add_branches(struct session_builder *b)
{
        const uint64_t taken = b->swap ? 0x4080000000000000 : 2 | 16 << 4; /* predicted, 16 cycles */

        add_u64s(b, U64S(1, 0x400110, 0x400200, taken));
}

static void add_every_field(struct session_builder *b, unsigned event)
{
        builder_begin(b, PERF_RECORD_SAMPLE, PERF_MISC_USER | PERF_MISC_EXACT_IP);
        add_u64s(b, U64S(b->ids[event], 0x400110));
        add_u32s(b, U32S(100, 101));
        add_u64s(b, U64S(3058968324123, 0xadd0));
        add_u32s(b, U32S(3, 0));
        builder_u64(b, 1001001);
        add_u64s(b, U64S(2, 99, 98, 1000, 12, 0, 2000, 13, 1)); /* counts of a group of two */
        add_u64s(b, U64S(2, PERF_CONTEXT_USER, 0x400110));
        builder_u32(b, 12);
        builder_bytes(b, "raw bytes...", 12);
        add_branches(b);
        add_u64s(b, U64S(2, 0x11, 0x7ff0)); /* user registers */
        builder_u64(b, 16);
        builder_bytes(b, "stack of 16 byte", 16);
        builder_u64(b, 10);
        builder_u64(b, (uint64_t)7 << 48 | (uint64_t)6 << 32 | 5); /* weight */
        add_u64s(b, U64S(0x68100142, 0));
        add_u64s(b, U64S(2, 0x12)); /* registers at the interrupt */
        add_u64s(b, U64S(0xfee0, 17, 4096, 2097152, 4));
        builder_bytes(b, "aux.", 4);
        builder_u32(b, 0);
        builder_end(b);
}

static void add_samples(struct session_builder *b, unsigned event)
{
        const uint64_t chain[] = {PERF_CONTEXT_KERNEL, 0xffffffff81000100, PERF_CONTEXT_USER, 0x400100};

        builder_sample(b, 0, 1000000001, 100, 101, PERF_MISC_KERNEL, chain, 4);
        builder_sample_ip(b, 2000000000, 100, 100, 0x400104);
        add_every_field(b, event);
        builder_begin(b, PERF_RECORD_SAMPLE, PERF_MISC_USER); /* of an event that is not there */
        add_u64s(b, U64S(4711, 0x400100));
        builder_end(b);
}

/* What perf puts between the kernel's records. */
static void add_own(struct session_builder *b)
{
        builder_begin(b, PERF_RECORD_ID_INDEX, 0);
        add_u64s(b, U64S(1, 11, 0, 3, UINT64_MAX));
        builder_end(b);
        builder_begin(b, PERF_RECORD_THREAD_MAP, 0);
        add_u64s(b, U64S(1, 100));
        builder_bytes(b, "prog\0\0\0\0\0\0\0\0\0\0\0\0", 16);
        builder_end(b);
        builder_begin(b, PERF_RECORD_CPU_MAP, 0);
        add_u32s(b, U32S(2, 0x00030000));
        builder_end(b);
        builder_begin(b, PERF_RECORD_EVENT_UPDATE, 0);
        add_u64s(b, U64S(2, 12));
        builder_str(b, "every-field");
        builder_end(b);
        builder_begin(b, PERF_RECORD_TIME_CONV, 0);
        add_u64s(b, U64S(31, 1500000000, 0x1000, 7));
        builder_end(b);
        builder_begin(b, PERF_RECORD_HEADER_EVENT_TYPE, 0);
        builder_u64(b, 3);
        builder_bytes(b, "cache-references", 16); /* old perf leaves no room for a NUL */
        builder_end(b);
        builder_begin(b, PERF_RECORD_FINISHED_INIT, 0);
        builder_end(b);
        builder_round(b);
}

static void add_stat(struct session_builder *b)
{
        builder_begin(b, PERF_RECORD_STAT_CONFIG, 0);
        add_u64s(b, U64S(1, 1, 100));
        builder_end(b);
        builder_begin(b, PERF_RECORD_STAT, 0);
        builder_u64(b, 11);
        add_u32s(b, U32S(3, 0));
        add_u64s(b, U64S(123456789, 100, 50));
        builder_end(b);
        builder_begin(b, PERF_RECORD_STAT_ROUND, 0);
        add_u64s(b, U64S(1, 4000000000));
        builder_end(b);
}

static void add_traces(struct session_builder *b)
{
        builder_begin(b, PERF_RECORD_AUXTRACE_INFO, 0);
        add_u32s(b, U32S(4, 0));
        add_u64s(b, U64S(0x10, 0x20));
        builder_end(b);
        builder_begin(b, PERF_RECORD_AUXTRACE, 0);
        add_u64s(b, U64S(16, 0x1000, 0xcafe));
        add_u32s(b, U32S(0, 101, 3, 0));
        builder_end(b);
        builder_bytes(b, "sixteen of trace", 16);
        builder_begin(b, PERF_RECORD_AUXTRACE_ERROR, 0);
        add_u32s(b, U32S(1, 5, 3, 100, 101, 1));
        add_u64s(b, U64S(0x400100, 5000000000));
        builder_bytes(b, "Lost trace data\0................................................", 64);
        builder_end(b);
}

static void add_unsound(struct session_builder *b)
{
        builder_begin(b, PERF_RECORD_COMM, 0); /* a name without a NUL, and no trailer */
        builder_bytes(b, "noend...", 8);
        builder_end(b);
        builder_begin(b, 50, 0);
        builder_u64(b, 0x1234);
        end_with_id(b, 24);
        builder_begin(b, 1234, 0);
        builder_bytes(b, "a record of more than thirty-two bytes..", 40);
        builder_end(b);
}

void every_kind_records(struct session_builder *b)
{
        unsigned event = builder_add_event(b, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
        struct perf_attr *attr = &b->attrs[event];

        b->attrs[0].read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
                                  PERF_FORMAT_ID | PERF_FORMAT_LOST;
        attr->sample_type = EVERY_FIELD;
        attr->read_format = b->attrs[0].read_format | PERF_FORMAT_GROUP;
        attr->sample_regs_user = 0x180;
        attr->sample_regs_intr = 0x100;
        attr->sample_stack_user = 16;
        b->cpu = 3;
        add_maps(b);
        add_tasks(b);
        add_losses(b);
        add_rare(b);
        add_samples(b, event);
        add_own(b);
        add_stat(b);
        add_traces(b);
        add_unsound(b);
}

static void add_string(struct buf *out, const char *text)
{
        buf_add_u32(out, (uint32_t)strlen(text) + 1);
        buf_add(out, text, strlen(text) + 1);
}

static void add_words(struct session_builder *b)
{
        static const char *const words[] = {"perf", "record", "-g", "--", "a program"};
        AUTO_RELEASE(buf) out = {0};

        buf_add_u32(&out, N_ELEMENTS(words));
        for (size_t i = 0; i < N_ELEMENTS(words); i++)
                add_string(&out, words[i]);
        builder_feature(b, 11, out.data, out.len);
}

static void add_pmus(struct session_builder *b)
{
        AUTO_RELEASE(buf) out = {0};

        buf_add_u32(&out, 2);
        buf_add_u32(&out, 1);
        add_string(&out, "software");
        buf_add_u32(&out, 4);
        add_string(&out, "cpu");
        builder_feature(b, 16, out.data, out.len);
}

static void add_build_id(struct session_builder *b)
{
        static const uint8_t id[24] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                       12, 13, 14, 15, 16, 17, 18, 19, 20, 20};
        AUTO_RELEASE(buf) out = {0};

        buf_add_u32(&out, 0);
        buf_add_u16(&out, 0x8002);
        buf_add_u16(&out, 52);
        buf_add_u32(&out, UINT32_MAX);
        buf_add(&out, id, sizeof(id));
        buf_add(&out, "/usr/lib/l.so\0\0", 16);
        builder_feature(b, 2, out.data, out.len);
}

static void add_run(struct session_builder *b)
{
        AUTO_RELEASE(buf) out = {0};

        buf_add_str(&out, "WPRF");
        buf_add_u32(&out, 1);
        buf_add_str(&out, "source_note=\nelapsed_ns=5000\n");
        builder_feature(b, 224, out.data, out.len);
}

void every_kind_features(struct session_builder *b)
{
        const uint32_t cpus[] = {8, 4};
        const uint64_t kib = 16384, times[] = {1000000001, 3058968324123};

        b->names[0] = "cpu-clock";
        b->names[1] = "every-field";
        builder_feature_str(b, 3, "host");
        builder_feature_str(b, 6, "x86_64");
        builder_feature(b, 7, cpus, sizeof(cpus));
        builder_feature(b, 10, &kib, sizeof(kib));
        builder_feature(b, 21, times, sizeof(times));
        builder_feature(b, 26, "not known by its shape", 22);
        builder_feature(b, 31, "\xff\xff\xff\xff", 4);
        builder_feature(b, 200, "????", 4);
        add_words(b);
        add_pmus(b);
        add_build_id(b);
        add_run(b);
}
