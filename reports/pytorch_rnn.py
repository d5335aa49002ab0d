#!/usr/bin/env python3
"""Times of PyTorch's recurrent layers, to stand beside the backward passes of `upsweep`.

Measures torch.nn.RNN or torch.nn.GRU with one layer on a sequence of every length: the forward pass, and the backward
pass from a gradient at the last hidden state. Times are medians, in seconds; on a GPU they are taken with CUDA events.
The backward pass of PyTorch also computes the gradients of the parameters, in the same call.

Prints CSV: device, torch, cudnn, cell, dtype, steps, batch, hidden, input, forward_s, backward_s, repetitions.
Where PyTorch or the device is missing it prints one line that says so, and exits with 4.
"""

import argparse
import csv
import statistics
import sys
import time

NOT_AVAILABLE = 4


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value}, accepted is 1 or more")
    return value


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--cell", choices=["rnn", "rnn-relu", "gru"], default="rnn")
    parser.add_argument("--steps", type=positive, nargs="+", default=[1000], metavar="T")
    parser.add_argument("--batch", type=positive, nargs="+", default=[16], metavar="B")
    parser.add_argument("--hidden", type=positive, nargs="+", default=[20], metavar="H")
    parser.add_argument("--input", type=positive, default=1, help="elements of an input (default 1)")
    parser.add_argument("--dtype", choices=["fp32", "fp64"], default="fp32")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--tf32", action="store_true", help="let cuDNN round to TF32, as PyTorch does by default")
    parser.add_argument("--warmup", type=positive, default=3, metavar="N", help="runs that do not count (default 3)")
    parser.add_argument("--repetitions", type=positive, default=20, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def import_torch(device):
    """PyTorch, or None after a line that says what is missing."""
    try:
        import torch  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        print(f"pytorch_rnn.py: PyTorch is missing ({error}), needed is torch 2.0 or newer", file=sys.stderr)
        return None
    if device == "cuda" and not torch.cuda.is_available():
        print("pytorch_rnn.py: this PyTorch finds no CUDA device, needed is one, or --device cpu", file=sys.stderr)
        return None
    if device == "cuda" and not torch.backends.cudnn.is_available():
        print("pytorch_rnn.py: this PyTorch has no cuDNN, needed is a build with it, or --device cpu", file=sys.stderr)
        return None
    return torch


class Timer:
    """Seconds of a piece of work: by CUDA events on a GPU, else by the clock."""

    def __init__(self, torch, device):
        self.torch = torch
        self.on_gpu = device == "cuda"

    def seconds(self, work):
        if not self.on_gpu:
            start = time.perf_counter()
            result = work()
            return time.perf_counter() - start, result
        start = self.torch.cuda.Event(enable_timing=True)
        stop = self.torch.cuda.Event(enable_timing=True)
        self.torch.cuda.synchronize()
        start.record()
        result = work()
        stop.record()
        self.torch.cuda.synchronize()
        return start.elapsed_time(stop) / 1000, result


def make_layer(torch, options, hidden):
    kind = torch.nn.GRU if options.cell == "gru" else torch.nn.RNN
    extra = {"nonlinearity": "relu"} if options.cell == "rnn-relu" else {}
    dtype = torch.float64 if options.dtype == "fp64" else torch.float32
    return kind(options.input, hidden, **extra).to(device=options.device, dtype=dtype)


def measure(torch, options, shape):
    """Median seconds of the forward and of the backward pass."""
    steps, batch, hidden = shape
    layer = make_layer(torch, options, hidden)
    dtype = next(layer.parameters()).dtype
    inputs = torch.rand(steps, batch, options.input, device=options.device, dtype=dtype)
    first = torch.zeros(1, batch, hidden, device=options.device, dtype=dtype, requires_grad=True)
    gradient = torch.rand(batch, hidden, device=options.device, dtype=dtype)
    timer = Timer(torch, options.device)
    forward, backward = [], []
    for repetition in range(options.warmup + options.repetitions):
        layer.zero_grad(set_to_none=True)
        first.grad = None
        forward_s, (outputs, _) = timer.seconds(lambda: layer(inputs, first))
        last = outputs[-1]
        backward_s, _ = timer.seconds(lambda loss=last: loss.backward(gradient))
        if repetition >= options.warmup:
            forward.append(forward_s)
            backward.append(backward_s)
    return statistics.median(forward), statistics.median(backward)


def main():
    options = parse_arguments()
    torch = import_torch(options.device)
    if torch is None:
        return NOT_AVAILABLE
    torch.manual_seed(options.seed)
    torch.backends.cudnn.allow_tf32 = options.tf32
    on_gpu = options.device == "cuda"
    device = torch.cuda.get_device_name() if on_gpu else "cpu"
    cudnn = torch.backends.cudnn.version() if on_gpu else ""
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["device", "torch", "cudnn", "cell", "dtype", "steps", "batch", "hidden", "input", "forward_s",
                    "backward_s", "repetitions"])
    shapes = [(t, b, h) for t in options.steps for b in options.batch for h in options.hidden]
    for shape in shapes:
        try:
            forward_s, backward_s = measure(torch, options, shape)
        except torch.cuda.OutOfMemoryError:
            print(f"pytorch_rnn.py: not enough memory for {shape[0]} steps of {shape[1]} samples, {shape[2]} hidden "
                  "elements, left out", file=sys.stderr)
            continue
        table.writerow([device, torch.__version__, cudnn, options.cell, options.dtype, *shape, options.input,
                        f"{forward_s:.9g}", f"{backward_s:.9g}", options.repetitions])
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
