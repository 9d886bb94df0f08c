"""Compile what most tests share before they start: `python tests/compile.py PROCESSES`.

Processes that begin with an empty cache would all compile the same kernels at the same time, and
those that measure coverage would take twice as long about it. A test that needs a kernel which is
not compiled here compiles it itself.
"""

import compileall
import sys
from pathlib import Path

import concordant
from concordant.cli.compile import PARTS, compile_all, compile_part

if __name__ == "__main__":
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    # Where Python may not write what it makes of the source, each process would make it again.
    compileall.compile_dir(Path(concordant.__file__).parent, quiet=2)
    if processes == 1:
        for name in PARTS:
            compile_part(name)
    else:
        compile_all(processes)
