/* SPDX-License-Identifier: BSD-3-Clause */
/* version: prints the version of wperf and of what measures, as the table in which WindowsPerf's users and
 * extensions look for features: it has two rows, and an extension offers SPE only if both have it. */
#include "cmd.h"
#include "cmd_facts_options.h"
#include "fact_tables.h"
#include "machine_driver.h"
#include "os.h"
#include "os_paths.h"
#include "text.h"
#include "version.h"

static const char *or_dash(const char *text)
{
        return text[0] ? text : "-";
}

static void add_row(struct fact_tables *tables, const char *component, const char *version, const char *git,
                    const char *features)
{
        fact_tables_add(tables, 0, (const char *const[]){component, or_dash(version), git, features});
}

static bool see_pmu(void *ctx, const char *name)
{
        bool *has_spe = ctx;

        *has_spe = text_starts(name, "arm_spe_");
        return !*has_spe;
}

static const char *machine_features(void)
{
        bool has_spe = false;

        os_list_dir(os_sysfs_pmus(), see_pmu, &has_spe, NULL);
        return has_spe ? "+spe" : "-";
}

int cmd_version(const struct command_line *line)
{
        const struct version_options *options = line->options;
        AUTO(fact_tables) tables = fact_tables_new(FACT_TABLES_VERSION, false);
        struct os_machine machine;
        struct machine_driver driver;
        struct err err = {0};
        int status;

        os_machine_get(&machine);
        add_row(tables, "wperf", version_number, version_commit, "+spe");
        if (machine_driver_find(options->general.force_lock, &driver, &err))
                add_row(tables, "wperf-driver", driver.version, or_dash(driver.git),
                        or_dash(driver.features));
        else
                add_row(tables, version_system, machine.os_release, "-", machine_features());
        status = cmd_print_tables(&options->general, &options->output, tables, false);
        return err.code == ERR_NONE || err.code == ERR_MISSING ? status : cmd_fail(&err);
}
