/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of implementers and parts. */
#include "arm_cpu.h"

#include <stddef.h>

#include "attributes.h"

static const struct {
        uint8_t implementer;
        const char *vendor;
} vendors[] = {
        {0x41, "Arm Limited"},
        {0x42, "Broadcom Corporation"},
        {0x43, "Cavium Inc"},
        {0x44, "Digital Equipment Corporation"},
        {0x46, "Fujitsu Ltd"},
        {0x48, "HiSilicon Technologies"},
        {0x49, "Infineon Technologies AG"},
        {0x4d, "Motorola/Freescale"},
        {0x4e, "NVIDIA"},
        {0x50, "Applied Micro Circuits"},
        {0x51, "Qualcomm"},
        {0x53, "Samsung Electronics"},
        {0x56, "Marvell"},
        {0x61, "Apple"},
        {0x69, "Intel"},
        {0x6d, "Microsoft"},
        {0xc0, "Ampere Computing"},
};

static const struct {
        uint8_t implementer;
        uint16_t part;
        const char *product;
} products[] = {
        {0x41, 0xd01, "Cortex-A32"},    {0x41, 0xd02, "Cortex-A34"},    {0x41, 0xd03, "Cortex-A53"},
        {0x41, 0xd04, "Cortex-A35"},    {0x41, 0xd05, "Cortex-A55"},    {0x41, 0xd06, "Cortex-A65"},
        {0x41, 0xd07, "Cortex-A57"},    {0x41, 0xd08, "Cortex-A72"},    {0x41, 0xd09, "Cortex-A73"},
        {0x41, 0xd0a, "Cortex-A75"},    {0x41, 0xd0b, "Cortex-A76"},    {0x41, 0xd0c, "Neoverse N1"},
        {0x41, 0xd0d, "Cortex-A77"},    {0x41, 0xd0e, "Cortex-A76AE"},  {0x41, 0xd40, "Neoverse V1"},
        {0x41, 0xd41, "Cortex-A78"},    {0x41, 0xd42, "Cortex-A78AE"},  {0x41, 0xd43, "Cortex-A65AE"},
        {0x41, 0xd44, "Cortex-X1"},     {0x41, 0xd46, "Cortex-A510"},   {0x41, 0xd47, "Cortex-A710"},
        {0x41, 0xd48, "Cortex-X2"},     {0x41, 0xd49, "Neoverse N2"},   {0x41, 0xd4a, "Neoverse E1"},
        {0x41, 0xd4b, "Cortex-A78C"},   {0x41, 0xd4c, "Cortex-X1C"},    {0x41, 0xd4d, "Cortex-A715"},
        {0x41, 0xd4e, "Cortex-X3"},     {0x41, 0xd4f, "Neoverse V2"},   {0x41, 0xd80, "Cortex-A520"},
        {0x41, 0xd81, "Cortex-A720"},   {0x41, 0xd82, "Cortex-X4"},     {0x41, 0xd83, "Neoverse V3AE"},
        {0x41, 0xd84, "Neoverse V3"},   {0x41, 0xd85, "Cortex-X925"},   {0x41, 0xd87, "Cortex-A725"},
        {0x41, 0xd88, "Cortex-A520AE"}, {0x41, 0xd89, "Cortex-A720AE"}, {0x41, 0xd8e, "Neoverse N3"},
        {0x43, 0x0af, "ThunderX2"},     {0x46, 0x001, "A64FX"},         {0x48, 0xd01, "TaiShan V110"},
        {0x4e, 0x004, "Carmel"},        {0x51, 0x001, "Oryon"},         {0x6d, 0xd49, "Azure Cobalt 100"},
        {0xc0, 0xac3, "Ampere-1"},      {0xc0, 0xac4, "Ampere-1a"},
};

struct arm_cpu arm_cpu_from_midr(uint64_t midr)
{
        struct arm_cpu cpu = {
                .implementer = midr >> 24 & 0xff,
                .variant = midr >> 20 & 0xf,
                .architecture = midr >> 16 & 0xf,
                .part = midr >> 4 & 0xfff,
                .revision = midr & 0xf,
        };

        for (size_t i = 0; i < N_ELEMENTS(vendors); i++) {
                if (vendors[i].implementer == cpu.implementer)
                        cpu.vendor = vendors[i].vendor;
        }
        for (size_t i = 0; i < N_ELEMENTS(products); i++) {
                if (products[i].implementer == cpu.implementer && products[i].part == cpu.part)
                        cpu.product = products[i].product;
        }
        return cpu;
}
