/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that end a run: Ctrl-C, Ctrl-Break, a closed console, the end of the user's session and of
 * Windows. */
#include <windows.h>

#include <signal.h>

#include "os.h"

static volatile LONG stop_signal;
static volatile LONG n_stops;

/* Windows calls this in a thread of its own.  It ends the process when the handler of a closing event
 * returns, so that this one does not return: the process ends when the session is written. */
static BOOL WINAPI on_control(DWORD type)
{
        bool is_closing =
                type == CTRL_CLOSE_EVENT || type == CTRL_LOGOFF_EVENT || type == CTRL_SHUTDOWN_EVENT;

        if (InterlockedIncrement(&n_stops) >= 3 && !is_closing)
                return FALSE;
        InterlockedCompareExchange(&stop_signal, is_closing ? SIGTERM : SIGINT, 0);
        while (is_closing)
                Sleep(INFINITE);
        return TRUE;
}

void os_catch_stop(void)
{
        SetConsoleCtrlHandler(on_control, TRUE);
}

void os_release_stop(void)
{
        SetConsoleCtrlHandler(on_control, FALSE);
        InterlockedExchange(&stop_signal, 0);
        InterlockedExchange(&n_stops, 0);
}

void os_request_stop(void)
{
        InterlockedCompareExchange(&stop_signal, SIGTERM, 0);
}

int os_stop_requested(void)
{
        return (int)stop_signal;
}

void os_run_below_init(void)
{
}
