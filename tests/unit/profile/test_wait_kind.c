/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread waits for, from its system call, the object of the call, and the functions of its stack. */
#include "wait_kind.h"

#include "attributes.h"
#include "tap.h"

#define LIBC      "/usr/lib/x86_64-linux-gnu/libc.so.6"
#define THREADING "/usr/lib/python3.11/threading.py"

enum { MAX_FUNCTIONS = 8, SELF = 10, OTHER = 11, GONE = 99, INNER_OTHER = 2 };

/* The thread OTHER is also known by its number in the process's namespace. */
static int32_t find_thread(void *ctx, int32_t inner_tid)
{
        (void)ctx;
        return inner_tid == SELF ? SELF : inner_tid == OTHER || inner_tid == INNER_OTHER ? OTHER : 0;
}

struct row {
        struct wait_reading reading;
        struct wait_function functions[MAX_FUNCTIONS];
        enum wait_kind kind;
        const char *text;
        int32_t owner;
        bool is_gone;
};

static void expect_row(const struct row *row)
{
        AUTO_RELEASE(buf) text = {0};
        struct wait_reading reading = row->reading;
        struct wait_verdict verdict;
        size_t n = 0;

        while (n < MAX_FUNCTIONS && row->functions[n].name)
                n++;
        reading.tid = reading.inner_tid = SELF;
        reading.state = reading.state ? reading.state : 'S';
        reading.text = reading.text ? reading.text : "";
        verdict = wait_kind_decide(&reading, row->functions, n, find_thread, NULL, &text);
        EXPECT_STR(buf_text(&text), row->text);
        EXPECT_STR(wait_kind_word(verdict.kind), wait_kind_word(row->kind));
        EXPECT_INT(verdict.owner, row->owner);
        EXPECT_INT(verdict.owner_is_gone, row->is_gone);
}

#define EXPECT_ROWS(rows)                                                                                    \
        do {                                                                                                 \
                for (size_t i = 0; i < N_ELEMENTS(rows); i++)                                                \
                        expect_row(&(rows)[i]);                                                              \
        } while (0)

TEST(how_a_thread_was_met_comes_first)
{
        static const struct row rows[] = {
                {{.how = WAIT_HOW_ON_CPU, .state = 'R'}, {{0}}, WAIT_KIND_ON_CPU, "on CPU", 0, false},
                {{.how = WAIT_HOW_READY, .state = 'R'},
                 {{0}},
                 WAIT_KIND_ON_CPU,
                 "runnable, waits for a CPU",
                 0,
                 false},
                {{.how = WAIT_HOW_READY_STOPPED, .state = 'R', .python = WAIT_PYTHON_GIL},
                 {{0}},
                 WAIT_KIND_ON_CPU,
                 "runnable, waits for a CPU, holds the GIL",
                 0,
                 false},
                {{.how = WAIT_HOW_STOPPED, .state = 'R', .python = WAIT_PYTHON_GIL},
                 {{0}},
                 WAIT_KIND_ON_CPU,
                 "on CPU, holds the GIL",
                 0,
                 false},
                {{.how = WAIT_HOW_STOPPED,
                  .state = 'R',
                  .call = WAIT_CALL_FUTEX,
                  .python = WAIT_PYTHON_STATE | WAIT_PYTHON_IN_RUNTIME,
                  .gil_holder = OTHER},
                 {{0}},
                 WAIT_KIND_GIL,
                 "waits for the GIL, held by 11",
                 OTHER,
                 false},
                {{.how = WAIT_HOW_STOPPED, .state = 'R', .python = WAIT_PYTHON_STATE, .gil_holder = OTHER},
                 {{"take_gil", "/usr/bin/python3.11", 0, false, false}},
                 WAIT_KIND_GIL,
                 "waits for the GIL, held by 11",
                 OTHER,
                 false},
                {{.how = WAIT_HOW_STOPPED, .state = 'R', .python = WAIT_PYTHON_STATE, .gil_holder = OTHER},
                 {{"zlib_compress", "/usr/bin/python3.11", 0, false, false}},
                 WAIT_KIND_ON_CPU,
                 "on CPU",
                 0,
                 false},
                {{.how = WAIT_HOW_MOVING, .call = WAIT_CALL_READ},
                 {{0}},
                 WAIT_KIND_UNKNOWN,
                 "moving: it went on while it was read",
                 0,
                 false},
                {{.how = WAIT_HOW_REFUSED}, {{0}}, WAIT_KIND_UNKNOWN, "its stack may not be read", 0, false},
                {{.state = 'T'}, {{0}}, WAIT_KIND_OTHER, "stopped by a signal", 0, false},
                {{.state = 't'}, {{0}}, WAIT_KIND_OTHER, "stopped by a debugger", 0, false},
                {{.state = 'T', .call = WAIT_CALL_SIGNAL},
                 {{0}},
                 WAIT_KIND_OTHER,
                 "waits for a signal (stopped by a signal)",
                 0,
                 false},
                {{.state = 'D'}, {{0}}, WAIT_KIND_FAULT, "waits for memory (a page fault)", 0, false},
                {{.text = "frozen by its control group"},
                 {{0}},
                 WAIT_KIND_OTHER,
                 "frozen by its control group",
                 0,
                 false},
        };

        EXPECT_ROWS(rows);
}

TEST(calls_of_descriptors_have_the_kind_of_their_object)
{
        static const struct row rows[] = {
                {{.call = WAIT_CALL_READ, .object = WAIT_OBJECT_PIPE, .text = "pipe of process 7 (cat)"},
                 {{0}},
                 WAIT_KIND_PIPE,
                 "reads pipe of process 7 (cat)",
                 0,
                 false},
                {{.call = WAIT_CALL_WRITE, .object = WAIT_OBJECT_FILE, .state = 'D', .text = "/a at byte 5"},
                 {{0}},
                 WAIT_KIND_DISK,
                 "writes to /a at byte 5",
                 0,
                 false},
                {{.call = WAIT_CALL_RECEIVE, .object = WAIT_OBJECT_SOCKET, .text = "TCP a to b"},
                 {{0}},
                 WAIT_KIND_NETWORK,
                 "receives from TCP a to b",
                 0,
                 false},
                {{.call = WAIT_CALL_SEND, .object = WAIT_OBJECT_SOCKET, .text = "socket"},
                 {{0}},
                 WAIT_KIND_NETWORK,
                 "sends to socket",
                 0,
                 false},
                {{.call = WAIT_CALL_READ, .object = WAIT_OBJECT_TERMINAL, .text = "/dev/pts/1"},
                 {{0}},
                 WAIT_KIND_TERMINAL,
                 "reads /dev/pts/1",
                 0,
                 false},
                {{.call = WAIT_CALL_READ, .object = WAIT_OBJECT_TIMER, .text = "[timerfd]"},
                 {{0}},
                 WAIT_KIND_SLEEP,
                 "reads [timerfd]",
                 0,
                 false},
                {{.call = WAIT_CALL_READ}, {{0}}, WAIT_KIND_UNKNOWN, "reads an unknown descriptor", 0, false},
                {{.call = WAIT_CALL_IOCTL, .object = WAIT_OBJECT_EVENT, .text = "/dev/fuse"},
                 {{0}},
                 WAIT_KIND_OTHER,
                 "waits in ioctl for /dev/fuse",
                 0,
                 false},
                {{.call = WAIT_CALL_ACCEPT, .object = WAIT_OBJECT_SOCKET, .text = "TCP listener a"},
                 {{0}},
                 WAIT_KIND_IDLE,
                 "idle, accepts at TCP listener a",
                 0,
                 false},
                {{.call = WAIT_CALL_FILE_LOCK, .text = "/a at byte 0"},
                 {{0}},
                 WAIT_KIND_LOCK,
                 "waits for the lock of file /a at byte 0",
                 0,
                 false},
        };

        EXPECT_ROWS(rows);
}

TEST(a_poll_is_idle_if_the_process_has_asked_nobody)
{
        static const struct {
                enum wait_object object;
                enum wait_peer peer;
                enum wait_kind kind;
        } sets[] = {
                {WAIT_OBJECT_SOCKET, WAIT_PEER_LISTENER, WAIT_KIND_IDLE},
                {WAIT_OBJECT_SOCKET, WAIT_PEER_ACCEPTED, WAIT_KIND_IDLE},
                {WAIT_OBJECT_SOCKET, WAIT_PEER_OWN, WAIT_KIND_IDLE},
                {WAIT_OBJECT_PIPE, WAIT_PEER_OWN, WAIT_KIND_IDLE},
                {WAIT_OBJECT_EVENT, WAIT_PEER_NONE, WAIT_KIND_IDLE},
                {WAIT_OBJECT_SOCKET, WAIT_PEER_CONNECTED, WAIT_KIND_NETWORK},
                {WAIT_OBJECT_SOCKET, WAIT_PEER_UNKNOWN, WAIT_KIND_NETWORK},
                {WAIT_OBJECT_PIPE, WAIT_PEER_OTHER, WAIT_KIND_PIPE},
                {WAIT_OBJECT_TERMINAL, WAIT_PEER_NONE, WAIT_KIND_TERMINAL},
                {WAIT_OBJECT_NONE, WAIT_PEER_NONE, WAIT_KIND_SLEEP},
        };
        static const struct {
                enum wait_call call;
                const char *name;
        } calls[] = {{WAIT_CALL_POLL, "poll"}, {WAIT_CALL_SELECT, "select"}, {WAIT_CALL_EPOLL, "epoll_wait"}};

        for (size_t i = 0; i < N_ELEMENTS(sets) * N_ELEMENTS(calls); i++) {
                size_t set = i / N_ELEMENTS(calls), call = i % N_ELEMENTS(calls);
                AUTO_RELEASE(buf) text = {0};
                struct row row = {
                        .reading = {.call = (uint8_t)calls[call].call,
                                    .object = (uint8_t)sets[set].object,
                                    .peer = (uint8_t)sets[set].peer,
                                    .text = sets[set].object == WAIT_OBJECT_NONE ? "" : "it"},
                        .kind = sets[set].kind,
                };

                buf_printf(&text,
                           row.kind == WAIT_KIND_SLEEP  ? "sleeps in %s"
                           : row.kind == WAIT_KIND_IDLE ? "idle, in %s for it"
                                                        : "waits in %s for it",
                           calls[call].name);
                row.text = buf_text(&text);
                expect_row(&row);
        }
}

TEST(other_calls_have_their_own_kinds)
{
        static const struct row rows[] = {
                {{.call = WAIT_CALL_SLEEP, .text = "for 5.00 s"},
                 {{0}},
                 WAIT_KIND_SLEEP,
                 "sleeps for 5.00 s",
                 0,
                 false},
                {{.call = WAIT_CALL_SLEEP, .python = WAIT_PYTHON_GIL},
                 {{0}},
                 WAIT_KIND_SLEEP,
                 "sleeps, holds the GIL",
                 0,
                 false},
                {{.call = WAIT_CALL_CHILD, .text = "process 7 (sh)"},
                 {{0}},
                 WAIT_KIND_CHILD,
                 "waits for process 7 (sh)",
                 0,
                 false},
                {{.call = WAIT_CALL_VFORK, .state = 'D'},
                 {{0}},
                 WAIT_KIND_CHILD,
                 "waits for a child of vfork",
                 0,
                 false},
                {{.call = WAIT_CALL_FILE, .text = "fsync of /a"},
                 {{0}},
                 WAIT_KIND_DISK,
                 "waits for a file system in fsync of /a",
                 0,
                 false},
                {{.call = WAIT_CALL_OPEN, .object = WAIT_OBJECT_FILE, .text = "/a"},
                 {{0}},
                 WAIT_KIND_DISK,
                 "opens /a",
                 0,
                 false},
                {{.call = WAIT_CALL_OPEN}, {{0}}, WAIT_KIND_DISK, "opens a file", 0, false},
                {{.call = WAIT_CALL_OPEN, .object = WAIT_OBJECT_PIPE, .text = "/p"},
                 {{0}},
                 WAIT_KIND_PIPE,
                 "opens named pipe /p, waits for its other end",
                 0,
                 false},
                {{.call = WAIT_CALL_SEMAPHORE},
                 {{0}},
                 WAIT_KIND_LOCK,
                 "waits for a System V semaphore",
                 0,
                 false},
                {{.call = WAIT_CALL_MESSAGE}, {{0}}, WAIT_KIND_OTHER, "waits for a message queue", 0, false},
                {{.call = WAIT_CALL_AIO}, {{0}}, WAIT_KIND_DISK, "waits for asynchronous I/O", 0, false},
                {{.call = WAIT_CALL_IO_URING}, {{0}}, WAIT_KIND_OTHER, "waits for io_uring", 0, false},
                {{.call = WAIT_CALL_OTHER, .number = 999},
                 {{0}},
                 WAIT_KIND_UNKNOWN,
                 "waits in system call 999",
                 0,
                 false},
        };

        EXPECT_ROWS(rows);
}

#define MUTEX(owner, kind)                                                                                   \
        {                                                                                                    \
                .call = WAIT_CALL_FUTEX, .args = {0x1000}, .lock = { 2, 1, owner, 1, kind }                  \
        }
#define IN_MUTEX                                                                                             \
        {                                                                                                    \
                {"__lll_lock_wait", LIBC, 0, false}, {"pthread_mutex_lock", LIBC, 0, false},                 \
                {                                                                                            \
                        "work", "/a", false                                                                  \
                }                                                                                            \
        }

TEST(a_mutex_has_an_owner_if_its_words_make_sense)
{
        static const struct row rows[] = {
                {MUTEX(OTHER, 0), IN_MUTEX, WAIT_KIND_LOCK, "waits for a mutex at 0x1000, held by 11", OTHER,
                 false},
                {MUTEX(INNER_OTHER, 0), IN_MUTEX, WAIT_KIND_LOCK, "waits for a mutex at 0x1000, held by 11",
                 OTHER, false},
                {MUTEX(GONE, 0), IN_MUTEX, WAIT_KIND_LOCK,
                 "waits for a mutex at 0x1000, held by 99, which has ended", 0, true},
                {MUTEX(0, 0), IN_MUTEX, WAIT_KIND_LOCK, "waits for a mutex at 0x1000", 0, false},
                {MUTEX((uint32_t)-5, 0), IN_MUTEX, WAIT_KIND_LOCK, "waits for a mutex at 0x1000", 0, false},
                {MUTEX(OTHER, 0x12345678), IN_MUTEX, WAIT_KIND_LOCK, "waits for a mutex at 0x1000", 0, false},
                {{.call = WAIT_CALL_FUTEX, .args = {0x1000}, .lock = {0, 0, OTHER}},
                 IN_MUTEX,
                 WAIT_KIND_LOCK,
                 "waits for a mutex at 0x1000",
                 0,
                 false},
        };

        EXPECT_ROWS(rows);
}

TEST(the_function_that_waits_tells_what_a_futex_is)
{
        static const struct {
                const char *name;
                enum wait_kind kind;
                const char *text;
        } waits[] = {
                {"pthread_cond_wait@@GLIBC_2.3.2", WAIT_KIND_LOCK, "waits for a condition"},
                {"__new_sem_wait_slow64", WAIT_KIND_LOCK, "waits for a semaphore"},
                {"pthread_rwlock_wrlock", WAIT_KIND_LOCK, "waits for a rwlock"},
                {"pthread_barrier_wait", WAIT_KIND_LOCK, "waits for a barrier"},
                {"__pthread_clockjoin_ex", WAIT_KIND_OTHER, "waits for a thread to end: 11"},
                {"std::sys::unix::locks::futex::Condvar::wait", WAIT_KIND_LOCK, "waits for a condition"},
                {"std::thread::park", WAIT_KIND_LOCK, "waits for another thread to wake it"},
                {"__cxa_guard_acquire", WAIT_KIND_LOCK,
                 "waits for an initialisation that another thread runs"},
                {"futex_of_the_program", WAIT_KIND_UNKNOWN, "waits for a futex at 0x1000"},
        };

        for (size_t i = 0; i < N_ELEMENTS(waits); i++) {
                const struct row row = {
                        .reading = {.call = WAIT_CALL_FUTEX, .args = {0x1000}, .lock = {OTHER}},
                        .functions = {{"syscall", LIBC, 0, false},
                                      {waits[i].name, LIBC, 0, false},
                                      {"main", "/a", 0, false}},
                        .kind = waits[i].kind,
                        .text = waits[i].text,
                };

                expect_row(&row);
        }
}

TEST(the_gil_has_a_holder)
{
        static const struct row rows[] = {
                {{.call = WAIT_CALL_FUTEX,
                  .python = WAIT_PYTHON_STATE | WAIT_PYTHON_IN_RUNTIME,
                  .gil_holder = OTHER},
                 {{"__pthread_cond_timedwait", LIBC, 0, false},
                  {"take_gil", "/python3", 0, false},
                  {"f", "/a.py", 1, true}},
                 WAIT_KIND_GIL,
                 "waits for the GIL, held by 11",
                 OTHER,
                 false},
                {{.call = WAIT_CALL_FUTEX, .python = WAIT_PYTHON_STATE | WAIT_PYTHON_IN_RUNTIME},
                 {{"?", "/python3", 0, false}},
                 WAIT_KIND_GIL,
                 "waits for the GIL",
                 0,
                 false},
                {{.call = WAIT_CALL_FUTEX,
                  .python = WAIT_PYTHON_STATE | WAIT_PYTHON_IN_RUNTIME,
                  .gil_holder = SELF},
                 {{"take_gil", "/python3", 0, false}},
                 WAIT_KIND_GIL,
                 "waits for the GIL",
                 0,
                 false},
        };

        EXPECT_ROWS(rows);
}

TEST(locks_of_python_are_named_by_the_function_that_waits)
{
        enum { LOCK = WAIT_PYTHON_STATE | WAIT_PYTHON_LOCK, RLOCK = WAIT_PYTHON_STATE | WAIT_PYTHON_RLOCK };
        static const struct row rows[] = {
                {{.call = WAIT_CALL_FUTEX, .python = RLOCK, .lock_object = 0x7f00, .owner = OTHER},
                 {{"sem_wait", LIBC, 0, false}, {"transfer", "/bank.py", 1, true}},
                 WAIT_KIND_LOCK,
                 "waits for RLock 0x7f00, held by 11",
                 OTHER,
                 false},
                {{.call = WAIT_CALL_FUTEX, .python = RLOCK, .lock_object = 0x7f00},
                 {{"transfer", "/bank.py", 1, true}},
                 WAIT_KIND_LOCK,
                 "waits for RLock 0x7f00",
                 0,
                 false},
                {{.call = WAIT_CALL_FUTEX, .python = LOCK, .lock_object = 0x7f00},
                 {{"Condition.wait", THREADING, 1, true},
                  {"Event.wait", THREADING, 1, true},
                  {"f", "/a.py", 1, true}},
                 WAIT_KIND_LOCK,
                 "waits in Event.wait (Lock, no owner recorded)",
                 0,
                 false},
                {{.call = WAIT_CALL_FUTEX, .python = LOCK, .lock_object = 0x7f00},
                 {{"f", "/a.py", 1, true}, {"Thread.run", THREADING, 1, true}},
                 WAIT_KIND_LOCK,
                 "waits for Lock 0x7f00, no owner recorded",
                 0,
                 false},
                {{.call = WAIT_CALL_FUTEX, .python = WAIT_PYTHON_STATE},
                 {{"sem_wait", LIBC, 0, false}, {"Thread.join", THREADING, 1, true}, {"f", "/a.py", 1, true}},
                 WAIT_KIND_LOCK,
                 "waits in Thread.join (no owner recorded)",
                 0,
                 false},
        };

        EXPECT_ROWS(rows);
}

TEST(workers_without_work_are_idle)
{
        static const struct row rows[] = {
                {{.call = WAIT_CALL_FUTEX, .python = WAIT_PYTHON_STATE | WAIT_PYTHON_LOCK},
                 {{"sem_wait", LIBC, 0, false},
                  {"_worker", "/usr/lib/python3.11/concurrent/futures/thread.py", 1, true}},
                 WAIT_KIND_IDLE,
                 "idle, waits for work in _worker",
                 0,
                 false},
                {{.call = WAIT_CALL_FUTEX, .python = WAIT_PYTHON_STATE | WAIT_PYTHON_LOCK},
                 {{"Condition.wait", THREADING, 1, true},
                  {"Queue.get", "/usr/lib/python3.11/queue.py", 1, true},
                  {"f", "/a.py", 1, true}},
                 WAIT_KIND_IDLE,
                 "idle, waits for work in Queue.get",
                 0,
                 false},
                /* before 3.11 */
                {{.call = WAIT_CALL_FUTEX, .python = WAIT_PYTHON_STATE | WAIT_PYTHON_LOCK},
                 {{"wait", THREADING, 1, true}, {"get", "/usr/lib/python3.8/queue.py", 1, true}},
                 WAIT_KIND_IDLE,
                 "idle, waits for work in get",
                 0,
                 false},
                /* a worker that works */
                {{.call = WAIT_CALL_RECEIVE, .object = WAIT_OBJECT_SOCKET, .text = "TCP"},
                 {{"recv", LIBC, 0, false},
                  {"f", "/a.py", 1, true},
                  {"_worker", "/x/concurrent/futures/thread.py", 1, true}},
                 WAIT_KIND_NETWORK,
                 "receives from TCP",
                 0,
                 false},
                /* the same name elsewhere */
                {{.call = WAIT_CALL_FUTEX, .args = {0x10}},
                 {{"_worker", "/home/me/pool.py", 1, true}},
                 WAIT_KIND_UNKNOWN,
                 "waits for a futex at 0x10",
                 0,
                 false},
                {{.call = WAIT_CALL_FUTEX},
                 {{"pthread_cond_wait", LIBC, 0, false},
                  {"?", "/lib/libgomp.so.1", 0, false},
                  {"gomp_thread_start", "/lib/libgomp.so.1", 0, false}},
                 WAIT_KIND_IDLE,
                 "idle, waits for work in gomp_thread_start",
                 0,
                 false},
                /* code of the program runs in between */
                {{.call = WAIT_CALL_FUTEX},
                 {{"pthread_cond_wait", LIBC, 0, false},
                  {"work", "/a", 0, false},
                  {"gomp_thread_start", "/lib/libgomp.so.1", 0, false}},
                 WAIT_KIND_LOCK,
                 "waits for a condition",
                 0,
                 false},
        };

        EXPECT_ROWS(rows);
}

TEST(locks_have_a_word_and_an_address)
{
        static const struct {
                struct wait_reading reading;
                struct wait_function function;
                const char *lock; /* NULL: it is none */
                uint64_t address;
        } rows[] = {
                {{.call = WAIT_CALL_FUTEX, .args = {0x10}},
                 {"pthread_mutex_lock", LIBC, 0, false},
                 "mutex",
                 0x10},
                {{.call = WAIT_CALL_FUTEX, .args = {0x10}}, {"sem_wait", LIBC, 0, false}, "semaphore", 0x10},
                {{.call = WAIT_CALL_FUTEX, .args = {0x10}, .python = WAIT_PYTHON_STATE},
                 {"take_gil", LIBC, 0, false},
                 "GIL",
                 0},
                {{.call = WAIT_CALL_FUTEX,
                  .python = WAIT_PYTHON_STATE | WAIT_PYTHON_RLOCK,
                  .lock_object = 0x20},
                 {"f", "/a.py", 1, true},
                 "RLock",
                 0x20},
                {{.call = WAIT_CALL_FILE_LOCK, .text = "/a/b"}, {"flock", LIBC, 0, false}, "/a/b", 0},
                {{.call = WAIT_CALL_FILE_LOCK}, {"flock", LIBC, 0, false}, "file", 0},
                {{.call = WAIT_CALL_SEMAPHORE}, {"semop", LIBC, 0, false}, "System V semaphore", 0},
                {{.call = WAIT_CALL_FUTEX, .args = {0x10}}, {"f", "/a", 0, false}, NULL, 0},
                {{.call = WAIT_CALL_READ, .object = WAIT_OBJECT_PIPE}, {"read", LIBC, 0, false}, NULL, 0},
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                AUTO_RELEASE(buf) text = {0};
                struct wait_reading reading = rows[i].reading;
                struct wait_verdict verdict;

                reading.text = reading.text ? reading.text : "";
                verdict = wait_kind_decide(&reading, &rows[i].function, 1, NULL, NULL, &text);
                if (rows[i].lock)
                        EXPECT_STR(verdict.lock ? verdict.lock : "", rows[i].lock);
                else
                        EXPECT_CMP(verdict.lock, ==, NULL);
                EXPECT_INT(verdict.lock_address, rows[i].address);
        }
}

TEST(each_kind_has_a_word)
{
        for (int kind = 0; kind < WAIT_N_KINDS; kind++)
                EXPECT_TRUE(wait_kind_word((enum wait_kind)kind) &&
                            wait_kind_word((enum wait_kind)kind)[0] != '?');
        EXPECT_STR(wait_kind_word(WAIT_N_KINDS), "?");
}

TAP_MAIN
