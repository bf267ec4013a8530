cp "$GOLDEN/../replay/archived_v1.data" .
wperf report -s run --csv --sort symbol archived_v1.data | tr -d '\r'
for keys in comm pid tid process thread cpu module machine line addr event comm,line; do
        echo "--- $keys"
        wperf report -s run --csv --sort $keys archived_v1.data | tr -d '\r'
done
echo "--- an inlined function"
wperf report --inlines -s mix --sort comm,line archived_v1.data
echo "--- a document"
wperf report -s run --json --sort pid archived_v1.data | sed 's/.*"events"/"events"/; s/,"quality".*//'
echo "--- nothing"
wperf report -s nosuch --sort line archived_v1.data
wperf report -s nosuch --sort line --csv archived_v1.data | tr -d '\r'
