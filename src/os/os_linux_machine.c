/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the machine, for os.h. */
#include <sched.h>
#include <string.h>
#include <sys/random.h>

#include "os.h"

unsigned os_usable_cpus(void)
{
        cpu_set_t set;
        int n;

        /* Fails on machines with more CPUs than fit into a set. */
        if (sched_getaffinity(0, sizeof(set), &set))
                return OS_MAX_PARALLEL;
        n = CPU_COUNT(&set);
        return n > 0 ? (unsigned)n : 1;
}

/* A UUID; it must not contain other characters, because it becomes part of a file name. */
const char *os_own_program(void)
{
        return "/proc/self/exe";
}

bool os_boot_id(struct buf *out)
{
        enum { UUID_CHARS = 36, LIMIT_BYTES = 64 };
        AUTO_RELEASE(buf) text = {0};

        if (!os_read_file("/proc/sys/kernel/random/boot_id", LIMIT_BYTES, &text, NULL) ||
            strspn(buf_text(&text), "0123456789abcdef-") != UUID_CHARS)
                return false;
        buf_add(out, text.data, UUID_CHARS);
        return true;
}

/* Does not wait: early in the boot there may be no random bytes yet. */
bool os_random(void *bytes, size_t size)
{
        return getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size;
}
