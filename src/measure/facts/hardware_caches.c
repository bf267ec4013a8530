/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware_caches.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "os_paths.h"
#include "text_number.h"

enum { MAX_INDEXES = 16 };

static bool read_cache(const struct pmu_source *source, unsigned index, const char *name, struct buf *out)
{
        AUTO_RELEASE(buf) below = {0};
        AUTO_RELEASE(buf) path = {0};

        buf_printf(&below, "devices/system/cpu/cpu0/cache/index%u/%s", index, name);
        os_sysfs(buf_text(&below), &path);
        buf_clear(out);
        if (!source->read_file(source->ctx, buf_text(&path), out))
                return false;
        buf_truncate(out, strcspn(buf_text(out), "\n"));
        return true;
}

/* "64K"; Linux uses no other unit. */
static uint64_t parse_size(struct buf *text)
{
        uint64_t kib;

        if (!text->len || text->data[text->len - 1] != 'K')
                return 0;
        buf_truncate(text, text->len - 1);
        return text_to_u64(buf_text(text), 10, &kib) && kib < UINT64_MAX / 1024 ? kib * 1024 : 0;
}

struct hardware_caches hardware_caches_read(const struct pmu_source *source)
{
        struct hardware_caches caches = {0};
        AUTO_RELEASE(buf) text = {0};

        for (unsigned i = 0; i < MAX_INDEXES && read_cache(source, i, "level", &text); i++) {
                uint64_t level;

                if (!text_to_u64(buf_text(&text), 10, &level) || !level || level > HARDWARE_CACHE_LEVELS)
                        continue;
                if (read_cache(source, i, "type", &text) && strcmp(buf_text(&text), "Instruction") &&
                    read_cache(source, i, "size", &text))
                        caches.bytes[level - 1] = parse_size(&text);
        }
        return caches;
}
