/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time by state and by function, in microseconds. */
#include "wall_times.h"
#include "web_page_internal.h"

enum { MAX_FUNCTIONS = 1000 };

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

void web_page_wall_write(const struct wall_times *wall, struct strpool *texts, struct buf *out)
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
}
