/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver as Windows sees it: a device whose requests go to driver/core, one at a time. While no handle
 * is open, the driver holds no counters and no memory; the interrupt of PMUs only while it samples. */
#include "request.h"
#include "wdm_access.h"
#include "wdm_hw.h"

#define WIDE(text) L"" text

DRIVER_INITIALIZE DriverEntry;

static UNICODE_STRING device_name = RTL_CONSTANT_STRING(WIDE(ABI_DEVICE));
static UNICODE_STRING link_name = RTL_CONSTANT_STRING(WIDE(ABI_LINK));

static KMUTEX mutex; /* of what follows */
static struct hw hw;
static struct driver *driver; /* NULL while no handle is open */
static ULONG n_handles;

/* Requests under way, and 1 until the driver is unloaded. */
static volatile LONG n_users;
static KEVENT no_users;

static bool begin_use(void)
{
        LONG n = n_users;

        while (n > 0) {
                LONG before = InterlockedCompareExchange(&n_users, n + 1, n);

                if (before == n)
                        return true;
                n = before;
        }
        return false;
}

static void end_use(void)
{
        if (!InterlockedDecrement(&n_users))
                KeSetEvent(&no_users, IO_NO_INCREMENT, FALSE);
}

static void lock(void)
{
        KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, NULL);
}

static void unlock(void)
{
        KeReleaseMutex(&mutex, FALSE);
}

static NTSTATUS complete(IRP *irp, NTSTATUS status, ULONG_PTR bytes)
{
        irp->IoStatus.Status = status;
        irp->IoStatus.Information = bytes;
        IoCompleteRequest(irp, IO_NO_INCREMENT);
        return status;
}

/* --- the machine, while a handle is open --- */

static NTSTATUS open_machine(void)
{
        NTSTATUS status = wdm_hw_open(&hw);

        if (!NT_SUCCESS(status))
                return status;
        driver = driver_new(&hw);
        if (!driver) {
                wdm_hw_close(&hw);
                return STATUS_INSUFFICIENT_RESOURCES;
        }
        wdm_hw_set_driver(driver);
        return STATUS_SUCCESS;
}

static void close_machine(void)
{
        driver_free(driver);
        driver = NULL;
        wdm_hw_set_driver(NULL);
        wdm_hw_close(&hw);
}

/* --- what Windows asks for --- */

static NTSTATUS NTAPI on_create(DEVICE_OBJECT *device, IRP *irp)
{
        NTSTATUS status = STATUS_SUCCESS;

        (void)device;
        if (!begin_use())
                return complete(irp, STATUS_DELETE_PENDING, 0);
        lock();
        if (!driver)
                status = open_machine();
        if (NT_SUCCESS(status))
                n_handles++;
        unlock();
        complete(irp, status, 0);
        end_use();
        return status;
}

/* The file's last handle was closed, or its process ended; Windows sends both requests, wine only the
 * close. After the driver was unloaded, which only wine does earlier, nothing is left to do. */
static NTSTATUS release_owner(IRP *irp, bool closes)
{
        if (!begin_use())
                return complete(irp, STATUS_SUCCESS, 0);
        lock();
        driver_release(driver, IoGetCurrentIrpStackLocation(irp)->FileObject);
        if (closes && !--n_handles)
                close_machine();
        unlock();
        complete(irp, STATUS_SUCCESS, 0);
        end_use();
        return STATUS_SUCCESS;
}

static NTSTATUS NTAPI on_cleanup(DEVICE_OBJECT *device, IRP *irp)
{
        (void)device;
        return release_owner(irp, false);
}

static NTSTATUS NTAPI on_close(DEVICE_OBJECT *device, IRP *irp)
{
        (void)device;
        return release_owner(irp, true);
}

static NTSTATUS status_of(enum request_status status)
{
        switch (status) {
        case REQUEST_OK: return STATUS_SUCCESS;
        case REQUEST_UNKNOWN: return STATUS_INVALID_DEVICE_REQUEST;
        case REQUEST_SIZE: return STATUS_INFO_LENGTH_MISMATCH;
        case REQUEST_VALUE: return STATUS_INVALID_PARAMETER;
        case REQUEST_OWNER: return STATUS_INVALID_OWNER;
        case REQUEST_STATE: return STATUS_INVALID_DEVICE_STATE;
        case REQUEST_ROOM: return STATUS_QUOTA_EXCEEDED;
        case REQUEST_MEMORY: return STATUS_NO_MEMORY;
        case REQUEST_NO_DEVICE: return STATUS_NOT_FOUND;
        case REQUEST_TAKEN: return STATUS_SHARING_VIOLATION;
        }
        return STATUS_INTERNAL_ERROR;
}

/* All codes of abi.h are METHOD_BUFFERED: Windows has copied the payload, and copies the answer. Others are
 * unknown, and refused before their buffers are looked at. */
static NTSTATUS NTAPI on_control(DEVICE_OBJECT *device, IRP *irp)
{
        const IO_STACK_LOCATION *stack = IoGetCurrentIrpStackLocation(irp);
        void *buffer = irp->AssociatedIrp.SystemBuffer;
        NTSTATUS status;
        uint32_t bytes;

        (void)device;
        if (!begin_use())
                return complete(irp, STATUS_DELETE_PENDING, 0);
        lock();
        status = status_of(request_run(driver, stack->FileObject,
                                       stack->Parameters.DeviceIoControl.IoControlCode, buffer,
                                       stack->Parameters.DeviceIoControl.InputBufferLength, buffer,
                                       stack->Parameters.DeviceIoControl.OutputBufferLength, &bytes));
        unlock();
        complete(irp, status, bytes);
        end_use();
        return status;
}

/* Windows calls this when no handle is open. Where one is (wine), new requests are refused, and those under
 * way end first. */
static VOID NTAPI on_unload(DRIVER_OBJECT *object)
{
        IoDeleteSymbolicLink(&link_name);
        if (InterlockedDecrement(&n_users))
                KeWaitForSingleObject(&no_users, Executive, KernelMode, FALSE, NULL);
        lock();
        if (driver)
                close_machine();
        unlock();
        IoDeleteDevice(object->DeviceObject);
}

NTSTATUS NTAPI DriverEntry(DRIVER_OBJECT *object, UNICODE_STRING *registry)
{
        DEVICE_OBJECT *device;
        NTSTATUS status = IoCreateDevice(object, 0, &device_name, ABI_DEVICE_TYPE, FILE_DEVICE_SECURE_OPEN,
                                         FALSE, &device);

        if (!NT_SUCCESS(status))
                return status;
        n_users = 1;
        KeInitializeEvent(&no_users, NotificationEvent, FALSE);
        KeInitializeMutex(&mutex, 0);
        object->MajorFunction[IRP_MJ_CREATE] = on_create;
        object->MajorFunction[IRP_MJ_CLEANUP] = on_cleanup;
        object->MajorFunction[IRP_MJ_CLOSE] = on_close;
        object->MajorFunction[IRP_MJ_DEVICE_CONTROL] = on_control;
        object->DriverUnload = on_unload;
        status = wdm_access_set(device, registry);
        if (NT_SUCCESS(status))
                status = IoCreateSymbolicLink(&link_name, &device_name);
        if (!NT_SUCCESS(status)) {
                IoDeleteDevice(device);
                return status;
        }
        device->Flags &= ~(ULONG)DO_DEVICE_INITIALIZING;
        return STATUS_SUCCESS;
}
