/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "buf.h"
#include "mem.h"
#include "os.h"
#include "os_left_out.h"

enum { MAX_FOLDERS = 256, ANSWER_MS = 1000, LOOK_MS = 2 };

enum state { NOT_ASKED, ANSWERS, HANGS };

/* Folders are only added, the first free place first. */
static char *_Atomic folders[MAX_FOLDERS];
static _Atomic(enum state) states[MAX_FOLDERS];

/* --- Asking --- */

/* In the child, which holds nothing of ours. */
_Noreturn static void ask(const char *path)
{
        struct stat st;

#ifdef SYS_close_range
        syscall(SYS_close_range, 0, ~0u, 0);
#endif
        _exit(stat(path, &st) ? 1 : 0);
}

/* A child that waits for the server stays behind: init takes it over. */
static bool answers(const char *path)
{
        const struct timespec look = {.tv_nsec = LOOK_MS * 1000000L};
        pid_t pid = fork();

        if (!pid)
                ask(path);
        for (int ms = 0; pid > 0 && ms < ANSWER_MS; ms += LOOK_MS) {
                if (waitpid(pid, NULL, WNOHANG))
                        return true;
                nanosleep(&look, NULL);
        }
        if (pid > 0)
                kill(pid, SIGKILL);
        return pid < 0;
}

/* --- Folders --- */

static bool is_below(const char *path, const char *folder)
{
        size_t len = strlen(folder);

        return !strncmp(path, folder, len) && (!path[len] || path[len] == '/');
}

/* What follows "/proc/123/NAME"; NULL if the path is another one. */
static const char *after(const char *path, const char *name)
{
        const char *at = path + strlen("/proc/");
        size_t len = strlen(name);

        if (strncmp(path, "/proc/", strlen("/proc/")) != 0)
                return NULL;
        at += strspn(at, "0123456789");
        return !strncmp(at, name, len) && at[len] == '/' ? at + len : NULL;
}

/* "/proc/123/cwd/a" by the folder to which this leads. */
static void add_resolved(const char *path, struct buf *out)
{
        const char *rest = after(path, "/cwd");
        AUTO_RELEASE(buf) link = {0};
        AUTO_RELEASE(buf) folder = {0};

        if (!rest) {
                buf_add_str(out, path);
                return;
        }
        buf_add(&link, path, (size_t)(rest - path));
        if (os_read_link(buf_text(&link), &folder))
                buf_printf(out, "%.*s/root%s%s", (int)(link.len - strlen("/cwd")), path, buf_text(&folder),
                           rest);
        else
                buf_add_str(out, path);
}

bool os_is_left_out(const char *path)
{
        AUTO_RELEASE(buf) resolved = {0};
        const char *folder, *ours;

        if (!atomic_load(&folders[0]))
                return false;
        add_resolved(path, &resolved);
        ours = after(buf_text(&resolved), "/root");
        for (size_t i = 0; i < MAX_FOLDERS && (folder = atomic_load(&folders[i])); i++) {
                const char *file = is_below(buf_text(&resolved), folder) ? buf_text(&resolved)
                                   : ours && is_below(ours, folder)      ? ours
                                                                         : NULL;

                if (file && atomic_load(&states[i]) == NOT_ASKED)
                        atomic_store(&states[i], answers(file) ? ANSWERS : HANGS);
                if (!file)
                        continue;
                if (atomic_load(&states[i]) == HANGS)
                        return true;
        }
        return false;
}

void os_add_served(const char *folder)
{
        char *own = mem_strdup(folder);

        assert(*folder == '/' && folder[1]);
        for (size_t i = 0; i < MAX_FOLDERS; i++) {
                char *before = NULL;

                if (atomic_compare_exchange_strong(&folders[i], &before, own))
                        return;
                if (!strcmp(before, folder))
                        break;
        }
        free(own);
}

const char *os_left_out(size_t number)
{
        const char *folder;

        for (size_t i = 0; i < MAX_FOLDERS && (folder = atomic_load(&folders[i])); i++) {
                if (atomic_load(&states[i]) == HANGS && !number--)
                        return folder;
        }
        return NULL;
}
