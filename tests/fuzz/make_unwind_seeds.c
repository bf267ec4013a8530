/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes seeds for fuzz_unwind_xdata from PE images: make_unwind_seeds FOLDER IMAGE... */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "object.h"

enum { INFO_RVA = 0x1000, MAX_INFO_BYTES = 320, PACKED_STEP = 12 };

static void write_seed(const char *folder, const struct object *object, const struct object_unwind *entry)
{
        bool is_arm64 = object_get_facts(object)->machine == OBJECT_MACHINE_ARM64;
        uint32_t word = entry->info.failed ? entry->word : INFO_RVA;
        uint8_t head[5] = {is_arm64, (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                           (uint8_t)(word >> 24)};
        size_t size = cursor_left(&entry->info) < MAX_INFO_BYTES ? cursor_left(&entry->info) : MAX_INFO_BYTES;
        char path[1024];
        FILE *file;

        snprintf(path, sizeof(path), "%s/%s-%" PRIx64, folder, is_arm64 ? "arm64" : "x64", entry->start);
        file = fopen(path, "wb");
        if (!file)
                return;
        fwrite(head, 1, sizeof(head), file);
        if (size)
                fwrite(entry->info.at, 1, size, file);
        fclose(file);
}

int main(int argc, char **argv)
{
        for (int i = 2; i < argc; i++) {
                AUTO(object) object = object_open(argv[i], NULL);
                struct object_unwind entry;
                size_t n_packed = 0;

                for (size_t at = 0; object && at < object_n_unwind(object); at++) {
                        if (object_get_unwind(object, at, &entry) &&
                            (!entry.info.failed || n_packed++ % PACKED_STEP == 0))
                                write_seed(argv[1], object, &entry);
                }
        }
        return 0;
}
