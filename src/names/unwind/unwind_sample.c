/* SPDX-License-Identifier: BSD-3-Clause */
#include "unwind_sample.h"

enum { MAX_COPY_BYTES = 65528 }; /* the kernel's limit of sample_stack_user */

static bool read_regs(const struct arch *arch, uint64_t mask, struct cursor values, struct unwind_regs *ret)
{
        uint64_t by_number[ARCH_REGS_MAX];
        struct unwind_regs regs = {.machine = arch->id == ARCH_ARM64 ? OBJECT_MACHINE_ARM64
                                                                     : OBJECT_MACHINE_X86_64};

        for (unsigned i = 0; i < ARCH_REGS_MAX; i++) {
                if (mask >> i & 1)
                        by_number[i] = cursor_u64(&values);
        }
        if (values.failed)
                return false;
        for (unsigned reg = 0; reg < UNWIND_N_REGS; reg++) {
                unsigned number = arch_reg_from_dwarf(arch, reg);

                if (number < ARCH_REGS_MAX && mask >> number & 1)
                        unwind_set_reg(&regs, reg, by_number[number]);
        }
        *ret = regs;
        return true;
}

bool unwind_walk_sample(const struct unwind_modules *modules, const struct unwind_sample *sample,
                        struct unwind_frame *frames, size_t max_frames, struct unwind_walked *ret_walked)
{
        struct unwind_memory memory = {
                .bytes = sample->stack.at,
                .size = (size_t)cursor_left(&sample->stack),
                .is_whole = sample->stack_is_whole,
                .max_size = MAX_COPY_BYTES,
                .used_size = sample->stack_used_size,
        };
        struct unwind_regs regs;

        if (!read_regs(sample->arch, sample->reg_mask, sample->regs, &regs))
                return false;
        memory.start = regs.values[unwind_reg_sp(&regs)];
        unwind_walk(modules, &regs, &memory, frames, max_frames, ret_walked);
        return true;
}

struct unwind_module unwind_module_of(uint64_t start, uint64_t end, uint64_t addr, uint64_t file_off,
                                      struct object *object, struct cfi *cfi)
{
        struct unwind_module module = {.start = start, .end = end, .has_file = true};
        uint64_t vaddr;

        if (!object || !object_to_addr(object, file_off, &vaddr))
                return module;
        module.bias = addr - vaddr;
        module.object = object;
        module.cfi = cfi;
        return module;
}

struct unwind_module unwind_module_of_image(uint64_t start, uint64_t end, uint64_t addr, uint64_t image_off,
                                            struct object *object)
{
        struct unwind_module module = {.start = start, .end = end, .has_file = true};

        if (!object)
                return module;
        module.bias = addr - image_off - object_get_facts(object)->load_addr;
        module.object = object;
        return module;
}
