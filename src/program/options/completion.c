/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the completions of the last word of a line.  Contains no name of an option. */
#include "completion.h"

#include <string.h>

#include "arena.h"
#include "buf.h"

struct completing {
        const struct command_set *set;
        const struct command *command; /* NULL: none yet */
        const char *word;
        const struct completion_names *names;
        struct buf *out;
};

static void add(struct completing *c, const char *head, size_t head_len, const char *word, size_t len,
                const char *help)
{
        size_t wanted = strlen(c->word);

        if (head_len + len < wanted || strncmp(c->word + head_len, word, wanted - head_len))
                return;
        buf_add(c->out, head, head_len);
        buf_add(c->out, word, len);
        if (help && *help) {
                buf_add_char(c->out, '\t');
                buf_add_str(c->out, help);
        }
        buf_add_char(c->out, '\n');
}

static bool is_list(const struct option *option)
{
        return option->kind == OPTION_LIST;
}

/* The beginning of the item that is being typed: after '=' and, in a list, after the last ',' or '{'. */
static size_t head_of(const char *word, size_t value, bool list)
{
        size_t head = value;

        for (size_t i = value; list && word[i]; i++) {
                if (word[i] == ',' || word[i] == '{')
                        head = i + 1;
        }
        return head;
}

static void add_names(struct completing *c, const char *kind, size_t head)
{
        AUTO_RELEASE(buf) lines = {0};

        c->names->add(c->names->ctx, kind, &lines);
        for (const char *at = buf_text(&lines), *end; (end = strchr(at, '\n')); at = end + 1)
                add(c, c->word, head, at, (size_t)(end - at), NULL);
}

/* Whether the first item of a list is one of `words`, separated by blanks; they may be NULL. */
static bool begins_with(const char *list, const char *words)
{
        size_t wanted = strcspn(list, ","), len;
        const char *word;

        while ((word = options_next_word(&words, &len))) {
                if (len == wanted && !strncmp(word, list, len))
                        return true;
        }
        return false;
}

/* `value` is the offset of the value in the word. */
static void complete_value(struct completing *c, const struct option *option, size_t value)
{
        const char *values = option->values, *first = option->first_values, *word;
        size_t head = head_of(c->word, value, is_list(option)), len;

        if (head > value && begins_with(c->word + value, first)) {
                values = option->later_values;
                first = NULL;
        }
        if (!option->names && !option->values) {
                buf_add_str(c->out, option->kind == OPTION_FILE ? "files\n" : "words\n");
                return;
        }
        buf_add_str(c->out, is_list(option) ? "list\n" : "words\n");
        while ((word = options_next_word(&values, &len)))
                add(c, c->word, head, word, len, NULL);
        while (head == value && (word = options_next_word(&first, &len)))
                add(c, c->word, head, word, len, NULL);
        if (option->names)
                add_names(c, option->names, head);
}

static void complete_option(struct completing *c)
{
        struct option_walk walk = {.command = c->command};
        const struct option *option;

        buf_add_str(c->out, "words\n");
        while ((option = option_next(&walk))) {
                const char *aliases = option->aliases, *alias;
                AUTO_RELEASE(buf) spelled = {0};
                size_t len;

                if (option->hidden)
                        continue;
                buf_printf(&spelled, "--%s", option->name);
                add(c, "", 0, spelled.data, spelled.len, option->help);
                while (c->word[1] == '-' && c->word[2] && (alias = options_next_word(&aliases, &len))) {
                        buf_clear(&spelled);
                        buf_printf(&spelled, "--%.*s", (int)len, alias);
                        add(c, "", 0, spelled.data, spelled.len, option->help);
                }
                if (option_letter(c->command, option) && !c->word[1]) {
                        char letter[3] = {'-', option_letter(c->command, option), '\0'};

                        add(c, "", 0, letter, 2, option->help);
                }
        }
}

static void complete_command(struct completing *c, bool with_options)
{
        const struct command *const *commands = c->set->commands;

        buf_add_str(c->out, "words\n");
        for (size_t i = 0; commands[i]; i++) {
                if (!commands[i]->hidden)
                        add(c, "", 0, commands[i]->name, strlen(commands[i]->name), commands[i]->summary);
        }
        if (!with_options)
                return;
        add(c, "", 0, "--help", 6, "show how wperf is used");
        add(c, "", 0, "--version", 9, "show the versions");
}

static void complete_word(struct completing *c)
{
        const char *kind = c->command->args_names;

        if (kind && !strcmp(kind, "commands")) {
                complete_command(c, false);
        } else if (kind) {
                buf_add_str(c->out, "list\n");
                add_names(c, kind, head_of(c->word, 0, true));
        } else {
                buf_add_str(c->out, "files\n");
        }
}

/* The option of a word with dashes, with or without a value after '='. */
static const struct option *read_option(const struct command *command, const char *word)
{
        const char *name = word + 1 + (word[1] == '-');
        const struct option *option = option_find(command, name, strcspn(name, "="), NULL);

        if (!option && word[1] != '-' && word[1] && !word[2])
                option = option_find_letter(command, word[1], NULL);
        return option && option_takes_value(option) ? option : NULL;
}

static const struct command *find_command(const struct command_set *set, size_t n_words, char *const *words)
{
        for (size_t i = 0; i + 1 < n_words; i++) {
                if (options_find_command(set, words[i]))
                        return options_find_command(set, words[i]);
        }
        return NULL;
}

void completion_add(const struct command_set *set, size_t n_words, char *const *words,
                    const struct completion_names *names, struct buf *out)
{
        struct completing c = {
                .set = set,
                .command = find_command(set, n_words, words),
                .word = n_words ? words[n_words - 1] : "",
                .names = names,
                .out = out,
        };
        const char *before = n_words > 1 ? words[n_words - 2] : "", *equals = strchr(c.word, '=');
        const struct option *option = NULL;

        for (size_t i = 0; i + 1 < n_words; i++) {
                if (!strcmp(words[i], "--")) {
                        buf_add_str(out, "files\n");
                        return;
                }
        }
        if (!c.command) {
                complete_command(&c, true);
                return;
        }
        if (*c.word == '-' && equals)
                option = read_option(c.command, c.word);
        else if (*before == '-' && !strchr(before, '='))
                option = read_option(c.command, before);
        if (option)
                complete_value(&c, option, *c.word == '-' && equals ? (size_t)(equals + 1 - c.word) : 0);
        else if (*c.word == '-')
                complete_option(&c);
        else
                complete_word(&c);
}

const char *completion_value(const struct command_set *set, size_t n_words, char *const *words,
                             const char *option, struct arena *arena)
{
        const struct command *command = find_command(set, n_words, words);
        const char *found = NULL;

        for (size_t i = 0; command && i + 1 < n_words; i++) {
                const struct option *o = *words[i] == '-' ? read_option(command, words[i]) : NULL;
                const char *equals = strchr(words[i], '=');

                if (!o || strcmp(o->name, option))
                        continue;
                if (equals)
                        found = equals + 1;
                else if (i + 2 < n_words)
                        found = words[i + 1];
        }
        return found ? arena_copy(arena, found, strlen(found)) : NULL;
}
