/* SPDX-License-Identifier: BSD-3-Clause */
/* An event's number is in the low half of config. The fields that select a class (`clkdiv2` of DMC-620)
 * follow, one byte for each name. */
#include "kernel_units.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "os_paths.h"
#include "text.h"
#include "text_number.h"

enum { TYPE_FIRST = 64, FIELDS_LOW = 32, FIELD_BITS = 8, NAME_BYTES = 64 };

static const struct pmu_block *find_block(const char *name)
{
        for (size_t i = 0; i < pmu_block_count(); i++) {
                if (!strcmp(pmu_block_get(i)->name, name))
                        return pmu_block_get(i);
        }
        return NULL;
}

struct kernel_unit *kernel_units_find(struct kernel_units *units, const struct pmu_block *block,
                                      uint32_t index)
{
        for (size_t i = 0; i < units->n_items; i++) {
                if (units->items[i].block == block && units->items[i].index == index)
                        return &units->items[i];
        }
        return NULL;
}

static void add_unit(struct kernel_units *units, const struct pmu_block *block, uint32_t index)
{
        struct kernel_unit unit = {.block = block, .index = index};

        /* Blocks may share the name of their PMUs. */
        for (size_t i = 0; i < units->n_items; i++)
                unit.number += !strcmp(units->items[i].block->pmu, block->pmu);
        units->items[units->n_items++] = unit;
}

void kernel_units_add_class(struct kernel_units *units, const char *block_name, const char *class_name,
                            const struct kernel_unit_class *facts, uint32_t n_units)
{
        const struct pmu_block *block = find_block(block_name);
        struct kernel_unit_class class = *facts;

        assert(units->n_classes <= KERNEL_UNIT_CLASSES_MAX);
        if (!block || !n_units || units->n_classes == KERNEL_UNIT_CLASSES_MAX)
                return;
        class.block = block;
        class.class = pmu_block_find_class(block, class_name, strlen(class_name));
        if (!class.class)
                return;
        units->classes[units->n_classes++] = class;
        if (kernel_units_find(units, block, 0))
                return;
        for (uint32_t i = 0; i < n_units && units->n_items < KERNEL_UNITS_MAX; i++)
                add_unit(units, block, i);
}

/* --- events --- */

static bool is_field(const struct pmu_block *block, size_t class, const char *field)
{
        return block->classes[class].linux_field && !strcmp(block->classes[class].linux_field, field);
}

/* The field that selects the class; NULL if there is none, or a class before it has the same. */
static const char *new_field(const struct pmu_block *block, size_t class)
{
        const char *field = block->classes[class].linux_field;

        for (size_t i = 0; field && i < class; i++) {
                if (is_field(block, i, field))
                        return NULL;
        }
        return field;
}

/* The lowest bit of a field in config. */
static unsigned field_low(const struct pmu_block *block, const char *field)
{
        unsigned low = FIELDS_LOW;

        for (size_t i = 0; i < block->n_classes && !is_field(block, i, field); i++)
                low += new_field(block, i) ? FIELD_BITS : 0;
        return low;
}

static bool selects(const struct pmu_block *block, const struct pmu_block_class *class, uint64_t config)
{
        uint64_t value;

        if (!class->linux_field)
                return true;
        value = config >> field_low(block, class->linux_field) & ((1u << FIELD_BITS) - 1);
        return value == class->linux_value;
}

bool kernel_units_find_event(const struct kernel_units *units, const struct perf_attr *attr,
                             struct kernel_unit_event *ret)
{
        const struct kernel_unit *unit;

        if (attr->type < TYPE_FIRST || attr->type - TYPE_FIRST >= units->n_items)
                return false;
        unit = &units->items[attr->type - TYPE_FIRST];
        for (size_t i = 0; i < units->n_classes; i++) {
                const struct kernel_unit_class *class = &units->classes[i];

                if (class->block != unit->block || !selects(unit->block, class->class, attr->config))
                        continue;
                *ret = (struct kernel_unit_event){unit, class, (uint32_t)attr->config};
                return true;
        }
        return false;
}

/* --- files --- */

static void unit_name(const struct kernel_unit *unit, char *ret)
{
        snprintf(ret, NAME_BYTES, "%s%" PRIu32, unit->block->pmu, unit->number);
}

/* The unit to whose folder `path` belongs, with the path in it: "" for the folder itself. NULL if there is
 * none. */
static const struct kernel_unit *unit_of_path(const struct kernel_units *units, const char *path,
                                              const char **ret_below)
{
        for (size_t i = 0; i < units->n_items; i++) {
                AUTO_RELEASE(buf) folder = {0};
                char name[NAME_BYTES];

                unit_name(&units->items[i], name);
                os_sysfs_pmu(name, "", &folder);
                if (!text_starts(path, buf_text(&folder)))
                        continue;
                *ret_below = path + folder.len;
                if (**ret_below == '/')
                        ++*ret_below;
                else if (**ret_below)
                        continue;
                return &units->items[i];
        }
        return NULL;
}

static bool read_format(const struct pmu_block *block, const char *field, struct buf *out)
{
        if (!strcmp(field, "event")) {
                buf_printf(out, "config:0-%d\n", FIELDS_LOW - 1);
                return true;
        }
        for (size_t i = 0; i < block->n_classes; i++) {
                if (is_field(block, i, field)) {
                        buf_printf(out, "config:%u-%u\n", field_low(block, field),
                                   field_low(block, field) + FIELD_BITS - 1);
                        return true;
                }
        }
        return false;
}

static bool add_cpus(const struct kernel_unit *unit, struct buf *out)
{
        uint32_t cpus[KERNEL_CPUS_MAX];
        size_t n = 0;

        for (uint32_t i = 0; i < KERNEL_CPUS_MAX; i++) {
                if (unit->cpus[i / 64] >> i % 64 & 1)
                        cpus[n++] = i;
        }
        if (!n)
                return false;
        text_add_cpu_list(out, cpus, n);
        buf_add_char(out, '\n');
        return true;
}

bool kernel_units_read(const struct kernel_units *units, const char *path, struct buf *out)
{
        static const char format[] = "format/";
        const char *below;
        const struct kernel_unit *unit = unit_of_path(units, path, &below);

        if (!unit)
                return false;
        if (text_starts(below, format))
                return read_format(unit->block, below + strlen(format), out);
        if (!strcmp(below, "type"))
                buf_printf(out, "%zu\n", TYPE_FIRST + (size_t)(unit - units->items));
        else if (!strcmp(below, "cpumask"))
                buf_printf(out, "%" PRIu32 "\n", unit->cpu);
        else if (!strcmp(below, "associated_cpus"))
                return add_cpus(unit, out);
        else
                return false;
        return true;
}

bool kernel_units_list_pmus(const struct kernel_units *units, bool (*each)(void *each_ctx, const char *name),
                            void *each_ctx)
{
        for (size_t i = 0; i < units->n_items; i++) {
                char name[NAME_BYTES];

                unit_name(&units->items[i], name);
                if (!each(each_ctx, name))
                        return false;
        }
        return true;
}

static void list_format(const struct pmu_block *block, bool (*each)(void *each_ctx, const char *name),
                        void *each_ctx)
{
        bool more = each(each_ctx, "event");

        for (size_t i = 0; more && i < block->n_classes; i++) {
                const char *field = new_field(block, i);

                more = !field || each(each_ctx, field);
        }
}

bool kernel_units_list(const struct kernel_units *units, const char *path,
                       bool (*each)(void *each_ctx, const char *name), void *each_ctx)
{
        const char *below;
        const struct kernel_unit *unit = unit_of_path(units, path, &below);

        if (!unit)
                return false;
        if (!strcmp(below, "format")) {
                list_format(unit->block, each, each_ctx);
                return true;
        }
        return !*below && each(each_ctx, "type") && each(each_ctx, "cpumask") && each(each_ctx, "format");
}
