/* SPDX-License-Identifier: BSD-3-Clause */
/* LLVM's C disassembler (llvm-c/Disassembler.h), loaded at run time: chooses the library and its options, and
 * decodes. Does not need LLVM's headers, because this part of the C interface has not changed since LLVM
 * 3.6. */
#include "disasm_internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "mem.h"
#include "os.h"

/* Newest first, because it knows the most instructions. LLVM's own names are libLLVM.so.MAJOR.1 since version
 * 18 and libLLVM-MAJOR.so before. Debian and Ubuntu add .1 to the older names. */
static const char *const library_names[] = {
        "libLLVM.so.23.1", "libLLVM.so.22.1", "libLLVM.so.21.1", "libLLVM.so.20.1", "libLLVM.so.19.1",
        "libLLVM.so.18.1", "libLLVM-17.so.1", "libLLVM-17.so",   "libLLVM-16.so.1", "libLLVM-16.so",
        "libLLVM-15.so.1", "libLLVM-15.so",   "libLLVM-14.so.1", "libLLVM-14.so",   "libLLVM-13.so.1",
        "libLLVM-13.so",   "libLLVM-12.so.1", "libLLVM-12.so",   "libLLVM-11.so.1", "libLLVM-11.so",
        "LLVM-C.dll",
};

/* All features that LLVM 11 and LLVM 14 know. "+all" exists since LLVM 15; it is used since LLVM 16, which
 * can be detected. LLVM prints a line for each feature that it does not know. */
#define ARM64_FEATURES                                                                                       \
        "+altnzcv,+bf16,+bti,+ccidx,+ccdp,+crypto,+ete,+f32mm,+f64mm,+fp16fml,+fptoint,+fullfp16,+i8mm,"     \
        "+mpam,+mte,+predres,+rand,+sb,+sha3,+sm4,+spe,+specrestrict,+ssbs,+sve2,+sve2-aes,+sve2-bitperm,"   \
        "+sve2-sha3,+sve2-sm4,+tme,+trbe"
static const char arm64_features_11[] = "+v8.6a," ARM64_FEATURES;
static const char arm64_features_14[] = "+v9.3a,+brbe,+flagm,+hbc,+hcx,+ls64,+mops,+pauth,+rme,+sme,+sme-f64,"
                                        "+sme-i64,+spe-eef,+wfxt,+xs," ARM64_FEATURES;

enum { HEX_NUMBERS = 2, OTHER_SYNTAX = 4 }; /* LLVMDisassembler_Option_* */

typedef void (*initialize_fn)(void);
typedef void *(*create_fn)(const char *triple, const char *cpu, const char *features, void *info, int tag,
                           void *operand_callback, void *symbol_callback);
typedef int (*set_options_fn)(void *context, uint64_t options);
typedef size_t (*instruction_fn)(void *context, const uint8_t *bytes, uint64_t n_bytes, uint64_t pc,
                                 char *text, size_t text_size);
typedef void (*dispose_fn)(void *context);

struct disasm {
        enum disasm_arch arch;
        struct os_library *library;
        void *context;
        instruction_fn instruction;
        dispose_fn dispose;
};

/* Initializes only one target, because each takes time. */
static bool initialize(struct os_library *library, enum disasm_arch arch)
{
        static const char *const parts[] = {"TargetInfo", "TargetMC", "Disassembler"};

        for (size_t i = 0; i < N_ELEMENTS(parts); i++) {
                initialize_fn call;
                char name[64];

                snprintf(name, sizeof(name), "LLVMInitialize%s%s", arch == DISASM_X86_64 ? "X86" : "AArch64",
                         parts[i]);
                if (!os_library_find(library, name, &call))
                        return false;
                call();
        }
        return true;
}

static const char *features_of(struct os_library *library, enum disasm_arch arch)
{
        void (*since)(void);

        if (arch == DISASM_X86_64)
                return "";
        if (os_library_find(library, "LLVMGetVersion", &since)) /* since LLVM 16 */
                return "+all";
        return os_library_find(library, "LLVMGetGEPSourceElementType", &since)
                       ? arm64_features_14 /* since LLVM 14 */
                       : arm64_features_11;
}

static bool create(struct disasm *d, enum disasm_syntax syntax)
{
        const char *triple =
                d->arch == DISASM_X86_64 ? "x86_64-unknown-linux-gnu" : "aarch64-unknown-linux-gnu";
        bool is_intel = d->arch == DISASM_X86_64 && syntax == DISASM_INTEL;
        create_fn create_context;
        set_options_fn set_options;

        if (!os_library_find(d->library, "LLVMCreateDisasmCPUFeatures", &create_context) ||
            !os_library_find(d->library, "LLVMSetDisasmOptions", &set_options) ||
            !os_library_find(d->library, "LLVMDisasmInstruction", &d->instruction) ||
            !os_library_find(d->library, "LLVMDisasmDispose", &d->dispose) ||
            !initialize(d->library, d->arch))
                return false;
        d->context = create_context(triple, "", features_of(d->library, d->arch), NULL, 0, NULL, NULL);
        /* Set them separately: setting the syntax resets the other options. */
        return d->context && (!is_intel || set_options(d->context, OTHER_SYNTAX)) &&
               set_options(d->context, HEX_NUMBERS);
}

struct disasm *disasm_open_library(const char *name, enum disasm_arch arch, enum disasm_syntax syntax)
{
        AUTO(disasm) d = mem_new(1, sizeof(*d));

        d->arch = arch;
        d->library = os_library_open(name, NULL);
        if (!d->library || !create(d, syntax))
                return NULL;
        return TAKE(d);
}

struct disasm *disasm_open(enum disasm_arch arch, enum disasm_syntax syntax, struct err *err)
{
        for (size_t i = 0; i < N_ELEMENTS(library_names); i++) {
                struct disasm *d = disasm_open_library(library_names[i], arch, syntax);

                if (d)
                        return d;
        }
        if (!os_library_can_open())
                err_set(err, ERR_MISSING,
                        "instructions are shown as bytes: this wperf is statically linked and can't load LLVM's "
                        "library; with glibc 2.28 or later, use the dynamically linked wperf");
        else
                err_set(err, ERR_MISSING,
                        "instructions are shown as bytes: disassembly needs LLVM's library with %s, version 11 "
                        "to 23, and none was found; %s",
                        arch == DISASM_X86_64 ? "X86" : "AArch64", os_llvm_advice());
        return NULL;
}

struct disasm *disasm_open_bytes(enum disasm_arch arch)
{
        struct disasm *d = mem_new(1, sizeof(*d));

        d->arch = arch;
        return d;
}

bool disasm_has_texts(const struct disasm *disasm)
{
        return disasm->context;
}

void disasm_free(struct disasm *disasm)
{
        if (!disasm)
                return;
        if (disasm->context)
                disasm->dispose(disasm->context);
        os_library_free(disasm->library);
        free(disasm);
}

enum disasm_arch disasm_get_arch(const struct disasm *disasm)
{
        return disasm->arch;
}

size_t disasm_decode(struct disasm *disasm, const uint8_t *code, size_t size, uint64_t addr, char *text,
                     size_t text_size)
{
        size_t n;

        assert(text_size);
        if (disasm->arch == DISASM_X86_64 && disasm_is_invalid_x86_64(code, size)) {
                text[0] = '\0';
                return 0;
        }
        n = disasm->context ? disasm->instruction(disasm->context, code, size, addr, text, text_size)
                            : disasm_bytes_decode(disasm->arch, code, size, addr, text, text_size);
        text[text_size - 1] = '\0';
        return n <= size ? n : 0;
}
