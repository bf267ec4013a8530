printf '10\n0xzz\n' | wperf symbolize -e "$GOLDEN/../data/dwarf/gcc5.so"
