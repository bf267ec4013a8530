/* SPDX-License-Identifier: BSD-3-Clause */
/* hiperf's feature 192.  Its layout is in perf_file_format.cpp of OpenHarmony's developtools_hiperf: n u32,
 * n times {path, type u32, vaddr u64, offset of vaddr u64, build id in hexadecimal, m u32, m times {addr
 * u64, length u32, name}}; a text is {length u32 with its NUL, bytes}.  The numbers of the types have
 * changed over time, so the kernel is recognised by the path; a vaddr with all bits set means that there
 * are no virtual addresses. */
#include <string.h>

#include "recorded_internal.h"
#include "text.h"

static const char *next_text(struct cursor *c, size_t *ret_len)
{
        uint32_t size = cursor_u32(c);
        const char *text = cursor_bytes(c, size);

        *ret_len = 0;
        if (!size || !text || text[size - 1]) {
                cursor_fail(c);
                return NULL;
        }
        *ret_len = strlen(text);
        return text;
}

static bool next_name(struct cursor *c, struct recorded_name *ret)
{
        if (!cursor_left(c))
                return false;
        ret->addr = cursor_u64(c);
        ret->size_bytes = cursor_u32(c);
        ret->text = next_text(c, &ret->len);
        return !c->failed;
}

static int hex_value(char c)
{
        if (c >= '0' && c <= '9')
                return c - '0';
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void read_build_id(struct recorded_file *file, const char *hex, size_t len)
{
        if (len % 2 || len / 2 > sizeof(file->build_id))
                return;
        for (size_t i = 0; i < len / 2; i++) {
                int high = hex_value(hex[2 * i]), low = hex_value(hex[2 * i + 1]);

                if (high < 0 || low < 0)
                        return;
                file->build_id[i] = (uint8_t)(high << 4 | low);
        }
        file->build_id_size = (uint8_t)(len / 2);
}

static enum recorded_kind kind_of_path(const char *path)
{
        if (text_starts(path, "[kernel."))
                return RECORDED_KERNEL;
        return text_ends(path, ".ko") ? RECORDED_KERNEL_MODULE : RECORDED_FILE;
}

bool recorded_hiperf_next(struct cursor *c, struct recorded_entry *ret)
{
        struct recorded_file *file = &ret->file;
        const char *build_id;
        struct recorded_name name;
        size_t id_len, start;
        uint32_t n;

        *ret = (struct recorded_entry){.next_name = next_name};
        file->path = next_text(c, &ret->path_len);
        cursor_u32(c);
        file->vaddr = cursor_u64(c);
        file->off = cursor_u64(c);
        build_id = next_text(c, &id_len);
        n = cursor_u32(c);
        start = cursor_pos(c);
        for (uint32_t i = 0; i < n; i++) {
                if (!next_name(c, &name)) {
                        cursor_fail(c);
                        break;
                }
        }
        ret->names = cursor_sub(c, start, cursor_pos(c) - start);
        if (c->failed)
                return false;
        read_build_id(file, build_id, id_len);
        file->kind = kind_of_path(file->path);
        file->has_off = true;
        if (file->vaddr == UINT64_MAX || file->kind != RECORDED_FILE)
                file->vaddr = file->off = 0;
        return true;
}
