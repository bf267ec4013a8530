/* SPDX-License-Identifier: BSD-3-Clause */
#include "etl_kernel.h"

#include <string.h>

#include "attributes.h"
#include "text_utf16.h"

uint64_t etl_kernel_pointer(struct cursor *c, unsigned pointer_bytes)
{
        return pointer_bytes == 4 ? cursor_u32(c) : cursor_u64(c);
}

/* Text of one byte a character: the code page of the machine is not known, so that only ASCII is certain. */
static void add_narrow(struct cursor *c, struct buf *out)
{
        while (cursor_left(c)) {
                uint8_t byte = cursor_u8(c);

                if (!byte)
                        return;
                if (byte < 0x80)
                        buf_add_char(out, (char)byte);
                else
                        buf_add_str(out, "\xef\xbf\xbd");
        }
}

/* The user of a process: nothing but a zero, or two pointers and a SID. */
static void skip_user(struct cursor *c, unsigned pointer_bytes)
{
        struct cursor ahead = *c;

        if (!cursor_u32(&ahead)) {
                cursor_skip(c, sizeof(uint32_t));
                return;
        }
        cursor_skip(c, 2 * (uint64_t)pointer_bytes);
        cursor_skip(c, 1); /* revision */
        cursor_skip(c, 6 + sizeof(uint32_t) * cursor_u8(c));
}

bool etl_kernel_process(const struct etl_event *event, unsigned pointer_bytes, struct etl_process *ret,
                        struct buf *name)
{
        struct cursor c = event->payload;

        if (event->version >= 1)
                etl_kernel_pointer(&c, pointer_bytes); /* a key or a page directory */
        ret->pid = cursor_u32(&c);
        ret->parent = cursor_u32(&c);
        if (event->version >= 1)
                cursor_skip(&c, 2 * sizeof(uint32_t)); /* session and exit status */
        if (event->version >= 3)
                etl_kernel_pointer(&c, pointer_bytes); /* page directory */
        if (event->version >= 4)
                cursor_skip(&c, sizeof(uint32_t)); /* flags */
        if (event->version >= 1)
                skip_user(&c, pointer_bytes);
        if (!c.failed)
                add_narrow(&c, name);
        return !c.failed;
}

/* Before version 1 the thread came first. */
bool etl_kernel_thread(const struct etl_event *event, struct etl_thread *ret)
{
        struct cursor c = event->payload;
        uint32_t first = cursor_u32(&c), second = cursor_u32(&c);

        *ret = event->version ? (struct etl_thread){.pid = first, .tid = second}
                              : (struct etl_thread){.pid = second, .tid = first};
        return !c.failed;
}

enum { SWITCH_BYTES_TO_REASON = 4 }; /* priorities, C-state, and one that is not used */

/* KWAIT_REASON of wdm.h */
const char *etl_kernel_wait_reason(unsigned reason)
{
        static const char *const names[] = {
                "Executive",
                "FreePage",
                "PageIn",
                "PoolAllocation",
                "DelayExecution",
                "Suspended",
                "UserRequest",
                "WrExecutive",
                "WrFreePage",
                "WrPageIn",
                "WrPoolAllocation",
                "WrDelayExecution",
                "WrSuspended",
                "WrUserRequest",
                "WrSpare0",
                "WrQueue",
                "WrLpcReceive",
                "WrLpcReply",
                "WrVirtualMemory",
                "WrPageOut",
                "WrRendezvous",
                "WrKeyedEvent",
                "WrTerminated",
                "WrProcessInSwap",
                "WrCpuRateControl",
                "WrCalloutStack",
                "WrKernel",
                "WrResource",
                "WrPushLock",
                "WrMutex",
                "WrQuantumEnd",
                "WrDispatchInt",
                "WrPreempted",
                "WrYieldExecution",
                "WrFastMutex",
                "WrGuardedMutex",
                "WrRundown",
                "WrAlertByThreadId",
                "WrDeferredPreempt",
                "WrPhysicalFault",
                "WrIoRing",
                "WrMdlCache",
                "WrRcu",
        };

        return reason < N_ELEMENTS(names) ? names[reason] : NULL;
}

bool etl_kernel_switch(const struct etl_event *event, struct etl_switch *ret)
{
        struct cursor c = event->payload;

        ret->to = cursor_u32(&c);
        ret->from = cursor_u32(&c);
        ret->state = ETL_STATE_UNKNOWN;
        ret->reason = 0;
        if (c.failed)
                return false;
        if (cursor_left(&c) > SWITCH_BYTES_TO_REASON + 2) {
                cursor_skip(&c, SWITCH_BYTES_TO_REASON);
                ret->reason = cursor_u8(&c);
                cursor_u8(&c); /* whether it waits in the kernel or in the program */
                ret->state = cursor_u8(&c);
        }
        return true;
}

bool etl_kernel_ready(const struct etl_event *event, uint32_t *ret_tid)
{
        struct cursor c = event->payload;

        *ret_tid = cursor_u32(&c);
        return !c.failed;
}

bool etl_kernel_image(const struct etl_event *event, unsigned pointer_bytes, struct etl_image *ret,
                      struct buf *path)
{
        struct cursor c = event->payload;

        *ret = (struct etl_image){0};
        ret->base = etl_kernel_pointer(&c, pointer_bytes);
        ret->size = etl_kernel_pointer(&c, pointer_bytes);
        if (event->version >= 1)
                ret->pid = cursor_u32(&c);
        if (event->version >= 2) {
                cursor_skip(&c, sizeof(uint32_t)); /* checksum */
                ret->time_stamp = cursor_u32(&c);
                cursor_skip(&c, sizeof(uint32_t)); /* signature */
                etl_kernel_pointer(&c, pointer_bytes);
                cursor_skip(&c, 4 * sizeof(uint32_t));
        }
        if (!c.failed)
                text_add_utf16(&c, path);
        return !c.failed;
}

/* The class of the events that PerfView and the Windows Performance Recorder add to a file:
 * b3e675d7-2554-4f18-830b-2762732560de. */
static const uint8_t image_class[ETL_GUID_BYTES] = {0xd7, 0x75, 0xe6, 0xb3, 0x54, 0x25, 0x18, 0x4f,
                                                    0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde};

enum {
        IMAGE_ID = 0,
        PDB_ID = 36,
        INTERVAL_SET = 0x0f48,
        INTERVAL_AT_BEGIN = 0x0f49,
        INTERVAL_AT_END = 0x0f4a
};

static bool is_of_image(const struct etl_event *event, uint16_t type)
{
        return event->guid && event->id == type && !memcmp(event->guid, image_class, sizeof(image_class));
}

bool etl_kernel_is_stamp(const struct etl_event *event)
{
        return is_of_image(event, IMAGE_ID);
}

bool etl_kernel_stamp(const struct etl_event *event, unsigned pointer_bytes, struct etl_stamp *ret)
{
        struct cursor c = event->payload;

        ret->base = etl_kernel_pointer(&c, pointer_bytes);
        etl_kernel_pointer(&c, pointer_bytes); /* the size */
        ret->pid = cursor_u32(&c);
        ret->time_stamp = cursor_u32(&c);
        return !c.failed;
}

bool etl_kernel_is_pdb(const struct etl_event *event)
{
        return is_of_image(event, PDB_ID);
}

bool etl_kernel_pdb(const struct etl_event *event, unsigned pointer_bytes, struct etl_pdb *ret,
                    struct buf *path)
{
        struct cursor c = event->payload;
        const void *guid;

        ret->base = etl_kernel_pointer(&c, pointer_bytes);
        ret->pid = cursor_u32(&c);
        guid = cursor_bytes(&c, sizeof(ret->guid));
        if (guid)
                memcpy(ret->guid, guid, sizeof(ret->guid));
        ret->age = cursor_u32(&c);
        if (!c.failed)
                add_narrow(&c, path);
        return !c.failed;
}

enum { IN_DEFERRED_CALL = 1, IN_INTERRUPT = 2 }; /* flags of a sample */

bool etl_kernel_sample(const struct etl_event *event, unsigned pointer_bytes, struct etl_sample *ret)
{
        struct cursor c = event->payload;

        ret->ip = etl_kernel_pointer(&c, pointer_bytes);
        ret->tid = cursor_u32(&c);
        ret->source = cursor_u16(&c);
        ret->is_idle = false;
        if (event->hook == ETL_SAMPLE) {
                ret->source = 0; /* it is the number of samples that are one: always 1 */
                ret->is_idle = !ret->tid && !(cursor_u16(&c) & (IN_DEFERRED_CALL | IN_INTERRUPT));
        }
        return !c.failed;
}

bool etl_kernel_is_interval(const struct etl_event *event)
{
        return event->hook >= INTERVAL_SET && event->hook <= INTERVAL_AT_END;
}

bool etl_kernel_interval(const struct etl_event *event, struct etl_interval *ret, struct buf *name)
{
        struct cursor c = event->payload;

        ret->source = cursor_u32(&c);
        ret->interval = cursor_u32(&c);
        if (c.failed)
                return false;
        cursor_skip(&c, sizeof(uint32_t)); /* the interval before */
        if (!c.failed)
                text_add_utf16(&c, name);
        return true;
}

static void take_frames(struct cursor *c, unsigned pointer_bytes, struct etl_stack *ret)
{
        ret->frames = cursor_sub(c, cursor_pos(c), cursor_left(c));
        ret->n_frames = cursor_left(c) / pointer_bytes;
}

bool etl_kernel_stack(const struct etl_event *event, unsigned pointer_bytes, struct etl_stack *ret)
{
        struct cursor c = event->payload;

        *ret = (struct etl_stack){.has_key = event->hook != ETL_STACK};
        ret->time = cursor_u64(&c);
        ret->pid = cursor_u32(&c);
        ret->tid = cursor_u32(&c);
        if (ret->has_key)
                ret->key = etl_kernel_pointer(&c, pointer_bytes);
        if (c.failed)
                return false;
        if (!ret->has_key)
                take_frames(&c, pointer_bytes, ret);
        return true;
}

bool etl_kernel_frames(const struct etl_event *event, unsigned pointer_bytes, struct etl_stack *ret)
{
        struct cursor c = event->payload;

        *ret = (struct etl_stack){.has_key = true};
        ret->key = etl_kernel_pointer(&c, pointer_bytes);
        if (c.failed)
                return false;
        take_frames(&c, pointer_bytes, ret);
        return true;
}

/* {6a399ae0-4bc6-4de9-870b-3657f8947e7e} */
static const uint8_t lost_class[ETL_GUID_BYTES] = {0xe0, 0x9a, 0x39, 0x6a, 0xc6, 0x4b, 0xe9, 0x4d,
                                                   0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e};

enum etl_loss etl_kernel_loss(const struct etl_event *event)
{
        enum { FIRST_TYPE = 32 };
        static const enum etl_loss losses[] = {ETL_LOST_EVENTS, ETL_LOST_BUFFERS, ETL_LOST_FILE};

        if (!event->guid || memcmp(event->guid, lost_class, sizeof(lost_class)) != 0 ||
            event->id < FIRST_TYPE || event->id >= FIRST_TYPE + N_ELEMENTS(losses))
                return ETL_LOST_NOTHING;
        return losses[event->id - FIRST_TYPE];
}
