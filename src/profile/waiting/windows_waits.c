/* SPDX-License-Identifier: BSD-3-Clause */
#include "windows_waits.h"

#include <string.h>

#include "attributes.h"
#include "text.h"
#include "text_match.h"

enum { MAX_FUNCTIONS = 24 }; /* between the wait and the module that asked for it */

struct named_kind {
        const char *name;
        enum wait_kind kind;
};

/* Of KWAIT_REASON; a thread of the kernel and one of a program have two words for each of the first ones.
 * Those of most waits, Executive and UserRequest, do not say what for. */
static const struct named_kind reasons[] = {
        {"DelayExecution", WAIT_KIND_SLEEP},   {"WrDelayExecution", WAIT_KIND_SLEEP},
        {"PageIn", WAIT_KIND_FAULT},           {"WrPageIn", WAIT_KIND_FAULT},
        {"FreePage", WAIT_KIND_FAULT},         {"WrFreePage", WAIT_KIND_FAULT},
        {"WrPhysicalFault", WAIT_KIND_FAULT},  {"WrQueue", WAIT_KIND_IDLE},
        {"WrLpcReceive", WAIT_KIND_IDLE},      {"WrUserRequest", WAIT_KIND_IDLE},
        {"WrLpcReply", WAIT_KIND_OTHER},       {"Suspended", WAIT_KIND_OTHER},
        {"WrSuspended", WAIT_KIND_OTHER},      {"WrKeyedEvent", WAIT_KIND_LOCK},
        {"WrResource", WAIT_KIND_LOCK},        {"WrPushLock", WAIT_KIND_LOCK},
        {"WrMutex", WAIT_KIND_LOCK},           {"WrFastMutex", WAIT_KIND_LOCK},
        {"WrGuardedMutex", WAIT_KIND_LOCK},    {"WrRundown", WAIT_KIND_LOCK},
        {"WrAlertByThreadId", WAIT_KIND_LOCK}, {"WrIoRing", WAIT_KIND_OTHER},
};

/* Functions of ntdll and of the kernel, without Nt or Zw. */
static const struct named_kind functions_of_system[] = {
        {"DelayExecution", WAIT_KIND_SLEEP},        {"RemoveIoCompletion", WAIT_KIND_IDLE},
        {"RemoveIoCompletionEx", WAIT_KIND_IDLE},   {"WaitForWorkViaWorkerFactory", WAIT_KIND_IDLE},
        {"WaitForAlertByThreadId", WAIT_KIND_LOCK}, {"WaitForKeyedEvent", WAIT_KIND_LOCK},
        {"UserGetMessage", WAIT_KIND_IDLE},         {"AlpcSendWaitReceivePort", WAIT_KIND_OTHER},
};

/* Without their paths, the innermost one decides. */
static const struct named_kind modules[] = {
        {"afd.sys", WAIT_KIND_NETWORK},     {"tcpip.sys", WAIT_KIND_NETWORK},
        {"mswsock.dll", WAIT_KIND_NETWORK}, {"ws2_32.dll", WAIT_KIND_NETWORK},
        {"winhttp.dll", WAIT_KIND_NETWORK}, {"npfs.sys", WAIT_KIND_PIPE},
        {"condrv.sys", WAIT_KIND_TERMINAL}, {"fltmgr.sys", WAIT_KIND_DISK},
        {"ntfs.sys", WAIT_KIND_DISK},       {"refs.sys", WAIT_KIND_DISK},
        {"volsnap.sys", WAIT_KIND_DISK},    {"storport.sys", WAIT_KIND_DISK},
        {"mrxsmb.sys", WAIT_KIND_DISK},     {"win32kfull.sys", WAIT_KIND_IDLE},
};

static enum wait_kind find(const struct named_kind *kinds, size_t n, const char *name)
{
        for (size_t i = 0; i < n; i++) {
                if (text_equal_nocase(kinds[i].name, name))
                        return kinds[i].kind;
        }
        return WAIT_KIND_UNKNOWN;
}

enum wait_kind windows_waits_decide(const char *reason, const struct wait_function *functions, size_t n)
{
        enum wait_kind kind = find(reasons, N_ELEMENTS(reasons), reason);

        for (size_t i = 0; kind == WAIT_KIND_UNKNOWN && i < n && i < MAX_FUNCTIONS; i++) {
                const char *name = functions[i].name;

                kind = find(modules, N_ELEMENTS(modules), text_base_name(functions[i].file));
                if (kind == WAIT_KIND_UNKNOWN && (text_starts(name, "Nt") || text_starts(name, "Zw")))
                        kind = find(functions_of_system, N_ELEMENTS(functions_of_system), name + 2);
        }
        return kind;
}
