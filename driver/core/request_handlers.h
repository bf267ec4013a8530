/* SPDX-License-Identifier: BSD-3-Clause */
/* The handlers of request.c's table, by file: the machine, counting, sampling. A check gets a payload whose
 * size is right and tells whether its numbers are; a handler gets a payload that was checked, writes at
 * most `room` bytes and returns the size of its answer. */
#ifndef REQUEST_HANDLERS_H
#define REQUEST_HANDLERS_H

#include "request.h"

/* The payload, copied; its answer, whose fixed part fits into `room`. */
struct request {
        const void *owner;
        const void *in;
        void *out;
        uint32_t room;
        uint32_t bytes; /* of the answer; set by the handler */
};

/* request_machine.c */
enum request_status request_version(struct driver *driver, struct request *request);
enum request_status request_hw_config(struct driver *driver, struct request *request);
enum request_status request_blocks(struct driver *driver, struct request *request);
enum request_status request_check_class(struct driver *driver, const struct request *request);
enum request_status request_units(struct driver *driver, struct request *request);
enum request_status request_lock(struct driver *driver, struct request *request);
enum request_status request_unlock(struct driver *driver, struct request *request);
enum request_status request_start(struct driver *driver, struct request *request);
enum request_status request_stop(struct driver *driver, struct request *request);

/* request_counting.c */
enum request_status request_check_assign(struct driver *driver, const struct request *request);
enum request_status request_assign(struct driver *driver, struct request *request);
enum request_status request_check_counts(struct driver *driver, const struct request *request);
enum request_status request_read_counts(struct driver *driver, struct request *request);

/* request_sampling.c */
enum request_status request_check_sources(struct driver *driver, const struct request *request);
enum request_status request_set_sources(struct driver *driver, struct request *request);
enum request_status request_check_cpu(struct driver *driver, const struct request *request);
enum request_status request_read_samples(struct driver *driver, struct request *request);
enum request_status request_check_spe(struct driver *driver, const struct request *request);
enum request_status request_set_spe(struct driver *driver, struct request *request);
enum request_status request_check_read_spe(struct driver *driver, const struct request *request);
enum request_status request_read_spe(struct driver *driver, struct request *request);

/* Whether the set names only units below `n`, and at least one. */
bool request_set_is_valid(const struct abi_set *set, uint32_t n);
bool request_set_has(const struct abi_set *set, uint32_t i);

#endif
