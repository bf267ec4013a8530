/* SPDX-License-Identifier: BSD-3-Clause */
/* What `top` holds after a day on a machine where programs come and go all the time. */
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "live_model.h"
#include "os.h"
#include "record_window.h"
#include "session_builder.h"
#include "tap.h"

enum {
        DAY = 86400,
        INTERVAL = 120, /* seconds */
        PROCESSES = 40,
        NAMES = 120,
        FIRST_PID = 1 << 23, /* the kernel has none that large */
        PIDS = 32768,
        FUNCTIONS = 10000, /* of a program that runs all the time: this one, for its perf map */
        CODE = 0x10000000,
        CODE_BYTES = 0x1000,
        LIMIT_BYTES = 64 << 20,
        GROWTH_BYTES = 4 << 20, /* in half a day */
        KEPT_BYTES = 12 << 20,
};

#ifdef __SANITIZE_ADDRESS__
size_t __sanitizer_get_current_allocated_bytes(void);
#endif

static size_t allocated_bytes(void)
{
#ifdef __SANITIZE_ADDRESS__
        return __sanitizer_get_current_allocated_bytes();
#else
        struct mallinfo2 info = mallinfo2();

        return info.uordblks + info.hblkhd;
#endif
}

struct machine {
        struct live_model *model;
        struct record_window *window;
        struct session_builder records;
        uint64_t time, now_ns;
        unsigned n_processes;
};

/* Every hundredth process is in a container of its own. */
static bool add_group(int32_t pid, struct buf *out)
{
        static unsigned n;

        n += pid % 100 == 0;
        buf_printf(out, pid % 100 ? "/user.slice/%u" : "/docker/%u", pid % 100 ? 0 : n);
        return true;
}

static void write_perf_map(const char *path)
{
        FILE *file = fopen(path, "w");

        for (unsigned i = 0; i < FUNCTIONS; i++)
                fprintf(file, "%x %x generated%u\n", CODE + i * CODE_BYTES, CODE_BYTES, i);
        fclose(file);
}

static void sample(struct machine *m, int32_t pid, int32_t tid, uint64_t ip)
{
        const uint64_t chain[] = {PERF_CONTEXT_USER, ip, 0x400000 + 16 * (m->time % 64), 0x400800};

        builder_sample(&m->records, 0, ++m->time, pid, tid, PERF_MISC_USER, chain, N_ELEMENTS(chain));
}

/* A program with three modules and a second thread; that of every tenth process was built just before. Most
 * end before they are sampled. */
static void run_process(struct machine *m)
{
        struct session_builder *b = &m->records;
        unsigned n = m->n_processes++;
        int32_t pid = FIRST_PID + (int32_t)(2 * n % PIDS), tid = pid + 1;
        char program[64];

        snprintf(program, sizeof(program), n % 10 ? "/nowhere/program%u" : "/nowhere/built%u",
                 n % 10 ? n % 200 : n);
        builder_fork(b, ++m->time, pid, (int32_t)getpid(), pid, (int32_t)getpid(), 0);
        builder_comm(b, ++m->time, pid, pid, program + sizeof("/nowhere"), true);
        builder_mmap(b, ++m->time, pid, 0x400000, 0x1000, 0, program);
        builder_mmap(b, ++m->time, pid, 0x500000, 0x1000, 0, "/nowhere/libc.so.6");
        builder_mmap(b, ++m->time, pid, 0x600000, 0x1000, 0, "//anon");
        builder_fork(b, ++m->time, pid, pid, tid, pid, 0);
        builder_comm(b, ++m->time, pid, tid, "worker", false);
        if (n % 4 == 0) {
                sample(m, pid, pid, 0x500010);
                sample(m, pid, tid, n % 80 ? 0x500020 : 0x600010);
        }
        builder_exit(b, ++m->time, pid, pid, tid, pid);
        builder_exit(b, ++m->time, pid, (int32_t)getpid(), pid, (int32_t)getpid());
}

static void run_interval(struct machine *m)
{
        for (unsigned i = 0; i < PROCESSES; i++)
                run_process(m);
        for (unsigned i = 0; i < PROCESSES; i++)
                sample(m, getpid(), getpid(),
                       CODE + (uint64_t)CODE_BYTES * (m->time * 2654435761u % FUNCTIONS));
        for (unsigned i = 0; i < NAMES; i++)
                builder_comm(&m->records, ++m->time, getpid(), getpid(), i % 2 ? "busy" : "idle", false);
        builder_ksymbol(&m->records, m->time, 0xffff0000 + m->time % 4096, 16, 0, "bpf_prog");
        builder_ksymbol(&m->records, m->time, 0xffff0000 + m->time % 4096, 16,
                        PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "bpf_prog");
        builder_round(&m->records);
        live_model_put(m->model, m->records.records.data, m->records.records.len);
        record_window_add(m->window, m->records.records.data, m->records.records.len);
        buf_clear(&m->records.records);
        m->now_ns += INTERVAL * 1000000000ull;
        live_model_end_interval(m->model, m->now_ns, 0, false);
}

static void begin(struct machine *m)
{
        AUTO_RELEASE(buf) header = {0};
        const struct live_request request = {.header = &header, .add_group = add_group};

        builder_init(&m->records);
        m->records.pipe = true;
        builder_file(&m->records, &header);
        m->model = live_model_new(&request, NULL);
        m->window = record_window_new(KEPT_BYTES);
        m->now_ns = os_monotonic_ns();
        builder_comm(&m->records, ++m->time, getpid(), getpid(), "server", true);
        builder_mmap(&m->records, ++m->time, getpid(), CODE, FUNCTIONS * CODE_BYTES, 0, "//anon");
}

TEST(memory_after_a_day)
{
        struct machine m = {0};
        char path[64];
        size_t before = allocated_bytes(), most[2] = {0}; /* of each half of the day */

        snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
        write_perf_map(path);
        begin(&m);
        for (unsigned second = 0; second < DAY; second += INTERVAL) {
                size_t now, *of_half = &most[second >= DAY / 2];

                run_interval(&m);
                now = allocated_bytes() - before;
                *of_half = now > *of_half ? now : *of_half;
        }
        printf("# at most %zu KiB in the morning, %zu in the afternoon; %u processes\n", most[0] >> 10,
               most[1] >> 10, m.n_processes);
        EXPECT_CMP(most[0], <, LIMIT_BYTES);
        EXPECT_CMP(most[1], <, most[0] + GROWTH_BYTES);
        remove(path);
        builder_release(&m.records);
        record_window_free(m.window);
        live_model_free(m.model);
}

TAP_MAIN
