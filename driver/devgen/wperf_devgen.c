/* SPDX-License-Identifier: BSD-3-Clause */
/* Installs wperf's Windows driver as a service of the kernel: wperf-devgen
 * install|upgrade|uninstall|status. A .sys file is installed by the service functions, and Windows checks
 * the signature in the image when it loads it. An .inf file is a driver package without a device: Windows
 * checks the signature of its catalogue, and keeps the package in its driver store.
 *
 * Exit status: 0; 1 if the command failed; 2 for wrong usage; 3 of `status` if the driver is not loaded. */
#include <windows.h>

#include <errno.h>
#include <sddl.h>
#include <setupapi.h>
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
#define INF_NAME   L"wperfdriver-2.inf"
#define PARAMETERS L"SYSTEM\\CurrentControlSet\\Services\\" SERVICE L"\\Parameters"

enum {
        PATH_CHARS = 1024,
        SECURITY_CHARS = 512,
        CONFIG_BYTES = 8192,
        STOP_MS = 30000,
        DELETE_MS = 5000,
        POLL_MS = 50,
        NOT_LOADED = 3
};

/* ERROR_INVALID_IMAGE_HASH, which mingw-w64 10 does not name. */
enum { INVALID_IMAGE_HASH = 577 };

static const wchar_t usage[] =
        L"Usage: wperf-devgen install [--allow USER] [FILE]\n"
        L"       wperf-devgen upgrade [FILE]\n"
        L"       wperf-devgen uninstall\n"
        L"       wperf-devgen status\n"
        L"       wperf-devgen --version\n"
        L"\n"
        L"install    copy the driver FILE (default: " FILE_NAME L" beside this program) to the\n"
        L"           system's folder and start it; if it is installed already, replace it.\n"
        L"           If FILE is an .inf file, add the driver package to Windows' driver store\n"
        L"  --allow USER   let this user or group measure, too; default: administrators only\n"
        L"upgrade    replace an installed driver; who may measure stays as it is. If the new\n"
        L"           .sys file can't be loaded, put the former one back\n"
        L"uninstall  stop the driver and remove it\n"
        L"status     tell whether it is installed and loaded, and its version; the exit status\n"
        L"           is 3 if it is not loaded\n";

static int fail(const wchar_t *what, DWORD error)
{
        if (error == ERROR_ACCESS_DENIED)
                fwprintf(stderr, L"wperf-devgen: %ls: access denied: run this as administrator\n", what);
        else
                fwprintf(stderr,
                         error > 0xffff ? L"wperf-devgen: %ls: Windows error 0x%lx\n"
                                        : L"wperf-devgen: %ls: Windows error %lu\n",
                         what, error);
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

/* Whether the INF file and the driver beside it can be read, and are for this machine; says why not. */
static bool check_package(const wchar_t *inf)
{
        wchar_t image[PATH_CHARS], *name;

        if (GetFileAttributesW(inf) == INVALID_FILE_ATTRIBUTES) {
                fwprintf(stderr, L"wperf-devgen: %ls can't be opened: Windows error %lu\n", inf,
                         GetLastError());
                return false;
        }
        wcscpy(image, inf);
        name = wcsrchr(image, L'\\');
        if (!name || name + 1 + wcslen(FILE_NAME) >= image + PATH_CHARS)
                return false;
        wcscpy(name + 1, FILE_NAME);
        return check_image(image);
}

/* --- who may open the device --- */

/* A security descriptor that lets the account measure beside administrators and the system; to be freed by
 * LocalFree. */
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

/* --- driver packages --- */

/* Not those of the same name beside this program. */
static FARPROC system_function(const wchar_t *library, const char *name)
{
        HMODULE module = LoadLibraryExW(library, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);

        return module ? GetProcAddress(module, name) : NULL;
}

/* The folder of the package in the driver store; false if the driver was installed without an INF file. */
static bool package_folder(SC_HANDLE service, wchar_t path[PATH_CHARS])
{
        static const wchar_t root[] = L"\\SystemRoot\\", store[] = L"System32\\DriverStore\\";
        union {
                QUERY_SERVICE_CONFIGW config;
                BYTE bytes[CONFIG_BYTES];
        } query;
        wchar_t windows[MAX_PATH], *image, *name;
        DWORD needed;

        if (!QueryServiceConfigW(service, &query.config, sizeof(query), &needed) ||
            !query.config.lpBinaryPathName)
                return false;
        image = query.config.lpBinaryPathName;
        if (!_wcsnicmp(image, root, wcslen(root)))
                image += wcslen(root);
        if (_wcsnicmp(image, store, wcslen(store)) || wcslen(image) > PATH_CHARS - MAX_PATH - 2)
                return false;
        GetSystemWindowsDirectoryW(windows, MAX_PATH);
        swprintf(path, PATH_CHARS, L"%ls\\%ls", windows, image);
        name = wcsrchr(path, L'\\');
        *name = L'\0';
        return true;
}

/* Returns 0 or a Windows error. */
static DWORD remove_package(const wchar_t *folder)
{
        typedef BOOL(WINAPI * get_published_name)(PCWSTR, PWSTR, DWORD, PDWORD);
        typedef BOOL(WINAPI * uninstall_driver)(HWND, LPCWSTR, DWORD, PBOOL);
        get_published_name published_name = (get_published_name)(void (*)(void))system_function(
                L"setupapi.dll", "SetupGetInfPublishedNameW");
        uninstall_driver uninstall_it =
                (uninstall_driver)(void (*)(void))system_function(L"newdev.dll", "DiUninstallDriverW");
        wchar_t inf[PATH_CHARS], published[PATH_CHARS];
        BOOL restart = FALSE;
        DWORD size;

        if (!published_name || !uninstall_it)
                return ERROR_PROC_NOT_FOUND;
        swprintf(inf, PATH_CHARS, L"%ls\\%ls", folder, INF_NAME);
        if (!published_name(inf, published, PATH_CHARS, &size) || !uninstall_it(NULL, published, 0, &restart))
                return GetLastError();
        if (restart)
                fwprintf(stderr, L"wperf-devgen: restart Windows to remove the last files of the driver\n");
        return 0;
}

static int fail_package(const wchar_t *inf, DWORD error)
{
        switch (error) {
        case ERROR_NO_CATALOG_FOR_OEM_INF:
        case ERROR_AUTHENTICODE_TRUST_NOT_ESTABLISHED:
        case ERROR_AUTHENTICODE_PUBLISHER_NOT_TRUSTED:
        case (DWORD)TRUST_E_NOSIGNATURE:
        case (DWORD)CERT_E_UNTRUSTEDROOT:
                fwprintf(
                        stderr,
                        L"wperf-devgen: Windows does not accept the signature of the catalogue of %ls (error 0x%lx): "
                        L"for tests, import the certificate with which it was signed, and switch test mode on "
                        L"(bcdedit /set testsigning on, then restart)\n",
                        inf, error);
                return 1;
        default: return fail(inf, error);
        }
}

/* Returns 0 or a Windows error. */
static DWORD add_package(const wchar_t *inf)
{
        typedef BOOL(WINAPI * install_driver)(HWND, LPCWSTR, DWORD, PBOOL);
        install_driver install_it =
                (install_driver)(void (*)(void))system_function(L"newdev.dll", "DiInstallDriverW");
        BOOL restart = FALSE;

        if (!install_it)
                return ERROR_PROC_NOT_FOUND;
        if (!install_it(NULL, inf, 0, &restart))
                return GetLastError();
        if (restart)
                fwprintf(stderr, L"wperf-devgen: restart Windows to complete the installation\n");
        return 0;
}

/* False, after a message, if the package stays. */
static bool remove_service(SC_HANDLE service)
{
        wchar_t path[PATH_CHARS];
        DWORD error;

        RegDeleteTreeW(HKEY_LOCAL_MACHINE, PARAMETERS);
        if (package_folder(service, path)) {
                if ((error = remove_package(path)))
                        fail(path, error);
                return !error;
        }
        installed_path(path);
        DeleteService(service);
        remove_file(path);
        return true;
}

/* Whether the other kind of installation is there already; says so. */
static bool is_other_kind(SC_HANDLE service, bool is_package)
{
        wchar_t path[PATH_CHARS];

        if (package_folder(service, path) == is_package)
                return false;
        fwprintf(
                stderr,
                L"wperf-devgen: " SERVICE L" was installed %ls an INF file; run 'wperf-devgen uninstall' first\n",
                is_package ? L"without" : L"by");
        return true;
}

/* Adds the package to the driver store and starts the driver; what was new is removed again if this fails. */
static int put_package(SC_HANDLE services, const wchar_t *inf, PSECURITY_DESCRIPTOR descriptor)
{
        SC_HANDLE service = OpenServiceW(services, SERVICE, SERVICE_ALL_ACCESS);
        bool is_new = !service;
        DWORD error = 0;
        int status = 1;

        if (service && is_other_kind(service, true))
                return 1;
        if (service && (error = stop(service)))
                return fail_stop(error);
        if ((error = add_package(inf)))
                return fail_package(inf, error);
        if (!service)
                service = OpenServiceW(services, SERVICE, SERVICE_ALL_ACCESS);
        if (!service)
                fwprintf(
                        stderr,
                        L"wperf-devgen: %ls: Windows has taken the driver package and made no service of it; "
                        L"that needs Windows 10 version 1903 or later\n",
                        inf);
        else if (!descriptor || store(descriptor))
                status = StartServiceW(service, 0, NULL) ? 0 : fail_start(GetLastError());
        if (status && is_new && service)
                remove_service(service);
        if (service)
                CloseServiceHandle(service);
        if (!status)
                wprintf(L"%ls: installed and loaded\n", inf);
        return status;
}

/* Windows may need a moment to close the file of a driver that it did not load. */
static bool copy_when_closed(const wchar_t *from, const wchar_t *to)
{
        DWORD begin = GetTickCount();

        while (!CopyFileW(from, to, FALSE)) {
                if (GetLastError() != ERROR_SHARING_VIOLATION || GetTickCount() - begin > DELETE_MS)
                        return false;
                Sleep(POLL_MS);
        }
        return true;
}

static void put_back(SC_HANDLE service, const wchar_t *former, const wchar_t *path)
{
        if (!copy_when_closed(former, path) ||
            (!StartServiceW(service, 0, NULL) && GetLastError() != ERROR_SERVICE_ALREADY_RUNNING))
                fail(L"loading the former driver again", GetLastError());
        else
                fwprintf(stderr, L"wperf-devgen: the former driver is loaded again\n");
}

/* Copies the driver and starts it; if this fails, what was new is removed again, and the former driver put
 * back. `descriptor` is NULL to leave as it is who may open the device. */
static int put(SC_HANDLE services, const wchar_t *from, PSECURITY_DESCRIPTOR descriptor)
{
        wchar_t path[PATH_CHARS], former[PATH_CHARS + 8];
        SC_HANDLE service = OpenServiceW(services, SERVICE, SERVICE_ALL_ACCESS);
        bool is_new = !service, has_former, copied;
        DWORD error = 0;
        int status = 1;

        if (service && is_other_kind(service, false))
                return 1;
        if (service && (error = stop(service)))
                return fail_stop(error);
        installed_path(path);
        swprintf(former, PATH_CHARS + 8, L"%ls.former", path);
        has_former = service && CopyFileW(path, former, FALSE);
        copied = copy_when_closed(from, path);
        if (!copied)
                fail(path, GetLastError());
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
        if (status && has_former)
                put_back(service, former, path);
        if (has_former)
                remove_file(former);
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
        bool is_package;
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
        is_package = wcslen(from) > 4 && !_wcsicmp(from + wcslen(from) - 4, L".inf");
        if (!(is_package ? check_package(from) : check_image(from)) ||
            (user && !(descriptor = descriptor_for(user))))
                return 1;
        status = is_package ? put_package(services, from, descriptor) : put(services, from, descriptor);
        LocalFree(descriptor);
        return status;
}

/* install, if there is something to replace. */
static int upgrade(SC_HANDLE services, int n, wchar_t **words)
{
        SC_HANDLE service = OpenServiceW(services, SERVICE, SERVICE_QUERY_STATUS);

        if (n > 1) {
                fputws(usage, stderr);
                return 2;
        }
        if (!service && GetLastError() == ERROR_SERVICE_DOES_NOT_EXIST)
                fwprintf(stderr,
                         L"wperf-devgen: " SERVICE L" is not installed; run 'wperf-devgen install'\n");
        else if (!service)
                fail(SERVICE, GetLastError());
        if (!service)
                return 1;
        CloseServiceHandle(service);
        return install(services, n, words);
}

static int uninstall(SC_HANDLE services)
{
        SC_HANDLE service = OpenServiceW(services, SERVICE, SERVICE_ALL_ACCESS);
        bool is_removed;
        DWORD error;

        if (!service && GetLastError() == ERROR_SERVICE_DOES_NOT_EXIST) {
                wprintf(SERVICE L" is not installed\n");
                return 0;
        }
        if (!service)
                return fail(SERVICE, GetLastError());
        error = stop(service);
        is_removed = !error && remove_service(service);
        CloseServiceHandle(service);
        if (error)
                return fail_stop(error);
        if (!is_removed)
                return 1;
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
        if (argc == 2 && !wcscmp(command, L"--version")) {
                wprintf(L"wperf-devgen " WIDE(DEVGEN_VERSION) L", for interface %u of the driver\n",
                        ABI_NUMBER);
                return 0;
        }
        if (argc == 2 && !wcscmp(command, L"status"))
                return show_status();
        if (wcscmp(command, L"install") && wcscmp(command, L"upgrade") &&
            (argc != 2 || wcscmp(command, L"uninstall"))) {
                fputws(usage, stderr);
                return 2;
        }
        services = OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT | SC_MANAGER_CREATE_SERVICE);
        if (!services)
                return fail(L"services", GetLastError());
        if (!wcscmp(command, L"install"))
                status = install(services, argc - 2, argv + 2);
        else if (!wcscmp(command, L"upgrade"))
                status = upgrade(services, argc - 2, argv + 2);
        else
                status = uninstall(services);
        CloseServiceHandle(services);
        return status;
}
