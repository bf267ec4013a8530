/* SPDX-License-Identifier: BSD-3-Clause */
/* A console shows bytes in its code page, which is rarely UTF-8, so it gets UTF-16.  Streams that are not
 * consoles get UTF-8. */
#include "os_windows_console.h"

#include <assert.h>
#include <windows.h>

#include <stdint.h>
#include <string.h>

enum {
        PART_BYTES = 8192, /* old consoles refuse more than 64 KiB at once */
        MAX_CHAR_BYTES = 4,
};

/* The size of a character, by its first byte; 1 for a byte that begins none. */
static size_t char_bytes(uint8_t first)
{
        return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
}

/* The number of bytes without a character that is cut at the end. */
static size_t whole_bytes(const uint8_t *bytes, size_t size)
{
        size_t last = size;

        while (last && size - last < MAX_CHAR_BYTES && (bytes[last - 1] & 0xc0) == 0x80)
                last--;
        if (!last || size - last >= MAX_CHAR_BYTES)
                return size;
        last--;
        return last + char_bytes(bytes[last]) > size ? last : size;
}

static bool write_wide(void *console, const uint8_t *bytes, size_t size)
{
        WCHAR text[PART_BYTES + MAX_CHAR_BYTES];
        int n = MultiByteToWideChar(CP_UTF8, 0, (const char *)bytes, (int)size, text,
                                    PART_BYTES + MAX_CHAR_BYTES);
        DWORD done = 0;

        for (int at = 0; at < n; at += (int)done) {
                if (!WriteConsoleW(console, text + at, (DWORD)(n - at), &done, NULL) || !done)
                        return false;
        }
        return true;
}

bool os_windows_console_is(void *handle)
{
        DWORD mode;

        return GetConsoleMode(handle, &mode);
}

bool os_windows_console_write(struct os_windows_console *console, void *handle, const void *bytes,
                              size_t size)
{
        const uint8_t *from = bytes;

        assert(console->n_cut <= sizeof(console->cut));
        while (size) {
                uint8_t part[PART_BYTES + MAX_CHAR_BYTES];
                size_t n = size < PART_BYTES ? size : PART_BYTES, n_part = console->n_cut + n, n_whole;

                memcpy(part, console->cut, console->n_cut);
                memcpy(part + console->n_cut, from, n);
                from += n;
                size -= n;
                n_whole = whole_bytes(part, n_part);
                console->n_cut = n_part - n_whole;
                memcpy(console->cut, part + n_whole, console->n_cut);
                if (n_whole && !write_wide(handle, part, n_whole))
                        return false;
        }
        return true;
}
