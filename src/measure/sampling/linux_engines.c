/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses how samples are taken, and what reads their Python frames: by rings alone, by threads that are
 * stopped or read while they run, or by a BPF program. */
#include <unistd.h>

#include "linux_collector_internal.h"
#include "stop_merge.h"

bool engines_attach(const struct collect_request *request)
{
        return !request->target.argv || request->target.system_wide;
}

bool engines_choose_pace(struct collector *c, struct err *err)
{
        enum collect_engine engine = c->request.engine;
        bool is_asked = engine == COLLECT_PACE;
        bool needs_events = engine == COLLECT_RING || engine == COLLECT_PEEK || engine == COLLECT_NONBLOCKING;
        const char *lacks = linux_paced_lacks(&c->request);

        if (is_asked && lacks)
                return err_set(err, ERR_USAGE, "--engine pace can't be used here: %s", lacks);
        if (!is_asked && (needs_events || lacks || !linux_refuses_events(&c->refusal)))
                return true;
        c->request.engine = COLLECT_PACE;
        return true;
}

void engines_merge_python(struct collector *c)
{
        stop_python_want_names(c->python, c->request.is_live);
        c->merge = stop_merge_new(c->python, c->request.python_symbols);
        unwinder_set_merge(c->unwinder, c->merge);
}

static bool bpf_is_first_choice(const struct collect_request *request)
{
        return request->engine == COLLECT_BEST_ENGINE && !geteuid() && !linux_attr_has_spe(request) &&
               !stop_engine_lacks_stacks(request);
}

/* Where to say why an engine is not used: it matters only to Python programs, unless somebody asked for the
 * engine. */
static struct buf *note_of(struct collector *c, struct buf *asked)
{
        return c->request.engine == COLLECT_BEST_ENGINE ? &c->python_note : asked;
}

static void add_note(struct buf *note, const char *what, const char *why)
{
        buf_printf(note, "%s%s%s", note->len ? "; " : "", what, why);
}

/* Before the command is started, because the engine that stops threads has to start it instead. */
static void load_bpf(struct collector *c, struct buf *note)
{
        bool blocks_not = c->request.engine == COLLECT_NONBLOCKING;
        const char *why = stop_engine_lacks_stacks(&c->request);
        struct err err = {0};

        if (c->request.engine != COLLECT_BPF && !blocks_not && !bpf_is_first_choice(&c->request))
                return;
        c->python = stop_python_new();
        if (!why)
                c->bpf = bpf_engine_new(c->python, &err);
        if (c->bpf)
                return;
        if (!blocks_not || !why)
                add_note(note, "the engine bpf is not used: ", why ? why : err.text);
        stop_python_free(c->python);
        c->python = NULL;
        c->request.engine = blocks_not ? COLLECT_PEEK : COLLECT_BEST_ENGINE;
}

bool engines_prepare(struct collector *c, struct buf *note, struct err *err)
{
        const struct target *target = &c->request.target;

        if (c->request.engine == COLLECT_RING)
                buf_add_str(&c->python_note, "--engine ring reads none: record without it");
        load_bpf(c, note_of(c, note));
        if (!c->bpf)
                c->guardian = stop_engine_prepare(&c->request, note_of(c, note));
        return !c->guardian || !engines_attach(&c->request) || stop_engine_start(c->guardian, target, err);
}

static void open_bpf(struct collector *c)
{
        struct err err = {0};

        wall_prepare_bpf(c);
        if (c->opened.every_cpu && !c->request.target.n_pids)
                bpf_engine_follow(c->bpf, c->child.pid);
        if (c->unwinder && bpf_engine_attach(c->bpf, &c->opened, &c->watched, &err)) {
                add_note(&c->stack_note, "engine bpf: Python frames are read by a BPF program", "");
                unwinder_set_stacks(c->unwinder, bpf_engine_stacks(c->bpf));
                engines_merge_python(c);
                stop_merge_set_near(c->merge);
                return;
        }
        add_note(note_of(c, &c->stack_note), "the engine bpf is not used: ",
                 c->unwinder ? err.text
                             : "it needs -g, and can't be used with branch stacks or AUX area tracing");
        bpf_engine_free(c->bpf);
        c->bpf = NULL;
}

void engines_choose_peek(struct collector *c, struct buf *note)
{
        const struct target *target = &c->request.target;
        const char *lacks = c->request.engine == COLLECT_PEEK ? peek_engine_lacks(&c->request) : NULL;
        AUTO_RELEASE(buf) why = {0};

        if (lacks) {
                add_note(note, "the engine peek is not used: ", lacks);
                c->request.engine = COLLECT_RING;
        }
        if (!c->guardian || c->request.engine == COLLECT_PACE ||
            !peek_engine_is_needed(target->n_pids ? target->pids : &c->child.pid,
                                   target->n_pids ? target->n_pids : c->child.pid > 0, &why))
                return;
        add_note(note, "the engine stop is not used: ", buf_text(&why));
        c->request.engine = COLLECT_PEEK;
}

static void open_peek(struct collector *c)
{
        if (!c->unwinder) {
                add_note(&c->stack_note, "the engine peek is not used: ",
                         "it needs -g, and can't be used with branch stacks");
                return;
        }
        c->python = stop_python_new();
        c->peek = peek_engine_new(c->python, &c->opened, c->rings);
        add_note(&c->stack_note, "peek: Python frames read while the program runs, approximate", "");
        engines_merge_python(c);
        stop_merge_set_near(c->merge);
}

bool engines_open(struct collector *c, struct err *err)
{
        if (c->bpf)
                open_bpf(c);
        if (c->request.engine == COLLECT_PEEK) {
                open_peek(c);
                return true;
        }
        if (!c->guardian)
                return true;
        c->python = stop_python_new();
        if (c->request.engine == COLLECT_PACE) {
                if (!stop_engine_choose_pace(c->guardian, &c->request, &c->opened, c->python, err))
                        return false;
                c->stops = c->guardian;
        } else if (stop_engine_choose(c->guardian, &c->request, &c->opened, c->python,
                                      note_of(c, &c->stack_note)))
                c->stops = c->guardian;
        if (!c->stops || !c->unwinder)
                return true;
        unwinder_set_stacks(c->unwinder, stop_engine_stacks(c->stops));
        engines_merge_python(c);
        return true;
}
