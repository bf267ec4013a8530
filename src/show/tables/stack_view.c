/* SPDX-License-Identifier: BSD-3-Clause */
/* A block for each thread: what it does, then its frames, innermost first. Threads that do the same are one
 * block. */
#include "stack_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "python_label.h"
#include "table.h"
#include "text.h"
#include "text_printable.h"
#include "text_width.h"
#include "wall_states.h"

enum {
        LEAST_COLUMNS = 17, /* of a thread's number and name */
        MOST_COLUMNS = 26,
        LEAST_NAME_COLUMNS = 2, /* indentation of frames on a narrow screen */
        NARROW = 60,
        MOST_FUNCTION_COLUMNS = 34, /* longer names move the place to the right */
};

/* Where the parts of a line begin. */
struct view_columns {
        size_t names;     /* what follows the name of a thread */
        size_t functions; /* what follows the name of a function, behind that */
};

/* --- Lines --- */

/* Cuts a line to the screen. */
static void add_line(const struct stack_view *view, const struct buf *line, struct buf *out)
{
        if (view->max_columns)
                table_add_cut(out, buf_text(line), view->max_columns);
        else
                buf_add_str(out, buf_text(line));
        buf_add_char(out, '\n');
}

static void add_spaces(struct buf *line, size_t up_to)
{
        for (size_t width = text_width(buf_text(line)); width < up_to; width++)
                buf_add_char(line, ' ');
}

static bool is_narrow(const struct stack_view *view)
{
        return view->max_columns && view->max_columns < NARROW;
}

/* --- Heading --- */

static size_t count_threads(const struct stack_view *view, int32_t pid)
{
        size_t n = 0;

        for (size_t i = 0; i < view->threads->n_rows; i++)
                n += view->threads->rows[i].reading->pid == pid;
        return n;
}

static void add_duration(uint64_t ns, struct buf *line)
{
        buf_printf(line, ns < 1000000 ? "%.1f ms" : "%.0f ms", (double)ns / 1e6);
}

static void add_stops(const struct stack_view *view, struct buf *line)
{
        uint64_t most_ns = 0;
        size_t n = 0;

        for (size_t i = 0; i < view->threads->n_rows; i++) {
                const struct wait_reading *reading = view->threads->rows[i].reading;

                n += wait_how_is_stopped(reading->how);
                most_ns = reading->stopped_ns > most_ns ? reading->stopped_ns : most_ns;
        }
        if (n)
                buf_printf(line, ", %zu running thread%s stopped for %s%.0f us", n, n == 1 ? "" : "s",
                           n == 1 ? "" : "up to ", (double)most_ns / 1e3);
}

static void add_heading(const struct stack_view *view, const struct stack_process *process, bool is_last,
                        struct buf *out)
{
        size_t n = count_threads(view, process->pid);
        AUTO_RELEASE(buf) line = {0};

        text_add_printable(&line, process->name);
        buf_printf(&line, " (%" PRId32 ")", process->pid);
        if (process->python)
                buf_printf(&line, "  Python %s", process->python);
        buf_printf(&line, "  %zu thread%s", n, n == 1 ? "" : "s");
        if (is_last) {
                buf_add_str(&line, "  read in ");
                add_duration(view->took_ns, &line);
        }
        if (is_last)
                add_stops(view, &line);
        if (is_last && view->n_read > 1)
                buf_printf(&line, "  %u readings", view->n_read);
        add_line(view, &line, out);
}

/* --- Deadlocks --- */

static void add_deadlock(const struct stack_view *view, size_t first, size_t end, struct buf *out)
{
        const struct wait_row **rows = view->threads->circles;
        AUTO_RELEASE(buf) line = {0};

        buf_add_str(&line, "DEADLOCK: ");
        for (size_t i = first; i < end; i++)
                buf_printf(&line, "%s%" PRId32,
                           i == first     ? ""
                           : i + 1 == end ? " and "
                                          : ", ",
                           rows[i]->reading->tid);
        buf_add_str(&line, end - first == 1 ? " waits for a lock that it has itself"
                                            : " wait for each other's locks");
        add_line(view, &line, out);
}

static void add_deadlocks(const struct stack_view *view, struct buf *out)
{
        size_t first = 0;

        for (size_t i = 0; i < view->threads->n_deadlocks; i++) {
                add_deadlock(view, first, view->threads->circle_ends[i], out);
                first = view->threads->circle_ends[i];
        }
}

/* --- Threads --- */

static void add_place(const struct stack_view *view, const struct wait_frame *frame, struct buf *line)
{
        text_add_printable(line,
                           frame->is_python ? python_label_file(frame->file) : text_base_name(frame->file));
        if (frame->line && !view->no_lines)
                buf_printf(line, ":%" PRIu32, frame->line);
}

/* Where the places of functions begin, behind the longest name that is not very long. */
static size_t function_columns(const struct stack_view *view)
{
        size_t most = 0;

        for (size_t i = 0; i < view->threads->n_frames; i++) {
                const struct wait_frame *frame = &view->threads->frames[i];
                size_t width = frame->is_cut ? 0 : text_width(frame->function);

                if (width <= MOST_FUNCTION_COLUMNS && width > most)
                        most = width;
        }
        return most;
}

static void add_frame(const struct stack_view *view, const struct wait_frame *frame, size_t indent,
                      size_t columns, struct buf *out)
{
        AUTO_RELEASE(buf) line = {0};

        add_spaces(&line, indent);
        if (frame->is_cut) {
                buf_add_str(&line, "... (its callers could not be found)");
        } else {
                text_add_printable(&line, frame->function);
                add_spaces(&line, indent + columns);
                buf_add_str(&line, "  ");
                add_place(view, frame, &line);
        }
        add_line(view, &line, out);
}

static void add_still(const struct stack_view *view, const struct wait_row *row, struct buf *line)
{
        if (view->n_read > 1 && row->reading->how == WAIT_HOW_STILL)
                buf_printf(line, row->n_still ? "; has not moved for %" PRIu32 " reading%s" : "; has moved",
                           row->n_still, row->n_still == 1 ? "" : "s");
}

/* The name of a thread tells something if it is not that of its program. */
static bool has_own_name(const struct stack_view *view, const struct wait_row *row)
{
        for (size_t i = 0; i < view->n_processes; i++) {
                if (view->processes[i].pid == row->reading->pid)
                        return strcmp(view->processes[i].comm, row->name) != 0;
        }
        return true;
}

static void add_name(const struct stack_view *view, const struct wait_row *row, struct buf *line)
{
        if (row->n_same > 1)
                buf_printf(line, "%" PRIu32 " threads ", row->n_same);
        else
                buf_printf(line, "%" PRId32 " ", row->reading->tid);
        if (*row->python_name)
                text_add_printable(line, row->python_name);
        else if (has_own_name(view, row))
                text_add_printable(line, row->name);
}

/* Where texts and frames begin, behind the longest name of a thread. */
static size_t name_columns(const struct stack_view *view)
{
        size_t most = LEAST_COLUMNS;

        for (size_t i = 0; i < view->threads->n_rows; i++) {
                AUTO_RELEASE(buf) line = {0};
                size_t width;

                if (!view->threads->rows[i].n_same)
                        continue;
                add_name(view, &view->threads->rows[i], &line);
                width = text_width(buf_text(&line)) + 1;
                if (width > most && width <= MOST_COLUMNS)
                        most = width;
        }
        return is_narrow(view) ? LEAST_NAME_COLUMNS : most;
}

static void add_thread(const struct stack_view *view, const struct wait_row *row,
                       const struct view_columns *columns, struct buf *out)
{
        size_t indent = columns->names;
        AUTO_RELEASE(buf) line = {0};

        add_name(view, row, &line);
        if (is_narrow(view)) {
                add_line(view, &line, out);
                buf_clear(&line);
        }
        add_spaces(&line, indent - 1);
        buf_add_char(&line, ' ');
        text_add_printable(&line, row->what);
        if (row->is_approximate)
                buf_add_str(&line, " (approximate)");
        add_still(view, row, &line);
        add_line(view, &line, out);
        for (size_t i = 0; i < row->n_frames; i++)
                add_frame(view, &view->threads->frames[row->first_frame + i], indent, columns->functions,
                          out);
}

/* Threads in a deadlock first, then those that wait for something, those that run, and those without work. */
static unsigned order_of(const struct wait_row *row)
{
        return row->is_deadlocked                      ? 0
               : row->verdict.kind == WAIT_KIND_ON_CPU ? 2
               : row->verdict.kind == WAIT_KIND_IDLE   ? 3
                                                       : 1;
}

static void add_process(const struct stack_view *view, int32_t pid, const struct view_columns *columns,
                        struct buf *out)
{
        for (unsigned order = 0; order <= 3; order++) {
                for (size_t i = 0; i < view->threads->n_rows; i++) {
                        const struct wait_row *row = &view->threads->rows[i];

                        if (row->reading->pid == pid && row->n_same && order_of(row) == order)
                                add_thread(view, row, columns, out);
                }
        }
}

/* --- Tasks --- */

static void add_task_name(const struct task_row *row, struct buf *line)
{
        if (row->n_same > 1)
                buf_printf(line, "%" PRIu32 " tasks ", row->n_same);
        text_add_printable(line, row->name);
}

static void add_awaiter(const struct task_reading *task, struct buf *line)
{
        if (task)
                text_add_printable(line, task->name);
        else
                buf_add_str(line, "a task that could not be read");
}

/* Who awaits a task, and who awaits that one. */
static void add_awaiters(const struct task_row *row, struct buf *line)
{
        if (row->task->flags & TASK_IS_ALONE) {
                buf_add_str(line, "runs");
                return;
        }
        buf_add_str(line, row->task->flags & TASK_RUNS ? "runs, awaited by " : "awaited by ");
        if (!row->n_chain && row->task->n_awaiters)
                buf_printf(line, "%" PRIu32 " tasks", row->task->n_awaiters);
        else if (!row->n_chain)
                buf_add_str(line, "no task");
        for (uint32_t i = 0; i < row->n_chain; i++) {
                buf_add_str(line, i ? " <- " : "");
                add_awaiter(row->chain[i], line);
        }
        if (row->is_chain_cut)
                buf_add_str(line, " <- ...");
}

static void add_task_frame(const struct stack_view *view, const struct task_frame *frame,
                           const struct view_columns *columns, struct buf *out)
{
        const struct task_function *function = &view->tasks->section->functions[frame->function];
        const struct wait_frame shown = {
                .function = function->name, .file = function->file, .line = frame->line, .is_python = true};

        add_frame(view, &shown, columns->names, columns->functions, out);
}

static void add_task(const struct stack_view *view, const struct task_row *row,
                     const struct view_columns *columns, struct buf *out)
{
        const struct task_frame *frames = view->tasks->section->frames + row->task->first_frame;
        AUTO_RELEASE(buf) line = {0};

        add_task_name(row, &line);
        if (is_narrow(view)) {
                add_line(view, &line, out);
                buf_clear(&line);
        }
        add_spaces(&line, columns->names - 1);
        buf_add_char(&line, ' ');
        add_awaiters(row, &line);
        add_line(view, &line, out);
        if (row->task->flags & TASK_IS_CUT) {
                buf_clear(&line);
                add_spaces(&line, columns->names);
                buf_add_str(&line, "... (not all of it could be read)");
                add_line(view, &line, out);
        }
        for (uint32_t i = row->task->n_frames; i--;)
                add_task_frame(view, &frames[i], columns, out);
}

/* The tasks of one loop, whose first row is `first`; returns the row behind the last one. */
static size_t add_loop(const struct stack_view *view, size_t first, const struct view_columns *columns,
                       struct buf *out)
{
        const struct task_row *rows = view->tasks->rows;
        const struct wait_row *thread = rows[first].thread;
        AUTO_RELEASE(buf) line = {0};
        size_t end = first;

        while (end < view->tasks->n_rows && rows[end].thread == thread)
                end++;
        if (rows[first].task->flags & TASK_IS_ALONE)
                buf_add_str(&line, "task that runs in the loop of ");
        else
                buf_printf(&line, "tasks: %zu of the loop of ", end - first);
        buf_printf(&line, "%" PRId32 " ", thread->reading->tid);
        text_add_printable(&line,
                           *thread->reading->python_name ? thread->reading->python_name : thread->name);
        add_line(view, &line, out);
        for (size_t i = first; i < end; i++) {
                if (rows[i].n_same)
                        add_task(view, &rows[i], columns, out);
        }
        if (rows[end - 1].task->flags & TASK_MORE) {
                buf_clear(&line);
                buf_add_str(&line, "... (the loop has more tasks than can be read)");
                add_line(view, &line, out);
        }
        return end;
}

static void add_tasks(const struct stack_view *view, int32_t pid, const struct view_columns *columns,
                      struct buf *out)
{
        for (size_t i = 0; i < view->tasks->n_rows;)
                i = view->tasks->rows[i].task->pid == pid ? add_loop(view, i, columns, out) : i + 1;
}

static void add_refused(const struct stack_view *view, struct buf *out)
{
        AUTO_RELEASE(buf) line = {0};

        buf_printf(&line, "%zu process%s may not be read: sudo wperf ...", view->n_refused,
                   view->n_refused == 1 ? "" : "es");
        add_line(view, &line, out);
}

void stack_view_text(const struct stack_view *view, struct buf *out)
{
        const struct view_columns columns = {name_columns(view), function_columns(view)};

        for (size_t i = 0; i < view->n_processes; i++) {
                if (i)
                        buf_add_char(out, '\n');
                add_heading(view, &view->processes[i], i + 1 == view->n_processes, out);
                if (!i)
                        add_deadlocks(view, out);
                add_process(view, view->processes[i].pid, &columns, out);
                add_tasks(view, view->processes[i].pid, &columns, out);
        }
        if (view->n_refused)
                add_refused(view, out);
}

/* --- JSON --- */

static void add_json_frame(const struct wait_frame *frame, struct json *json)
{
        if (frame->is_cut)
                return;
        json_begin_object(json);
        json_key_str(json, "function", frame->function);
        json_key_str(json, "file", frame->file);
        json_key(json, "line");
        if (frame->line)
                json_u64(json, frame->line);
        else
                json_null(json);
        json_key_bool(json, "python", frame->is_python);
        json_end_object(json);
}

static void add_json_owner(const struct wait_row *row, struct json *json)
{
        json_key(json, "owner");
        if (row->verdict.owner)
                json_i64(json, row->verdict.owner);
        else
                json_null(json);
}

static void add_json_thread(const struct stack_view *view, const struct wait_row *row, struct json *json)
{
        const struct wait_frame *frames = &view->threads->frames[row->first_frame];
        bool is_cut = row->n_frames && frames[row->n_frames - 1].is_cut;

        json_begin_object(json);
        json_key_i64(json, "tid", row->reading->tid);
        json_key_str(json, "name", row->name);
        json_key(json, "python_name");
        if (*row->reading->python_name)
                json_str(json, row->reading->python_name);
        else
                json_null(json);
        json_key_str(json, "state",
                     wall_state_word(row->verdict.is_runnable ? WALL_RUNNABLE : row->verdict.kind));
        json_key_str(json, "what", row->what);
        add_json_owner(row, json);
        json_key_bool(json, "deadlocked", row->is_deadlocked);
        json_key_bool(json, "holds_gil", row->reading->python & WAIT_PYTHON_GIL);
        json_key_u64(json, "readings_without_moving", row->n_still);
        json_key_bool(json, "cut", is_cut);
        json_key_bool(json, "approximate", row->is_approximate);
        json_key(json, "frames");
        json_begin_array(json);
        for (size_t i = 0; i < row->n_frames; i++)
                add_json_frame(&frames[i], json);
        json_end_array(json);
        json_end_object(json);
}

/* JSON numbers may have less than 64 bits. */
static void add_json_id(uint64_t id, struct json *json)
{
        char text[24];

        snprintf(text, sizeof(text), "0x%" PRIx64, id);
        json_str(json, text);
}

static void add_json_task(const struct task_section *s, const struct task_reading *task, struct json *json)
{
        json_begin_object(json);
        json_key(json, "id");
        add_json_id(task->id, json);
        json_key_str(json, "name", task->name);
        json_key_i64(json, "tid", task->tid);
        json_key_bool(json, "running", task->flags & TASK_RUNS);
        json_key_bool(json, "cut", task->flags & TASK_IS_CUT);
        json_key_bool(json, "alone", task->flags & TASK_IS_ALONE);
        json_key(json, "awaited_by");
        json_begin_array(json);
        for (uint32_t i = 0; i < task->n_awaiters; i++)
                add_json_id(s->awaiters[task->first_awaiter + i], json);
        json_end_array(json);
        json_key(json, "frames");
        json_begin_array(json);
        for (uint32_t i = task->n_frames; i--;) {
                const struct task_frame *frame = &s->frames[task->first_frame + i];
                const struct task_function *function = &s->functions[frame->function];

                add_json_frame(&(struct wait_frame){.function = function->name,
                                                    .file = function->file,
                                                    .line = frame->line,
                                                    .is_python = true},
                               json);
        }
        json_end_array(json);
        json_end_object(json);
}

static void add_json_tasks(const struct stack_view *view, int32_t pid, struct json *json)
{
        bool are_cut = false;

        json_key(json, "tasks");
        json_begin_array(json);
        for (size_t i = 0; i < view->tasks->n_rows; i++) {
                if (view->tasks->rows[i].task->pid == pid)
                        add_json_task(view->tasks->section, view->tasks->rows[i].task, json);
                are_cut |=
                        view->tasks->rows[i].task->pid == pid && view->tasks->rows[i].task->flags & TASK_MORE;
        }
        json_end_array(json);
        json_key_bool(json, "tasks_cut", are_cut);
}

static void add_json_process(const struct stack_view *view, const struct stack_process *process,
                             struct json *json)
{
        json_begin_object(json);
        json_key_i64(json, "pid", process->pid);
        json_key_str(json, "name", process->name);
        json_key(json, "python");
        if (process->python)
                json_str(json, process->python);
        else
                json_null(json);
        json_key(json, "threads");
        json_begin_array(json);
        for (size_t i = 0; i < view->threads->n_rows; i++) {
                if (view->threads->rows[i].is_shown && view->threads->rows[i].reading->pid == process->pid)
                        add_json_thread(view, &view->threads->rows[i], json);
        }
        json_end_array(json);
        add_json_tasks(view, process->pid, json);
        json_end_object(json);
}

static void add_json_deadlocks(const struct stack_view *view, struct json *json)
{
        size_t at = 0;

        json_key(json, "deadlocks");
        json_begin_array(json);
        for (size_t i = 0; i < view->threads->n_deadlocks; i++) {
                json_begin_array(json);
                for (; at < view->threads->circle_ends[i]; at++)
                        json_i64(json, view->threads->circles[at]->reading->tid);
                json_end_array(json);
        }
        json_end_array(json);
}

void stack_view_json(const struct stack_view *view, struct buf *out)
{
        struct json json;

        json_init(&json, out);
        json_begin_object(&json);
        json_key(&json, "processes");
        json_begin_array(&json);
        for (size_t i = 0; i < view->n_processes; i++)
                add_json_process(view, &view->processes[i], &json);
        json_end_array(&json);
        add_json_deadlocks(view, &json);
        json_key(&json, "took_ms");
        json_fixed(&json, (double)view->took_ns / 1e6, 3);
        json_key_u64(&json, "readings", view->n_read);
        json_key_u64(&json, "refused_processes", view->n_refused);
        json_end_object(&json);
        buf_add_char(out, '\n');
}
