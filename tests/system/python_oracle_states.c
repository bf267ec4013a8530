/* SPDX-License-Identifier: BSD-3-Clause */
/* A module for python_oracle_work.py, which subinterpreters can import, too: passes thread states to
 * python_oracle.  Not part of the build: test_python_oracle.py compiles it with each installed Python.h. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <sys/prctl.h>

/* show(MAGIC, OUTER): the state of this interpreter runs in the one at OUTER. */
static PyObject *show(PyObject *self, PyObject *args)
{
        unsigned long long magic, outer;

        (void)self;
        if (!PyArg_ParseTuple(args, "KK", &magic, &outer))
                return NULL;
        prctl(-1, magic, PyThreadState_Get(), outer, 0);
        Py_RETURN_NONE;
}

/* hide(MAGIC): the thread is about to leave this interpreter. */
static PyObject *hide(PyObject *self, PyObject *args)
{
        unsigned long long magic;

        (void)self;
        if (!PyArg_ParseTuple(args, "K", &magic))
                return NULL;
        prctl(-1, magic, 0, 0, 0);
        Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
        {"show", show, METH_VARARGS, NULL}, {"hide", hide, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot slots[] = {
#ifdef Py_MOD_PER_INTERPRETER_GIL_SUPPORTED
        {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
        {0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "oracle_states", .m_methods = methods,
                                    .m_slots = slots};

PyMODINIT_FUNC PyInit_oracle_states(void)
{
        return PyModuleDef_Init(&module);
}
