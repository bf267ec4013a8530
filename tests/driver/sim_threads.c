/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdlib.h>

#include "sim_host.h"

struct sim_lock {
        pthread_mutex_t mutex;
};

static _Thread_local uint32_t current_cpu;

struct sim_lock *sim_lock_new(void)
{
        struct sim_lock *lock = malloc(sizeof(*lock));

        if (lock)
                pthread_mutex_init(&lock->mutex, NULL);
        return lock;
}

void sim_lock_free(struct sim_lock *lock)
{
        pthread_mutex_destroy(&lock->mutex);
        free(lock);
}

void sim_lock_take(struct sim_lock *lock)
{
        pthread_mutex_lock(&lock->mutex);
}

void sim_lock_release(struct sim_lock *lock)
{
        pthread_mutex_unlock(&lock->mutex);
}

void sim_host_set_cpu(uint32_t cpu)
{
        current_cpu = cpu;
}

uint32_t sim_host_cpu(void)
{
        return current_cpu;
}

void *sim_host_allocate(size_t bytes)
{
        return aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
}

void sim_host_release(void *memory)
{
        free(memory);
}
