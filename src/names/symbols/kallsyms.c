/* SPDX-License-Identifier: BSD-3-Clause */
/* A line is `ADDRESS TYPE NAME`, and for a module also a tab and `[MODULE]`.  Only text symbols are used
 * (types t T w W).  Under kptr_restrict every address is 0, and there are no names. */
#include "kallsyms.h"

#include <stdlib.h>
#include <string.h>

#include "answers_cache.h"
#include "kallsyms_kept.h"
#include "mem.h"
#include "os.h"

struct kallsyms {
        struct buf text; /* names are terminated by NULs in place */
        struct symtab *tab;
        const char **modules; /* names by group; group 0 is the kernel */
        size_t n_modules, cap_modules;
        struct kallsyms_kept *kept; /* used first; NULL: none */
        char *path;                 /* path of the file, which was not read yet; NULL: it was read */
};

struct kallsyms_line {
        uint64_t addr;
        char type;
        char *name;
        char *module; /* NULL: the kernel */
};

static int hex_digit(char c)
{
        if (c >= '0' && c <= '9')
                return c - '0';
        if (c >= 'a' && c <= 'f')
                return c - 'a' + 10;
        return -1;
}

/* Parses the line [at, end), where *end is writable; false if it is malformed. */
static bool parse_line(char *at, char *end, struct kallsyms_line *ret)
{
        char *tab;
        unsigned n_digits = 0;

        *end = '\0';
        *ret = (struct kallsyms_line){0};
        for (int digit; n_digits < 16 && (digit = hex_digit(*at)) >= 0; n_digits++, at++)
                ret->addr = ret->addr << 4 | (uint64_t)digit;
        if (!n_digits || end - at < 4 || at[0] != ' ' || at[2] != ' ')
                return false;
        ret->type = at[1];
        ret->name = at + 3;
        tab = memchr(ret->name, '\t', (size_t)(end - ret->name));
        if (!tab)
                return true;
        *tab = '\0';
        if (tab[1] == '[' && end[-1] == ']') {
                ret->module = tab + 2;
                end[-1] = '\0';
        }
        return true;
}

static bool is_code_line(const struct kallsyms_line *line)
{
        return line->name[0] && line->name[0] != '$' && line->type && strchr("tTwW", line->type);
}

/* Lines of a module are together, so the group is usually that of the line before. */
static uint16_t group_of(struct kallsyms *kallsyms, const char *module)
{
        if (!module)
                return 0;
        for (size_t i = kallsyms->n_modules; i-- > 1;) {
                if (!strcmp(kallsyms->modules[i], module))
                        return (uint16_t)i;
                if (kallsyms->n_modules - i > 4)
                        break;
        }
        if (kallsyms->n_modules > KALLSYMS_MAX_MODULES)
                return KALLSYMS_MAX_MODULES;
        ARRAY_PUSH(kallsyms->modules, kallsyms->n_modules, kallsyms->cap_modules, module);
        return (uint16_t)(kallsyms->n_modules - 1);
}

static uint8_t binding_of_type(char type)
{
        if (type == 'W')
                return OBJECT_WEAK;
        return type == 'T' ? OBJECT_GLOBAL : OBJECT_LOCAL;
}

static void add_line(struct kallsyms *kallsyms, const struct kallsyms_line *line)
{
        symtab_add(kallsyms->tab, &(struct symtab_symbol){
                                          .addr = line->addr,
                                          .name_off = (uint32_t)(line->name - kallsyms->text.data),
                                          .group = group_of(kallsyms, line->module),
                                          .binding = binding_of_type(line->type),
                                  });
}

static void parse(struct kallsyms *kallsyms, struct buf *note)
{
        char *at = kallsyms->text.data;
        char *end = at ? at + kallsyms->text.len : at;
        size_t n_text = 0, n_hidden = 0;

        symtab_add_names(kallsyms->tab, buf_text(&kallsyms->text), kallsyms->text.len + 1);
        while (at < end) {
                char *line_end = memchr(at, '\n', (size_t)(end - at));
                struct kallsyms_line line;

                if (!line_end)
                        line_end = end;
                if (parse_line(at, line_end, &line) && is_code_line(&line)) {
                        n_text++;
                        if (line.addr)
                                add_line(kallsyms, &line);
                        else
                                n_hidden++;
                }
                at = line_end + 1;
        }
        if (n_text && n_hidden == n_text)
                buf_add_str(
                        note,
                        "the kernel hides its addresses (sysctl kernel.kptr_restrict and kernel.perf_event_paranoid)");
        else if (!n_text && !note->len)
                buf_add_str(note, "kallsyms has no functions");
        symtab_finish(kallsyms->tab);
}

static struct kallsyms *new_empty(void)
{
        struct kallsyms *kallsyms = mem_new(1, sizeof(*kallsyms));

        kallsyms->tab = symtab_new();
        ARRAY_PUSH(kallsyms->modules, kallsyms->n_modules, kallsyms->cap_modules, "");
        return kallsyms;
}

static void read_file(struct kallsyms *kallsyms, const char *path, struct buf *note)
{
        struct err err = {0};

        if (!os_read_file(path, KALLSYMS_MAX_BYTES, &kallsyms->text, &err)) {
                buf_clear(&kallsyms->text);
                buf_add_str(note, err.text); /* includes the path */
        }
        parse(kallsyms, note);
}

struct kallsyms *kallsyms_new(const char *path, struct buf *note)
{
        struct kallsyms *kallsyms = new_empty();

        read_file(kallsyms, path, note);
        return kallsyms;
}

struct kallsyms *kallsyms_new_kept(const char *path, const struct answers_cache_options *cache,
                                   struct buf *note)
{
        AUTO_RELEASE(buf) boot = {0};
        struct kallsyms *kallsyms;

        if (!cache || !os_boot_id(&boot))
                return kallsyms_new(path, note);
        kallsyms = new_empty();
        kallsyms->kept = kallsyms_kept_open(cache->folder, buf_text(&boot));
        if (kallsyms->kept) {
                kallsyms->path = mem_strdup(path);
                return kallsyms;
        }
        read_file(kallsyms, path, note);
        if (symtab_n_symbols(kallsyms->tab))
                kallsyms_kept_save(kallsyms->tab, cache->folder, buf_text(&boot), cache->max_folder_bytes,
                                   NULL);
        return kallsyms;
}

struct kallsyms *kallsyms_new_text(const void *text, size_t size, struct buf *note)
{
        struct kallsyms *kallsyms = new_empty();

        buf_add(&kallsyms->text, text, size);
        parse(kallsyms, note);
        return kallsyms;
}

void kallsyms_free(struct kallsyms *kallsyms)
{
        if (!kallsyms)
                return;
        symtab_free(kallsyms->tab);
        kallsyms_kept_free(kallsyms->kept);
        free(kallsyms->path);
        buf_release(&kallsyms->text);
        free(kallsyms->modules);
        free(kallsyms);
}

static void read_late(struct kallsyms *kallsyms)
{
        AUTO_RELEASE(buf)
        note = {0}; /* The kernel's own names are available; lookups show whether others are missing. */
        char *path = kallsyms->path;

        kallsyms->path = NULL;
        read_file(kallsyms, path, &note);
        free(path);
}

bool kallsyms_find(struct kallsyms *kallsyms, uint64_t addr, struct symtab_hit *ret_hit)
{
        if (kallsyms->kept && kallsyms_kept_find(kallsyms->kept, addr, ret_hit))
                return true;
        if (kallsyms->path)
                read_late(kallsyms);
        return symtab_find(kallsyms->tab, addr, ret_hit);
}

const char *kallsyms_module(const struct kallsyms *kallsyms, const struct symtab_hit *hit)
{
        return kallsyms->modules[hit->group];
}
