/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time by state and by function, in microseconds; and the states of threads over time. */
#include "strips.h"
#include "wall_times.h"
#include "web_page_internal.h"

enum {
        MAX_FUNCTIONS = 1000,
        RUNNING_STEPS = 8, /* page_data.js has the same number */
};

static uint64_t microseconds(uint64_t ns)
{
        return (ns + 500) / 1000;
}

/* The states that any thread was in. */
static size_t choose_states(const struct wall_times *wall, unsigned *states)
{
        size_t n = 0;

        for (unsigned i = 0; i < WALL_N_STATES; i++) {
                if (wall->ns[i])
                        states[n++] = i;
        }
        return n;
}

static void add_function(const struct wall_function *function, const unsigned *states, size_t n_states,
                         struct strpool *texts, struct buf *out)
{
        buf_add_uleb(out, web_page_add_text(texts, function->name->name));
        buf_add_uleb(out, web_page_add_text(texts, function->name->file));
        buf_add_uleb(out, function->line);
        buf_add_uleb(out, microseconds(function->total_ns));
        for (size_t i = 0; i < n_states; i++)
                buf_add_uleb(out, microseconds(function->ns[states[i]]));
}

/* --- Over time --- */

/* Of a column: 1 + the number of the state, 0 for none, and the share on a CPU in eighths, as one number. */
static uint64_t column_value(const struct strips *strips, const struct strip *strip, const uint8_t *numbers,
                             unsigned column)
{
        uint64_t whole = strips_column_ns(strips, column + 1) - strips_column_ns(strips, column);
        uint64_t running = strip->running ? strip->running[column] * RUNNING_STEPS : 0;
        uint64_t share = !running ? 0 : running >= whole * RUNNING_STEPS ? RUNNING_STEPS : running / whole;

        return (strip->states ? numbers[strip->states[column]] : 0) * (RUNNING_STEPS + 1) +
               (running && !share ? 1 : share);
}

/* Runs of equal columns: how many, then the length and the value of each. */
static void add_strip(const struct strips *strips, const struct strip *strip, const uint8_t *numbers,
                      struct buf *out)
{
        AUTO_RELEASE(buf) runs = {0};
        size_t n_runs = 0;

        for (unsigned first = 0, end; first < strips->n_columns; first = end) {
                uint64_t value = column_value(strips, strip, numbers, first);

                end = first + 1;
                while (end < strips->n_columns && column_value(strips, strip, numbers, end) == value)
                        end++;
                buf_add_uleb(&runs, end - first);
                buf_add_uleb(&runs, value);
                n_runs++;
        }
        buf_add_uleb(out, (uint32_t)strip->pid);
        buf_add_uleb(out, (uint32_t)strip->tid);
        buf_add_uleb(out, n_runs);
        buf_add(out, runs.data, runs.len);
}

/* `states` are those of the page, in its order. */
static void add_strips(const struct strips *strips, const unsigned *states, size_t n_states, struct buf *out)
{
        uint8_t numbers[1 + WALL_N_STATES] = {0};

        buf_add_uleb(out, strips ? strips->n_columns : 0);
        buf_add_uleb(out, strips ? strips->n : 0);
        for (size_t i = 0; i < n_states; i++)
                numbers[1 + states[i]] = (uint8_t)(1 + i);
        for (size_t i = 0; strips && i < strips->n; i++)
                add_strip(strips, &strips->items[i], numbers, out);
}

void web_page_wall_write(const struct wall_times *wall, const struct strips *strips, struct strpool *texts,
                         struct buf *out)
{
        unsigned states[WALL_N_STATES];
        size_t n_states = wall ? choose_states(wall, states) : 0, n;

        buf_add_uleb(out, n_states);
        if (!n_states)
                return;
        for (size_t i = 0; i < n_states; i++) {
                buf_add_uleb(out, web_page_add_text(texts, wall_state_word(states[i])));
                buf_add_uleb(out, microseconds(wall->ns[states[i]]));
        }
        buf_add_uleb(out, microseconds(wall->elapsed_ns));
        buf_add_uleb(out, wall->n_threads);
        n = wall->n_functions < MAX_FUNCTIONS ? wall->n_functions : MAX_FUNCTIONS;
        buf_add_uleb(out, n);
        for (size_t i = 0; i < n; i++)
                add_function(&wall->functions[i], states, n_states, texts, out);
        add_strips(strips, states, n_states, out);
}
