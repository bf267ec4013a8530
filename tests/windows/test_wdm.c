/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading wperf's driver in wine, who may use it, and what becomes of its owner. Usage: test_wdm
 * DRIVER.SYS; test_wdm hold EVENT: measure, set the event, and stay. */
#include <stdlib.h>

#include "tap.h"
#include "wdm_requests.h"

#include <sddl.h>

enum { CORE = 0, MINUTE_MS = 60000 };

#define PARAMETERS "SYSTEM\\CurrentControlSet\\Services\\" ABI_SERVICE "\\Parameters"
#define HELD       "Global\\wperf-driver-is-held"

static const char *own_path;
static volatile struct sim_shared *machine;
static union wdm_plan plan;
static union wdm_counts got;

static bool measure(HANDLE device)
{
        uint32_t status;

        wdm_plan_fill(&plan, CORE, 2, 0x70, 3, 3);
        return !wdm_lock(device, false, &status) && status == ABI_LOCKED && !wdm_assign(device, &plan) &&
               !wdm_start(device, false);
}

/* A second process that measures; it has begun when this returns. */
static bool start_holder(PROCESS_INFORMATION *ret)
{
        HANDLE held = CreateEventA(NULL, TRUE, FALSE, HELD);
        STARTUPINFOA startup = {.cb = sizeof(startup)};
        char line[MAX_PATH + 64];
        bool done;

        snprintf(line, sizeof(line), "\"%s\" hold " HELD, own_path);
        if (!CreateProcessA(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &startup, ret))
                return false;
        done = WaitForSingleObject(held, MINUTE_MS) == WAIT_OBJECT_0;
        CloseHandle(held);
        return done;
}

static void kill_holder(const PROCESS_INFORMATION *holder)
{
        TerminateProcess(holder->hProcess, 1);
        WaitForSingleObject(holder->hProcess, MINUTE_MS);
        CloseHandle(holder->hProcess);
        CloseHandle(holder->hThread);
}

static int hold(const char *event_name)
{
        HANDLE device = wdm_open(), event = OpenEventA(EVENT_MODIFY_STATE, FALSE, event_name);

        if (!measure(device))
                return 1;
        SetEvent(event);
        Sleep(10 * MINUTE_MS);
        return 0;
}

/* Takes the lock as soon as nobody has it. */
static bool lock_in_time(HANDLE device)
{
        uint32_t status = ABI_LOCK_BUSY;

        for (int i = 0; i < MINUTE_MS / 10; i++) {
                if (wdm_lock(device, false, &status) || status == ABI_LOCKED)
                        break;
                Sleep(10);
        }
        return status == ABI_LOCKED;
}

/* --- the machine --- */

TEST(version_and_machine)
{
        struct abi_version version = {0};
        struct abi_first first = {.first = 1};
        union {
                struct abi_hw_config head;
                unsigned char bytes[sizeof(struct abi_hw_config) + 8 * sizeof(struct abi_cpu)];
        } config;
        HANDLE device = wdm_open();
        DWORD bytes;

        ASSERT_CMP(device, !=, INVALID_HANDLE_VALUE);
        EXPECT_INT(
                wdm_send(device, ABI_CODE(ABI_REQUEST_VERSION), NULL, 0, &version, sizeof(version), &bytes),
                0);
        EXPECT_INT(bytes, sizeof(version));
        EXPECT_INT(version.abi, ABI_NUMBER);
        EXPECT_TRUE(version.text[0]);
        EXPECT_INT(wdm_request(device, ABI_REQUEST_HW_CONFIG, &first, sizeof(first), &config, sizeof(config)),
                   0);
        EXPECT_TRUE(config.head.n_cpus == machine->n_cpus && config.head.n == machine->n_cpus - 1);
        EXPECT_INT(config.head.cpus[0].cpu, 1);
        EXPECT_INT(config.head.cpus[0].midr, SIM_MIDR);
        EXPECT_INT(config.head.cpus[0].n_counters, SIM_N_COUNTERS);
        EXPECT_TRUE(config.head.cpus[0].spe_version && config.head.cpus[0].pmu_version);
        EXPECT_TRUE(wdm_close(device));
}

/* --- the owner --- */

TEST(two_programs)
{
        HANDLE device = wdm_open();
        PROCESS_INFORMATION holder;
        uint32_t status;

        ASSERT_TRUE(start_holder(&holder));
        EXPECT_INT(wdm_lock(device, false, &status), 0);
        EXPECT_INT(status, ABI_LOCK_BUSY);
        EXPECT_INT(wdm_start(device, false), ERROR_INVALID_OWNER);
        EXPECT_INT(wdm_stop(device), ERROR_INVALID_OWNER);
        EXPECT_INT(wdm_assign(device, &plan), ERROR_INVALID_OWNER);
        EXPECT_INT(wdm_read(device, CORE, 0, &got), ERROR_INVALID_OWNER);
        EXPECT_INT(wdm_request(device, ABI_REQUEST_UNLOCK, NULL, 0, NULL, 0), ERROR_INVALID_OWNER);

        /* The owner is killed. Its plan is not left over: what is started now counts nothing. */
        kill_holder(&holder);
        ASSERT_TRUE(lock_in_time(device));
        EXPECT_INT(wdm_start(device, false), 0);
        EXPECT_INT(wdm_read(device, CORE, 0, &got), 0);
        EXPECT_TRUE(!got.head.n && !got.head.running);
        EXPECT_INT(wdm_stop(device), 0);
        EXPECT_TRUE(measure(device));
        EXPECT_TRUE(wdm_close(device));
}

TEST(the_lock_is_taken_by_force)
{
        HANDLE first = wdm_open(), second = wdm_open();
        uint32_t status;

        EXPECT_TRUE(measure(first));
        EXPECT_INT(wdm_start(first, false), ERROR_BAD_COMMAND);
        EXPECT_INT(wdm_lock(second, true, &status), 0);
        EXPECT_INT(status, ABI_LOCKED);
        EXPECT_INT(wdm_read(first, CORE, 0, &got), ERROR_INVALID_OWNER);
        EXPECT_INT(wdm_stop(first), ERROR_INVALID_OWNER);
        EXPECT_TRUE(measure(second));
        /* The former owner's end changes nothing. */
        CloseHandle(first);
        EXPECT_INT(wdm_read(second, CORE, 0, &got), 0);
        EXPECT_INT(got.head.running, 1);
        EXPECT_INT(wdm_stop(second), 0);
        EXPECT_TRUE(wdm_close(second));
}

TEST(a_copied_handle_keeps_the_lock)
{
        HANDLE device = wdm_open(), other = wdm_open(), copy;
        uint32_t status;

        EXPECT_TRUE(measure(device));
        EXPECT_TRUE(DuplicateHandle(GetCurrentProcess(), device, GetCurrentProcess(), &copy, 0, FALSE,
                                    DUPLICATE_SAME_ACCESS));
        CloseHandle(device);
        Sleep(200);
        EXPECT_INT(wdm_lock(other, false, &status), 0);
        EXPECT_INT(status, ABI_LOCK_BUSY);
        EXPECT_INT(wdm_stop(copy), 0);
        CloseHandle(copy);
        EXPECT_TRUE(lock_in_time(other));
        EXPECT_TRUE(wdm_close(other));
}

/* --- who may open it --- */

TEST(a_handle_needs_both_rights)
{
        static const DWORD rights[] = {GENERIC_READ, GENERIC_WRITE, FILE_READ_ATTRIBUTES};
        struct abi_version version;

        for (int i = 0; i < 3; i++) {
                HANDLE device = CreateFileA(ABI_PATH, rights[i], FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                                            OPEN_EXISTING, 0, NULL);

                ASSERT_CMP(device, !=, INVALID_HANDLE_VALUE);
                EXPECT_INT(wdm_request(device, ABI_REQUEST_VERSION, NULL, 0, &version, sizeof(version)),
                           ERROR_ACCESS_DENIED);
                CloseHandle(device);
        }
}

static DWORD set_security(const void *bytes, DWORD size, DWORD type)
{
        return (DWORD)RegSetKeyValueA(HKEY_LOCAL_MACHINE, PARAMETERS, "Security", type, bytes, size);
}

/* An installer that writes nonsense does not open the device to everybody. */
TEST(a_wrong_security_descriptor_stops_the_load)
{
        SECURITY_DESCRIPTOR absolute;
        unsigned char bytes[512];
        DWORD size = sizeof(bytes);
        PSECURITY_DESCRIPTOR good;
        HANDLE device;

        EXPECT_INT(wdm_service_stop(), 0);
        EXPECT_INT(set_security("nonsense", 8, REG_BINARY), 0);
        EXPECT_INT(wdm_service_start(), ERROR_INVALID_SECURITY_DESCR);
        EXPECT_INT(set_security("D:P", 4, REG_SZ), 0);
        EXPECT_INT(wdm_service_start(), ERROR_INVALID_SECURITY_DESCR);
        memset(bytes, 1, sizeof(bytes));
        EXPECT_INT(set_security(bytes, sizeof(bytes), REG_BINARY), 0);
        EXPECT_INT(wdm_service_start(), ERROR_INVALID_SECURITY_DESCR);
        /* No list of who may: everybody might. */
        InitializeSecurityDescriptor(&absolute, SECURITY_DESCRIPTOR_REVISION);
        EXPECT_TRUE(MakeSelfRelativeSD(&absolute, bytes, &size));
        EXPECT_INT(set_security(bytes, size, REG_BINARY), 0);
        EXPECT_INT(wdm_service_start(), ERROR_INVALID_SECURITY_DESCR);
        /* A good one, then one whose only entry is longer than the list. */
        EXPECT_TRUE(ConvertStringSecurityDescriptorToSecurityDescriptorA("D:P(A;;GA;;;BA)", SDDL_REVISION_1,
                                                                         &good, &size));
        EXPECT_INT(set_security(good, size, REG_BINARY), 0);
        EXPECT_INT(wdm_service_start(), 0);
        EXPECT_INT(wdm_service_stop(), 0);
        ((unsigned char *)good)[size - 16 - 8 + 2] += 4;
        EXPECT_INT(set_security(good, size, REG_BINARY), 0);
        EXPECT_INT(wdm_service_start(), ERROR_INVALID_SECURITY_DESCR);
        device = wdm_open();
        EXPECT_CMP(device, ==, INVALID_HANDLE_VALUE);
        RegDeleteTreeA(HKEY_LOCAL_MACHINE, PARAMETERS);
        EXPECT_INT(wdm_service_start(), 0);
        device = wdm_open();
        EXPECT_CMP(device, !=, INVALID_HANDLE_VALUE);
        EXPECT_TRUE(wdm_close(device));
}

/* --- loading --- */

TEST(loads_and_unloads)
{
        const char *wanted = getenv("WPERF_DRIVER_LOADS");
        int n = wanted ? atoi(wanted) : 20, done = 0;

        while (done < n && !tap_failed) {
                HANDLE device;

                EXPECT_INT(wdm_service_stop(), 0);
                device = wdm_open();
                EXPECT_CMP(device, ==, INVALID_HANDLE_VALUE);
                EXPECT_INT(wdm_service_start(), 0);
                EXPECT_INT(wdm_service_start(), ERROR_SERVICE_ALREADY_RUNNING);
                device = wdm_open();
                EXPECT_TRUE(measure(device));
                EXPECT_INT(wdm_read(device, CORE, 1, &got), 0);
                /* Every other time nobody stops what runs. */
                EXPECT_TRUE(done % 2 || !wdm_stop(device));
                EXPECT_TRUE(wdm_close(device));
                done++;
        }
        printf("# %d loads\n", done);
}

static DWORD WINAPI read_on(void *device)
{
        union wdm_counts counts;
        DWORD error;

        do
                error = wdm_read(device, CORE, 0, &counts);
        while (!error);
        return error;
}

/* Windows waits with this until the handle is closed; wine does not. */
TEST(unload_with_an_open_handle_and_requests)
{
        HANDLE device = wdm_open(), thread;
        DWORD error = 0;

        EXPECT_TRUE(measure(device));
        thread = CreateThread(NULL, 0, read_on, device, 0, NULL);
        Sleep(300);
        EXPECT_INT(WaitForSingleObject(thread, 0), WAIT_TIMEOUT);
        EXPECT_INT(wdm_service_stop(), 0);
        EXPECT_INT(WaitForSingleObject(thread, MINUTE_MS), WAIT_OBJECT_0);
        GetExitCodeThread(thread, &error);
        EXPECT_TRUE(error);
        printf("# Windows error %lu\n", error);
        CloseHandle(thread);
        CloseHandle(device);
        EXPECT_INT(wdm_service_start(), 0);
        device = wdm_open();
        EXPECT_TRUE(measure(device));
        EXPECT_TRUE(wdm_close(device));
}

int main(int argc, char **argv)
{
        char path[MAX_PATH];
        int status;

        if (argc == 3 && !strcmp(argv[1], "hold"))
                return hold(argv[2]);
        GetModuleFileNameA(NULL, path, sizeof(path));
        own_path = path;
        machine = wdm_machine();
        if (argc != 2 || !machine || wdm_service_begin(argv[1]))
                return 2;
        status = tap_run_all();
        wdm_service_end();
        return status;
}
