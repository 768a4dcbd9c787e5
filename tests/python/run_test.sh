#!/usr/bin/env bash
# run_test.sh SUBJECT: pytest on test_SUBJECT.py with the built package; 77 where there is none.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
if [[ -z ${RICOCHET_PYTHON:-} ]]; then
  echo "skipped: the Python package was not built; pybind11-dev and python3-dev are needed"
  exit 77
fi
export PYTHONPATH=$RICOCHET_PACKAGE PYTHONDONTWRITEBYTECODE=1
if ! "$RICOCHET_PYTHON" -c 'import numpy, pytest' 2>/dev/null; then
  echo "skipped: python3-numpy or python3-pytest is not installed"
  exit 77
fi
exec "$RICOCHET_PYTHON" -m pytest -q -rs -p no:cacheprovider "$here/test_$1.py"
