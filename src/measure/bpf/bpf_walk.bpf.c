/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs at a sample: copies what the recorder needs to read the Python frames of the thread. */
#include "bpf_pieces.bpf.c"

/* --- frames --- */

/* What the callbacks of bpf_loop get.  What they change must be in the scratch memory: until Linux 6.7 the
 * verifier takes variables on the stack for constants in all rounds, and the stack is small. */
struct walk_loop {
        struct scratch *s;
        const struct walk_layout *l;
};

/* The bytes of a frame that lies in the window. */
static __always_inline __u8 *find_in_window(struct scratch *s, __u64 addr)
{
        const struct frame_chain *w = &s->chain;
        __u64 off = addr - w->window, at = w->window_at;

        if (!w->window || addr < w->window || addr > w->window_last)
                return 0;
        asm volatile("" : "+r"(off), "+r"(at));
        if (off > WALK_WINDOW_BYTES - WALK_FRAME_BYTES || at > WALK_SCRATCH_BYTES - WALK_WINDOW_BYTES)
                return 0;
        return s->bytes + at + off;
}

/* Copies a frame; on the data stack, with those of the callers, which are probably before it.  There may be
 * nothing before its page. */
static __always_inline __u8 *add_frame(struct scratch *s, const struct walk_layout *l, __u64 addr)
{
        struct frame_chain *w = &s->chain;
        __u64 first = addr + WALK_FRAME_BYTES - WALK_WINDOW_BYTES,
              page = addr & ~(__u64)(WALK_PAGE_BYTES - 1);
        __u8 *frame = find_in_window(s, addr);

        if (frame)
                return frame;
        if (l->has_data_stack && w->callee - addr < WALK_WINDOW_BYTES / 4) {
                w->window = first > page ? first : page;
                w->window_last = addr;
                w->window_at = s->used + sizeof(struct walk_piece);
                if (add_piece(s, w->window, addr + WALK_FRAME_BYTES - w->window, WALK_WINDOW_BYTES))
                        return find_in_window(s, addr);
                w->window = 0;
        }
        return add_piece(s, addr, l->frame_bytes, WALK_FRAME_BYTES);
}

static long walk_frame(__u32 i, struct walk_loop *loop)
{
        const struct walk_layout *l = loop->l;
        struct scratch *s = loop->s;
        struct frame_chain *w = &s->chain;
        __u64 addr = w->addr, code, previous;
        __u8 *frame;

        (void)i;
        if (send_part(s))
                w->window = 0;
        frame = addr ? add_frame(s, l, addr) : 0;
        if (!frame)
                return 1;
        w->callee = addr;
        w->addr = word_at(frame, l->frame_previous, WALK_FRAME_BYTES);
        code = word_at(frame, l->frame_code, WALK_FRAME_BYTES);
        if (l->minor >= 14)
                code &= ~(__u64)TAG_BITS;
        if (l->frame_owner >= WALK_FRAME_BYTES || frame[l->frame_owner] < OWNER_SHIM)
                see_code(s, l, code);
        if (w->cframe && l->frame_entry < WALK_FRAME_BYTES && frame[l->frame_entry]) {
                if (read_word(w->cframe + l->cframe_previous, &previous))
                        return 1;
                w->cframe = add_piece(s, previous, WALK_CFRAME_BYTES, WALK_CFRAME_BYTES) ? previous : 0;
        }
        return 0;
}

/* Global functions return a number; this one means nothing. */
__noinline int walk_state(struct scratch *s, const struct walk_layout *l, __u64 state)
{
        struct walk_loop loop = {s, l};
        struct frame_chain *w;
        __u64 previous;
        __u8 *thread;

        if (!s || !l)
                return 0;
        thread = add_piece(s, state, l->thread_bytes, WALK_THREAD_BYTES);
        if (!thread)
                return 0;
        w = &s->chain;
        __builtin_memset(w, 0, sizeof(*w));
        w->addr = word_at(thread, l->thread_frame, WALK_THREAD_BYTES);
        if (l->has_cframe && w->addr) {
                w->cframe = w->addr;
                add_piece(s, w->cframe, WALK_CFRAME_BYTES, WALK_CFRAME_BYTES);
                if (!read_word(w->cframe + l->cframe_previous, &previous) && previous)
                        add_piece(s, previous, WALK_CFRAME_BYTES, WALK_CFRAME_BYTES);
                if (read_word(w->cframe + l->cframe_frame, &w->addr))
                        return 0;
        }
        bpf_loop(WALK_MAX_FRAMES, walk_frame, &loop, 0);
        return 0;
}

/* --- thread states --- */

static __always_inline int is_of_thread(const struct walk_layout *l, __u64 state, __u64 tls,
                                        __u64 *ret_interp)
{
        __u64 id = 0;

        return !read_word(state + l->thread_id, &id) && id == tls &&
               !read_word(state + l->thread_interp, ret_interp) && *ret_interp;
}

static __always_inline void add_state(struct scratch *s, const struct walk_layout *l, __u64 state,
                                      __u64 current)
{
        struct walk_thread *found = &s->found;
        __u32 status = 0, n = found->n_states;

        if (n >= WALK_MAX_STATES)
                return;
        if (l->thread_status != WALK_NO_FIELD)
                read_user(&status, sizeof(status), state + l->thread_status);
        found->n_states = n + 1;
        if (n && (status & STATUS_ACTIVE || state == current)) {
                found->states[n & (WALK_MAX_STATES - 1)] = found->states[0];
                found->states[0] = state;
        } else {
                found->states[n & (WALK_MAX_STATES - 1)] = state;
        }
}

/* Begins with the states of the next interpreter. */
static __always_inline void enter_interpreter(struct walk_search *search, const struct walk_layout *l)
{
        if (read_word(search->interp + l->interp_threads, &search->state))
                search->state = 0;
        if (read_word(search->interp + l->interp_next, &search->interp))
                search->interp = 0;
}

static __always_inline void go_to_next_state(struct walk_search *search, const struct walk_layout *l)
{
        if (read_word(search->state + l->thread_next, &search->state))
                search->state = 0;
}

static long search_step(__u32 i, struct walk_loop *loop)
{
        const struct walk_layout *l = loop->l;
        struct scratch *s = loop->s;
        struct walk_search *search = &s->search;
        __u64 interp, tls = s->message.tls;

        (void)i;
        if (!search->state) {
                if (!search->interp)
                        return 1;
                s->found.n_interpreters++;
                enter_interpreter(search, l);
                return 0;
        }
        if (is_of_thread(l, search->state, tls, &interp))
                add_state(s, l, search->state, search->current);
        go_to_next_state(search, l);
        return 0;
}

/* `before`: what the last search has found; may be NULL. */
static __always_inline void search_states(struct scratch *s, const struct walk_layout *l, __u64 runtime,
                                          __u32 tid, const struct walk_thread *before)
{
        struct walk_loop loop = {s, l};
        struct walk_search *search = &s->search;
        struct walk_thread found;
        __u64 now_ns = s->message.time_ns, first_ns = before ? before->first_search_ns : 0, wait_ns;

        __builtin_memset(&s->found, 0, sizeof(s->found));
        __builtin_memset(search, 0, sizeof(*search));
        s->found.tls = s->message.tls;
        if (read_word(runtime + l->runtime_interpreters, &search->interp))
                return;
        if (l->runtime_current != WALK_NO_FIELD)
                read_word(runtime + l->runtime_current, &search->current);
        s->found.newest = search->interp;
        bpf_loop(MAX_SEARCH, search_step, &loop, 0);
        if (!s->found.n_states) {
                s->found.first_search_ns = first_ns ? first_ns : now_ns;
                wait_ns = (now_ns - s->found.first_search_ns) / WAIT_PART;
                s->found.next_search_ns = now_ns + (wait_ns < LONGEST_WAIT_NS ? wait_ns : LONGEST_WAIT_NS);
        }
        found = s->found; /* until Linux 6.3, values must be on the stack or in a map */
        bpf_map_update_elem(&threads, &tid, &found, BPF_ANY);
}

/* Whether the states that were found before may still be all. */
static __always_inline int is_current(const struct walk_layout *l, const struct walk_thread *t, __u64 runtime,
                                      __u64 tls, __u64 now_ns)
{
        __u64 interp, newest, current = 0;
        __u32 status = 0;

        if (!t->n_states)
                return t->tls == tls && now_ns < t->next_search_ns;
        if (t->tls != tls || !is_of_thread(l, t->states[0], tls, &interp))
                return 0;
        if (l->thread_status != WALK_NO_FIELD) {
                if (!read_user(&status, sizeof(status), t->states[0] + l->thread_status) &&
                    status & STATUS_ACTIVE)
                        return 1;
                return t->n_interpreters == 1 && !read_word(runtime + l->runtime_interpreters, &newest) &&
                       newest == t->newest;
        }
        if (l->runtime_current == WALK_NO_FIELD || read_word(runtime + l->runtime_current, &current) ||
            !current)
                return 1;
        return current == t->states[0] || !is_of_thread(l, current, tls, &interp);
}

/* Finds the states of the thread, those of the last sample if they may still be all. */
__noinline int find_states(struct scratch *s, const struct walk_layout *l, __u64 runtime)
{
        const struct walk_message *m;
        struct walk_thread *t;
        __u32 tid;

        if (!s || !l)
                return 0;
        m = &s->message;
        tid = m->tid;
        t = bpf_map_lookup_elem(&threads, &tid);
        if (t && is_current(l, t, runtime, m->tls, m->time_ns))
                s->found = *t;
        else
                search_states(s, l, runtime, tid, t);
        return 0;
}

/* --- the GIL --- */

static __always_inline int is_active(const struct walk_layout *l, __u64 state)
{
        __u32 status = 0;

        return !read_user(&status, sizeof(status), state + l->thread_status) && status & STATUS_ACTIVE;
}

static long search_holder_step(__u32 i, struct walk_loop *loop)
{
        const struct walk_layout *l = loop->l;
        struct walk_search *search = &loop->s->search;

        (void)i;
        if (!search->state) {
                if (!search->interp)
                        return 1;
                enter_interpreter(search, l);
                return 0;
        }
        if (is_active(l, search->state)) {
                search->holder = search->state;
                return 1;
        }
        go_to_next_state(search, l);
        return 0;
}

static __always_inline __u32 tid_of_state(const struct walk_layout *l, __u64 state)
{
        __u64 id = 0;
        __u32 tid = 0;

        if (l->thread_native_id != WALK_NO_FIELD)
                return read_word(state + l->thread_native_id, &id) ? 0 : (__u32)id;
        if (read_word(state + l->thread_id, &id) || read_user(&tid, sizeof(tid), id + l->pthread_tid))
                return 0;
        return tid;
}

/* Up to 3.11 the runtime has the state that has the GIL; later each state says whether it runs.  The first
 * one of this thread is looked at first. */
__noinline int find_holder(struct scratch *s, const struct walk_layout *l, __u64 runtime)
{
        struct walk_loop loop = {s, l};
        struct walk_search *search;
        __u64 interp;

        if (!s || !l)
                return 0;
        search = &s->search;
        __builtin_memset(search, 0, sizeof(*search));
        if (l->thread_status == WALK_NO_FIELD) {
                if (l->runtime_current == WALK_NO_FIELD ||
                    read_word(runtime + l->runtime_current, &search->holder))
                        search->holder = 0;
        } else if (s->found.n_states && is_active(l, s->found.states[0])) {
                search->holder = s->found.states[0];
        } else if (!read_word(runtime + l->runtime_interpreters, &search->interp)) {
                bpf_loop(MAX_HOLDER_SEARCH, search_holder_step, &loop, 0);
        }
        if (!search->holder)
                return 0;
        s->message.gil_holder = tid_of_state(l, search->holder);
        s->message.has_gil = is_of_thread(l, search->holder, s->message.tls, &interp);
        return 0;
}

/* --- processes --- */

static __always_inline void ask(const struct walk_message *m, __u32 kind)
{
        struct walk_message *unknown = bpf_ringbuf_reserve(&asks, sizeof(*unknown), 0);

        if (!unknown)
                return;
        __builtin_memset(unknown, 0, sizeof(*unknown));
        unknown->kind = kind;
        unknown->pid = m->pid;
        unknown->tid = m->tid;
        unknown->time_ns = m->time_ns;
        bpf_ringbuf_submit(unknown, BPF_RB_FORCE_WAKEUP);
}

static __always_inline int is_python(struct walk_process *process, const struct walk_message *m)
{
        struct walk_process unknown = {.kind = WALK_OTHER, .next_look_ns = m->time_ns + UNKNOWN_NS};

        if (process && process->kind == WALK_PYTHON)
                return 1;
        if (process && m->time_ns < process->next_look_ns)
                return 0;
        bpf_map_update_elem(&processes, &m->pid, &unknown, BPF_ANY);
        ask(m, process ? WALK_AGAIN : WALK_UNKNOWN);
        return 0;
}

/* --- the stack --- */

static long copy_stack(__u32 i, struct walk_loop *loop)
{
        const struct walk_message *m = &loop->s->message;
        struct stack_copy *c = &loop->s->stack;
        struct walk_stack *part = bpf_ringbuf_reserve(&stacks, sizeof(*part), 0);

        (void)i;
        if (!part) {
                c->is_lost = 1;
                return 1;
        }
        part->tid = m->tid;
        part->time_ns = m->time_ns;
        part->sp = m->sp;
        part->addr = c->at;
        part->used = c->used;
        part->start = c->start;
        part->size = 0;
        for (__u32 off = 0; off < WALK_STACK_BYTES; off += WALK_PAGE_BYTES) {
                if (c->at >= c->end)
                        break;
                if (read_user(part->bytes + off, WALK_PAGE_BYTES, c->at)) {
                        c->is_unread = 1;
                        c->end = c->at;
                        break;
                }
                c->at += WALK_PAGE_BYTES;
                part->size += WALK_PAGE_BYTES;
        }
        part->is_last = c->at >= c->end;
        bpf_ringbuf_submit(part, wake_flags(&stacks));
        return c->at >= c->end;
}

/* Where the stack ends: that of a thread before its thread control block, to which `tls` points; that of the
 * first thread before the arguments of the program. */
static __always_inline __u64 stack_end(struct task_struct *task, __u64 sp, __u64 tls)
{
        __u64 end = BPF_CORE_READ(task, mm, start_stack);

        return tls > sp && (end < sp || tls < end) ? tls : end;
}

/* Copies what the sample's record has no room for, from a page on that the record has. */
__noinline int send_stack(struct scratch *s, const struct walk_layout *l)
{
        struct walk_loop loop = {s, l};
        struct stack_copy *copy;
        struct walk_message *m;
        __u64 end, skipped;

        if (!s || !l)
                return 0;
        m = &s->message;
        end = stack_end((struct task_struct *)bpf_get_current_task(), m->sp, m->tls);
        if (end <= m->sp || end - m->sp <= l->stack_bytes)
                return 0;
        copy = &s->stack;
        __builtin_memset(copy, 0, sizeof(*copy));
        copy->used = end - m->sp;
        skipped = l->stack_bytes > 2 * WALK_PAGE_BYTES ? l->stack_bytes - 2 * WALK_PAGE_BYTES : 0;
        copy->at = copy->start = (m->sp + skipped) & ~(__u64)(WALK_PAGE_BYTES - 1);
        copy->end = copy->used < WALK_MAX_STACK_BYTES ? end : m->sp + WALK_MAX_STACK_BYTES;
        bpf_loop(WALK_MAX_STACK_BYTES / WALK_STACK_BYTES + 1, copy_stack, &loop, 0);
        if (copy->is_unread)
                COUNT(n_unread_stacks);
        if (copy->is_lost) {
                COUNT(n_lost_stacks);
                m->lost_stack_bytes = copy->used;
        }
        return 0;
}

/* --- the command and its descendants --- */

static __always_inline int is_followed(__u32 pid)
{
        __u32 all = WALK_ALL;

        return bpf_map_lookup_elem(&followed, &pid) || !bpf_map_lookup_elem(&followed, &all);
}

/* Without room for a child all processes are sampled: the recorder leaves out those of others, too. */
static __always_inline void follow(struct task_struct *child, __u32 from, __u32 to)
{
        __u32 all = WALK_ALL;
        __u64 signal = (__u64)BPF_CORE_READ(child, signal);

        if (!bpf_map_lookup_elem(&followed, &from))
                bpf_map_delete_elem(&followed, &to);
        else if (bpf_map_update_elem(&followed, &to, &signal, BPF_ANY))
                bpf_map_delete_elem(&followed, &all);
}

/* --- the programs --- */

/* In a system call the stack pointer is that with which the thread entered the kernel. */
static __always_inline __u64 user_stack_pointer(struct bpf_perf_event_data *ctx)
{
        __u64 sp = PT_REGS_SP(&ctx->regs);

        /* The two loads must stay apart, because the kernel translates that of the context. */
        asm volatile("" : "+r"(sp));
        if (!(ctx->regs.cs & 3))
                sp = ((struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf()))->rsp;
        return sp;
}

/* Sends what the recorder needs of a thread of this process. */
static __always_inline void send_sample(struct scratch *s, const struct walk_process *process,
                                        const struct walk_layout *l, struct task_struct *task)
{
        struct walk_message *m = &s->message;

        m->tls = BPF_CORE_READ(task, thread.fsbase);
        m->binary = process->binary;
        m->bias = process->bias;
        m->born_ns = process->born_ns;
        s->used = 0;
        s->n_samples++;
        find_states(s, l, process->runtime);
        add_piece(s, process->runtime + l->runtime_interpreters, 8, 8);
        if (l->runtime_current != WALK_NO_FIELD)
                add_piece(s, process->runtime + l->runtime_current, 8, 8);
        if (l->wants_holder)
                find_holder(s, l, process->runtime);
        m->n_states = s->found.n_states;
        for (__u32 i = 0; i < WALK_MAX_STATES; i++) {
                m->states[i] = s->found.states[i];
                if (i < m->n_states && m->states[i])
                        walk_state(s, l, m->states[i]);
        }
        send_stack(s, l);
        m->until_ns = bpf_ktime_get_ns();
        if (send(m, s->used, WALK_SCRATCH_BYTES))
                COUNT(n_lost_samples);
}

SEC("perf_event")
int on_sample(struct bpf_perf_event_data *ctx)
{
        __u64 id = bpf_get_current_pid_tgid();
        __u32 cpu = bpf_get_smp_processor_id();
        struct scratch *s = bpf_map_lookup_elem(&scratches, &cpu);
        struct walk_process *process;
        struct walk_layout *l;
        struct walk_message *m;

        if (!is_followed((__u32)(id >> 32)))
                return 0; /* the kernel writes no sample */
        if (!s || !id)
                return 1;
        m = &s->message;
        __builtin_memset(m, 0, sizeof(*m));
        m->kind = WALK_SAMPLE;
        m->pid = (__u32)(id >> 32);
        m->tid = (__u32)id;
        m->time_ns = bpf_ktime_get_ns();
        process = bpf_map_lookup_elem(&processes, &m->pid);
        if (!is_python(process, m) || !process)
                return 1;
        l = bpf_map_lookup_elem(&layouts, &process->binary);
        if (!l)
                return 1;
        m->ip = PT_REGS_IP(&ctx->regs);
        m->sp = user_stack_pointer(ctx);
        send_sample(s, process, l, (struct task_struct *)bpf_get_current_task());
        return 1;
}

/* A child has the interpreter of its parent until it executes another program. */
SEC("raw_tp/sched_process_fork")
int on_fork(struct bpf_raw_tracepoint_args *ctx)
{
        struct task_struct *parent = (struct task_struct *)ctx->args[0],
                           *child = (struct task_struct *)ctx->args[1];
        __u32 from = (__u32)BPF_CORE_READ(parent, tgid), to = (__u32)BPF_CORE_READ(child, tgid);
        struct walk_process *process, copy;

        if (from == to)
                return 0;
        follow(child, from, to);
        process = bpf_map_lookup_elem(&processes, &from);
        if (!process || process->kind != WALK_PYTHON) {
                bpf_map_delete_elem(&processes, &to);
                return 0;
        }
        copy = *process;
        copy.born_ns = bpf_ktime_get_ns();
        bpf_map_update_elem(&processes, &to, &copy, BPF_ANY);
        return 0;
}

/* What is known of the process is no longer true. */
static __always_inline void end_process(__u32 pid)
{
        struct walk_message end = {.kind = WALK_END, .pid = pid, .born_ns = bpf_ktime_get_ns()};
        struct walk_process *process = bpf_map_lookup_elem(&processes, &pid);

        if (!process)
                return;
        if (process->kind == WALK_PYTHON)
                send(&end, 0, 0);
        bpf_map_delete_elem(&processes, &pid);
}

SEC("raw_tp/sched_process_exec")
int on_exec(struct bpf_raw_tracepoint_args *ctx)
{
        __u32 pid = (__u32)(bpf_get_current_pid_tgid() >> 32);

        (void)ctx;
        bpf_map_delete_elem(&threads, &pid);
        end_process(pid);
        return 0;
}

SEC("raw_tp/sched_process_exit")
int on_exit(struct bpf_raw_tracepoint_args *ctx)
{
        struct task_struct *task = (struct task_struct *)ctx->args[0];
        __u64 id = bpf_get_current_pid_tgid();
        __u32 tid = (__u32)id;

        bpf_map_delete_elem(&threads, &tid);
        if (!BPF_CORE_READ(task, signal, live.counter))
                end_process((__u32)(id >> 32));
        return 0;
}

/* When the last thread is freed: at its exit the kernel still runs for it.  The number may be that of a new
 * process then. */
SEC("raw_tp/sched_process_free")
int on_free(struct bpf_raw_tracepoint_args *ctx)
{
        struct task_struct *task = (struct task_struct *)ctx->args[0];
        __u32 pid = (__u32)BPF_CORE_READ(task, tgid);
        __u64 signal = (__u64)BPF_CORE_READ(task, signal), *known = bpf_map_lookup_elem(&followed, &pid);

        if (known && *known == signal && !BPF_CORE_READ(task, signal, live.counter))
                bpf_map_delete_elem(&followed, &pid);
        return 0;
}
