/* SPDX-License-Identifier: BSD-3-Clause */
/* The modules that places lie in, as whoever reads the session knows them. */
#ifndef PLACE_MODULES_H
#define PLACE_MODULES_H

#include "module_facts.h"
#include "resolver.h"
#include "world.h"

/* Turns a module of the world into one of the resolver, and says what it is. */
struct place_modules {
        resolver_id (*get)(void *ctx, module_id module);
        bool (*is_executable)(void *ctx, module_id module); /* an image that is run, not a library */
        void (*tell)(void *ctx, module_id module, struct module_facts *ret);
        void *ctx;
};

#endif
