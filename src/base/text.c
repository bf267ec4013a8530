/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool text_to_u64(const char *text, int base, uint64_t *ret_value)
{
        unsigned long long v;
        char *end;

        if (!isxdigit((unsigned char)text[0]))
                return false;
        errno = 0;
        v = strtoull(text, &end, base);
        if (errno || end == text || *end)
                return false;
        *ret_value = v;
        return true;
}

static const struct {
        const char *name;
        uint64_t ns;
} units[] = {
        {"", 1000000000},   {"ms", 1000000},      {"s", 1000000000},
        {"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000},
};

static bool parse_duration(const char *text, uint64_t *ret_ns)
{
        uint64_t whole = 0, hundredths = 0, ns;
        const char *at = text;

        if (!isdigit((unsigned char)*at) || (at[0] == '0' && isdigit((unsigned char)at[1])))
                return false;
        for (; isdigit((unsigned char)*at); at++) {
                if (whole > 100000000000)
                        return false;
                whole = whole * 10 + (uint64_t)(*at - '0');
        }
        if (*at == '.') {
                if (!isdigit((unsigned char)at[1]))
                        return false;
                hundredths = (uint64_t)(at[1] - '0') * 10;
                at += 2;
                if (isdigit((unsigned char)*at))
                        hundredths += (uint64_t)(*at++ - '0');
        }
        for (size_t i = 0; i < N_ELEMENTS(units); i++) {
                if (strcmp(at, units[i].name))
                        continue;
                if (__builtin_mul_overflow(whole, units[i].ns, &ns) || ns > INT64_MAX / 2)
                        return false;
                *ret_ns = ns + hundredths * (units[i].ns / 100);
                return true;
        }
        return false;
}

bool text_to_duration(const char *text, const char *option, bool allow_zero, uint64_t *ret_ns,
                      struct err *err)
{
        uint64_t ns;

        if (!parse_duration(text, &ns) || (!ns && !allow_zero))
                return err_set(err, ERR_USAGE, "input: \"%s\" to argument '%s' is invalid", text, option);
        *ret_ns = ns;
        return true;
}

static bool parse_small(const char **at, uint32_t *ret_value)
{
        uint32_t v = 0;

        if (!isdigit((unsigned char)**at))
                return false;
        for (; isdigit((unsigned char)**at); (*at)++) {
                if (v > 100000)
                        return false;
                v = v * 10 + (uint32_t)(**at - '0');
        }
        *ret_value = v;
        return true;
}

void text_add_cpu_list(struct buf *out, const uint32_t *list, size_t n)
{
        for (size_t i = 0; i < n;) {
                size_t last = i;

                while (last + 1 < n && list[last + 1] == list[last] + 1)
                        last++;
                buf_printf(out, "%s%" PRIu32, i ? "," : "", list[i]);
                if (last > i)
                        buf_printf(out, "-%" PRIu32, list[last]);
                i = last + 1;
        }
}

int text_compare_u32(const void *a, const void *b)
{
        uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

        return (x > y) - (x < y);
}

static size_t sort_unique(uint32_t *list, size_t n)
{
        size_t kept = 0;

        qsort(list, n, sizeof(*list), text_compare_u32);
        for (size_t i = 0; i < n; i++) {
                if (!kept || list[kept - 1] != list[i])
                        list[kept++] = list[i];
        }
        return kept;
}

bool text_to_cpu_list(const char *text, uint32_t limit, uint32_t *ret_list, size_t cap, size_t *ret_n,
                      struct err *err)
{
        const char *at = text;
        size_t n = 0;

        for (;;) {
                uint32_t from, to;

                if (!parse_small(&at, &from))
                        goto bad;
                to = from;
                if (*at == '-') {
                        at++;
                        if (!parse_small(&at, &to))
                                goto bad;
                }
                if (from >= limit || to >= limit)
                        return err_set(err, ERR_USAGE,
                                       "core index '%" PRIu32 "' not allowed. Use 0-%" PRIu32
                                       ", see option -c <n>",
                                       from >= limit ? from : to, limit - 1);
                if (from > to) {
                        uint32_t low = to;

                        to = from;
                        from = low;
                }
                for (uint32_t cpu = from; cpu <= to; cpu++) {
                        if (n == cap)
                                n = sort_unique(ret_list, n);
                        if (n == cap && bsearch(&cpu, ret_list, n, sizeof(*ret_list), text_compare_u32))
                                continue;
                        if (n == cap)
                                return err_set(err, ERR_LIMIT,
                                               "you can specify up to %zu cores with -c <cpu_list> option",
                                               cap);
                        ret_list[n++] = cpu;
                }
                if (!*at)
                        break;
                if (*at++ != ',')
                        goto bad;
        }
        *ret_n = sort_unique(ret_list, n);
        return true;
bad:
        return err_set(err, ERR_USAGE,
                       "option -c format not supported, use comma separated list of integers, or range of "
                       "integers: '%s'",
                       text);
}

/* The digits of `value`, the last one at end[-1]; returns where the first one stands. */
static char *put_digits(char *end, uint64_t value, unsigned base)
{
        do {
                *--end = "0123456789abcdef"[value % base];
                value /= base;
        } while (value);
        return end;
}

void text_add_u64(struct buf *out, uint64_t value)
{
        char digits[20], *end = digits + sizeof(digits), *at = put_digits(end, value, 10);

        buf_add(out, at, (size_t)(end - at));
}

void text_add_hex(struct buf *out, uint64_t value)
{
        char digits[18], *end = digits + sizeof(digits), *at = put_digits(end, value, 16);

        *--at = 'x';
        *--at = '0';
        buf_add(out, at, (size_t)(end - at));
}

void text_add_thousands(struct buf *out, uint64_t value)
{
        char digits[24];
        int n = snprintf(digits, sizeof(digits), "%" PRIu64, value);

        for (int i = 0; i < n; i++) {
                if (i && (n - i) % 3 == 0)
                        buf_add_char(out, ',');
                buf_add_char(out, digits[i]);
        }
}

const char *text_base_name(const char *path)
{
        const char *base = path;

        for (const char *at = path; *at; at++) {
                if ((*at == '/' || *at == '\\') && at[1])
                        base = at + 1;
        }
        return base;
}

bool text_starts(const char *text, const char *prefix)
{
        return !strncmp(text, prefix, strlen(prefix));
}

bool text_ends(const char *text, const char *suffix)
{
        size_t n = strlen(text), m = strlen(suffix);

        return n >= m && !strcmp(text + n - m, suffix);
}

static bool equal_nocase(const char *a, const char *b, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (tolower((unsigned char)a[i]) != tolower((unsigned char)b[i]))
                        return false;
        }
        return true;
}

bool text_in_list(const char *list, const char *word)
{
        size_t len = strlen(word);

        for (;;) {
                size_t n = strcspn(list, ",");

                if (n == len && !strncmp(list, word, n))
                        return true;
                if (!list[n])
                        return false;
                list += n + 1;
        }
}

bool text_equal_nocase(const char *a, const char *b)
{
        size_t n = strlen(a);

        return n == strlen(b) && equal_nocase(a, b, n);
}

bool text_pattern_has_arguments(const char *pattern)
{
        return pattern && strchr(pattern, '(');
}

bool text_match_symbol(const char *pattern, const char *name)
{
        size_t len = strlen(pattern), name_len = strlen(name);
        bool front = len && pattern[0] == '^';
        bool back = len > (size_t)front && pattern[len - 1] == '$';

        pattern += front;
        len -= (size_t)front + (size_t)back;
        if (front && !back)
                return name_len >= len && equal_nocase(pattern, name, len);
        if (back && !front)
                return name_len >= len && equal_nocase(pattern, name + name_len - len, len);
        return name_len == len && equal_nocase(pattern, name, len);
}

bool text_match_glob(const char *pattern, const char *text)
{
        const char *star = NULL, *resume = text;

        while (*text) {
                if (*pattern == '*') {
                        star = pattern++;
                        resume = text;
                } else if (*pattern && (*pattern == '?' || equal_nocase(pattern, text, 1))) {
                        pattern++;
                        text++;
                } else if (star) {
                        pattern = star + 1;
                        text = ++resume;
                } else {
                        return false;
                }
        }
        while (*pattern == '*')
                pattern++;
        return !*pattern;
}

enum { DISTANCE_MAX_LEN = 48 };

unsigned text_distance(const char *a, const char *b)
{
        size_t n = strlen(a), m = strlen(b);
        unsigned rows[3][DISTANCE_MAX_LEN + 1];
        unsigned *before = rows[0], *above = rows[1], *row = rows[2];

        if (n > DISTANCE_MAX_LEN || m > DISTANCE_MAX_LEN)
                return DISTANCE_MAX_LEN;
        for (size_t j = 0; j <= m; j++)
                above[j] = (unsigned)j;
        for (size_t i = 1; i <= n; i++) {
                unsigned *spare = before;

                row[0] = (unsigned)i;
                for (size_t j = 1; j <= m; j++) {
                        unsigned cost = tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
                        unsigned best = above[j - 1] + cost;

                        if (above[j] + 1 < best)
                                best = above[j] + 1;
                        if (row[j - 1] + 1 < best)
                                best = row[j - 1] + 1;
                        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                            before[j - 2] + 1 < best)
                                best = before[j - 2] + 1;
                        row[j] = best;
                }
                before = above;
                above = row;
                row = spare;
        }
        return above[m];
}

const char *text_nearest(const char *word, const char *const *names, size_t n)
{
        size_t len = strlen(word);
        unsigned best_distance = len < 3 ? 2 : len < 8 ? 3 : 4;
        const char *best = NULL;

        for (size_t i = 0; i < n; i++) {
                size_t other = strlen(names[i]);
                unsigned d;

                /* At least one edit for each character that one of them has more. */
                if ((other > len ? other - len : len - other) >= best_distance)
                        continue;
                d = text_distance(word, names[i]);
                if (d < best_distance && d < other) {
                        best_distance = d;
                        best = names[i];
                }
        }
        return best;
}

bool text_copy(char *to, size_t size, const char *from)
{
        size_t len = strlen(from);
        size_t n = len < size ? len : size - 1;

        memcpy(to, from, n);
        to[n] = '\0';
        return n == len;
}

size_t text_utf8_length(const unsigned char *at)
{
        size_t n = at[0] < 0x80   ? 1
                   : at[0] < 0xc2 ? 0
                   : at[0] < 0xe0 ? 2
                   : at[0] < 0xf0 ? 3
                   : at[0] < 0xf5 ? 4
                                  : 0;

        for (size_t i = 1; i < n; i++) {
                if ((at[i] & 0xc0) != 0x80)
                        return 0;
        }
        if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
            (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
                return 0;
        return n;
}

static uint32_t code_point(const unsigned char *at)
{
        if (at[0] < 0x80)
                return at[0];
        if (at[0] < 0xe0)
                return (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu);
        if (at[0] < 0xf0)
                return (at[0] & 0x0fu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
        return (at[0] & 0x07u) << 18 | (at[1] & 0x3fu) << 12 | (at[2] & 0x3fu) << 6 | (at[3] & 0x3fu);
}

/* Unicode's Default_Ignorable_Code_Point, format characters and separators of lines and paragraphs. */
bool text_is_unseen(const unsigned char *at, uint32_t *ret_code)
{
        static const struct {
                uint32_t first, last;
        } unseen[] = {
                {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},     {0x61c, 0x61c},
                {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
                {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},
                {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfe00, 0xfe0f},
                {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x110bd, 0x110bd},
                {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
                {0xe0000, 0xe0fff},
        };
        uint32_t code = code_point(at);

        *ret_code = code;
        for (size_t i = 0; i < N_ELEMENTS(unseen) && code >= unseen[i].first; i++) {
                if (code <= unseen[i].last)
                        return true;
        }
        return false;
}

/* How many of the first bytes are printable ASCII: eight at a time as long as all of them are. */
static size_t count_printable(const unsigned char *at, size_t len)
{
        const uint64_t ones = 0x0101010101010101u, high_bits = ones << 7;
        size_t n = 0;

        for (uint64_t word; len - n >= sizeof(word); n += sizeof(word)) {
                memcpy(&word, at + n, sizeof(word));
                if (((word | (word + ones)) & high_bits) || ((word - ones * 0x20) & ~word & high_bits))
                        break;
        }
        while (n < len && at[n] >= 0x20 && at[n] < 0x7f)
                n++;
        return n;
}

void text_add_printable(struct buf *out, const char *text)
{
        const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);

        for (;;) {
                size_t n = count_printable(at, (size_t)(end - at));
                uint32_t code;
                bool control;

                buf_add(out, at, n);
                at += n;
                if (at == end)
                        return;
                n = text_utf8_length(at);
                /* C1 controls (U+0080 to U+009F) drive terminals too. */
                control = *at < 0x20 || *at == 0x7f || (n == 2 && at[0] == 0xc2 && at[1] < 0xa0);
                if (!n || control) {
                        buf_printf(out, "\\x%02x", *at++);
                        continue;
                }
                if (text_is_unseen(at, &code))
                        buf_printf(out, code > 0xffff ? "\\U%08" PRIx32 : "\\u%04" PRIx32, code);
                else
                        buf_add(out, at, n);
                at += n;
        }
}

void text_hex(char *out, const void *bytes, size_t n)
{
        const uint8_t *at = bytes;

        for (size_t i = 0; i < n; i++)
                snprintf(out + 2 * i, 3, "%02x", at[i]);
        out[2 * n] = '\0';
}
