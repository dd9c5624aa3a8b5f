"""Hostile programs that may compile, by name, with the endings that are accepted.

Each is run for a few steps and must end soon, and with one of those endings. Bodies are indented
into ``def action(obs):`` unless they define it themselves.
"""

ANY = {"finished", "error", "fuel_exhausted", "step_limit"}
STUCK = {"error", "fuel_exhausted"}

CONTAINED: dict[str, tuple[str, set[str]]] = {
    # I: tampering that the language allows to be written
    "obs_inner_mutation": ("obs.inventory['log'] = 64\nattack()", {"error"}),
    "obs_tuple_mutation": ("obs.position[0] = 1\nattack()", {"error"}),
    "obs_inventory_method": ("obs.inventory.update({'log': 64})\nattack()", {"error"}),
    "ray_mutation": ("obs.rays[0][2] = 'wood'\nattack()", {"error"}),
    "equip_loop": (
        "while True:\n    try:\n        equip('stick')\n    except ValueError:\n        pass",
        {"fuel_exhausted"},
    ),
    "turn_nan": ("turn(float('nan'))", {"error"}),
    "turn_huge": ("turn(10 ** 300)", {"error"}),
    "turn_text": ("turn('left')", {"error"}),
    "craft_list": ("craft(['stick'])", {"error"}),
    # R
    "inf_while": ("while True:\n    pass\nattack()", {"fuel_exhausted"}),
    "inf_while_else": ("while 1:\n    continue\nattack()", {"fuel_exhausted"}),
    "inf_c_loop": ("x = sum(range(10**15))\nattack()", STUCK),
    "inf_c_any": ("x = any(range(0, 1))\nx = all(range(1, 10**15))\nattack()", STUCK),
    "inf_c_max": ("x = max(range(10**15))\nattack()", STUCK),
    "inf_c_contains": ("x = 0.5 in range(10**15)\nattack()", ANY),
    "inf_c_zip": ("x = (1, 2) in zip(range(10**15), range(10**15))\nattack()", STUCK),
    "inf_unpack": ("a, b = range(10**15)\nattack()", {"error"}),
    "inf_listcomp": ("x = [i for i in range(10**12)]\nattack()", STUCK),
    "inf_dictcomp": ("x = {i: i for i in range(10**12)}\nattack()", STUCK),
    "inf_nested_comp": ("x = [0 for i in range(10**6) for j in range(10**6)]\nattack()", STUCK),
    "inf_genexp_sum": ("x = sum(i for i in range(10**12))\nattack()", STUCK),
    "inf_genexp_any": ("x = any(False for i in range(10**12))\nattack()", STUCK),
    # What is refused for its size was gone through as well, and costs as much.
    "refused_sequences": (
        "attack()\nfor _ in range(500):\n    try:\n        x = sorted(range(10**15))\n"
        "    except ValueError:\n        pass\nattack()",
        {"fuel_exhausted"},
    ),
    "refused_comparisons": (
        "x = list(range(9000))\nattack()\nfor _ in range(500):\n    try:\n        y = min(x, x)\n"
        "    except ValueError:\n        pass\nattack()",
        {"fuel_exhausted"},
    ),
    "big_list_mul": ("x = [0] * 10**9\nattack()", STUCK),
    "big_tuple_mul": ("x = 10**9 * (0,)\nattack()", STUCK),
    "big_mul_alias": ("x = [0]\nx *= 10**9\nattack()", STUCK),
    "str_doubling": ("s = 'ab'\nfor _ in range(60):\n    s = s + s\nattack()", STUCK),
    "str_doubling_aug": ("s = 'ab'\nfor _ in range(60):\n    s += s\nattack()", STUCK),
    "str_doubling_fstring": ("s = 'ab'\nfor _ in range(60):\n    s = f'{s}{s}'\nattack()", STUCK),
    "str_doubling_join": ("s = 'ab'\nfor _ in range(60):\n    s = s.join([s, s])\nattack()", STUCK),
    "list_doubling_aug": ("s = [1]\nfor _ in range(60):\n    s += s\nattack()", STUCK),
    "list_doubling_extend": ("s = [1]\nfor _ in range(60):\n    s.extend(s)\nattack()", STUCK),
    "list_self_iter": ("s = [1]\nfor a in s:\n    s.append(a)\nattack()", STUCK),
    "list_append_forever": ("s = []\nwhile True:\n    s.append(1)\n    attack()", {"step_limit"}),
    "list_append_flood": ("s = []\nwhile True:\n    s.append(1)\nattack()", STUCK),
    "dict_flood": ("d = {}\nn = 0\nwhile True:\n    d[n] = n\n    n += 1\nattack()", STUCK),
    "set_union_doubling": (
        "s = {0}\nfor i in range(60):\n    s = s | set(a + 2 ** i for a in s)\nattack()",
        STUCK,
    ),
    "huge_pow": ("x = 9 ** 9 ** 9\nattack()", STUCK),
    "huge_pow_aug": ("x = 9\nfor _ in range(99):\n    x **= x\nattack()", STUCK),
    "huge_shift": ("x = 1 << 10**12\nattack()", STUCK),
    "huge_shift_aug": ("x = 1\nwhile True:\n    x <<= 1000\nattack()", STUCK),
    "int_square_loop": ("x = 3\nwhile True:\n    x = x * x\nattack()", STUCK),
    "int_double_loop": ("x = 3\nwhile True:\n    x = x + x\nattack()", STUCK),
    "int_double_aug": ("x = 3\nwhile True:\n    x += x\nattack()", STUCK),
    "int_minus_loop": ("x = 3\nwhile True:\n    x = x - (0 - x)\nattack()", STUCK),
    "round_digits": ("x = round(1, 0 - 10**12)\nattack()", ANY),
    "fmt_width_bomb": ("x = 'a'\nx = f'{x:99}' * 99999\nattack()", STUCK),
    "pct_width_bomb": ("x = '%999999999d' % 1\nattack()", STUCK),
    "pct_width_aug": ("x = '%999999999d'\nx %= 1\nattack()", STUCK),
    "replace_bomb": ("x = 'a' * 9999\nx = x.replace('a', 'b' * 9999)\nattack()", STUCK),
    "replace_empty": ("x = 'a' * 9999\nx = x.replace('', x)\nattack()", STUCK),
    "deep_recursion": (
        "def f(n):\n    return f(n + 1)\ndef action(obs):\n    f(0)\n    attack()",
        STUCK,
    ),
    "deep_acting": ("def action(obs):\n    action(obs)\n    attack()", STUCK),
    "lambda_recursion_sort": (
        "f = lambda g, n: sorted([1, 2], key=lambda x: g(g, n + 1))\nf(f, 0)\nattack()",
        STUCK,
    ),
    "sort_key_spin": (
        "x = sorted(range(9000), key=lambda a: sum(range(9000)))\nattack()",
        STUCK,
    ),
    "nested_list_repr": (
        "x = [1]\nfor _ in range(60):\n    x = [x, x]\ny = f'{x}'\nz = str(x)\nattack()",
        ANY,
    ),
    "nested_list_compare": (
        "x = [1]\ny = [1]\nfor _ in range(60):\n    x = [x, x]\n"
        "    y = [y, y]\nz = x == y\nattack()",
        STUCK,
    ),
    "nested_list_in": (
        "x = [1]\ny = [1]\nfor _ in range(60):\n    x = [x, x]\n"
        "    y = [y, y]\nz = x in [y]\nattack()",
        STUCK,
    ),
    "nested_list_sort": (
        "x = [1]\ny = [1]\nfor _ in range(60):\n    x = [x, x]\n"
        "    y = [y, y]\nz = sorted([x, y])\n"
        "attack()",
        STUCK,
    ),
    "nested_list_max_key": (
        "x = [1]\ny = [1]\nfor _ in range(60):\n    x = [x, x]\n    y = [y, y]\n"
        "z = max([1, 2], key=lambda a: x if a == 1 else y)\nattack()",
        STUCK,
    ),
    "nested_list_index": (
        "x = [1]\ny = [1]\nfor _ in range(60):\n    x = [x, x]\n"
        "    y = [y, y]\nz = [x].index(y)\nattack()",
        STUCK,
    ),
    "nested_tuple_hash": (
        "x = (1,)\nfor _ in range(60):\n    x = (x, x)\ny = {x: 1}\nattack()",
        STUCK,
    ),
    "nested_tuple_hash_get": (
        "x = (1,)\nfor _ in range(60):\n    x = (x, x)\ny = obs.inventory.get(x)\nattack()",
        STUCK,
    ),
    "nested_tuple_hash_zip": (
        "x = (1,)\nfor _ in range(60):\n    x = list(zip([x], [x]))[0]\ny = set([x])\nattack()",
        STUCK,
    ),
    "nested_tuple_subscript": (
        "x = (1,)\nfor _ in range(60):\n    x = (x, x)\ny = {}\ny[x] = 1\nattack()",
        STUCK,
    ),
    "nested_set_comp": (
        "x = (1,)\nfor _ in range(60):\n    x = (x, x)\ny = {a for a in [x]}\nattack()",
        STUCK,
    ),
    "nested_dict_arguments": (
        "x = (1,)\nfor _ in range(60):\n    x = (x, x)\ny = dict([(x, 1)])\nattack()",
        STUCK,
    ),
    "nested_update": (
        "x = (1,)\nfor _ in range(60):\n    x = (x, x)\ny = {}\ny.update([(x, 1)])\nattack()",
        STUCK,
    ),
    "self_containing": (
        "x = []\nx.append(x)\ny = []\ny.append(y)\nz = x == y\nattack()",
        ANY,
    ),
    "self_containing_text": ("x = []\nx.append(x)\nraise ValueError(x)\nattack()", {"error"}),
    "huge_exception_msg": ("raise ValueError('x' * 9999)\nattack()", {"error"}),
    "nested_exception_msg": (
        "x = [1]\nfor _ in range(60):\n    x = [x, x]\nraise ValueError(x)\nattack()",
        {"error"},
    ),
    "nested_assert_msg": (
        "x = [1]\nfor _ in range(60):\n    x = [x, x]\nassert False, x\nattack()",
        {"error"},
    ),
    "nested_key_error": (
        "x = (1,)\nfor _ in range(12):\n    x = (x, x)\n{}[x]\nattack()",
        {"error"},
    ),
    "craft_spin": (
        "n = 0\nwhile True:\n    n += 1\n    try:\n        craft(f'planks{n}')\n"
        "    except ValueError:\n        pass",
        {"fuel_exhausted"},
    ),
    "craft_long_name": ("craft('planks' * 1000)", {"error"}),
    "nearest_spin": ("while True:\n    nearest(obs, 'wood')\nattack()", {"fuel_exhausted"}),
    "slice_spin": ("x = [0] * 9999\nwhile True:\n    y = x[1:]\nattack()", {"fuel_exhausted"}),
    "fstring_spin": (
        "x = 'a' * 9999\nwhile True:\n    y = f'{x}b'\nattack()",
        {"fuel_exhausted"},
    ),
    "inventory_spin": ("while True:\n    x = obs.inventory\nattack()", {"fuel_exhausted"}),
    "craftable_spin": ("while True:\n    x = obs.craftable\nattack()", {"fuel_exhausted"}),
    "rays_spin": ("while True:\n    x = obs.rays\nattack()", {"fuel_exhausted"}),
    # S
    "except_exception_loop": (
        "while True:\n    try:\n        while True:\n"
        "            pass\n    except Exception:\n        pass\n"
        "attack()",
        {"fuel_exhausted"},
    ),
    "except_exception_act": (
        "while True:\n    try:\n        while True:\n            pass\n    except Exception:\n"
        "        attack()",
        {"fuel_exhausted"},
    ),
    "except_exception_finish": (
        "try:\n    while True:\n        pass\nexcept Exception:\n"
        "    pass\nif obs.steps > 5:\n    attack()",
        {"fuel_exhausted"},
    ),
    "charge_swallow": (
        "while True:\n    try:\n        x = [0] * 9999\n"
        "    except Exception:\n        pass\nattack()",
        {"fuel_exhausted"},
    ),
    "memoryerror_swallow": (
        "while True:\n    try:\n        x = [0] * 10**12\n"
        "    except Exception:\n        pass\nattack()",
        {"fuel_exhausted"},
    ),
    "recursion_swallow": (
        "def f():\n    try:\n        f()\n    except Exception:\n"
        "        f()\ndef action(obs):\n    f()\n"
        "    attack()",
        ANY,
    ),
    "act_flood": ("while True:\n    attack()", {"step_limit"}),
    "raise_stop": ("attack()\nraise RuntimeError('generator raised StopIteration')", {"error"}),
}

CONTAINED |= {
    # helpers: what they are given is anything
    "look_at_nan": ("look_at(obs, 0.0, 1e308 * 10, 0.0)", ANY),
    "look_at_text": ("look_at(obs, 'a', 'b', 'c')", {"error"}),
    "look_at_huge": ("look_at(obs, 10**15, 10**15, 10**15)", ANY),
    "walk_to_nowhere": ("while True:\n    walk_to(obs, 1e300, 1e300, 10**15)", ANY),
    "walk_to_no_steps": ("while True:\n    walk_to(obs, 5, 5, 0)", {"fuel_exhausted"}),
    "walk_to_old_observation": ("forward()\nwalk_to(obs, 5, 5)\nwalk_to(obs, 5, 5)", ANY),
    "dig_at_huge": ("dig_at(obs, 10**15, 0, 0)\nattack()", ANY),
    "dig_at_fractions": ("dig_at(obs, 0.5, 0.5, 0.5)\nattack()", ANY),
    "dig_at_for_ever": ("while True:\n    dig_at(obs, 0, -1, 0, 0)", {"fuel_exhausted"}),
    "place_at_long_name": ("place_at(obs, 'x' * 9999, 1, 0, 0)\nattack()", ANY),
    "place_at_lists": ("place_at(obs, [], [], [], [])\nattack()", {"error"}),
    "helper_swallowed": (
        "while True:\n    try:\n        walk_to(obs, 5, 5, 0)\n    except Exception:\n        pass",
        {"fuel_exhausted"},
    ),
    "helper_recursion": (
        "def look_at(obs, x, y, z):\n    return look_at(obs, x, y, z)\n"
        "def action(obs):\n    look_at(obs, 1, 1, 1)\n    attack()",
        ANY,
    ),
    "helper_instead": (
        "def aim(obs, yaw, pitch):\n    while True:\n        pass\n"
        "def action(obs):\n    look_at(obs, 1, 1, 1)\n    aim(obs, 1, 1)\n    attack()",
        {"fuel_exhausted"},
    ),
    "find_for_ever": ("while True:\n    find(obs, 'stone')", {"fuel_exhausted"}),
    "find_typos": (
        "while True:\n    try:\n        find(obs, 'x' * 5000)\n"
        "    except ValueError:\n        pass",
        {"fuel_exhausted"},
    ),
    "find_radius": ("find(obs, 'stone', 10**9)\nattack()", {"error"}),
    "find_unhashable": ("find(obs, ['stone'])\nattack()", {"error"}),
    "find_no_observation": ("find(3, 'stone')\nattack()", {"error"}),
    "nearest_mob_typos": (
        "while True:\n    try:\n        nearest_mob(obs, 'cowcow')\n"
        "    except ValueError:\n        pass",
        {"fuel_exhausted"},
    ),
    "nearest_mob_number": ("nearest_mob(obs, 1)\nattack()", {"error"}),
    "block_huge": ("obs.block(10**300, 0, 0)\nattack()", {"error"}),
    "block_bool": ("obs.block(True, 0, 0)\nattack()", {"error"}),
    "block_every_cell": (
        "while True:\n    for x in range(-8, 9):\n        for y in range(-8, 9):\n"
        "            for z in range(-8, 9):\n                obs.block(x, y, z)",
        {"fuel_exhausted"},
    ),
}

CONTAINED |= {
    # R: what the guards once let through
    "ray_mul": ("x = obs.rays[0] * 30_000_000\nattack()", STUCK),
    "ray_add": ("t = ()\nfor _ in range(15000):\n    t = t + obs.rays[0]\nattack()", STUCK),
    "int_of_another_base": ("x = int('f' * 10_000, 16)\nattack()", STUCK),
    "keys_minus_endless": ("x = {1: 1}.keys() - zip(range(10**12))\nattack()", STUCK),
    "endless_minus_keys": ("x = zip(range(10**12)) - {1: 1}.keys()\nattack()", STUCK),
    "keys_and_endless": ("x = {1: 1}.keys() & zip(range(10**12))\nattack()", STUCK),
    "one_hash_for_all": (
        "p = 2 ** 61 - 1\nx = [i * p for i in range(9000)]\nfor _ in range(20):\n    y = set(x)\n"
        "attack()",
        STUCK,
    ),
    "one_hash_in_tuples": (
        "p = 2 ** 61 - 1\nx = [(i * p,) for i in range(4000)]\nfor _ in range(99):\n"
        "    y = set(x)\nattack()",
        STUCK,
    ),
    "strip_of_many": (
        "x = '\u0101' * 10_000\ny = '\u0141' * 9999 + '\u0101'\nwhile True:\n    z = x.strip(y)\n"
        "attack()",
        {"fuel_exhausted"},
    ),
    "sets_sorted_to_be_shown": (
        "x = [{i: set(range(9000)) for i in range(12)}] * 12\nwhile True:\n"
        "    y = f'{x}'\nattack()",
        {"fuel_exhausted"},
    ),
    "enumerates_of_enumerates": (
        "x = [1]\nfor _ in range(25):\n    for _ in range(9000):\n        x = enumerate(x)\n"
        "    attack()\nx = 0\nattack()",
        {"finished"},
    ),
    "zips_of_zips": (
        "x = [1]\nfor _ in range(25):\n    for _ in range(9000):\n        x = zip(x)\n"
        "    attack()\nfor y in x:\n    attack()",
        {"finished"},
    ),
}

_ALIKE = """
m, x = 2 ** 64, []
p, q = int("11400714785074694791"), int("14029467366897019727")
r, i = int("2870177450012600261"), int("839798700976720815")
for a in range(9000):
    t = (r + a * q) % m
    t = ((t << 31) | (t >> 33)) % m * p
    b = (0 - t) * i % m
    if b < 2 ** 60:
        x.append((a, b))
attack()
"""
"""Some 600 pairs with one hash, which is worked out backwards."""

CONTAINED |= {
    # R: keys that share a hash are compared one by one
    "tuples_of_one_hash": (
        "x = [()]\nfor _ in range(9):\n    x = [a + (b,) for a in x for b in (-1, -2)]\n"
        "y = set(x)\nattack()",
        {"error"},
    ),
    "tuples_of_one_hash_added": (
        "x = [()]\nfor _ in range(12):\n    x = [a + (b,) for a in x for b in (-1, -2)]\n"
        "    attack()\ny = set()\nfor a in x:\n    y.add(a)\nattack()",
        {"error"},
    ),
    "tuples_of_one_hash_assigned": (
        "x = [()]\nfor _ in range(9):\n    x = [a + (b,) for a in x for b in (-1.0, -2)]\n"
        "    attack()\ny = {}\nfor a in x:\n    y[(0, a)] = 1\nattack()",
        {"error"},
    ),
    "tuples_of_one_hash_as_pairs": (
        "x = [()]\nfor _ in range(9):\n    x = [a + (b,) for a in x for b in (-1, -2)]\n"
        "    attack()\ny = dict([(a, 1) for a in x])\nattack()",
        {"error"},
    ),
    "tuples_of_one_hash_swallowed": (
        "x = [()]\nfor _ in range(12):\n    x = [a + (b,) for a in x for b in (-1, -2)]\n"
        "    attack()\ny = set()\nfor a in x:\n    try:\n        y.add(a)\n"
        "    except ValueError:\n        pass\nif len(y) > 32:\n    attack()\nelse:\n    1 / 0",
        {"error"},
    ),
    "pairs_of_one_hash": (f"{_ALIKE}y = set(x)\nattack()", {"error"}),
    "pairs_of_one_hash_updated": (
        f"{_ALIKE}y = {{}}\ny.update([(a, 1) for a in x])\nattack()",
        {"error"},
    ),
    "pairs_of_one_hash_in_a_view": (
        f"{_ALIKE}y = {{a: b for a, b in x}}\nz = y.items() & y.items()\nattack()",
        {"error"},
    ),
    "floats_of_one_hash": (
        "x = [(2.0 ** 52 + 1) * 2.0 ** (61 * i) for i in range(14)]\nfor _ in range(9000):\n"
        "    y = set(x)\nattack()",
        {"fuel_exhausted"},
    ),
    # R: long texts that differ in their last letter
    "long_texts_compared": (
        "a = 'a' * 9999\nb = a[1:] + 'b'\nx = [a] * 4900\ny = [a[1:] + 'a'] * 4900\n"
        "for _ in range(14):\n    z = x == y\nattack()",
        {"fuel_exhausted"},
    ),
    "long_texts_sorted": (
        "a = 'a' * 9998\nx = [a + 'a', a + 'b'] * 4900\nfor _ in range(14):\n"
        "    z = sorted(x)\nattack()",
        {"fuel_exhausted"},
    ),
    "long_text_in_a_list": (
        "a = 'a' * 9999\nx = [a] * 9900\nb = a[1:] + 'b'\nfor _ in range(14):\n"
        "    z = b in x\nattack()",
        {"fuel_exhausted"},
    ),
    "long_text_counted": (
        "a = 'a' * 9999\nx = [a] * 9900\nb = a[1:] + 'b'\nfor _ in range(14):\n"
        "    z = x.count(b)\nattack()",
        {"fuel_exhausted"},
    ),
    "long_list_in_the_values": (
        "a = [0] * 4000\nb = a[1:] + [1]\nx = {i: b for i in range(8000)}\nattack()\n"
        "for _ in range(9):\n    z = a in x.values()\nattack()",
        STUCK,
    ),
    "long_list_in_a_short_one": (
        "a = [0] * 9000\nb = a[1:] + [1]\nx = [b] * 60\nattack()\n"
        "for _ in range(9):\n    z = x.count(a)\nattack()",
        STUCK,
    ),
    "long_text_as_a_number": (
        "a = '1' * 9999\nfor _ in range(99):\n    z = float(a)\nattack()",
        {"fuel_exhausted"},
    ),
    # R: a little of everything, for ever
    "as_much_as_there_is": (
        "while True:\n    for _ in range(18_000):\n        pass\n    attack()",
        {"step_limit", "fuel_exhausted"},
    ),
}
