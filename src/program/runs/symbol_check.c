/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbol_check.h"

#include <string.h>

#include "debug_package.h"
#include "debug_search.h"
#include "err.h"
#include "object.h"
#include "os.h"
#include "python_binary.h"
#include "text.h"

/* Where libraries are, at most distributions. */
static const char *const library_dirs[] = {
        "/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/lib", "/usr/local/lib",
};

void symbol_check_release(struct symbol_check *check)
{
        buf_release(&check->path);
        buf_release(&check->package);
        buf_release(&check->no_python);
}

static bool has_symbols(struct object *object)
{
        struct object_symbols symbols;

        return object_symbols_begin(object, OBJECT_SYMBOLS, &symbols) && symbols.n_symbols;
}

static void check_names(struct object *object, struct symbol_check *ret)
{
        static const char *const dirs[] = {"/usr/lib/debug", NULL};
        const struct object_facts *facts = object_get_facts(object);
        AUTO_RELEASE(buf) note = {0};
        AUTO(object) debug = NULL;

        buf_clear(&ret->package);
        ret->names = has_symbols(object) ? SYMBOL_CHECK_ALL : SYMBOL_CHECK_EXPORTED;
        if (ret->names == SYMBOL_CHECK_ALL)
                return;
        debug = debug_search(&(struct debug_wanted){.build_id = facts->build_id,
                                                    .build_id_size = facts->build_id_size,
                                                    .path = buf_text(&ret->path),
                                                    .own = object,
                                                    .dirs = dirs},
                             &note);
        ret->has_debug_file = debug && has_symbols(debug);
        if (ret->has_debug_file)
                ret->names = SYMBOL_CHECK_ALL;
        else
                debug_package_find(NULL, facts->build_id, facts->build_id_size, &ret->package);
}

/* Begins a check with an object file; NULL if it is none. */
static struct object *open_file(const char *path, struct symbol_check *ret)
{
        AUTO(object) object = object_open(path, NULL);

        if (!object)
                return NULL;
        buf_clear(&ret->path);
        if (!os_real_path(path, &ret->path))
                buf_add_str(&ret->path, path);
        check_names(object, ret);
        return TAKE(object);
}

/* Looks for the library in the folders; `dir` is the first one, or NULL. */
static struct object *open_library(const char *name, const char *dir, struct symbol_check *ret)
{
        for (size_t i = 0; i <= N_ELEMENTS(library_dirs); i++) {
                const char *folder = i ? library_dirs[i - 1] : dir;
                AUTO_RELEASE(buf) path = {0};
                struct object *object;

                if (!folder)
                        continue;
                buf_printf(&path, "%s/%s", folder, name);
                object = open_file(buf_text(&path), ret);
                if (object)
                        return object;
        }
        return NULL;
}

void symbol_check_libc(struct symbol_check *ret)
{
        static const char *const names[] = {"libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"};
        struct object *object = NULL;

        *ret = (struct symbol_check){0};
        for (size_t i = 0; i < N_ELEMENTS(names) && !object; i++)
                object = open_library(names[i], NULL, ret);
        object_free(object);
}

/* --- Python --- */

static void check_python(struct object *object, struct symbol_check *ret)
{
        struct python_binary binary;
        struct err err = {0};

        if (python_binary_find(object, buf_text(&ret->path), &binary, &err))
                ret->python_minor = binary.layout.minor;
        else
                buf_add_str(&ret->no_python, err.text);
}

/* The code of `python3.12` without _PyRuntime is in libpython3.12.so.1.0, in ../lib or with other
 * libraries. */
static void check_python_library(struct symbol_check *ret)
{
        const char *path = buf_text(&ret->path), *name = text_base_name(path);
        AUTO_RELEASE(buf) library = {0};
        AUTO_RELEASE(buf) folder = {0};
        AUTO(object) object = NULL;

        buf_printf(&library, "lib%s.so.1.0", name);
        buf_printf(&folder, "%.*s../lib", (int)(name - path), path);
        object = open_library(buf_text(&library), buf_text(&folder), ret);
        if (object && python_binary_defines(object))
                check_python(object, ret);
        else
                buf_add_str(&ret->no_python, "it is not a CPython, or its library was not found");
}

void symbol_check_python(const char *name, const char *path_list, struct symbol_check *ret)
{
        AUTO(object) object = NULL;

        *ret = (struct symbol_check){0};
        while (!object && path_list && *path_list) {
                size_t len = strcspn(path_list, ":");
                AUTO_RELEASE(buf) path = {0};

                buf_printf(&path, "%.*s/%s", (int)len, path_list, name);
                object = open_file(buf_text(&path), ret);
                path_list += len + (path_list[len] == ':');
        }
        if (!object)
                return;
        if (python_binary_defines(object))
                check_python(object, ret);
        else
                check_python_library(ret);
}

void symbol_check_python_range(unsigned *ret_min, unsigned *ret_max)
{
        *ret_min = PYTHON_MIN_MINOR;
        *ret_max = PYTHON_MAX_MINOR;
}
