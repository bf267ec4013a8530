/* SPDX-License-Identifier: BSD-3-Clause */
/* The devices of a machine that is not there, in place of cfgmgr32.dll: FAKE_CLUSTERS=2,2 are two clusters
 * of two cores each, FAKE_MEMORY=2 two memory controllers, whose registers begin at 0x80000000 and
 * 0x80100000. Numbers are written as the documentation of Windows has them, apart from those of the program
 * that is tested. */
#include <windows.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum {
        SUCCESS = 0,
        FAILURE = 13, /* CR_NO_SUCH_DEVINST */
        PRESENT_OF_ENUMERATOR = 0x100 | 1,
        BOOT_CONFIGURATION = 3,
        MEMORY = 1,
        MEMORY_BYTES = 40, /* a MEM_DES */
        STRING_LIST = 0x2012,
        CLUSTER_DEVICE = 0x100,
        MEMORY_DEVICE = 0x200,
        CONFIGURATION = 0x1000,
        RESOURCE = 0x2000,
        MAX = 16,
};

#define EXPORT __declspec(dllexport)

static const char siblings_key[] =
        "\xc5\xa6\x40\x43\xfa\x93\x06\x47\x97\x2c\x7b\x64\x80\x08\xa5\xa7\x0a\0\0"; /* and the last 0 */

EXPORT DWORD WINAPI CM_Get_Device_ID_List_SizeW(ULONG *ret_chars, const wchar_t *kind, ULONG flags);
EXPORT DWORD WINAPI CM_Get_Device_ID_ListW(const wchar_t *kind, wchar_t *ids, ULONG chars, ULONG flags);
EXPORT DWORD WINAPI CM_Locate_DevNodeW(DWORD *ret_device, wchar_t *id, ULONG flags);
EXPORT DWORD WINAPI CM_Get_DevNode_PropertyW(DWORD device, const void *key, ULONG *ret_type, BYTE *value,
                                             ULONG *size, ULONG flags);
EXPORT DWORD WINAPI CM_Get_First_Log_Conf(DWORD_PTR *ret, DWORD device, ULONG flags);
EXPORT DWORD WINAPI CM_Get_Next_Res_Des(DWORD_PTR *ret, DWORD_PTR before, DWORD wanted, DWORD *ret_kind,
                                        ULONG flags);
EXPORT DWORD WINAPI CM_Get_Res_Des_Data_Size(ULONG *ret, DWORD_PTR resource, ULONG flags);
EXPORT DWORD WINAPI CM_Get_Res_Des_Data(DWORD_PTR resource, void *data, ULONG size, ULONG flags);
EXPORT DWORD WINAPI CM_Free_Res_Des_Handle(DWORD_PTR resource);
EXPORT DWORD WINAPI CM_Free_Log_Conf_Handle(DWORD_PTR configuration);

/* The numbers of a variable, "2,2"; returns how many there are. */
static ULONG read_numbers(const char *variable, ULONG *numbers)
{
        char text[128] = "", *at = text;
        ULONG n = 0;

        GetEnvironmentVariableA(variable, text, sizeof(text));
        while (*at && n < MAX) {
                numbers[n++] = strtoul(at, &at, 10);
                at += *at == ',';
        }
        return n;
}

static ULONG write_ids(const wchar_t *kind, wchar_t *ids, ULONG room)
{
        ULONG numbers[MAX], n = 0, at = 0;

        if (!wcscmp(kind, L"ACPI\\ARMHD500"))
                n = read_numbers("FAKE_CLUSTERS", numbers);
        else if (!wcscmp(kind, L"ACPI\\ARMHD620") && read_numbers("FAKE_MEMORY", numbers))
                n = numbers[0];
        for (ULONG i = 0; i < n; i++) {
                wchar_t id[64];
                ULONG chars = (ULONG)swprintf(id, 64, L"%ls\\%lu", kind, i) + 1;

                if (at + chars < room)
                        memcpy(ids + at, id, chars * sizeof(*id));
                at += chars;
        }
        if (at < room)
                ids[at] = 0;
        return at + 1;
}

DWORD WINAPI CM_Get_Device_ID_List_SizeW(ULONG *ret_chars, const wchar_t *kind, ULONG flags)
{
        if (flags != PRESENT_OF_ENUMERATOR)
                return FAILURE;
        *ret_chars = write_ids(kind, NULL, 0);
        return SUCCESS;
}

DWORD WINAPI CM_Get_Device_ID_ListW(const wchar_t *kind, wchar_t *ids, ULONG chars, ULONG flags)
{
        return flags == PRESENT_OF_ENUMERATOR && write_ids(kind, ids, chars) <= chars ? SUCCESS : FAILURE;
}

DWORD WINAPI CM_Locate_DevNodeW(DWORD *ret_device, wchar_t *id, ULONG flags)
{
        const wchar_t *number = wcsrchr(id, '\\');

        if (flags || !number)
                return FAILURE;
        *ret_device = (wcsstr(id, L"ARMHD500") ? CLUSTER_DEVICE : MEMORY_DEVICE) +
                      (DWORD)wcstoul(number + 1, NULL, 10);
        return SUCCESS;
}

/* The cores of a cluster. */
DWORD WINAPI CM_Get_DevNode_PropertyW(DWORD device, const void *key, ULONG *ret_type, BYTE *value,
                                      ULONG *size, ULONG flags)
{
        ULONG numbers[MAX], n = read_numbers("FAKE_CLUSTERS", numbers), cluster = device - CLUSTER_DEVICE;
        wchar_t *at = (wchar_t *)value;

        if (flags || memcmp(key, siblings_key, sizeof(siblings_key)) != 0 || cluster >= n)
                return FAILURE;
        for (ULONG i = 0; i < numbers[cluster]; i++)
                at += swprintf(at, 64, L"ACPI\\ACPI0007\\%lx", cluster * numbers[0] + i) + 1;
        *at++ = 0;
        *size = (ULONG)((BYTE *)at - value);
        *ret_type = STRING_LIST;
        return SUCCESS;
}

DWORD WINAPI CM_Get_First_Log_Conf(DWORD_PTR *ret, DWORD device, ULONG flags)
{
        *ret = CONFIGURATION + device;
        return flags == BOOT_CONFIGURATION && device >= MEMORY_DEVICE ? SUCCESS : FAILURE;
}

DWORD WINAPI CM_Get_Next_Res_Des(DWORD_PTR *ret, DWORD_PTR before, DWORD wanted, DWORD *ret_kind, ULONG flags)
{
        if (flags || wanted != MEMORY || before >= RESOURCE)
                return FAILURE;
        *ret = before + RESOURCE;
        return SUCCESS;
}

DWORD WINAPI CM_Get_Res_Des_Data_Size(ULONG *ret, DWORD_PTR resource, ULONG flags)
{
        *ret = MEMORY_BYTES;
        return !flags && resource >= RESOURCE ? SUCCESS : FAILURE;
}

DWORD WINAPI CM_Get_Res_Des_Data(DWORD_PTR resource, void *data, ULONG size, ULONG flags)
{
        ULONG64 number = resource - RESOURCE - CONFIGURATION - MEMORY_DEVICE;
        ULONG64 first = 0x80000000 + number * 0x100000, last = first + 0xffff;

        if (flags || size < MEMORY_BYTES)
                return FAILURE;
        memset(data, 0, size);
        memcpy((BYTE *)data + 8, &first, sizeof(first));
        memcpy((BYTE *)data + 16, &last, sizeof(last));
        return SUCCESS;
}

DWORD WINAPI CM_Free_Res_Des_Handle(DWORD_PTR resource)
{
        return resource >= RESOURCE ? SUCCESS : FAILURE;
}

DWORD WINAPI CM_Free_Log_Conf_Handle(DWORD_PTR configuration)
{
        return configuration >= CONFIGURATION ? SUCCESS : FAILURE;
}
