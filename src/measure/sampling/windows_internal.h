/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the Windows collector.  Its source is a timer: at each tick a thread of the
 * recorder looks which threads of the targets ran since the last tick, suspends each for some microseconds
 * and copies its registers and its stack.  The other thread, which calls the functions of collector.h,
 * follows processes, threads and modules, unwinds the copies, and writes records. A HANDLE is a `void *`. */
#ifndef WINDOWS_INTERNAL_H
#define WINDOWS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "collector.h"
#include "map.h"
#include "object.h"
#include "pe_seen.h"
#include "stop_frames.h"
#include "stop_merge.h"
#include "unwind.h"
#include "unwind_outermost.h"
#include "windows_processes.h"

/* --- windows_copier.c: one thread of another process --- */

/* The CPU time of threads: by Windows' count of cycles where there is one, which is exact; else by
 * GetThreadTimes, which counts clock ticks of 10 ms or more. */
struct thread_clock {
        double ns_per_cycle; /* 0: GetThreadTimes */
};

/* Takes some milliseconds. */
void thread_clock_init(struct thread_clock *clock);

/* 0 if it can't be read. */
uint64_t thread_clock_ns(const struct thread_clock *clock, void *thread);

/* By GetThreadTimes. */
void thread_clock_split(void *thread, uint64_t *ret_user_ns, uint64_t *ret_kernel_ns);

/* The end of the thread's stack, which is at its highest address; 0 if it can't be read. */
uint64_t thread_stack_end(void *process, void *thread);

struct thread_copy {
        struct unwind_regs regs;
        size_t stack_bytes;
        bool stack_is_whole; /* the copy ends where the stack ends */
        uint64_t begin_ns, suspended_ns;
};

/* Suspends the thread and copies registers and at most `max_bytes` of its stack to `stack`.  False if that
 * is not possible, as after its end; then the thread is not suspended. */
bool thread_copy_begin(void *process, void *thread, uint64_t stack_end, uint8_t *stack, size_t max_bytes,
                       struct thread_copy *ret);

/* Resumes the thread. */
void thread_copy_end(void *thread, struct thread_copy *copy);

/* --- windows_timer.c: the timer's thread --- */

/* A thread that the timer looks at.  The handles belong to windows_targets.c. */
struct timer_thread {
        void *process, *thread;
        uint32_t pid, tid;
        uint32_t image;     /* of its process: struct stop_thread */
        uint32_t cpu;       /* UINT32_MAX if unknown */
        uint64_t stack_end; /* 0 if unknown */
        uint64_t seen_ns;   /* its CPU time that samples stand for, or that was not to be sampled */
        uint32_t n_idle;    /* how often it was looked at since it has used the CPU, up to a limit */
        uint32_t n_skip;    /* for how many ticks not to look at it */
};

struct timer_sample {
        uint32_t pid, tid, cpu;
        bool is_kernel; /* taken in Windows' kernel */
        uint64_t time_ns, period_ns;
        struct thread_copy copy;
        const uint8_t *stack;
};

struct timer_counts {
        uint64_t n_copies, n_lost; /* lost: there was no room */
        uint64_t suspended_ns, longest_ns;
        uint64_t period_ns; /* of all samples */
};

struct timer;

/* `stack_bytes`: 0 for no copies of stacks.  `python` sees each thread while it is suspended; NULL: nobody
 * does.  NULL (ERR_UNSUPPORTED) if Windows has no timer for it. */
struct timer *timer_new(uint64_t interval_ns, size_t stack_bytes, struct stop_python *python,
                        struct err *err);
void timer_free(struct timer *timer);

/* From now on looks at the thread, from its present CPU time on, or from 0 if it `is_new`. */
void timer_add(struct timer *timer, const struct timer_thread *thread, bool is_new);

/* Returns the CPU time of the thread when it was looked at last. */
uint64_t timer_remove(struct timer *timer, uint32_t tid);
void timer_begin(struct timer *timer, bool is_on);
void timer_switch(struct timer *timer, bool is_on); /* samples are only taken while it is on */
void timer_end(struct timer *timer);                /* no further samples */

/* The next sample, in order of time; valid until the next call.  False if there is none now. */
bool timer_next(struct timer *timer, struct timer_sample *ret);
struct timer_counts timer_get_counts(const struct timer *timer);

/* --- windows_driver_samples.c: samples of the driver, wperf's own or WindowsPerf's --- */

struct driver_sample {
        uint64_t pc, time_ns;
        uint64_t events; /* a bit for each event that it belongs to */
        uint32_t cpu;
        uint32_t pid, tid; /* 0: the driver does not say which process ran */
        bool is_kernel;    /* taken in Windows' kernel; known only with a process */
};

struct driver_samples;

/* Whether the driver takes these samples, not the timer. */
bool driver_samples_serve(const struct collect_request *request);

/* Takes the driver. Errors of own_driver_open and wperfdriver_open; ERR_USAGE: WPERFDRIVER, and not one
 * CPU, or an interval that is too long; ERR_LIMIT: too many events. */
struct driver_samples *driver_samples_new(const struct collect_request *request, struct err *err);
void driver_samples_free(struct driver_samples *samples);
AUTO_DEFINE(driver_samples)

bool driver_samples_begin(struct driver_samples *samples, struct err *err);

/* Takes the samples that the driver has; get them with driver_samples_next until it returns false. */
bool driver_samples_take(struct driver_samples *samples, struct err *err);
bool driver_samples_next(struct driver_samples *samples, struct driver_sample *ret);

/* The number of occurrences of the event between two samples. */
uint32_t driver_samples_interval(const struct driver_samples *samples, size_t event);

/* Stops. Samples that are left can still be taken. */
bool driver_samples_end(struct driver_samples *samples, struct err *err);

/* The number of samples that the driver dropped, as it said when it was stopped and the last ones were
 * taken. */
uint64_t driver_samples_count_dropped(const struct driver_samples *samples);

/* Whether the driver ended the run, because another program began to sample with the PMU. */
bool driver_samples_ended_early(const struct driver_samples *samples);

/* --- windows_own_samples.c: the same for wperf's own driver --- */

struct own_samples;

struct own_samples *own_samples_new(const struct collect_request *request, struct err *err);
void own_samples_free(struct own_samples *samples);
AUTO_DEFINE(own_samples)
bool own_samples_begin(struct own_samples *samples, struct err *err);
bool own_samples_take(struct own_samples *samples, struct err *err);
bool own_samples_next(struct own_samples *samples, struct driver_sample *ret);
uint32_t own_samples_interval(const struct own_samples *samples, size_t event);
bool own_samples_end(struct own_samples *samples, struct err *err);
uint64_t own_samples_count_dropped(const struct own_samples *samples);
bool own_samples_ended_early(const struct own_samples *samples);

/* --- windows_spe.c: Arm SPE through the driver, wperf's own or WindowsPerf's --- */

struct windows_spe;

/* Whether the events are of SPE. */
bool windows_spe_serves(const struct collect_request *request);

/* Takes the driver; `request` must outlive it. Errors of own_driver_open and wperfdriver_open; ERR_USAGE:
 * the CPUs; ERR_UNSUPPORTED: other events, or what the driver or a core can't do. */
struct windows_spe *windows_spe_new(const struct collect_request *request, struct err *err);
void windows_spe_free(struct windows_spe *spe); /* stops it */
AUTO_DEFINE(windows_spe)

/* Puts AUXTRACE_INFO, which comes before all other records. */
bool windows_spe_put_info(const struct windows_spe *spe, const struct record_sink *sink, struct err *err);

/* All records count for this thread, because the driver does not say who ran.  Appends ITRACE_START to
 * `out`. */
bool windows_spe_begin(struct windows_spe *spe, uint32_t pid, struct buf *out, struct err *err);

/* Takes the data that the driver has, and appends their AUX records to `out`. */
bool windows_spe_take(struct windows_spe *spe, struct buf *out, struct err *err);

/* Puts the data that were taken, after their AUX records. */
bool windows_spe_put(struct windows_spe *spe, const struct record_sink *sink, struct err *err);

/* Stops, and takes the last data as above. */
bool windows_spe_end(struct windows_spe *spe, struct buf *out, struct err *err);

/* Whether the samples come at the event's interval; else it is not known. */
bool windows_spe_sets_interval(const struct windows_spe *spe);

/* Appends which samples these are, and what was lost. */
void windows_spe_describe(const struct windows_spe *spe, struct buf *out);

/* --- windows_records.c: records of perf.data --- */

struct windows_stamp {
        uint32_t pid, tid, cpu;
        uint64_t time_ns;
};

void windows_record_comm(struct buf *out, const struct windows_stamp *stamp, const char *name);

/* A process (pid of `stamp`) or a thread that was started by the process `ppid`. */
void windows_record_fork(struct buf *out, const struct windows_stamp *stamp, uint32_t ppid);
void windows_record_exit(struct buf *out, const struct windows_stamp *stamp, uint32_t ppid);

struct windows_range {
        uint64_t start, size_bytes;
        const char *path;
        const uint8_t *build_id;
        size_t build_id_size; /* 0: device and inode, which are unknown */
};

void windows_record_mmap(struct buf *out, const struct windows_stamp *stamp,
                         const struct windows_range *range);

/* `chain` is NULL for a session without stacks. */
void windows_record_sample(struct buf *out, uint64_t event_id, const struct timer_sample *sample, uint64_t pc,
                           const struct buf *chain);
void windows_record_lost(struct buf *out, const struct windows_stamp *stamp, uint64_t n);
void windows_record_round(struct buf *out);

/* `offset` is that of the piece in the whole stream; `flags` are PERF_AUX_FLAG_... */
void windows_record_aux(struct buf *out, const struct windows_stamp *stamp, uint64_t offset,
                        uint64_t size_bytes, uint64_t flags);
void windows_record_itrace_start(struct buf *out, const struct windows_stamp *stamp);

uint64_t windows_record_sample_type(bool has_chain);
enum { WINDOWS_EVENT_ID = 1 }; /* of the first event; further ones have the next numbers */

/* --- windows_modules.c: what a process has loaded --- */

/* A file that processes have loaded.  It is open as long as a process has it loaded: an open file can't be
 * replaced. */
struct module_file {
        char *path;
        int64_t mtime_ns;
        size_t n_users;
        struct object *object; /* NULL if it can't be read */
        struct outermost *outermost;
        uint8_t build_id[OBJECT_BUILD_ID_BYTES];
        uint8_t build_id_size;
        struct module_file *next; /* with the same hash of path and time */
};

struct module_files {
        struct map by_name; /* to the pointer */
        struct module_file **items;
        size_t n, cap;
        struct pe_seen seen;
};

void module_files_release(struct module_files *files);

struct process_module {
        uint64_t start, size_bytes;
        uint32_t entry, time_stamp; /* from its header */
        struct module_file *file;
        bool is_there; /* in the list that is being read */
        bool is_gone;  /* unloaded since the last round */
        bool is_told;  /* windows_python.c has seen it */
};

/* Sorted by start. */
struct process_modules {
        struct process_module *items;
        size_t n, cap;
        uint64_t read_ns; /* when the list was last read; 0: never */
};

/* Reads the list again.  Appends maps of new modules to `out`, with the time of `stamp`, and notes which
 * are gone.  False if the process can't be read, as before its loader has begun and after its end. */
bool process_modules_read(struct process_modules *modules, struct module_files *files, void *process,
                          const struct windows_stamp *stamp, struct buf *out);

/* Appends records that say that the ranges of modules that are gone have no module any more, and forgets
 * them. */
void process_modules_forget(struct process_modules *modules, const struct windows_stamp *stamp,
                            struct buf *out);
const struct process_module *process_modules_find(const struct process_modules *modules, uint64_t addr);
void process_modules_release(struct process_modules *modules);

/* --- windows_targets.c: processes and threads --- */

struct target_thread {
        void *handle;
        uint32_t tid;
        bool is_there, has_ended;
        uint64_t user_ns, kernel_ns; /* when it was added, or when sampling was switched on */
};

struct target_process {
        void *handle;
        uint32_t pid, ppid, cpu;
        uint32_t image; /* a number of its own: a pid may be reused */
        bool is_there, has_ended;
        bool is_attached;  /* named by the user */
        bool is_started;   /* it has begun while wperf was watching, so all its CPU time counts */
        uint64_t begin_ns; /* the time of its records of the beginning */
        struct target_thread *threads;
        size_t n_threads, cap_threads;
        struct process_modules modules;
};

struct targets {
        struct windows_command command;
        struct target_process **items;
        size_t n, cap;
        uint32_t n_images;
        struct map by_pid;   /* to the pointer */
        struct map expected; /* set of processes in the command's job that were not seen yet */
        struct timer *timer;
        struct buf *out;
        uint64_t now_ns;
        bool is_list_all;            /* the first list: processes and threads that already run */
        bool with_children;          /* child processes too */
        bool with_new_threads;       /* threads that begin later too */
        uint64_t user_ns, kernel_ns; /* CPU time of threads that have ended */
};

/* Opens a process.  ERR_MISSING, ERR_DENIED. */
bool targets_attach(struct targets *targets, uint32_t pid, struct err *err);

/* Adds the command, which is suspended. */
void targets_add_command(struct targets *targets);

/* Follows processes and threads: appends records of those that have begun or ended to `out`. */
void targets_follow(struct targets *targets, uint64_t now_ns);
struct target_process *targets_find(const struct targets *targets, uint32_t pid);

/* Forgets the processes that have ended, when their samples are written. */
void targets_forget_ended(struct targets *targets);

/* Whether the command, or one of the attached processes, still runs. */
bool targets_run(const struct targets *targets);

/* Begins to count CPU time anew. */
void targets_begin_time(struct targets *targets);
void targets_get_time(const struct targets *targets, uint64_t *ret_user_ns, uint64_t *ret_kernel_ns);
void targets_release(struct targets *targets);

/* --- windows_walker.c: call stacks --- */

struct walker {
        struct unwind_frame frames[UNWIND_MAX_FRAMES];
        struct unwind_walked walked;
        struct stack_marks marks;
        struct stack_cuts cuts;
        struct buf unpacked; /* of `cuts`, at the end */
        struct buf chain;
};

struct walker *walker_new(void);
void walker_free(struct walker *walker);

/* Unwinds the stack. False if the outermost function was not reached. */
bool walker_walk(struct walker *walker, const struct process_modules *modules,
                 const struct timer_sample *sample);

/* Counts the last walk and returns its call chain in the kernel's format, valid until the next walk.  With
 * `merge`, which may be NULL, the chain has the Python frames of the sample for which stop_merge_begin was
 * called. */
const struct buf *walker_take(struct walker *walker, struct stop_merge *merge);

/* The counts; `cut` is NULL unless `is_last`. */
const struct stack_marks *walker_get_marks(struct walker *walker, bool is_last);

#endif
