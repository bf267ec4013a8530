/* SPDX-License-Identifier: BSD-3-Clause */
#include "record_mode.h"

#include <stddef.h>
#include <string.h>

/* The length of the first event of a list: commas between slashes and braces are part of it. */
static size_t event_len(const char *list)
{
        bool is_in_slashes = false, is_in_braces = false;
        size_t len = 0;

        for (; list[len] && (list[len] != ',' || is_in_slashes || is_in_braces); len++) {
                is_in_slashes ^= list[len] == '/';
                is_in_braces = list[len] == '{' || (is_in_braces && list[len] != '}');
        }
        return len;
}

bool record_mode_take_wall(const char *events, struct buf *ret_events, bool *ret_wall, struct err *err)
{
        static const char wall[] = "wall";
        enum { WALL_LEN = sizeof(wall) - 1 };

        for (const char *at = events; at && *at;) {
                size_t len = event_len(at);

                if (!strncmp(at, wall, WALL_LEN) && len > WALL_LEN && at[WALL_LEN] == ':')
                        return err_set(err, ERR_USAGE,
                                       "-e wall takes no modifier and no interval: write -e wall");
                if (len == WALL_LEN && !strncmp(at, wall, len)) {
                        *ret_wall = true;
                } else {
                        if (ret_events->len)
                                buf_add_char(ret_events, ',');
                        buf_add(ret_events, at, len);
                }
                at += len + (at[len] == ',');
        }
        return true;
}
