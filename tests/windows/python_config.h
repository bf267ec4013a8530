/* SPDX-License-Identifier: BSD-3-Clause */
/* Instead of the pyconfig.h beside CPython's headers, which is for Linux: what decides the layout of
 * structs on 64-bit Windows. */
#define Py_PYCONFIG_H
#define MS_WINDOWS
#define MS_WIN32
#define MS_WIN64
#define NT_THREADS
#define WITH_THREAD
#define SIZEOF_SIZE_T       8
#define SIZEOF_VOID_P       8
#define SIZEOF_LONG         4
#define SIZEOF_LONG_LONG    8
#define SIZEOF_INT          4
#define SIZEOF_SHORT        2
#define SIZEOF_FPOS_T       8
#define SIZEOF_HKEY         8
#define SIZEOF_TIME_T       8
#define SIZEOF_OFF_T        4
#define SIZEOF_WCHAR_T      2
#define SIZEOF_PID_T        8
#define SIZEOF_DOUBLE       8
#define SIZEOF_FLOAT        4
#define ALIGNOF_SIZE_T      8
#define ALIGNOF_MAX_ALIGN_T 8
#define HAVE_STDINT_H       1
#define HAVE_LONG_LONG      1
#define HAVE_WCHAR_H        1
#define HAVE_STDDEF_H       1
#define HAVE_ERRNO_H        1
#define HAVE_SYS_STAT_H     1
#define HAVE_SYS_TYPES_H    1
#define HAVE_DECLSPEC_DLL
#define HAVE_PY_SSIZE_T 1
typedef long long Py_ssize_t;
#define PY_SSIZE_T_MAX                  0x7fffffffffffffffLL
#define HAVE_STD_ATOMIC                 1
#define HAVE_BUILTIN_ATOMIC             1
#define DOUBLE_IS_LITTLE_ENDIAN_IEEE754 1
