"""A small language model behind the completions protocol on loopback; run by the interpreter that has `xllamacpp`.

python server.py weights FROM.gguf TO.gguf    the same weights as Q8_0, which prompts run faster with
python server.py serve MODEL.gguf             says its address, and ends when its standard input does
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

CONTEXT = 4_096
"""Tokens of a prompt and its answer."""
CACHE_MIB = 1_024
"""For prompts whose beginning may come again."""


def weights(source: str, made: str) -> None:
    """Write the weights of a model anew, large matrices as Q8_0, all that is known about it taken over."""
    import gguf
    from gguf.quants import dequantize, quantize

    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(f"{made}.part", reader.fields["general.architecture"].contents())
    for name, field in reader.fields.items():
        if not name.startswith("GGUF.") and name not in ("general.architecture", "general.file_type"):
            lists = field.types[0] == gguf.GGUFValueType.ARRAY
            writer.add_key_value(name, field.contents(), field.types[0], sub_type=field.types[-1] if lists else None)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    for tensor in reader.tensors:
        kind = tensor.tensor_type
        if kind in (gguf.GGMLQuantizationType.F32, gguf.GGMLQuantizationType.F16):
            writer.add_tensor(tensor.name, tensor.data)
        else:
            eight = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(tensor.name, quantize(dequantize(tensor.data, kind), eight), raw_dtype=eight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    Path(f"{made}.part").rename(made)


def serve(model: str) -> None:
    """Answer, one prompt after the other, on one thread."""
    import xllamacpp

    out = os.dup(1)
    os.dup2(2, 1)  # what the engine prints is not for whoever reads the address
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx, params.n_parallel, params.cache_ram_mib = CONTEXT, 1, CACHE_MIB
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.n_threads_http, params.hostnames, params.port = 2, ["127.0.0.1"], 0
    params.warmup, params.verbosity = False, 0
    server = xllamacpp.Server(params)
    os.write(out, (json.dumps({"address": f"{server.listening_address}/v1"}) + "\n").encode())
    sys.stdin.read()
    os._exit(0)  # the engine's own threads do not end by themselves


if __name__ == "__main__":
    {"weights": weights, "serve": serve}[sys.argv[1]](*sys.argv[2:])
