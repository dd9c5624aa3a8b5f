"""How many tasks of each family can be done, by Minecraft's rules and in this engine."""

from pathlib import Path
from typing import Any, Literal

import msgspec

from voxeldojo.obtainable.oracle import judge
from voxeldojo.tasks import KINDS, task_ids, task_spec

Trying = Literal["none", "sample", "all"]
DEMONSTRATIONS = Path(__file__).parents[1] / "demonstrations" / "demonstrations.json"
PROGRAMMATIC = ("harvest", "combat", "techtree", "survival")


class Missing(msgspec.Struct, frozen=True):
    id: str
    reason: str


class Family(msgspec.Struct, frozen=True):
    """Counts of task ids. ``tried``: passed to make(); of those ``made`` could be made, and
    ``reset`` started and stepped as the task asks. ``by_rules`` and ``today`` (in this engine):
    with every target obtainable. ``demonstrated``: done by a script, in demonstrations.json."""

    ids: int
    tried: int
    made: int
    reset: int
    by_rules: int
    today: int
    demonstrated: int
    failed: list[Missing]
    not_by_rules: list[Missing]
    not_today: list[Missing]


class Coverage(msgspec.Struct, frozen=True):
    families: dict[str, Family]
    programmatic: Family


def measure(trying: Trying = "none") -> Coverage:
    """Judges every id, which takes about a second, and tries some: "none", "sample" (one of each
    template) or "all" (minutes)."""
    families = {kind: _family(task_ids(kind), trying) for kind in KINDS}
    parts = [families[kind] for kind in PROGRAMMATIC]
    return Coverage(families=families, programmatic=_sum(parts))


def _sum(parts: list[Family]) -> Family:
    total: dict[str, Any] = {}
    for name in Family.__struct_fields__:
        values = [getattr(part, name) for part in parts]
        whole = isinstance(values[0], int)
        total[name] = sum(values) if whole else [entry for value in values for entry in value]
    return Family(**total)


def coverage(json: bool = False, trying: Trying = "none") -> str:
    """The report: a table and the exceptions, or the whole of it as JSON."""
    measured = measure(trying)
    if json:
        return msgspec.json.format(msgspec.json.encode(measured), indent=2).decode()
    return "\n".join([*_table(measured), "", *_exceptions(measured)])


def demonstrated() -> set[str]:
    """Ids that the scripted player has done: those in demonstrations.json, if it is there."""
    if not DEMONSTRATIONS.exists():
        return set()
    found = msgspec.json.decode(DEMONSTRATIONS.read_bytes())
    return {entry["task"] for entry in found if entry["success"]}


def _tried(ids: list[str], trying: Trying) -> dict[str, Any]:
    if trying == "none":
        return {}
    # Compiled kernels take a second to load, so they are imported only if needed.
    from voxeldojo.obtainable.trying import sample, try_all

    return try_all(ids if trying == "all" else sample(ids))


def _family(ids: list[str], trying: Trying) -> Family:
    tried = _tried(ids, trying)
    lacking: dict[bool, list[Missing]] = {False: [], True: []}
    for name in ids:
        spec = task_spec(name)
        for engine, missing in lacking.items():
            verdict = judge(spec, engine=engine)
            if not verdict.obtainable:
                missing.append(Missing(name, verdict.reason))
    return Family(
        ids=len(ids),
        tried=len(tried),
        made=sum(one.made for one in tried.values()),
        reset=sum(one.reset for one in tried.values()),
        failed=[Missing(name, one.reason) for name, one in tried.items() if one.reason],
        demonstrated=len(demonstrated() & set(ids)),
        by_rules=len(ids) - len(lacking[False]),
        today=len(ids) - len(lacking[True]),
        not_by_rules=lacking[False],
        not_today=lacking[True],
    )


def _table(measured: Coverage) -> list[str]:
    heads = ("ids", "tried", "made", "reset", "by the rules", "in this engine", "demonstrated")
    widths = (6, 7, 7, 7, 18, 18, 14)
    lines = [f"{'family':<14}" + "".join(f"{h:>{w}}" for h, w in zip(heads, widths, strict=True))]
    rows = {**measured.families, "programmatic": measured.programmatic}
    for name, family in rows.items():
        rules, today = _share(family.by_rules, family.ids), _share(family.today, family.ids)
        row = (
            family.ids, family.tried, family.made, family.reset, rules, today, family.demonstrated
        )  # fmt: skip
        lines.append(f"{name:<14}" + "".join(f"{v:>{w}}" for v, w in zip(row, widths, strict=True)))
    return lines


def _share(count: int, of: int) -> str:
    return f"{count} ({100 * count / of:.1f} %)"


def _exceptions(measured: Coverage) -> list[str]:
    lines = ["Not as they should be when made, reset or stepped:"]
    failed: dict[str, list[str]] = {}
    for family in measured.families.values():
        for entry in family.failed:
            failed.setdefault(entry.reason, []).append(entry.id)
    lines += [f"  {len(ids):>4}  {reason} ({ids[0]})" for reason, ids in failed.items()] or [
        "  none"
    ]
    lines += ["", "Not obtainable by the rules:"]
    for family in measured.families.values():
        lines += [f"  {entry.id}: {entry.reason}" for entry in family.not_by_rules]
    lines += ["", "Not obtainable in this engine today, by what is missing:"]
    reasons: dict[str, list[str]] = {}
    for family in measured.families.values():
        for entry in family.not_today:
            reasons.setdefault(entry.reason, []).append(entry.id)
    for reason, names in sorted(reasons.items(), key=lambda row: -len(row[1])):
        more = f" and {len(names) - 2} more" if len(names) > 2 else ""
        lines.append(f"  {len(names):>4}  {reason} ({', '.join(names[:2])}{more})")
    return lines
