// SPDX-License-Identifier: BSD-3-Clause
// Names with linkage names, specifications of members, a template and a lambda.
namespace house {

volatile int sink;

template <typename T> struct stack {
        T items[8];
        int n = 0;
        __attribute__((always_inline)) void push(T item)
        {
                items[n++ & 7] = item;
        }
        T pop();
};

template <typename T> T stack<T>::pop()
{
        return items[--n & 7];
}

__attribute__((noinline)) int run(stack<long> &s, int count)
{
        auto twice = [&s](int by) __attribute__((noinline)) { s.push(2L * by + sink); };

        for (int i = 0; i < count; i++)
                twice(i);
        return static_cast<int>(s.pop());
}

} // namespace house

int entry(int count)
{
        house::stack<long> s;

        s.push(1);
        return house::run(s, count);
}
