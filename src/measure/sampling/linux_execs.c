/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux_execs.h"

#include <string.h>

#include "attributes.h"
#include "object.h"

/* The code before the return from execve and execveat in a C library: it ends with the system call. */
static const struct call {
        enum object_machine machine;
        const char *code;
        uint8_t size;
} calls[] = {
        {OBJECT_MACHINE_X86_64, "\xb8\x3b\0\0\0\x0f\x05", 7},      /* mov $59, %eax; syscall */
        {OBJECT_MACHINE_X86_64, "\xb8\x42\x01\0\0\x0f\x05", 7},    /* mov $322, %eax; syscall */
        {OBJECT_MACHINE_ARM64, "\xa8\x1b\x80\xd2\x01\0\0\xd4", 8}, /* mov x8, #221; svc #0 */
        {OBJECT_MACHINE_ARM64, "\x28\x23\x80\xd2\x01\0\0\xd4", 8}, /* mov x8, #281; svc #0 */
};

void execs_begin(struct execs *execs, int32_t pid)
{
        execs->pids[execs->n_begun++ % EXECS_MAX] = pid;
}

static bool is_listed(const struct execs *execs, int32_t pid)
{
        for (size_t i = 0; i < EXECS_MAX; i++) {
                if (execs->pids[i] == pid)
                        return true;
        }
        return false;
}

void execs_end(struct execs *execs, int32_t pid)
{
        for (size_t i = 0; i < EXECS_MAX; i++) {
                if (execs->pids[i] == pid)
                        execs->pids[i] = 0;
        }
}

static bool is_call(const struct unwind_module *module, uint64_t pc)
{
        for (size_t i = 0; i < N_ELEMENTS(calls); i++) {
                const struct call *call = &calls[i];
                struct cursor code;

                if (object_get_facts(module->object)->machine == call->machine &&
                    object_read_addr(module->object, pc - module->bias - call->size, call->size, &code) &&
                    cursor_left(&code) >= call->size && !memcmp(code.at, call->code, call->size))
                        return true;
        }
        return false;
}

bool execs_has(const struct execs *execs, int32_t pid, const struct unwind_module *module, uint64_t pc)
{
        if (module)
                return module->object && is_call(module, pc);
        return is_listed(execs, pid);
}
