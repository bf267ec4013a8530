cp "$GOLDEN/../replay/spe_wperf.data" .
wperf dump spe_wperf.data | grep '  SPE  ' | head -22
wperf dump --json spe_wperf.data | tr '{' '\n' | grep -c '"type":"SPE"'
