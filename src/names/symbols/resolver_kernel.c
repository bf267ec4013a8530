/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolver_kernel.h"

#include <string.h>

#include "buf.h"
#include "object.h"
#include "os.h"
#include "os_paths.h"
#include "text.h"

enum { MAX_NOTES_BYTES = 64 * 1024 };

bool resolver_kernel_module_name(const char *path, struct buf *out)
{
        const char *name = text_base_name(path);

        if (text_starts(name, "[kernel") || text_starts(name, "[guest.kernel") ||
            text_starts(name, "vmlinu") || !name[0])
                return false;
        for (name += name[0] == '['; *name && *name != '.' && *name != ']'; name++)
                buf_add_char(out, *name == '-' ? '_' : *name);
        return out->len > 0;
}

bool resolver_kernel_is_running(const struct resolver_module *module)
{
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) notes = {0};
        uint8_t build_id[OBJECT_BUILD_ID_BYTES];
        size_t size;

        if (!module->build_id_size)
                return true;
        os_sysfs_notes(resolver_kernel_module_name(module->path, &name) ? buf_text(&name) : NULL, &path);
        if (!os_read_file(buf_text(&path), MAX_NOTES_BYTES, &notes, NULL))
                return true;
        size = object_find_build_id(notes.data, notes.len, build_id);
        return !size || object_build_id_equal(build_id, size, module->build_id, module->build_id_size);
}
