"""wperf, a performance profiler: `python -m wperf` runs it, wperf.open("wperf.data") reads a session into tables."""

__all__ = ["Error", "Session", "Table"]  # without open(), so that the built-in one stays


def __getattr__(name):
    """Loads libwperf only for those who read sessions."""
    if name not in __all__ and name != "open":
        raise AttributeError("module 'wperf' has no attribute '%s'" % name)
    from wperf import session
    return getattr(session, "Session" if name == "open" else name)
