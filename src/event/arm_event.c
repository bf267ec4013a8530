/* SPDX-License-Identifier: BSD-3-Clause */
/* The well-known events of Arm cores, by number: those of WindowsPerf's metrics.  Linux describes in sysfs only
 * what PMCEID tells about, which leaves out the IMPLEMENTATION DEFINED range (ld_spec and its kin). */
#include "event_internal.h"

static const struct {
        const char *name;
        uint16_t code;
} arm_events[] = {
        {"l1i_cache_refill", 0x0001},
        {"l1i_tlb_refill", 0x0002},
        {"l1d_cache_refill", 0x0003},
        {"l1d_cache", 0x0004},
        {"l1d_tlb_refill", 0x0005},
        {"inst_retired", 0x0008},
        {"br_immed_retired", 0x000d},
        {"br_return_retired", 0x000e},
        {"br_mis_pred", 0x0010},
        {"cpu_cycles", 0x0011},
        {"mem_access", 0x0013},
        {"l1i_cache", 0x0014},
        {"l2d_cache", 0x0016},
        {"l2d_cache_refill", 0x0017},
        {"bus_access", 0x0019},
        {"inst_spec", 0x001b},
        {"bus_cycles", 0x001d},
        {"br_retired", 0x0021},
        {"br_mis_pred_retired", 0x0022},
        {"stall_frontend", 0x0023},
        {"stall_backend", 0x0024},
        {"l1d_tlb", 0x0025},
        {"l1i_tlb", 0x0026},
        {"l2i_cache", 0x0027},
        {"l2i_cache_refill", 0x0028},
        {"l3d_cache_refill", 0x002a},
        {"l3d_cache", 0x002b},
        {"l2d_tlb_refill", 0x002d},
        {"l2i_tlb_refill", 0x002e},
        {"l2d_tlb", 0x002f},
        {"l2i_tlb", 0x0030},
        {"dtlb_walk", 0x0034},
        {"itlb_walk", 0x0035},
        {"ll_cache_rd", 0x0036},
        {"ll_cache_miss_rd", 0x0037},
        {"op_retired", 0x003a},
        {"op_spec", 0x003b},
        {"stall_slot_backend", 0x003d},
        {"stall_slot_frontend", 0x003e},
        {"stall_slot", 0x003f},
        {"ld_spec", 0x0070},
        {"st_spec", 0x0071},
        {"dp_spec", 0x0073},
        {"ase_spec", 0x0074},
        {"vfp_spec", 0x0075},
        {"pc_write_spec", 0x0076},
        {"crypto_spec", 0x0077},
        {"br_immed_spec", 0x0078},
        {"br_indirect_spec", 0x007a},
        {"isb_spec", 0x007c},
        {"dsb_spec", 0x007d},
        {"dmb_spec", 0x007e},
        {"stall_backend_mem", 0x4005},
        {"sve_inst_spec", 0x8006},
        {"fp_hp_spec", 0x8014},
        {"fp_sp_spec", 0x8018},
        {"fp_dp_spec", 0x801c},
        {"sve_pred_spec", 0x8074},
        {"sve_pred_empty_spec", 0x8075},
        {"sve_pred_full_spec", 0x8076},
        {"sve_pred_partial_spec", 0x8077},
        {"fp_scale_ops_spec", 0x80c0},
        {"fp_fixed_ops_spec", 0x80c1},
        {"br_ind_retired", 0x811d},
        {"stall_frontend_membound", 0x8158},
        {"stall_frontend_l1i", 0x8159},
        {"stall_frontend_mem", 0x815b},
        {"stall_frontend_tlb", 0x815c},
        {"stall_frontend_cpubound", 0x8160},
        {"stall_frontend_flow", 0x8161},
        {"stall_frontend_flush", 0x8162},
        {"stall_backend_membound", 0x8164},
        {"stall_backend_l1d", 0x8165},
        {"stall_backend_tlb", 0x8167},
        {"stall_backend_st", 0x8168},
        {"stall_backend_cpubound", 0x816a},
        {"stall_backend_busy", 0x816b},
        {"stall_backend_rename", 0x816d},
};

bool arm_event_find(struct span name, uint32_t *ret_code)
{
        for (size_t i = 0; i < N_ELEMENTS(arm_events); i++) {
                if (span_equal_nocase(name, arm_events[i].name)) {
                        *ret_code = arm_events[i].code;
                        return true;
                }
        }
        return false;
}

void arm_event_each(bool (*each)(void *ctx, const char *name), void *ctx)
{
        for (size_t i = 0; i < N_ELEMENTS(arm_events); i++) {
                if (!each(ctx, arm_events[i].name))
                        return;
        }
}
