/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the text of a value into the typed field of a command's struct, with one small function for each
 * kind. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "options.h"
#include "text_number.h"

enum {
        /* limit of the grammar; the command checks against the machine's CPUs */
        MAX_CPUS = 4096,
        MAX_NUMBERS = 4096,
};

struct store {
        const struct option *option;
        const char *spelling; /* as it was typed */
        const char *value;
        char *options; /* the struct of the option's group */
        void *at;
        struct arena *arena;
        struct err *err;
};

static bool refuse_range(const struct store *s, const char *text)
{
        const struct option *o = s->option;

        return err_set(s->err, ERR_USAGE,
                       "option '%.60s': %.40s is out of range, %" PRIu64 " to %" PRIu64 "%s", s->spelling,
                       text, o->min, o->max,
                       o->or_minus_one ? ", or -1"
                       : o->or_max     ? ", or max"
                                       : "");
}

static bool read_number(const struct store *s, const char *text, uint64_t *ret_number)
{
        const struct option *o = s->option;
        const char *digits = text + (*text == '-');
        uint64_t number;

        if (!*text)
                return err_set(s->err, ERR_USAGE, "option '%.60s': a number is missing", s->spelling);
        if (digits[strspn(digits, "0123456789")] || !*digits)
                return err_set(s->err, ERR_USAGE, "option '%.60s': '%.80s' is not a number", s->spelling,
                               text);
        if (*text == '-' || !text_to_u64(text, 10, &number) || number < o->min || number > o->max)
                return refuse_range(s, text);
        *ret_number = number;
        return true;
}

static bool store_flag(const struct store *s)
{
        *(bool *)s->at = true;
        if (s->option->also_offset)
                *(bool *)(s->options + s->option->also_offset) = true;
        return true;
}

static bool store_times(const struct store *s)
{
        ++*(uint64_t *)s->at;
        return true;
}

static bool store_u64(const struct store *s)
{
        uint64_t below;

        if (s->option->or_max && !strcmp(s->value, "max")) {
                *(uint64_t *)s->at = UINT64_MAX;
                return true;
        }
        if (s->option->or_minus_one && s->value[0] == '-' && text_to_u64(s->value + 1, 10, &below)) {
                if (below != 1)
                        return refuse_range(s, s->value);
                *(uint64_t *)s->at = UINT64_MAX;
                return true;
        }
        return read_number(s, s->value, s->at);
}

static bool store_duration(const struct store *s)
{
        if (text_to_duration(s->value, s->spelling, s->option->max == 1, s->at, NULL))
                return true;
        return err_set(s->err, ERR_USAGE,
                       "input: \"%.80s\" to argument '%.60s' is invalid; write a number%s and one of the "
                       "units ms, s, m, h and d",
                       s->value, s->spelling, s->option->max == 1 ? "" : " above 0");
}

static bool store_string(const struct store *s)
{
        if (!*s->value)
                return err_set(s->err, ERR_USAGE, "option '%.60s' needs a value", s->spelling);
        *(const char **)s->at = s->value;
        return true;
}

static bool store_list(const struct store *s)
{
        const char *old = *(const char **)s->at;
        size_t old_len = old ? strlen(old) : 0, len = strlen(s->value);
        char *joined;

        if (!old || !len)
                return store_string(s);
        joined = arena_alloc(s->arena, old_len + len + 2);
        memcpy(joined, old, old_len);
        joined[old_len] = ',';
        memcpy(joined + old_len + 1, s->value, len);
        *(const char **)s->at = joined;
        return true;
}

static bool store_cpus(const struct store *s)
{
        uint32_t list[MAX_CPUS];
        struct cpu_list *cpus = s->at;
        uint64_t one;
        size_t n;

        if (text_to_u64(s->value, 10, &one) && one >= MAX_CPUS)
                return err_set(s->err, ERR_USAGE, "no such CPU: %.40s; for a period write cycles:%.40s",
                               s->value, s->value);
        if (!text_to_cpu_list(s->value, MAX_CPUS, list, MAX_CPUS, &n, s->err))
                return false;
        cpus->cpus = arena_alloc(s->arena, n * sizeof(*list));
        memcpy(cpus->cpus, list, n * sizeof(*list));
        cpus->n = n;
        return true;
}

/* Programs that print PIDs divide them by blanks or line ends: "1 2\n" becomes "1,2". Returns the length. */
static size_t join_by_commas(char *text)
{
        static const char blanks[] = " \t\n";
        char *to = text;

        for (const char *at = text + strspn(text, blanks); *at; at++) {
                size_t n = strspn(at, blanks);

                if (n && at[n] && at[n] != ',' && to[-1] != ',')
                        *to++ = ',';
                if (n)
                        at += n - 1;
                else
                        *to++ = *at;
        }
        *to = '\0';
        return (size_t)(to - text);
}

static bool store_numbers(const struct store *s)
{
        struct number_list list = {0};
        size_t len = strlen(s->value), n = 1;
        char *copy = arena_copy(s->arena, s->value, len);

        len = join_by_commas(copy);
        for (size_t i = 0; i < len; i++)
                n += copy[i] == ',';
        if (n > MAX_NUMBERS)
                return err_set(s->err, ERR_USAGE, "option '%.60s' takes at most %d numbers", s->spelling,
                               MAX_NUMBERS);
        list.numbers = arena_alloc(s->arena, n * sizeof(*list.numbers));
        while (list.n < n) {
                size_t word = strcspn(copy, ",");

                copy[word] = '\0';
                if (!read_number(s, copy, &list.numbers[list.n++]))
                        return false;
                copy += word + 1;
        }
        *(struct number_list *)s->at = list;
        return true;
}

bool option_store(const struct option *option, const char *spelling, const char *value, void *options,
                  struct arena *arena, struct err *err)
{
        static bool (*const stores[])(const struct store *) = {
                [OPTION_FLAG] = store_flag,       [OPTION_TIMES] = store_times,
                [OPTION_U64] = store_u64,         [OPTION_DURATION] = store_duration,
                [OPTION_STRING] = store_string,   [OPTION_FILE] = store_string,
                [OPTION_LIST] = store_list,       [OPTION_CPUS] = store_cpus,
                [OPTION_NUMBERS] = store_numbers,
        };
        const struct store s = {option, spelling, value, options, (char *)options + option->offset,
                                arena,  err};
        const struct misreading *m = option->misreading;

        assert((size_t)option->kind < N_ELEMENTS(stores) && stores[option->kind]);
        if (m && m->looks(value)) {
                AUTO_RELEASE(buf) text = {0};

                for (const char *at = m->sentence; *at; at++) {
                        if (at[0] == '%' && at[1] == 's') {
                                buf_printf(&text, "%.60s", value);
                                at++;
                        } else {
                                buf_add_char(&text, *at);
                        }
                }
                return err_set(err, ERR_USAGE, "%s", buf_text(&text));
        }
        return stores[option->kind](&s);
}
