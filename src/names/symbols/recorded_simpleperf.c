/* SPDX-License-Identifier: BSD-3-Clause */
/* simpleperf's features 128 (FILE) and 132 (FILE2).  Their layout is described at the top of
 * record_file_format.h and in record_file.proto of the Android tree (system/extras/simpleperf).
 *
 * FILE:  {size u32, path, type u32, vaddr u64, n u32, n times {addr u64, length u32, name}, by type: dex
 * files {n u32, n
 *        times offset u64}, others the offset of vaddr u64, which older files lack}
 * FILE2: {size u32, a protocol buffer: 1 path, 2 type, 3 vaddr, 4 symbol {1 addr, 2 length, 3 name}, 5 dex
 * file, 6 ELF {1
 *        offset of vaddr}, 7 kernel module {1 offset of vaddr}} */
#include "recorded_internal.h"

enum simpleperf_type { TYPE_KERNEL, TYPE_KERNEL_MODULE, TYPE_ELF, TYPE_DEX };

static void set_type(struct recorded_file *file, uint64_t type)
{
        file->kind = RECORDED_FILE;
        if (type == TYPE_KERNEL)
                file->kind = RECORDED_KERNEL;
        if (type == TYPE_KERNEL_MODULE)
                file->kind = RECORDED_KERNEL_MODULE;
        /* For files other than ELF, addresses are offsets. */
        if (type != TYPE_ELF && type != TYPE_KERNEL_MODULE) {
                file->vaddr = file->off = 0;
                file->has_off = true;
        }
}

static bool next_file_name(struct cursor *c, struct recorded_name *ret)
{
        if (!cursor_left(c))
                return false;
        ret->addr = cursor_u64(c);
        ret->size_bytes = cursor_u32(c);
        ret->text = cursor_str(c, &ret->len);
        return !c->failed;
}

/* A cursor over a part whose size is in the next four bytes. */
static struct cursor next_part(struct cursor *c)
{
        uint32_t size = cursor_u32(c);
        struct cursor part = cursor_sub(c, cursor_pos(c), size);

        cursor_skip(c, size);
        return part;
}

bool recorded_simpleperf_next(struct cursor *c, struct recorded_entry *ret)
{
        struct recorded_file *file = &ret->file;
        struct cursor part;
        struct recorded_name name;
        uint32_t type, n;
        size_t start;

        if (!cursor_left(c))
                return false;
        *ret = (struct recorded_entry){.next_name = next_file_name};
        part = next_part(c);
        file->path = cursor_str(&part, &ret->path_len);
        type = cursor_u32(&part);
        file->vaddr = cursor_u64(&part);
        n = cursor_u32(&part);
        start = cursor_pos(&part);
        for (uint32_t i = 0; i < n; i++) {
                if (!next_file_name(&part, &name)) {
                        cursor_fail(&part);
                        break;
                }
        }
        ret->names = cursor_sub(&part, start, cursor_pos(&part) - start);
        if (!part.failed && type != TYPE_DEX && cursor_left(&part) >= sizeof(uint64_t)) {
                file->off = cursor_u64(&part);
                file->has_off = file->off != UINT64_MAX;
        }
        set_type(file, type);
        c->failed |= part.failed;
        return !c->failed;
}

/* --- Protocol buffers --- */

struct proto_field {
        uint64_t number;
        uint64_t value;      /* value of a number */
        struct cursor bytes; /* bytes of a text or message; failed for others */
};

static bool next_field(struct cursor *c, struct proto_field *ret)
{
        enum { VARINT, FIXED64, BYTES, FIXED32 = 5 };
        uint64_t tag, size;

        if (!cursor_left(c) || c->failed)
                return false;
        *ret = (struct proto_field){.bytes = {.failed = true}};
        tag = cursor_uleb(c);
        ret->number = tag >> 3;
        switch (tag & 7) {
        case VARINT: ret->value = cursor_uleb(c); break;
        case FIXED64: ret->value = cursor_u64(c); break;
        case FIXED32: ret->value = cursor_u32(c); break;
        case BYTES:
                size = cursor_uleb(c);
                ret->bytes = cursor_sub(c, cursor_pos(c), size);
                cursor_skip(c, size);
                break;
        default: cursor_fail(c); break;
        }
        return !c->failed;
}

static bool read_symbol(struct cursor c, struct recorded_name *ret)
{
        struct proto_field field;

        *ret = (struct recorded_name){.text = ""};
        while (next_field(&c, &field)) {
                if (field.number == 1)
                        ret->addr = field.value;
                else if (field.number == 2)
                        ret->size_bytes = field.value;
                else if (field.number == 3 && !field.bytes.failed) {
                        ret->text = (const char *)field.bytes.at;
                        ret->len = cursor_left(&field.bytes);
                }
        }
        return !c.failed;
}

static bool next_proto_name(struct cursor *c, struct recorded_name *ret)
{
        struct proto_field field;

        while (next_field(c, &field)) {
                if (field.number != 4 || field.bytes.failed)
                        continue;
                if (read_symbol(field.bytes, ret))
                        return true;
                cursor_fail(c);
        }
        return false;
}

/* ELF files and kernel modules: a missing field is 0. */
static void read_offset(struct recorded_file *file, struct cursor c)
{
        struct proto_field field;

        file->has_off = true;
        while (next_field(&c, &field)) {
                if (field.number == 1)
                        file->off = field.value;
        }
}

bool recorded_simpleperf2_next(struct cursor *c, struct recorded_entry *ret)
{
        struct recorded_file *file = &ret->file;
        struct proto_field field;
        struct cursor part;
        uint64_t type = 0;

        if (!cursor_left(c))
                return false;
        *ret = (struct recorded_entry){.next_name = next_proto_name};
        file->path = "";
        part = ret->names = next_part(c);
        while (next_field(&part, &field)) {
                switch (field.number) {
                case 1:
                        file->path = (const char *)field.bytes.at;
                        ret->path_len = cursor_left(&field.bytes);
                        break;
                case 2: type = field.value; break;
                case 3: file->vaddr = field.value; break;
                case 6:
                case 7: read_offset(file, field.bytes); break;
                default: break;
                }
        }
        set_type(file, type);
        c->failed |= part.failed || !file->path;
        return !c->failed;
}
