/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver with the interface of WPERFDRIVER 3.8 that counts by rules instead of hardware, for wine's
 * driver host. The layouts are written as offsets, apart from those of the program that is tested. In each
 * round an event counts 1000 * number + core + 1, the cycle counter 1000000; a kernel that is not excluded
 * adds 500000 to an event. An event of a cluster counts 2000 * number + cluster + 1, of a memory controller
 * 3000 * number + the first address of its registers / 2^20. If several cores count one cluster, each gets
 * a part. What came since the last tick is lost when it is stopped, and the lock stays with a process that
 * has ended, as in the driver itself. */
#include <ntddk.h>

#include "fake_requests.h"

enum {
        MAX_CORES = 128,
        MAX_EVENTS = 127,
        ALL_COUNTERS = 6,
        CONTROL_BYTES = 152,
        CONTROL_CORES = 8,
        CONTROL_PERIOD = 136,
        CONTROL_FLAGS = 144,
        HW_CFG_BYTES = 336,
        VERSION_BYTES = 324,
        COUNTS_BYTES = 16 + 128 * 32,
        SAMPLES_BYTES = 8 + 128 * 32,
        SPE_BYTES = 176,
        SPE_SIZE = 136,
        SPE_OPERATIONS = 144,
        SPE_BUFFER_BYTES = 512 << 10,
        SPE_RECORD_BYTES = 64,
        SPE_STORES = 4,
        ANSWER_MAX_BYTES = 40 << 10,
        DROPPED = 4,
        CYCLES_PER_ROUND = 1000000,
        FLAG_CORE = 1,
        FLAG_DSU = 2,
        FLAG_DMC = 4,
        FLAGS_ALL = 16,
        CONTROL_DMC = 140,
        DSU_COUNTERS = 6,
        DSU_EVENTS = 31,
        DSU_BYTES = 16 + 32 * 32,
        DMC_EVENTS = 8,
        DMC_CLKDIV2 = 4 * 32,
        DMC_BYTES = 392,
        MAX_DMC = 4,
        KERNEL_PER_ROUND = 500000,
};

struct core {
        USHORT events[MAX_EVENTS];
        ULONG n_events;
        ULONG64 filter;
        USHORT dsu_events[DSU_EVENTS];
        ULONG n_dsu_events;
        ULONG flags; /* what it counts since the last start */
        BOOLEAN runs, samples;
        ULONG n_sources;
        ULONG64 n_taken;
        LONGLONG since, ticks_before; /* 100 ns */
        LONGLONG tick;
};

static struct core cores[MAX_CORES];
static ULONG settings[FAKE_N_SETTINGS] = {
        3 << 16 | 8 << 8, ALL_COUNTERS, 2, 0xffffffff, 0, 0xffffffff, 0, 0, 0, 0, 0, 0};
static ULONG cores_of_cluster;
/* The array of memory controllers is as long as the first program said; the driver writes over its end for
 * one that says more. */
static struct {
        ULONG n;
        struct {
                ULONG64 first;
                USHORT events[DMC_EVENTS];
                ULONG n_events;
        } each[MAX_DMC];
} memory;
/* One buffer for all cores. */
static struct {
        BOOLEAN runs;
        UCHAR operations;
        ULONG left;                    /* records that are still to be made */
        ULONG64 recorded, copied, sum; /* bytes; `sum` is what the driver says it has, until it is taken */
} spe;
/* Numbers of opened files; 0 for none. */
static ULONG_PTR owner, last_file;
static FAST_MUTEX mutex;

static UNICODE_STRING device_name = RTL_CONSTANT_STRING(L"\\Device\\WPERFDRIVER");
static UNICODE_STRING plain_link = RTL_CONSTANT_STRING(L"\\DosDevices\\WPERFDRIVER");
/* What Windows makes for a registered interface. */
static UNICODE_STRING interface_link =
        RTL_CONSTANT_STRING(L"\\DosDevices\\ROOT#SYSTEM#0001#{f8047fdd-7083-4c2e-90ef-c0c73f1045fd}");

DRIVER_INITIALIZE DriverEntry;

static LONGLONG now(void)
{
        LARGE_INTEGER time;

        KeQuerySystemTime(&time);
        return time.QuadPart;
}

static ULONG u32_at(const UCHAR *at)
{
        ULONG value;

        RtlCopyMemory(&value, at, sizeof(value));
        return value;
}

static USHORT u16_at(const UCHAR *at)
{
        return (USHORT)(at[0] | at[1] << 8);
}

static void put(UCHAR *at, ULONG64 value, ULONG size)
{
        RtlCopyMemory(at, &value, size);
}

static void put_text(UCHAR *at, const WCHAR *text)
{
        for (; *text; text++, at += 2)
                put(at, *text, 2);
}

/* --- counting --- */

static ULONG64 rounds(const struct core *core)
{
        LONGLONG ran = core->ticks_before;

        if (core->runs && !settings[FAKE_RESTING])
                ran += (now() - core->since) / core->tick;
        return (ULONG64)ran;
}

static void start(struct core *core, ULONG period_ms, ULONG flags)
{
        BOOLEAN rotates = ((flags & FLAG_CORE) && core->n_events > settings[FAKE_COUNTERS]) ||
                          ((flags & FLAG_DSU) && core->n_dsu_events > DSU_COUNTERS);

        core->flags = flags;
        core->tick =
                (rotates ? 1 : 2) * (LONGLONG)(period_ms >= 10 && period_ms <= 100 ? period_ms : 100) * 10000;
        core->since = now();
        core->runs = TRUE;
}

static void stop(struct core *core)
{
        core->ticks_before = (LONGLONG)rounds(core);
        core->runs = FALSE;
}

/* In how many of the rounds a counter counted the event, one of `n`. */
static ULONG64 scheduled(ULONG n, ULONG counters, ULONG event, ULONG64 n_rounds)
{
        ULONG64 times = 0;

        if (n <= counters)
                return n_rounds;
        for (ULONG64 round = 0; round < n_rounds; round++) {
                ULONG first = (ULONG)(counters * round % n);

                times += (event + n - first) % n < counters;
        }
        return times;
}

static void put_count(UCHAR *at, ULONG event, ULONG64 filter, ULONG64 per_round, ULONG64 times)
{
        put(at, event, 4);
        put(at + 8, filter, 8);
        put(at + 16, per_round * times, 8);
        put(at + 24, times, 8);
}

static ULONG read_counts(ULONG index, UCHAR *out)
{
        const struct core *core = &cores[index];
        ULONG64 n_rounds = rounds(core), kernel = core->filter >> 31 & 1 ? 0 : KERNEL_PER_ROUND;

        RtlZeroMemory(out, COUNTS_BYTES);
        put(out, core->n_events + 1, 4);
        put(out + 8, n_rounds, 8);
        if (!(core->flags & FLAG_CORE))
                n_rounds = 0;
        put_count(out + 16, 0xffffffff, core->filter, CYCLES_PER_ROUND, n_rounds);
        for (ULONG i = 0; i < core->n_events; i++)
                put_count(out + 48 + 32 * i, core->events[i], core->filter,
                          1000 * core->events[i] + index + 1 + kernel,
                          scheduled(core->n_events, settings[FAKE_COUNTERS], i, n_rounds));
        return COUNTS_BYTES;
}

static ULONG read_cluster(ULONG index, UCHAR *out)
{
        const struct core *core = &cores[index];
        ULONG cluster = cores_of_cluster ? index / cores_of_cluster : 0, sharers = 0;
        ULONG64 n_rounds = rounds(core), counted = core->flags & FLAG_DSU ? n_rounds : 0;

        for (ULONG i = 0; i < MAX_CORES; i++)
                sharers += cores_of_cluster && i / cores_of_cluster == cluster && cores[i].runs &&
                           (cores[i].flags & FLAG_DSU);
        RtlFillMemory(out, DSU_BYTES, 0xa5);
        put(out, core->n_dsu_events + 1, 4);
        put(out + 8, n_rounds, 8);
        put_count(out + 16, 0xffffffff, 0, CYCLES_PER_ROUND / (sharers ? sharers : 1), counted);
        for (ULONG i = 0; i < core->n_dsu_events; i++)
                put_count(out + 48 + 32 * i, core->dsu_events[i], 0,
                          (2000 * core->dsu_events[i] + cluster + 1) / (sharers ? sharers : 1),
                          scheduled(core->n_dsu_events, DSU_COUNTERS, i, counted));
        return DSU_BYTES;
}

/* The timers of all cores that were told to read the memory controllers do so. */
static ULONG read_memory(ULONG index, UCHAR *out)
{
        ULONG64 n_rounds = 0;

        for (ULONG i = 0; i < MAX_CORES; i++)
                n_rounds += cores[i].flags & FLAG_DMC ? rounds(&cores[i]) : 0;
        RtlFillMemory(out, DMC_BYTES, 0xa5);
        out[384] = 0;
        out[385] = (UCHAR)memory.each[index].n_events;
        for (ULONG i = 0; i < memory.each[index].n_events; i++)
                put_count(out + DMC_CLKDIV2 + 32 * i, memory.each[index].events[i], 0,
                          3000 * memory.each[index].events[i] + (memory.each[index].first >> 20), n_rounds);
        return DMC_BYTES;
}

/* --- requests --- */

static NTSTATUS each_core(const UCHAR *in, ULONG size, ULONG request)
{
        ULONG n, flags;

        if (size != CONTROL_BYTES || !u32_at(in + CONTROL_FLAGS) || u32_at(in + CONTROL_FLAGS) >= FLAGS_ALL)
                return STATUS_INVALID_PARAMETER;
        flags = u32_at(in + CONTROL_FLAGS);
        n = u32_at(in);
        /* The driver refuses 128. */
        if (!n || n >= MAX_CORES || u32_at(in + 4))
                return STATUS_INVALID_PARAMETER;
        for (ULONG i = 0; i < n; i++) {
                struct core *core = &cores[in[CONTROL_CORES + i] % MAX_CORES];

                /* The last core reads the memory controllers; one core of a cluster counts it, if all cores
                 * are named. */
                if (request == 0)
                        start(core, u32_at(in + CONTROL_PERIOD),
                              (flags & FLAG_CORE) | (i == n - 1 ? flags & FLAG_DMC : 0) |
                                      (n != settings[FAKE_CORES] || !(i & (cores_of_cluster - 1))
                                               ? flags & FLAG_DSU
                                               : 0));
                else if (request == 1)
                        stop(core);
                else
                        core->ticks_before = 0;
        }
        return STATUS_SUCCESS;
}

static void copy_events(USHORT *events, const UCHAR *in, ULONG n)
{
        for (ULONG i = 0; i < n; i++)
                events[i] = u16_at(in + 2 * i);
}

static NTSTATUS assign_memory(const UCHAR *in, ULONG n)
{
        if (in[4] >= memory.n || n > DMC_EVENTS)
                return STATUS_ACCESS_VIOLATION;
        memory.each[in[4]].n_events = n;
        copy_events(memory.each[in[4]].events, in + 24, n);
        return STATUS_SUCCESS;
}

static NTSTATUS assign(const UCHAR *in, ULONG size)
{
        struct core *core;
        ULONG n, class;

        if (size < 24 || u32_at(in) >= settings[FAKE_CORES])
                return STATUS_INVALID_PARAMETER;
        core = &cores[u32_at(in)];
        class = u32_at(in + 16);
        n = u16_at(in + 20);
        if (size != 24 + 2 * n)
                return STATUS_INVALID_PARAMETER;
        if (class == 3)
                return assign_memory(in, n);
        if (class == 1 && n <= DSU_EVENTS) {
                core->n_dsu_events = n;
                copy_events(core->dsu_events, in + 24, n);
                return STATUS_SUCCESS;
        }
        if (class != 0 || n > MAX_EVENTS)
                return STATUS_INVALID_PARAMETER;
        RtlCopyMemory(&core->filter, in + 8, sizeof(core->filter));
        core->n_events = n;
        copy_events(core->events, in + 24, n);
        return STATUS_SUCCESS;
}

static NTSTATUS begin_clusters(const UCHAR *in, ULONG size, UCHAR *out, ULONG *ret_size)
{
        if (size != 4 || !u16_at(in + 2))
                return STATUS_INVALID_PARAMETER; /* the driver would divide by it */
        cores_of_cluster = u16_at(in + 2);
        out[0] = 1;
        out[1] = DSU_COUNTERS;
        *ret_size = 2;
        return STATUS_SUCCESS;
}

static NTSTATUS begin_memory(const UCHAR *in, ULONG size, UCHAR *out, ULONG *ret_size)
{
        if (size < 8 || size != 8 + 16u * in[0] || in[0] > MAX_DMC)
                return STATUS_INVALID_PARAMETER;
        if (memory.n && memory.n < in[0])
                return STATUS_ACCESS_VIOLATION;
        if (!memory.n) {
                memory.n = in[0];
                for (ULONG i = 0; i < memory.n; i++)
                        RtlCopyMemory(&memory.each[i].first, in + 8 + 16 * i, 8);
        }
        put(out, 0x08000200, 4); /* fixed and other counters of each class */
        *ret_size = 4;
        return STATUS_SUCCESS;
}

static NTSTATUS read_one(ULONG request, UCHAR *bytes, ULONG size, ULONG *ret_size)
{
        if (size != CONTROL_BYTES || u32_at(bytes) != 1 || bytes[CONTROL_CORES] >= settings[FAKE_CORES])
                return STATUS_INVALID_PARAMETER;
        if (request == 11 && bytes[CONTROL_DMC] >= memory.n)
                return STATUS_INVALID_PARAMETER;
        *ret_size = request == 7   ? read_counts(bytes[CONTROL_CORES], bytes)
                    : request == 9 ? read_cluster(bytes[CONTROL_CORES], bytes)
                                   : read_memory(bytes[CONTROL_DMC], bytes);
        return STATUS_SUCCESS;
}

/* Three samples at each request: of the first event, of the last, and of both. */
static ULONG put_samples(struct core *core, UCHAR *out)
{
        ULONG n = core->samples ? 3 : 0;

        RtlZeroMemory(out, SAMPLES_BYTES);
        put(out, n, 4);
        for (ULONG i = 0; i < n; i++) {
                ULONG64 last = 1ull << (core->n_sources - 1);

                put(out + 8 + 32 * i + 8, settings[FAKE_PC_LOW] | (ULONG64)settings[FAKE_PC_HIGH] << 32, 8);
                put(out + 8 + 32 * i + 16, i == 0 ? 1 : i == 1 ? last : last | 1, 8);
        }
        core->n_taken += n;
        return SAMPLES_BYTES;
}

static NTSTATUS set_sources(const UCHAR *in, ULONG size)
{
        struct core *core;

        if (size < 16 || (size - 4) % 12 || u32_at(in) >= settings[FAKE_CORES] || !u32_at(in + 8))
                return STATUS_INVALID_PARAMETER;
        core = &cores[u32_at(in)];
        core->n_sources = (size - 4) / 12;
        return STATUS_SUCCESS;
}

static NTSTATUS sample(ULONG request, UCHAR *bytes, ULONG size, ULONG *ret_size)
{
        struct core *core = size == CONTROL_BYTES ? &cores[bytes[CONTROL_CORES] % MAX_CORES] : NULL;

        if (request == 12)
                return set_sources(bytes, size);
        if (request == 15 && size == 4 && u32_at(bytes) < settings[FAKE_CORES]) {
                *ret_size = put_samples(&cores[u32_at(bytes)], bytes);
                return STATUS_SUCCESS;
        }
        if (!core)
                return STATUS_INVALID_PARAMETER;
        core->samples = request == 13;
        if (request == 13) {
                core->n_taken = 0;
                return STATUS_SUCCESS;
        }
        put(bytes, core->n_taken + DROPPED, 8);
        put(bytes + 8, DROPPED, 8);
        *ret_size = 16;
        return STATUS_SUCCESS;
}

/* --- SPE: each record is a load, or a store if only these are wanted, of its own number times 16 --- */

static void put_spe_record(ULONG64 number, UCHAR *out)
{
        BOOLEAN is_store = spe.operations == SPE_STORES;

        RtlZeroMemory(out, SPE_RECORD_BYTES);
        out[0] = 0xb0; /* PC, of EL0 */
        put(out + 1, settings[FAKE_PC_LOW] | (ULONG64)settings[FAKE_PC_HIGH] << 32, 8);
        out[9] = 0x52; /* events: retired, refill of L1D */
        put(out + 10, 0xa, 2);
        out[12] = 0x49; /* a load or store */
        out[13] = is_store;
        out[14] = 0xb2; /* its address */
        put(out + 15, 0x10000 + 16 * number, 8);
        out[SPE_RECORD_BYTES - 1] = 0x01; /* end, after padding */
}

static void record_spe(void)
{
        ULONG n = settings[FAKE_SPE_STEP] < spe.left ? settings[FAKE_SPE_STEP] : spe.left;
        ULONG64 room = (SPE_BUFFER_BYTES - spe.recorded) / SPE_RECORD_BYTES;

        if (!spe.runs)
                return;
        n = n < room ? n : (ULONG)room;
        spe.left -= n;
        spe.recorded += n * SPE_RECORD_BYTES;
}

static NTSTATUS give_spe(const UCHAR *in, ULONG size, UCHAR *out, ULONG *ret_size)
{
        static UCHAR record[SPE_RECORD_BYTES];
        ULONG64 wanted, sum = spe.sum, first = spe.copied;

        if (size != SPE_BYTES)
                return STATUS_INVALID_PARAMETER;
        RtlCopyMemory(&wanted, in + SPE_SIZE, sizeof(wanted));
        if (wanted > spe.recorded - spe.copied || wanted > ANSWER_MAX_BYTES)
                return STATUS_ACCESS_VIOLATION; /* the driver would read memory that is not its buffer */
        spe.copied += wanted;
        spe.sum = 0;
        if (sum > ANSWER_MAX_BYTES)
                return STATUS_INSUFFICIENT_RESOURCES;
        for (ULONG64 i = 0; i < wanted; i++) {
                if (!i || !((first + i) % SPE_RECORD_BYTES))
                        put_spe_record((first + i) / SPE_RECORD_BYTES, record);
                out[i] = record[(first + i) % SPE_RECORD_BYTES];
        }
        *ret_size = (ULONG)sum;
        return STATUS_SUCCESS;
}

static NTSTATUS answer_spe(ULONG request, UCHAR *bytes, ULONG size, ULONG *ret_size)
{
        if (!settings[FAKE_SPE_RECORDS])
                return STATUS_INVALID_DEVICE_REQUEST;
        switch (request) {
        case 18: spe.copied = spe.sum = 0; return STATUS_SUCCESS;
        case 19:
                record_spe();
                spe.sum += spe.recorded - spe.copied;
                put(bytes, spe.sum, 8);
                *ret_size = 8;
                return STATUS_SUCCESS;
        case 20: return give_spe(bytes, size, bytes, ret_size);
        case 21:
                spe.operations = bytes[SPE_OPERATIONS];
                spe.recorded = 0;
                spe.runs = TRUE;
                return STATUS_SUCCESS;
        default: spe.runs = FALSE; return STATUS_SUCCESS;
        }
}

static ULONG put_hw_cfg(UCHAR *out)
{
        /* PMUv3p1, a Neoverse N1 r3p1 */
        const UCHAR bytes[8] = {4, 1, (UCHAR)settings[FAKE_COUNTERS], ALL_COUNTERS, 0x41, 3, 15, 1};

        RtlZeroMemory(out, HW_CFG_BYTES);
        RtlCopyMemory(out, bytes, sizeof(bytes));
        put(out + 8, 0xd0c, 2);
        put(out + 10, settings[FAKE_CORES], 2);
        put(out + 16, 0x413fd0c1, 8);
        put(out + 24, 0x110305408, 8);
        for (ULONG i = 0; i < 32; i++)
                out[32 + i] = (UCHAR)(i < ALL_COUNTERS ? i : i == 31 ? 31 : 32);
        put_text(out + 64, L"core.stat=core;core.sample=core");
        return HW_CFG_BYTES;
}

static ULONG put_version(UCHAR *out)
{
        RtlZeroMemory(out, VERSION_BYTES);
        out[0] = (UCHAR)(settings[FAKE_VERSION] >> 16);
        out[1] = (UCHAR)(settings[FAKE_VERSION] >> 8);
        out[2] = (UCHAR)settings[FAKE_VERSION];
        put_text(out + 4, L"4c88f933");
        put_text(out + 68, settings[FAKE_SPE_RECORDS] ? L"+trace+spe" : L"+trace");
        return VERSION_BYTES;
}

/* Five events of cores. As in the driver, the two bytes after their number may be anything. */
static ULONG put_events(UCHAR *out)
{
        const USHORT codes[] = {0x08, 0x11, 0x1b, 0x70, 0x75};

        put(out, 0, 4);
        put(out + 4, 5, 2);
        put(out + 6, 0xa5a5, 2);
        RtlCopyMemory(out + 8, codes, sizeof(codes));
        return 8 + sizeof(codes);
}

static ULONG lock(ULONG_PTR file, ULONG how, UCHAR *out)
{
        if (how == 2) {
                if (owner == file)
                        owner = 0;
                put(out, owner ? 1 : 0, 4);
                return 4;
        }
        if (how == 1 || !owner)
                owner = file;
        put(out, owner == file ? 2 : 1, 4);
        return 4;
}

static NTSTATUS answer(ULONG_PTR file, ULONG request, UCHAR *bytes, ULONG size, ULONG *ret_size)
{
        BOOLEAN is_lock = request == 16 || request == 17;

        if (!is_lock && owner != file)
                return STATUS_INVALID_DEVICE_STATE;
        switch (request) {
        case 0:
        case 1:
        case 2: return each_core(bytes, size, request);
        case 3: *ret_size = put_hw_cfg(bytes); return STATUS_SUCCESS;
        case 4: *ret_size = put_events(bytes); return STATUS_SUCCESS;
        case 5: *ret_size = put_version(bytes); return STATUS_SUCCESS;
        case 6: return assign(bytes, size);
        case 8: return begin_clusters(bytes, size, bytes, ret_size);
        case 10: return begin_memory(bytes, size, bytes, ret_size);
        case 7:
        case 9:
        case 11: return read_one(request, bytes, size, ret_size);
        case 12:
        case 13:
        case 14:
        case 15: return sample(request, bytes, size, ret_size);
        case 16:
        case 17:
                if (size != 4)
                        return STATUS_INVALID_PARAMETER;
                *ret_size = lock(file, request == 17 ? 2 : u32_at(bytes), bytes);
                return STATUS_SUCCESS;
        case 18:
        case 19:
        case 20:
        case 21:
        case 22: return answer_spe(request, bytes, size, ret_size);
        default: return STATUS_INVALID_DEVICE_REQUEST;
        }
}

static void spoil(ULONG request, UCHAR *bytes, ULONG *size)
{
        if (settings[FAKE_REQUEST] != request)
                return;
        if (*size >= 4 && settings[FAKE_OFFSET] <= *size - 4)
                put(bytes + settings[FAKE_OFFSET], settings[FAKE_WORD], 4);
        *size += settings[FAKE_GROW];
}

static NTSTATUS NTAPI on_request(PDEVICE_OBJECT device, PIRP irp)
{
        PIO_STACK_LOCATION stack = IoGetCurrentIrpStackLocation(irp);
        ULONG in = stack->Parameters.DeviceIoControl.InputBufferLength, out = 0;
        ULONG code = stack->Parameters.DeviceIoControl.IoControlCode;
        ULONG room = stack->Parameters.DeviceIoControl.OutputBufferLength;
        UCHAR *bytes = irp->AssociatedIrp.SystemBuffer;
        NTSTATUS status = STATUS_SUCCESS;

        ExAcquireFastMutex(&mutex);
        if (code == FAKE_CODE(FAKE_SET) && in == 8 && u32_at(bytes) < FAKE_N_SETTINGS) {
                settings[u32_at(bytes)] = u32_at(bytes + 4);
                spe.left = settings[FAKE_SPE_RECORDS];
        } else if (code == FAKE_CODE(FAKE_ASK) && room >= 4) {
                ULONG n = 0;

                for (ULONG i = 0; i < MAX_CORES; i++)
                        n += cores[i].runs;
                put(bytes, n, 4);
                out = 4;
        } else if (code >> 14 != FAKE_CODE(FAKE_FUNCTION) >> 14) {
                status = STATUS_INVALID_DEVICE_REQUEST;
        } else {
                ULONG request = (code >> 2 & 0xfff) - FAKE_FUNCTION;

                status = answer((ULONG_PTR)stack->FileObject->FsContext, request, bytes, in, &out);
                if (status == STATUS_SUCCESS)
                        spoil(request, bytes, &out);
        }
        ExReleaseFastMutex(&mutex);
        if (out > room) {
                status = STATUS_BUFFER_TOO_SMALL;
                out = 0;
        }
        irp->IoStatus.Status = status;
        irp->IoStatus.Information = out;
        IoCompleteRequest(irp, IO_NO_INCREMENT);
        return status;
}

static NTSTATUS NTAPI on_close(PDEVICE_OBJECT device, PIRP irp)
{
        irp->IoStatus.Status = STATUS_SUCCESS;
        irp->IoStatus.Information = 0;
        IoCompleteRequest(irp, IO_NO_INCREMENT);
        return STATUS_SUCCESS;
}

static NTSTATUS NTAPI on_open(PDEVICE_OBJECT device, PIRP irp)
{
        IoGetCurrentIrpStackLocation(irp)->FileObject->FsContext = (PVOID)++last_file;
        return on_close(device, irp);
}

static VOID NTAPI on_unload(PDRIVER_OBJECT driver)
{
        IoDeleteSymbolicLink(&plain_link);
        IoDeleteSymbolicLink(&interface_link);
        IoDeleteDevice(driver->DeviceObject);
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry)
{
        PDEVICE_OBJECT device;
        NTSTATUS status = IoCreateDevice(driver, 0, &device_name, FILE_DEVICE_UNKNOWN,
                                         FILE_DEVICE_SECURE_OPEN, FALSE, &device);

        if (!NT_SUCCESS(status))
                return status;
        ExInitializeFastMutex(&mutex);
        IoCreateSymbolicLink(&plain_link, &device_name);
        IoCreateSymbolicLink(&interface_link, &device_name);
        driver->MajorFunction[IRP_MJ_CREATE] = on_open;
        driver->MajorFunction[IRP_MJ_CLOSE] = on_close;
        driver->MajorFunction[IRP_MJ_DEVICE_CONTROL] = on_request;
        driver->DriverUnload = on_unload;
        device->Flags |= DO_BUFFERED_IO;
        device->Flags &= ~(ULONG)DO_DEVICE_INITIALIZING;
        return STATUS_SUCCESS;
}
