/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdlib.h>

#include "mem.h"
#include "os.h"

struct os_lock {
        pthread_mutex_t mutex;
};

struct os_lock *os_lock_new(void)
{
        struct os_lock *lock = mem_new(1, sizeof(*lock));

        pthread_mutex_init(&lock->mutex, NULL);
        return lock;
}

void os_lock_free(struct os_lock *lock)
{
        if (!lock)
                return;
        pthread_mutex_destroy(&lock->mutex);
        free(lock);
}

void os_lock_enter(struct os_lock *lock)
{
        pthread_mutex_lock(&lock->mutex);
}

void os_lock_leave(struct os_lock *lock)
{
        pthread_mutex_unlock(&lock->mutex);
}
