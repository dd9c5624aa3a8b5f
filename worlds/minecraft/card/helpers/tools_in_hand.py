"""Taking into the hand what digs a block quickest."""

QUICKEST_FIRST = ("golden", "diamond", "iron", "stone", "wooden")
FIRM_FIRST = ("diamond", "iron", "stone", "wooden")  # gold is too soft for most ores
EARTH = (
    "grass block",
    "dirt",
    "sand",
    "gravel",
    "clay",
    "snow",
    "farmland",
    "mycelium",
    "soul sand",
)
TIMBER = ("wood", "wooden planks", "crafting table", "chest", "bookshelf", "oak fence")
FOLIAGE = ("leaves", "grass", "plant", "flower", "vines", "dead bush", "cactus", "torch")
TOUGH = ("obsidian", "block of iron", "block of gold", "block of diamond")


def hold_for(obs, block):
    """Where nothing that is carried is made for it, the hand stays as it is."""
    if block in FOLIAGE:
        return obs
    tiers = FIRM_FIRST if block.endswith(" ore") or block in TOUGH else QUICKEST_FIRST
    kind = "_shovel" if block in EARTH else "_axe" if block in TIMBER else "_pickaxe"
    for tier in tiers:
        tool = tier + kind
        if obs.inventory.get(tool, 0):
            return obs if obs.held == tool else equip(tool)
    return obs
