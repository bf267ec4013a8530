/* SPDX-License-Identifier: BSD-3-Clause */
#include "wall_live.h"

#include <stdlib.h>

#include "mem.h"
#include "wall_making.h"

struct wall_live {
        struct wall_making making;
        struct cpu_span *spans; /* of the last division */
};

struct wall_live *wall_live_new(void)
{
        struct wall_live *live = mem_new(1, sizeof(*live));

        live->making.pieces = mem_new(1, sizeof(*live->making.pieces));
        return live;
}

void wall_live_free(struct wall_live *live)
{
        if (!live)
                return;
        wall_pieces_free(live->making.pieces);
        wall_making_release(&live->making);
        free(live->spans);
        free(live);
}

/* The results of the last division. */
static void forget_division(struct wall_live *live)
{
        struct wall_making *m = &live->making;

        m->pieces->n = m->pieces->n_stackless = 0;
        for (size_t i = 0; i < m->n_readings; i++) {
                struct wall_reading *r = &m->readings[i];

                r->weight_ns = r->ready_ns = r->from_ns = r->to_ns = 0;
                r->is_short = false;
        }
}

struct wall_pieces *wall_live_divide(struct wall_live *live, const struct wall_request *request)
{
        struct wall_making *m = &live->making;
        size_t n;

        m->request = request;
        forget_division(live);
        free(live->spans);
        live->spans = cpu_spans_copy(request->spans, &n);
        wall_making_set_spans(m, live->spans, n);
        wall_making_take(m);
        wall_making_forget_nodes(m);
        if (m->to_ns - m->from_ns < request->elapsed_ns)
                m->to_ns = m->from_ns + request->elapsed_ns;
        m->pieces->knows_gil |= request->waits->n_holders != 0;
        wall_pieces_divide(m);
        m->request = NULL;
        return m->pieces;
}

size_t wall_live_n(const struct wall_live *live)
{
        return live->making.n_readings + live->making.n_samples;
}

/* Of each thread the last reading, if its wait has not ended. Readings are sorted by thread, then time. */
static size_t find_lasting(const struct wall_making *m, const struct map *ended, struct wall_reading *ret)
{
        size_t n = 0;

        for (size_t i = 0; i < m->n_readings; i++) {
                const struct wall_reading *r = &m->readings[i];

                if (r->weight_ns && r->to_ns == m->to_ns && !map_find(ended, (uint32_t)r->tid))
                        ret[n++] = *r;
        }
        return n;
}

uint64_t wall_live_begin_anew(struct wall_live *live, const struct map *ended)
{
        struct wall_making *m = &live->making;
        struct wall_reading *lasting = mem_new(m->n_readings + 1, sizeof(*lasting));
        size_t n = find_lasting(m, ended, lasting);

        wall_making_begin_anew(m, m->to_ns, lasting, n);
        free(lasting);
        return m->to_ns;
}
