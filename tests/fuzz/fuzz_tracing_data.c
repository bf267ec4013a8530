/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as formats of tracepoints, and as a sample of each of them. */
#include <stdlib.h>
#include <string.h>

#include "tracing_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* So that reads are not optimised away. */
static volatile uint64_t sink;

static void take_fields(const struct tracing_event *event, struct cursor raw)
{
        for (size_t i = 0; i < event->n_fields; i++) {
                const struct tracing_field *field = &event->fields[i];
                struct cursor bytes = tracing_field_bytes(field, raw);

                sink += strlen(field->name);
                if (bytes.failed)
                        continue;
                if (field->form <= TRACING_POINTER)
                        sink += tracing_field_number(field, bytes);
                else
                        sink += strnlen((const char *)bytes.at, cursor_left(&bytes));
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
        struct tracing_data *data = tracing_data_new(cursor_make(bytes, size));

        for (size_t i = 0; i < tracing_data_n_events(data); i++) {
                const struct tracing_event *event = tracing_data_get(data, i);

                if (!tracing_data_find(data, event->id))
                        abort();
                take_fields(event, cursor_make(bytes, size));
        }
        /* Events have numbers of 32 bits. */
        if (tracing_data_get(data, tracing_data_n_events(data)) || tracing_data_find(data, UINT64_MAX))
                abort();
        tracing_data_free(data);
        return 0;
}
