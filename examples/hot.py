#!/usr/bin/env python3
"""hot.py SESSION   Prints the functions with the most samples, through ctypes.

LIBWPERF: path of the library; default libwperf.so.1."""
import ctypes
import os
import sys


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("os", ctypes.c_int), ("text", ctypes.c_char * 240)]


class ReportRequest(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("path", ctypes.c_char_p), ("contents", ctypes.c_uint), ("symbol_path", ctypes.c_char_p), ("symfs", ctypes.c_char_p),
                ("inlines", ctypes.c_int), ("lines", ctypes.c_int), ("pages", ctypes.c_int), ("any_owner", ctypes.c_int),
                ("max_memory", ctypes.c_uint64), ("pids", ctypes.POINTER(ctypes.c_int32)), ("n_pids", ctypes.c_size_t)]


class Row(ctypes.Structure):
    _fields_ = [("event", ctypes.c_size_t), ("symbol", ctypes.c_char_p), ("module", ctypes.c_char_p), ("line", ctypes.c_char_p),
                ("resolved", ctypes.c_int), ("samples", ctypes.c_uint64), ("weight", ctypes.c_uint64), ("share", ctypes.c_double),
                ("low", ctypes.c_double), ("high", ctypes.c_double)]


def load() -> ctypes.CDLL:
    library = ctypes.CDLL(os.environ.get("LIBWPERF", "libwperf.so.1"))
    library.wperf_report_open.restype = ctypes.c_void_p
    library.wperf_report_open.argtypes = [ctypes.POINTER(ReportRequest), ctypes.POINTER(Error)]
    library.wperf_report_close.argtypes = [ctypes.c_void_p]
    library.wperf_report_row.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(Row)]
    return library


def main() -> int:
    library, error, row = load(), Error(), Row()
    request = ReportRequest(size=ctypes.sizeof(ReportRequest), path=os.fsencode(sys.argv[1] if len(sys.argv) > 1 else "wperf.data"))
    report = library.wperf_report_open(request, error)
    if not report:
        print(f"hot.py: {error.text.decode(errors='replace')}", file=sys.stderr)
        return 1
    index = 0
    while index < 10 and library.wperf_report_row(report, index, row):
        name = b":".join(part for part in (row.symbol, row.module) if part)
        print(f"{100 * row.share:6.2f} % {row.samples:8}  {name.decode(errors='replace')}")
        index += 1
    library.wperf_report_close(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
