/* SPDX-License-Identifier: BSD-3-Clause */
/* The kind of a futex comes from the function that waits for it: nothing else says whether it is a mutex, a
 * condition, or something of the program's own. */
#include "wait_kind.h"

#include <inttypes.h>
#include <string.h>

#include "attributes.h"
#include "text.h"
#include "wait_idle.h"

static const char *const words[WAIT_N_KINDS] = {
        [WAIT_KIND_ON_CPU] = "on-cpu",   [WAIT_KIND_IDLE] = "idle",         [WAIT_KIND_GIL] = "gil",
        [WAIT_KIND_LOCK] = "lock",       [WAIT_KIND_DISK] = "disk",         [WAIT_KIND_FAULT] = "fault",
        [WAIT_KIND_NETWORK] = "network", [WAIT_KIND_PIPE] = "pipe",         [WAIT_KIND_CHILD] = "child",
        [WAIT_KIND_SLEEP] = "sleep",     [WAIT_KIND_TERMINAL] = "terminal", [WAIT_KIND_OTHER] = "other",
        [WAIT_KIND_UNKNOWN] = "unknown",
};

const char *wait_kind_word(enum wait_kind kind)
{
        return kind < WAIT_N_KINDS ? words[kind] : "?";
}

struct deciding {
        const struct wait_reading *reading;
        const struct wait_function *functions;
        size_t n;
        int32_t (*find_thread)(void *ctx, int32_t inner_tid);
        void *ctx;
        struct buf *text;
        struct wait_verdict verdict;
};

/* --- Descriptors --- */

static enum wait_kind kind_of_object(const struct wait_reading *r)
{
        switch ((enum wait_object)r->object) {
        case WAIT_OBJECT_FILE: return WAIT_KIND_DISK;
        case WAIT_OBJECT_SOCKET: return WAIT_KIND_NETWORK;
        case WAIT_OBJECT_PIPE: return WAIT_KIND_PIPE;
        case WAIT_OBJECT_TERMINAL: return WAIT_KIND_TERMINAL;
        case WAIT_OBJECT_TIMER: return WAIT_KIND_SLEEP;
        case WAIT_OBJECT_EVENT:
        case WAIT_OBJECT_EPOLL: return WAIT_KIND_OTHER;
        default: return WAIT_KIND_UNKNOWN;
        }
}

static void decide_descriptor(struct deciding *d, const char *verb)
{
        const struct wait_reading *r = d->reading;

        d->verdict.kind = kind_of_object(r);
        buf_printf(d->text, "%s %s", verb, *r->text ? r->text : "an unknown descriptor");
}

/* Who opens a named pipe waits for its other end. */
static void decide_open(struct deciding *d)
{
        const struct wait_reading *r = d->reading;
        bool is_pipe = r->object == WAIT_OBJECT_PIPE;

        d->verdict.kind = is_pipe ? WAIT_KIND_PIPE : WAIT_KIND_DISK;
        if (is_pipe)
                buf_printf(d->text, "opens named pipe%s%s, waits for its other end", *r->text ? " " : "",
                           r->text);
        else
                buf_printf(d->text, "opens %s", *r->text ? r->text : "a file");
}

/* A thread that waits for several descriptors waits for work, unless it has asked somebody for something. */
static void decide_poll(struct deciding *d, const char *name)
{
        const struct wait_reading *r = d->reading;
        enum wait_peer peer = r->peer;
        bool is_idle = peer <= WAIT_PEER_ACCEPTED && r->object != WAIT_OBJECT_TERMINAL &&
                       r->object != WAIT_OBJECT_NONE;

        if (r->object == WAIT_OBJECT_NONE) {
                d->verdict.kind = WAIT_KIND_SLEEP;
                buf_printf(d->text, "sleeps in %s%s%s", name, *r->text ? " " : "", r->text);
                return;
        }
        d->verdict.kind = is_idle ? WAIT_KIND_IDLE : kind_of_object(r);
        buf_printf(d->text, "%s in %s for %s", is_idle ? "idle," : "waits", name, r->text);
}

/* --- Futexes --- */

/* Words of glibc's pthread_mutex_t (nptl/descr.h, sysdeps/nptl/bits/pthreadtypes). */
enum { MUTEX_OWNER = 2, MUTEX_KIND = 4, MUTEX_MAX_KIND = 0x1ff };

enum lock_type {
        LOCK_NONE,
        LOCK_GIL,
        LOCK_MUTEX,
        LOCK_CONDITION,
        LOCK_SEMAPHORE,
        LOCK_RWLOCK,
        LOCK_JOIN,
        LOCK_BARRIER,
        LOCK_ONCE,
        LOCK_PARK,
        LOCK_N_TYPES,
};

static const char *const lock_words[LOCK_N_TYPES] = {
        [LOCK_GIL] = "GIL",
        [LOCK_MUTEX] = "mutex",
        [LOCK_CONDITION] = "condition",
        [LOCK_SEMAPHORE] = "semaphore",
        [LOCK_RWLOCK] = "rwlock",
        [LOCK_JOIN] = "thread",
        [LOCK_BARRIER] = "barrier",
        [LOCK_ONCE] = "once",
        [LOCK_PARK] = "park",
};

static const char *const lock_texts[LOCK_N_TYPES] = {
        [LOCK_GIL] = "the GIL",
        [LOCK_MUTEX] = "a mutex",
        [LOCK_CONDITION] = "a condition",
        [LOCK_SEMAPHORE] = "a semaphore",
        [LOCK_RWLOCK] = "a rwlock",
        [LOCK_JOIN] = "a thread to end",
        [LOCK_BARRIER] = "a barrier",
        [LOCK_ONCE] = "an initialisation that another thread runs",
        [LOCK_PARK] = "another thread to wake it",
};

struct waiting_function {
        const char *part; /* of the name */
        enum lock_type type;
};

/* Tried in this order: a condition locks its mutex again. */
static const struct waiting_function waiting_functions[] = {
        {"take_gil", LOCK_GIL},
        {"pthread_cond_", LOCK_CONDITION},
        {"cnd_wait", LOCK_CONDITION},
        {"cnd_timedwait", LOCK_CONDITION},
        {"pthread_mutex_", LOCK_MUTEX},
        {"lll_lock_wait", LOCK_MUTEX},
        {"mtx_lock", LOCK_MUTEX},
        {"pthread_rwlock_", LOCK_RWLOCK},
        {"pthread_spin_", LOCK_MUTEX},
        {"sem_wait", LOCK_SEMAPHORE},
        {"sem_timedwait", LOCK_SEMAPHORE},
        {"sem_clockwait", LOCK_SEMAPHORE},
        {"pthread_join", LOCK_JOIN},
        {"pthread_clockjoin", LOCK_JOIN},
        {"pthread_timedjoin", LOCK_JOIN},
        {"thrd_join", LOCK_JOIN},
        {"pthread_barrier_wait", LOCK_BARRIER},
        {"pthread_once", LOCK_ONCE},
        {"call_once", LOCK_ONCE},
        {"__cxa_guard_acquire", LOCK_ONCE},
        /* Rust's standard library */
        {"Mutex::lock_contended", LOCK_MUTEX},
        {"RwLock::read_contended", LOCK_RWLOCK},
        {"RwLock::write_contended", LOCK_RWLOCK},
        {"Condvar::wait", LOCK_CONDITION},
        {"Parker::park", LOCK_PARK},
        {"thread::park", LOCK_PARK},
        {"Once::call", LOCK_ONCE},
        /* Go's runtime */
        {"runtime.lock2", LOCK_MUTEX},
        {"runtime.notesleep", LOCK_PARK},
        {"runtime.notetsleep", LOCK_PARK},
        /* C++20 */
        {"__atomic_wait", LOCK_CONDITION},
        {"g_cond_wait", LOCK_CONDITION},
        {"g_mutex_lock", LOCK_MUTEX},
};

enum { MAX_WAITING_FUNCTIONS = 8 };

static enum lock_type type_of_name(const char *name)
{
        for (size_t i = 0; i < N_ELEMENTS(waiting_functions); i++) {
                if (strstr(name, waiting_functions[i].part))
                        return waiting_functions[i].type;
        }
        return LOCK_NONE;
}

static enum lock_type find_lock_type(const struct deciding *d)
{
        enum lock_type found = LOCK_NONE;

        if (d->reading->python & WAIT_PYTHON_IN_RUNTIME && !(d->reading->python & WAIT_PYTHON_GIL))
                found = LOCK_GIL;
        for (size_t i = 0; i < d->n && i < MAX_WAITING_FUNCTIONS && !d->functions[i].is_python; i++) {
                enum lock_type type = type_of_name(d->functions[i].name);

                if (type == LOCK_GIL)
                        return type;
                if (found == LOCK_NONE)
                        found = type;
        }
        return found;
}

/* The Python function that waits, as "Thread.join": the outermost one of the module that has the lock. */
static const char *find_python_wait(const struct deciding *d)
{
        const char *found = NULL;

        for (size_t i = 0; i < d->n; i++) {
                const struct wait_function *f = &d->functions[i];
                const char *base = text_base_name(f->file);

                if (!f->is_python)
                        continue;
                if (strcmp(base, "threading.py") && strcmp(base, "queue.py") && strcmp(base, "_base.py"))
                        break;
                if (!strstr(f->name, "_bootstrap") && strcmp(f->name, "Thread.run") && strcmp(f->name, "run"))
                        found = f->name;
        }
        return found;
}

static int32_t thread_of(const struct deciding *d, int32_t inner_tid)
{
        return d->find_thread ? d->find_thread(d->ctx, inner_tid) : 0;
}

/* An owner that has ended is only known by its own number. */
static void add_owner(struct deciding *d, int32_t inner_tid)
{
        int32_t tid = thread_of(d, inner_tid);

        d->verdict.owner = tid;
        d->verdict.owner_is_gone = !tid;
        buf_printf(d->text, ", held by %" PRId32 "%s", tid ? tid : inner_tid, tid ? "" : ", which has ended");
}

/* `address` is 0 if it is not known. */
static void set_lock(struct deciding *d, enum wait_kind kind, const char *lock, uint64_t address)
{
        d->verdict.kind = kind;
        d->verdict.lock = lock;
        d->verdict.lock_address = address;
}

static void decide_gil(struct deciding *d)
{
        set_lock(d, WAIT_KIND_GIL, lock_words[LOCK_GIL], 0);
        buf_add_str(d->text, "waits for the GIL");
        if (d->reading->gil_holder && d->reading->gil_holder != d->reading->inner_tid)
                add_owner(d, d->reading->gil_holder);
}

static void decide_python_lock(struct deciding *d)
{
        const struct wait_reading *r = d->reading;
        const char *function = find_python_wait(d);

        set_lock(d, WAIT_KIND_LOCK,
                 r->python & WAIT_PYTHON_RLOCK ? "RLock"
                 : function                    ? function
                                               : "Lock",
                 r->lock_object);
        if (r->python & WAIT_PYTHON_RLOCK) {
                buf_printf(d->text, "waits for RLock 0x%" PRIx64, r->lock_object);
                if (r->owner)
                        add_owner(d, r->owner);
                return;
        }
        if (function)
                buf_printf(d->text, "waits in %s (Lock, no owner recorded)", function);
        else
                buf_printf(d->text, "waits for Lock 0x%" PRIx64 ", no owner recorded", r->lock_object);
}

/* From 3.13 on joins and events are no objects that a lock could be found in. */
static bool decide_python_function(struct deciding *d, enum lock_type type)
{
        const char *function = d->reading->python & WAIT_PYTHON_STATE ? find_python_wait(d) : NULL;

        if (!function || (type != LOCK_NONE && type != LOCK_SEMAPHORE && type != LOCK_CONDITION))
                return false;
        set_lock(d, WAIT_KIND_LOCK, function, d->reading->args[0]);
        buf_printf(d->text, "waits in %s (no owner recorded)", function);
        return true;
}

/* The owner is checked for sense: it is a thread of the process, and the kind one that glibc has. */
static void add_mutex_owner(struct deciding *d)
{
        const uint32_t *words_of = d->reading->lock;
        int32_t owner = (int32_t)words_of[MUTEX_OWNER];

        buf_printf(d->text, " at 0x%" PRIx64, d->reading->args[0]);
        if (!words_of[0] || owner <= 0 || words_of[MUTEX_KIND] > MUTEX_MAX_KIND)
                return;
        add_owner(d, owner);
}

static void decide_futex(struct deciding *d)
{
        const struct wait_reading *r = d->reading;
        enum lock_type type = find_lock_type(d);

        if (type == LOCK_GIL) {
                decide_gil(d);
                return;
        }
        if (r->python & (WAIT_PYTHON_LOCK | WAIT_PYTHON_RLOCK)) {
                decide_python_lock(d);
                return;
        }
        if (decide_python_function(d, type))
                return;
        if (type == LOCK_NONE) {
                d->verdict.kind = WAIT_KIND_UNKNOWN;
                buf_printf(d->text, "waits for a futex at 0x%" PRIx64, r->args[0]);
                return;
        }
        set_lock(d, type == LOCK_JOIN ? WAIT_KIND_OTHER : WAIT_KIND_LOCK, lock_words[type], r->args[0]);
        buf_printf(d->text, "waits for %s", lock_texts[type]);
        if (type == LOCK_MUTEX)
                add_mutex_owner(d);
        else if (type == LOCK_JOIN && thread_of(d, (int32_t)r->lock[0]))
                buf_printf(d->text, ": %" PRId32, thread_of(d, (int32_t)r->lock[0]));
}

/* --- All calls --- */

static void decide_sleep(struct deciding *d)
{
        d->verdict.kind = WAIT_KIND_SLEEP;
        buf_printf(d->text, "sleeps%s%s", *d->reading->text ? " " : "", d->reading->text);
}

static void set(struct deciding *d, enum wait_kind kind, const char *text)
{
        d->verdict.kind = kind;
        buf_add_str(d->text, text);
}

static void set_with_text(struct deciding *d, enum wait_kind kind, const char *before)
{
        d->verdict.kind = kind;
        buf_printf(d->text, "%s%s%s", before, *d->reading->text ? " " : "", d->reading->text);
}

static void decide_call(struct deciding *d)
{
        const struct wait_reading *r = d->reading;

        switch ((enum wait_call)r->call) {
        case WAIT_CALL_NONE:
                set(d, *r->text ? WAIT_KIND_OTHER : WAIT_KIND_FAULT,
                    *r->text ? r->text : "waits for memory (a page fault)");
                break;
        case WAIT_CALL_READ: decide_descriptor(d, "reads"); break;
        case WAIT_CALL_WRITE: decide_descriptor(d, "writes to"); break;
        case WAIT_CALL_OPEN: decide_open(d); break;
        case WAIT_CALL_FILE: set_with_text(d, WAIT_KIND_DISK, "waits for a file system in"); break;
        case WAIT_CALL_FILE_LOCK:
                set_with_text(d, WAIT_KIND_LOCK, "waits for the lock of file");
                d->verdict.lock = *r->text ? r->text : "file";
                break;
        case WAIT_CALL_IOCTL: decide_descriptor(d, "waits in ioctl for"); break;
        case WAIT_CALL_POLL: decide_poll(d, "poll"); break;
        case WAIT_CALL_SELECT: decide_poll(d, "select"); break;
        case WAIT_CALL_EPOLL: decide_poll(d, "epoll_wait"); break;
        case WAIT_CALL_CONNECT: set_with_text(d, WAIT_KIND_NETWORK, "connects"); break;
        case WAIT_CALL_ACCEPT: set_with_text(d, WAIT_KIND_IDLE, "idle, accepts at"); break;
        case WAIT_CALL_RECEIVE: decide_descriptor(d, "receives from"); break;
        case WAIT_CALL_SEND: decide_descriptor(d, "sends to"); break;
        case WAIT_CALL_SLEEP: decide_sleep(d); break;
        case WAIT_CALL_CHILD: set_with_text(d, WAIT_KIND_CHILD, "waits for"); break;
        case WAIT_CALL_VFORK: set_with_text(d, WAIT_KIND_CHILD, "waits for a child of vfork"); break;
        case WAIT_CALL_SIGNAL: set(d, WAIT_KIND_OTHER, "waits for a signal"); break;
        case WAIT_CALL_SEMAPHORE:
                set(d, WAIT_KIND_LOCK, "waits for a System V semaphore");
                d->verdict.lock = "System V semaphore";
                break;
        case WAIT_CALL_MESSAGE: set(d, WAIT_KIND_OTHER, "waits for a message queue"); break;
        case WAIT_CALL_FUTEX: decide_futex(d); break;
        case WAIT_CALL_AIO: set(d, WAIT_KIND_DISK, "waits for asynchronous I/O"); break;
        case WAIT_CALL_IO_URING: set(d, WAIT_KIND_OTHER, "waits for io_uring"); break;
        default:
                d->verdict.kind = WAIT_KIND_UNKNOWN;
                buf_printf(d->text, "waits in system call %" PRId32, r->number);
        }
}

static bool has_stopped(const struct wait_reading *r)
{
        return r->state == 'T' || r->state == 't';
}

static const char *stop_text(const struct wait_reading *r)
{
        return r->state == 'T' ? "stopped by a signal" : "stopped by a debugger";
}

/* A thread that asks for the GIL runs for a moment every 5 ms. */
static bool asks_for_gil(const struct deciding *d)
{
        return wait_how_is_stopped(d->reading->how) && !(d->reading->python & WAIT_PYTHON_GIL) &&
               find_lock_type(d) == LOCK_GIL;
}

static void decide_running(struct deciding *d)
{
        if (asks_for_gil(d)) {
                decide_gil(d);
                return;
        }
        d->verdict.kind = WAIT_KIND_ON_CPU;
        d->verdict.is_runnable =
                d->reading->how == WAIT_HOW_READY || d->reading->how == WAIT_HOW_READY_STOPPED;
        buf_printf(d->text, "%s%s", d->verdict.is_runnable ? "runnable, waits for a CPU" : "on CPU",
                   d->reading->python & WAIT_PYTHON_GIL ? ", holds the GIL" : "");
}

static void decide_still(struct deciding *d)
{
        const char *idle = wait_idle_find(d->functions, d->n);

        if (has_stopped(d->reading) && d->reading->call == WAIT_CALL_NONE) {
                set(d, WAIT_KIND_OTHER, stop_text(d->reading));
                return;
        }
        if (idle && d->reading->call != WAIT_CALL_SLEEP) {
                d->verdict.kind = WAIT_KIND_IDLE;
                buf_printf(d->text, "idle, waits for work in %s", idle);
                return;
        }
        decide_call(d);
}

struct wait_verdict wait_kind_decide(const struct wait_reading *reading,
                                     const struct wait_function *functions, size_t n,
                                     int32_t (*find_thread)(void *ctx, int32_t inner_tid), void *ctx,
                                     struct buf *text)
{
        struct deciding d = {.reading = reading,
                             .functions = functions,
                             .n = n,
                             .find_thread = find_thread,
                             .ctx = ctx,
                             .text = text,
                             .verdict = {.kind = WAIT_KIND_UNKNOWN}};

        switch ((enum wait_how)reading->how) {
        case WAIT_HOW_ON_CPU:
        case WAIT_HOW_STOPPED:
        case WAIT_HOW_READY:
        case WAIT_HOW_READY_STOPPED: decide_running(&d); break;
        case WAIT_HOW_MOVING: set(&d, WAIT_KIND_UNKNOWN, "moving: it went on while it was read"); break;
        case WAIT_HOW_REFUSED: set(&d, WAIT_KIND_UNKNOWN, "its stack may not be read"); break;
        default: decide_still(&d);
        }
        if (reading->how == WAIT_HOW_STILL && reading->python & WAIT_PYTHON_GIL)
                buf_add_str(text, ", holds the GIL");
        if (has_stopped(reading) && reading->call != WAIT_CALL_NONE)
                buf_printf(text, " (%s)", stop_text(reading));
        return d.verdict;
}
