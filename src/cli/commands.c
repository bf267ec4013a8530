/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of all commands, in the order of the program's help. */
#include "commands.h"

#include "command_diff.h"
#include "command_export.h"
#include "command_facts.h"
#include "command_record.h"
#include "command_report.h"
#include "command_stat.h"
#include "command_symbolize.h"

/* clang-format off */
static const struct command *const commands[] = {
        &command_record,
        &command_sample,
        &command_stat,
        &command_report,
        &command_annotate,
        &command_diff,
        &command_check,
        &command_export,
        &command_archive,
        &command_symbolize,
        &command_dump,
        &command_list,
        &command_man,
        &command_test,
        &command_detect,
        &command_version,
        &command_help,
        &command_explain,
        &command_man_page,
        &command_completion,
        &command_names,
        &command_complete,
        &command_hardware_loops,
        NULL,
};
/* clang-format on */

static const struct foreign_command foreign[] = {
        {"script", "wperf export --format perf-script (or wperf dump, which shows every record)"},
        {"evlist", "wperf dump"},
        {0},
};

const struct command_set commands_all = {commands, foreign};
