/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of a report as Arrow streams.  The columns are the fields of the structs of wperf.h; each batch is
 * filled when it is asked for. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "arrow_abi.h"
#include "library_internal.h"
#include "mem.h"
#include "text_printable.h"

enum { BATCH_ROWS = 65536, BATCH_BYTES = 16 << 20, MAX_BUFFERS = 3 };

enum column_kind { TEXT, EVENT, U64, I64, U32, I32, F64, FLAG };

/* The formats of Arrow: long UTF-8, numbers, bits. */
static const char *const formats[] = {
        [TEXT] = "U", [EVENT] = "U", [U64] = "L", [I64] = "l",
        [U32] = "I",  [I32] = "i",   [F64] = "g", [FLAG] = "b",
};

struct arrow_column {
        const char *name;
        enum column_kind kind;
        size_t offset; /* of the field in the row */
};

/* A frame of an address; other stacks may have the same. */
struct arrow_frame {
        uint32_t stack;
        int64_t caller;
        struct wperf_frame frame;
};

union arrow_row {
        struct wperf_event event;
        struct wperf_row row;
        struct wperf_python_row python;
        struct wperf_sample sample;
        struct arrow_frame frame;
        struct wperf_quality quality;
};

struct arrow_rows {
        wperf_report *report;
        const struct arrow_table *table;
        size_t next, next_inside; /* the row that is read next */
};

struct arrow_table {
        unsigned contents;                                           /* that the report must have */
        bool (*read)(struct arrow_rows *rows, union arrow_row *row); /* false after the last row */
        const struct arrow_column *columns;
        size_t n_columns;
};

/* --- Columns --- */

#define COLUMN(kind, struct_name, field)                                                                     \
        {                                                                                                    \
#field, kind, offsetof(struct struct_name, field)                                            \
        }

static const struct arrow_column event_columns[] = {
        COLUMN(TEXT, wperf_event, name),
        COLUMN(U64, wperf_event, samples),
        COLUMN(U64, wperf_event, weight),
};

static const struct arrow_column row_columns[] = {
        COLUMN(EVENT, wperf_row, event), COLUMN(TEXT, wperf_row, symbol),   COLUMN(TEXT, wperf_row, module),
        COLUMN(TEXT, wperf_row, line),   COLUMN(FLAG, wperf_row, resolved), COLUMN(U64, wperf_row, samples),
        COLUMN(U64, wperf_row, weight),  COLUMN(F64, wperf_row, share),     COLUMN(F64, wperf_row, low),
        COLUMN(F64, wperf_row, high),
};

static const struct arrow_column python_columns[] = {
        COLUMN(EVENT, wperf_python_row, event),      COLUMN(TEXT, wperf_python_row, name),
        COLUMN(TEXT, wperf_python_row, label),       COLUMN(TEXT, wperf_python_row, path),
        COLUMN(U64, wperf_python_row, self_samples), COLUMN(U64, wperf_python_row, self_weight),
        COLUMN(U64, wperf_python_row, samples),      COLUMN(U64, wperf_python_row, weight),
};

static const struct arrow_column sample_columns[] = {
        COLUMN(U64, wperf_sample, time_ns), COLUMN(EVENT, wperf_sample, event),
        COLUMN(U64, wperf_sample, weight),  COLUMN(U64, wperf_sample, ip),
        COLUMN(I32, wperf_sample, pid),     COLUMN(I32, wperf_sample, tid),
        COLUMN(I64, wperf_sample, cpu),     COLUMN(TEXT, wperf_sample, comm),
        COLUMN(U32, wperf_sample, stack),
};

#define FRAME(kind, field)                                                                                   \
        {                                                                                                    \
#field, kind, offsetof(struct arrow_frame, frame.field)                                      \
        }

static const struct arrow_column frame_columns[] = {
        COLUMN(U32, arrow_frame, stack),
        COLUMN(I64, arrow_frame, caller),
        FRAME(TEXT, function),
        FRAME(TEXT, module),
        FRAME(TEXT, file),
        FRAME(U32, line),
        FRAME(FLAG, is_inlined),
        FRAME(FLAG, is_cut),
};

static const struct arrow_column quality_columns[] = {
        COLUMN(U64, wperf_quality, samples),       COLUMN(U64, wperf_quality, lost),
        COLUMN(U64, wperf_quality, throttled),     COLUMN(U64, wperf_quality, unresolved),
        COLUMN(U64, wperf_quality, cut_stacks),    COLUMN(U64, wperf_quality, unjudged_stacks),
        COLUMN(F64, wperf_quality, counted_share), COLUMN(F64, wperf_quality, kernel_share),
        COLUMN(F64, wperf_quality, sampled_share), COLUMN(FLAG, wperf_quality, unfinished),
        COLUMN(FLAG, wperf_quality, poor),         COLUMN(TEXT, wperf_quality, why_poor),
        COLUMN(TEXT, wperf_quality, doubts),
};

/* --- Rows --- */

static bool read_event(struct arrow_rows *rows, union arrow_row *row)
{
        return wperf_report_event(rows->report, rows->next++, &row->event);
}

static bool read_row(struct arrow_rows *rows, union arrow_row *row)
{
        return wperf_report_row(rows->report, rows->next++, &row->row);
}

static bool read_python(struct arrow_rows *rows, union arrow_row *row)
{
        return wperf_report_python_row(rows->report, rows->next++, &row->python);
}

static bool read_sample(struct arrow_rows *rows, union arrow_row *row)
{
        return wperf_report_sample(rows->report, rows->next++, &row->sample);
}

static bool read_quality(struct arrow_rows *rows, union arrow_row *row)
{
        wperf_report_quality(rows->report, &row->quality);
        return !rows->next++;
}

/* The frames of a stack without its callers, which are another stack. */
static bool read_frame(struct arrow_rows *rows, union arrow_row *row)
{
        const struct named_stacks *named = rows->report->report->named;
        const struct named_node *node;

        if (rows->next >= named->n_nodes)
                return false;
        node = &named->nodes[rows->next];
        row->frame.stack = (uint32_t)rows->next;
        row->frame.caller = node->parent == NAMED_NONE ? -1 : (int64_t)node->parent;
        wperf_report_frame(rows->report, row->frame.stack, rows->next_inside, &row->frame.frame);
        if (++rows->next_inside >= node->n_frames || node->is_cut) {
                rows->next++;
                rows->next_inside = 0;
        }
        return true;
}

#define TABLE(contents, name)                                                                                \
        {                                                                                                    \
                contents, read_##name, name##_columns, N_ELEMENTS(name##_columns)                            \
        }

static const struct arrow_table tables[] = {
        [WPERF_TABLE_EVENTS] = TABLE(0, event),
        [WPERF_TABLE_ROWS] = TABLE(0, row),
        [WPERF_TABLE_PYTHON] = TABLE(WPERF_PYTHON, python),
        [WPERF_TABLE_SAMPLES] = TABLE(WPERF_SAMPLES, sample),
        [WPERF_TABLE_FRAMES] = TABLE(WPERF_SAMPLES, frame),
        [WPERF_TABLE_QUALITY] = TABLE(0, quality),
};

/* --- Batches --- */

/* A column of a batch; memory of an ArrowArray, which may outlive the batch. */
struct arrow_values {
        struct buf data, ends;
        const void *buffers[MAX_BUFFERS];
};

static void release_values(struct ArrowArray *array)
{
        struct arrow_values *values = array->private_data;

        buf_release(&values->data);
        buf_release(&values->ends);
        free(values);
        array->release = NULL;
}

static void release_batch(struct ArrowArray *array)
{
        for (int64_t i = 0; i < array->n_children; i++) {
                if (array->children[i]->release)
                        array->children[i]->release(array->children[i]);
                free(array->children[i]);
        }
        free(array->children);
        free(array->buffers);
        array->release = NULL;
}

/* Invalid UTF-8, as names in files may have it, becomes U+FFFD. */
static void add_text(struct arrow_values *values, const char *text)
{
        while (*text) {
                size_t len = text_utf8_length((const unsigned char *)text);

                buf_add(&values->data, len ? text : "\xef\xbf\xbd", len ? len : 3);
                text += len ? len : 1;
        }
        buf_add_u64(&values->ends, values->data.len);
}

static void add_flag(struct arrow_values *values, int64_t row, const int *flag)
{
        if (row % 8 == 0)
                buf_add_u8(&values->data, 0);
        if (*flag)
                values->data.data[row / 8] |= (char)(1 << row % 8);
}

static void add_value(const struct arrow_rows *rows, const struct arrow_column *column, const void *field,
                      int64_t row, struct arrow_values *values)
{
        struct wperf_event event = {.name = ""};

        switch (column->kind) {
        case TEXT: add_text(values, *(const char *const *)field); break;
        case EVENT:
                wperf_report_event(rows->report, *(const size_t *)field, &event);
                add_text(values, event.name);
                break;
        case U64:
        case I64:
        case F64: buf_add(&values->data, field, 8); break;
        case U32:
        case I32: buf_add(&values->data, field, 4); break;
        case FLAG: add_flag(values, row, field); break;
        }
}

static bool is_text(const struct arrow_column *column)
{
        return column->kind == TEXT || column->kind == EVENT;
}

static struct ArrowArray *column_array(const struct arrow_column *column)
{
        struct ArrowArray *array = mem_new(1, sizeof(*array));
        struct arrow_values *values = mem_new(1, sizeof(*values));

        *array = (struct ArrowArray){
                .n_buffers = is_text(column) ? 3 : 2,
                .buffers = values->buffers,
                .release = release_values,
                .private_data = values,
        };
        if (is_text(column))
                buf_add_u64(&values->ends, 0);
        return array;
}

/* The buffers are not moved any more. */
static void finish(struct ArrowArray *array, int64_t length)
{
        struct arrow_values *values = array->private_data;

        array->length = length;
        if (array->n_buffers == 3)
                values->buffers[1] = values->ends.data;
        values->buffers[array->n_buffers - 1] = values->data.data;
}

static struct ArrowArray new_batch(const struct arrow_table *table)
{
        struct ArrowArray batch = {
                .n_buffers = 1,
                .n_children = (int64_t)table->n_columns,
                .buffers = mem_new(1, sizeof(*batch.buffers)),
                .children = mem_new(table->n_columns, sizeof(struct ArrowArray *)),
                .release = release_batch,
        };

        for (size_t i = 0; i < table->n_columns; i++)
                batch.children[i] = column_array(&table->columns[i]);
        return batch;
}

static size_t bytes_of(const struct ArrowArray *batch)
{
        size_t bytes = 0;

        for (int64_t i = 0; i < batch->n_children; i++) {
                const struct arrow_values *values = batch->children[i]->private_data;

                bytes += values->data.len;
        }
        return bytes;
}

/* Texts stand in each row, so that long ones need smaller batches. */
static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *ret)
{
        struct arrow_rows *rows = stream->private_data;
        const struct arrow_table *table = rows->table;
        struct ArrowArray batch = new_batch(table);
        union arrow_row row;

        while (batch.length < BATCH_ROWS && bytes_of(&batch) < BATCH_BYTES && table->read(rows, &row)) {
                for (size_t i = 0; i < table->n_columns; i++)
                        add_value(rows, &table->columns[i], (const char *)&row + table->columns[i].offset,
                                  batch.length, batch.children[i]->private_data);
                batch.length++;
        }
        for (size_t i = 0; i < table->n_columns; i++)
                finish(batch.children[i], batch.length);
        if (!batch.length)
                release_batch(&batch);
        *ret = batch;
        return 0;
}

/* --- The stream --- */

static void release_schema(struct ArrowSchema *schema)
{
        for (int64_t i = 0; i < schema->n_children; i++) {
                if (schema->children[i]->release)
                        schema->children[i]->release(schema->children[i]);
                free(schema->children[i]);
        }
        free(schema->children);
        schema->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *ret)
{
        const struct arrow_table *table = ((const struct arrow_rows *)stream->private_data)->table;

        *ret = (struct ArrowSchema){
                .format = "+s",
                .name = "",
                .n_children = (int64_t)table->n_columns,
                .children = mem_new(table->n_columns, sizeof(struct ArrowSchema *)),
                .release = release_schema,
        };
        for (size_t i = 0; i < table->n_columns; i++) {
                ret->children[i] = mem_new(1, sizeof(struct ArrowSchema));
                *ret->children[i] = (struct ArrowSchema){
                        .format = formats[table->columns[i].kind],
                        .name = table->columns[i].name,
                        .release = release_schema,
                };
        }
        return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
        return NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
        struct arrow_rows *rows = stream->private_data;

        wperf_report_close(rows->report);
        free(rows);
        stream->release = NULL;
}

int wperf_report_arrow(wperf_report *handle, enum wperf_table table, struct ArrowArrayStream *stream,
                       struct wperf_error *error)
{
        struct err err = {0};
        struct arrow_rows *rows;

        if ((size_t)table >= N_ELEMENTS(tables))
                err_set(&err, ERR_USAGE, "there is no table with the number %d", (int)table);
        else if (tables[table].contents & ~handle->contents)
                err_set(&err, ERR_USAGE, "the report was opened without %s",
                        tables[table].contents == WPERF_PYTHON ? "WPERF_PYTHON" : "WPERF_SAMPLES");
        if (err.code)
                return library_fail(&err, error);
        rows = mem_new(1, sizeof(*rows));
        *rows = (struct arrow_rows){.report = handle, .table = &tables[table]};
        handle->n_users++;
        *stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, rows};
        return 1;
}
