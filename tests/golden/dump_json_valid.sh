wperf dump -q -o out.json "$GOLDEN/../replay/every_kind.data"
python3 -c 'import json
document = json.load(open("out.json"))
print(*document, len(document["records"]))'
