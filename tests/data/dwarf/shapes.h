/* SPDX-License-Identifier: BSD-3-Clause */
/* Types and inlined functions that several units share. */
struct point {
        int x, y;
        struct {
                short red, green, blue;
        } colour;
        const char *name;
};

enum kind { CIRCLE, SQUARE, TRIANGLE };

struct shape {
        enum kind kind;
        struct point at, corners[4];
        int (*area)(const struct shape *shape);
        struct shape *next;
};

extern void report_fault(const struct shape *shape, int code) __attribute__((cold, noreturn));

static inline int distance(const struct point *a, const struct point *b)
{
        int dx = a->x - b->x, dy = a->y - b->y;

        return dx * dx + dy * dy;
}

static inline __attribute__((always_inline)) int longest(const struct shape *shape)
{
        int best = 0;

        for (int i = 0; i < 4; i++) {
                int d = distance(&shape->at, &shape->corners[i]);

                if (d > best)
                        best = d;
        }
        return best;
}
