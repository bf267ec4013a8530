/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses a SAMPLE record. The order of fields is the kernel's (perf_output_sample): IDENTIFIER, IP, TID,
 * TIME, ADDR, ID, STREAM_ID, CPU, PERIOD, READ, CALLCHAIN, RAW, BRANCH_STACK, REGS_USER, STACK_USER, WEIGHT,
 * DATA_SRC, TRANSACTION, REGS_INTR, PHYS_ADDR, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE, AUX. */
#include <string.h>

#include "record.h"

enum { BRANCH_BYTES = 24 };

/* Takes `count` items of `size` bytes from `c` as a separate cursor. */
static struct cursor take(struct cursor *c, uint64_t count, uint64_t size)
{
        struct cursor part = *c;

        if (count > cursor_left(c) / size) {
                c->failed = part.failed = true;
                part.start = part.end = part.at;
                return part;
        }
        part.start = part.at;
        part.end = part.at + count * size;
        cursor_skip(c, count * size);
        return part;
}

static void read_fixed(struct cursor *c, uint64_t type, struct sample *s)
{
        if (type & PERF_SAMPLE_IDENTIFIER)
                s->id = cursor_u64(c);
        if (type & PERF_SAMPLE_IP)
                s->ip = cursor_u64(c);
        if (type & PERF_SAMPLE_TID) {
                s->pid = (int32_t)cursor_u32(c);
                s->tid = (int32_t)cursor_u32(c);
        }
        if (type & PERF_SAMPLE_TIME)
                s->time = cursor_u64(c);
        if (type & PERF_SAMPLE_ADDR)
                s->addr = cursor_u64(c);
        if (type & PERF_SAMPLE_ID)
                s->id = cursor_u64(c);
        if (type & PERF_SAMPLE_STREAM_ID)
                s->stream_id = cursor_u64(c);
        if (type & PERF_SAMPLE_CPU) {
                s->cpu = cursor_u32(c);
                cursor_skip(c, 4);
        }
        if (type & PERF_SAMPLE_PERIOD)
                s->period = cursor_u64(c);
}

static void read_counts(struct cursor *c, uint64_t format, struct sample *s)
{
        const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        uint64_t n_times = (uint64_t)__builtin_popcountll(format & times);
        uint64_t n_each = 1 + (uint64_t)__builtin_popcountll(format & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
        uint64_t n = 1, n_head = 0;

        if (format & PERF_FORMAT_GROUP) {
                struct cursor peek = *c;

                n = cursor_u64(&peek);
                n_head = 1;
        }
        if (n > UINT16_MAX) {
                c->failed = true;
                return;
        }
        s->read = take(c, n_head + n_times + n * n_each, 8);
}

static void read_chain(struct cursor *c, struct sample *s)
{
        s->n_chain = cursor_u64(c);
        s->chain = take(c, s->n_chain, 8);
}

static void read_branches(struct cursor *c, uint64_t branch_type, struct sample *s)
{
        s->n_branches = cursor_u64(c);
        if (branch_type & PERF_BRANCH_HW_INDEX)
                s->branch_top = cursor_u64(c);
        s->branches = take(c, s->n_branches, BRANCH_BYTES);
        if (branch_type & PERF_BRANCH_COUNTERS)
                s->branch_counters = take(c, s->n_branches, 8);
}

static struct cursor read_regs(struct cursor *c, uint64_t mask, uint64_t *ret_abi)
{
        *ret_abi = cursor_u64(c);
        return take(c, *ret_abi ? (uint64_t)__builtin_popcountll(mask) : 0, 8);
}

static void read_stack(struct cursor *c, struct sample *s)
{
        uint64_t size = cursor_u64(c), used;
        struct cursor whole = take(c, size, 1);

        if (!size)
                return;
        used = cursor_u64(c);
        s->stack_user = cursor_sub(&whole, 0, used < size ? used : size);
        s->stack_is_whole = used < size;
}

/* The parts of the union have the same position in the number in both byte orders. */
static void read_weight(struct cursor *c, uint64_t type, struct sample *s)
{
        uint64_t weight = cursor_u64(c);

        s->weight = weight;
        if (!(type & PERF_SAMPLE_WEIGHT_STRUCT))
                return;
        s->weight = (uint32_t)weight;
        s->ins_lat = (uint16_t)(weight >> 32);
        s->p_stage_cyc = (uint16_t)(weight >> 48);
}

static void read_variable(struct cursor *c, const struct perf_attr *attr, struct sample *s)
{
        uint64_t type = attr->sample_type;

        if (type & PERF_SAMPLE_READ)
                read_counts(c, attr->read_format, s);
        if (type & PERF_SAMPLE_CALLCHAIN)
                read_chain(c, s);
        if (type & PERF_SAMPLE_RAW)
                s->raw = take(c, cursor_u32(c), 1);
        if (type & PERF_SAMPLE_BRANCH_STACK)
                read_branches(c, attr->branch_sample_type, s);
        if (type & PERF_SAMPLE_REGS_USER)
                s->regs_user = read_regs(c, attr->sample_regs_user, &s->regs_user_abi);
        if (type & PERF_SAMPLE_STACK_USER)
                read_stack(c, s);
}

static void read_late(struct cursor *c, const struct perf_attr *attr, struct sample *s)
{
        uint64_t type = attr->sample_type;

        if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
                read_weight(c, type, s);
        if (type & PERF_SAMPLE_DATA_SRC)
                s->data_src = cursor_u64(c);
        if (type & PERF_SAMPLE_TRANSACTION)
                s->transaction = cursor_u64(c);
        if (type & PERF_SAMPLE_REGS_INTR)
                s->regs_intr = read_regs(c, attr->sample_regs_intr, &s->regs_intr_abi);
        if (type & PERF_SAMPLE_PHYS_ADDR)
                s->phys_addr = cursor_u64(c);
        if (type & PERF_SAMPLE_CGROUP)
                s->cgroup = cursor_u64(c);
        if (type & PERF_SAMPLE_DATA_PAGE_SZ)
                s->data_page_bytes = cursor_u64(c);
        if (type & PERF_SAMPLE_CODE_PAGE_SZ)
                s->code_page_bytes = cursor_u64(c);
        if (type & PERF_SAMPLE_AUX)
                s->aux = take(c, cursor_u64(c), 1);
}

bool sample_parse(const struct perf_attr *attr, struct cursor record, struct sample *ret)
{
        const uint64_t late = ~(uint64_t)(PERF_SAMPLE_STACK_USER | (PERF_SAMPLE_STACK_USER - 1));
        struct cursor c = record;

        *ret = (struct sample){.pid = -1, .tid = -1, .cpu = UINT32_MAX, .branch_top = BRANCH_TOP_NONE};
        cursor_skip(&c, 4);
        ret->misc = cursor_u16(&c);
        cursor_skip(&c, 2);
        read_fixed(&c, attr->sample_type, ret);
        read_variable(&c, attr, ret);
        if (attr->sample_type & late)
                read_late(&c, attr, ret);
        return !c.failed;
}

bool sample_is_deferred(const struct sample *sample, uint64_t *ret_cookie)
{
        struct cursor c = sample->chain;

        if (sample->n_chain < 2 || !cursor_skip(&c, (sample->n_chain - 2) * sizeof(uint64_t)) ||
            cursor_u64(&c) != PERF_CONTEXT_USER_DEFERRED)
                return false;
        if (ret_cookie)
                *ret_cookie = cursor_u64(&c);
        return true;
}

bool sample_branch(const struct sample *sample, uint64_t index, struct branch *ret)
{
        struct cursor c = sample->branches;
        uint64_t flags;

        if (index >= sample->n_branches || !cursor_skip(&c, index * BRANCH_BYTES))
                return false;
        ret->from = cursor_u64(&c);
        ret->to = cursor_u64(&c);
        flags = record_bit_field(cursor_u64(&c), record_is_big_endian(&c));
        ret->mispredicted = flags & 1;
        ret->predicted = flags >> 1 & 1;
        ret->in_transaction = flags >> 2 & 1;
        ret->aborts = flags >> 3 & 1;
        ret->cycles = (uint16_t)(flags >> 4);
        ret->type = flags >> 20 & 15;
        ret->speculation = flags >> 24 & 3;
        ret->not_taken = flags >> 33 & 1;
        return !c.failed;
}
