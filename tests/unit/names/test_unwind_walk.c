/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks over copies of this program's own stack: deep calls without frame pointers, callbacks from the C
 * library, signal handlers on their own stack, cut copies; compared with backtrace() at the same point. */
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "attributes.h"
#include "mem.h"
#include "tap.h"
#include "unwind_cfi.h"

enum { MAX_MODULES = 64, MAX_COPY_BYTES = 1 << 20, MAX_DEPTH = 256 };

#define NOINLINE __attribute__((noinline, noclone))

/* Without frame pointers, with a fixed optimisation level, in any build. */
#define LEAN __attribute__((noinline, noclone, optimize("O2", "omit-frame-pointer")))

/* --- The modules of this process --- */

struct own_modules {
        struct unwind_module items[MAX_MODULES];
        size_t n;
};

static struct object *open_vdso(const struct dl_phdr_info *info)
{
        const ElfW(Ehdr) *header = (const void *)info->dlpi_addr;

        if (!info->dlpi_addr || (uint64_t)info->dlpi_addr != getauxval(AT_SYSINFO_EHDR))
                return NULL;
        return object_open_bytes(header, header->e_shoff + (size_t)header->e_shnum * header->e_shentsize,
                                 "vdso", NULL);
}

static int add_module(struct dl_phdr_info *info, size_t size, void *data)
{
        struct own_modules *modules = data;
        const char *path = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
        struct object *object = open_vdso(info);
        struct cfi *cfi;

        (void)size;
        if (!object)
                object = object_open(path, NULL);
        cfi = object ? cfi_open(object, NULL, NULL) : NULL;
        for (unsigned i = 0; i < info->dlpi_phnum; i++) {
                const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
                uint64_t start = info->dlpi_addr + segment->p_vaddr;

                if (segment->p_type == PT_LOAD && segment->p_flags & PF_X && modules->n < MAX_MODULES)
                        modules->items[modules->n++] = (struct unwind_module){start, start + segment->p_memsz,
                                                                              info->dlpi_addr, object, cfi};
        }
        return 0;
}

static void own_modules_release(struct own_modules *modules)
{
        /* A file has one segment with code here, as linkers make them. */
        for (size_t i = 0; i < modules->n; i++) {
                if (i && modules->items[i - 1].object == modules->items[i].object)
                        continue;
                cfi_free(modules->items[i].cfi);
                object_free(modules->items[i].object);
        }
}

static bool find_own(void *ctx, uint64_t addr, struct unwind_module *ret_module)
{
        const struct own_modules *modules = ctx;

        for (size_t i = 0; i < modules->n; i++) {
                if (addr >= modules->items[i].start && addr < modules->items[i].end) {
                        *ret_module = modules->items[i];
                        return true;
                }
        }
        return false;
}

/* --- Capturing --- */

struct capture {
        struct unwind_regs regs;
        uint8_t *stack;
        size_t stack_bytes;
        uint64_t stack_addr;
        void *answers[MAX_DEPTH];
        int n_answers;
};

static struct capture capture;

static void take_regs(const ucontext_t *context, struct unwind_regs *regs)
{
        *regs = (struct unwind_regs){0};
#ifdef __x86_64__
        static const uint8_t order[17] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                          REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                          REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

        regs->machine = OBJECT_MACHINE_X86_64;
        for (unsigned i = 0; i < 17; i++)
                unwind_set_reg(regs, i, (uint64_t)context->uc_mcontext.gregs[order[i]]);
#else
        regs->machine = OBJECT_MACHINE_ARM64;
        for (unsigned i = 0; i < 31; i++)
                unwind_set_reg(regs, i, context->uc_mcontext.regs[i]);
        unwind_set_reg(regs, UNWIND_ARM64_SP, context->uc_mcontext.sp);
        unwind_set_reg(regs, UNWIND_ARM64_PC, context->uc_mcontext.pc);
#endif
}

static uint64_t stack_end(void)
{
        pthread_attr_t attr;
        void *start = NULL;
        size_t size = 0;

        if (pthread_getattr_np(pthread_self(), &attr) == 0) {
                pthread_attr_getstack(&attr, &start, &size);
                pthread_attr_destroy(&attr);
        }
        return (uint64_t)(uintptr_t)start + size;
}

/* Reads beyond this frame's variables on purpose. */
__attribute__((no_sanitize_address)) static void copy_words(uint8_t *to, uint64_t from, size_t size)
{
        for (size_t i = 0; i + 8 <= size; i += 8)
                *(uint64_t *)(void *)(to + i) = *(const volatile uint64_t *)(uintptr_t)(from + i);
}

struct walked {
        struct unwind_frame frames[MAX_DEPTH];
        struct unwind_walked result;
};

/* If set, the walk is done at once, over the current memory. */
static const struct own_modules *volatile live_modules;
static struct walked live_walk;

static void walk_capture(const struct own_modules *own, size_t stack_bytes, bool reads_memory,
                         struct walked *ret);

NOINLINE static int take_capture(void)
{
        ucontext_t context;
        uint64_t sp, end = stack_end();

        getcontext(&context);
        take_regs(&context, &capture.regs);
        sp = capture.regs.values[unwind_reg_sp(&capture.regs)];
        capture.stack_addr = sp;
        capture.stack_bytes = end > sp && end - sp < MAX_COPY_BYTES ? (size_t)(end - sp) : 0;
        free(capture.stack);
        capture.stack = mem_new(capture.stack_bytes + 8, 1);
        copy_words(capture.stack, sp, capture.stack_bytes);
        capture.n_answers = backtrace(capture.answers, MAX_DEPTH);
        if (live_modules)
                walk_capture(live_modules, 0, true, &live_walk);
        return capture.n_answers;
}

/* --- Comparing --- */

static bool read_own(void *ctx, uint64_t addr, uint64_t *ret_word)
{
        (void)ctx;
        copy_words((uint8_t *)ret_word, addr, sizeof(*ret_word));
        return addr != 0;
}

static void walk_capture(const struct own_modules *own, size_t stack_bytes, bool reads_memory,
                         struct walked *ret)
{
        struct unwind_modules modules = {.find = find_own, .ctx = (void *)own};
        struct unwind_memory memory = {
                .start = capture.stack_addr, .bytes = capture.stack, .size = stack_bytes, .is_whole = false};

        if (reads_memory)
                memory = (struct unwind_memory){.read = read_own};
        unwind_walk(&modules, &capture.regs, &memory, ret->frames, MAX_DEPTH, &ret->result);
}

/* X86-64: the return address is below the stack pointer after the return.  Others: callers' frames are
 * above. */
static void expect_stack_pointers(const struct walked *walked)
{
        EXPECT_INT(walked->frames[0].sp, capture.stack_addr);
        for (size_t i = 1; i < walked->result.n_frames; i++) {
                const struct unwind_frame *frame = &walked->frames[i];
                uint64_t word = frame->pc, off = frame->sp - 8 - capture.stack_addr;

                if (frame->is_exact)
                        continue;
                EXPECT_CMP(frame->sp, >=, walked->frames[i - 1].sp);
                if (capture.regs.machine == OBJECT_MACHINE_X86_64 && off < capture.stack_bytes)
                        memcpy(&word, capture.stack + off, sizeof(word));
                EXPECT_INT(word, frame->pc);
        }
}

/* The callers of take_capture are those of backtrace(), whose first frames are in the capturing code. */
static void expect_same(const struct walked *walked)
{
        size_t n = (size_t)capture.n_answers, skip = 0;

        ASSERT_CMP(walked->result.n_frames, >, 2);
        while (skip < n && (uint64_t)(uintptr_t)capture.answers[skip] != walked->frames[1].pc)
                skip++;
        if (skip > 3) {
                TAP_FAIL("the caller 0x%llx is not among backtrace()'s",
                         (unsigned long long)walked->frames[1].pc);
                return;
        }
        EXPECT_INT(walked->result.n_frames - 1, n - skip);
        for (size_t i = 1; i < walked->result.n_frames && skip + i - 1 < n; i++)
                EXPECT_INT(walked->frames[i].pc, (uintptr_t)capture.answers[skip + i - 1]);
        expect_stack_pointers(walked);
}

static struct own_modules load_modules(void)
{
        struct own_modules modules = {.n = 0};

        dl_iterate_phdr(add_module, &modules);
        return modules;
}

static void expect_whole(const struct walked *walked)
{
        expect_same(walked);
        EXPECT_STR(unwind_end_text(walked->result.end), "outermost");
        EXPECT_INT(walked->result.n_by_way[UNWIND_WAY_CFI] + walked->result.n_by_way[UNWIND_WAY_SIGNAL],
                   walked->result.n_frames - 1);
}

static void expect_whole_copy(void)
{
        AUTO_RELEASE(own_modules) own = load_modules();
        struct walked walked;

        walk_capture(&own, capture.stack_bytes, false, &walked);
        expect_whole(&walked);
}

/* --- Programs --- */

static volatile int sink;

LEAN static int descend(int depth)
{
        volatile char room[40];
        int value;

        room[0] = (char)depth;
        value = depth ? descend(depth - 1) : take_capture();
        return value + room[0];
}

TEST(unwind_walk_deep_calls)
{
        sink = descend(60);
        expect_whole_copy();
}

static int compare(const void *a, const void *b)
{
        if (!capture.n_answers)
                sink = descend(3);
        return *(const int *)a - *(const int *)b;
}

/* Through the C library and back. */
TEST(unwind_walk_callback)
{
        int numbers[8] = {3, 1, 2, 7, 5, 4, 0, 6};

        capture.n_answers = 0;
        qsort(numbers, N_ELEMENTS(numbers), sizeof(*numbers), compare);
        expect_whole_copy();
}

static void handle(int number)
{
        sink = number + descend(2);
}

LEAN static void raise_deep(int depth)
{
        if (depth)
                raise_deep(depth - 1);
        else
                raise(SIGUSR1);
        /* raise() is declared as a function that calls nothing in this file. */
        __asm__ volatile("" : : : "memory");
        sink = depth;
}

static void set_handler(int number, int flags)
{
        struct sigaction action = {.sa_handler = handle, .sa_flags = flags};

        sigaction(number, &action, NULL);
}

static size_t count_exact(const struct walked *walked)
{
        size_t n = 0;

        for (size_t i = 1; i < walked->result.n_frames; i++)
                n += walked->frames[i].is_exact;
        return n;
}

TEST(unwind_walk_signal)
{
        AUTO_RELEASE(own_modules) own = load_modules();
        struct walked walked;

        set_handler(SIGUSR1, 0);
        raise_deep(5);
        set_handler(SIGUSR1, SA_RESETHAND);
#ifdef __aarch64__
        /* The emulator's trampoline is in no file. */
        if (!getauxval(AT_SYSINFO_EHDR))
                SKIP("there is no vdso");
#endif
        expect_whole_copy();
        walk_capture(&own, capture.stack_bytes, false, &walked);
        EXPECT_INT(count_exact(&walked), 2);
}

TEST(unwind_walk_signal_on_its_own_stack)
{
        AUTO_RELEASE(own_modules) own = load_modules();
        size_t size = 1 << 18;
        stack_t stack = {.ss_sp = malloc(size), .ss_size = size}, none = {.ss_flags = SS_DISABLE};

#ifdef __aarch64__
        if (!getauxval(AT_SYSINFO_EHDR))
                SKIP("there is no vdso");
#endif
        sigaltstack(&stack, NULL);
        set_handler(SIGUSR1, SA_ONSTACK);
        live_modules = &own;
        raise_deep(4);
        live_modules = NULL;
        set_handler(SIGUSR1, SA_RESETHAND);
        sigaltstack(&none, NULL);
        free(stack.ss_sp);
        expect_whole(&live_walk);
        EXPECT_INT(count_exact(&live_walk), 2);
}

TEST(unwind_walk_cut_stacks)
{
        AUTO_RELEASE(own_modules) own = load_modules();
        struct walked whole, cut;

        sink = descend(60);
        walk_capture(&own, capture.stack_bytes, false, &whole);
        ASSERT_CMP(whole.result.n_frames, >, 60);
        for (size_t size = 0; size < 4096; size += 256) {
                walk_capture(&own, size, false, &cut);
                EXPECT_STR(unwind_end_text(cut.result.end), "cut");
                EXPECT_CMP(cut.result.n_frames, <, whole.result.n_frames);
                for (size_t i = 0; i < cut.result.n_frames; i++)
                        EXPECT_INT(cut.frames[i].pc, whole.frames[i].pc);
        }
}

#ifdef __x86_64__

/* --- Only the stack pointer and the pc are known, as of a thread in a system call --- */

#define FRAMED                                                                                               \
        __attribute__((noinline, noclone, no_sanitize_address, optimize("O2", "no-omit-frame-pointer")))
#define VARIABLE __attribute__((noinline, noclone, no_sanitize_address, optimize("O2", "omit-frame-pointer")))

static bool read_own_memory(void *ctx, uint64_t addr, void *ret, size_t size)
{
        (void)ctx;
        memcpy(ret, (const void *)(uintptr_t)addr, size);
        return true;
}

static void walk_two_registers(const struct own_modules *own, struct walked *ret)
{
        struct unwind_modules modules = {
                .find = find_own, .ctx = (void *)own, .read_memory = read_own_memory};
        struct unwind_memory memory = {.start = capture.stack_addr,
                                       .bytes = capture.stack,
                                       .size = capture.stack_bytes,
                                       .is_whole = true};
        struct unwind_regs regs = capture.regs;

        regs.known = 1ull << unwind_reg_sp(&regs) | 1ull << unwind_reg_pc(&regs);
        unwind_walk(&modules, &regs, &memory, ret->frames, MAX_DEPTH, &ret->result);
}

/* What calls the capture knows the size of its frame. */
LEAN static int call_capture(int value)
{
        return take_capture() + value;
}

FRAMED static int call_framed(int (*next)(int), int depth)
{
        volatile char room[100];

        room[0] = (char)depth;
        return (depth ? call_framed(next, depth - 1) : next(depth)) + room[0];
}

VARIABLE static int call_variable(int (*next)(int), int size)
{
        volatile char *room = __builtin_alloca((size_t)size);

        room[0] = room[size - 1] = 1;
        return next(size) + room[0];
}

static int framed_in_variable(int value)
{
        return call_variable(call_capture, 300 + value) + 1;
}

static const char *end_without_search(void)
{
        AUTO_RELEASE(own_modules) own = load_modules();
        struct unwind_modules modules = {.find = find_own, .ctx = &own};
        struct unwind_memory memory = {
                .start = capture.stack_addr, .bytes = capture.stack, .size = capture.stack_bytes};
        struct unwind_regs regs = capture.regs;
        struct walked walked;

        regs.known = 1ull << unwind_reg_sp(&regs) | 1ull << unwind_reg_pc(&regs);
        unwind_walk(&modules, &regs, &memory, walked.frames, MAX_DEPTH, &walked.result);
        return unwind_end_text(walked.result.end);
}

/* The compiler may let the function that takes the capture save the frame pointer; then it is known. */
#define need_search()                                                                                        \
        do {                                                                                                 \
                if (strcmp(end_without_search(), "no register"))                                             \
                        SKIP("a build whose capture leaves the frame pointer alone");                        \
        } while (0)

static void expect_searched(void)
{
        AUTO_RELEASE(own_modules) own = load_modules();
        struct walked walked;

        walk_two_registers(&own, &walked);
        expect_same(&walked);
        EXPECT_STR(unwind_end_text(walked.result.end), "outermost");
        EXPECT_INT(walked.result.n_by_way[UNWIND_WAY_SEARCH], 1);
}

TEST(unwind_search_of_frames_of_known_size)
{
        sink = call_framed(call_capture, 0);
        need_search();
        for (int depth = 0; depth < 4; depth++) {
                sink = call_framed(call_capture, depth);
                expect_searched();
        }
}

TEST(unwind_search_of_frames_of_variable_size)
{
        sink = call_variable(call_capture, 1);
        need_search();
        for (int size = 1; size < 3000; size += 500) {
                sink = call_variable(call_capture, size);
                expect_searched();
        }
}

/* Calls through pointers further out are no second candidates. */
TEST(unwind_search_below_calls_through_pointers)
{
        sink = call_framed(framed_in_variable, 3);
        need_search();
        expect_searched();
}

/* Without the right to read code nothing is searched for. */
TEST(unwind_search_needs_memory)
{
        sink = call_framed(call_capture, 2);
        need_search();
        EXPECT_STR(end_without_search(), "no register");
}
#endif

static void *run_thread(void *arg)
{
        sink = descend(10);
        return arg;
}

TEST(unwind_walk_thread)
{
        pthread_t thread;

        ASSERT_CMP(pthread_create(&thread, NULL, run_thread, NULL), ==, 0);
        pthread_join(thread, NULL);
        expect_whole_copy();
}

TAP_MAIN
