/* SPDX-License-Identifier: BSD-3-Clause */
#include <windows.h>

#include <stdlib.h>

#include "mem.h"
#include "os.h"

struct os_lock {
        CRITICAL_SECTION section;
};

struct os_lock *os_lock_new(void)
{
        struct os_lock *lock = mem_new(1, sizeof(*lock));

        InitializeCriticalSection(&lock->section);
        return lock;
}

void os_lock_free(struct os_lock *lock)
{
        if (!lock)
                return;
        DeleteCriticalSection(&lock->section);
        free(lock);
}

void os_lock_enter(struct os_lock *lock)
{
        EnterCriticalSection(&lock->section);
}

void os_lock_leave(struct os_lock *lock)
{
        LeaveCriticalSection(&lock->section);
}
