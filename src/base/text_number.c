/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
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

/* Adds the digits at `at` to *value; returns the first byte that is not a digit, or NULL without digits. */
static const char *add_digits(const char *at, double *value, int *n_digits)
{
        const char *start = at;

        for (; isdigit((unsigned char)*at); at++)
                *value = *value * 10 + (*at - '0');
        *n_digits = at - start < 10000 ? (int)(at - start) : 10000;
        return at > start ? at : NULL;
}

static const char *parse_exponent(const char *at, int *ret)
{
        int sign = at[1] == '-' ? -1 : 1, n;
        double value = 0;

        at = add_digits(at + 1 + (at[1] == '-' || at[1] == '+'), &value, &n);
        *ret = sign * (value < 10000 ? (int)value : 10000);
        return at;
}

bool text_to_double(const char *text, double *ret_value)
{
        const char *at = text + (*text == '-');
        int n_fraction = 0, exponent = 0, n;
        double value = 0;

        at = add_digits(at, &value, &n);
        if (at && *at == '.')
                at = add_digits(at + 1, &value, &n_fraction);
        if (at && (*at == 'e' || *at == 'E'))
                at = parse_exponent(at, &exponent);
        if (!at || *at)
                return false;
        /* A power of ten up to 10^22 is exact, so that 0.1 is 1 / 10.  pow() would need glibc 2.29, and the
         * packages must run on 2.28. */
        if (exponent < n_fraction)
                value /= (double)powl(10, n_fraction - exponent);
        else
                value *= (double)powl(10, exponent - n_fraction);
        *ret_value = *text == '-' ? -value : value;
        return true;
}

bool text_to_percent(const char *text, double *ret_share)
{
        char number[32];
        size_t len = strlen(text);
        double value;

        if (len && text[len - 1] == '%')
                len--;
        if (!len || len >= sizeof(number))
                return false;
        memcpy(number, text, len);
        number[len] = '\0';
        if (!text_to_double(number, &value) || fabs(value) > 1e9)
                return false;
        *ret_share = value / 100;
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

/* Writes the digits of `value` before `end`; returns the position of the first one. */
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
