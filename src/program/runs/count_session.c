/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_session.h"

#include <stdlib.h>

#include "count_section.h"
#include "err.h"
#include "mem.h"
#include "session_facts.h"

struct count_session {
        struct perfdata_writer *writer;
        struct session_facts *facts;
        const struct count_list *list;
        bool begun;
};

struct count_session *count_session_create(const char *path, const struct count_list *list,
                                           const struct counting *counting, struct err *err)
{
        AUTO(count_session) session = mem_new(1, sizeof(*session));

        session->list = list;
        session->facts = session_facts_new();
        session->writer = perfdata_writer_open(path, err);
        if (!session->writer)
                return NULL;
        for (size_t i = 0; i < list->n_items; i++) {
                struct counting_event e = counting_get_event(counting, i);

                perfdata_writer_add_event(session->writer, &e.attr, list->items[i].event.name, e.ids,
                                          e.n_ids);
        }
        return TAKE(session);
}

void count_session_free(struct count_session *session)
{
        if (!session)
                return;
        perfdata_writer_free(session->writer);
        session_facts_free(session->facts);
        free(session);
}

bool count_session_put(struct count_session *session, const void *records, size_t size, struct err *err)
{
        if (!session->begun && !perfdata_writer_begin(session->writer, err))
                return false;
        session->begun = true;
        return perfdata_writer_put(session->writer, records, size, err);
}

bool count_session_close(struct count_session *session, const struct run_info *info, const char *subject,
                         const char *command_line, struct err *err)
{
        bool ok;

        count_section_write(session->list, subject, session->writer);
        /* An empty section tells perf that the session contains counts. */
        perfdata_writer_add_feature(session->writer, FEATURE_STAT, "", 0);
        session_facts_write(session->facts, session->writer, command_line);
        run_info_write(info, session->writer);
        ok = perfdata_writer_close(TAKE(session->writer), err);
        count_session_free(session);
        return ok;
}
