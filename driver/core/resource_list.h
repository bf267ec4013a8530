/* SPDX-License-Identifier: BSD-3-Clause */
/* The resources of a device as Windows keeps them in the registry (REG_RESOURCE_LIST, a CM_RESOURCE_LIST of
 * wdm.h). */
#ifndef RESOURCE_LIST_H
#define RESOURCE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the first memory in a list of `size` bytes. False if there is none, or the list is damaged before
 * it. */
bool resource_list_find_memory(const void *list, size_t size, uint64_t *ret_first, uint32_t *ret_bytes);

#endif
