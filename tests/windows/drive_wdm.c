/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads wperf's driver and sets its simulated machine. Usage: drive_wdm install DRIVER.SYS, or start, stop,
 * remove; keep: hold the machine until the input ends; set NAME VALUE... of the machine; device ID INSTANCE
 * FIRST BYTES, forget ID: what the registry has of a device below ACPI\; spe: print PMSCR_EL1, PMSIRR_EL1
 * and how many operations are left; running: print how many CPUs count or sample; hold: take the lock and
 * stay. As a program that is measured, pinned STATUS: end with STATUS after 0.3 s; function MS: print the
 * number of the process and the address of sampled_function, and run it for so long. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "wdm_requests.h"

enum { HOLD_MS = 600000 };

static int report(const char *what, DWORD error)
{
        if (error)
                printf("%s: Windows error %lu\n", what, error);
        return error != 0;
}

static int keep(void)
{
        char byte;

        if (!wdm_machine())
                return 1;
        while (fread(&byte, 1, 1, stdin) == 1)
                continue;
        return 0;
}

static bool set_one(volatile struct sim_shared *machine, const char *name, uint64_t value)
{
        struct {
                const char *name;
                volatile uint64_t *value;
        } wide[] = {
                {"pc", &machine->pc},
                {"spe_per_ms", &machine->spe_per_ms},
                {"spe_left", &machine->spe_left},
                {"spe_losses", &machine->spe_losses},
                {"pmsidr_lacks", &machine->pmsidr_lacks},
                {"others", &machine->others},
        };

        if (!strcmp(name, "n_cpus"))
                machine->n_cpus = (uint32_t)value;
        else if (!strcmp(name, "n_each"))
                machine->n_each = (uint32_t)value;
        else if (!strcmp(name, "kernel"))
                machine->kernel = (uint32_t)value;
        else if (!strcmp(name, "pid"))
                machine->pid = machine->tid = (uint32_t)value;
        else {
                for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++) {
                        if (!strcmp(name, wide[i].name)) {
                                *wide[i].value = value;
                                return true;
                        }
                }
                return false;
        }
        return true;
}

static int set(int n, char **words)
{
        for (int i = 0; i + 1 < n; i += 2) {
                if (!set_one(wdm_machine(), words[i], strtoull(words[i + 1], NULL, 0)))
                        return 2;
        }
        return 0;
}

#define DEVICES "SYSTEM\\CurrentControlSet\\Enum\\ACPI\\"

/* What Windows keeps of a device that has an interrupt, and then memory. */
static int write_device(const char *id, const char *instance, uint64_t first, uint32_t bytes)
{
        char key[256];
        uint8_t list[60] = {[0] = 1, [16] = 2, [20] = 2, [40] = 3};
        LSTATUS error;

        memcpy(list + 44, &first, sizeof(first));
        memcpy(list + 52, &bytes, sizeof(bytes));
        snprintf(key, sizeof(key), DEVICES "%s\\%s\\LogConf", id, instance);
        error = RegSetKeyValueA(HKEY_LOCAL_MACHINE, key, "BootConfig", REG_RESOURCE_LIST, list, sizeof(list));
        return error ? report(key, (DWORD)error) : 0;
}

static int forget_devices(const char *id)
{
        char key[256];

        snprintf(key, sizeof(key), DEVICES "%s", id);
        return RegDeleteTreeA(HKEY_LOCAL_MACHINE, key) ? 1 : 0;
}

static int hold(void)
{
        HANDLE device = wdm_open();
        uint32_t status = ABI_LOCK_BUSY;
        DWORD error = wdm_lock(device, true, &status);

        if (error || status != ABI_LOCKED)
                return report("lock", error ? error : ERROR_BUSY);
        printf("held\n");
        fflush(stdout);
        Sleep(HOLD_MS);
        return 0;
}

void sampled_function(DWORD ms);

/* The machine gives its samples an address in this function. */
__attribute__((noinline)) void sampled_function(DWORD ms)
{
        Sleep(ms);
}

static int show_function(const char *ms)
{
        printf("%lu 0x%llx\n", GetCurrentProcessId(), (unsigned long long)(uintptr_t)sampled_function);
        fflush(stdout);
        sampled_function((DWORD)atoi(ms));
        return 0;
}

int main(int argc, char **argv)
{
        const char *what = argc > 1 ? argv[1] : "";

        if (!strcmp(what, "install") && argc == 3)
                return report(what, wdm_service_install(argv[2]));
        if (!strcmp(what, "start"))
                return report(what, wdm_service_start());
        if (!strcmp(what, "stop"))
                return report(what, wdm_service_stop());
        if (!strcmp(what, "remove"))
                return report(what, wdm_service_remove());
        if (!strcmp(what, "keep"))
                return keep();
        if (!strcmp(what, "set"))
                return set(argc - 2, argv + 2);
        if (!strcmp(what, "device") && argc == 6)
                return write_device(argv[2], argv[3], strtoull(argv[4], NULL, 0),
                                    (uint32_t)strtoul(argv[5], NULL, 0));
        if (!strcmp(what, "forget") && argc == 3)
                return forget_devices(argv[2]);
        if (!strcmp(what, "hold"))
                return hold();
        if (!strcmp(what, "function") && argc == 3)
                return show_function(argv[2]);
        if (!strcmp(what, "spe")) {
                volatile struct sim_shared *machine = wdm_machine();

                printf("0x%llx 0x%llx %llu\n", (unsigned long long)machine->spe_control,
                       (unsigned long long)machine->spe_interval, (unsigned long long)machine->spe_left);
                return 0;
        }
        if (!strcmp(what, "running")) {
                printf("%u\n", wdm_machine()->n_counting);
                return 0;
        }
        if (!strcmp(what, "pinned") && argc == 3) {
                Sleep(300);
                return atoi(argv[2]);
        }
        return 2;
}
