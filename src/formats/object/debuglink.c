/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbols of a stripped file: the name of a debug file (.gnu_debuglink), or a small object inside the file
 * (.gnu_debugdata, MiniDebugInfo). */
#include <string.h>

#include "codec.h"
#include "object_internal.h"

bool object_get_debuglink(struct object *object, const char **ret_name, uint32_t *ret_crc)
{
        const struct object_section *section = object_find_section(object, ".gnu_debuglink");
        struct cursor c;
        const char *name;
        uint32_t crc;

        if (!section || !object_read_section(object, section, &c, NULL))
                return false;
        name = cursor_str(&c, NULL);
        cursor_skip(&c, (4 - cursor_pos(&c) % 4) % 4);
        crc = cursor_u32(&c);
        /* Only a name is allowed, because a path could lead to any folder. */
        if (c.failed || !name[0] || strpbrk(name, "/\\"))
                return false;
        *ret_name = name;
        *ret_crc = crc;
        return true;
}

enum { CRC_TABLES = 8 };

/* Eight bytes for each step, because debug files are large. */
static void fill_crc_tables(uint32_t tables[CRC_TABLES][256])
{
        for (uint32_t i = 0; i < 256; i++) {
                uint32_t crc = i;

                for (int bit = 0; bit < 8; bit++)
                        crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
                tables[0][i] = crc;
        }
        for (uint32_t i = 0; i < 256; i++) {
                for (int t = 1; t < CRC_TABLES; t++)
                        tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 0xff];
        }
}

uint32_t object_crc32(const struct object *object)
{
        uint32_t tables[CRC_TABLES][256];
        struct cursor c = object->bytes;
        uint32_t crc = ~0u;

        fill_crc_tables(tables);
        for (; cursor_left(&c) >= CRC_TABLES; c.at += CRC_TABLES) {
                uint32_t next = 0;

                for (int i = 0; i < CRC_TABLES; i++) {
                        uint8_t byte = c.at[i] ^ (i < 4 ? crc >> 8 * i & 0xff : 0);

                        next ^= tables[CRC_TABLES - 1 - i][byte];
                }
                crc = next;
        }
        for (; cursor_left(&c); c.at++)
                crc = crc >> 8 ^ tables[0][(crc ^ *c.at) & 0xff];
        return ~crc;
}

/* Its size is not known before it is unpacked, so the maximum size is first taken from the budget. */
static bool unpack_debugdata(struct object *object, struct cursor c, struct buf *out, struct err *err)
{
        uint64_t most = budget_limit(object->budget) / 4;

        if (most > OBJECT_MAX_DEBUGDATA_BYTES)
                most = OBJECT_MAX_DEBUGDATA_BYTES;
        if (!budget_take(object->budget, BUDGET_NAMES, most))
                return err_set(err, ERR_LIMIT, "not enough memory for it; raise the limit with --max-memory");
        if (!codec_unpack(CODEC_XZ, c.at, cursor_left(&c), most, out, err)) {
                if (err && err->code == ERR_LIMIT)
                        budget_leave_out(object->budget, BUDGET_NAMES);
                budget_give(object->budget, most);
                return false;
        }
        budget_give(object->budget, most - out->len);
        return true;
}

struct object *object_open_debugdata(struct object *object, struct err *err)
{
        const struct object_section *section = object_find_section(object, ".gnu_debugdata");
        AUTO_RELEASE(buf) unpacked = {0};
        AUTO_RELEASE(buf) name = {0};
        struct cursor c;

        buf_printf(&name, "%s: .gnu_debugdata", object->name);
        if (!section) {
                err_set(err, ERR_MISSING, "%s: the file has no such section", buf_text(&name));
                return NULL;
        }
        if (!object_read_section(object, section, &c, err))
                return NULL;
        if (!unpack_debugdata(object, c, &unpacked, err)) {
                err_in(err, "%s", buf_text(&name));
                return NULL;
        }
        return object_open_owned(&unpacked, buf_text(&name), object->budget, err);
}
