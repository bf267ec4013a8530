/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses samples with fewer reads and writes than sample_parse(): those whose fields have a fixed size,
 * except a call chain, raw data and branches.  These are nearly all samples, also those of accesses to
 * memory. */
#include "record.h"

enum { BRANCH_BYTES = 24 };

static void init_rest(struct sample_layout *layout, const struct perf_attr *attr)
{
        const uint64_t type = attr->sample_type;

        layout->raw = type & PERF_SAMPLE_RAW;
        layout->branches = type & PERF_SAMPLE_BRANCH_STACK;
        layout->weight_struct = type & PERF_SAMPLE_WEIGHT_STRUCT;
        layout->weight = type & PERF_SAMPLE_WEIGHT || layout->weight_struct;
        layout->data_src = type & PERF_SAMPLE_DATA_SRC;
        layout->phys_addr = type & PERF_SAMPLE_PHYS_ADDR;
        layout->has_rest =
                layout->raw || layout->branches || layout->weight || layout->data_src || layout->phys_addr;
}

void sample_layout_init(struct sample_layout *layout, const struct perf_attr *attr)
{
        const uint64_t type = attr->sample_type;
        const struct {
                uint64_t bit;
                uint16_t *field;
        } fields[] = {
                {PERF_SAMPLE_IDENTIFIER, &layout->id},
                {PERF_SAMPLE_IP, &layout->ip},
                {PERF_SAMPLE_TID, &layout->tid},
                {PERF_SAMPLE_TIME, &layout->time},
                {PERF_SAMPLE_ADDR, &layout->addr},
                {PERF_SAMPLE_ID, &layout->id},
                {PERF_SAMPLE_STREAM_ID, &layout->stream_id},
                {PERF_SAMPLE_CPU, &layout->cpu},
                {PERF_SAMPLE_PERIOD, &layout->period},
                {PERF_SAMPLE_CALLCHAIN, &layout->chain},
        };
        uint64_t plain = PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT |
                         PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR;

        if (!(attr->branch_sample_type & (PERF_BRANCH_HW_INDEX | PERF_BRANCH_COUNTERS)))
                plain |= PERF_SAMPLE_BRANCH_STACK;
        *layout = (struct sample_layout){.end = sizeof(struct perf_header)};
        for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
                plain |= fields[i].bit;
                if (!(type & fields[i].bit))
                        continue;
                *fields[i].field = layout->end;
                layout->end += 8;
        }
        layout->is_plain = !(type & ~plain);
        init_rest(layout, attr);
}

static uint64_t number_at(const uint8_t *at)
{
        uint64_t v;

        memcpy(&v, at, sizeof(v));
        return v;
}

static void read_number(const uint8_t *start, uint16_t off, uint64_t *ret)
{
        if (off)
                *ret = number_at(start + off);
}

/* The bytes of a sample that are not parsed yet. */
struct rest {
        const uint8_t *at;
        size_t left;
};

static bool take_number(struct rest *rest, uint64_t *ret)
{
        if (rest->left < sizeof(*ret))
                return false;
        *ret = number_at(rest->at);
        rest->at += sizeof(*ret);
        rest->left -= sizeof(*ret);
        return true;
}

static bool take_items(struct rest *rest, uint64_t n, size_t size, struct cursor *ret)
{
        if (n > rest->left / size)
                return false;
        *ret = (struct cursor){.start = rest->at, .at = rest->at, .end = rest->at + n * size};
        rest->at = ret->end;
        rest->left -= n * size;
        return true;
}

static bool take_raw(struct rest *rest, struct cursor *ret)
{
        uint32_t size;

        if (rest->left < sizeof(size))
                return false;
        memcpy(&size, rest->at, sizeof(size));
        rest->at += sizeof(size);
        rest->left -= sizeof(size);
        return take_items(rest, size, 1, ret);
}

static bool take_weight(const struct sample_layout *l, struct rest *rest, struct sample *s)
{
        if (!take_number(rest, &s->weight))
                return false;
        if (l->weight_struct) {
                s->ins_lat = (uint16_t)(s->weight >> 32);
                s->p_stage_cyc = (uint16_t)(s->weight >> 48);
                s->weight = (uint32_t)s->weight;
        }
        return true;
}

static bool parse_rest(const struct sample_layout *l, struct rest *rest, struct sample *s)
{
        if (l->raw && !take_raw(rest, &s->raw))
                return false;
        if (l->branches && !(take_number(rest, &s->n_branches) &&
                             take_items(rest, s->n_branches, BRANCH_BYTES, &s->branches)))
                return false;
        return (!l->weight || take_weight(l, rest, s)) && (!l->data_src || take_number(rest, &s->data_src)) &&
               (!l->phys_addr || take_number(rest, &s->phys_addr));
}

bool sample_parse_plain(const struct sample_layout *l, struct cursor record, struct sample *s)
{
        const uint8_t *start = record.start;
        size_t size = (size_t)(record.end - start);
        struct rest rest;

        if (record.failed || size < l->end)
                return false;
        memcpy(&s->misc, start + offsetof(struct perf_header, misc), sizeof(s->misc));
        read_number(start, l->id, &s->id);
        read_number(start, l->ip, &s->ip);
        read_number(start, l->time, &s->time);
        read_number(start, l->addr, &s->addr);
        read_number(start, l->stream_id, &s->stream_id);
        read_number(start, l->period, &s->period);
        if (l->cpu)
                memcpy(&s->cpu, start + l->cpu, sizeof(s->cpu));
        if (l->tid) {
                memcpy(&s->pid, start + l->tid, sizeof(s->pid));
                memcpy(&s->tid, start + l->tid + sizeof(s->pid), sizeof(s->tid));
        }
        rest = (struct rest){start + l->end, size - l->end};
        if (l->chain) {
                s->n_chain = number_at(start + l->chain);
                if (!take_items(&rest, s->n_chain, sizeof(uint64_t), &s->chain))
                        return false;
        }
        return !l->has_rest || parse_rest(l, &rest, s);
}
