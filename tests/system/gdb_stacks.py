"""Runs inside gdb: prints the frames of each thread of the process as JSON: tid, and for each frame its function, file, line and module.
"""
import json

import gdb


def frame_of(frame):
    place = frame.find_sal()
    name = frame.name()
    return {
        "function": name or "??",
        "file": place.symtab.filename if place.symtab else "",
        "line": place.line if place.symtab else 0,
        "module": gdb.solib_name(frame.pc()) or "",
    }


def frames_of(thread):
    thread.switch()
    found, frame = [], gdb.newest_frame()
    while frame is not None and len(found) < 4000:
        if frame.type() != gdb.TAILCALL_FRAME:  # gdb infers it; nothing of it is in the stack
            found.append(frame_of(frame))
        try:
            frame = frame.older()
        except gdb.error:
            break
    return found


gdb.execute("set backtrace past-main on")
gdb.execute("set backtrace past-entry on")
threads = {thread.ptid[1] or thread.ptid[0]: frames_of(thread) for thread in gdb.selected_inferior().threads()}
print("STACKS " + json.dumps(threads))
