wperf --explain wperf record -e ld_spec:100000,vfp_spec -c 1 --timeout 5 --force-lock --json --disassemble -- prog.exe a b
