/* SPDX-License-Identifier: BSD-3-Clause */
/* Privileged programs that a traced process executes. If the tracer lacks privilege, the kernel runs a setuid
 * program, or one with file capabilities, without its privilege. At the exec stop nothing of the program has
 * run yet, so the program is made to execute itself again, and the process is detached at the start of that
 * system call. */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "os.h"
#include "stop_internal.h"

enum { MAX_NAME = 4096, MAX_VDSO = 8192 };

/* The state of a process that repeats its exec. */
enum { OLD_EXEC_RETURNS = 1, NEW_EXEC_BEGINS };

/* --- which programs --- */

enum stop_privilege stop_again_privilege(const struct stop_guardian *g, int32_t pid)
{
        struct statvfs mount;
        struct stat file;
        char path[64];

        if (g->keeps_privilege)
                return STOP_NO_PRIVILEGE;
        snprintf(path, sizeof(path), "/proc/%" PRId32 "/exe", pid);
        if (stat(path, &file))
                return errno == EACCES || errno == EPERM ? STOP_NOT_READABLE : STOP_NO_PRIVILEGE;
        if (!statvfs(path, &mount) && mount.f_flag & ST_NOSUID)
                return STOP_NO_PRIVILEGE;
        if ((file.st_mode & S_ISUID && file.st_uid != geteuid()) ||
            (file.st_mode & S_ISGID && file.st_mode & S_IXGRP && file.st_gid != getegid()) ||
            getxattr(path, "security.capability", NULL, 0) > 0)
                return STOP_PRIVILEGE;
        return STOP_NO_PRIVILEGE;
}

/* --- the stack of a new program: argc, argv, NULL, envp, NULL, auxiliary vector --- */

struct new_program {
        struct user_regs_struct regs;
        uint64_t sp, argv, envp, name, vdso;
};

static size_t read_at(int32_t pid, uint64_t addr, void *to, size_t size)
{
        struct iovec local = {to, size}, remote = {(void *)(uintptr_t)addr, size};
        ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);

        return n > 0 ? (size_t)n : 0;
}

static uint64_t word_at(int32_t pid, uint64_t addr, bool *ok)
{
        uint64_t word = 0;

        *ok = read_at(pid, addr, &word, sizeof(word)) == sizeof(word) && *ok;
        return word;
}

static bool read_program(int32_t pid, struct new_program *ret)
{
        struct iovec all = {&ret->regs, sizeof(ret->regs)};
        uint64_t at, tag;
        bool ok = true;

        if (ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &all) || all.iov_len != sizeof(ret->regs))
                return false;
#if defined(__aarch64__)
        ret->sp = ret->regs.sp;
#else
        ret->sp = ret->regs.rsp;
#endif
        ret->argv = ret->sp + 8;
        ret->envp = ret->argv + 8 * (word_at(pid, ret->sp, &ok) + 1);
        for (at = ret->envp; word_at(pid, at, &ok) && ok;)
                at += 8;
        for (at += 8; ok && (tag = word_at(pid, at, &ok)) != AT_NULL; at += 16) {
                if (tag == AT_EXECFN)
                        ret->name = word_at(pid, at + 8, &ok);
                if (tag == AT_SYSINFO_EHDR)
                        ret->vdso = word_at(pid, at + 8, &ok);
        }
        return ok && ret->name && ret->vdso;
}

/* Finds an instruction that makes a system call; 0 if there is none. */
static uint64_t find_call(int32_t pid, uint64_t vdso)
{
#if defined(__aarch64__)
        static const uint8_t code[] = {0x01, 0x00, 0x00, 0xd4}; /* svc #0 */
#else
        static const uint8_t code[] = {0x0f, 0x05}; /* syscall */
#endif
        uint8_t bytes[MAX_VDSO];
        size_t n = read_at(pid, vdso, bytes, sizeof(bytes));
        const uint8_t *found;

        n = n ? n : read_at(pid, vdso, bytes, sizeof(bytes) / 2);
        found = memmem(bytes, n, code, sizeof(code));
        return found ? vdso + (uint64_t)(found - bytes) : 0;
}

/* Whether the name with which the program was executed still leads to its file. For a script it leads to the
 * script, and a name through a descriptor may have been closed. */
static bool leads_to_program(int32_t pid, const struct new_program *program)
{
        char name[MAX_NAME] = "", path[MAX_NAME + 64];
        struct stat file, there;

        read_at(pid, program->name, name, MAX_NAME - program->name % MAX_NAME);
        name[MAX_NAME - 1] = '\0';
        snprintf(path, sizeof(path), "/proc/%" PRId32 "/%s%s", pid, *name == '/' ? "root" : "cwd/", name);
        if (!*name || stat(path, &there))
                return false;
        snprintf(path, sizeof(path), "/proc/%" PRId32 "/exe", pid);
        return !stat(path, &file) && file.st_dev == there.st_dev && file.st_ino == there.st_ino;
}

/* Puts the name below the stack pointer, where nothing is in use. */
static bool name_by_link(int32_t pid, struct new_program *program)
{
        static char link[] = "/proc/self/exe";
        struct iovec local = {link, sizeof(link)}, remote = {NULL, sizeof(link)};

        program->name = (program->sp - 1024) & ~15ull;
        remote.iov_base = (void *)(uintptr_t)program->name;
        return process_vm_writev(pid, &local, 1, &remote, 1, 0) == (ssize_t)sizeof(link);
}

static bool set_call(int32_t pid, struct new_program *program, uint64_t at)
{
        struct iovec all = {&program->regs, sizeof(program->regs)};

#if defined(__aarch64__)
        program->regs.pc = at;
        program->regs.regs[8] = SYS_execve;
        program->regs.regs[0] = program->name;
        program->regs.regs[1] = program->argv;
        program->regs.regs[2] = program->envp;
#else
        program->regs.rip = at;
        program->regs.rax = SYS_execve;
        program->regs.orig_rax = (unsigned long long)-1; /* prevents a system call from being restarted */
        program->regs.rdi = program->name;
        program->regs.rsi = program->argv;
        program->regs.rdx = program->envp;
#endif
        return !ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &all);
}

static bool run_again(int32_t pid)
{
        struct new_program program = {0};
        uint64_t at;

        return read_program(pid, &program) && (at = find_call(pid, program.vdso)) != 0 &&
               (leads_to_program(pid, &program) || name_by_link(pid, &program)) &&
               set_call(pid, &program, at);
}

/* --- two stops --- */

void stop_again_begin(struct stop_guardian *g, int32_t pid)
{
        *map_put(&g->again, (uint64_t)pid, NULL) = OLD_EXEC_RETURNS;
        stop_trace_go_on(g, pid, 0);
}

bool stop_again_is(const struct stop_guardian *g, int32_t pid)
{
        return map_find(&g->again, (uint64_t)pid);
}

void stop_again_end(struct stop_guardian *g, int32_t pid)
{
        map_remove(&g->again, (uint64_t)pid);
}

void stop_again_see(struct stop_guardian *g, int32_t pid)
{
        uint64_t *state = map_find(&g->again, (uint64_t)pid);

        if (state && *state == OLD_EXEC_RETURNS && run_again(pid)) {
                *state = NEW_EXEC_BEGINS;
                stop_trace_go_on(g, pid, 0);
                return;
        }
        if (state && *state == OLD_EXEC_RETURNS)
                stop_names_add(&g->facts->unprivileged, pid);
        stop_again_end(g, pid);
        stop_trace_let_go(pid);
}
