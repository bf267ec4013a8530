/* SPDX-License-Identifier: BSD-3-Clause */
/* Any payload as each kind of event about the machine (etl_payload.h): texts end where they should, and no
 * longer than the event. */
#include <stdlib.h>
#include <string.h>

#include "etl_machine.h"
#include "etl_payload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A UTF-16 unit becomes three bytes at most. */
static void check(const struct buf *text, const struct etl_event *event, size_t more)
{
        if (text->len > cursor_left(&event->payload) / 2 * 3 + more)
                abort();
}

static void read_machine(const struct etl_payload *payload)
{
        AUTO_RELEASE(buf) name = {0};
        struct etl_machine machine;

        if (etl_machine_read(&payload->event, payload->pointer_bytes, &machine, &name)) {
                check(&name, &payload->event, 0);
                if (payload->event.version < 3 && machine.architecture != ETL_ARCHITECTURE_UNKNOWN)
                        abort();
        }
}

static void read_build(const struct etl_event *event)
{
        AUTO_RELEASE(buf) text = {0};

        if (etl_machine_build(event, &text))
                check(&text, event, 1);
}

static void read_volume(const struct etl_event *event)
{
        AUTO_RELEASE(buf) kernel = {0};
        AUTO_RELEASE(buf) program = {0};
        bool is_whole = etl_machine_volume(event, &kernel, &program);

        if (!kernel.len || !program.len || kernel.data[kernel.len - 1] || program.data[program.len - 1] ||
            (is_whole && kernel.len + program.len > cursor_left(&event->payload) / 2 * 3 + 2))
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct etl_payload payload;

        if (!etl_payload_read(cursor_make(data, size), &payload))
                return 0;
        if (etl_machine_is_build(&payload.event) && etl_machine_is_volume(&payload.event))
                abort();
        /* Whatever the event says that it is: the rest of its bytes may be anything. */
        read_machine(&payload);
        read_build(&payload.event);
        read_volume(&payload.event);
        return 0;
}
