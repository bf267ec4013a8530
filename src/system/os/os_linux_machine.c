/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the machine, for os.h. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "buf.h"
#include "os.h"
#include "text.h"

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

const char *os_own_program(void)
{
        return "/proc/self/exe";
}

/* A UUID; it must not contain other characters, because it becomes part of a file name. */
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

/* The value after "KEY<blanks>:" on the first such line of a proc file. */
static bool proc_value(const char *text, const char *key, char *ret, size_t size)
{
        size_t len = strlen(key);

        for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
                const char *at = line + len;

                if (strncmp(line, key, len))
                        continue;
                at += strspn(at, " \t");
                if (*at++ != ':')
                        continue;
                at += strspn(at, " \t");
                snprintf(ret, size, "%.*s", (int)strcspn(at, "\n"), at);
                return true;
        }
        return false;
}

static void fill_cpu(struct os_machine *m)
{
        AUTO_RELEASE(buf) text = {0};
        char vendor[32] = "", family[16] = "", model[16] = "", stepping[16] = "";

        if (os_read_file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", 256, &text, NULL)) {
                snprintf(m->cpuid, sizeof(m->cpuid), "%.*s", (int)strcspn(text.data, "\n"), text.data);
                buf_clear(&text);
        }
        if (!os_read_file("/proc/cpuinfo", 16 << 20, &text, NULL))
                return;
        proc_value(buf_text(&text), "model name", m->cpu_text, sizeof(m->cpu_text));
        if (!m->cpuid[0] && proc_value(buf_text(&text), "vendor_id", vendor, sizeof(vendor)) &&
            proc_value(buf_text(&text), "cpu family", family, sizeof(family)) &&
            proc_value(buf_text(&text), "model", model, sizeof(model)) &&
            proc_value(buf_text(&text), "stepping", stepping, sizeof(stepping)))
                snprintf(m->cpuid, sizeof(m->cpuid), "%s,%s,%s,%s", vendor, family, model, stepping);
}

void os_machine_get(struct os_machine *ret_machine)
{
        struct os_machine *m = ret_machine;
        struct utsname u;
        long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

        *m = (struct os_machine){0};
        if (!uname(&u)) {
                text_copy(m->hostname, sizeof(m->hostname), u.nodename);
                text_copy(m->os_release, sizeof(m->os_release), u.release);
                text_copy(m->os_version, sizeof(m->os_version), u.version);
                text_copy(m->arch, sizeof(m->arch), u.machine);
        }
        m->n_cpus_available = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
        m->n_cpus_online = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
        m->page_bytes = (uint32_t)page;
        m->memory_kib = (uint64_t)pages * (uint64_t)page / 1024;
        fill_cpu(m);
}
