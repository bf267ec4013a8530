/* SPDX-License-Identifier: BSD-3-Clause */
/* The instruction sets of the parts of an ARM64EC or ARM64X image, from the code map in their metadata. */
#include "pe_internal.h"

enum {
        LOAD_CONFIG_HYBRID_OFF = 0xc8, /* offset of the address of the hybrid metadata, in PE32+ */
        ENTRY_BYTES = 8,
        KIND_BITS = 3, /* the lowest bits of an entry's start are its kind */
        ENTRIES_OF_STEP = 8,
};

static enum object_machine machine_of(unsigned kind)
{
        switch (kind) {
        case 0: return OBJECT_MACHINE_ARM64;
        case 1: return OBJECT_MACHINE_ARM64EC;
        case 2: return OBJECT_MACHINE_X86_64;
        default: return OBJECT_MACHINE_OTHER;
        }
}

/* The entries of the map; empty in an image for one machine. */
static struct cursor find_map(const struct pe *pe)
{
        struct cursor c = pe_directory(pe, PE_DIR_LOAD_CONFIG);
        uint64_t metadata, size;
        uint32_t map;

        cursor_skip(&c, LOAD_CONFIG_HYBRID_OFF);
        metadata = cursor_u64(&c) - pe->base.facts.load_addr;
        if (c.failed || pe->base.facts.address_bytes != 8 || metadata > UINT32_MAX)
                return cursor_make(NULL, 0);
        c = pe_at_rva(pe, (uint32_t)metadata);
        cursor_skip(&c, 4); /* version */
        map = cursor_u32(&c);
        size = (uint64_t)cursor_u32(&c) * ENTRY_BYTES;
        if (c.failed)
                return cursor_make(NULL, 0);
        c = pe_at_rva(pe, map);
        return cursor_sub(&c, 0, size);
}

enum object_machine pe_code_at(const struct object *object, uint64_t addr)
{
        struct cursor c = find_map((const struct pe *)object);
        uint64_t rva = addr - object->facts.load_addr;

        /* The map need not be sorted, so all of it is read for each address. */
        if (!budget_work(object->budget, BUDGET_STACKS, cursor_left(&c) / ENTRY_BYTES / ENTRIES_OF_STEP))
                return object->facts.machine;
        while (cursor_left(&c)) {
                uint32_t start = cursor_u32(&c), size = cursor_u32(&c);

                if (rva - (start & ~(uint32_t)KIND_BITS) < size)
                        return machine_of(start & KIND_BITS);
        }
        return object->facts.machine;
}

enum object_machine pe_machine_at(const struct object *object, uint64_t addr)
{
        enum object_machine machine = pe_code_at(object, addr);

        return machine == OBJECT_MACHINE_ARM64EC ? OBJECT_MACHINE_ARM64 : machine;
}

bool pe_is_hybrid(const struct object *object)
{
        struct cursor map = find_map((const struct pe *)object);

        return cursor_left(&map) > 0;
}
