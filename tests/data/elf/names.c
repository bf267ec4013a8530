/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of every kind that a symbol table knows; build.sh makes the files beside it from this. */

int counter = 1;

__attribute__((noinline)) static int local_leaf(int x)
{
        return x * 3 + counter;
}

__attribute__((noinline)) int global_one(int x)
{
        return local_leaf(x) + 1;
}

__attribute__((noinline)) int _underscored(int x)
{
        counter += x;
        return counter ^ 7;
}

int __more_underscores(int x) __attribute__((alias("_underscored")));
int weak_alias_with_a_long_name(int x) __attribute__((weak, alias("_underscored")));

__attribute__((visibility("hidden"), noinline)) int hidden_two(int x)
{
        return global_one(x) - 5;
}

__attribute__((cold, noinline)) int in_another_section(int x)
{
        return hidden_two(x) + x;
}

static int pick_a(void)
{
        return 11;
}

static void *resolve_picked(void)
{
        return pick_a;
}

int picked(void) __attribute__((ifunc("resolve_picked")));

int calls_all(int x)
{
        return global_one(x) + _underscored(x) + weak_alias_with_a_long_name(x) + in_another_section(x) +
               picked();
}

/* A function without a size, one with a label inside, and one of size 0 at the end of its section. */
__asm__(".text\n"
        ".globl no_size\n"
        ".type no_size, %function\n"
        "no_size:\n"
        "nop\n"
        "nop\n"
        "nop\n"
        "nop\n"
        ".globl with_label\n"
        ".type with_label, %function\n"
        "with_label:\n"
        "nop\n"
        "nop\n"
        "inner_label:\n"
        "nop\n"
        "nop\n"
        ".size with_label, . - with_label\n"
        "free_label:\n"
        "nop\n"
        "nop\n"
        ".balign 64\n"
        ".section .text.tail, \"ax\", %progbits\n"
        ".type tail_without_size, %function\n"
        "tail_without_size:\n"
        "nop\n"
        "nop\n"
        ".text\n");
