cp "$GOLDEN/../replay/raw_spe.data" spe.data
wperf report -i spe.data
wperf report -i spe.data --sort source --csv | tr -d '\r'
wperf report -i spe.data --mem
wperf report -i spe.data --mem --sort cacheline,symbol | head -8
wperf report -i spe.data --json | head -c 1100
echo
wperf dump spe.data | tail -22
head -c 20 spe.data > cut.data
wperf report -i cut.data
