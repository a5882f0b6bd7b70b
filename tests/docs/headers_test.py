#!/usr/bin/env python3
"""headers_test.py ROOT DOXYGEN FOLDER: Doxygen understands the public headers without a warning."""
import pathlib
import subprocess
import sys

root, doxygen, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
subprocess.run([sys.executable, root / "tools/doxygen_headers.py", folder / "headers"], check=True)
settings = (root / "tools/Doxyfile").read_text().replace("build/docs", str(folder))
sys.exit(subprocess.run([doxygen, "-"], input=settings, text=True, cwd=root).returncode)
