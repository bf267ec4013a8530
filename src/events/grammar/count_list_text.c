/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes and reads the list as lines of text for a session. Format: docs/session-format.md, feature 225. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "count_internal.h"
#include "err.h"
#include "mem.h"
#include "text_number.h"
#include "text_printable.h"

enum { TEXT_MAX_BYTES = 4 << 20 };

static const char *const vendors[] = {"other", "arm", "x86"};

static void add_text(struct buf *out, const char *key, const char *value)
{
        buf_printf(out, "%s=", key);
        text_add_printable(out, value);
        buf_add_char(out, '\n');
}

static void add_number(struct buf *out, const char *key, uint64_t value)
{
        buf_printf(out, "%s=%" PRIu64 "\n", key, value);
}

static void write_kind(const struct core_kind *kind, struct buf *out)
{
        add_text(out, "kind", kind->pmu);
        add_number(out, "type", kind->type);
        if (kind->n_cpus) {
                buf_add_str(out, "cpus=");
                text_add_cpu_list(out, kind->cpus, kind->n_cpus);
                buf_add_char(out, '\n');
        }
        add_text(out, "vendor", vendors[kind->vendor]);
        if (kind->midr)
                buf_printf(out, "midr=0x%" PRIx64 "\n", kind->midr);
        if (kind->model)
                add_text(out, "model", kind->model->id);
        if (kind->n_counters)
                add_number(out, kind->n_counters_measured ? "measured_counters" : "counters",
                           kind->n_counters);
}

static void write_event(const struct count_event *e, struct buf *out)
{
        add_text(out, "event", e->event.name);
        add_text(out, "plain", e->plain);
        add_text(out, "class", count_class_name(e->class));
        add_text(out, "index", e->index);
        if (e->event.pmu[0])
                add_text(out, "pmu", e->event.pmu);
        if (e->event.uncore)
                add_number(out, "uncore", 1);
        if (e->code >= 0)
                add_number(out, "code", (uint32_t)e->code);
        if (e->kind >= 0)
                add_number(out, "of_kind", (uint32_t)e->kind);
        if (e->unit)
                add_number(out, "unit", e->unit);
        if (e->unit_cpus)
                add_text(out, "unit_cpus", e->unit_cpus);
        if (e->group >= 0)
                add_number(out, "group", (uint32_t)e->group);
        if (e->together)
                add_number(out, "together", e->together);
        if (e->metric)
                add_text(out, "of_metric", e->metric);
        if (e->doubt)
                add_text(out, "doubt", e->doubt);
        if (e->refusal)
                add_text(out, "obstacle", e->refusal);
        if (e->estimate)
                add_text(out, "estimate", e->estimate);
        if (e->is_cycle)
                add_number(out, "cycle", 1);
}

static void write_metric(const struct count_metric *m, struct buf *out)
{
        add_text(out, "metric", m->name);
        add_text(out, "title", m->title);
        if (m->formula)
                add_text(out, "formula", m->formula);
        if (m->unit)
                add_text(out, "unit_name", m->unit);
        if (m->kind >= 0)
                add_number(out, "of_kind", (uint32_t)m->kind);
        buf_add_str(out, "events=");
        for (size_t i = 0; i < m->n_events; i++)
                buf_printf(out, "%s%zu", i ? "," : "", m->events[i]);
        buf_add_char(out, '\n');
}

void count_list_write(const struct count_list *list, struct buf *out)
{
        if (list->kinds.pmus_known)
                add_number(out, "pmus_known", 1);
        for (size_t i = 0; i < list->kinds.n_items; i++)
                write_kind(&list->kinds.items[i], out);
        for (size_t i = 0; i < list->n_items; i++)
                write_event(&list->items[i], out);
        for (size_t i = 0; i < list->n_metrics; i++)
                write_metric(&list->metrics[i], out);
        for (const char *at = buf_text(&list->warnings), *end; (end = strchr(at, '\n')); at = end + 1)
                buf_printf(out, "warning=%.*s\n", (int)(end - at), at);
}

struct count_list_reader {
        struct count_list list;
        size_t cap_kinds;
        size_t line;
        /* The item that the next lines belong to: one of these, or none. */
        struct core_kind *kind;
        struct count_event *event;
        struct count_metric *metric;
        struct err *err;
};

static bool fail(const struct count_list_reader *r, struct span key, const char *what)
{
        return err_set(r->err, ERR_FORMAT, "line %zu of the counted events: %s %s", r->line,
                       span_quote(key).text, what);
}

static bool read_number(const struct count_list_reader *r, struct span key, struct span value, uint64_t max,
                        uint64_t *ret_number)
{
        uint64_t number = 0;

        if (span_to_u64(value, false, &number) != NUMBER_OK || number > max)
                return fail(r, key, "has no valid number");
        *ret_number = number;
        return true;
}

static bool read_i32(const struct count_list_reader *r, struct span key, struct span value, int32_t max,
                     int32_t *ret)
{
        uint64_t number = 0;

        if (!read_number(r, key, value, (uint64_t)max, &number))
                return false;
        *ret = (int32_t)number;
        return true;
}

static bool read_u32(const struct count_list_reader *r, struct span key, struct span value, uint32_t *ret)
{
        uint64_t number = 0;

        if (!read_number(r, key, value, UINT32_MAX - 1, &number))
                return false;
        *ret = (uint32_t)number;
        return true;
}

static bool read_word(const struct count_list_reader *r, struct span key, struct span value, char *to,
                      size_t size)
{
        return span_copy(to, size, value) || fail(r, key, "is too long");
}

static bool read_text(struct count_list_reader *r, struct span value, const char **ret)
{
        *ret = arena_copy(&r->list.texts, value.at, value.len);
        return true;
}

static bool begin_kind(struct count_list_reader *r, struct span key, struct span value)
{
        struct core_kind kind = {0};

        if (r->list.kinds.n_items == PMU_CORE_MAX)
                return fail(r, key, "exceeds the limit of such lines");
        if (!read_word(r, key, value, kind.pmu, sizeof(kind.pmu)))
                return false;
        ARRAY_PUSH(r->list.kinds.items, r->list.kinds.n_items, r->cap_kinds, kind);
        r->kind = &r->list.kinds.items[r->list.kinds.n_items - 1];
        r->event = NULL;
        r->metric = NULL;
        return true;
}

static bool begin_event(struct count_list_reader *r, struct span key, struct span value)
{
        struct count_event e = {.code = -1, .kind = COUNT_NO_KIND, .group = COUNT_LOOSE};

        if (r->list.n_items == COUNT_ITEMS_MAX)
                return fail(r, key, "exceeds the limit of such lines");
        if (!read_word(r, key, value, e.event.name, sizeof(e.event.name)))
                return false;
        e.plain = count_lower(&r->list, value);
        ARRAY_PUSH(r->list.items, r->list.n_items, r->list.cap_items, e);
        r->event = &r->list.items[r->list.n_items - 1];
        r->kind = NULL;
        r->metric = NULL;
        return true;
}

static bool begin_metric(struct count_list_reader *r, struct span key, struct span value)
{
        struct count_metric m = {.kind = COUNT_NO_KIND};

        if (r->list.n_metrics == COUNT_METRICS_MAX)
                return fail(r, key, "exceeds the limit of such lines");
        m.name = m.title = arena_copy(&r->list.texts, value.at, value.len);
        ARRAY_PUSH(r->list.metrics, r->list.n_metrics, r->list.cap_metrics, m);
        r->metric = &r->list.metrics[r->list.n_metrics - 1];
        r->kind = NULL;
        r->event = NULL;
        return true;
}

static bool read_cpus(struct count_list_reader *r, struct span key, struct span value)
{
        const char *text = arena_copy(&r->list.texts, value.at, value.len);
        uint32_t *cpus = mem_new(PMU_CPU_LIMIT, sizeof(*cpus));
        size_t n = 0;

        if (r->kind->cpus || !text_to_cpu_list(text, PMU_CPU_LIMIT, cpus, PMU_CPU_LIMIT, &n, NULL) || !n) {
                free(cpus);
                return fail(r, key, "is not a list of CPUs");
        }
        r->kind->cpus = mem_resize(cpus, n, sizeof(*cpus));
        r->kind->n_cpus = n;
        return true;
}

static bool read_counters(const struct count_list_reader *r, struct span key, struct span value,
                          bool measured)
{
        uint32_t n;

        if (!read_u32(r, key, value, &n))
                return false;
        r->kind->n_counters = n;
        r->kind->n_counters_measured = measured;
        return true;
}

static bool read_kind_line(struct count_list_reader *r, struct span key, struct span value)
{
        struct core_kind *kind = r->kind;
        char id[64];

        if (span_equal_nocase(key, "type"))
                return read_u32(r, key, value, &kind->type);
        if (span_equal_nocase(key, "cpus"))
                return read_cpus(r, key, value);
        if (span_equal_nocase(key, "midr"))
                return read_number(r, key, value, UINT64_MAX, &kind->midr);
        if (span_equal_nocase(key, "counters"))
                return read_counters(r, key, value, false);
        if (span_equal_nocase(key, "measured_counters"))
                return read_counters(r, key, value, true);
        if (span_equal_nocase(key, "model") && span_copy(id, sizeof(id), value))
                kind->model = catalogue_find_cpu(id);
        for (size_t i = 0; i < N_ELEMENTS(vendors) && span_equal_nocase(key, "vendor"); i++) {
                if (span_equal_nocase(value, vendors[i]))
                        kind->vendor = (enum core_vendor)i;
        }
        return true;
}

static bool read_class(const struct count_list_reader *r, struct span key, struct span value)
{
        for (size_t i = 0; i < COUNT_CLASSES; i++) {
                if (!span_equal_nocase(value, count_class_name((enum count_class)i)))
                        continue;
                r->event->class = (enum count_class)i;
                return true;
        }
        return fail(r, key, "is not known");
}

static bool read_event_line(struct count_list_reader *r, struct span key, struct span value)
{
        struct count_event *e = r->event;

        if (span_equal_nocase(key, "plain"))
                return read_text(r, value, &e->plain);
        if (span_equal_nocase(key, "class"))
                return read_class(r, key, value);
        if (span_equal_nocase(key, "index"))
                return read_word(r, key, value, e->index, sizeof(e->index));
        if (span_equal_nocase(key, "pmu"))
                return read_word(r, key, value, e->event.pmu, sizeof(e->event.pmu));
        if (span_equal_nocase(key, "code"))
                return read_i32(r, key, value, INT32_MAX, &e->code);
        if (span_equal_nocase(key, "of_kind"))
                return read_i32(r, key, value, PMU_CORE_MAX, &e->kind);
        if (span_equal_nocase(key, "unit"))
                return read_u32(r, key, value, &e->unit);
        if (span_equal_nocase(key, "unit_cpus"))
                return read_text(r, value, &e->unit_cpus);
        if (span_equal_nocase(key, "group"))
                return read_i32(r, key, value, COUNT_ITEMS_MAX, &e->group);
        if (span_equal_nocase(key, "together"))
                return read_u32(r, key, value, &e->together);
        if (span_equal_nocase(key, "of_metric"))
                return read_text(r, value, &e->metric);
        if (span_equal_nocase(key, "doubt"))
                return read_text(r, value, &e->doubt);
        if (span_equal_nocase(key, "obstacle"))
                return read_text(r, value, &e->refusal);
        if (span_equal_nocase(key, "estimate"))
                return read_text(r, value, &e->estimate);
        e->is_cycle |= span_equal_nocase(key, "cycle");
        e->event.uncore |= span_equal_nocase(key, "uncore");
        return true;
}

static bool read_indexes(struct count_list_reader *r, struct span key, struct span value)
{
        struct count_metric *m = r->metric;
        const char *at = value.at, *end = at + value.len;
        size_t n = value.len ? 1 : 0;

        for (const char *c = at; c < end; c++)
                n += *c == ',';
        if (m->events || n > COUNT_ITEMS_MAX)
                return fail(r, key, "is not a list of events");
        m->events = arena_alloc(&r->list.texts, (n ? n : 1) * sizeof(*m->events));
        for (; m->n_events < n; m->n_events++) {
                const char *comma = memchr(at, ',', (size_t)(end - at));
                struct span number = {at, (size_t)((comma ? comma : end) - at)};
                uint64_t index = 0;

                if (!read_number(r, key, number, COUNT_ITEMS_MAX, &index))
                        return false;
                m->events[m->n_events] = (size_t)index;
                at += number.len + 1;
        }
        return true;
}

static bool read_metric_line(struct count_list_reader *r, struct span key, struct span value)
{
        struct count_metric *m = r->metric;

        if (span_equal_nocase(key, "title"))
                return read_text(r, value, &m->title);
        if (span_equal_nocase(key, "formula"))
                return read_text(r, value, &m->formula);
        if (span_equal_nocase(key, "unit_name"))
                return read_text(r, value, &m->unit);
        if (span_equal_nocase(key, "of_kind"))
                return read_i32(r, key, value, PMU_CORE_MAX, &m->kind);
        return !span_equal_nocase(key, "events") || read_indexes(r, key, value);
}

static bool read_line(struct count_list_reader *r, struct span key, struct span value)
{
        if (span_equal_nocase(key, "kind"))
                return begin_kind(r, key, value);
        if (span_equal_nocase(key, "event"))
                return begin_event(r, key, value);
        if (span_equal_nocase(key, "metric"))
                return begin_metric(r, key, value);
        if (span_equal_nocase(key, "warning")) {
                buf_add(&r->list.warnings, value.at, value.len);
                buf_add_char(&r->list.warnings, '\n');
                return true;
        }
        if (r->kind)
                return read_kind_line(r, key, value);
        if (r->event)
                return read_event_line(r, key, value);
        if (r->metric)
                return read_metric_line(r, key, value);
        r->list.kinds.pmus_known |= span_equal_nocase(key, "pmus_known");
        return true;
}

static bool read_lines(struct count_list_reader *r, const char *text, size_t size)
{
        const char *at = text, *end = text + size;

        if (size > TEXT_MAX_BYTES)
                return err_set(r->err, ERR_LIMIT, "the counted events are longer than %d bytes",
                               TEXT_MAX_BYTES);
        while (at < end) {
                const char *stop = memchr(at, '\n', (size_t)(end - at)), *equals;
                struct span line = {at, (size_t)((stop ? stop : end) - at)}, key, value;

                r->line++;
                equals = memchr(line.at, '=', line.len);
                key = (struct span){line.at, equals ? (size_t)(equals - line.at) : line.len};
                if (!equals || memchr(line.at, '\0', line.len))
                        return fail(r, key, "is not key=value");
                value = (struct span){equals + 1, line.len - key.len - 1};
                if (!read_line(r, key, value))
                        return false;
                at += line.len + 1;
        }
        return true;
}

/* A line may refer to a kind or an event of a later line, so references are checked at the end. */
static bool check_references(const struct count_list_reader *r)
{
        const struct count_list *list = &r->list;
        int32_t n_kinds = (int32_t)list->kinds.n_items;

        for (size_t i = 0; i < list->n_items; i++) {
                if (list->items[i].kind >= n_kinds)
                        return err_set(r->err, ERR_FORMAT,
                                       "counted event %zu names kind %d, and the list has %d kinds", i,
                                       (int)list->items[i].kind, (int)n_kinds);
        }
        for (size_t i = 0; i < list->n_metrics; i++) {
                const struct count_metric *m = &list->metrics[i];

                if (m->kind >= n_kinds)
                        return err_set(r->err, ERR_FORMAT,
                                       "counted metric %zu names kind %d, and the list has %d kinds", i,
                                       (int)m->kind, (int)n_kinds);
                for (size_t j = 0; j < m->n_events; j++) {
                        if (m->events[j] >= list->n_items)
                                return err_set(
                                        r->err, ERR_FORMAT,
                                        "counted metric %zu names event %zu, and the list has %zu events", i,
                                        m->events[j], list->n_items);
                }
        }
        return true;
}

bool count_list_read(const char *text, size_t size, struct count_list *ret, struct err *err)
{
        struct count_list_reader r = {.err = err};

        if (!read_lines(&r, text, size) || !check_references(&r)) {
                count_list_release(&r.list);
                return false;
        }
        *ret = r.list;
        return true;
}
