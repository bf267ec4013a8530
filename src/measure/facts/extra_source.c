/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what -E and -C name; extra_event.h parses it. */
#include "extra_source.h"

#include "note.h"
#include "os.h"

static bool read_events(const char *events, struct extra_names *names, struct err *err)
{
        AUTO_RELEASE(buf) text = {0};
        struct os_stat st;

        if (!os_stat(events, &st))
                return extra_events_parse(events, names, err);
        return os_read_file(events, EXTRA_TEXT_MAX_BYTES, &text, err) &&
               extra_events_parse_file(buf_text(&text), events, names, err);
}

static bool read_metrics(const char *file, struct extra_names *names, struct err *err)
{
        AUTO_RELEASE(buf) text = {0};

        AUTO_RELEASE(buf) note = {0};
        struct err why = {0};

        if (!os_read_file(file, EXTRA_TEXT_MAX_BYTES, &text, &why)) {
                note_add_error(&note, &why, file);
                return err_set(err, why.code, "open config file '%s' failed: %s", file, buf_text(&note));
        }
        return extra_metrics_parse_file(buf_text(&text), file, names, err);
}

bool extra_source_read(const char *events, const char *metrics_file, struct extra_names *ret, struct err *err)
{
        struct extra_names names = {0};

        if ((events && !read_events(events, &names, err)) ||
            (metrics_file && !read_metrics(metrics_file, &names, err))) {
                extra_names_release(&names);
                return false;
        }
        *ret = names;
        return true;
}
