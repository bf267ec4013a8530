wperf symbolize -e "$GOLDEN/../data/dwarf/package4.so" 0x233
