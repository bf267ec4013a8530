/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends of stacks whose rest was left out, or passed separately from the record. */
#include "arch.h"
#include "deep_stack.h"
#include "linux_execs.h"
#include "linux_unwinder.h"

#include "session_builder.h"
#include "tap.h"

/* Above the numbers that this machine gives to processes. */
enum { PID = (4 << 20) - 100, COPY_BYTES = 8192, MIB = 1 << 20, ID = 11 };

/* Offsets of two frames from the stack pointer: the first is in the record. */
enum { FRAME_OFF = 64, FAR_FRAME_OFF = 2 * COPY_BYTES };

#define CODE  0x400000ull
#define STACK 0x7000000ull

static struct opened_event event = {
        .attr =
                {
                        .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                                       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
                                       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
                        .flags = PERF_ATTR_SAMPLE_ID_ALL,
                },
        .is_unwound = true,
        .ids = (uint64_t[]){ID},
        .n_ids = 1,
};

static const struct opened opened = {.events = &event, .n_events = 1, .n_rings = 1};

/* The frame pointer leads beyond the copy, by `off` from the stack pointer. */
static void add_sample(struct session_builder *b, uint64_t time, uint64_t off)
{
        const struct arch *arch = linux_arch();

        builder_begin(b, PERF_RECORD_SAMPLE, PERF_MISC_USER);
        builder_u64(b, ID);
        builder_u64(b, CODE);
        builder_u32(b, PID);
        builder_u32(b, PID);
        builder_u64(b, time);
        builder_u64(b, 0); /* CPU */
        builder_u64(b, 1); /* period */
        builder_u64(b, 0); /* chain */
        builder_u64(b, PERF_SAMPLE_REGS_ABI_64);
        for (unsigned i = 0; i < ARCH_REGS_MAX; i++) {
                if (event.attr.sample_regs_user >> i & 1)
                        builder_u64(b, i == arch->reg_ip   ? CODE
                                       : i == arch->reg_sp ? STACK
                                       : i == arch->reg_fp ? STACK + off
                                                           : 0);
        }
        builder_u64(b, COPY_BYTES);
        buf_add_zeros(&b->records, FRAME_OFF);
        builder_u64(b, STACK + FAR_FRAME_OFF);
        builder_u64(b, CODE + 16);
        buf_add_zeros(&b->records, COPY_BYTES - FRAME_OFF - 16);
        builder_u64(b, COPY_BYTES);
        builder_end(b);
}

static bool ignore_records(void *ctx, const void *records, size_t size, struct err *err)
{
        (void)ctx;
        (void)records;
        (void)err;
        return size;
}

/* Both records. */
static uint8_t **list(struct buf *bytes, uint8_t *ret_records[2])
{
        struct perf_header header;

        ret_records[0] = (uint8_t *)bytes->data;
        memcpy(&header, bytes->data, sizeof(header));
        ret_records[1] = ret_records[0] + header.size;
        return ret_records;
}

/* `stack` may be NULL; else its bytes are taken. */
static enum unwind_end end_of(uint64_t off, struct deep_stack *stack)
{
        const struct record_sink sink = {.put = ignore_records};
        AUTO(deep_stacks) stacks = deep_stacks_new();
        struct keeper keeper;
        struct session_builder b;
        struct unwinder *unwinder;
        const struct stack_marks *marks;
        enum unwind_end end = UNWIND_N_ENDS;
        uint8_t *records[2];

        keeper_init(&keeper);
        event.attr.sample_regs_user = linux_arch()->regs_user_mask;
        builder_init(&b);
        builder_mmap(&b, 10, PID, CODE, 0x1000, 0, "//anon");
        add_sample(&b, 20, off);
        unwinder = unwinder_new(&opened, &keeper);
        unwinder_set_stacks(unwinder, stacks);
        if (stack)
                deep_stacks_add(stacks, PID, 20, stack);
        EXPECT_TRUE(unwinder_put(unwinder, list(&b.records, records), 2, true, &sink, NULL));
        marks = unwinder_get_marks(unwinder);
        EXPECT_INT(marks->n_samples, 1);
        for (enum unwind_end i = 0; i < UNWIND_N_ENDS; i++)
                end = marks->by_end[i] ? i : end;
        unwinder_free(unwinder);
        builder_release(&b);
        keeper_release(&keeper);
        return end;
}

TEST(why_a_stack_is_cut)
{
        const struct deep_stack left_out = {.is_left_out = true, .used_size = MIB / 2};
        struct deep_stack large = {.used_size = 2 * MIB}, copy;

        EXPECT_STR(unwind_end_text(end_of(COPY_BYTES + 64, NULL)), "cut");
        copy = left_out;
        EXPECT_STR(unwind_end_text(end_of(COPY_BYTES + 64, &copy)), "crowded");
        copy = left_out;
        EXPECT_STR(unwind_end_text(end_of(MIB / 4, &copy)), "crowded");
        copy = left_out;
        EXPECT_STR(unwind_end_text(end_of(MIB, &copy)), "no rule"); /* another stack */
        buf_add_zeros(&large.bytes, 8);
        EXPECT_STR(unwind_end_text(end_of(MIB + 64, &large)), "large");
}

/* The record has the first bytes of a stack whose rest comes separately. */
TEST(a_stack_in_two_parts)
{
        const uint64_t frame[2] = {STACK + 2 * MIB, CODE + 16};
        struct deep_stack rest = {.n_missing = COPY_BYTES / 2, .used_size = 3 * MIB}, alone = {0};

        EXPECT_STR(unwind_end_text(end_of(FRAME_OFF, NULL)), "cut");
        buf_add_zeros(&rest.bytes, FAR_FRAME_OFF);
        buf_add(&rest.bytes, frame, sizeof(frame));
        EXPECT_STR(unwind_end_text(end_of(FRAME_OFF, &rest)), "large");
        /* More is missing than the record has. */
        alone.n_missing = COPY_BYTES + 8;
        buf_add_zeros(&alone.bytes, FAR_FRAME_OFF + 16);
        EXPECT_STR(unwind_end_text(end_of(FRAME_OFF, &alone)), "cut");
}

TEST(processes_between_two_programs)
{
        struct execs execs = {0};

        EXPECT_TRUE(!execs_has(&execs, PID, NULL, CODE));
        execs_begin(&execs, PID);
        execs_begin(&execs, PID + 1);
        EXPECT_TRUE(execs_has(&execs, PID, NULL, CODE));
        execs_end(&execs, PID); /* the new program runs */
        EXPECT_TRUE(!execs_has(&execs, PID, NULL, CODE) && execs_has(&execs, PID + 1, NULL, CODE));
        for (int32_t i = 0; i < EXECS_MAX; i++)
                execs_begin(&execs, PID + 2);
        EXPECT_TRUE(!execs_has(&execs, PID + 1, NULL, CODE));
        EXPECT_TRUE(!execs_has(&execs, PID + 2, &(struct unwind_module){.start = CODE}, CODE));
}

TAP_MAIN
