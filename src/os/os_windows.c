/* SPDX-License-Identifier: BSD-3-Clause */
/* The port to Windows: paths are UTF-8 outside and UTF-16 inside. */
#include "os.h"

#include <windows.h>

#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "text.h"

static enum err_code code_of(DWORD os)
{
        switch (os) {
        case ERROR_FILE_NOT_FOUND:
        case ERROR_PATH_NOT_FOUND: return ERR_MISSING;
        case ERROR_ACCESS_DENIED: return ERR_DENIED;
        case ERROR_TOO_MANY_OPEN_FILES: return ERR_LIMIT;
        default: return ERR_IO;
        }
}

static bool fail(struct err *err, const char *what)
{
        DWORD os = GetLastError();
        char text[128] = "";
        size_t n;

        FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, os, 0, text,
                       sizeof(text), NULL);
        n = strcspn(text, "\r\n");
        while (n && text[n - 1] == '.')
                n--;
        err_set(err, code_of(os), "%s: %.*s", what, (int)n, text);
        if (err)
                err->os = (int32_t)os;
        return false;
}

/* The path as UTF-16; release with free(). */
static wchar_t *wide(const char *text)
{
        int n = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
        wchar_t *w = mem_new((size_t)(n > 0 ? n : 1), sizeof(*w));

        if (n > 0)
                MultiByteToWideChar(CP_UTF8, 0, text, -1, w, n);
        return w;
}

static int64_t unix_ns(FILETIME ft)
{
        int64_t ticks = ((int64_t)ft.dwHighDateTime << 32) | ft.dwLowDateTime;

        return (ticks - 116444736000000000) * 100;
}

/* 0 where the file system does not keep it. */
static int64_t changed_ns(HANDLE h)
{
        FILE_BASIC_INFO basic;
        ULARGE_INTEGER ticks;

        if (!GetFileInformationByHandleEx(h, FileBasicInfo, &basic, sizeof(basic)) ||
            !basic.ChangeTime.QuadPart)
                return 0;
        ticks.QuadPart = (ULONGLONG)basic.ChangeTime.QuadPart;
        return unix_ns((FILETIME){.dwLowDateTime = ticks.LowPart, .dwHighDateTime = ticks.HighPart});
}

static HANDLE open_wide(const char *path, DWORD access, DWORD how)
{
        wchar_t *w = wide(path);
        HANDLE h = CreateFileW(w, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, how,
                               FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS, NULL);

        free(w);
        return h;
}

/* --- mapped files: Windows refuses to cut a file that is mapped, so nothing can shrink --- */

static struct os_map *map_handle(HANDLE h, struct err *err)
{
        BY_HANDLE_FILE_INFORMATION info;
        struct os_map *map;
        uint64_t size;
        void *bytes = NULL;

        if (!GetFileInformationByHandle(h, &info)) {
                fail(err, "stat");
                return NULL;
        }
        size = ((uint64_t)info.nFileSizeHigh << 32) | info.nFileSizeLow;
        if (GetFileType(h) != FILE_TYPE_DISK || (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)) {
                err_set(err, ERR_FORMAT, "is not a regular file");
                return NULL;
        }
        if (size) {
                HANDLE section = CreateFileMappingW(h, NULL, PAGE_READONLY, 0, 0, NULL);

                if (section) {
                        bytes = MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0);
                        CloseHandle(section);
                }
                if (!bytes) {
                        fail(err, "map");
                        return NULL;
                }
        }
        map = mem_new(1, sizeof(*map));
        *map = (struct os_map){
                .bytes = bytes,
                .size_bytes = (size_t)size,
                .dev = info.dwVolumeSerialNumber,
                .inode = ((uint64_t)info.nFileIndexHigh << 32) | info.nFileIndexLow,
                .mtime_ns = unix_ns(info.ftLastWriteTime),
                .ctime_ns = changed_ns(h),
        };
        return map;
}

struct os_map *os_map_open(const char *path, struct err *err)
{
        HANDLE h = open_wide(path, GENERIC_READ, OPEN_EXISTING);
        struct os_map *map;

        if (h == INVALID_HANDLE_VALUE) {
                fail(err, path);
                return NULL;
        }
        map = map_handle(h, err);
        CloseHandle(h);
        if (!map)
                err_in(err, "%s", path);
        return map;
}

struct os_map *os_map_open_of(const char *path, const struct os_origin *origin, struct err *err)
{
        return os_map_open(path, err);
}

void os_descriptor_path(int descriptor, const char *below, struct buf *out)
{
        buf_printf(out, "descriptor %d%s", descriptor, below ? below : ""); /* there are none to be had */
}

bool os_is_superuser(void)
{
        return false;
}

bool os_is_trusted_owner(uint32_t owner)
{
        return true;
}

void os_map_free(struct os_map *map)
{
        if (!map)
                return;
        if (map->bytes)
                UnmapViewOfFile(map->bytes);
        free(map);
}

/* Windows takes such pages back by itself. */
void os_map_forget(const struct os_map *map, uint64_t from, uint64_t size)
{
}

bool os_map_shrank(const struct os_map *map)
{
        return false;
}

bool os_map_check(const struct os_map *map, const char *path, struct err *err)
{
        return true;
}

/* --- files --- */

static bool read_handle(HANDLE h, size_t limit, struct buf *out, struct err *err)
{
        size_t total = 0;

        for (;;) {
                char chunk[65536];
                DWORD n = 0;

                if (!ReadFile(h, chunk, sizeof(chunk), &n, NULL)) {
                        if (GetLastError() == ERROR_BROKEN_PIPE || GetLastError() == ERROR_HANDLE_EOF)
                                return true;
                        return fail(err, "read");
                }
                if (!n)
                        return true;
                total += n;
                if (total > limit)
                        return err_set(err, ERR_LIMIT, "is larger than %zu bytes", limit);
                buf_add(out, chunk, n);
        }
}

bool os_read_file(const char *path, size_t limit, struct buf *out, struct err *err)
{
        HANDLE h = open_wide(path, GENERIC_READ, OPEN_EXISTING);
        bool ok;

        if (h == INVALID_HANDLE_VALUE)
                return fail(err, path);
        ok = read_handle(h, limit, out, err);
        CloseHandle(h);
        return ok || err_in(err, "%s", path);
}

bool os_read_regular(const char *path, size_t limit, struct buf *out, struct err *err)
{
        return os_read_file(path, limit, out, err);
}

bool os_read_public(const char *path, size_t limit, struct buf *out, struct err *err)
{
        return os_read_regular(path, limit, out, err);
}

bool os_read_stdin(size_t limit, struct buf *out, struct err *err)
{
        return read_handle(GetStdHandle(STD_INPUT_HANDLE), limit, out, err) || err_in(err, "standard input");
}

bool os_stat(const char *path, struct os_stat *ret_stat)
{
        HANDLE h = open_wide(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING);
        BY_HANDLE_FILE_INFORMATION info;
        int64_t ctime_ns;
        bool ok;

        if (h == INVALID_HANDLE_VALUE)
                return false;
        ok = GetFileInformationByHandle(h, &info);
        ctime_ns = changed_ns(h);
        CloseHandle(h);
        if (!ok)
                return false;
        *ret_stat = (struct os_stat){
                .size_bytes = ((uint64_t)info.nFileSizeHigh << 32) | info.nFileSizeLow,
                .dev = info.dwVolumeSerialNumber,
                .inode = ((uint64_t)info.nFileIndexHigh << 32) | info.nFileIndexLow,
                .mtime_ns = unix_ns(info.ftLastWriteTime),
                .ctime_ns = ctime_ns,
                .is_dir = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY,
                .is_file = !(info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY),
        };
        return true;
}

bool os_list_dir(const char *path, bool (*each)(void *ctx, const char *name), void *ctx, struct err *err)
{
        AUTO_RELEASE(buf) pattern = {0};
        WIN32_FIND_DATAW found;
        wchar_t *w;
        HANDLE h;

        buf_printf(&pattern, "%s\\*", path);
        w = wide(pattern.data);
        h = FindFirstFileW(w, &found);
        free(w);
        if (h == INVALID_HANDLE_VALUE)
                return fail(err, path);
        do {
                char name[1024];

                if (!WideCharToMultiByte(CP_UTF8, 0, found.cFileName, -1, name, sizeof(name), NULL, NULL))
                        continue;
                if (strcmp(name, ".") && strcmp(name, "..") && !each(ctx, name))
                        break;
        } while (FindNextFileW(h, &found));
        FindClose(h);
        return true;
}

/* Links are rare here: the path is made absolute. */
bool os_real_path(const char *path, struct buf *out)
{
        char *full = _fullpath(NULL, path, 0);
        struct os_stat there;
        bool ok = full && os_stat(full, &there);

        for (char *at = full; ok && *at; at++)
                *at = *at == '\\' ? '/' : *at;
        if (ok)
                buf_add_str(out, full);
        free(full);
        return ok;
}

bool os_read_link(const char *path, struct buf *out)
{
        return false;
}

bool os_can_write(const char *path, struct err *err)
{
        size_t len = strlen(path);
        AUTO_RELEASE(buf) folder = {0};
        struct os_stat there;

        if (os_stat(path, &there))
                return !there.is_dir || err_set(err, ERR_IO, "%s: it is a folder", path);
        while (len && path[len - 1] != '/' && path[len - 1] != '\\')
                len--;
        buf_add(&folder, path, len);
        return os_stat(len ? folder.data : ".", &there) || fail(err, path);
}

bool os_rename(const char *from, const char *to, struct err *err)
{
        wchar_t *f = wide(from), *t = wide(to);
        bool ok = MoveFileExW(f, t, MOVEFILE_REPLACE_EXISTING) || fail(err, from);

        free(f);
        free(t);
        return ok;
}

bool os_make_dir(const char *path, struct err *err)
{
        wchar_t *w = wide(path);
        bool ok = CreateDirectoryW(w, NULL) || GetLastError() == ERROR_ALREADY_EXISTS || fail(err, path);

        free(w);
        return ok;
}

bool os_remove(const char *path, struct err *err)
{
        wchar_t *w = wide(path);
        bool ok = DeleteFileW(w) || fail(err, path);

        free(w);
        return ok;
}

bool os_touch(const char *path, struct err *err)
{
        HANDLE h = open_wide(path, FILE_WRITE_ATTRIBUTES, OPEN_EXISTING);
        FILETIME now;
        bool ok;

        if (h == INVALID_HANDLE_VALUE)
                return fail(err, path);
        GetSystemTimeAsFileTime(&now);
        ok = SetFileTime(h, NULL, NULL, &now) || fail(err, path);
        CloseHandle(h);
        return ok;
}

bool os_is_own_dir(const char *path)
{
        struct os_stat st;

        return os_stat(path, &st) && st.is_dir;
}

bool os_is_private_dir(const char *path)
{
        return os_is_own_dir(path);
}

struct os_file {
        HANDLE handle;
        bool can_seek, owned;
        char *path;
};

struct os_file *os_file_create(const char *path, struct err *err)
{
        bool is_stdout = !strcmp(path, "-");
        HANDLE h = is_stdout ? GetStdHandle(STD_OUTPUT_HANDLE)
                             : open_wide(path, GENERIC_READ | GENERIC_WRITE, CREATE_ALWAYS);
        struct os_file *file;

        if (h == INVALID_HANDLE_VALUE) {
                fail(err, path);
                return NULL;
        }
        file = mem_new(1, sizeof(*file));
        file->handle = h;
        file->owned = !is_stdout;
        file->path = mem_strdup(is_stdout ? "standard output" : path);
        file->can_seek = !is_stdout && GetFileType(h) == FILE_TYPE_DISK;
        return file;
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
                h = open_wide(ret_path->data, GENERIC_READ | GENERIC_WRITE, CREATE_NEW);
                if (h == INVALID_HANDLE_VALUE && GetLastError() != ERROR_FILE_EXISTS)
                        break;
        }
        if (h == INVALID_HANDLE_VALUE) {
                fail(err, prefix);
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

bool os_is_fifo(const char *path)
{
        (void)path;
        return false;
}

static bool write_all(HANDLE h, const void *bytes, size_t size)
{
        const char *at = bytes;

        while (size) {
                DWORD n = 0, ask = size > (1u << 30) ? (1u << 30) : (DWORD)size;

                if (!WriteFile(h, at, ask, &n, NULL))
                        return false;
                at += n;
                size -= n;
        }
        return true;
}

bool os_file_write(struct os_file *file, const void *bytes, size_t size, struct err *err)
{
        return write_all(file->handle, bytes, size) || fail(err, file->path);
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
            !write_all(file->handle, bytes, size) || !seek_to(file, back, FILE_BEGIN, NULL))
                return fail(err, file->path);
        return true;
}

bool os_file_truncate(struct os_file *file, uint64_t size, struct err *err)
{
        if (!seek_to(file, size, FILE_BEGIN, NULL) || !SetEndOfFile(file->handle))
                return fail(err, file->path);
        return true;
}

bool os_file_can_seek(const struct os_file *file)
{
        return file->can_seek;
}

bool os_file_close(struct os_file *file, struct err *err)
{
        bool ok = !file->owned || CloseHandle(file->handle) || fail(err, file->path);

        free(file->path);
        free(file);
        return ok;
}

void os_close_descriptor(int descriptor)
{
        _close(descriptor);
}

/* --- time and machine --- */

void os_expect_use(void *memory, size_t size)
{
}

void os_expect_heap(size_t size)
{
}

uint64_t os_memory_bytes(void)
{
        MEMORYSTATUSEX memory = {.dwLength = sizeof(memory)};

        return GlobalMemoryStatusEx(&memory) ? memory.ullTotalPhys : UINT64_MAX;
}

uint64_t os_monotonic_ns(void)
{
        LARGE_INTEGER count, hz;

        QueryPerformanceCounter(&count);
        QueryPerformanceFrequency(&hz);
        return (uint64_t)(count.QuadPart / hz.QuadPart) * 1000000000u +
               (uint64_t)(count.QuadPart % hz.QuadPart) * 1000000000u / (uint64_t)hz.QuadPart;
}

void os_machine_get(struct os_machine *ret_machine)
{
        struct os_machine *m = ret_machine;
        OSVERSIONINFOA version = {.dwOSVersionInfoSize = sizeof(version)};
        MEMORYSTATUSEX memory = {.dwLength = sizeof(memory)};
        DWORD size = sizeof(m->hostname);
        SYSTEM_INFO info;

        *m = (struct os_machine){0};
        GetNativeSystemInfo(&info);
        GetComputerNameA(m->hostname, &size);
        if (GetVersionExA(&version))
                snprintf(m->os_release, sizeof(m->os_release), "%lu.%lu.%lu", version.dwMajorVersion,
                         version.dwMinorVersion, version.dwBuildNumber);
        text_copy(m->os_version, sizeof(m->os_version), "Windows");
        text_copy(m->arch, sizeof(m->arch),
                  info.wProcessorArchitecture == PROCESSOR_ARCHITECTURE_AMD64 ? "x86_64" : "aarch64");
        m->n_cpus_available = m->n_cpus_online = info.dwNumberOfProcessors;
        m->page_bytes = info.dwPageSize;
        if (GlobalMemoryStatusEx(&memory))
                m->memory_kib = memory.ullTotalPhys / 1024;
}

/* --- threads --- */

struct parallel {
        void (*fn)(void *ctx, unsigned i);
        void *ctx;
        unsigned i;
};

static DWORD WINAPI run_thread(void *arg)
{
        const struct parallel *p = arg;

        p->fn(p->ctx, p->i);
        return 0;
}

void os_parallel(unsigned n, void (*fn)(void *ctx, unsigned i), void *ctx)
{
        struct parallel args[OS_MAX_PARALLEL];
        HANDLE threads[OS_MAX_PARALLEL];

        for (unsigned i = 1; i < n; i++) {
                args[i] = (struct parallel){fn, ctx, i};
                threads[i] = CreateThread(NULL, 0, run_thread, &args[i], 0, NULL);
        }
        if (n)
                fn(ctx, 0);
        for (unsigned i = 1; i < n; i++) {
                if (threads[i]) {
                        WaitForSingleObject(threads[i], INFINITE);
                        CloseHandle(threads[i]);
                } else {
                        fn(ctx, i);
                }
        }
}

/* --- terminal and streams --- */

static HANDLE stream_handle(enum os_stream stream)
{
        return GetStdHandle(stream == OS_STDOUT ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

/* A process of another console cannot be asked. */
bool os_process_shares_terminal(int32_t pid, enum os_stream stream)
{
        DWORD pids[64], n = GetConsoleProcessList(pids, 64);

        for (DWORD i = 0; i < n && i < 64; i++) {
                if ((int32_t)pids[i] == pid)
                        return os_is_terminal(stream);
        }
        return n > 64 && os_is_terminal(stream);
}

bool os_is_terminal(enum os_stream stream)
{
        DWORD mode;

        return GetConsoleMode(stream_handle(stream), &mode);
}

unsigned os_terminal_columns(enum os_stream stream)
{
        CONSOLE_SCREEN_BUFFER_INFO info;

        if (!GetConsoleScreenBufferInfo(stream_handle(stream), &info))
                return 80;
        return (unsigned)(info.srWindow.Right - info.srWindow.Left + 1);
}

bool os_write_stream(enum os_stream stream, const void *bytes, size_t size, struct err *err)
{
        if (write_all(stream_handle(stream), bytes, size))
                return true;
        fail(err, stream == OS_STDOUT ? "standard output" : "standard error");
        if (err && (err->os == ERROR_BROKEN_PIPE || err->os == ERROR_NO_DATA))
                err->code = ERR_CLOSED;
        return false;
}

/* --- libraries and processes --- */

/* struct os_library has no definition: it is the system's own handle. */
struct os_library *os_library_open(const char *name, struct err *err)
{
        wchar_t *w = wide(name);
        HMODULE handle;

        /* A library in the folder where the user happens to stand is not taken. */
        SetDllDirectoryW(L"");
        handle = LoadLibraryW(w);
        free(w);
        if (!handle) {
                fail(err, name);
                if (err)
                        err->code = ERR_MISSING;
        }
        return (struct os_library *)handle;
}

void os_library_free(struct os_library *library)
{
        if (library)
                FreeLibrary((HMODULE)library);
}

bool os_library_find(struct os_library *library, const char *name, void *ret_function)
{
        FARPROC address = GetProcAddress((HMODULE)library, name);

        if (address)
                memcpy(ret_function, &address, sizeof(address));
        return address;
}

bool os_vdso(const uint8_t **ret_bytes, size_t *ret_size)
{
        return false;
}

const char *os_environment(const char *name)
{
        return getenv(name);
}
