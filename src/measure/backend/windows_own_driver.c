/* SPDX-License-Identifier: BSD-3-Clause */
/* All answers are checked: another program's driver may have the same name. */
#include "windows_own_driver.h"

#include <windows.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "text.h"
#include "text_printable.h"
#include "wperfdriver_answers.h"

enum { COUNTERS_MAX = 31, NO_COUNTER = 32, PMU_VERSION_SHIFT = 8, SPE_VERSION_SHIFT = 32 };

struct own_driver {
        HANDLE device;
        bool locked;
        uint32_t core_class;
        struct kernel_driver facts;
};

static const char *request_name(enum abi_request request)
{
        static const char *const names[ABI_REQUESTS] = {
                "VERSION", "HW_CONFIG", "BLOCKS", "LOCK",        "UNLOCK",       "ASSIGN",   "SET_SOURCES",
                "SET_SPE", "START",     "STOP",   "READ_COUNTS", "READ_SAMPLES", "READ_SPE", "UNITS",
        };

        return names[request];
}

/* --- the device --- */

static HANDLE open_path(DWORD access)
{
        return CreateFileA(ABI_PATH, access, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0,
                           NULL);
}

bool own_driver_is_loaded(void)
{
        HANDLE device = open_path(0);

        if (device == INVALID_HANDLE_VALUE)
                return GetLastError() == ERROR_ACCESS_DENIED;
        CloseHandle(device);
        return true;
}

static bool open_device(struct own_driver *d, struct err *err)
{
        DWORD error;

        d->device = open_path(GENERIC_READ | GENERIC_WRITE);
        if (d->device != INVALID_HANDLE_VALUE)
                return true;
        error = GetLastError();
        if (error == ERROR_ACCESS_DENIED)
                return err_set(err, ERR_DENIED,
                               ABI_SERVICE
                               " is loaded, but this user may not open it: run wperf as administrator");
        return err_set(err, ERR_MISSING, ABI_SERVICE " can't be opened (Windows error %lu)", error);
}

/* --- requests --- */

static bool fail(const struct own_driver *d, enum abi_request request, DWORD error, struct err *err)
{
        switch (error) {
        case ERROR_INVALID_OWNER:
                if (d->locked)
                        return wperfdriver_lost_lock(err);
                break;
        case ERROR_FILE_NOT_FOUND:
        case ERROR_ACCESS_DENIED:
        case ERROR_DELETE_PENDING:
        case ERROR_DEV_NOT_EXIST:
        case ERROR_DEVICE_REMOVED:
        case ERROR_OPERATION_ABORTED:
        case ERROR_INVALID_HANDLE:
                return err_set(err, ERR_IO, ABI_SERVICE " was stopped: what this run measured is lost");
        case ERROR_SHARING_VIOLATION:
                return err_set(
                        err, ERR_BUSY,
                        "another program samples with the PMU or SPE, for example a trace of WPR with PMU events: "
                        "stop it, then measure again (stat works beside a trace)");
        case ERROR_NOT_ENOUGH_QUOTA:
                return err_set(err, ERR_LIMIT,
                               ABI_SERVICE " has %u free counters for each core, and more are needed",
                               d->facts.n_counters);
        default: break;
        }
        return err_set(err, ERR_IO, "the request %s failed: " ABI_SERVICE " answers with Windows error %lu",
                       request_name(request), error);
}

int64_t own_driver_ask(struct own_driver *d, enum abi_request request, const void *in, size_t in_size,
                       void *out, size_t room, struct err *err)
{
        DWORD code = request == ABI_REQUEST_VERSION ? ABI_CODE(request) : ABI_OWN(request), size = 0;

        if (DeviceIoControl(d->device, code, (void *)(uintptr_t)in, (DWORD)in_size, out, (DWORD)room, &size,
                            NULL) &&
            size <= room)
                return size;
        fail(d, request, GetLastError(), err);
        return -1;
}

/* An answer of exactly `size` bytes. */
static bool ask(struct own_driver *d, enum abi_request request, const void *in, size_t in_size, void *out,
                size_t size, struct err *err)
{
        int64_t got = own_driver_ask(d, request, in, in_size, out, size, err);

        if (got >= 0 && (size_t)got != size)
                return err_set(err, ERR_FORMAT, ABI_SERVICE " answers %s with %lld bytes, not %zu",
                               request_name(request), (long long)got, size);
        return got >= 0;
}

/* --- what it says --- */

static bool read_version(struct own_driver *d, struct err *err)
{
        AUTO_RELEASE(buf) printable = {0};
        struct abi_version version;

        if (!ask(d, ABI_REQUEST_VERSION, NULL, 0, &version, sizeof(version), err))
                return false;
        version.text[sizeof(version.text) - 1] = '\0';
        text_add_printable(&printable, version.text);
        text_copy(d->facts.git, sizeof(d->facts.git), buf_text(&printable));
        snprintf(d->facts.version, sizeof(d->facts.version), "%u.%u.%u", version.major % 1000,
                 version.minor % 1000, version.patch % 1000);
        if (version.abi != ABI_NUMBER)
                return err_set(err, ERR_UNSUPPORTED,
                               ABI_SERVICE
                               " %s has interface %u, and this wperf knows %d: install the driver and "
                               "wperf.exe of one version",
                               d->facts.version, version.abi, ABI_NUMBER);
        return true;
}

static bool take_lock(struct own_driver *d, bool force, struct err *err)
{
        const struct abi_lock lock = {.force = force};
        struct abi_lock_answer answer;

        if (!ask(d, ABI_REQUEST_LOCK, &lock, sizeof(lock), &answer, sizeof(answer), err))
                return false;
        if (answer.status != ABI_LOCKED)
                return wperfdriver_check_lock(WPERFDRIVER_BUSY, err);
        d->locked = true;
        return true;
}

union config {
        struct abi_hw_config head;
        uint8_t bytes[sizeof(struct abi_hw_config) + sizeof(struct abi_cpu)];
};

/* Asks about one CPU. */
static bool ask_config(struct own_driver *d, uint32_t cpu, union config *config, struct err *err)
{
        const struct abi_first first = {.first = cpu};

        return ask(d, ABI_REQUEST_HW_CONFIG, &first, sizeof(first), config, sizeof(*config), err);
}

static bool read_config(struct own_driver *d, struct err *err)
{
        struct kernel_driver *f = &d->facts;
        union config config;
        const struct abi_cpu *cpu = config.head.cpus;

        if (!ask_config(d, 0, &config, err))
                return false;
        if (!config.head.n_cpus || config.head.n_cpus > ABI_CPUS_MAX || cpu->n_counters > COUNTERS_MAX)
                return err_set(err, ERR_FORMAT,
                               ABI_SERVICE
                               " reports %u cores with %u counters: from 1 to %d cores and %d counters are "
                               "possible",
                               config.head.n_cpus, cpu->n_counters, ABI_CPUS_MAX, COUNTERS_MAX);
        if (!cpu->n_counters)
                return wperfdriver_check_lock(WPERFDRIVER_NO_RESOURCES, err);
        f->n_cpus = (uint16_t)config.head.n_cpus;
        f->n_counters = f->n_all_counters = cpu->n_counters;
        f->n_fixed = 1;
        f->pmu_version = cpu->pmu_version;
        f->midr = cpu->midr;
        f->pmsidr = cpu->pmsidr;
        f->id_aa64dfr0 = (uint64_t)cpu->pmu_version << PMU_VERSION_SHIFT | (uint64_t)cpu->spe_version
                                                                                   << SPE_VERSION_SHIFT;
        if (cpu->spe_version && cpu->pmsidr)
                text_copy(f->features, sizeof(f->features), "+spe");
        for (size_t i = 0; i < N_ELEMENTS(f->counter_map); i++)
                f->counter_map[i] = i < f->n_counters ? (uint8_t)i : NO_COUNTER;
        f->counter_map[COUNTERS_MAX] = COUNTERS_MAX; /* that of cycles */
        return true;
}

union blocks_answer {
        struct abi_blocks head;
        uint8_t bytes[sizeof(struct abi_blocks) + ABI_CLASSES_PER_ANSWER * sizeof(struct abi_class)];
};

union units_answer {
        struct abi_units head;
        uint8_t bytes[sizeof(struct abi_units) + ABI_UNITS_PER_ANSWER * sizeof(struct abi_unit)];
};

static bool ask_units(struct own_driver *d, uint32_t class, uint32_t first, union units_answer *ret,
                      struct err *err)
{
        const struct abi_read from = {class, first};
        int64_t size = own_driver_ask(d, ABI_REQUEST_UNITS, &from, sizeof(from), ret, sizeof(*ret), err);

        if (size < 0)
                return false;
        if (size < (int64_t)sizeof(ret->head) || ret->head.n > ABI_UNITS_PER_ANSWER ||
            (uint64_t)size != sizeof(ret->head) + ret->head.n * sizeof(struct abi_unit))
                return err_set(err, ERR_FORMAT,
                               ABI_SERVICE " answers UNITS with %lld bytes, which are not of %u units",
                               (long long)size, size < (int64_t)sizeof(ret->head) ? 0 : ret->head.n);
        return true;
}

/* Takes the CPUs of the units of a class. */
static bool read_units(struct own_driver *d, const struct kernel_unit_class *class, struct err *err)
{
        union units_answer answer;

        for (uint32_t first = 0; first < KERNEL_UNITS_MAX; first += answer.head.n) {
                if (!ask_units(d, class->number, first, &answer, err))
                        return false;
                for (uint32_t i = 0; i < answer.head.n; i++) {
                        const struct abi_unit *from = &answer.head.units[i];
                        struct kernel_unit *unit =
                                kernel_units_find(&d->facts.units, class->block, first + i);

                        if (!unit || from->cpu >= d->facts.n_cpus)
                                continue;
                        unit->cpu = from->cpu;
                        memcpy(unit->cpus, from->cpus.bits, sizeof(unit->cpus));
                }
                if (!answer.head.n)
                        break;
        }
        return true;
}

static void add_class(struct own_driver *d, const struct abi_class *from)
{
        const struct kernel_unit_class class = {
                .number = from->number, .n_counters = from->n_counters, .has_cycles = from->has_cycles};

        if (from->is_core)
                d->core_class = from->number;
        else if (from->n_counters && from->n_counters <= COUNTERS_MAX &&
                 memchr(from->block, 0, sizeof(from->block)) && memchr(from->name, 0, sizeof(from->name)))
                kernel_units_add_class(&d->facts.units, from->block, from->name, &class, from->n_units);
}

/* Finds the classes of cores and of other units. */
static bool read_blocks(struct own_driver *d, struct err *err)
{
        struct abi_first first = {0};
        bool has_cores = false;
        union blocks_answer blocks;

        do {
                int64_t size = own_driver_ask(d, ABI_REQUEST_BLOCKS, &first, sizeof(first), &blocks,
                                              sizeof(blocks), err);

                if (size < 0)
                        return false;
                if (size < (int64_t)sizeof(blocks.head) || blocks.head.n > ABI_CLASSES_PER_ANSWER ||
                    (uint64_t)size != sizeof(blocks.head) + blocks.head.n * sizeof(struct abi_class))
                        return err_set(err, ERR_FORMAT, ABI_SERVICE " has no class of cores");
                for (uint32_t i = 0; i < blocks.head.n; i++) {
                        add_class(d, &blocks.head.classes[i]);
                        has_cores |= blocks.head.classes[i].is_core;
                }
                first.first += blocks.head.n;
        } while (blocks.head.n && first.first < KERNEL_UNIT_CLASSES_MAX);
        if (!has_cores)
                return err_set(err, ERR_FORMAT, ABI_SERVICE " has no class of cores");
        for (size_t i = 0; i < d->facts.units.n_classes; i++) {
                if (!read_units(d, &d->facts.units.classes[i], err))
                        return false;
        }
        return true;
}

struct own_driver *own_driver_open(bool force, struct err *err)
{
        AUTO(own_driver) d = mem_new(1, sizeof(*d));

        d->facts.name = ABI_SERVICE;
        if (!open_device(d, err) || !read_version(d, err) || !take_lock(d, force, err) ||
            !read_config(d, err) || !read_blocks(d, err))
                return NULL;
        text_copy(d->facts.devices, sizeof(d->facts.devices), "core.stat=core;core.sample=core");
        return TAKE(d);
}

void own_driver_free(struct own_driver *d)
{
        if (!d)
                return;
        if (d->device != INVALID_HANDLE_VALUE)
                CloseHandle(d->device);
        free(d);
}

const struct kernel_driver *own_driver_get_facts(const struct own_driver *d)
{
        return &d->facts;
}

uint32_t own_driver_get_core_class(const struct own_driver *d)
{
        return d->core_class;
}

bool own_driver_get_cpu(struct own_driver *d, uint32_t cpu, struct abi_cpu *ret, struct err *err)
{
        union config config;

        if (!ask_config(d, cpu, &config, err))
                return false;
        if (config.head.n != 1 || config.head.cpus[0].cpu != cpu)
                return err_set(err, ERR_FORMAT, ABI_SERVICE " does not describe core %u", cpu);
        *ret = config.head.cpus[0];
        return true;
}
