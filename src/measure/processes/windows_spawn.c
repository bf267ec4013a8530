/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts the command: it is created suspended, so that its first instruction is already measured, and put
 * into a job, which tells of its child processes. */
#include "windows_processes.h"

#include <windows.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "os_windows.h"
#include "text.h"
#include "text_match.h"

/* --- The command line --- */

/* A backslash is special only before a quotation mark: a C library reads two as one there. */
static void add_quoted(const char *argument, struct buf *out)
{
        size_t n_backslashes = 0;

        buf_add_char(out, '"');
        for (const char *at = argument; *at; at++) {
                if (*at == '"') {
                        for (size_t i = 0; i < n_backslashes + 1; i++)
                                buf_add_char(out, '\\');
                }
                n_backslashes = *at == '\\' ? n_backslashes + 1 : 0;
                buf_add_char(out, *at);
        }
        for (size_t i = 0; i < n_backslashes; i++)
                buf_add_char(out, '\\');
        buf_add_char(out, '"');
}

void windows_command_line(char *const *argv, struct buf *out)
{
        /* In the program's name a backslash is never special. */
        buf_printf(out, "\"%s\"", argv[0]);
        for (size_t i = 1; argv[i]; i++) {
                buf_add_char(out, ' ');
                if (argv[i][0] && !strpbrk(argv[i], " \t\n\v\""))
                        buf_add_str(out, argv[i]);
                else
                        add_quoted(argv[i], out);
        }
}

/* --- The program --- */

/* Finds the program as Windows does, in the current folder and in those of PATH.  Returns its path
 * (free()). */
static wchar_t *find_program(const char *name, struct err *err)
{
        enum { MAX_CHARS = 32768 };
        wchar_t *w = os_windows_wide(name), *found = mem_new(MAX_CHARS, sizeof(*found)), *path;
        DWORD n = SearchPathW(NULL, w, L".exe", MAX_CHARS, found, NULL), attributes;
        AUTO_RELEASE(buf) text = {0};

        os_windows_add_text(found, &text);
        path = os_windows_wide_path(buf_text(&text));
        attributes = n && n < MAX_CHARS ? GetFileAttributesW(path) : INVALID_FILE_ATTRIBUTES;
        free(found);
        free(w);
        if (attributes != INVALID_FILE_ATTRIBUTES && !(attributes & FILE_ATTRIBUTE_DIRECTORY))
                return path;
        free(path);
        if (attributes == INVALID_FILE_ATTRIBUTES)
                err_set(err, ERR_MISSING, "can't run '%s': there is no such program", name);
        else
                err_set(err, ERR_DENIED, "can't run '%s': it is a folder", name);
        return NULL;
}

/* cmd.exe splits its arguments by rules of its own, so that no quoting is right for every script. */
static bool is_script(const wchar_t *path)
{
        AUTO_RELEASE(buf) text = {0};
        size_t len;

        os_windows_add_text(path, &text);
        len = text.len;
        return len > 4 && (text_equal_nocase(text.data + len - 4, ".bat") ||
                           text_equal_nocase(text.data + len - 4, ".cmd"));
}

static bool refuse(const char *name, struct err *err)
{
        enum { NEEDS_ELEVATION = 740 }; /* ERROR_ELEVATION_REQUIRED, which MinGW's headers do not have */
        DWORD why = GetLastError();
        AUTO_RELEASE(buf) what = {0};

        if (why == ERROR_BAD_EXE_FORMAT)
                return err_set(err, ERR_DENIED, "can't run '%s': it is not a program for this machine", name);
        if (why == NEEDS_ELEVATION)
                return err_set(err, ERR_DENIED,
                               "can't run '%s': it needs an administrator; start wperf as administrator",
                               name);
        buf_printf(&what, "can't run '%s'", name);
        os_windows_fail(err, buf_text(&what));
        err->code = ERR_DENIED;
        return false;
}

/* The first thread's group is that of the process; later threads start there, too. */
static LPPROC_THREAD_ATTRIBUTE_LIST group_list(const struct windows_cpus *cpus, GROUP_AFFINITY *affinity)
{
        LPPROC_THREAD_ATTRIBUTE_LIST list;
        SIZE_T size = 0;

        if (!cpus->group)
                return NULL;
        InitializeProcThreadAttributeList(NULL, 1, 0, &size);
        list = mem_new(1, size);
        *affinity = (GROUP_AFFINITY){.Mask = (KAFFINITY)cpus->mask, .Group = cpus->group};
        if (InitializeProcThreadAttributeList(list, 1, 0, &size) &&
            UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_GROUP_AFFINITY, affinity,
                                      sizeof(*affinity), NULL, NULL))
                return list;
        free(list);
        return NULL;
}

static void use_streams(STARTUPINFOW *start, bool output_to_stderr)
{
        start->dwFlags |= STARTF_USESTDHANDLES;
        start->hStdInput = GetStdHandle(STD_INPUT_HANDLE);
        start->hStdError = GetStdHandle(STD_ERROR_HANDLE);
        start->hStdOutput = output_to_stderr ? start->hStdError : GetStdHandle(STD_OUTPUT_HANDLE);
        SetHandleInformation(start->hStdInput, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
        SetHandleInformation(start->hStdError, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
        SetHandleInformation(start->hStdOutput, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
}

static bool create(struct windows_command *command, const struct target *target,
                   const struct windows_cpus *cpus, const wchar_t *program, struct err *err)
{
        GROUP_AFFINITY affinity;
        STARTUPINFOEXW start = {.StartupInfo.cb = sizeof(start),
                                .lpAttributeList = group_list(cpus, &affinity)};
        AUTO_RELEASE(buf) text = {0};
        PROCESS_INFORMATION made;
        wchar_t *line, shorter[MAX_PATH];
        /* A group of its own, to which Ctrl-Break can be sent. */
        DWORD flags = CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | CREATE_NEW_PROCESS_GROUP;
        bool ok;

        windows_command_line(target->argv, &text);
        line = os_windows_wide(buf_text(&text));
        use_streams(&start.StartupInfo, target->output_to_stderr);
        if (start.lpAttributeList)
                flags |= EXTENDED_STARTUPINFO_PRESENT;
        else
                start.StartupInfo.cb = sizeof(start.StartupInfo);
        ok = CreateProcessW(program, line, NULL, NULL, TRUE, flags, NULL, NULL, &start.StartupInfo, &made);
        /* wine 8 does not start a program with a long path. */
        if (!ok && GetShortPathNameW(program, shorter, MAX_PATH))
                ok = CreateProcessW(shorter, line, NULL, NULL, TRUE, flags, NULL, NULL, &start.StartupInfo,
                                    &made);
        free(line);
        free(start.lpAttributeList);
        if (!ok)
                return refuse(target->argv[0], err);
        *command = (struct windows_command){.process = made.hProcess,
                                            .thread = made.hThread,
                                            .pid = made.dwProcessId,
                                            .tid = made.dwThreadId};
        if (cpus->mask)
                SetProcessAffinityMask(command->process, (DWORD_PTR)cpus->mask);
        return true;
}

static void open_job(struct windows_command *command)
{
        HANDLE job = CreateJobObjectW(NULL, NULL);
        HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 1);
        JOBOBJECT_ASSOCIATE_COMPLETION_PORT associate = {job, port};

        if (job && port &&
            SetInformationJobObject(job, JobObjectAssociateCompletionPortInformation, &associate,
                                    sizeof(associate)) &&
            AssignProcessToJobObject(job, command->process)) {
                command->job = job;
                command->port = port;
                return;
        }
        if (port)
                CloseHandle(port);
        if (job)
                CloseHandle(job);
}

bool windows_command_start(struct windows_command *command, const struct target *target, struct err *err)
{
        struct err own = {0};
        struct windows_cpus cpus;
        wchar_t *program;
        bool ok;

        assert(target->argv && !command->process);
        err = err ? err : &own;
        if (!windows_cpus_choose(target->cpus, target->n_cpus, &cpus, err))
                return false;
        program = find_program(target->argv[0], err);
        if (!program)
                return false;
        ok = is_script(program) ? err_set(err, ERR_DENIED,
                                          "can't run '%s': scripts are run by cmd: wperf record -- cmd /c %s",
                                          target->argv[0], target->argv[0])
                                : create(command, target, &cpus, program, err);
        free(program);
        if (ok)
                open_job(command);
        return ok;
}

void windows_command_resume(struct windows_command *command)
{
        assert(command->process && !command->runs);
        ResumeThread(command->thread);
        command->runs = true;
}

bool windows_command_next_child(struct windows_command *command, uint32_t *ret_pid)
{
        OVERLAPPED *pid;
        ULONG_PTR key;
        DWORD kind;

        while (command->port && GetQueuedCompletionStatus(command->port, &kind, &key, &pid, 0)) {
                if (kind != JOB_OBJECT_MSG_NEW_PROCESS || (DWORD)(ULONG_PTR)pid == command->pid)
                        continue;
                *ret_pid = (DWORD)(ULONG_PTR)pid;
                return true;
        }
        return false;
}

/* --- The end --- */

static BOOL CALLBACK close_window(HWND window, LPARAM wanted)
{
        DWORD pid = 0;

        GetWindowThreadProcessId(window, &pid);
        if (pid == (DWORD)wanted)
                PostMessageW(window, WM_CLOSE, 0, 0);
        return TRUE;
}

void windows_command_stop(struct windows_command *command, bool force)
{
        enum { KILLED = 137 }; /* as a shell on Linux reports SIGKILL */

        if (!command->process || windows_command_has_ended(command, NULL))
                return;
        if (force) {
                TerminateProcess(command->process, KILLED);
                return;
        }
        GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, command->pid);
        EnumWindows(close_window, (LPARAM)command->pid);
}

bool windows_command_has_ended(const struct windows_command *command, int *ret_status)
{
        DWORD status;

        if (!command->process || WaitForSingleObject(command->process, 0) != WAIT_OBJECT_0)
                return false;
        if (ret_status)
                *ret_status = GetExitCodeProcess(command->process, &status) ? (int)status : 0;
        return true;
}

void windows_command_release(struct windows_command *command)
{
        if (command->process && !windows_command_has_ended(command, NULL))
                windows_command_stop(command, true);
        if (command->port)
                CloseHandle(command->port);
        if (command->job)
                CloseHandle(command->job);
        if (command->thread)
                CloseHandle(command->thread);
        if (command->process)
                CloseHandle(command->process);
        *command = (struct windows_command){0};
}
