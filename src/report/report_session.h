/* SPDX-License-Identifier: BSD-3-Clause */
/* A session that is open to be read, and where its names come from: what all results of a report point into. */
#ifndef REPORT_SESSION_H
#define REPORT_SESSION_H

#include "budget.h"
#include "buf.h"
#include "collector.h"
#include "hot.h"
#include "module_source.h"
#include "pe_images.h"
#include "session_archive.h"
#include "session_input.h"
#include "world.h"

struct report_session {
        struct session_input *input;
        struct perfdata_reader *reader; /* the input's */
        struct world *world;
        struct pe_images *images;
        struct module_source *modules;
        struct session_archive archive; /* what was packed into it; empty where nothing was */
        struct resolver_sources sources;
        struct budget own_budget; /* where the sources have none */
        struct budget budget;     /* of what is made of the session */
        struct buf folder;        /* empty: it is not asked for files */
};

struct report_session_request {
        const char *path;
        const struct resolver_sources *sources; /* NULL: files of this machine alone */
        const struct collect_result *collected; /* of the run just made; NULL */
        bool no_demangle, long_names;
        bool keep_clones; /* as in resolver_options */
};

/* `ret` stays where it is until it is released; `input` is then the session's. */
void report_session_init(struct report_session *ret, const struct report_session_request *request,
                         struct session_input *input);
/* How the session itself may be read, as the sources of its names say; NULL: none. */
struct session_access report_session_access(const struct resolver_sources *sources);

void report_session_release(struct report_session *session);

struct resolver *report_session_resolver(const struct report_session *session);
resolver_id report_session_module(const struct report_session *session, module_id module);

/* What analyze asks about modules. */
struct place_modules report_session_modules(const struct report_session *session);

/* simpleperf has a perf map's names in the session, and no map of the memory that they are in.  For each world, before its
 * first record. */
void report_session_name_unmapped(const struct report_session *session, struct world *world);

#endif
