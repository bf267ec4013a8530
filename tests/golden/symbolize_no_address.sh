wperf symbolize -e "$GOLDEN/../data/dwarf/gcc5.so" 0x10 main
