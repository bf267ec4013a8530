/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the names of the files, and writes each row at once, so that a killed run keeps its rows. */
#include "stat_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "buf.h"
#include "cmd_output.h"
#include "err.h"
#include "mem.h"
#include "os.h"
#include "text.h"
#include "text_stream.h"

struct stat_files {
        const char *name, *prefix;
        bool all_cpus;
        struct stat_csv csv;
        char timestamp[32];
        struct os_file *files[COUNT_CLASSES];
        bool multiplexed[COUNT_CLASSES]; /* as for the first row, so that the columns stay the same */
        bool begun;
};

struct stat_files *stat_files_new(const char *name, const char *prefix, bool all_cpus,
                                  const struct stat_csv *csv)
{
        struct stat_files *files = mem_new(1, sizeof(*files));
        time_t now = time(NULL);

        files->name = name;
        files->prefix = prefix;
        files->all_cpus = all_cpus;
        files->csv = *csv;
        strftime(files->timestamp, sizeof(files->timestamp), "%Y_%m_%d_%H_%M_%S", localtime(&now));
        return files;
}

void stat_files_free(struct stat_files *files)
{
        if (!files)
                return;
        for (int i = 0; i < COUNT_CLASSES; i++)
                os_file_free(files->files[i]);
        free(files);
}

const char *stat_files_name(const struct stat_files *files)
{
        if (files->name)
                return files->name;
        return files->all_cpus ? "wperf_system_side_{timestamp}.{class}.csv"
                               : "wperf_core_{core}_{timestamp}.{class}.csv";
}

/* The CPU for {core}. */
static void add_first_core(const struct sheet *sheet, struct buf *out)
{
        for (size_t i = 0; i < sheet->n_tables; i++) {
                const struct sheet_table *table = &sheet->tables[i];

                if (table->kind != SHEET_CPU)
                        continue;
                if (table->number == COUNTS_NO_CPU)
                        buf_add_str(out, "process");
                else
                        buf_printf(out, "%" PRIu32, table->number);
                return;
        }
        buf_add_str(out, "system");
}

static bool takes(const char **at, const char *word)
{
        if (!text_starts(*at, word))
                return false;
        *at += strlen(word);
        return true;
}

static void fill_template(const struct stat_files *files, const char *name, const struct sheet *sheet,
                          enum count_class class, struct buf *out)
{
        for (const char *at = name; *at;) {
                if (takes(&at, "{timestamp}"))
                        buf_add_str(out, files->timestamp);
                else if (takes(&at, "{class}"))
                        buf_add_str(out, count_class_name(class));
                else if (takes(&at, "{core}"))
                        add_first_core(sheet, out);
                else
                        buf_add_char(out, *at++);
        }
}

/* If the template has no {class}, the name of the class is inserted before the suffix for all but the first
 * class. */
static void make_name(const struct stat_files *files, const struct sheet *sheet, enum count_class class,
                      bool first, struct buf *out)
{
        AUTO_RELEASE(buf) own = {0};
        const char *name = stat_files_name(files), *dot;

        if (!first && !strstr(name, "{class}")) {
                dot = strrchr(text_base_name(name), '.');
                dot = dot ? dot : name + strlen(name);
                buf_add(&own, name, (size_t)(dot - name));
                buf_printf(&own, ".{class}%s", dot);
                name = own.data;
        }
        fill_template(files, name, sheet, class, out);
}

static bool make_files(struct stat_files *files, const struct sheet *sheet, struct buf *told, struct err *err)
{
        bool first = true;

        for (int i = 0; i < COUNT_CLASSES; i++) {
                enum count_class class = (enum count_class)i;
                AUTO_RELEASE(buf) name = {0};
                AUTO_RELEASE(buf) path = {0};
                AUTO_RELEASE(buf) head = {0};

                if (!stat_csv_has(sheet, class))
                        continue;
                make_name(files, sheet, class, first, &name);
                first = false;
                cmd_output_path(files->prefix, buf_text(&name), &path);
                files->files[i] = os_file_create(buf_text(&path), err);
                if (!files->files[i])
                        return false;
                if (told)
                        stat_csv_add_file(path.data, told);
                files->multiplexed[i] = sheet->multiplexed[i];
                files->csv.class = class;
                files->csv.class_name = count_class_name(class);
                stat_csv_head(&files->csv, sheet, files->multiplexed[i], &head);
                if (!text_stream_to_file(files->files[i], head.data, head.len, err))
                        return false;
        }
        return true;
}

bool stat_files_add(struct stat_files *files, const struct sheet *sheet, struct buf *told, struct err *err)
{
        if (!files->begun && !make_files(files, sheet, told, err))
                return false;
        files->begun = true;
        for (int i = 0; i < COUNT_CLASSES; i++) {
                AUTO_RELEASE(buf) row = {0};

                if (!files->files[i])
                        continue;
                files->csv.class = (enum count_class)i;
                stat_csv_row(&files->csv, sheet, files->multiplexed[i], &row);
                if (!text_stream_to_file(files->files[i], row.data, row.len, err))
                        return false;
        }
        return true;
}
