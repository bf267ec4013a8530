/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_python_binary into a folder. */
#include <string.h>

#include "elf_layout.h"
#include "pe_builder.h"
#include "python_library.h"
#include "python_published.h"
#include "save_seed.h"

static const char *folder;

static void save_bytes(const char *name, const char *path, struct buf *file)
{
        struct buf out = {0};

        buf_add(&out, path, strlen(path) + 1);
        buf_add(&out, file->data, file->len);
        buf_release(file);
        save_seed(folder, name, &out);
}

static void save(const char *name, const char *path, struct python_library *library)
{
        struct buf file = python_library_build(library);

        buf_release(&library->rodata);
        save_bytes(name, path, &file);
}

/* All symbols that are looked up, and those that identify native functions. */
static void save_symbols(const char *name, uint64_t version, bool has_runtime, const char *last)
{
        const char *const names[] = {"_PyRuntime",
                                     "PyCode_Type",
                                     "Py_Version",
                                     "_PyEval_EvalFrameDefault",
                                     "_PyEval_Vector",
                                     "Other",
                                     "py::f",
                                     "_TAIL_CALL_ADD",
                                     last,
                                     NULL};
        static const uint64_t addresses[] = {
                LIBRARY_RUNTIME, LIBRARY_RUNTIME + 0x100, LIBRARY_RODATA, LIBRARY_EVAL, 1, 2, 3, 4, 5};
        static const uint8_t runtime[512];
        struct python_library library = {.names = names,
                                         .addresses = addresses,
                                         .runtime = runtime,
                                         .runtime_bytes = has_runtime ? sizeof(runtime) : 0};

        if (version)
                buf_add_u64(&library.rodata, version);
        save(name, "_PyEval_EvalFrameDefault.cold", &library);
}

static void save_constants(const char *name, const char *path, const char *constants, size_t size)
{
        static const uint8_t runtime[512];
        struct python_library library = {.runtime = runtime, .runtime_bytes = sizeof(runtime)};

        if (size)
                buf_add(&library.rodata, constants, size);
        save(name, path, &library);
}

#define SAVE_CONSTANTS(name, path, constants) save_constants(name, path, constants, sizeof(constants) - 1)

/* The section of constants is the last of the file, so that a read after its end is detected, and its
 * header gives it `size_bytes`. */
static void save_last_rodata(const char *name, const char *constants, uint64_t size_bytes)
{
        /* In the section headers, for the first section. */
        enum { OFFSET_AT = ELF_SHDR_BYTES + ELF_SH_OFFSET_OFF, SIZE_AT = ELF_SHDR_BYTES + ELF_SH_SIZE_OFF };
        static const uint8_t runtime[512];
        struct python_library library = {.runtime = runtime, .runtime_bytes = sizeof(runtime)};
        uint64_t headers_off, rodata_off;
        struct buf file;

        buf_add_str(&library.rodata, constants);
        file = python_library_build(&library);
        buf_release(&library.rodata);
        rodata_off = file.len;
        buf_add_str(&file, constants);
        memcpy(&headers_off, file.data + ELF_E_SHOFF_OFF, sizeof(headers_off));
        memcpy(file.data + headers_off + OFFSET_AT, &rodata_off, sizeof(rodata_off));
        memcpy(file.data + headers_off + SIZE_AT, &size_bytes, sizeof(size_bytes));
        save_bytes(name, "python3.9", &file);
}

/* Stripped, with the table of offsets. */
static void save_offsets(void)
{
        for (unsigned minor = 13; minor <= 15; minor++) {
                uint8_t runtime[1024] = {0};
                struct python_library library = {.runtime = runtime, .runtime_bytes = sizeof(runtime)};
                struct published table;
                char name[32];

                published_make(&table, minor, minor == 14);
                memcpy(runtime, table.words, table.n_words * 8);
                snprintf(name, sizeof(name), "offsets-3.%u", minor);
                save(name, "", &library);
                runtime[8 + 2] = 16;
                snprintf(name, sizeof(name), "offsets-3.%u-as-3.16", minor);
                save(name, "", &library);
                runtime[8 + 2] = (uint8_t)minor;
                memset(runtime + 40, 0xff, 8); /* runtime_state.interpreters_head */
                snprintf(name, sizeof(name), "offsets-3.%u-too-far", minor);
                save(name, "", &library);
        }
}

static void save_others(void)
{
        static const char *const names[] = {"PyCode_Type", NULL};
        static const uint64_t addresses[] = {LIBRARY_EVAL};
        struct python_library library = {.names = names, .addresses = addresses};
        struct pe_builder pe = {0};
        struct buf file;

        save("without-runtime", "py_trampoline_evaluator", &library);
        library.machine = 183;
        save("arm64", "_PyEval_EvalFrameDefaultX", &library);
        library.machine = 243;
        save("riscv", "py::f", &library);
        file = python_library_build(&library);
        file.data[ELF_E_TYPE_OFF] = 1;
        save_bytes("relocatable", "_TAIL_CALL_LOAD_FAST", &file);
        pe_build(&pe, &file);
        save_bytes("pe", "python.exe", &file);
}

int main(int argc, char **argv)
{
        if (argc != 2)
                return 2;
        folder = argv[1];
        save_symbols("symbols-3.11", 0x030b07f0, false, "x");
        save_symbols("symbols-3.13", 0x030d00f0, false, "x");
        save_symbols("symbols-3.13-without-offsets", 0x030d00f0, true, "x");
        save_symbols("symbols-3.11-with-runtime", 0x030b07f0, true, "x");
        save_symbols("symbols-without-rodata", 0, true, "x");
        save_symbols("symbols-3.16", 0x031000f0, false, "x");
        save_symbols("symbols-2.7", 0x020700f0, false, "x");
        save_symbols("debug", 0x030c01f0, false, "_Py_NegativeRefcount");
        save_symbols("trace-refs", 0x030c01f0, false, "_Py_AddToAllObjects");
        save_offsets();
        SAVE_CONSTANTS("folder-3.8", "", "x\0lib/python3.8\0y\0");
        SAVE_CONSTANTS("folder-3.9", "", "python3.9");
        SAVE_CONSTANTS("version", "", "\0003.10.13\0");
        SAVE_CONSTANTS("candidate", "", "\0003.12.0rc1+\0");
        SAVE_CONSTANTS("folder-and-versions", "", "\0003.9.1\0python3.11\0003.8.2\0");
        SAVE_CONSTANTS("several-versions", "/usr/lib/libpython3.9.so.1.0", "\0003.9.1\0003.8.2\0");
        SAVE_CONSTANTS(
                "no-version", "/usr/bin/python3",
                "3.40.1\0003.0.11\0003.7\0python3.70\0python3.\0lib/pythonx\0lib\0pyt\0003.9x\0003.9.x\0003x\0lib/qython3.9\0"
                "python3.123\0pythno3.9\0python4.9\0python3,9\0003.11.5 and more\0zzz\0003.9./");
        SAVE_CONSTANTS("cut-version", "python3.10", "3.9.");
        SAVE_CONSTANTS("path-3.7", "/usr/bin/python3.7", "");
        SAVE_CONSTANTS("path-3.8", "libpython3.8.so.1.0", "");
        SAVE_CONSTANTS("path-3.16", "python3.16", "");
        SAVE_CONSTANTS("path-4.2", "python4.2", "");
        SAVE_CONSTANTS("path-other", "libpytho", "");
        SAVE_CONSTANTS("path-ends", "python3", "");
        SAVE_CONSTANTS("path-3,9", "python3,9", "");
        SAVE_CONSTANTS("path-3.14", "/usr/bin/python3.14", "");
        save_last_rodata("rodata-of-1-mib", "python3.9", 1 << 20);
        save_last_rodata("rodata-of-1-gib", "python3.9", 1 << 30);
        save_last_rodata("last-folder", "lib/python3.9", 13);
        save_last_rodata("last-version", "3.10.13", 7);
        save_last_rodata("last-version-cut", "3.10", 4);
        save_others();
        return 0;
}
