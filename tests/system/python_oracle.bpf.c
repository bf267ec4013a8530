/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the Python frames of a thread in the kernel when an overflow sends the thread the signal that stops
 * it.
 *
 * The kernel sends this signal and delivers it on the same return to user mode, so the thread runs no
 * instruction between this and the stop at which the recorder reads the frames.  Therefore both read the
 * same state, and the recorder needs no hook.  A thread that blocks the signal stops later; its samples are
 * marked. */
#include <linux/types.h>

#include <asm/ptrace.h>
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "python_oracle.h"

struct hrtimer {
        void *function;
} __attribute__((preserve_access_index));

char oracle_license[] SEC("license") = "Dual BSD/GPL";

enum {
        MAX_THREADS = 4096,
        MAX_STEPS = 2 * ORACLE_MAX_FRAMES, /* at most one frame for C code follows each other frame */
        OWNER_C = 3,                       /* enum _frameowner: from here on, owners run no code */
        TAG_BITS = 3,                      /* of the reference to the code object, from 3.14 on */
        SI_CODE_OFF = 8,                   /* in struct siginfo */
        SI_PERF_FLAGS_OFF = 36,
        TRAP_ASYNC = 1, /* TRAP_PERF_FLAG_ASYNC */
        RING_BYTES = 1 << 26,
        SENT = 0, /* enum trace_signal_result */
#ifdef __TARGET_ARCH_arm64
        SYSCALL_PRCTL = 167,
#else
        SYSCALL_PRCTL = 157,
#endif
};

struct {
        __uint(type, BPF_MAP_TYPE_ARRAY);
        __uint(max_entries, 1);
        __type(key, __u32);
        __type(value, struct oracle_layout);
} layouts SEC(".maps");

/* tid -> its thread states */
struct {
        __uint(type, BPF_MAP_TYPE_HASH);
        __uint(max_entries, MAX_THREADS);
        __type(key, __u32);
        __type(value, struct oracle_states);
} states SEC(".maps");

/* One for each CPU, because tracepoints are not preempted.  BPF_MAP_TYPE_PERCPU_ARRAY does not allow values
 * of this size. */
struct {
        __uint(type, BPF_MAP_TYPE_ARRAY);
        __uint(max_entries, 1); /* python_oracle.c sets it to the number of CPUs */
        __type(key, __u32);
        __type(value, struct oracle_sample);
} scratch SEC(".maps");

struct {
        __uint(type, BPF_MAP_TYPE_RINGBUF);
        __uint(max_entries, RING_BYTES);
} ring SEC(".maps");

struct {
        __uint(type, BPF_MAP_TYPE_ARRAY);
        __uint(max_entries, 1);
        __type(key, __u32);
        __type(value, __u64);
} lost SEC(".maps");

static __always_inline int read_word(__u64 addr, __u64 *ret_word)
{
        return bpf_probe_read_user(ret_word, sizeof(*ret_word), (void *)addr);
}

static __always_inline void write_sample(struct oracle_sample *sample)
{
        __u64 size = sizeof(*sample) - sizeof(sample->frames) + sample->n_frames * sizeof(sample->frames[0]);
        __u32 zero = 0;
        __u64 *n_lost;

        if (size <= sizeof(*sample) && bpf_ringbuf_output(&ring, sample, size, 0)) {
                n_lost = bpf_map_lookup_elem(&lost, &zero);
                if (n_lost)
                        __sync_fetch_and_add(n_lost, 1);
        }
}

/* The recorder's samples after this are not those of signals before it. */
static __always_inline void write_left(__u32 tid)
{
        struct {
                __u32 tid;
                __u16 is_whole, is_delayed;
                __u64 time_ns, ip, n_frames;
        } left = {.tid = tid, .is_whole = ORACLE_LEFT, .time_ns = bpf_ktime_get_ns()};

        bpf_ringbuf_output(&ring, &left, sizeof(left), 0);
}

/* prctl(ANY, ORACLE_MAGIC(pid), STATE, OUTER) passes the thread state of the calling thread, and the one
 * that runs the other's interpreter; 0: the thread is about to end. */
SEC("raw_tp/sys_enter")
int on_sys_enter(struct bpf_raw_tracepoint_args *ctx)
{
        struct pt_regs *regs = (struct pt_regs *)ctx->args[0];
        __u32 tid = (__u32)bpf_get_current_pid_tgid(), zero = 0;
        __u64 magic = 0;
        struct oracle_states passed = {};
        struct oracle_layout *layout;

        if (ctx->args[1] != SYSCALL_PRCTL)
                return 0;
        layout = bpf_map_lookup_elem(&layouts, &zero);
        bpf_probe_read_kernel(&magic, sizeof(magic), &PT_REGS_PARM2(regs));
        bpf_probe_read_kernel(&passed.states[0], sizeof(__u64), &PT_REGS_PARM3(regs));
        bpf_probe_read_kernel(&passed.states[1], sizeof(__u64), &PT_REGS_PARM4_SYSCALL(regs));
        if (!layout || magic != layout->magic)
                return 0;
        if (passed.states[0])
                bpf_map_update_elem(&states, &tid, &passed, BPF_ANY);
        else if (!bpf_map_delete_elem(&states, &tid))
                write_left(tid);
        return 0;
}

/* Without a name if the data is in a page that the process has not touched. */
static __always_inline void read_code(const struct oracle_layout *layout, struct oracle_frame *frame)
{
        __u64 name, file, lines;

        __builtin_memset(frame->lines, 0, sizeof(frame->lines));
        frame->first_line = 0;
        frame->name[0] = frame->file[0] = 0;
        if (read_word(frame->code + layout->code_name, &name) ||
            read_word(frame->code + layout->code_file, &file) ||
            read_word(frame->code + layout->code_lines, &lines) ||
            bpf_probe_read_user(frame->lines, sizeof(frame->lines), (void *)(lines + layout->bytes_data)) ||
            bpf_probe_read_user(&frame->first_line, sizeof(__u32),
                                (void *)(frame->code + layout->code_first_line)) ||
            bpf_probe_read_user_str(frame->file, sizeof(frame->file),
                                    (void *)(file + layout->text_ascii_bytes)) < 0 ||
            bpf_probe_read_user_str(frame->name, sizeof(frame->name),
                                    (void *)(name + layout->text_ascii_bytes)) < 0)
                frame->name[0] = 0;
}

struct walk {
        const struct oracle_layout *layout;
        struct oracle_sample *sample;
        __u64 addr;
        __u64 outer; /* the state whose frames follow */
        __u64 n;
};

/* The innermost frame of a state; 0: it can't be read. */
static __always_inline int read_innermost(const struct oracle_layout *layout, __u64 state, __u64 *ret_addr)
{
        return !read_word(state + layout->thread_frame, ret_addr) &&
               (layout->cframe_frame == ORACLE_NO_FIELD || !*ret_addr ||
                !read_word(*ret_addr + layout->cframe_frame, ret_addr));
}

/* One frame; 1 ends the walk.  Frames for C code are skipped. */
static long walk_frame(__u32 i, struct walk *walk)
{
        const struct oracle_layout *layout = walk->layout;
        __u64 addr = walk->addr, n = walk->n, previous, instr;
        struct oracle_frame *frame;
        __u8 owner = 0;

        (void)i;
        if (!addr && walk->outer) {
                if (!read_innermost(layout, walk->outer, &walk->addr))
                        return 1;
                walk->outer = 0;
                return 0;
        }
        if (!addr || n >= ORACLE_MAX_FRAMES)
                return 1;
        frame = &walk->sample->frames[n];
        if (read_word(addr + layout->frame_previous, &previous) ||
            read_word(addr + layout->frame_code, &frame->code) ||
            read_word(addr + layout->frame_instr, &instr))
                return 1;
        if (layout->frame_owner != ORACLE_NO_FIELD)
                bpf_probe_read_user(&owner, sizeof(owner), (void *)(addr + layout->frame_owner));
        walk->addr = previous;
        frame->code &= ~(__u64)TAG_BITS;
        if (owner >= OWNER_C)
                return 0;
        if (layout->code_instrs != ORACLE_NO_FIELD)
                frame->instr = (__s64)(instr - frame->code - layout->code_instrs);
        else
                frame->instr = (__s32)instr;
        read_code(layout, frame);
        walk->n = n + 1;
        return 0;
}

static __always_inline void walk_frames(const struct oracle_layout *layout,
                                        const struct oracle_states *states, struct oracle_sample *sample)
{
        struct walk walk = {.layout = layout, .sample = sample, .outer = states->states[1]};

        sample->n_frames = sample->is_whole = 0;
        if (!read_innermost(layout, states->states[0], &walk.addr))
                return;
        bpf_loop(MAX_STEPS, walk_frame, &walk, 0);
        sample->n_frames = walk.n;
        sample->is_whole = !walk.addr && !walk.outer;
}

static __always_inline int is_stop(const struct bpf_raw_tracepoint_args *ctx)
{
        __u64 info = ctx->args[1];
        __s32 code = 0;

        if (ctx->args[0] != ORACLE_SIGTRAP || ctx->args[2] != bpf_get_current_task() || ctx->args[4] != SENT)
                return 0;
        /* 0 and 1 are not addresses (SEND_SIG_NOINFO, SEND_SIG_PRIV). */
        return info > 1 && !bpf_probe_read_kernel(&code, sizeof(code), (void *)(info + SI_CODE_OFF)) &&
               code == ORACLE_TRAP_PERF;
}

static __always_inline void see_sample(const struct oracle_states *state, const struct oracle_layout *layout,
                                       struct oracle_sample *sample, __u32 tid)
{
        struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());

        bpf_probe_read_kernel(&sample->ip, sizeof(sample->ip), &PT_REGS_IP(regs));
        sample->tid = tid;
        sample->time_ns = bpf_ktime_get_ns();
        walk_frames(layout, state, sample);
        write_sample(sample);
}

/* The timer of an event that samples CPU time expires: the recorder's BPF program runs in the same interrupt,
 * unless the thread is in the kernel. */
SEC("raw_tp/hrtimer_expire_entry")
int on_timer(struct bpf_raw_tracepoint_args *ctx)
{
        __u32 tid = (__u32)bpf_get_current_pid_tgid(), zero = 0, cpu = bpf_get_smp_processor_id();
        struct oracle_states *state = bpf_map_lookup_elem(&states, &tid);
        struct oracle_layout *layout = bpf_map_lookup_elem(&layouts, &zero);
        struct oracle_sample *sample = bpf_map_lookup_elem(&scratch, &cpu);
        const struct hrtimer *timer = (const struct hrtimer *)ctx->args[0];

        if (!state || !layout || !sample || (__u64)BPF_CORE_READ(timer, function) != layout->timer_function)
                return 0;
        sample->is_delayed = 0;
        see_sample(state, layout, sample, tid);
        return 0;
}

SEC("raw_tp/signal_generate")
int on_signal(struct bpf_raw_tracepoint_args *ctx)
{
        __u32 tid = (__u32)bpf_get_current_pid_tgid(), zero = 0, cpu = bpf_get_smp_processor_id(), flags = 0;
        struct oracle_states *state = bpf_map_lookup_elem(&states, &tid);
        struct oracle_layout *layout = bpf_map_lookup_elem(&layouts, &zero);
        struct oracle_sample *sample = bpf_map_lookup_elem(&scratch, &cpu);

        if (!state || !layout || !sample || !is_stop(ctx))
                return 0;
        bpf_probe_read_kernel(&flags, sizeof(flags), (void *)(ctx->args[1] + SI_PERF_FLAGS_OFF));
        sample->is_delayed = flags & TRAP_ASYNC;
        see_sample(state, layout, sample, tid);
        return 0;
}
