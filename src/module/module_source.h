/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the names of a session's modules come from on this machine: files, files kept open, the running
 * kernel and vdso when they are the session's, perf maps, jitdumps. */
#ifndef MODULE_SOURCE_H
#define MODULE_SOURCE_H

#include <stdbool.h>

#include "attributes.h"
#include "collector.h"
#include "module_facts.h"
#include "pe_images.h"
#include "python_section.h"
#include "recorded_symbols.h"
#include "resolver.h"
#include "symbol_archive.h"
#include "world.h"

struct module_source;

/* Keeps pointers to all of its arguments but `options`; `collected` may be NULL. */
struct module_source *module_source_new(const struct world *world, const struct perfdata_reader *reader,
                                        struct pe_images *images, const struct resolver_options *options,
                                        const struct collect_result *collected);
void module_source_free(struct module_source *source);

/* The question `open` of struct world_code_source; `ctx` is a struct module_source.  Not to be asked by two threads at a time. */
const void *module_source_open_code(void *ctx, const struct module *module, const char *path);

/* Why names of the module may be wrong, as resolver_doubt says it; NULL: nothing speaks against them. */
const char *module_source_doubt(const struct module_source *source, module_id module);

/* What is added to an address of the module, as its object counts, to give the one that is shown: where code ran that counts by
 * its place in a file.  0 for all other modules. */
uint64_t module_source_slide(const struct module_source *source, module_id module, uint64_t addr);

/* The address, as the object counts, of what an instruction at `addr` leads to, by the address that is shown; false: it is not in
 * the module. */
bool module_source_target(const struct module_source *source, module_id module, uint64_t addr, uint64_t shown,
                          uint64_t *ret_addr);

/* Lets the code at an address be packed, as its object counts, and appends the section of all of it (code_section.h); nothing
 * where there is none. */
void module_source_keep_code(struct module_source *source, module_id module, uint64_t addr);
void module_source_pack_code(const struct module_source *source, struct buf *section);

/* What was packed into the session comes before anything else; kept by the caller.  To be called before the first
 * question. */
void module_source_use_archive(struct module_source *source, const struct symbol_archive *archive);

/* Which module of the archive it is; valid as long as the world. */
struct archive_identity module_source_identity(const struct module_source *source, module_id module);

/* When the module's file was written, 0: not known. */
int64_t module_source_built_ns(const struct module_source *source, module_id module);
AUTO_DEFINE(module_source)

/* Whether a file that the collector holds can't be read at its path: nothing, or another file, is there. */
bool module_source_is_lost(const struct collect_result *collected, const struct module *module,
                           const char *path);

/* Names that another recorder wrote into the session; kept by the source. */
const struct recorded_symbols *module_source_recorded(const struct module_source *source);

/* What of them is damaged, a line each, or "". */
const char *module_source_recorded_note(const struct module_source *source);

/* The Python places of the session; NULL: it has none. */
const struct python_section *module_source_python(const struct module_source *source);

struct resolver *module_source_resolver(struct module_source *source);

/* The face that analyze asks for; `ctx` is a struct module_source. */
resolver_id module_source_get(void *ctx, module_id module);
bool module_source_is_executable(void *ctx, module_id module);
void module_source_tell(void *ctx, module_id module, struct module_facts *ret);

/* The same for a module that need not be told of. */
resolver_id module_source_peek(struct module_source *source, module_id module);

/* The module's file, whether it was archived or not; kept by the source.  To be asked once; it does not count as
 * asked for.  NULL: it is not here. */
struct object *module_source_object(struct module_source *source, module_id module);

bool module_source_image(struct module_source *source, module_id module, struct resolver_image *ret);

/* Modules that were asked for, in order. */
size_t module_source_n_used(const struct module_source *source);
module_id module_source_used(const struct module_source *source, size_t index);
/* Loaded sections of a module's own file. */
size_t module_source_n_sections(struct module_source *source, module_id module);
struct resolver_section module_source_section(struct module_source *source, module_id module, size_t index);

const char *module_source_note(const struct module_source *source, module_id module);

#endif
