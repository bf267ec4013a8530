/* SPDX-License-Identifier: BSD-3-Clause */
#include "session_tracing.h"

#include <string.h>

#include "attributes.h"
#include "tracepoint.h"
#include "tracing_data.h"

static bool is_known(const struct event_list *events, size_t index)
{
        for (size_t i = 0; i < index; i++) {
                if (events->items[i].attr.type == PERF_TYPE_TRACEPOINT &&
                    events->items[i].attr.config == events->items[index].attr.config)
                        return true;
        }
        return false;
}

/* The event's name begins with SYSTEM:NAME. Modifiers may follow. */
static void add_format(struct tracing_source *formats, const struct event *event,
                       const struct pmu_source *source)
{
        AUTO_RELEASE(buf) file = {0};
        AUTO_RELEASE(buf) format = {0};
        AUTO_RELEASE(buf) system = {0};
        const char *colon = strchr(event->name, ':');
        size_t len;

        if (!colon)
                return;
        len = strcspn(colon + 1, ":");
        buf_add(&system, event->name, (size_t)(colon - event->name));
        buf_printf(&file, "events/%s/%.*s/format", buf_text(&system), (int)len, colon + 1);
        if (tracepoint_read(source, buf_text(&file), &format))
                tracing_source_add(formats, buf_text(&system), &format);
}

void session_tracing_add(struct perfdata_writer *writer, const struct event_list *events,
                         const struct pmu_source *source)
{
        struct tracing_source formats = {0};
        AUTO_RELEASE(buf) section = {0};

        for (size_t i = 0; i < events->n_items; i++) {
                if (events->items[i].attr.type == PERF_TYPE_TRACEPOINT && !is_known(events, i))
                        add_format(&formats, &events->items[i], source);
        }
        if (formats.n_formats && tracepoint_read(source, "events/header_page", &formats.header_page) &&
            tracepoint_read(source, "events/header_event", &formats.header_event)) {
                tracing_data_write(&formats, &section);
                perfdata_writer_add_feature(writer, FEATURE_TRACING_DATA, section.data, section.len);
        }
        tracing_source_release(&formats);
}
