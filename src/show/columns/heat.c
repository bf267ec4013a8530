/* SPDX-License-Identifier: BSD-3-Clause */
/* The limits are those of perf report. */
#include "heat.h"

#include <assert.h>
#include <string.h>

#include "text_code.h"

static const double RED_PERCENT = 5, GREEN_PERCENT = 0.5;

enum heat heat_of(double percent)
{
        return percent >= RED_PERCENT ? HEAT_HIGH : percent >= GREEN_PERCENT ? HEAT_MEDIUM : HEAT_LOW;
}

void heat_color(struct buf *out, size_t from, size_t len, double percent)
{
        const enum heat heat = heat_of(percent);
        const char *begin = text_code(heat == HEAT_HIGH ? TEXT_CODE_RED : TEXT_CODE_GREEN);
        const char *none = text_code(TEXT_CODE_PLAIN);
        size_t n_begin = strlen(begin), n_none = strlen(none), n_rest;

        assert(from <= out->len && len <= out->len - from);
        if (heat == HEAT_LOW)
                return;
        n_rest = out->len - from - len;
        buf_extend(out, n_begin + n_none);
        memmove(out->data + from + n_begin + len + n_none, out->data + from + len, n_rest);
        memcpy(out->data + from + n_begin + len, none, n_none);
        memmove(out->data + from + n_begin, out->data + from, len);
        memcpy(out->data + from, begin, n_begin);
}
