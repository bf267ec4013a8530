wperf --version --json -o v.json
cat v.json
mkdir d
wperf version -o w.json --cwd d -q
cat d/w.json
