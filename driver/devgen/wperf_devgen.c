/* SPDX-License-Identifier: BSD-3-Clause */
/* Installs wperf's Windows driver as a service of the kernel: wperf-devgen install|uninstall|status. The driver belongs to no
 * device, so there is no INF file; Windows checks the signature in the image when it loads it.
 *
 * Exit status: 0; 1 if the command failed; 2 for wrong usage; 3 of `status` if the driver is not loaded. */
#include <windows.h>

#include <errno.h>
#include <sddl.h>
#include <shellapi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <winioctl.h>

#include "abi.h"

#define WIDE(text) L"" text
#define SERVICE    WIDE(ABI_SERVICE)
#define FILE_NAME  L"wperfdriver-2.sys"
#define PARAMETERS L"SYSTEM\\CurrentControlSet\\Services\\" SERVICE L"\\Parameters"

enum {
        PATH_CHARS = 1024,
        SECURITY_CHARS = 512,
        STOP_MS = 30000,
        DELETE_MS = 5000,
        POLL_MS = 50,
        NOT_LOADED = 3
};

/* ERROR_INVALID_IMAGE_HASH, which mingw-w64 10 does not name. */
enum { INVALID_IMAGE_HASH = 577 };

static const wchar_t usage[] =
        L"Usage: wperf-devgen install [--allow USER] [FILE]\n"
        L"       wperf-devgen uninstall\n"
        L"       wperf-devgen status\n"
        L"\n"
        L"install    copy the driver FILE (default: " FILE_NAME L" beside this program) to the\n"
        L"           system's folder and start it; if it is installed already, replace it\n"
        L"  --allow USER   let this user or group measure, too; default: administrators only\n"
        L"uninstall  stop the driver and remove it\n"
        L"status     tell whether it is installed and loaded, and its version; the exit status\n"
        L"           is 3 if it is not loaded\n";

static int fail(const wchar_t *what, DWORD error)
{
        if (error == ERROR_ACCESS_DENIED)
                fwprintf(stderr, L"wperf-devgen: %ls: access denied: run this as administrator\n", what);
        else
                fwprintf(stderr, L"wperf-devgen: %ls: Windows error %lu\n", what, error);
        return 1;
}

/* --- files --- */

static void installed_path(wchar_t path[PATH_CHARS])
{
        wchar_t folder[MAX_PATH];

        GetSystemDirectoryW(folder, MAX_PATH);
        swprintf(path, PATH_CHARS, L"%ls\\drivers\\%ls", folder, FILE_NAME);
}

static void path_beside_program(wchar_t path[PATH_CHARS])
{
        wchar_t *name;

        GetModuleFileNameW(NULL, path, PATH_CHARS - (DWORD)wcslen(FILE_NAME) - 1);
        name = wcsrchr(path, L'\\');
        wcscpy(name ? name + 1 : path, FILE_NAME);
}

static USHORT native_machine(void)
{
        typedef BOOL(WINAPI * is_wow64_process2)(HANDLE, USHORT *, USHORT *);
        /* Not in Windows before version 1709, which runs on no Arm64. */
        is_wow64_process2 ask = (is_wow64_process2)(void (*)(void))GetProcAddress(
                GetModuleHandleW(L"kernel32"), "IsWow64Process2");
        USHORT process, native;

        return ask && ask(GetCurrentProcess(), &process, &native) ? native : IMAGE_FILE_MACHINE_AMD64;
}

/* Whether the file is a driver for this machine; says why not. */
static bool check_image(const wchar_t *path)
{
        FILE *file = _wfopen(path, L"rb");
        IMAGE_DOS_HEADER dos;
        IMAGE_NT_HEADERS64 nt;
        bool is_image;

        if (!file) {
                fwprintf(stderr, L"wperf-devgen: %ls can't be opened: %hs\n", path, strerror(errno));
                return false;
        }
        is_image = fread(&dos, sizeof(dos), 1, file) == 1 && dos.e_magic == IMAGE_DOS_SIGNATURE &&
                   !fseek(file, dos.e_lfanew, SEEK_SET) && fread(&nt, sizeof(nt), 1, file) == 1 &&
                   nt.Signature == IMAGE_NT_SIGNATURE &&
                   nt.OptionalHeader.Subsystem == IMAGE_SUBSYSTEM_NATIVE;
        fclose(file);
        if (!is_image)
                fwprintf(stderr, L"wperf-devgen: %ls is not a driver\n", path);
        else if (nt.FileHeader.Machine != native_machine())
                fwprintf(stderr,
                         L"wperf-devgen: %ls is a driver for machine 0x%x, and this is a machine 0x%x "
                         L"(0xaa64: Arm64, 0x8664: x64)\n",
                         path, nt.FileHeader.Machine, native_machine());
        return is_image && nt.FileHeader.Machine == native_machine();
}

/* --- who may open the device --- */

/* A security descriptor that lets the account measure beside administrators and the system; to be freed by LocalFree. */
static PSECURITY_DESCRIPTOR descriptor_for(const wchar_t *user)
{
        wchar_t text[SECURITY_CHARS], domain[MAX_PATH], *sid_text;
        DWORD sid_bytes = SECURITY_MAX_SID_SIZE, domain_chars = MAX_PATH;
        BYTE sid[SECURITY_MAX_SID_SIZE];
        PSECURITY_DESCRIPTOR descriptor;
        SID_NAME_USE use;

        if (!LookupAccountNameW(NULL, user, sid, &sid_bytes, domain, &domain_chars, &use) ||
            !ConvertSidToStringSidW(sid, &sid_text)) {
                fwprintf(stderr, L"wperf-devgen: '%ls' is not a user or group of this machine\n", user);
                return NULL;
        }
        swprintf(text, SECURITY_CHARS, L"D:P(A;;GA;;;SY)(A;;GA;;;BA)(A;;GRGW;;;%ls)", sid_text);
        LocalFree(sid_text);
        if (!ConvertStringSecurityDescriptorToSecurityDescriptorW(text, SDDL_REVISION_1, &descriptor, NULL)) {
                fail(L"security descriptor", GetLastError());
                return NULL;
        }
        return descriptor;
}

static bool store(PSECURITY_DESCRIPTOR descriptor)
{
        LSTATUS error = RegSetKeyValueW(HKEY_LOCAL_MACHINE, PARAMETERS, L"Security", REG_BINARY, descriptor,
                                        GetSecurityDescriptorLength(descriptor));

        return !error || !fail(L"registry", (DWORD)error);
}

/* --- the service --- */

/* Returns 0 if the driver is stopped, or a Windows error; ERROR_BUSY if a program keeps it. */
static DWORD stop(SC_HANDLE service)
{
        SERVICE_STATUS status;
        DWORD begin = GetTickCount();

        if (!ControlService(service, SERVICE_CONTROL_STOP, &status) &&
            GetLastError() != ERROR_SERVICE_NOT_ACTIVE && GetLastError() != ERROR_SERVICE_CANNOT_ACCEPT_CTRL)
                return GetLastError();
        while (QueryServiceStatus(service, &status) && status.dwCurrentState != SERVICE_STOPPED) {
                if (GetTickCount() - begin > STOP_MS)
                        return ERROR_BUSY;
                Sleep(POLL_MS);
        }
        return 0;
}

static int fail_stop(DWORD error)
{
        if (error != ERROR_BUSY)
                return fail(L"stopping " SERVICE, error);
        fwprintf(
                stderr,
                L"wperf-devgen: a program uses " SERVICE L": it stops when the program ends; then run this again\n");
        return 1;
}

static int fail_start(DWORD error)
{
        if (error == INVALID_IMAGE_HASH)
                fwprintf(
                        stderr,
                        L"wperf-devgen: Windows does not accept the driver's signature: a driver that Microsoft has "
                        L"not signed is loaded in test mode only (bcdedit /set testsigning on, then restart)\n");
        else if (error == ERROR_INVALID_SECURITY_DESCR)
                fwprintf(stderr,
                         L"wperf-devgen: the driver does not accept the value Security of " PARAMETERS L"\n");
        else
                fail(L"starting " SERVICE, error);
        return 1;
}

/* Windows may need a moment to close the file of a driver that was unloaded. */
static void remove_file(const wchar_t *path)
{
        DWORD begin = GetTickCount();

        while (!DeleteFileW(path) && GetLastError() != ERROR_FILE_NOT_FOUND) {
                if (GetTickCount() - begin > DELETE_MS) {
                        MoveFileExW(path, NULL, MOVEFILE_DELAY_UNTIL_REBOOT);
                        fwprintf(stderr,
                                 L"wperf-devgen: %ls is in use; Windows removes it at its next start\n",
                                 path);
                        return;
                }
                Sleep(POLL_MS);
        }
}

static void remove_service(SC_HANDLE service)
{
        wchar_t path[PATH_CHARS];

        installed_path(path);
        RegDeleteTreeW(HKEY_LOCAL_MACHINE, PARAMETERS);
        DeleteService(service);
        remove_file(path);
}

/* Copies the driver and starts it; what was new is removed again if this fails. `descriptor` is NULL to leave as it is who may open
 * the device. */
static int put(SC_HANDLE services, const wchar_t *from, PSECURITY_DESCRIPTOR descriptor)
{
        wchar_t path[PATH_CHARS];
        SC_HANDLE service = OpenServiceW(services, SERVICE, SERVICE_ALL_ACCESS);
        bool is_new = !service, copied = false;
        DWORD error = 0;
        int status = 1;

        installed_path(path);
        if (service && (error = stop(service)))
                fail_stop(error);
        else if (!CopyFileW(from, path, FALSE))
                fail(path, GetLastError());
        else
                copied = true;
        if (copied && is_new)
                service = CreateServiceW(services, SERVICE, L"wperf driver", SERVICE_ALL_ACCESS,
                                         SERVICE_KERNEL_DRIVER, SERVICE_DEMAND_START, SERVICE_ERROR_NORMAL,
                                         path, NULL, NULL, NULL, NULL, NULL);
        if (copied && !service)
                fail(L"creating the service " SERVICE, GetLastError());
        else if (copied && (!descriptor || store(descriptor)))
                status = StartServiceW(service, 0, NULL) ? 0 : fail_start(GetLastError());
        if (status && is_new && service)
                remove_service(service);
        if (service)
                CloseServiceHandle(service);
        if (!status)
                wprintf(L"%ls: installed and loaded\n", path);
        return status;
}

static int install(SC_HANDLE services, int n, wchar_t **words)
{
        wchar_t from[PATH_CHARS], *user = NULL;
        PSECURITY_DESCRIPTOR descriptor = NULL;
        int status;

        path_beside_program(from);
        if (n >= 2 && !wcscmp(words[0], L"--allow")) {
                user = words[1];
                words += 2;
                n -= 2;
        }
        if (n > 1) {
                fputws(usage, stderr);
                return 2;
        }
        if (n && !GetFullPathNameW(words[0], PATH_CHARS, from, NULL))
                return fail(words[0], GetLastError());
        if (!check_image(from) || (user && !(descriptor = descriptor_for(user))))
                return 1;
        status = put(services, from, descriptor);
        LocalFree(descriptor);
        return status;
}

static int uninstall(SC_HANDLE services)
{
        SC_HANDLE service = OpenServiceW(services, SERVICE, SERVICE_ALL_ACCESS);
        DWORD error;

        if (!service && GetLastError() == ERROR_SERVICE_DOES_NOT_EXIST) {
                wprintf(SERVICE L" is not installed\n");
                return 0;
        }
        if (!service)
                return fail(SERVICE, GetLastError());
        error = stop(service);
        if (!error)
                remove_service(service);
        CloseServiceHandle(service);
        if (error)
                return fail_stop(error);
        wprintf(SERVICE L" is uninstalled\n");
        return 0;
}

/* --- status --- */

static int show_version(void)
{
        HANDLE device = CreateFileW(WIDE(ABI_PATH), GENERIC_READ | GENERIC_WRITE,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
        struct abi_version version;
        DWORD size;
        BOOL done;

        if (device == INVALID_HANDLE_VALUE && GetLastError() == ERROR_ACCESS_DENIED) {
                wprintf(SERVICE L" is loaded; only administrators may ask for its version\n");
                return 0;
        }
        if (device == INVALID_HANDLE_VALUE)
                return fail(WIDE(ABI_PATH), GetLastError());
        done = DeviceIoControl(device, ABI_CODE(ABI_REQUEST_VERSION), NULL, 0, &version, sizeof(version),
                               &size, NULL);
        CloseHandle(device);
        if (!done || size != sizeof(version))
                return fail(L"the version", done ? ERROR_BAD_LENGTH : GetLastError());
        version.text[sizeof(version.text) - 1] = '\0';
        wprintf(SERVICE L" is loaded: version %hs, interface %u\n", version.text, version.abi);
        return 0;
}

static int show_status(void)
{
        SC_HANDLE services = OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT);
        SC_HANDLE service = OpenServiceW(services, SERVICE, SERVICE_QUERY_STATUS);
        SERVICE_STATUS status = {0};
        int result = NOT_LOADED;

        if (!service && GetLastError() == ERROR_SERVICE_DOES_NOT_EXIST)
                wprintf(SERVICE L" is not installed\n");
        else if (!service || !QueryServiceStatus(service, &status))
                result = fail(SERVICE, GetLastError());
        else if (status.dwCurrentState != SERVICE_RUNNING)
                wprintf(SERVICE L" is installed, and not loaded; to load it: sc start " SERVICE L"\n");
        else
                result = show_version();
        if (service)
                CloseServiceHandle(service);
        CloseServiceHandle(services);
        return result;
}

int main(void)
{
        int argc;
        wchar_t **argv = CommandLineToArgvW(GetCommandLineW(), &argc);
        const wchar_t *command = argc > 1 ? argv[1] : L"";
        SC_HANDLE services;
        int status;

        if (argc == 2 && (!wcscmp(command, L"--help") || !wcscmp(command, L"-h"))) {
                fputws(usage, stdout);
                return 0;
        }
        if (argc == 2 && !wcscmp(command, L"status"))
                return show_status();
        if (wcscmp(command, L"install") && (argc != 2 || wcscmp(command, L"uninstall"))) {
                fputws(usage, stderr);
                return 2;
        }
        services = OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT | SC_MANAGER_CREATE_SERVICE);
        if (!services)
                return fail(L"services", GetLastError());
        status = wcscmp(command, L"install") ? uninstall(services) : install(services, argc - 2, argv + 2);
        CloseServiceHandle(services);
        return status;
}
