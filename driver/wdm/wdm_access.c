/* SPDX-License-Identifier: BSD-3-Clause */
#include <ntifs.h>

#include "wdm_access.h"

#define KEY_PARAMETERS L"Parameters"
#define VALUE_SECURITY L"Security"

enum { DESCRIPTOR_MAX = 4096, ACL_BYTES = 256 };

/* S-1-5-18, the system, and S-1-5-32-544, administrators. */
static const struct {
        UCHAR revision, n;
        UCHAR authority[6];
        ULONG parts[2];
} allowed[] = {{1, 1, {0, 0, 0, 0, 0, 5}, {18, 0}}, {1, 2, {0, 0, 0, 0, 0, 5}, {32, 544}}};

static NTSTATUS open_key(HANDLE root, const WCHAR *name, const UNICODE_STRING *path, HANDLE *ret)
{
        OBJECT_ATTRIBUTES attributes;
        UNICODE_STRING text;

        if (path)
                text = *path;
        else
                RtlInitUnicodeString(&text, name);
        InitializeObjectAttributes(&attributes, &text, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, root, NULL);
        return ZwOpenKey(ret, KEY_READ, &attributes);
}

/* Reads the value of the key Parameters into `info`; STATUS_OBJECT_NAME_NOT_FOUND if there is none. */
static NTSTATUS read_value(const UNICODE_STRING *registry, void *info, ULONG bytes)
{
        UNICODE_STRING name = RTL_CONSTANT_STRING(VALUE_SECURITY);
        HANDLE service, parameters;
        ULONG needed;
        NTSTATUS status = open_key(NULL, NULL, registry, &service);

        if (!NT_SUCCESS(status))
                return status;
        status = open_key(service, KEY_PARAMETERS, NULL, &parameters);
        ZwClose(service);
        if (!NT_SUCCESS(status))
                return status;
        status = ZwQueryValueKey(parameters, &name, KeyValuePartialInformation, info, bytes, &needed);
        ZwClose(parameters);
        return status;
}

static NTSTATUS apply(DEVICE_OBJECT *device, void *descriptor)
{
        HANDLE handle;
        NTSTATUS status =
                ObOpenObjectByPointer(device, OBJ_KERNEL_HANDLE, NULL, WRITE_DAC, NULL, KernelMode, &handle);

        if (!NT_SUCCESS(status))
                return status;
        status = ZwSetSecurityObject(handle, DACL_SECURITY_INFORMATION, descriptor);
        ZwClose(handle);
        return status;
}

/* D:P(A;;GA;;;SY)(A;;GA;;;BA) */
static NTSTATUS apply_default(DEVICE_OBJECT *device)
{
        ULONG acl[ACL_BYTES / sizeof(ULONG)];
        SECURITY_DESCRIPTOR descriptor;
        NTSTATUS status = RtlCreateSecurityDescriptor(&descriptor, SECURITY_DESCRIPTOR_REVISION);

        if (NT_SUCCESS(status))
                status = RtlCreateAcl((ACL *)acl, sizeof(acl), ACL_REVISION);
        for (ULONG i = 0; NT_SUCCESS(status) && i < sizeof(allowed) / sizeof(allowed[0]); i++)
                status = RtlAddAccessAllowedAce((ACL *)acl, ACL_REVISION, GENERIC_ALL, (PSID)&allowed[i]);
        if (NT_SUCCESS(status))
                status = RtlSetDaclSecurityDescriptor(&descriptor, TRUE, (ACL *)acl, FALSE);
        if (!NT_SUCCESS(status))
                return status;
        descriptor.Control |= SE_DACL_PROTECTED;
        return apply(device, &descriptor);
}

NTSTATUS wdm_access_set(DEVICE_OBJECT *device, const UNICODE_STRING *registry)
{
        static union {
                KEY_VALUE_PARTIAL_INFORMATION info;
                UCHAR bytes[sizeof(KEY_VALUE_PARTIAL_INFORMATION) + DESCRIPTOR_MAX];
        } value;
        NTSTATUS status = read_value(registry, &value, sizeof(value));

        if (status == STATUS_OBJECT_NAME_NOT_FOUND)
                return apply_default(device);
        if (!NT_SUCCESS(status))
                return status;
        if (value.info.Type != REG_BINARY ||
            !RtlValidRelativeSecurityDescriptor(value.info.Data, value.info.DataLength,
                                                DACL_SECURITY_INFORMATION))
                return STATUS_INVALID_SECURITY_DESCR;
        return apply(device, value.info.Data);
}
