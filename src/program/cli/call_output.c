/* SPDX-License-Identifier: BSD-3-Clause */
#include "call_output.h"

#include "os.h"
#include "quality_view.h"
#include "syscall_view.h"

int call_output_show(const struct call_output *o)
{
        const struct syscall_view view = {
                .rows = o->report->syscalls,
                .n_rows = o->n_rows,
                .max_columns = os_is_terminal(OS_STDOUT) ? os_terminal_columns(OS_STDOUT) : 0,
        };
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        struct json json;

        json_init(&json, &document);
        json_begin_object(&json);
        syscall_view_json(&view, &json);
        quality_add_json(&o->report->quality, NULL, &json);
        json_end_object(&json);
        buf_add_char(&document, '\n');
        if (o->csv) {
                syscall_view_csv(&view, &text);
                return cmd_print_document(o->general, o->output, &text, &document);
        }
        syscall_view_text(&view, &text);
        buf_add_char(&text, '\n');
        quality_add_poor(&o->report->quality, &text);
        quality_add_text(&o->report->quality, &text);
        buf_add_char(&text, '\n');
        return cmd_print_document(o->general, o->output, &text, &document);
}
