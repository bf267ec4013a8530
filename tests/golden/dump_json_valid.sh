cp "$GOLDEN/../replay/every_kind.data" .
wperf dump -q -o out.json every_kind.data
python3 -c 'import json
document = json.load(open("out.json"))
print(*document, len(document["records"]))'
