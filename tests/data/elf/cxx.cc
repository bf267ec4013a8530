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
} // namespace area
