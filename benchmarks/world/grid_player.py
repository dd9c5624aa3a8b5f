"""Plays one of the grid worlds with random actions; runs in .venv-peers, without this project:

    grid_player.py crafter|craftax-classic|craftax REPEATS SECONDS

A line of JSON for each row: {"name", "values"}.
"""

import itertools
import json
import sys
import time


def rates(call, each, repeats, seconds):
    call()
    call()
    found = []
    for _ in range(repeats):
        calls, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            call()
            calls += 1
        found.append(calls * each / (time.perf_counter() - start))
    return found


def say(name, values):
    print(json.dumps({"name": name, "values": values}), flush=True)


def play_crafter(repeats, seconds):
    import crafter
    import numpy as np

    env = crafter.Env(seed=1)
    env.reset()
    actions = itertools.cycle(np.random.default_rng(0).integers(0, 17, 997).tolist())

    def step():
        if env.step(next(actions))[2]:
            env.reset()

    say("Crafter (64x64 picture), one world", rates(step, 1, repeats, seconds))


def play_craftax(name, title, repeats, seconds):
    """Without resets: with them every step makes a new world for every one that goes on, too."""
    import jax
    from craftax.craftax_env import make_craftax_env_from_name

    env = make_craftax_env_from_name(name, auto_reset=False)
    params = env.default_params
    for worlds in (64, 1):
        keys = jax.random.split(jax.random.PRNGKey(0), worlds)
        _, state = jax.jit(jax.vmap(env.reset, in_axes=(0, None)))(keys, params)

        def advance(key, state, worlds=worlds):
            key, for_actions, for_steps = jax.random.split(key, 3)
            actions = jax.random.randint(for_actions, (worlds,), 0, env.num_actions)
            step_keys = jax.random.split(for_steps, worlds)
            step = jax.vmap(env.step, in_axes=(0, 0, 0, None))
            seen, state, reward, _, _ = step(step_keys, state, actions, params)
            return key, state, seen, reward

        advance = jax.jit(advance)
        held = [jax.random.PRNGKey(1), state]

        def call(advance=advance, held=held):
            held[0], held[1], seen, _ = advance(held[0], held[1])
            seen.block_until_ready()

        count = f"{worlds} worlds" if worlds > 1 else "one world"
        say(
            f"{title} (JAX on the CPU, never reset), {count}", rates(call, worlds, repeats, seconds)
        )


def main():
    peer, repeats, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    if peer == "crafter":
        play_crafter(repeats, seconds)
    elif peer == "craftax-classic":
        name = "Craftax-Classic-Symbolic-v1"
        play_craftax(name, "Craftax-Classic, symbolic", repeats, seconds)
    else:
        play_craftax("Craftax-Symbolic-v1", "Craftax, symbolic", repeats, seconds)


if __name__ == "__main__":
    main()
