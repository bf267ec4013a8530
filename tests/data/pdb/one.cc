#include "shapes.h"

int paint(const geometry::Box *box, int n);

extern "C" int counter;
int counter;

static __attribute__((noinline)) int local_work(const int *values, int n)
{
        int sum = geometry::sum_of(values, n);

        if (sum > 100)
                counter += sum;
        return sum;
}

namespace geometry {
__attribute__((noinline)) int total(const Box *boxes, int n)
{
        int sum = 0;

        for (int i = 0; i < n; i++)
                sum += boxes[i].area();
        return sum;
}
}

extern "C" int start(void)
{
        static const int values[] = {1, 2, 3, 4};
        const geometry::Box boxes[] = {{1, 2}, {3, 4}};

        return local_work(values, 4) + geometry::total(boxes, 2) + paint(boxes, 2);
}
