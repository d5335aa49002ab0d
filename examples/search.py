"""Which schedule is best for a network, from Python: python3 search.py MODEL."""
import sys

import upsweep

found = upsweep.search(sys.argv[1] if len(sys.argv) > 1 else "model.yaml", workers=16)
print(found)
print(found.best_scheme.schedule, found.verdict.pays)
