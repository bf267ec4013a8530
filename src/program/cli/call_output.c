/* SPDX-License-Identifier: BSD-3-Clause */
#include "call_output.h"

#include "lock_view.h"
#include "os.h"
#include "quality_view.h"
#include "syscall_view.h"

/* Adds the table of system calls, or of locks. */
static void add_table(const struct call_output *o, struct buf *text, struct json *json)
{
        unsigned max_columns = os_is_terminal(OS_STDOUT) ? os_terminal_columns(OS_STDOUT) : 0;
        const struct syscall_view calls = {o->syscalls, o->n_rows, max_columns};
        const struct lock_view locks = {o->locks, o->n_rows, max_columns};

        if (o->syscalls) {
                syscall_view_json(&calls, json);
                (o->csv ? syscall_view_csv : syscall_view_text)(&calls, text);
        } else {
                lock_view_json(&locks, json);
                (o->csv ? lock_view_csv : lock_view_text)(&locks, text);
        }
}

int call_output_show(const struct call_output *o)
{
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) document = {0};
        struct json json;

        json_init(&json, &document);
        json_begin_object(&json);
        add_table(o, &text, &json);
        quality_add_json(o->quality, NULL, &json);
        json_end_object(&json);
        buf_add_char(&document, '\n');
        if (o->csv)
                return cmd_print_document(o->general, o->output, &text, &document);
        buf_add_char(&text, '\n');
        quality_add_poor(o->quality, &text);
        quality_add_text(o->quality, &text);
        buf_add_char(&text, '\n');
        return cmd_print_document(o->general, o->output, &text, &document);
}
