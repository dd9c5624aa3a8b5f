"""Make ITEM, a tool or the achievement of making it, beside a table."""

ITEM = "wood_pickaxe"


def action(obs):
    tool = ITEM.removeprefix("make_")
    obs = stand_at_table(obs, 12)
    if "iron" in tool and not beside(obs, "furnace"):
        obs = put(obs, "furnace")
    if tool == "wood_pickaxe":
        make_wood_pickaxe()
    elif tool == "stone_pickaxe":
        make_stone_pickaxe()
    elif tool == "iron_pickaxe":
        make_iron_pickaxe()
    elif tool == "wood_sword":
        make_wood_sword()
    elif tool == "stone_sword":
        make_stone_sword()
    else:
        make_iron_sword()
