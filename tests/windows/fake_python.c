/* SPDX-License-Identifier: BSD-3-Clause */
/* Built as python312.dll and python313.dll: what a profiler reads of CPython, laid out by this compiler
 * from the declarations in Include/internal/pycore_{runtime,interp,frame,debug_offsets}.h and
 * Include/cpython/{pystate,code,unicodeobject}.h, and a function with the name and the local variables of
 * the interpreter's loop, which runs the functions of fake_python.h. */
#include "fake_python.h"
#include "outline.h"

#include <windows.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EXPORT __declspec(dllexport)

/* --- The structs --- */

struct object {
        intptr_t n_references;
        void *type;
};

struct text {
        struct object object;
        intptr_t length, hash;
        struct {
                unsigned int interned : 2, kind : 3, compact : 1, ascii : 1, is_static : 1, unused : 24;
        } state;
        _Alignas(8) char data[120];
};

struct bytes {
        struct object object;
        intptr_t size, hash;
        uint8_t data[64];
};

struct code {
        struct object object;
        intptr_t n_units;
        struct object *consts, *names, *exceptions;
        int flags, n_arguments, n_positional, n_keywords, stack_size, first_line;
        int n_plus, frame_size, n_locals, n_cells, n_free;
        uint32_t version;
        struct object *plus_names, *plus_kinds;
        struct text *file, *name, *qualname;
        struct bytes *lines;
        struct object *weak;
#if FAKE_MINOR == 13
        void *executors;
#endif
        void *cached;
        uint64_t monitoring_version;
        void *monitoring;
        int first_traceable;
        void *extra;
        uint16_t units[FAKE_MAX_OPS + 1];
};

struct frame {
        struct object *code;
        struct frame *previous;
        struct object *function, *globals, *builtins, *locals;
        void *frame_object;
        uint16_t *instr; /* that runs */
        int stack_top;
        uint16_t return_offset;
        char owner;
        struct object *plus[2];
};

struct cframe {
        struct frame *current;
        struct cframe *previous;
};

struct thread;

struct interpreter {
#if FAKE_MINOR == 12
        struct interpreter *next;
        int64_t id, n_references;
        int needs_references;
        void *id_lock;
        int is_initialized, is_ending;
        uint64_t monitoring_version, restart_version;
        struct {
                uint64_t next_id;
                struct thread *head;
                long count;
                size_t stack_bytes;
        } threads;
#else
        char evaluation[7000];
        struct interpreter *next;
        int64_t id;
        struct {
                uint64_t next_id;
                struct thread *head, *preallocated, *main;
                intptr_t count;
        } threads;
#endif
};

struct thread {
        struct thread *previous, *next;
        struct interpreter *interpreter;
#if FAKE_MINOR == 13
        uintptr_t breaker;
#endif
        struct {
                unsigned int initialized : 1, bound : 1, unbound : 1, bound_gilstate : 1, active : 1;
        } status;
#if FAKE_MINOR == 13
        int whence, state, left, limit, c_left, headroom, tracing, what_event;
        struct frame *current_frame;
#else
        int left, limit, c_left, headroom, tracing, what_event;
        struct cframe *cframe;
#endif
        void *profile, *trace, *profile_object, *trace_object, *exception, *exceptions, *dict;
        int n_gilstate;
        struct object *async;
        unsigned long thread_id, native_id;
        struct {
                int nesting;
                void *later;
        } trash;
        void *on_delete, *on_delete_data;
        int origin_depth;
        struct object *first_iteration, *finalizer, *context;
        uint64_t context_version, id;
        struct chunk *chunk;
        struct object **chunk_top, **chunk_limit;
};

struct chunk {
        struct chunk *previous;
        size_t size, top;
        uint8_t data[16384 - 24];
};

struct runtime {
#if FAKE_MINOR == 13
        uint64_t offsets[104];
#endif
        int is_initialized, steps[4];
        void *finalizing;
        struct {
                void *lock;
                struct interpreter *head, *main;
                int64_t next_id;
        } interpreters;
};

/* --- The state --- */

/* struct _Py_DebugOffsets of 3.13: sections that begin with the size of a struct; those of unused structs
 * are left out. */
#if FAKE_MINOR == 12
EXPORT struct runtime _PyRuntime;
#else
EXPORT struct runtime _PyRuntime = {
        .offsets =
                {
                        [0] = UINT64_C(0x7970677562656478), /* "xdebugpy" */
                        [1] = 0x030d00f0,
                        [3] = sizeof(struct runtime),
                        offsetof(struct runtime, finalizing),
                        offsetof(struct runtime, interpreters.head),
                        [6] = sizeof(struct interpreter),
                        offsetof(struct interpreter, id),
                        offsetof(struct interpreter, next),
                        offsetof(struct interpreter, threads.head),
                        [19] = sizeof(struct thread),
                        offsetof(struct thread, previous),
                        offsetof(struct thread, next),
                        offsetof(struct thread, interpreter),
                        offsetof(struct thread, current_frame),
                        offsetof(struct thread, thread_id),
                        offsetof(struct thread, native_id),
                        offsetof(struct thread, chunk),
                        offsetof(struct thread, status),
                        [28] = sizeof(struct frame),
                        offsetof(struct frame, previous),
                        offsetof(struct frame, code),
                        offsetof(struct frame, instr),
                        offsetof(struct frame, plus),
                        offsetof(struct frame, owner),
                        [34] = sizeof(struct code),
                        offsetof(struct code, file),
                        offsetof(struct code, name),
                        offsetof(struct code, qualname),
                        offsetof(struct code, lines),
                        offsetof(struct code, first_line),
                        offsetof(struct code, n_arguments),
                        offsetof(struct code, plus_names),
                        offsetof(struct code, plus_kinds),
                        offsetof(struct code, units),
                        [44] = sizeof(struct object),
                        offsetof(struct object, type),
                        [64] = sizeof(struct bytes),
                        offsetof(struct bytes, size),
                        offsetof(struct bytes, data),
                        [67] = sizeof(struct text),
                        offsetof(struct text, state),
                        offsetof(struct text, length),
                        offsetof(struct text, data),
                },
};
#endif
EXPORT struct object PyCode_Type;
EXPORT const unsigned long Py_Version = 0x030000f0 | FAKE_MINOR << 16;

static struct interpreter only;
static struct text texts[2 * FAKE_N_FUNCTIONS];
static struct bytes tables[FAKE_N_FUNCTIONS];
static struct code codes[FAKE_N_FUNCTIONS];
static struct object none;
static CRITICAL_SECTION lock;
static volatile unsigned sink;

static struct text *set_text(struct text *text, const char *value)
{
        text->object.n_references = 1;
        text->length = (intptr_t)strlen(value);
        text->state.kind = text->state.compact = text->state.ascii = 1;
        strcpy(text->data, value);
        return text;
}

/* Each instruction is one line further than the one before: entries without columns, of PEP 657. */
static void set_lines(struct bytes *table, size_t n)
{
        enum { NO_COLUMNS = 0x80 | 13 << 3, PLUS_ONE = 1 << 1 };

        for (size_t i = 0; i < n; i++) {
                table->data[2 * i] = NO_COLUMNS;
                table->data[2 * i + 1] = PLUS_ONE;
        }
        table->size = (intptr_t)(2 * n);
}

static void set_code(size_t i)
{
        const struct fake_function *function = &fake_functions[i];
        struct code *code = &codes[i];
        size_t n = 0;

        code->object.type = &PyCode_Type;
        code->name = code->qualname = set_text(&texts[2 * i], function->name);
        code->file = set_text(&texts[2 * i + 1], FAKE_FILE);
        code->first_line = function->first_line;
        code->lines = &tables[i];
        for (; n < FAKE_MAX_OPS && function->ops[n].kind != FAKE_RETURN; n++)
                code->units[n] = (uint16_t)(function->ops[n].kind | function->ops[n].value << 8);
        code->n_units = (intptr_t)n + 1;
        set_lines(code->lines, n + 1);
}

static void begin(void)
{
        InitializeCriticalSection(&lock);
        for (size_t i = 0; i < FAKE_N_FUNCTIONS; i++)
                set_code(i);
        _PyRuntime.interpreters.head = _PyRuntime.interpreters.main = &only;
}

/* --- The loop --- */

EXPORT void fake_multiply(unsigned n);
EXPORT void fake_sort(struct thread *thread, unsigned function);
EXPORT void fake_run(unsigned function, unsigned n);
BOOL WINAPI DllMain(HINSTANCE library, DWORD reason, LPVOID reserved);

OUTLINE EXPORT void fake_multiply(unsigned n)
{
        for (unsigned i = 0; i < n; i++)
                sink += i;
}

static struct frame *push(struct thread *thread, unsigned function)
{
        struct frame *frame = (struct frame *)thread->chunk_top;

        memset(frame, 0, sizeof(*frame));
        frame->code = &codes[function].object;
        frame->instr = codes[function].units - 1;
        thread->chunk_top = (struct object **)(frame + 1);
        return frame;
}

EXPORT void *_PyEval_EvalFrameDefault(struct thread *thread, struct frame *frame, int throws);

/* A function in C that calls one in Python. */
OUTLINE EXPORT void fake_sort(struct thread *thread, unsigned function)
{
        _PyEval_EvalFrameDefault(thread, push(thread, function), 0);
        sink++;
}

/* Calls of Python functions by Python functions stay in this function, as in CPython. */
OUTLINE EXPORT void *_PyEval_EvalFrameDefault(struct thread *thread, struct frame *frame, int throws)
{
        struct frame entry = {.code = &none, .owner = 3}, *const first = frame;
#if FAKE_MINOR == 12
        struct cframe cframe = {.current = frame, .previous = thread->cframe};
        struct frame **current = &cframe.current;

        entry.previous = cframe.previous->current;
        thread->cframe = &cframe;
#else
        struct frame **current = &thread->current_frame;

        entry.previous = thread->current_frame;
#endif
        frame->previous = &entry;
        *(struct frame *volatile *)current = frame;
        while (frame != &entry) {
                uint16_t unit;

                frame->instr++;
                unit = *frame->instr;
                switch ((enum fake_kind)(unit & 0xff)) {
                case FAKE_CALL: {
                        struct frame *called = push(thread, unit >> 8);

                        called->previous = frame;
                        frame = called;
                        break;
                }
                case FAKE_SORT: fake_sort(thread, unit >> 8); break;
                case FAKE_WORK: fake_multiply((unsigned)(unit >> 8) * 100000); break;
                case FAKE_RETURN:
                        thread->chunk_top = (struct object **)frame;
                        frame = frame->previous;
                        break;
                }
                *(struct frame *volatile *)current = frame;
        }
#if FAKE_MINOR == 12
        thread->cframe = cframe.previous;
#else
        thread->current_frame = entry.previous;
#endif
        first->previous = NULL; /* `entry` ends here */
        return throws ? NULL : &none;
}

/* --- Threads --- */

static void link_thread(struct thread *thread)
{
        EnterCriticalSection(&lock);
        thread->next = only.threads.head;
        if (thread->next)
                thread->next->previous = thread;
        only.threads.head = thread;
        LeaveCriticalSection(&lock);
}

EXPORT void fake_run(unsigned function, unsigned n)
{
        static __thread struct thread thread;
        static __thread struct chunk chunk;
#if FAKE_MINOR == 12
        static __thread struct cframe root;

        thread.cframe = &root;
#endif
        if (!thread.interpreter) {
                thread.interpreter = &only;
                thread.status.initialized = thread.status.bound = thread.status.active = 1;
                thread.thread_id = thread.native_id = GetCurrentThreadId();
                chunk.size = sizeof(chunk);
                thread.chunk = &chunk;
                thread.chunk_top = (struct object **)chunk.data;
                link_thread(&thread);
        }
        for (unsigned i = 0; i < n; i++)
                _PyEval_EvalFrameDefault(&thread, push(&thread, function), 0);
}

BOOL WINAPI DllMain(HINSTANCE library, DWORD reason, LPVOID reserved)
{
        if (reason == DLL_PROCESS_ATTACH)
                begin();
        return TRUE;
}
