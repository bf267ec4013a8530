/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which block describes a PMU, and looks up classes and events. */
#include <assert.h>
#include <string.h>

#include "buf.h"
#include "event_grammar.h"
#include "os_paths.h"
#include "pmu_block_internal.h"
#include "text.h"
#include "text_match.h"

size_t pmu_block_count(void)
{
        return pmu_blocks_n;
}

const struct pmu_block *pmu_block_get(size_t index)
{
        assert(index < pmu_blocks_n);
        return &pmu_blocks[index];
}

/* --- which block --- */

/* Whether an item of `list` (joined by commas) matches `text` as a glob. */
static bool is_listed(const char *list, const char *text)
{
        AUTO_RELEASE(buf) item = {0};

        for (const char *at = list;; at++) {
                size_t len = strcspn(at, ",");

                buf_clear(&item);
                buf_add(&item, at, len);
                if (text_match_glob(buf_text(&item), text))
                        return true;
                at += len;
                if (!*at)
                        return false;
        }
}

static void read_identifier(const struct pmu_source *source, const struct pmu *pmu, struct buf *out)
{
        AUTO_RELEASE(buf) path = {0};

        os_sysfs_pmu(pmu->name, "identifier", &path);
        source->read_file(source->ctx, buf_text(&path), out);
        while (out->len && (out->data[out->len - 1] == '\n' || out->data[out->len - 1] == ' '))
                out->data[--out->len] = 0;
}

static bool has_core(const struct core_kinds *kinds, const char *cores)
{
        for (size_t i = 0; kinds && i < kinds->n_items; i++) {
                if (kinds->items[i].model && is_listed(cores, kinds->items[i].model->id))
                        return true;
        }
        return false;
}

/* 0: another machine's, 1: possible, 2: any machine's, 3: this machine's. */
static int rank(const struct pmu_block *block, const char *identifier, const struct core_kinds *kinds)
{
        if (block->identifiers && *identifier)
                return is_listed(block->identifiers, identifier) ? 3 : 0;
        if (block->cores)
                return has_core(kinds, block->cores) ? 3 : 1;
        return block->identifiers ? 1 : 2;
}

const struct pmu_block *pmu_block_of(const struct pmu_source *source, const struct pmu *pmu,
                                     const struct core_kinds *kinds)
{
        const struct pmu_block *best = NULL;
        AUTO_RELEASE(buf) identifier = {0};
        int best_rank = 0;

        for (size_t i = 0; i < pmu_blocks_n; i++) {
                const struct pmu_block *block = &pmu_blocks[i];
                int own;

                if (!text_starts(pmu->name, block->pmu))
                        continue;
                if (block->identifiers && !identifier.len)
                        read_identifier(source, pmu, &identifier);
                own = rank(block, buf_text(&identifier), kinds);
                if (own > best_rank) {
                        best = block;
                        best_rank = own;
                }
        }
        return best;
}

/* --- names --- */

const struct pmu_block_class *pmu_block_find_class(const struct pmu_block *block, const char *name,
                                                   size_t len)
{
        for (size_t i = 0; i < block->n_classes; i++) {
                if (span_equal_nocase((struct span){name, len}, block->classes[i].name))
                        return &block->classes[i];
        }
        return NULL;
}

const struct pmu_block_class *pmu_block_find_class_anywhere(const char *name, size_t len,
                                                            const struct pmu_block **ret_block)
{
        for (size_t i = 0; i < pmu_blocks_n; i++) {
                const struct pmu_block_class *class = pmu_block_find_class(&pmu_blocks[i], name, len);

                if (class) {
                        *ret_block = &pmu_blocks[i];
                        return class;
                }
        }
        return NULL;
}

void pmu_block_add_prefixes(struct buf *out)
{
        const char *comma = "";

        for (size_t i = 0; i < pmu_blocks_n; i++) {
                for (size_t c = 0; c < pmu_blocks[i].n_classes; c++) {
                        const char *name = pmu_blocks[i].classes[c].name;
                        const struct pmu_block *first = NULL;

                        pmu_block_find_class_anywhere(name, strlen(name), &first);
                        if (first != &pmu_blocks[i])
                                continue;
                        buf_printf(out, "%s/%s/", comma, name);
                        comma = ", ";
                }
        }
}

const struct pmu_block_event *pmu_block_find_event(const struct pmu_block_class *class, const char *name,
                                                   size_t len)
{
        for (size_t i = 0; i < class->n_events; i++) {
                if (span_equal_nocase((struct span){name, len}, class->events[i].name))
                        return &class->events[i];
        }
        return NULL;
}

const struct pmu_block_event *pmu_block_find_code(const struct pmu_block_class *class, uint64_t code)
{
        for (size_t i = 0; i < class->n_events; i++) {
                if (class->events[i].code == code)
                        return &class->events[i];
        }
        return NULL;
}

/* --- Linux --- */

bool pmu_block_takes_numbers(const struct pmu_source *source, const struct pmu *pmu)
{
        struct pmu_field field;

        return pmu_find_field(source, pmu, "event", strlen("event"), &field, NULL) > 0;
}

bool pmu_block_linux_event(const struct pmu_source *source, const struct pmu *pmu,
                           const struct pmu_block_class *class, const char *name, size_t len, struct buf *out)
{
        AUTO_RELEASE(buf) wanted = {0};

        buf_add_str(&wanted, class->linux_events);
        buf_add(&wanted, name, len);
        return pmu_find_event(source, pmu, wanted.data, wanted.len, out);
}
