/* SPDX-License-Identifier: BSD-3-Clause */
#include "wdm_client.h"

#include <winioctl.h>

enum { MINUTE_MS = 60000 };

static volatile struct sim_shared *machine;

/* --- the service --- */

static DWORD error_of(BOOL done)
{
        return done ? 0 : GetLastError();
}

DWORD wdm_service_install(const char *path)
{
        SC_HANDLE services = OpenSCManagerA(NULL, NULL, SC_MANAGER_ALL_ACCESS);
        char full[MAX_PATH];
        SC_HANDLE service;
        DWORD error;

        GetFullPathNameA(path, sizeof(full), full, NULL);
        service = CreateServiceA(services, ABI_SERVICE, ABI_SERVICE, SERVICE_ALL_ACCESS,
                                 SERVICE_KERNEL_DRIVER, SERVICE_DEMAND_START, SERVICE_ERROR_NORMAL, full,
                                 NULL, NULL, NULL, NULL, NULL);
        error = error_of(service != NULL);
        if (service)
                CloseServiceHandle(service);
        CloseServiceHandle(services);
        return error;
}

enum change { START, STOP, REMOVE };

static DWORD change(enum change what)
{
        SC_HANDLE services = OpenSCManagerA(NULL, NULL, SC_MANAGER_ALL_ACCESS);
        SC_HANDLE service = OpenServiceA(services, ABI_SERVICE, SERVICE_ALL_ACCESS);
        SERVICE_STATUS status;
        DWORD error = error_of(service != NULL);

        if (service) {
                error = error_of(what == START  ? StartServiceA(service, 0, NULL)
                                 : what == STOP ? ControlService(service, SERVICE_CONTROL_STOP, &status)
                                                : DeleteService(service));
                CloseServiceHandle(service);
        }
        CloseServiceHandle(services);
        return error;
}

DWORD wdm_service_start(void)
{
        return change(START);
}

DWORD wdm_service_stop(void)
{
        return change(STOP);
}

DWORD wdm_service_remove(void)
{
        return change(REMOVE);
}

DWORD wdm_service_begin(const char *path)
{
        DWORD error;

        wdm_service_end();
        error = wdm_service_install(path);
        return error ? error : wdm_service_start();
}

void wdm_service_end(void)
{
        wdm_service_stop();
        wdm_service_remove();
}

/* --- the machine --- */

volatile struct sim_shared *wdm_machine(void)
{
        const struct sim_shared defaults = SIM_DEFAULTS;
        HANDLE section;
        bool is_new;

        if (machine)
                return machine;
        section = CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, sizeof(*machine),
                                     "Global\\" SIM_SECTION);
        if (!section)
                return NULL;
        is_new = GetLastError() != ERROR_ALREADY_EXISTS;
        machine = MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, 0);
        if (machine && is_new)
                *machine = defaults;
        return machine;
}

bool wdm_machine_pass(uint64_t ms)
{
        DWORD begin = GetTickCount();

        machine->wanted_ms = machine->done_ms + ms;
        while (machine->done_ms < machine->wanted_ms) {
                if (GetTickCount() - begin > MINUTE_MS)
                        return false;
                Sleep(1);
        }
        return true;
}

/* --- requests --- */

HANDLE wdm_open(void)
{
        return CreateFileA(ABI_PATH, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                           OPEN_EXISTING, 0, NULL);
}

bool wdm_close(HANDLE device)
{
        DWORD begin = GetTickCount();

        CloseHandle(device);
        while (machine->is_open && GetTickCount() - begin < MINUTE_MS)
                Sleep(1);
        return !machine->is_open;
}

DWORD wdm_send(HANDLE device, DWORD code, const void *in, size_t in_bytes, void *out, size_t out_bytes,
               DWORD *ret_bytes)
{
        *ret_bytes = 0;
        return error_of(DeviceIoControl(device, code, (void *)in, (DWORD)in_bytes, out, (DWORD)out_bytes,
                                        ret_bytes, NULL));
}

DWORD wdm_request(HANDLE device, enum abi_request number, const void *in, size_t in_bytes, void *out,
                  size_t out_bytes)
{
        DWORD bytes;

        return wdm_send(device, number == ABI_REQUEST_VERSION ? ABI_CODE(number) : ABI_OWN(number), in,
                        in_bytes, out, out_bytes, &bytes);
}
