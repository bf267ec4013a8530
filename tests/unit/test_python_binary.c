/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPython a file is: by symbols, by the section .PyRuntime, by constants and by its name. */
#include "buf.h"
#include "cfi_builder.h"
#include "python_binary.h"
#include "python_published.h"
#include "tap.h"

enum { RODATA = 0x1000, RUNTIME = 0x4000, EVAL = 0x8000, DYNSYM = 11, STRTAB = 3, SYMBOL_BYTES = 24 };

/* An ELF library with what is given; NULL is left out. */
struct library {
        const char *const *names;  /* symbols, up to NULL */
        const uint64_t *addresses; /* likewise */
        struct buf rodata;
        const void *runtime;
        size_t runtime_bytes;
        uint16_t machine;
};

static void set_word(struct buf *buf, size_t off, uint64_t value, size_t size)
{
        memcpy(buf->data + off, &value, size);
}

static void add_symbols(const struct library *library, struct buf *symbols, struct buf *names)
{
        buf_add_zeros(symbols, SYMBOL_BYTES);
        buf_add_u8(names, 0);
        for (size_t i = 0; library->names && library->names[i]; i++) {
                buf_add_u32(symbols, (uint32_t)names->len);
                buf_add_u8(symbols, 1 << 4 | 1); /* a global object */
                buf_add_u8(symbols, 0);
                buf_add_u16(symbols, 1);
                buf_add_u64(symbols, library->addresses[i]);
                buf_add_u64(symbols, 8);
                buf_add_str(names, library->names[i]);
                buf_add_u8(names, 0);
        }
}

static struct object *build(const struct library *library, struct buf *ret_file)
{
        static const char names[] = "\0.rodata\0.PyRuntime\0.dynsym\0.dynstr";
        struct buf headers = {0}, symbols = {0}, strings = {0}, runtime = {0}, file = {0};
        uint16_t n;

        add_symbols(library, &symbols, &strings);
        buf_add(&file, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0", 18);
        buf_add_u16(&file, library->machine ? library->machine : 62);
        buf_add_u32(&file, 1);
        buf_add_zeros(&file, 40);
        cfi_add_section(&headers, 0, 0, 0, 0, 0);
        cfi_add_content(&file, &headers, 1, RODATA, &library->rodata);
        if (library->runtime)
                buf_add(&runtime, library->runtime, library->runtime_bytes);
        cfi_add_content(&file, &headers, 9, RUNTIME, &runtime);
        cfi_add_section(&headers, 20, DYNSYM, 0, file.len, symbols.len);
        n = (uint16_t)(headers.len / 64);
        set_word(&headers, headers.len - 24, n, 4);           /* sh_link: the next one */
        set_word(&headers, headers.len - 8, SYMBOL_BYTES, 8); /* sh_entsize */
        buf_add(&file, symbols.data, symbols.len);
        cfi_add_section(&headers, 28, STRTAB, 0, file.len, strings.len);
        buf_add(&file, strings.data, strings.len);
        cfi_add_section(&headers, 0, STRTAB, 0, file.len, sizeof(names));
        buf_add(&file, names, sizeof(names));
        set_word(&file, 40, file.len, 8);
        memcpy(file.data + 52, "\100\0\0\0\0\0\100\0", 8);
        set_word(&file, 60, headers.len / 64, 2);
        set_word(&file, 62, headers.len / 64 - 1, 2);
        buf_add(&file, headers.data, headers.len);
        buf_release(&headers);
        buf_release(&symbols);
        buf_release(&strings);
        buf_release(&runtime);
        *ret_file = file;
        return object_open_bytes(file.data, file.len, "library", NULL);
}

static struct err err;

static bool find(struct library *library, const char *path, struct python_binary *ret_binary)
{
        struct buf file;
        struct object *object = build(library, &file);
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
static const uint64_t some_addresses[] = {RUNTIME, RUNTIME + 0x100, RODATA, EVAL};

static void add_version(struct library *library, uint64_t version)
{
        buf_add_u64(&library->rodata, version);
}

TEST(by_symbol)
{
        struct library library = {.names = some_names, .addresses = some_addresses};
        struct python_binary binary;

        add_version(&library, 0x030b07f0);
        ASSERT_TRUE(find(&library, "/opt/prog", &binary));
        EXPECT_INT(binary.layout.minor, 11);
        EXPECT_INT(binary.runtime_addr, RUNTIME);
        EXPECT_INT(binary.code_type, RUNTIME + 0x100);
        EXPECT_INT(binary.eval, EVAL);
        EXPECT_TRUE(!binary.is_debug);
}

TEST(builds)
{
        static const char *const debug[] = {"_PyRuntime", "Py_Version", "_Py_NegativeRefcount", NULL};
        static const char *const traced[] = {"_PyRuntime", "Py_Version", "_Py_AddToAllObjects", NULL};
        static const uint64_t addresses[] = {RUNTIME, RODATA, EVAL};
        struct library library = {.names = debug, .addresses = addresses};
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
        struct library library = {0};
        struct python_binary binary;

        for (unsigned minor = 13; minor <= 15; minor++) {
                uint8_t runtime[2048] = {0};

                published_make(&table, minor, minor == 14);
                memcpy(runtime, table.words, table.n_words * 8);
                library = (struct library){.runtime = runtime, .runtime_bytes = sizeof(runtime)};
                ASSERT_TRUE(find(&library, NULL, &binary));
                EXPECT_INT(binary.layout.minor, minor);
                EXPECT_INT(binary.layout.is_free_threaded, minor == 14);
                EXPECT_INT(binary.runtime_addr, RUNTIME);
                runtime[8 + 2] = 16;
                EXPECT_TRUE(!find(&library, NULL, &binary));
                EXPECT_STR(err.text, "library: _Py_DebugOffsets: CPython 3.16 is not supported");
        }
}

static bool find_constants(const char *constants, size_t size, const char *path,
                           struct python_binary *ret_binary)
{
        static const uint8_t runtime[1024];
        struct library library = {.runtime = runtime, .runtime_bytes = sizeof(runtime)};

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
        EXPECT_STR(err.text, "library: nothing tells the version of CPython");
        EXPECT_TRUE(!FIND("", "/usr/bin/python3.7"));
        EXPECT_TRUE(!FIND("", "/usr/bin/python3.14"));
        EXPECT_STR(err.text, "library: CPython 3.14 without _Py_DebugOffsets");
}

TEST(other_files)
{
        static const char *const names[] = {"PyCode_Type", NULL};
        static const uint64_t addresses[] = {EVAL};
        struct library library = {.names = names, .addresses = addresses};
        struct python_binary binary;

        EXPECT_TRUE(!find(&library, "libpython3.11.so", &binary));
        EXPECT_INT(err.code, ERR_MISSING);
        EXPECT_STR(err.text, "library: does not define _PyRuntime");
        library.machine = 243; /* RISC-V */
        EXPECT_TRUE(!find(&library, NULL, &binary));
        EXPECT_INT(err.code, ERR_UNSUPPORTED);
        library = (struct library){.names = some_names, .addresses = some_addresses};
        add_version(&library, 0x031000f0);
        EXPECT_TRUE(!find(&library, NULL, &binary));
        EXPECT_STR(err.text, "library: CPython 3.16 is not supported");
        add_version(&library, 0x030700f0);
        EXPECT_TRUE(!find(&library, NULL, &binary));
        EXPECT_STR(err.text, "library: CPython 3.7 is not supported");
}

TAP_MAIN
