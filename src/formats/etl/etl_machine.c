/* SPDX-License-Identifier: BSD-3-Clause */
#include "etl_machine.h"

#include <string.h>

#include "text_utf16.h"

enum {
        NAME_BYTES = 512,   /* of the machine's name, in UTF-16 */
        DOMAIN_BYTES = 268, /* of its domain */
        VERSION_WITH_ARCHITECTURE = 3,
        BUILD = 32,
        VOLUME = 35,
};

/* SysConfig, 9b79ee91-b5fd-41c0-a243-4248e266e9d0. */
static const uint8_t config_class[ETL_GUID_BYTES] = {0x91, 0xee, 0x79, 0x9b, 0xfd, 0xb5, 0xc0, 0x41,
                                                     0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0};

static bool is_config(const struct etl_event *event, uint16_t type)
{
        return event->guid && event->id == type && !memcmp(event->guid, config_class, sizeof(config_class));
}

bool etl_machine_read(const struct etl_event *event, unsigned pointer_bytes, struct etl_machine *ret,
                      struct buf *name)
{
        struct cursor c = event->payload, text;

        ret->mhz = cursor_u32(&c);
        ret->n_cpus = cursor_u32(&c);
        ret->memory_mib = cursor_u32(&c);
        ret->architecture = ETL_ARCHITECTURE_UNKNOWN;
        cursor_skip(&c, 2 * sizeof(uint32_t)); /* bytes of a page, and of the smallest allocation */
        text = cursor_sub(&c, cursor_pos(&c), NAME_BYTES);
        cursor_skip(&c, NAME_BYTES);
        if (c.failed)
                return false;
        text_add_utf16(&text, name);
        cursor_skip(&c, DOMAIN_BYTES + sizeof(uint32_t)); /* and whether there is Hyper-Threading */
        cursor_seek(&c, (cursor_pos(&c) + pointer_bytes - 1) / pointer_bytes * pointer_bytes);
        cursor_skip(&c, pointer_bytes); /* the highest address of programs */
        if (event->version >= VERSION_WITH_ARCHITECTURE && cursor_left(&c) >= sizeof(uint16_t))
                ret->architecture = cursor_u16(&c);
        return true;
}

bool etl_machine_is_build(const struct etl_event *event)
{
        return is_config(event, BUILD);
}

bool etl_machine_build(const struct etl_event *event, struct buf *text)
{
        struct cursor c = event->payload;
        AUTO_RELEASE(buf) build = {0};

        cursor_skip(&c, sizeof(uint64_t)); /* when it was installed */
        if (c.failed || !text_add_utf16(&c, &build) || !text_add_utf16(&c, text))
                return false;
        buf_printf(text, " %s", buf_text(&build));
        return true;
}

bool etl_machine_is_volume(const struct etl_event *event)
{
        return is_config(event, VOLUME);
}

bool etl_machine_volume(const struct etl_event *event, struct buf *kernel, struct buf *program)
{
        struct cursor c = event->payload;
        bool ok;

        ok = text_add_utf16(&c, kernel);
        buf_add_char(kernel, 0);
        if (ok)
                ok = text_add_utf16(&c, program);
        buf_add_char(program, 0);
        return ok;
}
