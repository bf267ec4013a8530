/* SPDX-License-Identifier: BSD-3-Clause */
/* The list: functions of Linux 4.19 to 6.18 in which a thread waits, or which call those that wait. */
#include "stack_waits.h"

#include <string.h>

#include "attributes.h"
#include "text.h"
#include "wait_functions.h"

struct stack_wait {
        const char *name; /* with `_` at its end: the beginning of names */
        uint8_t call, object;
};

/* The innermost one of them on a stack decides. */
static const struct stack_wait kernel_waits[] = {
        /* kernel/futex */
        {"futex_wait", WAIT_CALL_FUTEX, WAIT_OBJECT_NONE},
        {"futex_lock_pi", WAIT_CALL_FUTEX, WAIT_OBJECT_NONE},
        {"do_futex", WAIT_CALL_FUTEX, WAIT_OBJECT_NONE},
        /* mm: before the file systems, which read the page */
        {"handle_mm_fault", WAIT_CALL_NONE, WAIT_OBJECT_NONE},
        {"filemap_fault", WAIT_CALL_NONE, WAIT_OBJECT_NONE},
        {"exc_page_fault", WAIT_CALL_NONE, WAIT_OBJECT_NONE},
        {"do_page_fault", WAIT_CALL_NONE, WAIT_OBJECT_NONE},
        {"do_mem_abort", WAIT_CALL_NONE, WAIT_OBJECT_NONE},
        /* fs/pipe.c; anon_ and fifo_ since 6.14 */
        {"pipe_read", WAIT_CALL_READ, WAIT_OBJECT_PIPE},
        {"anon_pipe_read", WAIT_CALL_READ, WAIT_OBJECT_PIPE},
        {"fifo_pipe_read", WAIT_CALL_READ, WAIT_OBJECT_PIPE},
        {"pipe_write", WAIT_CALL_WRITE, WAIT_OBJECT_PIPE},
        {"anon_pipe_write", WAIT_CALL_WRITE, WAIT_OBJECT_PIPE},
        {"fifo_pipe_write", WAIT_CALL_WRITE, WAIT_OBJECT_PIPE},
        {"fifo_open", WAIT_CALL_READ, WAIT_OBJECT_PIPE},
        {"wait_for_partner", WAIT_CALL_READ, WAIT_OBJECT_PIPE},
        /* net */
        {"inet_csk_accept", WAIT_CALL_ACCEPT, WAIT_OBJECT_SOCKET},
        {"unix_accept", WAIT_CALL_ACCEPT, WAIT_OBJECT_SOCKET},
        {"vsock_accept", WAIT_CALL_ACCEPT, WAIT_OBJECT_SOCKET},
        {"inet_wait_for_connect", WAIT_CALL_CONNECT, WAIT_OBJECT_SOCKET},
        {"__inet_stream_connect", WAIT_CALL_CONNECT, WAIT_OBJECT_SOCKET},
        {"sk_stream_wait_memory", WAIT_CALL_SEND, WAIT_OBJECT_SOCKET},
        {"sock_alloc_send_pskb", WAIT_CALL_SEND, WAIT_OBJECT_SOCKET},
        {"unix_wait_for_peer", WAIT_CALL_SEND, WAIT_OBJECT_SOCKET},
        {"sk_wait_data", WAIT_CALL_RECEIVE, WAIT_OBJECT_SOCKET},
        {"__skb_wait_for_more_packets", WAIT_CALL_RECEIVE, WAIT_OBJECT_SOCKET},
        {"unix_stream_data_wait", WAIT_CALL_RECEIVE, WAIT_OBJECT_SOCKET},
        {"unix_stream_read_generic", WAIT_CALL_RECEIVE, WAIT_OBJECT_SOCKET},
        {"sock_recvmsg", WAIT_CALL_RECEIVE, WAIT_OBJECT_SOCKET},
        {"sock_read_iter", WAIT_CALL_RECEIVE, WAIT_OBJECT_SOCKET},
        {"sock_sendmsg", WAIT_CALL_SEND, WAIT_OBJECT_SOCKET},
        {"sock_write_iter", WAIT_CALL_SEND, WAIT_OBJECT_SOCKET},
        /* drivers/tty */
        {"n_tty_read", WAIT_CALL_READ, WAIT_OBJECT_TERMINAL},
        {"n_tty_write", WAIT_CALL_WRITE, WAIT_OBJECT_TERMINAL},
        /* what polls wait for is not on the stack; a loop of events has nothing to do */
        {"ep_poll", WAIT_CALL_EPOLL, WAIT_OBJECT_EPOLL},
        {"do_epoll_wait", WAIT_CALL_EPOLL, WAIT_OBJECT_EPOLL},
        {"do_sys_poll", WAIT_CALL_OTHER, WAIT_OBJECT_NONE},
        {"do_select", WAIT_CALL_OTHER, WAIT_OBJECT_NONE},
        /* time */
        {"do_nanosleep", WAIT_CALL_SLEEP, WAIT_OBJECT_NONE},
        {"hrtimer_nanosleep", WAIT_CALL_SLEEP, WAIT_OBJECT_NONE},
        {"timerfd_read", WAIT_CALL_READ, WAIT_OBJECT_TIMER},
        {"eventfd_read", WAIT_CALL_READ, WAIT_OBJECT_EVENT},
        {"signalfd_read", WAIT_CALL_READ, WAIT_OBJECT_EVENT},
        {"inotify_read", WAIT_CALL_READ, WAIT_OBJECT_EVENT},
        {"fanotify_read", WAIT_CALL_READ, WAIT_OBJECT_EVENT},
        /* children and signals */
        {"wait_for_vfork_done", WAIT_CALL_VFORK, WAIT_OBJECT_NONE},
        {"do_wait", WAIT_CALL_CHILD, WAIT_OBJECT_NONE},
        {"kernel_wait4", WAIT_CALL_CHILD, WAIT_OBJECT_NONE},
        {"do_sigtimedwait", WAIT_CALL_SIGNAL, WAIT_OBJECT_NONE},
        {"sigsuspend", WAIT_CALL_SIGNAL, WAIT_OBJECT_NONE},
        {"__do_sys_pause", WAIT_CALL_SIGNAL, WAIT_OBJECT_NONE},
        /* locks between processes */
        {"__do_semtimedop", WAIT_CALL_SEMAPHORE, WAIT_OBJECT_NONE},
        {"do_semtimedop", WAIT_CALL_SEMAPHORE, WAIT_OBJECT_NONE},
        {"do_msgrcv", WAIT_CALL_MESSAGE, WAIT_OBJECT_NONE},
        {"do_msgsnd", WAIT_CALL_MESSAGE, WAIT_OBJECT_NONE},
        {"wq_sleep", WAIT_CALL_MESSAGE, WAIT_OBJECT_NONE},
        {"flock_lock_inode_wait", WAIT_CALL_FILE_LOCK, WAIT_OBJECT_NONE},
        {"posix_lock_inode_wait", WAIT_CALL_FILE_LOCK, WAIT_OBJECT_NONE},
        {"locks_lock_inode_wait", WAIT_CALL_FILE_LOCK, WAIT_OBJECT_NONE},
        {"fcntl_setlk", WAIT_CALL_FILE_LOCK, WAIT_OBJECT_NONE},
        /* asynchronous input and output */
        {"io_cqring_wait", WAIT_CALL_IO_URING, WAIT_OBJECT_NONE},
        {"io_wq_worker", WAIT_CALL_IO_URING, WAIT_OBJECT_NONE},
        {"read_events", WAIT_CALL_AIO, WAIT_OBJECT_NONE},
        /* file systems and disks */
        {"do_fsync", WAIT_CALL_FILE, WAIT_OBJECT_FILE},
        {"vfs_fsync", WAIT_CALL_FILE, WAIT_OBJECT_FILE},
        {"ksys_sync", WAIT_CALL_FILE, WAIT_OBJECT_FILE},
        {"filemap_read", WAIT_CALL_READ, WAIT_OBJECT_FILE},
        {"filemap_get_pages", WAIT_CALL_READ, WAIT_OBJECT_FILE},
        {"generic_file_read_iter", WAIT_CALL_READ, WAIT_OBJECT_FILE},
        {"generic_perform_write", WAIT_CALL_WRITE, WAIT_OBJECT_FILE},
        {"balance_dirty_pages", WAIT_CALL_WRITE, WAIT_OBJECT_FILE},
        {"jbd2_log_wait_commit", WAIT_CALL_FILE, WAIT_OBJECT_FILE},
        {"ext4_", WAIT_CALL_FILE, WAIT_OBJECT_FILE},
        {"xfs_", WAIT_CALL_FILE, WAIT_OBJECT_FILE},
        {"btrfs_", WAIT_CALL_FILE, WAIT_OBJECT_FILE},
        {"nfs_", WAIT_CALL_FILE, WAIT_OBJECT_FILE},
        {"fuse_", WAIT_CALL_FILE, WAIT_OBJECT_FILE},
        {"submit_bio_wait", WAIT_CALL_FILE, WAIT_OBJECT_FILE},
        {"blkdev_", WAIT_CALL_FILE, WAIT_OBJECT_FILE},
        {"do_filp_open", WAIT_CALL_OPEN, WAIT_OBJECT_FILE},
};

/* Functions of C libraries, without underscores and __GI_ before their names. */
static const struct stack_wait library_waits[] = {
        {"lll_lock_wait", WAIT_CALL_FUTEX, WAIT_OBJECT_NONE},
        {"futex_", WAIT_CALL_FUTEX, WAIT_OBJECT_NONE},
        {"pthread_", WAIT_CALL_FUTEX, WAIT_OBJECT_NONE},
        {"sem_", WAIT_CALL_FUTEX, WAIT_OBJECT_NONE},
        {"recv", WAIT_CALL_RECEIVE, WAIT_OBJECT_SOCKET},
        {"recvfrom", WAIT_CALL_RECEIVE, WAIT_OBJECT_SOCKET},
        {"recvmsg", WAIT_CALL_RECEIVE, WAIT_OBJECT_SOCKET},
        {"send", WAIT_CALL_SEND, WAIT_OBJECT_SOCKET},
        {"sendto", WAIT_CALL_SEND, WAIT_OBJECT_SOCKET},
        {"sendmsg", WAIT_CALL_SEND, WAIT_OBJECT_SOCKET},
        {"accept", WAIT_CALL_ACCEPT, WAIT_OBJECT_SOCKET},
        {"accept4", WAIT_CALL_ACCEPT, WAIT_OBJECT_SOCKET},
        {"connect", WAIT_CALL_CONNECT, WAIT_OBJECT_SOCKET},
        {"epoll_", WAIT_CALL_EPOLL, WAIT_OBJECT_EPOLL},
        {"nanosleep", WAIT_CALL_SLEEP, WAIT_OBJECT_NONE},
        {"clock_nanosleep", WAIT_CALL_SLEEP, WAIT_OBJECT_NONE},
        {"usleep", WAIT_CALL_SLEEP, WAIT_OBJECT_NONE},
        {"sleep", WAIT_CALL_SLEEP, WAIT_OBJECT_NONE},
        {"wait4", WAIT_CALL_CHILD, WAIT_OBJECT_NONE},
        {"waitpid", WAIT_CALL_CHILD, WAIT_OBJECT_NONE},
        {"waitid", WAIT_CALL_CHILD, WAIT_OBJECT_NONE},
        {"sigwait", WAIT_CALL_SIGNAL, WAIT_OBJECT_NONE},
        {"sigtimedwait", WAIT_CALL_SIGNAL, WAIT_OBJECT_NONE},
        {"sigsuspend", WAIT_CALL_SIGNAL, WAIT_OBJECT_NONE},
        {"pause", WAIT_CALL_SIGNAL, WAIT_OBJECT_NONE},
        {"fsync", WAIT_CALL_FILE, WAIT_OBJECT_FILE},
        {"fdatasync", WAIT_CALL_FILE, WAIT_OBJECT_FILE},
        {"semop", WAIT_CALL_SEMAPHORE, WAIT_OBJECT_NONE},
        {"semtimedop", WAIT_CALL_SEMAPHORE, WAIT_OBJECT_NONE},
        {"msgrcv", WAIT_CALL_MESSAGE, WAIT_OBJECT_NONE},
        {"msgsnd", WAIT_CALL_MESSAGE, WAIT_OBJECT_NONE},
};

enum { MAX_LIBRARY_FUNCTIONS = 4 }; /* between a wait and the program */

/* Compilers and symbol versions add what follows a dot or an @. */
static const struct stack_wait *find(const struct stack_wait *waits, size_t n, const char *name)
{
        for (size_t i = 0; i < n; i++) {
                size_t len = strlen(waits[i].name);

                if (text_starts(name, waits[i].name) &&
                    (strchr(".@", name[len]) || waits[i].name[len - 1] == '_'))
                        return &waits[i];
        }
        return NULL;
}

/* The page that a system call needs is read by the same functions as the page of a fault. */
static const struct stack_wait *find_kernel(const struct wait_function *functions, size_t n)
{
        const struct stack_wait *found = NULL;

        for (size_t i = 0; i < n; i++) {
                const struct stack_wait *wait =
                        find(kernel_waits, N_ELEMENTS(kernel_waits), functions[i].name);

                if (wait && (!found || (found->object == WAIT_OBJECT_FILE && wait->call == WAIT_CALL_NONE)))
                        found = wait;
        }
        return found;
}

static const struct stack_wait *find_library(const struct wait_function *functions, size_t n)
{
        const struct stack_wait *found = NULL;

        for (size_t i = 0; !found && i < n && i < MAX_LIBRARY_FUNCTIONS && !functions[i].is_python; i++) {
                const char *name = functions[i].name;

                name += text_starts(name, "__GI_") ? strlen("__GI_") : 0;
                name += strspn(name, "_");
                name += text_starts(name, "libc_") ? strlen("libc_") : 0;
                found = find(library_waits, N_ELEMENTS(library_waits), name);
        }
        return found;
}

static size_t count_kernel(const struct wait_function *functions, size_t n)
{
        size_t kernel = 0;

        while (kernel < n && functions[kernel].is_kernel)
                kernel++;
        return kernel;
}

/* Threads of the kernel serve others. */
static bool is_kernel_thread(const struct wait_function *functions, size_t n, size_t kernel)
{
        return kernel && kernel == n &&
               (text_starts(functions[n - 1].name, "ret_from_fork") ||
                text_starts(functions[n - 1].name, "kthread"));
}

static enum wait_kind kind_of_state(char state)
{
        return state == 'I'                   ? WAIT_KIND_IDLE
               : state == 'T' || state == 't' ? WAIT_KIND_OTHER
                                              : WAIT_KIND_UNKNOWN;
}

struct wait_verdict stack_waits_decide(const struct wait_function *functions, size_t n, char state,
                                       struct buf *text)
{
        size_t kernel = count_kernel(functions, n);
        const struct stack_wait *wait = kernel ? find_kernel(functions, kernel) : find_library(functions, n);
        bool is_idle = !wait && state != 'D' && is_kernel_thread(functions, n, kernel);
        struct wait_reading reading = {
                .how = WAIT_HOW_STILL, .state = (uint8_t)state, .text = "", .python_name = ""};

        if (!wait)
                return (struct wait_verdict){.kind = is_idle ? WAIT_KIND_IDLE : kind_of_state(state)};
        reading.call = wait->call;
        reading.object = wait->object;
        return wait_kind_decide(&reading, functions + kernel, n - kernel, NULL, NULL, text);
}

static bool is_of_scheduler(const char *name)
{
        static const char *const names[] = {"__schedule", "schedule", "preempt_schedule", "io_schedule",
                                            "__cond_resched"};

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                if (text_starts(name, names[i]))
                        return true;
        }
        return false;
}

const struct wait_function *stack_waits_shown(const struct wait_function *functions, size_t n)
{
        size_t kernel = count_kernel(functions, n);

        if (kernel < n)
                return wait_functions_shown(functions + kernel, n - kernel);
        for (size_t i = 0; i < n; i++) {
                if (!is_of_scheduler(functions[i].name))
                        return &functions[i];
        }
        return n ? functions : NULL;
}
