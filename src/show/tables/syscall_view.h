/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls by thread, as text, CSV and JSON. */
#ifndef SYSCALL_VIEW_H
#define SYSCALL_VIEW_H

#include "buf.h"
#include "json.h"
#include "syscall_rows.h"

struct syscall_view {
        const struct syscall_rows *rows;
        uint64_t n_rows;      /* at most, in the text */
        unsigned max_columns; /* of the screen; 0: no limit */
};

void syscall_view_text(const struct syscall_view *view, struct buf *out);
void syscall_view_csv(const struct syscall_view *view, struct buf *out);

/* Adds the key "syscalls". */
void syscall_view_json(const struct syscall_view *view, struct json *json);

#endif
