/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides what to report when the kernel refuses: the reason, as far as it can be found out, and what to
 * do. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel.h"
#include "linux_events.h"
#include "linux_processes.h"
#include "os.h"

bool linux_refusal_is_missing_pmu(int error)
{
        return error == ENOENT || error == EOPNOTSUPP || error == ENODEV || error == ENXIO;
}

/* The number on the line "KEY:" of /proc/self/status, in base `base`. */
static uint64_t own_status(const char *key, int base)
{
        AUTO_RELEASE(buf) text = {0};
        const char *at;

        if (!os_read_file("/proc/self/status", 65536, &text, NULL))
                return 0;
        at = strstr(buf_text(&text), key);
        return at ? strtoull(at + strlen(key), NULL, base) : 0;
}

/* The kernel's events do not respect the capabilities of root in a user namespace. */
static bool is_in_user_namespace(void)
{
        AUTO_RELEASE(buf) text = {0};
        unsigned long inside, outside, size;

        return os_read_file("/proc/self/uid_map", 65536, &text, NULL) &&
               (sscanf(buf_text(&text), "%lu %lu %lu", &inside, &outside, &size) != 3 || inside || outside ||
                size != UINT32_MAX);
}

static bool may_profile_everything(void)
{
        enum { CAP_SYS_ADMIN_BIT = 21, CAP_PERFMON_BIT = 38 };
        uint64_t caps = own_status("\nCapEff:", 16);

        return !is_in_user_namespace() && caps & (1ull << CAP_SYS_ADMIN_BIT | 1ull << CAP_PERFMON_BIT);
}

/* How to give this process the missing privileges. */
static const char *way_to_rights(void)
{
        if (geteuid())
                return "run wperf as root";
        return is_in_user_namespace() ? "run wperf as root outside of this user namespace"
                                      : "give root CAP_PERFMON (docker run --cap-add PERFMON)";
}

/* The value of perf_event_paranoid, and a text for messages; -1 if there is no limit or it is unknown. */
static int paranoid_level(struct buf *ret_text)
{
        if (!os_read_file("/proc/sys/kernel/perf_event_paranoid", 64, ret_text, NULL)) {
                buf_add_str(ret_text, "not known (/proc/sys is not mounted here)");
                return -1;
        }
        buf_truncate(ret_text, strcspn(buf_text(ret_text), "\n"));
        return (int)strtol(buf_text(ret_text), NULL, 10);
}

bool linux_may_sample_all(void)
{
        AUTO_RELEASE(buf) text = {0};

        return may_profile_everything() || paranoid_level(&text) <= 0;
}

bool linux_may_sample_kernel(void)
{
        AUTO_RELEASE(buf) text = {0};

        return may_profile_everything() || paranoid_level(&text) <= 1;
}

static bool has_filter(void)
{
        return prctl(PR_GET_SECCOMP) > 0;
}

/* As the kernel decides it for /proc/kallsyms (kallsyms_show_value). */
static bool shows_addresses(bool has_syslog)
{
        AUTO_RELEASE(buf) hides = {0};
        AUTO_RELEASE(buf) level = {0};
        long restrict_level;

        if (!os_read_file("/proc/sys/kernel/kptr_restrict", 64, &hides, NULL))
                return has_syslog;
        restrict_level = strtol(buf_text(&hides), NULL, 10);
        return (!restrict_level && paranoid_level(&level) <= 1) || (restrict_level <= 1 && has_syslog);
}

struct kernel_rights kernel_get_rights(void)
{
        enum { CAP_SYS_PTRACE_BIT = 19, CAP_SYSLOG_BIT = 34 };
        uint64_t caps = own_status("\nCapEff:", 16);

        return (struct kernel_rights){
                .samples_all = linux_may_sample_all(),
                .samples_kernel = linux_may_sample_kernel(),
                .traces_all = caps >> CAP_SYS_PTRACE_BIT & 1,
                .sees_kernel_names = shows_addresses(caps >> CAP_SYSLOG_BIT & 1),
                .is_filtered = has_filter(),
        };
}

static bool belongs_to_another(int32_t pid)
{
        char path[64];
        struct stat st;

        snprintf(path, sizeof(path), "/proc/%" PRId32, pid);
        return pid > 0 && !stat(path, &st) && st.st_uid != geteuid();
}

/* The SPE driver keeps physical addresses and the machine's own counter for those who may see everything. */
static bool wants_privileged_filter(const struct event *event)
{
        enum { PA_ENABLE = 1 << 1, PCT_ENABLE = 1 << 2 };

        return event->is_spe && event->attr.config & (PA_ENABLE | PCT_ENABLE);
}

static void denied(const struct refused_use *use, const struct event *event, int32_t pid, int error,
                   struct err *err)
{
        AUTO_RELEASE(buf) text = {0};
        int level = paranoid_level(&text);
        bool kernel = !(event->attr.flags & PERF_ATTR_EXCLUDE_KERNEL);

        bool foreign = belongs_to_another(pid);
        bool in_namespace = pid > 0 && !foreign && proc_has_other_user_ids(pid);
        /* Something other than the kernel's check refuses: the kernel would allow the event, or the error is
         * EPERM, while the kernel returns EACCES for missing privilege. */
        bool blocked = error == EPERM || may_profile_everything() ||
                       (level <= 2 && !kernel && !use->all && !foreign && !in_namespace);

        if (error == EACCES && wants_privileged_filter(event) && !may_profile_everything())
                err_set(err, ERR_DENIED,
                        "'%s' has pa or pct (physical addresses, physical counter), which needs privilege: leave them out, or "
                        "%s",
                        event->name, way_to_rights());
        else if (blocked && has_filter())
                err_set(err, ERR_DENIED,
                        "perf_event_open is blocked by a seccomp filter, as container engines set one: allow it "
                        "(docker run --cap-add PERFMON) or run wperf outside of the container");
        else if (may_profile_everything())
                err_set(err, ERR_DENIED,
                        "the kernel refuses '%s' even to a privileged user: a security module or kernel lockdown "
                        "forbids it; see 'dmesg'",
                        event->name);
        else if (foreign)
                err_set(err, ERR_DENIED, "process %" PRId32 " belongs to another user: %s", pid,
                        way_to_rights());
        else if (in_namespace)
                err_set(err, ERR_DENIED,
                        "process %" PRId32 " runs in another user namespace, as in a container: %s", pid,
                        way_to_rights());
        else if (use->all)
                err_set(err, ERR_DENIED,
                        "%s all processes needs privilege while perf_event_paranoid is %s: %s, "
                        "or 'sudo sysctl kernel.perf_event_paranoid=0'",
                        use->doing, buf_text(&text), way_to_rights());
        else if (kernel && event->attr.type == PERF_TYPE_SOFTWARE && use->counts)
                err_set(err, ERR_DENIED,
                        "'%s' happens in the kernel, and counting it needs privilege while perf_event_paranoid is %s: "
                        "%s, or 'sudo sysctl kernel.perf_event_paranoid=1'",
                        event->name, buf_text(&text), way_to_rights());
        else if (kernel)
                err_set(err, ERR_DENIED,
                        "%s the kernel (-k) needs privilege while perf_event_paranoid is %s: leave -k out, "
                        "%s, or 'sudo sysctl kernel.perf_event_paranoid=1'",
                        use->doing, buf_text(&text), way_to_rights());
        else if (level > 2)
                err_set(err, ERR_DENIED,
                        "perf_event_paranoid is %s, which forbids profiling without privilege: %s, or "
                        "'sudo sysctl kernel.perf_event_paranoid=2'",
                        buf_text(&text), way_to_rights());
        else
                err_set(err, ERR_DENIED, "the kernel refuses '%s': %s", event->name, way_to_rights());
        if (err)
                err->os = error;
}

/* Without /proc/sys: the kernel's default. */
uint64_t kernel_highest_hz(void)
{
        enum { DEFAULT_HZ = 100000 };
        AUTO_RELEASE(buf) text = {0};
        bool is_known = os_read_file("/proc/sys/kernel/perf_event_max_sample_rate", 64, &text, NULL);

        return is_known ? strtoull(buf_text(&text), NULL, 10) : DEFAULT_HZ;
}

/* The kernel refuses a frequency above its limit as it refuses what it does not know. */
static bool is_too_often(const struct event *event, int error)
{
        return error == EINVAL && event->attr.flags & PERF_ATTR_FREQ &&
               event->attr.sample_period_or_freq > kernel_highest_hz();
}

static void unsupported(const struct refused_use *use, const struct event *event, int error, struct err *err)
{
        uint64_t limit = kernel_highest_hz();

        if (is_too_often(event, error))
                err_set(err, ERR_LIMIT,
                        "this machine allows %" PRIu64 " samples a second at most: write -F %" PRIu64
                        ", or 'sudo sysctl kernel.perf_event_max_sample_rate=%" PRIu64 "'",
                        limit, limit, event->attr.sample_period_or_freq);
        else if (use->branches)
                err_set(err, ERR_UNSUPPORTED,
                        "this machine records no branches with '%s': -b needs the CPU's branch records (LBR, BRBE), which most "
                        "virtual machines hide; leave -b out",
                        event->name);
        else if (event->attr.type == PERF_TYPE_SOFTWARE)
                err_os(err, ERR_UNSUPPORTED, error, "the kernel does not support the event '%s'",
                       event->name);
        else
                err_set(err, ERR_UNSUPPORTED,
                        "this machine can't %s '%s' (no such event or no hardware counters, as in most virtual "
                        "machines): leave -e out, or use -e cpu-clock",
                        use->verb, event->name);
        if (err)
                err->os = error;
}

void linux_refusal(const struct refused_use *use, const struct event *event, int32_t pid, int error,
                   struct err *err)
{
        switch (error) {
        case EPERM:
        case EACCES: denied(use, event, pid, error, err); return;
        case ENOSYS:
                err_set(err, ERR_UNSUPPORTED,
                        "this kernel has no perf events, or a sandbox hides them: use a kernel with "
                        "CONFIG_PERF_EVENTS, or run outside of the sandbox");
                break;
        case ENOENT:
        case EOPNOTSUPP:
        case ENODEV:
        case ENXIO:
        case EINVAL: unsupported(use, event, error, err); return;
        case ESRCH:
                err_set(err, ERR_MISSING, "there is no process %" PRId32 " (it may have ended just now)",
                        pid);
                break;
        case EMFILE:
        case ENFILE:
                err_set(err, ERR_LIMIT,
                        "too many open files: each event needs one for each thread and CPU; raise the limit with "
                        "'ulimit -n 1048576', or name fewer CPUs with -c");
                break;
        case EBUSY:
                err_set(err, ERR_BUSY,
                        "another profiler uses the counters for '%s': end it, or use -e cpu-clock",
                        event->name);
                break;
        case ENOSPC:
                err_set(err, ERR_LIMIT,
                        "'%s' needs more counters than the hardware has: sample fewer events at once",
                        event->name);
                break;
        default: err_os(err, ERR_IO, error, "can't open the event '%s'", event->name); return;
        }
        if (err)
                err->os = error;
}
