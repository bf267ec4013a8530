/* SPDX-License-Identifier: BSD-3-Clause */
#include <ntifs.h>

#include <stdbool.h>
#include <stddef.h>

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

/* Whether the list has only entries that allow or deny, each with a whole SID. */
static bool are_entries_valid(const ACL *acl)
{
        const UCHAR *at = (const UCHAR *)(acl + 1), *end = (const UCHAR *)acl + acl->AclSize;

        for (USHORT i = 0; i < acl->AceCount; i++) {
                const ACCESS_ALLOWED_ACE *ace = (const void *)at;
                const SID *sid = (const void *)&ace->SidStart;
                size_t fixed = offsetof(ACCESS_ALLOWED_ACE, SidStart) + offsetof(SID, SubAuthority);

                if ((size_t)(end - at) < fixed || ace->Header.AceSize > end - at ||
                    ace->Header.AceSize % sizeof(ULONG) ||
                    (ace->Header.AceType != ACCESS_ALLOWED_ACE_TYPE &&
                     ace->Header.AceType != ACCESS_DENIED_ACE_TYPE) ||
                    sid->Revision != SID_REVISION || sid->SubAuthorityCount > SID_MAX_SUB_AUTHORITIES ||
                    ace->Header.AceSize < fixed + sid->SubAuthorityCount * sizeof(ULONG))
                        return false;
                at += ace->Header.AceSize;
        }
        return true;
}

/* The access list of a self-relative security descriptor; NULL if it has none. */
static ACL *find_list(void *descriptor, ULONG bytes)
{
        const SECURITY_DESCRIPTOR_RELATIVE *d = descriptor;
        ACL *acl;

        if (bytes < sizeof(*d) || d->Revision != SECURITY_DESCRIPTOR_REVISION ||
            !(d->Control & SE_SELF_RELATIVE) || !(d->Control & SE_DACL_PRESENT))
                return NULL;
        if (d->Dacl < sizeof(*d) || d->Dacl > bytes - sizeof(*acl) || d->Dacl % sizeof(ULONG))
                return NULL;
        acl = (ACL *)((UCHAR *)descriptor + d->Dacl);
        if (acl->AclRevision != ACL_REVISION || acl->AclSize < sizeof(*acl) || acl->AclSize > bytes - d->Dacl)
                return NULL;
        return are_entries_valid(acl) ? acl : NULL;
}

/* Lets those whom the list allows open the device, and nobody else. */
static NTSTATUS apply(DEVICE_OBJECT *device, ACL *acl)
{
        SECURITY_DESCRIPTOR descriptor;
        HANDLE handle;
        NTSTATUS status = RtlCreateSecurityDescriptor(&descriptor, SECURITY_DESCRIPTOR_REVISION);

        if (NT_SUCCESS(status))
                status = RtlSetDaclSecurityDescriptor(&descriptor, TRUE, acl, FALSE);
        if (!NT_SUCCESS(status))
                return status;
        descriptor.Control |= SE_DACL_PROTECTED;
        status = ObOpenObjectByPointer(device, OBJ_KERNEL_HANDLE, NULL, WRITE_DAC, NULL, KernelMode, &handle);
        if (!NT_SUCCESS(status))
                return status;
        status = ZwSetSecurityObject(handle, DACL_SECURITY_INFORMATION, &descriptor);
        ZwClose(handle);
        return status;
}

/* D:P(A;;GA;;;SY)(A;;GA;;;BA) */
static NTSTATUS apply_default(DEVICE_OBJECT *device)
{
        ULONG words[ACL_BYTES / sizeof(ULONG)];
        ACL *acl = (ACL *)words;
        NTSTATUS status = RtlCreateAcl(acl, sizeof(words), ACL_REVISION);

        for (ULONG i = 0; NT_SUCCESS(status) && i < sizeof(allowed) / sizeof(allowed[0]); i++)
                status = RtlAddAccessAllowedAce(acl, ACL_REVISION, GENERIC_ALL, (PSID)&allowed[i]);
        return NT_SUCCESS(status) ? apply(device, acl) : status;
}

NTSTATUS wdm_access_set(DEVICE_OBJECT *device, const UNICODE_STRING *registry)
{
        static union {
                KEY_VALUE_PARTIAL_INFORMATION info;
                UCHAR bytes[sizeof(KEY_VALUE_PARTIAL_INFORMATION) + DESCRIPTOR_MAX];
        } value;
        NTSTATUS status = read_value(registry, &value, sizeof(value));
        ACL *acl;

        if (status == STATUS_OBJECT_NAME_NOT_FOUND)
                return apply_default(device);
        if (!NT_SUCCESS(status))
                return status;
        acl = value.info.Type == REG_BINARY ? find_list(value.info.Data, value.info.DataLength) : NULL;
        return acl ? apply(device, acl) : STATUS_INVALID_SECURITY_DESCR;
}
