/* SPDX-License-Identifier: BSD-3-Clause */
/* What waiting threads were found to do when they were read from outside: the system call, its object, and
 * what the interpreter says. The thread's stack is the sample with the same thread and time. The feature
 * section FEATURE_WPERF_WAITS has a reading for each of these samples; see docs/session-format.md. */
#ifndef WAIT_SECTION_H
#define WAIT_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "buf.h"
#include "cursor.h"

/* How a thread was met. Sessions store these numbers, and those of the other enums: append new ones. */
enum wait_how {
        WAIT_HOW_STILL,   /* it waited, and did not move while it was read */
        WAIT_HOW_MOVING,  /* it went on while it was read; the stack may be wrong and is left out */
        WAIT_HOW_ON_CPU,  /* it ran; without a stack of native frames */
        WAIT_HOW_STOPPED, /* it ran, and was stopped once for its registers */
        WAIT_HOW_REFUSED, /* its system call and memory may not be read */
        WAIT_HOW_READY,   /* it was ready to run and waited for a CPU; without a stack of native frames */
        WAIT_HOW_READY_STOPPED, /* the same; it was stopped as soon as it had a CPU */
        WAIT_N_HOWS,
};

/* Whether the thread was stopped for its registers. */
static inline bool wait_how_is_stopped(enum wait_how how)
{
        return how == WAIT_HOW_STOPPED || how == WAIT_HOW_READY_STOPPED;
}

/* The system calls in which threads wait. */
enum wait_call {
        WAIT_CALL_NONE, /* in no system call: a page fault, or the thread runs */
        WAIT_CALL_OTHER,
        WAIT_CALL_READ,
        WAIT_CALL_WRITE,
        WAIT_CALL_OPEN,
        WAIT_CALL_FILE, /* fsync, rename, and others that wait for a file system */
        WAIT_CALL_FILE_LOCK,
        WAIT_CALL_IOCTL,
        WAIT_CALL_POLL,
        WAIT_CALL_SELECT,
        WAIT_CALL_EPOLL,
        WAIT_CALL_CONNECT,
        WAIT_CALL_ACCEPT,
        WAIT_CALL_RECEIVE,
        WAIT_CALL_SEND,
        WAIT_CALL_SLEEP,
        WAIT_CALL_CHILD,
        WAIT_CALL_VFORK,
        WAIT_CALL_SIGNAL,
        WAIT_CALL_SEMAPHORE, /* System V */
        WAIT_CALL_MESSAGE,   /* queues of System V and POSIX */
        WAIT_CALL_FUTEX,
        WAIT_CALL_AIO,
        WAIT_CALL_IO_URING,
        WAIT_N_CALLS,
};

/* What a descriptor is. */
enum wait_object {
        WAIT_OBJECT_NONE, /* the call has no descriptor, or it can't be seen */
        WAIT_OBJECT_FILE,
        WAIT_OBJECT_SOCKET,
        WAIT_OBJECT_PIPE,
        WAIT_OBJECT_TERMINAL,
        WAIT_OBJECT_TIMER,
        WAIT_OBJECT_EVENT, /* eventfd, signalfd, inotify and others in memory; a device */
        WAIT_OBJECT_EPOLL,
        WAIT_N_OBJECTS,
};

/* Who is at the other end: of one descriptor, or the highest of all that a poll waits for. */
enum wait_peer {
        WAIT_PEER_NONE,      /* no socket or pipe */
        WAIT_PEER_OWN,       /* a pipe or socket pair whose other end the same process has */
        WAIT_PEER_LISTENER,  /* a socket that takes connections */
        WAIT_PEER_ACCEPTED,  /* a connection that the other side opened */
        WAIT_PEER_UNKNOWN,   /* a socket whose other end is not known */
        WAIT_PEER_OTHER,     /* a pipe to another process */
        WAIT_PEER_CONNECTED, /* a connection that this process opened */
        WAIT_N_PEERS,
};

enum { WAIT_N_ARGS = 6, WAIT_LOCK_WORDS = 10, WAIT_MAX_THREADS = 1 << 17, WAIT_MAX_TEXT_BYTES = 4096 };

/* Python's part: bits of `python`. */
enum {
        WAIT_PYTHON_STATE = 1,      /* the thread has a thread state */
        WAIT_PYTHON_GIL = 2,        /* it holds the GIL */
        WAIT_PYTHON_IN_RUNTIME = 4, /* the futex is inside _PyRuntime, as that of the GIL is */
        WAIT_PYTHON_LOCK = 8,       /* it waits for the threading.Lock at `lock_object` */
        WAIT_PYTHON_RLOCK = 16,     /* it waits for the threading.RLock at `lock_object` */
        WAIT_PYTHON_TASKS = 32,     /* its loop has tasks, which were not read this time */
};

struct wait_reading {
        uint64_t time_ns; /* as in the sample */
        int32_t pid, tid;
        uint8_t how;          /* enum wait_how */
        uint8_t state;        /* the letter of /proc/PID/stat: S, D, R, T, t */
        uint8_t call;         /* enum wait_call */
        uint8_t object;       /* enum wait_object */
        uint8_t peer;         /* enum wait_peer */
        uint8_t python;       /* WAIT_PYTHON_* */
        uint8_t python_minor; /* of the process's CPython: 12 for 3.12; 0: none that can be read */
        int32_t number;       /* of the system call; -1: none */
        int32_t inner_tid;    /* the thread's number in its own PID namespace; so are these: */
        int32_t gil_holder;   /* 0: nobody, or not known */
        int32_t owner;        /* of the RLock; 0: not known */
        uint64_t lock_object; /* the only Python object on the stack that is this lock; 0: none */
        uint64_t args[WAIT_N_ARGS];
        uint64_t n_switches; /* how often the thread has left a CPU */
        uint64_t stopped_ns; /* with WAIT_HOW_STOPPED: how long, at most */
        uint64_t look_ns;    /* since the thread was looked at before; 0: it was looked at once */
        /* of a futex: memory from its address on, as far as it can be read, else 0 */
        uint32_t lock[WAIT_LOCK_WORDS];
        const char *text;        /* the object in words; "" for none */
        const char *python_name; /* threading.Thread.name; "" for none */
};

/* Who had the GIL at a sample of a thread on a CPU. */
struct wait_holder {
        uint64_t time_ns; /* as in the sample */
        int32_t tid;
        int32_t gil_holder; /* in the process's own PID namespace; 0: nobody, or not known */
        bool has_gil;       /* it is this thread */
};

enum { WAIT_MAX_HOLDERS = 1 << 22 };

/* Appends a part of the section, which is one part or several, in any order. */
void wait_section_write(const struct wait_reading *readings, size_t n, const struct wait_holder *holders,
                        size_t n_holders, struct buf *out);

struct wait_section {
        struct wait_reading *readings; /* sorted by thread, then time */
        size_t n;
        struct wait_holder *holders; /* the same */
        size_t n_holders;
};

/* The texts point into the section, which must outlive the result. NULL if it is damaged or of another
 * version. */
struct wait_section *wait_section_new(struct cursor section);
void wait_section_free(struct wait_section *section);
AUTO_DEFINE(wait_section)

/* What several sections have, which must outlive the result; elements may be NULL. */
struct wait_section *wait_section_join(struct wait_section *const *parts, size_t n);

/* NULL if the sample of this thread and time has none. */
const struct wait_reading *wait_section_find(const struct wait_section *section, int32_t tid,
                                             uint64_t time_ns);
const struct wait_holder *wait_section_find_holder(const struct wait_section *section, int32_t tid,
                                                   uint64_t time_ns);

#endif
