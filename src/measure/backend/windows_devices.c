/* SPDX-License-Identifier: BSD-3-Clause */
#define INITGUID
#include "windows_devices.h"

#include <windows.h>

#include <cfgmgr32.h>
#include <devpkey.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "mem.h"

enum { SIBLINGS_BYTES = 32768 };

/* The ids of the devices of this kind that are present, each with its NUL, and one more NUL; NULL if
 * Windows does not tell. Free it with free. */
static wchar_t *list_devices(const wchar_t *kind)
{
        const ULONG filter = CM_GETIDLIST_FILTER_PRESENT | CM_GETIDLIST_FILTER_ENUMERATOR;
        ULONG chars = 0;
        wchar_t *ids;

        if (CM_Get_Device_ID_List_SizeW(&chars, kind, filter) != CR_SUCCESS)
                return NULL;
        /* The list may grow; two NULs more than what is written. */
        ids = mem_new((size_t)chars + 2, sizeof(*ids));
        if (CM_Get_Device_ID_ListW(kind, ids, chars, filter) == CR_SUCCESS)
                return ids;
        free(ids);
        return NULL;
}

/* --- clusters --- */

static uint32_t count_texts(const wchar_t *texts, size_t n_chars)
{
        uint32_t n = 0;
        size_t at = 0, len;

        while (at < n_chars && texts[at]) {
                len = wcsnlen(texts + at, n_chars - at);
                at += len + 1;
                n++;
        }
        return n;
}

/* The number of cores whose cluster this is; 0 if Windows does not tell. */
static uint32_t count_cores(wchar_t *id)
{
        wchar_t *siblings = mem_new(SIBLINGS_BYTES, 1);
        ULONG size = SIBLINGS_BYTES;
        DEVPROPTYPE type;
        DEVINST device;
        uint32_t n = 0;

        if (CM_Locate_DevNodeW(&device, id, CM_LOCATE_DEVNODE_NORMAL) == CR_SUCCESS &&
            CM_Get_DevNode_PropertyW(device, &DEVPKEY_Device_Siblings, &type, (BYTE *)siblings, &size, 0) ==
                    CR_SUCCESS &&
            type == DEVPROP_TYPE_STRING_LIST && size <= SIBLINGS_BYTES)
                n = count_texts(siblings, size / sizeof(*siblings));
        free(siblings);
        return n;
}

bool windows_find_clusters(struct windows_clusters *ret)
{
        wchar_t *ids = list_devices(L"ACPI\\ARMHD500");
        bool same = true;

        *ret = (struct windows_clusters){0};
        for (wchar_t *id = ids; id && *id; id += wcslen(id) + 1) {
                uint32_t n = count_cores(id);

                same = same && n && (!ret->n || n == ret->n_cores_each);
                ret->n_cores_each = n;
                ret->n++;
        }
        free(ids);
        return ret->n && same;
}

/* --- memory controllers --- */

static bool read_registers(RES_DES resource, struct windows_registers *ret)
{
        ULONG size = 0;
        uint8_t *data;
        MEM_DES memory;
        bool ok;

        if (CM_Get_Res_Des_Data_Size(&size, resource, 0) != CR_SUCCESS || size < sizeof(memory))
                return false;
        data = mem_new(size, 1);
        ok = CM_Get_Res_Des_Data(resource, data, size, 0) == CR_SUCCESS;
        if (ok) {
                memcpy(&memory, data, sizeof(memory));
                *ret = (struct windows_registers){memory.MD_Alloc_Base, memory.MD_Alloc_End};
                ok = ret->last > ret->first;
        }
        free(data);
        return ok;
}

/* Appends the memory of a device to the `n` in `ret`, as far as there is room; returns how many there are
 * then. */
static size_t add_registers(wchar_t *id, struct windows_registers *ret, size_t n, size_t max)
{
        RES_DES resource, next;
        DEVINST device;
        LOG_CONF config;

        if (CM_Locate_DevNodeW(&device, id, CM_LOCATE_DEVNODE_NORMAL) != CR_SUCCESS ||
            CM_Get_First_Log_Conf(&config, device, BOOT_LOG_CONF) != CR_SUCCESS)
                return n;
        resource = config;
        while (CM_Get_Next_Res_Des(&next, resource, ResType_Mem, NULL, 0) == CR_SUCCESS) {
                struct windows_registers found;

                if (resource != config)
                        CM_Free_Res_Des_Handle(resource);
                resource = next;
                if (!read_registers(resource, &found))
                        continue;
                if (n < max)
                        ret[n] = found;
                n++;
        }
        if (resource != config)
                CM_Free_Res_Des_Handle(resource);
        CM_Free_Log_Conf_Handle(config);
        return n;
}

size_t windows_find_memory_controllers(struct windows_registers *ret, size_t max)
{
        wchar_t *ids = list_devices(L"ACPI\\ARMHD620");
        size_t n = 0;

        for (wchar_t *id = ids; id && *id; id += wcslen(id) + 1)
                n = add_registers(id, ret, n, max);
        free(ids);
        return n <= max ? n : 0;
}
