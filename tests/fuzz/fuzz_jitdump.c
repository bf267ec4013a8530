/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a jitdump, with its unwinding information. */
#include <stdlib.h>
#include <string.h>

#include "jitdump.h"
#include "unwind_cfi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const struct jitdump *dump, uint64_t addr, uint64_t time)
{
        struct jitdump_hit hit = {0};
        const struct jitdump_load *load;
        uint64_t end;

        if (!jitdump_find(dump, addr, time, &hit)) {
                if (addr < hit.same_from || (addr >= hit.same_to && addr != UINT64_MAX))
                        abort();
                return;
        }
        load = jitdump_get_load(dump, hit.index);
        end = load->addr + load->size_bytes;
        if (addr < load->addr || addr >= end || addr < hit.same_from || addr >= hit.same_to ||
            hit.same_from < load->addr || hit.same_to > end || load->time > time || load != hit.load ||
            *hit.text)
                abort();
}

/* Reads the code at an offset up to its end; one byte more must fail. */
static void use_code(const struct jitdump *dump, uint64_t off, const uint8_t *bytes, size_t size)
{
        struct jitdump_hit hit;
        const uint8_t *code;
        uint64_t left;

        if (!jitdump_find_off(dump, off, &hit)) {
                if (jitdump_read_code(dump, off, 1, &code))
                        abort();
                return;
        }
        left = hit.same_to - off;
        if (off < hit.same_from || !left || off - hit.load->code_off >= hit.load->size_bytes ||
            !jitdump_read_code(dump, off, left, &code) || code != bytes + off || left > size - off ||
            jitdump_read_code(dump, off, left + 1, &code))
                abort();
}

/* As a report does: from an address and a time to an offset, and from there to the code. */
static void use_history(const struct jitdump *dump, uint64_t addr, uint64_t time)
{
        const struct code_history *history = jitdump_history(dump);
        struct jitdump_hit at_time, hit;
        uint64_t from, to, off, again;

        code_history_span(history, time, &from, &to);
        if (time < from || (time >= to && time != UINT64_MAX))
                abort();
        if (!code_history_to_off(history, addr, time, &off)) {
                if (jitdump_find(dump, addr, time, &at_time))
                        abort();
                return;
        }
        if (!jitdump_find_off(dump, off, &hit))
                abort();
        if (jitdump_find(dump, addr, time, &at_time) &&
            (hit.load->code_off != at_time.load->code_off ||
             off - hit.load->code_off != addr - at_time.load->addr))
                abort();
        if (!code_history_to_off(history, addr, from, &again) || again != off)
                abort();
}

/* Reads the tables as a report does, with a stack of zeros. */
static void use_frames(const struct jitdump *dump, const struct jitdump_load *load, size_t size)
{
        static const uint8_t stack[64];
        struct unwind_regs regs = {.machine = OBJECT_MACHINE_X86_64};
        struct unwind_memory memory = {.bytes = stack, .size = sizeof(stack)};
        struct cfi_stepped stepped;
        struct cursor frames;
        struct cfi *cfi;
        uint64_t addr;

        if (!jitdump_get_frames(dump, load, &frames, &addr))
                return;
        if (cursor_left(&frames) != load->frames_size || addr % 8)
                abort();
        cfi = cfi_open_frames(frames, addr, OBJECT_MACHINE_X86_64, NULL);
        for (unsigned reg = 0; reg < UNWIND_N_REGS; reg++)
                unwind_set_reg(&regs, reg, reg);
        if (cfi)
                cfi_step(cfi, load->addr, 0, &regs, &memory, &stepped);
        cfi_free(cfi);
}

static void use(const struct jitdump *dump, const struct jitdump_load *load, size_t size)
{
        struct jitdump_lines lines;
        struct jitdump_line line;
        uint64_t n_lines = 0;

        if (load->code_off > size || load->size_bytes > size - load->code_off || load->frames_off > size ||
            load->frames_size > size - load->frames_off || load->name_len > JITDUMP_MAX_NAME ||
            strnlen(load->name, load->name_len) != load->name_len)
                abort();
        for (jitdump_lines_begin(dump, load, &lines); jitdump_lines_next(&lines, &line); n_lines++) {
                if (strlen(line.file) > size)
                        abort();
        }
        if (n_lines != load->n_lines)
                abort();
        use_frames(dump, load, size);
}

/* With a small budget the dump has the first functions of the complete one. */
static void use_little_memory(const struct jitdump *whole, const uint8_t *data, size_t size)
{
        enum { LIMIT_BYTES = 2000 };
        AUTO_RELEASE(buf) note = {0};
        AUTO_RELEASE(budget) budget;
        AUTO(jitdump) dump = NULL;
        const struct jitdump_load *load, *other;

        budget_init(&budget, LIMIT_BYTES);
        dump = jitdump_new_bytes(data, size, &budget, &note);
        for (size_t i = 0; (load = jitdump_get_load(dump, i)); i++) {
                other = jitdump_get_load(whole, i);
                if (!other || other->addr != load->addr || other->code_off != load->code_off)
                        abort();
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO_RELEASE(buf) note = {0};
        AUTO(jitdump) dump = jitdump_new_bytes(data, size, NULL, &note);
        const struct jitdump_load *load;

        for (size_t i = 0; (load = jitdump_get_load(dump, i)); i++) {
                uint64_t around[] = {load->addr - 1, load->addr, load->addr + load->size_bytes};
                struct jitdump_hit hit;

                use(dump, load, size);
                use_code(dump, load->code_off, data, size);
                use_code(dump, load->code_off + load->size_bytes, data, size);
                for (unsigned j = 0; j < 3; j++) {
                        look_up(dump, around[j], load->time);
                        look_up(dump, around[j], load->time - 1);
                        look_up(dump, around[j], CODE_HISTORY_LATEST);
                        use_history(dump, around[j], load->time);
                        use_history(dump, around[j], load->time - 1);
                }
                if (load->size_bytes && !jitdump_find(dump, load->addr, load->time, &hit))
                        abort();
        }
        use_little_memory(dump, data, size);
        return 0;
}
