/* SPDX-License-Identifier: BSD-3-Clause */
#include "etl_dotnet.h"

#include <string.h>

#include "text_utf16.h"

enum {
        METHOD_LOAD = 143,   /* in the rundown: it existed at the beginning */
        METHOD_UNLOAD = 144, /* in the rundown: it existed at the end */
        FLAG_COMPILED = 1 << 3,
};

/* Microsoft-Windows-DotNETRuntime, e13c0d23-ccbc-4e12-931b-d9cc2eee27e4. */
static const uint8_t runtime[ETL_GUID_BYTES] = {0x23, 0x0d, 0x3c, 0xe1, 0xbc, 0xcc, 0x12, 0x4e,
                                                0x93, 0x1b, 0xd9, 0xcc, 0x2e, 0xee, 0x27, 0xe4};
/* Microsoft-Windows-DotNETRuntimeRundown, a669021c-c450-4609-a035-5af59af4df18. */
static const uint8_t rundown[ETL_GUID_BYTES] = {0x1c, 0x02, 0x69, 0xa6, 0x50, 0xc4, 0x09, 0x46,
                                                0xa0, 0x35, 0x5a, 0xf5, 0x9a, 0xf4, 0xdf, 0x18};

static bool is_of(const struct etl_event *event, const uint8_t provider[ETL_GUID_BYTES])
{
        return event->guid && !memcmp(event->guid, provider, ETL_GUID_BYTES);
}

bool etl_dotnet_is_method(const struct etl_event *event)
{
        return (event->id == METHOD_LOAD || event->id == METHOD_UNLOAD) &&
               (is_of(event, runtime) || is_of(event, rundown));
}

bool etl_dotnet_method(const struct etl_event *event, struct etl_method *ret, struct buf *name)
{
        struct cursor c = event->payload;
        AUTO_RELEASE(buf) space = {0};

        cursor_skip(&c, 2 * sizeof(uint64_t)); /* numbers of the method and its module */
        ret->addr = cursor_u64(&c);
        ret->size = cursor_u32(&c);
        cursor_skip(&c, sizeof(uint32_t)); /* token */
        ret->is_compiled = cursor_u32(&c) & FLAG_COMPILED;
        ret->begins = event->id == METHOD_LOAD && is_of(event, runtime);
        if (c.failed || !text_add_utf16(&c, &space))
                return false;
        if (space.len)
                buf_printf(name, "%s.", buf_text(&space));
        return text_add_utf16(&c, name);
}
