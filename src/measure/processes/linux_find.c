/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds processes by name or by parent, and says what a PID stands for. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux_locked.h"
#include "linux_processes.h"
#include "map.h"
#include "mem.h"
#include "os.h"
#include "text.h"

/* What follows the name in /proc/PID/stat: state, parent, ... ; NULL if the process has ended. */
static const char *read_stat(int32_t pid, struct buf *text)
{
        enum { LIMIT = 4096 };
        char path[64];
        const char *name_end;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/stat", pid);
        buf_clear(text);
        if (!os_read_file(path, LIMIT, text, NULL))
                return NULL;
        name_end = strrchr(buf_text(text), ')');
        return name_end && name_end[1] ? name_end + 2 : NULL;
}

/* --- what a PID stands for --- */

enum target_kind target_kind_of(int32_t pid)
{
        enum { FLAGS_FIELD = 6, KERNEL_THREAD = 0x00200000 }; /* counted from the state; PF_KTHREAD */
        AUTO_RELEASE(buf) text = {0};
        const char *at = read_stat(pid, &text);
        struct os_stat proc;

        if (!at && !os_stat("/proc/self", &proc))
                return TARGET_PROCESS; /* without /proc it is not known, which is told when it is sampled */
        if (!at)
                return pid > 0 && (!kill(pid, 0) || errno == EPERM) ? TARGET_HIDDEN : TARGET_NO_PROCESS;
        if (*at == 'Z' || *at == 'X')
                return TARGET_HAS_ENDED;
        for (int i = 0; i < FLAGS_FIELD && at; i++) {
                at = strchr(at, ' ');
                at = at ? at + 1 : NULL;
        }
        return at && strtoul(at, NULL, 10) & KERNEL_THREAD ? TARGET_KERNEL_THREAD : TARGET_PROCESS;
}

/* Process 1 exists wherever wperf runs. */
const char *target_hidden_note(void)
{
        return target_kind_of(1) == TARGET_HIDDEN
                       ? "; other users' processes are hidden from you (/proc is mounted with hidepid): run wperf as root"
                       : "";
}

int32_t target_living_thread(int32_t pid)
{
        int32_t *tids = NULL, found = 0;
        size_t n = 0;

        proc_threads(pid, &tids, &n);
        for (size_t i = 0; i < n && !found; i++) {
                if (target_kind_of(tids[i]) == TARGET_PROCESS)
                        found = tids[i];
        }
        free(tids);
        return found;
}

int32_t target_process_of(int32_t tid)
{
        enum { LIMIT = 4096 };
        AUTO_RELEASE(buf) text = {0};
        const char *line;
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/status", tid);
        os_read_file(path, LIMIT, &text, NULL);
        line = strstr(buf_text(&text), "\nTgid:");
        return line ? (int32_t)strtol(line + strlen("\nTgid:"), NULL, 10) : 0;
}

size_t target_n_threads(int32_t pid)
{
        int32_t *tids = NULL;
        size_t n = 0;

        proc_threads(pid, &tids, &n);
        free(tids);
        return n;
}

/* --- by rights --- */

/* The link to the program of a process can be read by those who may trace it. */
bool target_find_readable(int32_t **ret_pids, size_t *ret_n, struct err *err)
{
        size_t n_all, n = 0, cap = 0;
        int32_t *all = proc_all(&n_all), *found = NULL;

        for (size_t i = 0; i < n_all; i++) {
                AUTO_RELEASE(buf) program = {0};
                char path[64];

                snprintf(path, sizeof(path), "/proc/%" PRId32 "/exe", all[i]);
                if (all[i] != getpid() && os_read_link(path, &program))
                        ARRAY_PUSH(found, n, cap, all[i]);
        }
        free(all);
        *ret_pids = found;
        *ret_n = n;
        return n ||
               err_set(err, ERR_MISSING, "there is no other process that you may read: run wperf as root");
}

int32_t target_own_process(void)
{
        return getpid();
}

/* --- scripts --- */

/* Python's options with a value in the next word; -c and -m end the options. */
static bool takes_value(const char *word)
{
        return !strcmp(word, "-W") || !strcmp(word, "-X") || !strcmp(word, "--check-hash-based-pycs");
}

bool target_add_script(int32_t pid, struct buf *out)
{
        enum { LIMIT = 65536 };
        AUTO_RELEASE(buf) line = {0};
        const char *word, *end;

        if (!locked_command_line(pid, LIMIT, &line) || !line.len)
                return false;
        end = buf_text(&line) + line.len;
        for (word = line.data + strlen(line.data) + 1; word < end; word += strlen(word) + 1) {
                bool is_module = !strcmp(word, "-m"), has_next = word + strlen(word) + 1 < end;

                if (is_module && has_next)
                        buf_printf(out, "-m %s", word + strlen(word) + 1);
                else if (*word && *word != '-')
                        buf_add_str(out, text_base_name(word));
                if (*word != '-' || is_module || !strcmp(word, "-c"))
                        return out->len;
                if (takes_value(word) && has_next)
                        word += strlen(word) + 1;
        }
        return false;
}

/* --- by the name of the process or script --- */

static bool is_in(const char *names, const char *name)
{
        size_t len = strlen(name);

        while (*names) {
                size_t n = strcspn(names, ",");

                if (n == len && !memcmp(names, name, n))
                        return true;
                names += n + (names[n] == ',');
        }
        return false;
}

/* Its own name, or that of the script if it is a Python. */
static bool is_called(int32_t pid, const char *names)
{
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) script = {0};

        proc_comm(pid, &name);
        return is_in(names, buf_text(&name)) ||
               (text_starts(buf_text(&name), "python") && target_add_script(pid, &script) &&
                is_in(names, buf_text(&script)));
}

bool target_find_comm(const char *names, int32_t **ret_pids, size_t *ret_n, struct err *err)
{
        size_t n_all, n = 0, cap = 0;
        int32_t *all = proc_all(&n_all), *found = NULL;

        for (size_t i = 0; i < n_all; i++) {
                if (is_called(all[i], names) && target_kind_of(all[i]) == TARGET_PROCESS)
                        ARRAY_PUSH(found, n, cap, all[i]);
        }
        free(all);
        *ret_pids = found;
        *ret_n = n;
        return n || err_set(err, ERR_MISSING, "no running process is called '%s' (/proc/PID/comm)%s", names,
                            target_hidden_note());
}

/* --- by parent --- */

struct kinship {
        int32_t pid, parent;
};

static struct kinship *read_kinships(size_t *ret_n)
{
        size_t n_all, n = 0;
        int32_t *all = proc_all(&n_all);
        struct kinship *kin = mem_new(n_all + 1, sizeof(*kin));
        AUTO_RELEASE(buf) text = {0};

        for (size_t i = 0; i < n_all; i++) {
                const char *at = read_stat(all[i], &text);
                char state;

                kin[n].pid = all[i];
                n += at && sscanf(at, "%c %" SCNd32, &state, &kin[n].parent) == 2 && state != 'Z';
        }
        free(all);
        *ret_n = n;
        return kin;
}

void target_add_children(int32_t **pids, size_t *n, const int32_t *except, size_t n_except)
{
        enum { TAKEN = 1, EXCEPTED };
        size_t n_kin, cap = *n, before;
        struct kinship *kin = read_kinships(&n_kin);
        struct map found = {0};

        for (size_t i = 0; i < n_except; i++)
                *map_put(&found, (uint64_t)except[i], NULL) = EXCEPTED;
        for (size_t i = 0; i < *n; i++)
                *map_put(&found, (uint64_t)(*pids)[i], NULL) = TAKEN;
        do {
                before = *n;
                for (size_t i = 0; i < n_kin; i++) {
                        const uint64_t *parent = map_find(&found, (uint64_t)kin[i].parent);

                        if (!parent || *parent == EXCEPTED || map_find(&found, (uint64_t)kin[i].pid))
                                continue;
                        *map_put(&found, (uint64_t)kin[i].pid, NULL) = TAKEN;
                        ARRAY_PUSH(*pids, *n, cap, kin[i].pid);
                }
        } while (*n > before);
        free(kin);
        map_release(&found);
}
