/* SPDX-License-Identifier: BSD-3-Clause */
/* The modules of places, provided by the reader of the session. */
#ifndef PLACE_MODULES_H
#define PLACE_MODULES_H

#include "module_facts.h"
#include "resolver.h"
#include "world.h"

/* Converts a module of the world to one of the resolver, and describes it. */
struct place_modules {
        resolver_id (*get)(void *ctx, module_id module);
        bool (*is_executable)(void *ctx, module_id module); /* an image that is executed, not a library */
        void (*tell)(void *ctx, module_id module, struct module_facts *ret);
        void *ctx;
        /* what executes the code at an address of the module's object; NULL: not known */
        enum exec_machine (*machine)(void *ctx, module_id module, uint64_t addr);
};

#endif
