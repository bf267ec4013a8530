/* SPDX-License-Identifier: BSD-3-Clause */
#include "prove_run.h"

#include <windows.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMAND_CHARS = 2048 };

static HANDLE create_text_file(char path[RUN_PATH_CHARS])
{
        SECURITY_ATTRIBUTES inherited = {.nLength = sizeof(inherited), .bInheritHandle = TRUE};
        char folder[MAX_PATH];

        if (!GetTempPathA(sizeof(folder), folder) || !GetTempFileNameA(folder, "wpf", 0, path))
                return INVALID_HANDLE_VALUE;
        return CreateFileA(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited,
                           CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
}

static bool begin(struct run *run, char *command)
{
        STARTUPINFOA startup = {.cb = sizeof(startup), .dwFlags = STARTF_USESTDHANDLES};
        PROCESS_INFORMATION process;

        run->process = NULL;
        run->status = STILL_ACTIVE;
        run->n_bytes = 0;
        run->text[0] = '\0';
        run->path[0] = '\0';
        run->reader = create_text_file(run->path);
        if (run->reader == INVALID_HANDLE_VALUE)
                return false;
        startup.hStdOutput = startup.hStdError = run->reader;
        startup.hStdInput = INVALID_HANDLE_VALUE;
        if (!CreateProcessA(NULL, command, NULL, NULL, TRUE, CREATE_NO_WINDOW, NULL, NULL, &startup,
                            &process))
                return false;
        CloseHandle(process.hThread);
        run->process = process.hProcess;
        return true;
}

bool run_begin(struct run *run, const char *format, ...)
{
        char command[COMMAND_CHARS];
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(command, sizeof(command), format, arguments);
        va_end(arguments);
        return begin(run, command);
}

bool run_end(struct run *run, uint32_t limit_ms)
{
        DWORD status, n_bytes;

        if (run->process) {
                if (WaitForSingleObject(run->process, limit_ms) == WAIT_OBJECT_0 &&
                    GetExitCodeProcess(run->process, &status))
                        run->status = status;
                else
                        TerminateProcess(run->process, STILL_ACTIVE);
                CloseHandle(run->process);
                run->process = NULL;
        }
        if (run->reader != INVALID_HANDLE_VALUE) {
                SetFilePointer(run->reader, 0, NULL, FILE_BEGIN);
                if (ReadFile(run->reader, run->text, sizeof(run->text) - 1, &n_bytes, NULL))
                        run->n_bytes = n_bytes;
                CloseHandle(run->reader);
        }
        run->text[run->n_bytes] = '\0';
        if (run->path[0])
                DeleteFileA(run->path);
        return !run->status;
}

bool run_command(struct run *run, uint32_t limit_ms, const char *format, ...)
{
        char command[COMMAND_CHARS];
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(command, sizeof(command), format, arguments);
        va_end(arguments);
        begin(run, command);
        return run_end(run, limit_ms);
}

bool run_has(const struct run *run, const char *text)
{
        return strstr(run->text, text);
}

bool run_number(const struct run *run, const char *before, double *ret)
{
        const char *at = strstr(run->text, before);
        char *end;

        if (!at)
                return false;
        at += strlen(before);
        *ret = strtod(at, &end);
        return end != at;
}

const char *run_last_line(struct run *run)
{
        char *end = run->text + strlen(run->text), *at;

        while (end > run->text && (end[-1] == '\n' || end[-1] == '\r' || end[-1] == ' '))
                *--end = '\0';
        at = strrchr(run->text, '\n');
        return at ? at + 1 : run->text;
}
