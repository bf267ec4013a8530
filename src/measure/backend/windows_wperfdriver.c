/* SPDX-License-Identifier: BSD-3-Clause */
/* Talks to WPERFDRIVER. The driver leaves its lock with a process that has ended, so it is given back even
 * when the user ends wperf by a third Ctrl-C. All answers are checked: another program's driver may have
 * the same name. */
#include "windows_wperfdriver.h"

#include <windows.h>
#include <winioctl.h>

#include <setupapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "windows_devices.h"
#include "wperfdriver_answers.h"

/* {F8047FDD-7083-4C2E-90EF-C0C73F1045FD} */
static const GUID interface_guid = {
        0xf8047fdd, 0x7083, 0x4c2e, {0x90, 0xef, 0xc0, 0xc7, 0x3f, 0x10, 0x45, 0xfd}};

/* The driver's name where no interface is registered. */
static const wchar_t plain_name[] = L"\\\\.\\WPERFDRIVER";

enum { HARDWARE_CHARS = 128, DETAIL_BYTES = 2048 };

struct wperfdriver {
        HANDLE device;
        bool locked;
        struct kernel_driver facts;
        struct windows_registers memory_controllers[WPERFDRIVER_DMC_MAX];
        size_t n_memory_controllers;
        uint8_t answer[WPERFDRIVER_ANSWER_MAX_BYTES];
};

/* The device whose lock this process has, for on_control. */
static HANDLE volatile locked_device;

/* CTL_CODE() in unsigned numbers, because the device type does not fit into 15 bits. */
static DWORD control_code(enum wperfdriver_request request)
{
        return (DWORD)WPERFDRIVER_DEVICE_TYPE << 16 | (DWORD)(FILE_READ_DATA | FILE_WRITE_DATA) << 14 |
               ((DWORD)WPERFDRIVER_FUNCTION + request) << 2 | METHOD_BUFFERED;
}

/* --- the device --- */

/* Returns false after the last device. */
static bool see_device(HDEVINFO all, DWORD index,
                       void (*each)(void *ctx, const wchar_t *path, const char *hardware), void *ctx)
{
        union {
                SP_DEVICE_INTERFACE_DETAIL_DATA_W detail;
                uint8_t bytes[DETAIL_BYTES];
        } found;
        SP_DEVICE_INTERFACE_DATA found_interface = {.cbSize = sizeof(found_interface)};
        SP_DEVINFO_DATA device = {.cbSize = sizeof(device)};
        char hardware[HARDWARE_CHARS] = "";

        if (!SetupDiEnumDeviceInterfaces(all, NULL, &interface_guid, index, &found_interface))
                return false;
        found.detail.cbSize = sizeof(found.detail);
        if (!SetupDiGetDeviceInterfaceDetailW(all, &found_interface, &found.detail, sizeof(found), NULL,
                                              &device))
                return true;
        if (!SetupDiGetDeviceRegistryPropertyA(all, &device, SPDRP_HARDWAREID, NULL, (BYTE *)hardware,
                                               sizeof(hardware) - 1, NULL))
                hardware[0] = '\0';
        each(ctx, found.detail.DevicePath, hardware);
        return true;
}

struct device_walk {
        void (*each)(void *ctx, const wchar_t *path, const char *hardware);
        void *ctx;
        size_t n;
};

static void count_device(void *ctx, const wchar_t *path, const char *hardware)
{
        struct device_walk *walk = ctx;

        walk->n++;
        walk->each(walk->ctx, path, hardware);
}

static bool has_plain_name(void)
{
        HANDLE device =
                CreateFileW(plain_name, 0, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);

        if (device == INVALID_HANDLE_VALUE)
                return false;
        CloseHandle(device);
        return true;
}

size_t wperfdriver_each_device(void (*each)(void *ctx, const wchar_t *path, const char *hardware), void *ctx)
{
        struct device_walk walk = {each, ctx, 0};
        HDEVINFO all =
                SetupDiGetClassDevsW(&interface_guid, NULL, NULL, DIGCF_PRESENT | DIGCF_DEVICEINTERFACE);

        for (DWORD i = 0; all != INVALID_HANDLE_VALUE && see_device(all, i, count_device, &walk); i++)
                continue;
        if (all != INVALID_HANDLE_VALUE)
                SetupDiDestroyDeviceInfoList(all);
        if (!walk.n && has_plain_name())
                count_device(&walk, plain_name, "");
        return walk.n;
}

struct first_device {
        HANDLE device;
        DWORD error;
};

static void open_first(void *ctx, const wchar_t *path, const char *hardware)
{
        struct first_device *first = ctx;

        if (first->device != INVALID_HANDLE_VALUE)
                return;
        first->device = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                    NULL, OPEN_EXISTING, 0, NULL);
        first->error = GetLastError();
}

static bool open_device(struct wperfdriver *d, struct err *err)
{
        struct first_device first = {INVALID_HANDLE_VALUE, 0};

        if (!wperfdriver_each_device(open_first, &first))
                return err_set(
                        err, ERR_MISSING,
                        "no active device interfaces found: no driver counts events here. 'wperf record' samples "
                        "CPU time without a driver; to count, an administrator of Windows on Arm installs the "
                        "driver of WindowsPerf 3.8 with 'wperf-devgen install'");
        d->device = first.device;
        if (d->device == INVALID_HANDLE_VALUE)
                return err_set(err, ERR_DENIED,
                               "WPERFDRIVER is there, but can't be opened (Windows error %lu)", first.error);
        return true;
}

/* --- requests --- */

/* Returns the size of the answer, which is in d->answer, or -1 with *ret_error from Windows. */
static int64_t transact(struct wperfdriver *d, enum wperfdriver_request request, const void *in,
                        size_t in_size, DWORD *ret_error)
{
        DWORD size = 0;

        if (DeviceIoControl(d->device, control_code(request), (void *)(uintptr_t)in, (DWORD)in_size,
                            d->answer, sizeof(d->answer), &size, NULL) &&
            size <= sizeof(d->answer))
                return size;
        *ret_error = GetLastError();
        return -1;
}

static bool fail(const struct wperfdriver *d, enum wperfdriver_request request, DWORD error, struct err *err)
{
        switch (error) {
        case ERROR_BAD_COMMAND:
                if (d->locked)
                        return wperfdriver_lost_lock(err);
                break;
        case ERROR_FILE_NOT_FOUND:
        case ERROR_DEV_NOT_EXIST:
        case ERROR_DEVICE_REMOVED:
        case ERROR_OPERATION_ABORTED:
                return err_set(err, ERR_IO, "WPERFDRIVER was stopped: what this run measured is lost");
        default: break;
        }
        return err_set(err, ERR_IO, "%s failed: WPERFDRIVER answers with Windows error %lu",
                       wperfdriver_request_name(request), error);
}

int64_t wperfdriver_ask_any(struct wperfdriver *d, enum wperfdriver_request request, const void *in,
                            size_t in_size, void *out, size_t room, struct err *err)
{
        DWORD error;
        int64_t size = transact(d, request, in, in_size, &error);

        if (size < 0)
                fail(d, request, error, err);
        else if (size && room)
                memcpy(out, d->answer, (size_t)size < room ? (size_t)size : room);
        return size;
}

bool wperfdriver_ask(struct wperfdriver *d, enum wperfdriver_request request, const void *in, size_t in_size,
                     void *out, size_t out_size, struct err *err)
{
        int64_t size = wperfdriver_ask_any(d, request, in, in_size, NULL, 0, err);

        if (size < 0)
                return false;
        return wperfdriver_read_answer(request, d->answer, (size_t)size, out, out_size, err);
}

/* --- the lock --- */

static void give_lock(HANDLE device)
{
        const uint32_t give = WPERFDRIVER_LOCK_GIVE;
        uint32_t status;
        DWORD size;

        DeviceIoControl(device, control_code(WPERFDRIVER_LOCK_RELEASE), (void *)(uintptr_t)&give,
                        sizeof(give), &status, sizeof(status), &size, NULL);
}

/* Called before the process is ended from outside, after a handler that only asks for a stop. */
static BOOL WINAPI on_control(DWORD type)
{
        HANDLE device = InterlockedExchangePointer((void *volatile *)&locked_device, NULL);

        if (device)
                give_lock(device);
        return FALSE;
}

static bool take_lock(struct wperfdriver *d, bool force, struct err *err)
{
        const uint32_t wanted = force ? WPERFDRIVER_LOCK_FORCE : WPERFDRIVER_LOCK_GET;
        static bool handles_end;
        uint32_t status;

        if (!handles_end)
                SetConsoleCtrlHandler(on_control, TRUE);
        handles_end = true;
        if (!wperfdriver_ask(d, WPERFDRIVER_LOCK_ACQUIRE, &wanted, sizeof(wanted), &status, sizeof(status),
                             err) ||
            !wperfdriver_check_lock(status, err)) {
                /* After an answer that is not understood this process may have it. */
                give_lock(d->device);
                return false;
        }
        d->locked = true;
        InterlockedExchangePointer((void *volatile *)&locked_device, d->device);
        return true;
}

void wperfdriver_free(struct wperfdriver *d)
{
        if (!d)
                return;
        /* on_control may have given it back. */
        if (d->locked && InterlockedExchangePointer((void *volatile *)&locked_device, NULL))
                give_lock(d->device);
        if (d->device != INVALID_HANDLE_VALUE)
                CloseHandle(d->device);
        free(d);
}

/* --- version and configuration --- */

/* A driver of 3.8 answers only the owner of the lock. Others are asked without it, so that a driver whose
 * lock works differently is not touched. Sets *ret_known to false if the lock is needed. */
static bool read_version(struct wperfdriver *d, bool *ret_known, struct err *err)
{
        struct wperfdriver_version version = {.major = 3, .minor = 8};
        DWORD error;
        int64_t size = transact(d, WPERFDRIVER_QUERY_VERSION, &version, sizeof(version), &error);

        *ret_known = size >= 0;
        if (size < 0 && error == ERROR_BAD_COMMAND && !d->locked)
                return true;
        if (size < 0)
                return fail(d, WPERFDRIVER_QUERY_VERSION, error, err);
        return wperfdriver_read_version(d->answer, (size_t)size, &d->facts, err);
}

static bool lock_known_version(struct wperfdriver *d, bool force, struct err *err)
{
        bool known;

        return read_version(d, &known, err) && take_lock(d, force, err) &&
               (known || read_version(d, &known, err));
}

/* Sends the number of a request, and reads the answer. */
static bool query(struct wperfdriver *d, enum wperfdriver_request request,
                  bool (*read)(const void *answer, size_t size, struct kernel_driver *facts, struct err *err),
                  struct err *err)
{
        const uint32_t action = request;
        DWORD error;
        int64_t size = transact(d, request, &action, sizeof(action), &error);

        return size < 0 ? fail(d, request, error, err) : read(d->answer, (size_t)size, &d->facts, err);
}

/* --- units outside the cores --- */

static bool find_clusters(struct wperfdriver *d, struct err *err)
{
        struct wperfdriver_clusters message;
        struct windows_clusters found;
        DWORD error;
        int64_t size;

        if (!windows_find_clusters(&found) || found.n_cores_each > d->facts.n_cpus ||
            found.n > d->facts.n_cpus / found.n_cores_each)
                return true;
        message = (struct wperfdriver_clusters){(uint16_t)found.n, (uint16_t)found.n_cores_each};
        size = transact(d, WPERFDRIVER_DSU_INIT, &message, sizeof(message), &error);
        return size < 0 ? fail(d, WPERFDRIVER_DSU_INIT, error, err)
                        : wperfdriver_add_clusters(d->answer, (size_t)size, found.n, found.n_cores_each,
                                                   &d->facts, err);
}

static void find_memory_controllers(struct wperfdriver *d)
{
        d->n_memory_controllers =
                windows_find_memory_controllers(d->memory_controllers, N_ELEMENTS(d->memory_controllers));
        wperfdriver_add_memory_controllers((uint32_t)d->n_memory_controllers, &d->facts);
}

bool wperfdriver_map_memory_controllers(struct wperfdriver *d, struct err *err)
{
        struct {
                uint64_t n;
                struct wperfdriver_dmc_registers registers[WPERFDRIVER_DMC_MAX];
        } message = {.n = d->n_memory_controllers};
        struct wperfdriver_dmc_cfg cfg;

        for (size_t i = 0; i < d->n_memory_controllers; i++)
                message.registers[i] = (struct wperfdriver_dmc_registers){d->memory_controllers[i].first,
                                                                          d->memory_controllers[i].last};
        return wperfdriver_ask(d, WPERFDRIVER_DMC_INIT, &message,
                               sizeof(message.n) + d->n_memory_controllers * sizeof(*message.registers), &cfg,
                               sizeof(cfg), err);
}

struct wperfdriver *wperfdriver_open(bool force, struct err *err)
{
        AUTO(wperfdriver) d = mem_new(1, sizeof(*d));

        d->facts.name = "WPERFDRIVER";
        d->device = INVALID_HANDLE_VALUE;
        if (!open_device(d, err) || !lock_known_version(d, force, err) ||
            !query(d, WPERFDRIVER_QUERY_HW_CFG, wperfdriver_read_hw_cfg, err) || !find_clusters(d, err) ||
            !query(d, WPERFDRIVER_QUERY_EVENTS, wperfdriver_read_events, err))
                return NULL;
        find_memory_controllers(d);
        return TAKE(d);
}

const struct kernel_driver *wperfdriver_get_facts(const struct wperfdriver *d)
{
        return &d->facts;
}
