/* SPDX-License-Identifier: BSD-3-Clause */
/* The actions of the program `acts`: each function prints its results, and returns an exit status. */
#ifndef ACTS_H
#define ACTS_H

/* Uses this amount of CPU time in the calling thread. */
void act_burn_ms(unsigned ms);

int act_vfork_for_long(void);
int act_vfork_storm(void);
int act_clone_parent(void);
int act_clone_signals(void);
int act_clone_vfork(void);
int act_debug_child(void);
int act_seize_child(void);
int act_waitid(void);
int act_signalfd(void);
int act_sigchld(void);
int act_subreaper(void);
int act_death_signal(void);
int act_seccomp_strict(void);
int act_seccomp_filter(void);
int act_ends(void);

int act_many_threads(void);
int act_breakpoints(void);
int act_single_steps(void);
int act_interrupted_calls(void);
int act_profiling_timer(void);
int act_exit_of_a_thread(void);

#endif
