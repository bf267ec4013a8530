/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdicts of check in the forms that CI services read. */
#ifndef CHECK_REPORTS_H
#define CHECK_REPORTS_H

#include "check_view.h"

/* GitHub's workflow commands, a line for each limit: ::error, ::warning for unclear, ::notice for within. */
void check_reports_github(const struct check_view *view, struct buf *out);

/* GitLab's code quality report (JSON): an entry for each limit that is not within. */
void check_reports_gitlab(const struct check_view *view, struct buf *out);

/* JUnit's XML: a test for each limit; one that is unclear is skipped. */
void check_reports_junit(const struct check_view *view, struct buf *out);

#endif
