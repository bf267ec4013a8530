/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of all commands, in the order of the program's help. */
#include "export_options.h"
#include "facts_options.h"
#include "options.h"
#include "record_options.h"
#include "report_options.h"
#include "stat_options.h"
#include "symbolize_options.h"

/* clang-format off */
const struct command *const commands[] = {
        &command_record,
        &command_sample,
        &command_stat,
        &command_report,
        &command_annotate,
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
        NULL,
};
/* clang-format on */

const struct foreign_command foreign_commands[] = {
        {"script", "wperf export --format perf-script (or wperf dump, which shows every record)"},
        {"evlist", "wperf dump"},
        {0},
};
