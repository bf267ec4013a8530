/* SPDX-License-Identifier: BSD-3-Clause */
/* Unpacks ELF sections: SHF_COMPRESSED with its header (gABI, "Section compression"), and the older
 * .zdebug_ sections: "ZLIB" and the size as 8 big-endian bytes. */
#include <string.h>

#include "codec.h"
#include "elf_format.h"
#include "elf_internal.h"
#include "err.h"
#include "text.h"

struct packing {
        enum codec_kind kind;
        uint64_t size; /* unpacked size */
        struct cursor stream;
};

static bool read_old_packing(struct cursor c, struct packing *ret, struct err *err)
{
        const uint8_t *magic = cursor_bytes(&c, 4);
        const uint8_t *size = cursor_bytes(&c, 8);

        if (!magic || !size || memcmp(magic, "ZLIB", 4) != 0)
                return err_set(err, ERR_FORMAT, "does not begin with the magic ZLIB");
        ret->kind = CODEC_ZLIB;
        ret->size = 0;
        for (int i = 0; i < 8; i++)
                ret->size = ret->size << 8 | size[i];
        ret->stream = c;
        return true;
}

static bool read_packing(const struct elf *elf, struct cursor c, struct packing *ret, struct err *err)
{
        uint32_t type = cursor_u32(&c);

        if (elf->is_64)
                cursor_skip(&c, 4);
        ret->size = elf_word(elf, &c);
        elf_word(elf, &c);
        if (c.failed)
                return err_set(err, ERR_FORMAT, "compression header is cut");
        if (type != ELF_COMPRESS_ZLIB && type != ELF_COMPRESS_ZSTD)
                return err_set(err, ERR_UNSUPPORTED, "compression type %u is not known", type);
        ret->kind = type == ELF_COMPRESS_ZLIB ? CODEC_ZLIB : CODEC_ZSTD;
        ret->stream = c;
        return true;
}

static bool check_size(const struct packing *packing, struct err *err)
{
        if (packing->size > ELF_MAX_UNPACKED_BYTES ||
            packing->size / ELF_MAX_UNPACK_RATIO > cursor_left(&packing->stream))
                return err_set(err, ERR_LIMIT, "decompresses to %llu bytes, which is more than the limit",
                               (unsigned long long)packing->size);
        return true;
}

static bool open_packing(struct object *object, const struct object_section *section, struct packing *ret,
                         struct err *err)
{
        const struct elf *elf = elf_of(object);
        struct cursor c = elf_section_bytes(elf, (size_t)(section - object->sections));

        if (c.failed)
                return err_set(err, ERR_FORMAT, "lies outside the file");
        if (text_starts(section->name, ".zdebug_") ? !read_old_packing(c, ret, err)
                                                   : !read_packing(elf, c, ret, err))
                return false;
        return check_size(ret, err);
}

bool elf_get_unpacked_size(struct object *object, const struct object_section *section, size_t *ret_size,
                           struct err *err)
{
        struct packing packing = {0}; /* gcc 14 does not know that err_set() returns false */

        if (!open_packing(object, section, &packing, err))
                return false;
        *ret_size = (size_t)packing.size;
        return true;
}

bool elf_unpack_section(struct object *object, const struct object_section *section, void *out, size_t size,
                        struct err *err)
{
        struct packing packing = {0}; /* gcc 14 does not know that err_set() returns false */
        size_t n_bytes;

        if (!open_packing(object, section, &packing, err) ||
            !codec_unpack_into(packing.kind, packing.stream.at, cursor_left(&packing.stream), out, size,
                               &n_bytes, err))
                return false;
        if (n_bytes != size)
                return err_set(err, ERR_FORMAT, "decompresses to %zu bytes, but its header says %zu", n_bytes,
                               size);
        return true;
}
