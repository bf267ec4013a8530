/* SPDX-License-Identifier: BSD-3-Clause */
/* report --sort lock: of the tracepoints of the kernel's locks, and of waits that were read. */
#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "mem.h"
#include "perfdata_format.h"
#include "report.h"
#include "tap.h"
#include "tracepoint_session.h"

enum { US = 1000, MS = 1000000, RAW_BYTES = 20, MUTEX = 32, SPIN = 1, WRITE = 4 };

static const char path[] = "locks.data";

/* --- Tracepoints --- */

static const struct tracepoint_format formats[] = {
        {408, "lock",
         "name: contention_begin\nID: 408\nformat:\n\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n"
         "\tfield:unsigned int flags;\toffset:16;\tsize:4;\tsigned:0;\n"},
        {407, "lock",
         "name: contention_end\nID: 407\nformat:\n\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n"
         "\tfield:int ret;\toffset:16;\tsize:4;\tsigned:1;\n"},
};

static void begin(struct session_builder *b)
{
        tracepoint_session_begin(b, formats, N_ELEMENTS(formats));
}

static void want(struct session_builder *b, uint64_t us, int32_t tid, uint64_t address, uint32_t flags)
{
        uint8_t raw[RAW_BYTES] = {0};

        tracepoint_session_put(raw, 8, address, 8);
        tracepoint_session_put(raw, 16, flags, 4);
        tracepoint_session_sample(b, 0, us * US, tid, 1, raw, sizeof(raw));
}

static void get(struct session_builder *b, uint64_t us, int32_t tid, uint64_t address)
{
        uint8_t raw[RAW_BYTES] = {0};

        tracepoint_session_put(raw, 8, address, 8);
        tracepoint_session_sample(b, 1, us * US, tid, 1, raw, sizeof(raw));
}

static struct report *report_of(struct session_builder *b, const struct profile_filter *filter)
{
        const struct report_request request = {.path = path, .results = REPORT_LOCKS, .filter = *filter};
        struct err err = {0};

        return builder_save(b, path) ? report_make(&request, &err) : NULL;
}

static void expect_row(const struct lock_row *row, const char *lock, uint64_t address, uint64_t count,
                       uint64_t us, uint64_t longest_us)
{
        EXPECT_STR(row->lock, lock);
        EXPECT_INT(row->address, address);
        EXPECT_INT(row->count, count);
        EXPECT_INT(row->total_ns / US, us);
        EXPECT_INT(row->longest_ns / US, longest_us);
}

/* A mutex has two beginnings if the thread spins for it first. */
TEST(locks_of_the_kernel)
{
        AUTO(report) report = NULL;
        const struct lock_rows *rows;
        struct session_builder b;

        begin(&b);
        want(&b, 100, 10, 0xf00, MUTEX | SPIN);
        want(&b, 110, 11, 0xf00, MUTEX);
        want(&b, 120, 10, 0xf00, MUTEX);
        get(&b, 200, 10, 0xf00);
        get(&b, 250, 11, 0xf00);
        want(&b, 300, 10, 0xb00, WRITE);
        want(&b, 305, 10, 0xc00, SPIN);
        get(&b, 306, 10, 0xc00);
        get(&b, 1300, 10, 0xb00);
        want(&b, 2000, 0, 0xd00, 0x4000);
        get(&b, 2001, 0, 0xd00);
        report = report_of(&b, &(struct profile_filter){0});
        ASSERT_TRUE(report && report->locks);
        rows = report->locks;
        ASSERT_TRUE(rows->n == 4 && rows->is_kernel);
        expect_row(&rows->items[0], "rwsem:W", 0xb00, 1, 1000, 1000);
        expect_row(&rows->items[1], "mutex", 0xf00, 2, 100 + 140, 140);
        expect_row(&rows->items[2], "spinlock", 0xc00, 1, 1, 1);
        expect_row(&rows->items[3], "unknown", 0xd00, 1, 1, 1);
        EXPECT_INT(rows->count, 5);
        EXPECT_INT(rows->n_cut, 0);
        EXPECT_STR(rows->items[0].owner_function, "");
}

/* A thread spins for a mutex, sleeps, spins when it is the next one, and sleeps again. Of another wait the
 * end is not recorded, so that the next beginning is another wait. */
TEST(waits_that_begin_again)
{
        static const uint32_t kinds[] = {WRITE, SPIN, 0, MUTEX | SPIN};
        AUTO(report) report = NULL;
        struct session_builder b;

        begin(&b);
        want(&b, 100, 10, 0xf00, MUTEX | SPIN);
        want(&b, 120, 10, 0xf00, MUTEX);
        want(&b, 140, 10, 0xf00, MUTEX | SPIN);
        want(&b, 160, 10, 0xf00, MUTEX);
        get(&b, 200, 10, 0xf00);
        for (size_t i = 0; i < N_ELEMENTS(kinds); i++) {
                want(&b, 300, 11, 0xb00 + i, kinds[i]);
                want(&b, 1000, 11, 0xb00 + i, kinds[i]);
                get(&b, 1010 + i, 11, 0xb00 + i);
        }
        report = report_of(&b, &(struct profile_filter){0});
        ASSERT_TRUE(report && report->locks && report->locks->n == 5);
        EXPECT_INT(report->locks->n_cut, N_ELEMENTS(kinds));
        expect_row(&report->locks->items[0], "mutex", 0xf00, 1, 100, 100);
        expect_row(&report->locks->items[1], "mutex", 0xb03, 1, 13, 13);
        expect_row(&report->locks->items[2], "semaphore", 0xb02, 1, 12, 12);
        expect_row(&report->locks->items[3], "spinlock", 0xb01, 1, 11, 11);
        expect_row(&report->locks->items[4], "rwsem:W", 0xb00, 1, 10, 10);
}

/* The second thread gives its number back while it spins. */
TEST(threads_at_their_very_end)
{
        AUTO(report) report = NULL;
        struct session_builder b;

        begin(&b);
        want(&b, 100, -1, 0xf00, SPIN);
        get(&b, 120, -1, 0xf00);
        want(&b, 200, 10, 0xf00, SPIN);
        get(&b, 230, -1, 0xf00);
        get(&b, 240, -1, 0xf00);
        report = report_of(&b, &(struct profile_filter){0});
        ASSERT_TRUE(report && report->locks && report->locks->n == 1);
        expect_row(&report->locks->items[0], "spinlock", 0xf00, 2, 20 + 30, 30);
        EXPECT_INT(report->locks->n_cut, 1);
}

TEST(waits_that_are_cut_and_chosen)
{
        const struct profile_filter by_tid = {.has_tid = true, .tid = 11};
        AUTO(report) report = NULL;
        struct session_builder b;

        begin(&b);
        get(&b, 50, 10, 0xa00);
        want(&b, 100, 10, 0xb00, 0);
        want(&b, 110, 11, 0xb00, 0);
        get(&b, 150, 11, 0xb00);
        get(&b, 160, 11, 0xf00);
        want(&b, 170, 12, 0xb00, 0);
        get(&b, 171, 12, 0xb00);
        report = report_of(&b, &by_tid);
        ASSERT_TRUE(report && report->locks && report->locks->n == 1);
        expect_row(&report->locks->items[0], "semaphore", 0xb00, 1, 40, 40);
        EXPECT_INT(report->locks->n_cut, 1);
}

/* As many waits as there are samples, all at one time, of 50,000 threads and locks, and raw data that is cut.
 */
TEST(hostile_locks)
{
        AUTO(report) report = NULL;
        struct session_builder b;
        uint8_t raw[4] = {0};

        begin(&b);
        tracepoint_session_sample(&b, 0, 100, 10, 1, raw, sizeof(raw));
        tracepoint_session_sample(&b, 1, 100, 10, 1, raw, 0);
        want(&b, 1, -7, 0xb00, 0);
        for (int32_t i = 0; i < 50000; i++)
                want(&b, 1, i, UINT64_MAX - (uint64_t)i, (uint32_t)i);
        for (int32_t i = 0; i < 50000; i++)
                get(&b, 1, i, UINT64_MAX - (uint64_t)i);
        report = report_of(&b, &(struct profile_filter){0});
        ASSERT_TRUE(report && report->locks);
        EXPECT_INT(report->locks->n, 50000);
        EXPECT_INT(report->locks->total_ns, 0);
}

/* Waits that are left out are counted, and their ends are not taken for ends of waits that began before the
 * recording. */
TEST(memory_is_limited)
{
        struct budget budget;
        AUTO(lock_log) log = NULL;
        AUTO(perfdata_reader) reader = NULL;
        AUTO(lock_rows) rows = NULL;
        AUTO(sample_list) samples = sample_list_new();
        AUTO_RELEASE(buf) file = {0};
        const struct named_stacks named = {0};
        const struct waiters waiters = {0};
        struct session_builder b;

        begin(&b);
        builder_file(&b, &file);
        builder_release(&b);
        reader = perfdata_open_bytes((const uint8_t *)file.data, file.len, path, NULL);
        ASSERT_TRUE(reader != NULL);
        budget_init(&budget, 1 << 20);
        log = lock_log_new(reader, &budget);
        ASSERT_TRUE(log != NULL);
        for (unsigned event = 0; event < 2; event++) {
                for (int32_t tid = 1; tid <= 100000; tid++) {
                        uint8_t raw[RAW_BYTES] = {0};
                        const struct sample sample = {.tid = tid, .raw = cursor_make(raw, sizeof(raw))};

                        lock_log_take(log, event, &sample, true);
                }
        }
        EXPECT_TRUE(budget.left_out & 1u << BUDGET_SAMPLES);
        rows = lock_log_rows(log, &named, samples, &waiters);
        EXPECT_INT(rows->n_cut, 0);
        EXPECT_CMP(rows->n_left_out, >, 100000 - (1 << 16));
        EXPECT_INT(rows->n_left_out + rows->count, 100000);
        lock_log_free(TAKE(log));
        EXPECT_INT(budget.used_bytes, 0);
        budget_release(&budget);
}

/* --- Readings --- */

enum { FUTEX = 202 };
enum { PROCESS = 10, WAITER = 11, HOLDER = 12, OTHER = 13, STRANGER = 14, CPU = 0, WAITING = 1 };

static bool counts_wait(void *ctx, int32_t pid, int32_t tid, unsigned state)
{
        return tid != OTHER;
}

static const char *thread_name(void *ctx, int32_t pid, int32_t tid)
{
        return tid == HOLDER ? "holder" : "another";
}

static void run(struct cpu_spans *spans, int32_t tid, uint64_t ms)
{
        struct cpu_change change = {.time_ns = ms * MS, .pid = tid == STRANGER ? 99 : PROCESS, .tid = tid};

        cpu_spans_add(spans, &change);
        change.time_ns += MS;
        change.is_out = true;
        cpu_spans_add(spans, &change);
}

static struct wait_reading reading_at(uint64_t ms, int32_t tid, int32_t owner)
{
        return (struct wait_reading){.time_ns = ms * MS,
                                     .pid = PROCESS,
                                     .tid = tid,
                                     .inner_tid = tid,
                                     .how = WAIT_HOW_STILL,
                                     .state = 'S',
                                     .call = WAIT_CALL_FUTEX,
                                     .number = FUTEX,
                                     .args = {0xb00},
                                     .lock = {2, 0, (uint32_t)owner},
                                     .look_ns = 5 * MS,
                                     .text = "",
                                     .python_name = ""};
}

static struct wall_pieces *divide(const struct wait_section *waits, const struct named_stacks *named,
                                  struct sample_list *samples, struct cpu_spans *spans, uint64_t from_ns)
{
        const struct sched_events events = {0};

        return wall_pieces_new(&(struct wall_request){.waits = waits,
                                                      .events = &events,
                                                      .named = named,
                                                      .samples = samples,
                                                      .spans = spans,
                                                      .waiting_event = WAITING,
                                                      .cpu_event = CPU,
                                                      .wants = WALL_WANTS_LOCKS | WALL_WANTS_SYSCALLS,
                                                      .counts_wait = counts_wait,
                                                      .thread_name = thread_name,
                                                      .rows_from_ns = from_ns,
                                                      .waiters_by = WAITERS_BY_THREAD,
                                                      .arch = ARCH_X86_64});
}

/* A thread waits for a mutex from 11 to 30 ms and from 31 to 50 ms. Its holder runs, then it sleeps. In a
 * third wait the number of the owner is that of another process. */
static struct wall_pieces *pieces_of_mutex(uint64_t from_ns)
{
        static char names[3][32] = {"pthread_mutex_lock", "run", "nanosleep"};
        struct named_frame frames[3];
        struct named_node nodes[3];
        const struct named_stacks named = {.nodes = nodes, .n_nodes = 3, .frames = frames, .n_frames = 3};
        struct wait_reading readings[] = {
                reading_at(20, WAITER, HOLDER),   reading_at(40, WAITER, HOLDER),
                reading_at(60, WAITER, STRANGER), reading_at(45, HOLDER, 0),
                reading_at(45, OTHER, HOLDER),
        };
        const uint32_t nodes_of[] = {0, 0, 0, 2, 0};
        const struct wait_section waits = {readings, N_ELEMENTS(readings), NULL, 0};
        AUTO(sample_list) samples = sample_list_new();
        AUTO(cpu_spans) spans = cpu_spans_new(NULL);

        readings[3].call = WAIT_CALL_SLEEP;
        for (uint32_t i = 0; i < 3; i++) {
                frames[i] = (struct named_frame){.function = names[i], .file = ""};
                nodes[i] = (struct named_node){
                        .parent = NAMED_NONE, .module = NAMED_NONE, .first_frame = i, .n_frames = 1};
        }
        for (uint64_t ms = 10; ms <= 70; ms += 20)
                run(spans, WAITER, ms);
        run(spans, HOLDER, 20);
        run(spans, HOLDER, 39);
        run(spans, HOLDER, 80);
        run(spans, STRANGER, 20);
        run(spans, OTHER, 40);
        run(spans, OTHER, 60);
        for (size_t i = 0; i < N_ELEMENTS(readings); i++)
                sample_list_add(samples, &(struct listed_sample){.time_ns = readings[i].time_ns,
                                                                 .event = WAITING,
                                                                 .node = nodes_of[i],
                                                                 .pid = PROCESS,
                                                                 .tid = readings[i].tid});
        sample_list_add(samples, &(struct listed_sample){.time_ns = 20 * MS + 1,
                                                         .weight = 1,
                                                         .event = CPU,
                                                         .node = 1,
                                                         .pid = PROCESS,
                                                         .tid = HOLDER});
        return divide(&waits, &named, samples, spans, from_ns);
}

TEST(waits_for_a_mutex)
{
        AUTO(wall_pieces) pieces = pieces_of_mutex(0);
        const struct lock_rows *rows = pieces ? pieces->locks : NULL;

        ASSERT_TRUE(rows && rows->n == 1);
        expect_row(&rows->items[0], "mutex", 0xb00, 3, 3 * 19000, 19000);
        EXPECT_STR(rows->items[0].function, "pthread_mutex_lock");
        EXPECT_INT(rows->items[0].pid, PROCESS);
        EXPECT_INT(rows->items[0].owner_tid, HOLDER);
        EXPECT_STR(rows->items[0].owner, "holder");
        EXPECT_INT(rows->items[0].owner_ns / MS, 19);
}

/* The reading says for which lock of Python the thread waits. An RLock has an owner. */
TEST(waits_for_locks_of_python)
{
        static const struct {
                uint8_t python;
                const char *lock;
                int32_t owner;
        } cases[] = {{WAIT_PYTHON_RLOCK, "RLock", HOLDER}, {WAIT_PYTHON_LOCK, "Lock", 0}};
        const struct named_stacks named = {0};

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                struct wait_reading reading = reading_at(20, WAITER, 0);
                const struct wait_section waits = {&reading, 1, NULL, 0};
                AUTO(sample_list) samples = sample_list_new();
                AUTO(cpu_spans) spans = cpu_spans_new(NULL);
                AUTO(wall_pieces) pieces = NULL;
                const struct lock_row *row;

                reading.python = cases[i].python;
                reading.lock_object = 0xe00;
                reading.owner = cases[i].owner;
                run(spans, WAITER, 10);
                run(spans, WAITER, 30);
                run(spans, HOLDER, 20);
                sample_list_add(samples, &(struct listed_sample){.time_ns = 20 * MS,
                                                                 .event = WAITING,
                                                                 .node = NAMED_NONE,
                                                                 .pid = PROCESS,
                                                                 .tid = WAITER});
                pieces = divide(&waits, &named, samples, spans, 0);
                ASSERT_TRUE(pieces && pieces->locks->n == 1);
                row = &pieces->locks->items[0];
                expect_row(row, cases[i].lock, 0xe00, 1, 19000, 19000);
                EXPECT_INT(row->owner_tid, cases[i].owner);
                EXPECT_STR(row->owner, cases[i].owner ? "holder" : "");
        }
}

/* What a chosen time has of them. The holder then sleeps. */
TEST(waits_in_a_time)
{
        AUTO(wall_pieces) pieces = pieces_of_mutex(41 * MS);
        const struct lock_rows *rows = pieces ? pieces->locks : NULL;

        ASSERT_TRUE(rows && rows->n == 1);
        expect_row(&rows->items[0], "mutex", 0xb00, 2, 9000 + 19000, 19000);
        EXPECT_STR(rows->items[0].owner_function, "nanosleep");
}

/* The longest wait has no more of it than the total. The first call is the sleep of the holder. */
TEST(a_time_cuts_the_only_wait)
{
        AUTO(wall_pieces) pieces = pieces_of_mutex(61 * MS);

        ASSERT_TRUE(pieces && pieces->locks->n == 1 && pieces->syscalls->n == 2);
        expect_row(&pieces->locks->items[0], "mutex", 0xb00, 1, 9000, 9000);
        EXPECT_INT(pieces->syscalls->items[0].tid, HOLDER);
        EXPECT_INT(pieces->syscalls->items[0].longest_ns, 19 * MS);
        EXPECT_INT(pieces->syscalls->items[1].tid, WAITER);
        EXPECT_INT(pieces->syscalls->items[1].total_ns, 9 * MS);
        EXPECT_INT(pieces->syscalls->items[1].longest_ns, 9 * MS);
}

/* Of eight waits of 4 ms five are met, so that each stands for 1.6. */
TEST(short_waits_are_estimated)
{
        enum { N_WAITS = 8, PERIOD = 5 };
        static char name[] = "pthread_mutex_lock";
        struct named_frame frame = {.function = name, .file = ""};
        struct named_node node = {.parent = NAMED_NONE, .module = NAMED_NONE, .n_frames = 1};
        const struct named_stacks named = {.nodes = &node, .n_nodes = 1, .frames = &frame, .n_frames = 1};
        struct wait_reading readings[] = {reading_at(12, WAITER, HOLDER), reading_at(22, WAITER, HOLDER),
                                          reading_at(27, WAITER, HOLDER), reading_at(37, WAITER, HOLDER),
                                          reading_at(42, WAITER, HOLDER)};
        const struct wait_section waits = {readings, N_ELEMENTS(readings), NULL, 0};
        AUTO(sample_list) samples = sample_list_new();
        AUTO(cpu_spans) spans = cpu_spans_new(NULL);
        AUTO(wall_pieces) pieces = NULL;

        for (uint64_t i = 0; i <= N_WAITS; i++)
                run(spans, WAITER, 10 + PERIOD * i);
        for (size_t i = 0; i < N_ELEMENTS(readings); i++) {
                readings[i].look_ns = 20 * MS;
                sample_list_add(samples, &(struct listed_sample){.time_ns = readings[i].time_ns,
                                                                 .event = WAITING,
                                                                 .pid = PROCESS,
                                                                 .tid = WAITER});
        }
        pieces = divide(&waits, &named, samples, spans, 0);
        ASSERT_TRUE(pieces && pieces->locks && pieces->locks->n == 1);
        expect_row(&pieces->locks->items[0], "mutex", 0xb00, N_WAITS, N_WAITS * 4000, 4000);
}

static uint64_t next_number(uint64_t *seed)
{
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        return *seed >> 33;
}

/* One of what is least expected, and sometimes something in between. */
static uint64_t any_number(uint64_t *seed)
{
        static const uint64_t edges[] = {0,        1,          5 * MS,    INT32_MAX,
                                         1u << 31, UINT32_MAX, INT64_MAX, UINT64_MAX};
        uint64_t n = next_number(seed);

        return n % 3 ? edges[n / 3 % N_ELEMENTS(edges)] : next_number(seed);
}

static struct wait_reading any_reading(uint64_t *seed, uint64_t time_ns)
{
        struct wait_reading reading =
                reading_at(0, (int32_t)any_number(seed) % 50, (int32_t)any_number(seed));

        reading.time_ns = time_ns;
        reading.pid = (int32_t)any_number(seed);
        reading.inner_tid = next_number(seed) % 2 ? reading.tid : (int32_t)any_number(seed);
        reading.how = (uint8_t)(next_number(seed) % 2);
        reading.call = (uint8_t)(next_number(seed) % 30);
        reading.object = (uint8_t)(next_number(seed) % 10);
        reading.python = (uint8_t)next_number(seed);
        reading.number = (int32_t)any_number(seed);
        reading.owner = (int32_t)any_number(seed);
        reading.gil_holder = (int32_t)any_number(seed);
        reading.args[0] = any_number(seed);
        reading.look_ns = any_number(seed);
        return reading;
}

/* As sections have them. */
static int compare_readings(const void *a, const void *b)
{
        const struct wait_reading *x = a, *y = b;

        if (x->tid != y->tid)
                return x->tid < y->tid ? -1 : 1;
        return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static void expect_sums(const struct wall_pieces *pieces)
{
        uint64_t ns = 0, count = 0;

        for (size_t i = 0; i < pieces->locks->n; i++)
                ns += pieces->locks->items[i].total_ns;
        for (size_t i = 0; i < pieces->syscalls->n; i++)
                count += pieces->syscalls->items[i].count;
        EXPECT_INT(ns, pieces->locks->total_ns);
        EXPECT_INT(count, pieces->syscalls->count);
}

TEST(hostile_readings)
{
        enum { N = 5000 };
        struct wait_reading *readings = mem_new(N, sizeof(*readings));
        const struct wait_section waits = {readings, N, NULL, 0};
        const struct named_stacks named = {0};
        uint64_t seed = 1;

        for (unsigned round = 0; round < 4; round++) {
                AUTO(sample_list) samples = sample_list_new();
                AUTO(cpu_spans) spans = cpu_spans_new(NULL);
                AUTO(wall_pieces) pieces = NULL;

                for (size_t i = 0; i < N; i++) {
                        readings[i] = any_reading(&seed, round ? any_number(&seed) : i * MS);
                        sample_list_add(samples, &(struct listed_sample){.time_ns = readings[i].time_ns,
                                                                         .weight = any_number(&seed),
                                                                         .event = i % 2,
                                                                         .node = NAMED_NONE,
                                                                         .pid = readings[i].pid,
                                                                         .tid = readings[i].tid});
                        if (round % 2)
                                run(spans, (int32_t)any_number(&seed), next_number(&seed) % 10000);
                }
                qsort(readings, N, sizeof(*readings), compare_readings);
                pieces = divide(&waits, &named, samples, spans, 0);
                ASSERT_TRUE(pieces);
                expect_sums(pieces);
                EXPECT_TRUE(round || (pieces->locks->n && pieces->syscalls->n));
        }
        free(readings);
}

TEST(owners_by_function)
{
        AUTO(lock_rows) rows = lock_rows_new(WAITERS_ALL);
        struct lock_row wait = {.lock = "mutex",
                                .function = "want",
                                .owner = "a",
                                .owner_function = "hold",
                                .owner_tid = 1,
                                .count = 1,
                                .total_ns = 10};

        lock_rows_add(rows, &wait);
        wait.owner_tid = 2;
        wait.owner = "b";
        lock_rows_add(rows, &wait);
        wait.owner_function = "rest";
        wait.total_ns = 15;
        lock_rows_add(rows, &wait);
        lock_rows_finish(rows);
        ASSERT_TRUE(rows->n == 1);
        EXPECT_STR(rows->items[0].owner_function, "hold");
        EXPECT_STR(rows->items[0].owner, "");
        EXPECT_INT(rows->items[0].owner_tid, 0);
        EXPECT_INT(rows->items[0].owner_ns, 20);
}

TEST(rows_by_waiter)
{
        static const struct {
                enum waiters_by by;
                size_t n;
        } ways[] = {{WAITERS_ALL, 1}, {WAITERS_BY_THREAD, 3}, {WAITERS_BY_PROCESS, 2}, {WAITERS_BY_COMM, 2}};
        static const struct {
                int32_t pid, tid;
        } threads[] = {{PROCESS, WAITER}, {PROCESS, HOLDER}, {STRANGER, STRANGER}};

        for (size_t i = 0; i < N_ELEMENTS(ways); i++) {
                const struct waiters waiters = {ways[i].by, thread_name, NULL};
                AUTO(lock_rows) rows = lock_rows_new(ways[i].by);

                for (size_t k = 0; k < N_ELEMENTS(threads); k++) {
                        struct lock_row wait = {.lock = "mutex",
                                                .function = "want",
                                                .owner = "",
                                                .owner_function = "",
                                                .count = 1,
                                                .total_ns = 10};

                        wait.waiter = waiters_find(&waiters, threads[k].pid, threads[k].tid);
                        lock_rows_add(rows, &wait);
                }
                lock_rows_finish(rows);
                EXPECT_INT(rows->n, ways[i].n);
                EXPECT_INT(rows->count, N_ELEMENTS(threads));
        }
}

TAP_MAIN
