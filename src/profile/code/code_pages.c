/* SPDX-License-Identifier: BSD-3-Clause */
/* A data-flow analysis: each step of code begins with the pages that all paths to it have in common.  Steps
 * end at jumps, and begin at their targets.  Where a jump leads to, a call before it counts for nothing:
 * calls that do not return end with another path's registers.  Indirect jumps lead to the targets of jump
 * tables, but not where the return address was restored before: that is a call at the end of the function. */
#include "code_pages.h"

#include <stdlib.h>

#include "mem.h"

enum {
        /* Loops in loops need a few.  After that, foreign code may have wrong pages. */
        MAX_ROUNDS = 32,
        LINK_REGISTER = 30, /* has the return address */
};

struct code_step {
        size_t first, end; /* instructions */
        struct code_page_state at_start;
        bool is_reached, has_source;
        bool is_after_call; /* reached only from a call before it, which maybe does not return */
};

struct page_flow {
        const struct code_body *body;
        const struct disasm_shape *shapes;
        struct code_step *steps;
        size_t n_steps;
        uint32_t *step_of;             /* by instruction */
        struct code_page_state tables; /* common to all indirect jumps */
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

static void execute(const struct page_flow *flow, size_t insn, struct code_page_state *pages)
{
        const struct code_insn *i = &flow->body->insns[insn];
        uint32_t word = 0;

        for (unsigned k = 0; k < i->size_bytes && k < sizeof(word); k++)
                word |= (uint32_t)i->bytes[k] << (8 * k);
        code_page_state_execute(pages, &flow->shapes[insn], word);
}

static void arrive(struct page_flow *flow, size_t insn, const struct code_page_state *pages,
                   bool is_after_call)
{
        struct code_step *step = &flow->steps[flow->step_of[insn]];

        if (step->is_reached && is_after_call)
                return;
        if (step->is_reached && !step->is_after_call) {
                flow->is_different |= code_page_state_keep_common(&step->at_start, pages);
                return;
        }
        step->at_start = *pages;
        step->is_reached = flow->is_different = true;
        step->is_after_call = is_after_call;
}

/* Whether the step restores the return address, and so ends the function. */
static bool restores_return(const struct page_flow *flow, const struct code_step *step)
{
        for (size_t i = step->first; i < step->end; i++) {
                if (flow->body->insns[i].flow != DISASM_CALL &&
                    (flow->shapes[i].written & 1u << LINK_REGISTER))
                        return true;
        }
        return false;
}

static void leave(struct page_flow *flow, const struct code_step *step, const struct code_page_state *pages)
{
        size_t last = step->end - 1;
        const struct code_insn *insn = &flow->body->insns[last];
        size_t target = target_of(flow->body, insn);

        if (target != SIZE_MAX)
                arrive(flow, target, pages, false);
        if (continues(flow->body, last))
                arrive(flow, last + 1, pages, insn->flow == DISASM_CALL);
        if (insn->flow != DISASM_JUMP || insn->n_refs || restores_return(flow, step))
                return;
        if (flow->has_tables)
                code_page_state_keep_common(&flow->tables, pages);
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
                        struct code_page_state pages = flow->steps[i].at_start;

                        if (!flow->steps[i].is_reached)
                                continue;
                        for (size_t k = flow->steps[i].first; k < flow->steps[i].end; k++)
                                execute(flow, k, &pages);
                        leave(flow, &flow->steps[i], &pages);
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
                struct code_page_state pages = flow->steps[i].at_start;

                for (size_t k = flow->steps[i].first; k < flow->steps[i].end; k++) {
                        const struct disasm_shape *shape = &flow->shapes[k];
                        bool is_low = shape->n_refs && shape->refs[0].kind == DISASM_REF_LOW;

                        list[k] = is_low ? code_page_state_get(&pages, shape->refs[0].reg) : CODE_NO_PAGE;
                        execute(flow, k, &pages);
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
