wperf symbolize -e "$GOLDEN/../data/dwarf/split5.so" 0x233
