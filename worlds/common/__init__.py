"""What the cards and plays of games are made of together."""
