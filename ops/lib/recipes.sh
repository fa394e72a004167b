#!/usr/bin/env bash
# Makes the Python that the recipes of Schema/RECIPES.md are tested with: a virtual environment of its own in .build,
# with duckdb, pandas and pyarrow from PyPI. Prints its directory. The first run downloads about 110 MB.
#
# Usage: ops/lib/recipes.sh
# Exit codes: 0 done, 1 failed.
set -euo pipefail
cd "$(dirname "$0")/../.."
environment=$PWD/.build/recipes-python
# Tests ask for it at the same time: whoever comes second waits, instead of pulling the first one's from under it.
mkdir -p .build
exec 9> .build/recipes-python.lock
flock 9
if ! "$environment/bin/python3" -c 'import duckdb, pandas, pyarrow' 2>/dev/null; then
    rm -rf "$environment"
    if ! python3 -m venv "$environment" >&2; then
        echo "recipes: no virtual environment; run: sudo apt-get install python3-venv" >&2
        exit 1
    fi
    if ! "$environment/bin/pip" install --quiet duckdb pandas pyarrow >&2; then
        rm -rf "$environment"
        echo "recipes: duckdb, pandas and pyarrow cannot be installed from PyPI" >&2
        exit 1
    fi
fi
echo "$environment"
