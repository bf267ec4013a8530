/* SPDX-License-Identifier: BSD-3-Clause */
#include "name_groups.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "mem.h"
#include "text_match.h"

/* Made from data/groups/cpython.rules. */
extern const unsigned char name_groups_cpython_rules[];
extern const size_t name_groups_cpython_rules_bytes;

struct group_rule {
        const char *group, *pattern;
        const char *module; /* NULL: any */
};

struct name_groups {
        struct group_rule *rules;
        size_t n, cap;
        struct arena arena;
};

void name_groups_free(struct name_groups *groups)
{
        if (!groups)
                return;
        free(groups->rules);
        arena_release(&groups->arena);
        free(groups);
}

static size_t skip_blanks(const char *line, size_t at, size_t len)
{
        while (at < len && strchr(" \t\r", line[at]) && line[at])
                at++;
        return at;
}

/* Takes the next word of the line, or NULL. */
static const char *take_word(struct name_groups *groups, const char *line, size_t *at, size_t len)
{
        size_t start = skip_blanks(line, *at, len), end = start;

        while (end < len && !(strchr(" \t\r", line[end]) && line[end]))
                end++;
        *at = end;
        return end > start ? arena_copy(&groups->arena, line + start, end - start) : NULL;
}

static bool parse_line(struct name_groups *groups, const char *line, size_t len, size_t number,
                       struct err *err)
{
        struct group_rule rule;
        size_t at = skip_blanks(line, 0, len);

        if (at == len || line[at] == '#')
                return true;
        if (memchr(line, '\0', len))
                return err_set(err, ERR_FORMAT, "line %zu: this is not a text", number);
        rule.group = take_word(groups, line, &at, len);
        rule.pattern = take_word(groups, line, &at, len);
        rule.module = take_word(groups, line, &at, len);
        if (!rule.pattern || skip_blanks(line, at, len) != len)
                return err_set(err, ERR_FORMAT, "line %zu: a rule is GROUP PATTERN [MODULE]", number);
        if (groups->n == NAME_GROUPS_MAX_RULES)
                return err_set(err, ERR_LIMIT, "line %zu: more than %d rules", number, NAME_GROUPS_MAX_RULES);
        ARRAY_PUSH(groups->rules, groups->n, groups->cap, rule);
        return true;
}

struct name_groups *name_groups_parse(const char *text, size_t size, struct err *err)
{
        AUTO(name_groups) groups = mem_new(1, sizeof(*groups));
        size_t number = 0;

        for (size_t at = 0; at < size;) {
                const char *end = memchr(text + at, '\n', size - at);
                size_t len = end ? (size_t)(end - text) - at : size - at;

                if (!parse_line(groups, text + at, len, ++number, err))
                        return NULL;
                at += len + 1;
        }
        if (!groups->n) {
                err_set(err, ERR_FORMAT, "there are no rules");
                return NULL;
        }
        return TAKE(groups);
}

struct name_groups *name_groups_cpython(void)
{
        return name_groups_parse((const char *)name_groups_cpython_rules, name_groups_cpython_rules_bytes,
                                 NULL);
}

const char *name_groups_find(const struct name_groups *groups, const struct run_name *name)
{
        const char *function = name->brief ? name->brief : name->name;

        for (size_t i = 0; i < groups->n; i++) {
                const struct group_rule *rule = &groups->rules[i];

                if (text_match_glob(rule->pattern, function) &&
                    (!rule->module || text_match_glob(rule->module, name->module)))
                        return rule->group;
        }
        return NAME_GROUPS_OTHER;
}

const char *name_groups_of(const void *groups, const struct run_name *name)
{
        return name_groups_find(groups, name);
}
