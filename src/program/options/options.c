/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks up entries in the tables of commands and options; does not depend on the grammar. */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"

const char *options_next_word(const char **at, size_t *ret_len)
{
        const char *start = *at;

        if (!start)
                return NULL;
        while (*start == ' ')
                start++;
        *ret_len = strcspn(start, " ");
        *at = start + *ret_len;
        return *ret_len ? start : NULL;
}

static bool is_word(const char *word, size_t len, const char *text)
{
        return strlen(text) == len && !memcmp(word, text, len);
}

static bool in_words(const char *words, const char *name, size_t len)
{
        const char *word;
        size_t n;

        while ((word = options_next_word(&words, &n))) {
                if (n == len && !memcmp(word, name, len))
                        return true;
        }
        return false;
}

const struct option *option_next(struct option_walk *walk)
{
        const struct command_group *groups = walk->command->groups;

        while (groups && groups[walk->group].group) {
                const struct command_group *g = &groups[walk->group];
                const struct option *option = &g->group->options[walk->option];

                if (option->name) {
                        walk->option++;
                        walk->group_offset = g->offset;
                        return option;
                }
                walk->group++;
                walk->option = 0;
        }
        return NULL;
}

const struct option *option_find(const struct command *command, const char *name, size_t len,
                                 size_t *ret_offset)
{
        struct option_walk walk = {.command = command};
        const struct option *option;

        while ((option = option_next(&walk))) {
                if (!is_word(name, len, option->name) && !in_words(option->aliases, name, len))
                        continue;
                if (ret_offset)
                        *ret_offset = walk.group_offset;
                return option;
        }
        return NULL;
}

char option_letter(const struct command *command, const struct option *option)
{
        for (const struct command_letter *l = command->letters; !option->letter && l && l->letter; l++) {
                if (!strcmp(l->name, option->name))
                        return l->letter;
        }
        return option->letter;
}

static bool has_letter(const struct command *command, const struct option *option, char letter)
{
        for (const struct command_letter *l = command->letters; l && l->letter; l++) {
                if (l->letter == letter && !strcmp(l->name, option->name))
                        return true;
        }
        return option->letter == letter;
}

const struct option *option_find_letter(const struct command *command, char letter, size_t *ret_offset)
{
        struct option_walk walk = {.command = command};
        const struct option *option;

        while ((option = option_next(&walk))) {
                if (!letter || !has_letter(command, option, letter))
                        continue;
                if (ret_offset)
                        *ret_offset = walk.group_offset;
                return option;
        }
        return NULL;
}

const struct option *option_find_word(const struct command *command, const char *word, size_t *ret_offset)
{
        struct option_walk walk = {.command = command};
        const struct option *option;

        while ((option = option_next(&walk))) {
                if (!option->word || strcmp(option->word, word))
                        continue;
                if (ret_offset)
                        *ret_offset = walk.group_offset;
                return option;
        }
        return NULL;
}

bool option_takes_value(const struct option *option)
{
        return option->kind != OPTION_FLAG && option->kind != OPTION_TIMES;
}

bool option_group_is_shown(const struct option_group *group)
{
        for (const struct option *option = group->options; option->name; option++) {
                if (!option->hidden)
                        return true;
        }
        return false;
}

const char *option_help(const struct command *command, const struct option *option)
{
        for (const struct option_text *t = command->texts; t && t->name; t++) {
                if (!strcmp(t->name, option->name))
                        return t->help;
        }
        return option->help;
}

const char *option_find_absent(const struct command *command, const char *word)
{
        const char *name = word + (word[1] == '-' ? 2 : 1);
        size_t len = strcspn(name, "=");

        for (const struct absent_option *a = command->absent; a && a->spellings; a++) {
                if (in_words(a->spellings, name, len) || (word[1] != '-' && in_words(a->spellings, name, 1)))
                        return a->sentence;
        }
        return NULL;
}

const struct command *options_find_command(const struct command_set *set, const char *word)
{
        const struct command *const *commands = set->commands;
        size_t len = strlen(word);

        for (size_t i = 0; commands[i]; i++) {
                if (is_word(word, len, commands[i]->name) || in_words(commands[i]->aliases, word, len))
                        return commands[i];
        }
        return NULL;
}

void option_add_spellings(const struct command *command, const struct option *option, bool arg,
                          struct buf *out)
{
        char letter = option_letter(command, option);
        const char *aliases = option->aliases, *word;
        size_t len;

        if (letter)
                buf_printf(out, "-%c, ", letter);
        buf_printf(out, "--%s", option->name);
        while ((word = options_next_word(&aliases, &len)))
                buf_printf(out, ", --%.*s", (int)len, word);
        if (option->word)
                buf_printf(out, ", %s", option->word);
        if (arg && option->arg)
                buf_printf(out, " %s", option->arg);
}
