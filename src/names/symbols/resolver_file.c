/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of an object file come from its PDB; else from its own .symtab; else from its debug file's;
 * else from .gnu_debugdata and .dynsym; in addition to each, from the stubs of its PLT; and for code
 * without a name, ranges from .eh_frame or .pdata.  A file of another build is not used, but a debug file
 * of the right build is. */
#include "resolver_file.h"

#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "debug_search.h"
#include "elf_search.h"
#include "mem.h"
#include "note.h"
#include "os.h"
#include "pe_search.h"
#include "search.h"

/* A function without a name. Programs have up to hundreds of thousands. */
struct unnamed_range {
        uint64_t start;
        uint32_t size_bytes;
};

struct resolver_file {
        const struct resolver_options *options;
        struct object *own;      /* the mapped file; NULL if it is not available */
        bool is_found;           /* it is not at its path */
        struct object *debug;    /* its debug file, if names come from it */
        struct object *small;    /* from .gnu_debugdata */
        struct resolver_pdb pdb; /* if it is there, it has all names */
        bool is_image;           /* as in resolver_module */
        /* its PDB can't be used because of OMAP; exports are few, and would give their names to other
         * functions */
        bool is_moved;
        struct symtab *tab;
        struct symtab *data; /* symbols for data; NULL until they are looked up */
        struct object_stub *stubs;
        size_t n_stubs;
        struct resolver_debug *debug_info; /* opened at its first use */
        struct unnamed_range *ranges;      /* listed at the first address without a name */
        size_t n_ranges;
        bool has_ranges;
        bool has_symbols; /* there is a full symbol table */
};

/* --- Opening --- */

static struct pe_wanted pe_wanted(const struct resolver_file *file, const struct resolver_module *module)
{
        const struct resolver_sources *sources = file->options->sources;

        return (struct pe_wanted){
                .path = module->path,
                .build_id = module->build_id,
                .build_id_size = module->build_id_size,
                .identity = module->pe,
                .places = sources ? sources->pe : NULL,
        };
}

static struct object *open_at_path(const struct resolver_module *module, struct buf *note)
{
        const char *path = module->open_path ? module->open_path : module->path;
        AUTO(object) object = NULL;
        const struct object_facts *facts;
        struct err err = {0};

        if (module->not_used) {
                buf_add_str(note, module->not_used);
                return NULL;
        }
        if (module->image)
                object = object_open_bytes(module->image, module->image_size, module->path, &err);
        else
                object = object_open(path, &err);
        if (!object) {
                note_add_error(note, &err, module->image ? module->path : path);
                return NULL;
        }
        facts = object_get_facts(object);
        if (module->build_id_size && !object_build_id_equal(facts->build_id, facts->build_id_size,
                                                            module->build_id, module->build_id_size)) {
                buf_add_str(note, "its build id is not that of the recorded file");
                return NULL;
        }
        return TAKE(object);
}

static struct elf_wanted elf_wanted(const struct resolver_file *file, const struct resolver_module *module)
{
        const struct resolver_sources *sources = file->options->sources;

        return (struct elf_wanted){
                .path = module->path,
                .build_id = module->build_id,
                .build_id_size = module->build_id_size,
                .places = sources ? sources->elf : NULL,
                .session_dir = file->options->session_dir,
                .is_replaced = module->not_used,
        };
}

/* For a session from another machine, or if files were moved, looks in other folders. */
static void find_own(struct resolver_file *file, const struct resolver_module *module, struct buf *note)
{
        const struct pe_wanted pe = pe_wanted(file, module);
        const struct elf_wanted elf = elf_wanted(file, module);
        AUTO_RELEASE(buf) refused = {0};
        struct os_stat there;
        size_t len = note->len;

        if (!module->image)
                file->own = elf_search_root(&elf, note);
        file->is_found = file->own;
        if (!file->own)
                file->own = open_at_path(module, note);
        if (file->own || module->image)
                return;
        file->own = pe_search_image(&pe, note);
        if (!file->own) {
                file->own = elf_search(&elf, &refused);
                file->is_found = file->own;
        }
        /* A file of another build at the path itself is reported first. */
        if (file->own || (refused.len && !os_stat(module->path, &there)))
                buf_truncate(note, len);
        if (note->len == len)
                buf_add_str(note, buf_text(&refused));
}

static void open_own(struct resolver_file *file, const struct resolver_module *module, struct buf *note)
{
        find_own(file, module, note);
        if (!file->own)
                return;
        object_set_budget(file->own, module->budget);
        budget_allow_work(module->budget, BUDGET_WORK_UNWIND, object_file_bytes(file->own));
}

static struct debug_wanted debug_wanted(const struct resolver_file *file,
                                        const struct resolver_module *module)
{
        struct debug_wanted wanted = {.build_id = module->build_id,
                                      .build_id_size = module->build_id_size,
                                      .path = file->is_found ? object_name(file->own) : module->path,
                                      .budget = module->budget,
                                      .own = file->own,
                                      .dirs = file->options->debug_dirs,
                                      .remote =
                                              file->options->sources ? file->options->sources->remote : NULL};

        if (file->own) {
                wanted.build_id = object_get_facts(file->own)->build_id;
                wanted.build_id_size = object_get_facts(file->own)->build_id_size;
        }
        return wanted;
}

/* --- Names --- */

/* The identity of the wanted PDB: from the image, else from the session, where the build id of a PE image
 * is GUID and age. */
static bool find_identity(const struct resolver_file *file, const struct resolver_module *module,
                          struct object_pdb *ret)
{
        if (file->own)
                return object_get_pdb(file->own, ret);
        if (!module->pe || !module->pe->pdb_path || module->build_id_size != OBJECT_PDB_ID_BYTES)
                return false;
        object_pdb_from_build_id(module->build_id, ret);
        ret->path = module->pe->pdb_path;
        return true;
}

/* The PDB of the image.  Linkers that put DWARF into the image write only public symbols into the PDB (GNU
 * ld's --pdb).  Such a PDB is not used, because it would hide functions and lines. */
static struct pdb *search_pdb(struct resolver_file *file, const struct pe_wanted *wanted,
                              const struct object_pdb *identity, struct buf *note)
{
        bool has_dwarf = file->own && object_find_section(file->own, ".debug_info");
        bool is_asked_for = wanted->places && wanted->places->pdb;
        AUTO_RELEASE(buf) unsaid = {0};
        AUTO(pdb)
        pdb = pe_search_pdb(wanted, identity, &file->is_moved, has_dwarf && !is_asked_for ? &unsaid : note);

        file->is_moved &= !has_dwarf;
        return pdb && has_dwarf && !pdb_get_facts(pdb)->has_lines ? NULL : TAKE(pdb);
}

/* Opens a file that is itself a PDB, or the PDB of the image. */
static void open_pdb(struct resolver_file *file, const struct resolver_module *module, struct buf *note)
{
        const struct pe_wanted wanted = pe_wanted(file, module);
        struct object_pdb identity;

        if (file->own)
                file->pdb.image_base = object_get_facts(file->own)->load_addr;
        if (find_identity(file, module, &identity))
                file->pdb.pdb = search_pdb(file, &wanted, &identity, note);
        else if (!file->own && !module->image)
                file->pdb.pdb = pdb_open(module->path, NULL);
        if (file->pdb.pdb)
                pdb_set_budget(file->pdb.pdb, module->budget);
        if (file->pdb.pdb && file->options->decorated)
                pdb_set_decorated(file->pdb.pdb, true);
}

static void add_small(struct resolver_file *file)
{
        file->small = object_open_debugdata(file->own, NULL);
        if (file->small)
                symtab_add_object(file->tab, file->small, OBJECT_SYMBOLS);
}

static void add_names(struct resolver_file *file, const struct resolver_module *module, struct buf *note)
{
        struct debug_wanted wanted = debug_wanted(file, module);
        bool had_note = note->len;

        open_pdb(file, module, note);
        if (file->pdb.pdb) {
                /* The image itself is missing. */
                if (!file->own && module->pe == NULL)
                        buf_clear(note);
                return;
        }
        file->has_symbols =
                file->own && !file->is_moved && symtab_add_object(file->tab, file->own, OBJECT_SYMBOLS);
        if (file->is_moved || file->has_symbols)
                return;
        file->debug = debug_search(&wanted, note);
        file->has_symbols = file->debug && symtab_add_object(file->tab, file->debug, OBJECT_SYMBOLS);
        if (file->has_symbols) {
                if (had_note)
                        buf_add_str(note, "; its names come from its debug file");
                return;
        }
        if (!file->own)
                return;
        add_small(file);
        symtab_add_object(file->tab, file->own, OBJECT_DYNAMIC_SYMBOLS);
        if (!file->small && !module->image && !note->len && !object_find_section(file->own, ".debug_info"))
                buf_add_str(note, "is stripped, and no debug file for it is installed");
}

static void add_stubs(struct resolver_file *file)
{
        struct object_symbols symbols;
        uint8_t names = SYMTAB_NO_NAMES;

        file->n_stubs = object_list_stubs(file->own, &file->stubs);
        if (file->n_stubs && object_symbols_begin(file->own, OBJECT_DYNAMIC_SYMBOLS, &symbols) &&
            symbols.names_size)
                names = symtab_add_names(file->tab, symbols.names, symbols.names_size);
        for (size_t i = 0; i < file->n_stubs; i++) {
                const struct object_stub *stub = &file->stubs[i];
                bool has_name = stub->name_off && names != SYMTAB_NO_NAMES;

                symtab_add(file->tab, &(struct symtab_symbol){
                                              .addr = stub->addr,
                                              .size_bytes = stub->size_bytes,
                                              .name_off = has_name ? stub->name_off : (uint32_t)i,
                                              .names = has_name ? names : SYMTAB_NO_NAMES,
                                              .binding = OBJECT_GLOBAL,
                                              .is_plt_stub = true,
                                      });
        }
}

static void check_not_cut(const struct object *object, struct buf *note)
{
        struct err err = {0};

        if (object && !object_check(object, &err) && !note->len)
                note_add_error(note, &err, object_name(object));
}

struct resolver_file *resolver_file_new(const struct resolver_module *module,
                                        const struct resolver_options *options, struct buf *note)
{
        struct resolver_file *file = mem_new(1, sizeof(*file));

        file->options = options;
        file->is_image = module->is_image;
        file->tab = symtab_new();
        open_own(file, module, note);
        add_names(file, module, note);
        if (file->own)
                add_stubs(file);
        symtab_finish(file->tab);
        check_not_cut(file->own, note);
        check_not_cut(file->debug, note);
        return file;
}

static void free_ranges(struct resolver_file *file)
{
        if (file->ranges)
                budget_give(object_budget(file->own), file->n_ranges * sizeof(*file->ranges));
        free(file->ranges);
}

void resolver_file_free(struct resolver_file *file)
{
        if (!file)
                return;
        resolver_debug_free(file->debug_info);
        symtab_free(file->tab);
        symtab_free(file->data);
        pdb_free(file->pdb.pdb);
        object_free(file->small);
        object_free(file->debug);
        free_ranges(file);
        object_free(file->own);
        free(file->stubs);
        free(file);
}

/* --- Lookups --- */

static bool has_code(const struct object *object)
{
        for (size_t i = 0; i < object_n_segments(object); i++) {
                const struct object_segment *segment = object_get_segment(object, i);

                if ((segment->flags & OBJECT_SEGMENT_CODE) && segment->file_size)
                        return true;
        }
        return false;
}

bool resolver_file_has_all_names(const struct resolver_file *file)
{
        return file->has_symbols || file->pdb.pdb;
}

bool resolver_file_to_addr(const struct resolver_file *file, uint64_t file_off, uint64_t *ret_addr)
{
        if (file->is_image) {
                *ret_addr = file->pdb.image_base + file_off;
                return true;
        }
        if (file->own)
                return object_to_addr(file->own, file_off, ret_addr);
        if (file->pdb.pdb) {
                uint32_t rva;

                if (!pdb_find_rva(file->pdb.pdb, file_off, &rva))
                        return false;
                *ret_addr = file->pdb.image_base + rva;
                return true;
        }
        if (!file->debug)
                return false;
        if (has_code(file->debug))
                return object_to_addr(file->debug, file_off, ret_addr);
        /* objcopy --only-keep-debug removes the offsets of segments; GNU ld places code at the same
         * distance from the start in the file and in memory. */
        *ret_addr = file_off + object_get_facts(file->debug)->load_addr;
        return true;
}

static void list_ranges(struct resolver_file *file)
{
        struct object_range *listed;
        size_t n;

        if (file->has_ranges)
                return;
        file->has_ranges = true;
        if (!file->own)
                return;
        n = object_list_functions(file->own, &listed);
        if (n && budget_take(object_budget(file->own), BUDGET_NAMES, n * sizeof(*file->ranges))) {
                file->n_ranges = n;
                file->ranges = mem_new(n, sizeof(*file->ranges));
                for (size_t i = 0; i < n; i++)
                        file->ranges[i] = (struct unnamed_range){listed[i].start,
                                                                 listed[i].size_bytes < UINT32_MAX
                                                                         ? (uint32_t)listed[i].size_bytes
                                                                         : UINT32_MAX};
        }
        free(listed);
}

/* The range that contains `addr`, or NULL; the result is the same up to *ret_same_to. */
static const struct unnamed_range *find_range(struct resolver_file *file, uint64_t addr,
                                              uint64_t *ret_same_to)
{
        const struct unnamed_range *range;
        size_t low = 0, high;

        list_ranges(file);
        high = file->n_ranges;
        SEARCH_FIRST(low, high, middle, file->ranges[middle].start <= addr);
        range = low ? &file->ranges[low - 1] : NULL;
        *ret_same_to = low < file->n_ranges ? file->ranges[low].start : UINT64_MAX;
        if (!range || addr - range->start >= range->size_bytes)
                return NULL;
        if (range->start + range->size_bytes < *ret_same_to)
                *ret_same_to = range->start + range->size_bytes;
        return range;
}

static bool find_in_pdb(struct resolver_file *file, uint64_t addr, struct symtab_hit *ret_hit)
{
        uint64_t base = file->pdb.image_base;
        struct pdb_function function = {0};
        uint32_t rva;
        bool is_named;

        *ret_hit = (struct symtab_hit){.same_from = addr, .same_to = addr};
        if (!resolver_pdb_to_rva(&file->pdb, addr, &rva))
                return false;
        is_named = pdb_find_function(file->pdb.pdb, rva, &function);
        ret_hit->same_from = base + function.same_from;
        ret_hit->same_to = base + function.same_to;
        if (!is_named)
                return false;
        ret_hit->start = base + function.start;
        ret_hit->end = ret_hit->start + function.size_bytes;
        ret_hit->end_is_guessed = function.size_is_guessed;
        ret_hit->name = function.name;
        ret_hit->name_max = strlen(function.name);
        return true;
}

/* The return address of a signal's handler is the first instruction of the code that ends the signal
 * (__restore_rt). In chains of frame pointers it is not told from others, which are looked up one byte
 * before; nothing named is there. */
static bool begins_behind(const struct resolver_file *file, uint64_t addr, struct symtab_hit *ret_hit)
{
        struct symtab_hit behind;

        if (!file->tab || !symtab_find(file->tab, addr + 1, &behind) || behind.start != addr + 1 ||
            !behind.name)
                return false;
        *ret_hit = behind;
        ret_hit->start = ret_hit->same_from = addr;
        ret_hit->same_to = addr + 1;
        return true;
}

enum symbol_status resolver_file_find(struct resolver_file *file, uint64_t addr, struct symtab_hit *ret_hit)
{
        bool is_named =
                file->pdb.pdb ? find_in_pdb(file, addr, ret_hit) : symtab_find(file->tab, addr, ret_hit);
        const struct unnamed_range *range;
        uint64_t same_to;

        if (is_named && !ret_hit->end_is_guessed)
                return SYMBOL_NAMED;
        range = find_range(file, addr, &same_to);
        if (!is_named && (!range || range->start == addr) && begins_behind(file, addr, ret_hit))
                return SYMBOL_NAMED;
        ret_hit->same_from = addr;
        if (same_to < ret_hit->same_to)
                ret_hit->same_to = same_to;
        /* A range replaces a guess that begins earlier. */
        if (!range || (is_named && range->start <= ret_hit->start))
                return is_named ? SYMBOL_NAMED : SYMBOL_NONE;
        ret_hit->start = range->start;
        ret_hit->end = range->start + range->size_bytes;
        return SYMBOL_RANGE;
}

void resolver_file_add_name(const struct resolver_file *file, const struct symtab_hit *hit, struct buf *out)
{
        struct symtab_hit picker;
        uint64_t target;

        if (hit->name) {
                buf_add(out, hit->name, strnlen(hit->name, hit->name_max));
                return;
        }
        target = file->stubs[hit->name_off].target;
        if (symtab_find(file->tab, target, &picker) && picker.start == target && picker.name)
                buf_add(out, picker.name, strnlen(picker.name, picker.name_max));
        else
                buf_printf(out, "*ABS*+0x%llx", (unsigned long long)target); /* as in binutils */
}

struct object *resolver_file_object(const struct resolver_file *file)
{
        return file->own;
}

bool resolver_file_is_image(const struct resolver_file *file, const struct resolver_module *module)
{
        const struct pe_identity *identity = module->pe;
        const struct object_facts *facts = file->own ? object_get_facts(file->own) : NULL;

        return identity && identity->image_size && facts && facts->image_size == identity->image_size &&
               facts->time_stamp == identity->time_stamp;
}

bool resolver_file_has_pdb(const struct resolver_file *file)
{
        return file->pdb.pdb;
}

enum object_machine resolver_file_machine(const struct resolver_file *file, uint64_t addr)
{
        if (file->own)
                return object_machine_at(file->own, addr);
        return file->pdb.pdb ? pdb_get_facts(file->pdb.pdb)->machine : OBJECT_MACHINE_OTHER;
}

struct resolver_debug *resolver_file_debug(struct resolver_file *file, const struct resolver_module *module,
                                           struct buf *note)
{
        struct debug_wanted wanted = debug_wanted(file, module);
        const struct resolver_known known = {file->debug, file->pdb};

        if (!file->debug_info)
                file->debug_info = resolver_debug_new(&wanted, &known, file->options->sources, note);
        return file->debug_info;
}

bool resolver_file_check(const struct resolver_file *file, struct err *err)
{
        return (!file->own || object_check(file->own, err)) &&
               (!file->debug || object_check(file->debug, err)) &&
               (!file->pdb.pdb || pdb_check(file->pdb.pdb, err)) &&
               (!file->debug_info || resolver_debug_check(file->debug_info, err));
}

/* --- Data --- */

/* Of the segments that begin before the offset, the last one: what follows the bytes of a segment in the
 * file belongs to the next one. */
static bool data_addr(const struct object *object, uint64_t file_off, uint64_t *ret_addr)
{
        const struct object_segment *last = NULL;

        for (size_t i = 0; i < object_n_segments(object); i++) {
                const struct object_segment *segment = object_get_segment(object, i);

                if (file_off >= segment->file_off && (!last || segment->file_off >= last->file_off))
                        last = segment;
        }
        if (!last || file_off - last->file_off >= last->mem_size)
                return false;
        *ret_addr = last->addr + (file_off - last->file_off);
        return true;
}

static void load_data(struct resolver_file *file)
{
        file->data = symtab_new();
        if (!(file->debug && symtab_add_data(file->data, file->debug, OBJECT_SYMBOLS)) &&
            !symtab_add_data(file->data, file->own, OBJECT_SYMBOLS))
                symtab_add_data(file->data, file->own, OBJECT_DYNAMIC_SYMBOLS);
        symtab_finish(file->data);
}

bool resolver_file_data_addr(const struct resolver_file *file, uint64_t file_off, uint64_t *ret_addr)
{
        return file->own && data_addr(file->own, file_off, ret_addr);
}

bool resolver_file_find_data(struct resolver_file *file, uint64_t addr, struct symtab_hit *ret_hit)
{
        if (!file->own)
                return false;
        if (!file->data)
                load_data(file);
        return symtab_find(file->data, addr, ret_hit);
}
