/* SPDX-License-Identifier: BSD-3-Clause */
/* What os.h tells of the machine that os_linux.c does not. */
#include <sched.h>
#include <string.h>
#include <sys/random.h>

#include "os.h"

unsigned os_usable_cpus(void)
{
        cpu_set_t set;
        int n;

        /* Fails on machines with more CPUs than a set has room for. */
        if (sched_getaffinity(0, sizeof(set), &set))
                return OS_MAX_PARALLEL;
        n = CPU_COUNT(&set);
        return n > 0 ? (unsigned)n : 1;
}

/* A UUID: what goes into a file's name has no other characters. */
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

/* Without waiting: early in the start of a machine there may be none yet. */
bool os_random(void *bytes, size_t size)
{
        return getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size;
}
