cp "$GOLDEN/../replay/calls.data" "$GOLDEN/../replay/branches.data" .
wperf report -s nosuch calls.data
wperf report -s nosuch calls.data --csv | tr -d '\r'
wperf report -g -s nosuch calls.data
wperf report -b -s nosuch branches.data
