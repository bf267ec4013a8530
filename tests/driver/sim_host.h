/* SPDX-License-Identifier: BSD-3-Clause */
/* What the simulated machine needs of the system on which it runs. sim_threads.c has it for POSIX,
 * tests/windows/sim_kernel.c for drivers in wine. */
#ifndef SIM_HOST_H
#define SIM_HOST_H

#include <stddef.h>
#include <stdint.h>

struct sim_lock;

/* NULL if there is no memory. */
struct sim_lock *sim_lock_new(void);
void sim_lock_free(struct sim_lock *lock);
void sim_lock_take(struct sim_lock *lock);
void sim_lock_release(struct sim_lock *lock);

/* The CPU on which this thread acts. */
void sim_host_set_cpu(uint32_t cpu);
uint32_t sim_host_cpu(void);

/* Memory that begins at a page; NULL if there is none. */
void *sim_host_allocate(size_t bytes);
void sim_host_release(void *memory);

#endif
