/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that reaches names.so through its procedure linkage table, in every way there is. */

int global_one(int x);
int _underscored(int x);
int calls_all(int x);

static int (*volatile pointer)(int);

__attribute__((noinline)) static int unnamed_when_stripped(int x)
{
        return x + _underscored(x);
}

void _start(void)
{
        pointer = global_one; /* an address and a call: .plt.got */
        for (;;)
                pointer(global_one(1) + calls_all(2) + unnamed_when_stripped(3));
}
