"""Verdicts on what was played: the critic's, or what goes without one."""

from messages.plan import Evaluate
from messages.verdict import JUDGE, Evidence, Verdict
from models.outcomes import FAULTS, run_in_words
from nodes.fast_agent.agent import Agent
from nodes.fast_agent.playing.stage_playing import Played


def failed(reason: str) -> Verdict:
    """The verdict on what could not be played, or not be made."""
    return Verdict(success=False, success_rate=0.0, reason=reason)


def unjudged(played: Played) -> Verdict:
    """The verdict on a tryout without a critic: whether a program of it failed. Whether the
    sub-action was done is not checked."""
    wrong = next((each for each in played.reports if each.status in FAULTS), None)
    if wrong is not None:
        runs = sum(each.count for each in played.reports)
        how = run_in_words(wrong.status, wrong.line, wrong.error)
        return failed(f"In {wrong.count} of {runs} runs the program {how}.")
    return Verdict(success=True, success_rate=1.0, reason="It ran; it was not judged.")


def judge(agent: Agent, evidence: Evidence) -> Verdict:
    """Ask the critic. Its verdict is remembered, so that a goal that begins again goes on from the
    same one: the required rate may be another one by then, and a question that had no answer may
    have one."""
    if (known := agent.memory.find(evidence.id, Verdict)) is not None:
        return known
    return agent.memory.keep(evidence.id, agent.call(JUDGE, evidence))


def judge_whole(agent: Agent, id: str, evaluated: Evaluate, played: Played) -> Verdict:
    """Ask the critic whether an evaluation's pictures show the whole task done."""
    task = evaluated.task
    return judge(
        agent,
        Evidence(
            id=f"{id}/judge",
            sub_action=task.prompt,
            description=task.prompt,
            method=evaluated.stages[-1].sub_action.method,
            success=task.success,
            required_rate=agent.parameters.required_rate,
            episodes=played.episodes,
            reports=played.reports,
            game=task.game,
            pictures=played.pictures,
        ),
    )
