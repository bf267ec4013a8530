/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "collector.h"
#include "world.h"

static bool is_build(const struct kept_file *kept, const struct module *module)
{
        return kept->build_id_size && kept->build_id_size == module->build_id_size &&
               !memcmp(kept->build_id, module->build_id, kept->build_id_size);
}

bool kept_file_is_of(const struct kept_file *kept, const struct module *module, const char *path)
{
        size_t len = strlen(path);

        /* The recorded path may end in " (deleted)". */
        if (strncmp(kept->path, path, len) || (kept->path[len] && strcmp(kept->path + len, " (deleted)")))
                return false;
        if (kept->build_id_size && module->build_id_size)
                return is_build(kept, module);
        return kept->inode == module->inode;
}

static const struct kept_file *find_build(const struct kept_file *kept, size_t n, const struct module *module)
{
        const struct kept_file *found = NULL;

        for (size_t i = n; i-- > 0;) {
                if (!is_build(&kept[i], module))
                        continue;
                if (found && found->owner != kept[i].owner)
                        return NULL;
                found = found ? found : &kept[i];
        }
        return found;
}

const struct kept_file *kept_file_find(const struct kept_file *kept, size_t n, const struct module *module,
                                       const char *path)
{
        for (size_t i = n; i-- > 0;) {
                if (kept_file_is_of(&kept[i], module, path))
                        return &kept[i];
        }
        return find_build(kept, n, module);
}
