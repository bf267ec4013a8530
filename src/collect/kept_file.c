/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "collector.h"
#include "world.h"

bool kept_file_is_of(const struct kept_file *kept, const struct module *module, const char *path)
{
        size_t len = strlen(path);

        /* The recorded path may still say that it is deleted. */
        if (strncmp(kept->path, path, len) || (kept->path[len] && strcmp(kept->path + len, " (deleted)")))
                return false;
        if (kept->build_id_size && module->build_id_size)
                return kept_file_is_build(kept, module);
        return kept->inode == module->inode;
}

bool kept_file_is_build(const struct kept_file *kept, const struct module *module)
{
        return kept->build_id_size && kept->build_id_size == module->build_id_size &&
               !memcmp(kept->build_id, module->build_id, kept->build_id_size);
}
