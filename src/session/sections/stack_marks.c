/* SPDX-License-Identifier: BSD-3-Clause */
/* The section: "WPST", version u32, n_samples u64, n_ways u32, n_ends u32, by_way and by_end as u64,
 * unwind_ns u64, bits. */
#include "stack_marks.h"

#include <assert.h>
#include <string.h>

#define MAGIC "WPST"
enum { VERSION = 1, MAGIC_BYTES = 4 };

void stack_marks_add(const struct stack_marks *marks, struct buf *out)
{
        assert(marks->n_ways <= STACK_MARKS_MAX_KINDS && marks->n_ends <= STACK_MARKS_MAX_KINDS);
        buf_add(out, MAGIC, MAGIC_BYTES);
        buf_add_u32(out, VERSION);
        buf_add_u64(out, marks->n_samples);
        buf_add_u32(out, marks->n_ways);
        buf_add_u32(out, marks->n_ends);
        for (uint32_t i = 0; i < marks->n_ways; i++)
                buf_add_u64(out, marks->by_way[i]);
        for (uint32_t i = 0; i < marks->n_ends; i++)
                buf_add_u64(out, marks->by_end[i]);
        buf_add_u64(out, marks->unwind_ns);
        buf_add(out, marks->cut, (size_t)((marks->n_samples + 7) / 8));
}

void stack_marks_write(const struct stack_marks *marks, struct perfdata_writer *writer)
{
        AUTO_RELEASE(buf) out = {0};

        stack_marks_add(marks, &out);
        perfdata_writer_add_feature(writer, FEATURE_WPERF_STACKS, out.data, out.len);
}

bool stack_marks_read(struct cursor section, struct stack_marks *ret)
{
        struct stack_marks marks = {0};
        struct cursor c = section;
        const void *magic = cursor_bytes(&c, MAGIC_BYTES);

        if (!magic || memcmp(magic, MAGIC, MAGIC_BYTES) || cursor_u32(&c) != VERSION)
                return false;
        marks.n_samples = cursor_u64(&c);
        marks.n_ways = cursor_u32(&c);
        marks.n_ends = cursor_u32(&c);
        if (marks.n_ways > STACK_MARKS_MAX_KINDS || marks.n_ends > STACK_MARKS_MAX_KINDS)
                return false;
        for (uint32_t i = 0; i < marks.n_ways; i++)
                marks.by_way[i] = cursor_u64(&c);
        for (uint32_t i = 0; i < marks.n_ends; i++)
                marks.by_end[i] = cursor_u64(&c);
        marks.unwind_ns = cursor_u64(&c);
        marks.cut = cursor_bytes(&c, marks.n_samples / 8 + (marks.n_samples % 8 != 0));
        if (c.failed)
                return false;
        *ret = marks;
        return true;
}

bool stack_marks_is_cut(const struct stack_marks *marks, uint64_t sample)
{
        return sample < marks->n_samples && marks->cut[sample / 8] >> (sample % 8) & 1;
}

/* --- while recording --- */

static void pack(struct stack_cuts *marks, uint8_t bits)
{
        enum { LONGEST_RUN = 255 };

        if (bits) {
                marks->run_at = 0;
                buf_add_u8(&marks->packed, bits);
        } else if (marks->run_at && (uint8_t)marks->packed.data[marks->run_at] < LONGEST_RUN) {
                marks->packed.data[marks->run_at]++;
        } else {
                buf_add_zeros(&marks->packed, 2);
                marks->run_at = marks->packed.len - 1;
        }
}

void stack_cuts_add(struct stack_cuts *marks, bool is_cut)
{
        uint64_t bit = marks->n_samples++ % 8;

        marks->last |= (uint8_t)(is_cut << bit);
        if (bit < 7)
                return;
        pack(marks, marks->last);
        marks->last = 0;
}

void stack_cuts_unpack(const struct stack_cuts *marks, struct buf *out)
{
        for (size_t i = 0; i < marks->packed.len; i++) {
                uint8_t bits = (uint8_t)marks->packed.data[i];

                if (bits)
                        buf_add_u8(out, bits);
                else
                        buf_add_zeros(out, 1 + (size_t)(uint8_t)marks->packed.data[++i]);
        }
        if (marks->n_samples % 8)
                buf_add_u8(out, marks->last);
}

void stack_cuts_release(struct stack_cuts *marks)
{
        buf_release(&marks->packed);
        *marks = (struct stack_cuts){0};
}
