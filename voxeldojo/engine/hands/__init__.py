"""What the player does with its hands: digging, placing, using, throwing, crafting."""
