/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers are those of the machine for which wperf is built; a process of another kind (32 bit) has others,
 * which its reader leaves out. */
#include "wait_call.h"

#include <stddef.h>
#include <sys/syscall.h>

#include "attributes.h"

struct numbered_call {
        int32_t number;
        struct wait_call_facts facts;
};

#define CALL(name, call, fd_arg)        CALL_WITH(name, call, fd_arg, -1)
#define PATH_CALL(name, call, path_arg) CALL_WITH(name, call, -1, path_arg)
#define CALL_WITH(name, call, fd_arg, path_arg)                                                              \
        {                                                                                                    \
                SYS_##name,                                                                                  \
                {                                                                                            \
                        WAIT_CALL_##call, fd_arg, path_arg, #name                                            \
                }                                                                                            \
        }

/* Not every machine has each of them. */
static const struct numbered_call calls[] = {
#ifdef SYS_read
        CALL(read, READ, 0),
#endif
#ifdef SYS_pread64
        CALL(pread64, READ, 0),
#endif
#ifdef SYS_readv
        CALL(readv, READ, 0),
#endif
#ifdef SYS_preadv
        CALL(preadv, READ, 0),
#endif
#ifdef SYS_preadv2
        CALL(preadv2, READ, 0),
#endif
#ifdef SYS_getdents64
        CALL(getdents64, READ, 0),
#endif
#ifdef SYS_sendfile
        CALL(sendfile, READ, 1),
#endif
#ifdef SYS_splice
        CALL(splice, READ, 0),
#endif
#ifdef SYS_tee
        CALL(tee, READ, 0),
#endif
#ifdef SYS_copy_file_range
        CALL(copy_file_range, READ, 0),
#endif
#ifdef SYS_write
        CALL(write, WRITE, 0),
#endif
#ifdef SYS_pwrite64
        CALL(pwrite64, WRITE, 0),
#endif
#ifdef SYS_writev
        CALL(writev, WRITE, 0),
#endif
#ifdef SYS_pwritev
        CALL(pwritev, WRITE, 0),
#endif
#ifdef SYS_pwritev2
        CALL(pwritev2, WRITE, 0),
#endif
#ifdef SYS_open
        PATH_CALL(open, OPEN, 0),
#endif
#ifdef SYS_openat
        PATH_CALL(openat, OPEN, 1),
#endif
#ifdef SYS_openat2
        PATH_CALL(openat2, OPEN, 1),
#endif
#ifdef SYS_creat
        PATH_CALL(creat, OPEN, 0),
#endif
#ifdef SYS_fsync
        CALL(fsync, FILE, 0),
#endif
#ifdef SYS_fdatasync
        CALL(fdatasync, FILE, 0),
#endif
#ifdef SYS_sync_file_range
        CALL(sync_file_range, FILE, 0),
#endif
#ifdef SYS_ftruncate
        CALL(ftruncate, FILE, 0),
#endif
#ifdef SYS_fallocate
        CALL(fallocate, FILE, 0),
#endif
#ifdef SYS_syncfs
        CALL(syncfs, FILE, 0),
#endif
#ifdef SYS_fstat
        CALL(fstat, FILE, 0),
#endif
#ifdef SYS_fstatfs
        CALL(fstatfs, FILE, 0),
#endif
#ifdef SYS_fchmod
        CALL(fchmod, FILE, 0),
#endif
#ifdef SYS_fchown
        CALL(fchown, FILE, 0),
#endif
#ifdef SYS_close
        CALL(close, FILE, 0),
#endif
#ifdef SYS_fchdir
        CALL(fchdir, FILE, 0),
#endif
#ifdef SYS_sync
        CALL(sync, FILE, -1),
#endif
#ifdef SYS_msync
        CALL(msync, FILE, -1),
#endif
#ifdef SYS_truncate
        PATH_CALL(truncate, FILE, 0),
#endif
#ifdef SYS_rename
        PATH_CALL(rename, FILE, 0),
#endif
#ifdef SYS_renameat
        PATH_CALL(renameat, FILE, 1),
#endif
#ifdef SYS_renameat2
        PATH_CALL(renameat2, FILE, 1),
#endif
#ifdef SYS_unlink
        PATH_CALL(unlink, FILE, 0),
#endif
#ifdef SYS_unlinkat
        PATH_CALL(unlinkat, FILE, 1),
#endif
#ifdef SYS_mkdir
        PATH_CALL(mkdir, FILE, 0),
#endif
#ifdef SYS_mkdirat
        PATH_CALL(mkdirat, FILE, 1),
#endif
#ifdef SYS_rmdir
        PATH_CALL(rmdir, FILE, 0),
#endif
#ifdef SYS_link
        PATH_CALL(link, FILE, 0),
#endif
#ifdef SYS_linkat
        PATH_CALL(linkat, FILE, 1),
#endif
#ifdef SYS_symlink
        PATH_CALL(symlink, FILE, 1),
#endif
#ifdef SYS_symlinkat
        PATH_CALL(symlinkat, FILE, 2),
#endif
#ifdef SYS_stat
        PATH_CALL(stat, FILE, 0),
#endif
#ifdef SYS_lstat
        PATH_CALL(lstat, FILE, 0),
#endif
#ifdef SYS_newfstatat
        PATH_CALL(newfstatat, FILE, 1),
#endif
#ifdef SYS_statx
        PATH_CALL(statx, FILE, 1),
#endif
#ifdef SYS_access
        PATH_CALL(access, FILE, 0),
#endif
#ifdef SYS_faccessat
        PATH_CALL(faccessat, FILE, 1),
#endif
#ifdef SYS_readlink
        PATH_CALL(readlink, FILE, 0),
#endif
#ifdef SYS_readlinkat
        PATH_CALL(readlinkat, FILE, 1),
#endif
#ifdef SYS_chdir
        PATH_CALL(chdir, FILE, 0),
#endif
#ifdef SYS_chmod
        PATH_CALL(chmod, FILE, 0),
#endif
#ifdef SYS_fchmodat
        PATH_CALL(fchmodat, FILE, 1),
#endif
#ifdef SYS_chown
        PATH_CALL(chown, FILE, 0),
#endif
#ifdef SYS_lchown
        PATH_CALL(lchown, FILE, 0),
#endif
#ifdef SYS_fchownat
        PATH_CALL(fchownat, FILE, 1),
#endif
#ifdef SYS_statfs
        PATH_CALL(statfs, FILE, 0),
#endif
#ifdef SYS_utimensat
        PATH_CALL(utimensat, FILE, 1),
#endif
#ifdef SYS_faccessat2
        PATH_CALL(faccessat2, FILE, 1),
#endif
#ifdef SYS_mknod
        PATH_CALL(mknod, FILE, 0),
#endif
#ifdef SYS_mknodat
        PATH_CALL(mknodat, FILE, 1),
#endif
#ifdef SYS_getxattr
        PATH_CALL(getxattr, FILE, 0),
#endif
#ifdef SYS_lgetxattr
        PATH_CALL(lgetxattr, FILE, 0),
#endif
#ifdef SYS_setxattr
        PATH_CALL(setxattr, FILE, 0),
#endif
#ifdef SYS_listxattr
        PATH_CALL(listxattr, FILE, 0),
#endif
#ifdef SYS_execve
        PATH_CALL(execve, FILE, 0),
#endif
#ifdef SYS_execveat
        PATH_CALL(execveat, FILE, 1),
#endif
#ifdef SYS_mount
        PATH_CALL(mount, FILE, 1),
#endif
#ifdef SYS_umount2
        PATH_CALL(umount2, FILE, 0),
#endif
#ifdef SYS_munmap
        CALL(munmap, FILE, -1),
#endif
#ifdef SYS_mmap
        CALL(mmap, FILE, -1),
#endif
#ifdef SYS_flock
        CALL(flock, FILE_LOCK, 0),
#endif
#ifdef SYS_fcntl
        CALL(fcntl, FILE_LOCK, 0),
#endif
#ifdef SYS_ioctl
        CALL(ioctl, IOCTL, 0),
#endif
#ifdef SYS_poll
        CALL(poll, POLL, -1),
#endif
#ifdef SYS_ppoll
        CALL(ppoll, POLL, -1),
#endif
#ifdef SYS_select
        CALL(select, SELECT, -1),
#endif
#ifdef SYS_pselect6
        CALL(pselect6, SELECT, -1),
#endif
#ifdef SYS_epoll_wait
        CALL(epoll_wait, EPOLL, 0),
#endif
#ifdef SYS_epoll_pwait
        CALL(epoll_pwait, EPOLL, 0),
#endif
#ifdef SYS_epoll_pwait2
        CALL(epoll_pwait2, EPOLL, 0),
#endif
#ifdef SYS_connect
        CALL(connect, CONNECT, 0),
#endif
#ifdef SYS_accept
        CALL(accept, ACCEPT, 0),
#endif
#ifdef SYS_accept4
        CALL(accept4, ACCEPT, 0),
#endif
#ifdef SYS_recvfrom
        CALL(recvfrom, RECEIVE, 0),
#endif
#ifdef SYS_recvmsg
        CALL(recvmsg, RECEIVE, 0),
#endif
#ifdef SYS_recvmmsg
        CALL(recvmmsg, RECEIVE, 0),
#endif
#ifdef SYS_sendto
        CALL(sendto, SEND, 0),
#endif
#ifdef SYS_sendmsg
        CALL(sendmsg, SEND, 0),
#endif
#ifdef SYS_sendmmsg
        CALL(sendmmsg, SEND, 0),
#endif
#ifdef SYS_nanosleep
        CALL(nanosleep, SLEEP, -1),
#endif
#ifdef SYS_clock_nanosleep
        CALL(clock_nanosleep, SLEEP, -1),
#endif
#ifdef SYS_wait4
        CALL(wait4, CHILD, -1),
#endif
#ifdef SYS_waitid
        CALL(waitid, CHILD, -1),
#endif
#ifdef SYS_vfork
        CALL(vfork, VFORK, -1),
#endif
#ifdef SYS_clone
        CALL(clone, VFORK, -1),
#endif
#ifdef SYS_clone3
        CALL(clone3, VFORK, -1),
#endif
#ifdef SYS_pause
        CALL(pause, SIGNAL, -1),
#endif
#ifdef SYS_rt_sigsuspend
        CALL(rt_sigsuspend, SIGNAL, -1),
#endif
#ifdef SYS_rt_sigtimedwait
        CALL(rt_sigtimedwait, SIGNAL, -1),
#endif
#ifdef SYS_semop
        CALL(semop, SEMAPHORE, -1),
#endif
#ifdef SYS_semtimedop
        CALL(semtimedop, SEMAPHORE, -1),
#endif
#ifdef SYS_msgsnd
        CALL(msgsnd, MESSAGE, -1),
#endif
#ifdef SYS_msgrcv
        CALL(msgrcv, MESSAGE, -1),
#endif
#ifdef SYS_mq_timedsend
        CALL(mq_timedsend, MESSAGE, -1),
#endif
#ifdef SYS_mq_timedreceive
        CALL(mq_timedreceive, MESSAGE, -1),
#endif
#ifdef SYS_futex
        CALL(futex, FUTEX, -1),
#endif
#ifdef SYS_futex_waitv
        CALL(futex_waitv, FUTEX, -1),
#endif
#ifdef SYS_futex_wait
        CALL(futex_wait, FUTEX, -1),
#endif
#ifdef SYS_io_getevents
        CALL(io_getevents, AIO, -1),
#endif
#ifdef SYS_io_pgetevents
        CALL(io_pgetevents, AIO, -1),
#endif
#ifdef SYS_io_uring_enter
        CALL(io_uring_enter, IO_URING, 0),
#endif
};

struct wait_call_facts wait_call_get(int32_t number)
{
        if (number < 0)
                return (struct wait_call_facts){WAIT_CALL_NONE, -1, -1, NULL};
        for (size_t i = 0; i < N_ELEMENTS(calls); i++) {
                if (calls[i].number == number)
                        return calls[i].facts;
        }
        return (struct wait_call_facts){WAIT_CALL_OTHER, -1, -1, NULL};
}
