/* SPDX-License-Identifier: BSD-3-Clause */
/* What addresses in code refer to, in words that do not depend on where the linker put it: functions and
 * variables by name, constants and texts without a name by their content, the rest by its section. */
#include <inttypes.h>
#include <string.h>

#include "code_image_internal.h"
#include "demangle.h"
#include "map.h"
#include "resolver_code.h"
#include "search.h"
#include "text.h"

enum { SLOT_BYTES = 8 };

/* --- Hashes --- */

uint64_t code_hash_bytes(const void *bytes, size_t size)
{
        return map_sum_bytes(bytes, size);
}

uint64_t code_hash_join(uint64_t a, uint64_t b)
{
        return map_mix_fixed(a * MAP_FACTOR + map_mix_fixed(b + 1));
}

/* Names of stubs and versioned symbols have a suffix: memcpy@plt, memcpy@GLIBC_2.14. */
static size_t bare_length(const char *name)
{
        const char *at = strchr(name, '@');

        return at && at != name ? (size_t)(at - name) : strlen(name);
}

uint64_t code_hash_name(const char *name)
{
        size_t len = bare_length(name), without = demangle_without_clone(name);

        return code_hash_bytes(name, without < len ? without : len);
}

/* Compilers number the static variables of functions: `buffer.0`. */
static uint64_t hash_variable(const char *name)
{
        size_t len = bare_length(name), digits = len;

        while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
                digits--;
        if (digits > 1 && digits < len && name[digits - 1] == '.')
                len = digits - 1;
        return code_hash_bytes(name, len);
}

static uint64_t hash_word(const char *word)
{
        return code_hash_bytes(word, strlen(word));
}

/* `.rodata.str1.8` of a relocatable object becomes part of `.rodata`. */
static uint64_t hash_section(const char *name)
{
        size_t len = name[0] == '.' ? 1 + strcspn(name + 1, ".") : strlen(name);

        return code_hash_bytes(name, len);
}

/* --- Code --- */

/* All functions that have no name in one of the modules, and no counterpart. */
static const char unknown_function[] = "function";

/* The offset of an address in a function, which is different for each of its parts. */
static uint64_t offset_in(const struct code_function *f, uint64_t addr)
{
        for (size_t i = 1; i < f->n_extents; i++) {
                if (addr >= f->extents[i].start && addr < f->extents[i].end)
                        return (uint64_t)i << 32 | (addr - f->extents[i].start);
        }
        return addr - f->extents[0].start;
}

static bool find_function(const struct code_image *image, uint64_t addr, struct code_referent *ret)
{
        uint32_t index = code_image_find(image, addr);
        const struct code_function *f;

        if (index == CODE_NO_FUNCTION)
                return false;
        f = &image->functions[index];
        ret->kind = CODE_REFERS_FUNCTION;
        ret->index = index;
        if (f->key || (image->naming.functions && f->name[0]))
                ret->key = code_hash_join(f->key ? f->key : code_hash_name(f->name), offset_in(f, addr));
        else
                ret->key = hash_word(unknown_function);
        return true;
}

/* Code of a stripped module that is no known function. */
static bool find_unlisted(const struct code_image_section *section, struct code_referent *ret)
{
        if (!section || !section->is_code)
                return false;
        ret->kind = CODE_REFERS_FUNCTION;
        ret->key = hash_word(unknown_function);
        return true;
}

bool code_referent_is_unlisted(const struct code_referent *referent)
{
        return referent->kind == CODE_REFERS_FUNCTION && referent->index == CODE_NO_FUNCTION &&
               referent->key == hash_word(unknown_function);
}

/* A stub of a function of the module itself, which another one selects when the program starts: the stub of
 * this one.  Its name is not in stripped programs. */
static bool find_selected(const struct code_image *image, uint64_t addr, struct code_referent *ret)
{
        size_t low = 0, high = image->n_stubs;
        const struct object_stub *stub;

        SEARCH_FIRST(low, high, middle, image->stubs[middle].addr <= addr);
        stub = low ? &image->stubs[low - 1] : NULL;
        if (!stub || stub->addr != addr || stub->name_off || !find_function(image, stub->target, ret))
                return false;
        ret->key = code_hash_join(ret->key, CODE_REFERS_SLOT);
        return true;
}

/* A stub, or a function of a module whose functions are not all listed.  `section` may be NULL. */
static bool find_symbol(const struct code_image *image, const struct code_image_section *section,
                        uint64_t addr, struct code_referent *ret)
{
        bool is_stub = section && text_starts(section->name, ".plt");
        struct symbol symbol;

        if (is_stub && find_selected(image, addr, ret))
                return true;
        if (!is_stub && !image->naming.functions)
                return find_unlisted(section, ret);
        symbol = resolver_find_addr(image->resolver, image->id, addr);
        if (symbol.status != SYMBOL_NAMED)
                return false;
        ret->kind = CODE_REFERS_FUNCTION;
        ret->key = code_hash_join(code_hash_name(resolver_text(image->resolver, symbol.name)),
                                  addr - symbol.start);
        return true;
}

/* --- Data --- */

uint64_t code_referent_variable_key(const char *name, uint64_t offset)
{
        return code_hash_join(hash_variable(name), offset);
}

bool code_referent_find_object(const struct code_image *image, uint64_t addr, struct code_variable *ret)
{
        struct resolver_variable variable;

        if (!image->naming.variables || image->is_relocatable ||
            !resolver_find_variable_at(image->resolver, image->id, addr, &variable) ||
            (variable.size_is_guessed && variable.start != addr))
                return false;
        *ret = (struct code_variable){.addr = variable.start,
                                      .size_bytes = variable.size_is_guessed ? 0 : variable.size_bytes,
                                      .name = resolver_text(image->resolver, variable.name)};
        return true;
}

static bool find_variable(const struct code_image *image, uint64_t addr, struct code_referent *ret)
{
        struct code_variable variable;

        if (!code_referent_find_object(image, addr, &variable))
                return false;
        ret->kind = CODE_REFERS_VARIABLE;
        ret->key = code_referent_variable_key(variable.name, addr - variable.addr);
        return true;
}

/* The section that contains an address, or ends there. */
static const struct code_image_section *section_around(const struct code_image *image, uint64_t addr)
{
        const struct code_image_section *section = code_image_section(image, addr);

        return section ? section : code_image_section(image, addr - 1);
}

/* The key of what a slot points to.  Does not follow a slot in a slot, which could be endless. */
static uint64_t key_behind_slot(const struct code_image *image, uint64_t addr)
{
        const struct code_image_section *section = section_around(image, addr);
        struct code_referent to = {0};

        if (find_function(image, addr, &to) || find_variable(image, addr, &to) ||
            (!image->naming.functions && find_unlisted(section, &to)))
                return to.key;
        return section ? hash_section(section->name) : hash_word("address");
}

static void set_slot(const struct code_image *image, const struct object_relocation *relocation,
                     struct code_referent *ret)
{
        uint64_t key = relocation->name[0] ? code_hash_name(relocation->name)
                                           : key_behind_slot(image, relocation->target);

        ret->kind = CODE_REFERS_SLOT;
        ret->key = code_hash_join(hash_word("slot"), key);
        ret->relocation = relocation;
}

/* A slot of the global offset table, which the dynamic linker or the linker has filled. */
static bool find_slot(const struct code_image *image, const struct code_image_section *section, uint64_t addr,
                      struct code_referent *ret)
{
        const struct object_relocation *relocation = code_image_relocation(image, addr, 1);
        const uint8_t *bytes;
        uint64_t target;

        if (!text_starts(section->name, ".got"))
                return false;
        if (relocation && relocation->kind == OBJECT_RELOCATION_ABSOLUTE) {
                set_slot(image, relocation, ret);
                return true;
        }
        if (!code_image_read(image, addr, SLOT_BYTES, &bytes))
                return false;
        memcpy(&target, bytes, sizeof(target));
        if (!code_image_section(image, target))
                return false;
        ret->kind = CODE_REFERS_SLOT;
        ret->key = code_hash_join(hash_word("slot"), key_behind_slot(image, target));
        return true;
}

static bool is_text_byte(uint8_t c)
{
        return (c >= ' ' && c < 0x7f) || c == '\t' || c == '\n' || c == '\r';
}

/* Pointers look like short texts.  Those of position-independent code have a relocation. */
static bool is_pointer(const struct code_image *image, const uint8_t *bytes, uint64_t size)
{
        uint64_t addr;

        if (size < sizeof(addr) || !(image->is_fixed || image->image_base))
                return false;
        memcpy(&addr, bytes, sizeof(addr));
        return section_around(image, addr) || addr == image->image_base;
}

/* The length of a text of ASCII in the section; 0: there is none. */
static size_t text_length(const struct code_image *image, const struct code_image_section *section,
                          uint64_t addr, const uint8_t **ret)
{
        uint64_t max = section->end - addr;
        size_t len = 0;

        if (max > CODE_MAX_TEXT_BYTES)
                max = CODE_MAX_TEXT_BYTES;
        if (!code_image_read(image, addr, max, ret))
                return 0;
        if (is_pointer(image, *ret, max))
                return 0;
        while (len < max && is_text_byte((*ret)[len]))
                len++;
        return len < max && !(*ret)[len] ? len : 0;
}

static bool is_constant(const struct code_image_section *section)
{
        return text_starts(section->name, ".rodata") || text_starts(section->name, ".rdata");
}

size_t code_referent_text(const struct code_image *image, uint64_t addr, const uint8_t **ret)
{
        const struct code_image_section *section = code_image_section(image, addr);

        return image->naming.contents && section && is_constant(section)
                       ? text_length(image, section, addr, ret)
                       : 0;
}

/* A constant that is the address of something, such as `.refptr.NAME` of PE images and the first element of
 * a table of texts.  `n` are the bytes that are loaded. */
static bool find_pointer(const struct code_image *image, uint64_t addr, size_t n, struct code_referent *ret)
{
        const uint8_t *bytes;
        uint64_t target;

        if (n != SLOT_BYTES || !code_image_read(image, addr, n, &bytes) || !is_pointer(image, bytes, n))
                return false;
        memcpy(&target, bytes, sizeof(target));
        ret->kind = CODE_REFERS_SLOT;
        ret->key = code_hash_join(hash_word("slot"), key_behind_slot(image, target));
        return true;
}

static bool find_content(const struct code_image *image, const struct code_image_section *section,
                         uint64_t addr, unsigned load_bytes, struct code_referent *ret)
{
        const uint8_t *bytes;
        size_t n = load_bytes;

        if (!image->naming.contents || !is_constant(section) ||
            code_image_relocation(image, addr, load_bytes ? load_bytes : 1))
                return false;
        if (find_pointer(image, addr, n, ret))
                return true;
        if (!n)
                n = text_length(image, section, addr, &bytes);
        else if (!code_image_read(image, addr, n, &bytes))
                return false;
        if (!n)
                return false;
        ret->kind = CODE_REFERS_CONTENT;
        ret->key = code_hash_join(hash_word("content"), code_hash_bytes(bytes, n));
        return true;
}

uint64_t code_referent_section_key(const struct code_image_section *section)
{
        return section ? hash_section(section->name) : hash_word("address");
}

static void set_section(const struct code_image_section *section, struct code_referent *ret)
{
        ret->kind = CODE_REFERS_SECTION;
        ret->key = code_referent_section_key(section);
}

void code_referent_of_addr(const struct code_image *image, uint64_t addr, const struct disasm_ref *ref,
                           struct code_referent *ret)
{
        const struct code_image_section *section = code_image_section(image, addr);

        *ret = (struct code_referent){.addr = addr, .index = CODE_NO_FUNCTION};
        if (ref->kind != DISASM_REF_CODE && !image->naming.contents) {
                set_section(section,
                            ret); /* an archive has no names of data, nor of functions that are not called */
                return;
        }
        if (find_function(image, addr, ret))
                return;
        if (section && !section->is_code && image->object) {
                if (find_slot(image, section, addr, ret) || find_variable(image, addr, ret))
                        return;
                /* what is loaded with an index is elsewhere */
                if (!ref->has_register && !ref->has_index &&
                    find_content(image, section, addr, ref->load_bytes, ret))
                        return;
        } else if (find_symbol(image, section, addr, ret)) {
                return;
        }
        set_section(section, ret);
}

/* --- Relocations --- */

/* A variable in the section of a relocation's symbol. */
static bool find_in_section(const struct code_image *image, const struct object_section *section,
                            uint64_t addr, struct code_referent *ret)
{
        const struct code_variable *v;
        size_t low = 0, high = image->n_variables;

        SEARCH_FIRST(low, high, middle,
                     image->variables[middle].section < section ||
                             (image->variables[middle].section == section &&
                              image->variables[middle].addr <= addr));
        v = low ? &image->variables[low - 1] : NULL;
        if (!v || v->section != section || addr - v->addr >= (v->size_bytes ? v->size_bytes : 1))
                return false;
        *ret = (struct code_referent){.kind = CODE_REFERS_VARIABLE, .addr = section->file_size ? addr : 0};
        ret->key = code_hash_join(hash_variable(v->name), addr - v->addr);
        return true;
}

void code_referent_of_relocation(const struct code_image *image, const struct object_relocation *relocation,
                                 unsigned after, const struct disasm_ref *ref, struct code_referent *ret)
{
        bool is_relative = relocation->kind == OBJECT_RELOCATION_RELATIVE;
        uint64_t more = is_relative ? after : 0, offset = relocation->addend + more;

        *ret = (struct code_referent){.relocation = relocation, .index = CODE_NO_FUNCTION};
        if (relocation->kind == OBJECT_RELOCATION_GOT) {
                set_slot(image, relocation, ret);
                return;
        }
        if (relocation->is_defined && relocation->kind != OBJECT_RELOCATION_OTHER && relocation->section &&
            find_in_section(image, relocation->section, relocation->target + more, ret)) {
                ret->relocation = relocation;
                return;
        }
        if (relocation->is_defined && relocation->kind != OBJECT_RELOCATION_OTHER &&
            (!relocation->section || relocation->section->file_size)) {
                code_referent_of_addr(image, relocation->target + more, ref, ret);
                ret->relocation = relocation;
                return;
        }
        if (relocation->name[0]) {
                ret->kind = relocation->is_defined ? CODE_REFERS_VARIABLE : CODE_REFERS_FUNCTION;
                ret->key = code_hash_join(relocation->is_defined ? hash_variable(relocation->name)
                                                                 : code_hash_name(relocation->name),
                                          offset);
                return;
        }
        ret->kind = CODE_REFERS_SECTION;
        ret->key = hash_section(relocation->section ? relocation->section->name : "");
}

/* Of code only the start of a function has an address that is a number in an instruction of another one. */
bool code_referent_is_addr(const struct code_image *image, uint64_t number)
{
        const struct code_image_section *section = image->is_fixed ? code_image_section(image, number) : NULL;
        uint32_t function = section && section->is_code ? code_image_find(image, number) : CODE_NO_FUNCTION;

        return section &&
               (function == CODE_NO_FUNCTION || image->functions[function].extents[0].start == number);
}

/* --- Names --- */

static void add_offset(uint64_t offset, struct buf *out)
{
        if (offset)
                buf_printf(out, "+0x%" PRIx64, offset);
}

static void add_content(const struct code_image *image, uint64_t addr, struct buf *out)
{
        const struct code_image_section *section = code_image_section(image, addr);
        const uint8_t *text;
        size_t len = section ? text_length(image, section, addr, &text) : 0;

        if (!len)
                return;
        buf_add_char(out, '"');
        for (size_t i = 0; i < len && i < 20; i++)
                buf_add_char(out, text[i] < ' ' || text[i] > '~' ? '.' : (char)text[i]);
        buf_add_str(out, len > 20 ? "...\"" : "\"");
}

void code_referent_add_name(const struct code_image *image, const struct code_referent *referent,
                            struct buf *out)
{
        struct resolver_variable variable;
        struct symbol symbol;

        if (referent->relocation && referent->relocation->name[0]) {
                buf_add_str(out, referent->relocation->name);
        } else if (referent->kind == CODE_REFERS_FUNCTION) {
                symbol = resolver_find_addr(image->resolver, image->id, referent->addr);
                if (symbol.status != SYMBOL_NAMED)
                        return;
                buf_add_str(out, resolver_text(image->resolver, symbol.name));
                add_offset(referent->addr - symbol.start, out);
        } else if (referent->kind == CODE_REFERS_VARIABLE || referent->kind == CODE_REFERS_TABLE) {
                if (!resolver_find_variable_at(image->resolver, image->id, referent->addr, &variable))
                        return;
                buf_add_str(out, resolver_text(image->resolver, variable.name));
                add_offset(referent->addr - variable.start, out);
        } else if (referent->kind == CODE_REFERS_CONTENT) {
                add_content(image, referent->addr, out);
        }
}
