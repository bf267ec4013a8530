/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the CPython version of a file: by symbols, by the section .PyRuntime, by constants and by its
 * name. */
#include "python_binary.h"
#include "python_library.h"
#include "python_published.h"
#include "tap.h"

static struct err err;

static bool find(struct python_library *library, const char *path, struct python_binary *ret_binary)
{
        struct buf file = python_library_build(library);
        struct object *object = object_open_bytes(file.data, file.len, "library", NULL);
        bool is_found;

        err = (struct err){0};
        *ret_binary = (struct python_binary){0};
        is_found = object && python_binary_find(object, path, ret_binary, &err);
        object_free(object);
        buf_release(&file);
        buf_release(&library->rodata);
        return is_found;
}

static const char *const some_names[] = {"_PyRuntime", "PyCode_Type", "Py_Version",
                                         "_PyEval_EvalFrameDefault", NULL};
static const uint64_t some_addresses[] = {LIBRARY_RUNTIME, LIBRARY_RUNTIME + 0x100, LIBRARY_RODATA,
                                          LIBRARY_EVAL};

static void add_version(struct python_library *library, uint64_t version)
{
        buf_add_u64(&library->rodata, version);
}

TEST(by_symbol)
{
        struct python_library library = {.names = some_names, .addresses = some_addresses};
        struct python_binary binary;

        add_version(&library, 0x030b07f0);
        ASSERT_TRUE(find(&library, "/opt/prog", &binary));
        EXPECT_INT(binary.layout.minor, 11);
        EXPECT_INT(binary.runtime_addr, LIBRARY_RUNTIME);
        EXPECT_INT(binary.code_type, LIBRARY_RUNTIME + 0x100);
        EXPECT_INT(binary.eval, LIBRARY_EVAL);
        EXPECT_TRUE(!binary.is_debug);
}

TEST(builds)
{
        static const char *const debug[] = {"_PyRuntime", "Py_Version", "_Py_NegativeRefcount", NULL};
        static const char *const traced[] = {"_PyRuntime", "Py_Version", "_Py_AddToAllObjects", NULL};
        static const uint64_t addresses[] = {LIBRARY_RUNTIME, LIBRARY_RODATA, LIBRARY_EVAL};
        struct python_library library = {.names = debug, .addresses = addresses};
        struct python_binary binary;

        add_version(&library, 0x030c01f0);
        ASSERT_TRUE(find(&library, NULL, &binary));
        EXPECT_INT(binary.layout.minor, 12);
        EXPECT_TRUE(binary.is_debug);
        EXPECT_INT(binary.code_type, 0);
        library.names = traced;
        add_version(&library, 0x030c01f0);
        EXPECT_TRUE(!find(&library, NULL, &binary));
        EXPECT_STR(err.text, "library: CPython built with Py_TRACE_REFS is not supported");
}

/* Stripped of all symbols. */
TEST(by_section)
{
        struct published table;
        struct python_library library = {0};
        struct python_binary binary;

        for (unsigned minor = 13; minor <= 15; minor++) {
                uint8_t runtime[2048] = {0};

                published_make(&table, minor, minor == 14);
                memcpy(runtime, table.words, table.n_words * 8);
                library = (struct python_library){.runtime = runtime, .runtime_bytes = sizeof(runtime)};
                ASSERT_TRUE(find(&library, NULL, &binary));
                EXPECT_INT(binary.layout.minor, minor);
                EXPECT_INT(binary.layout.is_free_threaded, minor == 14);
                EXPECT_INT(binary.runtime_addr, LIBRARY_RUNTIME);
                runtime[8 + 2] = 16;
                EXPECT_TRUE(!find(&library, NULL, &binary));
                EXPECT_STR(err.text, "library: _Py_DebugOffsets: CPython 3.16 is not supported");
        }
}

static bool find_constants(const char *constants, size_t size, const char *path,
                           struct python_binary *ret_binary)
{
        static const uint8_t runtime[1024];
        struct python_library library = {.runtime = runtime, .runtime_bytes = sizeof(runtime)};

        if (size)
                buf_add(&library.rodata, constants, size);
        return find(&library, path, ret_binary);
}

#define FIND(constants, path) find_constants(constants, sizeof(constants) - 1, path, &binary)

TEST(by_constants)
{
        struct python_binary binary;

        EXPECT_TRUE(FIND("x\0lib/python3.8\0y\0", NULL));
        EXPECT_INT(binary.layout.minor, 8);
        EXPECT_TRUE(FIND("python3.9", NULL));
        EXPECT_INT(binary.layout.minor, 9);
        EXPECT_TRUE(FIND("\0003.10.13\0", NULL));
        EXPECT_INT(binary.layout.minor, 10);
        EXPECT_TRUE(FIND("\0003.12.0rc1+\0", NULL));
        EXPECT_INT(binary.layout.minor, 12);
        /* The folder counts more than another library's version. */
        EXPECT_TRUE(FIND("\0003.9.1\0python3.11\0003.8.2\0", NULL));
        EXPECT_INT(binary.layout.minor, 11);
}

TEST(by_path)
{
        struct python_binary binary;

        EXPECT_TRUE(FIND("\0003.9.1\0003.8.2\0", "/usr/lib/libpython3.9.so.1.0"));
        EXPECT_INT(binary.layout.minor, 9);
        EXPECT_TRUE(FIND("", "/usr/bin/python3.10"));
        EXPECT_INT(binary.layout.minor, 10);
        EXPECT_TRUE(!FIND("3.40.1\0003.0.11\0003.7\0python3.70\0python3.\0lib/pythonx", "/usr/bin/python3"));
        EXPECT_STR(err.text, "library: the version of CPython is not known");
        EXPECT_TRUE(!FIND("", "/usr/bin/python3.7"));
        EXPECT_TRUE(!FIND("", "/usr/bin/python3.14"));
        EXPECT_STR(err.text, "library: CPython 3.14 without _Py_DebugOffsets");
}

TEST(other_files)
{
        static const char *const names[] = {"PyCode_Type", NULL};
        static const uint64_t addresses[] = {LIBRARY_EVAL};
        struct python_library library = {.names = names, .addresses = addresses};
        struct python_binary binary;

        EXPECT_TRUE(!find(&library, "libpython3.11.so", &binary));
        EXPECT_INT(err.code, ERR_MISSING);
        EXPECT_STR(err.text, "library: does not define _PyRuntime");
        library.machine = 243; /* RISC-V */
        EXPECT_TRUE(!find(&library, NULL, &binary));
        EXPECT_INT(err.code, ERR_UNSUPPORTED);
        library = (struct python_library){.names = some_names, .addresses = some_addresses};
        add_version(&library, 0x031000f0);
        EXPECT_TRUE(!find(&library, NULL, &binary));
        EXPECT_STR(err.text, "library: CPython 3.16 is not supported");
        add_version(&library, 0x030700f0);
        EXPECT_TRUE(!find(&library, NULL, &binary));
        EXPECT_STR(err.text, "library: CPython 3.7 is not supported");
}

TAP_MAIN
