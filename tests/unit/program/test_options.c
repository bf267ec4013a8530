/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "buf.h"
#include "cmd_record_options.h"
#include "cmd_report_options.h"
#include "cmd_stat_options.h"
#include "commands.h"
#include "err.h"
#include "options.h"
#include "tap.h"
#include "text.h"

enum { MAX_WORDS = 32 };

/* Splits a line at blanks; the words are valid until the next call. */
static size_t cut_words(const char *text, char **words)
{
        static char copy[1024];
        size_t n = 0;

        snprintf(copy, sizeof(copy), "%s", text);
        for (char *at = strtok(copy, " "); at && n < MAX_WORDS; at = strtok(NULL, " "))
                words[n++] = at;
        words[n] = NULL;
        return n;
}

static bool parse(const char *text, struct command_line *line, struct err *err)
{
        static char *words[MAX_WORDS + 1];

        return command_line_parse(line, &commands_all, cut_words(text, words), words, err);
}

/* The output of --explain on one line, or the error after '!'. */
static const char *understood(const char *text)
{
        static char result[2048];
        AUTO_RELEASE(buf) out = {0};
        struct command_line line;
        struct err err = {0};
        size_t n = 0;

        if (parse(text, &line, &err))
                options_explain(&line, &out);
        else
                buf_printf(&out, "!%s\n", err.text);
        command_line_release(&line);
        for (const char *at = buf_text(&out); *at && n + 2 < sizeof(result); at++) {
                if (*at == '\n' && at[1])
                        result[n++] = ';';
                if (*at != '\n')
                        result[n++] = *at;
                else if (at[1])
                        result[n++] = ' ';
        }
        result[n] = '\0';
        return result;
}

struct line_case {
        const char *line;
        const char *want;
};

static void check_lines(const struct line_case *cases, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                const char *got = understood(cases[i].line);

                if (strcmp(got, cases[i].want))
                        TAP_FAIL("'%s' is '%s', want '%s'", cases[i].line, got, cases[i].want);
        }
}

TEST(spellings_of_an_option)
{
        static const struct line_case cases[] = {
                {"record --freq 99", "command: record; option --freq: 99"},
                {"record --freq=99", "command: record; option --freq: 99"},
                {"record -freq 99", "command: record; option --freq: 99"},
                {"record -freq=99", "command: record; option --freq: 99"},
                {"record -F 99", "command: record; option --freq: 99"},
                {"record -F99", "command: record; option --freq: 99"},
                {"sample -pe_file x", "command: sample; option --pe_file: x"},
                {"sample --pe-file x", "command: sample; option --pe_file: x"},
                {"sample -p12", "command: sample; option --pid: 12"},
                {"sample -evfp_spec", "command: sample; option --event: vfp_spec"},
                {"stat -t", "command: stat; option --timeline: on"},
                {"stat -timeout 5", "command: stat; option --timeout: 5 s"},
                {"stat sleep 0.5", "command: stat; option --timeout: 500 ms"},
                {"stat -t -i 0 -n 3", "command: stat; option --timeline: on; option --interval: 0 s; "
                                      "option --count: 3"},
                {"report -i x", "command: report; option --input: x"},
                {"record -ag", "command: record; option --all-cpus: on; option --stacks: on"},
                {"record -qvF 9", "command: record; option --quiet: on; option --verbose: on; "
                                  "option --freq: 9"},
                {"record --cpu 1", "command: record; option --cpu: 1"},
                {"record -o - --session -", "command: record; option --output: -; option --session: -"},
                {"record --session=-x", "command: record; option --session: -x"},
                {"sample --cwd d", "command: sample; option --output-prefix: d"},
                {"annotate -Mintel f", "command: annotate; option --disassembler-style: intel; "
                                       "arguments: f"},
                {"record --export_perf_data", "command: record; option --export_perf_data: on"},
        };

        check_lines(cases, N_ELEMENTS(cases));
}

TEST(where_the_program_begins)
{
        static const struct line_case cases[] = {
                {"record ./a -F 99", "command: record; run: ./a -F 99"},
                {"record -F 99 a sleep 5", "command: record; option --freq: 99; run: a sleep 5"},
                {"record sleep 5 a", "command: record; option --timeout: 5 s; run: a"},
                {"record -- sleep 5", "command: record; run: sleep 5"},
                {"record -- --json -- x", "command: record; run: --json -- x"},
                {"record a -- b", "command: record; run: a -- b"},
                {"record -", "command: record; run: -"},
                {"record --", "command: record"},
                {"stat -m imix -- a", "command: stat; option --metrics: imix; run: a"},
                {"report a --json b -- -c", "command: report; option --json: on; arguments: a b -c"},
                {"record -- record", "command: record; run: record"},
        };

        check_lines(cases, N_ELEMENTS(cases));
}

TEST(words_of_digits)
{
        static const struct line_case cases[] = {
                {"record 4711", "command: record; processes: 4711"},
                {"record 4711 4712 sleep 10",
                 "command: record; option --timeout: 10 s; processes: 4711,4712"},
                {"record 4711 -F 99 -d 500ms",
                 "command: record; option --freq: 99; option --timeout: 500 ms; processes: 4711"},
                {"record 4711 ./a 5", "command: record; processes: 4711; run: ./a 5"},
                {"record 4711 -- sleep 30", "command: record; processes: 4711; run: sleep 30"},
                {"record -- 4711", "command: record; run: 4711"},
                {"record ./a 4711", "command: record; run: ./a 4711"},
                {"record 12x", "command: record; run: 12x"},
                {"sample 4711 -d5", "command: sample; option --timeout: 5 s; processes: 4711"},
                {"stat 4711", "command: stat; run: 4711"},
                {"record 99999999999", "!no process 99999999999; to run a program of that name write -- "
                                       "99999999999"},
                {"record -d -p 5", "!option '-d' needs a value: DURATION; for data addresses write --mem"},
                {"stat --duration 5", "command: stat; option --timeout: 5 s"},
        };

        check_lines(cases, N_ELEMENTS(cases));
}

TEST(numbers_are_divided_by_commas_and_blanks)
{
        static const struct {
                const char *value, *want;
        } cases[] = {
                {"1\n2\n", "option --pid: 1,2"},
                {" 1 , 2\t3 ", "option --pid: 1,2,3"},
                {"1,,2", "!option '-p': a number is missing"},
                {"\n", "!option '-p': a number is missing"},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                char value[16], command[] = "record", option[] = "-p",
                                *words[] = {command, option, value, NULL};
                AUTO_RELEASE(buf) out = {0};
                struct command_line line;
                struct err err = {0};

                snprintf(value, sizeof(value), "%s", cases[i].value);
                if (command_line_parse(&line, &commands_all, 3, words, &err))
                        options_explain(&line, &out);
                else
                        buf_printf(&out, "!%s", err.text);
                command_line_release(&line);
                EXPECT_CONTAINS(buf_text(&out), cases[i].want);
        }
}

TEST(an_empty_argument)
{
        static const char *const names[] = {"record", "sample", "stack", "top"};

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                char command[16], empty[] = "", *words[] = {command, empty, NULL};
                struct command_line line;
                struct err err = {0};

                snprintf(command, sizeof(command), "%s", names[i]);
                EXPECT_TRUE(!command_line_parse(&line, &commands_all, 2, words, &err));
                command_line_release(&line);
                EXPECT_STR(err.text, "an argument is empty: write the PID of a process");
        }
}

TEST(where_the_command_stands)
{
        static const struct line_case cases[] = {
                {"", "command: none"},
                {"-l", "command: list"},
                {"--version --json", "command: version; option --json: on"},
                {"--json --version", "command: version; option --json: on"},
                {"-o list record", "command: record; option --output: list"},
                {"-e x stat", "command: stat; option --event: x"},
                {"-v list", "command: list; option --verbose: on"},
                {"-q -c 1 sample -k", "command: sample; option --quiet: on; option --cpu: 1; "
                                      "option --kernel: on"},
                {"--help", "command: help"},
                {"-h record", "command: help; arguments: record"},
                {"recrod", "!unexpected arg 'recrod': no such command; did you mean 'record'?"},
                {"--verson", "!unexpected arg '--verson': no such option; did you mean '--version'?"},
                {"zzzzzzzzz",
                 "!unexpected arg 'zzzzzzzzz': no such command; to profile a program write wperf record -- zzzzzzzzz"},
                {"-q",
                 "!unexpected arg '-q': write a command before the options; 'wperf --help' lists the commands"},
                {"-- record",
                 "!unexpected arg '--': write a command before the options; 'wperf --help' lists the commands"},
                {"-q zzzzzzzzz stat",
                 "!unexpected arg 'zzzzzzzzz': no such command; to profile a program write wperf record -- zzzzzzzzz"},
        };

        check_lines(cases, N_ELEMENTS(cases));
}

TEST(last_wins_and_lists_grow)
{
        struct command_line line;
        struct err err = {0};
        const struct record_options *o;

        ASSERT_TRUE(parse("record -e a,b -F 1 -c 5 -e {c,d} -F 2 -c 3-1,0 -p 7,8 --timeout 750ms x", &line,
                          &err));
        o = line.options;
        EXPECT_STR(o->event.events, "a,b,{c,d}");
        EXPECT_INT(o->sampling.freq_hz, 2);
        EXPECT_INT(o->target.cpus.n, 4);
        EXPECT_INT(o->target.cpus.cpus[3], 3);
        EXPECT_INT(o->target.pids.n, 2);
        EXPECT_INT(o->target.pids.numbers[1], 8);
        EXPECT_INT(o->target.timeout_ns, 750000000);
        EXPECT_INT(o->display.rows, 0);
        EXPECT_TRUE(!o->display.annotate && !o->target.pe_file);
        EXPECT_INT(line.n_args, 1);
        EXPECT_STR(line.args[0], "x");
        EXPECT_TRUE(!line.args[1]);
        EXPECT_INT(line.n_given, 6);
        command_line_release(&line);
}

TEST(groups_have_their_own_place)
{
        struct command_line line;
        struct err err = {0};
        const struct report_options *report;
        const struct stat_options *stat;

        ASSERT_TRUE(parse("report -i a -s ^_Py --sort comm,pid --dso libc.so.6 --time 1,2 --json -v --strict",
                          &line, &err));
        report = line.options;
        EXPECT_STR(report->input.input, "a");
        EXPECT_STR(report->display.symbol, "^_Py");
        EXPECT_STR(report->choice.sort, "comm,pid");
        EXPECT_STR(report->filter.modules, "libc.so.6");
        EXPECT_STR(report->filter.time, "1,2");
        EXPECT_TRUE(report->output.json && report->general.verbose && report->display.strict);
        EXPECT_TRUE(!report->output.output && !report->general.quiet && !report->choice.csv);
        command_line_release(&line);
        ASSERT_TRUE(parse("stat -m imix -c 1 sleep 3", &line, &err));
        stat = line.options;
        EXPECT_STR(stat->metric.metrics, "imix");
        EXPECT_INT(stat->target.timeout_ns, 3000000000);
        EXPECT_INT(stat->timeline.interval_ns, 60000000000);
        command_line_release(&line);
}

TEST(wrong_names)
{
        static const struct line_case cases[] = {
                {"record --timout 5",
                 "!unexpected arg '--timout': no such option; did you mean '--timeout'?"},
                {"record -timout 5", "!unexpected arg '-timout': no such option; did you mean '--timeout'?"},
                {"stat -timout 5", "!unexpected arg '-timout': no such option; did you mean '--timeout'?"},
                {"stat -pefile x", "!unexpected arg '-pefile': no such option; did you mean '--pe_file'?"},
                {"sample -symbl x", "!unexpected arg '-symbl': no such option; did you mean '--symbol'?"},
                {"sample --sesion=x",
                 "!unexpected arg '--sesion=x': no such option; did you mean '--session'?"},
                {"record --zzzzzzzz", "!unexpected arg '--zzzzzzzz': no such option; see wperf help record"},
                {"record -Z", "!unexpected arg '-Z': no such option; see wperf help record"},
                {"record --F 5", "!unexpected arg '--F': no such option; see wperf help record"},
                {"record -avZ", "!unexpected arg '-avZ': no such option; see wperf help record"},
                {"dump -e x", "!unexpected arg '-e': no such option; see wperf help dump"},
                {"test x", "!unexpected arg 'x': 'test' takes no argument"},
                {"version -- x", "!unexpected arg 'x': 'version' takes no argument"},
        };

        check_lines(cases, N_ELEMENTS(cases));
}

TEST(wrong_values)
{
        static const struct line_case cases[] = {
                {"record --timeout", "!option '--timeout' needs a value: DURATION"},
                {"record sleep", "!option 'sleep' needs a value: DURATION"},
                {"record -e --json", "!option '-e' needs a value: EVENTS"},
                {"record -e -- x", "!option '-e' needs a value: EVENTS"},
                {"-o record",
                 "!unexpected arg '-o': write a command before the options; 'wperf --help' lists the commands"},
                {"record --session=", "!option '--session' needs a value"},
                {"record -e=", "!option '-e' needs a value"},
                {"record --json=1", "!option '--json' takes no value"},
                {"record -F x", "!option '-F': 'x' is not a number"},
                {"record -F 1e3", "!option '-F': '1e3' is not a number"},
                {"record -F -5", "!option '-F': -5 is out of range, 1 to 1000000, or max"},
                {"record -F 0", "!option '-F': 0 is out of range, 1 to 1000000, or max"},
                {"record -F 1000001", "!option '-F': 1000001 is out of range, 1 to 1000000, or max"},
                {"record -F 99999999999999999999",
                 "!option '-F': 99999999999999999999 is out of range, 1 to 1000000, or max"},
                {"record -F -", "!option '-F': '-' is not a number"},
                {"sample --sample-display-row 0",
                 "!option '--sample-display-row': 0 is out of range, 1 to 4294967295"},
                {"sample -p 1,", "!option '-p': a number is missing"},
                {"sample -p 0", "!option '-p': 0 is out of range, 1 to 4294967295"},
                {"record --timeout 1m30s",
                 "!input: \"1m30s\" to argument '--timeout' is invalid; write a number above 0 and one of the units ms, s, m, h and d"},
                {"record sleep 0",
                 "!input: \"0\" to argument 'sleep' is invalid; write a number above 0 and one of the units ms, s, m, h and d"},
                {"record -c x", "!option -c format not supported, use comma separated list of integers, or "
                                "range of integers: 'x'"},
                {"record -c 1-", "!option -c format not supported, use comma separated list of integers, or "
                                 "range of integers: '1-'"},
        };

        check_lines(cases, N_ELEMENTS(cases));
}

TEST(perf_meanings_get_a_sentence)
{
        static const struct line_case cases[] = {
                {"record -c 100000 x", "!no such CPU: 100000; for a period write cycles:100000"},
                {"stat -C 0-3 x", "!-C reads a file of metrics, not '0-3'; to choose CPUs write -c 0-3"},
                {"record -C 0-3 x",
                 "!unexpected arg '-C': not an option of wperf record; to choose CPUs write -c 0,1; "
                 "metrics of your own are counted by wperf stat"},
                {"record -m 512 x",
                 "!unexpected arg '-m': not an option of wperf record; to run a module write wperf record -- "
                 "python3 -m MODULE, to count metrics wperf stat -m METRICS; wperf chooses the size "
                 "of its buffers itself"},
                {"report -s comm,dso",
                 "!-s shows matching symbols; to sort write --sort comm,dso; to show the symbol of this name write -s '^comm,dso$'"},
                {"report -s commit", "command: report; option --symbol: commit"},
                {"stat -C my.metrics x", "command: stat; option --metrics-file: my.metrics; run: x"},
                {"sample foo",
                 "!'sample' samples a program that is running already (--pid, --pe_file) and does not "
                 "start one; to start 'foo' write wperf record -- foo"},
        };

        check_lines(cases, N_ELEMENTS(cases));
}

TEST(help_ends_the_reading)
{
        struct command_line line;
        struct err err = {0};

        ASSERT_TRUE(parse("record -F 9 --help --nonsense", &line, &err));
        EXPECT_TRUE(line.help);
        command_line_release(&line);
        ASSERT_TRUE(parse("record -- a --help", &line, &err));
        EXPECT_TRUE(!line.help);
        command_line_release(&line);
}

TEST(explained_words_can_be_told_apart)
{
        char texts[][8] = {"record", "--", "a b", "it's", "", "x\x1b\\x1b", "10**10"};
        char *words[N_ELEMENTS(texts) + 1] = {NULL};
        struct command_line line;
        AUTO_RELEASE(buf) out = {0};
        struct err err = {0};

        for (size_t i = 0; i < N_ELEMENTS(texts); i++)
                words[i] = texts[i];
        ASSERT_TRUE(command_line_parse(&line, &commands_all, N_ELEMENTS(texts), words, &err));
        options_explain(&line, &out);
        EXPECT_CONTAINS(buf_text(&out), "run: 'a b' 'it'\\''s' '' $'x\\x1b\\\\x1b' '10**10'\n");
        command_line_release(&line);
}

/* Checks the tables for errors that would break other parts. */
static void check_option(const struct command *command, const struct option *option)
{
        if (!option->help || option_takes_value(option) == !option->arg)
                TAP_FAIL("%s --%s: lacks help or an argument's name", command->name, option->name);
        if (option->letter && option_find_letter(command, option->letter, NULL) != option)
                TAP_FAIL("%s -%c stands for two options", command->name, option->letter);
        if (option_find(command, option->name, strlen(option->name), NULL) != option)
                TAP_FAIL("%s --%s stands for two options", command->name, option->name);
        if ((option->kind == OPTION_U64 || option->kind == OPTION_NUMBERS) && option->max <= option->min)
                TAP_FAIL("%s --%s has no range", command->name, option->name);
}

TEST(tables_are_consistent)
{
        const struct command *const *commands = commands_all.commands;
        for (size_t i = 0; commands[i]; i++) {
                struct option_walk walk = {.command = commands[i]};
                const struct option *option;

                EXPECT_CMP(options_find_command(&commands_all, commands[i]->name), ==, commands[i]);
                EXPECT_CMP(commands[i]->summary, !=, NULL);
                while ((option = option_next(&walk))) {
                        check_option(commands[i], option);
                        EXPECT_CMP(walk.group_offset + option->offset, <, commands[i]->options_size);
                }
        }
}

/* Each example in the help must be a valid line. */
TEST(examples_are_true)
{
        const struct command *const *commands = commands_all.commands;
        for (size_t i = 0; commands[i]; i++) {
                for (const struct example *e = commands[i]->examples; e && e->line; e++) {
                        struct command_line line;
                        struct err err = {0};

                        EXPECT_CMP(strlen(e->line) + 4, <=, 100);
                        EXPECT_TRUE(parse(e->line + strlen("wperf "), &line, &err));
                        EXPECT_CMP(line.command, ==, commands[i]);
                        command_line_release(&line);
                }
        }
}

TEST(help_and_man_name_every_option)
{
        const struct command *const *commands = commands_all.commands;
        AUTO_RELEASE(buf) man = {0};
        char name[80];

        for (size_t i = 0; commands[i]; i++) {
                struct option_walk walk = {.command = commands[i]};
                const struct option *option;
                AUTO_RELEASE(buf) help = {0};

                if (commands[i]->hidden)
                        continue;
                options_man_command(commands[i], &man);
                options_help_command(commands[i], true, &help);
                while ((option = option_next(&walk))) {
                        snprintf(name, sizeof(name), "--%s", option->name);
                        if (!option->hidden)
                                EXPECT_CONTAINS(buf_text(&help), name);
                }
        }
        EXPECT_CONTAINS(buf_text(&man), ".SH SYNOPSIS\n");
}

TEST(common_options_come_first_and_all_on_request)
{
        static const struct option options[] = {{.name = "rare", .help = "seldom"},
                                                {.name = "often", .letter = 'o', .help = "used"},
                                                {.name = "secret", .hidden = true, .help = "not shown"},
                                                {0}};
        static const struct option_group group = {"Group", options};
        static const struct command_group groups[] = {{&group, 0}, {0}};
        static const struct option_text texts[] = {{"often", "used here"}, {0}};
        const struct command command = {
                .name = "c", .summary = "s", .groups = groups, .texts = texts, .common = "often"};
        AUTO_RELEASE(buf) common = {0};
        AUTO_RELEASE(buf) all = {0};

        options_help_command(&command, false, &common);
        EXPECT_CONTAINS(buf_text(&common), "-o, --often\n            used here\n");
        EXPECT_CONTAINS(buf_text(&common), "'wperf help c --all' shows all 2.");
        EXPECT_TRUE(!strstr(buf_text(&common), "rare"));
        options_help_command(&command, true, &all);
        EXPECT_CONTAINS(buf_text(&all), "    Group:\n        --rare\n");
        EXPECT_TRUE(!strstr(buf_text(&all), "secret"));
}

TEST(common_options_and_texts_are_of_options_that_exist)
{
        for (const struct command *const *at = commands_all.commands; *at; at++) {
                const char *names = (*at)->common, *name;
                size_t len;

                while ((name = options_next_word(&names, &len))) {
                        const struct option *option = option_find(*at, name, len, NULL);

                        if (!option || strlen(option->name) != len || option->hidden)
                                TAP_FAIL("%s has no option %.*s", (*at)->name, (int)len, name);
                }
                for (const struct option_text *t = (*at)->texts; t && t->name; t++)
                        EXPECT_TRUE(option_find(*at, t->name, strlen(t->name), NULL));
        }
}

TEST(all_beside_help)
{
        static const struct {
                const char *line;
                bool help, all;
        } cases[] = {
                {"record --help", true, false},
                {"record --help --all", true, true},
                {"record --all --help", true, true},
                {"record --all -h", true, true},
                {"record -- a --all --help", false, false},
        };

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                struct command_line line;
                struct err err = {0};

                ASSERT_TRUE(parse(cases[i].line, &line, &err));
                EXPECT_INT(line.help, cases[i].help);
                EXPECT_INT(line.help_all, cases[i].all);
                command_line_release(&line);
        }
}

TEST(the_programs_help_is_one_line_a_command_and_twenty_options)
{
        const struct command *const *commands = commands_all.commands;
        AUTO_RELEASE(buf) help = {0};
        size_t n_options = 0;
        char line[100];

        options_help_program(&commands_all, &help);
        for (size_t i = 0; commands[i]; i++) {
                snprintf(line, sizeof(line), "\n    wperf %s ", commands[i]->name);
                if (!commands[i]->hidden)
                        EXPECT_CONTAINS(buf_text(&help), line);
        }
        for (const char *at = help.data, *end; (end = strchr(at, '\n')); at = end + 1) {
                n_options += text_starts(at, "    -");
                if (end - at > 90)
                        TAP_FAIL("longer than 90 columns: %.*s", (int)(end - at), at);
        }
        EXPECT_INT(n_options, 20);
}

TAP_MAIN
