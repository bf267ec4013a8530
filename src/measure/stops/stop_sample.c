/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns a thread that is stopped at an overflow into a PERF_RECORD_SAMPLE with the layout of the ring's event
 * and as much of its stack as is in use and fits into the record. */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#include "deep_stack.h"
#include "linux_maps.h"
#include "os.h"
#include "stop_internal.h"

enum {
        /* a record, whose size has 16 bits, has room for this much besides the other fields */
        STACK_LIMIT = 64512,
        CROWDED_STACK = 8192, /* used if more than CROWDED_BYTES of samples wait, to save memory */
        CROWDED_BYTES = 64 << 20,
        DEEP_CROWDED_BYTES = 32 << 20, /* then copies that do not fit into a record are left out */
        MAX_ASKED_CPU = 16,
};

/* --- registers --- */

#if defined(__aarch64__)
#define NT_THREAD_POINTER 0x401 /* NT_ARM_TLS */

static void read_regs(const struct user_regs_struct *user, int32_t tid, struct stop_thread *ret)
{
        struct iovec tls = {&ret->tls, sizeof(ret->tls)};

        memcpy(ret->regs, user->regs, sizeof(user->regs));
        ret->regs[arch_arm64.reg_sp] = user->sp;
        ret->regs[arch_arm64.reg_ip] = user->pc;
        ptrace(PTRACE_GETREGSET, tid, (void *)NT_THREAD_POINTER, &tls);
}
#else
/* In the order of perf's register numbers (uapi asm/perf_regs.h). */
static void read_regs(const struct user_regs_struct *user, int32_t tid, struct stop_thread *ret)
{
        const uint64_t by_number[] = {
                user->rax, user->rbx,    user->rcx, user->rdx, user->rsi, user->rdi, user->rbp, user->rsp,
                user->rip, user->eflags, user->cs,  user->ss,  user->ds,  user->es,  user->fs,  user->gs,
                user->r8,  user->r9,     user->r10, user->r11, user->r12, user->r13, user->r14, user->r15,
        };

        (void)tid;
        memcpy(ret->regs, by_number, sizeof(by_number));
        ret->tls = user->fs_base;
}
#endif

bool stop_sample_read_regs(struct stop_thread *ret)
{
        struct user_regs_struct user;
        struct iovec all = {&user, sizeof(user)};

        if (ptrace(PTRACE_GETREGSET, ret->tid, (void *)NT_PRSTATUS, &all) || all.iov_len != sizeof(user))
                return false;
        read_regs(&user, ret->tid, ret);
        ret->stack_addr = ret->regs[linux_arch()->reg_sp];
        return true;
}

uint64_t stop_sample_tls(int32_t tid)
{
        struct stop_thread thread = {.tid = tid};

        return stop_sample_read_regs(&thread) ? thread.tls : 0;
}

/* --- the stack --- */

/* Finds the mapping that contains the stack pointer. */
static void find_stack(struct stop_task *task, uint64_t sp)
{
        struct linux_maps maps;
        struct linux_map map = {0};

        linux_maps_begin(&maps, task->process->pid);
        while (map.end <= sp && linux_maps_next(&maps, &map))
                ;
        linux_maps_end(&maps);
        task->stack_start = task->stack_end = 0;
        if (sp >= map.start && sp < map.end) {
                task->stack_start = map.start;
                task->stack_end = map.end;
        }
}

/* The used size of the stack. The stack of a thread created by pthread_create ends below its thread pointer;
 * the rest of the mapping contains other data. */
static uint64_t used_stack(struct stop_task *task, const struct stop_thread *thread)
{
        uint64_t sp = thread->stack_addr, end;

        if (sp < task->stack_start || sp >= task->stack_end)
                find_stack(task, sp);
        end = task->stack_end;
        if (thread->tls > sp && thread->tls < end)
                end = thread->tls;
        return end > sp ? end - sp : 0;
}

/* glibc registers rseq at the start of each thread. */
static void find_cpu(struct stop_task *task)
{
        enum { GET_RSEQ = 0x420f, CPU_ID_OFF = 4 }; /* PTRACE_GET_RSEQ_CONFIGURATION */
        struct {
                uint64_t addr;
                uint32_t size, signature, flags, pad;
        } rseq;

        if (task->cpu_addr || task->n_asked_cpu >= MAX_ASKED_CPU)
                return;
        task->n_asked_cpu++;
        /* Not ptrace(): C libraries disagree on the type of an unnamed request. */
        if (syscall(SYS_ptrace, GET_RSEQ, task->tid, sizeof(rseq), &rseq) == sizeof(rseq) && rseq.addr)
                task->cpu_addr = rseq.addr + CPU_ID_OFF;
}

/* Reads CPU number and stack with one system call. Returns the number of stack bytes read. */
static size_t read_memory(struct stop_task *task, uint64_t sp, void *stack, size_t size, uint32_t *ret_cpu)
{
        struct iovec to[] = {{ret_cpu, sizeof(*ret_cpu)}, {stack, size}};
        struct iovec from[] = {{(void *)(uintptr_t)task->cpu_addr, sizeof(*ret_cpu)},
                               {(void *)(uintptr_t)sp, size}};
        size_t first = task->cpu_addr ? 0 : 1, rest;
        ssize_t n = process_vm_readv(task->tid, to + first, 2 - first, from + first, 2 - first, 0);

        rest = first ? 0 : sizeof(*ret_cpu);
        if (n >= (ssize_t)rest)
                return (size_t)n - rest;
        task->cpu_addr = 0; /* the thread's memory was freed */
        *ret_cpu = UINT32_MAX;
        n = process_vm_readv(task->tid, to + 1, 1, from + 1, 1, 0);
        return n > 0 ? (size_t)n : 0;
}

/* --- the record --- */

/* The fields are in the order of the bits of sample_type, except that IDENTIFIER comes first
 * (perf_event_open(2)). Returns the offset of the CPU, which is filled in later; 0 if there is none. */
static size_t add_fields(struct stop_guardian *g, struct stop_task *task, const struct stop_thread *thread,
                         struct buf *out)
{
        const struct perf_attr *attr = &g->start.attr;
        size_t cpu_at = 0;

        if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
                buf_add_u64(out, g->start.id);
        if (attr->sample_type & PERF_SAMPLE_IP)
                buf_add_u64(out, thread->regs[linux_arch()->reg_ip]);
        if (attr->sample_type & PERF_SAMPLE_TID) {
                buf_add_u32(out, (uint32_t)thread->pid);
                buf_add_u32(out, (uint32_t)thread->tid);
        }
        if (attr->sample_type & PERF_SAMPLE_TIME)
                buf_add_u64(out, thread->time_ns);
        if (attr->sample_type & PERF_SAMPLE_CPU) {
                cpu_at = out->len;
                buf_add_u64(out, UINT32_MAX);
        }
        if (attr->sample_type & PERF_SAMPLE_PERIOD)
                buf_add_u64(out, stop_pace_has(task) ? task->paced.weight_ns
                                 : g->period         ? g->period
                                                     : stop_event_read_period(task));
        if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
                buf_add_u64(out, 0);
        if (attr->sample_type & PERF_SAMPLE_REGS_USER) {
                buf_add_u64(out, PERF_SAMPLE_REGS_ABI_64);
                for (unsigned i = 0; i < ARCH_REGS_MAX; i++) {
                        if (attr->sample_regs_user >> i & 1)
                                buf_add_u64(out, thread->regs[i]);
                }
        }
        return cpu_at;
}

/* Adds the size of the copy, the copy, and the number of its filled bytes. As in the kernel's records, fewer
 * filled bytes than the size mean that the whole stack was copied. */
static void add_stack(struct stop_task *task, struct stop_thread *thread, uint64_t used, size_t limit,
                      struct buf *out, uint32_t *ret_cpu)
{
        size_t wanted = used < limit ? (size_t)used : limit, got, size, at = out->len;
        bool is_whole;
        uint64_t word;

        buf_add_u64(out, 0);
        buf_extend(out, wanted + 2 * sizeof(word));
        got = read_memory(task, thread->stack_addr, out->data + at + sizeof(word), wanted, ret_cpu);
        is_whole = got == used;
        size = is_whole ? ((got + 7) & ~(size_t)7) + 8 : got & ~(size_t)7;
        if (!thread->stack) {
                thread->stack = (const uint8_t *)out->data + at + sizeof(word);
                thread->stack_bytes = got;
        }
        if (is_whole)
                memset(out->data + at + sizeof(word) + got, 0, size - got);
        word = size;
        memcpy(out->data + at, &word, sizeof(word));
        buf_truncate(out, at + sizeof(word) + size);
        if (size)
                buf_add_u64(out, is_whole ? got : size);
}

/* Copies the stack for the unwinder, outside the record. If `is_crowded`, only marks it as left out. */
static void give_deep_stack(struct stop_guardian *g, struct stop_task *task, struct stop_thread *thread,
                            uint64_t used, bool is_crowded)
{
        size_t wanted = used < DEEP_STACK_LIMIT ? (size_t)used : DEEP_STACK_LIMIT;
        struct stop_deep_message message = {.is_left_out = is_crowded};
        struct stop_piece_of_message pieces[] = {{&message, sizeof(message)}, {NULL, 0}};
        uint32_t cpu;

        message.used_size = used > DEEP_STACK_LIMIT || is_crowded ? used : 0;
        if (!is_crowded) {
                buf_clear(&g->deep);
                buf_extend(&g->deep, wanted);
                thread->stack = (const uint8_t *)g->deep.data;
                thread->stack_bytes = read_memory(task, thread->stack_addr, g->deep.data, wanted, &cpu);
                message.is_whole = thread->stack_bytes == used;
                pieces[1] = (struct stop_piece_of_message){g->deep.data, thread->stack_bytes};
        }
        stop_channel_add(g->channel, STOP_DEEP_STACK, thread->tid, thread->time_ns, pieces, 2);
}

/* The ring's events count on some CPUs only (-c), and those that stop a thread on all. */
static bool is_wanted_cpu(const struct stop_guardian *g, int32_t tid, uint32_t cpu)
{
        const struct target *target = g->attach;

        if (!target || !target->n_cpus)
                return true;
        if (cpu == UINT32_MAX)
                cpu = stop_status_cpu(tid);
        for (size_t i = 0; i < target->n_cpus; i++) {
                if (target->cpus[i] == cpu)
                        return true;
        }
        return false;
}

static void add_record(struct stop_guardian *g, struct stop_task *task, struct stop_thread *thread,
                       uint64_t used, struct buf *out)
{
        struct perf_header header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_MISC_USER};
        size_t waiting = stop_channel_waiting(g->channel), limit = STACK_LIMIT, cpu_at;
        uint32_t cpu = UINT32_MAX;

        if (waiting > CROWDED_BYTES)
                limit = CROWDED_STACK;
        if (used > limit && g->start.is_unwound) {
                give_deep_stack(g, task, thread, used, waiting > DEEP_CROWDED_BYTES);
                limit = CROWDED_STACK;
        }
        buf_add(out, &header, sizeof(header));
        cpu_at = add_fields(g, task, thread, out);
        add_stack(task, thread, used, limit, out, &cpu);
        if (cpu_at)
                memcpy(out->data + cpu_at, &cpu, sizeof(cpu));
        header.size = (uint16_t)out->len;
        memcpy(out->data, &header, sizeof(header));
        if (!is_wanted_cpu(g, thread->tid, cpu))
                buf_clear(out);
}

/* The kernel lets a tracer without privilege read the memory of dumpable processes only, and a process may
 * cease to be dumpable (prctl) while it is traced. */
static bool hides_memory(const struct stop_thread *thread)
{
        uint64_t word;
        struct iovec to = {&word, sizeof(word)};
        struct iovec from = {(void *)(uintptr_t)thread->stack_addr, sizeof(word)};

        return process_vm_readv(thread->tid, &to, 1, &from, 1, 0) < 0 && errno == EPERM;
}

/* From now on its threads don't stop: the ring's samples have native stacks, which are better than none. */
static void leave_to_ring(struct stop_guardian *g, struct stop_process *process)
{
        process->is_hidden = true;
        stop_event_close_all(g, process);
        stop_process_tell_end(g, process->pid);
        stop_refusal_note(g, process->pid);
}

void stop_sample_take(struct stop_guardian *g, struct stop_task *task)
{
        struct stop_thread thread = {
                .pid = task->process->pid,
                .tid = task->tid,
                .image = task->process->image,
                .time_ns = os_monotonic_ns(),
        };

        buf_clear(&g->record);
        if (!stop_sample_read_regs(&thread))
                return; /* the thread was killed */
        thread.pc = thread.regs[linux_arch()->reg_ip];
        if (g->start.is_paced) {
                stop_records_see(g, task, thread.pc);
                thread.time_ns = os_monotonic_ns();
        }
        find_cpu(task);
        add_record(g, task, &thread, used_stack(task, &thread), &g->record);
        if (!g->record.len)
                return;
        if (!thread.stack_bytes && hides_memory(&thread)) {
                buf_clear(&g->record);
                leave_to_ring(g, task->process);
                return;
        }
        if (!g->start.is_paced || task->process->has_python)
                stop_frames_see(g->frames, &thread);
        task->stopped_ns = thread.time_ns;
        g->record_tid = thread.tid;
        g->record_ns = thread.time_ns;
}

void stop_sample_give(struct stop_guardian *g)
{
        const struct stop_piece_of_message piece = {g->record.data, g->record.len};

        if (!g->record.len)
                return;
        if (stop_channel_add(g->channel, STOP_SAMPLE, g->record_tid, g->record_ns, &piece, 1))
                g->facts->counts.n_stops++;
        else
                g->facts->counts.n_lost++;
        stop_channel_tell(g->channel);
        buf_clear(&g->record);
}
