"""The skill branch: try out what the library has before anything is written."""

import msgspec

from messages.bus import RemoteError
from messages.plan import Stage
from nodes.common.skills.skills import LibraryError, Skill
from nodes.fast_agent.implementing import BestAttempt, SubActionWork
from nodes.fast_agent.known_skills.skill_keeping import SkillKeeping
from nodes.fast_agent.playing.portions import OutOfSamples


def implement_by_skill(
    work: SubActionWork, keeping: SkillKeeping, skill: Skill
) -> BestAttempt | None:
    """Try a skill out in place of an implementation. None: it cannot be played at all, or the
    samples are too few for it."""
    agent, goal = work.agent, work.goal
    # A parameter that it depends on may be set while it is tried.
    if not agent.memory.first(f"{goal.id}/skill-tried", _affordable(work)):
        agent.log.info("%s: too few samples to try the skill %s", goal.id, skill.name)
        return None
    work.report(f"trying the skill {skill.name!r} for {goal.request.sub_action.name!r}")
    stage = skill.stage(goal.request.sub_action)
    stage = msgspec.structs.replace(stage, guards=goal.request.guards)
    try:
        skill.check()
        played = work.try_out("skill", stage, work.spent.left, reused=True)
    except OutOfSamples as reason:
        agent.log.warning("%s: the skill %s is not tried: %s", goal.id, skill.name, reason)
        return None
    except LibraryError as error:
        agent.log.warning("%s: %s", goal.id, error)
        return None
    except RemoteError as error:
        if error.code not in ("unknown_policy", "policy_does_not_fit", "invalid"):
            raise
        agent.log.warning("%s: the skill %s cannot be played: %s", goal.id, skill.name, error)
        return None
    outcome = BestAttempt(attempts=1, skill=skill.name)
    verdict = work.judge("skill", stage, played)
    outcome.offer(stage, verdict, played)
    if not verdict.success and agent.parameters.critic:  # else it is not known how often it worked
        keeping.count_failure(goal, skill, verdict.success_rate, outcome.seeds, played.steps)
    return outcome


def _affordable(work: SubActionWork) -> bool:
    """Whether the samples are enough for a tryout that counts, and for an episode of what is tried
    next if the skill fails: or else a skill could end a goal that is reached without it."""
    left = work.spent.left
    episode, _ = work.longest_tryout(Stage(sub_action=work.request.sub_action))
    return left is None or left >= (work.least_episodes + 1) * episode
