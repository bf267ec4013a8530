/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of threads, and the dicts and objects that lead to them, of all versions and damaged. */
#include "python_dict.h"
#include "python_program.h"
#include "python_threads.h"
#include "tap.h"

static struct program program;

enum { MAX_READS = 1 << 17 };

struct seen {
        char text[256];
        unsigned n;
};

static void see(void *ctx, const struct python_named_thread *thread)
{
        struct seen *seen = ctx;
        size_t len = strlen(seen->text);

        seen->n++;
        snprintf(seen->text + len, sizeof(seen->text) - len, "%s%llx %llu %.40s", len ? ", " : "",
                 (unsigned long long)thread->pointer, (unsigned long long)thread->native_id, thread->name);
}

static struct seen read_names(void)
{
        struct seen seen = {0};
        struct python_objects objects;

        program.image.memory.n_reads = 0;
        python_objects_init(&objects, &program.image.runtime.layout, &program.image.memory);
        objects.n_left = MAX_READS;
        python_threads_each_name(&program.image.runtime, &objects, see, &seen);
        EXPECT_CMP(program.image.memory.n_reads, <=, 2 * MAX_READS);
        return seen;
}

/* Attributes of a Thread. */
static void set_pairs(struct program_pair *pairs, uint64_t ident, const char *name)
{
        static const char *const names[] = {"_target", "_name", "_ident", "_native_id"};
        const uint64_t values[] = {program_int(&program, 5), program_text(&program, name),
                                   program_int(&program, ident), program_int(&program, ident % 1000)};

        for (size_t i = 0; i < N_ELEMENTS(names); i++)
                pairs[i] = (struct program_pair){program_text(&program, names[i]), values[i]};
        pairs[N_ELEMENTS(names)] = (struct program_pair){0, 0};
}

#define MAIN   0x7f0012345680ull
#define WORKER 0x7f00aabbcc00ull
#define OTHER  0x123ull

static uint64_t class_of(const char *name)
{
        struct program_pair pairs[5];

        set_pairs(pairs, 0, "");
        return program_class(&program, name, pairs);
}

/* A main thread, a worker whose attributes are a dict, and one whose ident is another one. */
static void make_threads(unsigned layout)
{
        struct program_pair active[4] = {{0}}, pairs[5];
        uint64_t class;

        program_init(&program, layout);
        class = class_of("Thread");
        set_pairs(pairs, MAIN, "MainThread");
        active[0] =
                (struct program_pair){program_int(&program, MAIN), program_object(&program, class, pairs)};
        set_pairs(pairs, WORKER, "worker-1");
        active[1] = (struct program_pair){program_int(&program, WORKER),
                                          program_object_with_dict(&program, class, pairs)};
        set_pairs(pairs, OTHER + 1, "not this one");
        active[2] =
                (struct program_pair){program_int(&program, OTHER), program_object(&program, class, pairs)};
        program_set_threads(&program, active);
}

TEST(names_of_threads)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                make_threads(i);
                EXPECT_STR(read_names().text, "7f0012345680 456 MainThread, 7f00aabbcc00 728 worker-1");
        }
}

TEST(layout_without_modules)
{
        make_threads(0);
        program.image.runtime.layout.interp_modules = PYTHON_NO_FIELD;
        EXPECT_INT(read_names().n, 0);
        EXPECT_INT(program.image.memory.n_reads, 0);
}

/* More entries than one read copies, with the indices of a big table. */
TEST(many_threads)
{
        enum { N = 300 };
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                static struct program_pair active[N + 1];
                struct program_pair pairs[5];
                uint64_t class;

                program_init(&program, i);
                class = class_of("Thread");
                for (unsigned k = 0; k < N; k++) {
                        set_pairs(pairs, k + 1, "x");
                        active[k].key = program_int(&program, k + 1);
                        active[k].value = program_object(&program, class, pairs);
                }
                program_set_threads(&program, active);
                EXPECT_INT(read_names().n, N);
        }
}

TEST(numbers)
{
        static const uint64_t values[] = {0, 1, 0x3fffffff, 0x40000000, 0x7f0012345680, UINT64_MAX};

        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                struct python_objects objects;
                uint64_t value, addr;

                program_init(&program, i);
                python_objects_init(&objects, &program.image.runtime.layout, &program.image.memory);
                for (size_t k = 0; k < N_ELEMENTS(values); k++) {
                        ASSERT_TRUE(python_objects_int(&objects, program_int(&program, values[k]), &value));
                        EXPECT_TRUE(value == values[k]);
                }
                /* negative; too many digits; a digit of 31 bits; another type */
                addr = program_int(&program, 5);
                program_word(&program, addr + program_header(&program),
                             program.image.runtime.layout.minor > 11 ? 1 << 3 | 2 : (uint64_t)-1);
                EXPECT_TRUE(!python_objects_int(&objects, addr, &value));
                program_word(&program, addr + program_header(&program), 1 << 20);
                EXPECT_TRUE(!python_objects_int(&objects, addr, &value));
                addr = program_int(&program, 5);
                image_int(&program.image, addr + program_header(&program) + 8, 1 << 30);
                EXPECT_TRUE(!python_objects_int(&objects, addr, &value));
                EXPECT_TRUE(!python_objects_int(&objects, program_text(&program, "5"), &value));
                EXPECT_TRUE(!python_objects_int(&objects, 0, &value));
        }
}

TEST(texts)
{
        struct python_objects objects;
        uint64_t addr;
        char *text;

        program_init(&program, 4);
        python_objects_init(&objects, &program.image.runtime.layout, &program.image.memory);
        addr = program_text(&program, "abc");
        EXPECT_TRUE(python_objects_is_text(&objects, addr, "abc"));
        EXPECT_TRUE(!python_objects_is_text(&objects, addr, "ab"));
        EXPECT_TRUE(!python_objects_is_text(&objects, addr, "abd"));
        text = python_objects_text(&objects, addr);
        EXPECT_STR(text, "abc");
        free(text);
        EXPECT_TRUE(!python_objects_text(&objects, program_int(&program, 1)));
        EXPECT_TRUE(!python_objects_text(&objects, 0));
        EXPECT_TRUE(!python_objects_text(&objects, 12345));
        program_set_type(&program, addr, program.int_type);
        EXPECT_TRUE(!python_objects_is_text(&objects, addr, "abc"));
}

/* Each word of the image in turn is another one: a huge number, a pointer to itself, one that leads nowhere.
 * There is no crash, and the work is bounded. */
TEST(damaged_words)
{
        for (unsigned i = 0; i < N_LAYOUTS; i++) {
                static struct program whole;
                uint64_t end;

                make_threads(i);
                whole = program;
                end = program.image.used;
                for (uint64_t addr = program.image.interp; addr < end; addr += 8) {
                        const uint64_t words[] = {UINT64_MAX, addr, 1};

                        if (!image_get(&whole.image, addr))
                                continue;
                        for (size_t k = 0; k < N_ELEMENTS(words); k++) {
                                program_word(&program, addr, words[k]);
                                read_names();
                        }
                        program_word(&program, addr, image_get(&whole.image, addr));
                }
        }
}

/* A list of interpreters that leads back to its start, and a dict that says that it is huge. */
TEST(bounded_work)
{
        const struct python_layout *layout = &program.image.runtime.layout;
        uint64_t keys, modules;

        make_threads(4);
        program_word(&program, program.image.interp + layout->interp_next, program.image.interp);
        EXPECT_CMP(read_names().n, <=, 2 * PYTHON_MAX_INTERPRETERS);
        modules = image_get(&program.image, program.image.interp + layout->interp_modules);
        keys = image_get(&program.image, modules + program_header(&program) + 16);
        image_byte(&program.image, keys + 8, PYTHON_MAX_DICT_LOG);
        image_byte(&program.image, keys + 9, PYTHON_MAX_DICT_LOG);
        program_word(&program, keys + 24, 1 << PYTHON_MAX_DICT_LOG);
        EXPECT_INT(read_names().n, 0);
}

TAP_MAIN
