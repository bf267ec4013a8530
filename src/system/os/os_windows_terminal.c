/* SPDX-License-Identifier: BSD-3-Clause */
/* A console as a screen, with the escape codes of terminals (Windows 10 and later); older consoles are
 * refused. */
#include "os.h"

#include <windows.h>

#include <stdlib.h>
#include <string.h>

#include "mem.h"

#ifndef ENABLE_VIRTUAL_TERMINAL_PROCESSING
#define ENABLE_VIRTUAL_TERMINAL_PROCESSING 0x4
#endif
#ifndef ENABLE_VIRTUAL_TERMINAL_INPUT
#define ENABLE_VIRTUAL_TERMINAL_INPUT 0x200
#endif

struct os_terminal {
        HANDLE in, out, wake;
        const char *leave;
        struct buf typed; /* UTF-8 that was not read yet */
        WCHAR high;       /* first half of a surrogate pair */
};

/* The terminal to restore at the end, also if Ctrl-Break or a closed window ends the process. */
static struct os_terminal *shown;
static DWORD old_in, old_out;
static UINT old_code_page;

static void restore_console(void)
{
        struct os_terminal *t = shown;
        DWORD done;

        shown = NULL;
        if (!t)
                return;
        WriteFile(t->out, t->leave, (DWORD)strlen(t->leave), &done, NULL);
        SetConsoleMode(t->in, old_in);
        SetConsoleMode(t->out, old_out);
        SetConsoleOutputCP(old_code_page);
}

static BOOL WINAPI on_control(DWORD event)
{
        (void)event;
        restore_console();
        return FALSE;
}

struct os_terminal *os_terminal_open(const char *enter, const char *leave, struct err *err)
{
        static bool is_registered;
        HANDLE in = GetStdHandle(STD_INPUT_HANDLE), out = GetStdHandle(STD_OUTPUT_HANDLE);
        struct os_terminal *t;
        DWORD done;

        if (!GetConsoleMode(in, &old_in) || !GetConsoleMode(out, &old_out)) {
                err_set(err, ERR_MISSING, "standard input and output are not a console");
                return NULL;
        }
        if (!SetConsoleMode(out, old_out | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING) ||
            !SetConsoleMode(in, ENABLE_VIRTUAL_TERMINAL_INPUT | ENABLE_WINDOW_INPUT)) {
                SetConsoleMode(out, old_out);
                err_set(err, ERR_MISSING, "this console does not know escape codes; Windows 10 has one");
                return NULL;
        }
        old_code_page = GetConsoleOutputCP();
        SetConsoleOutputCP(CP_UTF8);
        t = mem_new(1, sizeof(*t));
        *t = (struct os_terminal){.in = in, .out = out, .leave = leave};
        t->wake = CreateEventW(NULL, FALSE, FALSE, NULL);
        shown = t;
        if (!is_registered) {
                is_registered = !atexit(restore_console);
                SetConsoleCtrlHandler(on_control, TRUE);
        }
        WriteFile(out, enter, (DWORD)strlen(enter), &done, NULL);
        return t;
}

void os_terminal_close(struct os_terminal *t)
{
        if (!t)
                return;
        restore_console();
        CloseHandle(t->wake);
        buf_release(&t->typed);
        free(t);
}

void os_terminal_leave(struct os_terminal *t)
{
        (void)t;
        restore_console();
}

/* Appends a typed UTF-16 unit as UTF-8. */
static void add_unit(struct os_terminal *t, WCHAR unit)
{
        WCHAR pair[2] = {t->high, unit};
        char bytes[8];
        int n;

        if (unit >= 0xd800 && unit < 0xdc00) {
                t->high = unit;
                return;
        }
        n = WideCharToMultiByte(CP_UTF8, 0, t->high ? pair : pair + 1, t->high ? 2 : 1, bytes, sizeof(bytes),
                                NULL, NULL);
        t->high = 0;
        buf_add(&t->typed, bytes, n > 0 ? (size_t)n : 0);
}

/* Events other than typed characters (focus, Windows' mouse events) are dropped. */
static unsigned take_events(struct os_terminal *t)
{
        unsigned events = 0;
        DWORD n = 0;

        while (GetNumberOfConsoleInputEvents(t->in, &n) && n) {
                INPUT_RECORD record;

                if (!ReadConsoleInputW(t->in, &record, 1, &n) || !n)
                        return OS_TERMINAL_CLOSED;
                if (record.EventType == WINDOW_BUFFER_SIZE_EVENT)
                        events |= OS_TERMINAL_RESIZED;
                if (record.EventType == KEY_EVENT && record.Event.KeyEvent.bKeyDown &&
                    record.Event.KeyEvent.uChar.UnicodeChar)
                        add_unit(t, record.Event.KeyEvent.uChar.UnicodeChar);
        }
        return events | (t->typed.len ? OS_TERMINAL_INPUT : 0);
}

unsigned os_terminal_wait(struct os_terminal *t, bool wants_output, int timeout_ms)
{
        HANDLE handles[] = {t->in, t->wake};
        unsigned events = take_events(t) | (wants_output ? OS_TERMINAL_OUTPUT : 0);
        DWORD got;

        if (events)
                return events;
        got = WaitForMultipleObjects(2, handles, FALSE, timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms);
        if (got == WAIT_OBJECT_0 + 1)
                return OS_TERMINAL_WOKEN;
        return got == WAIT_OBJECT_0 ? take_events(t) : got == WAIT_FAILED ? OS_TERMINAL_CLOSED : 0;
}

size_t os_terminal_read(struct os_terminal *t, void *bytes, size_t size)
{
        size_t n = t->typed.len < size ? t->typed.len : size;

        if (!n)
                return 0;
        memcpy(bytes, t->typed.data, n);
        memmove(t->typed.data, t->typed.data + n, t->typed.len - n);
        buf_truncate(&t->typed, t->typed.len - n);
        return n;
}

size_t os_terminal_write(struct os_terminal *t, const void *bytes, size_t size)
{
        DWORD done = 0;

        return WriteFile(t->out, bytes, (DWORD)size, &done, NULL) ? done : 0;
}

void os_terminal_size(const struct os_terminal *t, unsigned *ret_columns, unsigned *ret_rows)
{
        CONSOLE_SCREEN_BUFFER_INFO info;

        *ret_columns = 80;
        *ret_rows = 24;
        if (!GetConsoleScreenBufferInfo(t->out, &info))
                return;
        *ret_columns = (unsigned)(info.srWindow.Right - info.srWindow.Left + 1);
        *ret_rows = (unsigned)(info.srWindow.Bottom - info.srWindow.Top + 1);
}

/* Consoles cannot stop programs. */
void os_terminal_suspend(struct os_terminal *t)
{
        (void)t;
}

void os_terminal_wake(struct os_terminal *t)
{
        SetEvent(t->wake);
}

bool os_stdin_is_terminal(void)
{
        DWORD mode;

        return GetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), &mode);
}
