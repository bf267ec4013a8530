/* SPDX-License-Identifier: BSD-3-Clause */
/* Other people's ELF files: each opens, or is refused with one message that names it, and its lists are
 * consistent. Uses $WPERF_CORPUS/elf. */
#include <stdlib.h>

#include "buf.h"
#include "err.h"
#include "mem.h"
#include "object.h"
#include "os.h"
#include "resolver.h"
#include "tap.h"
#include "text.h"

struct files {
        char **paths;
        size_t n, cap;
        const char *folder; /* being listed */
};

static void add_folder(struct files *files, const char *folder);

static bool add_entry(void *ctx, const char *name)
{
        struct files *files = ctx;
        AUTO_RELEASE(buf) path = {0};
        struct os_stat stat;

        buf_printf(&path, "%s/%s", files->folder, name);
        if (!os_stat(buf_text(&path), &stat))
                return true;
        if (stat.is_dir && !text_starts(name, "_truth"))
                add_folder(files, buf_text(&path));
        if (stat.is_file)
                ARRAY_PUSH(files->paths, files->n, files->cap, buf_take(&path));
        return true;
}

static void add_folder(struct files *files, const char *folder)
{
        const char *outer = files->folder;

        files->folder = folder;
        os_list_dir(folder, add_entry, files, NULL);
        files->folder = outer;
}

static void read_sections(struct object *object)
{
        for (size_t i = 0; i < object_n_sections(object); i++) {
                const struct object_section *section = object_get_section(object, i);
                struct cursor bytes;
                struct err err = {0};

                if (!object_read_section(object, section, &bytes, &err))
                        EXPECT_CONTAINS(err.text, object_name(object));
        }
}

/* Every function is found by its start and by its last byte. */
static void look_up_functions(struct object *object, struct resolver *resolver, resolver_id id,
                              enum object_table table)
{
        struct object_symbols symbols;
        struct object_symbol symbol;
        uint64_t file_off;

        if (!object_symbols_begin(object, table, &symbols))
                return;
        while (object_symbols_next(&symbols, &symbol)) {
                if (symbol.kind != OBJECT_SYMBOL_FUNCTION || !symbol.is_defined || !symbol.size_bytes ||
                    !object_symbols_name(&symbols, &symbol)[0] ||
                    !object_to_file_off(object, symbol.addr + symbol.size_bytes - 1, &file_off))
                        continue;
                if (resolver_find(resolver, id, file_off).status != SYMBOL_NAMED)
                        TAP_FAIL("%s: %s has no name at its end", object_name(object),
                                 object_symbols_name(&symbols, &symbol));
        }
}

static void expect_lists(const char *path)
{
        struct err err = {0};
        AUTO(object) object = object_open(path, &err);
        struct object_range *ranges;
        struct object_stub *stubs;

        if (!object) {
                EXPECT_CONTAINS(err.text, path);
                return;
        }
        read_sections(object);
        object_list_functions(object, &ranges);
        object_list_stubs(object, &stubs);
        free(ranges);
        free(stubs);
}

static void expect_names(const char *path)
{
        AUTO(object) object = object_open(path, NULL);
        struct resolver_options options = {.demangle = true};
        AUTO(resolver) resolver = resolver_new(&options);
        struct resolver_module module = {.kind = RESOLVER_FILE, .path = path};

        if (object)
                look_up_functions(object, resolver, resolver_add_module(resolver, &module), OBJECT_SYMBOLS);
}

static void for_each_file(void (*check)(const char *path))
{
        AUTO_RELEASE(buf) folder = {0};
        struct files files = {0};

        buf_printf(&folder, "%s/elf", getenv("WPERF_CORPUS"));
        add_folder(&files, buf_text(&folder));
        EXPECT_CMP(files.n, >, 0);
        for (size_t i = 0; i < files.n; i++) {
                check(files.paths[i]);
                free(files.paths[i]);
        }
        printf("# %zu files\n", files.n);
        free(files.paths);
}

TEST(elf_corpus_opens_or_says_why_not)
{
        for_each_file(expect_lists);
}

TEST(elf_corpus_functions_are_found_to_their_last_byte)
{
        for_each_file(expect_names);
}

int main(void)
{
        if (!getenv("WPERF_CORPUS")) {
                printf("1..0 # SKIP WPERF_CORPUS is not set\n");
                return 0;
        }
        return tap_run_all();
}
