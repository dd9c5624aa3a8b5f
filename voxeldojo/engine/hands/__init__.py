"""What the player does with his hands: digging, placing, using, throwing, crafting."""
