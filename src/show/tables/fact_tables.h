/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of version, list, man, doctor, test and detect: their columns, headings and keys.  A command
 * adds rows of texts. */
#ifndef FACT_TABLES_H
#define FACT_TABLES_H

#include <stdbool.h>

#include "attributes.h"
#include "buf.h"

enum fact_tables_kind {
        FACT_TABLES_VERSION,
        FACT_TABLES_LIST, /* tables: FACT_TABLE_EVENTS and the following */
        FACT_TABLES_MANUAL,
        FACT_TABLES_TEST,
        FACT_TABLES_DOCTOR,
        FACT_TABLES_DEVICES,
        FACT_TABLES_HARDWARE, /* tables: FACT_TABLE_MACHINE and the following */
};

enum { FACT_TABLE_EVENTS, FACT_TABLE_METRICS, FACT_TABLE_GROUPS, FACT_TABLES_MAX };
enum { FACT_TABLE_MACHINE, FACT_TABLE_LOOPS, FACT_TABLE_CHECKS };

struct fact_tables;

/* verbose: with all columns. */
struct fact_tables *fact_tables_new(enum fact_tables_kind kind, bool verbose);
void fact_tables_free(struct fact_tables *tables);
AUTO_DEFINE(fact_tables)

/* A row of table `index`, 0 if there is only one: a text for each column.  Further texts are not read. */
void fact_tables_add(struct fact_tables *tables, unsigned index, const char *const *texts);

/* The tables under their headings; without_empty: tables without rows are left out. */
void fact_tables_text(const struct fact_tables *tables, bool without_empty, struct buf *out);

/* One object with an array for each table. */
void fact_tables_json(const struct fact_tables *tables, struct buf *out);

#endif
