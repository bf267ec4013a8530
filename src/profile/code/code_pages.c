/* SPDX-License-Identifier: BSD-3-Clause */
/* A data-flow analysis: each step of code begins with the pages that all paths to it have in common.  Steps
 * end at jumps, and begin at their targets.  Where a jump leads to, a call before it counts for nothing:
 * calls that do not return end with another path's registers. */
#include "code_pages.h"

#include <stdlib.h>

#include "mem.h"

enum {
        /* Loops in loops need a few.  After that, foreign code may have wrong pages. */
        MAX_ROUNDS = 32,
};

/* The pages that the registers hold. */
struct register_pages {
        uint64_t page[ARM64_REGISTERS];
        uint32_t known; /* set of registers */
};

struct code_step {
        size_t first, end; /* instructions */
        struct register_pages at_start;
        bool is_reached, has_source;
        bool is_after_call; /* reached only from a call before it, which maybe does not return */
};

struct page_flow {
        const struct code_body *body;
        const struct disasm_shape *shapes;
        struct code_step *steps;
        size_t n_steps;
        uint32_t *step_of;            /* by instruction */
        struct register_pages tables; /* common to all indirect jumps */
        bool has_tables;
        bool is_different; /* a state was changed in this round */
};

/* --- Steps --- */

static bool falls_through(const struct code_insn *insn)
{
        return insn->flow == DISASM_NEXT || insn->flow == DISASM_CALL || insn->flow == DISASM_BRANCH;
}

/* The instruction of the function to which a jump leads; SIZE_MAX: none. */
static size_t target_of(const struct code_body *body, const struct code_insn *insn)
{
        if ((insn->flow != DISASM_JUMP && insn->flow != DISASM_BRANCH) || !insn->n_refs ||
            insn->refs[0].kind != DISASM_REF_CODE)
                return SIZE_MAX;
        return code_body_find(body, insn->refs[0].value);
}

/* Whether `insn` continues to the next instruction of the body. */
static bool continues(const struct code_body *body, size_t insn)
{
        return insn + 1 < body->n_insns && falls_through(&body->insns[insn]) &&
               body->insns[insn].addr + body->insns[insn].size_bytes == body->insns[insn + 1].addr;
}

static bool *mark_starts(const struct code_body *body)
{
        bool *is_start = mem_new(body->n_insns + 1, sizeof(*is_start));

        is_start[0] = true;
        for (size_t i = 0; i < body->n_insns; i++) {
                size_t target = target_of(body, &body->insns[i]);

                if (target != SIZE_MAX)
                        is_start[target] = true;
                if (body->insns[i].flow == DISASM_JUMP || body->insns[i].flow == DISASM_BRANCH ||
                    !continues(body, i) || body->insns[i + 1].addr == body->function->extents[0].start)
                        is_start[i + 1] = true;
        }
        return is_start;
}

static void list_steps(struct page_flow *flow)
{
        bool *is_start = mark_starts(flow->body);
        size_t n = flow->body->n_insns, cap = 0;

        flow->step_of = mem_new(n, sizeof(*flow->step_of));
        for (size_t i = 0; i < n; i++) {
                if (is_start[i])
                        ARRAY_PUSH(flow->steps, flow->n_steps, cap, (struct code_step){.first = i});
                flow->steps[flow->n_steps - 1].end = i + 1;
                flow->step_of[i] = (uint32_t)(flow->n_steps - 1);
        }
        free(is_start);
}

/* --- Flow --- */

static bool has_page(const struct register_pages *pages, unsigned reg)
{
        return pages->known & 1u << reg;
}

/* Keeps what both have in common.  True: that is less than before. */
static bool keep_common(struct register_pages *pages, const struct register_pages *other)
{
        uint32_t before = pages->known;

        for (unsigned i = 0; i < ARM64_REGISTERS; i++) {
                if (has_page(pages, i) && !(has_page(other, i) && other->page[i] == pages->page[i]))
                        pages->known &= ~(1u << i);
        }
        return pages->known != before;
}

static void execute(const struct disasm_shape *shape, struct register_pages *pages)
{
        const struct disasm_ref *ref = &shape->refs[0];

        pages->known &= ~shape->written;
        if (shape->n_refs && ref->kind == DISASM_REF_PAGE && ref->reg < ARM64_REGISTERS) {
                pages->page[ref->reg] = ref->value;
                pages->known |= 1u << ref->reg;
        }
}

static void arrive(struct page_flow *flow, size_t insn, const struct register_pages *pages,
                   bool is_after_call)
{
        struct code_step *step = &flow->steps[flow->step_of[insn]];

        if (step->is_reached && is_after_call)
                return;
        if (step->is_reached && !step->is_after_call) {
                flow->is_different |= keep_common(&step->at_start, pages);
                return;
        }
        step->at_start = *pages;
        step->is_reached = flow->is_different = true;
        step->is_after_call = is_after_call;
}

static void leave(struct page_flow *flow, size_t last, const struct register_pages *pages)
{
        const struct code_insn *insn = &flow->body->insns[last];
        size_t target = target_of(flow->body, insn);

        if (target != SIZE_MAX)
                arrive(flow, target, pages, false);
        if (continues(flow->body, last))
                arrive(flow, last + 1, pages, insn->flow == DISASM_CALL);
        if (insn->flow != DISASM_JUMP || insn->n_refs)
                return;
        if (flow->has_tables)
                keep_common(&flow->tables, pages);
        else
                flow->tables = *pages;
        flow->has_tables = true;
}

/* Until no state changes. */
static void run(struct page_flow *flow)
{
        flow->is_different = true;
        for (int round = 0; round < MAX_ROUNDS && flow->is_different; round++) {
                flow->is_different = false;
                for (size_t i = 0; i < flow->n_steps; i++) {
                        struct register_pages pages = flow->steps[i].at_start;

                        if (!flow->steps[i].is_reached)
                                continue;
                        for (size_t k = flow->steps[i].first; k < flow->steps[i].end; k++)
                                execute(&flow->shapes[k], &pages);
                        leave(flow, flow->steps[i].end - 1, &pages);
                }
        }
}

/* Steps that only a jump table reaches, or `all` that nothing has reached. */
static void begin_at_tables(struct page_flow *flow, bool all)
{
        for (size_t i = 0; i < flow->n_steps; i++) {
                struct code_step *step = &flow->steps[i];

                if (step->is_reached || (step->has_source && !all))
                        continue;
                step->at_start = flow->tables;
                step->is_reached = true;
        }
}

/* Which steps some instruction leads to. */
static void mark_sources(struct page_flow *flow)
{
        for (size_t i = 0; i < flow->n_steps; i++) {
                size_t last = flow->steps[i].end - 1,
                       target = target_of(flow->body, &flow->body->insns[last]);

                if (target != SIZE_MAX)
                        flow->steps[flow->step_of[target]].has_source = true;
                if (continues(flow->body, last))
                        flow->steps[flow->step_of[last + 1]].has_source = true;
        }
}

static void begin_at_entry(struct page_flow *flow)
{
        size_t entry = code_body_find(flow->body, flow->body->function->extents[0].start);

        flow->steps[flow->step_of[entry == SIZE_MAX ? 0 : entry]].is_reached = true;
}

static uint64_t *list_pages(const struct page_flow *flow)
{
        uint64_t *list = mem_new(flow->body->n_insns, sizeof(*list));

        for (size_t i = 0; i < flow->n_steps; i++) {
                struct register_pages pages = flow->steps[i].at_start;

                for (size_t k = flow->steps[i].first; k < flow->steps[i].end; k++) {
                        const struct disasm_shape *shape = &flow->shapes[k];
                        bool is_low = shape->n_refs && shape->refs[0].kind == DISASM_REF_LOW &&
                                      shape->refs[0].reg < ARM64_REGISTERS;

                        list[k] = is_low && has_page(&pages, shape->refs[0].reg)
                                          ? pages.page[shape->refs[0].reg]
                                          : CODE_NO_PAGE;
                        execute(shape, &pages);
                }
        }
        return list;
}

uint64_t *code_pages_list(const struct code_body *body, const struct disasm_shape *shapes)
{
        struct page_flow flow = {.body = body, .shapes = shapes};
        uint64_t *list;

        if (!body->n_insns)
                return mem_new(1, sizeof(*list));
        list_steps(&flow);
        mark_sources(&flow);
        begin_at_entry(&flow);
        run(&flow);
        begin_at_tables(&flow, false);
        run(&flow);
        begin_at_tables(&flow, true);
        run(&flow);
        list = list_pages(&flow);
        free(flow.steps);
        free(flow.step_of);
        return list;
}
