/* SPDX-License-Identifier: BSD-3-Clause */
/* What ends a run from outside: Ctrl-C, Ctrl-Break and a closed console. */
#include <windows.h>

#include "os.h"

static volatile LONG stop_signal;
static volatile LONG n_stops;

static BOOL WINAPI on_control(DWORD type)
{
        if (type != CTRL_C_EVENT && type != CTRL_BREAK_EVENT && type != CTRL_CLOSE_EVENT)
                return FALSE;
        if (InterlockedIncrement(&n_stops) >= 3)
                return FALSE;
        InterlockedCompareExchange(&stop_signal, 2, 0);
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
        InterlockedCompareExchange(&stop_signal, 15, 0);
}

int os_stop_requested(void)
{
        return (int)stop_signal;
}
