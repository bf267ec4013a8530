/* SPDX-License-Identifier: BSD-3-Clause */
/* What the taker of a run's records may ask while it runs. */
#include "run_internal.h"

struct run_facts run_look(struct run *run)
{
        run_fill_facts(run);
        buf_clear(&run->heading_note);
        run_fill_heading_note(run, run->request);
        run_fill_lack_note(run);
        return run->out;
}

uint64_t run_own_ns(struct run *run)
{
        return collector_own_ns(run->collector);
}

void run_take_waits(struct run *run, struct buf *out)
{
        collector_take_waits(run->collector, out);
}

static bool write_header(struct run *run, struct buf *out)
{
        run->writer = perfdata_writer_open_memory(out);
        run_add_events(run);
        if (!perfdata_writer_begin(run->writer, NULL))
                return false;
        session_facts_write(run->facts, run->writer, NULL);
        return perfdata_writer_close(TAKE(run->writer), NULL);
}

void run_add_header(struct run *run, struct buf *out)
{
        if (!write_header(run, out))
                buf_clear(out);
}

static void forget_session(struct run *run)
{
        perfdata_writer_free(TAKE(run->writer));
        session_facts_free(run->facts);
        run->facts = session_facts_new();
        run->begun = false;
        buf_clear(&run->note);
        buf_clear(&run->heading_note);
        buf_clear(&run->doubts);
}

bool run_keep(struct run *run, const char *path, const struct run_records *records, struct err *err)
{
        const struct record_sink sink = {run_put_records, run};
        struct run_request request = *run->request;
        bool ok;

        request.session_path = path;
        forget_session(run);
        ok = run_open_session(run, &request, err);
        if (ok) {
                run_add_events(run);
                run_describe_tracepoints(&request, run);
                run_fill_facts(run);
                run->records = records;
                ok = records->put_all(records->ctx, &sink, err) && run_finish_session(run, &request, err);
        }
        run->records = NULL;
        forget_session(run);
        return ok;
}
