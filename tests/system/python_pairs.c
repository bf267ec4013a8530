/* SPDX-License-Identifier: BSD-3-Clause */
/* Stops the main thread of a process repeatedly, pairs its native stack with its Python frames, and prints
 * a line for each stop:
 *
 *     merged<tab>PYTHON READS<tab>NAME NAME ...      innermost first, Python functions as py:NAME:LINE
 *     REASON<tab>PYTHON'S END<tab>the native stack
 *
 * python_pairs PID TIMES */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include "mem.h"
#include "python_code.h"
#include "python_pair.h"
#include "unwind_cfi.h"
#include "unwind_outermost.h"

enum { MAX_MODULES = 256, MAX_CODES = 4096, MAX_TRAMPOLINES = 8192 };

struct symbol {
        uint64_t addr, size;
        const char *name;
};

struct module {
        uint64_t start, end, bias;
        char file[512];
        struct object *object;
        struct cfi *cfi;
        struct outermost *outermost;
        struct symbol *symbols;
        size_t n_symbols, cap_symbols;
};

static struct module modules[MAX_MODULES];
static size_t n_modules;
static struct python_code codes[MAX_CODES];
static size_t n_codes;
static struct python_frame frames[PYTHON_MAX_FRAMES];
static struct unwind_frame natives[UNWIND_MAX_FRAMES];
static uint8_t kinds[UNWIND_MAX_FRAMES];
static struct python_link links[PYTHON_MAX_FRAMES + UNWIND_MAX_FRAMES];

/* Of -X perf. */
static struct symbol trampolines[MAX_TRAMPOLINES];
static size_t n_trampolines;

static bool read_process(void *ctx, uint64_t addr, void *ret_bytes, size_t size)
{
        struct iovec here = {ret_bytes, size}, there = {(void *)(uintptr_t)addr, size};

        return process_vm_readv(*(pid_t *)ctx, &here, 1, &there, 1, 0) == (ssize_t)size;
}

static bool read_word(void *ctx, uint64_t addr, uint64_t *ret_word)
{
        return read_process(ctx, addr, ret_word, sizeof(*ret_word));
}

/* --- Modules and symbols ---------------------------------------------------------------------------- */

static int compare_symbols(const void *a, const void *b)
{
        const struct symbol *x = a, *y = b;

        return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void add_symbols(struct module *module, enum object_table table)
{
        struct object_symbols symbols;
        struct object_symbol symbol;

        if (!object_symbols_begin(module->object, table, &symbols))
                return;
        while (object_symbols_next(&symbols, &symbol))
                if (symbol.is_defined && symbol.kind == OBJECT_SYMBOL_FUNCTION)
                        ARRAY_PUSH(module->symbols, module->n_symbols, module->cap_symbols,
                                   (struct symbol){symbol.addr, symbol.size_bytes,
                                                   object_symbols_name(&symbols, &symbol)});
}

static void open_module(struct module *module, uint64_t off)
{
        uint64_t addr;

        module->object = module->file[0] == '/' ? object_open(module->file, NULL) : NULL;
        if (!module->object)
                return;
        if (object_to_addr(module->object, off, &addr))
                module->bias = module->start - addr;
        module->cfi = cfi_open(module->object, NULL, NULL);
        module->outermost = outermost_new(module->object, module->cfi);
        add_symbols(module, OBJECT_SYMBOLS);
        add_symbols(module, OBJECT_DYNAMIC_SYMBOLS);
        if (module->n_symbols)
                qsort(module->symbols, module->n_symbols, sizeof(*module->symbols), compare_symbols);
}

static void read_maps(pid_t pid)
{
        char path[64], line[4096];
        FILE *maps;

        snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
        maps = fopen(path, "r");
        while (maps && fgets(line, sizeof(line), maps) && n_modules < MAX_MODULES) {
                struct module *module = &modules[n_modules];
                uint64_t off = 0;

                *module = (struct module){0};
                if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*2cx%*s %" SCNx64 " %*s %*s %511s", &module->start,
                           &module->end, &off, module->file) < 3)
                        continue;
                open_module(module, off);
                n_modules++;
        }
        if (maps)
                fclose(maps);
}

static void read_perf_map(pid_t pid)
{
        char path[64], line[4096];
        FILE *map;

        snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
        map = fopen(path, "r");
        while (map && fgets(line, sizeof(line), map) && n_trampolines < MAX_TRAMPOLINES) {
                struct symbol *symbol = &trampolines[n_trampolines];

                if (sscanf(line, "%" SCNx64 " %" SCNx64 " py::", &symbol->addr, &symbol->size) == 2) {
                        symbol->name = "py::trampoline";
                        n_trampolines++;
                }
        }
        if (map)
                fclose(map);
}

static const char *trampoline_at(uint64_t addr)
{
        for (size_t i = 0; i < n_trampolines; i++)
                if (addr - trampolines[i].addr < trampolines[i].size)
                        return trampolines[i].name;
        return NULL;
}

static bool is_trampoline(void *ctx, uint64_t addr)
{
        (void)ctx;
        return trampoline_at(addr) != NULL;
}

static bool read_code(void *ctx, uint64_t addr, uint8_t *ret_code, size_t size)
{
        return read_process(ctx, addr, ret_code, size);
}

static struct module *module_at(uint64_t addr)
{
        for (size_t i = 0; i < n_modules; i++)
                if (addr >= modules[i].start && addr < modules[i].end)
                        return &modules[i];
        return NULL;
}

static bool find_module(void *ctx, uint64_t addr, struct unwind_module *ret_module)
{
        const struct module *module = module_at(addr);

        (void)ctx;
        if (!module)
                return false;
        *ret_module = (struct unwind_module){.start = module->start,
                                             .end = module->end,
                                             .bias = module->bias,
                                             .object = module->object,
                                             .cfi = module->cfi,
                                             .has_file = module->file[0] == '/',
                                             .outermost = module->outermost};
        return true;
}

/* The function's name; NULL: it has none. */
static const char *name_of(const struct unwind_frame *frame)
{
        const struct module *module = module_at(frame->pc);
        uint64_t addr = frame->pc - !frame->is_exact - (module ? module->bias : 0);
        size_t low = 0, high = module ? module->n_symbols : 0;

        while (low < high) {
                size_t mid = (low + high) / 2;

                if (module->symbols[mid].addr <= addr)
                        low = mid + 1;
                else
                        high = mid;
        }
        while (low--)
                if (addr - module->symbols[low].addr < module->symbols[low].size)
                        return module->symbols[low].name;
                else if (addr - module->symbols[low].addr > 1 << 20)
                        break;
        return trampoline_at(frame->pc - !frame->is_exact);
}

static bool find_binary(struct python_binary *ret_binary, uint64_t *ret_bias)
{
        for (size_t i = 0; i < n_modules; i++)
                if (modules[i].object &&
                    python_binary_find(modules[i].object, modules[i].file, ret_binary, NULL)) {
                        *ret_bias = modules[i].bias;
                        return true;
                }
        return false;
}

/* --- One stop --------------------------------------------------------------------------------------- */

static void print_python(const struct python_runtime *runtime, struct python_memory *memory,
                         const struct python_frame *frame)
{
        struct err err;
        size_t i = 0;

        while (i < n_codes &&
               (codes[i].addr != frame->code || !python_code_is_same(runtime, memory, &codes[i])))
                i++;
        if (i == n_codes) {
                if (n_codes == MAX_CODES ||
                    !python_code_read(runtime, memory, frame->code, &codes[i], &err)) {
                        printf("py:? ");
                        return;
                }
                n_codes++;
        }
        if (!codes[i].is_hidden)
                printf("py:%s:%d ", codes[i].name, python_code_line(&codes[i], frame->instr_bytes));
}

static void print_chain(const struct python_runtime *runtime, struct python_memory *memory, size_t n_links)
{
        for (size_t i = 0; i < n_links; i++) {
                const char *name;

                if (links[i].is_python) {
                        print_python(runtime, memory, &frames[links[i].index]);
                        continue;
                }
                name = name_of(&natives[links[i].index]);
                if (name)
                        printf("%s ", name);
                else
                        printf("? ");
        }
        printf("\n");
}

static void pair_once(struct python_runtime *runtime, struct python_thread *thread, pid_t pid,
                      const struct unwind_regs *regs)
{
        struct unwind_modules native_modules = {
                .find = find_module, .ctx = &pid, .read_code = read_code, .is_trampoline = is_trampoline};
        struct unwind_memory native_memory = {.read = read_word, .ctx = &pid};
        struct python_memory memory = {.read = read_process, .ctx = &pid};
        struct unwind_walked native;
        struct python_walked walked;
        struct python_stacks stacks;
        enum python_pair_end end;
        size_t n_links;

        python_stack_walk(runtime, thread, &memory, frames, PYTHON_MAX_FRAMES, &walked);
        unwind_walk(&native_modules, regs, &native_memory, natives, UNWIND_MAX_FRAMES, &native);
        for (size_t i = 0; i < native.n_frames; i++)
                kinds[i] = (uint8_t)python_native_of(name_of(&natives[i]));
        stacks = (struct python_stacks){.natives = natives,
                                        .kinds = kinds,
                                        .n_natives = native.n_frames,
                                        .is_native_whole = unwind_end_is_whole(native.end),
                                        .frames = frames,
                                        .n_frames = walked.n_frames,
                                        .python_end = walked.end,
                                        .has_shims = python_stack_has_shims(&runtime->layout)};
        end = python_pair(&stacks, links, sizeof(links) / sizeof(links[0]), &n_links, &(size_t){0});
        if (end == PYTHON_PAIR_MERGED)
                printf("merged\t%u\t", walked.n_reads);
        else
                printf("%s\t%s\t", python_pair_end_text(end), python_end_text(walked.end));
        print_chain(runtime, &memory, n_links);
}

#ifdef __x86_64__
static void get_regs(pid_t tid, struct unwind_regs *regs, struct python_thread *thread)
{
        struct user_regs_struct user = {0};
        struct iovec iov = {&user, sizeof(user)};
        uint64_t by_number[17];

        ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &iov);
        memcpy(by_number,
               (uint64_t[]){user.rax, user.rdx, user.rcx, user.rbx, user.rsi, user.rdi, user.rbp, user.rsp,
                            user.r8, user.r9, user.r10, user.r11, user.r12, user.r13, user.r14, user.r15,
                            user.rip},
               sizeof(by_number));
        *regs = (struct unwind_regs){.machine = OBJECT_MACHINE_X86_64};
        for (unsigned i = 0; i < 17; i++)
                unwind_set_reg(regs, i, by_number[i]);
        thread->pointer = user.fs_base;
        thread->pc = user.rip;
        thread->sp = user.rsp;
}
#else
static void get_regs(pid_t tid, struct unwind_regs *regs, struct python_thread *thread)
{
        struct user_regs_struct user = {0};
        struct iovec iov = {&user, sizeof(user)};

        ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &iov);
        *regs = (struct unwind_regs){.machine = OBJECT_MACHINE_ARM64};
        for (unsigned i = 0; i < 31; i++)
                unwind_set_reg(regs, i, user.regs[i]);
        unwind_set_reg(regs, UNWIND_ARM64_SP, user.sp);
        unwind_set_reg(regs, UNWIND_ARM64_PC, user.pc);
        iov = (struct iovec){&thread->pointer, sizeof(thread->pointer)};
        ptrace(PTRACE_GETREGSET, tid, NT_ARM_TLS, &iov);
        thread->pc = user.pc;
        thread->sp = user.sp;
}
#endif

static void release(struct python_runtime *runtime)
{
        while (n_codes)
                python_code_release(&codes[--n_codes]);
        for (size_t i = 0; i < n_modules; i++) {
                outermost_free(modules[i].outermost);
                cfi_free(modules[i].cfi);
                object_free(modules[i].object);
                free(modules[i].symbols);
        }
        python_runtime_release(runtime);
}

int main(int argc, char **argv)
{
        pid_t pid = argc > 2 ? atoi(argv[1]) : 0;
        int n_times = argc > 2 ? atoi(argv[2]) : 0, status;
        struct python_thread thread = {0};
        struct python_binary binary;
        struct python_runtime runtime;
        uint64_t bias, random = 1;

        if (!pid || ptrace(PTRACE_SEIZE, pid, NULL, NULL)) {
                fprintf(stderr, "ptrace is refused\n");
                return 3;
        }
        read_maps(pid);
        read_perf_map(pid);
        if (!find_binary(&binary, &bias)) {
                fprintf(stderr, "no file of the process defines _PyRuntime\n");
                return 1;
        }
        python_runtime_init(&runtime, &binary, bias);
        for (int i = 0; i < n_times; i++) {
                struct unwind_regs regs;
                struct timespec pause = {.tv_nsec = 200000 + (long)((random >> 33) % 400000)};

                random = random * 6364136223846793005u + 1442695040888963407u;
                nanosleep(&pause, NULL);
                if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) || waitpid(pid, &status, __WALL) != pid ||
                    !WIFSTOPPED(status))
                        break;
                get_regs(pid, &regs, &thread);
                pair_once(&runtime, &thread, pid, &regs);
                ptrace(PTRACE_CONT, pid, NULL, status >> 16 ? 0 : WSTOPSIG(status));
        }
        release(&runtime);
        return 0;
}
