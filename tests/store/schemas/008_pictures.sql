-- Sparsity patterns of models, downsampled; those of models without runs go with the last run.
CREATE TABLE pattern_pictures (
  model_hash TEXT NOT NULL,           -- as runs.model_hash
  pattern TEXT NOT NULL,              -- guaranteed, or sample: at the first input
  first INTEGER NOT NULL,             -- of the scan array, from 1: the product of a[first] to a[last]
  last INTEGER NOT NULL,              -- equal to first for a Jacobian
  name TEXT NOT NULL,                 -- of the operator, the block, or the factors of the product
  rows INTEGER NOT NULL,
  cols INTEGER NOT NULL,
  nnz INTEGER NOT NULL,
  grid_rows INTEGER NOT NULL,         -- cell y covers rows floor(y * rows / grid_rows) to the next cell's
  grid_cols INTEGER NOT NULL,
  cells BLOB NOT NULL,                -- row by row, a byte each: ceil(255 * share of its places that are entries)
  PRIMARY KEY (model_hash, pattern, first, last)
) WITHOUT ROWID;
