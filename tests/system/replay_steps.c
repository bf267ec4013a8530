/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwinds at each instruction that steps_pe.c executed and compares with what happened: replay_steps FILE
 * IMAGE FOLDER, where IMAGE is the program and FOLDER has the libraries.
 *
 * The reference is the processor: a call puts its return address on the stack, and when it returns, the
 * caller has its old values in the registers that a callee must preserve. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cursor.h"
#include "err.h"
#include "mem.h"
#include "os.h"
#include "text.h"
#include "unwind_pe.h"

enum {
        MAX_FILE_BYTES = 128 << 20,
        NAME_BYTES = 256,
        MAX_CALLS = 256,
        N_REGS = 17,
        MAX_CALL_BYTES = 8,
        SHOWN = 20
};

/* rbx, rsi, rdi, rbp, r12 to r15, rsp, rip. */
static const uint8_t kept[] = {3, 4, 5, 6, 12, 13, 14, 15, UNWIND_X64_RSP, UNWIND_X64_RIP};

struct module {
        uint64_t start, size;
        struct object *object;
        char name[NAME_BYTES];
        uint64_t n_steps, n_wrong, n_differs;
};

struct replay {
        struct module *modules;
        size_t n_modules;
        struct unwind_regs calls[MAX_CALLS]; /* registers that each frame's caller has after the return */
        size_t n_calls;
        struct unwind_regs before;
        struct unwind_memory memory;
        uint64_t n_returns, n_wrong_returns;
        unsigned n_shown;
};

static const char *base_name(char *path)
{
        char *slash = strrchr(path, '\\');

        return slash ? slash + 1 : path;
}

static struct object *open_module(char *name, const char *image, const char *folder)
{
        AUTO_RELEASE(buf) path = {0};

        if (text_ends(name, ".exe"))
                return object_open(image, NULL);
        for (char *c = name; *c; c++)
                *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
        buf_printf(&path, "%s/%s", folder, base_name(name));
        return object_open(buf_text(&path), NULL);
}

static void read_modules(struct replay *r, struct cursor *c, const char *image, const char *folder)
{
        r->n_modules = (size_t)cursor_u64(c);
        if (r->n_modules > 64)
                exit(1);
        r->modules = mem_new(r->n_modules, sizeof(*r->modules));
        for (size_t i = 0; i < r->n_modules && !c->failed; i++) {
                struct module *module = &r->modules[i];
                const char *name;

                module->start = cursor_u64(c);
                module->size = cursor_u64(c);
                name = cursor_bytes(c, NAME_BYTES);
                snprintf(module->name, NAME_BYTES, "%.*s", NAME_BYTES - 1, name ? name : "");
                module->object = open_module(module->name, image, folder);
        }
}

static struct unwind_regs read_regs(struct cursor *c)
{
        struct unwind_regs regs = {.machine = OBJECT_MACHINE_X86_64};

        for (unsigned i = 0; i < N_REGS; i++)
                unwind_set_reg(&regs, i, cursor_u64(c));
        return regs;
}

static struct module *find_module(struct replay *r, uint64_t pc)
{
        for (size_t i = 0; i < r->n_modules; i++) {
                if (pc - r->modules[i].start < r->modules[i].size)
                        return &r->modules[i];
        }
        return NULL;
}

static bool are_equal(const struct unwind_regs *a, const struct unwind_regs *b)
{
        for (size_t i = 0; i < sizeof(kept); i++) {
                if (!unwind_has_reg(a, kept[i]) || a->values[kept[i]] != b->values[kept[i]])
                        return false;
        }
        return true;
}

/* Whether the step was a call or a return. */
static void follow(struct replay *r, const struct unwind_regs *now)
{
        uint64_t sp = now->values[UNWIND_X64_RSP], pc = now->values[UNWIND_X64_RIP], word;
        uint64_t old_pc = r->before.values[UNWIND_X64_RIP];

        while (r->n_calls && sp >= r->calls[r->n_calls - 1].values[UNWIND_X64_RSP])
                r->n_calls--;
        if (r->before.known && sp + 8 == r->before.values[UNWIND_X64_RSP] &&
            unwind_read_word(&r->memory, sp, &word) && word > old_pc && word <= old_pc + MAX_CALL_BYTES &&
            pc != word && r->n_calls < MAX_CALLS) {
                struct unwind_regs *caller = &r->calls[r->n_calls++];

                *caller = r->before;
                unwind_set_reg(caller, UNWIND_X64_RIP, word);
        }
        r->before = *now;
}

static bool unwind(struct replay *r, const struct module *module, bool is_exact,
                   const struct unwind_regs *from, struct unwind_regs *ret, enum unwind_pe *ret_how)
{
        uint64_t bias = module->start - object_get_facts(module->object)->load_addr;
        bool is_caller_exact;

        *ret = *from;
        *ret_how = unwind_pe_step(module->object, bias, is_exact, ret, &r->memory, &is_caller_exact);
        return *ret_how == UNWIND_PE_DONE || *ret_how == UNWIND_PE_LEAF;
}

static void show(struct replay *r, struct module *module, const char *what, const struct unwind_regs *at,
                 const struct unwind_regs *want, const struct unwind_regs *got, enum unwind_pe how)
{
        if (r->n_shown++ >= SHOWN)
                return;
        printf("%s at %s+0x%" PRIx64 " (%d):", what, base_name(module->name),
               at->values[UNWIND_X64_RIP] - module->start, how);
        for (size_t i = 0; i < sizeof(kept); i++) {
                if (!unwind_has_reg(got, kept[i]) || want->values[kept[i]] != got->values[kept[i]])
                        printf(" r%u 0x%" PRIx64 " not 0x%" PRIx64, kept[i], got->values[kept[i]],
                               want->values[kept[i]]);
        }
        printf("\n");
}

/* Unwinds from the return address on, each frame to its caller. */
static void check_returns(struct replay *r)
{
        for (size_t i = r->n_calls; i-- > 1;) {
                struct module *module = find_module(r, r->calls[i].values[UNWIND_X64_RIP]);
                struct unwind_regs got;
                enum unwind_pe how;

                if (!module || !module->object)
                        return;
                r->n_returns++;
                if (!unwind(r, module, false, &r->calls[i], &got, &how) ||
                    !are_equal(&got, &r->calls[i - 1])) {
                        r->n_wrong_returns++;
                        show(r, module, "return", &r->calls[i], &r->calls[i - 1], &got, how);
                }
        }
}

static void check_step(struct replay *r, struct module *module, const struct unwind_regs *now,
                       const struct unwind_regs *answer)
{
        const struct unwind_regs *want = &r->calls[r->n_calls - 1];
        struct unwind_regs got;
        enum unwind_pe how;

        module->n_steps++;
        if (!unwind(r, module, true, now, &got, &how) || !are_equal(&got, want)) {
                module->n_wrong++;
                show(r, module, are_equal(answer, want) ? "wrong" : "wrong, as Windows' own", now, want, &got,
                     how);
        }
        module->n_differs += !are_equal(answer, want);
}

static bool read_step(struct replay *r, struct cursor *c)
{
        struct unwind_regs now = read_regs(c), answer = read_regs(c);
        uint64_t size = cursor_u64(c);
        const void *stack = cursor_bytes(c, size);
        struct module *module = find_module(r, now.values[UNWIND_X64_RIP]);

        if (c->failed)
                return false;
        r->memory = (struct unwind_memory){
                .start = now.values[UNWIND_X64_RSP], .bytes = stack, .size = (size_t)size};
        follow(r, &now);
        if (!module || !module->object || !r->n_calls)
                return true;
        check_step(r, module, &now, &answer);
        check_returns(r);
        return true;
}

int main(int argc, char **argv)
{
        struct replay replay = {0};
        AUTO_RELEASE(buf) file = {0};
        struct err err = {0};
        struct cursor c;

        if (argc != 4 || !os_read_file(argv[1], MAX_FILE_BYTES, &file, &err)) {
                fprintf(stderr, "%s\n", argc == 4 ? err.text : "usage: replay_steps FILE IMAGE FOLDER");
                return 1;
        }
        c = cursor_make(file.data, file.len);
        read_modules(&replay, &c, argv[2], argv[3]);
        while (read_step(&replay, &c))
                ;
        for (size_t i = 0; i < replay.n_modules; i++) {
                struct module *module = &replay.modules[i];

                if (module->n_steps)
                        printf("%s: %" PRIu64 " instructions, %" PRIu64 " wrong; Windows' own: %" PRIu64
                               " wrong\n",
                               base_name(module->name), module->n_steps, module->n_wrong, module->n_differs);
                object_free(module->object);
        }
        printf("returns: %" PRIu64 ", %" PRIu64 " wrong\n", replay.n_returns, replay.n_wrong_returns);
        free(replay.modules);
        return 0;
}
