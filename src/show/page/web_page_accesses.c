/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to memory: the tables of `report --mem`, as texts, and who uses each cache line. */
#include "access_view.h"
#include "table.h"
#include "web_page_internal.h"

enum { MAX_USES = 64 }; /* of a cache line */

/* How the cells of a column are shown.  page_data.js has the same numbers. */
enum cell_kind { CELL_TEXT, CELL_NUMBER, CELL_PERCENT };

static enum cell_kind kind_of(const struct column *column)
{
        switch (column->type) {
        case COLUMN_U64:
        case COLUMN_THOUSANDS: return CELL_NUMBER;
        case COLUMN_FIXED: return CELL_PERCENT;
        case COLUMN_TEXT:
        case COLUMN_HEX: break;
        }
        return CELL_TEXT;
}

static void add_table(const struct table *table, struct strpool *texts, struct buf *out)
{
        buf_add_uleb(out, table_n_columns(table));
        buf_add_uleb(out, table_n_rows(table));
        for (size_t i = 0; i < table_n_columns(table); i++) {
                const struct column *column = table_get_column(table, i);
                const char *meaning = access_view_meaning(column->name);

                buf_add_uleb(out, web_page_add_text(texts, column->name));
                buf_add_uleb(out, web_page_add_text(texts, meaning ? meaning : ""));
                buf_add_uleb(out, kind_of(column));
                for (size_t row = 0; row < table_n_rows(table); row++) {
                        AUTO_RELEASE(buf) text = {0};

                        table_add_cell(table, row, i, &text);
                        buf_add_uleb(out, web_page_add_text(texts, buf_text(&text)));
                }
        }
}

static size_t count_rows(const struct access_view *view, uint32_t event)
{
        size_t n = 0;

        for (size_t i = 0; i < access_rows_n(view->rows); i++)
                n += access_rows_get(view->rows, i)->event == event;
        return n;
}

/* The uses of the first `n` rows of the event. */
static void add_uses(const struct access_view *view, uint32_t event, size_t n, struct strpool *texts,
                     struct buf *out)
{
        for (size_t i = 0; n && i < access_rows_n(view->rows); i++) {
                const struct access_row *row = access_rows_get(view->rows, i);
                AUTO(table) table = NULL;

                if (row->event != event)
                        continue;
                n--;
                table = access_view_uses_table(view, row, MAX_USES);
                buf_add_uleb(out, row->n_uses);
                add_table(table, texts, out);
        }
}

static void add_part(const struct web_page_accesses *part, uint32_t event, struct strpool *texts,
                     struct buf *out)
{
        struct column columns[ACCESS_VIEW_MAX_COLUMNS];
        AUTO(table) table = access_view_table(&part->view, event, columns);
        bool has_uses = part->view.keys & ACCESS_BY_ADDRESS;

        buf_add_uleb(out, web_page_add_text(texts, part->title));
        buf_add_uleb(out, count_rows(&part->view, event));
        add_table(table, texts, out);
        buf_add_uleb(out, has_uses);
        if (has_uses)
                add_uses(&part->view, event, table_n_rows(table), texts, out);
}

void web_page_accesses_write(const struct web_page *page, struct strpool *texts, struct buf *out)
{
        AUTO_RELEASE(buf) events = {0};
        size_t n = 0;

        for (size_t i = 0; page->n_accesses && i < page->n_events; i++) {
                uint32_t event = page->events[i].index;
                const struct access_totals *totals = &page->accesses[0].view.events[event].totals;

                if (!totals->n_accesses)
                        continue;
                n++;
                buf_add_uleb(&events, i);
                buf_add_uleb(&events, totals->n_samples);
                buf_add_uleb(&events, totals->n_loads);
                buf_add_uleb(&events, totals->n_stores);
                buf_add_uleb(&events, totals->n_left_out);
                buf_add_uleb(&events, page->n_accesses);
                for (size_t k = 0; k < page->n_accesses; k++)
                        add_part(&page->accesses[k], event, texts, &events);
        }
        buf_add_uleb(out, n);
        buf_add(out, buf_text(&events), events.len);
}
