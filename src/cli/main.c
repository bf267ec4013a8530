/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the command line and calls its command; nothing is decided here that a command could decide. */
#include "cmd.h"
#include "commands.h"
#include "log.h"
#include "map.h"
#include "os.h"
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

static int print_help(const struct command *command)
{
        AUTO_RELEASE(buf) out = {0};

        options_help_command(command, &out);
        return cmd_page(&out, EXIT_OK);
}

static int run(const struct command_line *line)
{
        const struct option *later = command_line_find_later(line);
        struct err err = {0};

        if (!line->command)
                return print_banner();
        if (line->help && line->command->run != cmd_help)
                return print_help(line->command);
        if (later) {
                err_set(&err, ERR_USAGE, "'%s --%s' is not in this version yet", line->command->name,
                        later->name);
                return cmd_fail(&err);
        }
        return line->command->run(line);
}

/* Sessions and files of others are full of texts that they chose. */
static void set_hash_key(void)
{
        uint64_t key[MAP_KEY_WORDS];

        if (os_random(key, sizeof(key)))
                map_set_key(key);
}

int main(int argc, char **argv)
{
        struct command_line line;
        struct err err = {0};
        int status;

        set_hash_key();
        log_enable(os_environment("WPERF_DEBUG") != NULL);
        if (command_line_parse(&line, &commands_all, argc > 1 ? (size_t)argc - 1 : 0, argv + 1, &err)) {
                status = run(&line);
        } else {
                status = cmd_fail(&err);
                cmd_dismiss(&line);
        }
        command_line_release(&line);
        return status;
}
