/* SPDX-License-Identifier: BSD-3-Clause */
#include "group_rules.h"

#include <string.h>

#include "os.h"

struct name_groups *group_rules_open(const char *path, struct err *err)
{
        AUTO(os_map) map = NULL;
        struct name_groups *groups;

        if (!strcmp(path, "cpython"))
                return name_groups_cpython();
        map = os_map_open(path, err);
        if (!map) {
                err_in(err, "--group-by");
                return NULL;
        }
        if (map->size_bytes > NAME_GROUPS_MAX_BYTES) {
                err_set(err, ERR_LIMIT, "%s: rules of groups are longer than %d bytes", path,
                        NAME_GROUPS_MAX_BYTES);
                return NULL;
        }
        groups = name_groups_parse((const char *)map->bytes, map->size_bytes, err);
        if (!groups)
                err_in(err, "%s", path);
        return groups;
}
