/* A small interpreter for test_code_relink.py.  Each part after a mark becomes an object, and the objects are
 * linked in several orders. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT __attribute__((noinline))

struct state {
        long values[64];
        int top, line;
        const char *text;
        long (*hook)(struct state *);
};

struct entry {
        const char *name;
        long (*call)(struct state *);
};

extern const char *const token_names[];
extern const struct entry text_functions[], list_functions[];
__attribute__((cold, noreturn)) void fail(struct state *s, const char *what);
long intern(struct state *s, const char *text, int kind);
long token_of(struct state *s);
long compute(struct state *s, int op);
long mixed(double *v, const int *w, int n);
void add_entries(struct state *s, const struct entry *entries);
void begin(struct state *s);

/* --- */
int n_failures;
static int last_line;

void fail(struct state *s, const char *what)
{
        n_failures++;
        last_line = s->line;
        fprintf(stderr, "%d: %s\n", last_line, what);
        exit(1);
}

KEPT long intern(struct state *s, const char *text, int kind)
{
        if (s->top == 64)
                fail(s, "too many values");
        s->values[s->top++] = (long)strlen(text) * 8 + kind;
        return s->top;
}

/* --- */
const char *const token_names[] = {"and", "break", "do",  "else",     "elseif",
                                   "end", "false", "for", "function", NULL};
static const char *const searchers[] = {"preload", "path", "library", "root"};

KEPT void begin(struct state *s)
{
        intern(s, "_ENV", 0);
        for (int i = 0; i < 9; i++)
                intern(s, token_names[i], i + 1);
        for (int i = 0; i < 4; i++)
                compute(s, (int)intern(s, searchers[i], i + 1) & 15);
        for (const struct entry *e = text_functions; e->name; e++)
                s->hook = e->call;
}

KEPT long token_of(struct state *s)
{
        for (;;) {
                switch (*s->text++) {
                case '\n': s->line++; break;
                case ' ':
                case '\t': break;
                case '-': return 1;
                case '[': return s->text[0] == '=' ? 2 : 3;
                case '=': return compute(s, 4);
                case '<': return 5 + s->line;
                case '>': return 6 - s->line;
                case '/': return intern(s, "/", 7);
                case '~': return 8 ^ s->line;
                case ':': return 9L * s->line;
                case '"': fail(s, "an unfinished text");
                case '.':
                        if (s->text[0] == '.')
                                fail(s, "two dots");
                        return 10;
                case 0: return 0;
                default: return (s->text[-1] & 15) + 20;
                }
        }
}

/* --- */
static const short weights[] = {3, 1, 4, 1, 5, 9, 2, 6};
long n_computed;

KEPT static long check(struct state *s, long x)
{
        if (x > 100000)
                fail(s, "a number is too large");
        return x + n_computed;
}

KEPT long compute(struct state *s, int op)
{
        long x = s->values[s->top & 63], y = s->values[(s->top + 1) & 63];

        n_computed++;
        while (y > 1000) {
                y = y / 3 + weights[y & 7];
                n_computed += y & 1;
        }
        switch (op) {
        case 0: return check(s, x + y);
        case 1: return check(s, x - y);
        case 2: return x * y;
        case 3:
                if (!y)
                        fail(s, "division by zero");
                return x / y;
        case 4: return x << (y & 7);
        case 5: return x & y;
        case 6: return x | y;
        case 7: return x ^ y;
        case 8: return intern(s, "result", (int)x);
        case 9: return ~x;
        case 10: return weights[x & 7];
        case 11: return -x;
        default: return 0;
        }
}

/* --- */
static const unsigned char kinds[] = {5, 9, 2, 33, 65, 12, 77, 1, 0, 3, 9, 10, 12, 14, 17, 19};

KEPT static long find_text(struct state *s, int is_find, int is_plain)
{
        long n = 0;

        for (const char *at = s->text; *at; at++)
                n += kinds[*at & 15] * (is_find ? 3 : 2);
        return is_plain ? n : compute(s, (int)(n & 15));
}

KEPT static long text_find(struct state *s)
{
        return find_text(s, 1, 0);
}
KEPT static long text_match(struct state *s)
{
        return find_text(s, 0, 0);
}
KEPT static long text_kind(struct state *s)
{
        switch (kinds[s->line & 15]) {
        case 0: return 4;
        case 1: return s->top;
        case 2: return s->line;
        case 3: return 77;
        case 5: return intern(s, "kind", 5);
        case 9: return -s->line;
        case 10: return s->values[0];
        default: fail(s, "a bad kind");
        }
}
const struct entry text_functions[] = {
        {"find", text_find}, {"match", text_match}, {"kind", text_kind}, {NULL, NULL}};

/* --- */
KEPT static long next_item(struct state *s, int is_find, int is_plain)
{
        int i = s->top;

        while (i > 0 && s->values[i - 1] != (is_find ? s->line : -1))
                i--;
        return is_plain ? i : i * 2;
}

KEPT static long list_first(struct state *s)
{
        return next_item(s, 1, 0);
}
KEPT static long list_last(struct state *s)
{
        return next_item(s, 0, 0);
}
KEPT static long list_sum(struct state *s)
{
        long sum = 0;

        for (int i = 0; i < 64; i++)
                sum += s->values[i] * 7 + i;
        return sum;
}
const struct entry list_functions[] = {
        {"first", list_first}, {"last", list_last}, {"sum", list_sum}, {NULL, NULL}};

/* --- */
static const double factors[] = {0.5, 1.25, 2.75, 8.125};

KEPT long mixed(double *v, const int *w, int n)
{
        double sum = 0;

        for (int i = 0; i < n; i++)
                v[i] = v[i] * 1.5 + factors[i & 3] * w[i];
        for (int i = 0; i < n; i++)
                sum += v[i] > 3.25 ? v[i] : 0.125;
        return (long)sum;
}

KEPT void add_entries(struct state *s, const struct entry *entries)
{
        for (; entries->name; entries++) {
                if (intern(s, entries->name, 3) > 60)
                        fail(s, "too many entries");
                s->hook = entries->call;
        }
}

/* --- */
int main(int argc, char **argv)
{
        static struct state s;
        double v[32] = {1};
        int w[32] = {argc};

        s.text = argv[argc - 1];
        begin(&s);
        add_entries(&s, text_functions);
        add_entries(&s, list_functions);
        while (token_of(&s))
                s.values[0] += s.hook(&s) + compute(&s, argc) + mixed(v, w, 32);
        printf("%ld\n", s.values[0]);
        return 0;
}
