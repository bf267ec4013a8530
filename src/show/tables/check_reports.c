/* SPDX-License-Identifier: BSD-3-Clause */
#include "check_reports.h"

#include <string.h>

#include "digest.h"
#include "json.h"
#include "text_printable.h"
#include "text_xml.h"

/* "slower: CPU time +25.8 % (+22.1 to +29.6 %), allowed +5 %", with visible control characters. */
static void add_message(const struct check_view *view, const struct limit_result *r, struct buf *out)
{
        buf_printf(out, "%s: ", check_view_verdict(r));
        check_view_add_result(view, r, out);
}

/* --- GitHub ----------------------------------------------------------------------------------------- */

void check_reports_github(const struct check_view *view, struct buf *out)
{
        static const char *const commands[] = {
                [LIMIT_KEPT] = "notice", [LIMIT_EXCEEDED] = "error", [LIMIT_UNKNOWN] = "warning"};

        for (size_t i = 0; i < view->n_results; i++) {
                AUTO_RELEASE(buf) message = {0};

                add_message(view, &view->results[i], &message);
                buf_printf(out, "::%s title=wperf check::", commands[view->results[i].verdict]);
                for (const char *at = buf_text(&message); *at; at++) {
                        if (*at == '%')
                                buf_add_str(out, "%25");
                        else
                                buf_add_char(out, *at);
                }
                buf_add_char(out, '\n');
        }
}

/* --- GitLab ----------------------------------------------------------------------------------------- */

/* The same for the same limit in each pipeline, so that GitLab sees what is new. */
static void add_fingerprint(const struct limit_result *r, struct buf *out)
{
        const char *name = r->limit->name;
        struct digest digest = digest_of(name, strlen(name));

        for (size_t i = 0; i < DIGEST_BYTES / 2; i++)
                buf_printf(out, "%02x", digest.bytes[i]);
}

static void add_issue(const struct check_view *view, const struct limit_result *r, struct json *json)
{
        AUTO_RELEASE(buf) message = {0};
        AUTO_RELEASE(buf) fingerprint = {0};

        add_message(view, r, &message);
        add_fingerprint(r, &fingerprint);
        json_begin_object(json);
        json_key_str(json, "description", buf_text(&message));
        json_key_str(json, "check_name", "wperf check");
        json_key_str(json, "fingerprint", buf_text(&fingerprint));
        json_key_str(json, "severity", r->verdict == LIMIT_EXCEEDED ? "major" : "info");
        json_key(json, "location");
        json_begin_object(json);
        json_key_str(json, "path", check_view_label(r));
        json_key(json, "lines");
        json_begin_object(json);
        json_key_u64(json, "begin", 1);
        json_end_object(json);
        json_end_object(json);
        json_end_object(json);
}

void check_reports_gitlab(const struct check_view *view, struct buf *out)
{
        struct json json;

        json_init(&json, out);
        json_begin_array(&json);
        for (size_t i = 0; i < view->n_results; i++) {
                if (view->results[i].verdict != LIMIT_KEPT)
                        add_issue(view, &view->results[i], &json);
        }
        json_end_array(&json);
        buf_add_char(out, '\n');
}

/* --- JUnit ------------------------------------------------------------------------------------------ */

static void add_xml(const char *raw, struct buf *out)
{
        AUTO_RELEASE(buf) printable = {0};

        text_add_printable(&printable, raw);
        text_add_xml(out, buf_text(&printable), printable.len);
}

static size_t count(const struct check_view *view, enum limit_verdict verdict)
{
        size_t n = 0;

        for (size_t i = 0; i < view->n_results; i++)
                n += view->results[i].verdict == verdict;
        return n;
}

static void add_case(const struct check_view *view, const struct limit_result *r, struct buf *out)
{
        AUTO_RELEASE(buf) message = {0};

        add_message(view, r, &message);
        buf_add_str(out, "    <testcase classname=\"wperf check\" name=\"");
        add_xml(r->limit->name, out);
        buf_add_str(out, "\">");
        if (r->verdict == LIMIT_KEPT)
                buf_add_str(out, "<system-out>");
        else
                buf_printf(out, "<%s message=\"", r->verdict == LIMIT_EXCEEDED ? "failure" : "skipped");
        add_xml(buf_text(&message), out);
        buf_add_str(out, r->verdict == LIMIT_KEPT ? "</system-out>" : "\"/>");
        buf_add_str(out, "</testcase>\n");
}

void check_reports_junit(const struct check_view *view, struct buf *out)
{
        buf_printf(
                out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                "  <testsuite name=\"wperf check\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
                view->n_results, count(view, LIMIT_EXCEEDED), count(view, LIMIT_UNKNOWN));
        for (size_t i = 0; i < view->n_results; i++)
                add_case(view, &view->results[i], out);
        buf_add_str(out, "  </testsuite>\n</testsuites>\n");
}
