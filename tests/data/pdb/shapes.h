/* Inlined into both modules: a method, a function of a namespace, and functions of one another. */
namespace geometry {
struct Box {
        int width, height;

        int area() const
        {
                volatile int w = width;
                return w * height;
        }
};

inline int twice(int x)
{
        volatile int y = x;

        return y + y;
}

template <typename T> inline T sum_of(const T *values, int n)
{
        T sum = 0;

        for (int i = 0; i < n; i++)
                sum += values[i] * twice(i);
        return sum;
}
}
