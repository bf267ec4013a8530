/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses the command line and calls its command. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "commands.h"
#include "log.h"
#include "map.h"
#include "mem.h"
#include "os.h"
#include "text_code.h"
#include "text_match.h"
#include "version.h"

static int print_banner(void)
{
        AUTO_RELEASE(buf) out = {0};

        buf_printf(&out,
                   "wperf ver. %s (%s) profiling with performance counters.\n"
                   "Report bugs to: %s\n"
                   "Use wperf record -- COMMAND to profile a program.\n"
                   "Use --help for help.\n",
                   version_number, version_commit,
                   *version_bugs_to ? version_bugs_to : "the distributor of this build");
        return cmd_print(&out, EXIT_OK);
}

static int print_help(const struct command *command, bool all)
{
        AUTO_RELEASE(buf) out = {0};

        options_help_command(command, all, &out);
        return cmd_page(&out, EXIT_OK);
}

static int fail(const struct command_line *line, const struct err *err)
{
        int status = cmd_fail(err);

        return err->code == ERR_USAGE && line->command && line->command->usage_status
                       ? line->command->usage_status
                       : status;
}

static int run(const struct command_line *line)
{
        if (!line->command)
                return print_banner();
        if (line->help && line->command->run != cmd_help)
                return print_help(line->command, line->help_all);
        return line->command->run(line);
}

/* Sessions and files contain texts that an attacker may choose, so hashes and the codes of colours use
 * random keys. */
static void set_keys(void)
{
        uint64_t key[MAP_KEY_WORDS];

        if (os_random(key, sizeof(key)))
                map_set_key(key);
        if (os_random(key, sizeof(*key)))
                text_code_set_key(*key);
}

/* Without a locale the characters are those of most terminals. */
static void choose_characters(void)
{
        static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                const char *locale = os_environment(names[i]);

                if (!locale || !*locale)
                        continue;
                text_code_set_ascii(!text_contains_nocase(locale, "UTF-8") &&
                                    !text_contains_nocase(locale, "utf8"));
                return;
        }
}

static void end_without_memory(void *ctx, size_t bytes)
{
        char line[64];
        int n = snprintf(line, sizeof(line), "wperf: out of memory (%zu bytes asked)\n", bytes);

        os_write_stream(OS_STDERR, line, (size_t)n, NULL);
        exit(EXIT_FAILED_COMMAND);
}

int main(int argc, char **argv)
{
        struct command_line line;
        struct err err = {0};
        int status;

        os_run_below_init();
        mem_set_exhausted(end_without_memory, NULL);
        argv = os_arguments(&argc, argv);
        set_keys();
        choose_characters();
        log_enable(os_environment("WPERF_DEBUG") != NULL);
        if (os_has_borrowed_rights()) {
                err_set(&err, ERR_DENIED,
                        "wperf does not run setuid, setgid or with file capabilities, because it would read and write files "
                        "with rights that its user does not have: remove them (chmod a-s, setcap -r), and use sudo or ambient "
                        "capabilities (setpriv, capsh)");
                return cmd_fail(&err);
        }
        if (command_line_parse(&line, &commands_all, argc > 1 ? (size_t)argc - 1 : 0, argv + 1, &err)) {
                status = run(&line);
        } else {
                status = fail(&line, &err);
                cmd_dismiss(&line);
        }
        command_line_release(&line);
        return status;
}
