/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes seeds for fuzz_python_program: threads with names, and tasks, of each layout; and some of them with
 * one word that is another one. */
#include "python_made_running.h"
#include "python_made_tasks.h"
#include "save_seed.h"

enum { EVERY_WORD = 61 }; /* a seed for every so many words */

static struct program program;
static const char *folder;

static void save(const char *name, unsigned layout, unsigned number, uint64_t state)
{
        struct buf out = {0};
        char path[64];

        snprintf(path, sizeof(path), "%s_%u_%u", name, layout, number);
        buf_add_u8(&out, (uint8_t)layout);
        buf_add_u8(&out, 0);
        buf_add_u16(&out, (uint16_t)((state - IMAGE_BASE) / 8));
        buf_add(&out, program.image.bytes, (size_t)(program.image.used - IMAGE_BASE));
        save_seed(folder, path, &out);
}

static void set_pairs(struct program_pair *pairs, uint64_t ident, const char *name)
{
        static const char *const names[] = {"_target", "_name", "_ident"};
        const uint64_t values[] = {program_int(&program, 5), program_text(&program, name),
                                   program_int(&program, ident)};

        for (size_t i = 0; i < 3; i++)
                pairs[i] = (struct program_pair){program_text(&program, names[i]), values[i]};
        pairs[3] = (struct program_pair){0, 0};
}

static uint64_t make(unsigned layout)
{
        struct program_pair active[3] = {{0}}, pairs[4];
        uint64_t class;

        program_init(&program, layout);
        set_pairs(pairs, 0x7f0012345680, "MainThread");
        class = program_class(&program, "Thread", pairs);
        active[0] = (struct program_pair){program_int(&program, 0x7f0012345680),
                                          program_object(&program, class, pairs)};
        set_pairs(pairs, 0x4000, "worker-1");
        active[1] = (struct program_pair){program_int(&program, 0x4000),
                                          program_object_with_dict(&program, class, pairs)};
        program_set_threads(&program, active);
        return program.image.runtime.layout.gen_state == PYTHON_NO_FIELD ? running_make(&program)
                                                                         : tasks_make(&program);
}

int main(int argc, char **argv)
{
        if (argc != 2)
                return 2;
        folder = argv[1];
        for (unsigned layout = 0; layout < N_LAYOUTS; layout++) {
                uint64_t state = make(layout), used = program.image.used;
                unsigned number = 0;

                save("whole", layout, 0, state);
                if (layout != 0 && layout != 4 && layout != 7)
                        continue;
                for (uint64_t addr = IMAGE_BASE + 8 * layout; addr < used; addr += 8 * EVERY_WORD) {
                        const uint64_t words[] = {UINT64_MAX, addr, 1};

                        make(layout);
                        program_word(&program, addr, words[number % 3]);
                        save("changed", layout, ++number, state);
                }
        }
        return 0;
}
