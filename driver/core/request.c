/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of requests. Nothing of a payload is used before its size has been compared with the table's,
 * and the count in it with the size. */
#include "request.h"

#include <string.h>

#include "request_handlers.h"

enum request_lock_need { ANYBODY, OWNER };

/* A payload is `in_bytes`, then as many items of `item_bytes` as the 32-bit count at `count_at` says. */
struct request_row {
        uint32_t code;
        uint32_t in_bytes, item_bytes, count_at, max_items;
        uint32_t out_bytes; /* the fixed part of the answer */
        enum request_lock_need needs;
        bool while_stopped; /* only when nothing runs */
        enum request_status (*check)(struct driver *driver,
                                     const struct request *request); /* NULL for none */
        enum request_status (*handle)(struct driver *driver, struct request *request);
};

static const struct request_row rows[] = {
        {ABI_CODE(ABI_REQUEST_VERSION), 0, 0, 0, 0, sizeof(struct abi_version), ANYBODY, false, NULL,
         request_version},
        {ABI_OWN(ABI_REQUEST_HW_CONFIG), sizeof(struct abi_first), 0, 0, 0, sizeof(struct abi_hw_config),
         ANYBODY, false, NULL, request_hw_config},
        {ABI_OWN(ABI_REQUEST_BLOCKS), sizeof(struct abi_first), 0, 0, 0, sizeof(struct abi_blocks), ANYBODY,
         false, NULL, request_blocks},
        {ABI_OWN(ABI_REQUEST_LOCK), sizeof(struct abi_lock), 0, 0, 0, sizeof(struct abi_lock_answer), ANYBODY,
         false, NULL, request_lock},
        {ABI_OWN(ABI_REQUEST_UNLOCK), 0, 0, 0, 0, 0, OWNER, false, NULL, request_unlock},
        {ABI_OWN(ABI_REQUEST_ASSIGN), sizeof(struct abi_assign), sizeof(struct abi_slot),
         offsetof(struct abi_assign, n_slots), ABI_SLOTS_MAX, 0, OWNER, true, request_check_assign,
         request_assign},
        {ABI_OWN(ABI_REQUEST_SET_SOURCES), sizeof(struct abi_sources), sizeof(struct abi_source),
         offsetof(struct abi_sources, n), ABI_SOURCES_MAX, 0, OWNER, true, request_check_sources,
         request_set_sources},
        {ABI_OWN(ABI_REQUEST_SET_SPE), sizeof(struct abi_spe), 0, 0, 0, 0, OWNER, true, request_check_spe,
         request_set_spe},
        {ABI_OWN(ABI_REQUEST_START), sizeof(struct abi_start), 0, 0, 0, 0, OWNER, true, NULL, request_start},
        {ABI_OWN(ABI_REQUEST_STOP), 0, 0, 0, 0, 0, OWNER, false, NULL, request_stop},
        {ABI_OWN(ABI_REQUEST_READ_COUNTS), sizeof(struct abi_read), 0, 0, 0, sizeof(struct abi_counts), OWNER,
         false, request_check_counts, request_read_counts},
        {ABI_OWN(ABI_REQUEST_READ_SAMPLES), sizeof(struct abi_read), 0, 0, 0, sizeof(struct abi_samples),
         OWNER, false, request_check_cpu, request_read_samples},
        {ABI_OWN(ABI_REQUEST_READ_SPE), sizeof(struct abi_read), 0, 0, 0, sizeof(struct abi_spe_data), OWNER,
         false, request_check_read_spe, request_read_spe},
        {ABI_OWN(ABI_REQUEST_UNITS), sizeof(struct abi_read), 0, 0, 0, sizeof(struct abi_units), ANYBODY,
         false, request_check_class, request_units},
};

_Static_assert(sizeof(rows) / sizeof(rows[0]) == ABI_REQUESTS, "each request has a row");
_Static_assert(sizeof(struct abi_assign) + ABI_SLOTS_MAX * sizeof(struct abi_slot) <=
                       sizeof(((struct driver *)0)->input),
               "the longest payload fits into the copy");

static const struct request_row *find_row(uint32_t code)
{
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                if (rows[i].code == code)
                        return &rows[i];
        }
        return NULL;
}

/* Whether `in_bytes` is the size of the row's payload with its own count of items. */
static bool has_size(const struct request_row *row, const void *in, uint32_t in_bytes)
{
        uint32_t n;

        if (!row->item_bytes)
                return in_bytes == row->in_bytes;
        if (in_bytes < row->in_bytes)
                return false;
        memcpy(&n, (const char *)in + row->count_at, sizeof(n));
        return n <= row->max_items && in_bytes == row->in_bytes + n * row->item_bytes;
}

enum request_status request_run(struct driver *driver, const void *owner, uint32_t code, const void *in,
                                uint32_t in_bytes, void *out, uint32_t out_bytes, uint32_t *ret_bytes)
{
        const struct request_row *row = find_row(code);
        struct request request = {.owner = owner, .in = driver->input, .out = out, .room = out_bytes};
        enum request_status status;

        *ret_bytes = 0;
        driver_give_way(driver);
        if (!row)
                return REQUEST_UNKNOWN;
        if (!has_size(row, in, in_bytes) || out_bytes < row->out_bytes)
                return REQUEST_SIZE;
        if (row->needs == OWNER && driver->owner != owner)
                return REQUEST_OWNER;
        if (row->while_stopped && driver->running)
                return REQUEST_STATE;
        memset(driver->input, 0, sizeof(driver->input));
        if (in_bytes)
                memcpy(driver->input, in, in_bytes);
        status = row->check ? row->check(driver, &request) : REQUEST_OK;
        if (status == REQUEST_OK)
                status = row->handle(driver, &request);
        if (status == REQUEST_OK)
                *ret_bytes = request.bytes;
        return status;
}

bool request_set_has(const struct abi_set *set, uint32_t i)
{
        return set->bits[i / 64] >> i % 64 & 1;
}

bool request_set_is_valid(const struct abi_set *set, uint32_t n)
{
        uint32_t found = 0;

        for (uint32_t i = 0; i < ABI_CPUS_MAX; i++) {
                if (!request_set_has(set, i))
                        continue;
                if (i >= n)
                        return false;
                found++;
        }
        return found;
}
