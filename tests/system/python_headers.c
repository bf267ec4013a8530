/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the offsets in CPython's headers of the fields that src/names/python reads, with the names of
 * struct python_layout.  Not part of the build: test_python_frames.py compiles it with each installed
 * Python.h. */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#if PY_VERSION_HEX < 0x03090000
#include "internal/pycore_pystate.h"
#else
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"
#endif
#if PY_VERSION_HEX >= 0x030b0000
#include "internal/pycore_code.h"
#include "internal/pycore_frame.h"
#endif
#include <stddef.h>
#include <stdio.h>

#define SHOW(name, value) printf("%s %zu\n", name, (size_t)(value))

static void show_states(void)
{
        SHOW("runtime_interpreters", offsetof(_PyRuntimeState, interpreters.head));
#if PY_VERSION_HEX < 0x030c0000
        SHOW("runtime_current", offsetof(_PyRuntimeState, gilstate.tstate_current));
#endif
        SHOW("interp_next", offsetof(PyInterpreterState, next));
#if PY_VERSION_HEX >= 0x030b0000
        SHOW("interp_threads", offsetof(PyInterpreterState, threads.head));
        SHOW("thread_native_id", offsetof(PyThreadState, native_thread_id));
        SHOW("thread_chunk", offsetof(PyThreadState, datastack_chunk));
        SHOW("thread_chunk_top", offsetof(PyThreadState, datastack_top));
#else
        SHOW("interp_threads", offsetof(PyInterpreterState, tstate_head));
#endif
        SHOW("thread_next", offsetof(PyThreadState, next));
        SHOW("thread_interp", offsetof(PyThreadState, interp));
        SHOW("thread_id", offsetof(PyThreadState, thread_id));
#if PY_VERSION_HEX >= 0x030c0000
        SHOW("thread_status", offsetof(PyThreadState, _status));
#endif
#if PY_VERSION_HEX >= 0x030d0000
        SHOW("thread_frame", offsetof(PyThreadState, current_frame));
#elif PY_VERSION_HEX >= 0x030b0000
        SHOW("thread_frame", offsetof(PyThreadState, cframe));
        SHOW("cframe_frame", offsetof(_PyCFrame, current_frame));
        SHOW("cframe_previous", offsetof(_PyCFrame, previous));
#else
        SHOW("thread_frame", offsetof(PyThreadState, frame));
#endif
}

static void show_frame(void)
{
#if PY_VERSION_HEX >= 0x030d0000
        SHOW("frame_code", offsetof(_PyInterpreterFrame, f_executable));
        SHOW("frame_instr", offsetof(_PyInterpreterFrame, instr_ptr));
#elif PY_VERSION_HEX >= 0x030b0000
        SHOW("frame_code", offsetof(_PyInterpreterFrame, f_code));
        SHOW("frame_instr", offsetof(_PyInterpreterFrame, prev_instr));
#else
        SHOW("frame_code", offsetof(PyFrameObject, f_code));
        SHOW("frame_instr", offsetof(PyFrameObject, f_lasti));
        SHOW("frame_previous", offsetof(PyFrameObject, f_back));
#endif
#if PY_VERSION_HEX >= 0x030b0000
        SHOW("frame_previous", offsetof(_PyInterpreterFrame, previous));
#endif
#if PY_VERSION_HEX >= 0x030c0000
        SHOW("frame_owner", offsetof(_PyInterpreterFrame, owner));
#elif PY_VERSION_HEX >= 0x030b0000
        SHOW("frame_entry", offsetof(_PyInterpreterFrame, is_entry));
#endif
}

static void show_objects(void)
{
        SHOW("code_file", offsetof(PyCodeObject, co_filename));
        SHOW("code_first_line", offsetof(PyCodeObject, co_firstlineno));
#if PY_VERSION_HEX >= 0x030b0000
        SHOW("code_name", offsetof(PyCodeObject, co_qualname));
        SHOW("code_instrs", offsetof(PyCodeObject, co_code_adaptive));
#else
        SHOW("code_name", offsetof(PyCodeObject, co_name));
#endif
#if PY_VERSION_HEX >= 0x030a0000
        SHOW("code_lines", offsetof(PyCodeObject, co_linetable));
#else
        SHOW("code_lines", offsetof(PyCodeObject, co_lnotab));
#endif
#if PY_VERSION_HEX >= 0x030c0000
        SHOW("code_version", offsetof(PyCodeObject, co_version));
#elif PY_VERSION_HEX >= 0x030b0000
        SHOW("code_mutable", offsetof(PyCodeObject, co_warmup));
#endif
        SHOW("object_type", offsetof(PyObject, ob_type));
        SHOW("bytes_size", offsetof(PyBytesObject, ob_base.ob_size));
        SHOW("bytes_data", offsetof(PyBytesObject, ob_sval));
        SHOW("text_length", offsetof(PyASCIIObject, length));
        SHOW("text_state", offsetof(PyASCIIObject, state));
        SHOW("text_ascii_bytes", sizeof(PyASCIIObject));
        SHOW("text_compact_bytes", sizeof(PyCompactUnicodeObject));
}

/* Of objects of a program; python_objects.c and python_dict.c have offsets of their own. */
static void show_program(void)
{
#if PY_VERSION_HEX >= 0x030c0000
        SHOW("interp_modules", offsetof(PyInterpreterState, imports.modules));
#else
        SHOW("interp_modules", offsetof(PyInterpreterState, modules));
#endif
        SHOW("type_keys", offsetof(PyHeapTypeObject, ht_cached_keys));
#if PY_VERSION_HEX >= 0x030e0000
        SHOW("frame_stack", offsetof(_PyInterpreterFrame, stackpointer));
        SHOW("gen_frame", offsetof(PyGenObject, gi_iframe));
        SHOW("gen_state", offsetof(PyGenObject, gi_frame_state));
#endif
}

int main(void)
{
        show_states();
        show_frame();
        show_objects();
        show_program();
        return 0;
}
