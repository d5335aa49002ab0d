"""A small network as an ONNX file: Gemm, Relu, Gemm with weights. The format is that of protocol buffers."""
import random
import struct

FLOAT, FLOATS = 1, 6  # onnx.proto: TensorProto.DataType.FLOAT, AttributeProto.AttributeType.INT(S) is not needed here


def _number(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _field(number, value):
    """An integer, or bytes, or a text."""
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    data = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(data)) + data


def _node(kind, inputs, output):
    return b"".join(_field(1, name) for name in inputs) + _field(2, output) + _field(3, output) + _field(4, kind)


def _tensor(name, shape, values):
    return b"".join(_field(1, size) for size in shape) + _field(2, FLOAT) + _field(8, name) + _field(9, struct.pack(f"<{len(values)}f", *values))


def _value(name, shape):
    dimensions = b"".join(_field(1, _field(1, size)) for size in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, FLOAT) + _field(2, dimensions)))


def small_network(seed=1, inputs=30, hidden=20, outputs=10):
    """The bytes of the file; a part of the weights is 0."""
    generator = random.Random(seed)

    def weights(rows, cols):
        return [generator.choice((0.0, generator.gauss(0, 1))) for _ in range(rows * cols)]

    graph = b"".join(_field(1, node) for node in (_node("Gemm", ("x", "w1"), "h"), _node("Relu", ("h",), "r"), _node("Gemm", ("r", "w2"), "y")))
    graph += _field(2, "small")
    graph += _field(5, _tensor("w1", (inputs, hidden), weights(inputs, hidden)))
    graph += _field(5, _tensor("w2", (hidden, outputs), weights(hidden, outputs)))
    graph += _field(11, _value("x", (1, inputs))) + _field(12, _value("y", (1, outputs)))
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 13))
