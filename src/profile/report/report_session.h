/* SPDX-License-Identifier: BSD-3-Clause */
/* An open session and the sources of its names.  All results of a report point into it. */
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
        struct perfdata_reader *reader; /* belongs to `input` */
        struct world *world;
        struct pe_images *images;
        struct module_source *modules;
        struct session_archive archive; /* data that wperf archive packed; may be empty */
        struct resolver_sources sources;
        struct budget own_budget; /* used if the sources have no budget */
        struct budget budget;     /* for all memory that is derived from the session */
        struct buf folder;        /* empty: do not look for files there */
};

struct report_session_request {
        const char *path;
        const struct resolver_sources *sources; /* NULL: only files of this machine */
        const struct collect_result *collected; /* result of the recording that has just ended; or NULL */
        bool no_demangle, long_names;
        bool keep_clones; /* as in resolver_options */
        bool is_renewed; /* report_session_renew() may be called; the session's table of build ids is not used
                          */
};

/* `ret` must not be moved until it is released; it takes `input`. */
void report_session_init(struct report_session *ret, const struct report_session_request *request,
                         struct session_input *input);
/* For a measurement that runs for long: forgets the modules that no process maps, and closes all files of
 * names; they are opened again when they are needed. Ids of modules and of names become invalid. `request` as
 * before. */
void report_session_renew(struct report_session *session, const struct report_session_request *request);

/* Which files may be opened for the session itself, as the sources of its names say; NULL: none. */
struct session_access report_session_access(const struct resolver_sources *sources);
/* The same; an event-trace file of Windows may have no samples. */
struct session_access report_session_any_access(const struct resolver_sources *sources);

void report_session_release(struct report_session *session);

struct resolver *report_session_resolver(const struct report_session *session);
resolver_id report_session_module(const struct report_session *session, module_id module);

/* The functions of a module source that analyze calls. */
struct place_modules report_session_modules(const struct report_session *session);

/* A session of simpleperf contains names of a perf map, but no mapping for their addresses.  To be called
 * for each world, before its first record. */
void report_session_name_unmapped(const struct report_session *session, struct world *world);

#endif
