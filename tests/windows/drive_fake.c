/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads fake_wperfdriver.sys, changes its settings, and takes its lock like another program. Usage:
 * drive_fake install DRIVER.SYS, or start, stop, remove; register or forget its interface; set SETTING
 * VALUE...; running: print how many cores count; force: take the lock and keep it; free: take it and give
 * it back. As a program that is counted, pinned STATUS: print which CPUs it may use, and end with STATUS
 * after 0.3 s; function: print the address of sampled_function. */
#include <windows.h>
#include <winioctl.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_requests.h"

#define GUID_TEXT     "{f8047fdd-7083-4c2e-90ef-c0c73f1045fd}"
#define INTERFACE_KEY "SYSTEM\\CurrentControlSet\\Control\\DeviceClasses\\" GUID_TEXT
#define DEVICE        "ROOT#SYSTEM#0001#" GUID_TEXT

static int fail(const char *what)
{
        printf("%s: Windows error %lu\n", what, GetLastError());
        return 1;
}

static SC_HANDLE open_service(SC_HANDLE services)
{
        return OpenServiceA(services, "WPERFDRIVER", SERVICE_ALL_ACCESS);
}

static int install(const char *path)
{
        SC_HANDLE services = OpenSCManagerA(NULL, NULL, SC_MANAGER_ALL_ACCESS);
        char full[MAX_PATH];

        GetFullPathNameA(path, sizeof(full), full, NULL);
        if (!CreateServiceA(services, "WPERFDRIVER", "WPERFDRIVER", SERVICE_ALL_ACCESS, SERVICE_KERNEL_DRIVER,
                            SERVICE_DEMAND_START, SERVICE_ERROR_NORMAL, full, NULL, NULL, NULL, NULL, NULL))
                return fail("CreateService");
        return 0;
}

static int change(const char *how)
{
        SC_HANDLE service = open_service(OpenSCManagerA(NULL, NULL, SC_MANAGER_ALL_ACCESS));
        SERVICE_STATUS status;

        if (!strcmp(how, "start"))
                return StartServiceA(service, 0, NULL) ? 0 : fail("StartService");
        if (!strcmp(how, "stop"))
                return ControlService(service, SERVICE_CONTROL_STOP, &status) ? 0 : fail("ControlService");
        return DeleteService(service) ? 0 : fail("DeleteService");
}

static int write_value(const char *key, const char *name, DWORD type, const void *value, DWORD size)
{
        LSTATUS error = RegSetKeyValueA(HKEY_LOCAL_MACHINE, key, name, type, value, size);

        SetLastError((DWORD)error);
        return error ? fail(key) : 0;
}

/* What Windows writes for a root device with this interface. */
static int register_interface(void)
{
        static const char instance[] = "ROOT\\SYSTEM\\0001", link[] = "\\\\?\\" DEVICE,
                          ids[] = "Root\\WPERFDRIVER\0";
        static const char class[] = "{4d36e97d-e325-11ce-bfc1-08002be10318}";
        const DWORD linked = 1;

        return write_value("SYSTEM\\CurrentControlSet\\Enum\\ROOT\\SYSTEM\\0001", "HardwareID", REG_MULTI_SZ,
                           ids, sizeof(ids)) |
               write_value("SYSTEM\\CurrentControlSet\\Enum\\ROOT\\SYSTEM\\0001", "ClassGUID", REG_SZ, class,
                           sizeof(class)) |
               write_value(INTERFACE_KEY "\\##?#" DEVICE, "DeviceInstance", REG_SZ, instance,
                           sizeof(instance)) |
               write_value(INTERFACE_KEY "\\##?#" DEVICE "\\#", "SymbolicLink", REG_SZ, link, sizeof(link)) |
               write_value(INTERFACE_KEY "\\##?#" DEVICE "\\#\\Control", "Linked", REG_DWORD, &linked,
                           sizeof(linked)) |
               write_value(INTERFACE_KEY "\\##?#" DEVICE "\\Control", "Linked", REG_DWORD, &linked,
                           sizeof(linked));
}

static int forget_interface(void)
{
        LSTATUS error = RegDeleteTreeA(HKEY_LOCAL_MACHINE, INTERFACE_KEY);

        SetLastError((DWORD)error);
        return error ? fail("RegDeleteTree") : 0;
}

static int send_to(HANDLE device, unsigned function, void *bytes, DWORD in, DWORD out)
{
        DWORD size;

        return DeviceIoControl(device, FAKE_CODE(function), bytes, in, bytes, out, &size, NULL)
                       ? 0
                       : fail("DeviceIoControl");
}

static int set(HANDLE device, int n, char **words)
{
        int status = 0;

        for (int i = 0; i + 1 < n && !status; i += 2) {
                DWORD message[2] = {(DWORD)strtoul(words[i], NULL, 0), (DWORD)strtoll(words[i + 1], NULL, 0)};

                status = send_to(device, FAKE_SET, message, sizeof(message), 0);
        }
        return status;
}

static int take_lock(HANDLE device, const char *how)
{
        DWORD message = 1;
        int status = send_to(device, FAKE_FUNCTION + 16, &message, 4, 4);

        message = 2;
        return !status && !strcmp(how, "free") ? send_to(device, FAKE_FUNCTION + 17, &message, 4, 4) : status;
}

static int ask(HANDLE device, int n, char **words)
{
        DWORD cores;

        if (device == INVALID_HANDLE_VALUE)
                return fail("CreateFile");
        if (!strcmp(words[0], "set"))
                return set(device, n - 1, words + 1);
        if (strcmp(words[0], "running"))
                return take_lock(device, words[0]);
        if (send_to(device, FAKE_ASK, &cores, 0, sizeof(cores)))
                return 1;
        printf("%lu\n", cores);
        return 0;
}

void sampled_function(void);

/* The fake gives its samples an address in this function. */
__attribute__((noinline)) void sampled_function(void)
{
        Sleep(1500);
}

static int show_function(void)
{
        printf("function 0x%llx\n", (unsigned long long)(uintptr_t)sampled_function);
        fflush(stdout);
        sampled_function();
        return 0;
}

static int tell_cpus(const char *status)
{
        DWORD_PTR own = 0, all;

        GetProcessAffinityMask(GetCurrentProcess(), &own, &all);
        printf("CPUs 0x%lx\n", (unsigned long)own);
        Sleep(300);
        return atoi(status);
}

int main(int argc, char **argv)
{
        if (argc < 2)
                return 2;
        if (!strcmp(argv[1], "install"))
                return argc == 3 ? install(argv[2]) : 2;
        if (!strcmp(argv[1], "function"))
                return show_function();
        if (!strcmp(argv[1], "pinned"))
                return argc == 3 ? tell_cpus(argv[2]) : 2;
        if (!strcmp(argv[1], "register"))
                return register_interface();
        if (!strcmp(argv[1], "forget"))
                return forget_interface();
        if (!strcmp(argv[1], "start") || !strcmp(argv[1], "stop") || !strcmp(argv[1], "remove"))
                return change(argv[1]);
        return ask(CreateFileA("\\\\.\\WPERFDRIVER", GENERIC_READ | GENERIC_WRITE,
                               FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL),
                   argc - 1, argv + 1);
}
