/* An interpreter with computed goto and an inlined helper, which takes half a second. */
#include <stdlib.h>

static inline unsigned mix(unsigned value, unsigned by)
{
        value ^= value << 13;
        value ^= value >> 17;
        return value * by;
}

__attribute__((noinline)) static unsigned run(const unsigned char *code, unsigned value)
{
        static const void *const table[] = {&&op_mix, &&op_add, &&op_end};

        goto *table[*code];
op_mix:
        value = mix(value, 0x9e3779b1);
        goto *table[*++code];
op_add:
        value += *code * 7;
        goto *table[*++code];
op_end:
        return value;
}

int main(int argc, char **argv)
{
        static const unsigned char code[] = {0, 1, 0, 0, 1, 1, 0, 2};
        unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 20000000, value = 1;

        for (unsigned i = 0; i < rounds; i++)
                value = run(code, value);
        return value == 0;
}
