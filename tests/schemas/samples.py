"""Commands whose JSON is held against docs/schemas, and the files that they read beside the shipped ones.

They run one after another in one folder, which has the repository's models and configs; KEPT are kept in a database, whose runs
are shown afterwards. A command that ends with another code than 0 has it in front, as "5|solve ...".
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "hardening"))
from onnx_bytes import small_network  # noqa: E402

OPERATORS = """  - linear: {name: fc1, out_features: 10}
  - relu: {name: relu1}
  - linear: {name: fc2, out_features: 8}
  - tanh: {name: tanh2}
  - linear: {name: fc3, out_features: 3}
"""
FILES = {
    "small.yaml": "name: small\ninput: [12]\nweights: {init: he_normal, seed: 1}\nsample: {count: 2, seed: 1}\noperators:\n" + OPERATORS,
    "chain.yaml": "name: chain\nchain: {length: 64, size: 20, kind: dense}\n",
    "uniform.yaml": "name: uniform\nchain: {length: 64, size: 100, kind: uniform, density: 0.01}\n",
    "banded.yaml": "name: banded\nchain: {length: 64, size: 100, kind: banded, nnz_per_row: 3}\n",
    "branches.yaml": """name: branches
input: [4, 6, 6]
weights: {init: he_normal, seed: 1}
sample: {count: 2, seed: 1}
operators:
  - conv2d: {name: conv1, out_channels: 4, kernel: 3, padding: 1}
  - relu: {name: relu1}
  - conv2d: {name: conv2, out_channels: 4, kernel: 3, padding: 1}
  - add: {name: sum, inputs: [conv2, conv1]}
  - flatten
  - linear: {name: fc, out_features: 3}
""",
    "chains.csv": "length,id,sizes,edges,best,proven\n4,0,12 20 8 45 12,3444 7564 9724 3694,196560 108496 88536 83264,1 1 1 1\n",
    "sizes.csv": "sizes,edges\n7 3,100\n5 6 7 8,10 20 30\n",
    "pram.yaml": """name: made
kind: pram
provenance: {origin: definition}
rates:
  - {workers: 64, op_latency_us: 2, level_latency_us: 3, bandwidth_GBps: 10, fp32: {compute_GFLOPps: 5}}
""",
    "study.yaml": """name: questions
description: every kind of question
base:
  model:
    name: lenet
    input: [1, 28, 28]
    weights: {init: he_normal, seed: 1, prune: {method: magnitude_global, sparsity: 0.9}}
    operators: [conv2d: {name: conv1, out_channels: 4, kernel: 5, padding: 2}, relu, conv2d: {name: conv2, out_channels: 4, kernel: 5}, relu]
  machine: configs/machines/a100-sxm4-80gb.yaml
  memory_limit_GiB: 16
axes:
  - {path: workers, geometric: {from: 1, to: 16, count: 3}}
  - {path: machine.launch_latency_us, values: [0.5, 1]}
  - {name: width, path: "model.operators[*].conv2d.out_channels", factor: [0.5, 1]}
  - name: image
    zip:
      - {path: "model.input[1]", values: [28, 32]}
      - {path: "model.input[2]", values: [28, 32]}
constraints: ["workers <= 64 * batch"]
questions:
  - best
  - crossover: {along: workers}
  - capacity: {along: image, of: plain, memory_MiB: 8}
  - capacity: {along: image, of: plain, memory_KiB: 70}
  - capacity: {along: workers, of: bppsa, memory_KiB: 200}
  - fewest_workers: {target_ms: 5}
  - top: {count: 2, by: speedup}
  - pareto
""",
    "chains.yaml": """name: chains
base:
  model: {name: chain, chain: {length: 100, size: 4, kind: dense}}
axes:
  - {path: ops, values: [whole, shared]}
  - {path: model.chain.length, values: [-1, 100, 1000]}
  - {path: workers, values: [1, 8, 64, 512]}
questions:
  - best
  - pareto
  - crossover: {along: workers}
  - fewest_workers: {target_flops: 2000}
  - capacity: {along: workers, of: pipeline, memory_KiB: 2}
""",
    "no-layer.yaml": """name: costs
kind: pipeline
layers: 6
F: 1
O: 1
W: 1
devices: 3
micro_batches: 2
alloc: contiguous
policies: [gpipe, 1f1b]
memory_limit: 8
note: with a note
""",
    "memory.yaml": """name: memory
kind: pipeline
model: models/layers/bert-24.yaml
machine: configs/machines/v100-sxm2-32gb.yaml
kernels: dense
batch: 96
devices: 4
micro_batches: 4
alloc: contiguous
policies: [gpipe, 1f1b, pipedream]
memory_limit: 1 GiB
""",
    "one-policy.yaml": """name: one policy
kind: pipeline
model: models/layers/ffnn-16.yaml
machine: configs/machines/v100-sxm2-32gb.yaml
kernels: dense
batch: 16
devices: 2
micro_batches: 2
alloc: contiguous
policy: gpipe
""",
    "data-parallel.yaml": """name: orders
kind: data_parallel
layers: 4
F: 1
O: [0, 1, 1, 1]
W: [1, 2, 1, 2]
S: [3, 1, 2, 2]
search_link: priority
""",
    "spgemm.csv": """family,device,library,dtype,covers,time_ms,status,rows,cols,nnz_a,products,nnz_c
spgemm,NVIDIA A100 80GB PCIe,cuSPARSE,fp64,compute only,26.24,ok,45330,45330,3213618,299381624,23716476
spgemm,NVIDIA A100 80GB PCIe,cuSPARSE,fp64,compute only,,library_error,943695,943695,77651847,8089734897,
spgemm,NVIDIA A100 80GB PCIe,cuSPARSE,fp64,compute only,0.1,ok,1000,1000,5000,30000,20000
spgemm,NVIDIA A100 80GB PCIe,cuSPARSE,fp64,compute only,0.3,ok,20000,20000,100000,600000,400000
spgemm,NVIDIA A100 80GB PCIe,cuSPARSE,fp64,compute only,2.5,ok,400000,400000,2000000,12000000,8000000
spgemm,NVIDIA A100 80GB PCIe,cuSPARSE,fp64,compute only,16,ok,3000000,3000000,15000000,90000000,60000000
spgemm,Unheard of,cuSPARSE,fp64,compute only,1,ok,1000,1000,5000,30000,20000
""",
    "small.onnx": small_network(),
}

CALIBRATE = "calibrate --quick --dtype fp32 --out quick.yaml"  # half a minute, beside the others
CALIBRATED = [  # kept, too
    "validate small.yaml --all-depths --workers 1 --machine quick.yaml",
    "validate branches.yaml --all-depths --workers 1 --machine quick.yaml",
]

KEPT = [
    "profile models/lenet5.yaml --schedule hybrid:1 --workers 4",
    "profile small.yaml --machine pram.yaml --workers 3",
    "profile small.yaml --pattern sample --schedule linear",
    "profile branches.yaml --schedule hybrid:1",
    "profile models/rnn-bitstream.yaml --steps 40 --schedule hybrid:2",
    "search models/lenet5.yaml --workers 4",
    "search models/lenet5.yaml --live --pattern sample --workers 4",
    "search models/lenet5.yaml --machine a100-sxm4-80gb",
    "search small.yaml --machine pram.yaml --memory 10kB",
    "search branches.yaml --workers 4",
    "search branches.yaml --machine rtx-4090",
    "search models/rnn-bitstream.yaml --steps 60 --workers 8",
    "search models/rnn-bitstream.yaml --machine rtx-2070",
    "explain models/lenet5.yaml --schedule hybrid:1 --workers 16",
    "validate small.yaml --all-schedules --workers 1 --machine pram.yaml",
    "validate models/rnn-bitstream.yaml --steps 20 --batch 2 --schedule bptt,linear,hybrid:2,blelloch,blocked:3:4",
    "train configs/training/rnn-bitstream.yaml --iterations 3 --steps 20 --batch 2",
    "train configs/training/lenet5-cifar10.yaml --iterations 2 --batch 2",
    "training configs/training/policies.yaml --optimum 1",
    "training configs/training/scan-vs-pipeline.yaml",
    "training configs/training/policy-zb-h1.yaml",
    "training memory.yaml",
    "training one-policy.yaml",
    "training data-parallel.yaml --optimum 1",
    "training configs/training/resnet-50-data-parallel.yaml",
    "training configs/training/multi-region-example.yaml",
    "training configs/training/first-k-memory-example.yaml",
    "study study.yaml",
    "study chains.yaml",
    "anchors spgemm.csv",
    "anchors runs.sqlite",
]

FREE = [
    "profile models/lenet5.yaml --convention all",
    "profile models/lenet5.yaml --convention deepspeed --module-depth 1 --schedule linear",
    "profile models/lenet5-cifar10.yaml --pattern sample --schedule hybrid:3 --count-limit 1e5 --estimate 5%",
    "profile models/lenet5.yaml --machine a100-sxm4-80gb --launch eager --setup 1 --batch 4",
    "profile models/rnn-bitstream.yaml --machine rtx-2070 --schedule blocked:16 --setup 0.5",
    "profile models/rnn-bitstream.yaml --machine rtx-2070 --schedule hybrid:2 --steps 40",
    "profile models/rnn-bitstream-unfused.yaml --schedule linear --steps 40",
    "profile models/rnn-stacked.yaml",
    "profile chain.yaml --workers 4 --schedule hybrid:2",
    "profile uniform.yaml --workers 4 --machine pram.yaml",
    "profile small.onnx",
    "search models/lenet5.yaml --workers 4 --batch 8 --schemes hybrid",
    "search models/lenet5.yaml --workers 4 --schemes optimal",
    "search models/lenet5.yaml --workers 64 --objective critical-flops --execution level",
    "search models/lenet5.yaml --machine rtx-2080-ti --library roofline --launch fused --setup 2",
    "search models/lenet5-cifar10.yaml --pattern sample --count-limit 1e5 --estimate 5%",
    "search models/lenet5-cifar10.yaml --pattern sample --count-limit 1e5",
    "search models/rnn-bitstream.yaml --machine rtx-2080-ti --library pararnn-torch --launch eager --setup 1",
    "search models/rnn-bitstream.yaml --machine pram.yaml",
    "search models/rnn-stacked.yaml --workers 256",
    "search chain.yaml --workers 16",
    "search banded.yaml --workers 16 --machine a100-sxm4-80gb",
    "search uniform.yaml --workers 16 --machine pram.yaml",
    "search small.onnx --prune magnitude_global=0.5",
    "explain small.yaml --machine rtx-4090 --schedule hybrid:1",
    "explain models/rnn-stacked.yaml --workers 16 --schedule hybrid:2 --steps 100",
    "explain models/rnn-bitstream.yaml --machine rtx-2070 --schedule blocked:16",
    "explain branches.yaml --schedule linear --workers 4",
    "explain chain.yaml --schedule hybrid:2 --workers 8",
    "formula models/lenet5.yaml --axis image",
    "formula models/lenet5.yaml --axis image --schedule hybrid:1 --residue all --largest 100",
    "import small.onnx --out imported.yaml",
    "validate small.yaml --schedule linear --label 1 --pattern sample --input 1 --machine pram.yaml",
    "validate small.yaml --backend reference --schedule hybrid:1 --machine pram.yaml",
    "validate models/rnn-bitstream.yaml --steps 20 --no-prediction",
    "5|solve models/mlp-mnist.yaml --tolerance 1e-6 --method richardson --omega 1.9",
    "solve models/lenet5.yaml --forward --workers 2",
    "solve models/lenet5.yaml --warm-start 1 --method jacobi,hybrid:3 --form unit",
    "solve models/mlp-mnist.yaml --formulas --batch 64",
    "order chains.csv --machines 2",
    "order sizes.csv --machines 3 --seconds 5",
    "machines",
    "machines rtx-4090 --out my-gpu.yaml",
    "new model my-net.yaml",
    "training no-layer.yaml",
    "training configs/training/scan-vs-pipeline-v100.yaml --batch 16 --launch eager",
    "training configs/training/policy-pipedream.yaml",
    "anchors spgemm.csv --family spgemm --device A100 --machine configs/machines/a100-pcie-80gb.yaml --fit-out fitted.yaml",
]
