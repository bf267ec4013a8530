/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts software events of programs whose counts are known, and compares with perf if it is installed. */
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "linux_count.h"
#include "perfdata_writer.h"
#include "tally.h"

/* --- perf --- */

/* What `perf stat` counts of `event` for our program; -1: there is no perf. */
static int64_t perf_counts(const char *event, const char *what, const char *n)
{
        char line[512];
        int64_t value = -1;
        FILE *pipe;

        snprintf(line, sizeof(line), "perf stat -x, -e %s %s %s %s 2>&1", event, program, what, n);
        pipe = popen(line, "r");
        while (pipe && fgets(line, sizeof(line), pipe)) {
                if (line[0] >= '0' && line[0] <= '9')
                        value = strtoll(line, NULL, 10);
        }
        if (pipe)
                pclose(pipe);
        return value;
}

/* Writes a session of the counts. */
struct keeping {
        struct tally *tally;
        struct perfdata_writer *writer;
};

static bool take_and_keep(void *ctx, const void *records, size_t size, struct err *err)
{
        struct keeping *k = ctx;

        return take(k->tally, records, size, err) && perfdata_writer_put(k->writer, records, size, err);
}

static bool run_and_keep(const struct count_request *request, const char *path, struct tally *tally)
{
        AUTO(perfdata_writer) writer = perfdata_writer_open(path, NULL);
        AUTO(counting) c = opened(request, tally);
        struct keeping keeping = {tally, writer};
        const struct record_sink sink = {take_and_keep, &keeping};

        if (!writer || !c)
                return false;
        for (size_t i = 0; i < request->list->n_items; i++) {
                struct counting_event e = counting_get_event(c, i);

                perfdata_writer_add_event(writer, &e.attr, request->list->items[i].event.name, e.ids,
                                          e.n_ids);
        }
        if (!perfdata_writer_begin(writer, NULL) || !counting_begin(c, &sink, NULL))
                return false;
        while (counting_wait(c, request->interval_ms ? request->interval_ms * MS : 3000ull * MS)) {
                if (!counting_read(c, false, NULL))
                        return false;
        }
        counting_end(c);
        if (!counting_read(c, true, NULL))
                return false;
        perfdata_writer_add_feature(writer, FEATURE_STAT, NULL, 0);
        return perfdata_writer_close(TAKE(writer), NULL);
}

/* The sum of the counts that `perf stat report` prints for `event`, and the number of its lines. */
static double perf_reports(const char *path, const char *event, unsigned *ret_lines)
{
        char line[512];
        double sum = 0;
        FILE *pipe;

        snprintf(line, sizeof(line), "LC_ALL=C perf stat report -i %s 2>&1", path);
        pipe = popen(line, "r");
        *ret_lines = 0;
        while (pipe && fgets(line, sizeof(line), pipe)) {
                char *at = strstr(line, event), *word = NULL;

                if (!at)
                        continue;
                ++*ret_lines;
                if (strstr(line, "<not counted>"))
                        continue;
                *at = '\0';
                /* A time may come before the count and a unit after it. */
                for (char *p = line; *p; p++) {
                        if (*p >= '0' && *p <= '9' && (p == line || p[-1] == ' '))
                                word = p;
                }
                sum += word ? strtod(word, NULL) : 0;
        }
        if (pipe)
                pclose(pipe);
        return sum;
}

static void expect_same(const char *path, const struct tally *t, unsigned n_lines)
{
        double clock_ms = (double)t->value[CLOCK] / MS;
        unsigned lines;

        EXPECT_INT(perf_reports(path, "page-faults", &lines), t->value[FAULTS]);
        EXPECT_INT(lines, n_lines);
        EXPECT_INT(perf_reports(path, "context-switches", &lines), t->value[SWITCHES]);
        EXPECT_CMP(perf_reports(path, "task-clock", &lines), <, clock_ms + 0.01 * n_lines);
        EXPECT_CMP(perf_reports(path, "task-clock", &lines), >, clock_ms - 0.01 * n_lines);
}

TEST(perf_prints_the_same)
{
        char folder[] = "/tmp/counting.XXXXXX", path[64], old[80];
        char *const *hops = COMMAND(program, "hops", "100");
        const uint32_t cpus[] = {0, 1};
        struct count_list list = {0};
        struct count_request request = {.target.argv = COMMAND(program, "switches", "300"), .list = &list};
        struct tally t;

        NEED_EVENTS();
        if (system("perf stat true >/dev/null 2>&1"))
                SKIP("perf");
        ASSERT_TRUE(mkdtemp(folder));
        snprintf(path, sizeof(path), "%s/perf.data", folder);
        snprintf(old, sizeof(old), "%s.old", path);
        add_default(&list);
        EXPECT_TRUE(run_and_keep(&request, path, &t));
        expect_same(path, &t, 1);

        request.interval_ms = 10;
        request.target.argv = COMMAND(program, "spin", "60");
        EXPECT_TRUE(run_and_keep(&request, path, &t));
        EXPECT_CMP(t.n_rounds, >, 2);
        expect_same(path, &t, (unsigned)t.n_rounds);

        request.interval_ms = 0;
        if (sysconf(_SC_NPROCESSORS_ONLN) >= 2) {
                request.target.argv = hops;
                request.target.cpus = cpus;
                request.target.n_cpus = 2;
                EXPECT_TRUE(run_and_keep(&request, path, &t));
                expect_same(path, &t, 1);
        }
        /* One of the events counts on a CPU, the others on none. */
        request.target.n_cpus = 0;
        list.items[MIGRATIONS].event.uncore = true;
        EXPECT_TRUE(run_and_keep(&request, path, &t));
        EXPECT_TRUE(t.any_cpu && t.cpus == 1);
        expect_same(path, &t, 1);
        remove(path);
        remove(old);
        rmdir(folder);
        free_list(&list);
}

/* --- a command --- */

TEST(page_faults_of_a_command)
{
        char *const *argv = COMMAND(program, "faults", "5000");
        char *const *none = COMMAND(program, "faults", "0");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        uint64_t with;
        struct tally t;
        int64_t perf;

        NEED_EVENTS();
        add_default(&list);
        struct counting *c = run_to_end(&request, &t);
        ASSERT_TRUE(c);
        with = t.value[FAULTS];
        EXPECT_INT(t.n_final, 1);
        EXPECT_INT(t.n_maps, 3);
        EXPECT_TRUE(t.any_cpu && !t.cpus);
        EXPECT_TRUE(t.enabled_ns[FAULTS] && t.enabled_ns[FAULTS] == t.running_ns[FAULTS]);
        EXPECT_TRUE(counting_get_result(c).command_ended);
        EXPECT_INT(counting_get_result(c).exit_status, 0);
        EXPECT_TRUE(t.value[CLOCK] > 100000 && t.value[CLOCK] <= t.time_ns * 11 / 10);
        counting_free(c);
        perf = perf_counts("page-faults", "faults", "5000");
        if (perf >= 0)
                EXPECT_TRUE(is_within(with, (uint64_t)perf - 20, (uint64_t)perf + 20));

        request.target.argv = none;
        c = run_to_end(&request, &t);
        ASSERT_TRUE(c);
        EXPECT_TRUE(is_within(with - t.value[FAULTS], 4990, 5010));
        counting_free(c);
        free_list(&list);
}

TEST(context_switches_of_a_command_with_its_child)
{
        char *const *argv = COMMAND(program, "switches", "2000");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        uint64_t before = switches_of_children(), all;
        struct tally t;

        add_default(&list);
        struct counting *c = run_to_end(&request, &t);
        ASSERT_TRUE(c);
        all = switches_of_children() - before;
        /* Both sides wait once for each byte. Other programs preempt them as often as they like, and the
         * kernel counts that for the processes, too; there also from before the exec to after the exit. */
        EXPECT_CMP(all, >, 3900);
        EXPECT_TRUE(is_within(t.value[SWITCHES], all - 40, all));
        counting_free(c);
        free_list(&list);
}

TEST(migrations_are_exact)
{
        char *const *argv = COMMAND(program, "hops", "1000");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        struct tally t;

        NEED_EVENTS();
        if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
                SKIP("a second CPU");
        add_default(&list);
        struct counting *c = run_to_end(&request, &t);
        ASSERT_TRUE(c);
        /* 1,000, and those before its first call. */
        EXPECT_TRUE(is_within(t.value[MIGRATIONS], 1000, 1002));
        counting_free(c);
        free_list(&list);
}

TEST(command_pinned_to_a_cpu)
{
        char *const *argv = COMMAND(program, "faults", "1000");
        const uint32_t cpus[] = {0, 1};
        struct count_list list = {0};
        struct count_request request = {
                .target.argv = argv, .list = &list, .target.cpus = cpus, .target.n_cpus = 1};
        struct tally t;

        NEED_EVENTS();
        add_default(&list);
        struct counting *c = run_to_end(&request, &t);
        ASSERT_TRUE(c);
        EXPECT_TRUE(is_within(t.value[FAULTS], 1000, 1300));
        EXPECT_INT(t.value[MIGRATIONS] <= 1, true);
        EXPECT_INT(t.cpus, 1);
        EXPECT_TRUE(!t.any_cpu);
        counting_free(c);
        if (sysconf(_SC_NPROCESSORS_ONLN) >= 2) {
                request.target.n_cpus = 2;
                c = run_to_end(&request, &t);
                ASSERT_TRUE(c);
                EXPECT_INT(t.cpus, 3);
                EXPECT_INT(t.n_stats, 8);
                EXPECT_TRUE(is_within(t.value[FAULTS], 1000, 1300));
                counting_free(c);
                /* It is on one CPU at a time, so no count has to be scaled. */
                request.target.argv = COMMAND(program, "hops", "501");
                c = run_to_end(&request, &t);
                ASSERT_TRUE(c);
                EXPECT_CMP(t.running_ns[FAULTS], >, 0);
                EXPECT_INT(t.enabled_ns[FAULTS], t.running_ns[FAULTS]);
                EXPECT_TRUE(is_within(t.value[MIGRATIONS], 501, 503));
                counting_free(c);
        }
        free_list(&list);
}

/* A descriptor from which `read` gets data in the kernel's format. */
static int saying(uint64_t value, uint64_t enabled, uint64_t running)
{
        const uint64_t numbers[] = {value, enabled, running, 0};
        int fds[2];

        if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) || write(fds[1], numbers, sizeof(numbers)) < 0)
                return -1;
        close(fds[1]);
        return fds[0];
}

TEST(enabled_is_the_time_that_a_thread_was_there)
{
        struct counter presences[] = {{saying(0, 100, 30), 0, 0}, {saying(0, 100, 70), 1, 0}};
        struct counter of_kind = {saying(10, 100, 15), UINT32_MAX, 0};
        struct counter of_cpu = {saying(20, 100, 71), 1, 0};
        struct counter of_unit = {saying(30, 100, 50), 0, 0};
        uint64_t ids[] = {1};
        uint32_t first_cpu[] = {0};
        struct counted_event events[] = {
                {.event = {.cpus = first_cpu, .n_cpus = 1},
                 .ids = ids,
                 .counters = &of_kind,
                 .n_counters = 1},
                {.ids = ids, .counters = &of_cpu, .n_counters = 1},
                {.event = {.uncore = true}, .ids = ids, .counters = &of_unit, .n_counters = 1},
        };
        const struct counted counted = {
                .events = events,
                .n_events = 3,
                .n_counters = 3,
                .presence = {.counters = presences, .n_counters = 2},
        };
        struct rounds rounds;

        rounds_init(&rounds, &counted);
        rounds_read(&rounds, NULL, 1000);
        EXPECT_INT(rounds.stats[0].enabled_ns, 30);
        EXPECT_INT(rounds.stats[0].running_ns, 15);
        EXPECT_INT(rounds.stats[1].enabled_ns, 71);
        EXPECT_INT(rounds.stats[2].enabled_ns, 100);
        /* The pipes are empty now: a failed read changes nothing. */
        rounds_read(&rounds, NULL, 2000);
        EXPECT_INT(rounds.stats[0].value, 10);
        EXPECT_INT(rounds.stats[1].enabled_ns, 71);
        rounds_release(&rounds);
        close(presences[0].fd);
        close(presences[1].fd);
        close(of_kind.fd);
        close(of_cpu.fd);
        close(of_unit.fd);
}

TEST(command_on_cores_of_several_kinds)
{
        char *const *argv = COMMAND(program, "hops", "301");
        uint32_t cpus[] = {0, 1};
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        struct tally t;

        NEED_EVENTS();
        add_default(&list);
        list.kinds.n_items = 2;
        for (size_t i = 2; i < 4; i++) {
                list.items[i].event.cpus = &cpus[i - 2];
                list.items[i].event.n_cpus = 1;
        }
        struct counting *c = run_to_end(&request, &t);
        ASSERT_TRUE(c);
        EXPECT_TRUE(t.any_cpu && !t.cpus);
        EXPECT_INT(t.n_stats, 4);
        EXPECT_TRUE(is_within(t.value[FAULTS], 40, 200));
        EXPECT_INT(t.enabled_ns[FAULTS], t.running_ns[FAULTS]);
        counting_free(c);
        free_list(&list);
}

TEST(intervals_grow_and_are_on_time)
{
        char *const *argv = COMMAND(program, "spin", "150");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list, .interval_ms = 10};
        uint64_t late_ns = UINT64_MAX, used_ns = cpu_of_children_ns();
        struct tally t;

        add_default(&list);
        struct counting *c = opened(&request, &t);
        ASSERT_TRUE(c && begun(c, &t));
        for (bool runs = true; runs;) {
                uint64_t before_ns = os_monotonic_ns(), waited_ns;

                runs = counting_wait(c, 10 * MS);
                waited_ns = os_monotonic_ns() - before_ns;
                EXPECT_TRUE(!runs || waited_ns >= 10 * MS);
                if (runs && waited_ns - 10 * MS < late_ns)
                        late_ns = waited_ns - 10 * MS;
                EXPECT_TRUE(counting_read(c, false, NULL));
        }
        printf("# best wait of 10 ms was %" PRIu64 " ns late\n", late_ns);
        /* The best of 15 misses no interval. */
        EXPECT_CMP(late_ns, <, 10 * MS);
        counting_end(c);
        EXPECT_TRUE(counting_read(c, true, NULL));
        EXPECT_TRUE(!t.shrank && t.n_final == 1);
        EXPECT_TRUE(is_within(t.n_rounds, 6, 200));
        used_ns = cpu_of_children_ns() - used_ns;
        EXPECT_TRUE(is_within(t.value[CLOCK], 145ull * MS, used_ns + MS));
        counting_free(c);
        free_list(&list);
}

TEST(the_end_is_noticed_at_once)
{
        char *const *argv = COMMAND(program, "sleep", "60000");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        uint64_t best_ns = UINT64_MAX;
        struct tally t;

        add_default(&list);
        for (int i = 0; i < 5; i++) {
                struct counting *c = opened(&request, &t);
                uint64_t before_ns;

                ASSERT_TRUE(c && begun(c, &t));
                EXPECT_TRUE(counting_wait(c, 2 * MS));
                before_ns = os_monotonic_ns();
                counting_stop_command(c, true);
                EXPECT_TRUE(!counting_wait(c, 5000ull * MS));
                if (os_monotonic_ns() - before_ns < best_ns)
                        best_ns = os_monotonic_ns() - before_ns;
                counting_free(c);
        }
        printf("# a killed command was noticed after %.2f ms\n", (double)best_ns / MS);
        /* Not after the 5 s for which it would have waited. */
        EXPECT_CMP(best_ns, <, 100 * MS);
        free_list(&list);
}

/* Runs a command that touches 3,000 pages at once and 1,000 after twice the delay. False if the first part
 * took longer than the delay, by the time of the file that the command makes after it. */
static bool run_with_delay(struct count_request *request, const char *made, uint64_t delay_ns,
                           struct tally *t)
{
        char seconds[16], *const *argv =
                                  COMMAND("/bin/sh", "-c",
                                          "\"$0\" faults 3000; : >\"$1\"; sleep \"$2\"; \"$0\" faults 1000",
                                          program, made, seconds);
        uint64_t before_ns = os_monotonic_ns();
        struct timespec begin;
        struct stat file;

        snprintf(seconds, sizeof(seconds), "%.1f", 2 * (double)delay_ns / 1e9);
        request->target.argv = argv;
        request->target.delay_ns = delay_ns;
        clock_gettime(CLOCK_REALTIME, &begin);
        struct counting *c = run_to_end(request, t);
        if (!c)
                return true;
        EXPECT_TRUE(is_within(t->time_ns, delay_ns * 3 / 4, os_monotonic_ns() - before_ns - delay_ns));
        counting_free(c);
        return !stat(made, &file) &&
               (file.st_mtim.tv_sec - begin.tv_sec) * 1000000000 + file.st_mtim.tv_nsec - begin.tv_nsec <
                       (int64_t)delay_ns;
}

/* On a slow machine the first part takes long. */
TEST(delay_leaves_out_the_beginning)
{
        char folder[] = "/tmp/counting.XXXXXX", made[64];
        struct count_list list = {0};
        struct count_request request = {.list = &list};
        uint64_t delay_ns = 200ull * MS;
        struct tally t;

        ASSERT_TRUE(mkdtemp(folder));
        snprintf(made, sizeof(made), "%s/made", folder);
        add_default(&list);
        while (!run_with_delay(&request, made, delay_ns, &t) && delay_ns < 5000ull * MS)
                delay_ns *= 2;
        printf("# a delay of %.1f s\n", (double)delay_ns / 1e9);
        EXPECT_TRUE(is_within(t.value[FAULTS], 1000, 2500));
        remove(made);
        rmdir(folder);
        free_list(&list);
}

TEST(command_that_cannot_run)
{
        char *const *missing = COMMAND("/nonexistent/program");
        char *const *denied = COMMAND("/etc/passwd");
        struct count_list list = {0};
        struct count_request request = {.target.argv = missing, .list = &list};
        struct err err = {0};
        struct tally t;

        add_default(&list);
        for (int i = 0; i < 2; i++) {
                const struct record_sink sink = {take, &t};

                request.target.argv = i ? denied : missing;
                struct counting *c = opened(&request, &t);
                ASSERT_TRUE(c);
                EXPECT_TRUE(!counting_begin(c, &sink, &err));
                EXPECT_INT(err.code, i ? ERR_DENIED : ERR_MISSING);
                EXPECT_CONTAINS(err.text, "can't run");
                EXPECT_INT(t.n_maps, 0);
                counting_free(c);
        }
        free_list(&list);
}

TEST(command_that_is_stopped)
{
        char *const *argv = COMMAND(program, "sleep", "60000");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        struct tally t;

        add_default(&list);
        struct counting *c = opened(&request, &t);
        ASSERT_TRUE(c && begun(c, &t));
        for (int i = 0; i < 500 && t.value[FAULTS] <= 10; i++) {
                EXPECT_TRUE(counting_wait(c, 20 * MS));
                EXPECT_TRUE(counting_read(c, false, NULL));
        }
        EXPECT_TRUE(counting_command_runs(c));
        counting_stop_command(c, false);
        EXPECT_TRUE(!counting_wait(c, 5000ull * MS));
        counting_end(c);
        EXPECT_TRUE(counting_read(c, true, NULL));
        EXPECT_INT(counting_get_result(c).exit_status, 128 + SIGTERM);
        EXPECT_CMP(t.value[FAULTS], >, 10);
        counting_free(c);
        free_list(&list);
}

/* --- processes --- */

TEST(process_with_threads_that_come_later)
{
        struct talker talker = start_talker("2000");
        struct count_list list = {0};
        struct count_request request = {.target.pids = &talker.pid, .target.n_pids = 1, .list = &list};
        struct tally t;

        add_default(&list);
        ask(&talker);
        struct counting *c = opened(&request, &t);
        ASSERT_TRUE(c && begun(c, &t));
        ask(&talker);
        EXPECT_TRUE(counting_wait(c, MS));
        EXPECT_TRUE(counting_read(c, false, NULL));
        EXPECT_TRUE(is_within(t.value[FAULTS], 2000, 2100));
        counting_pause(c);
        ask(&talker);
        EXPECT_TRUE(counting_read(c, false, NULL));
        EXPECT_TRUE(is_within(t.value[FAULTS], 2000, 2100));
        counting_resume(c);
        ask(&talker);
        EXPECT_TRUE(counting_read(c, false, NULL));
        EXPECT_TRUE(is_within(t.value[FAULTS], 4000, 4200));
        counting_end(c);
        ask(&talker);
        EXPECT_TRUE(counting_read(c, true, NULL));
        EXPECT_TRUE(is_within(t.value[FAULTS], 4000, 4200));
        end_talker(&talker);
        EXPECT_TRUE(!counting_wait(c, 5000ull * MS));
        EXPECT_TRUE(!t.shrank && !t.unknown_id);
        counting_free(c);
        free_list(&list);
}

TEST(two_processes_one_of_them_killed)
{
        struct talker a = start_talker("500"), b = start_talker("700");
        const int32_t pids[] = {a.pid, b.pid};
        struct count_list list = {0};
        struct count_request request = {.target.pids = pids, .target.n_pids = 2, .list = &list};
        struct tally t;

        NEED_EVENTS();
        add_default(&list);
        struct counting *c = opened(&request, &t);
        ASSERT_TRUE(c && begun(c, &t));
        ask(&a);
        ask(&b);
        kill(a.pid, SIGKILL);
        EXPECT_TRUE(counting_wait(c, 100 * MS));
        EXPECT_TRUE(counting_read(c, false, NULL));
        EXPECT_INT(t.n_threads_seen, 2);
        EXPECT_TRUE(is_within(t.value[FAULTS], 1200, 1400));
        kill(b.pid, SIGKILL);
        EXPECT_TRUE(!counting_wait(c, 5000ull * MS));
        counting_end(c);
        EXPECT_TRUE(counting_read(c, true, NULL));
        EXPECT_TRUE(is_within(t.value[FAULTS], 1200, 1400));
        counting_free(c);
        end_talker(&a);
        end_talker(&b);
        free_list(&list);
}

TEST(no_such_process)
{
        const int32_t pid = 0x3fffffff;
        struct count_list list = {0};
        struct count_request request = {.target.pids = &pid, .target.n_pids = 1, .list = &list};
        struct err err = {0};

        add_default(&list);
        EXPECT_TRUE(!counting_open(&request, &err));
        EXPECT_INT(err.code, ERR_MISSING);
        EXPECT_STR(err.text, "there is no process 1073741823");
        free_list(&list);
}

/* --- the whole machine --- */

TEST(system_wide)
{
        struct talker talker = start_talker("3000");
        struct count_list list = {0};
        struct count_request request = {.list = &list};
        const uint32_t zero = 0, far = 8000;
        struct err err = {0};
        struct tally t;

        NEED_EVENTS();
        if (geteuid())
                SKIP("root");
        add_default(&list);
        struct counting *c = opened(&request, &t);
        ASSERT_TRUE(c && begun(c, &t));
        ask(&talker);
        EXPECT_TRUE(counting_wait(c, 20 * MS));
        counting_end(c);
        EXPECT_TRUE(counting_read(c, true, NULL));
        EXPECT_CMP(t.value[FAULTS], >=, 3000);
        EXPECT_TRUE(!t.any_cpu);
        EXPECT_INT(__builtin_popcount(t.cpus), sysconf(_SC_NPROCESSORS_ONLN));
        EXPECT_TRUE(is_within(t.value[CLOCK], t.time_ns * t.n_stats / 4 / 2, t.time_ns * t.n_stats / 4 * 2));
        counting_free(c);

        request.target.cpus = &zero;
        request.target.n_cpus = 1;
        c = opened(&request, &t);
        ASSERT_TRUE(c && begun(c, &t));
        EXPECT_TRUE(counting_wait(c, 5 * MS));
        counting_end(c);
        EXPECT_TRUE(counting_read(c, true, NULL));
        EXPECT_INT(t.cpus, 1);
        counting_free(c);

        request.target.cpus = &far;
        EXPECT_TRUE(!counting_open(&request, &err));
        EXPECT_INT(err.code, ERR_USAGE);
        EXPECT_CONTAINS(err.text, "no such CPU: 8000");
        end_talker(&talker);
        free_list(&list);
}

TAP_MAIN
