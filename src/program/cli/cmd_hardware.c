/* SPDX-License-Identifier: BSD-3-Clause */
/* test --hardware: prints the machine, what Arm SPE saw in known loops, and whether it is what was
 * expected. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "cmd_facts_options.h"
#include "event_grammar.h"
#include "fact_tables.h"
#include "hardware_caches.h"
#include "hardware_judge.h"
#include "hardware_loops.h"
#include "hardware_run.h"
#include "os.h"
#include "os_paths.h"
#include "text.h"
#include "text_number.h"
#include "version.h"

/* At one sample in 8192 operations some 4,000 samples, or some 400 of loads that take 150 ns each. */
enum { LOOP_OPERATIONS = 1 << 25 };

static const char session_name[] = "wperf-hardware.data";

int cmd_hardware_loops(const struct command_line *line)
{
        uint64_t n_operations;

        if (line->n_args != 1 || !text_to_u64(line->args[0], 10, &n_operations))
                return EXIT_WRONG_USAGE;
        hardware_loops_run(n_operations);
        return EXIT_OK;
}

/* --- this machine --- */

static void add_fact(struct fact_tables *tables, const char *name, const char *value)
{
        fact_tables_add(tables, FACT_TABLE_MACHINE, (const char *const[]){name, value});
}

static void add_number(struct fact_tables *tables, const char *name, uint64_t value)
{
        char text[32];

        snprintf(text, sizeof(text), "%" PRIu64, value);
        add_fact(tables, name, text);
}

struct cap_list {
        const struct pmu_source *source;
        struct fact_tables *tables;
        const char *pmu;
};

static bool add_cap(void *ctx, const char *name)
{
        const struct cap_list *list = ctx;
        AUTO_RELEASE(buf) file = {0};
        AUTO_RELEASE(buf) path = {0};
        AUTO_RELEASE(buf) value = {0};

        buf_printf(&file, "caps/%s", name);
        os_sysfs_pmu(list->pmu, buf_text(&file), &path);
        if (list->source->read_file(list->source->ctx, buf_text(&path), &value)) {
                buf_truncate(&value, strcspn(buf_text(&value), "\n"));
                buf_clear(&file);
                buf_printf(&file, "%s/caps/%s", list->pmu, name);
                add_fact(list->tables, buf_text(&file), buf_text(&value));
        }
        return true;
}

/* The capabilities of each SPE PMU. */
static void add_caps(const struct event_facts *facts, struct fact_tables *tables)
{
        for (size_t i = 0; i < facts->pmus.n_items; i++) {
                struct cap_list list = {&facts->source, tables, facts->pmus.items[i].name};
                AUTO_RELEASE(buf) folder = {0};

                if (!text_starts(list.pmu, "arm_spe_"))
                        continue;
                os_sysfs_pmu(list.pmu, "caps", &folder);
                facts->source.list_dir(facts->source.ctx, buf_text(&folder), add_cap, &list);
        }
}

static void add_machine(const struct event_facts *facts, const struct hardware_caches *caches,
                        struct fact_tables *tables)
{
        const struct catalogue_cpu *model = facts->kinds.n_items ? event_facts_model(facts, 0) : NULL;
        struct os_machine machine = {0};
        char name[32];

        os_machine_get(&machine);
        add_fact(tables, "wperf", version_number);
        add_fact(tables, "CPU", model ? model->name : machine.cpu_text[0] ? machine.cpu_text : "not known");
        add_fact(tables, "CPU id", machine.cpuid);
        add_number(tables, "CPUs online", machine.n_cpus_online);
        add_fact(tables, "kernel", machine.os_release);
        add_number(tables, "page bytes", machine.page_bytes);
        add_number(tables, "memory KiB", machine.memory_kib);
        for (unsigned i = 0; i < HARDWARE_CACHE_LEVELS; i++) {
                snprintf(name, sizeof(name), "L%u cache KiB", i + 1);
                if (caches->bytes[i])
                        add_number(tables, name, caches->bytes[i] / 1024);
        }
        add_caps(facts, tables);
}

static void add_session(const struct hardware_run *run, const char *path, struct fact_tables *tables)
{
        add_fact(tables, "session", path);
        add_number(tables, "SPE buffers", run->n_buffers);
        add_number(tables, "truncated SPE buffers", run->n_truncated);
        add_number(tables, "SPE buffers with collisions", run->n_collided);
        add_number(tables, "damaged samples", run->n_damaged);
}

/* --- the loops --- */

struct fact_cell {
        char text[24];
};

static struct fact_cell number_cell(uint64_t n)
{
        struct fact_cell cell;

        snprintf(cell.text, sizeof(cell.text), "%" PRIu64, n);
        return cell;
}

static struct fact_cell share_cell(uint64_t part, uint64_t whole)
{
        struct fact_cell cell = {"-"};

        if (whole)
                snprintf(cell.text, sizeof(cell.text), "%.1f %%", 100.0 * (double)part / (double)whole);
        return cell;
}

static void add_loop(const struct hardware_loop *loop, const struct hardware_seen *seen,
                     struct fact_tables *tables)
{
        const uint64_t all = seen->n_samples, loads = seen->n_loads;
        const struct fact_cell cells[] = {
                number_cell(all),
                share_cell(loads, all),
                share_cell(seen->n_stores, all),
                share_cell(seen->n_branches, all),
                share_cell(seen->n_levels[HARDWARE_L1], loads),
                share_cell(seen->n_levels[HARDWARE_L2], loads),
                share_cell(seen->n_levels[HARDWARE_FAR], loads),
                share_cell(seen->n_levels[HARDWARE_MEMORY], loads),
                share_cell(seen->n_levels[HARDWARE_UNKNOWN], loads),
                share_cell(seen->n_walks, loads + seen->n_stores),
                number_cell(seen->load_cycles),
                share_cell(seen->n_worst_mispredicted, seen->n_worst_branch),
        };
        const char *texts[1 + N_ELEMENTS(cells)] = {loop->name};

        for (size_t i = 0; i < N_ELEMENTS(cells); i++)
                texts[1 + i] = cells[i].text;
        fact_tables_add(tables, FACT_TABLE_LOOPS, texts);
}

static void add_check(void *ctx, const struct hardware_check *check)
{
        static const char *const verdicts[] = {
                [HARDWARE_AS_EXPECTED] = "ok",
                [HARDWARE_DIFFERS] = "DIFFERS",
                [HARDWARE_NOT_JUDGED] = "not judged",
        };

        fact_tables_add(ctx, FACT_TABLE_CHECKS,
                        (const char *const[]){check->loop, check->what, check->expected, check->seen,
                                              verdicts[check->verdict]});
}

static bool record_loops(const struct command_line *line, const char *path, struct hardware_run *run,
                         struct err *err)
{
        const struct test_options *o = line->options;
        char option[] = "--hardware-loops", number[32];
        char *argv[] = {(char *)(uintptr_t)os_own_program(), option, number, NULL};
        AUTO_RELEASE(buf) text = {0};
        struct hardware_run_request request = {.argv = argv, .session_path = path};

        snprintf(number, sizeof(number), "%" PRIu64,
                 o->choice.loop_operations ? o->choice.loop_operations : LOOP_OPERATIONS);
        cmd_join_line(line, &text);
        request.command_line = buf_text(&text);
        return hardware_run_record(&request, run, err);
}

/* A machine whose /sys was copied cannot be measured. */
static bool has_spe(const struct event_facts *facts, struct err *err)
{
        if (!facts->this_machine)
                return err_set(err, ERR_USAGE,
                               "--hardware measures this machine: leave out --cpu-model and --sysfs");
        return facts->has_spe || err_set(err, ERR_UNSUPPORTED, "this machine has no Arm SPE to test: %s",
                                         event_spe_why_missing(&facts->source));
}

int cmd_hardware_test(const struct command_line *line, const struct event_facts *facts)
{
        const struct test_options *o = line->options;
        AUTO(fact_tables) tables = fact_tables_new(FACT_TABLES_HARDWARE, false);
        AUTO_RELEASE(hardware_run) run = {0};
        AUTO_RELEASE(buf) path = {0};
        struct hardware_caches caches;
        struct err err = {0};
        size_t n_differ;
        int status;

        cmd_output_path(o->output.output_prefix, session_name, &path);
        if (!has_spe(facts, &err) ||
            (o->output.output && !cmd_can_write(o->output.output_prefix, o->output.output, &err)) ||
            !record_loops(line, buf_text(&path), &run, &err))
                return cmd_fail(&err);
        caches = hardware_caches_read(&facts->source);
        add_machine(facts, &caches, tables);
        add_session(&run, buf_text(&path), tables);
        for (size_t i = 0; i < hardware_loops_n(); i++)
                add_loop(hardware_loops_get(i), &run.seen[i], tables);
        n_differ = hardware_judge(run.seen, &caches, add_check, tables);
        status = cmd_print_tables(&o->general, &o->output, tables, false);
        return status ? status : n_differ ? EXIT_FAILED : EXIT_OK;
}
