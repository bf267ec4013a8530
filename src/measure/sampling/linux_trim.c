/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux_trim.h"

#include <string.h>

const uint8_t *trim_behind_stack(const struct sample *sample)
{
        const uint8_t *at = sample->regs_user.end;
        uint64_t size;

        memcpy(&size, at, sizeof(size));
        at += sizeof(size);
        return size ? at + size + sizeof(size) : at;
}

/* One word more than the content remains, so that the copy is still known to be whole. */
bool trim_begin(struct trim *ret, const struct perf_attr *attr, struct cursor record)
{
        struct sample sample;
        uint64_t size, wanted;

        if (!sample_parse(attr, record, &sample))
                return false;
        memcpy(&size, sample.regs_user.end, sizeof(size));
        wanted = ((cursor_left(&sample.stack_user) + 7) & ~7ull) + 8;
        if (wanted >= size)
                return false;
        *ret = (struct trim){
                .record = record,
                .size_at = sample.regs_user.end,
                .behind = trim_behind_stack(&sample),
                .stack_bytes = wanted,
                .size = (size_t)(record.end - record.start) - (size_t)(size - wanted),
        };
        return true;
}

static uint8_t *add(uint8_t *to, const void *from, size_t size)
{
        memcpy(to, from, size);
        return to + size;
}

void trim_write(const struct trim *t, uint8_t *to)
{
        const uint8_t *filled_at = t->behind - sizeof(uint64_t);
        struct perf_header header;
        uint8_t *at = to;

        memcpy(&header, t->record.start, sizeof(header));
        header.size = (uint16_t)t->size;
        at = add(at, &header, sizeof(header));
        at = add(at, t->record.start + sizeof(header),
                 (size_t)(t->size_at - t->record.start) - sizeof(header));
        at = add(at, &t->stack_bytes, sizeof(t->stack_bytes));
        at = add(at, t->size_at + sizeof(t->stack_bytes), t->stack_bytes);
        add(at, filled_at, (size_t)(t->record.end - filled_at));
}
