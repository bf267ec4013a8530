/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the symbols of a session's modules come from on this machine: files, files that the collector keeps
 * open, the running kernel and vdso if the session was recorded under them, perf maps, and jitdumps. */
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
#include "resolver_facts.h"
#include "symbol_archive.h"
#include "world.h"

struct module_source;

/* All arguments but `options` must outlive the result. `collected` may be NULL. */
struct module_source *module_source_new(const struct world *world, const struct perfdata_reader *reader,
                                        struct pe_images *images, const struct resolver_options *options,
                                        const struct collect_result *collected);
/* When the session's file was written, since 1970: programs without a build id that have changed since are
 * not used. */
void module_source_set_written(struct module_source *source, int64_t written_ns);
void module_source_free(struct module_source *source);

/* Implements `open` of struct world_code_source; `ctx` is a struct module_source. Not thread-safe. */
const void *module_source_open_code(void *ctx, const struct module *module, const char *path);

/* Why symbols of the module may be wrong, one sentence as from resolver_doubt(); NULL if there is no reason
 * to doubt them. */
const char *module_source_doubt(const struct module_source *source, module_id module);

/* The number to add to an address of the module's object to get the address to print: for a jitdump the
 * address at which the code ran; 0 for all other modules. */
uint64_t module_source_slide(const struct module_source *source, module_id module, uint64_t addr);

/* Converts `shown`, the printed target address of an instruction at `addr`, into an address of the module's
 * object. False if the target is not in the module. */
bool module_source_target(const struct module_source *source, module_id module, uint64_t addr, uint64_t shown,
                          uint64_t *ret_addr);

/* module_source_keep_code() marks the code at an address of the module's object to be packed;
 * module_source_pack_code() appends the section of all marked code (code_section.h), or nothing if there is
 * none. */
void module_source_keep_code(struct module_source *source, module_id module, uint64_t addr);
void module_source_pack_code(const struct module_source *source, struct buf *section);

/* Uses an archive, which takes precedence over all other sources and must outlive `source`. Call it before
 * the first lookup. */
void module_source_use_archive(struct module_source *source, const struct symbol_archive *archive);

/* The identity by which an archive finds the module. Its strings are valid as long as the world. */
struct archive_identity module_source_identity(const struct module_source *source, module_id module);

/* The time of the last change of the module's file, in ns since 1970; 0 if unknown. */
int64_t module_source_built_ns(const struct module_source *source, module_id module);
AUTO_DEFINE(module_source)

/* Whether a file that the collector keeps open cannot be read at its path, because there is no file or
 * another one. */
bool module_source_is_lost(const struct collect_result *collected, const struct module *module,
                           const char *path);

/* The symbols that another recorder wrote into the session. Belongs to `source`. */
const struct recorded_symbols *module_source_recorded(const struct module_source *source);

/* What is damaged in those symbols, one line each; "" if nothing. */
const char *module_source_recorded_note(const struct module_source *source);

/* The Python places of the session; NULL if it has none. */
const struct python_section *module_source_python(const struct module_source *source);

/* While a program is measured, replaces what is known about its Python places: the section so far, which must
 * outlive its use. Places that were looked up before keep their names. */
void module_source_set_python(struct module_source *source, struct cursor section);

/* Reads the names of all modules of a kind again at the next lookup, because they have grown: perf maps. */
void module_source_read_again(struct module_source *source, enum module_kind kind);

struct resolver *module_source_resolver(struct module_source *source);

/* Whether the machine that recorded is ARM64. */
bool module_source_is_arm64(const struct module_source *source);

/* Implement struct place_modules; `ctx` is a struct module_source. */
resolver_id module_source_get(void *ctx, module_id module);
bool module_source_is_executable(void *ctx, module_id module);
void module_source_tell(void *ctx, module_id module, struct module_facts *ret);
enum exec_machine module_source_machine(void *ctx, module_id module, uint64_t addr);

/* As module_source_get(), but does not count the module as used. */
resolver_id module_source_peek(struct module_source *source, module_id module);

/* Opens the module's file, even if the module was archived. Belongs to `source`. Does not count the module as
 * used. Call it once per module. NULL if the file is not on this machine. */
struct object *module_source_object(struct module_source *source, module_id module);

const struct resolver_facts *module_source_facts(struct module_source *source, module_id module);

/* NULL if it is not a file, or not known. */
const struct resolver_image *module_source_image(struct module_source *source, module_id module);

/* The modules passed to module_source_get(), in the order of their first use. */
size_t module_source_n_used(const struct module_source *source);
module_id module_source_used(const struct module_source *source, size_t index);

const char *module_source_note(const struct module_source *source, module_id module);

#endif
