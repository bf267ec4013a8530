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
#include "cmd_top_options.h"

/* clang-format off */
static const struct command *const commands[] = {
        &cmd_record_command,
        &cmd_sample_command,
        &cmd_stat_command,
        &cmd_top_command,
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
        {"attach", "for a running process write wperf record PID, for its stacks now wperf stack PID"},
        {"bench", "wperf has no benchmarks"},
        {"buildid-list", "write wperf dump, which shows the build ids of a session"},
        {"buildid-cache",
         "wperf uses the files that perf buildid-cache keeps; wperf archive packs what a session needs"},
        {"c2c", "write wperf record --mem -- ./program, then wperf report --mem --sort cacheline"},
        {"compare", "write wperf diff BEFORE -- AFTER"},
        {"config", "wperf has no file of settings"},
        {"daemon", "wperf records one run at a time: write wperf record -d SECONDS -a"},
        {"data", "write wperf export, which lists the formats that it converts a session to"},
        {"evlist", "write wperf dump"},
        {"flamegraph", "write wperf record -- ./program, then wperf export -o flame.svg"},
        {"ftrace", "wperf does not trace the kernel; use perf ftrace or trace-cmd"},
        {"inject", "wperf report reads jitdumps itself"},
        {"iostat",
         "wperf list shows the events of PMUs outside of the cores; count them with wperf stat -a -e EVENT"},
        {"kallsyms", "wperf does not list the symbols of the kernel"},
        {"kmem",
         "wperf has no report of it; sample a tracepoint, as in wperf record -k -e kmem:kmalloc -- ./program"},
        {"kvm", "wperf measures the machine that it runs on: run it in the guest"},
        {"load", "write wperf report -i FILE"},
        {"lock", "write wperf record --wall -- ./program, which shows what threads wait for"},
        {"mem", "write wperf record --mem -- ./program, then wperf report --mem"},
        {"probe",
         "wperf makes no probes; make them with perf probe, then write wperf record -e GROUP:NAME -- ./program"},
        {"run", "write wperf record -- ./program"},
        {"sched", "write wperf record --wall -- ./program, which shows when threads run and wait"},
        {"script", "write wperf export --format perf-script (or wperf dump, which shows every record)"},
        {"timechart", "write wperf record --wall -- ./program, which shows when threads run and wait"},
        {"trace",
         "wperf does not trace system calls; use strace, or wperf record --wall for what threads wait for"},
        {0},
};

const struct command_set commands_all = {commands, foreign};
