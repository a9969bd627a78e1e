"""expect CODE COMMAND...: runs the command and succeeds when it exits with exactly that code."""

import subprocess
import sys

wanted, command = int(sys.argv[1]), sys.argv[2:]
got = subprocess.run(command).returncode
if got != wanted:
    sys.exit(f"expected exit code {wanted}, got {got}: {' '.join(command)}")
