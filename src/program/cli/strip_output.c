/* SPDX-License-Identifier: BSD-3-Clause */
#include "strip_output.h"

#include <stdlib.h>

#include "os.h"
#include "quality_view.h"
#include "strip_view.h"

static void add_event(const struct strip_output *o, uint32_t event, struct buf *text, struct json *json)
{
        unsigned max_columns = os_is_terminal(OS_STDOUT) ? os_terminal_columns(OS_STDOUT) : 0;
        size_t n_states = 0;
        struct strip_state *states =
                o->report->pieces ? wall_pieces_states(o->report->pieces, false, &n_states) : NULL;
        const struct strips_request request = {
                .samples = o->report->samples,
                .cpu_spans = o->report->cpu_spans,
                .event = event,
                .by = o->by,
                .n_columns = strip_view_columns(max_columns),
                .states = states,
                .n_states = n_states,
        };
        AUTO(strips) strips = strips_new(&request);
        const struct strip_view view = {
                .strips = strips,
                .by = o->by,
                .event = o->report->events[event].name,
                .is_colored = o->is_colored,
                .max_columns = max_columns,
        };

        strip_view_text(&view, text);
        strip_view_json(&view, json);
        free(states);
}

int strip_output_show(const struct strip_output *o)
{
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        struct json json;

        json_init(&json, &document);
        json_begin_object(&json);
        json_key(&json, "strips");
        json_begin_array(&json);
        for (uint32_t i = 0; i < o->report->n_events; i++) {
                if (o->report->events[i].n_samples || o->report->events[i].weight)
                        add_event(o, i, &text, &json);
        }
        json_end_array(&json);
        quality_add_json(&o->report->quality, NULL, &json);
        json_end_object(&json);
        buf_add_char(&document, '\n');
        quality_add_poor(&o->report->quality, &text);
        quality_add_text(&o->report->quality, &text);
        buf_add_char(&text, '\n');
        return cmd_print_document(o->general, o->output, &text, &document);
}
