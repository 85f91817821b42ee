"""The network of all-MiniLM-L6-v2 as an ONNX graph: BERT, mean pooling, length 1.

After Devlin et al., "BERT" (2019), as published with the weights: post-layer-norm, exact GELU.
Inputs: `ids` and `mask`, int64 [texts, tokens]. Output: `embedding`, float32 [texts, hidden].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

if TYPE_CHECKING:
    from onnx import ModelProto

OPSET = 20
IR_VERSION = 9
PADDING_BIAS = -1e9

Weights = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Shape:
    """The sizes that the weights alone do not tell."""

    heads: int
    layers: int
    hidden: int
    epsilon: float

    @property
    def head_size(self) -> int:
        """Numbers of one token in one head."""
        return self.hidden // self.heads


class GraphBuilder:
    """Collects nodes and constants; every method returns the name of the tensor it made."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._constants: dict[str, onnx.TensorProto] = {}
        self.nodes: list[onnx.NodeProto] = []

    @property
    def constants(self) -> list[onnx.TensorProto]:
        """All constants used so far."""
        return list(self._constants.values())

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Apply an operator."""
        output = f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def constant(self, name: str, values: NDArray[Any]) -> str:
        """A constant under a name of its own."""
        if name not in self._constants:
            contiguous = np.ascontiguousarray(values)
            self._constants[name] = numpy_helper.from_array(contiguous, name)
        return name

    def number(self, value: float) -> str:
        """A float32 scalar."""
        return self.constant(f"number {value}", np.array(value, dtype=np.float32))

    def integers(self, *values: int) -> str:
        """An int64 vector, for shapes and axes."""
        return self.constant(f"integers {values}", np.array(values, dtype=np.int64))

    def weight(self, name: str) -> str:
        """A weight as published."""
        return self.constant(name, self._weights[name])

    def linear(self, x: str, layer: str) -> str:
        """x times the layer's matrix, plus its bias."""
        matrix = self.constant(f"{layer}.weight.T", self._weights[f"{layer}.weight"].T)
        return self.node("Add", self.node("MatMul", x, matrix), self.weight(f"{layer}.bias"))

    def layer_norm(self, x: str, layer: str, epsilon: float) -> str:
        """Layer normalisation over the hidden axis."""
        scale, shift = self.weight(f"{layer}.weight"), self.weight(f"{layer}.bias")
        return self.node("LayerNormalization", x, scale, shift, axis=-1, epsilon=epsilon)


def build_model(weights: Weights, shape: Shape) -> ModelProto:
    """The whole network from token ids to embeddings; raises KeyError for a missing weight."""
    graph = GraphBuilder(weights)
    mask = graph.node("Cast", "mask", to=TensorProto.FLOAT)
    bias = _padding_bias(graph, mask)
    x = _embeddings(graph, shape)
    for layer in range(shape.layers):
        x = _encoder_layer(graph, shape, x, bias, f"encoder.layer.{layer}")
    graph.nodes.append(
        helper.make_node(
            "LpNormalization", [_mean_pooling(graph, x, mask)], ["embedding"], axis=-1, p=2
        )
    )
    token_ids = ["texts", "tokens"]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "all-MiniLM-L6-v2",
            [
                helper.make_tensor_value_info("ids", TensorProto.INT64, token_ids),
                helper.make_tensor_value_info("mask", TensorProto.INT64, token_ids),
            ],
            [
                helper.make_tensor_value_info(
                    "embedding", TensorProto.FLOAT, ["texts", shape.hidden]
                )
            ],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    onnx.checker.check_model(model)
    return model


def _embeddings(graph: GraphBuilder, shape: Shape) -> str:
    """Word, position and segment embeddings, added and normalised; all text is segment 0."""
    words = graph.node("Gather", graph.weight("embeddings.word_embeddings.weight"), "ids")
    tokens = graph.node("Slice", graph.node("Shape", "ids"), graph.integers(1), graph.integers(2))
    positions = graph.node(
        "Slice",
        graph.weight("embeddings.position_embeddings.weight"),
        graph.integers(0),
        tokens,
        graph.integers(0),
    )
    segment = graph.node(
        "Gather",
        graph.weight("embeddings.token_type_embeddings.weight"),
        graph.constant("segment 0", np.array(0, dtype=np.int64)),
    )
    summed = graph.node("Add", graph.node("Add", words, positions), segment)
    return graph.layer_norm(summed, "embeddings.LayerNorm", shape.epsilon)


def _padding_bias(graph: GraphBuilder, mask: str) -> str:
    """0 for tokens and a large negative number for padding, shaped for attention scores."""
    padding = graph.node(
        "Sub", graph.number(1.0), graph.node("Unsqueeze", mask, graph.integers(1, 2))
    )
    return graph.node("Mul", padding, graph.number(PADDING_BIAS))


def _encoder_layer(graph: GraphBuilder, shape: Shape, x: str, bias: str, layer: str) -> str:
    attended = graph.linear(
        _attention(graph, shape, x, bias, f"{layer}.attention.self"),
        f"{layer}.attention.output.dense",
    )
    x = graph.layer_norm(
        graph.node("Add", x, attended), f"{layer}.attention.output.LayerNorm", shape.epsilon
    )
    inner = graph.node("Gelu", graph.linear(x, f"{layer}.intermediate.dense"))
    outer = graph.linear(inner, f"{layer}.output.dense")
    return graph.layer_norm(graph.node("Add", x, outer), f"{layer}.output.LayerNorm", shape.epsilon)


def _attention(graph: GraphBuilder, shape: Shape, x: str, bias: str, layer: str) -> str:
    """Scaled dot-product attention in every head, heads joined again."""

    def heads(part: str, order: list[int]) -> str:
        split = graph.integers(0, 0, shape.heads, shape.head_size)
        return graph.node(
            "Transpose",
            graph.node("Reshape", graph.linear(x, f"{layer}.{part}"), split),
            perm=order,
        )

    query, value = heads("query", [0, 2, 1, 3]), heads("value", [0, 2, 1, 3])
    key_transposed = heads("key", [0, 2, 3, 1])
    scores = graph.node(
        "Mul", graph.node("MatMul", query, key_transposed), graph.number(shape.head_size**-0.5)
    )
    shares = graph.node("Softmax", graph.node("Add", scores, bias), axis=-1)
    attended = graph.node("Transpose", graph.node("MatMul", shares, value), perm=[0, 2, 1, 3])
    return graph.node("Reshape", attended, graph.integers(0, 0, shape.hidden))


def _mean_pooling(graph: GraphBuilder, x: str, mask: str) -> str:
    """The mean over the tokens that are not padding."""
    kept = graph.node("Mul", x, graph.node("Unsqueeze", mask, graph.integers(2)))
    total = graph.node("ReduceSum", kept, graph.integers(1), keepdims=0)
    return graph.node("Div", total, graph.node("ReduceSum", mask, graph.integers(1), keepdims=1))
