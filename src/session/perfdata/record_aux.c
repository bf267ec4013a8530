/* SPDX-License-Identifier: BSD-3-Clause */
#include "record_aux.h"

#include "perf_abi.h"

bool record_aux_parse(struct cursor record, struct record_aux *ret)
{
        cursor_skip(&record, sizeof(struct perf_header));
        ret->offset = cursor_u64(&record);
        ret->size = cursor_u64(&record);
        ret->flags = cursor_u64(&record);
        return !record.failed;
}

bool record_auxtrace_info_parse(struct cursor record, struct record_auxtrace_info *ret)
{
        cursor_skip(&record, sizeof(struct perf_header));
        ret->type = cursor_u32(&record);
        cursor_skip(&record, 4);
        ret->private_data = record;
        return !record.failed;
}

bool record_auxtrace_parse(struct cursor record, struct record_auxtrace *ret)
{
        cursor_skip(&record, sizeof(struct perf_header));
        ret->size = cursor_u64(&record);
        ret->offset = cursor_u64(&record);
        cursor_skip(&record, 8); /* a number of the recorder's */
        ret->index = cursor_u32(&record);
        ret->tid = (int32_t)cursor_u32(&record);
        ret->cpu = (int32_t)cursor_u32(&record);
        return !record.failed;
}

bool record_time_conv_parse(struct cursor record, struct record_time_conv *ret)
{
        enum { FIRST_VERSION_BYTES = 32 };
        bool is_long = cursor_left(&record) > FIRST_VERSION_BYTES;

        cursor_skip(&record, sizeof(struct perf_header));
        *ret = (struct record_time_conv){.has_zero = true};
        ret->shift = cursor_u64(&record);
        ret->mult = cursor_u64(&record);
        ret->zero = cursor_u64(&record);
        if (is_long) {
                ret->cycles = cursor_u64(&record);
                ret->mask = cursor_u64(&record);
                ret->has_zero = cursor_u8(&record);
                ret->is_short = cursor_u8(&record);
        }
        return !record.failed && ret->shift < 64;
}

bool record_switch_parse(struct cursor record, struct record_switch *ret)
{
        uint16_t misc;

        cursor_skip(&record, 4);
        misc = cursor_u16(&record);
        ret->is_out = misc & PERF_MISC_SWITCH_OUT;
        ret->is_preempted = ret->is_out && misc & PERF_MISC_SWITCH_PREEMPT;
        return !record.failed;
}

/* In two halves, since the product may have more than 64 bits. */
uint64_t record_time_of_tick(const struct record_time_conv *conv, uint64_t tick)
{
        uint64_t whole, rest;

        if (conv->is_short)
                tick = conv->cycles + ((tick - conv->cycles) & conv->mask);
        whole = tick >> conv->shift;
        rest = tick & ((1ull << conv->shift) - 1);
        return conv->zero + whole * conv->mult + (rest * conv->mult >> conv->shift);
}
