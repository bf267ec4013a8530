/* SPDX-License-Identifier: BSD-3-Clause */
/* Talks to WPERFDRIVER. The driver leaves its lock with a process that has ended, so it is given back even when the user ends wperf by a
 * third Ctrl-C. All answers are checked: another program's driver may have the same name. */
#include "windows_wperfdriver.h"

#include <windows.h>
#include <winioctl.h>

#include <setupapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cursor.h"
#include "mem.h"
#include "text.h"
#include "text_printable.h"
#include "text_utf16.h"

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

static const char *request_name(enum wperfdriver_request request)
{
        switch (request) {
        case WPERFDRIVER_START: return "PMU_CTL_START";
        case WPERFDRIVER_STOP: return "PMU_CTL_STOP";
        case WPERFDRIVER_RESET: return "PMU_CTL_RESET";
        case WPERFDRIVER_QUERY_HW_CFG: return "PMU_CTL_QUERY_HW_CFG";
        case WPERFDRIVER_QUERY_EVENTS: return "PMU_CTL_QUERY_SUPP_EVENTS";
        case WPERFDRIVER_QUERY_VERSION: return "PMU_CTL_QUERY_VERSION";
        case WPERFDRIVER_ASSIGN_EVENTS: return "PMU_CTL_ASSIGN_EVENTS";
        case WPERFDRIVER_READ_COUNTING: return "PMU_CTL_READ_COUNTING";
        case WPERFDRIVER_SAMPLE_SET_SRC: return "PMU_CTL_SAMPLE_SET_SRC";
        case WPERFDRIVER_SAMPLE_START: return "PMU_CTL_SAMPLE_START";
        case WPERFDRIVER_SAMPLE_STOP: return "PMU_CTL_SAMPLE_STOP";
        case WPERFDRIVER_SAMPLE_GET: return "PMU_CTL_SAMPLE_GET";
        case WPERFDRIVER_LOCK_ACQUIRE: return "PMU_CTL_LOCK_ACQUIRE";
        case WPERFDRIVER_LOCK_RELEASE: return "PMU_CTL_LOCK_RELEASE";
        }
        return "request";
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
                        return err_set(
                                err, ERR_BUSY,
                                "other WindowsPerf process hijacked (forced lock) the wperf-driver, see "
                                "--force-lock: what this run measured is lost");
                break;
        case ERROR_FILE_NOT_FOUND:
        case ERROR_DEV_NOT_EXIST:
        case ERROR_DEVICE_REMOVED:
        case ERROR_OPERATION_ABORTED:
                return err_set(err, ERR_IO, "WPERFDRIVER was stopped: what this run measured is lost");
        default: break;
        }
        return err_set(err, ERR_IO, "%s failed: WPERFDRIVER answers with Windows error %lu",
                       request_name(request), error);
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
        if ((size_t)size != out_size)
                return err_set(
                        err, ERR_FORMAT,
                        "WPERFDRIVER answers %s with %lld bytes where version 3.8 has %zu: install version 3.8",
                        request_name(request), (long long)size, out_size);
        if (out_size)
                memcpy(out, d->answer, out_size);
        return true;
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

static bool check_status(uint32_t status, struct err *err)
{
        switch (status) {
        case WPERFDRIVER_LOCKED: return true;
        case WPERFDRIVER_BUSY:
                return err_set(
                        err, ERR_BUSY,
                        "other WindowsPerf process acquired the wperf-driver: use --force-lock to force driver "
                        "to give lock to current `wperf` process. Operation cancelled!");
        case WPERFDRIVER_NO_RESOURCES:
                return err_set(
                        err, ERR_BUSY,
                        "not enough resources available to execute the request: other profilers use all "
                        "counters. Operation cancelled!");
        default: return err_set(err, ERR_IO, "unknown lock error (%u). Operation cancelled!", status);
        }
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
            !check_status(status, err)) {
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

static void take_text(const uint16_t *units, size_t n, char *out, size_t size)
{
        struct cursor c = cursor_make(units, n * sizeof(*units));
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) printable = {0};

        out[0] = '\0';
        if (!text_add_utf16(&c, &text))
                return;
        text_add_printable(&printable, buf_text(&text));
        text_copy(out, size, buf_text(&printable));
}

/* A driver of 3.8 answers only the owner of the lock. Others are asked without it, so that a driver whose lock works differently is not
 * touched. Sets *ret_known to false if the lock is needed. */
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
        if (size < 3)
                return err_set(err, ERR_FORMAT,
                               "WPERFDRIVER answers PMU_CTL_QUERY_VERSION with %d bytes: install version 3.8",
                               (int)size);
        snprintf(d->facts.version, sizeof(d->facts.version), "%u.%u.%u", d->answer[0], d->answer[1],
                 d->answer[2]);
        if (d->answer[0] != 3 || d->answer[1] != 8)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "WPERFDRIVER has version %s, and wperf knows the interface of 3.8 only: install the driver of "
                        "WindowsPerf 3.8",
                        d->facts.version);
        if (size != sizeof(version))
                return err_set(
                        err, ERR_FORMAT,
                        "WPERFDRIVER answers PMU_CTL_QUERY_VERSION with %d bytes where version 3.8 has %zu",
                        (int)size, sizeof(version));
        memcpy(&version, d->answer, sizeof(version));
        take_text(version.gitver, N_ELEMENTS(version.gitver), d->facts.git, sizeof(d->facts.git));
        take_text(version.features, N_ELEMENTS(version.features), d->facts.features,
                  sizeof(d->facts.features));
        return true;
}

static bool lock_known_version(struct wperfdriver *d, bool force, struct err *err)
{
        bool known;

        return read_version(d, &known, err) && take_lock(d, force, err) &&
               (known || read_version(d, &known, err));
}

static bool read_hw_cfg(struct wperfdriver *d, struct err *err)
{
        const uint32_t action = WPERFDRIVER_QUERY_HW_CFG;
        struct kernel_driver *f = &d->facts;
        struct wperfdriver_hw_cfg cfg;

        if (!wperfdriver_ask(d, WPERFDRIVER_QUERY_HW_CFG, &action, sizeof(action), &cfg, sizeof(cfg), err))
                return false;
        if (!cfg.core_num || cfg.core_num > WPERFDRIVER_CORES || !cfg.gpc_num ||
            cfg.gpc_num > WPERFDRIVER_COUNTERS || cfg.total_gpc_num > WPERFDRIVER_COUNTERS ||
            cfg.gpc_num > cfg.total_gpc_num)
                return err_set(
                        err, ERR_FORMAT,
                        "WPERFDRIVER reports %u cores with %u of %u counters: from 1 to %d cores and %d counters are possible",
                        cfg.core_num, cfg.gpc_num, cfg.total_gpc_num, WPERFDRIVER_CORES,
                        WPERFDRIVER_COUNTERS);
        f->pmu_version = cfg.pmu_ver;
        f->n_fixed = cfg.fpc_num;
        f->n_counters = cfg.gpc_num;
        f->n_all_counters = cfg.total_gpc_num;
        f->n_cpus = cfg.core_num;
        f->midr = cfg.midr_value;
        f->id_aa64dfr0 = cfg.id_aa64dfr0_value;
        f->pmbidr = cfg.pmbidr_el1_value;
        f->pmsidr = cfg.pmsidr_el1_value;
        memcpy(f->counter_map, cfg.counter_idx_map, sizeof(f->counter_map));
        take_text(cfg.device_id_str, N_ELEMENTS(cfg.device_id_str), f->devices, sizeof(f->devices));
        return true;
}

/* Only how many there are: the numbers are those of the architecture. */
static bool read_events(struct wperfdriver *d, struct err *err)
{
        const uint32_t action = WPERFDRIVER_QUERY_EVENTS;
        DWORD error;
        int64_t size = transact(d, WPERFDRIVER_QUERY_EVENTS, &action, sizeof(action), &error);
        struct cursor c;

        if (size < 0)
                return fail(d, WPERFDRIVER_QUERY_EVENTS, error, err);
        c = cursor_make(d->answer, (size_t)size);
        while (cursor_left(&c)) {
                uint32_t class = cursor_u32(&c);
                uint16_t n = cursor_u16(&c);

                if (!cursor_skip(&c, 2 + 2 * (uint64_t)n) || class >= WPERFDRIVER_CLASSES)
                        return err_set(
                                err, ERR_FORMAT,
                                "WPERFDRIVER answers PMU_CTL_QUERY_SUPP_EVENTS with a list that is cut or of a class "
                                "that version 3.8 does not have");
                d->facts.n_events[class] = n;
        }
        return true;
}

struct wperfdriver *wperfdriver_open(bool force, struct err *err)
{
        AUTO(wperfdriver) d = mem_new(1, sizeof(*d));

        d->facts.name = "WPERFDRIVER";
        d->device = INVALID_HANDLE_VALUE;
        if (!open_device(d, err) || !lock_known_version(d, force, err) || !read_hw_cfg(d, err) ||
            !read_events(d, err))
                return NULL;
        return TAKE(d);
}

const struct kernel_driver *wperfdriver_get_facts(const struct wperfdriver *d)
{
        return &d->facts;
}
