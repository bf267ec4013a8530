/* SPDX-License-Identifier: BSD-3-Clause */
/* doctor: what this machine allows, what record would use here, and what allows more.  The rows about record
 * come from record itself: its options are parsed, its events and its engine opened. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "cmd_facts_options.h"
#include "commands.h"
#include "debuginfod.h"
#include "fact_tables.h"
#include "machine_limits.h"
#include "os.h"
#include "run.h"
#include "symbol_check.h"
#include "target.h"
#include "text.h"

enum { MAX_WORDS = 6 };

static void add_row(void *ctx, const char *what, const char *state, const char *more)
{
        fact_tables_add(ctx, 0, (const char *const[]){what, state, more});
}

/* --- What record would do --- */

static bool rehearse(const char *const *words, struct run_rehearsal *ret, struct err *err)
{
        char *args[MAX_WORDS + 1] = {0};
        struct command_line line;
        size_t n = 0;
        bool ok;

        for (; n < MAX_WORDS && words[n]; n++)
                args[n] = (char *)(uintptr_t)words[n];
        *ret = (struct run_rehearsal){0};
        ok = command_line_parse(&line, &commands_all, n, args, err) && cmd_record_rehearse(&line, ret, err);
        command_line_release(&line);
        return ok;
}

struct records {
        struct fact_tables *tables;
        const char *no_bpf;  /* why BPF is not used, which has a row of its own */
        struct buf of_first; /* what would allow more in the first row */
        size_t n;
};

/* What limits all of them, such as a seccomp filter, is said once. */
static void add_record_row(struct records *r, const char *what, const char *state, const char *more)
{
        bool is_said = r->n && *more && !strcmp(more, buf_text(&r->of_first));

        if (!r->n++)
                buf_add_str(&r->of_first, more);
        add_row(r->tables, what, state, is_said ? "as for record -- COMMAND" : more);
}

static const char bpf_not_used[] = "the engine bpf is not used: ";

static void add_lacks(const struct run_rehearsal *rehearsal, const char *no_bpf, struct buf *out)
{
        const char *lacks = buf_text(&rehearsal->lacks);

        if (!text_starts(lacks, bpf_not_used) || strcmp(lacks + strlen(bpf_not_used), no_bpf) != 0)
                buf_add_str(out, lacks);
}

static void add_record(struct records *r, const char *what, const char *const *words)
{
        AUTO_RELEASE(run_rehearsal) rehearsal = {0};
        AUTO_RELEASE(buf) state = {0};
        AUTO_RELEASE(buf) more = {0};
        struct err err = {0};

        if (!rehearse(words, &rehearsal, &err)) {
                add_record_row(r, what, "no", err.text);
                return;
        }
        if (!strcmp(rehearsal.engine, "pace"))
                buf_printf(&state, "%s, some 100 samples a second; ", rehearsal.event);
        else
                buf_printf(&state, "%s, %" PRIu64 " samples a second; ", rehearsal.event, rehearsal.freq_hz);
        if (rehearsal.no_python.len)
                buf_add_str(&state, "no Python functions");
        else
                buf_printf(&state, "Python functions by engine %s", rehearsal.engine);
        add_lacks(&rehearsal, r->no_bpf, &more);
        if (rehearsal.no_python.len)
                buf_printf(&more, "%s%s", more.len ? "; " : "", buf_text(&rehearsal.no_python));
        add_record_row(r, what, buf_text(&state), buf_text(&more));
}

/* Without events the kernel can't be sampled: its time counts for the code that called it. */
static void add_kernel(struct records *r, const char *program)
{
        AUTO_RELEASE(run_rehearsal) rehearsal = {0};
        AUTO_RELEASE(buf) more = {0};
        struct err err = {0};

        if (!rehearse((const char *const[]){"record", "-k", "--", program, NULL}, &rehearsal, &err)) {
                add_record_row(r, "record -k", "no", err.text);
        } else if (!strcmp(rehearsal.engine, "pace")) {
                add_record_row(r, "record -k", "no", buf_text(&rehearsal.lacks));
        } else {
                add_lacks(&rehearsal, r->no_bpf, &more);
                add_record_row(r, "record -k", "the kernel, too", buf_text(&more));
        }
}

/* Why BPF would not read the Python frames of a process that runs; empty if it would. */
static void find_no_bpf(const char *pid, struct buf *out)
{
        AUTO_RELEASE(run_rehearsal) rehearsal = {0};
        struct err err = {0};
        const char *why = "";

        if (!rehearse((const char *const[]){"record", "--engine=bpf", pid, NULL}, &rehearsal, &err))
                why = err.text;
        else if (strcmp(rehearsal.engine, "bpf") != 0)
                why = rehearsal.stacks.len ? buf_text(&rehearsal.stacks) : buf_text(&rehearsal.lacks);
        if (text_starts(why, bpf_not_used))
                why += strlen(bpf_not_used);
        buf_add_str(out, why);
}

static void add_records(struct fact_tables *tables)
{
        const char *own = os_own_program() ? os_own_program() : "cmd.exe";
        AUTO_RELEASE(buf) no_bpf = {0};
        struct records r = {.tables = tables};
        char pid[16];

        snprintf(pid, sizeof(pid), "%" PRId32, target_own_process());
        if (target_own_process())
                find_no_bpf(pid, &no_bpf);
        r.no_bpf = buf_text(&no_bpf);
        add_record(&r, "record -- COMMAND", (const char *const[]){"record", "--", own, NULL});
        if (target_own_process())
                add_record(&r, "record PID", (const char *const[]){"record", pid, NULL});
        add_record(&r, "record -a", (const char *const[]){"record", "-a", NULL});
        add_kernel(&r, own);
        if (target_own_process())
                add_record_row(&r, "BPF", no_bpf.len ? "not used" : "reads Python frames", r.no_bpf);
        buf_release(&r.of_first);
}

/* --- Names --- */

static void add_server(struct buf *out)
{
        buf_add_str(out, "export DEBUGINFOD_URLS=");
        debuginfod_server(NULL, out);
}

static void add_names(struct fact_tables *tables, const char *what, const struct symbol_check *check)
{
        const char *servers = os_environment("DEBUGINFOD_URLS");
        AUTO_RELEASE(buf) state = {0};
        AUTO_RELEASE(buf) more = {0};

        if (check->names == SYMBOL_CHECK_NO_FILE) {
                add_row(tables, what, "not found", "");
                return;
        }
        buf_printf(&state, "%s: %s", buf_text(&check->path),
                   check->has_debug_file                   ? "all, in a debug file"
                   : check->names == SYMBOL_CHECK_EXPORTED ? "only exported functions"
                                                           : "all");
        if (check->package.len)
                buf_printf(&more, "apt install %s", buf_text(&check->package));
        else if (check->names == SYMBOL_CHECK_EXPORTED && !(servers && *servers))
                add_server(&more);
        add_row(tables, what, buf_text(&state), buf_text(&more));
}

static void add_python(struct fact_tables *tables, const struct symbol_check *check)
{
        AUTO_RELEASE(buf) state = {0};
        unsigned least, most;

        symbol_check_python_range(&least, &most);
        buf_printf(&state, "CPython 3.%u to 3.%u can be read", least, most);
        if (check->python_minor)
                buf_printf(&state, "; python3 is 3.%u", check->python_minor);
        add_row(tables, "Python", buf_text(&state), buf_text(&check->no_python));
}

static void add_servers(struct fact_tables *tables)
{
        const char *servers = os_environment("DEBUGINFOD_URLS");
        bool has_servers = servers && *servers;
        AUTO_RELEASE(buf) more = {0};

        if (!has_servers)
                add_server(&more);
        add_row(tables, "debuginfod", has_servers ? servers : "no server: DEBUGINFOD_URLS is not set",
                buf_text(&more));
}

static void add_files(struct fact_tables *tables)
{
        AUTO_RELEASE(symbol_check) python = {0};
        AUTO_RELEASE(symbol_check) libc = {0};

        symbol_check_python(os_python(), os_environment("PATH"), &python);
        symbol_check_libc(&libc);
        add_python(tables, &python);
        if (!run_samples_cpus())
                return;
        add_names(tables, "names of python3", &python);
        add_names(tables, "names of libc", &libc);
        add_servers(tables);
}

int cmd_doctor(const struct command_line *line)
{
        const struct version_options *o = line->options;
        AUTO(fact_tables) tables = fact_tables_new(FACT_TABLES_DOCTOR, false);

        add_records(tables);
        machine_limits(add_row, tables);
        add_files(tables);
        return cmd_print_tables(&o->general, &o->output, tables, false);
}
