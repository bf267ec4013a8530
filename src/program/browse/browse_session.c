/* SPDX-License-Identifier: BSD-3-Clause */
#include "browse_session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

enum { MAX_EVENTS_AHEAD = 8 };

/* The trees of one event; NULL if not made yet. */
struct browse_trees {
        struct calltree *tree, *callers;
};

struct browse_session {
        struct browse_request request;
        struct report *report;
        struct browse_trees *trees;
};

/* --- requests --- */

static const char *copy_text(const char *text, struct arena *texts)
{
        return text ? arena_copy(texts, text, strlen(text)) : NULL;
}

static const int32_t *copy_pids(const struct profile_filter *filter, struct arena *texts)
{
        int32_t *pids;

        if (!filter->n_pids)
                return NULL;
        pids = arena_alloc(texts, filter->n_pids * sizeof(*pids));
        memcpy(pids, filter->pids, filter->n_pids * sizeof(*pids));
        return pids;
}

void browse_request_init(struct browse_request *ret, const struct report_request *request)
{
        struct profile_filter *filter = &ret->report.filter;

        *ret = (struct browse_request){.report = *request};
        filter->pids = copy_pids(filter, &ret->texts);
        filter->comms = copy_text(filter->comms, &ret->texts);
        filter->threads = copy_text(filter->threads, &ret->texts);
        filter->modules = copy_text(filter->modules, &ret->texts);
        filter->python_file = copy_text(filter->python_file, &ret->texts);
}

void browse_request_release(struct browse_request *request)
{
        arena_release(&request->texts);
}

/* --- sessions --- */

struct browse_session *browse_session_new(struct report *report, struct browse_request *request)
{
        struct browse_session *session = mem_new(1, sizeof(*session));

        session->request = *request;
        *request = (struct browse_request){0};
        session->report = report;
        session->trees = mem_new(report->n_events, sizeof(*session->trees));
        return session;
}

void browse_session_free(struct browse_session *session)
{
        if (!session)
                return;
        for (size_t i = 0; i < session->report->n_events; i++) {
                calltree_free(session->trees[i].tree);
                calltree_free(session->trees[i].callers);
        }
        free(session->trees);
        report_free(session->report);
        browse_request_release(&session->request);
        free(session);
}

void browse_session_make_trees(struct browse_session *session)
{
        if (!session->report->tree || session->report->n_events > MAX_EVENTS_AHEAD)
                return;
        for (uint32_t i = 0; i < session->report->n_events; i++) {
                if (session->report->events[i].n_samples)
                        browse_session_callers(session, i);
        }
}

struct report *browse_session_report(struct browse_session *session)
{
        return session->report;
}

const struct calltree *browse_session_tree(struct browse_session *session, uint32_t event)
{
        struct calltree **tree = &session->trees[event].tree;

        assert(event < session->report->n_events);
        if (!*tree)
                *tree = stacks_tree_make(session->report->tree, event);
        return *tree;
}

const struct calltree *browse_session_callers(struct browse_session *session, uint32_t event)
{
        struct calltree **callers = &session->trees[event].callers;

        assert(event < session->report->n_events);
        if (!*callers)
                *callers = calltree_invert(browse_session_tree(session, event), NULL, NULL);
        return *callers;
}
