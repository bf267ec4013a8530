wperf --explain wperf record -e ld_spec -c 1 --annotate --disassemble --json --output F -- prog.exe
