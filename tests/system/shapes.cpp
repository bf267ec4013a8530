// SPDX-License-Identifier: BSD-3-Clause
// shapes ROUNDS: classes, templates, lambdas and operators, so that a profile holds many kinds of C++ names.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace shapes
{

class shape
{
      public:
        virtual ~shape() = default;
        virtual double area(unsigned detail) const = 0;
};

template <typename Number, unsigned Corners> class polygon : public shape
{
      public:
        explicit polygon(Number size) : size_(size)
        {
        }
        __attribute__((noinline)) double area(unsigned detail) const override;
        __attribute__((noinline)) polygon operator+(const polygon &other) const
        {
                return polygon(size_ + other.size_);
        }

      private:
        Number size_;
};

template <typename Number, unsigned Corners> double polygon<Number, Corners>::area(unsigned detail) const
{
        volatile double sum = 0;

        for (unsigned i = 0; i < detail * Corners; i++)
                sum = sum + static_cast<double>(size_) / (i + 1);
        return sum;
}

namespace
{

__attribute__((noinline)) double sum_of(const std::vector<std::unique_ptr<shape>> &all,
                                        const std::function<double(const shape &)> &measure)
{
        double sum = 0;

        for (const auto &one : all)
                sum += measure(*one);
        return sum;
}

} // namespace

} // namespace shapes

int main(int argc, char **argv)
{
        unsigned rounds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1;
        std::vector<std::unique_ptr<shapes::shape>> all;
        std::map<std::string, double> sums;
        double total = 0;

        all.push_back(std::make_unique<shapes::polygon<int, 3>>(3));
        all.push_back(std::make_unique<shapes::polygon<float, 4>>(shapes::polygon<float, 4>(1) +
                                                                  shapes::polygon<float, 4>(2)));
        all.push_back(std::make_unique<shapes::polygon<unsigned long, 5>>(5));
        for (unsigned i = 0; i < rounds; i++) {
                double sum = shapes::sum_of(all, [](const shapes::shape &s) { return s.area(1000); });

                for (int k = 0; k < 50; k++)
                        sums["round number " + std::to_string((i * 50 + static_cast<unsigned>(k)) % 977)] +=
                                sum;
                total += sum;
        }
        std::for_each(sums.begin(), sums.end(), [&](const auto &entry) { total += entry.second; });
        return total > 0 ? 0 : 1;
}
