/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes seeds for fuzz_unwind_pe from PE images, one for each entry: make_unwind_pe_seeds FOLDER IMAGE... */
#include <inttypes.h>
#include <stdio.h>

#include "object.h"
#include "pe_builder.h"

enum { MAX_CODE_BYTES = 400, MAX_INFO_BYTES = 120 };

static void write_seed(const char *folder, const struct object *object, const struct object_unwind *entry)
{
        bool is_arm64 = object_get_facts(object)->machine == OBJECT_MACHINE_ARM64;
        uint64_t size = entry->end - entry->start;
        size_t info_bytes =
                cursor_left(&entry->info) < MAX_INFO_BYTES ? cursor_left(&entry->info) : MAX_INFO_BYTES;
        struct cursor code;
        AUTO_RELEASE(buf) out = {0};
        char path[1024];
        FILE *file;

        if (size > MAX_CODE_BYTES || !object_read_addr(object, entry->start, size, &code))
                return;
        buf_add_u8(&out, is_arm64);
        buf_add_u8(&out, 1);
        buf_add_u16(&out, (uint16_t)size);
        buf_add_u16(&out, size > 32 ? (uint16_t)(size - 32) : 0);
        buf_add_u16(&out, 0);
        if (!is_arm64)
                buf_add_u16(&out, (uint16_t)size);
        buf_add_u32(&out, entry->info.failed ? entry->word : PE_INFO_RVA);
        buf_add(&out, code.at, size);
        if (info_bytes)
                buf_add(&out, entry->info.at, info_bytes);
        snprintf(path, sizeof(path), "%s/%s-%" PRIx64, folder, is_arm64 ? "arm64" : "x64", entry->start);
        file = fopen(path, "wb");
        if (!file)
                return;
        fwrite(out.data, 1, out.len, file);
        fclose(file);
}

int main(int argc, char **argv)
{
        for (int i = 2; i < argc; i++) {
                AUTO(object) object = object_open(argv[i], NULL);
                struct object_unwind entry;

                for (size_t at = 0; object && at < object_n_unwind(object); at++) {
                        if (object_get_unwind(object, at, &entry))
                                write_seed(argv[1], object, &entry);
                }
        }
        return 0;
}
