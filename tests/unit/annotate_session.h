/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions of one process with one module, for tests of annotated functions. */
#ifndef ANNOTATE_SESSION_H
#define ANNOTATE_SESSION_H

#include "annotation.h"
#include "object.h"
#include "os.h"
#include "session_builder.h"
#include "tap.h"
#include "test_data.h"

struct samples_at {
        uint64_t addr; /* address in the object, which is the file offset there; 0 ends the list */
        unsigned n;
};

enum { SESSION_BASE = 0x400000, SESSION_PID = 100 };

/* Writes the session to `path` and reads it; releases the builder. */
static inline struct report *report_of_built(const char *path, struct session_builder *b)
{
        struct report_request request = {.path = path,
                                         .keys = PROFILE_EVENT | PROFILE_MODULE | PROFILE_SYMBOL};
        AUTO_RELEASE(buf) file = {0};
        struct os_file *out = os_file_create(path, NULL);
        struct report *report = NULL;
        struct err err = {0};
        bool ok;

        builder_round(b);
        builder_file(b, &file);
        ok = out && os_file_write(out, file.data, file.len, NULL) && os_file_close(out, NULL);
        builder_release(b);
        if (ok)
                report = report_make(&request, &err);
        if (!report)
                TAP_FAIL("%s", err.text);
        return report;
}

/* A report of a session with these samples of `name`, a file of tests/data; `path` is where the session is
 * written. */
static inline struct report *report_of(const char *path, const char *name, const struct samples_at *list)
{
        AUTO(object) object = object_open(data_path(name), NULL);
        const struct object_facts *facts = object ? object_get_facts(object) : NULL;
        struct session_builder b;
        uint64_t time = 1000;

        builder_init(&b);
        builder_comm(&b, 1, SESSION_PID, SESSION_PID, "prog", true);
        if (facts && facts->build_id_size)
                builder_mmap_build_id(&b, 2, SESSION_PID, SESSION_BASE, 0x1000, 0, data_path(name),
                                      facts->build_id, facts->build_id_size);
        else
                builder_mmap(&b, 2, SESSION_PID, SESSION_BASE, 0x1000, 0, data_path(name));
        for (; list->addr; list++) {
                for (unsigned i = 0; i < list->n; i++)
                        builder_sample_ip(&b, time++, SESSION_PID, SESSION_PID, SESSION_BASE + list->addr);
        }
        return report_of_built(path, &b);
}

#endif
