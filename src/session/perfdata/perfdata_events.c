/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of a session: which event a record belongs to, and its time. Both are at fixed offsets that
 * depend on the event's sample_type, so the record need not be parsed completely. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "perfdata_reader_internal.h"
#include "simpleperf_info.h"
#include "text.h"

static bool sample_place(uint64_t type, uint64_t before, uint64_t bit, uint16_t *ret)
{
        if (!(type & bit))
                return false;
        *ret = (uint16_t)(sizeof(struct perf_header) + 8 * __builtin_popcountll(type & before));
        return true;
}

static bool other_place(uint64_t type, uint64_t behind, uint64_t bit, uint16_t *ret)
{
        if (!(type & bit))
                return false;
        *ret = (uint16_t)(8 + 8 * __builtin_popcountll(type & behind));
        return true;
}

static struct event_layout layout_of(const struct perf_attr *attr)
{
        const uint64_t id = PERF_SAMPLE_IDENTIFIER, cpu = PERF_SAMPLE_CPU, stream = PERF_SAMPLE_STREAM_ID;
        const uint64_t head = id | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
        uint64_t type = attr->sample_type;
        struct event_layout l = {0};

        sample_place(type, head, PERF_SAMPLE_TIME, &l.sample_time);
        if (!sample_place(type, 0, id, &l.sample_id))
                sample_place(type, head | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR, PERF_SAMPLE_ID, &l.sample_id);
        if (!(attr->flags & PERF_ATTR_SAMPLE_ID_ALL))
                return l;
        other_place(type, PERF_SAMPLE_ID | stream | cpu | id, PERF_SAMPLE_TIME, &l.other_time);
        if (!other_place(type, 0, id, &l.other_id))
                other_place(type, stream | cpu, PERF_SAMPLE_ID, &l.other_id);
        return l;
}

uint32_t events_add(struct perfdata_reader *r, const struct perf_attr *attr)
{
        struct event_table *t = &r->events;
        struct event_layout layout = layout_of(attr);
        struct perfdata_event *event = arena_alloc(&r->arena, sizeof(*event));
        struct buf name = {0};
        size_t n = t->n;

        event->attr = *attr;
        perfdata_names_make_event(r, attr, &name);
        event->name = arena_copy(&r->arena, name.data, name.len);
        buf_release(&name);
        t->asked_build_id |= (attr->flags & PERF_ATTR_BUILD_ID) != 0;
        t->uniform = !n || (t->uniform && !memcmp(&layout, &t->layouts[0], sizeof(layout)));
        ARRAY_PUSH(t->layouts, n, t->layouts_cap, layout);
        ARRAY_PUSH(t->items, t->n, t->cap, event);
        return (uint32_t)t->n - 1;
}

uint32_t perfdata_add_event(struct perfdata_reader *r, const struct perf_attr *attr, const char *name)
{
        bool uniform = r->events.uniform;
        uint32_t event = events_add(r, attr);

        /* No record of the file is of it. */
        r->events.uniform = uniform;
        r->events.n_added++;
        events_set_name(r, event, name);
        return event;
}

void events_add_ids(struct perfdata_reader *r, uint32_t event, struct cursor ids)
{
        struct event_table *t = &r->events;
        struct perfdata_event *e = t->items[event];
        size_t n = cursor_left(&ids) / 8;
        uint64_t *all = n ? arena_alloc(&r->arena, (e->n_ids + n) * sizeof(*all)) : NULL;

        assert(event < r->events.n);
        if (!n)
                return;
        if (e->n_ids)
                memcpy(all, e->ids, e->n_ids * sizeof(*all));
        for (size_t i = 0; i < n; i++) {
                all[e->n_ids + i] = cursor_u64(&ids);
                *map_put(&t->by_id, all[e->n_ids + i], NULL) = event + 1;
        }
        e->ids = all;
        e->n_ids += n;
        t->n_ids += n;
        t->last_id = 0;
}

void events_add_late_id(struct perfdata_reader *r, uint32_t event, uint64_t id)
{
        struct event_table *t = &r->events;

        assert(event < t->n);
        *map_put(&t->by_id, id, NULL) = event + 1;
        t->n_ids++;
        t->last_id = 0;
}

void events_set_name(struct perfdata_reader *r, uint32_t event, const char *name)
{
        assert(event < r->events.n);
        if (*name)
                r->events.items[event]->name = arena_copy(&r->arena, name, strlen(name));
}

void events_name_pmus(struct perfdata_reader *r)
{
        for (size_t i = 0; i < r->events.n; i++) {
                struct buf name = {0};

                if (!text_starts(r->events.items[i]->name, "pmu-"))
                        continue;
                perfdata_names_make_event(r, &r->events.items[i]->attr, &name);
                events_set_name(r, (uint32_t)i, buf_text(&name));
                buf_release(&name);
        }
}

static uint32_t find_id(struct event_table *t, uint64_t id)
{
        uint64_t *found;

        if (id == t->last_id && id)
                return t->last_event;
        found = map_find(&t->by_id, id);
        if (!found)
                return UINT32_MAX;
        t->last_id = id;
        t->last_event = (uint32_t)*found - 1;
        return t->last_event;
}

/* If the attributes do not have the event's ids, its name is assigned by its index. */
static uint32_t event_of_desc(struct event_table *t, struct cursor ids, uint32_t at)
{
        uint32_t event = UINT32_MAX;

        if (cursor_left(&ids) >= 8)
                event = find_id(t, cursor_u64(&ids));
        if (event == UINT32_MAX && at < t->n && !t->items[at]->n_ids)
                event = at;
        return event;
}

void events_take_desc(struct perfdata_reader *r)
{
        struct cursor c = r->features[FEATURE_EVENT_DESC];
        uint32_t n = cursor_u32(&c), attr_size = cursor_u32(&c);

        for (uint32_t i = 0; i < n && i < LIMIT_EVENTS; i++) {
                uint32_t n_ids, name_size, event;
                struct cursor text, ids;

                cursor_skip(&c, attr_size);
                n_ids = cursor_u32(&c);
                name_size = cursor_u32(&c);
                text = cursor_sub(&c, cursor_pos(&c), name_size);
                cursor_skip(&c, name_size);
                ids = cursor_sub(&c, cursor_pos(&c), (uint64_t)n_ids * 8);
                cursor_skip(&c, (uint64_t)n_ids * 8);
                if (c.failed)
                        return;
                event = event_of_desc(&r->events, ids, i);
                if (event == UINT32_MAX)
                        continue;
                if (cursor_str_at(&text, 0))
                        events_set_name(r, event, cursor_str_at(&text, 0));
                if (!r->events.items[event]->n_ids && n_ids <= LIMIT_EVENT_IDS - r->events.n_ids)
                        events_add_ids(r, event, ids);
        }
}

/* Only tracepoints need these names. For other events, a name made from the attribute is more precise (user
 * mode only, precise level). */
void events_take_simpleperf(struct perfdata_reader *r)
{
        const char *text = simpleperf_info_find(r->features[FEATURE_SIMPLEPERF_META_INFO], "event_type_info");
        struct simpleperf_event named;

        while (text && simpleperf_event_next(&text, &named)) {
                for (size_t i = 0; i < r->events.n; i++) {
                        struct perfdata_event *event = r->events.items[i];

                        if (event->attr.type == PERF_TYPE_TRACEPOINT && named.type == event->attr.type &&
                            event->attr.config == named.config)
                                event->name = arena_copy(&r->arena, named.name, named.name_len);
                }
        }
}

void events_name_tracepoints(struct perfdata_reader *r)
{
        for (size_t i = 0; i < r->events.n; i++) {
                struct perfdata_event *event = r->events.items[i];
                const struct tracing_event *tracepoint;

                if (event->attr.type != PERF_TYPE_TRACEPOINT || !r->features[FEATURE_TRACING_DATA].start)
                        continue;
                if (!r->tracing)
                        r->tracing = tracing_data_new(r->features[FEATURE_TRACING_DATA]);
                tracepoint = tracing_data_find(r->tracing, event->attr.config);
                if (tracepoint && text_starts(event->name, "tracepoint-")) {
                        AUTO_RELEASE(buf) name = {0};

                        buf_printf(&name, "%s:%s", tracepoint->system, tracepoint->name);
                        event->name = arena_copy(&r->arena, name.data, name.len);
                }
        }
}

/* config u64, name[64] */
void events_take_type(struct perfdata_reader *r, struct cursor c)
{
        uint64_t config = cursor_u64(&c);
        const char *name = cursor_str(&c, NULL);

        for (size_t i = 0; name && i < r->events.n; i++) {
                const struct perfdata_event *event = r->events.items[i];

                if (event->attr.config == config && event->attr.type == PERF_TYPE_TRACEPOINT)
                        events_set_name(r, (uint32_t)i, name);
        }
}

void events_release(struct event_table *t)
{
        free(t->items);
        free(t->layouts);
        map_release(&t->by_id);
}

/* The 64-bit number at `place`: an offset from the start for samples, from the end for other records. 0 if it
 * is not in the record. */
static uint64_t number_at(const struct perfdata_record *record, bool is_sample, uint16_t place)
{
        struct cursor c = record->bytes;
        size_t size = (size_t)(c.end - c.start);

        if (!place || place > size || (!is_sample && size - place < sizeof(struct perf_header)))
                return 0;
        c.at = is_sample ? c.start + place : c.end - place;
        return cursor_u64(&c);
}

static uint64_t id_at(const struct perfdata_record *record, const struct event_layout *l)
{
        bool is_sample = record->header.type == PERF_RECORD_SAMPLE;

        return number_at(record, is_sample, is_sample ? l->sample_id : l->other_id);
}

static uint32_t search_events(struct event_table *t, const struct perfdata_record *record)
{
        bool is_sample = record->header.type == PERF_RECORD_SAMPLE;

        for (size_t i = 0; i < t->n; i++) {
                const struct event_layout *l = &t->layouts[i];

                if ((is_sample ? l->sample_id : l->other_id) && find_id(t, id_at(record, l)) == i)
                        return (uint32_t)i;
        }
        return UINT32_MAX;
}

/* Like perf: records made before the events ran have id 0 and belong to the first event. */
uint32_t events_event_of(struct perfdata_reader *r, const struct perfdata_record *record)
{
        struct event_table *t = &r->events;
        bool is_sample = record->header.type == PERF_RECORD_SAMPLE;
        uint64_t id;

        if (!t->n || record->header.type >= PERF_RECORD_HEADER_ATTR)
                return UINT32_MAX;
        if (t->n - t->n_added == 1)
                return 0;
        if (!t->uniform)
                return search_events(t, record);
        if (!(is_sample ? t->layouts[0].sample_id : t->layouts[0].other_id))
                return 0;
        id = id_at(record, &t->layouts[0]);
        return id ? find_id(t, id) : 0;
}

/* Records made by the recorder itself have id 0 and belong to no event, so any event may have requested the
 * build id. */
bool events_asked_build_id(const struct perfdata_reader *r, const struct perfdata_record *record)
{
        const struct event_table *t = &r->events;

        if (record->event == UINT32_MAX || (t->n > 1 && !id_at(record, &t->layouts[record->event])))
                return t->asked_build_id;
        return t->items[record->event]->attr.flags & PERF_ATTR_BUILD_ID;
}

static uint64_t time_at(const struct perfdata_record *record, const struct event_layout *l)
{
        bool is_sample = record->header.type == PERF_RECORD_SAMPLE;
        uint64_t time = number_at(record, is_sample, is_sample ? l->sample_time : l->other_time);

        return time == UINT64_MAX ? 0 : time;
}

uint64_t events_time_of(const struct perfdata_reader *r, const struct perfdata_record *record)
{
        const struct event_table *t = &r->events;
        uint32_t event = 0;

        if (!t->n || record->header.type >= PERF_RECORD_HEADER_ATTR)
                return 0;
        if (!t->uniform)
                event = search_events((struct event_table *)t, record);
        return event == UINT32_MAX ? 0 : time_at(record, &t->layouts[event]);
}
