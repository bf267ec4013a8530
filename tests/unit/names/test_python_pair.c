/* SPDX-License-Identifier: BSD-3-Clause */
/* Native and Python frames in one chain.  Stacks are written as text, innermost frame first.
 * Native frames: o any other function, e an eval function, g glue, u a function without a name, t another
 * function that the unwinder steps by the shape of its code, s one of a library that switches stacks.
 * Frame i has the addresses from 0x1000 * (i + 1) on. Python frames: a letter is a function, a capital
 * letter a function that is also an entry; a digit is the shim of the native frame of that number, * a shim
 * that belongs to no native frame. */
#include "python_pair.h"
#include "tap.h"

enum { MAX = 32 };

static struct unwind_frame natives[MAX];
static uint8_t kinds[MAX];
static struct python_frame frames[MAX];
static struct python_link links[2 * MAX];
static struct python_stacks stacks;
static const char *native_letters;
static size_t n_natives; /* up to the bound of a coroutine */
static char chain[2 * MAX + 1];

static void set_natives(const char *text)
{
        static const char letters[] = {[PYTHON_NATIVE_OTHER] = 'o',
                                       [PYTHON_NATIVE_UNKNOWN] = 'u',
                                       [PYTHON_NATIVE_EVAL] = 'e',
                                       [PYTHON_NATIVE_GLUE] = 'g'};

        stacks.n_natives = strlen(text);
        for (size_t i = 0; i < stacks.n_natives; i++) {
                char c = text[i] == 't' || text[i] == 's' ? 'o' : text[i];

                natives[i] = (struct unwind_frame){.sp = 0x1000 * (i + 1)};
                if (i && text[i - 1] == 't')
                        natives[i].way = UNWIND_WAY_STUB;
                kinds[i] = (uint8_t)((const char *)memchr(letters, c, sizeof(letters)) - letters);
        }
}

static bool switches(void *ctx, size_t native)
{
        (void)ctx;
        return native_letters[native] == 's';
}

static void set_frames(const char *text)
{
        stacks.n_frames = strlen(text);
        for (size_t i = 0; i < stacks.n_frames; i++) {
                char c = text[i];

                frames[i] = (struct python_frame){.addr = 0x100000, .is_entry = c >= 'A' && c <= 'Z'};
                if (c >= '0' && c <= '9')
                        frames[i].addr = 0x1000 * (uint64_t)(c - '0' + 1) + 0x80;
                if (c == '*')
                        frames[i].addr = 0x20;
                if (c == '*' || (c >= '0' && c <= '9'))
                        frames[i].kind = PYTHON_FRAME_SHIM;
        }
}

/* Returns the chain: native frames as digits, Python frames as their letters; or "!" and the reason if the
 * chain stays native. */
static const char *pair(bool has_shims, bool is_whole, const char *native_text, const char *python_text)
{
        enum python_pair_end end;
        size_t n;

        set_natives(native_text);
        set_frames(python_text);
        native_letters = native_text;
        stacks.switches = switches;
        stacks.natives = natives;
        stacks.kinds = kinds;
        stacks.frames = frames;
        stacks.has_shims = has_shims;
        stacks.is_native_whole = is_whole;
        end = python_pair(&stacks, links, 2 * MAX, &n, &n_natives);
        for (size_t i = 0; i < n; i++)
                chain[i] = links[i].is_python ? python_text[links[i].index] : (char)('0' + links[i].index);
        chain[n] = 0;
        if (end == PYTHON_PAIR_MERGED)
                return chain;
        if (n != stacks.n_natives)
                return "a failure that is not the native stack";
        return python_pair_end_text(end);
}

static const char *by_shims(const char *native_text, const char *python_text)
{
        stacks.python_end = PYTHON_END_WHOLE;
        return pair(true, true, native_text, python_text);
}

static const char *by_count(const char *native_text, const char *python_text)
{
        stacks.python_end = PYTHON_END_WHOLE;
        return pair(false, true, native_text, python_text);
}

TEST(by_address)
{
        EXPECT_STR(by_shims("oeoeoo", "ab1c3"), "0ab2c45");
        EXPECT_STR(by_shims("eo", "ab0"), "ab1");
        EXPECT_STR(by_shims("oeo", "a1*"), "0a2");     /* the outermost frame of the thread state */
        EXPECT_STR(by_shims("oeoeo", "1c3"), "012c4"); /* the function of the inner one has returned */
        EXPECT_STR(by_shims("oeoeoeo", "13c5"),
                   "01234c6"); /* the inner of two functions was called by the code that clears a frame */
        EXPECT_STR(by_shims("ooo", ""), "without Python");
        EXPECT_STR(by_shims("ooo", "*"), "without Python");
}

/* The sample is in the prologue or epilogue of the innermost eval function. */
TEST(eval_without_frames)
{
        EXPECT_STR(by_shims("eoeoo", "c2"), "01c34");
        EXPECT_STR(by_shims("oeoeo", "c3"), "012c4");
        EXPECT_STR(by_shims("oeoeo", "c1"), "more native frames");
        EXPECT_STR(by_shims("oeoo", ""), "no Python frames");
        EXPECT_STR(by_count("eoeoo", "C"), "01C34");
        EXPECT_STR(by_count("oeoeoo", "C"), "012C45");
        EXPECT_STR(by_count("eoeoeoo", "C"), "more native frames");
        EXPECT_STR(by_count("oeoo", ""), "no Python frames");
}

TEST(python_frames_without_eval)
{
        EXPECT_STR(by_shims("ooo", "a*"), "more Python frames");
        EXPECT_STR(by_shims("oeo", "a*b1"), "more Python frames"); /* the shim lies below all native frames */
        EXPECT_STR(by_shims("oeo", "a1b"), "more Python frames");  /* no shim after it */
        EXPECT_STR(by_count("oeo", "AB"), "more Python frames");
        EXPECT_STR(by_count("oeo", "Ab"), "more Python frames");
}

TEST(by_entries)
{
        EXPECT_STR(by_count("oeoeoo", "AB"), "0A2B45");
        EXPECT_STR(by_count("oeoeoo", "aBcD"), "0aB2cD45");
        EXPECT_STR(by_count("uuo", ""), "without Python");
        EXPECT_STR(by_count("oueo", "A"), "01A3");
}

/* Glue inside an eval function comes from tail calls, glue outside from trampolines; it stays if the eval
 * function stays. */
TEST(glue)
{
        EXPECT_STR(by_shims("geo", "a1"), "a2");
        EXPECT_STR(by_shims("ogeggoegoo", "ab2c6"), "0ab5c89");
        EXPECT_STR(by_shims("geggoeo", "c5"), "01234c6");
        EXPECT_STR(by_shims("ogoeo", "c3"), "012c4");
        EXPECT_STR(by_count("ogeggoegoo", "aBC"), "0aB5C89");
        EXPECT_STR(by_count("geoeo", "B"), "012B4");
        EXPECT_STR(by_shims("oetgoeo", "ab1c5"), "0ab4c6");
        EXPECT_STR(by_shims("oetuoeo", "ab1c5"), "0ab4c6");
        EXPECT_STR(by_shims("otoeo", "c3"), "012c4"); /* an entry of a linkage table */
}

/* A part of the eval function has no symbol; the unwinder skipped eval frames. */
TEST(unknown_functions)
{
        EXPECT_STR(by_shims("ouoeoo", "ab1c3"), "0ab2c45");
        EXPECT_STR(by_shims("uuo", "a1"), "0a2");
        EXPECT_STR(by_shims("oooeo", "a1c3"), "01a2c4");
        EXPECT_STR(by_count("ouo", "A"), "more Python frames");
}

TEST(cut_native_stacks)
{
        stacks.python_end = PYTHON_END_WHOLE;
        EXPECT_STR(pair(true, false, "oeo", "a1bc9d9"), "0a2bcd");
        EXPECT_STR(pair(true, false, "oeoe", "a1b3"), "0a2b");
        EXPECT_STR(pair(false, false, "oeo", "A"), "native stack cut");
        set_natives("eo");
        natives[0].sp = 0;
        stacks.has_shims = true;
        set_frames("a0");
        EXPECT_INT(python_pair(&stacks, links, MAX, &(size_t){0}, &n_natives), PYTHON_PAIR_NATIVE_CUT);
}

/* The coroutine that runs was started on the stack of another one, whose frames are still there. */
TEST(coroutines)
{
        EXPECT_STR(by_shims("oeosseoeo", "a1"), "0a23");
        EXPECT_INT(n_natives, 4);
        EXPECT_STR(by_shims("oeoeosseoeo", "a1b3"), "0a2b45");
        EXPECT_STR(by_shims("soeosseoeo", "a2"), "01a34"); /* it calls the library */
        EXPECT_STR(by_shims("eoeosseoeo", "b2"), "01b34"); /* the innermost function begins */
        EXPECT_STR(by_shims("oeoeo", "a1b3"), "0a2b4");
        EXPECT_INT(n_natives, 5);
        EXPECT_STR(by_shims("oeosoeo", "a1b5"),
                   "0a234b6"); /* the library calls a function in its own coroutine */
        EXPECT_STR(by_shims("oeosseoeo", "a1c9"), "more Python frames"); /* also of the suspended one */
        EXPECT_STR(by_count("oeosseoeo", "A"), "0A23");
        EXPECT_STR(by_count("oeosseo", "A"), "0A23");
        EXPECT_STR(by_count("oeoeosseo", "AB"), "0A2B45");
        EXPECT_STR(by_count("eoeosseoeo", "B"), "01B34");
        EXPECT_STR(by_count("oeoeo", "AB"), "0A2B4");
        EXPECT_STR(by_count("oeosseo", "ABC"), "more Python frames");
        EXPECT_STR(pair(false, false, "oeosseo", "A"), "0A23"); /* the unwinder was lost behind the bound */
        EXPECT_STR(pair(false, false, "oeosseo", "AB"), "more Python frames");
        EXPECT_TRUE(python_native_switches("/usr/lib/greenlet/_greenlet.cpython-311-x86_64-linux-gnu.so"));
        EXPECT_TRUE(python_native_switches("greenlet.so"));
        EXPECT_TRUE(!python_native_switches("/usr/lib/greenlet/_other.so"));
}

TEST(cut_python_frames)
{
        for (int end = PYTHON_END_NO_THREAD; end < PYTHON_N_ENDS; end++) {
                stacks.python_end = (enum python_end)end;
                if (end == PYTHON_END_START)
                        EXPECT_STR(pair(true, true, "eo", ""), "start-up");
                else if (end == PYTHON_END_NO_THREAD || end == PYTHON_END_NO_FRAME)
                        EXPECT_STR(pair(true, true, "eo", ""), "no Python frames");
                else
                        EXPECT_STR(pair(true, true, "eo", "a0"), "Python frames cut");
        }
}

TEST(no_room)
{
        size_t n = 0;

        stacks.python_end = PYTHON_END_WHOLE;
        EXPECT_STR(pair(true, true, "eoo", "abc0"), "abc12");
        for (size_t max = 0; max < 5; max++) {
                EXPECT_INT(python_pair(&stacks, links, max, &n, &n_natives), PYTHON_PAIR_NO_ROOM);
                EXPECT_TRUE(n <= max && n <= 3);
        }
        EXPECT_INT(python_pair(&stacks, links, 5, &n, &n_natives), PYTHON_PAIR_MERGED);
        EXPECT_STR(python_pair_end_text(PYTHON_N_PAIR_ENDS), "?");
}

TEST(names)
{
        EXPECT_INT(python_native_of("_PyEval_EvalFrameDefault"), PYTHON_NATIVE_EVAL);
        EXPECT_INT(python_native_of("_PyEval_EvalFrameDefault.cold"), PYTHON_NATIVE_EVAL);
        EXPECT_INT(python_native_of("_PyEval_EvalFrameDefault.constprop.0.cold"), PYTHON_NATIVE_EVAL);
        EXPECT_INT(python_native_of("_PyEval_EvalFrameDefault2"), PYTHON_NATIVE_OTHER);
        EXPECT_INT(python_native_of("_PyEval_EvalFrame"), PYTHON_NATIVE_OTHER);
        EXPECT_INT(python_native_of("_TAIL_CALL_BINARY_OP"), PYTHON_NATIVE_GLUE);
        EXPECT_INT(python_native_of("py_trampoline_evaluator"), PYTHON_NATIVE_GLUE);
        EXPECT_INT(python_native_of("py::fib:/home/app.py"), PYTHON_NATIVE_GLUE);
        EXPECT_INT(python_native_of("main"), PYTHON_NATIVE_OTHER);
        EXPECT_INT(python_native_of(NULL), PYTHON_NATIVE_UNKNOWN);
}

TAP_MAIN
