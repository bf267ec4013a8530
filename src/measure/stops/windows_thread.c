/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a suspended thread by ReadProcessMemory. */
#include <assert.h>
#include <windows.h>

#include <string.h>

#include "stop_thread.h"

size_t stop_thread_read(const struct stop_thread *thread, uint64_t addr, void *to, size_t size)
{
        SIZE_T n = 0;

        if (addr >= thread->stack_addr && addr - thread->stack_addr < thread->stack_bytes &&
            size <= thread->stack_bytes - (addr - thread->stack_addr)) {
                memcpy(to, thread->stack + (addr - thread->stack_addr), size);
                return size;
        }
        /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
        if (!ReadProcessMemory(thread->process, (const void *)(uintptr_t)addr, to, size, &n))
                return 0;
        return n;
}

size_t stop_thread_read_pieces(const struct stop_thread *thread, const struct stop_piece *pieces, size_t n)
{
        size_t n_read = 0;

        assert(n <= STOP_MAX_PIECES);
        while (n_read < n && stop_thread_read(thread, pieces[n_read].addr, pieces[n_read].to,
                                              pieces[n_read].size) == pieces[n_read].size)
                n_read++;
        return n_read;
}

uint64_t stop_thread_native_id(const struct stop_thread *thread)
{
        return (uint32_t)thread->tid;
}

bool stop_thread_find_source(int32_t pid, const char *path, struct os_stat *ret)
{
        (void)pid;
        return os_stat(path, ret) && ret->is_file;
}
