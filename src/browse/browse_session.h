/* SPDX-License-Identifier: BSD-3-Clause */
/* A report of a session, with the call trees of its events. */
#ifndef BROWSE_SESSION_H
#define BROWSE_SESSION_H

#include "attributes.h"
#include "calltree.h"
#include "report.h"

struct browse_session;

/* Takes ownership of `report`. */
struct browse_session *browse_session_new(struct report *report);
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
