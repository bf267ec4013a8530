/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_width.h"

#include "attributes.h"
#include "search.h"
#include "text_printable.h"
#include "text_width_data.h"

static bool is_in(const struct char_range *ranges, size_t n, uint32_t code)
{
        size_t low = 0, high = n;

        SEARCH_FIRST(low, high, middle, ranges[middle].last < code);
        return low < n && code >= ranges[low].first;
}

size_t text_char_width(uint32_t code)
{
        if (code < zero_width[0].first)
                return 1;
        if (is_in(zero_width, N_ELEMENTS(zero_width), code))
                return 0;
        return is_in(two_wide, N_ELEMENTS(two_wide), code) ? 2 : 1;
}

size_t text_fitting_bytes(const char *text, size_t max_columns, size_t *ret_width)
{
        const unsigned char *at = (const unsigned char *)text;
        size_t width = 0;

        while (*at) {
                size_t n = text_utf8_length(at);
                size_t w = n ? text_char_width(text_utf8_code(at)) : 1;

                if (width + w > max_columns)
                        break;
                width += w;
                at += n ? n : 1;
        }
        if (ret_width)
                *ret_width = width;
        return (size_t)(at - (const unsigned char *)text);
}

size_t text_width(const char *text)
{
        size_t width;

        text_fitting_bytes(text, SIZE_MAX, &width);
        return width;
}
