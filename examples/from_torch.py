# %% [markdown]
# # From a torch module to a verdict
# Cells as Jupyter's text format has them: open this file as a notebook (jupytext), or run it.

# %%
import upsweep

try:
    import torch

    network = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 36, 10))
    found = upsweep.search(network, torch.zeros(1, 3, 8, 8), workers=16)
except ImportError:  # the same network as a description
    layers = [{"conv2d": {"out_channels": 8, "kernel": 3}}, "relu", "flatten", {"linear": {"out_features": 10}}]
    found = upsweep.search({"input": [3, 8, 8], "operators": layers}, workers=16)
found.verdict.sentence

# %%
# Candidates as a table: a column is a NumPy array where NumPy is installed.
for candidate in found.candidates:
    print(f"{candidate.schedule:12} {candidate.flops:>12}")

# %%
# The same as bars, without a plotting library.
most = max(found.candidates.flops)
print("\n".join(f"{row.schedule:12} {'#' * max(1, round(40 * row.flops / most))}" for row in found.candidates))
print(found.verdict.sentence)
