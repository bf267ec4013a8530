/* SPDX-License-Identifier: BSD-3-Clause */
/* An event of an event-trace file from a fuzz input: u8 flags, u8 type, u8 version, 16 bytes of GUID if it
 * has one, its payload. */
#ifndef ETL_PAYLOAD_H
#define ETL_PAYLOAD_H

#include "etl_file.h"

enum { PAYLOAD_HAS_GUID = 1, PAYLOAD_IS_32_BIT = 2 };

struct etl_payload {
        struct etl_event event;
        unsigned pointer_bytes;
};

static inline bool etl_payload_read(struct cursor c, struct etl_payload *ret)
{
        uint8_t flags = cursor_u8(&c);

        *ret = (struct etl_payload){.pointer_bytes = flags & PAYLOAD_IS_32_BIT ? 4 : 8};
        ret->event.hook = ETL_NO_HOOK;
        ret->event.id = cursor_u8(&c);
        ret->event.version = cursor_u8(&c);
        ret->event.guid = flags & PAYLOAD_HAS_GUID ? cursor_bytes(&c, ETL_GUID_BYTES) : NULL;
        ret->event.payload = cursor_sub(&c, cursor_pos(&c), cursor_left(&c));
        return !c.failed;
}

#endif
