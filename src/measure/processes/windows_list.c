/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the processes and threads of the machine, and finds those of a program. */
#include "windows_processes.h"

#include <windows.h>

#include <stdlib.h>
#include <string.h>
#include <tlhelp32.h>

#include "mem.h"
#include "os_windows.h"
#include "text.h"

static void list_processes(HANDLE snapshot, const struct windows_listener *listener)
{
        PROCESSENTRY32W entry = {.dwSize = sizeof(entry)};

        for (BOOL has = Process32FirstW(snapshot, &entry); has; has = Process32NextW(snapshot, &entry)) {
                const struct windows_process process = {entry.th32ProcessID, entry.th32ParentProcessID,
                                                        entry.szExeFile};

                listener->process(listener->ctx, &process);
        }
}

static void list_threads(HANDLE snapshot, const struct windows_listener *listener)
{
        THREADENTRY32 entry = {.dwSize = sizeof(entry)};

        for (BOOL has = Thread32First(snapshot, &entry); has; has = Thread32Next(snapshot, &entry)) {
                const struct windows_thread thread = {entry.th32ThreadID, entry.th32OwnerProcessID};

                listener->thread(listener->ctx, &thread);
        }
}

void windows_list(const struct windows_listener *listener)
{
        HANDLE snapshot = CreateToolhelp32Snapshot(
                (listener->process ? TH32CS_SNAPPROCESS : 0) | (listener->thread ? TH32CS_SNAPTHREAD : 0), 0);

        if (snapshot == INVALID_HANDLE_VALUE)
                return;
        if (listener->process)
                list_processes(snapshot, listener);
        if (listener->thread)
                list_threads(snapshot, listener);
        CloseHandle(snapshot);
}

/* NULL: it can't be read; else free() it. */
static wchar_t *read_path(void *process)
{
        enum { MAX_CHARS = 32768 };
        wchar_t *path = mem_new(MAX_CHARS, sizeof(*path));
        DWORD n = MAX_CHARS;

        if (QueryFullProcessImageNameW(process, 0, path, &n))
                return path;
        free(path);
        return NULL;
}

bool windows_process_path(void *process, struct buf *out)
{
        wchar_t *path = read_path(process);

        if (!path)
                return false;
        os_windows_add_text(path, out);
        free(path);
        return true;
}

/* --- Processes of a program --- */

struct image_search {
        wchar_t *name, *path; /* what to compare; path is NULL if only the name counts */
        int32_t *pids;
        size_t n, cap;
};

static bool is_equal(const wchar_t *a, const wchar_t *b)
{
        return CompareStringOrdinal(a, -1, b, -1, TRUE) == CSTR_EQUAL;
}

static wchar_t *full_path(const char *path)
{
        wchar_t *w = os_windows_wide(path), *full;
        DWORD n = GetFullPathNameW(w, 0, NULL, NULL);

        full = mem_new(n + 1, sizeof(*full));
        GetFullPathNameW(w, n, full, NULL);
        free(w);
        return full;
}

static bool is_at_path(uint32_t pid, const wchar_t *wanted)
{
        HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
        wchar_t *path = process ? read_path(process) : NULL;
        bool is_same = path && is_equal(path, wanted);

        if (process)
                CloseHandle(process);
        free(path);
        return is_same;
}

static void see_process(void *ctx, const struct windows_process *process)
{
        struct image_search *search = ctx;

        if (process->pid != GetCurrentProcessId() && is_equal(process->name, search->name) &&
            (!search->path || is_at_path(process->pid, search->path)))
                ARRAY_PUSH(search->pids, search->n, search->cap, (int32_t)process->pid);
}

bool target_find_image(const char *image, int32_t **ret_pids, size_t *ret_n, struct err *err)
{
        struct image_search search = {
                .name = os_windows_wide(text_base_name(image)),
                .path = strpbrk(image, "/\\") ? full_path(image) : NULL,
        };
        const struct windows_listener listener = {.process = see_process, .ctx = &search};

        windows_list(&listener);
        free(search.name);
        free(search.path);
        if (!search.n)
                return err_set(
                        err, ERR_MISSING,
                        "no process runs '%s'; give the whole name of the program, such as python_d.exe, "
                        "or name the process with -p PID",
                        image);
        *ret_pids = search.pids;
        *ret_n = search.n;
        return true;
}

bool target_find_comm(const char *names, int32_t **ret_pids, size_t *ret_n, struct err *err)
{
        (void)ret_pids;
        (void)ret_n;
        return err_set(err, ERR_UNSUPPORTED,
                       "--comm applies to Linux; on Windows write --image_name %s.exe, or -p PID", names);
}

bool target_find_readable(int32_t **ret_pids, size_t *ret_n, struct err *err)
{
        (void)ret_pids;
        (void)ret_n;
        return err_set(err, ERR_UNSUPPORTED, "stacks of running threads can be read on Linux only");
}

bool target_add_script(int32_t pid, struct buf *out)
{
        (void)pid;
        (void)out;
        return false;
}

/* Programs of Windows have no tree of processes: the PID of a parent that has ended may be another's. */
void target_add_children(int32_t **pids, size_t *n, const int32_t *except, size_t n_except)
{
        (void)except;
        (void)n_except;
        (void)pids;
        (void)n;
}

/* The collector says why a process can't be opened. */
enum target_kind target_kind_of(int32_t pid)
{
        (void)pid;
        return TARGET_PROCESS;
}

int32_t target_process_of(int32_t tid)
{
        return tid;
}

int32_t target_locked(size_t number)
{
        (void)number;
        return 0;
}

int32_t target_own_process(void)
{
        return 0;
}

bool target_add_cgroup(int32_t pid, struct buf *out)
{
        (void)pid;
        (void)out;
        return false;
}

size_t target_n_threads(int32_t pid)
{
        (void)pid;
        return 0;
}

int32_t target_living_thread(int32_t pid)
{
        (void)pid;
        return 0;
}

int target_open_cgroup(const char *name, struct buf *ret_path, struct err *err)
{
        (void)name;
        (void)ret_path;
        err_set(err, ERR_UNSUPPORTED, "--cgroup applies to Linux; on Windows name a process with -p PID");
        return -1;
}
