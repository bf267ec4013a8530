"""Sessions of wperf, perf and simpleperf as tables, read by libwperf:

    import wperf
    session = wperf.open("wperf.data")
    for row in session.rows():                  # named tuples
        print(row.symbol, row.module, row.samples)
    polars.DataFrame(session.rows())            # each reads Arrow data
    pyarrow.table(session.samples())
    pandas.DataFrame(session.rows().to_dict())  # needs no Arrow

LIBWPERF is the path of the library; default: the one of this package, else that of the system."""
import array
import collections
import ctypes
import ctypes.util
import os
import sys

PYTHON, SAMPLES = 4, 2  # enum wperf_content
EVENTS, ROWS, PYTHON_ROWS, SAMPLE_ROWS, FRAMES, QUALITY = range(6)  # enum wperf_table
# The types of module array for the formats of Arrow.
ARRAY_TYPES = {b"L": "Q", b"l": "q", b"I": "I", b"i": "i", b"g": "d"}


class Error(Exception):
    """What is wrong with a session, in one sentence."""


class CError(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("os", ctypes.c_int), ("text", ctypes.c_char * 240)]


class Request(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("path", ctypes.c_char_p), ("contents", ctypes.c_uint), ("symbol_path", ctypes.c_char_p),
                ("symfs", ctypes.c_char_p), ("inlines", ctypes.c_int), ("lines", ctypes.c_int)]


class Schema(ctypes.Structure):
    """struct ArrowSchema"""


class Batch(ctypes.Structure):
    """struct ArrowArray"""


class Stream(ctypes.Structure):
    """struct ArrowArrayStream"""


SCHEMA_RELEASE, BATCH_RELEASE, STREAM_RELEASE = (ctypes.CFUNCTYPE(None, ctypes.POINTER(kind)) for kind in (Schema, Batch, Stream))
Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
                   ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.c_void_p),
                   ("release", SCHEMA_RELEASE), ("private_data", ctypes.c_void_p)]
Batch._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                  ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(Batch))),
                  ("dictionary", ctypes.c_void_p), ("release", BATCH_RELEASE), ("private_data", ctypes.c_void_p)]
Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
                   ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Batch))),
                   ("get_last_error", ctypes.c_void_p), ("release", STREAM_RELEASE), ("private_data", ctypes.c_void_p)]


def load():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libwperf.so")
    path = os.environ.get("LIBWPERF") or (beside if os.path.exists(beside) else ctypes.util.find_library("wperf"))
    if not path:
        raise Error("libwperf was not found: install the wheel or the package with the library, or set LIBWPERF to its path")
    library = ctypes.CDLL(path)
    library.wperf_report_open.restype = ctypes.c_void_p
    library.wperf_report_open.argtypes = [ctypes.POINTER(Request), ctypes.POINTER(CError)]
    library.wperf_report_close.argtypes = [ctypes.c_void_p]
    library.wperf_report_arrow.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(CError)]
    return library


# --- Capsules, in which programs pass Arrow data to each other ---

_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", ctypes.pythonapi))
_NAMES = {Schema: b"arrow_schema", Stream: b"arrow_array_stream"}
_handed = []


def _release_unused(handed=_handed, references=sys.getrefcount, byref=ctypes.byref):
    """A destructor in Python would end the exception of a consumer that fails and drops its capsule, so capsules have none. What nobody
    has taken out of them is released here. The defaults are there for sessions that end after this module."""
    probe, kept = object(), []
    alone = references(probe)
    while handed:
        capsule, held = handed.pop()
        if references(capsule) > alone:
            kept.append((capsule, held))
        elif held.release:
            held.release(byref(held))
    handed.extend(kept)


def _capsule(held):
    _release_unused()
    capsule = _new_capsule(ctypes.addressof(held), _NAMES[type(held)], None)
    _handed.append((capsule, held))
    return capsule


# --- Tables ---


def _values(form, column, length):
    buffers = column.buffers
    if form == b"U":
        ends = array.array("q", ctypes.string_at(buffers[1], 8 * (length + 1)))
        data = ctypes.string_at(buffers[2], ends[-1]) if ends[-1] else b""
        return [data[start:end].decode() for start, end in zip(ends, ends[1:])]
    if form == b"b":
        bits = ctypes.string_at(buffers[1], (length + 7) // 8)
        return [bool(bits[at // 8] >> at % 8 & 1) for at in range(length)]
    values = array.array(ARRAY_TYPES[form])
    values.frombytes(ctypes.string_at(buffers[1], length * values.itemsize))
    return values


class Table:
    """Rows of a session. Iterating gives named tuples; `column` and `to_dict` give columns, those of numbers as array.array, which
    numpy takes without a copy. Polars, pyarrow, DuckDB and pandas 3 take the table itself (__arrow_c_stream__)."""

    def __init__(self, session, number):
        self._session, self._number = session, number
        schema = self._schema()
        children = [schema.children[i].contents for i in range(schema.n_children)]
        self.columns = tuple(child.name.decode() for child in children)
        self._formats = [child.format for child in children]
        schema.release(ctypes.byref(schema))

    def _stream(self):
        stream, error = Stream(), CError()
        if not self._session.library.wperf_report_arrow(self._session.report(), self._number, ctypes.byref(stream), ctypes.byref(error)):
            raise Error(error.text.decode(errors="replace"))
        return stream

    def _schema(self):
        stream, schema = self._stream(), Schema()
        stream.get_schema(ctypes.byref(stream), ctypes.byref(schema))
        stream.release(ctypes.byref(stream))
        return schema

    def __arrow_c_stream__(self, requested_schema=None):
        return _capsule(self._stream())

    def __arrow_c_schema__(self):
        return _capsule(self._schema())

    def _batches(self):
        """The columns of each batch."""
        stream, batch = self._stream(), Batch()
        try:
            while not stream.get_next(ctypes.byref(stream), ctypes.byref(batch)) and batch.release:
                columns = [_values(form, batch.children[i].contents, batch.length) for i, form in enumerate(self._formats)]
                batch.release(ctypes.byref(batch))
                yield columns
        finally:
            stream.release(ctypes.byref(stream))

    def __iter__(self):
        row = collections.namedtuple("Row", self.columns)
        for columns in self._batches():
            yield from map(row._make, zip(*columns))

    def to_dict(self):
        """Columns by name."""
        columns = [array.array(ARRAY_TYPES[form]) if form in ARRAY_TYPES else [] for form in self._formats]
        for batch in self._batches():
            for column, values in zip(columns, batch):
                column.extend(values)
        return dict(zip(self.columns, columns))

    def column(self, name):
        return self.to_dict()[name]


class Session:
    """A session file. samples=False needs less memory and leaves out `samples` and `frames`."""

    def __init__(self, path="wperf.data", *, samples=True, lines=False, inlines=False, symbol_path=None, symfs=None):
        self._report, self._has_samples = None, samples
        self.library = load()
        request = Request(size=ctypes.sizeof(Request), path=os.fsencode(path), contents=PYTHON | (SAMPLES if samples else 0),
                          symbol_path=symbol_path and os.fsencode(symbol_path), symfs=symfs and os.fsencode(symfs), inlines=inlines, lines=lines)
        error = CError()
        self._report = self.library.wperf_report_open(ctypes.byref(request), ctypes.byref(error))
        if not self._report:
            raise Error(error.text.decode(errors="replace"))

    def report(self):
        if not self._report:
            raise Error("the session is closed")
        return self._report

    def close(self, release_unused=_release_unused):
        report, self._report = self._report, None
        if report:
            self.library.wperf_report_close(report)
            release_unused()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def events(self):
        """The events that were sampled."""
        return Table(self, EVENTS)

    def rows(self):
        """Functions, and source lines if lines=True."""
        return Table(self, ROWS)

    def python_rows(self):
        """Python functions, with and without their callees."""
        return Table(self, PYTHON_ROWS)

    def _of_samples(self, kind):
        if not self._has_samples:
            raise Error("the session was opened with samples=False")
        return Table(self, kind)

    def samples(self):
        """All samples, by time; `stack` is a number in `frames`."""
        return self._of_samples(SAMPLE_ROWS)

    def frames(self):
        """The frames of all stacks. A stack is a function, with those inlined into it, and `caller`, the stack of its caller; -1: none."""
        return self._of_samples(FRAMES)

    def quality(self):
        """What the profile lacks, as a named tuple: lost samples, samples without a symbol, cut stacks, and why it is poor."""
        return next(iter(Table(self, QUALITY)))
