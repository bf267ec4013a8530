/* SPDX-License-Identifier: BSD-3-Clause */
/* Jitdumps grow while their processes run. A jitdump that has grown is read again completely, but only as
 * often as takes a small part of the recorder's time. It is accepted under the same conditions as after the
 * recording: a regular file, no link, owned by the process's user or root, and not older than the process. */
#include "linux_jit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "arch.h"
#include "jitdump.h"
#include "mem.h"
#include "os.h"
#include "unwind_cfi.h"

enum {
        MAX_DUMPS = 64,     /* each has a descriptor */
        SHARE_OF_TIME = 10, /* reading again takes at most 1/SHARE_OF_TIME of the time */
        ELF_X86_64 = 62,
        ELF_ARM64 = 183,
};

struct jit_dump {
        int32_t pid;
        int fd; /* O_PATH; -1 for none */
        struct jitdump *dump;
        uint64_t size_bytes;     /* size of the file when it was read */
        uint64_t round, next_ns; /* the last round in which it was checked; when it may be read again */
        struct map by_load;      /* index of the load to index + 1 in `cfis` */
        struct cfi **cfis;
        size_t n_cfis, cap_cfis;
};

static void forget_frames(struct jit_dump *d)
{
        for (size_t i = 0; i < d->n_cfis; i++)
                cfi_free(d->cfis[i]);
        free(d->cfis);
        map_release(&d->by_load);
        d->cfis = NULL;
        d->n_cfis = d->cap_cfis = 0;
        d->by_load = (struct map){0};
        jitdump_free(d->dump);
        d->dump = NULL;
}

static void close_dump(struct jit_dump *d)
{
        forget_frames(d);
        if (d->fd >= 0)
                close(d->fd);
        *d = (struct jit_dump){.pid = -1, .fd = -1};
}

void jit_dumps_release(struct jit_dumps *dumps)
{
        for (size_t i = 0; i < dumps->n; i++)
                close_dump(&dumps->items[i]);
        free(dumps->items);
}

static struct jit_dump *find_dump(const struct jit_dumps *dumps, int32_t pid)
{
        for (size_t i = 0; i < dumps->n; i++) {
                if (dumps->items[i].pid == pid)
                        return &dumps->items[i];
        }
        return NULL;
}

void jit_dumps_forget(struct jit_dumps *dumps, int32_t pid)
{
        struct jit_dump *d = find_dump(dumps, pid);

        if (d)
                close_dump(d);
}

/* O_PATH does not open the file, and links are not followed. The descriptor remains valid if the compiler
 * removes the file. */
static int open_path(const struct keeper *keeper, const struct module *module, const char *path)
{
        for (size_t i = keeper->kept.n; i-- > 0;) {
                if (kept_file_is_of(&keeper->kept.items[i], module, path))
                        return fcntl(keeper->kept.items[i].fd, F_DUPFD_CLOEXEC, 0);
        }
        return open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

void jit_dumps_add(struct jit_dumps *dumps, int32_t pid, const struct module *module, const char *path)
{
        struct jit_dump fresh = {.pid = pid, .fd = open_path(dumps->keeper, module, path)};
        struct jit_dump *d = find_dump(dumps, pid);

        if (!d)
                d = find_dump(dumps, -1);
        if (!d && dumps->n == MAX_DUMPS)
                d = &dumps->items[dumps->n_replaced++ % MAX_DUMPS];
        if (!d) {
                ARRAY_PUSH(dumps->items, dumps->n, dumps->cap, fresh);
                return;
        }
        close_dump(d);
        *d = fresh;
}

void jit_dumps_next_round(struct jit_dumps *dumps)
{
        dumps->round++;
}

static bool is_own_machine(const struct jitdump *dump)
{
        return jitdump_get_facts(dump)->machine == (linux_arch()->id == ARCH_ARM64 ? ELF_ARM64 : ELF_X86_64);
}

static void read_dump(const struct jit_dumps *dumps, struct jit_dump *d)
{
        AUTO_RELEASE(buf) path = {0}, note = {0};
        struct os_origin origin;

        forget_frames(d);
        if (!users_get_origin(&dumps->keeper->users, d->pid, &origin))
                return;
        os_descriptor_path(d->fd, NULL, &path);
        d->dump = jitdump_new(buf_text(&path), &origin, dumps->budget, &note);
        if (!is_own_machine(d->dump))
                forget_frames(d);
}

static void read_if_longer(const struct jit_dumps *dumps, struct jit_dump *d)
{
        uint64_t begin_ns, end_ns;
        struct stat st;

        if (d->round == dumps->round || d->fd < 0)
                return;
        begin_ns = os_monotonic_ns();
        if (begin_ns < d->next_ns)
                return;
        d->round = dumps->round;
        if (fstat(d->fd, &st) || (uint64_t)st.st_size == d->size_bytes)
                return;
        d->size_bytes = (uint64_t)st.st_size;
        read_dump(dumps, d);
        end_ns = os_monotonic_ns();
        d->next_ns = end_ns + (end_ns - begin_ns) * SHARE_OF_TIME;
}

static struct cfi *get_frames(struct jit_dump *d, const struct jitdump_hit *hit)
{
        enum object_machine machine =
                linux_arch()->id == ARCH_ARM64 ? OBJECT_MACHINE_ARM64 : OBJECT_MACHINE_X86_64;
        uint64_t *known = map_put(&d->by_load, hit->index, NULL), addr;
        struct cursor frames;

        if (!*known) {
                struct cfi *cfi = jitdump_get_frames(d->dump, hit->load, &frames, &addr)
                                          ? cfi_open_frames(frames, addr, machine, NULL)
                                          : NULL;

                ARRAY_PUSH(d->cfis, d->n_cfis, d->cap_cfis, cfi);
                *known = d->n_cfis;
        }
        return d->cfis[*known - 1];
}

void jit_dumps_find(struct jit_dumps *dumps, int32_t pid, uint64_t addr, struct unwind_module *module)
{
        struct jit_dump *d = find_dump(dumps, pid);
        struct jitdump_hit hit;
        uint64_t end;

        if (!d)
                return;
        read_if_longer(dumps, d);
        if (!d->dump || !jitdump_find(d->dump, addr, CODE_HISTORY_LATEST, &hit))
                return;
        module->cfi = get_frames(d, &hit);
        end = hit.load->addr + hit.load->size_bytes;
        module->start = hit.load->addr > module->start ? hit.load->addr : module->start;
        module->end = end < module->end ? end : module->end;
}
