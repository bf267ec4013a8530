wperf man neoverse-n1/ld_spek
