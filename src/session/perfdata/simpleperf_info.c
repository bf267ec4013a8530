/* SPDX-License-Identifier: BSD-3-Clause */
#include "simpleperf_info.h"

#include <stdlib.h>
#include <string.h>

#include "text_number.h"

bool simpleperf_info_next(struct cursor *info, const char **ret_key, const char **ret_value)
{
        if (info->failed || !cursor_left(info))
                return false;
        *ret_key = cursor_str(info, NULL);
        *ret_value = cursor_str(info, NULL);
        return !info->failed;
}

const char *simpleperf_info_find(struct cursor info, const char *key)
{
        const char *found, *value;

        while (simpleperf_info_next(&info, &found, &value)) {
                if (!strcmp(found, key))
                        return value;
        }
        return NULL;
}

/* The name may contain commas: the numbers are the last two items. */
static bool parse_event(const char *line, size_t len, struct simpleperf_event *ret)
{
        char copy[256], *type, *config;
        uint64_t type_number;

        if (len >= sizeof(copy))
                return false;
        memcpy(copy, line, len);
        copy[len] = 0;
        config = strrchr(copy, ',');
        if (!config)
                return false;
        *config++ = 0;
        type = strrchr(copy, ',');
        if (!type || type == copy)
                return false;
        *type++ = 0;
        if (!text_to_u64(type, 10, &type_number) || type_number > UINT32_MAX ||
            !text_to_u64(config, 10, &ret->config))
                return false;
        ret->type = (uint32_t)type_number;
        ret->name = line;
        ret->name_len = strlen(copy);
        return true;
}

bool simpleperf_event_next(const char **text, struct simpleperf_event *ret)
{
        while (**text) {
                const char *line = *text;
                size_t len = strcspn(line, "\n");

                *text += len + (line[len] == '\n');
                if (parse_event(line, len, ret))
                        return true;
        }
        return false;
}
