/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the symbols or the section of the runtime, and the version. */
#include "python_binary.h"

#include <string.h>

#include "python_version.h"
#include "text.h"

enum {
        MAX_RODATA_BYTES = 256 << 20,
        VERSION_MAX = 16, /* "3.10.13rc1+" */
};

/* Facts from the symbols of the file. */
struct python_symbols {
        uint64_t runtime, code_type, version, eval;
        bool has_runtime, has_version, is_debug, traces_refs;
};

static void take_symbol(const char *name, const struct object_symbol *symbol, struct python_symbols *found)
{
        if (name[0] != '_' && name[0] != 'P')
                return;
        if (strcmp(name, "_PyRuntime") == 0) {
                found->runtime = symbol->addr;
                found->has_runtime = true;
        } else if (strcmp(name, "PyCode_Type") == 0) {
                found->code_type = symbol->addr;
        } else if (strcmp(name, "_PyEval_EvalFrameDefault") == 0) {
                found->eval = symbol->addr;
        } else if (strcmp(name, "Py_Version") == 0) {
                found->version = symbol->addr;
                found->has_version = true;
        } else if (strcmp(name, "_Py_NegativeRefcount") == 0) {
                found->is_debug = true; /* of Py_REF_DEBUG, which Py_DEBUG turns on; Include/object.h */
        } else if (strcmp(name, "_Py_AddToAllObjects") == 0) {
                found->traces_refs = true; /* objects begin with two more words */
        }
}

static void read_symbols(struct object *object, enum object_table table, struct python_symbols *found)
{
        struct object_symbols symbols;
        struct object_symbol symbol;

        if (!object_symbols_begin(object, table, &symbols))
                return;
        while (object_symbols_next(&symbols, &symbol))
                if (symbol.is_defined)
                        take_symbol(object_symbols_name(&symbols, &symbol), &symbol, found);
}

static bool is_pe(const struct object *object)
{
        return object_get_facts(object)->format == OBJECT_PE;
}

/* Finds the section that contains _PyRuntime; 3.11 and later. */
static bool find_section(struct object *object, struct python_symbols *found)
{
        const struct object_section *section = object_find_section(object, ".PyRuntime");

        if (!section)
                return false;
        found->runtime = section->addr;
        found->has_runtime = true;
        return true;
}

/* Parses `3.MINOR`; with `is_whole`, a release number must follow. */
static unsigned parse_minor(const char *text, size_t len, bool is_whole)
{
        unsigned minor = 0;
        size_t i = 2;

        if (len < 3 || text[0] != '3' || text[1] != '.')
                return 0;
        for (; i < len && i < 4 && text[i] >= '0' && text[i] <= '9'; i++)
                minor = minor * 10 + (unsigned)(text[i] - '0');
        if (is_whole && (i + 1 >= len || text[i] != '.' || text[i + 1] < '0' || text[i + 1] > '9'))
                return 0;
        return minor >= PYTHON_MIN_MINOR && minor <= PYTHON_MAX_MINOR ? minor : 0;
}

/* The minor version in a string that names the library's folder ("python3.9", in 3.8 "lib/python3.8"). */
static unsigned minor_of_folder(const char *text, size_t len)
{
        static const char lib[] = "lib/", name[] = "python";

        if (len > sizeof(lib) - 1 && memcmp(text, lib, sizeof(lib) - 1) == 0) {
                text += sizeof(lib) - 1;
                len -= sizeof(lib) - 1;
        }
        if (len <= sizeof(name) - 1 || len > sizeof(name) + 4 || memcmp(text, name, sizeof(name) - 1) != 0)
                return 0;
        return parse_minor(text + sizeof(name) - 1, len - (sizeof(name) - 1), false);
}

/* The minor version in the strings of .rodata; 0 if they name none, or several.  The folder's name takes
 * precedence over a string that is PY_VERSION ("3.8.18"), because other libraries that are linked in have
 * versions, too. */
static unsigned minor_of_constants(struct object *object)
{
        const struct object_section *section =
                object_find_section(object, is_pe(object) ? ".rdata" : ".rodata");
        unsigned folders = 0, versions = 0, bits;
        struct cursor bytes;

        if (!section || section->size_bytes > MAX_RODATA_BYTES ||
            !object_read_section(object, section, &bytes, NULL))
                return 0;
        for (const char *at = (const char *)bytes.at, *end = (const char *)bytes.end; at < end;) {
                const char *nul = memchr(at, 0, (size_t)(end - at));
                size_t len = (size_t)((nul ? nul : end) - at);

                if (len >= 3 && (*at == 'l' || *at == 'p'))
                        folders |= 1u << minor_of_folder(at, len);
                else if (len >= 3 && len <= VERSION_MAX && *at == '3')
                        versions |= 1u << parse_minor(at, len, true);
                at += len + 1;
        }
        bits = (folders & ~1u) ? folders & ~1u : versions & ~1u;
        return bits && !(bits & (bits - 1)) ? (unsigned)__builtin_ctz(bits) : 0;
}

static unsigned minor_of_path(const char *path)
{
        unsigned minor = path ? python_version_of_path(path) : 0;

        return minor >= PYTHON_MIN_MINOR && minor <= PYTHON_MAX_MINOR ? minor : 0;
}

/* The minor version in Py_Version, which has the format of PY_VERSION_HEX. */
static unsigned minor_of_symbol(struct object *object, const struct python_symbols *found)
{
        uint64_t version, size = is_pe(object) ? 4 : 8; /* an unsigned long */
        struct cursor bytes;

        if (!found->has_version || !object_read_addr(object, found->version, size, &bytes))
                return 0;
        version = size == 4 ? cursor_u32(&bytes) : cursor_u64(&bytes);
        return version >> 24 == 3 ? version >> 16 & 0xff : 0;
}

static bool set_layout(struct object *object, const struct python_symbols *found, const char *path,
                       struct python_layout *ret_layout, struct err *err)
{
        unsigned minor = minor_of_symbol(object, found);
        struct cursor bytes;

        for (uint64_t size = PYTHON_OFFSETS_BYTES; size >= 512; size -= 64)
                if (object_read_addr(object, found->runtime, size, &bytes)) {
                        struct err why = {0};

                        if (python_layout_read(bytes.at, cursor_left(&bytes), is_pe(object), ret_layout,
                                               &why))
                                return true;
                        if (why.code == ERR_UNSUPPORTED || minor >= 13) {
                                if (err)
                                        *err = why;
                                return false;
                        }
                        break;
                }
        if (!minor)
                minor = minor_of_constants(object);
        if (!minor)
                minor = minor_of_path(path);
        if (!minor)
                return err_set(err, ERR_MISSING, "the version of CPython is not known");
        if (python_layout_get(minor, is_pe(object), ret_layout))
                return true;
        if (minor > PYTHON_MIN_MINOR && minor <= PYTHON_MAX_MINOR)
                return err_set(err, ERR_FORMAT, "CPython 3.%u without _Py_DebugOffsets", minor);
        return err_set(err, ERR_UNSUPPORTED, "CPython 3.%u is not supported", minor);
}

void python_binary_read_tasks(struct object *object, struct python_task_layout *ret_layout)
{
        const struct object_section *section = object_find_section(object, ".AsyncioDebug");
        struct cursor bytes;

        *ret_layout = (struct python_task_layout){0};
        if (section && object_read_section(object, section, &bytes, NULL))
                python_task_layout_read(bytes.at, cursor_left(&bytes), ret_layout);
}

bool python_binary_find(struct object *object, const char *path, struct python_binary *ret_binary,
                        struct err *err)
{
        const struct object_facts *facts = object_get_facts(object);
        struct python_binary binary = {0};
        struct python_symbols found = {0};

        if (facts->is_relocatable ||
            (facts->machine != OBJECT_MACHINE_X86_64 && facts->machine != OBJECT_MACHINE_ARM64))
                return err_set(err, ERR_UNSUPPORTED, "%s: is not a program or library for x86-64 or arm64",
                               object_name(object));
        read_symbols(object, OBJECT_DYNAMIC_SYMBOLS, &found);
        if (!found.has_runtime || !found.code_type || !found.eval)
                read_symbols(object, OBJECT_SYMBOLS, &found);
        if (!found.has_runtime && !find_section(object, &found))
                return err_set(err, ERR_MISSING, "%s: does not define _PyRuntime", object_name(object));
        if (found.traces_refs)
                return err_set(err, ERR_UNSUPPORTED, "%s: CPython built with Py_TRACE_REFS is not supported",
                               object_name(object));
        if (!set_layout(object, &found, path, &binary.layout, err))
                return err_in(err, "%s", object_name(object));
        /* Its strings have another layout, which depends on the compiler. */
        if (binary.layout.is_windows && binary.layout.is_free_threaded)
                return err_set(err, ERR_UNSUPPORTED, "%s: free-threaded CPython for Windows is not supported",
                               object_name(object));
        python_binary_read_tasks(object, &binary.tasks);
        binary.is_debug = found.is_debug;
        binary.runtime_addr = found.runtime;
        binary.code_type = found.code_type;
        binary.eval = found.eval;
        *ret_binary = binary;
        return true;
}

static bool defines_runtime(struct object *object, enum object_table table)
{
        enum { MAX_SYMBOLS = 1 << 20 }; /* a program may be stopped meanwhile */
        struct object_symbols symbols;
        struct object_symbol symbol;

        if (!object_symbols_begin(object, table, &symbols) || symbols.n_symbols > MAX_SYMBOLS)
                return false;
        while (object_symbols_next(&symbols, &symbol)) {
                if (symbol.is_defined && !strcmp(object_symbols_name(&symbols, &symbol), "_PyRuntime"))
                        return true;
        }
        return false;
}

bool python_binary_defines(struct object *object)
{
        return object_find_section(object, ".PyRuntime") || defines_runtime(object, OBJECT_DYNAMIC_SYMBOLS) ||
               defines_runtime(object, OBJECT_SYMBOLS);
}
