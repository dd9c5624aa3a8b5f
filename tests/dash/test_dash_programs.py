"""The panel of programs: which episodes count as those of a program."""

from pathlib import Path

from messages.program import Program
from messages.world import Episode, Guard, Interface, OpenSession, SeedRange, View
from nodes.common.storage.episode_store import FILE, Kept, PlayPart, StoredEpisodes, StoredPlay
from rlgpt.dash.views.program_view import ProgramView, programs
from tests.report_run import TASK, spec

PLAY = "goal/0-harvest-log/iteration-0/evaluate/episodes"
ENDS = ["death", "success", "success", "horizon"]  # of the environments 0 to 3


def code(name: str) -> Program:
    return Program(name=name, source=f"def action(obs):\n    {name}()\n", max_steps=9)


def interface(*macros: Program) -> Interface:
    return spec(list(macros)).interface


def played(run: Path, *parts: PlayPart) -> dict[str, ProgramView]:
    """The programs of a run with one play of four episodes, by their names."""
    (run / "env_server").mkdir()
    (run / "config.yaml").write_text("name: a\nnodes: {env_server: {}}\n")
    seeds = SeedRange(first=0, count=4)
    opened = OpenSession(session=PLAY, task=TASK, size=4, seeds=seeds, interface=interface())
    play = StoredPlay(id=PLAY, began=1.0, ended=2.0, whole=True, opened=opened, parts=list(parts))
    kept = [
        Kept(
            play=PLAY,
            why="it fell" if ended == "death" else "",
            episode=Episode(
                environment=place,
                seed=place,
                success=ended == "success",
                steps=3,
                reward=0.0,
                ended=ended,
                before=View(inventory={}),
                after=View(inventory={}),
            ),
        )
        for place, ended in enumerate(ENDS)
    ]
    episodes = StoredEpisodes(run / "env_server" / FILE)
    episodes.keep(play, kept)
    episodes.close()
    return {each.name: each for each in programs(run)}


def test_episodes_in_which_a_program_never_ran_do_not_count_for_it(tmp_path: Path) -> None:
    guard = Guard(name="flee", when="def when(obs):\n    return True\n", program=code("flee"))
    found = played(
        tmp_path,
        PlayPart(program=code("walk")),  # in all
        PlayPart(program=code("dig"), environments=[1, 3]),  # 0 has died, 2 was there at once
        PlayPart(interface=interface(code("strike")), environments=[2]),
        PlayPart(program=code("dig"), environments=[2, 1]),
        PlayPart(program=code("rest"), environments=[3], guards=[guard]),
    )
    counted = {name: (each.successes, each.episodes, each.plays) for name, each in found.items()}
    assert counted == {
        "walk": (2, 4, 1),
        "dig": (2, 3, 1),
        "strike": (0, 0, 1),  # a coded action of a policy: its uses have the figures
        "rest": (0, 1, 1),
        "flee": (0, 1, 1),
    }
    (use,) = found["dig"].uses
    assert use.endings == {"success": 2, "horizon": 1}
    (use,) = found["strike"].uses
    assert (use.macro, use.successes, use.episodes) == (True, 1, 1)


def test_a_coded_action_that_also_ran_by_itself_counts_where_it_did(tmp_path: Path) -> None:
    found = played(
        tmp_path,
        PlayPart(interface=interface(code("dig"))),
        PlayPart(program=code("dig"), environments=[3]),
    )
    assert (found["dig"].successes, found["dig"].episodes, found["dig"].plays) == (0, 1, 1)
    assert [use.macro for use in found["dig"].uses] == [False]
