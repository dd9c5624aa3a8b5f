# Two commands for a fresh machine: `make demo` and `make test`. Everything installs itself first.
PYTHON ?= python3.11
BIN := .venv/bin
INSTALLED := .venv/.installed
COMPILED := .venv/.compiled
KERNELS := $(shell find voxeldojo/engine voxeldojo/rules -name "*.py" -o -name "*.json" -o -name "*.yaml")

.PHONY: setup demo demo-llm bytecode test test-all test-kills test-llm test-ray fuzz soak check bench bench-world bench-training bench-scaling \
	bench-frameworks \
	docs docs-environment command-outputs gallery minedojo peers frameworks ray clean

setup: $(INSTALLED) $(COMPILED)

# torch comes first: the pin then decides which build pip takes, before anything else asks for one.
$(INSTALLED): pyproject.toml voxeldojo/pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check torch==2.13.0
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ./voxeldojo -e '.[dev]'
	touch $@

# The embedded world's kernels, once: minutes that no launch or test then waits for.
$(COMPILED): $(INSTALLED) $(KERNELS)
	$(BIN)/voxeldojo compile
	touch $@

demo: setup
	$(BIN)/rlgpt launch harvest_log llm=paper_example

# The same goal, answered by trained open weights (0.5 GB to fetch) that a real vLLM serves on this
# machine's CPU and that is shown similar answers. Tokens are few there, so it tries less; how well it
# goes is the model's. Another one: make demo-llm MODEL=qwen25_coder_1_5b PROFILE=qwen25_coder_1_5b
MODEL := qwen25_coder_0_5b
PROFILE := qwen25_coder_0_5b_shown

demo-llm: setup
	$(BIN)/rlgpt llm get $(MODEL)
	$(BIN)/rlgpt launch harvest_log llm=$(PROFILE) limits.iterations=2 limits.samples=300000 \
		nodes.fast_agent.parameters.repairs=1 nodes.llm.parameters.repairs=1 $(ARGS)

# The tests start thousands of processes, which would compile our sources again and again. Bytecode is
# made once, before: tests fill disks, and Python then leaves half of a file, which no process loads.
bytecode: setup
	$(BIN)/python -m compileall -q messages nodes rlgpt models voxeldojo worlds benchmarks tests

PYTEST := PYTHONDONTWRITEBYTECODE=1 $(BIN)/pytest

test: bytecode
	$(PYTEST) -n 3 --dist loadfile --no-loadscope-reorder -m "not slow"

# The real minedojo package beside ours: the long form of a test that `make test` runs if it is there.
test-all: bytecode minedojo frameworks
	$(PYTEST) -rs

# kill -9 and SIGSTOP of random processes: ten launches, twenty each, the same tables as without.
# Arguments: make test-kills ARGS='--seed 7 --launches 1'
test-kills: setup
	$(BIN)/python -m tests.random_kills $(ARGS)

# The llm node with the real vLLM: the CPU build, in .venv-vllm (3.5 GB, made on the first call).
test-llm: setup
	$(BIN)/python -m tests.llm.vllm_environment
	nice -n 19 $(BIN)/pytest -s tests/llm/test_llm_vllm.py tests/llm/test_llm_vllm_stack.py tests/llm/test_llm_tuning.py

# Two hosts of a Ray cluster in network namespaces, one killed in the middle (docs/ray.md). Ray is in
# an environment that finds the rest in ours. Needs root, as namespaces do.
RAY := .venv-ray

ray: $(RAY)/.installed

$(RAY)/.installed: ray-requirements.txt $(INSTALLED)
	$(PYTHON) -m venv $(RAY)
	echo "import site; site.addsitedir('$(abspath .venv)/lib/python3.11/site-packages')" \
		> $(RAY)/lib/python3.11/site-packages/rlgpt.pth
	$(RAY)/bin/pip install --quiet --disable-pip-version-check -r ray-requirements.txt
	touch $@

test-ray: setup ray
	$(RAY)/bin/python -m pytest -rs -m ray tests/launching/test_ray.py

# A hundred thousand hostile messages to a node, and messages without an end.
fuzz: setup
	$(BIN)/pytest tests/bus/test_bus_fuzz.py

# A whole stack at work for an hour, with restarts, a page and a bag: does anything grow?
# (docs/debugging.md); make soak MINUTES=10
MINUTES := 60

soak: setup
	$(BIN)/python -m benchmarks.soak --minutes $(MINUTES) $(ARGS)

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

bench: setup
	$(BIN)/python -m benchmarks.bus
	$(BIN)/python -m benchmarks.learner
	$(BIN)/python -m benchmarks.macros

# How fast the embedded world is, beside its peers (docs/speed.md); arguments: make bench-world ARGS=--quick
bench-world: setup minedojo peers
	$(BIN)/python -m benchmarks.world $(ARGS)

# How fast policies are trained, beside peers, and where the time goes (docs/speed.md).
bench-training: setup frameworks
	$(BIN)/python -m benchmarks.training $(ARGS)

# Samples a second against env servers, 1 to 8, and environments (docs/several_env_servers.md).
bench-scaling: setup
	$(BIN)/python -m benchmarks.scaling $(ARGS)

# Crafter and Craftax, to be measured beside: 900 MB in an environment of their own.
PEERS := .venv-peers

peers: $(PEERS)/.installed

$(PEERS)/.installed: peers-requirements.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/pip install --quiet --disable-pip-version-check -r peers-requirements.txt
	touch $@

# How fast other libraries' agents learn in the embedded world (docs/speed.md).
bench-frameworks: setup frameworks
	$(BIN)/python -m benchmarks.frameworks $(ARGS)

# The docs as a site, in build/docs/html; the reference is made from the code. Nothing is fetched but
# Sphinx itself, the first time; warnings are errors.
DOCS := .venv-docs

docs: docs-environment
	$(DOCS)/bin/python -m docs.site

docs-environment: $(DOCS)/.installed

$(DOCS)/.installed: docs-requirements.txt $(INSTALLED)
	$(PYTHON) -m venv $(DOCS)
	echo "import site; site.addsitedir('$(abspath .venv)/lib/python3.11/site-packages')" \
		> $(DOCS)/lib/python3.11/site-packages/rlgpt.pth
	$(DOCS)/bin/pip install --quiet --disable-pip-version-check --no-deps -r docs-requirements.txt
	touch $@

# docs/command_outputs.md: every command is typed against real launches, for some ten minutes.
command-outputs: setup
	$(BIN)/python -m docs.site.command_outputs

# Films and pictures of docs/gallery.md: the demo is launched for them.
gallery: setup
	$(BIN)/python -m docs.site.gallery_films $(ARGS)

# Libraries of agents, in an environment that finds the rest in ours. PufferLib is compiled.
FRAMEWORKS := .venv-frameworks

frameworks: $(FRAMEWORKS)/.installed

$(FRAMEWORKS)/.installed: frameworks-requirements.txt $(INSTALLED)
	$(PYTHON) -m venv $(FRAMEWORKS)
	echo "import site; site.addsitedir('$(abspath .venv)/lib/python3.11/site-packages')" \
		> $(FRAMEWORKS)/lib/python3.11/site-packages/rlgpt.pth
	$(FRAMEWORKS)/bin/pip install --quiet --disable-pip-version-check 'cython==3.2.4' 'wheel==0.48.0'
	$(FRAMEWORKS)/bin/pip install --quiet --disable-pip-version-check --no-deps \
		--no-build-isolation -r frameworks-requirements.txt
	touch $@

# The real MineDojo package, in an environment of its own (docs/minedojo.md).
MINEDOJO := .venv-minedojo

minedojo: $(MINEDOJO)/.installed

# pip warns of dependencies that are left out: those of its knowledge base, which nothing here needs.
$(MINEDOJO)/.installed: minedojo-requirements.txt
	$(PYTHON) -m venv $(MINEDOJO)
	$(MINEDOJO)/bin/pip install --quiet --disable-pip-version-check \
		'pip<24.1' 'setuptools==65.5.0' 'wheel<0.40'
	$(MINEDOJO)/bin/pip install --quiet --disable-pip-version-check --no-build-isolation gym==0.21.0
	$(MINEDOJO)/bin/pip install --quiet --disable-pip-version-check --no-deps minedojo==0.1
	$(MINEDOJO)/bin/pip install --quiet --disable-pip-version-check -r minedojo-requirements.txt
	touch $@

clean:
	rm -rf .venv runs
