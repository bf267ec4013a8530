/* SPDX-License-Identifier: BSD-3-Clause */
/* The walk: how each frame is stepped, and why the walk ends. */
#include "unwind.h"

#include "arch.h"
#include "attributes.h"
#include "unwind_cfi.h"
#include "unwind_internal.h"
#include "unwind_outermost.h"
#include "unwind_pe.h"
#include "unwind_search.h"

static const struct arch *arch_of(const struct unwind_regs *regs)
{
        return regs->machine == OBJECT_MACHINE_ARM64 ? &arch_arm64 : &arch_x86_64;
}

unsigned unwind_reg_pc(const struct unwind_regs *regs)
{
        return regs->machine == OBJECT_MACHINE_ARM64 ? UNWIND_ARM64_PC : UNWIND_X64_RIP;
}

unsigned unwind_reg_sp(const struct unwind_regs *regs)
{
        return regs->machine == OBJECT_MACHINE_ARM64 ? UNWIND_ARM64_SP : UNWIND_X64_RSP;
}

unsigned unwind_reg_fp(const struct unwind_regs *regs)
{
        return regs->machine == OBJECT_MACHINE_ARM64 ? UNWIND_ARM64_X29 : UNWIND_X64_RBP;
}

uint64_t unwind_strip(const struct unwind_regs *regs, uint64_t pc)
{
        return pc & arch_of(regs)->code_mask;
}

/* Linux' default limit of a stack. */
#define STACK_BYTES (8ull << 20)

/* Behind the largest copy the stack goes on, for a function may have large arrays, unless the copy is
 * whole. */
static bool is_on_another_stack(const struct unwind_memory *memory, uint64_t addr)
{
        uint64_t off = addr - memory->start, end = memory->used_size ? memory->used_size : STACK_BYTES;

        if (!memory->max_size)
                return false;
        return addr < memory->start || (off > memory->max_size - 8 && (memory->is_whole || off >= end));
}

bool unwind_read_word(struct unwind_memory *memory, uint64_t addr, uint64_t *ret_word)
{
        uint64_t off = addr - memory->start;

        if (memory->bytes && addr >= memory->start && off < memory->size && memory->size - off >= 8) {
                memcpy(ret_word, memory->bytes + off, sizeof(*ret_word));
                return true;
        }
        if (memory->read && memory->read(memory->ctx, addr, ret_word))
                return true;
        memory->is_far = memory->bytes && is_on_another_stack(memory, addr);
        memory->is_cut = memory->is_far || (memory->bytes && addr >= memory->start && !memory->is_whole);
        memory->is_large = memory->is_cut && off > memory->max_size - 8 && off < memory->used_size;
        return false;
}

static const char *const end_texts[UNWIND_N_ENDS] = {
        [UNWIND_END_OUTERMOST] = "outermost",
        [UNWIND_END_ZERO] = "zero",
        [UNWIND_END_CUT] = "cut",
        [UNWIND_END_LIMIT] = "limit",
        [UNWIND_END_ENDLESS] = "endless",
        [UNWIND_END_NO_MODULE] = "no module",
        [UNWIND_END_NO_RULE] = "no rule",
        [UNWIND_END_DAMAGED] = "damaged",
        [UNWIND_END_FAR] = "far",
        [UNWIND_END_NO_FILE] = "no file",
        [UNWIND_END_32BIT] = "32-bit",
        [UNWIND_END_MALFORMED_CFI] = "malformed cfi",
        [UNWIND_END_MALFORMED_PE] = "malformed pe",
        [UNWIND_END_UNSUPPORTED_PE] = "unsupported pe",
        [UNWIND_END_NO_REGISTER] = "no register",
        [UNWIND_END_UNREADABLE] = "unreadable",
        [UNWIND_END_NO_CODE] = "no code",
        [UNWIND_END_NO_START] = "no start",
        [UNWIND_END_OTHER_MACHINE] = "other machine",
        [UNWIND_END_LARGE] = "large",
        [UNWIND_END_CROWDED] = "crowded",
        [UNWIND_END_EXEC] = "exec",
};

static const char *const way_texts[UNWIND_N_WAYS] = {
        [UNWIND_WAY_REGS] = "registers", [UNWIND_WAY_CFI] = "cfi",       [UNWIND_WAY_FP] = "fp",
        [UNWIND_WAY_SIGNAL] = "signal",  [UNWIND_WAY_PE] = "pe",         [UNWIND_WAY_LBR] = "lbr",
        [UNWIND_WAY_STUB] = "stub",      [UNWIND_WAY_SEARCH] = "search",
};

const char *unwind_end_text(enum unwind_end end)
{
        return end < UNWIND_N_ENDS ? end_texts[end] : "?";
}

const char *unwind_way_text(enum unwind_way way)
{
        return way < UNWIND_N_WAYS ? way_texts[way] : "?";
}

bool unwind_end_is_whole(enum unwind_end end)
{
        return end == UNWIND_END_OUTERMOST || end == UNWIND_END_ZERO;
}

struct walk {
        const struct unwind_modules *modules;
        struct unwind_memory *memory;
        struct unwind_regs regs;
        struct unwind_module module;
        bool has_module;
        bool is_exact;     /* pc is an instruction, not a return address */
        bool is_malformed; /* the module has no rule for pc because its entry is malformed */
        struct unwind_frame *frames;
        size_t max_frames;
        struct unwind_walked walked;
};

/* Ends the walk; always returns false. */
static bool end_walk(struct walk *walk, enum unwind_end end)
{
        walk->walked.end = end;
        return false;
}

/* Ends the walk because memory could not be read. */
static bool end_unread(struct walk *walk)
{
        const struct unwind_memory *memory = walk->memory;

        return end_walk(walk, !memory->is_cut    ? UNWIND_END_UNREADABLE
                              : memory->is_large ? UNWIND_END_LARGE
                              : memory->is_far   ? UNWIND_END_FAR
                                                 : UNWIND_END_CUT);
}

static uint64_t get_pc(const struct walk *walk)
{
        return walk->regs.values[unwind_reg_pc(&walk->regs)];
}

static uint64_t get_sp(const struct walk *walk)
{
        return walk->regs.values[unwind_reg_sp(&walk->regs)];
}

static bool add_frame(struct walk *walk, enum unwind_way way)
{
        if (walk->walked.n_frames == walk->max_frames)
                return end_walk(walk, UNWIND_END_LIMIT);
        walk->frames[walk->walked.n_frames++] = (struct unwind_frame){
                .pc = get_pc(walk), .is_exact = walk->is_exact, .way = (uint8_t)way, .sp = get_sp(walk)};
        walk->walked.n_by_way[way]++;
        return true;
}

static void find_module(struct walk *walk, uint64_t addr)
{
        if (walk->has_module && addr >= walk->module.start && addr < walk->module.end)
                return;
        walk->has_module = walk->modules->find(walk->modules->ctx, addr, &walk->module);
}

/* The last method. A frame pointer of 0 does not end the stack: in code without frame pointers the register
 * may be 0 too. */
static bool step_fp(struct walk *walk, enum unwind_way *ret_way)
{
        enum unwind_fp how = unwind_step_fp(walk->modules, &walk->regs, walk->memory);

        *ret_way = UNWIND_WAY_FP;
        walk->is_exact = false;
        if (how == UNWIND_FP_DONE)
                return true;
        if (!walk->has_module)
                return end_walk(walk, UNWIND_END_NO_MODULE);
        if (walk->module.has_file && !walk->module.object)
                return end_walk(walk, UNWIND_END_NO_FILE);
        /* Without frame pointers the register may hold any value, so a far address is not a cut stack. */
        if (how == UNWIND_FP_CUT && (!walk->memory->is_far || walk->memory->is_large))
                return end_unread(walk);
        return end_walk(walk, walk->is_malformed ? UNWIND_END_MALFORMED_CFI : UNWIND_END_NO_RULE);
}

/* Whether processes or threads start with this code. */
static bool is_outermost(const struct walk *walk, uint64_t addr)
{
        const struct unwind_module *module = &walk->module;

        return walk->has_module && module->outermost &&
               outermost_has(module->outermost, addr - module->bias, walk->is_exact);
}

static bool step_signal(struct walk *walk, enum unwind_way *ret_way)
{
        if (!unwind_step_sigreturn(&walk->regs, walk->memory))
                return end_unread(walk);
        *ret_way = UNWIND_WAY_SIGNAL;
        walk->is_exact = true;
        return true;
}

static bool step_stub(struct walk *walk, enum unwind_way *ret_way, bool *ret_none)
{
        *ret_none = false;
        *ret_way = UNWIND_WAY_STUB;
        if (walk->has_module)
                switch (unwind_step_stub(walk->modules, &walk->module, walk->is_exact, &walk->regs,
                                         walk->memory)) {
                case UNWIND_STUB_DONE: walk->is_exact = false; return true;
                case UNWIND_STUB_UNREAD: return end_unread(walk);
                case UNWIND_STUB_START: return end_walk(walk, UNWIND_END_OUTERMOST);
                default: break;
                }
        *ret_none = true;
        return false;
}

/* The module has no rule for pc; the caller tries other methods. */
static bool skip_module(struct walk *walk, bool is_malformed, bool *ret_none)
{
        walk->is_malformed = is_malformed;
        *ret_none = true;
        return false;
}

static bool end_cfi(struct walk *walk, enum cfi_step how, bool *ret_none)
{
        switch (how) {
        case CFI_STEP_BAD_ENTRY: return skip_module(walk, true, ret_none);
        case CFI_STEP_NONE: return skip_module(walk, false, ret_none);
        case CFI_STEP_OUTERMOST: return end_walk(walk, UNWIND_END_OUTERMOST);
        case CFI_STEP_UNREAD: return end_unread(walk);
        case CFI_STEP_NO_REGISTER: return end_walk(walk, UNWIND_END_NO_REGISTER);
        case CFI_STEP_OTHER_MACHINE: return end_walk(walk, UNWIND_END_OTHER_MACHINE);
        default: return end_walk(walk, UNWIND_END_MALFORMED_CFI);
        }
}

static bool step_cfi(struct walk *walk, uint64_t addr, enum unwind_way *ret_way, bool *ret_none)
{
        struct cfi_stepped stepped;
        enum cfi_step how = cfi_step(walk->module.cfi, addr - walk->module.bias, walk->module.bias,
                                     &walk->regs, walk->memory, &stepped);

        *ret_way = UNWIND_WAY_CFI;
        if (how != CFI_STEP_DONE)
                return end_cfi(walk, how, ret_none);
        walk->is_exact = stepped.is_signal;
        return true;
}

/* Not all memory of an image is code. */
static bool has_code_at(struct walk *walk, uint64_t addr)
{
        const struct object *object;

        find_module(walk, addr);
        if (!walk->has_module)
                return false;
        object = walk->module.object;
        if (!object || object_get_facts(object)->format != OBJECT_PE)
                return true;
        for (size_t i = 0; i < object_n_segments(object); i++) {
                const struct object_segment *segment = object_get_segment(object, i);

                if (addr - walk->module.bias - segment->addr < segment->mem_size)
                        return segment->flags & OBJECT_SEGMENT_CODE;
        }
        return false;
}

/* Accepts code without an entry as a leaf function only if its caller is code. A return address of 0 ends the
 * stack. */
static bool check_caller(struct walk *walk, bool was_leaf)
{
        uint64_t pc = unwind_strip(&walk->regs, get_pc(walk));

        if ((!pc && !was_leaf) || has_code_at(walk, walk->is_exact ? pc : pc - 1))
                return true;
        return end_walk(walk, was_leaf ? UNWIND_END_NO_RULE : UNWIND_END_NO_CODE);
}

static bool step_pe(struct walk *walk, enum unwind_way *ret_way, bool *ret_none)
{
        bool is_exact = walk->is_exact;
        enum unwind_pe how = unwind_pe_step(walk->module.object, walk->module.bias, is_exact, &walk->regs,
                                            walk->memory, &is_exact);

        *ret_way = UNWIND_WAY_PE;
        switch (how) {
        case UNWIND_PE_DONE:
        case UNWIND_PE_LEAF: walk->is_exact = is_exact; return check_caller(walk, how == UNWIND_PE_LEAF);
        case UNWIND_PE_NONE: return skip_module(walk, false, ret_none);
        case UNWIND_PE_NO_RULE: return end_walk(walk, UNWIND_END_NO_RULE);
        case UNWIND_PE_UNREAD: return end_unread(walk);
        case UNWIND_PE_NO_REGISTER: return end_walk(walk, UNWIND_END_NO_REGISTER);
        case UNWIND_PE_UNSUPPORTED: return end_walk(walk, UNWIND_END_UNSUPPORTED_PE);
        default: return end_walk(walk, UNWIND_END_MALFORMED_PE);
        }
}

/* Uses pc, not pc - 1: a signal's return code is not entered by a call, and the byte before it belongs to
 * other code. */
static bool is_signal_return(struct walk *walk, uint64_t pc)
{
        const struct unwind_module *module = &walk->module;

        return walk->has_module && module->object && pc >= module->start && pc < module->end &&
               object_get_facts(module->object)->format == OBJECT_ELF &&
               unwind_is_sigreturn(module->object, walk->regs.machine, pc - module->bias);
}

/* Steps with the module's information; *ret_none if it has nothing about the address. */
static bool step_by_module(struct walk *walk, uint64_t addr, enum unwind_way *ret_way, bool *ret_none)
{
        *ret_none = false;
        if (walk->has_module && walk->module.cfi)
                return step_cfi(walk, addr, ret_way, ret_none);
        if (walk->has_module && walk->module.object)
                return step_pe(walk, ret_way, ret_none);
        return skip_module(walk, false, ret_none);
}

static bool step(struct walk *walk, enum unwind_way *ret_way)
{
        uint64_t pc = get_pc(walk), addr = walk->is_exact ? pc : pc - 1;
        bool is_none;

        find_module(walk, addr);
        if (step_by_module(walk, addr, ret_way, &is_none))
                return true;
        if (!is_none)
                return false;
        if (is_signal_return(walk, pc))
                return step_signal(walk, ret_way);
        if (step_stub(walk, ret_way, &is_none))
                return true;
        if (!is_none)
                return false;
        if (is_outermost(walk, addr))
                return end_walk(walk, UNWIND_END_OUTERMOST);
        return step_fp(walk, ret_way);
}

/* The caller's frame must be at a higher address; only the frame that a signal interrupted may be on another
 * stack. */
static bool grows(const struct walk *walk, uint64_t pc, uint64_t sp, bool was_exact)
{
        if (walk->is_exact)
                return get_sp(walk) != sp || get_pc(walk) != pc;
        return get_sp(walk) > sp || (was_exact && get_sp(walk) == sp && get_pc(walk) != pc);
}

static bool walk_on(struct walk *walk)
{
        uint64_t pc = get_pc(walk), sp = get_sp(walk);
        bool was_exact = walk->is_exact;
        enum unwind_way way;

        if (!step(walk, &way))
                return false;
        unwind_set_reg(&walk->regs, unwind_reg_pc(&walk->regs), unwind_strip(&walk->regs, get_pc(walk)));
        if (!get_pc(walk))
                return end_walk(walk, UNWIND_END_ZERO);
        if (!grows(walk, pc, sp, was_exact))
                return end_walk(walk, UNWIND_END_ENDLESS);
        if (walk->is_exact)
                walk->frames[walk->walked.n_frames - 1].is_exact = true;
        return add_frame(walk, way);
}

/* Walks on from the frame at index n with a candidate as its return address. */
static bool try_candidate(struct walk *walk, const struct unwind_candidate *candidate)
{
        unwind_set_reg(&walk->regs, unwind_reg_fp(&walk->regs), candidate->fp);
        while (walk_on(walk))
                ;
        return unwind_end_is_whole(walk->walked.end);
}

/* Whether the candidate is the return address of a frame further out. */
static bool is_in_walk(const struct walk *walk, size_t n, const struct unwind_candidate *candidate)
{
        for (; n < walk->walked.n_frames; n++) {
                if (walk->frames[n].sp == candidate->at + sizeof(uint64_t) &&
                    walk->frames[n].pc == candidate->pc)
                        return true;
        }
        return false;
}

/* The candidate of this rank with which the stack can be walked to its end; NULL if there is none, or if
 * there is another one. The attempts use the frames behind those of the walk. */
static const struct unwind_candidate *find_candidate(const struct walk *walk,
                                                     const struct unwind_candidate *all, size_t n_all,
                                                     unsigned rank, bool *ret_several)
{
        const struct unwind_candidate *found = NULL;
        bool is_further_out[UNWIND_MAX_CANDIDATES] = {false};

        for (size_t i = 0; i < n_all; i++) {
                struct walk attempt = *walk;

                if (all[i].rank != rank || is_further_out[i] || !try_candidate(&attempt, &all[i]))
                        continue;
                *ret_several = found;
                if (found)
                        return NULL;
                found = &all[i];
                for (size_t k = i + 1; k < n_all; k++)
                        is_further_out[k] = is_in_walk(&attempt, walk->walked.n_frames, &all[k]);
        }
        return found;
}

/* With two return addresses that fit equally well the walk stays cut. */
static void search_frame(struct walk *walk)
{
        uint64_t pc = get_pc(walk);
        size_t n = walk->walked.n_frames;
        struct unwind_candidate all[UNWIND_MAX_CANDIDATES];
        const struct unwind_candidate *found = NULL;
        struct unwind_search search;
        bool has_several = false;
        size_t n_all;

        if (!unwind_search_begin(&search, walk->modules, &walk->module, walk->is_exact ? pc : pc - 1,
                                 &walk->regs, walk->memory))
                return;
        n_all = unwind_search_all(&search, all);
        for (unsigned rank = 0; rank < UNWIND_N_RANKS && !found && !has_several; rank++)
                found = find_candidate(walk, all, n_all, rank, &has_several);
        if (!found)
                return;
        try_candidate(walk, found);
        walk->walked.n_by_way[walk->frames[n].way]--;
        walk->walked.n_by_way[UNWIND_WAY_SEARCH]++;
        walk->frames[n].way = UNWIND_WAY_SEARCH;
}

void unwind_walk(const struct unwind_modules *modules, const struct unwind_regs *regs,
                 struct unwind_memory *memory, struct unwind_frame *frames, size_t max_frames,
                 struct unwind_walked *ret_walked)
{
        struct walk walk = {
                .modules = modules,
                .memory = memory,
                .regs = *regs,
                .is_exact = true,
                .frames = frames,
                .max_frames = max_frames,
        };

        walk.walked.end = UNWIND_END_NO_START;
        if (unwind_has_reg(regs, unwind_reg_pc(regs)) && unwind_has_reg(regs, unwind_reg_sp(regs)) &&
            add_frame(&walk, UNWIND_WAY_REGS)) {
                while (walk_on(&walk))
                        ;
                if (walk.walked.end == UNWIND_END_NO_REGISTER)
                        search_frame(&walk);
        }
        *ret_walked = walk.walked;
}
