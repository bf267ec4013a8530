# The keys that editors read, and a document that is nothing but JSON.
wperf list -v --json --cpu-model neoverse-n1 > list.json
python3 -c 'import json
document = json.load(open("list.json"))
for block, rows in document.items():
    print(block, len(rows), *rows[0])
    assert all(isinstance(value, str) and value for row in rows for value in row.values())'
wperf list --json --cpu-model neoverse-n1 -o short.json -q
python3 -c 'import json
for block, rows in json.load(open("short.json")).items():
    print(block, len(rows), *rows[0])'
