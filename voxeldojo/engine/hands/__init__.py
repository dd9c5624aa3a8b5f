"""The player's hands: digging, placing, using, throwing, crafting."""
