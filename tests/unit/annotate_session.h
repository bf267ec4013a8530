/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions of one process with one module, for tests of what looks inside of functions. */
#ifndef ANNOTATE_SESSION_H
#define ANNOTATE_SESSION_H

#include "annotation.h"
#include "os.h"
#include "session_builder.h"
#include "tap.h"
#include "test_data.h"

struct samples_at {
        uint64_t addr; /* as the object counts, which is the file offset there; 0 ends the list */
        unsigned n;
};

/* A report of a session with these samples of `name`, a file of tests/data; `path` is where the session is written. */
static inline struct report *report_of(const char *path, const char *name, const struct samples_at *list)
{
        enum { BASE = 0x400000, PID = 100 };
        struct report_request request = {.path = path,
                                         .keys = PROFILE_EVENT | PROFILE_MODULE | PROFILE_SYMBOL};
        AUTO_RELEASE(buf) file = {0};
        struct session_builder b;
        struct os_file *out = os_file_create(path, NULL);
        struct report *report = NULL;
        struct err err = {0};
        uint64_t time = 1000;
        bool ok;

        builder_init(&b);
        builder_comm(&b, 1, PID, PID, "prog", true);
        builder_mmap(&b, 2, PID, BASE, 0x1000, 0, data_path(name));
        for (; list->addr; list++) {
                for (unsigned i = 0; i < list->n; i++)
                        builder_sample_ip(&b, time++, PID, PID, BASE + list->addr);
        }
        builder_round(&b);
        builder_file(&b, &file);
        ok = out && os_file_write(out, file.data, file.len, NULL) && os_file_close(out, NULL);
        builder_release(&b);
        if (ok)
                report = report_make(&request, &err);
        if (!report)
                TAP_FAIL("%s", err.text);
        return report;
}

#endif
