"""How many tasks of each family can be done, by the rules and in this engine today."""

import msgspec

from models.tasks import KINDS, task_ids, task_spec
from nodes.env_server.obtainable.oracle import judge

PROGRAMMATIC = ("harvest", "combat", "techtree", "survival")


class Missing(msgspec.Struct, frozen=True):
    id: str
    reason: str


class Family(msgspec.Struct, frozen=True):
    """Counts of task ids. ``by_rules`` and ``today``: with every target obtainable."""

    ids: int
    with_spec: int
    by_rules: int
    today: int
    not_by_rules: list[Missing]
    not_today: list[Missing]


class Coverage(msgspec.Struct, frozen=True):
    families: dict[str, Family]
    programmatic: Family


def measure() -> Coverage:
    """Judges every id; takes about a second."""
    families = {kind: _family(task_ids(kind)) for kind in KINDS}
    parts = [families[kind] for kind in PROGRAMMATIC]
    return Coverage(
        families=families,
        programmatic=Family(
            ids=sum(part.ids for part in parts),
            with_spec=sum(part.with_spec for part in parts),
            by_rules=sum(part.by_rules for part in parts),
            today=sum(part.today for part in parts),
            not_by_rules=[entry for part in parts for entry in part.not_by_rules],
            not_today=[entry for part in parts for entry in part.not_today],
        ),
    )


def coverage(json: bool = False) -> str:
    """The report: a table and the exceptions, or the whole of it as JSON."""
    measured = measure()
    if json:
        return msgspec.json.format(msgspec.json.encode(measured), indent=2).decode()
    return "\n".join([*_table(measured), "", *_exceptions(measured)])


def _family(ids: list[str]) -> Family:
    lacking: dict[bool, list[Missing]] = {False: [], True: []}
    for name in ids:
        spec = task_spec(name)
        for engine, missing in lacking.items():
            verdict = judge(spec, engine=engine)
            if not verdict.obtainable:
                missing.append(Missing(name, verdict.reason))
    return Family(
        ids=len(ids),
        with_spec=len(ids),
        by_rules=len(ids) - len(lacking[False]),
        today=len(ids) - len(lacking[True]),
        not_by_rules=lacking[False],
        not_today=lacking[True],
    )


def _table(measured: Coverage) -> list[str]:
    lines = [f"{'family':<14}{'ids':>6}{'spec':>6}{'by the rules':>20}{'in this engine':>20}"]
    rows = {**measured.families, "programmatic": measured.programmatic}
    for name, family in rows.items():
        rules, today = _share(family.by_rules, family.ids), _share(family.today, family.ids)
        lines.append(f"{name:<14}{family.ids:>6}{family.with_spec:>6}{rules:>20}{today:>20}")
    return lines


def _share(count: int, of: int) -> str:
    return f"{count} ({100 * count / of:.1f} %)"


def _exceptions(measured: Coverage) -> list[str]:
    lines = ["Not obtainable by the rules:"]
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
