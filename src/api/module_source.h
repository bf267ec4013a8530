/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the names of a session's modules come from on this machine: files, files kept open, the running
 * kernel and vdso when they are the session's, perf maps, jitdumps. */
#ifndef MODULE_SOURCE_H
#define MODULE_SOURCE_H

#include <stdbool.h>

#include "attributes.h"
#include "collector.h"
#include "pe_images.h"
#include "resolver.h"
#include "world.h"

struct module_source;

/* Keeps pointers to all of its arguments but `options`; `collected` may be NULL. */
struct module_source *module_source_new(const struct world *world, const struct perfdata_reader *reader,
                                        const struct pe_images *images,
                                        const struct resolver_options *options,
                                        const struct collect_result *collected);
void module_source_free(struct module_source *source);
AUTO_DEFINE(module_source)

struct resolver *module_source_resolver(struct module_source *source);

/* The face that analyze asks for; `ctx` is a struct module_source. */
resolver_id module_source_get(void *ctx, module_id module);
bool module_source_is_executable(void *ctx, module_id module);

bool module_source_image(struct module_source *source, module_id module, struct resolver_image *ret);

/* Modules that were asked for, in order. */
size_t module_source_n_used(const struct module_source *source);
module_id module_source_used(const struct module_source *source, size_t index);
/* Loaded sections of a module's own file. */
size_t module_source_n_sections(struct module_source *source, module_id module);
struct resolver_section module_source_section(struct module_source *source, module_id module, size_t index);

const char *module_source_note(const struct module_source *source, module_id module);

#endif
