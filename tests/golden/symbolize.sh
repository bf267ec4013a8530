wperf symbolize -afip -e "$GOLDEN/../data/dwarf/gcc5.so" 0x214 0x259  1
