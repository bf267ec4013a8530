/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of a sample that the event's sample_type selects, in the order in which they are easiest to
 * read. */
#include <string.h>

#include "buf.h"
#include "dump_internal.h"
#include "record.h"
#include "text.h"

static void show_who(uint64_t type, const struct sample *s, struct field_sink *sink)
{
        if (type & PERF_SAMPLE_TID) {
                field_i64(sink, "pid", s->pid);
                field_i64(sink, "tid", s->tid);
        }
        if (type & PERF_SAMPLE_CPU)
                field_u64(sink, "cpu", s->cpu);
        if (type & PERF_SAMPLE_TIME)
                field_time(sink, "time", s->time);
        if (type & PERF_SAMPLE_IP)
                field_hex(sink, "ip", s->ip);
        if (type & PERF_SAMPLE_PERIOD)
                field_u64(sink, "period", s->period);
        if (type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
                field_u64(sink, "id", s->id);
        if (type & PERF_SAMPLE_STREAM_ID)
                field_u64(sink, "stream_id", s->stream_id);
}

static void show_numbers(uint64_t type, const struct sample *s, struct field_sink *sink)
{
        const struct {
                uint64_t bit;
                const char *name;
                uint64_t value;
                bool decimal;
        } numbers[] = {
                {PERF_SAMPLE_ADDR, "addr", s->addr},
                {PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, "weight", s->weight, true},
                {PERF_SAMPLE_WEIGHT_STRUCT, "ins_lat", s->ins_lat, true},
                {PERF_SAMPLE_WEIGHT_STRUCT, "p_stage_cyc", s->p_stage_cyc, true},
                {PERF_SAMPLE_DATA_SRC, "data_src", s->data_src},
                {PERF_SAMPLE_TRANSACTION, "transaction", s->transaction},
                {PERF_SAMPLE_PHYS_ADDR, "phys_addr", s->phys_addr},
                {PERF_SAMPLE_CGROUP, "cgroup", s->cgroup, true},
                {PERF_SAMPLE_DATA_PAGE_SZ, "data_page_size", s->data_page_bytes, true},
                {PERF_SAMPLE_CODE_PAGE_SZ, "code_page_size", s->code_page_bytes, true},
        };

        for (size_t i = 0; i < N_ELEMENTS(numbers); i++) {
                if (!(type & numbers[i].bit))
                        continue;
                if (numbers[i].decimal)
                        field_u64(sink, numbers[i].name, numbers[i].value);
                else
                        field_hex(sink, numbers[i].name, numbers[i].value);
        }
}

static void show_words(const char *name, struct cursor words, struct field_sink *sink)
{
        field_begin(sink, FIELD_WORDS, name);
        while (cursor_left(&words) >= sizeof(uint64_t))
                field_hex(sink, NULL, cursor_u64(&words));
        field_end(sink);
}

static void show_branches(const struct sample *s, struct field_sink *sink)
{
        struct branch branch;

        field_begin(sink, FIELD_WORDS, "branches");
        for (uint64_t i = 0; sample_branch(s, i, &branch); i++) {
                field_begin(sink, FIELD_LINE, NULL);
                field_hex(sink, "from", branch.from);
                field_hex(sink, "to", branch.to);
                if (branch.predicted || branch.mispredicted)
                        field_bool(sink, "predicted", branch.predicted);
                if (branch.not_taken)
                        field_bool(sink, "not_taken", true);
                if (branch.in_transaction)
                        field_bool(sink, "in_transaction", true);
                if (branch.aborts)
                        field_bool(sink, "aborts", true);
                if (branch.cycles)
                        field_u64(sink, "cycles", branch.cycles);
                if (branch.type)
                        field_u64(sink, "type", branch.type);
                if (branch.speculation)
                        field_u64(sink, "speculation", branch.speculation);
                field_end(sink);
        }
        field_end(sink);
}

/* Names of the registers in `mask`; only the values if the architecture is not known, and for registers
 * that later kernels add. */
static void show_regs(const struct arch *arch, uint64_t mask, struct cursor regs, struct field_sink *sink)
{
        uint64_t known = arch && arch->n_regs < 64 ? (UINT64_C(1) << arch->n_regs) - 1 : 0;

        if (!arch || mask & ~known) {
                show_words("values", regs, sink);
                return;
        }
        for (unsigned reg = 0; reg < arch->n_regs; reg++) {
                if (mask >> reg & 1 && cursor_left(&regs) >= sizeof(uint64_t))
                        field_hex(sink, arch_reg_name(arch, reg), cursor_u64(&regs));
        }
}

static void show_user_regs(const struct arch *arch, const struct perf_attr *attr, const struct sample *s,
                           struct field_sink *sink)
{
        field_begin(sink, FIELD_LINE, "regs_user");
        field_u64(sink, "abi", s->regs_user_abi);
        if (s->regs_user_abi)
                show_regs(arch, attr->sample_regs_user, s->regs_user, sink);
        field_end(sink);
}

static void show_interrupt_regs(const struct arch *arch, const struct perf_attr *attr, const struct sample *s,
                                struct field_sink *sink)
{
        field_begin(sink, FIELD_LINE, "regs_intr");
        field_u64(sink, "abi", s->regs_intr_abi);
        if (s->regs_intr_abi)
                show_regs(arch, attr->sample_regs_intr, s->regs_intr, sink);
        field_end(sink);
}

static void show_one_count(uint64_t format, struct cursor *c, struct field_sink *sink)
{
        field_u64(sink, "value", cursor_u64(c));
        if (format & PERF_FORMAT_ID && format & PERF_FORMAT_GROUP)
                field_u64(sink, "id", cursor_u64(c));
        if (format & PERF_FORMAT_LOST && format & PERF_FORMAT_GROUP)
                field_u64(sink, "lost", cursor_u64(c));
}

static void show_count_times(uint64_t format, struct cursor *c, struct field_sink *sink)
{
        if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
                field_u64(sink, "enabled", cursor_u64(c));
        if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
                field_u64(sink, "running", cursor_u64(c));
}

/* group: n, times, n counts; single: value, times, id, lost */
bool dump_counts(uint64_t format, struct cursor *c, struct field_sink *sink)
{
        uint64_t n = format & PERF_FORMAT_GROUP ? cursor_u64(c) : 0;

        field_begin(sink, FIELD_LINE, "read");
        if (!(format & PERF_FORMAT_GROUP))
                show_one_count(format, c, sink);
        show_count_times(format, c, sink);
        if (format & PERF_FORMAT_GROUP) {
                field_begin(sink, FIELD_WORDS, "counts");
                for (uint64_t i = 0; i < n && cursor_left(c); i++) {
                        field_begin(sink, FIELD_LINE, NULL);
                        show_one_count(format, c, sink);
                        field_end(sink);
                }
                field_end(sink);
        } else {
                if (format & PERF_FORMAT_ID)
                        field_u64(sink, "id", cursor_u64(c));
                if (format & PERF_FORMAT_LOST)
                        field_u64(sink, "lost", cursor_u64(c));
        }
        field_end(sink);
        return !c->failed;
}

static void show_part(const char *name, const struct cursor *part, struct field_sink *sink)
{
        field_bytes(sink, name, part->start, (size_t)(part->end - part->start));
}

static void show_tracing_field(const struct tracing_field *field, struct cursor raw, struct field_sink *sink)
{
        struct cursor bytes = tracing_field_bytes(field, raw);
        AUTO_RELEASE(buf) text = {0};

        if (bytes.failed)
                return;
        switch (field->form) {
        case TRACING_NUMBER:
                if (field->is_signed)
                        field_i64(sink, field->name, (int64_t)tracing_field_number(field, bytes));
                else
                        field_u64(sink, field->name, tracing_field_number(field, bytes));
                break;
        case TRACING_POINTER: field_hex(sink, field->name, tracing_field_number(field, bytes)); break;
        case TRACING_TEXT:
                buf_add(&text, bytes.at, strnlen((const char *)bytes.at, cursor_left(&bytes)));
                field_text(sink, field->name, buf_text(&text));
                break;
        case TRACING_BYTES: field_bytes(sink, field->name, bytes.at, cursor_left(&bytes)); break;
        }
}

/* The fields that every tracepoint has (common_pid) are skipped, because the sample has them, too. */
static void show_tracepoint(const struct tracing_event *tracepoint, struct cursor raw,
                            struct field_sink *sink)
{
        field_begin(sink, FIELD_LINE, "fields");
        for (size_t i = 0; i < tracepoint->n_fields; i++) {
                if (!text_starts(tracepoint->fields[i].name, "common_"))
                        show_tracing_field(&tracepoint->fields[i], raw, sink);
        }
        field_end(sink);
}

static void show_variable(const struct arch *arch, const struct perf_attr *attr, const struct sample *s,
                          struct field_sink *sink)
{
        uint64_t type = attr->sample_type;
        struct cursor counts = s->read;

        if (type & PERF_SAMPLE_READ)
                dump_counts(attr->read_format, &counts, sink);
        if (type & PERF_SAMPLE_CALLCHAIN)
                show_words("chain", s->chain, sink);
        if (type & PERF_SAMPLE_RAW)
                show_part("raw", &s->raw, sink);
        if (s->branch_top != BRANCH_TOP_NONE)
                field_u64(sink, "branch_top", s->branch_top);
        if (type & PERF_SAMPLE_BRANCH_STACK)
                show_branches(s, sink);
        if (type & PERF_SAMPLE_BRANCH_STACK && attr->branch_sample_type & PERF_BRANCH_COUNTERS)
                show_words("branch_counters", s->branch_counters, sink);
        if (type & PERF_SAMPLE_REGS_USER)
                show_user_regs(arch, attr, s, sink);
        if (type & PERF_SAMPLE_STACK_USER)
                show_part("stack_user", &s->stack_user, sink);
        if (type & PERF_SAMPLE_REGS_INTR)
                show_interrupt_regs(arch, attr, s, sink);
        if (type & PERF_SAMPLE_AUX)
                show_part("aux", &s->aux, sink);
}

bool dump_sample(const struct perfdata_event *event, const struct tracing_event *tracepoint,
                 const struct arch *arch, struct cursor record, struct field_sink *sink)
{
        struct sample sample;

        field_word(sink, "event", event->name);
        if (!sample_parse(&event->attr, record, &sample))
                return false;
        show_who(event->attr.sample_type, &sample, sink);
        show_numbers(event->attr.sample_type, &sample, sink);
        show_variable(arch, &event->attr, &sample, sink);
        if (tracepoint && event->attr.sample_type & PERF_SAMPLE_RAW)
                show_tracepoint(tracepoint, sample.raw, sink);
        return true;
}
