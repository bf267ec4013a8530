/* SPDX-License-Identifier: BSD-3-Clause */
/* Implements os.h for Windows: paths are UTF-8 in the interface and UTF-16 inside. */
#include "os_windows_internal.h"

#include <assert.h>
#include <windows.h>

#include <io.h>
#include <shellapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "os_left_out.h"
#include "os_windows_console.h"
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

bool os_windows_fail(struct err *err, const char *what)
{
        DWORD os = GetLastError();
        wchar_t wide[128] = L"";
        AUTO_RELEASE(buf) text = {0};
        size_t n;

        FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, os, 0, wide,
                       N_ELEMENTS(wide), NULL);
        os_windows_add_text(wide, &text);
        n = strcspn(buf_text(&text), "\r\n");
        while (n && text.data[n - 1] == '.')
                n--;
        if (n)
                err_set(err, code_of(os), "%s: %.*s", what, (int)n, text.data);
        else
                err_set(err, code_of(os), "%s: Windows' error %lu", what, os);
        if (err)
                err->os = (int32_t)os;
        return false;
}

wchar_t *os_windows_wide(const char *text)
{
        int n = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
        wchar_t *w = mem_new((size_t)(n > 0 ? n : 1), sizeof(*w));

        if (n > 0)
                MultiByteToWideChar(CP_UTF8, 0, text, -1, w, n);
        return w;
}

wchar_t *os_windows_wide_path(const char *path)
{
        enum { LONGEST = 240 }; /* Windows' limit is 260 for a file, and less for a folder */
        static const wchar_t prefix[] = L"\\\\?\\", share[] = L"\\\\?\\UNC\\";
        wchar_t *w = os_windows_wide(path), *full;
        bool is_share;
        DWORD n;

        if (wcslen(w) < LONGEST || !wcsncmp(w, prefix, 4))
                return w;
        n = GetFullPathNameW(w, 0, NULL, NULL);
        full = mem_new(n + N_ELEMENTS(share), sizeof(*full));
        if (!n || !GetFullPathNameW(w, n, full, NULL)) {
                free(full);
                return w;
        }
        is_share = full[0] == L'\\' && full[1] == L'\\';
        memmove(full + (is_share ? wcslen(share) - 2 : wcslen(prefix)), full,
                (wcslen(full) + 1) * sizeof(*full));
        memcpy(full, is_share ? share : prefix, (is_share ? wcslen(share) : wcslen(prefix)) * sizeof(*full));
        free(w);
        return full;
}

void os_windows_add_text(const wchar_t *text, struct buf *out)
{
        int n = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);

        if (n <= 1)
                return;
        WideCharToMultiByte(CP_UTF8, 0, text, -1, buf_extend(out, (size_t)n), n, NULL, NULL);
        buf_truncate(out, out->len - 1);
}

int64_t os_windows_unix_ns(const FILETIME *time)
{
        int64_t ticks = ((int64_t)time->dwHighDateTime << 32) | time->dwLowDateTime;

        return (ticks - 116444736000000000) * 100;
}

int64_t os_windows_changed_ns(void *handle)
{
        FILE_BASIC_INFO basic;
        ULARGE_INTEGER ticks;

        if (!GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof(basic)) ||
            !basic.ChangeTime.QuadPart)
                return 0;
        ticks.QuadPart = (ULONGLONG)basic.ChangeTime.QuadPart;
        return os_windows_unix_ns(
                &(FILETIME){.dwLowDateTime = ticks.LowPart, .dwHighDateTime = ticks.HighPart});
}

void *os_windows_open(const char *path, uint32_t access, uint32_t how)
{
        wchar_t *w = os_windows_wide_path(path);
        HANDLE h = CreateFileW(w, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, how,
                               FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS, NULL);

        free(w);
        return h;
}

void os_descriptor_path(int descriptor, const char *below, struct buf *out)
{
        buf_printf(out, "descriptor %d%s", descriptor, below ? below : ""); /* not available on Windows */
}

bool os_has_borrowed_rights(void)
{
        return false;
}

bool os_is_superuser(void)
{
        return false;
}

bool os_is_trusted_owner(uint32_t owner)
{
        return true;
}

/* --- Files --- */

static bool read_handle(HANDLE h, size_t limit, struct buf *out, struct err *err)
{
        size_t total = 0;

        for (;;) {
                char chunk[65536];
                DWORD n = 0;

                if (!ReadFile(h, chunk, sizeof(chunk), &n, NULL)) {
                        if (GetLastError() == ERROR_BROKEN_PIPE || GetLastError() == ERROR_HANDLE_EOF)
                                return true;
                        return os_windows_fail(err, "read");
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
        HANDLE h = os_windows_open(path, GENERIC_READ, OPEN_EXISTING);
        bool ok;

        if (h == INVALID_HANDLE_VALUE)
                return os_windows_fail(err, path);
        ok = read_handle(h, limit, out, err);
        CloseHandle(h);
        return ok || err_in(err, "%s", path);
}

bool os_read_regular(const char *path, size_t limit, struct buf *out, struct err *err)
{
        return os_read_file(path, limit, out, err);
}

bool os_read_public(const char *path, bool is_given, size_t limit, struct buf *out, struct err *err)
{
        (void)is_given;
        return os_read_regular(path, limit, out, err);
}

bool os_read_stdin(size_t limit, struct buf *out, struct err *err)
{
        return read_handle(GetStdHandle(STD_INPUT_HANDLE), limit, out, err) || err_in(err, "standard input");
}

bool os_stat(const char *path, struct os_stat *ret_stat)
{
        HANDLE h = os_windows_open(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING);
        BY_HANDLE_FILE_INFORMATION info;
        int64_t ctime_ns;
        bool ok;

        if (h == INVALID_HANDLE_VALUE)
                return false;
        ok = GetFileInformationByHandle(h, &info);
        ctime_ns = os_windows_changed_ns(h);
        CloseHandle(h);
        if (!ok)
                return false;
        *ret_stat = (struct os_stat){
                .size_bytes = ((uint64_t)info.nFileSizeHigh << 32) | info.nFileSizeLow,
                .dev = info.dwVolumeSerialNumber,
                .inode = ((uint64_t)info.nFileIndexHigh << 32) | info.nFileIndexLow,
                .mtime_ns = os_windows_unix_ns(&info.ftLastWriteTime),
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
        w = os_windows_wide_path(pattern.data);
        h = FindFirstFileW(w, &found);
        free(w);
        if (h == INVALID_HANDLE_VALUE)
                return os_windows_fail(err, path);
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

/* Links are rare on Windows, so the path is only made absolute. */
bool os_real_path(const char *path, struct buf *out)
{
        wchar_t *w = os_windows_wide(path), *full = _wfullpath(NULL, w, 0);
        size_t start = out->len;
        struct os_stat there;
        bool ok = full && os_stat(path, &there);

        if (ok)
                os_windows_add_text(full, out);
        for (size_t i = start; i < out->len; i++)
                out->data[i] = out->data[i] == '\\' ? '/' : out->data[i];
        free(full);
        free(w);
        return ok;
}

bool os_read_link(const char *path, struct buf *out)
{
        return false;
}

bool os_runs_script(const char *path)
{
        (void)path;
        return false;
}

const char *os_python(void)
{
        return "py";
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
        return os_stat(len ? folder.data : ".", &there) || os_windows_fail(err, path);
}

bool os_rename(const char *from, const char *to, struct err *err)
{
        wchar_t *f = os_windows_wide_path(from), *t = os_windows_wide_path(to);
        bool ok = MoveFileExW(f, t, MOVEFILE_REPLACE_EXISTING) || os_windows_fail(err, from);

        free(f);
        free(t);
        return ok;
}

bool os_make_dir(const char *path, struct err *err)
{
        wchar_t *w = os_windows_wide_path(path);
        bool ok = CreateDirectoryW(w, NULL) || GetLastError() == ERROR_ALREADY_EXISTS ||
                  os_windows_fail(err, path);

        free(w);
        return ok;
}

bool os_remove(const char *path, struct err *err)
{
        wchar_t *w = os_windows_wide_path(path);
        bool ok = DeleteFileW(w) || os_windows_fail(err, path);

        free(w);
        return ok;
}

bool os_touch(const char *path, struct err *err)
{
        HANDLE h = os_windows_open(path, FILE_WRITE_ATTRIBUTES, OPEN_EXISTING);
        FILETIME now;
        bool ok;

        if (h == INVALID_HANDLE_VALUE)
                return os_windows_fail(err, path);
        GetSystemTimeAsFileTime(&now);
        ok = SetFileTime(h, NULL, NULL, &now) || os_windows_fail(err, path);
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

bool os_is_fifo(const char *path)
{
        (void)path;
        return false;
}

void os_close_descriptor(int descriptor)
{
        _close(descriptor);
}

/* --- Time and machine --- */

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

void os_give_memory_back(void)
{
}

uint64_t os_monotonic_ns(void)
{
        LARGE_INTEGER count, hz;

        QueryPerformanceCounter(&count);
        QueryPerformanceFrequency(&hz);
        return (uint64_t)(count.QuadPart / hz.QuadPart) * 1000000000u +
               (uint64_t)(count.QuadPart % hz.QuadPart) * 1000000000u / (uint64_t)hz.QuadPart;
}

/* A FILETIME counts 100 ns since 1601. */
uint64_t os_wall_clock_ns(void)
{
        static const uint64_t epoch = 116444736000000000u;
        FILETIME time;

        GetSystemTimeAsFileTime(&time);
        return (((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) - epoch) * 100;
}

bool os_sleep(uint64_t ns)
{
        enum { LOOK_MS = 50 };
        uint64_t end_ns = os_monotonic_ns() + ns, now_ns;

        while ((now_ns = os_monotonic_ns()) < end_ns && !os_stop_requested()) {
                uint64_t left_ms = (end_ns - now_ns + 999999) / 1000000;

                Sleep((DWORD)(left_ms < LOOK_MS ? left_ms : LOOK_MS));
        }
        return !os_stop_requested();
}

/* IMAGE_FILE_MACHINE_...: other functions say x64 to a program for x64 that is emulated on ARM64. */
static USHORT native_machine(void)
{
        BOOL(WINAPI * query)(HANDLE process, USHORT * ret_process, USHORT * ret_native);
        FARPROC address = GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "IsWow64Process2");
        USHORT process, native;
        SYSTEM_INFO info;

        memcpy(&query, &address, sizeof(query));
        if (address && query(GetCurrentProcess(), &process, &native))
                return native;
        GetNativeSystemInfo(&info);
        return info.wProcessorArchitecture == PROCESSOR_ARCHITECTURE_AMD64 ? IMAGE_FILE_MACHINE_AMD64
                                                                           : IMAGE_FILE_MACHINE_ARM64;
}

void os_machine_get(struct os_machine *ret_machine)
{
        struct os_machine *m = ret_machine;
        OSVERSIONINFOA version = {.dwOSVersionInfoSize = sizeof(version)};
        MEMORYSTATUSEX memory = {.dwLength = sizeof(memory)};
        DWORD size = sizeof(m->hostname);
        SYSTEM_INFO info;

        *m = (struct os_machine){0};
        GetSystemInfo(&info);
        GetComputerNameA(m->hostname, &size);
        if (GetVersionExA(&version))
                snprintf(m->os_release, sizeof(m->os_release), "%lu.%lu.%lu", version.dwMajorVersion,
                         version.dwMinorVersion, version.dwBuildNumber);
        text_copy(m->os_version, sizeof(m->os_version), "Windows");
        text_copy(m->arch, sizeof(m->arch),
                  native_machine() == IMAGE_FILE_MACHINE_AMD64 ? "x86_64" : "aarch64");
        m->n_cpus_available = m->n_cpus_online = info.dwNumberOfProcessors;
        m->page_bytes = info.dwPageSize;
        if (GlobalMemoryStatusEx(&memory))
                m->memory_kib = memory.ullTotalPhys / 1024;
}

/* --- Threads --- */

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

        assert(n <= OS_MAX_PARALLEL);
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

/* --- Terminal and streams --- */

static HANDLE stream_handle(enum os_stream stream)
{
        return GetStdHandle(stream == OS_STDOUT ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

/* True for processes of the same console.  If it has more than 64, the list is incomplete, and true is
 * returned for any process. */
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
        static struct os_windows_console consoles[2];
        HANDLE handle = stream_handle(stream);

        assert(stream == OS_STDOUT || stream == OS_STDERR);
        if (os_windows_console_is(handle)
                    ? os_windows_console_write(&consoles[stream == OS_STDOUT], handle, bytes, size)
                    : os_windows_write_all(handle, bytes, size))
                return true;
        os_windows_fail(err, stream == OS_STDOUT ? "standard output" : "standard error");
        if (err && (err->os == ERROR_BROKEN_PIPE || err->os == ERROR_NO_DATA))
                err->code = ERR_CLOSED;
        return false;
}

bool os_offer_stream(enum os_stream stream, const void *bytes, size_t size, struct err *err)
{
        return os_write_stream(stream, bytes, size, err);
}

/* --- Libraries and processes --- */

/* struct os_library is never defined: a pointer to it is the system's handle. */
struct os_library *os_library_open(const char *name, struct err *err)
{
        wchar_t *w = os_windows_wide(name);
        HMODULE handle;

        /* Libraries in the working folder are not loaded. */
        SetDllDirectoryW(L"");
        handle = LoadLibraryW(w);
        free(w);
        if (!handle) {
                os_windows_fail(err, name);
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

/* Values are kept, so that a text stays valid; only cli asks, for a few names. */
const char *os_environment(const char *name)
{
        static struct os_variable {
                const char *name;
                char *value;
        } known[16];
        size_t i = 0;
        AUTO_RELEASE(buf) text = {0};
        wchar_t *w;
        const wchar_t *value;

        while (i < N_ELEMENTS(known) && known[i].name && strcmp(known[i].name, name))
                i++;
        if (i == N_ELEMENTS(known))
                return getenv(name);
        if (known[i].name)
                return known[i].value;
        w = os_windows_wide(name);
        value = _wgetenv(w);
        free(w);
        known[i].name = name;
        if (!value)
                return NULL;
        os_windows_add_text(value, &text);
        known[i].value = buf_take(&text);
        return known[i].value;
}

/* The C library's own arguments have lost the characters that the code page lacks. */
char **os_arguments(int *argc, char **argv)
{
        int n = 0;
        wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &n);
        char **arguments;

        if (!wide)
                return argv;
        arguments = mem_new((size_t)n + 1, sizeof(*arguments));
        for (int i = 0; i < n; i++) {
                AUTO_RELEASE(buf) text = {0};

                os_windows_add_text(wide[i], &text);
                arguments[i] = buf_take(&text);
        }
        LocalFree(wide);
        *argc = n;
        return arguments;
}

/* Here nothing is left out. */
const char *os_left_out(size_t number)
{
        return NULL;
}
