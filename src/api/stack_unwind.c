/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack_unwind.h"

#include <stdlib.h>

#include "arena.h"
#include "map.h"
#include "os.h"
#include "stack_branches.h"
#include "unwind_cfi.h"
#include "unwind_sample.h"

/* What a module of the world has for a walk. */
struct source {
        struct object *object; /* NULL: code without a file that is here; the resolver's */
        struct cfi *cfi;
};

struct stack_unwind {
        struct world *world;
        struct module_source *modules;
        const struct arch *arch; /* NULL: of a machine that is not walked here */
        struct source *sources;
        size_t n_sources, cap_sources;
        struct map by_module; /* index + 1 */
        int32_t pid;          /* of the sample */
        struct unwind_frame frames[STACKS_MAX_FRAMES];
        size_t lbr_depth;
        struct stack_unwind_counts counts;
};

struct stack_unwind *stack_unwind_new(struct world *world, struct module_source *modules,
                                      const struct perfdata_reader *reader)
{
        const char *machine = perfdata_feature_str(reader, FEATURE_ARCH);
        struct stack_unwind *u = mem_new(1, sizeof(*u));
        struct os_machine own;

        os_machine_get(&own);
        u->world = world;
        u->modules = modules;
        u->arch = arch_from_machine(machine ? machine : own.arch);
        u->lbr_depth = stack_branches_depth(reader);
        return u;
}

void stack_unwind_free(struct stack_unwind *u)
{
        if (!u)
                return;
        for (size_t i = 0; i < u->n_sources; i++)
                cfi_free(u->sources[i].cfi);
        map_release(&u->by_module);
        free(u->sources);
        free(u);
}

static bool has_copies(const struct perf_attr *attr)
{
        const uint64_t needed = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

        return (attr->sample_type & needed) == needed;
}

bool stack_unwind_can(const struct perf_attr *attr)
{
        return has_copies(attr) || stack_branches_can(attr);
}

/* --- Modules --- */

static struct source open_source(struct stack_unwind *u, module_id id)
{
        enum module_kind kind = world_get_module(u->world, id)->kind;
        struct source source = {0};

        if (kind != MODULE_FILE && kind != MODULE_IMAGE && kind != MODULE_VDSO)
                return source;
        source.object =
                resolver_get_object(module_source_resolver(u->modules), module_source_get(u->modules, id));
        if (source.object)
                source.cfi = cfi_open(source.object, NULL, NULL);
        return source;
}

static const struct source *get_source(struct stack_unwind *u, module_id id)
{
        uint64_t *known = map_put(&u->by_module, id, NULL);

        if (!*known) {
                ARRAY_PUSH(u->sources, u->n_sources, u->cap_sources, open_source(u, id));
                *known = u->n_sources;
        }
        return &u->sources[*known - 1];
}

static bool find_module(void *ctx, uint64_t addr, struct unwind_module *ret_module)
{
        struct stack_unwind *u = ctx;
        struct place at = world_find(u->world, u->pid, PERF_MISC_USER, addr);
        const struct source *source;

        if (at.module == MODULE_NONE)
                return false;
        source = get_source(u, at.module);
        if (world_get_module(u->world, at.module)->kind == MODULE_IMAGE)
                *ret_module =
                        unwind_module_of_image(at.map_start, at.map_end, addr, at.offset, source->object);
        else
                *ret_module = unwind_module_of(at.map_start, at.map_end, addr, at.offset, source->object,
                                               source->cfi);
        return true;
}

/* --- Samples --- */

size_t stack_unwind_add(struct stack_unwind *u, const struct perf_attr *attr, const struct sample *sample,
                        struct stack_frame *frames, size_t n, bool has_user, bool *ret_cut)
{
        struct unwind_modules modules = {find_module, u};
        const struct unwind_sample copied = {u->arch, attr->sample_regs_user, sample->regs_user,
                                             sample->stack_user, sample->stack_is_whole};
        struct unwind_walked walked;

        if (stack_branches_can(attr))
                return stack_branches_join(sample, u->lbr_depth, frames, n, u->counts.by_way, ret_cut);
        u->pid = sample->pid;
        if (has_user || sample->regs_user_abi != PERF_SAMPLE_REGS_ABI_64 || !u->arch ||
            !unwind_walk_sample(&modules, &copied, u->frames, STACKS_MAX_FRAMES - n, &walked))
                return n;
        for (size_t i = 0; i < walked.n_frames; i++)
                frames[n++] =
                        (struct stack_frame){u->frames[i].pc, PERF_MISC_USER, !u->frames[i].is_exact, true};
        for (size_t i = 0; i < UNWIND_N_WAYS; i++)
                u->counts.by_way[i] += walked.n_by_way[i];
        u->counts.by_end[walked.end]++;
        *ret_cut |= !unwind_end_is_whole(walked.end);
        return n;
}

struct stack_unwind_counts stack_unwind_get_counts(const struct stack_unwind *u)
{
        return u->counts;
}
