/* SPDX-License-Identifier: BSD-3-Clause */
#include "strip_view.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "table.h"
#include "text_code.h"
#include "text_printable.h"
#include "wall_states.h"

enum {
        LEVELS = 8,
        NAME_COLUMNS = 28,
        /* the other columns of a table: indent, share, count, name */
        OTHER_COLUMNS = 8 + 9 + 2 + 9 + 2 + NAME_COLUMNS + 2,
        NARROW_COLUMNS = 8 + 1 + 7 + 1 + 10 + 1, /* the same on a narrow terminal */
        MIN_COLUMNS = 10,
        DEFAULT_COLUMNS = 60,
};

unsigned strip_view_columns(unsigned max_columns)
{
        if (!max_columns)
                return DEFAULT_COLUMNS;
        if (max_columns >= OTHER_COLUMNS + MIN_COLUMNS)
                return max_columns - OTHER_COLUMNS;
        return max_columns >= NARROW_COLUMNS + MIN_COLUMNS ? MIN_COLUMNS : MIN_COLUMNS / 2;
}

unsigned strip_view_level(uint64_t weight, uint64_t most)
{
        unsigned level = most ? (unsigned)((double)weight * LEVELS / (double)most + 0.5) : 0;

        return weight && !level ? 1 : level < LEVELS ? level : LEVELS;
}

/* A thread ran, but without a sample. */
static const char *ran_mark(void)
{
        return text_code_is_ascii() ? "." : "·";
}

static uint64_t column_ns(const struct strips *strips, unsigned column)
{
        return strips_column_ns(strips, column + 1) - strips_column_ns(strips, column);
}

/* Always, if states are not known. */
static bool runs_mostly(const struct strips *strips, const struct strip *strip, unsigned column)
{
        return !strip->states || strip->running[column] >= column_ns(strips, column) / 2;
}

const char *strip_view_block(const struct strips *strips, const struct strip *strip, unsigned column)
{
        static const char *const blocks[][LEVELS + 1] = {
                {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
                {" ", "_", "-", "~", "=", "+", "*", "%", "#"},
        };
        unsigned level;

        assert(column < strips->n_columns);
        if (!runs_mostly(strips, strip, column))
                return strip->states[column]    ? wall_state_letter(strip->states[column] - 1u)
                       : strip->running[column] ? ran_mark()
                                                : " ";
        level = strip->states ? strip_view_level(strip->running[column], column_ns(strips, column))
                              : strip_view_level(strip->columns[column], strips->most);
        return !level && strip->running && strip->running[column] ? ran_mark()
                                                                  : blocks[text_code_is_ascii()][level];
}

void strip_view_add_name(const struct strip *strip, enum strips_by by, struct buf *out)
{
        if (by == STRIPS_BY_CPU && strip->cpu == UINT32_MAX) {
                buf_add_str(out, "CPU not known");
                return;
        }
        if (by == STRIPS_BY_CPU) {
                buf_printf(out, "CPU %" PRIu32, strip->cpu);
                return;
        }
        text_add_printable(out, *strip->name ? strip->name : "thread");
        buf_printf(out, " %" PRId32 "/%" PRId32, strip->pid, strip->tid);
}

static double percent(const struct strips *strips, uint64_t weight)
{
        return strips->weight ? 100 * (double)weight / (double)strips->weight : 0;
}

static double column_ms(const struct strips *strips)
{
        return ((double)(strips->to_ns - strips->from_ns) + 1) / strips->n_columns / 1e6;
}

static void add_row(const struct strips *strips, const struct strip *strip, enum strips_by by,
                    struct table *table)
{
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) blocks = {0};

        strip_view_add_name(strip, by, &name);
        for (unsigned i = 0; i < strips->n_columns; i++)
                buf_add_str(&blocks, strip_view_block(strips, strip, i));
        table_add_fixed(table, percent(strips, strip->weight));
        table_add_u64(table, strip->count);
        table_add_text(table, buf_text(&name));
        table_add_text(table, buf_text(&blocks));
}

void strip_view_add_states(const struct strips *strips, struct buf *out)
{
        for (unsigned state = 0; state < WALL_N_STATES; state++) {
                bool is_shown = false;

                for (size_t i = 0; i < strips->n && !is_shown; i++)
                        is_shown = memchr(strips->items[i].states, (int)state + 1, strips->n_columns);
                if (is_shown)
                        buf_printf(out, "%s %s, ", wall_state_letter(state), wall_state_word(state));
        }
        buf_printf(out, "bars: on a CPU, %s: less than half of the time; blank: not known", ran_mark());
}

static void add_legend(const struct strips *strips, struct buf *out)
{
        strip_view_add_states(strips, out);
        buf_add_char(out, '\n');
}

void strip_view_text(const struct strip_view *view, struct buf *out)
{
        const struct strips *strips = view->strips;
        const char *kind = view->by == STRIPS_BY_CPU ? "CPU" : "thread";
        char heading[80];
        const struct column columns[] = {
                {.name = "overhead", .type = COLUMN_FIXED, .decimals = 2, .is_share = true},
                {.name = "count", .type = COLUMN_U64},
                {.name = kind, .can_cut = true},
                {.name = heading},
        };
        AUTO(table) table = NULL;

        buf_add_str(out, "======================== ");
        text_add_printable(out, view->event);
        buf_printf(out, " over time, by %s ========================\n", kind);
        if (!strips) {
                buf_add_str(out, "the samples of this session have no time stamps\n");
                return;
        }
        snprintf(heading, sizeof(heading), "0 to %.3f s, %.4g ms a column",
                 (double)(strips->to_ns - strips->from_ns) / 1e9, column_ms(strips));
        table = table_new(columns, N_ELEMENTS(columns));
        table_color(table, view->is_colored);
        for (size_t i = 0; i < strips->n; i++)
                add_row(strips, &strips->items[i], view->by, table);
        table_render_text(table, view->max_columns, out);
        if (strips->n && strips->items[0].states)
                add_legend(strips, out);
        else if (strips->n && strips->items[0].running)
                buf_printf(out, "%s: %s\n", ran_mark(),
                           view->by == STRIPS_BY_CPU ? "a thread ran, but without a sample; blank: idle"
                                                     : "on a CPU, but without a sample; blank: waiting");
        if (strips->n_left_out)
                buf_printf(out, "%zu %ss with fewer samples are left out\n", strips->n_left_out, kind);
}

static void add_numbers(const char *key, const uint64_t *numbers, unsigned n, struct json *json)
{
        json_key(json, key);
        json_begin_array(json);
        for (unsigned i = 0; i < n; i++)
                json_u64(json, numbers[i]);
        json_end_array(json);
}

static void add_state_words(const uint8_t *states, unsigned n, struct json *json)
{
        json_key(json, "states");
        json_begin_array(json);
        for (unsigned i = 0; i < n; i++)
                json_str(json, states[i] ? wall_state_word(states[i] - 1u) : "");
        json_end_array(json);
}

void strip_view_json(const struct strip_view *view, struct json *json)
{
        const struct strips *strips = view->strips;

        json_begin_object(json);
        json_key_str(json, "event", view->event);
        json_key_str(json, "by", view->by == STRIPS_BY_CPU ? "cpu" : "thread");
        if (strips) {
                json_key_u64(json, "from_ns", strips->from_ns);
                json_key_u64(json, "to_ns", strips->to_ns);
                json_key_u64(json, "n_left_out", strips->n_left_out);
        }
        json_key(json, "rows");
        json_begin_array(json);
        for (size_t i = 0; strips && i < strips->n; i++) {
                const struct strip *strip = &strips->items[i];

                json_begin_object(json);
                if (view->by == STRIPS_BY_CPU) {
                        json_key_u64(json, "cpu", strip->cpu);
                } else {
                        json_key_str(json, "name", strip->name);
                        json_key_i64(json, "pid", strip->pid);
                        json_key_i64(json, "tid", strip->tid);
                }
                json_key_u64(json, "count", strip->count);
                json_key_u64(json, "weight", strip->weight);
                add_numbers("columns", strip->columns, strips->n_columns, json);
                if (strip->running)
                        add_numbers("running_ns", strip->running, strips->n_columns, json);
                if (strip->states)
                        add_state_words(strip->states, strips->n_columns, json);
                json_end_object(json);
        }
        json_end_array(json);
        json_end_object(json);
}
