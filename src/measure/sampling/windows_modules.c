/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the list of modules from the memory of a process, as Windows' debuggers do, and opens their files
 * for identities and unwind codes. */
#include "windows_internal.h"

#include <windows.h>

#include <psapi.h>
#include <stdlib.h>
#include <string.h>

#include "cursor.h"
#include "mem.h"
#include "os.h"
#include "os_windows.h"

enum { MAX_MODULES = 16384 };

/* --- Files --- */

static void file_open(struct module_files *files, struct module_file *file)
{
        const struct object_facts *facts;

        file->object = object_open(file->path, NULL);
        if (!file->object)
                return;
        file->outermost = outermost_new(file->object, NULL);
        facts = object_get_facts(file->object);
        file->build_id_size = facts->build_id_size;
        memcpy(file->build_id, facts->build_id, facts->build_id_size);
        pe_see_image(&files->seen, file->object, file->path);
}

static void file_close(struct module_file *file)
{
        outermost_free(file->outermost);
        object_free(file->object);
        file->outermost = NULL;
        file->object = NULL;
}

static struct module_file *find_file(const struct module_files *files, uint64_t key, const char *path,
                                     int64_t mtime_ns)
{
        const uint64_t *first = map_find(&files->by_name, key);
        struct module_file *file = first ? (struct module_file *)(uintptr_t)*first : NULL;

        while (file && (strcmp(file->path, path) || file->mtime_ns != mtime_ns))
                file = file->next;
        return file;
}

/* Adds a user. */
static struct module_file *file_get(struct module_files *files, const char *path)
{
        struct os_stat there = {0};
        struct module_file *file;
        uint64_t key;

        os_stat(path, &there);
        key = map_mix(map_hash_bytes(path, strlen(path)) ^ (uint64_t)there.mtime_ns);
        file = find_file(files, key, path, there.mtime_ns);
        if (!file) {
                uint64_t *slot = map_put(&files->by_name, key, NULL);

                file = mem_new(1, sizeof(*file));
                file->path = mem_strdup(path);
                file->mtime_ns = there.mtime_ns;
                file->next = (struct module_file *)(uintptr_t)*slot;
                *slot = (uintptr_t)file;
                ARRAY_PUSH(files->items, files->n, files->cap, file);
        }
        if (!file->n_users++)
                file_open(files, file);
        return file;
}

static void file_leave(struct module_file *file)
{
        if (!--file->n_users)
                file_close(file);
}

void module_files_release(struct module_files *files)
{
        for (size_t i = 0; i < files->n; i++) {
                file_close(files->items[i]);
                free(files->items[i]->path);
                free(files->items[i]);
        }
        free(files->items);
        map_release(&files->by_name);
        pe_seen_release(&files->seen);
}

/* --- The list of a process --- */

static int compare_start(const void *a, const void *b)
{
        const struct process_module *x = a, *y = b;

        return (x->start > y->start) - (x->start < y->start);
}

static struct process_module *find_start(const struct process_modules *modules, uint64_t start)
{
        const struct process_module key = {.start = start};

        return modules->n ? bsearch(&key, modules->items, modules->n, sizeof(key), compare_start) : NULL;
}

/* The path as the process knows it, with the long form of short names. */
static bool add_path(void *process, HMODULE module, struct buf *out)
{
        enum { MAX_CHARS = 32768 };
        wchar_t *path = mem_new(MAX_CHARS, sizeof(*path)), *whole = mem_new(MAX_CHARS, sizeof(*whole));
        DWORD n = GetModuleFileNameExW(process, module, path, MAX_CHARS);
        DWORD n_whole = n ? GetLongPathNameW(path, whole, MAX_CHARS) : 0;
        const wchar_t *chosen = n_whole && n_whole < MAX_CHARS ? whole : path;

        if (n)
                os_windows_add_text(wcsncmp(chosen, L"\\\\?\\", 4) ? chosen : chosen + 4, out);
        free(whole);
        free(path);
        return n;
}

static void put_map(const struct process_module *module, const struct windows_stamp *stamp, struct buf *out)
{
        const struct windows_range range = {
                .start = module->start,
                .size_bytes = module->size_bytes,
                .path = module->file->path,
                .build_id = module->file->build_id,
                .build_id_size = module->file->build_id_size,
        };

        windows_record_mmap(out, stamp, &range);
}

/* What a new module is loaded over is gone, even if its end was not seen. */
static void remove_overlapped(struct process_modules *modules, const struct process_module *added)
{
        size_t n = 0;

        for (size_t i = 0; i < modules->n; i++) {
                const struct process_module *m = &modules->items[i];

                if (m->start + m->size_bytes <= added->start || added->start + added->size_bytes <= m->start)
                        modules->items[n++] = *m;
                else
                        file_leave(m->file);
        }
        modules->n = n;
}

/* Reads what distinguishes an image from another at the same address, from the header in the memory of the
 * process. */
static bool read_header(void *process, HMODULE handle, struct process_module *ret)
{
        enum {
                HEADER_BYTES = 4096,
                LFANEW_OFF = 0x3c,
                TIME_OFF = 8,
                ENTRY_OFF = 24 + 16,
                SIZE_OFF = 24 + 56,
        };
        uint8_t bytes[HEADER_BYTES];
        struct cursor c, at;
        uint32_t header;
        SIZE_T n;

        if (!ReadProcessMemory(process, handle, bytes, sizeof(bytes), &n) || n != sizeof(bytes))
                return false;
        c = cursor_make(bytes, sizeof(bytes));
        cursor_seek(&c, LFANEW_OFF);
        header = cursor_u32(&c);
        at = cursor_sub(&c, header, SIZE_OFF + sizeof(uint32_t));
        cursor_seek(&at, TIME_OFF);
        ret->time_stamp = cursor_u32(&at);
        cursor_seek(&at, ENTRY_OFF);
        ret->entry = cursor_u32(&at);
        cursor_seek(&at, SIZE_OFF);
        ret->size_bytes = cursor_u32(&at);
        return !at.failed && ret->size_bytes;
}

static void see_module(struct process_modules *modules, struct module_files *files, void *process,
                       HMODULE handle, const struct windows_stamp *stamp, struct buf *out)
{
        struct process_module added = {.start = (uintptr_t)handle, .is_there = true}, *known;
        AUTO_RELEASE(buf) path = {0};

        if (!read_header(process, handle, &added))
                return;
        known = find_start(modules, added.start);
        if (known && known->size_bytes == added.size_bytes && known->entry == added.entry &&
            known->time_stamp == added.time_stamp) {
                known->is_there = true;
                known->is_gone = false;
                return;
        }
        if (!add_path(process, handle, &path))
                return;
        added.file = file_get(files, buf_text(&path));
        remove_overlapped(modules, &added);
        ARRAY_PUSH(modules->items, modules->n, modules->cap, added);
        qsort(modules->items, modules->n, sizeof(*modules->items), compare_start);
        put_map(&added, stamp, out);
}

bool process_modules_read(struct process_modules *modules, struct module_files *files, void *process,
                          const struct windows_stamp *stamp, struct buf *out)
{
        HMODULE *handles = mem_new(MAX_MODULES, sizeof(*handles));
        DWORD bytes = 0;
        bool ok = EnumProcessModulesEx(process, handles, MAX_MODULES * sizeof(*handles), &bytes,
                                       LIST_MODULES_ALL) &&
                  bytes >= sizeof(*handles);
        size_t n = ok ? bytes / sizeof(*handles) : 0;

        for (size_t i = 0; ok && i < modules->n; i++)
                modules->items[i].is_there = false;
        for (size_t i = 0; i < n && i < MAX_MODULES; i++)
                see_module(modules, files, process, handles[i], stamp, out);
        for (size_t i = 0; ok && i < modules->n; i++)
                modules->items[i].is_gone = !modules->items[i].is_there;
        free(handles);
        return ok;
}

void process_modules_forget(struct process_modules *modules, const struct windows_stamp *stamp,
                            struct buf *out)
{
        size_t n = 0;

        for (size_t i = 0; i < modules->n; i++) {
                const struct process_module *m = &modules->items[i];
                const struct windows_range range = {
                        .start = m->start, .size_bytes = m->size_bytes, .path = "//anon"};

                if (!m->is_gone) {
                        modules->items[n++] = *m;
                        continue;
                }
                windows_record_mmap(out, stamp, &range);
                file_leave(m->file);
        }
        modules->n = n;
}

const struct process_module *process_modules_find(const struct process_modules *modules, uint64_t addr)
{
        size_t low = 0, high = modules->n;

        while (low < high) {
                size_t middle = low + (high - low) / 2;
                const struct process_module *m = &modules->items[middle];

                if (addr < m->start)
                        high = middle;
                else if (addr - m->start >= m->size_bytes)
                        low = middle + 1;
                else
                        return m;
        }
        return NULL;
}

void process_modules_release(struct process_modules *modules)
{
        for (size_t i = 0; i < modules->n; i++)
                file_leave(modules->items[i].file);
        free(modules->items);
        *modules = (struct process_modules){0};
}
