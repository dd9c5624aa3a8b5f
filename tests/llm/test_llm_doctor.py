"""What `rlgpt llm doctor` and `rlgpt prompt show` say, and the memory arithmetic behind it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from messages.gpu import Gpu
from nodes.llm import manifest
from nodes.llm.doctor import examine
from nodes.llm.profiles import Vllm, read_profile
from nodes.llm.vllm.cards import Card, cards
from nodes.llm.vllm.cpu_numbers import cpu_numbers
from nodes.llm.vllm.memory_need import DoesNotFit, check_memory, need
from nodes.llm.vllm.server_figures import read_metrics
from nodes.llm.vllm.vllm_command import command_line, environment
from rlgpt.composing.composition import compose_launch
from rlgpt.main import main
from tests.bus_processes import ROOT
from tests.llm.composed_profiles import PROFILES, composed
from tests.llm.safetensors_files import headed, table

RTX_3090 = "0, NVIDIA GeForce RTX 3090, 24576, {used}, {free}, {driver}, 8.6"


def card(free: int = 24_000) -> Card:
    gpu = Gpu(index=0, name="RTX 3090", total=24_576, used=24_576 - free, free=free)
    return Card(gpu=gpu, driver="580.65", capability="8.6")


def profile(**changed: Any) -> Vllm:
    values = {"kind": "vllm", "model": "Qwen/Qwen3-14B-AWQ", "memory_share": 0.7}
    figures = {"weights_gb": 10.0, "kv_kib_per_token": 160}
    read = read_profile({**values, **figures, **changed})
    assert isinstance(read, Vllm)
    return read


def machine(path: Path, monkeypatch: pytest.MonkeyPatch, smi: str, name: str = "demo") -> Path:
    """A machine with an nvidia-smi that says this, a vLLM, and weights."""
    binaries = path / "bin"
    binaries.mkdir()
    (binaries / "nvidia-smi").write_text(f"#!/bin/sh\necho '{smi}'\n")
    (binaries / "vllm").write_text("#!/bin/sh\n")
    for program in binaries.iterdir():
        program.chmod(0o755)
    packages = path / "lib" / "python3.11" / "site-packages"
    for distribution in ("vllm-0.32.0", "torch-2.13.0"):
        (packages / f"{distribution}.dist-info").mkdir(parents=True)
    monkeypatch.setenv("PATH", str(binaries), prepend=":")
    monkeypatch.setenv("RLGPT_WEIGHTS", str(path / "weights"))
    weights = path / "weights" / name
    weights.mkdir(parents=True)
    config = {
        "num_hidden_layers": 40,
        "num_attention_heads": 40,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "hidden_size": 5120,
        "architectures": ["DemoForCausalLM"],
    }
    models = packages / "vllm" / "model_executor" / "models"
    models.mkdir(parents=True)
    (models / "registry.py").write_text(
        '_TEXT_GENERATION_MODELS = {"DemoForCausalLM": ("demo", "DemoForCausalLM")}\n'
        '_EMBEDDING_MODELS = {"DemoModel": ("demo", "DemoForCausalLM")}\n'
    )
    (weights / "config.json").write_text(json.dumps(config))
    (weights / "tokenizer.json").write_text("{}")
    (weights / "tokenizer_config.json").write_text('{"chat_template": "{{ messages }}"}')
    with (weights / "model.safetensors").open("wb") as file:
        file.write(table(9_999_999_000))
        file.truncate(10_000_000_000)  # takes no room on the disk
    return binaries / "vllm"


def said(values: dict[str, Any]) -> tuple[bool, str]:
    found = list(examine(values))
    text = "\n".join(f"{each.about}: {each.words}" for each in found)
    return all(each.well is not False for each in found), text


def test_the_doctor_finds_a_machine_with_driver_memory_and_weights_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    smi = RTX_3090.format(used=576, free=24000, driver="580.65.06")
    program = machine(tmp_path, monkeypatch, smi)
    well, text = said(
        {"kind": "vllm", "model": "x/demo", "command": [str(program)], "memory_share": 0.7}
    )
    assert well, text
    assert "vllm 0.32.0; torch 2.13.0" in text
    assert "architecture: DemoForCausalLM" in text
    # Measured from the files: 40 layers * 8 heads * 128 * 2 * 2 bytes = 160 KiB a token.
    assert "9.3 GiB of weights + 2.5 GiB of KV cache for 16,384 tokens" in text
    assert "takes 16.8 GiB of 24.0; 7.2 GiB are left for the learner" in text


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A profile for a CPU with small weights, recorded as `rlgpt llm get` does; its `path`."""
    program = machine(tmp_path, monkeypatch, "")
    folder = tmp_path / "weights" / "demo"
    (folder / "model.safetensors").write_bytes(table(9) + bytes(9))
    described = manifest.described(folder)
    manifest.write(
        folder,
        manifest.Manifest(model="d", licence="", source="d", source_sha256="", files=described),
    )
    values = {"kind": "vllm", "model": "demo", "device": "cpu", "kv_cache_memory": "1M"}
    return {**values, "command": [str(program)], "path": str(folder)}


def rewrite(folder: Path, name: str, text: str) -> None:
    """As if the folder had come from elsewhere."""
    (folder / manifest.NAME).unlink(missing_ok=True)
    (folder / name).write_text(text)


def named(**values: Any) -> str:
    return json.dumps({"num_hidden_layers": 1, "num_attention_heads": 1, "head_dim": 8, **values})


def test_the_doctor_finds_small_weights_well_and_names_their_version(own: dict[str, Any]):
    well, text = said(own)
    assert well, text
    assert ", version " in text
    assert "architecture: DemoForCausalLM" in text


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("config.json", "<html>", r"config\.json cannot be read"),
        ("config.json", named(), r"config\.json names none \(`architectures`\)"),
        ("config.json", named(architectures=["ZForCausalLM"]), "ZForCausalLM is not one that this"),
        ("config.json", named(architectures=["DemoModel"]), "DemoModel is not one that this"),
        ("config.json", named(architectures=5), r"config\.json names none"),
        ("tokenizer.json", "<html>", r"tokenizer\.json cannot be read"),
        ("tokenizer_config.json", "{}", "its tokenizer has no chat template: it is a base model"),
        ("tokenizer_config.json", "<html>", r"tokenizer_config\.json cannot be read"),
        ("model.safetensors.index.json", "junk", r"index\.json cannot be read"),
    ],
)
def test_the_doctor_reports_weights_that_cannot_be_served(
    own: dict[str, Any], name: str, content: str, words: str
):
    rewrite(Path(own["path"]), name, content)
    well, text = said(own)
    assert not well
    assert re.search(words, text)
    assert "delete" not in text
    assert "memory: " in text
    assert sum(each.well is False for each in examine(own)) == 1


@pytest.mark.parametrize(
    "row",
    [
        {"dtype": "U8", "shape": [9], "data_offsets": ["0", "9"]},
        {"dtype": "U8", "shape": [9], "data_offsets": [0, -9]},
        {"data_offsets": [0, 0]},
    ],
)
def test_the_doctor_reports_weights_with_a_table_that_is_none(
    own: dict[str, Any], row: dict[str, object]
):
    folder = Path(own["path"])
    (folder / manifest.NAME).unlink()
    (folder / "model.safetensors").write_bytes(headed({"all": row}))
    assert "model.safetensors is no safetensors file" in said(own)[1]


def test_the_doctor_reports_weights_that_are_a_link_to_nothing(own: dict[str, Any]):
    """As in a copied folder of Hugging Face's cache."""
    folder = Path(own["path"])
    (folder / manifest.NAME).unlink()
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").symlink_to("../../blobs/0123")
    well, text = said(own)
    assert not well
    assert "model.safetensors is no file, or a link to one that is not there" in text


@pytest.mark.parametrize("size", ["infG", "-3G", "0", "nan"])
def test_the_doctor_reports_a_cache_that_has_no_size(own: dict[str, Any], size: str):
    well, text = said({**own, "kv_cache_memory": size})
    assert not well
    assert f"llm.kv_cache_memory is no size: '{size}'" in text


def test_the_doctor_reports_missing_files_and_changed_ones_of_the_same_size(
    own: dict[str, Any], monkeypatch: pytest.MonkeyPatch
):
    folder = Path(own["path"])
    weights = folder / "model.safetensors"
    content = weights.read_bytes()
    monkeypatch.setattr(manifest, "_SMALL", 20)  # the tokenizer is small, the weights are not
    (folder / "tokenizer.json").write_text("[]")
    assert "tokenizer.json was changed, by rlgpt.json: delete the folder and" in said(own)[1]
    (folder / "tokenizer.json").write_text("{}")
    weights.write_bytes(content[:-1] + b"x")
    well, text = said(own)
    assert not well
    assert "model.safetensors was changed" in text
    monkeypatch.setattr("nodes.llm.doctor.QUICK", 10)
    well, text = said(own)
    assert well
    assert "too large to compare digests here, their sizes are right" in text
    (folder / manifest.NAME).unlink()
    (folder / "tokenizer.json").unlink()
    assert "it has no tokenizer" in said(own)[1]
    weights.unlink()
    assert "holds none (no *.safetensors)" in said(own)[1]


def test_a_tokenizer_without_a_chat_template_is_refused_until_one_is_beside_it(own: dict[str, Any]):
    folder = Path(own["path"])
    (folder / manifest.NAME).unlink()
    (folder / "tokenizer_config.json").unlink()
    well, text = said(own)
    assert not well
    assert "it has no chat template (no tokenizer_config.json, no chat_template.jinja): get" in text
    for arguments in (["--chat-template", "x.jinja"], ["--tokenizer=elsewhere"]):
        assert "chat template" not in said({**own, "arguments": arguments})[1]
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    assert said(own)[0]


@pytest.mark.parametrize("blank", ["", " \n\t\n"])
def test_a_chat_template_with_nothing_in_it_is_none(own: dict[str, Any], blank: str):
    folder = Path(own["path"])
    (folder / manifest.NAME).unlink()
    beside = folder / "chat_template.jinja"
    beside.write_text(blank)  # the one in tokenizer_config.json is not taken then
    well, text = said(own)
    assert not well
    assert "chat_template.jinja is empty: get that file again from where the weights" in text
    assert said({**own, "arguments": ["--chat-template", "x.jinja"]})[0]
    beside.unlink()
    assert said(own)[0]
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": blank}))
    assert "its tokenizer has no chat template" in said(own)[1]


def test_an_architecture_that_cannot_be_looked_up_is_named_and_said_not_to_be_checked(
    own: dict[str, Any], tmp_path: Path
):
    packages = tmp_path / "lib" / "python3.11" / "site-packages"
    others = packages / "transformers" / "models" / "auto"
    others.mkdir(parents=True)
    (others / "modeling_auto.py").write_text('NAMES = [("y", "YForCausalLM")]')
    for changed in (
        {"architectures": ["YForCausalLM"]},
        {"architectures": ["X"], "auto_map": {"a": "b"}},
    ):
        rewrite(Path(own["path"]), "config.json", named(**changed))
        well, text = said(own)
        assert well, text
        assert f"{changed['architectures'][0]} is not in vLLM's list" in text
    (packages / "vllm" / "model_executor" / "models" / "registry.py").unlink()
    assert "X; it was not checked" in said(own)[1]
    arguments = ["--hf-overrides", "{}"]
    assert "as --hf-overrides in llm.arguments" in said({**own, "arguments": arguments})[1]


def test_the_doctor_says_when_it_does_not_know_what_memory_is_needed(own: dict[str, Any]):
    for shape in ({"num_attention_heads": 0}, {"num_attention_heads": "9"}, {"head_dim": None}):
        rewrite(Path(own["path"]), "config.json", named(architectures=["DemoForCausalLM"], **shape))
        well, text = said(own)
        assert well
        assert "memory: what the model needs is not known: config.json has no layers" in text
    assert "not known: there are no weights to measure" in said({**own, "path": "/no/such"})[1]


@pytest.mark.parametrize("path", sorted((ROOT / "models" / "llm").glob("*.yaml")))
def test_every_vllm_profile_takes_an_adapter_without_a_plus(path: Path):
    words = [f"llm={path.stem}", "llm.adapter=weights/x/adapter"]
    if path.stem == "local":
        words.append("llm.path=weights/x")
    if "kind: vllm" in path.read_text():
        read = read_profile(compose_launch("harvest_log", words)["llm"])
        assert isinstance(read, Vllm)
        assert read.adapter == "weights/x/adapter"


def test_the_doctor_reports_an_adapter_that_is_none(own: dict[str, Any], tmp_path: Path):
    (tmp_path / "file").write_text("")
    for adapter, words in [
        ("", "llm.adapter is empty"),
        (str(tmp_path / "file"), "holds no adapter (it is a file)"),
        (str(tmp_path / "none"), "holds no adapter (there is no such folder)"),
    ]:
        well, text = said({**own, "adapter": adapter})
        assert not well
        assert words in text


def test_the_doctor_reports_an_old_driver_and_a_full_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    smi = RTX_3090.format(used=14576, free=10000, driver="535.10")
    program = machine(tmp_path, monkeypatch, smi)
    well, text = said(
        {"kind": "vllm", "model": "x/demo", "command": [str(program)], "memory_share": 0.7}
    )
    assert not well
    assert "needs 580 or newer" in text
    assert "only 9.8 GiB of the NVIDIA GeForce RTX 3090's are free" in text


def test_a_driver_that_does_not_answer_is_no_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    machine(tmp_path, monkeypatch, "NVIDIA-SMI has failed")
    assert cards() == []


@pytest.mark.parametrize(
    ("changed", "free", "words"),
    [
        ({"memory_share": 0.4}, 24_000, r"needs 9\.3 GiB .* = 13\.4 GiB.*llm\.memory_share=0\.56"),
        ({"context": 131_072}, 24_000, r"a smaller model or llm\.context=3\d{4}|llm\.context=3"),
        ({}, 9_000, r"only 8\.8 GiB .* are free \(15\.2 GiB are in use"),
        ({"gpu": "shares", "memory_share": 0.9}, 24_000, r"leaves 2\.4 GiB for the learner"),
        ({"gpu": "shares", "learner_memory": 7.5}, 24_000, r"7\.2 GiB .* llm\.learner_memory=7\.5"),
        ({"tensor_parallel": 2}, 24_000, r"on 2 GPU\(s\) and this machine shows 1"),
    ],
)
def test_a_model_that_does_not_fit_is_reported_with_the_arithmetic(
    changed: dict[str, Any], free: int, words: str
):
    with pytest.raises(DoesNotFit, match=words):
        check_memory(profile(**changed), None, [card(free)])


def test_a_model_that_fits_is_not_reported():
    check_memory(profile(), None, [card()])
    check_memory(profile(gpu="shares"), None, [card()])
    check_memory(profile(kv_cache_memory="4G", memory_share=0.1), None, [card(16_000)])


@pytest.mark.parametrize("name", PROFILES)
def test_every_vllm_profile_fits_on_24_gb_as_commented(name: str):
    read = read_profile(composed(name))
    if isinstance(read, Vllm) and read.device == "cuda":
        wanted = need(read, None)
        assert wanted is not None
        text = (ROOT / "models" / "llm" / f"{name}.yaml").read_text()
        assert f"= {wanted.total:.1f} GiB" in " ".join(text.replace("# ", "").split())
        check_memory(read, None, [card(24_300)])


def test_the_servers_environment_and_command_keep_it_off_the_network(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
    variables = environment(profile())
    assert variables["HF_HUB_OFFLINE"] == variables["VLLM_NO_USAGE_STATS"] == "1"
    assert "HTTPS_PROXY" not in variables
    assert "PYTORCH_CUDA_ALLOC_CONF" not in variables
    words = command_line(profile(command=["sh"], reasoning_parser="qwen3"), Path("/w"), 8001)
    line = " ".join(words)
    assert "--host 127.0.0.1 --port 8001" in line
    assert "--gpu-memory-utilization 0.7 --tensor-parallel-size 1 --enable-sleep-mode" in line
    assert "--reasoning-parser=qwen3" in line
    assert "--limit-mm-per-prompt" not in line
    odd = command_line(profile(command=["sh"], model="-own", quantization="-q"), Path("/w"), 8001)
    assert {"--served-model-name=-own", "--quantization=-q"} < set(odd)  # values, and no options
    awake = command_line(profile(command=["sh"], sleep_mode=False), Path("/w"), 8001)
    assert "--enable-sleep-mode" not in awake


def test_a_server_on_a_cpu_has_all_of_few_cores(monkeypatch: pytest.MonkeyPatch):
    bound = "VLLM_CPU_OMP_THREADS_BIND"
    monkeypatch.delenv(bound, raising=False)
    assert bound not in environment(profile())
    two = environment(profile(device="cpu", cores=[3, 1]))
    assert two[bound] == "1,3"
    assert two["NUMBA_THREADING_LAYER"] == "workqueue"
    assert bound not in environment(profile(device="cpu", cores=[0, 1, 2, 3]))
    own = environment(profile(device="cpu", cores=[0, 1], environment={bound: "nobind"}))
    assert own[bound] == "nobind"
    monkeypatch.setenv(bound, "0")
    assert environment(profile(device="cpu", cores=[0, 1]))[bound] == "0"


def test_a_model_that_sees_sets_no_memory_aside_for_larger_pictures_than_it_is_shown():
    words = command_line(profile(command=["sh"], vision=True), Path("/w"), 8001)
    limit = json.loads(words[words.index("--limit-mm-per-prompt") + 1])
    assert limit["video"] == 0
    assert limit["image"]["width"] == 1024


def test_metrics_are_read_and_summed_over_engines():
    text = (
        "# TYPE vllm:num_requests_running gauge\n"
        'vllm:num_requests_running{engine="0",model_name="x"} 2.0\n'
        'vllm:num_requests_running{engine="1",model_name="x"} 1.0\n'
        'vllm:kv_cache_usage_perc{engine="0"} 0.25\n'
        "process_open_fds 12\n"
    )
    assert read_metrics(text) == {"running": 3.0, "cache_usage": 0.25}


def test_llm_doctor_and_prompt_show_print_findings_and_prompts_and_refuse_damage(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    assert main(["llm", "doctor", "rulebook"]) == 0
    assert "needs no weights" in capfd.readouterr().out
    assert main(["llm", "doctor", "qwen3_8b", "llm.command=[/no/such]"]) == 1
    assert "is not installed here" in capfd.readouterr().out
    assert main(["llm", "doctor", "qwen3"]) == 2
    assert "did you mean" in capfd.readouterr().err

    run = tmp_path / "run"
    (run / "llm").mkdir(parents=True)
    (run / "config.yaml").write_text("name: test\n")
    entry = {
        "time": 1.0,
        "agent": "planner",
        "asked": "PlanQuestion",
        "prompt": [
            {"role": "system", "content": "Plan.\n"},
            {"role": "user", "content": "A\u2028log."},
        ],
        "schema": {"type": "object"},
        "answered": {"id": "goal/plan-0", "answer": '{"subtasks":[]}'},
        "attempts": [
            {"text": "A log?", "problem": "no JSON", "reminder": "Again."},
            {"text": '{"subtasks":[]}', "thinking": "Hm."},
        ],
    }
    failed = {key: entry[key] for key in ("agent", "asked", "prompt")}
    failed |= {"time": 2.0, "id": "goal/plan-1", "sentence": "No answer.", "agent": "critic"}
    (run / "llm" / "transcript.jsonl").write_text(
        json.dumps(entry, ensure_ascii=False) + '\n{"time'
    )
    (run / "llm" / "unanswered.jsonl").write_text(json.dumps(failed) + "\n")
    assert main(["prompt", "show", "planner", "--run", str(run)]) == 0
    assert capfd.readouterr().out == (
        "=== goal/plan-0 (PlanQuestion)\n--- system\nPlan.\n--- user\nA<U+2028>log.\n"
        "--- assistant\nA log?\n--- user\nAgain.\n--- thinking\nHm.\n"
        '--- answer\n{"subtasks":[]}\n'
    )
    assert main(["prompt", "show", "critic", "--run", str(run)]) == 0
    assert "--- no answer\nNo answer.\n" in capfd.readouterr().out
    assert main(["prompt", "show", "planer", "--run", str(run)]) == 2
    assert "did you mean `planner`?" in capfd.readouterr().err
    assert main(["prompt", "show", "planner", "--run", str(run), "--id", "plan-7"]) == 2
    capfd.readouterr()
    transcript = run / "llm" / "transcript.jsonl"
    wrong = [{"prompt": None}, {"agent": None}, {"answered": {}}, {"answered": None}, {"time": ""}]
    for line in ({}, *({**entry, **part} for part in wrong)):
        transcript.write_text(json.dumps(line) + "\n")
        assert main(["prompt", "show", "planner", "--run", str(run)]) == 2
        assert f"{transcript}, line 1 is no recorded question" in capfd.readouterr().err
    transcript.unlink()
    transcript.mkdir()
    assert main(["prompt", "show", "planner", "--run", str(run)]) == 2
    assert f"{transcript} cannot be read: Is a directory" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("cpus", "numbers"),
    [
        ("flags\t\t: fpu sse2 avx avx2 fma\n", "float32"),
        ("flags\t\t: fpu avx2 avx512f avx512bw avx512vl\n", "bfloat16"),
        ("Features\t: fp asimd bf16\n", "bfloat16"),  # ARM
        (None, "bfloat16"),
    ],
)
def test_a_cpu_without_avx512_serves_32_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cpus: str | None, numbers: str
):
    """In 16 bits it would answer, but a hundred times later."""
    path = tmp_path / "cpuinfo"
    if cpus is not None:
        path.write_text(f"processor\t: 0\n{cpus}")
    assert cpu_numbers(path) == numbers
    monkeypatch.setattr("nodes.llm.vllm.cpu_numbers.cpu_numbers", lambda: numbers)
    on_cpu = profile(device="cpu", command=["sh"], kv_cache_memory="1G")
    line = " ".join(command_line(on_cpu, Path("/w"), 8001))
    assert ("--dtype float32" in line) == (numbers == "float32")
    wanted = need(on_cpu, None)
    assert wanted is not None
    assert round(wanted.weights, 1) == (18.6 if numbers == "float32" else 9.3)
    on_gpu = profile(command=["sh"])
    assert "--dtype" not in command_line(on_gpu, Path("/w"), 8001)


def test_guessing_from_the_prompt_on_a_cpu_needs_temperature_0():
    guesses = profile(device="cpu", command=["sh"], speculative_tokens=8, temperature=0.0)
    words = command_line(guesses, Path("/w"), 8001)
    config = json.loads(words[words.index("--speculative-config") + 1])
    assert (config["method"], config["num_speculative_tokens"]) == ("ngram", 8)
    with pytest.raises(ValueError, match=r"at temperature 0 only; set llm\.temperature=0, or"):
        profile(device="cpu", speculative_tokens=8, temperature=0.2)
    assert profile(device="cuda", speculative_tokens=8, temperature=0.2).speculative_tokens == 8
