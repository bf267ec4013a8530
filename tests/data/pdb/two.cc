#include "shapes.h"

struct Painter {
        int colour;

        __attribute__((noinline)) int fill(const geometry::Box *box)
        {
                return box->area() + geometry::twice(colour);
        }
};

int paint(const geometry::Box *boxes, int n)
{
        Painter painter = {n};
        int sum = 0;

        for (int i = 0; i < n; i++)
                sum += painter.fill(&boxes[i]);
        return sum;
}
