/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a stopped thread by process_vm_readv, and its files through /proc. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <sys/uio.h>

#include "buf.h"
#include "linux_processes.h"
#include "stop_thread.h"

size_t stop_thread_read(const struct stop_thread *thread, uint64_t addr, void *to, size_t size)
{
        struct iovec local = {to, size}, remote = {(void *)(uintptr_t)addr, size};
        ssize_t n;

        if (thread->memory)
                return thread->memory->read(thread->memory->ctx, addr, to, size) ? size : 0;
        if (addr >= thread->stack_addr && addr - thread->stack_addr < thread->stack_bytes &&
            size <= thread->stack_bytes - (addr - thread->stack_addr)) {
                memcpy(to, thread->stack + (addr - thread->stack_addr), size);
                return size;
        }
        n = process_vm_readv(thread->tid, &local, 1, &remote, 1, 0);
        return n > 0 ? (size_t)n : 0;
}

size_t stop_thread_read_pieces(const struct stop_thread *thread, const struct stop_piece *pieces, size_t n)
{
        struct iovec to[STOP_MAX_PIECES] = {0}, from[STOP_MAX_PIECES] = {0};
        size_t n_read = 0, bytes;
        ssize_t got;

        assert(n <= STOP_MAX_PIECES);
        if (thread->memory) {
                while (n_read < n &&
                       stop_thread_read(thread, pieces[n_read].addr, pieces[n_read].to, pieces[n_read].size))
                        n_read++;
                return n_read;
        }
        for (size_t i = 0; i < n; i++) {
                to[i] = (struct iovec){pieces[i].to, pieces[i].size};
                from[i] = (struct iovec){(void *)(uintptr_t)pieces[i].addr, pieces[i].size};
        }
        got = process_vm_readv(thread->tid, to, n, from, n, 0);
        bytes = got > 0 ? (size_t)got : 0;
        while (n_read < n && bytes >= pieces[n_read].size)
                bytes -= pieces[n_read++].size;
        return n_read;
}

uint64_t stop_thread_native_id(const struct stop_thread *thread)
{
        return (uint64_t)(uint32_t)proc_inner_pid(thread->tid);
}

/* Below the root or working directory of the process; if that has ended, below ours. */
bool stop_thread_find_source(int32_t pid, const char *path, struct os_stat *ret)
{
        AUTO_RELEASE(buf) seen = {0};

        buf_printf(&seen, "/proc/%" PRId32 "/%s%s", pid, *path == '/' ? "root" : "cwd/", path);
        return (os_stat(buf_text(&seen), ret) || os_stat(path, ret)) && ret->is_file;
}
