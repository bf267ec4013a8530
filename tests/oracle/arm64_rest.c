/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that arm64_shapes.c calls; in another file, so that the compiler cannot inline them. */
int leaf(int x);
void fill(volatile char *room, int size);
double change(double x);
void __chkstk(void);

int leaf(int x)
{
        return x * 3;
}

void fill(volatile char *room, int size)
{
        room[0] = room[size - 1] = (char)size;
}

double change(double x)
{
        return x * 1.5;
}

void __chkstk(void)
{
}
