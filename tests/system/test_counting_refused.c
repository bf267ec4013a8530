/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting when the kernel refuses, or as an ordinary user, and that counting leaves no processes and
 * descriptors behind. */
#include <dirent.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "refuse.h"
#include "tally.h"

TEST(event_without_hardware_leaves_the_others_alone)
{
        char *const *argv = COMMAND(program, "faults", "100");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        struct err err = {0};
        struct tally t;

        NEED_EVENTS();
        if (!access("/sys/bus/event_source/devices/cpu", F_OK) ||
            !access("/sys/bus/event_source/devices/armv8_pmuv3_0", F_OK))
                SKIP("a machine without hardware counters");
        add_cycles(&list);
        EXPECT_TRUE(!counting_open(&request, &err));
        EXPECT_INT(err.code, ERR_UNSUPPORTED);
        EXPECT_CONTAINS(err.text, "this machine can't count 'cycles'");
        add_default(&list);
        struct counting *c = run_to_end(&request, &t);
        ASSERT_TRUE(c);
        EXPECT_CONTAINS(counting_get_event(c, 0).refusal, "this machine can't count 'cycles'");
        EXPECT_INT(counting_get_event(c, 0).n_ids, 1);
        EXPECT_TRUE(!counting_get_event(c, 1 + FAULTS).refusal);
        EXPECT_CMP(t.value[1 + FAULTS], >=, 100);
        counting_free(c);
        free_list(&list);
}

TEST(cpus_that_a_pmu_does_not_serve)
{
        char *const *argv = COMMAND(program, "faults", "100");
        const uint32_t asked[] = {0};
        uint32_t served[] = {1};
        struct count_list list = {0};
        struct count_request request = {
                .target.argv = argv, .list = &list, .target.cpus = asked, .target.n_cpus = 1};
        struct tally t;

        add_default(&list);
        list.items[MIGRATIONS].event.cpus = served;
        list.items[MIGRATIONS].event.n_cpus = 1;
        snprintf(list.items[MIGRATIONS].event.pmu, sizeof(list.items[0].event.pmu), "cpu_atom");
        struct counting *c = run_to_end(&request, &t);
        ASSERT_TRUE(c);
        EXPECT_STR(counting_get_event(c, MIGRATIONS).refusal,
                   "none of the CPUs of -c has the event 'cpu-migrations': its PMU is 'cpu_atom'");
        EXPECT_INT(t.n_stats, 3);
        counting_free(c);
        free_list(&list);
}

TEST(group_of_software_events)
{
        char *const *argv = COMMAND(program, "faults", "1000");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        struct tally t;

        add_default(&list);
        add_cycles(&list);
        for (size_t i = 1; i < list.n_items; i++)
                list.items[i].together = 7;
        struct counting *c = run_to_end(&request, &t);
        ASSERT_TRUE(c);
        EXPECT_TRUE(is_within(t.value[FAULTS], 1000, 1300));
        EXPECT_CMP(t.value[CLOCK], >, 0);
        EXPECT_INT(t.enabled_ns[FAULTS], t.running_ns[FAULTS]);
        counting_free(c);
        free_list(&list);
}

TEST(group_that_does_not_fit)
{
        char *const *argv = COMMAND(program, "faults", "100");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        struct tally t;

        NEED_EVENTS();
        add_default(&list);
        list.items[0].together = list.items[1].together = list.items[3].together = 1;
        /* Only a leader may be pinned: the kernel refuses a group with such an event with the same errno as
         * one that is too large. */
        list.items[3].event.attr.flags |= PERF_ATTR_PINNED;
        struct counting *c = run_to_end(&request, &t);
        ASSERT_TRUE(c);
        for (size_t i = 0; i < 4; i++) {
                if (i != 2)
                        EXPECT_STR(
                                counting_get_event(c, i).refusal,
                                "the group of 3 events needs more counters than the CPU has: make the group "
                                "smaller, or leave the braces out");
        }
        EXPECT_TRUE(!counting_get_event(c, 2).refusal);
        EXPECT_INT(t.n_stats, 1);
        counting_free(c);
        free_list(&list);
}

/* Runs `what` in a separate process; its failures count for this one. */
static void apart(void (*what)(void))
{
        int status = 0;
        pid_t pid;

        fflush(stdout);
        pid = fork();
        if (!pid) {
                tap_failed = false;
                what();
                fflush(stdout);
                _exit(tap_failed);
        }
        waitpid(pid, &status, 0);
        EXPECT_INT(status, 0);
}

static void become_plain_user(void)
{
        if (setgroups(0, NULL) || setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) ||
            prctl(PR_SET_DUMPABLE, 1))
                _exit(9);
}

static bool is_paranoid(void)
{
        AUTO_RELEASE(buf) text = {0};

        return os_read_file("/proc/sys/kernel/perf_event_paranoid", 64, &text, NULL) && text.data[0] >= '2';
}

static void count_command_plainly(void)
{
        char *const *argv = COMMAND(program, "faults", "4000");
        char *const *handing = COMMAND(program, "switches", "1000");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        uint64_t switches;
        struct tally t;

        become_plain_user();
        add_default(&list);
        struct counting *c = run_to_end(&request, &t);
        ASSERT_TRUE(c);
        EXPECT_STR(counting_get_event(c, FAULTS).estimate, "wait4");
        EXPECT_STR(counting_get_event(c, SWITCHES).estimate, "wait4");
        EXPECT_CONTAINS(counting_get_event(c, MIGRATIONS).refusal,
                        "'cpu-migrations' happens in the kernel, and counting it needs privilege");
        EXPECT_TRUE(!counting_get_event(c, CLOCK).refusal && !counting_get_event(c, CLOCK).estimate);
        EXPECT_TRUE(is_within(t.value[FAULTS], 4000, 4400));
        EXPECT_TRUE(t.value[CLOCK] > 100000 && t.value[CLOCK] < t.time_ns * 11 / 10);
        EXPECT_INT(t.enabled_ns[FAULTS], t.time_ns);
        counting_free(c);
        request.target.argv = handing;
        switches = switches_of_children();
        c = run_to_end(&request, &t);
        ASSERT_TRUE(c);
        switches = switches_of_children() - switches;
        EXPECT_CMP(switches, >=, 1900);
        EXPECT_TRUE(is_within(t.value[SWITCHES], switches - 40, switches));
        counting_free(c);
        free_list(&list);
}

TEST(plain_user_counts_a_command)
{
        if (geteuid() || !is_paranoid())
                SKIP("root, and a kernel that keeps its events from plain users");
        NEED_EVENTS();
        apart(count_command_plainly);
}

static void count_process_plainly(void)
{
        struct count_list list = {0};
        struct talker talker;
        struct count_request request = {.target.pids = &talker.pid, .target.n_pids = 1, .list = &list};
        uint64_t switches = switches_of_children();
        struct tally t;

        become_plain_user();
        talker = start_talker("2000");
        add_default(&list);
        struct counting *c = opened(&request, &t);
        ASSERT_TRUE(c && begun(c, &t));
        EXPECT_STR(counting_get_event(c, FAULTS).estimate, "/proc");
        ask(&talker);
        EXPECT_TRUE(counting_wait(c, MS));
        EXPECT_TRUE(counting_read(c, false, NULL));
        EXPECT_TRUE(is_within(t.value[FAULTS], 2000, 2100));
        counting_pause(c);
        ask(&talker);
        counting_resume(c);
        EXPECT_TRUE(counting_read(c, false, NULL));
        EXPECT_TRUE(is_within(t.value[FAULTS], 2000, 2100));
        end_talker(&talker);
        EXPECT_TRUE(!counting_wait(c, 5000ull * MS));
        counting_end(c);
        EXPECT_TRUE(counting_read(c, true, NULL));
        EXPECT_TRUE(is_within(t.value[FAULTS], 2000, 2100));
        EXPECT_TRUE(is_within(t.value[SWITCHES], 1, switches_of_children() - switches));
        EXPECT_TRUE(!t.shrank);
        counting_free(c);
        free_list(&list);
}

TEST(plain_user_counts_a_process)
{
        if (geteuid() || !is_paranoid())
                SKIP("root, and a kernel that keeps its events from plain users");
        apart(count_process_plainly);
}

static void be_refused_plainly(void)
{
        struct count_list list = {0};
        struct count_request request = {.target.system_wide = true, .list = &list};
        const int32_t first = 1;
        struct err err = {0};

        become_plain_user();
        add_default(&list);
        EXPECT_TRUE(!counting_open(&request, &err));
        EXPECT_INT(err.code, ERR_DENIED);
        EXPECT_CONTAINS(err.text, "counting all processes needs privilege");
        free_list(&list);
        add_cycles(&list);
        request = (struct count_request){.target.pids = &first, .target.n_pids = 1, .list = &list};
        EXPECT_TRUE(!counting_open(&request, &err));
        printf("# %s\n", err.text);
        free_list(&list);
}

TEST(plain_user_is_refused_all_processes)
{
        if (geteuid() || !is_paranoid())
                SKIP("root, and a kernel that keeps its events from plain users");
        NEED_EVENTS();
        apart(be_refused_plainly);
}

/* As in a container, and as Debian's kernel does for ordinary users. */
static void count_without_events(void)
{
        char *const *argv = COMMAND(program, "spin", "100");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list, .interval_ms = 10};
        uint64_t used_ns = cpu_of_children_ns();
        struct tally t;

        if (refuse(SYS_perf_event_open, EPERM))
                _exit(9);
        add_default(&list);
        struct counting *c = opened(&request, &t);
        ASSERT_TRUE(c && begun(c, &t));
        EXPECT_STR(counting_get_event(c, CLOCK).estimate, "wait4");
        EXPECT_CONTAINS(counting_get_event(c, MIGRATIONS).refusal,
                        "perf_event_open is blocked by a seccomp filter");
        while (counting_wait(c, 10 * MS))
                EXPECT_TRUE(counting_read(c, false, NULL));
        EXPECT_CMP(t.value[CLOCK], >=, 20 * MS);
        counting_end(c);
        EXPECT_TRUE(counting_read(c, true, NULL));
        used_ns = cpu_of_children_ns() - used_ns;
        EXPECT_TRUE(is_within(t.value[CLOCK], 99ull * MS, used_ns + MS));
        EXPECT_TRUE(is_within(t.value[FAULTS], 20, 300));
        EXPECT_TRUE(!t.shrank);
        counting_free(c);
        free_list(&list);
}

TEST(no_events_at_all)
{
        NEED_EVENTS();
        apart(count_without_events);
}

static void count_without_pidfd(void)
{
        char *const *argv = COMMAND(program, "sleep", "30");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        struct talker talker;
        uint64_t begin_ns = os_monotonic_ns();
        struct tally t;

        if (refuse(SYS_pidfd_open, ENOSYS))
                _exit(9);
        add_default(&list);
        struct counting *c = run_to_end(&request, &t);
        ASSERT_TRUE(c);
        EXPECT_TRUE(is_within(t.time_ns, 30ull * MS, os_monotonic_ns() - begin_ns));
        EXPECT_INT(counting_get_result(c).command_ended, true);
        counting_free(c);
        talker = start_talker("100");
        request = (struct count_request){.target.pids = &talker.pid, .target.n_pids = 1, .list = &list};
        c = opened(&request, &t);
        ASSERT_TRUE(c && begun(c, &t));
        EXPECT_TRUE(counting_wait(c, 5 * MS));
        end_talker(&talker);
        EXPECT_TRUE(!counting_wait(c, 5000ull * MS));
        counting_free(c);
        free_list(&list);
}

TEST(kernel_without_pidfd)
{
        apart(count_without_pidfd);
}

static void count_with_few_files(void)
{
        char *const *argv = COMMAND(program, "faults", "100");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        struct rlimit limit = {64, 64};
        struct tally t;
        int fd;

        setrlimit(RLIMIT_NOFILE, &limit);
        do
                fd = dup(0);
        while (fd >= 0);
        /* Two pipes to start the command, of which two descriptors are closed, and a pidfd. */
        for (int i = 0; i < 4; i++)
                close(63 - i);
        add_default(&list);
        struct counting *c = run_to_end(&request, &t);
        ASSERT_TRUE(c);
        EXPECT_TRUE(!counting_get_event(c, CLOCK).refusal);
        EXPECT_CONTAINS(counting_get_event(c, FAULTS).refusal, "too many open files");
        EXPECT_INT(t.n_stats, 1);
        counting_free(c);
        free_list(&list);
}

TEST(too_few_files)
{
        NEED_EVENTS();
        apart(count_with_few_files);
}

/* --- housekeeping --- */

static unsigned count_own_fds(void)
{
        DIR *dir = opendir("/proc/self/fd");
        unsigned n = 0;

        while (dir && readdir(dir))
                n++;
        if (dir)
                closedir(dir);
        return n;
}

TEST(nothing_is_left_open)
{
        char *const *argv = COMMAND(program, "faults", "1");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        unsigned before = count_own_fds();
        struct tally t;

        add_default(&list);
        for (int i = 0; i < 64; i++) {
                struct counting *c = i % 2 ? run_to_end(&request, &t) : opened(&request, &t);

                ASSERT_TRUE(c);
                counting_free(c);
        }
        for (int i = 0; i < 4; i++) {
                struct talker talker = start_talker("1");
                const struct count_request attach = {
                        .target.pids = &talker.pid, .target.n_pids = 1, .list = &list};
                struct counting *c = opened(&attach, &t);

                ASSERT_TRUE(c && begun(c, &t));
                end_talker(&talker);
                EXPECT_TRUE(!counting_wait(c, 5000ull * MS));
                counting_free(c);
        }
        EXPECT_INT(count_own_fds(), before);
        EXPECT_INT(waitpid(-1, NULL, WNOHANG), -1);
        free_list(&list);
}

TEST(a_stop_ends_the_wait)
{
        char *const *argv = COMMAND(program, "sleep", "60000");
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        uint64_t before_ns = os_monotonic_ns();
        struct tally t;

        add_default(&list);
        os_catch_stop();
        struct counting *c = opened(&request, &t);
        ASSERT_TRUE(c && begun(c, &t));
        raise(SIGTERM);
        EXPECT_TRUE(counting_wait(c, 5000ull * MS));
        EXPECT_CMP(os_monotonic_ns() - before_ns, <, 2000ull * MS);
        before_ns = os_monotonic_ns();
        EXPECT_TRUE(counting_wait(c, 20 * MS));
        EXPECT_CMP(os_monotonic_ns() - before_ns, >=, 20 * MS);
        counting_free(c);
        free_list(&list);
}

TEST(counters_cannot_be_told_without_hardware)
{
        struct core_kind kind = {.type = 4, .vendor = CORE_X86};

        if (!access("/sys/bus/event_source/devices/cpu", F_OK) ||
            !access("/sys/bus/event_source/devices/armv8_pmuv3_0", F_OK))
                SKIP("a machine without hardware counters");
        EXPECT_INT(counting_probe_counters(&kind), 0);
        kind.vendor = CORE_ARM;
        kind.type = 8;
        EXPECT_INT(counting_probe_counters(&kind), 0);
}

TEST(the_plan_as_text)
{
        char *const *argv = COMMAND(program);
        const uint32_t cpus[] = {0, 4};
        struct count_list list = {0};
        struct count_request request = {.target.argv = argv, .list = &list};
        AUTO_RELEASE(buf) out = {0};

        add_default(&list);
        list.items[1].together = list.items[3].together = 1;
        list.items[2].event.uncore = true;
        list.items[2].event.cpus = (uint32_t[]){0, 32};
        list.items[2].event.n_cpus = 2;
        counting_describe(&request, &out);
        EXPECT_CONTAINS(buf_text(&out), "event task-clock\nthreads of the command\ntype 1 (software)\n");
        EXPECT_CONTAINS(buf_text(&out), "event page-faults\ngroup with context-switches\n");
        EXPECT_CONTAINS(buf_text(&out), "event cpu-migrations\nthreads all\ncpus each of 0,32\n");
        buf_clear(&out);
        request = (struct count_request){.list = &list, .target.cpus = cpus, .target.n_cpus = 2};
        counting_describe(&request, &out);
        EXPECT_CONTAINS(buf_text(&out), "event task-clock\nthreads all\ncpus each of 0,4\n");
        free_list(&list);
}

TAP_MAIN
