/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing files. */
#include "os_windows_internal.h"

#include <windows.h>

#include <stdlib.h>
#include <string.h>

#include "mem.h"

struct os_file {
        HANDLE handle;
        bool can_seek, owned;
        char *path;
};

struct os_file *os_file_create(const char *path, struct err *err)
{
        bool is_stdout = !strcmp(path, "-");
        HANDLE h = is_stdout ? GetStdHandle(STD_OUTPUT_HANDLE)
                             : os_windows_open(path, GENERIC_READ | GENERIC_WRITE, CREATE_ALWAYS);
        struct os_file *file;

        if (h == INVALID_HANDLE_VALUE) {
                os_windows_fail(err, path);
                return NULL;
        }
        file = mem_new(1, sizeof(*file));
        file->handle = h;
        file->owned = !is_stdout;
        file->path = mem_strdup(is_stdout ? "standard output" : path);
        file->can_seek = !is_stdout && GetFileType(h) == FILE_TYPE_DISK;
        return file;
}

bool os_output_follow(const char *path, struct buf *out, struct err *err)
{
        (void)err;
        buf_clear(out);
        buf_add_str(out, path);
        return true;
}

struct os_file *os_file_create_private(const char *path, struct err *err)
{
        return os_file_create(path, err);
}

struct os_file *os_file_create_temp(const char *prefix, struct buf *ret_path, struct err *err)
{
        enum { MAX_TRIES = 1000 };
        HANDLE h = INVALID_HANDLE_VALUE;
        struct os_file *file;

        for (unsigned i = 0; i < MAX_TRIES && h == INVALID_HANDLE_VALUE; i++) {
                buf_clear(ret_path);
                buf_printf(ret_path, "%s.%lx-%llx-%x", prefix, GetCurrentProcessId(),
                           (unsigned long long)os_monotonic_ns(), i);
                h = os_windows_open(ret_path->data, GENERIC_READ | GENERIC_WRITE, CREATE_NEW);
                if (h == INVALID_HANDLE_VALUE && GetLastError() != ERROR_FILE_EXISTS)
                        break;
        }
        if (h == INVALID_HANDLE_VALUE) {
                os_windows_fail(err, prefix);
                return NULL;
        }
        file = mem_new(1, sizeof(*file));
        *file = (struct os_file){
                .handle = h, .owned = true, .can_seek = true, .path = mem_strdup(ret_path->data)};
        return file;
}

void os_file_free(struct os_file *file)
{
        if (!file)
                return;
        if (file->owned)
                CloseHandle(file->handle);
        free(file->path);
        free(file);
}

void os_file_discard(struct os_file *file)
{
        char *path = file && file->owned && file->can_seek ? mem_strdup(file->path) : NULL;

        os_file_free(file);
        if (path)
                os_remove(path, NULL);
        free(path);
}

bool os_windows_write_all(void *handle, const void *bytes, size_t size)
{
        const char *at = bytes;

        while (size) {
                DWORD n = 0, ask = size > (1u << 30) ? (1u << 30) : (DWORD)size;

                if (!WriteFile(handle, at, ask, &n, NULL))
                        return false;
                at += n;
                size -= n;
        }
        return true;
}

bool os_file_write(struct os_file *file, const void *bytes, size_t size, struct err *err)
{
        return os_windows_write_all(file->handle, bytes, size) || os_windows_fail(err, file->path);
}

static bool seek_to(struct os_file *file, uint64_t off, DWORD from, uint64_t *ret_pos)
{
        LARGE_INTEGER to = {.QuadPart = (LONGLONG)off}, pos = {0};

        if (!SetFilePointerEx(file->handle, to, &pos, from))
                return false;
        if (ret_pos)
                *ret_pos = (uint64_t)pos.QuadPart;
        return true;
}

bool os_file_write_at(struct os_file *file, uint64_t file_off, const void *bytes, size_t size,
                      struct err *err)
{
        uint64_t back;

        if (!seek_to(file, 0, FILE_CURRENT, &back) || !seek_to(file, file_off, FILE_BEGIN, NULL) ||
            !os_windows_write_all(file->handle, bytes, size) || !seek_to(file, back, FILE_BEGIN, NULL))
                return os_windows_fail(err, file->path);
        return true;
}

bool os_file_truncate(struct os_file *file, uint64_t size, struct err *err)
{
        if (!seek_to(file, size, FILE_BEGIN, NULL) || !SetEndOfFile(file->handle))
                return os_windows_fail(err, file->path);
        return true;
}

bool os_file_can_seek(const struct os_file *file)
{
        return file->can_seek;
}

bool os_file_close(struct os_file *file, struct err *err)
{
        bool ok = !file->owned || CloseHandle(file->handle) || os_windows_fail(err, file->path);

        free(file->path);
        free(file);
        return ok;
}
