/* SPDX-License-Identifier: BSD-3-Clause */
/* Interns the names of functions and the paths of their lines, and makes names readable. */
#include <string.h>

#include "buf.h"
#include "demangle.h"
#include "mem.h"
#include "resolver_internal.h"
#include "text.h"

/* The most that a command needs: here, of functions and of rows in the table, and the same in the tree of
 * calls and in its drawing. */
enum {
        NAME_COPIES = 6,
        COUNTED_NAME_BYTES = 4096, /* the work for shorter names is not counted */
        HASHED_BYTES_OF_STEP = 16,
};

bool resolver_keep_text(struct resolver *resolver, struct symbol_module *module, enum budget_use use,
                        const struct buf *text, str_id *ret_id)
{
        if (text->len > BUDGET_LONG_NAME_BYTES)
                use = BUDGET_LONG_NAMES;
        /* Very many symbols may share one long name, and each lookup hashes it. */
        if (text->len > COUNTED_NAME_BYTES &&
            !budget_work(&module->budget, use, text->len / HASHED_BYTES_OF_STEP))
                return false;
        if (strpool_find_len(resolver->texts, buf_text(text), text->len, ret_id))
                return true;
        if (!budget_take(&module->budget, use, NAME_COPIES * (text->len + STRPOOL_ITEM_BYTES)))
                return false;
        *ret_id = strpool_add_len(resolver->texts, buf_text(text), text->len);
        return true;
}

static const char plt_suffix[] = "@plt";

static struct symbol_facts *facts_of(struct resolver *resolver, str_id id)
{
        if (id >= resolver->n_names) {
                size_t n = (size_t)id + id / 2 + 64;

                resolver->names = mem_resize(resolver->names, n, sizeof(*resolver->names));
                memset(resolver->names + resolver->n_names, 0,
                       (n - resolver->n_names) * sizeof(*resolver->names));
                resolver->n_names = n;
        }
        return &resolver->names[id];
}

/* The suffix of a stub is removed before the name is demangled. */
static bool add_readable(const struct resolver *resolver, const char *name, bool with_arguments,
                         struct buf *out)
{
        const struct resolver_options *options = &resolver->options;
        bool is_stub = text_ends(name, plt_suffix);
        AUTO_RELEASE(buf) mangled = {0};

        buf_add(&mangled, name, strlen(name) - (is_stub ? strlen(plt_suffix) : 0));
        if (!(with_arguments ? demangle_arguments(buf_text(&mangled), out)
                             : demangle_cxx(buf_text(&mangled), options->demangle_params, out)))
                return false;
        if (is_stub)
                buf_add_str(out, plt_suffix);
        return true;
}

static bool is_short(const struct resolver *resolver)
{
        return resolver->options.demangle && !resolver->options.demangle_params;
}

bool resolver_keep_name(struct resolver *resolver, struct symbol_module *module, enum budget_use use,
                        const struct buf *name, bool is_mangled, str_id *ret_id)
{
        bool folds = is_short(resolver) && !resolver->options.keep_clones;
        size_t function_len = folds ? demangle_without_clone(buf_text(name)) : name->len;
        struct buf *text = &resolver->scratch;
        struct symbol_facts facts = {.is_known = true};
        str_id id;

        if (!resolver_keep_text(resolver, module, use, name, &id))
                return false;
        *ret_id = id;
        if (facts_of(resolver, id)->is_known)
                return true;
        if (function_len < name->len) {
                AUTO_RELEASE(buf) function = {0};

                buf_add(&function, name->data, function_len);
                if (!resolver_keep_name(resolver, module, use, &function, is_mangled, &facts.function))
                        return false;
        } else if (is_mangled && (resolver->options.demangle || resolver->options.demangle_params)) {
                buf_clear(text);
                if (add_readable(resolver, buf_text(name), false, text) &&
                    !resolver_keep_text(resolver, module, use, text, &facts.readable))
                        return false;
        }
        *facts_of(resolver, id) = facts;
        return true;
}

bool resolver_keep_told_apart(struct resolver *resolver, struct symbol_module *module,
                              const struct buf *identity, const struct buf *name,
                              const struct buf *told_apart, str_id *ret_id)
{
        struct symbol_facts facts = {.is_known = true};
        str_id id;

        if (!resolver_keep_text(resolver, module, BUDGET_NAMES, identity, &id) ||
            !resolver_keep_text(resolver, module, BUDGET_NAMES, name, &facts.readable) ||
            !resolver_keep_text(resolver, module, BUDGET_NAMES, told_apart, &facts.told_apart))
                return false;
        *facts_of(resolver, id) = facts;
        *ret_id = id;
        return true;
}

str_id resolver_function_id(const struct resolver *resolver, str_id name)
{
        return name < resolver->n_names && resolver->names[name].function ? resolver->names[name].function
                                                                          : name;
}

static str_id readable_id(const struct resolver *resolver, str_id name)
{
        return name < resolver->n_names ? resolver->names[name].readable : 0;
}

bool resolver_add_arguments(const struct resolver *resolver, str_id name, struct buf *out)
{
        if (name < resolver->n_names && resolver->names[name].told_apart) {
                buf_add_str(out, strpool_get(resolver->texts, resolver->names[name].told_apart));
                return true;
        }
        return is_short(resolver) && readable_id(resolver, name) &&
               add_readable(resolver, strpool_get(resolver->texts, name), true, out);
}

/* Avoids work on a long name that will be left out. */
static bool is_too_long(const struct symbol_module *module, const struct symtab_hit *hit)
{
        return budget_has_left_out(&module->budget, BUDGET_LONG_NAMES) && hit->name &&
               hit->name_max > BUDGET_LONG_NAME_BYTES && !memchr(hit->name, 0, BUDGET_LONG_NAME_BYTES + 1);
}

static bool make_text(struct resolver *resolver, struct symbol_module *module,
                      const struct symbol_source *source, const struct symtab_hit *hit, str_id *ret_id)
{
        AUTO_RELEASE(buf) name = {0};

        if (is_too_long(module, hit))
                return false;
        if (source->add_name)
                source->add_name(module, hit, &name);
        else
                buf_add(&name, hit->name, strnlen(hit->name, hit->name_max));
        if (hit->is_plt_stub)
                buf_add_str(&name, plt_suffix);
        return resolver_keep_name(resolver, module, BUDGET_NAMES, &name, source->has_mangled_names, ret_id);
}

str_id resolver_frame_text(struct resolver *resolver, struct symbol_module *module, enum budget_use use,
                           const char *text, bool is_function)
{
        bool is_mangled = !module->has_plain_names, ok;
        AUTO_RELEASE(buf) whole = {0};
        uint64_t *id;
        str_id text_id = 0;

        if (!text || !*text)
                return 0;
        /* The same pointer is the same text, but it may be used as a function and as a path. */
        id = map_put(&module->frame_texts, (uint64_t)(uintptr_t)text << 1 | is_function, NULL);
        if (*id)
                return (str_id)*id;
        buf_add_str(&whole, text);
        ok = is_function ? resolver_keep_name(resolver, module, use, &whole, is_mangled, &text_id)
                         : resolver_keep_text(resolver, module, use, &whole, &text_id);
        if (!ok)
                return 0;
        if (is_function)
                text_id = resolver_function_id(resolver, text_id);
        *id = text_id;
        return text_id;
}

str_id resolver_hit_text(struct resolver *resolver, struct symbol_module *module,
                         const struct symbol_source *source, const struct symtab_hit *hit)
{
        if (!hit->text)
                return resolver_frame_text(resolver, module, BUDGET_NAMES, hit->name, true);
        if (!*hit->text && !make_text(resolver, module, source, hit, hit->text))
                return 0;
        return *hit->text;
}

const char *resolver_text(const struct resolver *resolver, str_id id)
{
        str_id readable = readable_id(resolver, id);

        return strpool_get(resolver->texts, readable ? readable : id);
}
