/* SPDX-License-Identifier: BSD-3-Clause */
#include "fact_tables.h"

#include <assert.h>
#include <stdlib.h>

#include "mem.h"
#include "table.h"

enum { COLUMNS_MAX = 13 };

struct layout {
        const char *heading; /* NULL: none */
        const char *key;     /* NULL: there is no table */
        struct column columns[COLUMNS_MAX];
        size_t n_columns;
        size_t n_brief; /* number of columns if the output is not verbose */
};

static const struct layout layouts[][FACT_TABLES_MAX] = {
        [FACT_TABLES_VERSION] =
                {{NULL,
                  "Version",
                  {{.name = "Component"}, {.name = "Version"}, {.name = "GitVer"}, {.name = "FeatureString"}},
                  4,
                  4}},
        [FACT_TABLES_LIST] = {{"List of pre-defined events (to be used in -e):",
                               "Predefined_Events",
                               {{.name = "Alias Name"},
                                {.name = "Raw Index", .right = true},
                                {.name = "Event Type"},
                                {.name = "Description"}},
                               4,
                               3},
                              {"List of supported metrics (to be used in -m):",
                               "Predefined_Metrics",
                               {{.name = "Metric"},
                                {.name = "Events"},
                                {.name = "Formula"},
                                {.name = "Unit"},
                                {.name = "Description"}},
                               5,
                               2},
                              {"List of supported groups of metrics (to be used in -m):",
                               "Predefined_Groups_of_Metrics",
                               {{.name = "Group"}, {.name = "Metrics"}, {.name = "Description"}},
                               3,
                               2}},
        [FACT_TABLES_MANUAL] = {{NULL, "Manual_Results", {{.name = "Field_Type"}, {.name = "Result"}}, 2, 2}},
        [FACT_TABLES_TEST] = {{NULL, "Test_Results", {{.name = "Test Name"}, {.name = "Result"}}, 2, 2}},
        [FACT_TABLES_DOCTOR] =
                {{NULL, "Doctor", {{.name = "Check"}, {.name = "State"}, {.name = "For More"}}, 3, 3}},
        [FACT_TABLES_DEVICES] =
                {{NULL, "Devices", {{.name = "Device Instance ID"}, {.name = "Hardware IDs"}}, 2, 2}},
        [FACT_TABLES_HARDWARE] =
                {{"This machine:", "Machine", {{.name = "Fact"}, {.name = "Value"}}, 2, 2},
                 {"Samples of each loop, where its loads found their data, their median latency, and how often\n"
                  "the worst branch was mispredicted:",
                  "Loops",
                  {{.name = "Loop"},
                   {.name = "Samples", .right = true},
                   {.name = "Loads", .right = true},
                   {.name = "Stores", .right = true},
                   {.name = "Branches", .right = true},
                   {.name = "L1", .right = true},
                   {.name = "L2", .right = true},
                   {.name = "Far Cache", .right = true},
                   {.name = "Memory", .right = true},
                   {.name = "Unknown", .right = true},
                   {.name = "TLB Walks", .right = true},
                   {.name = "Cycles", .right = true},
                   {.name = "Mispredicted", .right = true}},
                  13,
                  13},
                 {"What was expected, and what was seen:",
                  "Checks",
                  {{.name = "Loop"},
                   {.name = "Check"},
                   {.name = "Expected"},
                   {.name = "Seen"},
                   {.name = "Result"}},
                  5,
                  5}},
};

struct fact_tables {
        const struct layout *layouts;
        struct table *items[FACT_TABLES_MAX];
        size_t n_columns[FACT_TABLES_MAX];
        size_t n;
};

struct fact_tables *fact_tables_new(enum fact_tables_kind kind, bool verbose)
{
        struct fact_tables *tables = mem_new(1, sizeof(*tables));

        assert((size_t)kind < N_ELEMENTS(layouts));
        tables->layouts = layouts[kind];
        for (; tables->n < FACT_TABLES_MAX && tables->layouts[tables->n].key; tables->n++) {
                const struct layout *layout = &tables->layouts[tables->n];

                tables->n_columns[tables->n] = verbose ? layout->n_columns : layout->n_brief;
                tables->items[tables->n] = table_new(layout->columns, tables->n_columns[tables->n]);
        }
        return tables;
}

void fact_tables_free(struct fact_tables *tables)
{
        if (!tables)
                return;
        for (size_t i = 0; i < tables->n; i++)
                table_free(tables->items[i]);
        free(tables);
}

void fact_tables_add(struct fact_tables *tables, unsigned index, const char *const *texts)
{
        assert(index < tables->n);
        for (size_t i = 0; i < tables->n_columns[index]; i++)
                table_add_text(tables->items[index], texts[i]);
}

void fact_tables_text(const struct fact_tables *tables, bool without_empty, struct buf *out)
{
        for (size_t i = 0; i < tables->n; i++) {
                const char *heading = tables->layouts[i].heading;

                if (without_empty && !table_n_rows(tables->items[i]))
                        continue;
                if (heading)
                        buf_printf(out, "%s%s\n\n", out->len ? "\n" : "", heading);
                table_render_text(tables->items[i], 0, out);
        }
}

void fact_tables_json(const struct fact_tables *tables, struct buf *out)
{
        struct json json;

        json_init(&json, out);
        json_begin_object(&json);
        for (size_t i = 0; i < tables->n; i++) {
                json_key(&json, tables->layouts[i].key);
                table_render_json(tables->items[i], false, &json);
        }
        json_end_object(&json);
        buf_add_char(out, '\n');
}
