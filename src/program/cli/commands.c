/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of all commands, in the order of the program's help. */
#include "commands.h"

#include "cmd_diff_options.h"
#include "cmd_export_options.h"
#include "cmd_facts_options.h"
#include "cmd_record_options.h"
#include "cmd_report_options.h"
#include "cmd_stack_options.h"
#include "cmd_stat_options.h"
#include "cmd_symbolize_options.h"

/* clang-format off */
static const struct command *const commands[] = {
        &cmd_record_command,
        &cmd_sample_command,
        &cmd_stat_command,
        &cmd_stack_command,
        &cmd_report_command,
        &cmd_annotate_command,
        &cmd_diff_command,
        &cmd_check_command,
        &cmd_export_command,
        &cmd_archive_command,
        &cmd_symbolize_command,
        &cmd_dump_command,
        &cmd_list_command,
        &cmd_man_command,
        &cmd_doctor_command,
        &cmd_test_command,
        &cmd_detect_command,
        &cmd_version_command,
        &cmd_help_command,
        &cmd_explain_command,
        &cmd_man_page_command,
        &cmd_completion_command,
        &cmd_names_command,
        &cmd_complete_command,
        &cmd_hardware_loops_command,
        NULL,
};
/* clang-format on */

static const struct foreign_command foreign[] = {
        {"script", "wperf export --format perf-script (or wperf dump, which shows every record)"},
        {"evlist", "wperf dump"},
        {0},
};

const struct command_set commands_all = {commands, foreign};
