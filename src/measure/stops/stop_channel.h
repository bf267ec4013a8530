/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that the recorder and the guardian share: messages from the guardian, and what it counts. Neither
 * ever waits for the other: if the recorder is killed or late, messages are dropped and counted. */
#ifndef STOP_CHANNEL_H
#define STOP_CHANNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "cursor.h"
#include "err.h"
#include "stop_counts.h"

enum stop_message_kind {
        /* A process is traced from `time_ns` on, or until `time_ns`; id: pid. */
        STOP_SPAN_BEGIN = 1,
        STOP_SPAN_END,
        /* A traced thread; id: tid. */
        STOP_THREAD_BEGIN,
        STOP_THREAD_END,
        /* From `time_ns` on a thread does not stop, so the ring's samples of it are kept, or until then;
         * id: tid. */
        STOP_KEPT_BEGIN,
        STOP_KEPT_END,
        STOP_SAMPLE,     /* a PERF_RECORD_SAMPLE; id: tid */
        STOP_RECORD,     /* another record of the kernel's format */
        STOP_DEEP_STACK, /* struct stop_deep_message and the bytes, of the sample of `time_ns`; id: tid */
        STOP_PYTHON,     /* struct stop_python_stack and its frames */
        STOP_CODE,       /* struct stop_code_message, name, file, line table; id: the code's number */
        /* The path of a file; id: its number. Of STOP_BINARY the descriptor comes by the socket. */
        STOP_BINARY,
        STOP_BINARY_NOT_SENT,
};

struct stop_message {
        uint32_t size_bytes; /* with this header; a multiple of 8 */
        uint32_t kind;       /* enum stop_message_kind */
        int32_t id;
        uint32_t n_bytes; /* after this header, without the padding */
        uint64_t time_ns; /* CLOCK_MONOTONIC */
};

struct stop_deep_message {
        uint64_t used_size; /* size of the stack if it was not copied or exceeds DEEP_STACK_LIMIT; else 0 */
        uint32_t is_left_out, is_whole;
};

struct stop_code_message {
        int32_t first_line;
        uint32_t name_bytes, file_bytes; /* without the NUL */
        uint32_t lines_bytes;
        uint32_t has_lines, is_hidden, table; /* of struct python_code */
        uint32_t pad;
};

/* Names of programs, separated by commas, as far as they fit; each once. */
struct stop_names {
        char text[256];
};

/* What the guardian writes and the recorder may read when the guardian is done. */
struct stop_facts {
        struct stop_counts counts;
        struct stop_names unprivileged;         /* programs that may have run without their privilege */
        struct stop_names refused;              /* programs that could not be traced */
        char why_refused[160];                  /* the reason of the first of them */
        bool has_other_tracer;                  /* that traces one of them */
        char watch_note[240];                   /* why descendants are not watched; "" if they are */
        int event_error, trace_error;           /* why tracing was not begun; 0: it was */
        atomic_uint n_attached, n_not_attached; /* processes that ran already */
        atomic_uint n_switches;                 /* STOP_SWITCH commands that were obeyed */
        atomic_bool is_done;                    /* no more messages come */
};

struct stop_channel;

/* Call before the guardian is forked; each of the two then has the same memory. */
struct stop_channel *stop_channel_new(struct err *err);
void stop_channel_free(struct stop_channel *channel);
AUTO_DEFINE(stop_channel)

struct stop_facts *stop_channel_facts(struct stop_channel *channel);

/* --- the guardian's side; one thread --- */

struct stop_piece_of_message {
        const void *bytes;
        size_t n_bytes;
};

/* Adds a message that consists of these pieces; sizes and kind of `head` are set. False if there is no
 * room. */
bool stop_channel_add(struct stop_channel *channel, enum stop_message_kind kind, int32_t id, uint64_t time_ns,
                      const struct stop_piece_of_message *pieces, size_t n);

/* Bytes that wait to be taken. */
size_t stop_channel_waiting(const struct stop_channel *channel);

/* Makes stop_channel_fd readable, if it has not since the recorder has taken messages, when so many bytes
 * wait that the recorder should take them soon. */
void stop_channel_tell(struct stop_channel *channel);

/* --- the recorder's side; one thread --- */

/* Takes all messages since the last call. They are valid until the next call. */
struct cursor stop_channel_take(struct stop_channel *channel);

/* Readable when stop_channel_take should be called soon, which makes it unreadable. */
int stop_channel_fd(const struct stop_channel *channel);

/* The next message, whose bytes come in *ret_bytes; NULL at the end. */
const struct stop_message *stop_channel_next(struct cursor *messages, struct cursor *ret_bytes);

#endif
