/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack_unwind.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "end_marks.h"
#include "map.h"
#include "mem.h"
#include "os.h"
#include "stack_branches.h"
#include "stack_jit.h"
#include "unwind_cfi.h"
#include "unwind_outermost.h"
#include "unwind_sample.h"

/* Unwinding data of a module of the world. */
struct unwind_source {
        struct object *object; /* belongs to the resolver; NULL: code without a file on this machine */
        struct cfi *cfi;
        struct outermost *outermost;
        bool is_told; /* the module counts as requested, because a walk used it */
};

struct stack_unwind {
        struct world *world;
        struct module_source *modules;
        const struct arch *arch; /* NULL: this machine's stacks are not supported */
        struct unwind_source *sources;
        size_t n_sources, cap_sources;
        struct map by_module; /* index + 1 */
        struct map opened;    /* modules of packed stacks that were opened */
        struct stack_jit jit;
        int32_t pid; /* process of the sample */
        struct unwind_frame frames[STACKS_MAX_FRAMES];
        struct walked_frame walked[STACKS_MAX_FRAMES];
        const struct stack_archive *archive; /* NULL: no stack was packed */
        struct stack_archive_writer *writer; /* NULL: stacks are not to be packed */
        size_t lbr_depth;
        struct stack_unwind_counts counts;
        bool has_ends;       /* the session contains the ends of whole chains */
        struct map ends;     /* these ends, by end_key */
        struct map packed;   /* those that are in `to_pack` */
        struct buf *to_pack; /* NULL: ends are not to be packed */
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
        u->jit.modules = modules;
        u->arch = arch_from_machine(machine ? machine : own.arch);
        u->lbr_depth = stack_branches_depth(reader);
        return u;
}

void stack_unwind_free(struct stack_unwind *u)
{
        if (!u)
                return;
        for (size_t i = 0; i < u->n_sources; i++) {
                outermost_free(u->sources[i].outermost);
                cfi_free(u->sources[i].cfi);
        }
        map_release(&u->by_module);
        map_release(&u->opened);
        map_release(&u->ends);
        map_release(&u->packed);
        stack_jit_release(&u->jit);
        free(u->sources);
        free(u);
}

void stack_unwind_use_archive(struct stack_unwind *u, const struct stack_archive *archive)
{
        u->archive = archive;
}

void stack_unwind_pack(struct stack_unwind *u, struct stack_archive_writer *writer)
{
        u->writer = writer;
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

static bool has_file(const struct stack_unwind *u, module_id id)
{
        enum module_kind kind = world_get_module(u->world, id)->kind;

        return kind == MODULE_FILE || kind == MODULE_IMAGE || kind == MODULE_VDSO;
}

static struct unwind_source open_source(struct stack_unwind *u, module_id id)
{
        struct unwind_source source = {0};

        if (!has_file(u, id))
                return source;
        source.object = module_source_object(u->modules, id);
        if (!source.object)
                return source;
        source.cfi = cfi_open(source.object, NULL, NULL);
        source.outermost = outermost_new(source.object, source.cfi);
        return source;
}

static struct unwind_source *get_source(struct stack_unwind *u, module_id id)
{
        uint64_t *known = map_put(&u->by_module, id, NULL);

        if (!*known) {
                ARRAY_PUSH(u->sources, u->n_sources, u->cap_sources, open_source(u, id));
                *known = u->n_sources;
        }
        return &u->sources[*known - 1];
}

static enum object_machine machine_of(const struct stack_unwind *u)
{
        return u->arch->id == ARCH_ARM64 ? OBJECT_MACHINE_ARM64 : OBJECT_MACHINE_X86_64;
}

/* Whether this is code that its process made. */
static bool is_made(const struct stack_unwind *u, const struct place *at)
{
        enum module_kind kind = world_get_module(u->world, at->module)->kind;

        return kind == MODULE_ANON || kind == MODULE_JITDUMP;
}

static bool find_module(void *ctx, uint64_t addr, struct unwind_module *ret_module)
{
        struct stack_unwind *u = ctx;
        struct place at = world_find(u->world, u->pid, PERF_MISC_USER, addr);
        struct unwind_source *source;

        if (at.module == MODULE_NONE || world_is_stack(u->world, at.module))
                return false;
        if (is_made(u, &at)) {
                *ret_module = (struct unwind_module){.start = at.map_start, .end = at.map_end};
                stack_jit_find(&u->jit, &(struct stack_jit_place){at.module, at.offset, addr}, machine_of(u),
                               ret_module);
                return true;
        }
        source = get_source(u, at.module);
        if (!source->is_told) {
                source->is_told = true;
                module_source_get(u->modules, at.module);
        }
        if (world_get_module(u->world, at.module)->kind == MODULE_IMAGE)
                *ret_module =
                        unwind_module_of_image(at.map_start, at.map_end, addr, at.offset, source->object);
        else
                *ret_module = unwind_module_of(at.map_start, at.map_end, addr, at.offset, source->object,
                                               source->cfi);
        ret_module->outermost = ret_module->object ? source->outermost : NULL;
        return true;
}

static bool find_made(struct stack_unwind *u, uint64_t addr, struct stack_jit_place *ret)
{
        struct place at = world_find(u->world, u->pid, PERF_MISC_USER, addr);

        *ret = (struct stack_jit_place){at.module, at.offset, addr};
        return at.module != MODULE_NONE && is_made(u, &at);
}

static bool read_jit_code(void *ctx, uint64_t addr, uint8_t *ret_code, size_t size)
{
        struct stack_unwind *u = ctx;
        struct stack_jit_place at;

        return find_made(u, addr, &at) && stack_jit_read_code(&u->jit, &at, ret_code, size);
}

static bool is_trampoline(void *ctx, uint64_t addr)
{
        struct stack_unwind *u = ctx;
        struct stack_jit_place at;

        return find_made(u, addr, &at) && stack_jit_is_trampoline(&u->jit, &at);
}

/* --- Walks --- */

_Static_assert((int)STACK_ARCHIVE_MAX_FRAMES == (int)STACKS_MAX_FRAMES, "a stack that is packed is a stack");
_Static_assert((int)UNWIND_N_WAYS <= (int)STACK_ARCHIVE_MAX_KINDS, "ways can be packed");
_Static_assert((int)UNWIND_N_ENDS <= (int)STACK_ARCHIVE_MAX_KINDS, "ends can be packed");

struct sample_walk {
        size_t n_frames; /* belongs to the unwinder */
        enum unwind_end end;
};

/* False: this sample can't be unwound here. */
static bool walk_copy(struct stack_unwind *u, const struct stack_sample *of, size_t max_frames,
                      struct sample_walk *ret)
{
        const struct unwind_modules modules = {find_module, u, read_jit_code, is_trampoline};
        const struct unwind_sample copied = {.arch = u->arch,
                                             .reg_mask = of->attr->sample_regs_user,
                                             .regs = of->sample->regs_user,
                                             .stack = of->sample->stack_user,
                                             .stack_is_whole = of->sample->stack_is_whole};
        struct unwind_walked walked;

        if (!u->arch || !unwind_walk_sample(&modules, &copied, u->frames, max_frames, &walked))
                return false;
        for (size_t i = 0; i < walked.n_frames; i++)
                u->walked[i] =
                        (struct walked_frame){u->frames[i].pc, u->frames[i].way, u->frames[i].is_exact};
        *ret = (struct sample_walk){walked.n_frames, walked.end};
        return true;
}

/* Opens the modules of a packed stack, so that problems with their files are reported as if it were unwound
 * here. */
static void open_modules(struct stack_unwind *u, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                uint64_t addr = u->walked[i].pc - !u->walked[i].is_exact;
                struct place at = world_find(u->world, u->pid, PERF_MISC_USER, addr);
                bool is_new = false;

                if (at.module != MODULE_NONE && has_file(u, at.module))
                        map_put(&u->opened, at.module, &is_new);
                if (is_new)
                        module_source_facts(u->modules, at.module);
        }
}

/* False: the stack was not packed. */
static bool walk_archived(struct stack_unwind *u, uint64_t number, size_t max_frames, struct sample_walk *ret)
{
        const struct archived_walk *walk = u->archive ? stack_archive_find(u->archive, number) : NULL;

        if (!walk)
                return false;
        *ret = (struct sample_walk){stack_archive_frames(u->archive, walk, u->walked, max_frames),
                                    (enum unwind_end)walk->end};
        open_modules(u, ret->n_frames);
        return true;
}

/* --- Samples --- */

size_t stack_unwind_add(struct stack_unwind *u, const struct stack_sample *of, struct stack_frame *frames,
                        size_t n, bool has_user, bool *ret_cut)
{
        size_t max_frames = STACKS_MAX_FRAMES - n;
        struct sample_walk walk;

        assert(n <= STACKS_MAX_FRAMES);
        if (stack_branches_can(of->attr))
                return stack_branches_join(of->sample, u->lbr_depth, frames, n, u->counts.by_way, ret_cut);
        u->pid = of->sample->pid;
        if (of->sample->regs_user_abi == PERF_SAMPLE_REGS_ABI_32 && !has_user) {
                u->counts.by_end[UNWIND_END_32BIT]++;
                *ret_cut = true;
                return n;
        }
        if (max_frames > UNWIND_MAX_FRAMES)
                max_frames = UNWIND_MAX_FRAMES;
        if (has_user || of->sample->regs_user_abi != PERF_SAMPLE_REGS_ABI_64 ||
            (!walk_archived(u, of->number, max_frames, &walk) && !walk_copy(u, of, max_frames, &walk)))
                return n;
        if (u->writer)
                stack_archive_add(u->writer, of->number, u->walked, walk.n_frames, (uint8_t)walk.end);
        for (size_t i = 0; i < walk.n_frames; i++) {
                const struct walked_frame *f = &u->walked[i];

                frames[n++] = (struct stack_frame){f->pc, PERF_MISC_USER, !f->is_exact, true};
                u->counts.by_way[f->way]++;
        }
        u->counts.by_end[walk.end]++;
        *ret_cut |= !unwind_end_is_whole(walk.end);
        return n;
}

/* --- Chains of the kernel --- */

/* Judges by the names in an archive, if there is no file. */
static enum stack_whole judge_name(struct stack_unwind *u, module_id module, uint64_t offset)
{
        struct resolver *resolver = module_source_resolver(u->modules);
        struct symbol symbol = resolver_find(resolver, module_source_peek(u->modules, module), offset);

        if (symbol.status != SYMBOL_NAMED)
                return STACK_UNJUDGED;
        return outermost_is_name(resolver_text(resolver, symbol.name)) ? STACK_WHOLE : STACK_CUT;
}

static uint64_t end_key(const struct end_mark *mark)
{
        return map_hash_bytes(mark->path, strlen(mark->path)) ^ map_mix(mark->offset * 4 + mark->kind + 1);
}

void stack_unwind_use_ends(struct stack_unwind *u, struct cursor section)
{
        struct end_marks marks;
        struct end_mark mark;

        if (section.failed || !end_marks_begin(section, &marks))
                return;
        u->has_ends = true;
        while (end_marks_next(&marks, &mark))
                map_put(&u->ends, end_key(&mark), NULL);
}

void stack_unwind_pack_ends(struct stack_unwind *u, struct buf *section)
{
        u->to_pack = section;
}

/* Looks up the end in the session. */
static enum stack_whole recall_end(const struct stack_unwind *u, const struct end_mark *mark)
{
        const struct end_mark no_file = {END_MARK_NO_FILE, 0, mark->path};

        if (map_find(&u->ends, end_key(mark)))
                return STACK_WHOLE;
        return map_find(&u->ends, end_key(&no_file)) ? STACK_UNJUDGED : STACK_CUT;
}

static void pack_end(struct stack_unwind *u, const struct end_mark *mark, enum stack_whole end)
{
        const struct end_mark no_file = {END_MARK_NO_FILE, 0, mark->path};
        const struct end_mark *packed = end == STACK_UNJUDGED ? &no_file : mark;
        bool is_new = false;

        if (!u->to_pack || end == STACK_CUT)
                return;
        map_put(&u->packed, end_key(packed), &is_new);
        if (is_new)
                end_marks_add(u->to_pack, packed);
}

static enum stack_whole judge_place(struct stack_unwind *u, module_id module, uint64_t offset, bool is_return)
{
        const struct unwind_source *source = get_source(u, module);
        uint64_t addr;

        if (!source->object)
                return judge_name(u, module, offset);
        if (world_get_module(u->world, module)->kind == MODULE_IMAGE)
                addr = object_get_facts(source->object)->load_addr + offset;
        else if (!object_to_addr(source->object, offset, &addr))
                return STACK_CUT;
        return outermost_has(source->outermost, addr, !is_return) ? STACK_WHOLE : STACK_CUT;
}

enum stack_whole stack_unwind_judge(struct stack_unwind *u, module_id module, uint64_t offset, bool is_return)
{
        struct end_mark mark = {.kind = is_return ? END_MARK_RETURN : END_MARK_EXACT, .offset = offset};
        enum stack_whole end;

        if (u->to_pack)
                end_marks_open(u->to_pack);
        if (module == MODULE_NONE || !has_file(u, module))
                return STACK_CUT;
        mark.path = world_text(u->world, world_get_module(u->world, module)->path);
        end = u->has_ends ? recall_end(u, &mark) : judge_place(u, module, offset, is_return);
        pack_end(u, &mark, end);
        return end;
}

struct stack_unwind_counts stack_unwind_get_counts(const struct stack_unwind *u)
{
        return u->counts;
}
