/* SPDX-License-Identifier: BSD-3-Clause */
/* /proc/PID/task/TID/syscall has the registers and the arguments of a thread that waits, and may be read by
 * who may trace it (proc(5)). */
#include "wait_thread.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "linux_locked.h"
#include "os.h"

enum { TEXT_BYTES = 4096 };

/* Reads a small file of a thread. Negative errno on failure, else the length. */
static int read_file(int32_t pid, int32_t tid, const char *name, char *text)
{
        char path[64];
        ssize_t n;
        int fd;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/task/%" PRId32 "/%s", pid, tid, name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return -errno;
        n = read(fd, text, TEXT_BYTES - 1);
        if (n < 0)
                n = -errno;
        close(fd);
        text[n < 0 ? 0 : n] = '\0';
        return (int)n;
}

/* The value of a line "NAME:  VALUE". */
static const char *find_line(const char *text, const char *name)
{
        const char *at = strstr(text, name);

        return at ? at + strlen(name) + strspn(at + strlen(name), " \t") : "";
}

static int32_t last_number(const char *line)
{
        const char *end = line + strcspn(line, "\n"), *at = end;

        while (at > line && at[-1] >= '0' && at[-1] <= '9')
                at--;
        return (int32_t)strtol(at, NULL, 10);
}

bool wait_thread_parse_status(const char *text, struct wait_thread *ret)
{
        ret->state = *find_line(text, "\nState:");
        ret->inner_tid = last_number(find_line(text, "\nNSpid:"));
        ret->n_switches = strtoull(find_line(text, "\nvoluntary_ctxt_switches:"), NULL, 10) +
                          strtoull(find_line(text, "\nnonvoluntary_ctxt_switches:"), NULL, 10);
        return ret->state && ret->state != 'Z' && ret->state != 'X';
}

/* "running", "-1 SP PC", or "NUMBER ARG... SP PC". */
void wait_thread_parse_call(const char *text, struct wait_thread *ret)
{
        uint64_t words[WAIT_N_ARGS + 2];
        size_t n = 0;
        char *end;

        ret->is_running = *text == 'r';
        if (ret->is_running)
                return;
        ret->number = (int32_t)strtol(text, &end, 10);
        while (n < WAIT_N_ARGS + 2 && *end == ' ')
                words[n++] = strtoull(end, &end, 16);
        if (n < 2) {
                ret->is_running = true;
                return;
        }
        if (n == WAIT_N_ARGS + 2)
                memcpy(ret->args, words, sizeof(ret->args));
        ret->sp = words[n - 2];
        ret->pc = words[n - 1];
}

static int read_call(int32_t pid, int32_t tid, char text[TEXT_BYTES], struct wait_thread *ret)
{
        int n;

        ret->before_ns = os_monotonic_ns();
        n = read_file(pid, tid, "syscall", text);
        ret->after_ns = os_monotonic_ns();
        return n;
}

bool wait_thread_read(int32_t pid, int32_t tid, struct wait_thread *ret)
{
        char text[TEXT_BYTES];
        int n;

        *ret = (struct wait_thread){.number = -1};
        n = read_file(pid, tid, "status", text);
        if (n > 0 && wait_thread_parse_status(text, ret))
                n = read_call(pid, tid, text, ret);
        else
                n = -ESRCH;
        if (n == -ESRCH || n == -ENOENT) {
                ret->state = 0;
                return false;
        }
        ret->is_refused = n <= 0;
        if (n > 0)
                wait_thread_parse_call(text, ret);
        return true;
}

bool wait_thread_parse_times(const char *text, struct wait_times *ret)
{
        char *end, *second, *third;

        ret->cpu_ns = strtoull(text, &end, 10);
        ret->queued_ns = strtoull(end, &second, 10);
        ret->n_turns = strtoull(second, &third, 10);
        return end != text && second != end && third != second;
}

bool wait_thread_read_times(int32_t pid, int32_t tid, struct wait_times *ret)
{
        char text[TEXT_BYTES];

        return read_file(pid, tid, "schedstat", text) > 0 && wait_thread_parse_times(text, ret);
}

bool wait_thread_is_same(const struct wait_thread *before, const struct wait_thread *after)
{
        return before->n_switches == after->n_switches && before->state == after->state &&
               before->state != 'R';
}

bool wait_thread_waits_on(int32_t pid, int32_t tid, const struct wait_thread *before)
{
        struct wait_thread after = {0};
        char text[TEXT_BYTES];

        return read_file(pid, tid, "status", text) > 0 && wait_thread_parse_status(text, &after) &&
               wait_thread_is_same(before, &after);
}

size_t wait_read_some(int32_t pid, uint64_t addr, void *to, size_t size)
{
        struct iovec local = {to, size}, remote = {(void *)(uintptr_t)addr, size};
        ssize_t n = locked_is(pid) ? 0 : process_vm_readv(pid, &local, 1, &remote, 1, 0);

        return n > 0 ? (size_t)n : 0;
}

size_t wait_read_pieces(int32_t pid, const uint64_t *addrs, size_t n, void *to, size_t size)
{
        struct iovec local = {to, n * size}, remote[WAIT_MAX_PIECES];
        ssize_t n_bytes;

        assert(n <= WAIT_MAX_PIECES);
        for (size_t i = 0; i < n; i++)
                remote[i] = (struct iovec){(void *)(uintptr_t)addrs[i], size};
        n_bytes = n && !locked_is(pid) ? process_vm_readv(pid, &local, 1, remote, n, 0) : 0;
        return n_bytes > 0 ? (size_t)n_bytes / size : 0;
}

bool wait_read_memory(int32_t pid, uint64_t addr, void *to, size_t size)
{
        return wait_read_some(pid, addr, to, size) == size;
}
