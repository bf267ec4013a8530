echo "This is no session." > notes.txt
wperf dump -i notes.txt
