python3 - <<'END'
import os, subprocess
reader, writer = os.pipe()
os.close(reader)
print("exit", subprocess.run(["wperf", "--help"], stdout=writer).returncode)
END
