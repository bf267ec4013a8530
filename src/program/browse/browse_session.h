/* SPDX-License-Identifier: BSD-3-Clause */
/* A report of a session, with the call trees of its events. */
#ifndef BROWSE_SESSION_H
#define BROWSE_SESSION_H

#include "arena.h"
#include "attributes.h"
#include "calltree.h"
#include "report.h"

struct browse_session;

/* A request for a report, with its own copies of all that its filter points to. */
struct browse_request {
        struct report_request report;
        struct arena texts;
};

/* Copies the request and its filter; what else it points to must outlive the copy. */
void browse_request_init(struct browse_request *ret, const struct report_request *request);
void browse_request_release(struct browse_request *request);

/* Takes ownership of `report`, and of the request that it was made for, because the report keeps pointers
 * into its filter. */
struct browse_session *browse_session_new(struct report *report, struct browse_request *request);
void browse_session_free(struct browse_session *session);
AUTO_DEFINE(browse_session)

/* Makes all trees if the report has stacks and few events; else each tree is made on first use. */
void browse_session_make_trees(struct browse_session *session);

struct report *browse_session_report(struct browse_session *session);

/* Returns the finished tree, which the session owns.  The report has REPORT_TREE. */
const struct calltree *browse_session_tree(struct browse_session *session, uint32_t event);

/* Returns the inverted tree: callers below callees. */
const struct calltree *browse_session_callers(struct browse_session *session, uint32_t event);

#endif
