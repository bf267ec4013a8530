wperf diff --code "$GOLDEN/../data/elf/caller-now.exe" "$GOLDEN/../data/elf/caller-ibt.exe"
