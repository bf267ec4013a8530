// SPDX-License-Identifier: BSD-3-Clause
// Functions that compilers inline several levels deep, in one piece and in several.
#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{
template <typename T> struct Sum {
        T total{};
        void add(T value) { total += value; }
        template <typename F> void each(int n, F &&f)
        {
                for (int i = 0; i < n; i++)
                        add(f(i));
        }
};

inline int turn(int x)
{
        return x % 7 ? x * 3 + 1 : x / 2;
}

inline int turn_twice(int x)
{
        return turn(turn(x)) ^ x;
}

struct Shape {
        explicit Shape(int size) : size(turn(size)) {}
        virtual ~Shape() = default;
        virtual int area() const { return size * size; }
        int size;
};

struct Box : Shape {
        Box(int a, int b) : Shape(a), other(b)
        {
                if (b < 0)
                        throw std::runtime_error("negative");
        }
        int area() const override { return turn_twice(other) * Shape::area(); }
        int other;
};

int choose(int x)
{
        switch (x & 7) {
        case 0: return turn(x);
        case 1: return x + 2;
        case 2: return turn_twice(x);
        case 3: return -x;
        case 4: return x / 3;
        default: return x;
        }
}
} // namespace

int entry(int n, const std::vector<std::string> &names)
{
        Sum<int> sum;
        Sum<double> half;
        std::map<int, std::string> by_size;
        std::vector<int> numbers;

        for (const auto &name : names)
                by_size[static_cast<int>(name.size())] = name;
        sum.each(n, [&](int i) { return turn_twice(i) + static_cast<int>(by_size.size()); });
        half.each(n, [](int i) { return i * 0.5; });
        for (int i = 0; i < n; i++)
                numbers.push_back(choose(i));
        std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return turn(a) < turn(b); });
        try {
                Box box(n, -n);
                sum.add(box.area());
        } catch (const std::exception &error) {
                sum.add(std::accumulate(numbers.begin(), numbers.end(), static_cast<int>(std::string(error.what()).size())));
        }
        return sum.total + static_cast<int>(half.total) + numbers[0];
}

int main(int argc, char **argv)
{
        return entry(argc + 9, std::vector<std::string>(argv, argv + argc)) & 1;
}
