/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of which every field but the chain has a fixed size: nothing is looked for, and little is written. */
#include "record.h"

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
        uint64_t plain = 0;

        *layout = (struct sample_layout){.end = sizeof(struct perf_header)};
        for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
                plain |= fields[i].bit;
                if (!(type & fields[i].bit))
                        continue;
                *fields[i].field = layout->end;
                layout->end += 8;
        }
        layout->is_plain = !(type & ~plain);
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

bool sample_parse_plain(const struct sample_layout *l, struct cursor record, struct sample *s)
{
        const uint8_t *start = record.start;
        size_t size = (size_t)(record.end - start);

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
        if (!l->chain)
                return true;
        s->n_chain = number_at(start + l->chain);
        if (s->n_chain > (size - l->end) / sizeof(uint64_t))
                return false;
        s->chain.start = s->chain.at = start + l->end;
        s->chain.end = s->chain.start + s->n_chain * sizeof(uint64_t);
        return true;
}
