[ -w /dev/full ] || { echo "no /dev/full" >&2; exit 77; }
wperf --help > /dev/full
