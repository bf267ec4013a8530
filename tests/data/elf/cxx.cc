// SPDX-License-Identifier: BSD-3-Clause
namespace area
{
struct shape {
        int size(int n);
        int side;
};
int outside(int n);
int shape::size(int n)
{
        return side * n + outside(n);
}

/* Something to clean up gives its unwind entry a personality and a table. */
struct guard {
        ~guard();
};
int guarded(int n)
{
        guard g;

        return outside(n) + 1;
}
} // namespace area
