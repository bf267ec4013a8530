/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses a command line by the grammar in options.h.  Contains no name of an option but "help". */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "mem.h"
#include "options.h"
#include "text_match.h"
#include "text_number.h"

struct options_parser {
        struct command_line *line;
        const struct command_set *set;
        const struct command *command;
        char **args;
        size_t n_args;
        size_t at;         /* the next argument to read */
        size_t command_at; /* index of the command's name */
        struct err *err;
};

/* How a word with a dash was parsed. */
struct options_reading {
        const struct option *option; /* NULL: unknown */
        size_t group_offset;
        const char *value; /* the part after '=' or the letter, or NULL */
        bool is_long;
};

enum { MAX_NAMES = 256, MOST_PIDS = 4096 };

static bool is_number(const char *text)
{
        return text[0] == '-' && isdigit((unsigned char)text[1]);
}

static struct options_reading read_long(const struct command *command, const char *name)
{
        struct options_reading r = {.is_long = true};
        size_t len = strcspn(name, "=");

        r.option = option_find(command, name, len, &r.group_offset);
        r.value = name[len] ? name + len + 1 : NULL;
        return r;
}

static struct options_reading read_letter(const struct command *command, const char *letters)
{
        struct options_reading r = {0};

        r.option = option_find_letter(command, letters[0], &r.group_offset);
        r.value = letters[1] ? letters + 1 + (letters[1] == '=') : NULL;
        return r;
}

static struct options_reading read_word(const struct command *command, const char *word)
{
        struct options_reading r = read_long(command, word + (word[1] == '-' ? 2 : 1));

        if (r.option || word[1] == '-')
                return r;
        return read_letter(command, word + 1);
}

/* --- Suggestions ------------------------------------------------------------------------------------ */

static size_t collect_names(const struct command *command, struct arena *arena, const char **names)
{
        struct option_walk walk = {.command = command};
        const struct option *option;
        size_t n = 0;

        while ((option = option_next(&walk))) {
                const char *aliases = option->aliases, *word;
                size_t len;

                assert(n < MAX_NAMES);
                names[n++] = option->name;
                while ((word = options_next_word(&aliases, &len)) && n < MAX_NAMES)
                        names[n++] = arena_copy(arena, word, len);
        }
        return n;
}

/* The long name that is similar to `word` (without dashes), or NULL. */
static const char *nearest_name(struct options_parser *p, const char *word)
{
        const char *names[MAX_NAMES];
        size_t n = collect_names(p->command, &p->line->arena, names);
        const char *name = arena_copy(&p->line->arena, word, strcspn(word, "="));

        return text_nearest(name, names, n);
}

/* True if the letters of `word` are probably a misspelled long name with one or two errors.  `-ewall` is a
 * letter with its value, because few people misspell the first letter. */
static bool is_near_miss(struct options_parser *p, const char *word)
{
        const char *near = isalpha((unsigned char)word[1]) ? nearest_name(p, word) : NULL;

        return near && *near == *word && strlen(word) >= 4 &&
               text_distance(word, near) <= (strlen(near) >= 7 ? 2 : 1);
}

static bool fail_unknown(struct options_parser *p, const char *word)
{
        size_t dashes = word[1] == '-' ? 2 : 1;
        const char *near = nearest_name(p, word + dashes);
        const char *instead = is_near_miss(p, word + dashes) ? NULL : option_find_absent(p->command, word);

        if (instead && (dashes == 2 || !is_near_miss(p, word + 1)))
                return err_set(p->err, ERR_USAGE, "unexpected arg '%.60s': not an option of wperf %s; %s",
                               word, p->command->name, instead);
        if (near)
                return err_set(p->err, ERR_USAGE,
                               "unexpected arg '%.60s': no such option; did you mean '--%s'?", word, near);
        return err_set(p->err, ERR_USAGE, "unexpected arg '%.60s': no such option; see wperf help %s", word,
                       p->command->name);
}

static bool fail_unknown_command(struct options_parser *p, const char *word)
{
        const struct command *const *commands = p->set->commands;
        const char *names[MAX_NAMES], *near;
        size_t n = 0;

        for (const struct foreign_command *foreign = p->set->foreign; foreign->name; foreign++) {
                if (!strcmp(word, foreign->name))
                        return err_set(p->err, ERR_USAGE, "'%s' is not a wperf command; %s", word,
                                       foreign->instead);
        }
        for (size_t i = 0; commands[i] && n < MAX_NAMES; i++) {
                const char *aliases = commands[i]->aliases, *alias;
                size_t len;

                if (commands[i]->hidden)
                        continue;
                if (word[0] != '-')
                        names[n++] = commands[i]->name;
                while ((alias = options_next_word(&aliases, &len)) && n < MAX_NAMES)
                        names[n++] = arena_copy(&p->line->arena, alias, len);
        }
        near = strlen(word) > 2 ? text_nearest(word, names, n) : NULL;
        if (near)
                return err_set(p->err, ERR_USAGE, "unexpected arg '%.60s': no such %s; did you mean '%s'?",
                               word, word[0] == '-' ? "option" : "command", near);
        if (word[0] == '-')
                return err_set(
                        p->err, ERR_USAGE,
                        "unexpected arg '%.60s': write a command before the options; 'wperf --help' lists the commands",
                        word);
        return err_set(
                p->err, ERR_USAGE,
                "unexpected arg '%.60s': no such command; to profile a program write wperf record -- %.60s",
                word, word);
}

/* --- Options ---------------------------------------------------------------------------------------- */

static void remember(struct options_parser *p, const struct option *option, const char *value)
{
        struct command_line *line = p->line;
        size_t kept = 0;

        for (size_t i = 0; i < line->n_given; i++) {
                if (line->given[i].option != option || option->kind == OPTION_LIST)
                        line->given[kept++] = line->given[i];
        }
        line->n_given = kept;
        ARRAY_PUSH(line->given, line->n_given, line->cap_given, (struct given_option){option, value});
}

/* The option as typed: "--timeout" of --timeout=1m30s, "-F" of -F999. */
static const char *typed(struct options_parser *p, const struct options_reading *r, const char *word)
{
        size_t len = r->is_long ? strcspn(word, "=") : 2;

        return r->value ? arena_copy(&p->line->arena, word, len) : word;
}

static bool store(struct options_parser *p, const struct options_reading *r, const char *spelling,
                  const char *value)
{
        char *options = p->line->options;

        if (!option_store(r->option, spelling, value, options + r->group_offset, &p->line->arena, p->err))
                return false;
        if (r->option->typed_offset)
                *(const char **)(options + r->group_offset + r->option->typed_offset) = spelling;
        remember(p, r->option, value);
        if (!strcmp(r->option->name, "help"))
                p->line->help = true;
        return true;
}

static const char *lacks_value(const struct command *command, char letter)
{
        for (const struct command_letter *l = command->letters; l && l->letter; l++) {
                if (l->letter == letter)
                        return l->lacks;
        }
        return NULL;
}

/* The value of an option: joined to it, or the next word. */
static bool take_value(struct options_parser *p, const struct options_reading *r, const char *spelling)
{
        const char *value = r->value;

        spelling = typed(p, r, spelling);
        if (!value && p->at < p->n_args && p->at != p->command_at) {
                const char *next = p->args[p->at];

                if (next[0] != '-' || !next[1] || is_number(next)) {
                        value = next;
                        p->at++;
                }
        }
        if (!value) {
                const char *lacks = r->is_long ? NULL : lacks_value(p->command, spelling[1]);

                return err_set(p->err, ERR_USAGE, "option '%.60s' needs a value: %s%s%s", spelling,
                               r->option->arg, lacks ? "; " : "", lacks ? lacks : "");
        }
        return store(p, r, spelling, value);
}

/* Parses joined flags; the last letter may take its value from the next word. */
static bool parse_letters(struct options_parser *p, const char *word)
{
        for (const char *at = word + 1; *at; at++) {
                const struct option *option = option_find_letter(p->command, *at, NULL);

                if (!option || (option_takes_value(option) && at[1]))
                        return fail_unknown(p, word);
        }
        for (const char *at = word + 1; *at && !p->line->help; at++) {
                char one[3] = {'-', *at, '\0'};
                struct options_reading r = read_letter(p->command, one + 1);

                if (option_takes_value(r.option) ? !take_value(p, &r, one) : !store(p, &r, one, NULL))
                        return false;
        }
        return true;
}

/* `record --all --help`: all options. */
static bool begins_help(const struct options_parser *p, const char *word)
{
        const char *next = p->at < p->n_args ? p->args[p->at] : "";

        return !strcmp(word, "--all") && (!strcmp(next, "--help") || !strcmp(next, "-h"));
}

static bool parse_option(struct options_parser *p, const char *word)
{
        struct options_reading r = read_word(p->command, word);

        if (begins_help(p, word))
                return p->line->help = p->line->help_all = true;
        if (!r.option || (!r.is_long && is_near_miss(p, word + 1)))
                return fail_unknown(p, word);
        if (option_takes_value(r.option))
                return take_value(p, &r, word);
        if (r.is_long && r.value)
                return err_set(p->err, ERR_USAGE, "option '%.60s' takes no value", typed(p, &r, word));
        if (r.value)
                return parse_letters(p, word);
        return store(p, &r, word, NULL);
}

/* --- Words ------------------------------------------------------------------------------------------ */

static void add_arg(struct options_parser *p, char *word)
{
        p->line->args[p->line->n_args++] = word;
}

static void take_rest(struct options_parser *p)
{
        while (p->at < p->n_args) {
                if (p->at != p->command_at)
                        add_arg(p, p->args[p->at]);
                p->at++;
        }
}

static bool is_pid(const struct options_parser *p, const char *word)
{
        return p->command->pids_offset && !p->line->has_dashes && !word[strspn(word, "0123456789")];
}

static bool add_pid(struct options_parser *p, const char *word)
{
        struct number_list *pids = (void *)((char *)p->line->options + p->command->pids_offset);
        uint64_t *numbers;

        if (!*word)
                return err_set(p->err, ERR_USAGE, "an argument is empty: write the PID of a process");
        if (pids->n == MOST_PIDS)
                return err_set(p->err, ERR_USAGE, "too many PIDs: %d at most", MOST_PIDS);
        numbers = arena_alloc(&p->line->arena, (pids->n + 1) * sizeof(*numbers));
        if (pids->n)
                memcpy(numbers, pids->numbers, pids->n * sizeof(*numbers));
        if (!text_to_u64(word, 10, &numbers[pids->n]) || numbers[pids->n] > INT32_MAX)
                return err_set(p->err, ERR_USAGE,
                               "no process %.40s; to run a program of that name write -- %.40s", word, word);
        *pids = (struct number_list){numbers, pids->n + 1};
        return true;
}

static bool parse_bare(struct options_parser *p, char *word)
{
        const struct command *command = p->command;

        if (p->at - 1 < p->command_at && command->args != ARGS_OWN)
                return fail_unknown_command(p, word);
        if (is_pid(p, word))
                return add_pid(p, word);
        switch (command->args) {
        case ARGS_COMMAND:
                p->at--;
                take_rest(p);
                return true;
        case ARGS_OWN: add_arg(p, word); return true;
        case ARGS_ATTACH:
                return err_set(
                        p->err, ERR_USAGE,
                        "'%s' samples a program that is running already (--pid, --pe_file) and does not start one; "
                        "to start '%.60s' write wperf record -- %.60s",
                        command->name, word, word);
        default:
                return err_set(p->err, ERR_USAGE, "unexpected arg '%.80s': '%s' takes no argument", word,
                               command->name);
        }
}

/* The words after "--". */
static bool parse_rest(struct options_parser *p)
{
        if (p->at == p->n_args)
                return true;
        if (p->command->args != ARGS_COMMAND && p->command->args != ARGS_OWN) {
                p->at++;
                return parse_bare(p, p->args[p->at - 1]);
        }
        take_rest(p);
        return true;
}

static bool parse_word(struct options_parser *p, char *word)
{
        struct options_reading r = {0};

        if (!strcmp(word, "--")) {
                p->line->n_args_before = p->line->n_args;
                p->line->has_dashes = true;
                return parse_rest(p);
        }
        if (word[0] == '-' && word[1])
                return parse_option(p, word);
        r.option = option_find_word(p->command, word, &r.group_offset);
        if (r.option)
                return take_value(p, &r, word);
        return parse_bare(p, word);
}

/* --- The command ------------------------------------------------------------------------------------ */

/* Whether a word is the value of the option before it, in any command: in `-o list`, list is not a
 * command. */
static bool is_value_of(const struct command *const *commands, const char *before)
{
        if (before[0] != '-' || !before[1])
                return false;
        for (size_t i = 0; commands[i]; i++) {
                struct options_reading r = read_word(commands[i], before);

                if (r.option && option_takes_value(r.option) && !r.value)
                        return true;
        }
        return false;
}

static bool find_command(struct options_parser *p)
{
        for (size_t i = 0; i < p->n_args && strcmp(p->args[i], "--"); i++) {
                p->command = options_find_command(p->set, p->args[i]);
                p->command_at = i;
                if (p->command && (!i || !is_value_of(p->set->commands, p->args[i - 1])))
                        return true;
                if (!i && p->args[0][0] != '-')
                        break;
        }
        return fail_unknown_command(p, p->args[0]);
}

static void begin_line(struct command_line *line, const struct command *command, size_t n_args)
{
        line->command = command;
        line->args = arena_alloc(&line->arena, (n_args + 1) * sizeof(*line->args));
        line->options = mem_new(1, command->options_size + 1);
        if (command->defaults)
                memcpy(line->options, command->defaults, command->options_size);
}

bool command_line_parse(struct command_line *line, const struct command_set *set, size_t n_args, char **args,
                        struct err *err)
{
        struct options_parser p = {.line = line, .set = set, .args = args, .n_args = n_args, .err = err};

        *line = (struct command_line){0};
        if (!n_args)
                return true;
        if (!find_command(&p))
                return false;
        begin_line(line, p.command, n_args);
        if (p.command->args == ARGS_RAW) {
                if (p.command_at)
                        return fail_unknown_command(&p, args[0]);
                p.at = 1;
                take_rest(&p);
                return true;
        }
        while (p.at < n_args && !line->help) {
                if (p.at++ == p.command_at)
                        continue;
                if (!parse_word(&p, args[p.at - 1]))
                        return false;
        }
        if (line->help && p.at < n_args && !strcmp(args[p.at], "--all"))
                line->help_all = true;
        if (!line->has_dashes)
                line->n_args_before = line->n_args;
        return true;
}

void command_line_release(struct command_line *line)
{
        free(line->options);
        free(line->given);
        arena_release(&line->arena);
        *line = (struct command_line){0};
}

struct number_list command_line_pids(const struct command_line *line)
{
        struct number_list pids = {0};

        if (line->command->pids_offset)
                memcpy(&pids, (const char *)line->options + line->command->pids_offset, sizeof(pids));
        return pids;
}
