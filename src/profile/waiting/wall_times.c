/* SPDX-License-Identifier: BSD-3-Clause */
#include "wall_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"

struct wall_thread_sums {
        uint64_t idle_ns, waiting_ns; /* waiting_ns includes idle_ns */
};

struct wall_summing {
        const struct wall_pieces *pieces;
        struct wall_times *times;
        struct map threads; /* tid to index + 1 */
        struct wall_thread_sums *sums;
        size_t n_sums, cap_sums;
        uint64_t *holder_ns; /* by function */
        struct map lines;    /* function and line to ns */
};

static struct wall_thread_sums *sums_of(struct wall_summing *s, int32_t tid)
{
        uint64_t *at = map_put(&s->threads, (uint64_t)(uint32_t)tid, NULL);

        if (!*at) {
                ARRAY_PUSH(s->sums, s->n_sums, s->cap_sums, (struct wall_thread_sums){0});
                *at = s->n_sums;
        }
        return &s->sums[*at - 1];
}

static void add_state(struct wall_summing *s, const struct wall_piece *piece)
{
        struct wall_thread_sums *sums = sums_of(s, piece->tid);

        s->times->ns[piece->state] += piece->ns;
        s->times->total_ns += piece->ns;
        if (WALL_BIT(piece->state) & (WALL_WAITING | WALL_IDLE))
                sums->waiting_ns += piece->ns;
        if (piece->state == WAIT_KIND_IDLE)
                sums->idle_ns += piece->ns;
}

static void add_idle_call(struct wall_times *t, const char *call)
{
        for (size_t i = 0; i < t->n_idle_calls; i++) {
                if (t->idle_calls[i] == call)
                        return;
        }
        t->idle_calls[t->n_idle_calls++] = call;
}

static void add_piece(struct wall_summing *s, const struct wall_piece *piece)
{
        add_state(s, piece);
        if (piece->is_cut && WALL_BIT(piece->state) & WALL_WAITING)
                s->times->stackless_ns += piece->ns;
        if (piece->idle_call)
                add_idle_call(s->times, s->pieces->idle_calls[piece->idle_call - 1]);
        if (piece->holder)
                s->holder_ns[piece->holder - 1] += piece->ns;
        if (piece->function) {
                struct wall_function *f = &s->times->functions[piece->function - 1];
                uint64_t shown_ns = s->times->shown & WALL_BIT(piece->state) ? piece->ns : 0;
                uint64_t *line_ns = map_put(&s->lines, (uint64_t)piece->function << 32 | piece->line, NULL);

                f->ns[piece->state] += piece->ns;
                f->total_ns += shown_ns;
                *line_ns += shown_ns;
                if (*line_ns < f->line_ns)
                        return;
                f->line_ns = *line_ns;
                f->line = piece->line;
        }
}

static void add_stackless(struct wall_summing *s, const struct wall_piece *piece)
{
        add_state(s, piece);
        if (WALL_BIT(piece->state) & WALL_WAITING)
                s->times->stackless_ns += piece->ns;
}

/* --- Errors --- */

/* Of the short waits of a thread, or of those that count for one of its functions. */
struct sampled_sums {
        double ns, squares;
        size_t n;
};

struct thread_errors {
        struct wall_summing *s;
        struct sampled_sums all;
        struct sampled_sums *functions; /* by function */
        size_t *touched;                /* those that the thread has, of which there are few */
        size_t n_touched;
};

static void add_sampled(struct sampled_sums *sums, uint64_t ns)
{
        sums->ns += (double)ns;
        sums->squares += (double)ns * (double)ns;
        sums->n++;
}

/* The time of all short waits is exact, and shared out by the readings. So this is the error of a ratio: the
 * sum of what each reading adds to the function's part, less that part of what it adds to the whole, squared.
 */
static void end_thread(struct thread_errors *e)
{
        struct wall_times *t = e->s->times;
        double more = e->all.n > 1 ? (double)e->all.n / (double)(e->all.n - 1) : 1;

        for (size_t i = 0; i < e->n_touched; i++) {
                struct sampled_sums *f = &e->functions[e->touched[i]];
                double part = f->ns / e->all.ns;

                /* the variance, until all threads have been added */
                t->functions[e->touched[i]].error_ns +=
                        more * (f->squares * (1 - 2 * part) + part * part * e->all.squares);
                *f = (struct sampled_sums){0};
        }
        t->n_sampled += e->all.n;
        e->n_touched = 0;
        e->all = (struct sampled_sums){0};
}

static void find_errors(struct wall_summing *s)
{
        const struct wall_pieces *pieces = s->pieces;
        struct wall_times *t = s->times;
        struct thread_errors e = {.s = s,
                                  .functions = mem_new(t->n_functions + 1, sizeof(*e.functions)),
                                  .touched = mem_new(t->n_functions + 1, sizeof(*e.touched))};

        for (size_t i = 0; i < pieces->n; i++) {
                const struct wall_piece *piece = &pieces->items[i];

                if (i && piece->tid != piece[-1].tid)
                        end_thread(&e);
                if (!piece->is_taken || !piece->is_sampled)
                        continue;
                add_sampled(&e.all, piece->ns);
                if (!piece->function || !(t->shown & WALL_BIT(piece->state)))
                        continue;
                if (!e.functions[piece->function - 1].n)
                        e.touched[e.n_touched++] = piece->function - 1;
                add_sampled(&e.functions[piece->function - 1], piece->ns);
        }
        end_thread(&e);
        for (size_t i = 0; i < t->n_functions; i++) {
                double *error_ns = &t->functions[i].error_ns;

                *error_ns = *error_ns > 0 ? sqrt(*error_ns) : 0;
                t->most_error_ns = *error_ns > t->most_error_ns ? *error_ns : t->most_error_ns;
        }
        free(e.functions);
        free(e.touched);
}

/* --- Results --- */

static void find_gil_holder(struct wall_summing *s)
{
        struct wall_times *t = s->times;
        uint64_t most_ns = 0;

        for (size_t i = 0; i < s->pieces->n_functions; i++) {
                if (s->holder_ns[i] <= most_ns)
                        continue;
                most_ns = s->holder_ns[i];
                t->gil_holder = &s->pieces->functions[i];
        }
        t->gil_share = t->ns[WAIT_KIND_GIL] ? (double)most_ns / (double)t->ns[WAIT_KIND_GIL] : 0;
}

static void drop_untaken(struct wall_times *t)
{
        size_t n = 0;

        for (size_t i = 0; i < t->n_functions; i++) {
                uint64_t ns = 0;

                for (unsigned k = 0; k < WALL_N_STATES; k++)
                        ns |= t->functions[i].ns[k];
                if (ns)
                        t->functions[n++] = t->functions[i];
        }
        t->n_functions = n;
}

static int compare_functions(const void *a, const void *b)
{
        const struct wall_function *x = a, *y = b;
        int order;

        if (x->total_ns != y->total_ns)
                return x->total_ns < y->total_ns ? 1 : -1;
        order = strcmp(x->name->name, y->name->name);
        return order ? order : strcmp(x->name->file, y->name->file);
}

static void sort_functions(struct wall_times *t)
{
        if (t->n_functions)
                qsort(t->functions, t->n_functions, sizeof(*t->functions), compare_functions);
}

struct wall_times *wall_times_new(const struct wall_pieces *pieces, unsigned shown)
{
        struct wall_times *t = mem_new(1, sizeof(*t));
        struct wall_summing s = {.pieces = pieces, .times = t};

        t->shown = shown;
        t->elapsed_ns = pieces->elapsed_ns;
        t->n_functions = pieces->n_functions;
        t->functions = mem_new(t->n_functions + 1, sizeof(*t->functions));
        for (size_t i = 0; i < t->n_functions; i++)
                t->functions[i].name = &pieces->functions[i];
        s.holder_ns = mem_new(t->n_functions + 1, sizeof(*s.holder_ns));
        for (size_t i = 0; i < pieces->n; i++) {
                if (pieces->items[i].is_taken)
                        add_piece(&s, &pieces->items[i]);
        }
        for (size_t i = 0; i < pieces->n_stackless; i++) {
                if (pieces->stackless[i].is_taken)
                        add_stackless(&s, &pieces->stackless[i]);
        }
        t->n_threads = s.n_sums;
        for (size_t i = 0; i < s.n_sums; i++)
                t->n_idle_threads += s.sums[i].idle_ns > s.sums[i].waiting_ns / 2;
        find_errors(&s);
        find_gil_holder(&s);
        drop_untaken(t);
        sort_functions(t);
        free(s.sums);
        free(s.holder_ns);
        map_release(&s.threads);
        map_release(&s.lines);
        return t;
}

void wall_times_free(struct wall_times *times)
{
        if (!times)
                return;
        free(times->functions);
        free(times);
}
