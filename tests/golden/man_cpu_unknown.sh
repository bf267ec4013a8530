wperf man neverse-n1/ld_spec
