/* SPDX-License-Identifier: BSD-3-Clause */
#include "wdm_devices.h"

#include "resource_list.h"

enum { PATH_CHARS = 256, VALUE_BYTES = 1024 };

/* A path that is made piece by piece; what does not fit is left out, and then no key is found. */
struct path {
        UNICODE_STRING text;
        WCHAR chars[PATH_CHARS];
};

static void begin_path(struct path *path)
{
        path->text = (UNICODE_STRING){.MaximumLength = sizeof(path->chars), .Buffer = path->chars};
}

static void add_char(struct path *path, WCHAR c)
{
        if (path->text.Length + sizeof(c) <= path->text.MaximumLength) {
                path->text.Buffer[path->text.Length / sizeof(c)] = c;
                path->text.Length += sizeof(c);
        }
}

static void add_text(struct path *path, const char *text)
{
        while (*text)
                add_char(path, (WCHAR)(unsigned char)*text++);
}

/* NULL if there is no such key. */
static HANDLE open_key(HANDLE parent, struct path *path)
{
        OBJECT_ATTRIBUTES attributes;
        HANDLE key;

        InitializeObjectAttributes(&attributes, &path->text, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE, parent,
                                   NULL);
        return NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes)) ? key : NULL;
}

/* Reads the memory of a device whose key has the subkey `name`. */
static void read_memory(HANDLE kind, const WCHAR *name, ULONG n_chars, struct wdm_device *ret)
{
        union {
                KEY_VALUE_PARTIAL_INFORMATION head;
                UCHAR bytes[VALUE_BYTES];
        } value;
        UNICODE_STRING value_name = RTL_CONSTANT_STRING(L"BootConfig");
        struct path path;
        ULONG size;
        HANDLE key;

        *ret = (struct wdm_device){0};
        begin_path(&path);
        for (ULONG i = 0; i < n_chars; i++)
                add_char(&path, name[i]);
        add_text(&path, "\\LogConf");
        key = open_key(kind, &path);
        if (!key)
                return;
        if (NT_SUCCESS(ZwQueryValueKey(key, &value_name, KeyValuePartialInformation, &value, sizeof(value),
                                       &size)) &&
            value.head.DataLength <= sizeof(value) - offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data) &&
            !resource_list_find_memory(value.head.Data, value.head.DataLength, &ret->first, &ret->bytes))
                ret->bytes = 0;
        ZwClose(key);
}

uint32_t wdm_devices_find(const char *acpi, struct wdm_device *ret, uint32_t max)
{
        union {
                KEY_BASIC_INFORMATION head;
                UCHAR bytes[VALUE_BYTES];
        } found;
        struct path path;
        uint32_t n = 0;
        HANDLE kind;
        ULONG size;

        begin_path(&path);
        add_text(&path, "\\Registry\\Machine\\System\\CurrentControlSet\\Enum\\ACPI\\");
        add_text(&path, acpi);
        kind = open_key(NULL, &path);
        if (!kind)
                return 0;
        while (n < max &&
               NT_SUCCESS(ZwEnumerateKey(kind, n, KeyBasicInformation, &found, sizeof(found), &size)))
                read_memory(kind, found.head.Name, found.head.NameLength / sizeof(WCHAR), &ret[n++]);
        ZwClose(kind);
        return n;
}
